"""What commands do with files. Not here: the options of a single command."""
