#!/bin/sh
# Writes invoice-latin-1.txt: a letter as an old system stores it, one byte for each character.
set -eu
cd "$(dirname "$0")"
iconv -f UTF-8 -t ISO-8859-1 > invoice-latin-1.txt <<'END'
Société Générale des Cafés, Genève
Facture nº 1207

2 × café crème        à 4,50
1 × gâteau «Forêt-Noire»   7,00
Température du dépôt: 21 °C ± ½
END
