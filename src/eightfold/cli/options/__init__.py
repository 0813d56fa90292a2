"""Options that several commands share: the parser, and what is selected by which arguments."""
