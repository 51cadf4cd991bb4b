//! The hot path: what the search asks of a position a million times a second.
//!
//! This file is its door. Every question is asked here, of a [`Board`], and answered by
//! one of two implementations with identical results, `table` and `lanes`, file by file:
//!
//! | File | Question | [`table`] | [`lanes`] |
//! |---|---|---|---|
//! | `king.rs` | checks, pins, the king's steps | difference table, widened by a ring | off-board test around the king and each square next to it |
//! | `movegen.rs` | legal moves | steps behind a wall of squares; answers to checks by the difference table | off-board test around each officer, one or two around all pawns |
//! | `make.rs` | the position after a move | byte by byte | register by register |
//! | `see.rs` | exchanges | difference table | off-board test around the square |
//! | `threats.rs` | attacked squares | steps and the off-board test, square by square | all pieces at once, a rank to each word |
//! | `dangers.rs` | hanging and outranked pieces | steps behind a wall of squares | the same |
//!
//! On every processor the difference table answers single questions: whether a given
//! move is legal or gives check ([`legality`](super::legality)), whether a square is
//! attacked ([`Board::is_attacked`]), whether an en passant capture is safe. (Where they
//! generate castling, the lanes test the king's path themselves.) What perft alone needs
//! is in `perft.rs`.
//!
//! The lanes run on x86-64 processors with AVX2 or AVX-512 ([`crate::sys::cpu::level`]);
//! the one choice between the levels is `on_level!`. The lanes leave rare cases to the
//! table, as a `Rest`. WebAssembly has the table, and lanes for dangers (`lanes/wasm.rs`).
#![allow(unsafe_code)]

#[cfg(any(target_arch = "x86_64", target_family = "wasm"))]
pub mod lanes;

mod perft;

mod rest;

pub mod table;

use super::color::Color;
use super::dangers::Dangers;
use super::exchange::{FirstMove, SeeValues};
use super::king_pass::{KingPass, Seen};
use super::moves::{Move, MoveList};
use super::piece::MAX_PIECES;
use super::position::Board;
use super::sink::{ALL, NOISY, QUIET, Stage};
use super::square::Square;
use super::threats::Threats;
#[cfg(target_arch = "x86_64")]
use crate::sys::cpu::Level;
use crate::sys::cpu::level;

use perft::Rarely;

/// Calls the function of that name which belongs to the level in use.
macro_rules! on_level {
    ($function:ident $(::<$($generic:tt),*>)? ($($argument:expr),*)) => {
        match level() {
            // SAFETY: the level in use is one that the processor has.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe {
                lanes::avx512::$function $(::<$($generic),*>)? ($($argument),*)
            },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe {
                lanes::avx2::$function $(::<$($generic),*>)? ($($argument),*)
            },
            _ => table::$function $(::<$($generic),*>)? ($($argument),*),
        }
    };
}

/// Looking around the king.
impl Board {
    /// The king pass of the side to move: checks, pins, and where the king may step.
    /// Taken at the first call, remembered for the later ones.
    #[inline]
    #[must_use]
    pub fn king_pass(&self) -> KingPass {
        self.king_pass_by(|board| on_level!(look(board)))
    }

    /// The enemy pieces that give check: [`KingPass::checkers`], for which the
    /// rest of the pass need not be known.
    #[inline]
    pub(super) fn checker_slots(&self) -> u16 {
        match self.seen.get().checkers() {
            Some(checkers) => checkers,
            None => {
                let checkers = on_level!(find_checkers(self));
                self.seen.set(Seen::only(checkers));
                checkers
            }
        }
    }

    /// Whether the side to move is in check.
    #[inline]
    #[must_use]
    pub fn in_check(&self) -> bool {
        self.checker_slots() != 0
    }

    /// The squares of the pieces that give check, at most two in play.
    pub fn checkers(&self) -> impl Iterator<Item = Square> + '_ {
        let list = self.list(!self.side);
        let checkers = self.checker_slots();
        (0..MAX_PIECES).filter(move |slot| checkers >> slot & 1 != 0).map(|slot| list[slot])
    }

    /// The squares of our pieces that are pinned to our king.
    ///
    /// ```
    /// use carrybit::board::Board;
    ///
    /// let board: Board = "4k3/8/8/8/7b/8/5N2/4K3 w - - 0 1".parse()?;
    /// assert!(board.pinned().eq(["f2".parse()?]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pinned(&self) -> impl Iterator<Item = Square> + '_ {
        let list = self.list(self.side);
        let pinned = self.king_pass().pinned;
        (0..MAX_PIECES).filter(move |slot| pinned >> slot & 1 != 0).map(|slot| list[slot])
    }
}

/// Generating moves.
impl Board {
    /// Appends the legal moves of that stage to `list`.
    ///
    /// ```
    /// use carrybit::board::{Board, MoveList, Stage};
    ///
    /// let board: Board = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse()?;
    /// let mut list = MoveList::new();
    /// board.generate(Stage::Noisy, &mut list);
    /// assert_eq!(list.iter().map(ToString::to_string).collect::<Vec<_>>(), ["e4d5"]);
    /// # Ok::<(), carrybit::board::FenError>(())
    /// ```
    #[inline]
    pub fn generate(&self, stage: Stage, list: &mut MoveList) {
        match stage {
            Stage::Noisy => self.generate_stage::<NOISY>(list),
            Stage::Quiet => self.generate_stage::<QUIET>(list),
            Stage::All => self.generate_stage::<ALL>(list),
        }
        debug_assert!(list.len <= MoveList::CAPACITY);
    }

    #[inline]
    fn generate_stage<const STAGE: u8>(&self, list: &mut MoveList) {
        let rest = on_level!(generate::<STAGE>(self, list));
        if let Some(rest) = rest {
            table::generate_rest::<STAGE>(self, rest, list);
        }
    }

    /// All legal moves.
    ///
    /// ```
    /// use carrybit::board::Board;
    ///
    /// assert_eq!(Board::default().legal_moves().len(), 20);
    /// ```
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate(Stage::All, &mut list);
        list
    }

    /// The number of legal moves, without writing them.
    #[must_use]
    pub fn count_legal(&self) -> u64 {
        on_level!(count(self)).unwrap_or_else(|rest| table::count_rest(self, rest))
    }

    /// The number of legal sequences of two moves, without writing the second.
    #[must_use]
    pub fn count_replies(&self) -> u64 {
        let rarely = Rarely {
            make: |board, mv| {
                if cfg!(debug_assertions) { board.make(mv) } else { board.make_rare(mv) }
            },
            count_rest: table::count_rest,
        };
        let moves = self.legal_moves();
        on_level!(count_replies(self, &moves, rarely))
    }

    /// Whether there is a legal move at all.
    #[must_use]
    pub fn has_legal_move(&self) -> bool {
        self.king_pass().ring != 0 || self.count_legal() != 0
    }
}

/// Making moves.
impl Board {
    /// The position after the legal move `mv`. The old position stays as it is, so
    /// nothing is ever unmade.
    ///
    /// ```
    /// use carrybit::board::{Board, Move};
    ///
    /// let board = Board::default();
    /// let e4 = Move::double_push("e2".parse()?, "e4".parse()?);
    /// assert!(board.is_legal(e4));
    /// let next = board.make(e4);
    /// assert_eq!(next.fen(false), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// In debug builds, if `mv` is not legal here.
    #[inline]
    #[must_use]
    pub fn make(&self, mv: Move) -> Board {
        debug_assert!(self.is_legal(mv), "{mv} is not legal in {}", self.fen(true));
        let next =
            if self.is_rare(mv) { self.make_rare(mv) } else { on_level!(make::<false>(self, mv)) };
        debug_assert_eq!(next.check_invariants(), Ok(()), "after {mv} in {}", self.fen(true));
        next
    }

    /// [`Board::make`] for rare moves. They are kept in a separate function so that
    /// ordinary moves do not pay for them.
    #[inline(never)]
    fn make_rare(&self, mv: Move) -> Board {
        if mv.is_castling() {
            self.castle(mv)
        } else if mv.is_en_passant() {
            self.take_en_passant(mv)
        } else if mv.is_double_push() && self.is_beside_pawn(mv.to(), !self.side) {
            self.push_past(mv)
        } else {
            on_level!(make::<true>(self, mv))
        }
    }

    /// [`Board::make`] for a double push past a pawn of the opponent, which may then be
    /// able to take en passant.
    #[inline(never)]
    fn push_past(&self, mv: Move) -> Board {
        let mut next = on_level!(make::<false>(self, mv));
        next.set_ep(mv.to().step(next.side.forward()));
        next
    }

    /// The position after passing the turn. The clock of reversible plies starts
    /// anew: nothing before a pass counts as repeated after it.
    ///
    /// # Panics
    /// In debug builds, if the side to move is in check.
    #[must_use]
    pub fn make_null(&self) -> Board {
        debug_assert!(!self.in_check());
        let next = self.pass_turn();
        debug_assert_eq!(next.check_invariants(), Ok(()));
        next
    }
}

/// Weighing up.
impl Board {
    /// Whether the legal move `mv` wins at least `threshold` centipawns in the
    /// exchange on its square, by `values`.
    ///
    /// ```
    /// use carrybit::board::{Board, Move};
    ///
    /// // The rook takes a pawn that a pawn defends.
    /// let board: Board = "4k3/3p4/4p3/8/8/8/8/4R1K1 w - - 0 1".parse()?;
    /// let takes = Move::capture("e1".parse()?, "e6".parse()?);
    /// let values = [100, 300, 300, 500, 900, 0];
    /// assert!(board.see_ge(takes, -400, &values) && !board.see_ge(takes, 0, &values));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn see_ge(&self, mv: Move, threshold: i32, values: &SeeValues) -> bool {
        match FirstMove::of(self, mv, threshold, values) {
            FirstMove::Decides(wins) => wins,
            FirstMove::Leaves(exchange) => on_level!(wins_exchange(self, exchange, values)),
        }
    }

    /// The squares that `by` attacks, its own pieces' included.
    #[must_use]
    pub fn threats(&self, by: Color) -> Threats {
        on_level!(threats(self, by))
    }

    /// Which pieces are in danger.
    ///
    /// ```
    /// use carrybit::board::{Board, Dangers};
    ///
    /// // A pawn attacks both knights; one of them is defended.
    /// let board: Board = "4k3/8/8/8/3p4/2N1N3/1P6/4K3 w - - 0 1".parse()?;
    /// let dangers = board.dangers();
    /// assert_eq!(dangers.marks("c3".parse()?), Dangers::OUTRANKED);
    /// assert_eq!(dangers.marks("e3".parse()?), Dangers::OUTRANKED | Dangers::HANGING);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn dangers(&self) -> Dangers {
        on_level!(dangers(self))
    }
}

/// Checking itself.
impl Board {
    /// Compares everything kept incrementally (piece lists, keys, king pass, state)
    /// with a full recomputation. Debug builds do so after each move made.
    ///
    /// # Errors
    /// Says which of them is wrong.
    pub fn check_invariants(&self) -> Result<(), String> {
        let expected = table::look(self);
        let checkers = [table::find_checkers(self), on_level!(find_checkers(self))];
        if checkers != [expected.checkers; 2] {
            return Err("the checkers differ".to_owned());
        }
        self.compare_with_fresh(self.king_pass(), expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_agrees_with_the_question_about_each_square() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "nN5n/P6p/8/q3B2k/K7/8/p6P/N6n w - - 0 1",
            "7k/6N1/8/3p4/4P3/8/2q5/K6R b - - 0 1",
        ] {
            let board: Board = fen.parse().expect("a valid position");
            for by in Color::ALL {
                let threats = board.threats(by);
                for sq in Square::all() {
                    assert_eq!(threats.contains(sq), board.is_attacked(sq, by), "{sq} {fen}");
                }
            }
        }
    }
}
