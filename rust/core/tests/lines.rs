//! Counting line feeds, compared with an examination of each code unit.

mod forms;

use eightfold_core::{Form, LinePlace};

fn looked_for(data: &[u8], feed: &[u8]) -> (usize, usize) {
    let units = data.chunks_exact(feed.len()).enumerate().filter(|(_, unit)| *unit == feed);
    units.fold((0, 0), |(count, _), (index, _)| (count + 1, (index + 1) * feed.len()))
}

fn feed_of(form: &Form) -> Vec<u8> {
    let mut feed = Vec::new();
    assert!(form.write(0x0A, &mut feed));
    feed
}

#[test]
fn all_line_feeds_are_counted_and_the_last_is_found() {
    for (name, form) in &forms::family() {
        let feed = feed_of(form);
        let other: Vec<u8> = feed.iter().map(|byte| byte ^ 1).collect();
        for count in (0..10).chain([191, 192, 193, 383, 6143, 6144, 6145, 12_288, 20_000]) {
            for step in [1, 2, 3, 191, 192, 193, 6144, 6145] {
                let units = (0..count).flat_map(|at| if at % step == step - 1 { &feed } else { &other });
                let data: Vec<u8> = units.copied().collect();
                assert_eq!(form.line_feeds(&data), looked_for(&data, &feed), "{name} {count} {step}");
            }
        }
    }
}

#[test]
fn a_feed_across_units_is_none() {
    let family = forms::family();
    assert_eq!(family["utf-16-be"].line_feeds(b"\x0A\x00\x0A\x00"), (0, 0));
    assert_eq!(family["utf-16-le"].line_feeds(b"\x0A\x00\x0A"), (1, 2));
}

#[test]
fn a_place_is_that_of_the_whole_wherever_it_is_cut() {
    let family = forms::family();
    let (form, data) = (&family["utf-8"], b"one\n\ntwo\nthree");
    for cut in 0..=data.len() {
        let (mut whole, mut first, mut second) = (LinePlace::START, LinePlace::START, LinePlace::START);
        whole.pass_over(form, data);
        first.pass_over(form, &data[..cut]);
        second.pass_over(form, &data[cut..]);
        assert_eq!((whole.line, whole.column), (4, 6));
        assert_eq!(second.behind(first), whole);
    }
}
