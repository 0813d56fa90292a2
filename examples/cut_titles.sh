#!/bin/sh
# Writes titles-cut.txt: a list of titles, cut to fit a column of 20 bytes. `cut -b` counts bytes and ignores where a
# sequence ends. The last title comes from save-game.dat, so its U+0000 is the overlong C0 80.
set -eu
cd "$(dirname "$0")"
{
    echo 'Die Verwandlung – Kafka'
    echo 'Les Misérables: édition'
    echo 'こころ 夏目漱石'
    echo 'Emoji for all 🎨🎭🎪🎬'
    tail -c +19 save-game.dat | head -c 21
    echo
} | LC_ALL=C cut -b 1-20 > titles-cut.txt
