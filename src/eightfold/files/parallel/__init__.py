"""Parallel work: threads, processes, and holding back signals meanwhile."""
