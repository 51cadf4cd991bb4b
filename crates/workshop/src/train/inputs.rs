//! The features of each perspective of some positions, and the perspectives with each feature.

use carrybit::internals::eval::nnue::network::{MAX_ON_BOARD, PIECE_FEATURES};

use super::model::PERSPECTIVES;

/// The most positions of a [`Pass`](super::pass::Pass).
pub const CHUNK: usize = 2048;

/// Positions: the features of each perspective, and the output bucket.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The output bucket of each position.
    pub(super) outputs: Vec<u8>,
    /// Where the features of each perspective begin, and the end of the last.
    pub(super) starts: Vec<u32>,
    pub(super) features: Vec<u16>,
    /// The perspectives by king bucket, and the place of each in this order; both filled by
    /// [`Inputs::sort`].
    pub(super) order: Vec<u16>,
    pub(super) places: Vec<u16>,
}

impl Default for Inputs {
    fn default() -> Inputs {
        let features = Vec::with_capacity(CHUNK * PERSPECTIVES * MAX_ON_BOARD);
        Inputs {
            outputs: Vec::with_capacity(CHUNK),
            starts: vec![0],
            features,
            order: Vec::new(),
            places: Vec::new(),
        }
    }
}

impl Inputs {
    pub fn clear(&mut self) {
        self.outputs.clear();
        self.starts.truncate(1);
        self.features.clear();
    }

    pub fn positions(&self) -> usize {
        self.outputs.len()
    }

    /// Orders the perspectives by king bucket: the rows of one bucket fit into a cache.
    pub(super) fn sort(&mut self) {
        let mut order: Vec<u16> = (0..(self.positions() * PERSPECTIVES) as u16).collect();
        order.sort_by_key(|&perspective| {
            usize::from(self.features(perspective.into())[0]) / PIECE_FEATURES
        });
        self.places.resize(order.len(), 0);
        for (place, &perspective) in order.iter().enumerate() {
            self.places[usize::from(perspective)] = place as u16;
        }
        self.order = order;
    }

    /// The output bucket of a position.
    #[inline(always)]
    pub fn output(&self, position: usize) -> usize {
        usize::from(self.outputs[position])
    }

    /// The features of a perspective. Each position has two, the side to move first.
    #[inline(always)]
    pub fn features(&self, perspective: usize) -> &[u16] {
        &self.features[self.starts[perspective] as usize..self.starts[perspective + 1] as usize]
    }
}

/// For each feature, the perspectives that have it, by their places in [`Inputs::order`].
#[derive(Clone, Debug)]
pub(super) struct Occurrences {
    /// Where the places of each feature begin, and the end of the last.
    starts: Vec<u32>,
    places: Vec<u16>,
}

impl Occurrences {
    pub fn new(features: usize) -> Occurrences {
        Occurrences { starts: vec![0; features + 1], places: Vec::new() }
    }

    /// Transposes the inputs by a counting sort.
    pub fn fill(&mut self, inputs: &Inputs) {
        self.starts.fill(0);
        for &feature in &inputs.features {
            self.starts[usize::from(feature)] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.places.resize(inputs.features.len(), 0);
        // Fills each list from its end, so the places go backwards to stay in order.
        for (place, &perspective) in inputs.order.iter().enumerate().rev() {
            for &feature in inputs.features(perspective.into()) {
                let start = &mut self.starts[usize::from(feature)];
                *start -= 1;
                self.places[*start as usize] = place as u16;
            }
        }
    }

    #[inline(always)]
    pub fn of(&self, feature: usize) -> &[u16] {
        &self.places[self.starts[feature] as usize..self.starts[feature + 1] as usize]
    }
}
