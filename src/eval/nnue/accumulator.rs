//! The neurons of each position of the line, for both views.
//!
//! From one position to the next few features change, so the neurons follow from those
//! of the last position whose neurons are known, by what the two [look](Sight) like: a
//! move has not to tell what it changes, and positions that are never evaluated cost
//! nothing.

use crate::board::{Board, Color, Square};
use crate::score::MAX_PLY;

use super::features::{VIEWS, View};
use super::model::Model;
use super::network::Row;
use super::sight::{Changes, Sight};

/// Positions of a line: the root, each ply of the search, and a few plies of probes
/// beyond the last one.
const STACK_LEN: usize = MAX_PLY + 8;

/// A position of the line.
#[derive(Clone, Debug)]
struct Place {
    /// Whether the rest is known.
    is_computed: bool,
    sight: Sight,
    views: [View; 2],
    /// By colour of the view.
    neurons: [Row; 2],
}

impl Place {
    /// Becomes this position, whose neurons are yet to be worked out.
    #[inline]
    fn look_at(&mut self, board: &Board) {
        self.is_computed = true;
        self.sight = Sight::of(board);
        self.views = Color::ALL.map(|color| View::of(board, color));
    }
}

/// The neurons of a view as they were at some time.
#[derive(Clone, Debug)]
struct Kept {
    sight: Sight,
    neurons: Row,
}

/// The neurons from the root to the present position.
pub(super) struct Accumulators {
    places: Box<[Place]>,
    /// By [`View::index`]: what a view is refreshed from, if the one before was another.
    kept: [Kept; VIEWS],
    /// How far the present position is from the root.
    ply: usize,
    /// Room to work in.
    changes: Changes,
}

impl Accumulators {
    pub(super) fn new(model: &Model) -> Accumulators {
        let nowhere = Place {
            is_computed: false,
            sight: Sight::EMPTY,
            views: Color::ALL.map(|color| View::new(color, Square::new(0, 0))),
            neurons: [Row::ZERO; 2],
        };
        let kept = Kept { sight: Sight::EMPTY, neurons: *model.biases() };
        Accumulators {
            places: vec![nowhere; STACK_LEN].into_boxed_slice(),
            kept: std::array::from_fn(|_| kept.clone()),
            ply: 0,
            changes: Changes::NONE,
        }
    }

    /// Starts at a new root.
    pub(super) fn reset(&mut self, model: &Model, board: &Board) {
        self.ply = 0;
        self.places[0].look_at(board);
        for color in Color::ALL {
            self.refresh(model, color);
        }
    }

    /// Goes on to another position.
    #[inline]
    pub(super) fn push(&mut self) {
        self.ply += 1;
        self.places[self.ply].is_computed = false;
    }

    /// Goes back to the position before.
    #[inline]
    pub(super) fn pop(&mut self) {
        self.ply -= 1;
    }

    /// The neurons of the present position, `board`, by colour of the view.
    #[inline]
    pub(super) fn get(&mut self, model: &Model, board: &Board) -> &[Row; 2] {
        if !self.places[self.ply].is_computed {
            self.compute(model, board);
        }
        &self.places[self.ply].neurons
    }

    /// Works out the neurons from the last position in which they are known.
    fn compute(&mut self, model: &Model, board: &Board) {
        let (before, present) = self.places.split_at_mut(self.ply);
        let present = &mut present[0];
        present.look_at(board);
        // The root is always known.
        let known = before.iter().rev().find(|place| place.is_computed).expect("a root");
        present.sight.changes_since(&known.sight, &mut self.changes);
        let is_changed = [0, 1].map(|side| known.views[side] != present.views[side]);
        for side in [0, 1].into_iter().filter(|&side| !is_changed[side]) {
            let (from, to) = (&known.neurons[side], &mut present.neurons[side]);
            model.update(present.views[side], from, to, &self.changes);
        }
        for color in Color::ALL {
            if is_changed[color.index()] {
                self.refresh(model, color);
            }
        }
    }

    /// Works out the neurons of one view of the present position from what they were when
    /// this was last done.
    #[cold]
    fn refresh(&mut self, model: &Model, color: Color) {
        let Place { sight, views, neurons, .. } = &mut self.places[self.ply];
        let (view, neurons) = (views[color.index()], &mut neurons[color.index()]);
        let kept = &mut self.kept[view.index()];
        sight.changes_since(&kept.sight, &mut self.changes);
        model.update(view, &kept.neurons, neurons, &self.changes);
        *kept = Kept { sight: *sight, neurons: *neurons };
    }
}
