"""Paths and entries of folders: what a path itself reveals, and how to reach it without leaving a root."""
