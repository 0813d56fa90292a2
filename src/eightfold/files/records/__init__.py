"""Records of the work itself: plans, journals, certificates, and the key for seals."""
