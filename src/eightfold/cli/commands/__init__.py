"""The commands: one file or folder for each, imported when it is used."""
