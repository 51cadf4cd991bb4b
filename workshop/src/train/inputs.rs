//! The features of each perspective of some positions, and the perspectives with each feature.

use carrybit::internals::eval::nnue::network::MAX_ON_BOARD;

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
}

impl Default for Inputs {
    fn default() -> Inputs {
        let features = Vec::with_capacity(CHUNK * PERSPECTIVES * MAX_ON_BOARD);
        Inputs { outputs: Vec::with_capacity(CHUNK), starts: vec![0], features }
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

/// For each feature, the perspectives that have it.
#[derive(Clone, Debug)]
pub(super) struct Occurrences {
    /// Where the perspectives of each feature begin, and the end of the last.
    starts: Vec<u32>,
    perspectives: Vec<u16>,
}

impl Occurrences {
    pub fn new(features: usize) -> Occurrences {
        Occurrences { starts: vec![0; features + 1], perspectives: Vec::new() }
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
        self.perspectives.resize(inputs.features.len(), 0);
        // Fills each list from its end, so the perspectives go backwards to stay in order.
        for perspective in (0..inputs.positions() * PERSPECTIVES).rev() {
            for &feature in inputs.features(perspective) {
                let place = &mut self.starts[usize::from(feature)];
                *place -= 1;
                self.perspectives[*place as usize] = perspective as u16;
            }
        }
    }

    #[inline(always)]
    pub fn of(&self, feature: usize) -> &[u16] {
        &self.perspectives[self.starts[feature] as usize..self.starts[feature + 1] as usize]
    }
}
