//! Text written in one pass, for the tests and the targets of random input.

use std::mem::MaybeUninit;

use eightfold_core::kernels::Unit;
use eightfold_core::{Attempt, OnePass, Output, Sink, Width};

/// What is written into the room that it asks for, as the kind of str that it asks for, and how that ended.
pub fn written(once: &OnePass<'_>) -> (Attempt, Vec<u32>) {
    match once.width {
        Width::Ascii | Width::Latin1 => written_as::<u8>(once, once.room, 0),
        Width::Ucs2 => written_as::<u16>(once, once.room, 0),
        Width::Ucs4 => written_as::<u32>(once, once.room, 0),
    }
}

/// What is written from an offset on into so much room, and how that ended.
pub fn written_as<T: Unit>(once: &OnePass<'_>, room: usize, start: usize) -> (Attempt, Vec<u32>)
where
    for<'o> Output<'o, T>: Sink,
{
    let mut memory = vec![MaybeUninit::<T>::uninit(); room];
    let (attempt, values) = Output::written(&mut memory, |out| once.write(start, out, |_| true));
    (attempt, values.iter().map(|&value| value.into()).collect())
}
