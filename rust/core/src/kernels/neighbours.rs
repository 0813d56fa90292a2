//! Rules about two neighbouring bytes, eight at most, that show what is invalid: as tables of sixteen bytes, which the
//! instruction sets look up for all bytes of a vector at once.
//!
//! A rule tests three half bytes: both of the first byte, and the upper one of the second. It is a set of values for
//! each, and one bit in three tables: it applies where all three have the bit (Keiser and Lemire, "Validating UTF-8 in
//! less than one instruction per byte").

use crate::derive::layout::Layout;

/// A set of half bytes, one bit each.
type Halves = u16;
const ANY: Halves = 0xFFFF;
const CONTINUATION: Halves = 0x0F00;
const ASCII: Halves = 0x00FF;
const LEAD: Halves = 0xF000;

/// The upper and the lower halves of the first byte, and the upper halves of the second.
type Rule = [Halves; 3];

/// The most rules about lead bytes and their continuation bytes among those of [`sides`].
const MOST: usize = 5;

/// Rules about invalid neighbouring bytes: some about lead bytes and their continuation bytes, and those that hold in
/// any layout.
const fn sides(of_leads: [Rule; MOST]) -> [Rule; 8] {
    let [first, second, third, fourth, fifth] = of_leads;
    // A byte other than a continuation byte after a lead byte, and a continuation byte after ASCII.
    let [open, stray] = [[LEAD, ANY, !CONTINUATION], [ASCII, ANY, CONTINUATION]];
    // Two continuation bytes: valid exactly where an earlier lead byte requires the second.
    [first, second, third, fourth, fifth, open, stray, [CONTINUATION, ANY, CONTINUATION]]
}

/// The bit of the rule about two continuation bytes.
pub const TWO: u8 = 0x80;

/// The rules of UTF-8. Those about lead bytes list the continuation bytes that must not follow.
pub static UTF_8: [[u8; 16]; 3] = tables(&sides([
    // C0 and C1.
    [1 << 0xC, 1 | 1 << 1, CONTINUATION],
    // E0 before 80 to 9F, and ED before A0 to BF.
    [1 << 0xE, 1, 1 << 8 | 1 << 9],
    [1 << 0xE, 1 << 0xD, 1 << 0xA | 1 << 0xB],
    // F0 before 80 to 8F, F4 before 90 to BF, and what is larger before any.
    [1 << 0xF, 0xFFE1, 1 << 8],
    [1 << 0xF, 0xFFF0, CONTINUATION & !(1 << 8)],
]));

/// The tables of the rules about the second bytes of a layout, and of those of [`sides`], some of which may apply to
/// well-formed text. The number has the bits of the former that apply to some valid second byte too, or to one with
/// which a sequence parts.
#[cold]
pub fn derived(layout: &Layout) -> ([[[u8; 16]; 3]; 2], u8) {
    let (mut exact, mut few) = ([[0; 3]; 8], [[0; 3]; MOST]);
    for rules in [&mut exact[..], &mut few[..]] {
        let seconds = seconds(layout, rules.len());
        rules[..seconds.len()].copy_from_slice(&seconds);
    }
    let may_part = |lead: u8| layout.kinds.of(lead) & Layout::SECOND_PARTS != 0;
    let is_coarse = |rule: &Rule| pairs(rule).any(|(lead, half)| takes(layout, lead, half, true) || may_part(lead));
    let coarse = exact.iter().enumerate().fold(0, |bits, (at, rule)| bits | u8::from(is_coarse(rule)) << at);
    ([tables(&exact), tables(&sides(few))], coarse)
}

/// The rules for lead bytes and the continuation bytes that they do not take, at most `most`: if that is too few, some
/// rules apply to valid pairs too.
fn seconds(layout: &Layout, most: usize) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for (upper, half) in (0xC..=0xF).flat_map(|upper| (0x8..=0xB).map(move |half| (upper, half))) {
        let refuse = |&lower: &u8| !takes(layout, upper << 4 | lower, half, false);
        let lowers = (0..16).filter(refuse).fold(0, |halves, lower| halves | 1 << lower);
        match rules.iter_mut().find(|rule| rule[..2] == [1 << upper, lowers]) {
            Some(rule) => rule[2] |= 1 << half,
            None if lowers != 0 => rules.push([1 << upper, lowers, 1 << half]),
            None => {}
        }
    }
    while rules.len() > most {
        // Two rules have the same upper half, which is one of four.
        let with_others = (1..rules.len()).flat_map(|at| (0..at).map(move |other| [at, other]));
        let joined = with_others.filter(|&[at, other]| rules[at][0] == rules[other][0]);
        let joined =
            joined.map(|[at, other]| (at, other, [0, 1, 2].map(|place| rules[at][place] | rules[other][place])));
        let Some((at, other, rule)) = joined.min_by_key(|(_, _, rule)| pairs(rule).count()) else { break };
        rules[other] = rule;
        rules.remove(at);
    }
    rules
}

/// The first bytes that a rule applies to, each with the upper halves of the second bytes.
fn pairs(&[uppers, lowers, halves]: &Rule) -> impl Iterator<Item = (u8, u8)> {
    let of = |set: Halves| (0..16_u8).filter(move |half| set >> half & 1 != 0);
    of(uppers)
        .flat_map(move |upper| of(lowers).map(move |lower| upper << 4 | lower))
        .flat_map(move |byte| of(halves).map(move |half| (byte, half)))
}

/// Whether a lead byte takes some, or all, second bytes with an upper half.
fn takes(layout: &Layout, lead: u8, half: u8, some: bool) -> bool {
    let low = layout.second_low.of(lead);
    let high = low.saturating_add(layout.second_span.of(lead));
    let (first, last) = (half << 4, half << 4 | 0xF);
    if some { low <= last && first <= high } else { low <= first && last <= high }
}

/// For each half byte, the rules that have it in each of the three positions.
const fn tables(rules: &[Rule; 8]) -> [[u8; 16]; 3] {
    let mut tables = [[0; 16]; 3];
    let mut at = 0;
    while at < 3 * 8 * 16 {
        let (place, rule, half) = (at / 128, at / 16 % 8, at % 16);
        tables[place][half] |= ((rules[rule][place] >> half & 1) as u8) << rule;
        at += 1;
    }
    tables
}
