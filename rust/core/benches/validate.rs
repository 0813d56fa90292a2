//! `is_well_formed` and simdutf's own `validate_utf8`, timed alternately: the row `validate` of `python -m benchmarks`.
//!
//! Arguments: the number of rounds, the least number of seconds for each side of a round, and files of UTF-8. For each
//! file the program prints one line of JSON: for each round, the seconds that one call of ours and one of theirs took.

use std::hint::black_box;
use std::time::Instant;
use std::{env, fs};

use eightfold_core::{Form, Halt, OnFault, Pass};

#[path = "../tests/forms/mod.rs"]
mod forms;

fn is_well_formed(form: &Form, data: &[u8]) -> bool {
    let pass = Pass { form, data, is_final: true, largest: u32::MAX, on_fault: OnFault::Stop };
    pass.run(0, &mut ()) == Halt::End(data.len())
}

/// Seconds for one call.
fn timed(repeats: u32, work: impl Fn() -> bool) -> f64 {
    let start = Instant::now();
    for _ in 0..repeats {
        assert!(black_box(work()));
    }
    start.elapsed().as_secs_f64() / f64::from(repeats)
}

fn calibrated(seconds: f64, work: impl Fn() -> bool) -> u32 {
    let mut repeats = 1;
    while timed(repeats, &work) * f64::from(repeats) < seconds {
        repeats *= 2;
    }
    repeats
}

fn main() {
    // Cargo adds `--bench`.
    let given: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [rounds, seconds, files @ ..] = &given[..] else {
        return println!("give rounds, seconds and files, as `python -m benchmarks` does");
    };
    let (rounds, seconds): (u32, f64) = (rounds.parse().expect("a number"), seconds.parse().expect("a number"));
    let form = forms::form("utf-8");
    for file in files {
        let data = fs::read(file).expect("a file of UTF-8");
        let ours = || is_well_formed(&form, black_box(&data));
        let theirs = || simdutf::validate_utf8(black_box(&data));
        let (our_repeats, their_repeats) = (calibrated(seconds, ours), calibrated(seconds, theirs));
        let round = |turn: u32| {
            if turn.is_multiple_of(2) {
                let mine = timed(our_repeats, ours);
                [mine, timed(their_repeats, theirs)]
            } else {
                let other = timed(their_repeats, theirs);
                [timed(our_repeats, ours), other]
            }
        };
        println!("{}", serde_json::json!((0..rounds).map(round).collect::<Vec<_>>()));
    }
}
