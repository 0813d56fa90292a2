"""What commands do with the files that they are given. Not here: the options of one command alone."""
