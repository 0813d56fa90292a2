//! Masks over a block of 64 bytes, one bit for each lane: the algebra that all instruction sets share.
//!
//! An instruction set finds which bytes are of a kind; what follows from that is `u64` algebra. Every function is
//! inlined into its caller, which compiles it with its own instructions.

use std::iter;

use crate::policy::Answer;

/// The first `count` lanes.
#[inline(always)]
pub fn low_64(count: usize) -> u64 {
    if count >= 64 { !0 } else { (1 << count) - 1 }
}

/// The lanes in which sequences begin.
#[derive(Clone, Copy)]
pub struct Begun {
    /// The lead and its second byte belong together.
    pub two: u64,
    /// The same with the third byte, if the lead is that of three bytes or more.
    pub three: u64,
    /// The same with the fourth byte, if the lead is that of four bytes.
    pub four: u64,
    /// All bytes are there.
    pub whole: u64,
}

impl Begun {
    /// Args: the lanes in which a second byte follows its lead, leads of three bytes or more and of four, and the lanes
    /// whose third and fourth bytes are continuation bytes.
    #[inline(always)]
    pub fn new(two: u64, [is_three, is_four]: [u64; 2], [third, fourth]: [u64; 2]) -> Self {
        let three = two & is_three & third;
        let four = three & is_four & fourth;
        Begun { two, three, four, whole: two & !is_three | three & !is_four | four }
    }

    /// The lanes that these sequences take after their first byte. If bytes are answered one by one, the bytes of an
    /// incomplete sequence are on their own.
    #[inline(always)]
    pub fn taken(&self, one_by_one: bool, is_three: u64, carry: u64) -> Taken {
        let Begun { two, three, four, whole } = *self;
        let [second, third] = if one_by_one { [whole, whole & is_three] } else { [two, three] };
        Taken { here: carry | second << 1 | third << 2 | four << 3, next: second >> 63 | third >> 62 | four >> 61 }
    }
}

/// The lanes in which nothing begins, since they belong to what began before.
#[derive(Clone, Copy)]
pub struct Taken {
    /// Those of this block.
    pub here: u64,
    /// Those of the next block.
    pub next: u64,
}

impl Taken {
    /// Add the lanes that are so many behind some lanes.
    #[inline(always)]
    pub fn add<const COUNT: usize>(&mut self, lanes: u64, behind: [u32; COUNT]) {
        for by in behind {
            self.here |= lanes << by;
            self.next |= lanes >> (64 - by);
        }
    }

    /// What is read of a block, of which `left` bytes are to be read, if reading stops at the first lane of `stops`.
    #[inline(always)]
    pub fn read(&self, stops: u64, left: usize) -> Read {
        if left > 64 && stops & !self.here == 0 {
            return Read { begins: !self.here, length: 64, goes_on: true };
        }
        let begins = !self.here & low_64(left);
        let stop = (stops & begins).trailing_zeros() as usize;
        // Behind the limit, lanes in which nothing begins belong to what was read.
        let behind = (u128::from(self.next) << 64 | u128::from(self.here)) >> left.min(64);
        let length = if stop < 64 { stop } else { left + behind.trailing_ones() as usize };
        Read { begins: begins & low_64(stop), length, goes_on: false }
    }
}

/// The part of a block that is read.
#[derive(Clone, Copy)]
pub struct Read {
    /// Lanes in which something begins that is read.
    pub begins: u64,
    /// How many bytes these are; a sequence may continue behind the block.
    pub length: usize,
    /// Whether the whole block is read, and reading continues in the next.
    pub goes_on: bool,
}

/// Lanes in their order, in parts: those before each lane of `apart`, with that lane, and those behind the last one.
#[inline(always)]
pub fn parts(lanes: u64, apart: u64) -> impl Iterator<Item = (u64, Option<usize>)> {
    let (mut lanes, mut apart, mut is_over) = (lanes, apart, false);
    iter::from_fn(move || {
        if is_over {
            return None;
        }
        let lane = apart.trailing_zeros() as usize;
        let part = (lanes & low_64(lane), (lane < 64).then_some(lane));
        (lanes, apart, is_over) = (lanes & !low_64(lane + 1), apart & apart.wrapping_sub(1), lane == 64);
        Some(part)
    })
}

/// The lanes at which reading stops because of ill-formed bytes; `high` has the lanes of bytes that are not ASCII.
#[inline(always)]
pub fn stops_at(answer: Answer, ill: u64, high: u64) -> u64 {
    match answer {
        Answer::Stop => ill,
        Answer::Escape(_) => ill & !high,
        _ => 0,
    }
}

/// What the algebra says of a block is compared, lane by lane, with a walk over the same bytes: for every string of
/// eight byte classes, every carry into the block, and at every place about its end.
#[cfg(test)]
mod tests {
    use super::*;

    /// A byte, as far as the algebra tells bytes apart.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Class {
        Ascii,
        /// A continuation byte that may come second behind every lead.
        Continuation,
        /// A continuation byte that may not come second behind a lead of three bytes or four.
        Narrow,
        Two,
        Three,
        Four,
        /// A byte from F8 up: no sequence begins with it.
        Never,
    }

    use Class::{Ascii, Continuation, Four, Narrow, Never, Three, Two};

    const CLASSES: [Class; 7] = [Ascii, Continuation, Narrow, Two, Three, Four, Never];
    const BLOCK: usize = 64;
    /// A block and what a look at it sees behind it.
    const SEEN: usize = BLOCK + 8;
    type Window = [Class; SEEN];

    impl Class {
        fn continues(self) -> bool {
            matches!(self, Continuation | Narrow)
        }

        fn is_second_of(self, lead: Class) -> bool {
            match lead {
                Two => self.continues(),
                Three | Four => self == Continuation,
                _ => false,
            }
        }

        fn length(self) -> usize {
            match self {
                Ascii => 1,
                Two => 2,
                Three => 3,
                Four => 4,
                Continuation | Narrow | Never => 0,
            }
        }
    }

    /// What begins in the lanes of a block.
    #[derive(Debug, PartialEq, Eq)]
    struct Seen {
        begins: u64,
        whole: u64,
        next: u64,
    }

    /// The length of what begins at a lane, and whether it is a sequence: the meaning of the rows, byte by byte.
    fn step(window: &Window, at: usize, one_by_one: bool) -> (usize, bool) {
        let needed = window[at].length();
        let follows = |&place: &usize| match place {
            1 => window[at + 1].is_second_of(window[at]),
            _ => window[at + place].continues(),
        };
        let matched = 1 + (1..needed).take_while(follows).count();
        let is_whole = matched == needed;
        (if is_whole || !one_by_one { matched } else { 1 }, is_whole)
    }

    fn walked(window: &Window, carry: usize, one_by_one: bool) -> Seen {
        let (mut seen, mut at) = (Seen { begins: 0, whole: 0, next: 0 }, carry);
        while at < BLOCK {
            if window[at] == Ascii {
                seen.begins |= 1 << at;
                at += 1;
                continue;
            }
            let (length, is_whole) = step(window, at, one_by_one);
            seen.begins |= 1 << at;
            seen.whole |= u64::from(is_whole) << at;
            at += length;
        }
        seen.next = low_64(at - BLOCK);
        seen
    }

    /// The masks that an instruction set makes of a window: two, three and four bytes, third and fourth bytes.
    fn masks(window: &Window) -> (u64, [u64; 2], [u64; 2]) {
        // No bit is set before the third lane before what is not ASCII, nor behind that.
        let others = |at: &usize| window[*at] != Ascii;
        let first = (0..SEEN).find(others).unwrap_or(0).saturating_sub(3);
        let end = (0..SEEN).rev().find(others).map_or(0, |last| BLOCK.min(last + 1));
        let lanes = |is: &dyn Fn(usize) -> bool| (first..end).fold(0, |lanes, at| lanes | u64::from(is(at)) << at);
        let from_three = |at: usize| matches!(window[at], Three | Four | Never);
        let from_four = |at: usize| matches!(window[at], Four | Never);
        (
            lanes(&|at| window[at + 1].is_second_of(window[at])),
            [lanes(&from_three), lanes(&from_four)],
            [lanes(&|at| window[at + 2].continues()), lanes(&|at| window[at + 3].continues())],
        )
    }

    fn by_algebra(window: &Window, carry: usize, one_by_one: bool) -> Seen {
        let (two, starts, continues) = masks(window);
        let begun = Begun::new(two, starts, continues);
        let taken = begun.taken(one_by_one, starts[0], low_64(carry));
        Seen { begins: !taken.here, whole: begun.whole & !taken.here, next: taken.next }
    }

    type Look = fn(&Window, usize, bool) -> Seen;

    type Found = Option<(Vec<Class>, usize, bool)>;

    /// The first window of so many classes, with its carry and the way of answering, that a look sees otherwise than a
    /// walk does. Around the window there is ASCII.
    fn difference(look: Look, count: usize, place: usize) -> Found {
        CLASSES.into_iter().find_map(|first| difference_behind(first, look, count, place))
    }

    /// As [`difference`], of windows that begin with a class.
    fn difference_behind(first: Class, look: Look, count: usize, place: usize) -> Found {
        let mut window = [Ascii; SEEN];
        window[place] = first;
        for number in 0..CLASSES.len().pow(count as u32 - 1) {
            let mut rest = number;
            for class in &mut window[place + 1..place + count] {
                *class = CLASSES[rest % CLASSES.len()];
                rest /= CLASSES.len();
            }
            // What is carried in has been seen to continue.
            let carried = if place > 0 { 0 } else { window[..3].iter().take_while(|class| class.continues()).count() };
            for (carry, one_by_one) in (0..=carried).flat_map(|carry| [(carry, false), (carry, true)]) {
                if look(&window, carry, one_by_one) != walked(&window, carry, one_by_one) {
                    return Some((window[place..place + count].to_vec(), carry, one_by_one));
                }
            }
        }
        None
    }

    #[test]
    fn every_window_of_eight_is_seen_as_it_is_walked_whatever_is_carried_in() {
        std::thread::scope(|scope| {
            for first in CLASSES {
                scope.spawn(move || assert_eq!(difference_behind(first, by_algebra, 8, 0), None));
            }
        });
    }

    #[test]
    fn every_window_is_seen_as_it_is_walked_about_the_end_of_a_block() {
        for place in [1, 31, 56, 57, 58, 59, 60, 61, 62, 63, 64] {
            assert_eq!(difference(by_algebra, 5, place), None, "{place}");
        }
    }

    /// Algebra with a fault in it: of what begins, or of the lanes taken.
    fn planted(
        window: &Window,
        (carry, one_by_one): (usize, bool),
        spoil: impl Fn(&mut u64, &mut [u64; 2], &mut [u64; 2]),
        spoil_taken: impl Fn(&Begun, &mut Taken),
    ) -> Seen {
        let (mut two, mut starts, mut continues) = masks(window);
        let is_three = starts[0];
        spoil(&mut two, &mut starts, &mut continues);
        let begun = Begun::new(two, starts, continues);
        let mut taken = begun.taken(one_by_one, is_three, low_64(carry));
        spoil_taken(&begun, &mut taken);
        Seen { begins: !taken.here, whole: begun.whole & !taken.here, next: taken.next }
    }

    #[test]
    fn each_planted_fault_is_found() {
        let faults: [(&str, Look); 6] = [
            ("a row of any second byte", |window, carry, one| {
                let any = |two: &mut u64, window: &Window| {
                    *two |= (0..BLOCK).fold(0, |lanes, at| {
                        lanes | u64::from(window[at].length() > 1 && window[at + 1].continues()) << at
                    });
                };
                planted(window, (carry, one), |two, _, _| any(two, window), |_, _| ())
            }),
            ("offsets exchanged", |window, carry, one| {
                planted(window, (carry, one), |_, _, continues| continues.swap(0, 1), |_, _| ())
            }),
            ("lengths exchanged", |window, carry, one| {
                planted(window, (carry, one), |_, starts, _| starts.swap(0, 1), |_, _| ())
            }),
            ("a span one longer", |window, carry, one| {
                planted(window, (carry, one), |_, _, _| (), |begun, taken| taken.here |= begun.four << 4)
            }),
            ("a unit missing", |window, carry, one| {
                planted(window, (carry, one), |_, _, _| (), |begun, taken| taken.here &= !(begun.three << 2))
            }),
            ("nothing carried out", |window, carry, one| {
                planted(window, (carry, one), |_, _, _| (), |_, taken| taken.next &= !1)
            }),
        ];
        for (name, look) in faults {
            let found = difference(look, 5, 0).or_else(|| difference(look, 5, 61));
            assert!(found.is_some(), "{name}");
        }
    }

    /// What is read of a block lane by lane.
    fn read_one_by_one(begun: u64, next: u64, stops: u64, left: usize) -> (u64, usize, bool) {
        let is_taken = |at: usize| if at < BLOCK { begun >> at & 1 == 0 } else { next >> (at - BLOCK) & 1 == 1 };
        let mut begins = 0;
        for at in (0..left.min(BLOCK)).filter(|&at| !is_taken(at)) {
            if stops >> at & 1 == 1 {
                return (begins, at, false);
            }
            begins |= 1 << at;
        }
        if left > BLOCK {
            return (begins, BLOCK, true);
        }
        let end = (left..BLOCK + 8).find(|&at| !is_taken(at)).expect("what is carried ends");
        (begins, end, false)
    }

    #[test]
    fn a_block_is_read_up_to_the_first_stop_or_the_end_of_what_began() {
        for shape in 0..1_u64 << 8 {
            for place in [0, 8, 30, 56, 58, 60] {
                // The lanes of a window in which nothing begins, of which some are behind the block.
                let lanes = u128::from(shape) << place;
                let (here, next) = (lanes as u64, (lanes >> BLOCK) as u64);
                let taken = Taken { here, next };
                for stop in (0..=BLOCK).step_by(if shape % 16 == 0 { 1 } else { 13 }) {
                    let stops = if stop < BLOCK { 1 << stop | 1 << (stop * 7 % BLOCK) } else { 0 };
                    for left in [1, 2, 7, 8, 31, 33, 57, 58, 59, 60, 61, 62, 63, 64, 65, 72, 1000] {
                        let Read { begins, length, goes_on } = taken.read(stops, left);
                        let expected = read_one_by_one(!here, next, stops, left);
                        assert_eq!((begins, length, goes_on), expected, "{here:X} {next:X} {stops:X} {left}");
                    }
                }
            }
        }
    }

    #[test]
    fn lanes_behind_others_are_added_here_and_in_the_next_block() {
        for (lane, other) in (0..BLOCK).flat_map(|lane| (0..BLOCK).map(move |other| (lane, other))) {
            let lanes = 1_u64 << lane | 1 << other;
            let mut taken = Taken { here: 0, next: 0 };
            taken.add(lanes, [1, 2, 3, 4, 5]);
            let expected = (1..=5).fold(0_u128, |all, by| all | u128::from(lanes) << by);
            assert_eq!((taken.here, taken.next), (expected as u64, (expected >> BLOCK) as u64));
        }
    }

    #[test]
    fn parts_are_the_lanes_in_order_with_each_lane_apart() {
        for (lanes, apart) in (0..1_u64 << 6).flat_map(|lanes| (0..1_u64 << 6).map(move |apart| (lanes, apart))) {
            for place in [0, 1, 30, 57, 58] {
                let (lanes, apart) = (lanes << place, apart << place);
                let (mut expected, mut part) = (Vec::new(), 0);
                for lane in 0..64 {
                    if apart >> lane & 1 == 1 {
                        expected.push((part, Some(lane)));
                        part = 0;
                    } else {
                        part |= lanes & 1 << lane;
                    }
                }
                expected.push((part, None));
                assert!(parts(lanes, apart).eq(expected), "{lanes:X} {apart:X}");
            }
        }
    }

    #[test]
    fn what_stops_reading_is_what_has_no_answer() {
        for (ill, high) in [(0b1100, 0b1010), (0, !0), (!0, 0), (!0, !0)] {
            assert_eq!(stops_at(Answer::Stop, ill, high), ill);
            assert_eq!(stops_at(Answer::Escape(0xDC00), ill, high), ill & !high);
            for answer in [Answer::Replace, Answer::Drop, Answer::Backslash, Answer::Never] {
                assert_eq!(stops_at(answer, ill, high), 0);
            }
        }
    }

    #[test]
    fn the_first_lanes_are_so_many() {
        for count in 0..=BLOCK + 9 {
            assert_eq!(low_64(count).count_ones() as usize, count.min(BLOCK));
            assert_eq!(low_64(count).trailing_ones() as usize, count.min(BLOCK));
        }
    }
}
