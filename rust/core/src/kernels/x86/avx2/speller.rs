//! What a spelling says of each code point of a block: how many bytes it takes, and its payload bits.
//!
//! Nothing is written here.

use std::arch::x86_64::*;

use eightfold_features::avx2;

use super::is_none;
use crate::code_point::{LEADS, Range, TRAILS};
use crate::derive::spelling::Spelling;
use crate::policy::Lacking;

/// Sixteen code points below U+10000, with the lanes that are written as one byte, and as two at most.
pub struct Units {
    pub points: __m256i,
    pub one: __m256i,
    pub up_to_two: __m256i,
    /// The lanes that the form lacks; they hold `?`.
    pub missing: __m256i,
    /// The number of lanes, from the first on, that are written.
    pub written: usize,
}

/// Eight code points, with the lanes that are written as two or three bytes, as three at least, and as the most.
pub struct Points {
    pub points: __m256i,
    pub two_or_three: __m256i,
    pub three: __m256i,
    pub most: __m256i,
    /// As in [`Units`].
    pub missing: __m256i,
    pub written: usize,
}

impl Units {
    /// The lanes before the first that the form lacks.
    #[inline]
    #[avx2]
    fn before_missing(self) -> Self {
        let written = _mm256_movemask_epi8(self.missing).trailing_zeros() as usize / 2;
        let places = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let kept = _mm256_cmpgt_epi16(_mm256_set1_epi16(written as i16), places);
        let points = _mm256_blendv_epi8(_mm256_set1_epi16(b'?'.into()), self.points, kept);
        let [one, up_to_two] = [self.one, self.up_to_two]
            .map(|lanes| _mm256_or_si256(lanes, _mm256_xor_si256(kept, _mm256_set1_epi8(-1))));
        Units { points, one, up_to_two, written, ..self }
    }
}

impl Points {
    /// As [`Units::before_missing`].
    #[inline]
    #[avx2]
    fn before_missing(self) -> Self {
        let written = _mm256_movemask_epi8(self.missing).trailing_zeros() as usize / 4;
        let kept = _mm256_cmpgt_epi32(_mm256_set1_epi32(written as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        let points = _mm256_blendv_epi8(_mm256_set1_epi32(b'?'.into()), self.points, kept);
        let [two_or_three, three, most] =
            [self.two_or_three, self.three, self.most].map(|lanes| _mm256_and_si256(lanes, kept));
        Points { points, two_or_three, three, most, written, ..self }
    }
}

/// A range of code points as vectors to compare with.
struct Band {
    /// Whether there is any, and whether some are below U+10000.
    is_there: [bool; 2],
    /// The first and how many more there are, in lanes of 16 bits and of 32.
    of_16: [__m256i; 2],
    of_32: [__m256i; 2],
}

impl Band {
    #[inline]
    #[avx2]
    fn new(range: Option<Range>) -> Self {
        let (first, last) = range.unwrap_or((u32::MAX, u32::MAX));
        Band {
            is_there: [range.is_some(), first <= 0xFFFF],
            of_16: [first, last.min(0xFFFF).wrapping_sub(first)].map(|value| _mm256_set1_epi16(value as i16)),
            of_32: [first, last - first].map(|value| _mm256_set1_epi32(value.cast_signed())),
        }
    }

    /// Sixteen code points of which some are in it.
    #[inline]
    #[avx2]
    fn units(&self, points: __m256i) -> __m256i {
        if !self.is_there[1] {
            return _mm256_setzero_si256();
        }
        up_to_16(_mm256_sub_epi16(points, self.of_16[0]), self.of_16[1])
    }

    /// Eight code points of which some are in it.
    #[inline]
    #[avx2]
    fn points(&self, points: __m256i) -> __m256i {
        if !self.is_there[0] {
            return _mm256_setzero_si256();
        }
        let index = _mm256_sub_epi32(points, self.of_32[0]);
        _mm256_cmpeq_epi32(_mm256_min_epu32(index, self.of_32[1]), index)
    }
}

/// The lanes that are at most those of another vector.
#[inline]
#[avx2]
fn up_to_16(points: __m256i, last: __m256i) -> __m256i {
    _mm256_cmpeq_epi16(_mm256_min_epu16(points, last), points)
}

/// The upper bits of a lead, and the upper bits of a trail where the other bits of the lead are.
const PAIR: u32 = LEADS.0 | TRAILS.0 >> 10;

/// The lanes of sixteen leads with a trail one further.
#[inline]
#[avx2]
fn pairs_16(points: __m256i, next: __m256i) -> __m256i {
    let upper = _mm256_and_si256(points, _mm256_set1_epi16(!0x3FF));
    let both = _mm256_or_si256(upper, _mm256_srli_epi16::<10>(next));
    _mm256_cmpeq_epi16(both, _mm256_set1_epi16(PAIR as i16))
}

/// The same of eight code points.
#[inline]
#[avx2]
fn pairs_32(points: __m256i, next: __m256i) -> __m256i {
    // Beyond U+FFFF a bit is set that no lead has.
    let upper = _mm256_and_si256(points, _mm256_set1_epi32(!0x3FF));
    let both = _mm256_or_si256(upper, _mm256_srli_epi32::<10>(next));
    _mm256_cmpeq_epi32(both, _mm256_set1_epi32(PAIR.cast_signed()))
}

/// A spelling, with what each block needs of it. What only a spelling that is not plain needs is compiled out for others,
/// and so is what only one needs that has answers for what is missing.
pub struct Speller<'a, const IS_PLAIN: bool, const ANSWERS: bool> {
    pub spelling: &'a Spelling,
    /// The last code points of one, of two and of three bytes, in lanes of 16 bits and of 32.
    lasts_16: [__m256i; 3],
    lasts_32: [__m256i; 3],
    /// Two ranges that hold what is missing: the spelling's own or, if it has more, one that spans those below the
    /// surrogates and one that spans the others.
    missing: [Band; 2],
    /// The bytes written for what is missing; None if that needs a closer look.
    pub answer: Option<usize>,
    /// Whether that is not a single byte, so that the lanes are cut there.
    pub is_cut: bool,
    joins: bool,
    escapes: Band,
    is_shifted: bool,
    beyond_gap: Band,
    /// Whether ASCII except U+0000 is written as it stands.
    keeps_ascii: bool,
    /// Whether code points from U+10000 on are written as in UTF-8, or as surrogates.
    keeps_supplementary: bool,
}

/// Whether a spelling is that of UTF-8, except for what is missing and for surrogate pairs.
pub fn is_plain(spelling: &Spelling) -> bool {
    !spelling.nul_is_two && !spelling.is_shifted() && spelling.escapes.is_none()
}

impl<'a, const IS_PLAIN: bool, const ANSWERS: bool> Speller<'a, IS_PLAIN, ANSWERS> {
    #[inline]
    #[avx2]
    pub fn new(spelling: &'a Spelling) -> Self {
        let [one, two, three] = spelling.starts.map(|start| start - 1);
        let hull = |ranges: &[Range]| Some((ranges.first()?.0, ranges.last()?.1));
        let is_exact = spelling.missing.len() <= 2;
        let below = if is_exact { 1 } else { spelling.missing.partition_point(|range| range.0 < LEADS.0) };
        let (low, high) = spelling.missing.split_at(below.min(spelling.missing.len()));
        let keeps_ascii = one >= 0x7F && spelling.missing.iter().all(|range| range.0 >= 0x80);
        let has_four_digits = spelling.missing.iter().all(|range| range.0 >= 0x100 && range.1 <= 0xFFFF);
        let answer = match spelling.lacking {
            Lacking::Mark => Some(1),
            Lacking::Nothing => Some(0),
            Lacking::Escape if has_four_digits => Some(r"\uDC80".len()),
            Lacking::Escape | Lacking::Stop => None,
        };
        let answer = answer.filter(|_| is_exact && keeps_ascii);
        // Where the lanes of those stop the kernel anyway.
        let is_joinless = |range: &Range| answer.is_none() && range.0 <= LEADS.0 && LEADS.1 <= range.1;
        let lasts = [one, two, if spelling.splits { 0xFFFF } else { three }];
        let is_below = |range: &Range| range.1 <= 0xFFFF;
        Speller {
            spelling,
            lasts_16: lasts.map(|last| _mm256_set1_epi16(last.min(0xFFFF) as i16)),
            lasts_32: lasts.map(|last| _mm256_set1_epi32(last.min(0x7FFF_FFFF).cast_signed())),
            missing: [low, high].map(|ranges| Band::new(hull(ranges))),
            is_cut: answer.is_some_and(|bytes| bytes != 1),
            answer,
            joins: spelling.joins && !spelling.missing.iter().any(is_joinless),
            escapes: Band::new(spelling.escapes),
            is_shifted: spelling.is_shifted(),
            beyond_gap: Band::new((spelling.gap.1 > 0).then_some((spelling.gap.0, u32::MAX))),
            keeps_ascii,
            keeps_supplementary: lasts[2] == 0xFFFF
                && !spelling.is_shifted()
                && spelling.missing.iter().chain(&spelling.escapes).all(is_below),
        }
    }

    /// Whether ASCII code points are written as they stand; `has_nul` says whether U+0000 is among them.
    #[inline]
    pub fn keeps(&self, has_nul: impl Fn() -> bool) -> bool {
        self.keeps_ascii && (self.spelling.nul_is_one || !has_nul())
    }

    /// Whether sixteen code points are all written as supplementary ones are.
    #[inline]
    #[avx2]
    pub fn are_supplementary(&self, [low, high]: [__m256i; 2]) -> bool {
        let least = _mm256_min_epi32(low, high);
        let below = _mm256_cmpgt_epi32(_mm256_set1_epi32(0x1_0000), least);
        self.keeps_supplementary && is_none(below)
    }

    /// Sixteen code points, given also those one further on. None if they need a closer look.
    ///
    /// There is no other branch on what a lane holds: it would be mispredicted as often as not.
    #[expect(clippy::extra_unused_type_parameters, reason = "each caller has its own: see `points::Meaning`")]
    #[inline]
    #[avx2]
    pub fn units<Taker>(&self, points: __m256i, next: impl Fn() -> Option<__m256i>) -> Option<Units> {
        let missing = _mm256_or_si256(self.missing[0].units(points), self.missing[1].units(points));
        let mut apart = if ANSWERS && self.answer.is_some() { _mm256_setzero_si256() } else { missing };
        if self.joins {
            apart = _mm256_or_si256(apart, pairs_16(points, next()?));
        }
        if !is_none(apart) {
            return None;
        }
        let points = if ANSWERS && self.answer.is_some() {
            _mm256_blendv_epi8(points, _mm256_set1_epi16(b'?'.into()), missing)
        } else {
            points
        };
        let [mut one, mut up_to_two, _] = self.lasts_16.map(|last| up_to_16(points, last));
        if !IS_PLAIN {
            let escapes = self.escapes.units(points);
            (one, up_to_two) = (_mm256_or_si256(one, escapes), _mm256_or_si256(up_to_two, escapes));
            if self.spelling.nul_is_two {
                one = _mm256_andnot_si256(_mm256_cmpeq_epi16(points, _mm256_setzero_si256()), one);
            }
        }
        Some(Units { points, one, up_to_two, missing, written: 16 })
    }

    /// Eight code points, given also those one further on. None if they need a closer look.
    #[expect(clippy::extra_unused_type_parameters, reason = "each caller has its own: see `points::Meaning`")]
    #[inline]
    #[avx2]
    pub fn points<Taker>(&self, points: __m256i, next: impl Fn() -> Option<__m256i>) -> Option<Points> {
        let missing = _mm256_or_si256(self.missing[0].points(points), self.missing[1].points(points));
        let mut apart = if ANSWERS && self.answer.is_some() { _mm256_setzero_si256() } else { missing };
        if self.joins {
            apart = _mm256_or_si256(apart, pairs_32(points, next()?));
        }
        if !is_none(apart) {
            return None;
        }
        let points = if ANSWERS && self.answer.is_some() {
            _mm256_blendv_epi8(points, _mm256_set1_epi32(b'?'.into()), missing)
        } else {
            points
        };
        let [mut two, mut three, mut most] = self.lasts_32.map(|last| _mm256_cmpgt_epi32(points, last));
        if !IS_PLAIN {
            let escapes = self.escapes.points(points);
            [two, three, most] = [two, three, most].map(|lanes| _mm256_andnot_si256(escapes, lanes));
            if self.spelling.nul_is_two {
                two = _mm256_or_si256(two, _mm256_cmpeq_epi32(points, _mm256_setzero_si256()));
            }
        }
        Some(Points { points, two_or_three: _mm256_xor_si256(two, most), three, most, missing, written: 8 })
    }

    /// Whether all lanes are written: the form lacks none, or those it lacks are written as the `?` that they hold.
    #[inline]
    #[avx2]
    pub fn is_whole(&self, missing: __m256i) -> bool {
        !ANSWERS || !self.is_cut || is_none(missing)
    }

    /// Sixteen code points, as many as are written as lanes.
    #[inline]
    #[avx2]
    pub fn as_far_as_whole_16(&self, units: Units) -> Units {
        if self.is_whole(units.missing) { units } else { units.before_missing() }
    }

    /// The same for eight.
    #[inline]
    #[avx2]
    pub fn as_far_as_whole_32(&self, block: Points) -> Points {
        if self.is_whole(block.missing) { block } else { block.before_missing() }
    }

    /// The payload bits of sixteen code points.
    #[inline]
    #[avx2]
    pub fn payloads_16(&self, units: &Units) -> __m256i {
        if IS_PLAIN || !self.is_shifted {
            return units.points;
        }
        let [two, three] = [0, 1].map(|at| _mm256_set1_epi16(self.spelling.offsets[at] as i16));
        let offsets = _mm256_andnot_si256(units.one, _mm256_blendv_epi8(three, two, units.up_to_two));
        let beyond = self.beyond_gap.units(units.points);
        let gaps = _mm256_and_si256(beyond, _mm256_set1_epi16(self.spelling.gap.1 as i16));
        _mm256_sub_epi16(_mm256_sub_epi16(units.points, offsets), gaps)
    }

    /// The payload bits of eight code points.
    #[inline]
    #[avx2]
    pub fn payloads_32(&self, block: &Points) -> __m256i {
        if IS_PLAIN || !self.is_shifted {
            return block.points;
        }
        let [two, three, four] = self.spelling.offsets.map(|offset| _mm256_set1_epi32(offset.cast_signed()));
        let offsets = _mm256_blendv_epi8(_mm256_and_si256(two, block.two_or_three), three, block.three);
        let offsets = _mm256_blendv_epi8(offsets, four, block.most);
        let beyond = self.beyond_gap.points(block.points);
        let gaps = _mm256_and_si256(beyond, _mm256_set1_epi32(self.spelling.gap.1.cast_signed()));
        _mm256_sub_epi32(_mm256_sub_epi32(block.points, offsets), gaps)
    }
}
