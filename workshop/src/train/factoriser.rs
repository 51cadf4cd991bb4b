//! What the zones of the king have in common.
//!
//! The rows of a zone's pieces learn only from positions with the king in that zone. Most of
//! what a piece on a square means holds wherever the king stands, so each step also moves the
//! rows of all zones together, against the sum of their gradients: as if each were the sum of
//! a row of its own and one that they share (a factoriser, as in Stockfish's trainer).

use carrybit::eval::nnue::features::{FEATURES, PIECE_FEATURES, ZONES};
use rayon::prelude::*;

use super::model::BLOCK;
use crate::adam::{Adam, Restraint};

/// The shared rows of a block of neurons, in numbers.
const SHARED: usize = PIECE_FEATURES * BLOCK;

/// The rows of a block of neurons, in numbers.
const ROWS: usize = FEATURES * BLOCK;

/// Moves the rows of all zones together. In all that it keeps, rows lie as `[hidden / BLOCK]
/// [PIECE_FEATURES][BLOCK]`.
#[derive(Clone, Debug)]
pub struct Factoriser {
    /// The optimiser's memory of the shared rows.
    pub optimiser: Adam<f32>,
    /// Weights stay within plus and minus this.
    limit: f32,
    gradient: Vec<f32>,
    moves: Vec<f32>,
}

impl Factoriser {
    /// One for networks with `hidden` neurons whose parameters are restrained like this.
    #[must_use]
    pub fn new(hidden: usize, restraint: Restraint<f32>) -> Factoriser {
        let numbers = hidden * PIECE_FEATURES;
        // Weight decay already draws each zone's rows to 0, the shared part included.
        let optimiser = Adam::new(numbers, Restraint { weight_decay: 0.0, ..restraint });
        let (gradient, moves) = (vec![0.0; numbers], vec![0.0; numbers]);
        Factoriser { optimiser, limit: restraint.limit, gradient, moves }
    }

    /// Makes a step of size `rate`, the one after `steps_done`, against the gradient of a
    /// network with these parameters.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f64, steps_done: u64) {
        self.gradient.par_chunks_mut(SHARED).enumerate().for_each(|(block, shared)| {
            shared.fill(0.0);
            for zone in gradient[block * ROWS..][..ZONES * SHARED].chunks_exact(SHARED) {
                shared.iter_mut().zip(zone).for_each(|(sum, slope)| *sum += slope);
            }
        });
        self.moves.fill(0.0);
        self.optimiser.step(&mut self.moves, &self.gradient, rate, steps_done);
        // The biases and output weights come after all rows.
        let rows = &mut parameters[..self.moves.len() / PIECE_FEATURES * FEATURES];
        let limit = self.limit;
        rows.par_chunks_mut(ROWS).zip(self.moves.par_chunks(SHARED)).for_each(|(rows, moves)| {
            for zone in rows[..ZONES * SHARED].chunks_exact_mut(SHARED) {
                for (weight, step) in zone.iter_mut().zip(moves) {
                    *weight = (*weight + step).clamp(-limit, limit);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_zone_learns_all_do_and_marks_do_not() {
        let restraint = Restraint { epsilon: 1e-8, weight_decay: 0.5, limit: 1.5 };
        let mut factoriser = Factoriser::new(2 * BLOCK, restraint);
        let mut parameters = vec![1.0; 2 * ROWS + BLOCK];
        let mut gradient = vec![0.0; parameters.len()];
        // A piece of the second zone, for a neuron of the second block; and one of its marks.
        let piece = |zone: usize| ROWS + zone * SHARED + 7 * BLOCK + 3;
        let mark = ROWS + ZONES * SHARED + 7 * BLOCK + 3;
        gradient[piece(1)] = 2.0;
        gradient[piece(2)] = -3.0;
        gradient[mark] = -2.0;
        factoriser.step(&mut parameters, &gradient, 0.25, 0);
        let moved: Vec<usize> =
            (0..parameters.len()).filter(|&place| parameters[place] != 1.0).collect();
        assert_eq!(moved, [0, 1, 2, 3].map(piece));
        assert!(moved.iter().all(|&place| (parameters[place] - 1.25).abs() < 1e-6));
        for steps_done in 1..9 {
            factoriser.step(&mut parameters, &gradient, 0.25, steps_done);
        }
        assert!(moved.iter().all(|&place| parameters[place] == 1.5));
    }
}
