//! Text that is dirty throughout is written in one pass as it is in two, whatever stands next to each other, at every
//! place in a block, and wherever the text ends.

mod forms;
mod one_pass;

use std::mem::MaybeUninit;

use eightfold_core::kernels::Level;
use eightfold_core::{Attempt, Form, Halt, OnFault, Output, Pass, TextBuffer, Width};
use forms::{family, form, one_in, with_layouts};
use one_pass::{written, written_as};

const POLICIES: [OnFault; 4] = [OnFault::Stop, OnFault::Replace, OnFault::Ignore, OnFault::SurrogateEscape];
/// Up to U+FFFF: ASCII, what begins nothing, what lacks its end, what is longer than it has to be, surrogates, what a
/// form may read otherwise than UTF-8, and sequences.
const NARROW: [&[u8]; 17] = [
    b"a",
    b"\0",
    b"\xFF",
    b"\x80",
    b"\xBF\xBF",
    b"\xC3",
    b"\xE2\x82",
    b"\xF0\x9F\x98a",
    b"\xC0\xAF",
    b"\xED\xA0\xBD",
    b"\xF4\x90\x80\x80",
    b"\xF8\x88\x80\x80",
    "é".as_bytes(),
    "жук".as_bytes(),
    "中".as_bytes(),
    "\u{EFC0}".as_bytes(),
    "\u{FFFD}\u{FFFF}".as_bytes(),
];
const FOUR: &[u8] = "😀".as_bytes();
/// More than a block.
const PLACES: usize = 67;

fn pass<'a>(form: &'a Form, data: &'a [u8], on_fault: OnFault) -> Pass<'a> {
    Pass { form, data, is_final: true, largest: 0x10_FFFF, on_fault }
}

fn walked(pass: &Pass<'_>) -> Option<Vec<u32>> {
    let mut buffer = TextBuffer::default();
    let is_read = pass.run(0, &mut buffer) == Halt::End(pass.data.len());
    is_read.then(|| (0..buffer.text().len()).map(|at| buffer.text().at(at)).collect())
}

/// Each two of the pieces side by side, behind so many others, with more and more of a letter between.
fn pairs(pieces: &[&[u8]], place: usize, letter: &str) -> Vec<u8> {
    let mut data = vec![0x61; place];
    for (at, (&first, &second)) in
        pieces.iter().flat_map(|first| pieces.iter().map(move |second| (first, second))).cycle().enumerate()
    {
        data.extend([first, second].concat());
        data.extend(letter.repeat(at % 5).bytes());
        if data.len() > 9000 {
            return data;
        }
    }
    data
}

/// Whether the text is written in one pass; if so, it is as the automaton alone reads it, and of the width that was
/// said.
fn is_taken(name: &str, bare: &Form, pass: &Pass<'_>) -> bool {
    let Some(once) = pass.in_one_pass_if_dirty() else { return false };
    assert!(once.width > Width::Latin1, "{name}: text that is not wide");
    let (mut attempt, mut found) = written(&once);
    let (narrow, mut width) = (found.len(), once.width);
    if let Attempt::Wider(at) = attempt {
        width = Width::Ucs4;
        let rest;
        (attempt, rest) = written_as::<u32>(&once, pass.data.len() - at, at);
        found.extend(rest);
        assert!(found[narrow] > 0xFFFF, "{name}: what is wider is next");
    }
    if attempt != Attempt::Done {
        assert_eq!(attempt, Attempt::Failed);
        return false;
    }
    assert_eq!(Some(&found), walked(&Pass { form: bare, ..*pass }).as_ref(), "{name} {:?}", pass.on_fault);
    let most = found.iter().copied().max().unwrap_or(0);
    assert!(if width == Width::Ucs4 { most > 0xFFFF } else { (0x100..0x1_0000).contains(&most) }, "{name} {most:X}");
    true
}

/// How many of the texts are taken, and how many there are.
fn taken(texts: impl Fn(usize) -> Vec<Vec<u8>>) -> (usize, usize) {
    let (mut count, mut all) = (0, 0);
    for (name, [bare, form]) in with_layouts() {
        for (place, on_fault) in
            (0..PLACES).step_by(one_in()).flat_map(|place| POLICIES.map(|on_fault| (place, on_fault)))
        {
            for data in texts(place) {
                count += usize::from(is_taken(&name, &bare, &pass(&form, &data, on_fault)));
                all += 1;
            }
        }
    }
    (count, all)
}

fn check((count, all): (usize, usize)) {
    let is_portable = Level::current() == Level::Portable;
    assert_eq!(count > all / 10, !is_portable, "{count} of {all}");
    assert!(!is_portable || count == 0);
}

#[test]
fn each_two_pieces_are_written_in_one_pass_at_every_place() {
    let letters = ["a", "é", "中"];
    check(taken(|place| vec![pairs(&NARROW, place, letters[place % letters.len()])]));
}

#[test]
fn text_may_be_cut_anywhere() {
    let cut = |place| {
        let data = pairs(&NARROW[2..], place, "é");
        (0..8).step_by(place % 3 + 1).map(|behind| data[..data.len() - behind].to_vec()).collect()
    };
    check(taken(cut));
}

#[test]
fn text_may_become_wider_and_begin_wide() {
    let pieces = [&NARROW[2..], &[FOUR]].concat();
    let wider = |place: usize| {
        let [narrow, wide] = [&NARROW[2..], &pieces].map(|pieces| pairs(pieces, place, "ж"));
        let one = [&narrow[..], FOUR, &narrow].concat();
        vec![[&narrow[..], &wide].concat(), one, wide]
    };
    check(taken(wider));
}

#[test]
fn blocks_of_few_kinds_are_written_whatever_is_among_them() {
    let cut_behind_strays = [&[0xFF; 130][..], &b"ab\xE2\x82".repeat(40)].concat();
    let few: [&[u8]; 6] = [
        b"caf\xE9 \xFC\xDF",
        &cut_behind_strays,
        "😀😀😀é😀😀".as_bytes(),
        "😀😀中😀😀😀😀".as_bytes(),
        b"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xFF",
        b"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xE2\x82",
    ];
    check(taken(|place| few.map(|piece| [pairs(&NARROW[2..], place, "ж"), piece.repeat(60)].concat()).to_vec()));
}

#[test]
fn what_the_beginning_does_not_show_is_written_or_measured() {
    let clean = ["a", "é", "中", "😀"].map(|letter| letter.repeat(20_000));
    let texts = |place: usize| {
        let dirty = [pairs(&NARROW[2..], place, "ж"), pairs(&[FOUR, b"\xFF"], place, "😀")];
        let (beginning, letters) = (&dirty[place % dirty.len()], clean[place % clean.len()].as_bytes());
        vec![[beginning, letters].concat(), [&dirty[0], letters, &dirty[1], letters, FOUR, letters].concat()]
    };
    let (count, _) = taken(texts);
    assert_eq!(count > 0, Level::current() != Level::Portable);
}

#[test]
fn a_pass_ends_where_it_is_told_to() {
    let (data, family) = (pairs(&NARROW[2..], 0, "é").repeat(9), family());
    let pass = pass(&family["utf-8"], &data, OnFault::Replace);
    let Some(once) = pass.in_one_pass_if_dirty() else {
        assert_eq!(Level::current(), Level::Portable);
        return;
    };
    let mut memory = vec![MaybeUninit::<u16>::uninit(); once.room];
    let mut asked = 0;
    let (attempt, _) = Output::written(&mut memory, |out| {
        once.write(0, out, |_| {
            asked += 1;
            asked < 3
        })
    });
    assert_eq!((attempt, asked), (Attempt::Failed, 3), "{attempt:?} {asked}");
}

#[test]
fn clean_text_and_short_text_are_measured() {
    let family = family();
    let dirty = pairs(&NARROW[2..], 0, "é");
    for data in [&"жук, é 中 ".repeat(1000).into_bytes(), &dirty[..4000], &[b'a'; 10_000], &[]] {
        for (name, form) in family.iter().filter(|(_, form)| form.tables.unit_bytes == 1) {
            assert!(pass(form, data, OnFault::Replace).in_one_pass_if_dirty().is_none(), "{name}");
        }
    }
}

/// In Corrected UTF-8, sequences of three bytes end beyond U+FFFF; a form of its rows alone has no runs.
#[test]
fn three_bytes_may_be_beyond_two_in_a_str() {
    let mut tables = form("corrected-utf-8").tables;
    tables.units.clear();
    let [mut bare, form] = [tables.clone(), tables].map(|tables| Form::new(tables).expect("a small form"));
    bare.layout = None;
    let dirty = b"\xCE\x96\xFF \xE3\xA1\x8D".repeat(1500);
    let data = [&dirty, &b"\xEE\xBD\xB0"[..], &dirty].concat();
    for on_fault in POLICIES {
        assert!(!is_taken("mine", &bare, &pass(&form, &data, on_fault)), "{on_fault:?}");
    }
}

#[test]
fn what_is_dropped_is_not_taken_byte_by_byte_where_little_has_room() {
    let family = family();
    let begun = [FOUR, &[0xFF; 100]].concat().repeat(40);
    for left in [1, 2, 63, 200] {
        let text = |letters: usize| {
            let mut data = [&begun[..], &b"a\xFF".repeat(letters)].concat();
            data.resize(100_000, 0xFF);
            data
        };
        let (first, family) = (text(0), &family["utf-8"]);
        let Some(once) = pass(family, &first, OnFault::Ignore).in_one_pass_if_dirty().map(|once| once.room) else {
            assert_eq!(Level::current(), Level::Portable);
            return;
        };
        let data = text(once - begun.len() / 104 - left);
        let pass = pass(family, &data, OnFault::Ignore);
        let once = pass.in_one_pass_if_dirty().expect("it begins as the other");
        let (mut memory, mut asked) = (vec![MaybeUninit::<u32>::uninit(); once.room], 0);
        Output::written(&mut memory, |out| {
            once.write(0, out, |_| {
                asked += 1;
                true
            })
        });
        assert!(asked < data.len() / 256, "{left}: {asked}");
    }
}
