//! Searches find what one byte after the other finds, wherever it is, in data of every length up to several vectors.

use eightfold_core::Text;
use eightfold_core::kernels::{Class, find_any, find_last, find_row, has_point};

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

/// A text of several pieces, of which the last is not whole, has a code point within one of two ranges at each place
/// about their borders, or beside both; and so does each kind of str that holds it.
#[test]
fn a_point_of_any_range_in_any_piece() {
    let ranges = [(0x41, 0x43), (0xE0, 0x1_0005)];
    let piece = 1 << 12;
    let length = 2 * piece + 100;
    let places = [0, 1, 63, 64, piece - 1, piece, piece + 1, 2 * piece - 1, 2 * piece, length - 37, length - 1];
    let points = [0x40, 0x41, 0x43, 0x44, 0xDF, 0xE0, 0xFF, 0x100, 0xFFFF, 0x1_0005, 0x1_0006];
    for (place, point) in places.into_iter().flat_map(|place| points.map(|point| (place, point))) {
        let mut text = vec![0x61; length];
        text[place] = point;
        let expected = ranges.iter().any(|&(low, high)| (low..=high).contains(&point));
        assert_eq!(has_point(Text::Four(&text), &ranges), expected, "{point:X} at {place}");
        if let Ok(two) = text.iter().map(|&point| point.try_into()).collect::<Result<Vec<u16>, _>>() {
            assert_eq!(has_point(Text::Two(&two), &ranges), expected, "{point:X} at {place}");
        }
        if let Ok(one) = text.iter().map(|&point| point.try_into()).collect::<Result<Vec<u8>, _>>() {
            assert_eq!(has_point(Text::One(&one), &ranges), expected, "{point:X} at {place}");
        }
    }
    assert!(!has_point(Text::Four(&[]), &ranges));
    assert!(!has_point(Text::Two(&[0x41]), &[]));
}
