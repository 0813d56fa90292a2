"""Walking: the files of folders that patterns select, and the names in folders and archives."""
