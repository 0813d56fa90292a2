//! The lead bytes of a layout that differ from those of a plain one, in which C0-DF, E0-EF and F0-F7 begin sequences of
//! two, three and four bytes with any continuation byte as the second. There are few in most forms, so that a block is
//! compared with each of them.

/// The second bytes of a lead byte, as the lowest and how many more there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seconds {
    /// The lead byte.
    pub lead: u8,
    /// The lowest second byte.
    pub low: u8,
    /// How many more there are.
    pub span: u8,
}

/// What is not plain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leads {
    /// Bytes from C0 up with which no sequence begins: the lowest of some, and how many more there are.
    pub idle: Vec<(u8, u8)>,
    /// Lead bytes that do not take every second byte, in ascending order.
    pub narrow: Vec<Seconds>,
    /// Bytes with which only something begins that parts from the layout, as in `idle`.
    pub parting: Vec<(u8, u8)>,
    /// Lead bytes that part from the layout with some second bytes.
    pub parting_seconds: Vec<Seconds>,
}

/// Every continuation byte, as the lowest and how many more there are.
const ALL_SECONDS: (u8, u8) = (0x80, 0x3F);

/// What a layout says of one byte from 80 up; second bytes as the lowest and how many more there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lead {
    /// Whether everything that begins with it parts from the layout.
    pub parts: bool,
    /// The second bytes with which it begins sequences.
    pub seconds: Option<(u8, u8)>,
    /// Those with which it parts from the layout.
    pub parting: Option<(u8, u8)>,
}

impl Leads {
    /// Those of which `told` is known.
    pub(crate) fn new(told: impl Fn(u8) -> Lead) -> Leads {
        let mut leads = Leads { idle: vec![], narrow: vec![], parting: vec![], parting_seconds: vec![] };
        for lead in 0x80..=0xFF {
            let Lead { parts, seconds, parting } = told(lead);
            if parts {
                add(&mut leads.parting, lead);
            }
            leads.parting_seconds.extend(parting.map(|(low, span)| Seconds { lead, low, span }));
            match seconds {
                _ if lead < 0xC0 => {}
                None => add(&mut leads.idle, lead),
                Some(ALL_SECONDS) => {}
                Some((low, span)) => leads.narrow.push(Seconds { lead, low, span }),
            }
        }
        leads
    }
}

/// Add a byte to ranges, which it may extend.
fn add(ranges: &mut Vec<(u8, u8)>, byte: u8) {
    match ranges.last_mut() {
        Some((low, span)) if *low + *span + 1 == byte => *span += 1,
        _ => ranges.push((byte, 0)),
    }
}
