//! A str that grows: code points in the narrowest kind that holds them all. Making a Python object of it is left to the
//! binding.

use crate::kernels::{self, Input, Text, Width};
use crate::memory::OutOfMemory;
use crate::read::pass::{Halt, Sink};

#[derive(Debug)]
enum Points {
    One(Vec<u8>),
    Two(Vec<u16>),
    Four(Vec<u32>),
}

/// Code points in the narrowest of the three kinds of str. The buffer widens when a code point requires it, at most
/// twice.
#[derive(Debug)]
pub struct TextBuffer {
    points: Points,
    /// The bitwise or of all code points. The limits of the kinds are powers of two, so it determines the kind as the
    /// largest would.
    seen: u32,
}

impl Default for TextBuffer {
    fn default() -> Self {
        TextBuffer { points: Points::One(Vec::new()), seen: 0 }
    }
}

impl TextBuffer {
    /// The code points so far.
    #[must_use]
    pub fn text(&self) -> Text<'_> {
        match &self.points {
            Points::One(points) => Text::One(points),
            Points::Two(points) => Text::Two(points),
            Points::Four(points) => Text::Four(points),
        }
    }

    /// The narrowest kind of str that holds them.
    #[must_use]
    pub fn width(&self) -> Width {
        Width::of(self.seen)
    }

    /// Add a code point.
    ///
    /// # Errors
    /// There is not enough memory.
    #[inline]
    pub fn push(&mut self, code_point: u32) -> Result<(), OutOfMemory> {
        self.seen |= code_point;
        match &mut self.points {
            Points::Four(points) => push(points, code_point)?,
            Points::Two(points) if code_point <= 0xFFFF => push(points, code_point as u16)?,
            Points::One(points) if code_point <= 0xFF => push(points, code_point as u8)?,
            _ => {
                self.widen(self.width())?;
                return self.push(code_point);
            }
        }
        Ok(())
    }

    fn widen(&mut self, width: Width) -> Result<(), OutOfMemory> {
        self.points = match (&self.points, width) {
            (Points::One(points), Width::Ucs2) => Points::Two(widened(points)?),
            (Points::One(points), Width::Ucs4) => Points::Four(widened(points)?),
            (Points::Two(points), Width::Ucs4) => Points::Four(widened(points)?),
            _ => return Ok(()),
        };
        Ok(())
    }
}

#[inline]
fn push<T>(points: &mut Vec<T>, point: T) -> Result<(), OutOfMemory> {
    if points.len() == points.capacity() {
        points.try_reserve(1)?;
    }
    points.push(point);
    Ok(())
}

fn widened<T: Copy, U: From<T>>(points: &Vec<T>) -> Result<Vec<U>, OutOfMemory> {
    let mut wide = Vec::new();
    wide.try_reserve(points.capacity())?;
    wide.extend(points.iter().map(|&point| U::from(point)));
    Ok(wide)
}

impl Sink for TextBuffer {
    fn reserve(&mut self, source_bytes: usize) -> Result<(), OutOfMemory> {
        match &mut self.points {
            Points::One(points) => points.try_reserve(source_bytes)?,
            Points::Two(points) => points.try_reserve(source_bytes)?,
            Points::Four(points) => points.try_reserve(source_bytes)?,
        }
        Ok(())
    }

    #[inline]
    fn put(&mut self, code_point: u32, _: usize, _: usize) -> Result<(), Halt> {
        Ok(self.push(code_point)?)
    }

    fn take(&mut self, input: &Input<'_>, start: usize, limit: usize) -> Result<usize, Halt> {
        input.each_chunk(start, limit, |extent, input, (from, to)| {
            self.seen |= if extent.width == Width::Ascii { 0 } else { extent.width.largest() };
            self.widen(self.width())?;
            self.reserve(extent.count)?;
            match &mut self.points {
                Points::One(points) => kernels::append(points, extent.count, |out| input.write_ucs1(from, to, out)),
                Points::Two(points) => kernels::append(points, extent.count, |out| input.write_ucs2(from, to, out)),
                Points::Four(points) => kernels::append(points, extent.count, |out| input.write_ucs4(from, to, out)),
            }
            Ok(())
        })
    }
}
