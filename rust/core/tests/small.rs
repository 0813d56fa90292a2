//! A few small inputs through everything that touches memory by itself, few enough for Miri: `make miri`, which
//! compiles them once for any machine and once for AVX2. They also run with the other tests, with the kernels of the
//! machine.

use std::mem::MaybeUninit;

use eightfold_core::kernels::{Ascii, Level, copy_ascii, copy_without_nul, count_pairs, is_ascii, write_short};
use eightfold_core::{
    Form, Halt, Instead, Measured, Missing, OnFault, Output, Pass, Row, Tables, Text, TextBuffer, Width, encode_text,
};

const BODY: (u32, u32) = (0x80, 0xBF);
const WORDS: [&str; 6] =
    ["plain ", "caf\u{E9} ", "\u{436}\u{443}\u{43A} ", "\u{4E2D}\u{6587}", "\u{1F600}", "\u{7FF}\u{800}"];

fn row(first: u32, last: u32, ranges: &[(u32, u32)]) -> Row {
    Row { first, last, ranges: ranges.to_vec() }
}

fn utf8() -> Form {
    let rows = vec![
        row(0, 0x7F, &[(0, 0x7F)]),
        row(0x80, 0x7FF, &[(0xC2, 0xDF), BODY]),
        row(0x800, 0xFFF, &[(0xE0, 0xE0), (0xA0, 0xBF), BODY]),
        row(0x1000, 0xCFFF, &[(0xE1, 0xEC), BODY, BODY]),
        row(0xD000, 0xD7FF, &[(0xED, 0xED), (0x80, 0x9F), BODY]),
        row(0xE000, 0xFFFF, &[(0xEE, 0xEF), BODY, BODY]),
        row(0x1_0000, 0x3_FFFF, &[(0xF0, 0xF0), (0x90, 0xBF), BODY, BODY]),
        row(0x4_0000, 0xF_FFFF, &[(0xF1, 0xF3), BODY, BODY, BODY]),
        row(0x10_0000, 0x10_FFFF, &[(0xF4, 0xF4), (0x80, 0x8F), BODY, BODY]),
    ];
    let tables = Tables { unit_bytes: 1, big_endian: false, joins_pairs: false, rows, units: vec![], names: vec![] };
    Form::new(tables).expect("a small form")
}

/// Text up to a code point, around the borders of blocks.
fn texts<const COUNT: usize>(largest: char, counts: [usize; COUNT]) -> [String; COUNT] {
    let all: String = WORDS.iter().cycle().take(60).flat_map(|word| word.chars()).filter(|&c| c <= largest).collect();
    counts.map(|count| all.chars().take(count).collect())
}

fn written<T: Copy>(count: usize, write: impl FnOnce(&mut Output<'_, T>)) -> Vec<T> {
    let mut memory = vec![MaybeUninit::uninit(); count];
    Output::written(&mut memory, |out| write(out)).1.to_vec()
}

#[test]
fn measured_text_is_written_in_every_kind() {
    for largest in ['\u{7F}', '\u{FF}', '\u{7FF}', '\u{FFFF}', char::MAX] {
        for text in texts(largest, [0, 3, 15, 64, 130]) {
            let points: Vec<u32> = text.chars().map(u32::from).collect();
            let measured = Measured::new(text.as_bytes());
            assert_eq!((measured.text(), measured.count()), (&*text, points.len()));
            assert_eq!(written(points.len(), |out| measured.write_ucs4(out)), points);
            if measured.width() <= Width::Ucs2 {
                let units: Vec<u16> = text.encode_utf16().collect();
                assert_eq!(written(units.len(), |out| measured.write_ucs2(out)), units);
                let scalar = Text::Two(&units).scalar().expect("no surrogate");
                assert_eq!(written(text.len(), |out| scalar.write_utf8(out)), text.as_bytes());
            }
            let scalar = Text::Four(&points).scalar().expect("no surrogate");
            assert_eq!(written(text.len(), |out| scalar.write_utf8(out)), text.as_bytes());
            let room = 4 * points.len() + 64;
            let mut memory = vec![MaybeUninit::uninit(); room];
            let (count, short) =
                Output::written(&mut memory, |out| write_short(Text::Four(&points), &Instead::Stop, out));
            assert_eq!((count, &*short), (points.len(), text.as_bytes()));
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "to compile a form takes Miri minutes")]
fn dirty_text_is_read_and_surrogates_are_written() {
    let form = utf8();
    for text in texts(char::MAX, [2, 40]) {
        let mut data = text.clone().into_bytes();
        data.splice(data.len() / 2..data.len() / 2, *b"\xFF\xE4\xB8");
        for on_fault in [OnFault::Replace, OnFault::Ignore, OnFault::SurrogateEscape, OnFault::BackslashReplace] {
            let pass = Pass { form: &form, data: &data, is_final: true, largest: 0x10_FFFF, on_fault };
            let mut buffer = TextBuffer::default();
            assert_eq!(pass.run(0, &mut buffer), Halt::End(data.len()));
            if on_fault == OnFault::Replace {
                let points: Vec<u32> = String::from_utf8_lossy(&data).chars().map(u32::from).collect();
                assert_eq!((0..points.len()).map(|at| buffer.text().at(at)).collect::<Vec<_>>(), points);
            }
            let survey = pass.measure(0).expect("every fault has an answer");
            let points = written(survey.count, |out: &mut Output<'_, u32>| _ = pass.write(0, &survey, out));
            let mut bytes = Vec::new();
            encode_text(&form, Text::Four(&points), 0, Missing::SurrogateEscape, &mut bytes).expect("all are escapes");
            assert!(on_fault != OnFault::SurrogateEscape || bytes == data);
        }
    }
}

#[test]
fn ascii_is_copied_up_to_what_is_none() {
    for (length, place) in [(0, 0), (5, 3), (31, 31), (32, 0), (300, 290), (300, 300), (600, 299)] {
        let mut data = vec![0x61; length + 1];
        data[place] = 0x80;
        assert!(!is_ascii(&data) && Ascii::new(&data[..place]).is_some());
        let copied = written(length + 1, |out| _ = copy_ascii(&data, out));
        assert!(copied.len() <= place && data.starts_with(&copied));
        data[place] = 0;
        assert!(written(length + 1, |out| _ = copy_without_nul(&data, out)).len() <= place);
    }
}

#[test]
#[cfg_attr(not(miri), ignore = "elsewhere the machine decides")]
fn miri_runs_the_kernels_that_this_is_compiled_for() {
    assert_eq!(Level::current().name(), if cfg!(target_feature = "avx2") { "avx2" } else { "portable" });
}

#[test]
fn pairs_are_counted() {
    let units: Vec<u16> = [0xD83D, 0xDE00, 0xDE00, 0xD83D, 0x41].repeat(9);
    assert_eq!(count_pairs(Text::Two(&units)), 9);
    let points: Vec<u32> = units.iter().map(|&unit| unit.into()).collect();
    assert_eq!(count_pairs(Text::Four(&points)), 9);
}
