//! Dirty text of random density, in ASCII of every length up to two blocks, is read as the automaton alone reads it, whole
//! and in two pieces, wherever it is cut.

mod forms;

use eightfold_core::{Form, Halt, OnFault, Pass, TextBuffer};
use forms::family;

const PADDING: usize = 128;
const POLICIES: [OnFault; 5] =
    [OnFault::Replace, OnFault::Ignore, OnFault::SurrogateEscape, OnFault::BackslashReplace, OnFault::SurrogatePass];

struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }
}

/// What two pieces give, cut at an offset; the second begins where the first was certain.
fn read(form: &Form, data: &[u8], cut: usize, on_fault: OnFault) -> (Vec<u32>, Halt) {
    let mut buffer = TextBuffer::default();
    let pass = |data, is_final| Pass { form, data, is_final, largest: 0x10_FFFF, on_fault };
    let mut halt = pass(&data[..cut], false).run(0, &mut buffer);
    if let Halt::End(at) = halt {
        halt = pass(data, true).run(at, &mut buffer);
    }
    ((0..buffer.text().len()).map(|at| buffer.text().at(at)).collect(), halt)
}

fn add_unit(form: &Form, unit: u32, data: &mut Vec<u8>) {
    let (width, bytes) = (form.tables.unit_bytes, unit.to_le_bytes());
    if form.tables.big_endian { data.extend(bytes[..width].iter().rev()) } else { data.extend(&bytes[..width]) }
}

/// The same ill-formed sequence that has a name, or the beginning of it, again and again, perhaps with text between.
fn add_flock(form: &Form, chance: &mut Chance, data: &mut Vec<u8>) {
    let named: Vec<_> = form.tables.units.iter().chain(&form.tables.names).collect();
    if named.is_empty() {
        return;
    }
    let ranges = &named[chance.below(named.len())].ranges;
    let (length, gap) = (1 + chance.below(ranges.len()), [0, 0, 1, 20][chance.below(4)]);
    for _ in 0..chance.below(9) {
        for &(low, high) in &ranges[..length] {
            add_unit(form, if chance.below(2) == 0 { low } else { high }, data);
        }
        (0..gap).for_each(|_| add_unit(form, 0x61, data));
    }
}

/// Padding, well-formed sequences with dirt among them, and padding.
fn drawn(form: &Form, chance: &mut Chance, padding: usize) -> Vec<u8> {
    let rows = &form.tables.rows;
    let density = [1, 2, 10, 40][chance.below(4)];
    let usual = rows[chance.below(rows.len())].first;
    let mut data = Vec::new();
    let pad = |data: &mut Vec<u8>| (0..padding).for_each(|_| assert!(form.write(0x61, data)));
    pad(&mut data);
    for _ in 0..chance.below(60) {
        match chance.below(density + 3) {
            0 => {
                let row = &rows[chance.below(rows.len())].ranges;
                let bytes = row.iter().map(|range| range.0 as u8);
                data.extend(bytes.take(1 + chance.below(row.len())));
            }
            1 => data.push(0x80 | chance.below(128) as u8),
            3 => add_flock(form, chance, &mut data),
            2 => _ = form.write(rows[chance.below(rows.len())].last, &mut data),
            _ => _ = form.write(usual, &mut data),
        }
    }
    pad(&mut data);
    data
}

#[test]
fn dirty_text_is_read_as_the_automaton_reads_it() {
    let mut bare_family = family();
    for (name, form) in family() {
        let mut bare = bare_family.remove(&name).expect("the same family");
        (bare.layout, bare.wide) = (None, None);
        let mut chance = Chance(5);
        for padding in 0..=PADDING / form.tables.unit_bytes {
            let data = drawn(&form, &mut chance, padding);
            let on_fault = POLICIES[padding % POLICIES.len()];
            let expected = read(&bare, &data, 0, on_fault);
            for cut in 0..=data.len() {
                assert_eq!(read(&form, &data, cut, on_fault), expected, "{name} {on_fault:?} cut at {cut}: {data:X?}");
            }
        }
    }
}
