"""Asks a program about the vectors and keeps the score. Needs nothing but Python's standard library."""
