//! Conversion between UTF-8, UTF-16 and UTF-32, ours and simdutf's own, timed alternately: the rows `transcode` of
//! `python -m benchmarks`. Both sides validate, count, allocate exactly what they write, and write it.
//!
//! Arguments: the number of rounds, the least number of seconds for each side of a round, the source, the target, and
//! files of UTF-8. For each file the program prints one line of JSON: see `race`.

#![expect(unsafe_code, reason = "the library writes to memory that is not a value yet")]

use std::hint::black_box;
use std::{env, fs, slice};

use eightfold_core::kernels::ShortUnits;
use eightfold_core::{Form, OnFault, Output, Pass, Unwritten, Writer};
use race::Effort;

#[path = "../tests/forms/mod.rs"]
mod forms;
mod race;

/// What `convert` does without Python.
fn converted(source: &Form, target: &Form, data: &[u8]) -> Vec<u8> {
    if let Some(transcoding) = target.transcoding(source, data, &mut ShortUnits::new()) {
        let mut out = Vec::with_capacity(transcoding.bytes());
        let ((), written) = Output::written(out.spare_capacity_mut(), |out| transcoding.write(out));
        let count = written.len();
        // SAFETY: so many were written.
        unsafe { out.set_len(count) };
        return out;
    }
    let pass = Pass { form: source, data, is_final: true, largest: u32::MAX, on_fault: OnFault::Stop };
    Writer::new(target, Unwritten::Stop, Vec::new()).wrote(&pass, 0).expect("clean text")
}

/// A vector of so many values, by a function that writes them to its address and returns their number.
///
/// # Safety
/// It does.
unsafe fn made<T>(count: usize, write: impl FnOnce(*mut T) -> usize) -> Vec<T> {
    let mut out = Vec::with_capacity(count);
    assert_eq!(write(out.as_mut_ptr()), count);
    // SAFETY: so many were written.
    unsafe { out.set_len(count) };
    out
}

/// The bytes of units.
fn bytes<T>(units: &[T]) -> &[u8] {
    // SAFETY: these are units of 16 or 32 bits, without padding.
    unsafe { slice::from_raw_parts(units.as_ptr().cast(), size_of_val(units)) }
}

/// Race, where `count` and `convert` are the functions of the library.
macro_rules! raced {
    ($effort:expr, $forms:expr, $input:expr, $count:path, $convert:path) => {{
        let ([source, target], input) = ($forms, &$input[..]);
        // SAFETY: the library writes as many units as it counts.
        let theirs = || unsafe {
            let input = black_box(input);
            made($count(input), |place| $convert(input.as_ptr(), input.len(), place))
        };
        let ours = || converted(source, target, black_box(bytes(input)));
        assert_eq!(ours(), bytes(&theirs()));
        $effort.race(ours, theirs);
    }};
}

fn main() {
    // Cargo adds `--bench`.
    let given: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [rounds, seconds, source, target, files @ ..] = &given[..] else {
        return println!("give rounds, seconds, source, target and files, as `python -m benchmarks` does");
    };
    let effort = Effort { rounds: rounds.parse().expect("a number"), seconds: seconds.parse().expect("a number") };
    let both = [&forms::form(source), &forms::form(target)];
    for file in files {
        let eight = fs::read_to_string(file).expect("a file of UTF-8");
        let sixteen: Vec<u16> = eight.encode_utf16().collect();
        let swapped: Vec<u16> = sixteen.iter().copied().map(u16::swap_bytes).collect();
        let wide: Vec<u32> = eight.chars().map(u32::from).collect();
        let eight = eight.into_bytes();
        use simdutf as s;
        match (&source[..], &target[..]) {
            ("utf-8", "utf-16-le") => {
                raced!(effort, both, eight, s::utf16_length_from_utf8, s::convert_utf8_to_utf16le);
            }
            ("utf-8", "utf-16-be") => {
                raced!(effort, both, eight, s::utf16_length_from_utf8, s::convert_utf8_to_utf16be);
            }
            ("utf-8", "utf-32-le") => {
                raced!(effort, both, eight, s::utf32_length_from_utf8, s::convert_utf8_to_utf32);
            }
            ("utf-16-le", "utf-8") => {
                raced!(effort, both, sixteen, s::utf8_length_from_utf16le, s::convert_utf16le_to_utf8);
            }
            ("utf-16-le", "utf-32-le") => {
                raced!(effort, both, sixteen, s::utf32_length_from_utf16le, s::convert_utf16le_to_utf32);
            }
            ("utf-16-be", "utf-8") => {
                raced!(effort, both, swapped, s::utf8_length_from_utf16be, s::convert_utf16be_to_utf8);
            }
            ("utf-16-be", "utf-32-le") => {
                raced!(effort, both, swapped, s::utf32_length_from_utf16be, s::convert_utf16be_to_utf32);
            }
            ("utf-32-le", "utf-8") => {
                raced!(effort, both, wide, s::utf8_length_from_utf32, s::convert_utf32_to_utf8);
            }
            ("utf-32-le", "utf-16-le") => {
                raced!(effort, both, wide, s::utf16_length_from_utf32, s::convert_utf32_to_utf16le);
            }
            ("utf-32-le", "utf-16-be") => {
                raced!(effort, both, wide, s::utf16_length_from_utf32, s::convert_utf32_to_utf16be);
            }
            _ => return println!("simdutf does not convert {source} to {target}"),
        }
    }
}
