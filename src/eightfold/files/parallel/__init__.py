"""Work at once: threads, processes, and the signals that are held back meanwhile."""
