//! Sizes of the pieces in which kernels and automaton take turns, and when to switch. Nothing here reads the pieces.

/// Bytes of input processed together: they stay in the first-level cache while several scans read them.
pub const CHUNK_BYTES: usize = 8192;

/// Code points of a str processed together.
pub const CHUNK_POINTS: usize = 4096;

/// Bytes that the automaton walks after a kernel has stopped, before the kernels are tried again.
pub(crate) const WINDOW_BYTES: usize = 16;

/// The largest window, in bytes or in code points, used where the kernels keep stopping soon.
const LONGEST_WINDOW: usize = 2048;

/// Bytes that the kernels must read to make up for the cost of starting them.
const FAR_BYTES: usize = 48;

/// Code points that are written one by one after a kernel has stopped.
pub(crate) const WINDOW_POINTS: usize = 4;

/// Code points that the kernels must write to make up for the cost of starting them.
const FAR_POINTS: usize = 32;

/// Upper bound on the bytes, from the first on, that the kernels examine to identify a sequence.
pub(crate) const LOOK_AHEAD: usize = 8;

/// Bytes that a whole scan looks ahead right after it stopped short; the distance then quadruples each time.
pub(crate) const NEAR_BYTES: usize = 256;

/// The next window to walk, after the kernels read `bytes` and the last window was `before`. Faults come in clusters,
/// and restarting the kernels again and again costs ten times as much as walking, so the window doubles while they do
/// not get far.
pub(crate) fn window_after(bytes: usize, before: usize) -> usize {
    if bytes < FAR_BYTES { LONGEST_WINDOW.min(before * 2) } else { WINDOW_BYTES }
}

/// As [`window_after`], for code points.
pub(crate) fn point_window_after(points: usize, before: usize) -> usize {
    if points < FAR_POINTS { LONGEST_WINDOW.min(before * 2) } else { WINDOW_POINTS }
}
