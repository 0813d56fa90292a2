//! The order of names: that of the str in which Python holds them, whose bytes that are no UTF-8 are U+DC80 to U+DCFF.

use std::cmp::Ordering;

/// Compare two names.
pub fn compare(left: &[u8], right: &[u8]) -> Ordering {
    // Only surrogates stand elsewhere by code points than by the bytes of UTF-8.
    if left.is_ascii() || right.is_ascii() || (is_utf8(left) && is_utf8(right)) {
        return left.cmp(right);
    }
    code_points(left).cmp(code_points(right))
}

fn is_utf8(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok()
}

fn code_points(name: &[u8]) -> impl Iterator<Item = u32> {
    name.utf8_chunks().flat_map(|chunk| {
        let smuggled = chunk.invalid().iter().map(|&byte| 0xDC00 + u32::from(byte));
        chunk.valid().chars().map(u32::from).chain(smuggled)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_their_code_points() {
        let mut names = ["\u{1F600}".as_bytes(), b"\xFF", "\u{E000}".as_bytes(), b"a", "\u{D7FF}".as_bytes(), b"\x80"];
        names.sort_by(|left, right| compare(left, right));
        let expected = [b"a", "\u{D7FF}".as_bytes(), b"\x80", b"\xFF", "\u{E000}".as_bytes(), "\u{1F600}".as_bytes()];
        assert_eq!(names, expected);
    }
}
