"""Options that several commands share, and the parser."""
