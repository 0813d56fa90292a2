"""What the speed of eightfold is measured with, side by side with CPython and other peers in one process.

`python -m benchmarks` measures, prints and checks; `python -m benchmarks.scaling` draws time per byte over size and
density; `python -m benchmarks.record` measures everything and keeps it, or compares what was kept. No test asserts a
time.
"""
