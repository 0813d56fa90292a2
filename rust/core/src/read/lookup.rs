//! The verdicts and the fault table that a form caches, made on first use from the answers of the diagnosis.

use crate::derive::fault_table::{self, FaultTable};
use crate::derive::verdict::{Verdict, Verdicts};
use crate::form::Form;
use crate::once::once;
use crate::read::sequence::Step;
use crate::tables::Kind;

impl Form {
    /// The verdicts of this form.
    #[inline]
    pub(crate) fn verdicts(&self) -> &Verdicts {
        once(&self.verdicts, || Verdicts::new(&self.tables, |prefix| self.decided(prefix)))
    }

    /// The verdict on what begins at an offset.
    #[must_use]
    pub fn verdict_at(&self, data: &[u8], start: usize) -> Verdict {
        self.verdicts().at(&self.tables, data, start)
    }

    /// The table by which the kernels count faults, if they can.
    pub(crate) fn fault_table(&self) -> Option<&FaultTable> {
        let made = || FaultTable::new(&self.tables, self.layout.as_ref()?, |bytes| self.verdict_at(bytes, 0));
        once(&self.fault_table, made).as_ref()
    }

    /// The kinds of faults of wide units: unpaired surrogates, and values beyond Unicode.
    pub(crate) fn wide_kinds(&self) -> Option<[Kind; 2]> {
        fault_table::wide_kinds(&self.tables, |bytes| self.verdict_at(bytes, 0))
    }

    /// The verdict that some units settle, whatever follows them.
    fn decided(&self, prefix: &[u8]) -> Option<Verdict> {
        let units = |end: usize| u8::try_from(end / self.tables.unit_bytes).expect("a prefix is short");
        match self.sequence_at(prefix, 0, false) {
            Step::Wait => None,
            Step::Value { end, .. } => Some(Verdict::Sequence(units(end))),
            Step::Unit { .. } => {
                self.fault_at(prefix, 0, false).map(|fault| Verdict::Fault(fault.kind, units(fault.end)))
            }
        }
    }
}
