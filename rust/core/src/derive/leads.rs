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
    /// Whether what is idle and narrow is so in UTF-8, and nothing else.
    pub are_of_utf8: bool,
}

/// What is idle in UTF-8.
const UTF_8_IDLE: [(u8, u8); 2] = [(0xC0, 0x01), (0xF5, 0x0A)];
/// What is narrow there.
const UTF_8_NARROW: [Seconds; 4] = [
    Seconds { lead: 0xE0, low: 0xA0, span: 0x1F },
    Seconds { lead: 0xED, low: 0x80, span: 0x1F },
    Seconds { lead: 0xF0, low: 0x90, span: 0x2F },
    Seconds { lead: 0xF4, low: 0x80, span: 0x0F },
];

/// Whether a byte from C0 up and a continuation byte begin no sequence of UTF-8.
#[inline(always)]
pub fn are_apart_in_utf8(lead: u8, second: u8) -> bool {
    // Without a branch: many are asked about at once.
    let is_idle = UTF_8_IDLE.iter().fold(false, |is, &(low, span)| is | (lead.wrapping_sub(low) <= span));
    UTF_8_NARROW
        .iter()
        .fold(is_idle, |is, narrow| is | (lead == narrow.lead) & (second.wrapping_sub(narrow.low) > narrow.span))
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
        let [idle, parting] = [vec![], vec![]];
        let mut leads = Leads { idle, narrow: vec![], parting, parting_seconds: vec![], are_of_utf8: false };
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
        leads.are_of_utf8 = leads.idle == UTF_8_IDLE && leads.narrow == UTF_8_NARROW;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The second bytes with which a byte begins a sequence of UTF-8, as the lowest and how many more there are.
    fn seconds(lead: u8) -> Option<(u8, u8)> {
        let begins =
            |&second: &u8| str::from_utf8(&[lead, second]).map_or_else(|fault| fault.error_len().is_none(), |_| true);
        let seconds: Vec<u8> = (0x80..=0xBF).filter(begins).collect();
        seconds.first().map(|&low| (low, seconds.len() as u8 - 1))
    }

    #[test]
    fn what_is_apart_in_utf_8_is_what_the_standard_library_refuses() {
        let utf_8 = |lead| Lead { parts: false, seconds: seconds(lead), parting: None };
        assert!(Leads::new(utf_8).are_of_utf8);
        let generalized =
            |lead| if lead == 0xED { Lead { seconds: Some(ALL_SECONDS), ..utf_8(lead) } } else { utf_8(lead) };
        assert!(!Leads::new(generalized).are_of_utf8);
        for (lead, second) in (0xC0..=0xFF_u8).flat_map(|lead| (0x80..=0xBF_u8).map(move |second| (lead, second))) {
            let is_taken = seconds(lead).is_some_and(|(low, span)| second.wrapping_sub(low) <= span);
            assert_eq!(are_apart_in_utf8(lead, second), !is_taken, "{lead:X} {second:X}");
        }
    }
}
