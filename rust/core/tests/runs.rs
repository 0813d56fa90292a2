//! Runs: ill-formed units without a fixed length. They are read and counted whole, wherever in a block they stand,
//! however long they are and wherever the input is cut; what each byte of them is comes from the form's tables.

mod forms;

use std::mem::MaybeUninit;

use eightfold_core::{Form, Halt, OnFault, Output, Pass, Scan, Step, TextBuffer};
use forms::family;

const LONGEST: usize = 300;
const PADDING: usize = 64;
/// About as long as those that are read without a stop, and longer.
const LONGER: [usize; 4] = [65_480, 65_500, 65_535, 70_000];
/// From here on faults are counted by the block.
const BLOCKS_BYTES: usize = 1 << 14;

/// Numbers that look random, the same in each test.
struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    /// A run of so many bytes, of what its fault row has at the ends of its ranges; none of no bytes.
    fn run(&mut self, form: &Form, length: usize) -> Vec<u8> {
        let row = form.tables.units.iter().find(|unit| !unit.run.is_empty()).expect("a form with runs");
        let ranges = row.ranges.iter().chain(row.run.iter().cycle().skip(self.below(2)));
        ranges.take(length).map(|range| if self.below(2) == 0 { range.0 as u8 } else { range.1 as u8 }).collect()
    }
}

fn forms_with_runs() -> Vec<(String, Form)> {
    let forms: Vec<_> = family().into_iter().filter(|(_, form)| form.has_run()).collect();
    assert!(!forms.is_empty());
    forms
}

/// A text with a run in it, and what that is under a policy.
struct Sample {
    data: Vec<u8>,
    points: Vec<u32>,
    on_fault: OnFault,
}

impl Sample {
    fn new(on_fault: OnFault) -> Self {
        Sample { data: Vec::new(), points: Vec::new(), on_fault }
    }

    fn add_text(&mut self, text: &str) {
        self.data.extend(text.bytes());
        self.points.extend(text.chars().map(u32::from));
    }

    fn add_run(&mut self, run: &[u8]) {
        self.data.extend(run);
        match self.on_fault {
            OnFault::Replace if !run.is_empty() => self.points.push(0xFFFD),
            OnFault::SurrogateEscape => self.points.extend(run.iter().map(|&byte| 0xDC00 + u32::from(byte))),
            _ => {}
        }
    }

    fn pass<'a>(&self, form: &'a Form, data: &'a [u8], is_final: bool) -> Pass<'a> {
        Pass { form, data, is_final, largest: 0x10_FFFF, on_fault: self.on_fault }
    }

    /// Whether two pieces give what was meant, the second from where the first was certain.
    fn check_cut(&self, form: &Form, cut: usize) {
        let mut buffer = TextBuffer::default();
        let Halt::End(at) = self.pass(form, &self.data[..cut], false).run(0, &mut buffer) else { panic!("a policy") };
        assert_eq!(self.pass(form, &self.data, true).run(at, &mut buffer), Halt::End(self.data.len()));
        let points: Vec<u32> = (0..buffer.text().len()).map(|at| buffer.text().at(at)).collect();
        assert_eq!(points, self.points, "{:?} cut at {cut}: {:X?}", self.on_fault, self.data);
    }

    /// Whether it is measured and written as it was meant.
    fn check_measured(&self, form: &Form) {
        let pass = self.pass(form, &self.data, true);
        let survey = pass.measure(0).expect("a policy");
        assert_eq!(survey.count, self.points.len(), "{:?} {:X?}", self.on_fault, self.data);
        let mut points = vec![MaybeUninit::uninit(); survey.count];
        let (halt, points) = Output::<u32>::written(&mut points, |out| pass.write(0, &survey, out));
        assert_eq!(halt, Halt::End(self.data.len()));
        assert_eq!(points, self.points, "{:?} {:X?}", self.on_fault, self.data);
    }
}

#[test]
fn the_end_of_a_run_is_where_something_else_is() {
    for (name, form) in forms_with_runs() {
        let mut chance = Chance(3);
        for length in (1..=LONGEST).chain(LONGER) {
            let run = chance.run(&form, length);
            let step = |data: &[u8], is_final| form.sequence_at(data, 0, is_final);
            assert_eq!(step(&run, true), Step::Unit { end: length }, "{name} {length}");
            assert_eq!(step(&run, false), Step::Wait, "{name} {length}");
            for other in [0x00, 0x41, 0x7F, 0xC0, 0xC2, 0xED, 0xF4, 0xFD] {
                for rest in [1, 100] {
                    let data = [&run[..], &vec![other; rest]].concat();
                    assert_eq!(step(&data, false), Step::Unit { end: length }, "{name} {length} {other:X}");
                }
            }
        }
    }
}

#[test]
fn runs_are_read_whole_at_every_alignment_and_cut_anywhere() {
    for (_, form) in forms_with_runs() {
        let mut chance = Chance(5);
        let lengths = (0..=LONGEST).chain(LONGER);
        for (length, padding) in lengths.flat_map(|length| (0..PADDING).map(move |padding| (length, padding))) {
            for on_fault in [OnFault::Replace, OnFault::Ignore, OnFault::SurrogateEscape] {
                let mut sample = Sample::new(on_fault);
                sample.add_text(&"a".repeat(padding));
                sample.add_run(&chance.run(&form, length));
                let behind = sample.data.len();
                if chance.below(4) > 0 {
                    sample.add_text("b");
                    let more = chance.below(LONGEST);
                    sample.add_run(&chance.run(&form, more));
                    sample.add_text(&"\u{1}\u{7F}".repeat(chance.below(50)));
                }
                sample.check_measured(&form);
                let end = sample.data.len();
                let cuts = [0, padding, end.min(padding + 1), behind, chance.below(end + 1), chance.below(end + 1)];
                cuts.into_iter().for_each(|cut| sample.check_cut(&form, cut));
            }
        }
    }
}

#[test]
fn runs_are_counted_once_each() {
    for (name, form) in forms_with_runs() {
        let mut chance = Chance(7);
        for most_text in [1, 8, 70, 700] {
            for longest in [1, 9, LONGEST, 10_000] {
                let (mut data, mut runs, mut strays) = (Vec::new(), 0, 0);
                while data.len() < 4 * BLOCKS_BYTES {
                    data.resize(data.len() + 1 + chance.below(most_text), b'a');
                    // Continuation bytes before a run are none of its members.
                    let before = chance.below(3);
                    data.resize(data.len() + before, 0x80);
                    let length = 1 + chance.below(longest);
                    data.extend(chance.run(&form, length));
                    (runs, strays) = (runs + 1, strays + before as u64);
                }
                for is_final in [true, false] {
                    let mut scan = Scan { form: &form, data: &data, is_final, at: 0, limit: data.len() };
                    let tally = scan.tally(&mut ());
                    let counted: Vec<_> = tally.counts().map(|(kind, count)| (kind.name(), count)).collect();
                    // What the input ends with may go on.
                    let certain = runs - u64::from(!is_final);
                    let expected = [("unexpected-continuation", strays), ("reserved", certain)];
                    assert_eq!(counted, expected, "{name} {most_text} {longest} {is_final}");
                    assert_eq!(scan.at == data.len(), is_final, "{name} {most_text} {longest}");
                }
            }
        }
    }
}
