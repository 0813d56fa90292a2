//! Counting the faults of bytes by kind, block by block. Positions are not reported here.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::fetch_ahead;
use super::look::{Lookup, Window, bytes_of, continuations, continuing_8, is, is_at_least, pairs_among, run_end, runs};
use crate::code_point::is_continuation;
use crate::derive::fault_table::FaultTable;
use crate::derive::layout::{Pairs, RUN_LEAD};
use crate::kernels::source::Faults;

/// The length of the longest fault.
const LONGEST: usize = 6;

/// The facts of a form, in registers; the code for runs is compiled out for forms without them.
struct Counter<'a, const HAS_RUNS: bool> {
    table: &'a FaultTable,
    has_nul: bool,
    second_low: Lookup,
    second_span: Lookup,
    reach: Lookup,
    named_low: Lookup,
    named_span: Lookup,
    kinds: [Lookup; 2],
}

/// The lanes of a block in which faults begin.
struct Found {
    /// Lead bytes that begin no complete sequence.
    leads: u64,
    /// Continuation bytes that belong to no lead byte.
    strays: u64,
    /// Complete surrogate byte sequences that are not in a pair, if those are faults.
    unpaired: u64,
    /// The byte 00, if that is a fault.
    nuls: u64,
    /// Lanes in which runs begin.
    runs: u64,
    /// Whether a run may continue behind the block.
    is_open: bool,
}

/// Sequences and faults that began in the last block and reach into this one.
#[derive(Clone, Copy)]
struct Due {
    /// For each number of further bytes after it, whether the first lane may continue such a sequence: the longest
    /// first.
    tails: [u64; LONGEST - 1],
    /// Lanes in which the trails of pairs begin.
    trails: u64,
}

impl Due {
    const NOTHING: Due = Due { tails: [0; LONGEST - 1], trails: 0 };

    /// The number of bytes at the beginning that belong to them.
    fn bytes(&self, data: &[u8]) -> usize {
        if self.trails != 0 {
            return self.trails.trailing_zeros() as usize + 3;
        }
        let longest = self.tails.iter().position(|&due| due != 0).map_or(0, |step| LONGEST - 1 - step);
        data.iter().take(longest).take_while(|&&byte| is_continuation(byte)).count()
    }
}

impl<'a, const HAS_RUNS: bool> Counter<'a, HAS_RUNS> {
    #[inline]
    #[avx512]
    fn new(faults: &Faults<'a>) -> Self {
        let (layout, table) = (faults.layout, faults.table);
        Counter {
            table,
            has_nul: layout.has_nul,
            second_low: Lookup::new(&layout.second_low),
            second_span: Lookup::new(&layout.second_span),
            reach: Lookup::new(&table.reach),
            named_low: Lookup::new(&table.named_low),
            named_span: Lookup::new(&table.named_span),
            kinds: [Lookup::new(&table.kinds[0]), Lookup::new(&table.kinds[1])],
        }
    }

    /// The faults of a block; None if something begins that this kernel cannot count.
    #[inline]
    #[avx512]
    fn found(&self, window: &Window, due: &mut Due) -> Option<Found> {
        let [b0, b1] = [0, 1].map(|from| bytes_of(window, from));
        let (leads, continuing, behind) = (is_at_least(b0, 0xC0), continuations(b0), continuing_8(window));
        let nuls = if self.has_nul { 0 } else { _mm512_testn_epi8_mask(b0, b0) };
        if leads | continuing == 0 {
            *due = Due::NOTHING;
            return Some(Found { leads: 0, strays: 0, unpaired: 0, nuls, runs: 0, is_open: false });
        }
        let run_leads = if HAS_RUNS { is_at_least(b0, RUN_LEAD) } else { 0 };
        let runs = if run_leads == 0 { 0 } else { runs(run_leads.into(), (continuing | run_leads).into()) as u64 };
        let (leads, continuing) = (leads & !runs, continuing & !runs);
        let reach = self.reach.of_lead(b0);
        let reaches = |least: u8| leads & is_at_least(reach, least);
        if reaches(1) != leads {
            return None;
        }
        let continues = |place: u32| continuing >> place | behind << (64 - place);
        let second = _mm512_sub_epi8(b1, self.second_low.of_lead(b0));
        let takes = _mm512_cmple_epu8_mask(second, self.second_span.of_lead(b0));
        let two = leads & takes & continues(1);
        let (is_three, is_four) = (is_at_least(b0, 0xE0), is_at_least(b0, 0xF0));
        let three = two & is_three & continues(2);
        let whole = (two & !is_three) | (three & !is_four) | (three & is_four & continues(3));
        let (mut unpaired, mut trails) = (0, 0);
        if self.table.pairs == Pairs::Parting || self.table.unpaired.is_some() {
            let surrogates = whole & is(b0, 0xED) & is_at_least(b1, 0xA0);
            if surrogates != 0 {
                let pairs = pairs_among(window, surrogates, b1);
                if self.table.pairs == Pairs::Parting && pairs != 0 {
                    return None;
                }
                unpaired = surrogates & !(pairs | pairs << 3 | due.trails);
                trails = pairs >> 61;
            }
        }
        due.trails = trails;
        // Each sequence or fault takes the lanes behind its first that continue it, one after the other.
        let (mut taken, mut goes_on) = (0, 0);
        for (step, due) in due.tails.iter_mut().enumerate() {
            let takers = goes_on | reaches((LONGEST - step) as u8);
            goes_on = (takers << 1 | *due) & continuing;
            *due = takers >> 63;
            taken |= goes_on;
        }
        Some(Found {
            leads: leads & !whole,
            strays: continuing & !taken,
            unpaired,
            nuls,
            runs: run_leads & !(runs << 1),
            is_open: runs >> 63 == 1,
        })
    }

    #[inline]
    #[avx512]
    fn count(&self, window: &Window, found: &Found, counts: &mut [u64]) {
        counts[self.table.stray.index()] += u64::from(found.strays.count_ones());
        if let Some(nul) = self.table.nul {
            counts[nul.index()] += u64::from(found.nuls.count_ones());
        }
        if let Some(run) = self.table.run.filter(|_| HAS_RUNS) {
            counts[run.index()] += u64::from(found.runs.count_ones());
        }
        if let Some(unpaired) = self.table.unpaired {
            counts[unpaired.index()] += u64::from(found.unpaired.count_ones());
        }
        if found.leads == 0 {
            return;
        }
        let [b0, b1] = [0, 1].map(|from| bytes_of(window, from));
        let second = _mm512_sub_epi8(b1, self.named_low.of_lead(b0));
        let is_named = _mm512_cmple_epu8_mask(second, self.named_span.of_lead(b0));
        let kinds = _mm512_mask_mov_epi8(self.kinds[1].of_lead(b0), is_named, self.kinds[0].of_lead(b0));
        for &kind in &self.table.among {
            counts[usize::from(kind)] += u64::from((found.leads & is(kinds, kind)).count_ones());
        }
    }
}

/// Count from an offset in whole blocks before a limit, or to something that this kernel cannot count. A sequence
/// begins at the offset returned.
#[avx512]
pub fn tally(faults: &Faults<'_>, start: usize, limit: usize, counts: &mut [u64]) -> usize {
    if faults.table.run.is_some() {
        tally_with::<true>(faults, start, limit, counts)
    } else {
        tally_with::<false>(faults, start, limit, counts)
    }
}

/// As [`tally`], where it is known whether there are runs.
#[inline]
#[avx512]
fn tally_with<const HAS_RUNS: bool>(faults: &Faults<'_>, start: usize, limit: usize, counts: &mut [u64]) -> usize {
    let counter = Counter::<HAS_RUNS>::new(faults);
    let (mut at, mut due) = (start, Due::NOTHING);
    while let Some(window) = faults.data[..limit].get(at..).and_then(<[u8]>::first_chunk) {
        fetch_ahead(window, 0);
        let mut next = due;
        let Some(found) = counter.found(window, &mut next) else { break };
        let mut end = at + 64;
        if found.is_open {
            end = run_end(&faults.data[..limit], end);
            // More input could make the run longer.
            if end == limit {
                break;
            }
        }
        counter.count(window, &found, counts);
        (at, due) = (end, next);
    }
    at + due.bytes(&faults.data[at..])
}
