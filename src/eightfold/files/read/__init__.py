"""Reading: files, standard input and remote files in chunks; cut into segments, scanned and converted."""
