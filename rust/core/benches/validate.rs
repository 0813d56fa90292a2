//! `is_well_formed` and simdutf's own `validate_utf8`, timed alternately: the row `validate` of `python -m benchmarks`.
//!
//! Arguments: the number of rounds, the least number of seconds for each side of a round, and files of UTF-8. For each
//! file the program prints one line of JSON: see `race`.

use std::hint::black_box;
use std::{env, fs};

use eightfold_core::{Form, Halt, OnFault, Pass};
use race::Effort;

#[path = "../tests/forms/mod.rs"]
mod forms;
mod race;

fn is_well_formed(form: &Form, data: &[u8]) -> bool {
    let pass = Pass { form, data, is_final: true, largest: u32::MAX, on_fault: OnFault::Stop };
    pass.run(0, &mut ()) == Halt::End(data.len())
}

fn main() {
    // Cargo adds `--bench`.
    let given: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [rounds, seconds, files @ ..] = &given[..] else {
        return println!("give rounds, seconds and files, as `python -m benchmarks` does");
    };
    let effort = Effort { rounds: rounds.parse().expect("a number"), seconds: seconds.parse().expect("a number") };
    let form = forms::form("utf-8");
    for file in files {
        let data = fs::read(file).expect("a file of UTF-8");
        assert!(is_well_formed(&form, &data) && simdutf::validate_utf8(&data));
        effort.race(|| is_well_formed(&form, black_box(&data)), || simdutf::validate_utf8(black_box(&data)));
    }
}
