#!/bin/sh
# The tour: what eightfold does with two files from real programs (see SOURCES.md). It writes to a temporary folder only.
# Every step says what it shows, shows the command, and ends the tour if the exit status is not the one it should be.
# EIGHTFOLD is the command to run, `eightfold` by default.
set -eu
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cp messages-utf-16le.txt gateway.log "$out"
cd "$out"

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

step "Which form are these files in? UTF-16 with something wrong, and UTF-8 with binary bytes." 0 \
    eightfold identify messages-utf-16le.txt gateway.log
step "Where is it wrong? Node.js cut two emoji in half: four surrogates without a partner." 1 \
    eightfold check -f utf-16-le messages-utf-16le.txt
step "UTF-8 cannot hold them, so a strict conversion stops, says what to do, and writes nothing." 1 \
    eightfold convert -f wtf-16-le -t utf-8 -o messages.txt messages-utf-16le.txt
step "WTF-8 can: not one code point is lost, and that is proved." 0 \
    eightfold convert -f wtf-16-le -t wtf-8 --internal --verify -o messages.wtf-8 messages-utf-16le.txt
step "And back, in place." 0 \
    eightfold convert -f wtf-8 -t wtf-16-le --in-place --backup .kept messages.wtf-8
step "The same bytes as Node.js wrote." 0 \
    cmp messages.wtf-8 messages-utf-16le.txt
step "For everyone else: UTF-8 with U+FFFD for each half." 0 \
    eightfold convert -f wtf-16-le -t utf-8 --errors replace -o messages.txt messages-utf-16le.txt
step "The result is UTF-8." 0 \
    eightfold check messages.txt

step "The log: where it is not UTF-8, and how often." 1 \
    eightfold check --max-faults 6 --statistics gateway.log
step "With U+FFFD the names and frames are lost, and --verify does not let that pass." 1 \
    eightfold convert -f utf-8 -t utf-8 --errors replace --verify -o log.txt gateway.log
step "XTF-8 keeps every byte: what is no UTF-8 becomes U+EF80 to U+EFFF." 0 \
    eightfold convert -f xtf-8 -t utf-8 --errors escape --verify -o log.txt gateway.log
step "The result is UTF-8." 0 \
    eightfold check log.txt
step "And back." 0 \
    eightfold convert -f utf-8 -t xtf-8 -o back.log log.txt
step "The same bytes as were logged." 0 \
    cmp back.log gateway.log
printf '\nThe tour is over: every step ended as it should.\n'
