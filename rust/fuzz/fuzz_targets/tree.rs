//! Batches of a tree's files: exactly the files that are there, in their order, each counted or found as a judge says
//! that knows what was written; by one thread and by three; no link is followed and no pipe is waited for.

#![no_main]

use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use eightfold_core::Form;
use eightfold_fuzz::FORMS;
use eightfold_fuzz::draw::Draw;
use eightfold_fuzz::globs::Globs;
use eightfold_fuzz::grown::Grown;
use eightfold_fuzz::listed::{Asked, Chosen, Listed, Lister, Place, Says};
use eightfold_tree::{Batches, Examination, Rules, Selection, Taken, Walk, What};
use libfuzzer_sys::fuzz_target;

const SUSPECTS: [&[(u8, u8)]; 3] =
    [&[(0xC2, 0xC2), (0x80, 0x9F)], &[(0xE2, 0xE2), (0x80, 0x80), (0x90, 0xFF)], &[(0, 8)]];
const MARKS: [&[u8]; 2] = [b"\xEF\xBB\xBF", b"\xFF\xFE"];

fn asked(draw: &mut Draw<'_>) -> Asked {
    let of_bytes: Vec<_> = (0..FORMS.len()).filter(|&at| FORMS[at].tables.unit_bytes == 1).collect();
    let (form, flags) = (draw.one(&of_bytes), draw.byte());
    let is_set = |bit: u8| flags >> bit & 1 != 0;
    Asked {
        form,
        marks: MARKS.iter().filter(|_| is_set(0)).map(|mark| mark.to_vec()).collect(),
        may_differ: is_set(1),
        skips_binary: is_set(2),
        escapes: is_set(3),
        suspects: SUSPECTS.iter().filter(|_| is_set(4)).map(|ranges| ranges.to_vec()).collect(),
        lists: is_set(6),
        special: is_set(5).then(|| Globs::draw(draw)).into_iter().collect(),
    }
}

fn chosen(draw: &mut Draw<'_>) -> Chosen {
    // Each kind of selection once in four times: with all of them nothing would be left to list.
    let flags = draw.byte() & draw.byte();
    let mut drawn = |bit: u8| (flags >> bit & 1 != 0).then(|| Globs::draw(draw));
    let (include, exclude, configured_include, configured_exclude) = (drawn(0), drawn(1), drawn(2), drawn(3));
    let ignored = (flags >> 4 & 1 == 0).then(|| drawn(5).into_iter().chain(drawn(6)).collect());
    let (handed_back, temporary) = (b"h".to_vec(), b"~".to_vec());
    Chosen { include, exclude, configured_include, configured_exclude, ignored, handed_back, temporary }
}

fn rules(globs: &Globs) -> Rules {
    Rules::at_top(globs.lead(), globs.lines().iter().map(Vec::as_slice))
}

fn batches(top: &Path, asked: &Asked, chosen: &Chosen, threads: usize) -> Batches {
    let examination = Examination {
        form: FORMS[asked.form].clone(),
        marks: asked.marks.clone(),
        may_differ: asked.may_differ,
        skips_binary: asked.skips_binary,
        escapes: asked.escapes,
        suspects: asked.suspects.clone(),
        lists: asked.lists,
        special: asked.special.iter().map(rules).collect(),
    };
    let selection = Selection {
        include: chosen.include.as_ref().map(rules),
        exclude: chosen.exclude.as_ref().map(rules),
        configured_include: chosen.configured_include.as_ref().map(rules),
        configured_exclude: chosen.configured_exclude.as_ref().map(rules),
        ignored: chosen.ignored.as_ref().map(|all| all.iter().map(rules).collect()),
        handed_back: vec![chosen.handed_back.clone()],
        temporary: chosen.temporary.clone(),
    };
    let walk = Walk::new(top.as_os_str().as_bytes().to_vec(), selection);
    Batches::new(walk, examination, NonZeroUsize::new(threads).expect("some")).expect("threads")
}

fn says(what: What) -> Says {
    match what {
        What::File => Says::File,
        What::Text(bytes, beyond) => Says::Text(bytes, beyond),
        What::Folder => Says::Folder,
        What::Irregular => Says::Irregular,
        What::Unreadable(_) => Says::Unreadable,
    }
}

fn found(batches: &Batches) -> Listed {
    let mut listed = Listed::default();
    loop {
        match batches.take(Duration::from_secs(1)) {
            Taken::End => return listed,
            Taken::Later => {}
            Taken::Batch(batch) => {
                listed.clean += batch.clean;
                listed.binary += batch.binary;
                listed.bytes += batch.bytes;
                listed.left_out += batch.left_out;
                listed.places.extend(batch.findings.into_iter().map(|each| (each.path, each.inside, says(each.what))));
            }
        }
    }
}

/// Wait for the threads of batches that are taken or not wanted any more, which hold the form.
fn wait(form: &Arc<Form>) {
    while Arc::strong_count(form) > 1 {
        thread::yield_now();
    }
}

/// Compare all but the files of which more than one thing may be said: these are found, or counted as binary.
fn compare(found: Listed, expected: &Lister<'_>) {
    let (either, sure): (Vec<_>, Vec<_>) =
        found.places.into_iter().partition(|(path, _, says)| *says == Says::File && expected.open.contains(path));
    let mut listed = Listed { places: sure, ..found };
    assert!(either.len() <= expected.open.len());
    if !expected.open.is_empty() {
        assert_eq!(listed.binary - expected.listed.binary, expected.open.len() - either.len());
        (listed.binary, listed.bytes) = (expected.listed.binary, expected.listed.bytes);
    }
    assert_eq!(listed, expected.listed);
}

/// Patterns of which the judge does not know the meaning only take files away, and leave the others in order.
fn compare_with_all(found: &Listed, grown: &Grown, top: &Path, asked: &Asked, chosen: &Chosen) {
    let chosen = Chosen { ignored: None, ..chosen.clone() };
    let all = Lister::run(grown, top, asked, &chosen);
    let mut rest = all.listed.places.iter();
    let is_sure = |place: &&Place| place.2 != Says::Unreadable && !all.open.contains(&place.0);
    assert!(found.places.iter().filter(is_sure).all(|place| rest.any(|other| other == place)));
    assert!(found.clean <= all.listed.clean && found.binary <= all.listed.binary + all.open.len());
    assert!(found.left_out <= all.listed.left_out);
}

fuzz_target!(|input: &[u8]| {
    let mut draw = Draw(input);
    let (asked, chosen, way) = (asked(&mut draw), chosen(&mut draw), draw.byte());
    let grown = Grown::new(&mut draw);
    let top = grown.top(way & 1 != 0);
    if way & 0x1E == 0x1E {
        drop(batches(&top, &asked, &chosen, 2));
        return wait(&FORMS[asked.form]);
    }
    let once = found(&batches(&top, &asked, &chosen, 1));
    assert_eq!(once, found(&batches(&top, &asked, &chosen, 3)));
    wait(&FORMS[asked.form]);
    let expected = Lister::run(&grown, &top, &asked, &chosen);
    if expected.is_unknown {
        compare_with_all(&once, &grown, &top, &asked, &chosen);
    } else {
        compare(once, &expected);
    }
});
