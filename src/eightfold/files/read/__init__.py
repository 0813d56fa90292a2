"""Reading: files, standard input and remote ones in pieces, cut into segments, scanned and converted."""
