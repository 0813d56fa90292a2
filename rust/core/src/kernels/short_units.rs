//! Short text converted between UTF-8, UTF-16 and UTF-32 before anything is known of it: the library validates while it
//! writes, into memory that is enough for the longest result. Measuring it first would cost as much again.

#![expect(unsafe_code, reason = "bytes are units of another width")]

use std::mem::MaybeUninit;

use super::output::Output;
use super::simdutf;
use super::unicode::{Unicode, Unit, aligned};

/// The longest result that short text may have, in bytes.
const MOST: usize = 8192;
/// The same of UTF-16 as UTF-32: to copy more takes longer than to measure it first.
const MOST_WIDENED: usize = 2048;

/// Memory that short text is converted to.
#[repr(align(64))]
#[derive(Debug)]
pub struct ShortUnits([MaybeUninit<u8>; MOST]);

impl ShortUnits {
    /// Memory of which nothing is written.
    #[must_use]
    pub const fn new() -> Self {
        ShortUnits([const { MaybeUninit::uninit() }; _])
    }

    /// Convert bytes. None if they are too long or ill-formed, not aligned for their units, or if the library is not
    /// the quickest for them.
    pub fn converted(&mut self, data: &[u8], source: Unicode, target: Unicode) -> Option<&[u8]> {
        let out = &mut self.0[..];
        match (source, target) {
            // Kernels of our own convert what they have measured more quickly than the library.
            (Unicode::Utf8, _) => None,
            (Unicode::Utf16 { big_endian }, Unicode::Utf8) => {
                let data = aligned(data)?;
                units(out, |out| simdutf::utf16_to_utf8(data, big_endian, out))
            }
            (Unicode::Utf16 { big_endian }, Unicode::Utf32) => {
                let data = aligned(data)?;
                units(&mut out[..MOST_WIDENED], |out| simdutf::utf16_to_utf32(data, big_endian, out))
            }
            (Unicode::Utf32, Unicode::Utf8) => {
                let data = aligned(data)?;
                units(out, |out| simdutf::utf32_to_utf8(data, out))
            }
            (Unicode::Utf32, Unicode::Utf16 { big_endian }) => {
                let data = aligned(data)?;
                units(out, |out| simdutf::utf32_to_utf16(data, big_endian, out))
            }
            _ => None,
        }
    }
}

impl Default for ShortUnits {
    fn default() -> Self {
        ShortUnits::new()
    }
}

/// The bytes of the units that `write` writes to memory; None if it writes none.
fn units<T: Unit>(memory: &mut [MaybeUninit<u8>], write: impl FnOnce(&mut Output<'_, T>)) -> Option<&[u8]> {
    // SAFETY: memory that is not written may become any other.
    let (_, memory, _) = unsafe { memory.align_to_mut::<MaybeUninit<T>>() };
    let ((), written) = Output::written(memory, |out| write(out));
    // SAFETY: the units are integers, without padding.
    let (_, bytes, _) = unsafe { written.align_to::<u8>() };
    (!bytes.is_empty()).then_some(bytes)
}
