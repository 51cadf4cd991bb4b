//! King and pawn against the bare king: who wins is known of every position.
//!
//! The answers are worked out at first use, backwards from the promotions, in a few
//! dozen milliseconds; [`prepare`] does it before a clock runs. That they are few enough for
//! a small table is an old finding (M. R. B. Clarke, 1977). The tablebase KPvK
//! confirms them (`tests/tablebase.rs`).

use std::sync::LazyLock;

use crate::board::square::{ALL_STEPS, NORTH, NORTH_EAST, NORTH_WEST};
use crate::board::{Board, Color, Square};

/// The ranks of a pawn that has not moved, and of one about to promote.
const FIRST_RANK: u8 = 1;
const LAST_RANK: u8 = 6;
/// A pawn on the other files is mirrored.
const FILES: u8 = 4;
/// Squares that a pawn can stand on then.
const PAWN_SQUARES: usize = (LAST_RANK - FIRST_RANK + 1) as usize * FILES as usize;

/// The positions that the side with the pawn wins.
static WON: LazyLock<Won> = LazyLock::new(Won::work_out);

/// Works the answers out, unless that has been done.
pub(super) fn prepare() {
    LazyLock::force(&WON);
}

/// Whether `strong`, who has its king and the pawn on `pawn`, wins against the bare king.
pub(super) fn is_won(board: &Board, strong: Color, pawn: Square) -> bool {
    let upwards = |sq: Square| if strong == Color::White { sq } else { sq.flip_rank() };
    let to_the_left = |sq: Square| if pawn.file() < FILES { sq } else { sq.flip_file() };
    let seen = |sq| to_the_left(upwards(sq));
    let men =
        Men { pawn: seen(pawn), king: seen(board.king(strong)), bare: seen(board.king(!strong)) };
    let turn = if board.side() == strong { Turn::Strong } else { Turn::Bare };
    WON.has(men, turn)
}

/// Whose turn it is, as the bit that says that the position is won then.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Turn {
    Strong = 1,
    Bare = 2,
}

/// A position in which the pawn moves up the board on one of the four left files.
#[derive(Clone, Copy)]
struct Men {
    pawn: Square,
    king: Square,
    bare: Square,
}

impl Men {
    /// The number of the position, whosever turn it is.
    fn index(self) -> usize {
        let pawn = (self.pawn.rank() - FIRST_RANK) * FILES + self.pawn.file();
        (usize::from(pawn) * 64 + self.king.to_64()) * 64 + self.bare.to_64()
    }

    /// Whether all stand on squares of their own, with a square between the kings.
    fn is_sound(self) -> bool {
        self.king.king_steps_to(self.bare) > 1 && self.pawn != self.king && self.pawn != self.bare
    }

    /// Whether the pawn attacks `sq`.
    fn pawn_attacks(self, sq: Square) -> bool {
        [NORTH_WEST, NORTH_EAST].into_iter().any(|step| self.pawn.step(step) == sq)
    }

    /// Whether the pawn can be put on `sq`.
    fn is_free(self, sq: Square) -> bool {
        sq != self.king && sq != self.bare
    }
}

/// For each position the bits of [`Turn`].
struct Won(Vec<u8>);

impl Won {
    fn work_out() -> Won {
        let mut won = Won(vec![0; PAWN_SQUARES * 64 * 64]);
        // What a pawn becomes is known before it is asked for.
        for rank in (FIRST_RANK..=LAST_RANK).rev() {
            for file in 0..FILES {
                won.work_out_pawn(Square::new(file, rank));
            }
        }
        won
    }

    fn has(&self, men: Men, turn: Turn) -> bool {
        self.0[men.index()] & turn as u8 != 0
    }

    /// Finds the won positions with this pawn: those that its own moves win, and from
    /// them backwards.
    fn work_out_pawn(&mut self, pawn: Square) {
        let mut fresh = Vec::new();
        for king in Square::all() {
            for bare in Square::all() {
                let men = Men { pawn, king, bare };
                if men.is_sound() && self.pawn_wins(men) {
                    self.add(men, Turn::Strong, &mut fresh);
                }
            }
        }
        while let Some((men, turn)) = fresh.pop() {
            match turn {
                Turn::Strong => {
                    for bare in steps(men.bare) {
                        let before = Men { bare, ..men };
                        let is_new = before.is_sound() && !self.has(before, Turn::Bare);
                        if is_new && self.is_lost(before) {
                            self.add(before, Turn::Bare, &mut fresh);
                        }
                    }
                }
                Turn::Bare => {
                    for king in steps(men.king) {
                        let before = Men { king, ..men };
                        if before.is_sound() {
                            self.add(before, Turn::Strong, &mut fresh);
                        }
                    }
                }
            }
        }
    }

    /// Notes a position as won. If that is new, it is `fresh`: the moves to it are still
    /// to be looked at.
    fn add(&mut self, men: Men, turn: Turn, fresh: &mut Vec<(Men, Turn)>) {
        if !self.has(men, turn) {
            self.0[men.index()] |= turn as u8;
            fresh.push((men, turn));
        }
    }

    /// Whether a move of the pawn wins.
    fn pawn_wins(&self, men: Men) -> bool {
        let ahead = men.pawn.step(NORTH);
        if !men.is_free(ahead) {
            return false;
        }
        if men.pawn.rank() == LAST_RANK {
            // A new queen wins unless she is taken at once. (Where she would give
            // stalemate, a rook wins.)
            return men.bare.king_steps_to(ahead) > 1 || men.king.king_steps_to(ahead) == 1;
        }
        let beyond = ahead.step(NORTH);
        self.has(Men { pawn: ahead, ..men }, Turn::Bare)
            || men.pawn.rank() == FIRST_RANK
                && men.is_free(beyond)
                && self.has(Men { pawn: beyond, ..men }, Turn::Bare)
    }

    /// Whether all moves of the bare king lead to positions that are known to be won, and
    /// there is one.
    fn is_lost(&self, men: Men) -> bool {
        let is_legal = |to: Square| men.king.king_steps_to(to) > 1 && !men.pawn_attacks(to);
        let mut moves = steps(men.bare).filter(|&to| is_legal(to)).peekable();
        // To take the pawn is a draw, and no position of this table.
        moves.peek().is_some()
            && moves.all(|to| to != men.pawn && self.has(Men { bare: to, ..men }, Turn::Strong))
    }
}

/// The squares next to `sq`.
fn steps(sq: Square) -> impl Iterator<Item = Square> {
    ALL_STEPS.into_iter().map(move |step| sq.step(step)).filter(|to| to.is_on_board())
}
