//! Two functions timed alternately, for the rows of `python -m benchmarks` against simdutf.

use std::hint::black_box;
use std::time::Instant;

/// How often and how long each side runs.
pub struct Effort {
    /// The number of rounds.
    pub rounds: u32,
    /// The least number of seconds for each side of a round.
    pub seconds: f64,
}

impl Effort {
    /// Time both sides, and print one line of JSON: for each round, the seconds that one call of ours and one of theirs
    /// took.
    pub fn race<A, B>(&self, ours: impl Fn() -> A, theirs: impl Fn() -> B) {
        let (our_repeats, their_repeats) = (self.repeats(&ours), self.repeats(&theirs));
        let round = |turn: u32| {
            if turn.is_multiple_of(2) {
                let mine = timed(our_repeats, &ours);
                [mine, timed(their_repeats, &theirs)]
            } else {
                let other = timed(their_repeats, &theirs);
                [timed(our_repeats, &ours), other]
            }
        };
        println!("{}", serde_json::json!((0..self.rounds).map(round).collect::<Vec<_>>()));
    }

    fn repeats<R>(&self, work: &impl Fn() -> R) -> u32 {
        let mut repeats = 1;
        while timed(repeats, work) * f64::from(repeats) < self.seconds {
            repeats *= 2;
        }
        repeats
    }
}

/// Seconds for one call.
fn timed<R>(repeats: u32, work: &impl Fn() -> R) -> f64 {
    let start = Instant::now();
    for _ in 0..repeats {
        let result = work();
        // By reference: a result that is moved is read right behind what wrote it, which then is waited for.
        black_box(&result);
    }
    start.elapsed().as_secs_f64() / f64::from(repeats)
}
