//! The core without Python: the forms of `forms.json`, small cases from the documents that define them, and laws.

mod forms;

use std::collections::BTreeMap;

use eightfold_core::kernels::Level;
use eightfold_core::{
    Form, Halt, Measured, Missing, OnFault, Pass, Step, Text, TextBuffer, TextFault, Unwritten, Width, Writer,
    encode_text,
};
use forms::family;

fn decoded(form: &Form, data: &[u8], on_fault: OnFault) -> (Vec<u32>, Halt) {
    let mut points = Vec::new();
    let pass = Pass { form, data, is_final: true, largest: u32::MAX, on_fault };
    let halt = pass.run(0, &mut points);
    (points, halt)
}

#[test]
fn every_end_of_every_row_comes_back() {
    for (name, form) in family() {
        // The rows of `java` are only read.
        if name.ends_with("/java") {
            continue;
        }
        for row in &form.tables.rows {
            for point in [row.first, row.last, row.first + (row.last - row.first) / 2] {
                let mut data = Vec::new();
                assert!(form.write(point, &mut data), "{name} {point:X}");
                assert_eq!(
                    form.sequence_at(&data, 0, true),
                    Step::Value { end: data.len(), code_point: point },
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn utf_8_is_as_the_standard_library_has_it() {
    let utf_8 = &family()["utf-8"];
    let pieces: [&[u8]; 12] = [
        b"a",
        b"\xC2",
        b"\x80",
        b"\xE0",
        b"\xA0",
        b"\xED",
        b"\xED\x9F\xBF",
        b"\xF0",
        b"\x90",
        b"\xF4",
        b"\xFF",
        b"\xC3\xA9",
    ];
    for (one, two, three, four) in
        (0..12usize.pow(4)).map(|n| (pieces[n % 12], pieces[n / 12 % 12], pieces[n / 144 % 12], pieces[n / 1728]))
    {
        let data = [one, two, three, four].concat();
        let expected: Vec<u32> = String::from_utf8_lossy(&data).chars().map(u32::from).collect();
        assert_eq!(decoded(utf_8, &data, OnFault::Replace), (expected, Halt::End(data.len())), "{data:X?}");
    }
}

#[test]
fn a_surrogate_pair_is_what_each_document_says() {
    let family = family();
    let pair = b"\xED\xA0\xBD\xED\xB8\x80";
    let fault = |end| Halt::Fault { start: 0, end, code_point: None };
    assert_eq!(decoded(&family["cesu-8"], pair, OnFault::Stop), (vec![0x1F600], Halt::End(6)));
    assert_eq!(decoded(&family["mutf-8"], pair, OnFault::Stop), (vec![0x1F600], Halt::End(6)));
    assert_eq!(decoded(&family["generalized-utf-8"], pair, OnFault::Stop), (vec![0xD83D, 0xDE00], Halt::End(6)));
    assert_eq!(decoded(&family["wtf-8"], pair, OnFault::Stop), (vec![], fault(6)));
    assert_eq!(decoded(&family["utf-8"], pair, OnFault::Stop), (vec![], fault(1)));
    assert_eq!(decoded(&family["utf-8"], pair, OnFault::SurrogatePass).0, [0xD83D, 0xDE00]);
}

#[test]
fn what_a_form_shares_with_utf_8_is_derived() {
    let family = family();
    for (name, total) in [("utf-8", true), ("wtf-8", true), ("generalized-utf-8", true), ("utf-8-rfc2044", true)] {
        assert_eq!(family[name].agreement.is_total(), total, "{name}");
    }
    let parts = |name: &str, data: &[u8]| family[name].agreement.before_parting(data);
    assert_eq!(parts("cesu-8", b"ab\0\xC3\xA9\xF0\x9F\x98\x80"), 5);
    assert_eq!(parts("mutf-8", b"ab\0\xC3\xA9"), 2);
    assert_eq!(parts("xtf-8", b"\xEE\xBD\xBF\xEE\xBE\x80"), 3);
    assert_eq!(parts("corrected-utf-8", b"ab\x7F\xC3\xA9"), 3);
    assert_eq!(parts("utf-16-le", b"ab"), 0);
}

#[test]
fn short_bytes_are_measured_as_utf_8_only_where_the_form_reads_them_so() {
    let points = (0..0x1000).step_by(0x40).chain((0x1000..0x11_0000).step_by(0x400)).chain([0x7F, 0xEFC0, 0xFFFF]);
    let pieces: Vec<String> = points.filter_map(char::from_u32).map(String::from).collect();
    let frames: Vec<[String; 2]> = (0..70).step_by(23).map(|before| ["a".repeat(before), "b".repeat(40)]).collect();
    let mut measured = BTreeMap::new();
    for (name, form) in family() {
        for (piece, [before, behind]) in pieces.iter().flat_map(|piece| frames.iter().map(move |frame| (piece, frame)))
        {
            let text = [before, piece, behind].map(String::as_str).concat();
            for is_likely in [false, true] {
                if let Some(short) = Measured::of_short(text.as_bytes(), &form.agreement, is_likely) {
                    assert_eq!((short.text(), short.count()), (text.as_str(), text.chars().count()));
                    let expected = (text.chars().map(u32::from).collect(), Halt::End(text.len()));
                    assert_eq!(decoded(&form, text.as_bytes(), OnFault::Stop), expected, "{name} {text:?}");
                    *measured.entry(name.clone()).or_insert(0) += 1;
                }
            }
        }
    }
    if Level::current() != Level::Portable {
        let all = measured["utf-8"];
        assert!(
            ["cesu-8", "mutf-8", "xtf-8"].iter().all(|&name| (all / 20..all).contains(&measured[name])),
            "{measured:?}"
        );
    }
}

#[test]
fn the_narrowest_kind_is_found() {
    for (text, width, count) in [
        ("", Width::Ascii, 0),
        ("a\x7F", Width::Ascii, 2),
        ("ÿ", Width::Latin1, 1),
        ("Ā\u{FFFF}", Width::Ucs2, 2),
        ("😀é", Width::Ucs4, 2),
    ] {
        let measured = Measured::new(text.as_bytes());
        assert_eq!((measured.text(), measured.width(), measured.count()), (text, width, count));
    }
    assert_eq!(Measured::new(b"ab\xC3").text(), "ab");
}

#[test]
fn measuring_holds_at_every_border_of_its_blocks() {
    for character in ["a", "é", "漢", "😀"] {
        for shift in 0..5 {
            let text = "x".repeat(16384 - shift) + &character.repeat(6000);
            let measured = Measured::new(text.as_bytes());
            assert_eq!((measured.text(), measured.count()), (text.as_str(), text.chars().count()));
            let data = [text.as_bytes(), b"\x80"].concat();
            assert_eq!(Measured::new(&data).text(), text);
        }
    }
}

#[test]
fn faults_have_their_names() {
    let family = family();
    for (form, data, kind, end, code_point) in [
        ("utf-8", &b"\xC0\xAF"[..], "overlong", 2, Some(0x2F)),
        ("utf-8", b"\xED\xA0\x80", "surrogate", 3, Some(0xD800)),
        ("utf-8", b"\xF4\x90\x80\x80", "beyond-unicode", 4, Some(0x11_0000)),
        ("utf-8", b"\xE2\x82", "truncated", 2, None),
        ("utf-8", b"\x80", "unexpected-continuation", 1, None),
        ("utf-8", b"\xFF", "invalid-byte", 1, None),
        ("wtf-8", b"\xED\xA0\xBD\xED\xB8\x80", "surrogate-pair", 6, Some(0x1F600)),
        ("cesu-8", b"\xED\xA0\x80A", "unpaired-surrogate", 3, Some(0xD800)),
        ("mutf-8", b"\0", "raw-nul", 1, Some(0)),
        ("corrected-utf-8", b"\xFE\x80\xFFA", "reserved", 3, None),
        ("utf-16-le", b"\x00\xDCa\0", "unpaired-surrogate", 2, Some(0xDC00)),
        ("utf-32-be", b"\0\0\0", "odd-length", 3, None),
    ] {
        let fault = family[form].fault_at(data, 0, true).expect("a fault");
        assert_eq!((fault.kind.name(), fault.end, fault.code_point), (kind, end, code_point), "{form} {data:X?}");
    }
}

#[test]
fn a_str_widens_and_keeps_the_narrowest_kind() {
    let utf_8 = &family()["utf-8"];
    for (data, width) in
        [(&b"a\xFF"[..], Width::Ucs2), (b"\xC3\xA9a", Width::Latin1), (b"\xFF\xF0\x9F\x98\x80", Width::Ucs4)]
    {
        let mut buffer = TextBuffer::default();
        let pass = Pass { form: utf_8, data, is_final: true, largest: 0x10_FFFF, on_fault: OnFault::Replace };
        assert_eq!(pass.run(0, &mut buffer), Halt::End(data.len()));
        assert_eq!(buffer.width(), width);
        let points: Vec<u32> = (0..buffer.text().len()).map(|at| buffer.text().at(at)).collect();
        assert_eq!(points, String::from_utf8_lossy(data).chars().map(u32::from).collect::<Vec<_>>());
    }
}

#[test]
fn a_lead_waits_for_its_trail_in_a_conversion() {
    let family = family();
    let convert = |source: &str, target: &str, data: &[u8]| {
        let form = &family[target];
        let mut writer = Writer::new(form, Unwritten::Stop, Vec::new());
        let pass = Pass { form: &family[source], data, is_final: true, largest: u32::MAX, on_fault: OnFault::Stop };
        let halt = pass.run(0, &mut writer);
        writer.finish(data.len()).expect("no lead is left that the form lacks");
        (writer.out, halt)
    };
    assert_eq!(convert("generalized-utf-8", "wtf-8", b"\xED\xA0\xBD\xED\xB8\x80").0, "😀".as_bytes());
    assert_eq!(convert("wtf-8", "utf-16-be", "é😀".as_bytes()).0, b"\x00\xE9\xD8\x3D\xDE\x00");
    assert_eq!(convert("wtf-16-le", "wtf-8", b"\x3D\xD8a\0").0, b"\xED\xA0\xBDa");
    assert!(matches!(convert("wtf-8", "utf-8", b"a\xED\xA0\xBD").1, Halt::Unwritten(pending) if pending.start == 1));
}

#[test]
fn policies_on_encoding() {
    let utf_8 = &family()["utf-8"];
    let text = [0x61, 0xD800, 0xDC80, 0x62];
    let encode = |policy| {
        let mut out = Vec::new();
        encode_text(utf_8, Text::Four(&text), 0, policy, &mut out).map(|()| out)
    };
    assert_eq!(encode(Missing::Stop), Err(TextFault::Missing { start: 1, end: 3 }));
    assert_eq!(encode(Missing::Replace).as_deref(), Ok(&b"a??b"[..]));
    assert_eq!(encode(Missing::Ignore).as_deref(), Ok(&b"ab"[..]));
    assert_eq!(encode(Missing::SurrogatePass).as_deref(), Ok(&b"a\xED\xA0\x80\xED\xB2\x80b"[..]));
    assert_eq!(encode(Missing::BackslashReplace).as_deref(), Ok(&br"a\ud800\udc80b"[..]));
    assert_eq!(encode(Missing::SurrogateEscape), Err(TextFault::Missing { start: 1, end: 3 }));
}
