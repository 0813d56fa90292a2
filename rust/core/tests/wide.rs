//! Forms of 16- and 32-bit units: what the kernels read and write is what the rows say, block by block and one by one.

mod forms;

use eightfold_core::kernels::WideText;
use eightfold_core::{
    Form, Halt, Lacking, Missing, OnFault, Output, Pass, Sink, Step, Stretch, Survey, Tables, Text, TextBuffer, Width,
    encode_text,
};
use forms::family;
use std::mem::MaybeUninit;

struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }
}

const ILL_FORMED: u32 = u32::MAX;

/// The code points, with U+FFFD for each ill-formed unit or nothing, by the automaton alone.
fn stepped(form: &Form, data: &[u8], on_fault: OnFault) -> Vec<u32> {
    let (mut at, mut points) = (0, Vec::new());
    while at < data.len() {
        let (end, point) = match form.sequence_at(data, at, true) {
            Step::Value { end, code_point } if code_point <= 0x10_FFFF => (end, code_point),
            Step::Value { end, .. } | Step::Unit { end } => (end, ILL_FORMED),
            Step::Wait => unreachable!("the input is final"),
        };
        match on_fault {
            OnFault::Replace if point == ILL_FORMED => points.push(0xFFFD),
            _ if point == ILL_FORMED => {}
            _ => points.push(point),
        }
        at = end;
    }
    points
}

fn texts() -> impl Iterator<Item = Vec<u32>> {
    let alphabet =
        [0x61, 0x7F, 0x80, 0xFF, 0x100, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFFFF, 0x1_0000, 0x10_FFFF];
    let mut chance = Chance(3);
    (0..4000).map(move |round| {
        let kind = [2, 4, 6, 12, alphabet.len()][round % 5];
        let plain = [0, 5, 100][round / 5 % 3];
        let usual = alphabet[chance.below(kind)];
        (0..chance.below(200))
            .map(|_| if chance.below(plain + 1) == 0 { alphabet[chance.below(kind)] } else { usual })
            .collect()
    })
}

fn wide_forms() -> impl Iterator<Item = (String, Form)> {
    // OPTU-16 ends with the BMP and is read by the automaton.
    let reaches_all = |form: &Form| form.tables.rows.iter().any(|row| row.last == 0x10_FFFF);
    family().into_iter().filter(move |(_, form)| form.tables.unit_bytes > 1 && reaches_all(form))
}

#[test]
fn wide_forms_are_known() {
    for (name, form) in wide_forms() {
        let wide = form.wide.expect("a form of wide units");
        assert_eq!(wide.has_surrogates, name.starts_with("wtf"), "{name}");
    }
    assert!(family().values().all(|form| form.wide.is_none() || form.tables.unit_bytes > 1));
}

fn add_unit(form: &Form, unit: u32, data: &mut Vec<u8>) {
    let (width, bytes) = (form.tables.unit_bytes, unit.to_le_bytes());
    if form.tables.big_endian { data.extend(bytes[..width].iter().rev()) } else { data.extend(&bytes[..width]) }
}

#[test]
fn units_are_read_alike() {
    for form in wide_forms().map(|(_, form)| form) {
        for (round, text) in texts().enumerate() {
            // Any units: surrogates of every neighbourhood, and now and then a byte too many.
            let units = text.iter().map(|&point| if form.tables.unit_bytes == 2 { point & 0xFFFF } else { point });
            let mut data = Vec::new();
            units.for_each(|unit| add_unit(&form, unit, &mut data));
            data.extend(&[0x61, 0xD8, 0][..round % form.tables.unit_bytes]);
            for on_fault in [OnFault::Replace, OnFault::Ignore] {
                let expected = stepped(&form, &data, on_fault);
                check_reading(&form, &data, on_fault, &expected);
            }
        }
    }
}

fn check_reading(form: &Form, data: &[u8], on_fault: OnFault, expected: &[u32]) {
    let pass = Pass { form, data, is_final: true, largest: 0x10_FFFF, on_fault };
    let mut points: Vec<u32> = Vec::new();
    assert_eq!(pass.run(0, &mut points), Halt::End(data.len()));
    assert_eq!(points, expected, "{on_fault:?} {data:X?}");
    let mut buffer = TextBuffer::default();
    pass.run(0, &mut buffer);
    assert!((0..expected.len()).all(|at| buffer.text().at(at) == expected[at]), "{on_fault:?} {data:X?}");
    let extent = pass.measure(0).expect("every fault has an answer");
    assert_eq!((extent.count, extent.width), (expected.len(), buffer.width()), "{on_fault:?} {data:X?}");
    match extent.width {
        Width::Ascii | Width::Latin1 => assert!(written::<u8>(&pass, &extent) == *expected),
        Width::Ucs2 => assert!(written::<u16>(&pass, &extent) == *expected),
        Width::Ucs4 => assert!(written::<u32>(&pass, &extent) == *expected),
    }
}

/// What is written to memory of exactly the size that was measured.
fn written<T: Copy + Into<u32>>(pass: &Pass<'_>, extent: &Survey) -> Vec<u32>
where
    for<'b> Output<'b, T>: Sink,
{
    let mut place = vec![MaybeUninit::uninit(); extent.count];
    let (halt, values) = Output::written(&mut place, |out| pass.write(0, extent, out));
    assert_eq!((halt, values.len()), (Halt::End(pass.data.len()), extent.count));
    values.iter().map(|&value| value.into()).collect()
}

#[test]
fn texts_are_written_alike() {
    for (name, form) in wide_forms() {
        for points in texts() {
            let ones: Vec<u8> = points.iter().map(|&point| point as u8).collect();
            let twos: Vec<u16> = points.iter().map(|&point| point as u16).collect();
            for text in [Text::One(&ones), Text::Two(&twos), Text::Four(&points)] {
                let all: Vec<u32> = (0..text.len()).map(|at| text.at(at)).collect();
                for policy in [Missing::Replace, Missing::Ignore, Missing::SurrogatePass] {
                    let (mut expected, mut out, mut size) = (Vec::new(), Vec::new(), 0_usize);
                    for &point in &all {
                        match policy {
                            _ if form.write_row(point, &mut expected) => {}
                            Missing::Replace => assert!(form.write_row(u32::from(b'?'), &mut expected)),
                            Missing::SurrogatePass => add_unit(&form, point, &mut expected),
                            _ => {}
                        }
                    }
                    assert_eq!(encode_text(&form, text, 0, policy, &mut out), Ok(()));
                    assert_eq!(out, expected, "{name} {policy:?} {all:X?}");
                    assert_eq!(encode_text(&form, text, 0, policy, &mut size), Ok(()));
                    assert_eq!(size, out.len(), "{name} {policy:?} {all:X?}");
                    let mut place = vec![MaybeUninit::new(0_u8); size];
                    let mut exact = Output::new(&mut place);
                    assert_eq!(encode_text(&form, text, 0, policy, &mut exact), Ok(()));
                    exact.finish();
                }
            }
        }
    }
}

#[test]
fn texts_of_the_bmp_are_written_alike_without_pairs() {
    for name in ["optu-16-le", "optu-16-be"] {
        let form = &family()[name];
        let wide = form.bmp.expect("a form of 16-bit units without pairs");
        for points in texts() {
            let twos: Vec<u16> = points.iter().map(|&point| point as u16).collect();
            let (text, mut expected, mut out) = (Text::Two(&twos), Vec::new(), Vec::new());
            assert!(twos.iter().all(|&point| form.write_row(point.into(), &mut expected)));
            let kernel = WideText { wide, lacking: Lacking::Stop, text };
            assert_eq!(kernel.measure(0, text.len()), Stretch { end: text.len(), bytes: expected.len() }, "{name}");
            assert_eq!(encode_text(form, text, 0, Missing::Stop, &mut out), Ok(()));
            assert_eq!(out, expected, "{name} {points:X?}");
            let lacks = (0..points.len()).find(|&at| points[at] > 0xFFFF).map(|at| (at, at + 1));
            assert_eq!(form.next_missing(Text::Four(&points), 0), lacks, "{name} {points:X?}");
        }
    }
}

#[test]
fn a_form_with_pairs_or_that_joins_them_is_not_of_the_bmp() {
    assert!(family().values().all(|form| form.bmp.is_none() || form.wide.is_none()));
    let joining = Tables { joins_pairs: true, ..family()["optu-16-le"].tables.clone() };
    assert_eq!(Form::new(joining).expect("a small automaton").bmp, None);
}

#[test]
fn text_is_measured_and_written_from_any_index_to_any_limit() {
    let mut chance = Chance(5);
    for (name, form) in wide_forms() {
        let wide = form.wide.expect("a form of wide units");
        for points in texts() {
            let start = chance.below(points.len() + 1);
            let limit = start + chance.below(points.len() + 1 - start);
            let twos: Vec<u16> = points.iter().map(|&point| point as u16).collect();
            for text in [Text::Two(&twos), Text::Four(&points)] {
                let lacks = |at: &usize| !form.write_row(text.at(*at), &mut Vec::new());
                let (end, mut expected) = ((start..limit).find(lacks).unwrap_or(limit), Vec::new());
                assert!((start..end).all(|at| form.write_row(text.at(at), &mut expected)));
                let text = WideText { wide, lacking: Lacking::Stop, text };
                let stretch = Stretch { end, bytes: expected.len() };
                assert_eq!(text.measure(start, limit), stretch, "{name} {start}..{limit} {points:X?}");
                let mut place = vec![MaybeUninit::new(0_u8); expected.len()];
                let mut out = Output::new(&mut place);
                assert_eq!(text.write(start, limit, &mut out), end, "{name} {start}..{limit} {points:X?}");
                out.finish();
            }
        }
    }
}

#[test]
fn part_of_a_unit_is_no_trail() {
    for (name, form) in wide_forms() {
        let mut whole = Vec::new();
        for at in 0..80_u32 {
            assert!(form.write_row(if at % 7 == 3 { 0x61 } else { 0x1_0000 + at * 997 }, &mut whole));
        }
        for length in 0..=whole.len() {
            let data = &whole[..length];
            let pass = Pass { form: &form, data, is_final: true, largest: 0x10_FFFF, on_fault: OnFault::Replace };
            let mut buffer = TextBuffer::default();
            assert_eq!(pass.run(0, &mut buffer), Halt::End(length), "{name}");
            let points: Vec<u32> = (0..buffer.text().len()).map(|at| buffer.text().at(at)).collect();
            assert_eq!(points, stepped(&form, data, OnFault::Replace), "{name} {data:X?}");
            assert_eq!(pass.measure(0).map(|extent| extent.count), Some(points.len()), "{name}");
        }
    }
}

/// Compare what is written on a guess, so many units behind the start of memory, with code points, or with nothing.
fn check_copy(form: &Form, data: &[u8], behind: usize, expected: Option<&[u32]>, what: &str) {
    let pass = Pass { form, data, is_final: true, largest: u32::MAX, on_fault: OnFault::Stop };
    let guess = pass.guess().expect("long text of one width");
    let mut memory = vec![MaybeUninit::uninit(); behind + guess.count];
    let (width, written) = Output::written(&mut memory[behind..], |out| pass.write_guessed_ucs2(&guess, out));
    assert_eq!(width, expected.map(|_| Width::Ucs2), "{what}");
    let written: Vec<u32> = written.iter().map(|&unit: &u16| unit.into()).collect();
    assert!(expected.is_none_or(|points| points == written), "{what}");
}

#[test]
fn long_text_is_copied_up_to_what_is_not_one_unit_each() {
    const LENGTH: usize = 17_000;
    let points: Vec<u32> = (0..LENGTH as u32).map(|at| 0x400 + at % 0x7000).collect();
    // Where kernels look at four blocks together, and copy as many bytes, something may be cut by an end.
    let places = || (1000..LENGTH).step_by(1997).chain([1023, 4094, 4095, 8191, LENGTH - 1]);
    for (name, form) in wide_forms().filter(|(_, form)| form.tables.unit_bytes == 2) {
        let mut clean = Vec::new();
        points.iter().for_each(|&point| assert!(form.write(point, &mut clean)));
        check_copy(&form, &clean, 0, Some(&points), &name);
        for (other, place) in
            [0x1_F600, 0xD800, 0xDFFF].into_iter().flat_map(|other| places().map(move |at| (other, at)))
        {
            let mut unit = Vec::new();
            let is_written = form.write(other, &mut unit);
            if !is_written {
                add_unit(&form, other, &mut unit);
            }
            let (mut data, mut points) = (clean.clone(), points.clone());
            data.splice(2 * place..2 * place + 2, unit);
            points[place] = other;
            let is_one_each = is_written && other <= 0xFFFF;
            check_copy(&form, &data, place % 32, is_one_each.then_some(&points), &format!("{name} {other:X?} {place}"));
        }
    }
}

#[test]
fn units_before_a_line_of_the_cache_are_copied_too() {
    let points: Vec<u32> = (0..2500).map(|at| 0x400 + at % 0x7000).collect();
    for (name, form) in wide_forms().filter(|(_, form)| form.tables.unit_bytes == 2) {
        for (behind, place) in (0..32).flat_map(|behind| (0..70).step_by(3).map(move |place| (behind, place))) {
            let (mut data, mut points) = (Vec::new(), points.clone());
            points[place] = 0xDC00;
            points.iter().for_each(|&point| add_unit(&form, point, &mut data));
            let pass = Pass { form: &form, data: &data, is_final: true, largest: u32::MAX, on_fault: OnFault::Stop };
            assert_eq!(pass.guess().is_some(), name.starts_with("wtf"), "{name}");
            if name.starts_with("wtf") {
                check_copy(&form, &data, behind, Some(&points), &format!("{name} {behind} {place}"));
            }
        }
    }
}
