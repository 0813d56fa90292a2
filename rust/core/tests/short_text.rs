//! Short text is written in one pass as the rows write it code point by code point: every row of a few pieces, in every
//! form, under every policy and in each kind of str that holds it, at every place about the borders of words and
//! blocks.

mod forms;

use std::mem::MaybeUninit;

use eightfold_core::kernels::Level;
use eightfold_core::{Form, Missing, Output, Range, Row, ShortBytes, Tables, Text, encode_text};
use forms::family;

/// The borders of lengths and kinds, surrogates of each sort, and what some forms lack or write in ways of their own.
const PIECES: [u32; 18] = [
    0, 0x61, 0x7F, 0x80, 0xE9, 0x7FF, 0x800, 0x4E2D, 0xD800, 0xDBFF, 0xDC00, 0xDC80, 0xDCFF, 0xEF80, 0xEFFF, 0xFFFF,
    0x1_0000, 0x10_FFFF,
];
const SURROGATES: Range = (0xD800, 0xDFFF);

/// A form, and what its tables say of surrogates, as a form.
struct Subject {
    name: String,
    form: Form,
    surrogates: Option<Form>,
}

impl Subject {
    fn new((name, form): (String, Form)) -> Self {
        let of_surrogates = |ranges| Tables {
            rows: vec![Row { first: SURROGATES.0, last: SURROGATES.1, ranges }],
            units: Vec::new(),
            names: Vec::new(),
            ..form.tables.clone()
        };
        let surrogates = surrogate_ranges(&form.tables).map(of_surrogates);
        Subject { name, surrogates: surrogates.map(|tables| Form::new(tables).expect("a small form")), form }
    }
}

fn named(name: &str) -> Subject {
    Subject::new((name.to_owned(), forms::form(name)))
}

fn all() -> impl Iterator<Item = Subject> {
    family().into_iter().map(Subject::new)
}

/// The bytes, code point by code point; None where the policy has no answer.
fn walked(subject: &Subject, points: &[u32], policy: Missing) -> Option<Vec<u8>> {
    let form = &subject.form;
    let (mut at, mut out) = (0, Vec::new());
    while at < points.len() {
        let pair = points[at..].first_chunk().filter(|_| form.tables.joins_pairs);
        let joined = pair.and_then(|&[lead, trail]| match (lead, trail) {
            (0xD800..0xDC00, 0xDC00..0xE000) => Some(0x1_0000 + (lead - 0xD800) * 0x400 + trail - 0xDC00),
            _ => None,
        });
        at += if joined.is_some() { 2 } else { 1 };
        let point = joined.unwrap_or(points[at - 1]);
        if !form.write_row(point, &mut out) {
            answer(subject, point, policy, &mut out)?;
        }
    }
    Some(out)
}

fn answer(subject: &Subject, point: u32, policy: Missing, out: &mut Vec<u8>) -> Option<()> {
    let form = &subject.form;
    let all = |text: String, out: &mut Vec<u8>| text.bytes().all(|byte| form.write_row(byte.into(), out)).then_some(());
    match policy {
        Missing::Stop => None,
        Missing::Ignore => Some(()),
        Missing::Replace => all("?".into(), out),
        Missing::BackslashReplace => all(
            match point {
                0..=0xFF => format!("\\x{point:02x}"),
                0x100..=0xFFFF => format!("\\u{point:04x}"),
                _ => format!("\\U{point:08x}"),
            },
            out,
        ),
        Missing::SurrogateEscape => {
            let is_byte = (0xDC80..=0xDCFF).contains(&point) && form.tables.unit_bytes == 1;
            is_byte.then(|| out.push((point - 0xDC00) as u8))
        }
        Missing::SurrogatePass => subject.surrogates.as_ref()?.write_row(point, out).then_some(()),
    }
}

/// The unit ranges that a form's tables assign to the surrogates.
fn surrogate_ranges(tables: &Tables) -> Option<Vec<Range>> {
    let of_rows = tables.rows.iter().map(|row| (Some((row.first, row.last)), &row.ranges));
    let named = tables.units.iter().chain(&tables.names).map(|row| (row.meant, &row.ranges));
    of_rows.chain(named).find(|(meant, _)| *meant == Some(SURROGATES)).map(|(_, ranges)| ranges.clone())
}

fn written(form: &Form, text: Text<'_>, policy: Missing) -> Option<Vec<u8>> {
    let mut memory: ShortBytes = [const { MaybeUninit::uninit() }; _];
    form.write_short(text, Some(policy), &mut memory).map(<[u8]>::to_vec)
}

fn check_kind(subject: &Subject, text: Text<'_>, policy: Missing, expected: Option<&Vec<u8>>) {
    let Subject { name, form, .. } = subject;
    assert_eq!(written(form, text, policy).as_ref(), expected, "{name} {policy:?} {text:X?}");
    let mut general = Vec::new();
    let result = encode_text(form, text, 0, policy, &mut general);
    assert_eq!(result.ok().map(|()| &general), expected, "{name} {policy:?} {text:X?} at large");
    if let Some(at_once) = at_once(form, text, policy) {
        assert_eq!(Some(&at_once), expected, "{name} {policy:?} {text:X?} at once");
    }
}

/// The bytes of a text that is written in one pass however long it is.
fn at_once(form: &Form, text: Text<'_>, policy: Missing) -> Option<Vec<u8>> {
    let script = form.at_once(text, policy)?;
    let mut memory = vec![MaybeUninit::uninit(); script.room()];
    let (is_whole, written) = Output::<u8>::written(&mut memory, |out| script.write(out, |_| true));
    is_whole.then(|| written.to_vec())
}

/// Check a text in each kind of str that holds it.
fn check(subject: &Subject, points: &[u32]) {
    for policy in Missing::ALL {
        let expected = walked(subject, points, policy);
        check_kind(subject, Text::Four(points), policy, expected.as_ref());
        let two: Option<Vec<u16>> = points.iter().map(|&point| point.try_into().ok()).collect();
        if let Some(two) = two {
            check_kind(subject, Text::Two(&two), policy, expected.as_ref());
        }
        let one: Option<Vec<u8>> = points.iter().map(|&point| point.try_into().ok()).collect();
        if let Some(one) = one {
            check_kind(subject, Text::One(&one), policy, expected.as_ref());
        }
    }
}

/// Each row of so many pieces.
fn rows(count: u32) -> impl Iterator<Item = Vec<u32>> {
    let place = |row: usize, place: u32| PIECES[row / PIECES.len().pow(place) % PIECES.len()];
    (0..PIECES.len().pow(count)).map(move |row| (0..count).map(|at| place(row, at)).collect())
}

#[test]
fn every_row_of_pieces_is_written_as_the_rows_say() {
    for subject in all() {
        (0..=2).flat_map(rows).for_each(|points| check(&subject, &points));
    }
}

#[test]
fn every_row_of_three_is_written_so_in_forms_that_share_utf_8() {
    for name in ["utf-8", "wtf-8", "generalized-utf-8", "xtf-8"] {
        let subject = named(name);
        rows(3).for_each(|points| check(&subject, &points));
    }
}

#[test]
fn every_two_pieces_are_written_so_about_the_borders_of_words_and_blocks() {
    for subject in all() {
        for points in rows(2) {
            for before in [1, 2, 3, 4, 7, 8, 14, 15, 16, 17, 31] {
                for filler in [0x61, 0x436, 0x4E2D, 0x1_F600] {
                    check(&subject, &[&vec![filler; before], &points[..], &[filler; 5]].concat());
                }
            }
        }
    }
}

#[test]
fn surrogates_at_every_distance_are_written_so() {
    for name in ["utf-8", "wtf-8", "generalized-utf-8", "utf-8-rfc2044", "xtf-8"] {
        let subject = named(name);
        for distance in 1..40 {
            for surrogate in [0xD800, 0xDC80, 0xDFFF] {
                for filler in [0x61, 0xE9, 0x436, 0x4E2D, 0x1_F600] {
                    let point = |at| if at % distance == distance - 1 { surrogate } else { filler };
                    for length in [63, 64, 65, 130, 256] {
                        check(&subject, &(0..length).map(point).collect::<Vec<u32>>());
                    }
                }
            }
        }
    }
}

#[test]
fn a_policy_that_is_not_known_matters_where_something_is_lacking() {
    let form = forms::form("utf-8");
    let mut memory: ShortBytes = [const { MaybeUninit::uninit() }; _];
    assert_eq!(form.write_short(Text::Two(&[0x61, 0x4E2D]), None, &mut memory), Some("a中".as_bytes()));
    assert_eq!(form.write_short(Text::Two(&[0x61, 0xDC80]), None, &mut memory), None);
}

#[test]
fn what_may_be_too_long_is_not_written() {
    let subject = named("utf-8");
    let utf8 = &subject.form;
    for policy in [Missing::Replace, Missing::BackslashReplace] {
        let most = size_of::<ShortBytes>() / utf8.most_bytes(policy);
        let points = vec![0xDC80; most + 1];
        assert_eq!(written(utf8, Text::Two(&points[1..]), policy), walked(&subject, &vec![0xDC80; most], policy));
        assert_eq!(written(utf8, Text::Two(&points), policy), None);
    }
    // A form of somebody who writes surrogates with forty bytes each.
    let mut tables = utf8.tables.clone();
    let long = [vec![(0xF8, 0xF8), (0x80, 0x9F), (0x80, 0xBF)], vec![(0x80, 0x80); 37]].concat();
    tables.rows.push(Row { first: SURROGATES.0, last: SURROGATES.1, ranges: long });
    let subject = Subject::new(("long".into(), Form::new(tables).expect("a small form")));
    let form = &subject.form;
    assert!(form.agreement.is_total());
    for count in [1, 204, 205, 256] {
        let points = vec![0xDC80; count];
        let expected = walked(&subject, &points, Missing::Ignore).filter(|_| count < 205);
        assert_eq!(written(form, Text::Four(&points), Missing::Ignore), expected, "{count}");
    }
}

/// Where text is taken part by part, no pair is torn apart.
#[test]
fn pairs_are_seen_at_each_place_of_a_text() {
    for name in ["wtf-8", "generalized-utf-8", "utf-8", "cesu-8"] {
        let subject = named(name);
        let far = (2020..2050).flat_map(|place| [0, 5, 15, 90].map(|behind| (place, behind)));
        for (place, behind) in (0..260).map(|place| (place, 90)).chain(far) {
            let mut points = vec![0x61; (place + 2 + behind).max(200)];
            points[place..place + 2].copy_from_slice(&[0xD83D, 0xDE00]);
            check_if_short(&subject, &points, place);
            points[place / 2] = 0xDC80;
            check_if_short(&subject, &points, place);
        }
    }
}

/// As [`check`], of text that may be too long to be written in one pass.
fn check_if_short(subject: &Subject, points: &[u32], place: usize) {
    let two: Vec<u16> = points.iter().map(|&point| point as u16).collect();
    for (policy, text) in
        Missing::ALL.into_iter().flat_map(|policy| [(policy, Text::Four(points)), (policy, Text::Two(&two))])
    {
        let found = written(&subject.form, text, policy);
        let is_right = found.is_none() || found == walked(subject, points, policy);
        assert!(is_right, "{} {policy:?}: a pair at {place} of {}", subject.name, points.len());
    }
}

/// Where a long text is taken part by part, no pair is torn apart.
#[test]
fn long_text_is_written_in_one_pass_as_in_two_where_that_is_quicker() {
    const PART: usize = 4096;
    let mut taken = 0;
    // Much that is rare is read one by one.
    for (name, every) in
        ["utf-8", "wtf-8", "generalized-utf-8", "xtf-8"].into_iter().flat_map(|name| [(name, PART), (name, 9)])
    {
        let subject = named(name);
        for place in PART - 3..=PART + 1 {
            for row in rows(2) {
                let mut points = vec![0x61; 2 * PART + 5];
                for (at, rare) in
                    (PART / 2 % every..points.len()).step_by(every).zip([0xDC80, 0xEF80, 0xD83D].into_iter().cycle())
                {
                    points[at] = rare;
                }
                points[place..place + 2].copy_from_slice(&row);
                for policy in Missing::ALL {
                    let written = at_once(&subject.form, Text::Four(&points), policy);
                    taken += usize::from(written.is_some());
                    if written.is_some() {
                        assert_eq!(written, walked(&subject, &points, policy), "{name} {policy:?} {place} {row:X?}");
                    }
                }
            }
        }
    }
    assert_eq!(taken > 1000, Level::current() == Level::Portable, "{taken}");
}

/// What writes a long text is chosen by its beginning: by how much is rare, by lengths, by how often they change.
#[test]
fn long_text_is_written_so_whatever_its_beginning_is_like() {
    const FILLERS: [&[u32]; 5] =
        [&[0x61], &[0x61, 0x61, 0xE9, 0x61, 0x61, 0x61, 0x61], &[0x61, 0xAC00], &[0x4E2D], &[0x436, 0x20]];
    let is_alone = Level::current() == Level::Portable;
    for (fillers, every) in FILLERS.into_iter().flat_map(|fillers| [9, 100, 1000].map(|every| (fillers, every))) {
        for name in ["utf-8", "wtf-8", "generalized-utf-8", "xtf-8"] {
            let subject = named(name);
            let mut points: Vec<u32> = fillers.iter().copied().cycle().take(70_000).collect();
            for (place, rare) in (5..70_000).step_by(every).zip([0xDC80, 0xEF81, 0xD83D, 0xD83D].into_iter().cycle()) {
                points[place] = rare;
                // Each second lead is one of a pair.
                points[place - 1] = if place / every % 8 == 3 { 0xD83D } else { points[place - 1] };
                points[place + 1] = if place / every % 8 == 2 { 0xDE00 } else { points[place + 1] };
            }
            for policy in [Missing::Stop, Missing::SurrogateEscape, Missing::SurrogatePass] {
                let written = at_once(&subject.form, Text::Four(&points), policy);
                if written.is_some() {
                    assert_eq!(written, walked(&subject, &points, policy), "{name} {policy:?} {fillers:X?} {every}");
                } else {
                    let is_taken = name == "wtf-8" && policy == Missing::Stop && every == 9;
                    assert!(!(is_taken && is_alone), "{name} joins pairs, and is not written in one pass");
                }
            }
        }
    }
}

#[test]
fn text_is_not_written_on_where_that_is_not_wanted() {
    let (form, points, mut calls) = (forms::form("utf-8"), vec![0x61; 10_000], 0);
    let mut goes_on = |_| {
        calls += 1;
        calls < 2
    };
    let script = form.at_once(Text::Four(&points), Missing::Ignore);
    assert_eq!(script.is_some(), Level::current() == Level::Portable);
    if let Some(script) = script {
        let mut memory = vec![MaybeUninit::uninit(); script.room()];
        assert!(!Output::<u8>::written(&mut memory, |out| script.write(out, &mut goes_on)).0);
        assert_eq!(calls, 2);
    }
    // It would take as much memory as the result once more.
    let long = vec![0x61; (1 << 22) + 1];
    assert!(form.at_once(Text::One(&long), Missing::Ignore).is_none());
}
