//! Rules for two bytes side by side, eight at most, looked up for all bytes at once.
//!
//! A rule is told by three half bytes: both of the first byte, and the upper one of the second. It is a set of each, and a
//! bit of three tables: it applies where all three have the bit (Keiser and Lemire, "Validating UTF-8 in less than one
//! instruction per byte").

use std::arch::x86_64::*;

use super::load_16;
use crate::layout::Table;

/// Half bytes by their bits.
pub type Halves = u16;
pub const ANY: Halves = 0xFFFF;
pub const CONTINUATION: Halves = 0x0F00;

/// The upper and the lower halves of the first byte, and the upper ones of the second.
pub type Rule = [Halves; 3];

/// Rules as vectors.
pub struct Rules([__m256i; 3]);

impl Rules {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub fn new(tables: &[[u8; 16]; 3]) -> Self {
        Rules(tables.map(|table| _mm256_broadcastsi128_si256(load_16(&table))))
    }

    /// Those that apply to a lead byte and a continuation byte of which it takes not all that begin with the same half
    /// byte: they apply to others too where there are more than eight.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub fn of_seconds(low: &Table, span: &Table) -> Self {
        let mut rules: [Rule; 8] = [[0; 3]; 8];
        let mut count = 0;
        for lead in 0xC0..=0xFF {
            let refused = refused(low.of(lead), span.of(lead));
            if refused == 0 {
                continue;
            }
            let (upper, lower) = (1 << (lead >> 4), 1 << (lead & 0xF));
            let same = rules[..count].iter().position(|rule| (rule[0], rule[2]) == (upper, refused));
            let place = same.unwrap_or(count.min(7));
            count = count.max(place + 1);
            let rule = &mut rules[place];
            *rule = [rule[0] | upper, rule[1] | lower, rule[2] | refused];
        }
        Rules::new(&tables(&rules))
    }

    /// The rules that apply to bytes and those behind them, in each lane.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub fn among(&self, firsts: __m256i, seconds: __m256i) -> __m256i {
        let half = _mm256_set1_epi8(0x0F);
        let upper = |bytes| _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half);
        let [of_upper, of_lower, of_second] = self.0;
        let of_upper = _mm256_shuffle_epi8(of_upper, upper(firsts));
        let of_lower = _mm256_shuffle_epi8(of_lower, _mm256_and_si256(firsts, half));
        let of_second = _mm256_shuffle_epi8(of_second, upper(seconds));
        _mm256_and_si256(_mm256_and_si256(of_upper, of_lower), of_second)
    }
}

/// The upper halves of continuation bytes of which some are not in a range.
fn refused(low: u8, span: u8) -> Halves {
    let takes_all = |upper: u8| (16 * upper).checked_sub(low).is_some_and(|index| index <= span && 15 <= span - index);
    (0x8..=0xB).filter(|&upper| !takes_all(upper)).fold(0, |halves, upper| halves | 1 << upper)
}

/// For each half byte the rules that have it, at each of the three places.
pub const fn tables(rules: &[Rule; 8]) -> [[u8; 16]; 3] {
    let mut tables = [[0; 16]; 3];
    let mut at = 0;
    while at < 3 * 8 * 16 {
        let (place, rule, half) = (at / 128, at / 16 % 8, at % 16);
        tables[place][half] |= ((rules[rule][place] >> half & 1) as u8) << rule;
        at += 1;
    }
    tables
}
