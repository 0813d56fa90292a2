use eightfold_core::*;
use std::mem::MaybeUninit;
use std::time::Instant;
#[path = "../tests/forms/mod.rs"]
mod forms;
fn time(bytes: usize, mut f: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..7 {
        let n = (20_000_000 / bytes).max(1);
        let t = Instant::now();
        for _ in 0..n {
            f();
        }
        best = best.min(t.elapsed().as_secs_f64() / n as f64);
    }
    bytes as f64 / best / 1e9
}
fn main() {
    let family = forms::family();
    let dir = std::env::args().nth(1).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    for path in names {
        let mut data = std::fs::read(&path).unwrap();
        data.truncate(1 << 20);
        while std::str::from_utf8(&data).is_err() {
            data.pop();
        }
        let m = Measured::new(&data);
        let old = time(data.len(), || {
            std::hint::black_box(Measured::new(std::hint::black_box(&data)));
        });
        let old_w = match m.width() {
            Width::Ascii | Width::Latin1 => {
                let mut v = vec![MaybeUninit::<u8>::new(0); m.count()];
                time(data.len(), || m.write_latin1(&mut v))
            }
            Width::Ucs2 => {
                let mut v = vec![MaybeUninit::<u16>::new(0); m.count()];
                time(data.len(), || m.write_ucs2(&mut v))
            }
            Width::Ucs4 => {
                let mut v = vec![MaybeUninit::<u32>::new(0); m.count()];
                time(data.len(), || m.write_ucs4(&mut v))
            }
        };
        print!("{:24} old {old:6.1} {old_w:6.1} ", path.file_name().unwrap().to_str().unwrap());
        for (name, answer) in [
            ("utf-8", Answer::Stop),
            ("utf-8", Answer::Replace),
            ("wtf-8", Answer::Stop),
            ("xtf-8", Answer::Stop),
            ("cesu-8", Answer::Stop),
            ("corrected-utf-8", Answer::Stop),
        ] {
            let form = &family[name];
            let text = std::str::from_utf8(&data).unwrap();
            let mut own = Vec::new();
            for c in text.chars() {
                form.write(c as u32, &mut own);
            }
            if name == "utf-8" && answer == Answer::Replace || name == "xtf-8" {
                for i in (0..own.len()).step_by(100) {
                    own[i] = 0xFF;
                }
            }
            let s = Source { layout: form.layout.as_ref().unwrap(), agreement: &form.agreement, answer, data: &own };
            let e = s.measure(0, own.len());
            if e.end != own.len() {
                print!("{name} stopped {} ", e.end);
                continue;
            }
            let a = time(own.len(), || {
                std::hint::black_box(s.measure(0, std::hint::black_box(own.len())));
            });
            let b = match e.width {
                Width::Ascii | Width::Latin1 => {
                    let mut v = vec![MaybeUninit::<u8>::new(0); e.count];
                    time(own.len(), || {
                        s.write_ucs1(0, own.len(), &mut Output::new(&mut v));
                    })
                }
                Width::Ucs2 => {
                    let mut v = vec![MaybeUninit::<u16>::new(0); e.count];
                    time(own.len(), || {
                        s.write_ucs2(0, own.len(), &mut Output::new(&mut v));
                    })
                }
                Width::Ucs4 => {
                    let mut v = vec![MaybeUninit::<u32>::new(0); e.count];
                    time(own.len(), || {
                        s.write_ucs4(0, own.len(), &mut Output::new(&mut v));
                    })
                }
            };
            print!("| {name} {a:.1} {b:.1} ");
        }
        println!();
    }
}
