//! Searches find what one byte after the other finds, wherever it is, in data of every length up to several vectors.

use eightfold_core::kernels::{Class, find_any, find_last, find_row};

const LONGEST: usize = 300;
const ANY: [u8; 3] = *b"\"\\\n";
const ROW: [Class; 4] = [
    Class::byte(b'\\'),
    Class::byte(b'u'),
    Class { mask: 0xDF, low: b'D', high: b'D' },
    Class { mask: 0xFF, low: b'8', high: b'f' },
];

/// What surrounds what is meant: nothing of it, and what nearly is it.
const AROUND: [&[u8]; 5] = [b"a", b"\x8A\xA2\xDC\x21\x23\x5B\x5D\x09\x0B", b"\\u", b"\\ud7", b"\\u0d"];

fn datas(meant: &[u8], around: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..LONGEST).flat_map(move |length| {
        [0, length.min(1), length / 2, length.saturating_sub(1), length].map(|place| {
            let mut data: Vec<u8> = around.iter().copied().cycle().take(length).collect();
            data.splice(place..place, meant.iter().copied());
            data
        })
    })
}

#[test]
fn the_first_of_any() {
    for meant in ANY.iter().map(std::slice::from_ref).chain([b"".as_slice(), b"\"\\"]) {
        for data in AROUND.iter().flat_map(|around| datas(meant, around)) {
            assert_eq!(find_any(&data, ANY), data.iter().position(|byte| ANY.contains(byte)), "{data:?}");
        }
    }
}

#[test]
fn the_first_row() {
    let is_row =
        |bytes: &[u8]| bytes.starts_with(b"\\u") && b"dD".contains(&bytes[2]) && (b'8'..=b'f').contains(&bytes[3]);
    for meant in [b"\\ud8".as_slice(), b"\\uDf", b"\\ud7", b"\\ue8", b"\\\\uD9", b""] {
        for data in AROUND.iter().flat_map(|around| datas(meant, around)) {
            assert_eq!(find_row(&data, &ROW), data.windows(4).position(is_row), "{data:?}");
        }
    }
}

#[test]
fn the_last_of_a_value() {
    for meant in [b"\n".as_slice(), b"\n\n", b""] {
        for data in AROUND.iter().flat_map(|around| datas(meant, around)) {
            assert_eq!(find_last(&data, b'\n'), data.iter().rposition(|&byte| byte == b'\n'), "{data:?}");
        }
    }
}
