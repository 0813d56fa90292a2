//! Shuffles that compact: for each mask of eight lanes, the places of those that are kept, one after the other.

/// A place of nothing: a shuffle gives 0 there.
pub const NIL: u8 = 0x80;

/// The places of lanes of one byte.
pub static KEPT: [[u8; 8]; 256] = kept();

/// The same as the bytes of lanes of 16 bits.
pub static KEPT_16: [[u8; 16]; 256] = kept_bytes();

/// The same as the bytes of lanes of 32 bits.
#[cfg(target_arch = "aarch64")]
pub static KEPT_32: [[u8; 32]; 256] = kept_bytes();

/// The table of [`KEPT`], for tables made from it.
pub const fn kept() -> [[u8; 8]; 256] {
    kept_bytes()
}

/// The table for lanes that take `BYTES` together, eight of them.
const fn kept_bytes<const BYTES: usize>() -> [[u8; BYTES]; 256] {
    let (width, mut table) = (BYTES / 8, [[NIL; BYTES]; 256]);
    let mut mask = 0;
    while mask < 256 {
        let (mut byte, mut filled) = (0, 0);
        while byte < BYTES {
            if mask >> (byte / width) & 1 != 0 {
                table[mask][filled] = byte as u8;
                filled += 1;
            }
            byte += 1;
        }
        mask += 1;
    }
    table
}
