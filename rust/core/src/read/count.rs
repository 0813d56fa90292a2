//! The first code points of an input, or only their number.

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
    /// At most so many of the code points from an offset on, up to a fault, and the offset where they end.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn first_points(&self, data: &[u8], start: usize, most: usize) -> Result<(Vec<u32>, usize), OutOfMemory> {
        let (mut points, mut at) = (Vec::new(), start);
        while points.len() < most && at < data.len() {
            // Each code point takes a unit at least, so these give no more than have room; or one is longer than that.
            let near = (most - points.len()).saturating_mul(self.tables.unit_bytes).saturating_add(at);
            let (before, behind) = self.stops_around(data, at, near);
            let data = &data[..if before > at { before } else { behind }];
            let pass = Pass { form: self, data, is_final: true, largest: u32::MAX, on_fault: OnFault::Stop };
            match pass.run(at, &mut points) {
                Halt::End(end) => at = end,
                Halt::Fault { start, .. } => return Ok((points, start)),
                Halt::OutOfMemory => return Err(OutOfMemory),
                Halt::Unwritten(_) => unreachable!("a vector takes every code point"),
            }
        }
        Ok((points, at))
    }
}
