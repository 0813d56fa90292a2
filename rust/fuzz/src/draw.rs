//! Choices from an input: where it has ended, the first of all choices.

/// What is left of an input.
pub struct Draw<'a>(pub &'a [u8]);

impl<'a> Draw<'a> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or_default()
    }

    /// As many bytes, or those that there are.
    pub fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// A number below another one.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    /// One of some values.
    pub fn one<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// Whether the lowest bit is set.
    pub fn is_set(&mut self) -> bool {
        self.byte() & 1 == 1
    }
}
