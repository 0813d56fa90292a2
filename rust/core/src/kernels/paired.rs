//! Counting surrogate pairs: loops without a branch, which the compiler makes vectors of.

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "a function for some machines is called by level"))]

#[cfg(target_arch = "x86_64")]
use super::level::Level;
use super::text::Text;

/// The bits of a code point by which leads and trails are known.
const KIND: u32 = !0x3FF;
const LEAD: u32 = 0xD800;
const TRAIL: u32 = 0xDC00;

/// So many code points hold no more pairs than 16 bits can count.
pub(crate) const STRETCH: usize = 0x8000;

/// How many leads are directly followed by a trail.
#[must_use]
pub fn count_pairs(text: Text<'_>) -> usize {
    #[cfg(target_arch = "x86_64")]
    if Level::current() >= Level::Avx2 {
        // SAFETY: the level is at work only where the machine has AVX2.
        return unsafe { count_wide(text) };
    }
    count(text)
}

#[cfg(target_arch = "x86_64")]
#[eightfold_features::avx2]
fn count_wide(text: Text<'_>) -> usize {
    count(text)
}

#[inline(always)]
fn count(text: Text<'_>) -> usize {
    match text {
        Text::One(_) => 0,
        Text::Two(points) => {
            let is_pair = |lead: u16, trail: u16| {
                let kind = KIND as u16;
                u16::from((lead & kind == LEAD as u16) & (trail & kind == TRAIL as u16))
            };
            let count = |points: &[u16]| -> u16 { each_two(points).map(|(lead, trail)| is_pair(lead, trail)).sum() };
            stretches(points).map(|points| usize::from(count(points))).sum()
        }
        Text::Four(points) => {
            let is_pair = |lead: u32, trail: u32| u32::from((lead & KIND == LEAD) & (trail & KIND == TRAIL));
            let count = |points: &[u32]| -> u32 { each_two(points).map(|(lead, trail)| is_pair(lead, trail)).sum() };
            stretches(points).map(|points| count(points) as usize).sum()
        }
    }
}

/// Stretches that each begin with the last code point of the one before.
#[inline(always)]
fn stretches<T>(points: &[T]) -> impl Iterator<Item = &[T]> {
    (0..points.len()).step_by(STRETCH).map(|at| &points[at..points.len().min(at + STRETCH + 1)])
}

#[inline(always)]
fn each_two<T: Copy>(points: &[T]) -> impl Iterator<Item = (T, T)> {
    points.iter().copied().zip(points[1..].iter().copied())
}
