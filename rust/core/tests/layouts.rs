//! Reading by a layout gives what the automaton gives, at every offset, limit and alignment.

mod forms;

use std::mem::MaybeUninit;

use eightfold_core::kernels::Level;
use eightfold_core::{Answer, Extent, Form, Output, Source, Step, Width};
use forms::family;

/// What the automaton gives from an offset up to an end that it must reach: code points, and whether all is
/// well-formed.
fn walked(form: &Form, source: &Source<'_>, start: usize, end: usize) -> (Vec<u32>, bool) {
    let (mut at, mut points, mut is_clean) = (start, Vec::new(), true);
    while at < end {
        let reached = match form.sequence_at(source.data, at, true) {
            Step::Value { end, code_point } if !source.ends_with_unicode || code_point <= 0x10_FFFF => {
                let escapes = end == at + 1 && source.data[at] >= 0x80;
                is_clean &= !escapes;
                points.push(code_point);
                end
            }
            Step::Value { end, .. } | Step::Unit { end } => {
                is_clean = false;
                match source.answer {
                    Answer::Stop | Answer::Never => {
                        panic!("read over an ill-formed unit at {at} of {:X?}", source.data)
                    }
                    Answer::Replace => points.push(0xFFFD),
                    Answer::Drop => {}
                    // Byte by byte, so that a limit may cut a unit.
                    Answer::Escape(base) => {
                        points.push(base + u32::from(source.data[at]));
                        at += 1;
                        continue;
                    }
                    Answer::Backslash => {
                        points.extend(format!("\\x{:02x}", source.data[at]).chars().map(u32::from));
                        at += 1;
                        continue;
                    }
                }
                end
            }
            Step::Wait => unreachable!("the input is final"),
        };
        at = reached;
    }
    assert_eq!(at, end, "stopped inside a unit of {:X?}", source.data);
    (points, is_clean)
}

fn filled<T: Copy + Default>(count: usize, write: impl FnOnce(&mut Output<'_, T>) -> usize, end: usize) -> Vec<T> {
    let mut values = vec![MaybeUninit::uninit(); count];
    let (reached, values) = Output::written(&mut values, write);
    assert_eq!((reached, values.len()), (end, count));
    values.to_vec()
}

fn written(source: &Source<'_>, start: usize, limit: usize, extent: Extent) -> Vec<u32> {
    let (count, end) = (extent.count, extent.end);
    match extent.width {
        Width::Ascii | Width::Latin1 => {
            let all = filled(count, |out| source.write_ucs1(start, limit, out), end);
            all.into_iter().map(u32::from).collect()
        }
        Width::Ucs2 => {
            let all = filled(count, |out| source.write_ucs2(start, limit, out), end);
            all.into_iter().map(u32::from).collect()
        }
        Width::Ucs4 => filled(count, |out| source.write_ucs4(start, limit, out), end),
    }
}

/// Read in stretches, with a step of the automaton where the kernels stop, and compare each; how many times they
/// stopped.
fn check(name: &str, form: &Form, source: &Source<'_>, limit: usize) -> usize {
    let (mut at, mut stops) = (0, 0);
    while at < limit {
        let extent = source.measure(at, limit);
        let (points, is_clean) = walked(form, source, at, extent.end);
        let expected = Extent {
            end: extent.end,
            count: points.len(),
            width: points.iter().map(|&point| width(point)).max().unwrap_or(Width::Ascii),
            is_clean,
        };
        assert_eq!(extent, expected, "{name} {:?} from {at} to {limit} of {:X?}", source.answer, source.data);
        assert_eq!(
            written(source, at, limit, extent),
            points,
            "{name} {:?} from {at} of {:X?}",
            source.answer,
            source.data
        );
        if is_clean {
            let known = Source { answer: Answer::Never, ..*source };
            assert_eq!(written(&known, at, extent.end, extent), points, "{name} from {at} of {:X?}", source.data);
        }
        at = extent.end;
        if at < limit {
            stops += 1;
            at = match form.sequence_at(source.data, at, true) {
                Step::Value { end, .. } | Step::Unit { end } => end,
                Step::Wait => unreachable!("the input is final"),
            };
        }
    }
    stops
}

fn width(point: u32) -> Width {
    match point {
        0..0x80 => Width::Ascii,
        0x80..0x100 => Width::Latin1,
        0x100..0x1_0000 => Width::Ucs2,
        _ => Width::Ucs4,
    }
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }
}

/// Pieces of every length: what the form's rows and units begin and end with, whole and cut short.
fn pieces(form: &Form) -> Vec<Vec<u8>> {
    let rows = form.tables.rows.iter().map(|row| &row.ranges);
    let units = form.tables.units.iter().chain(&form.tables.names).map(|row| &row.ranges);
    let mut pieces: Vec<Vec<u8>> =
        vec![vec![0x80], vec![0xBF], vec![0xC0], vec![0xF5], vec![0xFF], vec![0], vec![0x41]];
    for ranges in rows.chain(units) {
        for end in [0, 1] {
            let bytes: Vec<u8> = ranges.iter().map(|range| [range.0, range.1][end] as u8).collect();
            pieces.extend((1..=bytes.len()).map(|length| bytes[..length].to_vec()));
        }
    }
    pieces
}

const ANSWERS: [Answer; 5] = [Answer::Stop, Answer::Replace, Answer::Drop, Answer::Escape(0xDC00), Answer::Backslash];

/// The answers that mean something: a form with a row for stray bytes has nothing ill-formed.
fn answers(form: &Form) -> &'static [Answer] {
    if form.layout.as_ref().is_some_and(|layout| layout.escape.is_some()) { &ANSWERS[..1] } else { &ANSWERS }
}

#[test]
fn the_forms_of_bytes_have_layouts() {
    for (name, form) in family() {
        // The mapping of `private-use` is in no order that one gap could tell.
        let has_none = form.tables.unit_bytes > 1 || name.ends_with("/private-use");
        assert_eq!(form.layout.is_none(), has_none, "{name}");
    }
}

#[test]
fn random_strings_of_pieces_are_read_alike() {
    for (name, form) in family() {
        let Some(layout) = &form.layout else { continue };
        let (pieces, mut chance) = (pieces(&form), Chance(1));
        for round in 0..3000 {
            // Now and then most pieces are ASCII, or a well-formed sequence, so that long stretches come about.
            let plain = [0, 1, 4, 40][round % 4];
            let usual = &form.tables.rows[chance.below(form.tables.rows.len())].ranges;
            let usual: Vec<u8> = usual.iter().map(|range| range.0 as u8).collect();
            let mut data = Vec::new();
            for _ in 0..chance.below(90) {
                match chance.below(plain + 1) {
                    0 => data.extend(&pieces[chance.below(pieces.len())]),
                    1 => data.push(0x61),
                    _ => data.extend(&usual),
                }
            }
            for &answer in answers(&form) {
                let source = Source {
                    layout,
                    agreement: &form.agreement,
                    answer,
                    ends_with_unicode: round % 8 < 4,
                    data: &data,
                    notes: None,
                };
                check(&name, &form, &source, data.len());
                check(&name, &form, &source, chance.below(data.len() + 1));
            }
        }
    }
}

#[test]
fn what_two_bytes_begin_is_read_alike() {
    for (name, form) in family() {
        let Some(layout) = &form.layout else { continue };
        for lead in 0..=0xFF_u8 {
            for second in 0..=0xFF_u8 {
                let tails: [&[u8]; 4] = [b"", b"\x80", b"\xBF\xBF\x80", b"\x80\xED\xB0\x80a"];
                for tail in tails {
                    let data = [&[b'a', lead, second], tail].concat();
                    for &answer in answers(&form) {
                        check(
                            &name,
                            &form,
                            &Source {
                                layout,
                                agreement: &form.agreement,
                                answer,
                                ends_with_unicode: true,
                                data: &data,
                                notes: None,
                            },
                            data.len(),
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_kernels_stop_only_where_a_layout_does_not_tell() {
    let family = family();
    let read = |name: &str, data: &[u8], answer| {
        let form = &family[name];
        let layout = form.layout.as_ref().expect("a form of bytes");
        Source { layout, agreement: &form.agreement, answer, ends_with_unicode: true, data, notes: None }
            .measure(0, data.len())
            .end
    };
    let dirty = b"a\xC3\xA9\xFF\xED\xA0\x80\xE2\x82\xF0\x9F\x98\x80\x80";
    assert_eq!(read("utf-8", dirty, Answer::Replace), dirty.len());
    assert_eq!(read("utf-8", dirty, Answer::Stop), 3);
    assert_eq!(read("xtf-8", dirty, Answer::Stop), dirty.len());
    assert_eq!(read("optu-8", dirty, Answer::Stop), dirty.len());
    assert_eq!(read("generalized-utf-8", b"\xED\xA0\x80\xED\xB0\x80", Answer::Stop), 6);
    assert_eq!(read("wtf-8", b"\xED\xA0\x80a\xED\xA0\x80\xED\xB0\x80", Answer::Stop), 4);
    let unpaired = b"a\xED\xA0\x80\xED\xB0\x80\xED\xA0\x80\xED\xB0a";
    assert_eq!(read("cesu-8", unpaired, Answer::Stop), 7);
    // The kernels over vectors leave these to the automaton.
    if !matches!(Level::current(), Level::Avx2 | Level::Neon) {
        assert_eq!(read("cesu-8", unpaired, Answer::Replace), unpaired.len());
    }
    assert_eq!(read("mutf-8", b"\xC0\x80\xED\xA0\x80\xED\xB0\x80\xED\xB0\x80\x00", Answer::Stop), 11);
    assert_eq!(read("corrected-utf-8", b"\xC0\x80\xEC\xBD\xA0\xF0\x80\x80\x80\xFE", Answer::Stop), 9);
    assert_eq!(read("xtf-8", b"\xEE\xBD\xBF\xEE\xBE\x80", Answer::Stop), 3);
}
