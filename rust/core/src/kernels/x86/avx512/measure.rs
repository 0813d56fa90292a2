//! Bytes of any form that has a layout, measured: how many code points there are, and the widest. [`Reader`] finds
//! where sequences begin, which is noted for blocks that are not clean.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use eightfold_features::avx512;

use super::clean::surrogates;
use super::look::{Block, MOST_CLOSELY, Reader, Recent, WINDOW, continuations, is, is_at_least, run_end, window};
use super::twos::{self, Twos};
use super::{ascii_bytes, bytes_64, fetch_ahead, low_64, pairs, store_64};
use crate::derive::layout::{Layout, PAIR, Pairs, RUN_LEAD};
use crate::kernels::measured::Width;
use crate::kernels::source::{Extent, Note, Notes, Source};
use crate::policy::{Answer, BACKSLASHED_BYTE};

/// The counts so far.
#[derive(Clone, Copy)]
struct Counted<'a> {
    layout: &'a Layout,
    count: usize,
    /// The largest lead byte seen in each lane.
    largest: __m512i,
    /// The least width known, where lead bytes alone do not determine it.
    fine: Width,
    pairs: u64,
    ills: u64,
}

impl Counted<'_> {
    /// Count what begins in some lanes; `two` has the lanes that begin sequences of at least two bytes.
    #[inline]
    #[avx512]
    fn add(&mut self, bytes: [__m512i; 3], begins: u64, two: u64) {
        self.count += begins.count_ones() as usize;
        self.largest = _mm512_max_epu8(self.largest, _mm512_maskz_mov_epi8(begins & two, bytes[0]));
        if !self.layout.lead_decides {
            let [b0, b1, b2] = bytes;
            self.fine = self.fine.max(width(self.layout, b0, || [b1, b2], begins & two, self.fine));
        }
    }

    /// Count what begins in the first lanes of a clean block; it must be complete there.
    #[inline]
    #[avx512]
    fn add_clean(&mut self, data: &[u8], block: &Clean, lanes: u64) {
        self.count += (block.begins & lanes).count_ones() as usize;
        // Every continuation byte is smaller than every lead byte.
        self.largest = _mm512_mask_max_epu8(self.largest, lanes, self.largest, block.bytes);
        self.pairs |= block.joined & lanes;
        if !self.layout.lead_decides {
            let others = || [1, 2].map(|from| bytes_64(data, block.at + from));
            self.fine = self.fine.max(width(self.layout, block.bytes, others, block.begins & lanes, self.fine));
        }
    }

    /// Count joined surrogate pairs, by their bytes.
    #[inline]
    fn add_pairs(&mut self, bytes: usize) {
        (self.count, self.pairs) = (self.count + bytes / PAIR.len(), !0);
    }

    /// The width of everything counted; `answer` is the answer that was given to ill-formed units.
    #[inline]
    #[avx512]
    fn width(&self, answer: Answer) -> Width {
        let mut copy = [0; 72];
        store_64(self.largest, &mut copy);
        let largest = copy[..64].iter().copied().max().unwrap_or(0);
        let by_lead = self.layout.borders.iter().filter(|&&[lead, ..]| self.layout.lead_decides && largest >= lead);
        let of_ill = if self.ills == 0 || answer.is_ascii() { Width::Ascii } else { Width::Ucs2 };
        let of_pairs = if self.pairs == 0 { Width::Ascii } else { Width::Ucs4 };
        Width::of_class(by_lead.count()).max(self.fine).max(of_ill).max(of_pairs)
    }
}

/// Measure from an offset to a limit, or to where the kernel stops.
#[avx512]
pub fn measure(source: &Source<'_>, start: usize, limit: usize) -> Extent {
    measure_noting(source, start, limit, &mut Notes::none())
}

/// As [`measure`], with notes of the blocks that are not known to be clean.
#[avx512]
pub fn measure_noting(source: &Source<'_>, start: usize, limit: usize, notes: &mut Notes) -> Extent {
    Reader::new(source).measure(source, (start, limit), notes)
}

/// After this many blocks without surrogates, more such blocks are likely, and the kernel without surrogates takes
/// over.
const QUIET_BLOCKS: usize = 32;

/// Where fewer bytes were nothing but ASCII and sequences of two, it is not worthwhile to look for such text again.
const WORTHWHILE: usize = 1024;

/// A block that is well-formed, at least up to the beginning of its last sequence.
struct Clean {
    at: usize,
    bytes: __m512i,
    begins: u64,
    /// Lanes in which the trails of joined surrogate pairs begin.
    joined: u64,
}

impl Clean {
    /// An empty block, in which nothing begins.
    #[inline]
    #[avx512]
    fn none() -> Self {
        Clean { at: 0, bytes: _mm512_setzero_si512(), begins: 0, joined: 0 }
    }

    /// The number of bytes at the end that belong to the last sequence, which may continue behind them.
    #[inline]
    fn open(&self) -> usize {
        if self.begins == 0 { 0 } else { self.begins.leading_zeros() as usize + 1 }
    }
}

impl Reader<'_> {
    /// Measure and note.
    #[avx512]
    pub fn measure(&self, source: &Source<'_>, stretch: (usize, usize), notes: &mut Notes) -> Extent {
        if self.layout.has_nul {
            self.measure_with::<true>(source, stretch, notes)
        } else {
            self.measure_with::<false>(source, stretch, notes)
        }
    }

    /// As [`Reader::measure`], where it is known whether the layout has NUL.
    #[inline]
    #[avx512]
    fn measure_with<const HAS_NUL: bool>(
        &self,
        source: &Source<'_>,
        (start, limit): (usize, usize),
        notes: &mut Notes,
    ) -> Extent {
        notes.begin(start);
        let mut counted = Counted {
            layout: source.layout,
            count: 0,
            largest: _mm512_setzero_si512(),
            fine: Width::Ascii,
            pairs: 0,
            ills: 0,
        };
        let tells_surrogates = source.layout.pairs != Pairs::Apart;
        let (mut at, mut recent, mut asks) = (start, Recent::default(), true);
        while at < limit {
            let begun = at;
            loop {
                let are_twos;
                (at, are_twos) = self.count_clean::<HAS_NUL, false>(source.data, (at, limit), asks, &mut counted);
                if !are_twos {
                    break;
                }
                let first = at;
                (at, counted) = self.count_twos::<HAS_NUL>(source.data, (at, limit), counted);
                asks = at - first >= WORTHWHILE;
            }
            if tells_surrogates {
                (at, _) = self.count_clean::<HAS_NUL, true>(source.data, (at, limit), false, &mut counted);
            }
            recent.add_clean((at - begun) / 64);
            let (end, goes_on) = self.count_dirty(source.data, (at, limit), &mut recent, (&mut counted, notes));
            at = end;
            if !goes_on {
                break;
            }
        }
        notes.finish(at);
        Extent { end: at, count: counted.count, width: counted.width(self.answer), is_clean: counted.ills == 0 }
    }

    /// Count whole blocks as long as they are well-formed and conform to the layout; return the offset of a sequence
    /// from which another function must read on, and whether that is [`Reader::count_twos`].
    ///
    /// A sequence is counted in the block where it begins but known to be complete only in the next. So each block is
    /// counted after the next has been seen, and the last block only up to its last sequence.
    ///
    /// Without `asks`, it is never that one. If surrogates mean something but `TELLS_SURROGATES` is false, a surrogate
    /// ends the count; if it is true, a stretch without surrogates does.
    #[inline]
    #[avx512]
    fn count_clean<const HAS_NUL: bool, const TELLS_SURROGATES: bool>(
        &self,
        data: &[u8],
        (start, limit): (usize, usize),
        asks: bool,
        counted: &mut Counted<'_>,
    ) -> (usize, bool) {
        let (mut at, mut are_twos) = (start, false);
        // The first lanes of a block that must be continuation bytes, and those in which a trail must or may begin.
        let (mut due, mut trails_due) = (0, 0);
        let (mut last, mut guess) = (Clean::none(), pairs::Guess::default());
        let second_count = if TELLS_SURROGATES { self.second_count } else { self.second_count_apart };
        let mut quiet = 0;
        let (joins, unpaired_part) = (self.layout.pairs == Pairs::Joined, self.layout.unpaired_part);
        while let Some(window) = data[..limit].get(at..).and_then(<[u8]>::first_chunk::<65>) {
            let b0 = bytes_64(window, 0);
            fetch_ahead(window, 0);
            let high = _mm512_movepi8_mask(b0);
            let nul = if HAS_NUL { 0 } else { _mm512_testn_epi8_mask(b0, b0) };
            if high | due | trails_due | nul == 0 {
                counted.add_clean(data, &last, !0);
                last = Clean::none();
                let count = ascii_bytes(&data[at..limit], HAS_NUL);
                (at, counted.count) = (at + count, counted.count + count);
                continue;
            }
            let b1 = bytes_64(&window[1..], 0);
            let continuing = continuations(b0);
            let (two, three, four) = (high & !continuing, is_at_least(b0, 0xE0), is_at_least(b0, 0xF0));
            let expected = due | two << 1 | three << 2 | four << 3;
            let second = _mm512_sub_epi8(b1, self.second_low.of_lead(b0));
            let fails = _mm512_mask_cmpge_epu8_mask(two, second, second_count.of_lead(b0));
            let mut wrong = expected ^ continuing | fails | nul;
            let mut joined = 0;
            if TELLS_SURROGATES {
                let surrogates = surrogates(b0, b1);
                quiet = if surrogates.leads | surrogates.trails == 0 { quiet + 1 } else { 0 };
                if joins && surrogates.leads != 0 && guess.is_run(surrogates.leads) {
                    let border = at - last.open();
                    let length = pairs::length(&data[border..limit]);
                    if length > 0 {
                        counted.add_clean(data, &last, low_64(64 - last.open()));
                        counted.add_pairs(length);
                        last = Clean::none();
                        (at, due, trails_due) = (border + length, 0, 0);
                        continue;
                    }
                }
                let after_leads = surrogates.leads << 3 | trails_due;
                let pairs = surrogates.trails & after_leads;
                joined = if joins { pairs } else { 0 };
                wrong |=
                    if joins { 0 } else { pairs } | if unpaired_part { surrogates.trails ^ after_leads } else { 0 };
                trails_due = surrogates.leads >> 61;
            }
            if wrong != 0 || TELLS_SURROGATES && quiet == QUIET_BLOCKS {
                break;
            }
            counted.add_clean(data, &last, !0);
            last = Clean { at, bytes: b0, begins: !(continuing | joined), joined };
            due = two >> 63 | three >> 62 | four >> 61;
            at += 64;
            if three == 0 && asks && twos::is_asked(last.at) {
                are_twos = true;
                break;
            }
        }
        counted.add_clean(data, &last, low_64(64 - last.open()));
        (at - last.open(), are_twos)
    }

    /// Count whole blocks as long as they hold nothing but ASCII and sequences of two bytes; as
    /// [`Reader::count_clean`].
    ///
    /// It is a separate function, and the counts are given and returned, so that they can stay in its caller's
    /// registers.
    #[inline(never)]
    #[avx512]
    fn count_twos<'c, const HAS_NUL: bool>(
        &self,
        data: &[u8],
        (mut at, limit): (usize, usize),
        mut counted: Counted<'c>,
    ) -> (usize, Counted<'c>) {
        let (mut twos, mut last) = (Twos { from: self.layout.twos_from, open: 0 }, Clean::none());
        while let Some(block) = data[..limit].get(at..).and_then(<[u8]>::first_chunk::<64>) {
            fetch_ahead(block, 0);
            let bytes = bytes_64(block, 0);
            if !HAS_NUL && _mm512_testn_epi8_mask(bytes, bytes) != 0 {
                break;
            }
            let Some(begins) = twos.begins(bytes) else { break };
            counted.add_clean(data, &last, !0);
            last = Clean { at, bytes, begins, joined: 0 };
            at += 64;
        }
        counted.add_clean(data, &last, low_64(64 - last.open()));
        (at - last.open(), counted)
    }

    /// Count blocks of any text until they are clean; return the offset reached, and whether reading continues there.
    #[inline(never)]
    #[avx512]
    fn count_dirty(
        &self,
        data: &[u8],
        (start, limit): (usize, usize),
        recent: &mut Recent,
        (counted, notes): (&mut Counted<'_>, &mut Notes),
    ) -> (usize, bool) {
        let (mut at, mut carry, mut copy) = (start, 0, [0; 72]);
        while at < limit {
            if self.is_plain {
                (at, carry) = self.count_plain(data, (at, limit), carry, recent, (counted, notes));
                if at > start && !recent.is_dirty() {
                    break;
                }
            }
            fetch_ahead(data, at);
            let mut block = self.any_block(window(data, at, &mut copy), limit - at, carry);
            let mut has_run = false;
            if !block.goes_on
                && self.answers_runs
                && let Some(end) = self.run_end(data, (at, limit), block.length)
            {
                let lane = 1 << block.length;
                (block.begins, block.ill, block.length) = (block.begins | lane, block.ill | lane, end - at);
                has_run = true;
            }
            self.count(&block, (at, carry), (counted, notes));
            counted.pairs |= if self.layout.pairs == Pairs::Joined { block.odd } else { 0 };
            // Not `at + block.length`, which is equal: the next loads must not wait for the masks of this block.
            (at, carry) = match block.goes_on {
                true => (at + 64, block.carry),
                false => (at + block.length, 0),
            };
            if !block.goes_on && !has_run {
                return (at, false);
            }
            recent.add(block.ill);
            if !recent.is_dirty() {
                break;
            }
        }
        (at + carry.count_ones() as usize, true)
    }

    /// The end of the run that begins behind the first `length` bytes of a block; None if there is none, or its end is
    /// not seen or too far.
    #[inline(never)]
    #[avx512]
    fn run_end(&self, data: &[u8], (at, limit): (usize, usize), length: usize) -> Option<usize> {
        let seen = &data[..data.len().min(at + Note::MOST_BYTES)];
        let start = at + length;
        // Where bytes are answered one by one, a run is not a unit.
        if start >= limit || data[start] < RUN_LEAD || self.is_by_byte {
            return None;
        }
        Some(run_end(seen, start)).filter(|&end| end < seen.len())
    }

    /// As [`Reader::count_dirty`], as long as blocks are plain; return the offset reached and the carry, the lanes in
    /// which nothing begins.
    #[inline]
    #[avx512]
    fn count_plain(
        &self,
        data: &[u8],
        stretch: (usize, usize),
        carry: u64,
        recent: &mut Recent,
        found: (&mut Counted<'_>, &mut Notes),
    ) -> (usize, u64) {
        if self.is_by_byte {
            self.count_plain_with::<true>(data, stretch, carry, recent, found)
        } else {
            self.count_plain_with::<false>(data, stretch, carry, recent, found)
        }
    }

    /// As [`Reader::count_plain`], where it is known whether bytes are answered one by one.
    ///
    /// It is a separate function to keep its values in registers, and notes some blocks at once for the same reason.
    #[inline(never)]
    #[avx512]
    fn count_plain_with<const BY_BYTE: bool>(
        &self,
        data: &[u8],
        (start, limit): (usize, usize),
        mut carry: u64,
        recent: &mut Recent,
        (counted, notes): (&mut Counted<'_>, &mut Notes),
    ) -> (usize, u64) {
        let drops = !BY_BYTE && self.answer == Answer::Drop;
        let (mut at, mut own) = (start, *counted);
        // The last block of the stretch is not read here.
        let mut left = &data[start..data.len().min(limit.saturating_add(WINDOW - 65))];
        let mut unused = [const { MaybeUninit::uninit() }; MOST_CLOSELY];
        loop {
            let most = recent.closely();
            let border = at + carry.count_ones() as usize;
            let (mut filled, mut dirty) = (0, 0);
            let room = notes.room(most, border);
            let is_noted = room.is_some();
            for note in room.unwrap_or(&mut unused[..most]) {
                let Some(window) = left.first_chunk() else { break };
                fetch_ahead(window, 0);
                let Some(block) = self.plain_block::<BY_BYTE>(window, carry) else { break };
                let begins = if drops { block.begins & !block.ill } else { block.begins };
                let [b0, b1, b2, _] = block.bytes;
                own.add([b0, b1, b2], begins, block.two & !block.ill);
                own.ills |= block.ill;
                dirty += usize::from(block.ill != 0);
                note.write(Note::new([begins, block.ill, 0], at, 64 + block.carry.count_ones() as usize));
                (at, carry, left, filled) = (at + 64, block.carry, &left[64..], filled + 1);
            }
            if is_noted {
                // SAFETY: each block that was read has written one, in order.
                unsafe { notes.add_written(filled) };
            }
            recent.add_all(dirty, filled);
            if filled < most || !recent.is_dirty() {
                break;
            }
        }
        *counted = own;
        (at, carry)
    }

    /// Count and note what begins in a block.
    #[inline]
    #[avx512]
    fn count(&self, block: &Block, (at, carry): (usize, u64), (counted, notes): (&mut Counted<'_>, &mut Notes)) {
        let begins = if self.answer == Answer::Drop { block.begins & !block.ill } else { block.begins };
        let [b0, b1, b2, _] = block.bytes;
        counted.add([b0, b1, b2], begins, block.two & !block.ill);
        counted.ills |= block.ill;
        if self.answer == Answer::Backslash {
            counted.count += (BACKSLASHED_BYTE - 1) * block.ill.count_ones() as usize;
        }
        let length = if block.goes_on { 64 + block.carry.count_ones() as usize } else { block.length };
        notes.add(Note::new([begins, block.ill, block.odd], at, length), at + carry.count_ones() as usize);
    }
}

/// The width of complete sequences, where their lead bytes alone do not determine it; not less than the width already
/// known. The second and third bytes are asked for only where they do.
#[inline]
#[avx512]
fn width(layout: &Layout, b0: __m512i, others: impl Fn() -> [__m512i; 2], whole: u64, known: Width) -> Width {
    match layout.borders.get(known as usize) {
        Some(&[lead, ..]) if whole & is_at_least(b0, lead) != 0 => {
            let [b1, b2] = others();
            wider(layout, [b0, b1, b2], whole, known)
        }
        _ => known,
    }
}

/// As [`width`], where a lead byte may be that of wider text.
#[inline(never)]
#[avx512]
fn wider(layout: &Layout, [b0, b1, b2]: [__m512i; 3], whole: u64, known: Width) -> Width {
    let unknown = layout.borders.iter().skip(known as usize);
    let reached = unknown.take_while(|&&[lead, second, third]| {
        let leads = whole & is_at_least(b0, lead);
        let seconds = || is_at_least(b1, second) & (!is(b1, second) | is_at_least(b2, third));
        leads != 0 && leads & (!is(b0, lead) | seconds()) != 0
    });
    Width::of_class(known as usize + reached.count())
}
