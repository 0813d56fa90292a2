//! Text with ill-formed units throughout, written in one pass: all blocks are examined closely, and nothing is counted
//! or noted.

use eightfold_features::avx512;

use super::fetch_ahead;
use super::look::{Reader, Window, window};
use super::points::{put_narrow, put_points};
use crate::kernels::lanes::low_64;
use crate::kernels::output::Output;
use crate::kernels::source::{Note, Source};
use crate::policy::Answer;

/// Who writes code points: each has code of its own, which is inlined.
enum By<const BY_BYTE: bool> {}
/// See [`By`].
enum Other {}

macro_rules! writers {
    ($($(#[$doc:meta])* $name:ident: $unit:ty, $most:expr, $put:ident;)*) => {
        $($(#[$doc])*
        #[avx512]
        pub fn $name(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, $unit>) -> usize {
            let (reader, stretch) = (Reader::new(source), (start, limit));
            let put_other = |window: &Window, note: &Note, out: &mut Output<'_, $unit>| {
                $put::<Other>(&reader, window, note, out);
            };
            if reader.is_by_byte {
                write::<_, true, $most>(&reader, source.data, stretch, out, put_other, |window, note, out| {
                    $put::<By<true>>(&reader, window, note, out);
                })
            } else {
                write::<_, false, $most>(&reader, source.data, stretch, out, put_other, |window, note, out| {
                    $put::<By<false>>(&reader, window, note, out);
                })
            }
        })*
    };
}

writers! {
    /// Write from an offset to a limit, or to where a sequence of four bytes begins or the kernel stops, as 16-bit
    /// units; return the end.
    write_ucs2: u16, 3, put_narrow;
    /// The same as 32-bit units, sequences of four bytes too.
    write_ucs4: u32, 4, put_note;
}

/// Store the code points of a block.
#[inline]
#[avx512]
fn put_note<Taker>(reader: &Reader<'_>, window: &Window, note: &Note, out: &mut Output<'_, u32>) {
    put_points::<Taker>(reader, window, [note.begins, note.ill, note.odd], out);
}

/// Where reading came to: the lanes behind that in which nothing begins, and whether it goes on.
type Reached = (usize, u64, bool);

/// Write from an offset to a limit, or to where a sequence begins that is longer than `MOST` bytes or the kernel stops.
#[inline]
#[avx512]
fn write<T, const BY_BYTE: bool, const MOST: usize>(
    reader: &Reader<'_>,
    data: &[u8],
    (start, limit): (usize, usize),
    out: &mut Output<'_, T>,
    put_other: impl Fn(&Window, &Note, &mut Output<'_, T>),
    put: impl Fn(&Window, &Note, &mut Output<'_, T>),
) -> usize {
    let drops = !BY_BYTE && reader.answer == Answer::Drop;
    out.go_on(|out| {
        let nothing = (&[0; 72], Note::new([0; 3], start, 0));
        let (mut at, mut carry, mut goes_on, mut examined) = (start, 0, true, nothing);
        while at < limit && goes_on {
            fetch_ahead(data, at);
            if limit - at > 64
                && let Some(window) = data[at..].first_chunk()
                && let Some(block) = reader.plain_block::<BY_BYTE>(window, carry)
                && (MOST > 3 || block.fours == 0)
            {
                let begins = if drops { block.begins & !block.ill } else { block.begins };
                let length = 64 + block.carry.count_ones() as usize;
                let note = Note::new([begins, block.ill, 0], at, length);
                // Only now the block before it is written, so that neither waits for the other: 20% less time. 16-bit
                // units, which take more work, would take 4% more.
                if MOST > 3 {
                    put(examined.0, &examined.1, out);
                    examined = (window, note);
                } else {
                    put(window, &note, out);
                }
                (at, carry) = (at + 64, block.carry);
            } else {
                // The last block comes here.
                if MOST > 3 {
                    put_other(examined.0, &examined.1, out);
                    examined = nothing;
                }
                (at, carry, goes_on) = write_other::<_, MOST>(reader, data, (at, limit, carry), out, &put_other);
            }
        }
        at
    })
}

/// As [`write`], of one block: the last one, or one with what is not in others.
#[cold]
#[inline(never)]
#[avx512]
fn write_other<T, const MOST: usize>(
    reader: &Reader<'_>,
    data: &[u8],
    (at, limit, carry): (usize, usize, u64),
    out: &mut Output<'_, T>,
    put: impl Fn(&Window, &Note, &mut Output<'_, T>),
) -> Reached {
    let mut copy = [0; 72];
    let window = window(data, at, &mut copy);
    let block = reader.any_block(window, limit - at, carry);
    let stop = if MOST > 3 { 64 } else { block.fours.trailing_zeros() as usize };
    let begins = if reader.answer == Answer::Drop { block.begins & !block.ill } else { block.begins };
    let lanes = low_64(stop);
    // The length is that of no full block, of which each byte may be something.
    put(window, &Note::new([begins & lanes, block.ill & lanes, block.odd & lanes], at, 0), out);
    match block.goes_on {
        _ if stop < 64 => (at + stop, 0, false),
        true => (at + 64, block.carry, true),
        false => (at + block.length, 0, false),
    }
}
