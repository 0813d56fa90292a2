//! One text decoded and encoded once, for `benchmarks/cycles.py`, which follows the kernels instruction by instruction;
//! or, with `time` as a fourth argument, many times, to print how many cycles a byte takes: decoding, then encoding. As
//! `SCRIPT/10` what is decoded has a stray byte for ten code points.

use std::env;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

use eightfold_core::kernels::Unit;
use eightfold_core::{
    Attempt, Form, Missing, OnFault, OnePass, Output, Pass, ShortBytes, ShortPoints, Sink, Text, TextBuffer, Width,
    encode_text,
};
use serde_json::Value;

#[path = "../tests/forms/mod.rs"]
mod forms;

const ROUNDS: usize = 4000;
/// So many bytes take longer than looking at the clock does.
const TIMED_BYTES: usize = 1 << 14;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [form, script, size, rest @ ..] = &arguments[..] else { panic!("loops FORM SCRIPT BYTES [time]") };
    let (script, one_in) = script.split_once('/').map_or((&script[..], None), |(script, one_in)| {
        (script, Some(one_in.parse().expect("a number of code points")))
    });
    let (form, four) = (forms::form(form), points(script, size.parse().expect("a number of bytes")));
    let (one, two): (Vec<u8>, Vec<u16>) = four.iter().map(|&point| (point as u8, point as u16)).unzip();
    // The kind of str that Python would have.
    let text = match four.iter().max() {
        Some(..=0xFF) => Text::One(&one),
        Some(0x100..=0xFFFF) => Text::Two(&two),
        _ => Text::Four(&four),
    };
    let most = 8 * four.len();
    let mut data = Vec::with_capacity(most);
    encode(&form, text, &mut data);
    if let Some(one_in) = one_in {
        data = with_strays(&data, one_in);
    }
    if rest.is_empty() {
        return decode(&form, &data);
    }
    let (cycle, times) = (cycle(), TIMED_BYTES.div_ceil(data.len()));
    let in_cycles = |work: &mut dyn FnMut()| {
        let time = least(&mut || (0..times).for_each(|_| work()));
        time.as_secs_f64() / cycle / (times * data.len()) as f64
    };
    let decoding = in_cycles(&mut || decode(&form, black_box(&data)));
    let mut out = Vec::with_capacity(most);
    let encoding = in_cycles(&mut || {
        out.clear();
        encode(&form, black_box(text), &mut out);
    });
    println!("{decoding:.3} {encoding:.3}");
}

/// Words of a script drawn at random, always the same, of about so many bytes of UTF-8.
fn points(script: &str, size: usize) -> Vec<u32> {
    let lists: Value = serde_json::from_str(include_str!("../../../benchmarks/words.json")).expect("JSON");
    let of = |key: &str| lists[script][key].as_str().expect("a script that has words");
    let (words, space): (Vec<&str>, &str) = (of("words").split(' ').collect(), of("space"));
    let (mut text, mut state) = (String::new(), 1_u64);
    while text.len() < size {
        text.push_str(words[drawn(&mut state) % words.len()]);
        text.push_str(space);
    }
    text.chars().map(u32::from).collect()
}

/// A number drawn at random, always the same.
fn drawn(state: &mut u64) -> usize {
    // Knuth's multiplier (MMIX); the high bits are the random ones.
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

/// Text with a byte that begins nothing before one in so many code points.
fn with_strays(text: &[u8], one_in: usize) -> Vec<u8> {
    let (mut data, mut state) = (vec![], 2_u64);
    for &byte in text {
        if byte & 0xC0 != 0x80 && drawn(&mut state).is_multiple_of(one_in) {
            data.push(0xFF);
        }
        data.push(byte);
    }
    data
}

/// Its address in the program parts it from others, and so does that of [`decode`]. A short text goes the way that the
/// verbs take with it.
#[inline(never)]
fn encode(form: &Form, text: Text<'_>, out: &mut Vec<u8>) {
    let mut memory: ShortBytes = [const { MaybeUninit::uninit() }; _];
    if let Some(bytes) = form.write_short(text, Some(Missing::Stop), &mut memory) {
        return out.extend_from_slice(bytes);
    }
    encode_text(form, text, 0, Missing::Stop, out).expect("the form holds it");
}

#[inline(never)]
fn decode(form: &Form, data: &[u8]) {
    let pass = Pass { form, data, is_final: true, largest: 0x10_FFFF, on_fault: OnFault::Stop };
    let mut memory: ShortPoints = [const { MaybeUninit::uninit() }; _];
    if black_box(pass.read_short(&mut memory)).is_some() {
        return;
    }
    match pass.in_one_pass_if_dirty() {
        Some(once) if once.width == Width::Ucs4 => return write::<u32>(&once),
        Some(once) => return write::<u16>(&once),
        None => {}
    }
    let mut buffer = TextBuffer::default();
    black_box(pass.run(0, &mut buffer));
    black_box(buffer.text().len());
}

/// Write dirty text as Python's str holds it.
fn write<T: Unit>(once: &OnePass<'_>)
where
    for<'o> Output<'o, T>: Sink,
{
    let mut memory = Vec::with_capacity(once.room);
    let mut out = Output::new(memory.spare_capacity_mut());
    assert_eq!(once.write(0, &mut out, |_| true), Attempt::Done);
    black_box(out.values().len());
}

/// The least time of many.
fn least(work: &mut dyn FnMut()) -> Duration {
    let once = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..ROUNDS).map(|_| once(work)).min().expect("some rounds")
}

/// The seconds that a cycle takes: on x86-64, a multiplication and an addition that wait for each other take four.
fn cycle() -> f64 {
    const LENGTH: usize = 1 << 16;
    let factor = black_box(3_u64);
    let chain = |value: u64, _: usize| value.wrapping_mul(factor).wrapping_add(factor);
    let time = least(&mut || _ = black_box((0..LENGTH).fold(factor, chain)));
    time.as_secs_f64() / (4 * LENGTH) as f64
}
