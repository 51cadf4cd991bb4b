//! The neurons of each position of the line, for both views.
//!
//! A move changes few features, so the neurons after it follow from those
//! before it. They are worked out when they are asked for, and not before: most
//! positions of a search are never evaluated. Until then a position has only
//! noted its [`Changes`].

use crate::board::{Board, Color, Kind, Observer, Piece, Square};
use crate::eval::evaluator::STACK_LEN;

use super::features::View;
use super::model::Model;
use super::network::Row;

/// What a move has changed, and how the sides see the position after it.
#[derive(Clone, Copy, Debug)]
pub struct Changes {
    views: [View; 2],
    /// Whether the neurons of each view have been worked out.
    is_computed: [bool; 2],
    added: Few,
    removed: Few,
}

/// At most two pieces with their squares: no move adds or removes more.
#[derive(Clone, Copy, Debug)]
struct Few {
    pieces: [(Piece, Square); 2],
    len: u8,
}

impl Few {
    const NONE: Few = Few { pieces: [(Piece::EMPTY, Square::NONE); 2], len: 0 };

    #[inline]
    fn push(&mut self, piece: Piece, sq: Square) {
        self.pieces[usize::from(self.len)] = (piece, sq);
        self.len += 1;
    }
}

impl Changes {
    /// No changes after a position with these views.
    #[inline]
    fn none(views: [View; 2]) -> Changes {
        Changes { views, is_computed: [false; 2], added: Few::NONE, removed: Few::NONE }
    }
}

impl Observer for Changes {
    #[inline]
    fn added(&mut self, piece: Piece, sq: Square) {
        self.added.push(piece, sq);
        if piece.is_kind(Kind::King)
            && let Some(color) = piece.color()
        {
            self.views[color.index()] = View::new(color, sq);
        }
    }

    #[inline]
    fn removed(&mut self, piece: Piece, sq: Square) {
        self.removed.push(piece, sq);
    }
}

/// The neurons from the root to the present position.
pub(super) struct Accumulators {
    changes: Box<[Changes; STACK_LEN]>,
    /// By ply and colour of the view.
    neurons: Box<[[Row; 2]]>,
    /// How far the present position is from the root.
    ply: usize,
}

impl Accumulators {
    pub(super) fn new() -> Accumulators {
        let views = Color::ALL.map(|color| View::new(color, Square::NONE));
        Accumulators {
            changes: Box::new([Changes::none(views); STACK_LEN]),
            neurons: vec![[Row::ZERO; 2]; STACK_LEN].into_boxed_slice(),
            ply: 0,
        }
    }

    /// Starts at a new root.
    pub(super) fn reset(&mut self, model: &Model, board: &Board) {
        self.ply = 0;
        self.changes[0] = Changes::none(Color::ALL.map(|color| View::of(board, color)));
        for color in Color::ALL {
            self.refresh(model, board, color);
        }
    }

    /// Goes on to a position whose changes are to be told.
    #[inline]
    pub(super) fn push(&mut self) -> &mut Changes {
        let views = self.changes[self.ply].views;
        self.ply += 1;
        self.changes[self.ply] = Changes::none(views);
        &mut self.changes[self.ply]
    }

    /// Goes back to the position before.
    #[inline]
    pub(super) fn pop(&mut self) {
        self.ply -= 1;
    }

    /// The neurons of the present position, `board`, by colour of the view.
    #[inline]
    pub(super) fn get(&mut self, model: &Model, board: &Board) -> &[Row; 2] {
        for color in Color::ALL {
            if !self.changes[self.ply].is_computed[color.index()] {
                self.compute(model, board, color);
            }
        }
        &self.neurons[self.ply]
    }

    /// Works out the neurons of one view: from the last position in which they
    /// are known, or from scratch if the view has been mirrored since.
    fn compute(&mut self, model: &Model, board: &Board, color: Color) {
        let side = color.index();
        let view = self.changes[self.ply].views[side];
        let mut known = self.ply;
        while !self.changes[known].is_computed[side] {
            // The root is always known.
            known -= 1;
            if self.changes[known].views[side] != view {
                self.refresh(model, board, color);
                return;
            }
        }
        for ply in known + 1..=self.ply {
            self.advance(model, ply, view);
        }
    }

    /// Works out the neurons of one view at `ply` from those at the ply before.
    #[inline]
    fn advance(&mut self, model: &Model, ply: usize, view: View) {
        let side = view.color().index();
        let (before, after) = self.neurons.split_at_mut(ply);
        let (from, to) = (&before[ply - 1][side], &mut after[0][side]);
        let changes = &mut self.changes[ply];
        let row = |(piece, sq)| model.row(view.feature(piece, sq));
        let (added, removed) = (changes.added.pieces, changes.removed.pieces);
        match (changes.added.len, changes.removed.len) {
            (1, 1) => model.kernels.update(from, to, [row(added[0])], [row(removed[0])]),
            (1, 2) => model.kernels.update(from, to, [row(added[0])], removed.map(row)),
            (2, 2) => model.kernels.update(from, to, added.map(row), removed.map(row)),
            (0, 0) => *to = *from,
            other => unreachable!("no move adds and removes {other:?} pieces"),
        }
        changes.is_computed[side] = true;
    }

    /// Works out the neurons of one view of the present position from scratch.
    #[cold]
    fn refresh(&mut self, model: &Model, board: &Board, color: Color) {
        let side = color.index();
        self.neurons[self.ply][side] = model.neurons(board, color);
        self.changes[self.ply].is_computed[side] = true;
    }
}
