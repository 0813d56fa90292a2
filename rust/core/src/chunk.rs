//! How large the pieces are that one decision between kernel and automaton holds for.

/// Bytes of input that are looked at together: they stay in the first-level cache while several scans read them.
pub const CHUNK_BYTES: usize = 8192;

/// Code points of a str that are looked at together.
pub const CHUNK_POINTS: usize = 4096;

/// Bytes that the automaton walks after something that the kernels do not take, before they are tried again.
pub(crate) const WINDOW_BYTES: usize = 16;

/// As many at most, and as many code points, where the kernels stop soon each time that they are tried.
const LONGEST_WINDOW: usize = 2048;

/// How many bytes the kernels must read for it to be worth what it costs to begin with them.
const FAR_BYTES: usize = 48;

/// Code points that are written one by one after such a stop.
pub(crate) const WINDOW_POINTS: usize = 4;

/// How many code points the kernels must write for it to be worth what it costs to begin with them.
const FAR_POINTS: usize = 32;

/// Bytes that decide what a sequence is: no more than these, from its first on, are looked at by the kernels.
pub(crate) const LOOK_AHEAD: usize = 8;

/// How far a whole scan looks right after it stopped short; then four times as far each time.
pub(crate) const NEAR_BYTES: usize = 256;

/// How many bytes are walked where the kernels stopped after some: faults come in flocks. To begin with the kernels again
/// and again costs ten times a walk, so it is twice as many as before while they do not get far.
pub(crate) fn window_after(bytes: usize, before: usize) -> usize {
    if bytes < FAR_BYTES { LONGEST_WINDOW.min(before * 2) } else { WINDOW_BYTES }
}

/// The same for code points.
pub(crate) fn point_window_after(points: usize, before: usize) -> usize {
    if points < FAR_POINTS { LONGEST_WINDOW.min(before * 2) } else { WINDOW_POINTS }
}
