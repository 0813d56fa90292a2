//! Clean text from one of UTF-8, UTF-16 and UTF-32 to another at once: what Rust's own library makes of it, or nothing
//! where anything is ill-formed, wherever it stands.

#![cfg(feature = "simdutf")]

mod forms;

use std::collections::BTreeMap;
use std::mem::MaybeUninit;

use eightfold_core::kernels::{Level, ShortUnits};
use eightfold_core::{Form, Output};
use forms::family;

const NAMES: [&str; 4] = ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le"];

/// Lengths about the ends of vectors, blocks and pieces; the last is not short in any two.
const LENGTHS: [usize; 20] = [0, 1, 2, 7, 15, 16, 31, 32, 33, 63, 64, 65, 255, 256, 257, 511, 512, 513, 769, 2801];

/// Bytes that begin at an address that is a multiple of eight, as the memory of Python does, or so many behind it.
struct Aligned(Vec<u64>, usize);

impl Aligned {
    fn new(data: &[u8], offset: usize) -> Self {
        let mut memory = vec![0; (data.len() + offset).div_ceil(8)];
        for (place, &byte) in (offset..).zip(data) {
            memory[place / 8] |= u64::from_le_bytes([byte, 0, 0, 0, 0, 0, 0, 0]) << (8 * (place % 8));
        }
        Aligned(memory.into_iter().map(u64::to_le).collect(), offset)
    }

    fn converted(&self, source: &Form, target: &Form, length: usize) -> Option<Vec<u8>> {
        let bytes: Vec<[u8; 8]> = self.0.iter().map(|word| word.to_ne_bytes()).collect();
        let data = &bytes.as_flattened()[self.1..][..length];
        let mut short = ShortUnits::new();
        let transcoding = target.transcoding(source, data, &mut short)?;
        let mut room = vec![MaybeUninit::uninit(); transcoding.bytes()];
        let ((), written) = Output::written(&mut room, |out| transcoding.write(out));
        assert_eq!(written.len(), transcoding.bytes());
        Some(written.to_vec())
    }
}

fn converted(forms: &BTreeMap<String, Form>, [source, target]: [&str; 2], data: &[u8]) -> Option<Vec<u8>> {
    Aligned::new(data, 0).converted(&forms[source], &forms[target], data.len())
}

fn encoded(text: &str, name: &str) -> Vec<u8> {
    let units = text.encode_utf16();
    match name {
        "utf-16-le" => units.flat_map(u16::to_le_bytes).collect(),
        "utf-16-be" => units.flat_map(u16::to_be_bytes).collect(),
        "utf-32-le" => text.chars().flat_map(|char| u32::from(char).to_le_bytes()).collect(),
        _ => text.into(),
    }
}

/// Whether the machine and the level have the library: without it there is nothing to test but that nothing is done.
fn has_library() -> bool {
    Level::current() > Level::Portable && cfg!(target_endian = "little")
}

fn pairs() -> impl Iterator<Item = [&'static str; 2]> {
    NAMES
        .into_iter()
        .flat_map(|source| NAMES.map(|target| [source, target]))
        .filter(|[source, target]| source != target)
}

/// Texts of so many characters that make the kernels take each of their ways: every character is the odd one in turn.
fn texts(length: usize) -> impl Iterator<Item = String> {
    let alphabet = [
        'a',
        '\u{7f}',
        '\u{80}',
        'é',
        '\u{7ff}',
        '\u{800}',
        '漢',
        '\u{d7ff}',
        '\u{e000}',
        '\u{ffff}',
        '\u{10000}',
        '\u{10ffff}',
    ];
    alphabet.into_iter().flat_map(move |usual| {
        alphabet
            .into_iter()
            .zip([0, 1, 31, 32, 63, 64, 254, 255, 256, 510, 511, 2047])
            .map(move |(odd, at)| (0..length).map(|index| if index == at { odd } else { usual }).collect())
    })
}

#[test]
fn clean_text_is_converted_as_the_standard_library_does() {
    let forms = family();
    for text in LENGTHS.into_iter().flat_map(texts) {
        for [source, target] in pairs() {
            let expected = has_library().then(|| encoded(&text, target));
            let found = converted(&forms, [source, target], &encoded(&text, source));
            assert!(found == expected, "{source} to {target}: {} characters", text.chars().count());
        }
    }
}

/// What no encoding has, in units of each.
fn faults(name: &str) -> Vec<Vec<u8>> {
    match name {
        "utf-16-le" => [0xD800_u16, 0xDBFF, 0xDC00, 0xDFFF].map(|unit| unit.to_le_bytes().to_vec()).to_vec(),
        "utf-16-be" => [0xD800_u16, 0xDBFF, 0xDC00, 0xDFFF].map(|unit| unit.to_be_bytes().to_vec()).to_vec(),
        "utf-32-le" => [0xD800_u32, 0xDFFF, 0x11_0000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
            .map(|unit| unit.to_le_bytes().to_vec())
            .to_vec(),
        _ => [&b"\x80"[..], b"\xFF", b"\xED\xA0\x80", b"\xC0\x80", b"\xF4\x90\x80\x80"].map(<[u8]>::to_vec).to_vec(),
    }
}

#[test]
fn text_is_converted_across_the_borders_of_pieces() {
    let forms = family();
    for (usual, odd) in [('a', 'é'), ('é', 'a'), ('ж', '\u{800}'), ('漢', 'a'), ('漢', '😀')] {
        for shift in 0..4 {
            let text: String = ["a".repeat(shift), usual.to_string().repeat(20_000), odd.to_string()].concat();
            for target in ["utf-16-le", "utf-16-be"] {
                let expected = has_library().then(|| encoded(&text, target));
                let found = converted(&forms, ["utf-8", target], text.as_bytes());
                assert!(found == expected, "{usual} {odd} {shift} {target}");
            }
        }
    }
}

#[test]
fn a_fault_is_seen_wherever_it_stands() {
    let forms = family();
    for usual in ['a', 'é', '漢', '\u{e000}', '\u{1f600}'] {
        for [source, target] in pairs() {
            let clean = encoded(&usual.to_string().repeat(523), source);
            let one = encoded(&usual.to_string(), source).len();
            for fault in faults(source) {
                // Between characters, and instead of the first units of one.
                for at in (0..=clean.len()).step_by(one) {
                    let data = [&clean[..at], &fault, &clean[at..]].concat();
                    assert_eq!(converted(&forms, [source, target], &data), None, "{source} to {target}, {at}");
                }
            }
        }
    }
}

#[test]
fn a_fault_is_seen_at_the_end_of_text_of_any_length() {
    let forms = family();
    for count in 0..600 {
        for [source, target] in pairs() {
            let clean = encoded(&"a".repeat(count), source);
            for fault in faults(source) {
                let data = [&clean[..], &fault].concat();
                assert_eq!(converted(&forms, [source, target], &data), None, "{source} to {target}, {count}");
            }
        }
    }
}

#[test]
fn a_cut_pair_is_seen_wherever_it_stands() {
    let forms = family();
    for source in ["utf-16-le", "utf-16-be"] {
        let clean = encoded(&"\u{1f600}".repeat(300), source);
        for at in (0..clean.len()).step_by(2) {
            let data = [&clean[..at], &clean[at + 2..]].concat();
            assert_eq!(converted(&forms, [source, "utf-8"], &data), None, "{at}");
            assert_eq!(converted(&forms, [source, "utf-32-le"], &data), None, "{at}");
        }
    }
}

#[test]
fn part_of_a_unit_and_units_that_are_not_aligned_are_left_alone() {
    let forms = family();
    for [source, target] in pairs().filter(|[source, _]| *source != "utf-8") {
        let data = encoded(&"aé漢\u{1f600}".repeat(100), source);
        assert_eq!(converted(&forms, [source, target], &data[1..]), None);
        assert_eq!(converted(&forms, [source, target], &data[..data.len() - 1]), None);
        assert_eq!(Aligned::new(&data, 1).converted(&forms[source], &forms[target], data.len()), None);
    }
    // Bytes may begin anywhere.
    let text = "aé漢\u{1f600}".repeat(100);
    let found = Aligned::new(text.as_bytes(), 1).converted(&forms["utf-8"], &forms["utf-16-le"], text.len());
    assert_eq!(found, has_library().then(|| encoded(&text, "utf-16-le")));
}

#[test]
fn what_a_form_does_not_share_is_left_to_its_rows() {
    let forms = family();
    let found = |names, data: &[u8]| converted(&forms, names, data).is_some();
    assert_eq!(found(["mutf-8", "utf-16-le"], "aé".as_bytes()), has_library());
    assert_eq!(found(["wtf-16-le", "wtf-8"], &encoded("a\u{1f600}", "utf-16-le")), has_library());
    assert!(!found(["mutf-8", "utf-16-le"], b"a\0"));
    assert!(!found(["mutf-8", "utf-16-le"], "\u{1f600}".as_bytes()));
    assert!(!found(["utf-16-le", "mutf-8"], &encoded("a", "utf-16-le")));
    assert!(!found(["xtf-8", "utf-16-le"], "\u{ef80}".as_bytes()));
    assert!(!found(["utf-16-le", "xtf-8"], &encoded("\u{ef80}", "utf-16-le")));
    assert!(!found(["cesu-8", "utf-16-le"], "\u{1f600}".as_bytes()));
    assert!(!found(["wtf-8", "wtf-16-le"], b"\xED\xA0\x80"));
    assert!(!found(["wtf-16-le", "wtf-8"], &[0, 0xD8]));
    assert!(!found(["utf-8", "utf-32-be"], b"a"));
}
