//! Faults found and counted, compared with the diagnosis at each of them; and inputs split into pieces.

use std::collections::BTreeMap;

use std::num::NonZeroUsize;

use eightfold_core::{FaultRow, Form, Halt, Kind, OnFault, PIECE_BYTES, Pass, Scan, Verdict, by_threads};

mod forms;

/// The kinds and spans of the faults, one by one.
fn each(form: &Form, data: &[u8]) -> Vec<(&'static str, usize, usize)> {
    let pass = Pass { form, data, is_final: true, largest: u32::MAX, on_fault: OnFault::Stop };
    let (mut found, mut at) = (Vec::new(), 0);
    while let Halt::Fault { start, .. } = pass.run(at, &mut ()) {
        let fault = form.fault_at(data, start, true).expect("a fault");
        found.push((fault.kind.name(), start, fault.end));
        at = fault.end;
    }
    found
}

fn scan<'a>(form: &'a Form, data: &'a [u8]) -> Scan<'a> {
    Scan { form, data, is_final: true, at: 0, limit: data.len() }
}

fn counted(form: &Form, data: &[u8]) -> BTreeMap<&'static str, u64> {
    let mut scan = scan(form, data);
    let tally = scan.tally(&mut ());
    assert_eq!(scan.at, data.len());
    tally.counts().map(|(kind, count)| (kind.name(), count)).collect()
}

/// As `each`, but each is looked for nearby first.
fn each_nearby(form: &Form, data: &[u8]) -> Vec<(&'static str, usize, usize)> {
    let mut scan = scan(form, data);
    std::iter::from_fn(|| scan.near_fault().or_else(|| scan.next_fault(&mut ())))
        .map(|fault| (fault.kind.name(), fault.start, fault.end))
        .collect()
}

fn check(name: &str, form: &Form, data: &[u8]) {
    let mut expected = BTreeMap::new();
    let all = each(form, data);
    assert_eq!(each_nearby(form, data), all, "{name} {:X?}", &data[..data.len().min(4000)]);
    for (kind, start, end) in all {
        *expected.entry(kind).or_insert(0) += 1;
        match form.verdict_at(data, start) {
            Verdict::Fault(named, units) => {
                let span = (named.name(), start + usize::from(units) * form.tables.unit_bytes);
                assert_eq!(span, (kind, end), "{name} {data:X?} {start}");
            }
            Verdict::Unknown => {}
            other => panic!("{name} {data:X?} {start}: {other:?}"),
        }
    }
    assert_eq!(counted(form, data), expected, "{name} {:X?}", &data[..data.len().min(4000)]);
}

/// The ends of all ranges of a form's tables.
fn edges(form: &Form) -> Vec<Vec<u8>> {
    let rows = form.tables.rows.iter().map(|row| &row.ranges);
    let named = form.tables.units.iter().chain(&form.tables.names);
    let ranges = rows.chain(named.flat_map(|row| [&row.ranges, &row.run]));
    let mut edges: Vec<u32> = ranges.flatten().flat_map(|&(low, high)| [low, high]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges.into_iter().map(|unit| bytes_of(form, unit)).collect()
}

fn bytes_of(form: &Form, unit: u32) -> Vec<u8> {
    let mut bytes = unit.to_le_bytes()[..form.tables.unit_bytes].to_vec();
    if form.tables.big_endian {
        bytes.reverse();
    }
    bytes
}

#[test]
fn short_inputs_of_every_form() {
    for (name, form) in &forms::family() {
        let edges = edges(form);
        for first in &edges {
            for second in &edges {
                check(name, form, &[&first[..], second].concat());
                for third in &edges {
                    check(name, form, &[&first[..], second, third].concat());
                    check(name, form, &[&first[..], second, third, first].concat());
                }
            }
        }
    }
}

/// Pseudo-random numbers, the same in each run.
fn random_numbers() -> impl FnMut(usize) -> usize {
    let mut state = 1u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

#[test]
fn flocks_of_faults_with_text_between() {
    let mut random = random_numbers();
    for (name, form) in &forms::family() {
        let edges = edges(form);
        let plain = bytes_of(form, 0x61);
        for _ in 0..60 {
            let mut data = Vec::new();
            while data.len() < 3000 {
                (0..random(200)).for_each(|_| data.extend(&plain));
                (0..random(40)).for_each(|_| data.extend(&edges[random(edges.len())]));
            }
            let cut = data.len() - random(4);
            check(name, form, &data[..cut]);
        }
    }
}

/// From some size on, faults are counted block by block, if the form allows it.
#[test]
fn faults_are_counted_in_blocks_as_one_by_one() {
    let mut random = random_numbers();
    for (name, form) in &forms::family() {
        let (edges, plain) = (edges(form), bytes_of(form, 0x61));
        for gap in [0, 1, 3, 10, 100] {
            let mut data = Vec::new();
            while data.len() < 70_000 {
                (0..random(2 * gap + 1)).for_each(|_| data.extend(&plain));
                // Few different bytes for a while, so that longer faults occur.
                let few: Vec<_> = (0..3).map(|_| &edges[random(edges.len())]).collect();
                (0..1 + random(20)).for_each(|_| data.extend(few[random(3)]));
            }
            check(name, form, &data);
        }
    }
}

#[test]
fn pairs_are_known_wherever_a_block_ends() {
    let family = forms::family();
    let (pair, lead, trail) = (b"\xED\xA0\xBD\xED\xB8\x80", b"\xED\xA0\xBD", b"\xED\xB8\x80");
    for name in ["cesu-8", "mutf-8", "wtf-8"] {
        for padding in 0..64 {
            let mut data = b"a".repeat(padding);
            for round in 0..7500 {
                data.extend(pair);
                let more: &[u8] = match round % 50 {
                    10 => lead,
                    20 => trail,
                    30 => b"\xED\xA0",
                    _ => b"abc",
                };
                data.extend(more);
            }
            check(name, &family[name], &data);
        }
    }
}

#[test]
fn what_is_held_back_is_not_counted() {
    let family = forms::family();
    let mut scan = Scan { is_final: false, ..scan(&family["utf-8"], b"a\xFF\xE2\x82") };
    let tally = scan.tally(&mut ());
    assert_eq!(scan.at, 2);
    assert!(scan.near_fault().is_none() && scan.at == 2);
    assert_eq!(tally.counts().map(|(kind, count)| (kind.name(), count)).collect::<Vec<_>>(), [("invalid-byte", 1)]);
}

#[test]
fn a_fault_is_found_however_far_it_is() {
    let family = forms::family();
    for name in ["utf-8", "wtf-8", "cesu-8"] {
        for (before, far) in ["a", "é", "中"].iter().flat_map(|text| [0, 1, 63, 64, 511, 16_384].map(|far| (text, far)))
        {
            for behind in [&b""[..], b"a", b"\xED\xA0\x80a\xFFb", b"\xE2\x82"] {
                let data = [before.repeat(far).as_bytes(), b"\xFF", before.repeat(far).as_bytes(), behind].concat();
                check(name, &family[name], &data);
            }
        }
    }
}

#[test]
fn a_fault_that_is_longer_than_what_is_looked_at_is_counted() {
    let mut tables = forms::form("utf-8").tables;
    let ranges = [vec![(0xFF, 0xFF)], vec![(0x80, 0xBF); 11]].concat();
    tables.names.push(FaultRow {
        kind: Kind::from_name("too-long").expect("a kind"),
        ranges,
        meant: None,
        run: Vec::new(),
    });
    let form = Form::new(tables).expect("a small form");
    for (between, behind) in (55..70).flat_map(|between| [0, 1, 60, 200].map(|behind| (between, behind))) {
        let data = [b"\xFF", &[b'b'; 70][..between], b"\xFF", &[0x80; 11], &[b'c'; 200][..behind]].concat();
        check("too long", &form, &data);
    }
}

#[test]
fn pieces_mean_apart_what_they_mean_together() {
    let mut random = random_numbers();
    for (name, form) in &forms::family() {
        let edges = edges(form);
        let (mut data, plain) = (Vec::new(), bytes_of(form, 0x61));
        while data.len() < 3 * PIECE_BYTES + 5000 {
            (0..random(3000)).for_each(|_| data.extend(&plain));
            (0..random(40)).for_each(|_| data.extend(&edges[random(edges.len())]));
        }
        let pieces: Vec<_> = form.pieces(&data, 0).collect();
        assert!(pieces.len() >= 3, "{name}");
        assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].start));
        let found = by_threads(NonZeroUsize::new(3).expect("three"), &pieces, |piece| {
            let mut part = Scan { at: piece.start, limit: piece.end, ..scan(form, &data) };
            let faults: Vec<_> =
                std::iter::from_fn(|| part.near_fault().or_else(|| part.next_fault(&mut ()))).collect();
            let tally = Scan { at: piece.start, ..part }.tally(&mut ());
            (part.at, faults, tally)
        });
        assert!(found.iter().zip(&pieces).all(|((at, ..), piece)| *at == piece.end), "{name}");
        let together: Vec<_> = scan(form, &data).collect();
        assert_eq!(found.iter().flat_map(|(_, faults, _)| faults.clone()).collect::<Vec<_>>(), together, "{name}");
        let mut sum = eightfold_core::Tally::default();
        found.iter().for_each(|(.., tally)| sum.add(tally));
        assert_eq!(sum, scan(form, &data).tally(&mut ()), "{name}");
    }
}

#[test]
fn what_follows_the_input_decides_nothing_in_a_part_that_ends_before() {
    let form = forms::form("utf-8");
    let mut part = Scan { is_final: false, limit: 3, ..scan(&form, b"a\xE2\x82b\xE2") };
    let fault = part.next_fault(&mut ()).expect("a fault");
    assert_eq!((fault.start, fault.end), (1, 3));
    assert!(part.is_clean() && part.at == 3);
}
