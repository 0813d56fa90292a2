//! The core alone, `cargo bench --bench core`: its public functions and simdutf itself, on words of twelve scripts.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use eightfold_core::{Form, Measured, Missing, OnFault, Pass, Text, TextBuffer, encode_text};
use serde_json::Value;

#[path = "../tests/forms/mod.rs"]
mod forms;

const BYTES: usize = 1 << 20;
const SCRIPTS: [&str; 12] = [
    "ascii", "latin", "cyrillic", "greek", "arabic", "hebrew", "hindi", "thai", "chinese", "japanese", "korean",
    "emoji",
];
const FORMS: [&str; 6] = ["utf-8", "wtf-8", "cesu-8", "mutf-8", "xtf-8", "corrected-utf-8"];

fn main() {
    divan::main();
}

/// Words of a script drawn at random, always the same; text without a period.
fn text(script: &str) -> String {
    let lists: Value = serde_json::from_str(include_str!("../../../benchmarks/words.json")).expect("JSON");
    let list = &lists[script];
    let words: Vec<&str> = list["words"].as_str().expect("words").split(' ').collect();
    let (mut text, mut state) = (String::new(), 1_u64);
    while text.len() < BYTES {
        // Knuth's multiplier (MMIX); the high bits are the random ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(words[(state >> 33) as usize % words.len()]);
        text.push_str(list["space"].as_str().expect("a space"));
    }
    text
}

fn measured(bencher: Bencher, data: &[u8], work: impl Fn(&[u8]) -> usize + Sync) {
    bencher.counter(BytesCount::new(data.len())).bench(|| work(black_box(data)));
}

#[divan::bench(args = SCRIPTS)]
fn simdutf_validate(bencher: Bencher, script: &str) {
    measured(bencher, text(script).as_bytes(), |data| usize::from(simdutf::validate_utf8(data)));
}

#[divan::bench(args = SCRIPTS)]
fn measure(bencher: Bencher, script: &str) {
    measured(bencher, text(script).as_bytes(), |data| Measured::new(data).count());
}

/// Every form with every script.
fn pairs() -> impl Iterator<Item = String> {
    FORMS.iter().flat_map(|form| SCRIPTS.iter().map(move |script| format!("{form} {script}")))
}

fn form_and_points(pair: &str) -> (Form, Vec<u32>) {
    let (form, script) = pair.split_once(' ').expect("two names");
    (forms::form(form), text(script).chars().map(u32::from).collect())
}

#[divan::bench(args = pairs())]
fn decode(bencher: Bencher, pair: &str) {
    let (form, points) = form_and_points(pair);
    let mut data = Vec::new();
    encode_text(&form, Text::Four(&points), 0, Missing::Stop, &mut data).expect("the form holds it");
    measured(bencher, &data, |data| {
        let mut buffer = TextBuffer::default();
        let pass = Pass { form: &form, data, is_final: true, largest: 0x10_FFFF, on_fault: OnFault::Stop };
        black_box(pass.run(0, &mut buffer));
        buffer.text().len()
    });
}

#[divan::bench(args = pairs())]
fn encode(bencher: Bencher, pair: &str) {
    let (form, points) = form_and_points(pair);
    let mut data = Vec::new();
    encode_text(&form, Text::Four(&points), 0, Missing::Stop, &mut data).expect("the form holds it");
    bencher.counter(BytesCount::new(data.len())).bench(|| {
        let mut data = Vec::new();
        encode_text(&form, black_box(Text::Four(&points)), 0, Missing::Stop, &mut data).expect("the form holds it");
        data.len()
    });
}
