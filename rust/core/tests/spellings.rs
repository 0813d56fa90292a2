//! Writing by a spelling gives what the rows give, from every kind of str, at every index, limit and alignment.

mod forms;

use std::mem::MaybeUninit;

use eightfold_core::{Form, Missing, Output, Row, Spelt, Tables, Text, TextFault, encode_text};
use forms::family;

/// The bytes of code points by the rows alone, up to the first that is not written or is joined with the next.
fn by_rows(form: &Form, points: &[u32], end: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &point in &points[..end] {
        assert!(form.write_row(point, &mut bytes), "wrote over U+{point:04X}");
    }
    bytes
}

fn stops(form: &Form, points: &[u32], at: usize) -> bool {
    let is_lead = (0xD800..0xDC00).contains(&points[at]);
    let is_pair = is_lead && points.get(at + 1).is_some_and(|next| (0xDC00..0xE000).contains(next));
    !form.write_row(points[at], &mut Vec::new()) || (form.holds_back_lead && is_pair)
}

fn check(name: &str, form: &Form, points: &[u32], start: usize, limit: usize) {
    let spelling = form.spelling.as_ref().expect("a form with a spelling");
    let largest = points.iter().copied().max().unwrap_or(0);
    let ones: Vec<u8> = points.iter().map(|&point| point as u8).collect();
    let twos: Vec<u16> = points.iter().map(|&point| point as u16).collect();
    let mut texts = vec![Text::Four(points)];
    if largest <= 0xFFFF {
        texts.push(Text::Two(&twos));
    }
    if largest <= 0xFF {
        texts.push(Text::One(&ones));
    }
    let expected_end = (start..limit).find(|&at| stops(form, points, at)).unwrap_or(limit);
    let expected = by_rows(form, &points[start..], expected_end - start);
    for text in texts {
        let spelt = Spelt { spelling, agreement: &form.agreement, text };
        let stretch = spelt.measure(start, limit);
        assert_eq!((stretch.end, stretch.bytes), (expected_end, expected.len()), "{name} {start}..{limit} {points:X?}");
        let mut out = Vec::new();
        let slice = text.slice(start, expected_end);
        // Through the loop, which allocates exactly the memory measured.
        if !form.holds_back_lead || expected_end == points.len() || expected_end == start {
            assert_eq!(encode_text(form, slice, 0, Missing::Stop, &mut out), Ok(()), "{name} {points:X?}");
            assert_eq!(out, expected, "{name} {points:X?}");
        }
    }
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }
}

#[test]
fn forms_of_bytes_have_spellings() {
    for (name, form) in family() {
        let has_none = form.tables.unit_bytes > 1 || name.ends_with("/private-use") || name.ends_with("/java");
        assert_eq!(form.spelling.is_none(), has_none, "{name}");
    }
}

#[test]
fn every_code_point_is_written_alike() {
    for (name, form) in family() {
        if form.spelling.is_none() {
            continue;
        }
        let points: Vec<u32> = (0..=0x10_FFFF).collect();
        let mut at = 0;
        while at < points.len() {
            let next = (at..points.len()).find(|&at| stops(&form, &points, at)).unwrap_or(points.len());
            let spelling = form.spelling.as_ref().expect("checked");
            let stretch =
                Spelt { spelling, agreement: &form.agreement, text: Text::Four(&points) }.measure(at, points.len());
            assert_eq!(stretch.end, next, "{name}");
            let mut out = Vec::new();
            assert_eq!(encode_text(&form, Text::Four(&points[at..next]), 0, Missing::Stop, &mut out), Ok(()));
            assert_eq!(out, by_rows(&form, &points[at..], next - at), "{name} U+{at:04X}");
            at = next + 1;
        }
    }
}

#[test]
fn random_texts_are_written_alike() {
    let alphabet = [
        0, 0x61, 0x7F, 0x80, 0x9F, 0xA0, 0xFF, 0x100, 0x7FF, 0x800, 0x89F, 0x8A0, 0xD7FF, 0xD800, 0xDBFF, 0xDC00,
        0xDFFF, 0xE000, 0xEF7F, 0xEF80, 0xEFFF, 0xF000, 0xFFFD, 0xFFFE, 0xFFFF, 0x1_0000, 0x1_109F, 0x1_10A0, 0x1_F600,
        0x10_FFFF,
    ];
    for (name, form) in family() {
        if form.spelling.is_none() {
            continue;
        }
        let mut chance = Chance(7);
        for round in 0..2000 {
            // Texts of each kind of str, some of which rarely stop the kernels.
            let kind = [7, 25, alphabet.len()][round % 3];
            let plain = [0, 3, 30][round / 3 % 3];
            let usual = alphabet[chance.below(kind)];
            let length = chance.below(200);
            let points: Vec<u32> = (0..length)
                .map(|_| match chance.below(plain + 1) {
                    0 => alphabet[chance.below(kind)],
                    1 => 0x61,
                    _ => usual,
                })
                .collect();
            check(&name, &form, &points, 0, length);
            let start = chance.below(length + 1);
            check(&name, &form, &points, start, start + chance.below(length + 1 - start));
        }
    }
}

/// UTF-8 but for some of its first code points.
fn form_beginning_with(mut rows: Vec<Row>) -> Form {
    let tail = (0x80, 0xBF);
    rows.extend([
        Row { first: 0x100, last: 0x7FF, ranges: vec![(0xC4, 0xDF), tail] },
        Row { first: 0x800, last: 0xFFF, ranges: vec![(0xE0, 0xE0), (0xA0, 0xBF), tail] },
        Row { first: 0x1000, last: 0xCFFF, ranges: vec![(0xE1, 0xEC), tail, tail] },
        Row { first: 0xE000, last: 0xFFFF, ranges: vec![(0xEE, 0xEF), tail, tail] },
        Row { first: 0x1_0000, last: 0x3_FFFF, ranges: vec![(0xF0, 0xF0), (0x90, 0xBF), tail, tail] },
        Row { first: 0x4_0000, last: 0xF_FFFF, ranges: vec![(0xF1, 0xF3), tail, tail, tail] },
        Row { first: 0x10_0000, last: 0x10_FFFF, ranges: vec![(0xF4, 0xF4), (0x80, 0x8F), tail, tail] },
    ]);
    let (units, names) = (Vec::new(), Vec::new());
    Form::new(Tables { unit_bytes: 1, big_endian: false, rows, units, names, joins_pairs: false }).expect("a form")
}

#[test]
fn supplementary_code_points_among_bytes_are_written_alike() {
    let nul_of_two = form_beginning_with(vec![
        Row { first: 0, last: 0, ranges: vec![(0xC0, 0xC0), (0x80, 0x80)] },
        Row { first: 1, last: 0x7F, ranges: vec![(1, 0x7F)] },
        Row { first: 0x80, last: 0xFF, ranges: vec![(0xC2, 0xC3), (0x80, 0xBF)] },
    ]);
    let without_controls = form_beginning_with(vec![
        Row { first: 0, last: 0x7F, ranges: vec![(0, 0x7F)] },
        Row { first: 0xA0, last: 0xBF, ranges: vec![(0xC2, 0xC2), (0xA0, 0xBF)] },
        Row { first: 0xC0, last: 0xFF, ranges: vec![(0xC3, 0xC3), (0x80, 0xBF)] },
    ]);
    let mut forms = family();
    forms.extend([("NUL of two".to_owned(), nul_of_two), ("without controls".to_owned(), without_controls)]);
    let (bytes, others) = ([0x41, 0x7F, 0xEF80, 0xEFFF], [0, 0x80, 0x9F, 0x7FF, 0xDC80, 0xE000, 0xFFFF]);
    for (name, form) in forms.iter().filter(|(_, form)| form.spelling.is_some()) {
        let mut chance = Chance(11);
        for round in 0..1000 {
            let usual = [0x1_0000, 0x1_F600, 0x10_FFFF][round % 3];
            let length = chance.below(100);
            let most = 2 + round % 3;
            let mut points: Vec<u32> =
                (0..length).map(|_| if chance.below(3) == 0 { bytes[chance.below(most)] } else { usual }).collect();
            check(name, form, &points, 0, length);
            if length > 0 {
                points[chance.below(length)] = others[chance.below(others.len())];
            }
            check(name, form, &points, 0, length);
            let is_whole = points.iter().all(|&point| form.write_row(point, &mut Vec::new()));
            let written = encode_text(form, Text::Four(&points), 0, Missing::Stop, &mut Vec::new());
            assert_eq!(written.is_ok(), is_whole, "{name} {points:X?}");
        }
    }
}

#[test]
fn halves_around_the_end_of_a_block_are_written_alike() {
    let ends: [&[u32]; 5] = [&[0xD83D, 0xDE00], &[0xD83D], &[0xDE00], &[0xDE00, 0xD83D], &[0xDE00, 0xD83D, 0xDE00]];
    for (name, form) in family().iter().filter(|(_, form)| form.spelling.is_some()) {
        for ((usual, end), before) in [0x61, 0x4E2D, 0x1_F600]
            .into_iter()
            .flat_map(|usual| ends.map(|end| (usual, end)))
            .flat_map(|pair| (60..67).map(move |before| (pair, before)))
        {
            let points = [&vec![usual; before], end, &[usual; 66]].concat();
            check(name, form, &points, 0, points.len());
            check(name, form, &points, 0, before + 1);
        }
    }
}

#[test]
fn long_text_of_one_byte_per_code_point_is_counted_alike() {
    let family = family();
    for name in ["utf-8", "cesu-8", "mutf-8"] {
        for (usual, length) in [0, 0x61, 0xE9].into_iter().flat_map(|usual| [8128, 8192, 16400].map(|end| (usual, end)))
        {
            check(name, &family[name], &vec![usual; length], 0, length);
        }
    }
}

#[test]
fn a_missing_code_point_stops_the_loop_where_it_is() {
    let family = family();
    let text: Vec<u32> = std::iter::repeat_n(0x61, 100).chain([0xD800]).collect();
    let mut bytes = 0_usize;
    let fault = encode_text(&family["utf-8"], Text::Four(&text), 0, Missing::Stop, &mut bytes);
    assert_eq!((fault, bytes), (Err(TextFault::Missing { start: 100, end: 101 }), 100));
}

#[test]
fn policies_answer_as_they_do_without_a_spelling() {
    let alphabet = [0, 0x61, 0xE9, 0x6F22, 0xD800, 0xDBFF, 0xDC00, 0xDC80, 0xDCFF, 0xDFFF, 0xEF80, 0xE000, 0x1_F600];
    let policies = [
        Missing::Replace,
        Missing::Ignore,
        Missing::SurrogateEscape,
        Missing::SurrogatePass,
        Missing::BackslashReplace,
    ];
    let mut slow_family = family();
    for (name, form) in family() {
        let mut slow = slow_family.remove(&name).expect("the same family");
        slow.spelling = None;
        let mut chance = Chance(11);
        for round in 0..400 {
            let (kind, plain) = ([12, alphabet.len()][round % 2], [1, 3, 30][round % 3]);
            let usual = [0x61, 0x6F22, 0xDC80, 0x1_F600][chance.below(4)];
            let drawn =
                |chance: &mut Chance| if chance.below(plain) == 0 { alphabet[chance.below(kind)] } else { usual };
            let points: Vec<u32> = (0..chance.below(150)).map(|_| drawn(&mut chance)).collect();
            let units: Vec<u16> = points.iter().map(|&point| point as u16).collect();
            let text = if kind == 12 { Text::Two(&units) } else { Text::Four(&points) };
            for policy in policies {
                let encode = |form: &Form| {
                    let mut out = Vec::new();
                    let result = encode_text(form, text, 0, policy, &mut out);
                    let mut size = 0_usize;
                    assert_eq!(encode_text(form, text, 0, policy, &mut size), result, "{name} {policy:?}");
                    assert_eq!(size, out.len(), "{name} {policy:?} {points:X?}");
                    (result, out)
                };
                assert_eq!(encode(&form), encode(&slow), "{name} {policy:?} {points:X?}");
            }
        }
    }
}

/// UTF-8 without supplementary code points.
fn three_byte_form() -> Form {
    let tail = (0x80, 0xBF);
    let rows = vec![
        Row { first: 0, last: 0x7F, ranges: vec![(0, 0x7F)] },
        Row { first: 0x80, last: 0x7FF, ranges: vec![(0xC2, 0xDF), tail] },
        Row { first: 0x800, last: 0xFFF, ranges: vec![(0xE0, 0xE0), (0xA0, 0xBF), tail] },
        Row { first: 0x1000, last: 0xFFFF, ranges: vec![(0xE1, 0xEF), tail, tail] },
    ];
    let (units, names) = (Vec::new(), Vec::new());
    Form::new(Tables { unit_bytes: 1, big_endian: false, rows, units, names, joins_pairs: false })
        .expect("a small form")
}

#[test]
fn the_last_code_point_of_two_bytes_is_not_taken_for_those_beyond() {
    let form = three_byte_form();
    assert!(form.spelling.as_ref().is_some_and(|spelling| spelling.missing == [(0x1_0000, 0x10_FFFF)]));
    for length in 1..70 {
        let mut text = vec![0x61_u16; length];
        text[length / 2] = 0xFFFF;
        let points: Vec<u32> = text.iter().map(|&unit| unit.into()).collect();
        check("three bytes", &form, &points, 0, length);
        for policy in [Missing::Replace, Missing::Ignore] {
            let (mut out, mut size) = (Vec::new(), 0_usize);
            assert_eq!(encode_text(&form, Text::Two(&text), 0, policy, &mut out), Ok(()));
            assert_eq!(out, by_rows(&form, &points, length), "{policy:?} {length}");
            assert_eq!(encode_text(&form, Text::Two(&text), 0, policy, &mut size), Ok(()));
            assert_eq!(size, out.len(), "{policy:?} {length}");
        }
    }
}

/// A form whose sequences of three bytes begin at one code point and those of four, if any, at another; each length has
/// the first bytes of UTF-8, and surrogates are in no row.
fn early_form(three: u32, four: Option<u32>) -> Form {
    let tail = (0x80, 0xBF);
    let mut rows = vec![
        Row { first: 0, last: 0x7F, ranges: vec![(0, 0x7F)] },
        Row { first: 0x80, last: three - 1, ranges: vec![(0xC2, 0xC1 + (three - 0x80) / 64), tail] },
        Row { first: three, last: three + 0x7FF, ranges: vec![(0xE0, 0xE0), (0xA0, 0xBF), tail] },
        Row { first: three + 0x800, last: three + 0xC7FF, ranges: vec![(0xE1, 0xEC), tail, tail] },
    ];
    if let Some(first) = four {
        rows.push(Row { first, last: first + 0x2_FFFF, ranges: vec![(0xF0, 0xF0), (0x90, 0xBF), tail, tail] });
    }
    let (units, names) = (Vec::new(), Vec::new());
    Form::new(Tables { unit_bytes: 1, big_endian: false, rows, units, names, joins_pairs: false })
        .expect("a small form")
}

#[test]
fn sequences_longer_than_lanes_tell_are_written_by_the_rows() {
    for (form, point) in [
        (early_form(0x800, Some(0xE000)), 0xE000),
        (early_form(0x800, Some(0xE000)), 0xFFFF),
        (early_form(0xC0, None), 0xC0),
        (early_form(0xC0, None), 0xFF),
    ] {
        assert!(form.spelling.is_none());
        for (length, place) in (1..140).flat_map(|length| [0, length / 2, length - 1].map(|place| (length, place))) {
            let mut points = vec![0x61; length];
            points[place] = point;
            let ones: Vec<u8> = points.iter().map(|&point| point as u8).collect();
            let twos: Vec<u16> = points.iter().map(|&point| point as u16).collect();
            let kinds = [Text::Four(&points), Text::Two(&twos), Text::One(&ones)];
            for text in &kinds[..if point <= 0xFF { 3 } else { 2 }] {
                for policy in [Missing::Stop, Missing::Replace, Missing::BackslashReplace] {
                    let (mut out, mut size) = (Vec::new(), 0_usize);
                    assert_eq!(encode_text(&form, *text, 0, policy, &mut out), Ok(()));
                    assert_eq!(encode_text(&form, *text, 0, policy, &mut size), Ok(()));
                    assert_eq!(out, by_rows(&form, &points, length), "{policy:?} U+{point:04X} {place} of {length}");
                    assert_eq!(size, out.len());
                }
            }
        }
    }
}

#[test]
fn where_rows_share_code_points_the_first_writes() {
    let mut tables = forms::form("utf-8").tables;
    tables.rows.push(Row { first: 0xE080, last: 0xE0FF, ranges: vec![(0x80, 0xFF)] });
    let form = Form::new(tables).expect("a small form");
    for length in [1, 10, 100, 1000, 10_000] {
        let points = [0xE080, 0x78].repeat(length);
        let (mut out, mut size) = (Vec::new(), 0_usize);
        assert_eq!(encode_text(&form, Text::Four(&points), 0, Missing::Stop, &mut out), Ok(()));
        assert_eq!(encode_text(&form, Text::Four(&points), 0, Missing::Stop, &mut size), Ok(()));
        assert_eq!(out, b"\xEE\x82\x80x".repeat(length), "{length}");
        assert_eq!(size, out.len());
    }
}

/// UTF-8 without U+0080 to U+009F, and optionally without U+00B0 to U+00BF.
fn latin_form(has_second_gap: bool) -> Form {
    let tail = (0x80, 0xBF);
    let last = if has_second_gap { 0xAF } else { 0xBF };
    let rows = vec![
        Row { first: 0, last: 0x7F, ranges: vec![(0, 0x7F)] },
        Row { first: 0xA0, last, ranges: vec![(0xC2, 0xC2), (0xA0, last)] },
        Row { first: 0xC0, last: 0x7FF, ranges: vec![(0xC3, 0xDF), tail] },
    ];
    let (units, names) = (Vec::new(), Vec::new());
    Form::new(Tables { unit_bytes: 1, big_endian: false, rows, units, names, joins_pairs: false })
        .expect("a small form")
}

#[test]
fn what_a_form_lacks_of_latin_1_is_told_wherever_it_stands() {
    for has_second_gap in [false, true] {
        let form = latin_form(has_second_gap);
        let missing = &form.spelling.as_ref().expect("a form with a spelling").missing;
        assert_eq!(missing.iter().filter(|range| range.0 <= 0xFF).count(), 1 + usize::from(has_second_gap));
        for place in 0..150 {
            for point in [0x61, 0x80, 0x9F, 0xA0, 0xAF, 0xB0, 0xBF, 0xC0] {
                let mut points = vec![0xE9; 150];
                points[place] = point;
                check("Latin-1 with gaps", &form, &points, 0, points.len());
            }
        }
    }
}

#[test]
fn every_code_point_is_written_as_the_rows_have_it() {
    for (name, form) in family() {
        for point in (0..0x11_0000).chain([0x11_0000, 0x7FFF_FFFF, 0x8421_109F, u32::MAX]) {
            let (mut quick, mut expected) = (Vec::new(), Vec::new());
            let is_written = form.write_row(point, &mut expected);
            assert_eq!((form.write(point, &mut quick), &quick), (is_written, &expected), "{name} {point:X}");
        }
    }
}

/// A form that writes U+0000 in two bytes, and of whose sequences of three and four bytes none would be overlong. It
/// either joins pairs, or lacks some of three bytes (U+4800 to U+57FF and what escapes bytes) or of four (U+50800 to
/// U+907FF).
fn late_form(lacking: Option<usize>) -> Form {
    let tail = (0x80, 0xBF);
    let three = |(low, high): (u32, u32), (second, last): (u32, u32)| {
        let first = |lead: u32, second: u32| 0x800 + 0x1000 * (lead - 0xE0) + 0x40 * (second - 0x80);
        Row {
            first: first(low, second),
            last: first(high, last) + 0x3F,
            ranges: vec![(low, high), (second, last), tail],
        }
    };
    let four = |low: u32, high: u32| {
        let first = |lead: u32| 0x1_0800 + 0x4_0000 * (lead - 0xF0);
        Row { first: first(low), last: first(high) + 0x3_FFFF, ranges: vec![(low, high), tail, tail, tail] }
    };
    let mut rows = vec![
        Row { first: 0, last: 0, ranges: vec![(0xC0, 0xC0), (0x80, 0x80)] },
        Row { first: 1, last: 0x7F, ranges: vec![(1, 0x7F)] },
        Row { first: 0x80, last: 0x7FF, ranges: vec![(0xC2, 0xDF), tail] },
    ];
    if lacking == Some(3) {
        rows.extend([three((0xE0, 0xE3), tail), three((0xE5, 0xEC), tail)]);
        rows.extend([(0x80, 0x91), (0x94, 0xBF)].map(|second| three((0xED, 0xED), second)));
        rows.push(three((0xEE, 0xEF), tail));
    } else {
        rows.push(three((0xE0, 0xEF), tail));
    }
    let fours: &[(u32, u32)] = if lacking == Some(4) { &[(0xF0, 0xF0), (0xF2, 0xF3)] } else { &[(0xF0, 0xF3)] };
    rows.extend(fours.iter().map(|&(low, high)| four(low, high)));
    let (units, names) = (Vec::new(), Vec::new());
    Form::new(Tables { unit_bytes: 1, big_endian: false, rows, units, names, joins_pairs: lacking.is_none() })
        .expect("a small form")
}

/// What a form writes under a policy, in memory of exactly the size that it measures.
fn encoded(form: &Form, points: &[u32], policy: Missing) -> (Result<(), TextFault>, Vec<u8>) {
    let units: Vec<u16> = points.iter().map(|&point| point as u16).collect();
    let is_narrow = points.iter().all(|&point| point <= 0xFFFF);
    let text = if is_narrow { Text::Two(&units) } else { Text::Four(points) };
    let mut size = 0_usize;
    let measured = encode_text(form, text, 0, policy, &mut size);
    let mut memory = vec![MaybeUninit::uninit(); size];
    let (result, written) = Output::written(&mut memory, |out| encode_text(form, text, 0, policy, out));
    assert_eq!((result, written.len()), (measured, size), "{points:X?}");
    (result, written.to_vec())
}

#[test]
fn one_code_point_unlike_the_others_is_written_alike() {
    let mut forms: Vec<_> = family().into_iter().filter(|(_, form)| form.spelling.is_some()).collect();
    for row in [0, 0x1_0800] {
        let mut tables = late_form(None).tables;
        tables.rows.retain(|each| each.first != row);
        tables.joins_pairs = false;
        let form = Form::new(tables).expect("a small form");
        let spelling = form.spelling.as_ref().expect("a form with a spelling");
        assert!(spelling.missing.iter().any(|range| range.0 == row));
        forms.push((format!("late without U+{row:04X}"), form));
    }
    for lacking in [None, Some(3), Some(4)] {
        let form = late_form(lacking);
        let spelling = form.spelling.as_ref().expect("a form with a spelling");
        assert!(spelling.nul_is_two && spelling.offsets[1..] == [0x800, 0x1_0800]);
        forms.push(("late".to_owned(), form));
    }
    let others: [&[u32]; 18] = [
        &[0],
        &[0x61],
        &[0x80],
        &[0xA0],
        &[0x3B1],
        &[0x8A0],
        &[0x4E2D],
        &[0xD7FF],
        &[0xD800],
        &[0xD83D, 0xDE00],
        &[0xDCFF],
        &[0xE000],
        &[0xFFFF],
        &[0x1_0000],
        &[0x1_109F],
        &[0x1_10A0],
        &[0x1_F600],
        &[0x5_1234],
    ];
    for ((name, form), usual) in forms
        .iter()
        .flat_map(|each| [0xE9, 0x3B1, 0x4700, 0x4E2D, 0xE123, 0x1_0123, 0x1_F600].map(|usual| (each, usual)))
    {
        if stops(form, &[usual], 0) {
            continue;
        }
        for (place, other) in [0, 31, 32, 63, 64, 65, 127, 128, 150, 191, 192, 203]
            .into_iter()
            .flat_map(|at| others.map(|other| (at, other)))
        {
            // Half of the texts have ASCII among the others.
            let mut points: Vec<u32> =
                (0..205).map(|at| if at % 9 == 8 && place % 2 == 0 { 0x61 } else { usual }).collect();
            points[place..place + other.len()].copy_from_slice(other);
            check(name, form, &points, 0, points.len());
            if stops(form, other, 0) {
                let mut slow = Form::new(form.tables.clone()).expect("the same form");
                slow.spelling = None;
                for policy in [Missing::Replace, Missing::SurrogateEscape, Missing::BackslashReplace] {
                    assert_eq!(encoded(form, &points, policy), encoded(&slow, &points, policy), "{name} {points:X?}");
                }
            }
        }
    }
}
