"""Writing: whole or not at all, under a lock, with the proof and the difference of what is written."""
