//! Conversion of clean text between forms that agree with UTF-8, UTF-16 and UTF-32, by kernels that know these three.
//! Text with anything else is left to the writer.

use crate::form::Form;
use crate::kernels::{ShortUnits, Transcoding, Unicode};

impl Form {
    /// Bytes of another form, all of them measured to be written in this one. None if there are no kernels for both
    /// forms, or if the bytes are ill-formed or hold what the forms do not share with UTF-8, UTF-16 or UTF-32.
    #[must_use]
    pub fn transcoding<'a>(&self, source: &Form, data: &'a [u8], short: &'a mut ShortUnits) -> Option<Transcoding<'a>> {
        let target = self.unicode().filter(|_| self.wide.is_some() || self.agreement.is_total())?;
        let is_shared = |_: &Unicode| source.wide.is_some() || source.agreement.before_parting(data) == data.len();
        Transcoding::new(data, source.unicode().filter(is_shared)?, target, short)
    }

    /// What well-formed text is read as alike, except where the form parts from UTF-8.
    fn unicode(&self) -> Option<Unicode> {
        match self.wide {
            Some(wide) if wide.unit_bytes == 2 => Some(Unicode::Utf16 { big_endian: wide.big_endian }),
            Some(wide) => (wide.big_endian == cfg!(target_endian = "big")).then_some(Unicode::Utf32),
            None => self.agreement.is_worthwhile().then_some(Unicode::Utf8),
        }
    }
}
