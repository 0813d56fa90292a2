#!/bin/sh
# The tour: what eightfold does with files from real programs (see SOURCES.md). It writes only to a temporary folder.
# Every step says what it shows, shows the command, and ends the tour if the exit status is not the expected one.
# EIGHTFOLD is the command to run, `eightfold` by default.
set -eu
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cp messages-utf-16le.txt gateway.log customers-cesu-8.csv save-game.dat Greeting.class invoice-latin-1.txt titles-cut.txt \
    letter.txt letter-corrected.txt request.json names.tar "$out"
cd "$out"
cp invoice-latin-1.txt invoice.kept

chapter() { # TITLE
    printf '\n\n== %s ==\n' "$1"
}

step() { # WHAT_IT_SHOWS EXPECTED_STATUS COMMAND...
    printf '\n# %s\n$ ' "$1"
    expected=$2
    shift 2
    echo "$*"
    status=0
    if [ "$1" = eightfold ]; then
        shift
        ${EIGHTFOLD:-eightfold} "$@" 2>&1 || status=$?
    else
        "$@" 2>&1 || status=$?
    fi
    echo "(exit status $status)"
    if [ "$status" -ne "$expected" ]; then
        echo "tour: this step should have ended with $expected" >&2
        exit 1
    fi
}

chapter "UTF-16 from Node.js, with emoji cut in half"
step "Which form are these files in? One is UTF-16 with unpaired surrogates; the other is in no single form." 0 \
    eightfold identify messages-utf-16le.txt gateway.log
step "Where is it ill-formed? Node.js cut two emoji in half: four unpaired surrogates." 1 \
    eightfold check -f utf-16-le messages-utf-16le.txt
step "UTF-8 cannot hold them, so a strict conversion stops, suggests options, and writes nothing." 1 \
    eightfold convert -f wtf-16-le -t utf-8 -o messages.txt messages-utf-16le.txt
step "WTF-8 can: --verify proves that every code point is the same." 0 \
    eightfold convert -f wtf-16-le -t wtf-8 --internal --verify -o messages.wtf-8 messages-utf-16le.txt
step "And back, in place." 0 \
    eightfold convert -f wtf-8 -t wtf-16-le --in-place --backup .kept messages.wtf-8
step "These are the bytes that Node.js wrote." 0 \
    cmp messages.wtf-8 messages-utf-16le.txt
step "For everyone else: UTF-8 with U+FFFD for each half." 0 \
    eightfold convert -f wtf-16-le -t utf-8 --errors replace -o messages.txt messages-utf-16le.txt
step "The result is UTF-8." 0 \
    eightfold check messages.txt

chapter "A log with binary bytes in it"
step "Where is the log not UTF-8, and how often?" 1 \
    eightfold check --max-faults 6 --statistics gateway.log
step "With U+FFFD the names and frames are lost, so --verify fails." 1 \
    eightfold convert -f utf-8 -t utf-8 --errors replace --verify -o log.txt gateway.log
step "XTF-8 keeps every byte: each that is not UTF-8 becomes U+EF80 to U+EFFF." 0 \
    eightfold convert -f xtf-8 -t utf-8 --errors escape --verify -o log.txt gateway.log
step "The result is UTF-8." 0 \
    eightfold check log.txt
step "And back." 0 \
    eightfold convert -f utf-8 -t xtf-8 -o back.log log.txt
step "These are the bytes that were logged." 0 \
    cmp back.log gateway.log

chapter "A table, a class file and a save game from Java"
step "Java has written CESU-8: like UTF-8, except that an emoji has six bytes instead of four." 0 \
    eightfold identify customers-cesu-8.csv
step "To a reader of UTF-8, each emoji is two faults." 1 \
    eightfold check customers-cesu-8.csv
step "The cake, sequence by sequence: two halves of three bytes, with the payload bits in brackets." 1 \
    eightfold explain --offset 34 --limit 3 customers-cesu-8.csv
step "Read as CESU-8, it is one code point." 0 \
    eightfold explain -f cesu-8 --offset 34 --limit 2 customers-cesu-8.csv
step "Converted to UTF-8, every code point is the same." 0 \
    eightfold convert -f cesu-8 -t utf-8 --verify -o customers.csv customers-cesu-8.csv
step "Strings in a class file are Modified UTF-8: here is the end of a greeting." 0 \
    eightfold explain -f mutf-8 --offset 133 --limit 2 Greeting.class
step "And this is a NUL, which has two bytes, so that no byte of a string is 00." 0 \
    eightfold explain -f mutf-8 --offset 158 --limit 3 Greeting.class
step "A save game has such strings too, each after its length: here is the end of a player's name." 0 \
    eightfold explain -f mutf-8 --offset 8 --limit 3 save-game.dat

chapter "A letter in Latin-1: repair with a way back"
step "What would repair change? Every accent. It writes nothing yet." 1 \
    eightfold repair --errors latin-1 invoice-latin-1.txt
step "Write the changes to a plan." 0 \
    eightfold repair --errors latin-1 --plan plan.jsonl invoice-latin-1.txt
step "Apply the plan." 0 \
    eightfold repair --apply plan.jsonl
step "The letter is UTF-8 now." 0 \
    eightfold check invoice-latin-1.txt
step "Undo it." 0 \
    eightfold repair --undo plan.jsonl
step "The bytes are the same as before." 0 \
    cmp invoice-latin-1.txt invoice.kept
step "If another letter now has that name," 0 \
    cp letter.txt invoice-latin-1.txt
step "the plan is refused." 2 \
    eightfold repair --apply plan.jsonl

chapter "Titles cut after 20 bytes"
step "Sequences cut short, the overlong NUL of Java, and halves of an emoji." 1 \
    eightfold check --statistics titles-cut.txt
step "What is one of them, and which rule does it break?" 1 \
    eightfold explain --offset 89 --limit 2 titles-cut.txt
step "Repaired without loss: each byte becomes a code point from U+EF80 to U+EFFF." 0 \
    eightfold repair -o titles.txt titles-cut.txt
step "The result is UTF-8." 0 \
    eightfold check titles.txt
step "And back." 0 \
    eightfold convert -f utf-8 -t xtf-8 -o titles.back titles.txt
step "These are the bytes that were cut." 0 \
    cmp titles.back titles-cut.txt

chapter "A letter in Corrected UTF-8"
step "Its first eight bytes identify it." 0 \
    eightfold identify letter-corrected.txt
step "It keeps the rules for such documents." 0 \
    eightfold check -f corrected-utf-8 --strict letter-corrected.txt
step "Here the Euro sign has other bytes: no sequence is overlong, as each length begins where the shorter one ends." 0 \
    eightfold explain -f corrected-utf-8-sig --offset 147 --limit 1 letter-corrected.txt
step "To UTF-8." 0 \
    eightfold convert -f corrected-utf-8-sig -t utf-8 --verify -o letter.back letter-corrected.txt
step "These are the bytes of the original letter." 0 \
    cmp letter.back letter.txt

chapter "Where bytes are not the whole story"
step "JSON with half an emoji: the bytes are UTF-8, the half is an escape. See docs/how-to/json.md." 0 \
    eightfold check request.json
step "File names in a tar: three of four are not UTF-8. See docs/how-to/file-names.md." 1 \
    eightfold names names.tar

chapter "The family"
step "Which form contains which, and which conversions lose nothing: computed from the tables." 0 \
    eightfold table
printf '\nThe tour is over: every step ended as it should.\n'
