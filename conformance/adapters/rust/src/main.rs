//! Rust's standard library and crates: `conformance-adapter std | bstr | encoding_rs | wtf8 | simd_cesu8 | cesu8`.
//! One request a line, one answer a line.

use std::io::{self, BufRead, Write};

use bstr::ByteSlice;
use encoding_rs::{CoderResult, DecoderResult, Encoding, UTF_16BE, UTF_16LE, UTF_8};
use serde_json::{json, Value};
use wtf8::{CodePoint, Wtf8, Wtf8Buf};

struct Request {
    form: String,
    op: String,
    input: String,
    chunks: Vec<usize>,
}

type Answer = Option<Value>;
type Program = (&'static str, &'static str, fn(&Request) -> Answer);

const PROGRAMS: [(&str, Program); 6] = [
    ("std", ("Rust std", env!("RUSTC_VERSION"), standard)),
    ("bstr", ("bstr (Rust)", "1.14.0", bytes)),
    ("encoding_rs", ("encoding_rs (Rust)", "0.8.44", encoding)),
    ("wtf8", ("wtf8 (Rust)", "0.1.0", wtf)),
    ("simd_cesu8", ("simd_cesu8 (Rust)", "1.2.0", simd)),
    ("cesu8", ("cesu8 (Rust)", "1.1.0", cesu)),
];

fn main() -> io::Result<()> {
    let asked = std::env::args().nth(1).unwrap_or_default();
    let Some((_, (name, version, answer))) = PROGRAMS.iter().find(|(name, _)| *name == asked)
    else {
        eprintln!("no such program: {asked}");
        std::process::exit(2);
    };
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let value: Value = serde_json::from_str(&line?)?;
        let said = if value["op"] == "hello" {
            json!({"name": name, "version": version})
        } else {
            answer(&request(&value)).unwrap_or_else(|| json!({"unsupported": true}))
        };
        writeln!(output, "{said}")?;
        output.flush()?;
    }
    Ok(())
}

fn request(value: &Value) -> Request {
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let sizes = value["chunks"].as_array().cloned().unwrap_or_default();
    let chunks = sizes
        .iter()
        .map(|size| size.as_u64().unwrap_or(0) as usize)
        .collect();
    Request {
        form: text("form"),
        op: text("op"),
        input: text("input"),
        chunks,
    }
}

impl Request {
    fn is(&self, form: &str, op: &str) -> bool {
        self.form == form && self.op == op
    }

    fn bytes(&self) -> Vec<u8> {
        let digit = |at: usize| u8::from_str_radix(&self.input[at..at + 2], 16).unwrap();
        (0..self.input.len()).step_by(2).map(digit).collect()
    }

    fn points(&self) -> Vec<u32> {
        self.input
            .split_whitespace()
            .map(|word| u32::from_str_radix(word, 16).unwrap())
            .collect()
    }

    /// The text, or the index of the first code point that is no `char`.
    fn text(&self) -> Result<String, usize> {
        let points = self.points();
        let text: Option<String> = points.iter().map(|point| char::from_u32(*point)).collect();
        text.ok_or_else(|| {
            points
                .iter()
                .position(|point| char::from_u32(*point).is_none())
                .unwrap()
        })
    }
}

fn points(points: impl Iterator<Item = u32>) -> Value {
    let words: Vec<String> = points.map(|point| format!("{point:X}")).collect();
    json!({"code_points": words.join(" ")})
}

fn chars(text: &str) -> Answer {
    Some(points(text.chars().map(u32::from)))
}

fn hex(bytes: &[u8]) -> Answer {
    let text: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    Some(json!({"bytes": text}))
}

fn refused() -> Answer {
    Some(json!({"error": []}))
}

fn standard(asked: &Request) -> Answer {
    let units = |order: fn([u8; 2]) -> u16| -> Vec<u16> {
        asked
            .bytes()
            .chunks_exact(2)
            .map(|pair| order([pair[0], pair[1]]))
            .collect()
    };
    match (asked.form.as_str(), asked.op.as_str()) {
        ("utf-8", "decode") => match std::str::from_utf8(&asked.bytes()) {
            Ok(text) => chars(text),
            Err(error) => {
                let start = error.valid_up_to();
                let end = error
                    .error_len()
                    .map_or(asked.input.len() / 2, |length| start + length);
                Some(json!({"error": [start, end]}))
            }
        },
        ("utf-8", "replace") => chars(&String::from_utf8_lossy(&asked.bytes())),
        ("utf-8", "encode") => match asked.text() {
            Ok(text) => hex(text.as_bytes()),
            Err(at) => Some(json!({"error": [at]})),
        },
        ("utf-16-le" | "utf-16-be", "decode" | "replace") if asked.input.len() % 4 == 0 => {
            let order = if asked.form == "utf-16-le" {
                u16::from_le_bytes
            } else {
                u16::from_be_bytes
            };
            let units = units(order);
            if asked.op == "replace" {
                return chars(&String::from_utf16_lossy(&units));
            }
            String::from_utf16(&units).map_or_else(|_| refused(), |text| chars(&text))
        }
        _ => None,
    }
}

fn bytes(asked: &Request) -> Answer {
    let data = asked.bytes_if_read()?;
    if asked.is("utf-8", "decode") {
        return match data.to_str() {
            Ok(text) => chars(text),
            Err(error) => {
                let start = error.valid_up_to();
                let end = error
                    .error_len()
                    .map_or(data.len(), |length| start + length);
                Some(json!({"error": [start, end]}))
            }
        };
    }
    asked
        .is("utf-8", "replace")
        .then(|| chars(&data.to_str_lossy()))
        .flatten()
}

impl Request {
    fn bytes_if_read(&self) -> Option<Vec<u8>> {
        (!self.op.starts_with("encode")).then(|| self.bytes())
    }
}

fn encoding(asked: &Request) -> Answer {
    let encoding: &'static Encoding = match asked.form.as_str() {
        "utf-8" | "utf-8-sig" => UTF_8,
        "utf-16-le" => UTF_16LE,
        "utf-16-be" => UTF_16BE,
        _ => return None,
    };
    let data = asked.bytes_if_read()?;
    let decoder = || match asked.form.as_str() {
        "utf-8-sig" => encoding.new_decoder_with_bom_removal(),
        _ => encoding.new_decoder_without_bom_handling(),
    };
    match asked.op.as_str() {
        "decode" => {
            let mut decoder = decoder();
            let mut text = String::with_capacity(
                decoder.max_utf8_buffer_length_without_replacement(data.len())?,
            );
            let (result, read) =
                decoder.decode_to_string_without_replacement(&data, &mut text, true);
            match result {
                DecoderResult::Malformed(length, after) => {
                    let end = read - usize::from(after);
                    Some(json!({"error": [end - usize::from(length), end]}))
                }
                _ => chars(&text),
            }
        }
        "replace" => decoded_in_pieces(decoder(), &data, &[data.len()]),
        "decode-stream" => decoded_in_pieces(decoder(), &data, &asked.chunks),
        _ => None,
    }
}

fn decoded_in_pieces(mut decoder: encoding_rs::Decoder, data: &[u8], sizes: &[usize]) -> Answer {
    let mut text = String::with_capacity(16 * data.len() + 64);
    let mut at = 0;
    for (place, size) in sizes.iter().enumerate() {
        let last = place + 1 == sizes.len();
        let (result, ..) = decoder.decode_to_string(&data[at..at + size], &mut text, last);
        assert_eq!(result, CoderResult::InputEmpty);
        at += size;
    }
    chars(&text)
}

/// The crate has no check of bytes that come from outside, so only its encoder is asked.
fn wtf(asked: &Request) -> Answer {
    if asked.form != "wtf-8" || !asked.op.starts_with("encode") {
        return None;
    }
    let points: Option<Vec<CodePoint>> = asked
        .points()
        .into_iter()
        .map(CodePoint::from_u32)
        .collect();
    let Some(points) = points else {
        let at = asked
            .points()
            .iter()
            .position(|point| CodePoint::from_u32(*point).is_none());
        return Some(json!({"error": [at]}));
    };
    let mut whole = Wtf8Buf::new();
    if asked.op == "encode" {
        whole.extend(points);
    } else {
        let mut at = 0;
        for size in &asked.chunks {
            let part: Wtf8Buf = points[at..at + size].iter().copied().collect();
            whole.push_wtf8(&part);
            at += size;
        }
    }
    hex(bytes_of(&whole))
}

/// The crate shows no bytes. Its type is a slice of bytes and nothing else, which the length confirms.
fn bytes_of(text: &Wtf8) -> &[u8] {
    // SAFETY: in version 0.1.0, which Cargo.toml pins, `Wtf8` has one field, `bytes: [u8]`.
    let bytes = unsafe { std::mem::transmute::<&Wtf8, &[u8]>(text) };
    assert_eq!(bytes.len(), text.len());
    bytes
}

fn simd(asked: &Request) -> Answer {
    use simd_cesu8::mutf8;
    match (asked.form.as_str(), asked.op.as_str()) {
        ("cesu-8", "decode") => simd_cesu8::decode_strict(&asked.bytes())
            .map_or_else(|_| refused(), |text| chars(&text)),
        ("cesu-8", "replace") => chars(&simd_cesu8::decode_lossy_strict(&asked.bytes())),
        ("mutf-8", "decode") => {
            mutf8::decode_strict(&asked.bytes()).map_or_else(|_| refused(), |text| chars(&text))
        }
        ("mutf-8", "replace") => chars(&mutf8::decode_lossy_strict(&asked.bytes())),
        ("cesu-8", "encode") => asked
            .text()
            .map_or_else(|_| None, |text| hex(&simd_cesu8::encode(&text))),
        ("mutf-8", "encode") => asked
            .text()
            .map_or_else(|_| None, |text| hex(&mutf8::encode(&text))),
        _ => None,
    }
}

fn cesu(asked: &Request) -> Answer {
    match (asked.form.as_str(), asked.op.as_str()) {
        ("cesu-8", "decode") => {
            cesu8::from_cesu8(&asked.bytes()).map_or_else(|_| refused(), |text| chars(&text))
        }
        ("mutf-8", "decode") => {
            cesu8::from_java_cesu8(&asked.bytes()).map_or_else(|_| refused(), |text| chars(&text))
        }
        ("cesu-8", "encode") => asked
            .text()
            .map_or_else(|_| None, |text| hex(&cesu8::to_cesu8(&text))),
        ("mutf-8", "encode") => asked
            .text()
            .map_or_else(|_| None, |text| hex(&cesu8::to_java_cesu8(&text))),
        _ => None,
    }
}
