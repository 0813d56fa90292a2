#!/bin/sh
# Writes names.tar: files with names in bytes from three computers. Needs GNU tar, and a file system with byte names
# (on Linux; not on macOS and Windows).
set -eu
cd "$(dirname "$0")"
export LC_ALL=C
here=$(pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo 'UTF-8'           > "$(printf 'caf\303\251.txt')"
echo 'Latin-1'         > "$(printf 'r\351sum\351.txt')"
echo 'Shift JIS'       > "$(printf '\223\372\226\173.txt')"
echo 'UTF-8, cut short' > "$(printf 'Stra\303.txt')"
chmod 644 ./*
tar --create --file "$here/names.tar" --blocking-factor=1 --format=ustar \
    --sort=name --mtime=@0 --owner=root:0 --group=root:0 -- *
