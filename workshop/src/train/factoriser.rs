//! Lets the king buckets learn from each other.
//!
//! The rows of a bucket's pieces learn only from positions with the king in that bucket. Most of
//! what a piece on a square means holds wherever the king stands, so each step also moves the
//! rows of all buckets together, against the sum of their gradients: as if each were the sum of
//! a row of its own and one that they share (a factoriser, as in Stockfish's trainer).

use carrybit::eval::nnue::network::{PIECE_FEATURES, Shape};
use rayon::prelude::*;

use super::adam::{Adam, Restraint};
use super::model::BLOCK;

/// The shared rows of a block of neurons, in numbers.
const SHARED: usize = PIECE_FEATURES * BLOCK;

/// Moves the rows of all king buckets together. All its rows lie as
/// `[neurons / BLOCK][PIECE_FEATURES][BLOCK]`.
#[derive(Clone, Debug)]
pub struct Factoriser {
    /// The optimiser of the shared rows.
    pub optimiser: Adam,
    /// Weights stay within `±limit`.
    limit: f32,
    /// The rows of a block of neurons, in numbers: of all king buckets, and of all features.
    bucket_rows: usize,
    all_rows: usize,
    gradient: Vec<f32>,
    moves: Vec<f32>,
}

impl Factoriser {
    /// A factoriser for networks of this shape whose parameters are restrained like this.
    pub fn new(shape: &Shape, restraint: Restraint) -> Factoriser {
        let numbers = shape.neurons * PIECE_FEATURES;
        Factoriser {
            // Weight decay already draws each bucket's rows to 0, the shared part included.
            optimiser: Adam::new(numbers, Restraint { weight_decay: 0.0, ..restraint }),
            limit: restraint.limit,
            bucket_rows: shape.king_bucket_count() * SHARED,
            all_rows: shape.feature_count() * BLOCK,
            gradient: vec![0.0; numbers],
            moves: vec![0.0; numbers],
        }
    }

    /// Makes a step of length `rate`, the one after `steps_done`, against the gradient of a
    /// network with these parameters.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f64, steps_done: u64) {
        let (limit, bucket_rows, all_rows) = (self.limit, self.bucket_rows, self.all_rows);
        // The biases and output weights come after all rows.
        let numbers = self.moves.len() / SHARED * all_rows;
        let blocks = gradient[..numbers].par_chunks(all_rows);
        self.gradient.par_chunks_mut(SHARED).zip(blocks).for_each(|(shared, rows)| {
            shared.fill(0.0);
            for bucket in rows[..bucket_rows].chunks_exact(SHARED) {
                shared.iter_mut().zip(bucket).for_each(|(sum, slope)| *sum += slope);
            }
        });
        self.moves.fill(0.0);
        self.optimiser.step(&mut self.moves, &self.gradient, rate, steps_done);
        let blocks = parameters[..numbers].par_chunks_mut(all_rows);
        blocks.zip(self.moves.par_chunks(SHARED)).for_each(|(rows, moves)| {
            for bucket in rows[..bucket_rows].chunks_exact_mut(SHARED) {
                for (weight, step) in bucket.iter_mut().zip(moves) {
                    *weight = (*weight + step).clamp(-limit, limit);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use carrybit::eval::nnue::network::{FEATURES, KING_BUCKETS, SHAPE};

    use super::*;

    #[test]
    fn all_king_buckets_learn_from_one_and_threats_do_not() {
        const ROWS: usize = FEATURES * BLOCK;
        let restraint = Restraint { epsilon: 1e-8, weight_decay: 0.5, limit: 1.5 };
        let shape = Shape { neurons: 2 * BLOCK, ..SHAPE };
        let mut factoriser = Factoriser::new(&shape, restraint);
        let mut parameters = vec![1.0; 2 * ROWS + BLOCK];
        let mut gradient = vec![0.0; parameters.len()];
        // A piece, for a neuron of the second block, and a threat to it.
        let piece = |bucket: usize| ROWS + bucket * SHARED + 7 * BLOCK + 3;
        let threat = ROWS + KING_BUCKETS * SHARED + 7 * BLOCK + 3;
        gradient[piece(1)] = 2.0;
        gradient[piece(2)] = -3.0;
        gradient[threat] = -2.0;
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
