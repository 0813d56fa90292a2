"""What is kept on disk about the work itself: plans, journals, certificates, and the key that seals."""
