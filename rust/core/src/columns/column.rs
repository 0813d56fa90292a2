//! The layouts of a column, and the check of its places. Nothing here knows a form.
//!
//! Source: the Arrow columnar format, sections "Variable-size Binary Layout", "Variable-size Binary View Layout" and
//! "Validity bitmaps".

use std::ops::Range;

/// The bytes of a value that a view holds itself.
pub(super) const INLINE_BYTES: usize = 12;

/// A row at which the buffers of a column contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The row.
    pub row: usize,
    /// What is wrong there.
    pub what: &'static str,
}

/// Bits, counted from one of them on.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    bytes: &'a [u8],
    first: usize,
}

impl<'a> Bits<'a> {
    /// So many bits from the bit `first` on; None where the bytes are too few.
    #[must_use]
    pub fn new(bytes: &'a [u8], first: usize, count: usize) -> Option<Self> {
        let end = first.checked_add(count)?;
        (end.div_ceil(8) <= bytes.len()).then_some(Bits { bytes, first })
    }

    fn is_set(self, at: usize) -> bool {
        let at = self.first + at;
        self.bytes[at / 8] >> (at % 8) & 1 == 1
    }
}

/// Where values begin and end in the data that they share.
pub trait Bounds: Copy + Sync {
    /// Where the value of a row begins, and the one before it ends; a place that no buffer has if it is negative.
    fn at(&self, row: usize) -> usize;

    /// Whether one of some rows may end before it begins, or begin at a negative place.
    fn may_fall(&self, rows: Range<usize>) -> bool;
}

macro_rules! offsets {
    ($($name:ident, $number:ty, $bytes:literal;)*) => {
        $(
            /// Offsets: one more than there are values. They need not be aligned.
            #[derive(Clone, Copy, Debug)]
            pub struct $name<'a>(pub &'a [[u8; $bytes]]);

            impl Bounds for $name<'_> {
                #[inline(always)]
                fn at(&self, row: usize) -> usize {
                    usize::try_from(<$number>::from_ne_bytes(self.0[row])).unwrap_or(usize::MAX)
                }

                fn may_fall(&self, rows: Range<usize>) -> bool {
                    let (begins, ends) = (&self.0[rows.clone()], &self.0[rows.start + 1..=rows.end]);
                    // Of a number that falls or is negative the sign shows. The compiler makes vectors of this, for
                    // every processor: those without SSE4.2 cannot compare vectors of 64-bit numbers.
                    let signs = begins.iter().zip(ends).fold(0, |signs, (begin, end)| {
                        let (begin, end) = (<$number>::from_ne_bytes(*begin), <$number>::from_ne_bytes(*end));
                        signs | begin | end.wrapping_sub(begin)
                    });
                    signs < 0
                }
            }
        )*
    };
}

offsets! {
    Narrow, i32, 4;
    Wide, i64, 8;
}

/// Values that all have the same number of bytes.
#[derive(Clone, Copy, Debug)]
pub struct Fixed(pub usize);

impl Bounds for Fixed {
    #[inline(always)]
    fn at(&self, row: usize) -> usize {
        row.saturating_mul(self.0)
    }

    fn may_fall(&self, _: Range<usize>) -> bool {
        false
    }
}

/// Views: 16 bytes for each value, which hold it or say where it is.
#[derive(Clone, Copy, Debug)]
pub struct Views<'a> {
    /// The views.
    pub views: &'a [[u8; 16]],
    /// What they point into.
    pub buffers: &'a [&'a [u8]],
}

impl<'a> Views<'a> {
    /// The buffer that the view of a row points into; None if it holds its value itself.
    pub(super) fn buffer(&self, row: usize) -> Option<usize> {
        let number = |at: usize| self.views[row][at..].first_chunk().map_or(-1, |bytes| i32::from_ne_bytes(*bytes));
        let is_inline = usize::try_from(number(0)).is_ok_and(|length| length <= INLINE_BYTES);
        if is_inline { None } else { usize::try_from(number(8)).ok() }
    }

    /// The value of a row; None where it points out of its buffer.
    #[inline]
    pub(super) fn value(&self, row: usize) -> Option<&'a [u8]> {
        let view = &self.views[row];
        let number = |at: usize| view[at..].first_chunk().map_or(-1, |bytes| i32::from_ne_bytes(*bytes));
        let length = usize::try_from(number(0)).ok()?;
        if length <= INLINE_BYTES {
            return Some(&view[4..4 + length]);
        }
        let (buffer, start) = (usize::try_from(number(8)).ok()?, usize::try_from(number(12)).ok()?);
        self.buffers.get(buffer)?.get(start..start.checked_add(length)?)
    }
}

/// The view of a value that begins at `start` of a buffer if it is too long to be in the view.
pub(super) fn view_of(value: &[u8], buffer: usize, start: usize) -> [u8; 16] {
    let mut view = [0; 16];
    view[..4].copy_from_slice(&(value.len() as u32).to_ne_bytes());
    if value.len() <= INLINE_BYTES {
        view[4..4 + value.len()].copy_from_slice(value);
    } else {
        view[4..8].copy_from_slice(&value[..4]);
        view[8..12].copy_from_slice(&(buffer as u32).to_ne_bytes());
        view[12..].copy_from_slice(&(start as u32).to_ne_bytes());
    }
    view
}

/// How the values of a column lie.
#[derive(Clone, Copy, Debug)]
pub enum Layout<'a> {
    /// One after the other, with offsets of 32 bits.
    Narrow(Narrow<'a>, &'a [u8]),
    /// One after the other, with offsets of 64 bits.
    Wide(Wide<'a>, &'a [u8]),
    /// One after the other, all of the same size.
    Fixed(Fixed, &'a [u8]),
    /// Anywhere.
    Views(Views<'a>),
}

/// Values of which some may be null.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// Where the values are.
    pub layout: Layout<'a>,
    /// Which of them there are; None if all.
    pub validity: Option<Bits<'a>>,
    /// How many there are, null or not.
    pub count: usize,
}

impl<'a> Column<'a> {
    /// Whether there is a value in a row.
    #[inline]
    #[must_use]
    pub fn is_valid(&self, row: usize) -> bool {
        self.validity.is_none_or(|bits| bits.is_set(row))
    }

    /// The value of a row, whether it is null or not.
    ///
    /// # Errors
    /// Its place is outside its buffer.
    pub fn value(&self, row: usize) -> Result<&'a [u8], Broken> {
        match self.layout {
            Layout::Views(views) => views.value(row).ok_or(Broken { row, what: OUTSIDE }),
            _ => self.values(row..row + 1),
        }
    }

    /// The values of some rows, which lie one after the other. Views do not: they give nothing.
    ///
    /// # Errors
    /// They are outside their buffer.
    pub fn values(&self, rows: Range<usize>) -> Result<&'a [u8], Broken> {
        if rows.is_empty() {
            return Ok(&[]);
        }
        match self.layout {
            Layout::Narrow(bounds, data) => data.get(bounds.at(rows.start)..bounds.at(rows.end)),
            Layout::Wide(bounds, data) => data.get(bounds.at(rows.start)..bounds.at(rows.end)),
            Layout::Fixed(bounds, data) => data.get(bounds.at(rows.start)..bounds.at(rows.end)),
            Layout::Views(_) => Some(&[][..]),
        }
        .ok_or(Broken { row: rows.start, what: OUTSIDE })
    }

    /// How many bytes the values have, roughly: views are not followed.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let between = |first: usize, last: usize| last.saturating_sub(first);
        match self.layout {
            _ if self.count == 0 => 0,
            Layout::Narrow(bounds, _) => between(bounds.at(0), bounds.at(self.count)),
            Layout::Wide(bounds, _) => between(bounds.at(0), bounds.at(self.count)),
            Layout::Fixed(bounds, _) => bounds.at(self.count),
            Layout::Views(views) => size_of_val(views.views).max(views.buffers.iter().map(|buffer| buffer.len()).sum()),
        }
    }

    /// Check the places of some rows.
    ///
    /// # Errors
    /// An offset is smaller than the one before it, or a value lies outside its buffer.
    pub fn check(&self, rows: Range<usize>) -> Result<(), Broken> {
        match self.layout {
            Layout::Narrow(bounds, data) => check(&bounds, data.len(), rows),
            Layout::Wide(bounds, data) => check(&bounds, data.len(), rows),
            Layout::Fixed(bounds, data) => check(&bounds, data.len(), rows),
            Layout::Views(views) => {
                let is_outside = |&row: &usize| views.value(row).is_none() && self.is_valid(row);
                { rows }.find(is_outside).map_or(Ok(()), |row| Err(Broken { row, what: OUTSIDE }))
            }
        }
    }
}

const OUTSIDE: &str = "its bytes are outside its buffer";

/// Check that bounds do not fall and lie within so many bytes or values.
///
/// # Errors
/// They do not.
pub fn check(bounds: &impl Bounds, length: usize, rows: Range<usize>) -> Result<(), Broken> {
    if rows.is_empty() {
        return Ok(());
    }
    // What does not fall is within its ends.
    let is_within = bounds.at(rows.start) <= length && bounds.at(rows.end) <= length;
    if is_within && !bounds.may_fall(rows.clone()) {
        return Ok(());
    }
    { rows }.try_for_each(|row| {
        let (start, end) = (bounds.at(row), bounds.at(row + 1));
        let what = if start != usize::MAX && start > end { "its offset is greater than the next" } else { OUTSIDE };
        if start <= end && end <= length { Ok(()) } else { Err(Broken { row, what }) }
    })
}
