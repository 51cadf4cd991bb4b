//! Shares training among the king buckets.
//!
//! A bucket's rows receive gradients only from positions with the king in that bucket, but most
//! of the value of a piece on a square holds for all king positions. So each step also moves the
//! rows of all buckets together, by the sum of their gradients: as if each row were the sum of
//! its own and a shared one (a factoriser, as in Stockfish's trainer).

use carrybit::internals::eval::nnue::network::{PIECE_FEATURES, Shape};
use rayon::prelude::*;

use super::adam::Adam;
use super::model::BLOCK;

/// The share of weight decay that goes towards the mean of all buckets, not towards zero, so that
/// rows of rare king positions keep the value that holds for all (`docs/HISTORY.md`).
const DECAY_TO_MEAN: f32 = 0.9;

/// Numbers in the shared rows of a block of neurons.
const SHARED: usize = PIECE_FEATURES * BLOCK;

/// Moves the rows of all king buckets together. The layout of shared rows is
/// `[neurons / BLOCK][PIECE_FEATURES][BLOCK]`.
#[derive(Clone, Debug)]
pub struct Factoriser {
    /// The optimiser of the shared rows.
    pub optimiser: Adam,
    /// Weights stay within `±limit`.
    limit: f32,
    /// The share of the buckets' mean that a step with learning rate 1 adds.
    growth: f32,
    /// The length of the rows of all king buckets, and of all features, for a block of neurons.
    bucket_rows: usize,
    all_rows: usize,
    gradient: Vec<f32>,
    deltas: Vec<f32>,
}

impl Factoriser {
    /// A factoriser for networks of this shape, with the weight decay of their own optimiser.
    pub fn new(shape: &Shape, weight_decay: f32, limit: f32) -> Factoriser {
        let numbers = shape.neurons * PIECE_FEATURES;
        Factoriser {
            // Weight decay of the buckets' rows already includes the shared part.
            optimiser: Adam::new(numbers, 0.0, limit),
            limit,
            growth: DECAY_TO_MEAN * weight_decay,
            bucket_rows: shape.king_bucket_count() * SHARED,
            all_rows: shape.feature_count() * BLOCK,
            gradient: vec![0.0; numbers],
            deltas: vec![0.0; numbers],
        }
    }

    /// Makes step number `step`, from 0, with the learning rate `rate`.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f64, step: u64) {
        let (limit, bucket_rows, all_rows) = (self.limit, self.bucket_rows, self.all_rows);
        // The biases and output weights follow the rows.
        let numbers = self.deltas.len() / SHARED * all_rows;
        let blocks = gradient[..numbers].par_chunks(all_rows);
        self.gradient.par_chunks_mut(SHARED).zip(blocks).for_each(|(shared, rows)| {
            shared.fill(0.0);
            for bucket in rows[..bucket_rows].chunks_exact(SHARED) {
                shared.iter_mut().zip(bucket).for_each(|(sum, slope)| *sum += slope);
            }
        });
        self.deltas.fill(0.0);
        self.optimiser.step(&mut self.deltas, &self.gradient, rate, step);
        let blocks = parameters[..numbers].par_chunks_mut(all_rows);
        let growth = self.growth * rate as f32 / (bucket_rows / SHARED) as f32;
        blocks.zip(self.deltas.par_chunks_mut(SHARED)).for_each(|(rows, deltas)| {
            for bucket in rows[..bucket_rows].chunks_exact(SHARED) {
                for (delta, weight) in deltas.iter_mut().zip(bucket) {
                    *delta += growth * weight;
                }
            }
            for bucket in rows[..bucket_rows].chunks_exact_mut(SHARED) {
                for (weight, delta) in bucket.iter_mut().zip(&*deltas) {
                    *weight = (*weight + delta).clamp(-limit, limit);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use carrybit::internals::eval::nnue::network::{FEATURES, KING_BUCKETS, SHAPE};

    use super::*;

    const TWO_BLOCKS: Shape = Shape { neurons: 2 * BLOCK, ..SHAPE };

    #[test]
    fn decay_is_towards_the_mean_of_the_buckets() {
        let mut factoriser = Factoriser::new(&TWO_BLOCKS, 0.5, 1.5);
        let mut parameters = vec![0.0; 2 * FEATURES * BLOCK + BLOCK];
        let gradient = vec![0.0; parameters.len()];
        parameters[2 * SHARED + 7] = 1.0;
        factoriser.step(&mut parameters, &gradient, 0.25, 0);
        let growth = 0.25 * 0.5 * DECAY_TO_MEAN / KING_BUCKETS as f32;
        for (place, weight) in parameters.into_iter().enumerate() {
            let is_row = place < KING_BUCKETS * SHARED && place % SHARED == 7;
            let expected = f32::from(place == 2 * SHARED + 7) + if is_row { growth } else { 0.0 };
            assert!((weight - expected).abs() < 1e-6, "{place}");
        }
    }

    #[test]
    fn gradient_of_one_bucket_moves_all_buckets_but_no_threats() {
        const ROWS: usize = FEATURES * BLOCK;
        let mut factoriser = Factoriser::new(&TWO_BLOCKS, 0.0, 1.5);
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
        assert!(moved.iter().copied().eq((0..KING_BUCKETS).map(piece)));
        assert!(moved.iter().all(|&place| (parameters[place] - 1.25).abs() < 1e-6));
        for step in 1..9 {
            factoriser.step(&mut parameters, &gradient, 0.25, step);
        }
        assert!(moved.iter().all(|&place| parameters[place] == 1.5));
    }
}
