//! The first code points of an input, or only their number.

use std::mem::MaybeUninit;

use crate::code_point::LARGEST_IN_STR;
use crate::form::Form;
use crate::kernels::Input;
use crate::memory::OutOfMemory;
use crate::policy::OnFault;
use crate::read::pass::{Halt, Pass, Sink};

/// A sink that counts code points.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// How many there were.
    pub code_points: usize,
}

impl Sink for Count {
    fn reserve(&mut self, _: usize) -> Result<(), OutOfMemory> {
        Ok(())
    }

    fn put(&mut self, _: u32, _: usize, _: usize) -> Result<(), Halt> {
        self.code_points += 1;
        Ok(())
    }

    fn take(&mut self, input: &Input<'_>, start: usize, limit: usize) -> Result<usize, Halt> {
        let extent = input.measure(start, limit);
        self.code_points += extent.count;
        Ok(extent.end)
    }
}

impl Form {
    /// Append some of the code points from an offset on, at most so many and up to a fault, and return the offset where
    /// they end: none are appended where a fault begins there.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn append_points(
        &self,
        (data, start): (&[u8], usize),
        most: usize,
        points: &mut Vec<u32>,
    ) -> Result<usize, OutOfMemory> {
        // Each code point takes a unit at least, so these give no more than have room; or one is longer than that.
        let near = most.saturating_mul(self.tables.unit_bytes).saturating_add(start);
        let (before, behind) = self.stops_around(data, start, near);
        let end = if before > start { before } else { behind };
        if self.append_short(&data[start..end], points)? {
            return Ok(end);
        }
        let pass = Pass { form: self, data: &data[..end], is_final: true, largest: u32::MAX, on_fault: OnFault::Stop };
        match pass.run(start, points) {
            Halt::End(end) | Halt::Fault { start: end, .. } => Ok(end),
            Halt::OutOfMemory => Err(OutOfMemory),
            Halt::Unwritten(_) => unreachable!("a vector takes every code point"),
        }
    }

    /// Append the code points of bytes that are few and well-formed, and return whether they are.
    #[inline(never)]
    fn append_short(&self, data: &[u8], points: &mut Vec<u32>) -> Result<bool, OutOfMemory> {
        let pass = Pass { form: self, data, is_final: true, largest: LARGEST_IN_STR, on_fault: OnFault::Stop };
        let mut memory = [const { MaybeUninit::uninit() }; _];
        let Some((short, _)) = pass.read_short(&mut memory) else { return Ok(false) };
        points.try_reserve(short.len())?;
        points.extend_from_slice(short);
        Ok(true)
    }
}
