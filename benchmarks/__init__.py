"""Measure the speed of eightfold side by side with CPython and other peers in one process.

`python -m benchmarks` measures, prints and checks; `python -m benchmarks.scaling` draws time per byte over size and
density; `python -m benchmarks.record` measures everything and stores it, or compares stored measurements. No test
asserts a time.
"""
