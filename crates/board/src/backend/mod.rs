//! The hot path: the functions that the search calls millions of times a second.
//!
//! This file has the entry points, methods of [`Board`]. Each dispatches to one of two
//! implementations with the same results, [`portable`] and [`simd`]:
//!
//! | File | Task | [`portable`] | [`simd`] |
//! |---|---|---|---|
//! | `check_info.rs` | checks, pins, king moves, lines around the enemy king | difference table, extended to the squares around the king | 0x88 test on a vector of the squares around the king and around each square next to it |
//! | `movegen.rs` | legal moves | steps on a padded board; evasions by the difference table | 0x88 test on a vector of the squares around each piece; one or two tests for all pawns |
//! | `make.rs` | the position after a move | byte by byte | register by register |
//! | `see.rs` | static exchange evaluation | difference table | 0x88 test on a vector of the squares around it |
//! | `threats.rs` | attacked squares, threatened pieces | steps on a padded board | all pieces at once, a rank to each word |
//!
//! Tests of a single move or square use the difference table on every processor: whether a
//! move is legal or gives check ([`legality`](super::legality)), whether a square is attacked
//! ([`Board::is_attacked`]), whether an en passant capture is safe.
//!
//! `simd` needs an x86-64 processor with AVX2 or AVX-512 ([`crate::cpu::level`]). It
//! leaves rare cases to `portable`: check evasions, promotions, and promoted pieces that
//! follow a pawn in the piece list. 64-bit ARM uses `portable` for moves, `simd/neon.rs` for the
//! rest; WebAssembly uses `portable`, except for threat features (`simd/wasm.rs`).
#![allow(unsafe_code)]

pub mod lanes;
pub mod portable;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_family = "wasm"))]
pub mod simd;

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::ops::ControlFlow;

use lanes::KingLines;

use super::make::{ORDINARY, RARE};
use super::see::Exchange;
use super::sink::{ALL, NOISY, QUIET};
use super::{
    Board, CheckInfo, Color, MAX_PIECES, Move, MoveList, SeeValues, Square, Stage, ThreatFeatures,
    Threats,
};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::cpu::Level;
use crate::cpu::level;

/// Calls the function of the vector level in use.
macro_rules! on_level {
    ($function:ident $(::<$($generic:tt),*>)? ($($argument:expr),*)) => {
        match level() {
            // SAFETY: the processor supports the level in use.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe {
                simd::avx512::$function $(::<$($generic),*>)? ($($argument),*)
            },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe {
                simd::avx2::$function $(::<$($generic),*>)? ($($argument),*)
            },
            #[cfg(target_arch = "aarch64")]
            Level::Neon => simd::neon::$function $(::<$($generic),*>)? ($($argument),*),
            _ => portable::$function $(::<$($generic),*>)? ($($argument),*),
        }
    };
}

/// Copies the position with its cached check info.
impl Clone for Board {
    #[inline]
    fn clone(&self) -> Board {
        on_level!(copy(self))
    }
}

impl Board {
    /// [`CheckInfo::checkers`], without computing the rest.
    #[inline]
    pub(super) fn checker_slots(&self) -> u16 {
        self.check_info.checkers().unwrap_or_else(|| {
            let checkers = on_level!(find_checkers(self));
            self.check_info.set_checkers(checkers);
            checkers
        })
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checker_slots() != 0
    }

    #[inline]
    pub(super) fn king_lines(&self) -> KingLines {
        on_level!(king_lines(self))
    }

    /// The squares of the pieces that give check, at most two.
    pub fn checkers(&self) -> impl Iterator<Item = Square> + '_ {
        squares_of(self.list(!self.side), self.checker_slots())
    }

    /// The squares of the pieces of the side to move that are pinned to its king.
    pub fn pinned(&self) -> impl Iterator<Item = Square> + '_ {
        squares_of(self.list(self.side), self.check_info().pinned)
    }

    #[inline]
    fn generate_stage<const STAGE: u8>(&self, list: &mut MoveList) {
        // The first slot whose moves are left to the portable backend.
        if let Some(first) = on_level!(generate::<STAGE>(self, list)) {
            portable::generate_from::<STAGE>(self, first, list);
        }
    }

    /// All legal moves. Castling is king takes own rook ([`Move::target`]).
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate(Stage::All, &mut list);
        list
    }

    /// Whether there is a legal move.
    pub fn has_legal_move(&self) -> bool {
        // Each test takes less time than the next.
        self.has_king_move()
            || (self.has_free_pawn() && !self.in_check())
            || self.count_legal() != 0
    }

    fn has_king_move(&self) -> bool {
        match self.check_info.get() {
            Some(info) => info.king_moves != 0,
            None => on_level!(has_king_move(self)),
        }
    }

    /// [`Board::make`] for rare moves, separate so that ordinary moves do not pay for them.
    #[inline(never)]
    fn make_rare(&self, mv: Move) -> Board {
        if mv.is_castling() {
            self.castle(mv)
        } else if mv.is_en_passant() {
            self.take_en_passant(mv)
        } else if mv.is_double_push() && self.is_beside_pawn(mv.target(), !self.side) {
            // The double push may allow a capture en passant.
            let mut next = on_level!(make::<ORDINARY>(self, mv));
            next.set_ep(mv.target().step(next.side.forward()));
            next
        } else {
            on_level!(make::<RARE>(self, mv))
        }
    }

    /// The check info of the side to move, computed at the first call and cached.
    #[inline]
    pub fn check_info(&self) -> CheckInfo {
        self.check_info_by(|board| on_level!(compute_check_info(board)))
    }

    /// Appends the legal moves of that stage to `list`.
    ///
    /// ```
    /// use carrybit_board::{Board, MoveList, Stage};
    ///
    /// let board: Board = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse()?;
    /// let mut list = MoveList::new();
    /// board.generate(Stage::Noisy, &mut list);
    /// assert_eq!(list.iter().map(ToString::to_string).collect::<Vec<_>>(), ["e4d5"]);
    /// # Ok::<(), carrybit_board::FenError>(())
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

    /// The number of legal moves, without writing them.
    pub fn count_legal(&self) -> u64 {
        on_level!(count(self)).unwrap_or_else(|| portable::count_all(self))
    }

    /// The number of legal sequences of two moves, without writing the second.
    pub fn count_replies(&self) -> u64 {
        let moves = self.legal_moves();
        on_level!(count_replies(self, &moves))
    }

    /// The position after the legal move `mv`. The old position is unchanged.
    ///
    /// ```
    /// use carrybit_board::{Board, Move};
    ///
    /// let board = Board::default();
    /// let e4 = Move::double_push("e2".parse()?, "e4".parse()?);
    /// assert!(board.is_legal(e4));
    /// let next = board.make(e4);
    /// assert_eq!(next.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// In debug builds, if `mv` is not legal here.
    #[inline]
    pub fn make(&self, mv: Move) -> Board {
        debug_assert!(self.is_legal(mv), "{mv} is not legal in {}", self.shredder_fen());
        let next = if self.is_rare(mv) {
            self.make_rare(mv)
        } else {
            on_level!(make::<ORDINARY>(self, mv))
        };
        debug_assert_eq!(next.check_invariants(), Ok(()), "after {mv} in {}", self.shredder_fen());
        next
    }

    /// The position after a null move, which passes the turn. Resets the halfmove clock, so that
    /// positions before the null move do not count as repetitions. [`Board::null_move`] tests for
    /// check first.
    ///
    /// # Panics
    /// In debug builds, if the side to move is in check. In other builds, the position then has a
    /// king that can be captured.
    pub fn make_null(&self) -> Board {
        debug_assert!(!self.in_check());
        let mut next = self.clone();
        next.halfmove = 0;
        next.end_turn();
        debug_assert_eq!(next.check_invariants(), Ok(()));
        next
    }

    /// Static exchange evaluation: whether the legal move `mv` wins at least `threshold`
    /// centipawns in the exchange on its square, by `values`. Neither may be near the limits of `i32`.
    ///
    /// ```
    /// use carrybit_board::{Board, Move};
    ///
    /// // The rook takes a pawn that a pawn defends.
    /// let board: Board = "4k3/3p4/4p3/8/8/8/8/4R1K1 w - - 0 1".parse()?;
    /// let takes = Move::capture("e1".parse()?, "e6".parse()?);
    /// let values = [100, 300, 300, 500, 900, 0];
    /// assert!(board.see_ge(takes, -400, &values) && !board.see_ge(takes, 0, &values));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn see_ge(&self, mv: Move, threshold: i32, values: &SeeValues) -> bool {
        match Exchange::begin(self, mv, threshold, values) {
            ControlFlow::Break(wins) => wins,
            ControlFlow::Continue(exchange) => on_level!(see_loop(self, exchange, values)),
        }
    }

    /// The squares that `by` attacks, also where its own pieces stand; pins have no influence.
    pub fn threats(&self, by: Color) -> Threats {
        on_level!(threats(self, by))
    }

    /// The pieces that hang and those that a lesser piece attacks.
    ///
    /// ```
    /// use carrybit_board::{Board, ThreatFeatures};
    ///
    /// // A pawn attacks both knights; one of them is defended.
    /// let board: Board = "4k3/8/8/8/3p4/2N1N3/1P6/4K3 w - - 0 1".parse()?;
    /// let threats = board.threat_features();
    /// let (hanging, by_lesser) = (ThreatFeatures::HANGING, ThreatFeatures::ATTACKED_BY_LESSER);
    /// assert_eq!(threats.planes("c3".parse()?), by_lesser);
    /// assert_eq!(threats.planes("e3".parse()?), by_lesser | hanging);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn threat_features(&self) -> ThreatFeatures {
        on_level!(threat_features(self))
    }

    /// Compares everything kept incrementally (piece lists, keys, check info, state)
    /// with a full recomputation. Debug builds do so after each move made.
    ///
    /// # Errors
    /// The first difference.
    pub fn check_invariants(&self) -> Result<(), String> {
        let expected = portable::compute_check_info(self);
        let checkers = [portable::find_checkers(self), on_level!(find_checkers(self))];
        if checkers != [expected.checkers; 2] {
            return Err("the checkers differ".to_owned());
        }
        self.compare_with_fresh(self.check_info(), expected)
    }
}

fn squares_of(list: &[Square; MAX_PIECES], slots: u16) -> impl Iterator<Item = Square> + '_ {
    (0..MAX_PIECES).filter(move |slot| slots >> slot & 1 != 0).map(|slot| list[slot])
}
