//! The off-board test, sixty-four squares at a time.
//!
//! A 0x88 board has a spare bit between file and rank and another above the
//! rank. Whoever steps off the board carries or borrows into one of them, so
//! `square & 0x88` is not zero: one test for all four edges. It is the same test
//! for every square and every step, and so it can be done for many of them in
//! one instruction. Take the square of a queen on d4, add the offsets of all
//! squares that a queen or knight may reach on an empty board (see [`lanes`] for
//! their order), and test:
//!
//! ```text
//! d4 = 0x33          0x33 0x33 0x33 0x33 0x33 0x33 0x33 0x33 | 0x33 0x33 ...
//! + north, and jump  0x10 0x20 0x30 0x40 0x50 0x60 0x70 0x21 | 0x01 0x02 ...
//! = squares          0x43 0x53 0x63 0x73 0x83 0x93 0xa3 0x54 | 0x34 0x35 ...
//! & 0x88             0    0    0    0    0x80 0x80 0x80 0    | 0    0    ...
//!                    d5   d6   d7   d8   off  off  off  e6     e4   f4
//! ```
//!
//! On bitboards and 8 x 8 boards this needs a table for each square; here the
//! carry finds the edge for free. One permutation then fetches what stands on all
//! these squares: the 128 bytes of the board are two registers of AVX-512, the
//! most that its byte permutation takes. What a slider reaches follows from the
//! occupied lanes by one subtraction for all eight rays ([`lanes::reach`]). From
//! the king's square the same view shows checks and pins, from a square next to
//! him whether he may go there, from the square of an exchange all that take part.
//!
//! [`kernel`] and [`movegen`] are the hot path in these terms; they are safe code,
//! written once. [`unit`] is what they ask for, `image` how a position changes as
//! whole vectors; `avx512` and `avx2` teach that to two kinds of processors. On
//! others, and when the level of [`crate::processor`] says so, the portable code runs.
//! This module chooses between them, once for each whole job, and nobody above knows.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod image;
#[cfg(target_arch = "x86_64")]
mod kernel;
#[cfg(target_arch = "x86_64")]
mod lanes;
#[cfg(target_arch = "x86_64")]
mod movegen;
#[cfg(target_arch = "x86_64")]
mod unit;

use super::attacks::KingPass;
use super::moves::{Move, MoveList};
use super::piece::Color;
use super::see::Exchange;
use super::{Board, Observer, SeeValues, Threats};
use crate::processor::{Level, level};

/// Appends the legal moves of the stage to `list`.
#[inline]
pub(super) fn generate<const STAGE: u8>(board: &Board, list: &mut MoveList) {
    match level() {
        // SAFETY: the level in use is one that the processor has.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::generate::<STAGE>(board, list) },
        // SAFETY: likewise.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::generate::<STAGE>(board, list) },
        _ => board.generate_portably::<STAGE>(list),
    }
}

/// The number of legal moves.
#[inline]
pub(super) fn count(board: &Board) -> u64 {
    match level() {
        // SAFETY: the level in use is one that the processor has.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::count(board) },
        // SAFETY: likewise.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::count(board) },
        _ => board.count_portably(),
    }
}

/// The number of legal sequences of two moves.
#[inline]
pub(super) fn count_replies(board: &Board) -> u64 {
    match level() {
        // SAFETY: the level in use is one that the processor has.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::count_replies(board) },
        // SAFETY: likewise.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::count_replies(board) },
        _ => board.count_replies_portably(),
    }
}

/// The look around the king of the side to move.
#[inline]
pub(super) fn look(board: &Board) -> KingPass {
    match level() {
        // SAFETY: the level in use is one that the processor has.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::look(board) },
        // SAFETY: likewise.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::look(board) },
        _ => KingPass::look_portably(board),
    }
}

/// The slots of the enemy's pieces that give check.
#[inline]
pub(super) fn find_checkers(board: &Board) -> u16 {
    match level() {
        // SAFETY: the level in use is one that the processor has.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::find_checkers(board) },
        // SAFETY: likewise.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::find_checkers(board) },
        _ => board.find_checkers_portably(),
    }
}

/// Whether the special move `mv` is castling, en passant, or a push that allows
/// it: rare, and different from all others.
fn is_for_portable(board: &Board, mv: Move) -> bool {
    !mv.is_promotion() && (!mv.is_double_push() || board.is_beside_pawn(mv.to(), !board.side))
}

/// Whether `mv` is special or may cost a castling right. Such moves have code of
/// their own, lest the others pay for what they do not need.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn is_rare(board: &Board, mv: Move) -> bool {
    mv.is_special() || board.may_lose_rights(board.piece_on(mv.from()), board.piece_on(mv.to()))
}

/// The position after the legal move `mv`.
#[inline(always)]
pub(super) fn make(board: &Board, mv: Move, observer: &mut impl Observer) -> Board {
    match level() {
        // SAFETY: the level in use is one that the processor has.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if !is_rare(board, mv) => unsafe { avx512::make(board, mv, observer) },
        // SAFETY: likewise.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if !is_rare(board, mv) => unsafe { avx2::make(board, mv, observer) },
        _ => {
            let mut next = board.clone();
            make_into(board, mv, observer, &mut next);
            next
        }
    }
}

/// Makes `next` the position after the legal move `mv`.
#[inline(always)]
pub(super) fn make_into(board: &Board, mv: Move, observer: &mut impl Observer, next: &mut Board) {
    match level() {
        Level::Scalar => board.make_portably(mv, observer, next),
        // SAFETY: the level in use is one that the processor has.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if !is_rare(board, mv) => unsafe {
            avx512::make_into::<false, _>(board, mv, observer, next);
        },
        // SAFETY: likewise.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if !is_rare(board, mv) => unsafe {
            avx2::make_into::<false, _>(board, mv, observer, next);
        },
        _ => make_rare_into(board, mv, observer, next),
    }
}

/// [`make_into`] for moves that are rare.
#[inline(never)]
fn make_rare_into(board: &Board, mv: Move, observer: &mut impl Observer, next: &mut Board) {
    match level() {
        _ if mv.is_special() && is_for_portable(board, mv) => {
            board.make_portably(mv, observer, next);
        }
        // SAFETY: the level in use is one that the processor has.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::make_into::<true, _>(board, mv, observer, next) },
        // SAFETY: likewise.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::make_into::<true, _>(board, mv, observer, next) },
        _ => board.make_portably(mv, observer, next),
    }
}

/// Whether the side to move comes out of `exchange` with the threshold at least.
#[inline]
pub(super) fn wins_exchange(board: &Board, exchange: Exchange, values: &SeeValues) -> bool {
    match level() {
        // SAFETY: the level in use is one that the processor has.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::wins_exchange(board, exchange, values) },
        // SAFETY: likewise.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::wins_exchange(board, exchange, values) },
        _ => board.wins_exchange_portably(exchange, values),
    }
}

/// The squares that `by` attacks.
#[inline]
pub(super) fn threats(board: &Board, by: Color) -> Threats {
    match level() {
        // SAFETY: the level in use is one that the processor has.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::threats(board, by) },
        // SAFETY: likewise.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::threats(board, by) },
        _ => board.threats_portably(by),
    }
}
