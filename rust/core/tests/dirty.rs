//! Dirty text of random density, in ASCII of every length up to two blocks, is read as the automaton alone reads it,
//! whole and in two pieces, wherever it is cut; and so is text that is longer than what is noted of it while it is
//! measured.

mod forms;

use std::mem::MaybeUninit;

use eightfold_core::{Form, Halt, OnFault, Output, Pass, Row, Tables, TextBuffer};
use forms::{family, with_layouts};

const PADDING: usize = 128;
const POLICIES: [OnFault; 5] =
    [OnFault::Replace, OnFault::Ignore, OnFault::SurrogateEscape, OnFault::BackslashReplace, OnFault::SurrogatePass];

/// A surrogate pair of three bytes each, for which a str has four bytes for each character.
const PAIR: &[u8] = b"\xED\xA0\xBD\xED\xB8\x80";

struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }
}

/// What two pieces give, cut at an offset; the second begins where the first was certain.
fn read(form: &Form, data: &[u8], cut: usize, on_fault: OnFault) -> (Vec<u32>, Halt) {
    let mut buffer = TextBuffer::default();
    let pass = |data, is_final| Pass { form, data, is_final, largest: 0x10_FFFF, on_fault };
    let mut halt = pass(&data[..cut], false).run(0, &mut buffer);
    if let Halt::End(at) = halt {
        halt = pass(data, true).run(at, &mut buffer);
    }
    ((0..buffer.text().len()).map(|at| buffer.text().at(at)).collect(), halt)
}

fn add_unit(form: &Form, unit: u32, data: &mut Vec<u8>) {
    let (width, bytes) = (form.tables.unit_bytes, unit.to_le_bytes());
    if form.tables.big_endian { data.extend(bytes[..width].iter().rev()) } else { data.extend(&bytes[..width]) }
}

/// The same ill-formed sequence that has a name, or the beginning of it, again and again, perhaps with text between.
fn add_flock(form: &Form, chance: &mut Chance, data: &mut Vec<u8>) {
    let named: Vec<_> = form.tables.units.iter().chain(&form.tables.names).collect();
    if named.is_empty() {
        return;
    }
    let ranges = &named[chance.below(named.len())].ranges;
    let (length, gap) = (1 + chance.below(ranges.len()), [0, 0, 1, 20][chance.below(4)]);
    for _ in 0..chance.below(9) {
        for &(low, high) in &ranges[..length] {
            add_unit(form, if chance.below(2) == 0 { low } else { high }, data);
        }
        (0..gap).for_each(|_| add_unit(form, 0x61, data));
    }
}

/// Padding, well-formed sequences with dirt among them, and padding.
fn drawn(form: &Form, chance: &mut Chance, padding: usize) -> Vec<u8> {
    let rows = &form.tables.rows;
    let density = [1, 2, 10, 40][chance.below(4)];
    let usual = rows[chance.below(rows.len())].first;
    let mut data = Vec::new();
    let pad = |data: &mut Vec<u8>| (0..padding).for_each(|_| assert!(form.write(0x61, data)));
    pad(&mut data);
    for _ in 0..chance.below(60) {
        match chance.below(density + 3) {
            0 => {
                let row = &rows[chance.below(rows.len())].ranges;
                let bytes = row.iter().map(|range| range.0 as u8);
                data.extend(bytes.take(1 + chance.below(row.len())));
            }
            1 => data.push(0x80 | chance.below(128) as u8),
            3 => add_flock(form, chance, &mut data),
            2 => _ = form.write(rows[chance.below(rows.len())].last, &mut data),
            _ => _ = form.write(usual, &mut data),
        }
    }
    pad(&mut data);
    data
}

#[test]
fn dirty_text_is_read_as_the_automaton_reads_it() {
    let mut bare_family = family();
    for (name, form) in family() {
        let mut bare = bare_family.remove(&name).expect("the same family");
        (bare.layout, bare.wide) = (None, None);
        let mut chance = Chance(5);
        for padding in 0..=PADDING / form.tables.unit_bytes {
            let data = drawn(&form, &mut chance, padding);
            let on_fault = POLICIES[padding % POLICIES.len()];
            let expected = read(&bare, &data, 0, on_fault);
            for cut in 0..=data.len() {
                assert_eq!(read(&form, &data, cut, on_fault), expected, "{name} {on_fault:?} cut at {cut}: {data:X?}");
            }
        }
    }
}

/// More blocks than are noted while a text is measured, of changing density: nearly clean, half of them dirty, all
/// dirty.
fn long(form: &Form, chance: &mut Chance) -> Vec<u8> {
    let rows = &form.tables.rows;
    let letters: Vec<Vec<u8>> = [0x61, 0xE9, 0x6F22, 0x1_F600]
        .into_iter()
        .filter_map(|point| {
            let mut bytes = Vec::new();
            form.write(point, &mut bytes).then_some(bytes)
        })
        .collect();
    let mut data = Vec::new();
    while data.len() < 3 << 20 {
        let (gap, letter) = ([3, 40, 100, 700][chance.below(4)], &letters[chance.below(letters.len())]);
        for _ in 0..4000 / gap {
            (0..chance.below(2 * gap)).for_each(|_| data.extend(letter));
            let row = &rows[chance.below(rows.len())].ranges;
            data.extend(row.iter().map(|range| range.0 as u8).take(1 + chance.below(row.len())));
            data.push(0x80 | chance.below(128) as u8);
        }
    }
    data
}

/// Check that text is measured, and then written as code points of four bytes, as the automaton alone reads it.
fn check_measured(name: &str, [bare, form]: &[Form; 2], data: &[u8], on_fault: OnFault) {
    let pass = |form| Pass { form, data, is_final: true, largest: 0x10_FFFF, on_fault };
    let mut expected = TextBuffer::default();
    let halt = pass(bare).run(0, &mut expected);
    let survey = pass(form).measure(0);
    assert_eq!(survey.is_some(), halt == Halt::End(data.len()), "{name} {on_fault:?}");
    let Some(survey) = survey else { return };
    assert_eq!((survey.count, survey.width), (expected.text().len(), expected.width()), "{name} {on_fault:?}");
    let mut points = vec![MaybeUninit::uninit(); survey.count];
    let (written, points) = Output::<u32>::written(&mut points, |out| pass(form).write(0, &survey, out));
    assert_eq!((written, points.len()), (halt, survey.count), "{name} {on_fault:?}");
    let wrong = (0..survey.count).find(|&at| points[at] != expected.text().at(at));
    assert_eq!(wrong, None, "{name} {on_fault:?} {:X?}", &data[..data.len().min(300)]);
}

#[test]
fn long_text_of_changing_density_is_measured_and_written_as_the_automaton_reads_it() {
    for (name, forms) in with_layouts() {
        let data = long(&forms[1], &mut Chance(7));
        for on_fault in [OnFault::Replace, OnFault::Ignore, OnFault::SurrogateEscape] {
            check_measured(&name, &forms, &data, on_fault);
        }
    }
}

/// Clean text ends before an ill-formed block with a lead, at each place of its own blocks, which begin where the noted
/// block before them ends.
#[test]
fn a_lead_is_not_joined_with_what_only_begins_as_a_trail() {
    for (name, forms) in with_layouts().filter(|(name, _)| ["cesu-8", "mutf-8", "wtf-8"].contains(&name.as_str())) {
        for (wide, narrow) in (0..64).flat_map(|wide| (0..64).map(move |narrow| (wide, narrow))) {
            let text = ["中".repeat(wide), "a".repeat(narrow)].concat();
            let (behind, pair) = ([b'a'; 130], if name == "wtf-8" { "😀".as_bytes() } else { PAIR });
            let data = [b"\xFFa", text.as_bytes(), b"\xED\xA0\x80\xED\xBF", &behind, pair].concat();
            check_measured(&name, &forms, &data, POLICIES[narrow % 2]);
        }
    }
}

/// Single bytes stand between sequences of four bytes, some of them next to each other: as far apart as a block has
/// room for, and nearer than run by run is worthwhile.
#[test]
fn text_of_four_bytes_is_measured_and_written_whatever_single_bytes_are_in_it() {
    let singles: [&[u8]; 9] =
        [b"a", b"\0", b"\xFF", b"\xFFa", b"a\x80", b"\xE2\x82", b"\xF0\x9F\x92", b"\xED\xA0\xBD!", &[b'a'; 37]];
    for (name, forms) in with_layouts().filter(|(name, _)| ["utf-8", "wtf-8", "xtf-8"].contains(&name.as_str())) {
        for (apart, gap) in singles.into_iter().flat_map(|apart| (0..18).map(move |gap| (apart, gap))) {
            for before in 0..18 {
                let (first, text) = ("😀".repeat(before), "\u{10FFFF}".repeat(gap));
                let part = [apart, text.as_bytes()].concat();
                let data = [first.as_bytes(), &part.repeat(320_usize.div_ceil(part.len()))].concat();
                for on_fault in [OnFault::Replace, OnFault::SurrogateEscape, POLICIES[(before + gap) % POLICIES.len()]]
                {
                    check_measured(&name, &forms, &data, on_fault);
                }
            }
        }
    }
}

/// Text of two bytes is measured by other rules than mixed text, from its beginning on and from each 1,024 bytes.
#[test]
fn what_is_other_than_two_bytes_in_long_text_of_them_is_found_at_every_place() {
    let others: [&[u8]; 13] = [
        b"\0",
        b"\x80",
        b"\xC0",
        b"\xC0\x80",
        b"\xC1\xBF",
        b"\xC2",
        b"\xDFa",
        b"\xE0\xA0\x80",
        b"\xE2\x82",
        b"\xED\xA0\x80",
        PAIR,
        b"\xF0\x9F\x98\x80",
        b"\xFF",
    ];
    let places = || [0..3, 60..68, 124..132, 1020..1092, 1145..1155, 1210..1218].into_iter().flatten();
    for (name, forms) in with_layouts() {
        for text in ["é", "aя", "я я"] {
            let text = text.repeat(1220_usize.div_ceil(text.len())).into_bytes();
            for (place, other) in places().flat_map(|place| others.map(|other| (place, other))) {
                let (first, last) = text.split_at(place);
                check_measured(&name, &forms, &[first, other, last].concat(), POLICIES[place % 3]);
            }
        }
    }
}

const TAIL: (u32, u32) = (0x80, 0xBF);

fn row(first: u32, last: u32, ranges: &[(u32, u32)]) -> Row {
    Row { first, last, ranges: ranges.to_vec() }
}

/// A form of these rows, without its layout and with it.
fn of_rows(rows: &[Row]) -> [Form; 2] {
    let made = || Tables {
        unit_bytes: 1,
        big_endian: false,
        joins_pairs: false,
        rows: rows.to_vec(),
        units: vec![],
        names: vec![],
    };
    let [mut bare, form] = [made(), made()].map(|tables| Form::new(tables).expect("a small form"));
    bare.layout = None;
    [bare, form]
}

/// In a form of three bytes at most whose last lead bytes begin what is beyond U+FFFF, these widen a str amid faults.
#[test]
fn three_bytes_beyond_the_bmp_are_measured_amid_faults() {
    let rows = [
        row(0, 0x7F, &[(0, 0x7F)]),
        row(0x80, 0x7FF, &[(0xC2, 0xDF), TAIL]),
        row(0x1000, 0x1_0FFF, &[(0xE0, 0xEF), TAIL, TAIL]),
    ];
    let forms = of_rows(&rows);
    assert!(forms[1].layout.is_some());
    for (lead, on_fault) in (0xE0..=0xEF_u8).flat_map(|lead| POLICIES.map(|on_fault| (lead, on_fault))) {
        let data = [&[lead, 0x80, 0x80], b"\xFF".as_slice()].concat().repeat(60);
        check_measured("of three bytes", &forms, &data, on_fault);
    }
}

/// A block has nothing but continuation bytes, of which the first are those of a sequence that began before it.
#[test]
fn blocks_of_continuation_bytes_are_measured_and_written() {
    for (name, forms) in with_layouts() {
        for (before, lead) in (50..70).flat_map(|before| [0xC5, 0xE5, 0xF1].map(|lead| (before, lead))) {
            let begun = [&b"a".repeat(before), [lead].as_slice()].concat();
            for many in [60, 64, 130, 200] {
                let data = [begun.as_slice(), &[0xBB].repeat(many), &b"a".repeat(80)].concat();
                for on_fault in POLICIES {
                    check_measured(&name, &forms, &data, on_fault);
                }
            }
        }
    }
}

/// In forms that read a byte as another code point, however far from it: the sum may reach into the upper byte, or not.
#[test]
fn stray_bytes_are_any_code_points() {
    for stray in [0x100, 0xEF80, 0xE0C3, 0xFF80] {
        let rows = [
            row(0, 0x7F, &[(0, 0x7F)]),
            row(0x80, 0x7FF, &[(0xC2, 0xDF), TAIL]),
            row(0x1000, 0xDFFF, &[(0xE1, 0xED), TAIL, TAIL]),
            row(stray, stray + 0x7F, &[(0x80, 0xFF)]),
        ];
        let forms = of_rows(&rows);
        assert!(forms[1].layout.as_ref().is_some_and(|layout| layout.escape == Some(stray - 0x80)), "{stray:X}");
        let strays: Vec<u8> = (0x80..=0xFF).collect();
        for parts in [["", "a"], ["é", ""], ["漢", "é"], ["漢漢漢漢", "漢字 a"]] {
            let units = strays.iter().map(|&stray| [parts[0].as_bytes(), &[stray], parts[1].as_bytes()].concat());
            check_measured("with strays", &forms, &units.collect::<Vec<_>>().concat(), OnFault::Stop);
        }
    }
}
