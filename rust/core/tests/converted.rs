//! Long bytes of one form in another, chunk by chunk: what their code points are in it, whatever stands at a border
//! between chunks, and whatever the chunks before and behind are like.

mod forms;

use eightfold_core::kernels::Level;
use eightfold_core::{CHUNK_BYTES, Form, Halt, OnFault, Pass, Unwritten, Writer};
use forms::family;

const SOURCES: [&str; 6] = ["utf-8", "wtf-8", "cesu-8", "mutf-8", "xtf-8", "corrected-utf-8"];
const TARGETS: [&str; 2] = ["wtf-16-le", "generalized-utf-8"];
const POLICIES: [OnFault; 5] =
    [OnFault::Stop, OnFault::Replace, OnFault::Ignore, OnFault::SurrogateEscape, OnFault::BackslashReplace];

/// Words for the first chunk, for the second and for what is behind it: chunks become wider and narrower.
const WORDS: [[&str; 3]; 6] = [
    ["слово ", "слово ", "слово "],
    ["नमस्ते ", "😀😁 ", "漢字"],
    ["😀😁 ", "slovo ", "😀😁 "],
    ["café ", "слово ", "café "],
    ["漢字", "café ", "words "],
    ["words ", "漢字 ", "😀😁 "],
];

/// What stands at the border: sequences of each length, halves of a pair and a pair, and what is ill-formed in some
/// forms.
const ODD: [&[u8]; 11] = [
    b"",
    b"a",
    "é".as_bytes(),
    "漢".as_bytes(),
    "😀".as_bytes(),
    b"\xED\xA0\xBD",
    b"\xED\xA0\xBD\xED\xB8\x80",
    b"\xC0\x80\0",
    b"\xF0\x9F\x98",
    b"\xFF\x80",
    b"\xEE\xBE\x80",
];

/// So many bytes of words in a form, whole ones.
fn words(form: &Form, word: &str, count: usize) -> Vec<u8> {
    let (points, mut one): (Vec<u32>, _) = (word.chars().map(u32::from).collect(), Vec::new());
    assert!(form.write_all(&points, &mut one), "{word}");
    one.repeat(count / one.len())
}

/// Three chunks with something odd, which begins at an offset.
fn chunks(form: &Form, texts: [&str; 3], odd: &[u8], at: usize) -> Vec<u8> {
    let mut data = words(form, texts[0], CHUNK_BYTES / 2);
    data.extend(words(form, texts[1], at - data.len()));
    data.resize(at, b'.');
    data.extend(odd);
    data.extend(words(form, texts[2], 9 * CHUNK_BYTES / 4 - data.len()));
    data
}

/// Convert some bytes under each policy, and return how many conversions were compared: not where the target lacks
/// something.
fn check(source: &Form, target: &Form, data: &[u8], told: &str) -> usize {
    let compared = POLICIES.into_iter().filter(|&on_fault| {
        let pass = Pass { form: source, data, is_final: true, largest: u32::MAX, on_fault };
        let (mut points, mut expected) = (Vec::new(), Vec::new());
        let halt = pass.run(0, &mut points);
        if !target.write_all(&points, &mut expected) {
            return false;
        }
        let mut writer = Writer::new(target, Unwritten::Stop, Vec::new());
        assert_eq!(pass.run(0, &mut writer), halt, "{told}, {on_fault:?}");
        writer.finish(data.len()).expect("the form has leads");
        assert!(writer.out == expected, "{told}, {on_fault:?}");
        if let Halt::End(end) = halt {
            assert_eq!(end, data.len(), "{told}");
        }
        true
    });
    compared.count()
}

#[test]
fn whatever_stands_at_a_border_between_chunks_is_converted() {
    let family = family();
    // Only where no kernel is are some chunks read in another way than others.
    let step = if Level::current() == Level::Portable { 1 } else { 4 };
    let (mut all, mut compared) = (0, 0);
    for (name, texts) in SOURCES.into_iter().flat_map(|name| WORDS.map(|texts| (name, texts))) {
        for (number, odd) in ODD.into_iter().enumerate() {
            for border in [CHUNK_BYTES, 2 * CHUNK_BYTES] {
                for at in (border - 7..=border + 1).step_by(step) {
                    let (data, target) = (chunks(&family[name], texts, odd, at), TARGETS[(number + at) % 2]);
                    let told = format!("{name}, {texts:?}, {odd:X?} at {at} to {target}");
                    compared += check(&family[name], &family[target], &data, &told);
                    all += POLICIES.len();
                }
            }
        }
    }
    assert!(compared > all * 9 / 10, "{compared} of {all}");
}

/// Where much is read by itself among words, blocks are read, and what is ill-formed in these has its answer.
#[test]
fn faults_among_many_surrogates_are_converted() {
    let family = family();
    for source in ["wtf-8", "generalized-utf-8", "mutf-8"] {
        let mut data = words(&family[source], "слово ", CHUNK_BYTES);
        for fault in ODD {
            for (surrogates, letters) in (1..12).flat_map(|count| (0..12).map(move |letters| (count, letters))) {
                data.extend(b"\xED\xB7\x8C".repeat(surrogates));
                data.extend(fault);
                data.extend(b"abc".repeat(letters));
            }
        }
        for target in ["wtf-8", "generalized-utf-8", "wtf-16-le"] {
            let compared = check(&family[source], &family[target], &data, &format!("{source} to {target}"));
            assert_eq!(compared, POLICIES.len(), "{source} to {target}");
        }
    }
}
