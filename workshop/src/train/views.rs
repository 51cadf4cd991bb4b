//! Which features each side sees in each of some positions, and in which views each feature
//! is seen.

use carrybit::eval::nnue::features::{FEATURES, MAX_PIECES};

use super::model::VIEWS;

/// The most positions of a [`Pass`](super::pass::Pass).
pub const CHUNK: usize = 2048;

/// The views of some positions, each one's features, one after the other; and the
/// positions' buckets.
#[derive(Clone, Debug, Default)]
pub struct Views {
    buckets: Vec<u8>,
    /// Where each view's features begin, and where the last one's end.
    starts: Vec<u32>,
    features: Vec<u16>,
}

impl Views {
    /// No views, with room for a chunk's pieces.
    #[must_use]
    pub fn new() -> Views {
        let features = Vec::with_capacity(CHUNK * VIEWS * MAX_PIECES);
        Views { buckets: Vec::with_capacity(CHUNK), starts: vec![0], features }
    }

    /// Forgets all views.
    pub fn clear(&mut self) {
        self.buckets.clear();
        self.starts.truncate(1);
        self.features.clear();
    }

    /// Adds a position of this bucket: the features of the side to move's view and
    /// those of the other side's.
    pub fn push(
        &mut self,
        bucket: usize,
        own: impl Iterator<Item = u16>,
        other: impl Iterator<Item = u16>,
    ) {
        self.buckets.push(bucket as u8);
        // Chains of iterators are faster from within than by `extend`.
        own.for_each(|feature| self.features.push(feature));
        self.starts.push(self.features.len() as u32);
        other.for_each(|feature| self.features.push(feature));
        self.starts.push(self.features.len() as u32);
    }

    /// How many positions there are.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.buckets.len()
    }

    /// The bucket of a position.
    #[inline(always)]
    #[must_use]
    pub fn bucket(&self, position: usize) -> usize {
        usize::from(self.buckets[position])
    }

    /// The features of a view, of two for each position.
    #[inline(always)]
    #[must_use]
    pub fn features(&self, view: usize) -> &[u16] {
        &self.features[self.starts[view] as usize..self.starts[view + 1] as usize]
    }
}

/// For each feature, the views in which it is found.
#[derive(Clone, Debug)]
pub(super) struct Occurrences {
    /// Where each feature's views begin, and where the last one's end.
    starts: Vec<u32>,
    views: Vec<u16>,
}

impl Occurrences {
    pub fn new() -> Occurrences {
        Occurrences { starts: vec![0; FEATURES + 1], views: Vec::new() }
    }

    /// Turns views inside out, by counting.
    pub fn fill(&mut self, views: &Views) {
        self.starts.fill(0);
        for &feature in &views.features {
            self.starts[usize::from(feature)] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.views.resize(views.features.len(), 0);
        // From the ends down to the beginnings, so that views stay in order.
        for view in (0..views.positions() * VIEWS).rev() {
            for &feature in views.features(view) {
                let place = &mut self.starts[usize::from(feature)];
                *place -= 1;
                self.views[*place as usize] = view as u16;
            }
        }
    }

    #[inline(always)]
    pub fn of(&self, feature: usize) -> &[u16] {
        &self.views[self.starts[feature] as usize..self.starts[feature + 1] as usize]
    }
}
