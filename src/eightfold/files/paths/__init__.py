"""Paths and entries of folders: what a path says by itself, and how it is reached without leaving a root."""
