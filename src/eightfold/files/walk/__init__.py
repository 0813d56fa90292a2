"""Walking: the files in folders that patterns select, and the names in folders and archives."""
