//! No kernel reads or writes a byte beyond what it was given: inputs and outputs of every length lie against pages that
//! nobody may touch, on either side, at every level of instructions. A test that fails here does so by a signal.

#![cfg(unix)]
#![expect(unsafe_code, reason = "memory is asked of the system, with pages around it that nobody may touch")]

mod forms;

#[cfg(feature = "simdutf")]
use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::process::Command;
use std::{env, ptr, slice};

#[cfg(feature = "simdutf")]
use eightfold_core::kernels::ShortUnits;
use eightfold_core::kernels::{self, Level};
use eightfold_core::{
    Extent, Form, Instead, Measured, Missing, OnFault, Output, Pass, ShortAscii, ShortBytes, ShortPoints, Sink, Survey,
    Text, TextBuffer, Width, encode_text,
};
#[cfg(feature = "simdutf")]
use eightfold_core::{Unwritten, Writer};
use forms::{family, one_in};

const LONGEST: usize = 300;
/// Room for the longest output: eight bytes for each of the input, and what `backslashreplace` would give is not asked.
const ROOM: usize = 5 * 4096;

/// The lengths up to the longest, or one in so many of them, others for each text.
fn lengths(text: usize) -> impl Iterator<Item = usize> {
    let one_in = one_in();
    (text % one_in..=LONGEST).step_by(one_in)
}

/// Memory between two pages that nobody may touch.
struct Fenced {
    start: *mut u8,
    page: usize,
}

#[derive(Clone, Copy, Debug)]
enum Side {
    /// The memory begins right behind a page that nobody may touch.
    Front,
    /// It ends right before one.
    Back,
}

const SIDES: [Side; 2] = [Side::Front, Side::Back];

impl Fenced {
    fn new() -> Self {
        // SAFETY: new anonymous memory is asked for, and of that the pages in the middle are opened.
        unsafe {
            let page = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).expect("a page size");
            let room = ROOM.next_multiple_of(page);
            let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
            let start = libc::mmap(ptr::null_mut(), room + 2 * page, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            let middle = start.cast::<u8>().add(page);
            assert_eq!(libc::mprotect(middle.cast(), room, libc::PROT_READ | libc::PROT_WRITE), 0);
            Fenced { start: middle, page: room }
        }
    }

    /// Room for so many values at one side.
    fn room<T>(&mut self, count: usize, side: Side) -> &mut [MaybeUninit<T>] {
        let bytes = count * size_of::<T>();
        assert!(bytes <= self.page);
        let offset = match side {
            Side::Front => 0,
            Side::Back => self.page - bytes,
        };
        // SAFETY: so many bytes are there, borrowed as long as the fence is; a page's end is aligned for any value.
        unsafe { slice::from_raw_parts_mut(self.start.add(offset).cast(), count) }
    }

    /// The same as an array.
    fn array<T, const COUNT: usize>(&mut self, side: Side) -> &mut [MaybeUninit<T>; COUNT] {
        self.room(COUNT, side).try_into().expect("as many")
    }

    /// A copy of values at one side.
    fn copy<T: Copy>(&mut self, values: &[T], side: Side) -> &[T] {
        let room = self.room(values.len(), side);
        for (place, &value) in room.iter_mut().zip(values) {
            place.write(value);
        }
        // SAFETY: each was written.
        unsafe { slice::from_raw_parts(room.as_ptr().cast(), room.len()) }
    }
}

/// What `write` writes to an output of `count` values at each side.
fn filled<T: Copy + PartialEq + std::fmt::Debug>(
    out: &mut Fenced,
    count: usize,
    write: impl Fn(&mut Output<'_, T>),
) -> Vec<T> {
    let [front, back] = SIDES.map(|side| {
        let ((), values) = Output::written(out.room(count, side), |out| write(out));
        assert_eq!(values.len(), count);
        values.to_vec()
    });
    assert_eq!(front, back);
    front
}

/// Texts that make the kernels take each of their ways.
const TEXTS: [&[u32]; 9] = [
    &[0x61],
    &[0x61, 0xE9, 0xFF],
    &[0x61, 0x44F, 0x7FF],
    &[0x61, 0x6F22, 0x800, 0xFFFD],
    &[0x1_F600, 0x1_F601, 0x10_FFFF, 0x20],
    &[0x61, 0, 0x62],
    &[0x61, 0x6F22, 0x63, 0xD800, 0x64, 0xDC80],
    &[0x61, 0x1_F600, 0xD800, 0xDC00, 0xEF80],
    &[0xD83D, 0x61, 0xDC80, 0xDCFF],
];

/// Bytes of which each ends a sequence too early, or begins none.
const DIRT: [&[u8]; 6] = [b"", b"\xFF", b"\x80", b"\xED\xA0", b"\xF0\x9F\x98", b"\xC0\xAF"];

fn units(of: &[u32], length: usize) -> Vec<u32> {
    of.iter().copied().cycle().take(length).collect()
}

fn points(text: Text<'_>) -> Vec<u32> {
    (0..text.len()).map(|at| text.at(at)).collect()
}

fn pass<'a>(form: &'a Form, data: &'a [u8], on_fault: OnFault) -> Pass<'a> {
    Pass { form, data, is_final: true, largest: 0x10_FFFF, on_fault }
}

fn decoded(pass: &Pass<'_>, out: &mut Fenced) -> Option<Vec<u32>> {
    let extent = pass.measure(0)?;
    fn all<'a, T>(pass: &Pass<'_>, extent: &Survey, out: &mut Output<'a, T>)
    where
        Output<'a, T>: Sink,
    {
        pass.write(0, extent, out);
        assert!(out.is_full(), "{pass:X?} {extent:?}");
    }
    let count = extent.count;
    Some(match extent.width {
        Width::Ascii | Width::Latin1 => {
            filled::<u8>(out, count, |out| all(pass, &extent, out)).into_iter().map(u32::from).collect()
        }
        Width::Ucs2 => filled::<u16>(out, count, |out| all(pass, &extent, out)).into_iter().map(u32::from).collect(),
        Width::Ucs4 => filled::<u32>(out, count, |out| all(pass, &extent, out)),
    })
}

fn decode_all(form: &Form, name: &str, fences: &mut [Fenced; 2]) {
    let [input, output] = fences;
    for (number, (text, dirt)) in TEXTS.iter().flat_map(|text| DIRT.map(|dirt| (text, dirt))).enumerate() {
        let mut data = Vec::new();
        for (at, &point) in units(text, LONGEST).iter().enumerate() {
            form.write(point, &mut data);
            if at % 23 == 22 {
                data.extend_from_slice(dirt);
            }
        }
        for length in lengths(number).filter(|&length| length <= data.len()) {
            let policies = [OnFault::Stop, OnFault::Replace, OnFault::Ignore, OnFault::SurrogateEscape];
            // Without dirt, only where the input ends can something be amiss.
            let on_fault = policies[length % policies.len()];
            let mut buffer = TextBuffer::default();
            pass(form, &data[..length], on_fault).run(0, &mut buffer);
            for side in SIDES {
                let fenced = pass(form, input.copy(&data[..length], side), on_fault);
                let mut again = TextBuffer::default();
                fenced.run(0, &mut again);
                assert_eq!(points(again.text()), points(buffer.text()), "{name} {side:?} {fenced:X?}");
                if let Some(decoded) = decoded(&fenced, output) {
                    assert_eq!(decoded, points(buffer.text()), "{name} {on_fault:?} {:X?}", fenced.data);
                }
                let memory = output.array::<u32, { size_of::<ShortPoints>() / size_of::<u32>() }>(side);
                if let Some((short, _)) = fenced.read_short(memory) {
                    assert_eq!(short, points(buffer.text()), "{name} {on_fault:?} {:X?}", fenced.data);
                }
                let memory = output.array::<u8, { size_of::<ShortAscii>() }>(side);
                if fenced.may_be_ascii_around_faults()
                    && let Some(ascii) = fenced.read_short_ascii(memory)
                {
                    let short: Vec<u32> = ascii.bytes().iter().map(|&byte| byte.into()).collect();
                    assert_eq!(short, points(buffer.text()), "{name} {on_fault:?} {:X?}", fenced.data);
                }
            }
        }
    }
}

/// What is guessed of wide units is so, or is not taken for it: at each end, or well before it, a code point may be
/// otherwise.
fn guess_all(form: &Form, name: &str, fences: &mut [Fenced; 2]) {
    let [input, output] = fences;
    let others = [None, Some(0x6F22), Some(0x1_F600), Some(0xDC80)];
    let ends = TEXTS.iter().flat_map(|text| others.map(|other| (text, other)));
    for ((text, other), length) in ends.flat_map(|end| (2048..2082).map(move |length| (end, length))) {
        let mut points = units(text, length);
        let place = length - [1, 301][length % 2];
        points[place] = other.unwrap_or(points[place]);
        let mut data = Vec::new();
        for (at, &point) in points.iter().enumerate() {
            // What the form lacks is left out, but at that place, where it is a fault.
            if !form.write(point, &mut data) && at == place {
                data.extend_from_slice(&unit(form, point));
            }
        }
        let mut buffer = TextBuffer::default();
        pass(form, &data, OnFault::Stop).run(0, &mut buffer);
        for side in SIDES {
            let fenced = pass(form, input.copy(&data, side), OnFault::Stop);
            let mut next = fenced.guess();
            while let Some(guess) = next {
                let (width, written) = match guess.width {
                    Width::Ucs2 => guessed::<u16>(output, &guess, side, |out| fenced.write_guessed_ucs2(&guess, out)),
                    _ => guessed::<u8>(output, &guess, side, |out| fenced.write_guessed_ucs1(&guess, out)),
                };
                let is_so = (buffer.text().len(), buffer.width()) == (guess.count, guess.width);
                assert_eq!(width == Some(guess.width), is_so, "{name} {side:?} {length} {other:X?}");
                assert!(!is_so || written == self::points(buffer.text()), "{name} {side:?} {length} {other:X?}");
                next = fenced.guess_after(&guess, width);
            }
        }
    }
}

/// The bytes of a wide unit, whether or not the form has it as a code point.
fn unit(form: &Form, value: u32) -> Vec<u8> {
    let mut bytes = value.to_le_bytes()[..form.tables.unit_bytes].to_vec();
    if form.tables.big_endian {
        bytes.reverse();
    }
    bytes
}

/// What a guess was said to be, and what was written.
fn guessed<T: Copy + Into<u32>>(
    out: &mut Fenced,
    guess: &Extent,
    side: Side,
    write: impl Fn(&mut Output<'_, T>) -> Option<Width>,
) -> (Option<Width>, Vec<u32>) {
    let (width, values) = Output::written(out.room::<T>(guess.count, side), |out| write(out));
    (width, values.iter().map(|&value| value.into()).collect())
}

fn encode_all(form: &Form, name: &str, fences: &mut [Fenced; 2]) {
    let [input, output] = fences;
    for (number, text) in TEXTS.into_iter().enumerate() {
        let largest = text.iter().copied().max().unwrap_or(0);
        for length in lengths(number) {
            let points = units(text, length);
            let policy = [Missing::Stop, Missing::Replace, Missing::Ignore, Missing::SurrogateEscape][length % 4];
            let mut expected = Vec::new();
            let result = encode_text(form, Text::Four(&points), 0, policy, &mut expected);
            let mut check = |text: Text<'_>| {
                let mut size = 0_usize;
                assert_eq!(encode_text(form, text, 0, policy, &mut size), result, "{name} {policy:?} {text:X?}");
                let written = filled::<u8>(output, size, |out| {
                    assert_eq!(encode_text(form, text, 0, policy, out), result);
                });
                assert_eq!(written, expected, "{name} {policy:?} {text:X?}");
                for side in SIDES {
                    let memory = output.array::<u8, { size_of::<ShortBytes>() }>(side);
                    if let Some(short) = form.write_short(text, Some(policy), memory) {
                        assert_eq!(short, expected, "{name} {policy:?} {text:X?}");
                    }
                }
            };
            for side in SIDES {
                check(Text::Four(input.copy(&points, side)));
                if largest <= 0xFFFF {
                    let units: Vec<u16> = points.iter().map(|&point| point as u16).collect();
                    check(Text::Two(input.copy(&units, side)));
                }
                if largest <= 0xFF {
                    let bytes: Vec<u8> = points.iter().map(|&point| point as u8).collect();
                    check(Text::One(input.copy(&bytes, side)));
                }
            }
        }
    }
}

/// The kernels that know UTF-8 only.
fn utf_8(form: &Form, fences: &mut [Fenced; 2]) {
    let [input, output] = fences;
    for (text, length) in TEXTS[..6].iter().flat_map(|text| (0..=LONGEST).map(move |length| (text, length))) {
        let expected = units(text, length);
        let data: String = expected.iter().filter_map(|&point| char::from_u32(point)).collect();
        for side in SIDES {
            let bytes = input.copy(data.as_bytes(), side);
            assert_eq!(kernels::is_utf8_up_to(bytes), data.len());
            assert_eq!(kernels::is_ascii(bytes), data.is_ascii());
            let measured = Measured::new(bytes);
            assert_eq!(measured.count(), expected.len());
            assert_eq!(Measured::of_short(bytes, &form.agreement, true).map_or(length, |short| short.count()), length);
            let decoded: Vec<u32> = match measured.width() {
                Width::Ascii | Width::Latin1 => {
                    let all = filled::<u8>(output, length, |out| measured.write_latin1(out));
                    all.into_iter().map(u32::from).collect()
                }
                Width::Ucs2 => {
                    let all = filled::<u16>(output, length, |out| measured.write_ucs2(out));
                    all.into_iter().map(u32::from).collect()
                }
                Width::Ucs4 => filled::<u32>(output, length, |out| measured.write_ucs4(out)),
            };
            assert_eq!(decoded, expected);
            if data.is_ascii() {
                let copied = filled::<u8>(output, length, |out| {
                    assert_eq!(kernels::copy_ascii(bytes, out), length);
                });
                assert_eq!(copied, bytes);
            }
            if !data.contains('\0') {
                let copied = filled::<u8>(output, data.len(), |out| {
                    assert_eq!(kernels::copy_without_nul(bytes, out), data.len());
                });
                assert_eq!(copied, bytes);
            }
            let scalar = Text::Four(input.copy(&expected, side)).scalar().expect("no surrogates");
            let written = filled::<u8>(output, scalar.utf8_bytes(), |out| scalar.write_utf8(out));
            assert_eq!(written, data.as_bytes());
        }
    }
}

/// Short text is written as UTF-8 as far as there is room, with just enough of it and with less, in each kind of str
/// that holds it.
fn short_text(fences: &mut [Fenced; 2]) {
    let [input, output] = fences;
    for (number, text) in TEXTS.into_iter().enumerate() {
        let largest = text.iter().copied().max().unwrap_or(0);
        for length in lengths(number) {
            let points = units(text, length);
            for side in SIDES {
                short_text_of(Text::Four(input.copy(&points, side)), output);
                if largest <= 0xFFFF {
                    let units: Vec<u16> = points.iter().map(|&point| point as u16).collect();
                    short_text_of(Text::Two(input.copy(&units, side)), output);
                }
                if largest <= 0xFF {
                    let bytes: Vec<u8> = points.iter().map(|&point| point as u8).collect();
                    short_text_of(Text::One(input.copy(&bytes, side)), output);
                }
            }
        }
    }
}

fn short_text_of(text: Text<'_>, output: &mut Fenced) {
    let ways: [fn(Text<'_>, &mut Output<'_, u8>) -> usize; 2] =
        [kernels::write_scalars, |text, out| kernels::write_short(text, &Instead::Stop, out)];
    let expected: String = (0..text.len()).map_while(|at| char::from_u32(text.at(at))).collect();
    let enough = 4 * text.len() + 64;
    for (write, room) in ways.into_iter().flat_map(|write| [0, 1, 64, enough / 2, enough].map(|room| (write, room))) {
        for side in SIDES {
            let (count, written) = Output::written(output.room(room.min(enough), side), |out| write(text, out));
            let begins: String = expected.chars().take(count).collect();
            assert_eq!(written, begins.as_bytes(), "{side:?} {room} {text:X?}");
        }
    }
}

/// Short text of UTF-8, UTF-16 and UTF-32 goes to the library before anything is known of it.
#[cfg(feature = "simdutf")]
fn transcode_all(forms: &BTreeMap<String, Form>, fences: &mut [Fenced; 2]) {
    const NAMES: [&str; 4] = ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le"];
    let lengths =
        || (0..=80).chain([1_000]).chain(500..520).chain(2_040..2_060).chain(2_720..2_740).chain(4_090..4_100);
    let ([input, output], mut short) = (fences, Fenced::new());
    let pairs = NAMES.iter().flat_map(|source| NAMES.map(|target| (source, target)));
    // Surrogates too, though none of them has any.
    let spelt = |name: &str, point: u32| {
        let mut bytes = Vec::new();
        match name {
            "utf-8" => forms["generalized-utf-8"].write(point, &mut bytes),
            "utf-16-le" => forms["wtf-16-le"].write(point, &mut bytes),
            "utf-16-be" => forms["wtf-16-be"].write(point, &mut bytes),
            _ => {
                bytes.extend(point.to_le_bytes());
                true
            }
        };
        bytes
    };
    for (name, target) in pairs.filter(|(source, target)| *source != target) {
        let (source, target) = (&forms[*name], &forms[target]);
        for (text, length) in TEXTS.iter().flat_map(|text| lengths().map(move |length| (text, length))) {
            let mut data: Vec<u8> = units(text, length).iter().flat_map(|&point| spelt(name, point)).collect();
            data.truncate((ROOM / 2).min(data.len()));
            let strict = pass(source, &data, OnFault::Stop);
            let expected = Writer::new(target, Unwritten::Stop, Vec::new()).wrote(&strict, 0);
            for side in SIDES {
                let fenced = input.copy(&data, side);
                let short = &mut short.array::<ShortUnits, 1>(side)[0];
                if let Some(transcoding) = target.transcoding(source, fenced, short.write(ShortUnits::new())) {
                    let found = filled::<u8>(output, transcoding.bytes(), |out| transcoding.write(out));
                    assert_eq!(Some(found), expected, "{text:X?} {length}");
                }
            }
        }
    }
}

#[test]
fn nothing_beyond_an_end_is_touched() {
    let mut fences = [Fenced::new(), Fenced::new()];
    let forms = family();
    utf_8(&forms["utf-8"], &mut fences);
    short_text(&mut fences);
    #[cfg(feature = "simdutf")]
    transcode_all(&forms, &mut fences);
    for (name, form) in forms {
        decode_all(&form, &name, &mut fences);
        encode_all(&form, &name, &mut fences);
        if form.tables.unit_bytes > 1 {
            guess_all(&form, &name, &mut fences);
        }
    }
}

/// This program, by the emulator that cargo was told to run it with, if it was.
fn this_program() -> Command {
    let program = env::current_exe().expect("this program");
    let runner = env::var("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace().filter(|_| cfg!(target_arch = "aarch64"));
    let Some(emulator) = words.next() else { return Command::new(program) };
    let mut command = Command::new(emulator);
    command.args(words).arg(program);
    command
}

#[test]
fn nor_at_a_lower_level_of_instructions() {
    for level in Level::HERE.iter().filter(|&&level| level < Level::current()) {
        let test = this_program()
            .args(["--exact", "nothing_beyond_an_end_is_touched"])
            .env("EIGHTFOLD_SIMD", level.name())
            .status();
        assert!(test.expect("it runs").success(), "{level:?}");
    }
}
