//! The arithmetic on rows of neurons, for the processor at hand. All forms of it
//! give the same results.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

mod portable;

#[cfg(target_family = "wasm")]
mod wasm;

use super::features::{FEATURES, Turn};
use super::network::Row;
use crate::sys::cpu::Level;

/// The kernels for one kind of processor.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    /// One that the processor has.
    #[cfg(target_arch = "x86_64")]
    level: Level,
}

impl Kernels {
    /// The kernels of that level, or of a plainer one if the processor does not
    /// have it.
    #[must_use]
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "one form only"))]
    pub fn new(level: Level) -> Kernels {
        Kernels {
            #[cfg(target_arch = "x86_64")]
            level: if level.is_supported() { level } else { Level::Scalar },
        }
    }

    /// `to` becomes `from` with the rows of the inputs `added` and without those of
    /// `removed`, modulo 2^16. `turn` is the view's.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn update(
        self,
        from: &Row,
        to: &mut Row,
        rows: &[Row; FEATURES],
        turn: Turn,
        added: &[u16],
        removed: &[u16],
    ) {
        #[cfg(target_arch = "x86_64")]
        match self.level {
            Level::Avx512 => {
                // SAFETY: the processor has it.
                return unsafe { avx512::update(from, to, rows, turn, added, removed) };
            }
            // SAFETY: likewise.
            Level::Avx2 => return unsafe { avx2::update(from, to, rows, turn, added, removed) },
            Level::Scalar => {}
        }
        portable::update(from, to, rows, turn, added, removed);
    }

    /// The sum of the output: the activations, each times its weight.
    /// `weights` are those for `ours` and for `theirs`.
    #[inline]
    #[must_use]
    pub fn output(self, ours: &Row, theirs: &Row, weights: &[Row; 2]) -> i32 {
        #[cfg(target_arch = "x86_64")]
        match self.level {
            // SAFETY: the processor has it.
            Level::Avx512 => return unsafe { avx512::output(ours, theirs, weights) },
            // SAFETY: likewise.
            Level::Avx2 => return unsafe { avx2::output(ours, theirs, weights) },
            Level::Scalar => {}
        }
        #[cfg(target_family = "wasm")]
        let half_output = wasm::half_output;
        #[cfg(not(target_family = "wasm"))]
        let half_output = portable::half_output;
        half_output(ours, &weights[0]) + half_output(theirs, &weights[1])
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::eval::nnue::features::{PIECE_FEATURES, ZONES};
    use crate::eval::nnue::network::{HIDDEN, ONE, QA};

    /// A row of random numbers from `-limit..=limit`, every fourth at an end.
    fn random(rng: &mut Rng, limit: i16) -> Row {
        Row(std::array::from_fn(|_| match rng.u8(..8) {
            0 => limit,
            1 => -limit,
            _ => rng.i16(-limit..=limit),
        }))
    }

    #[test]
    fn all_levels_update_alike() {
        let mut rng = Rng::with_seed(0);
        let rows: Box<[Row]> = (0..FEATURES).map(|_| random(&mut rng, i16::MAX)).collect();
        let rows: Box<[Row; FEATURES]> = rows.try_into().expect("a row for each feature");
        for _ in 0..1000 {
            let from = random(&mut rng, i16::MAX);
            let [added, removed]: [Vec<u16>; 2] = std::array::from_fn(|_| {
                let block = |rng: &mut Rng| rng.choice([0, ZONES, ZONES + 1]).expect("one of them");
                let input =
                    |rng: &mut Rng| block(rng) * PIECE_FEATURES + rng.usize(..PIECE_FEATURES);
                (0..rng.usize(..9)).map(|_| input(&mut rng) as u16).collect()
            });
            let first = rng.usize(..ZONES) * PIECE_FEATURES;
            let turn = Turn { bits: rng.u16(..128), first: first as u16 };
            let expected = Row(std::array::from_fn(|neuron| {
                let sum = |inputs: &[u16]| -> i32 {
                    let row = |input: u16| &rows[turn.row(input)];
                    inputs.iter().map(|&input| i32::from(row(input).0[neuron])).sum()
                };
                (i32::from(from.0[neuron]) + sum(&added) - sum(&removed)) as i16
            }));
            for level in Level::supported() {
                let mut to = Row::ZERO;
                Kernels::new(level).update(&from, &mut to, &rows, turn, &added, &removed);
                assert_eq!(to, expected, "{level}");
            }
        }
    }

    #[test]
    fn all_levels_have_the_same_output() {
        let mut rng = Rng::with_seed(1);
        // As large as the check of a network allows all weights at once to be.
        let limit = (i32::MAX / ONE / (2 * HIDDEN as i32)) as i16;
        for round in 0..1000 {
            let neurons = if round % 2 == 0 { i16::MAX } else { QA as i16 + 100 };
            let [ours, theirs] = std::array::from_fn(|_| random(&mut rng, neurons));
            let weights = std::array::from_fn(|_| random(&mut rng, limit));
            let half = |row: &Row, weights: &Row| -> i64 {
                let activation = |neuron: i16| {
                    let value = f64::from(neuron.clamp(0, QA as i16));
                    (value * value / 8.0).round() as i64
                };
                row.0.iter().zip(weights.0).map(|(&n, w)| activation(n) * i64::from(w)).sum()
            };
            let expected = half(&ours, &weights[0]) + half(&theirs, &weights[1]);
            for level in Level::supported() {
                let sum = Kernels::new(level).output(&ours, &theirs, &weights);
                assert_eq!(i64::from(sum), expected, "{level}");
            }
        }
        for level in Level::supported() {
            let full = Row([i16::MAX; HIDDEN]);
            let weights = [Row([limit; HIDDEN]); 2];
            let expected = ONE * i32::from(limit) * 2 * HIDDEN as i32;
            assert_eq!(Kernels::new(level).output(&full, &full, &weights), expected, "{level}");
        }
    }
}
