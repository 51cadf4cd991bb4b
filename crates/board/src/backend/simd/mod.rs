//! The SIMD backend, for AVX2 and AVX-512: the off-board test, sixty-four squares at a time.
//!
//! A 0x88 board has a spare bit between file and rank and another above the rank. A step off
//! the board carries or borrows into one of them, so `square & 0x88` is not zero. This one test
//! covers all four edges and is the same for every square and every step. So one instruction
//! can do it for many squares. Take the square of a queen on d4, add the offsets of all
//! squares that a queen or knight may reach on an empty board (see [`lanes`](super::lanes) for
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
//! On AVX-512 one permutation then fetches the pieces on all these squares; AVX2 needs a few
//! shuffles (see below). These 64 bytes are the view from the square, and each byte is a lane.
//! One subtraction on the occupied lanes gives a slider's reach on all eight rays
//! (`geometry::reach`). The view from the king's square shows checks and pins. The view from an
//! adjacent square shows whether the king may step there. The view from the square of an
//! exchange shows all attackers.
//!
//! `check_info`, `movegen`, `make`, `see` and `threats` are generic over the instructions;
//! each has a counterpart of the same name in [`portable`](super::portable).
//! `view` is the interface that `avx512`, `avx2` and `neon` implement; `vector_backend`, for moves,
//! is on x86-64 only.
//!
//! # The board in registers
//!
//! A set of lanes is a `u64` with one bit per lane. Lanes are relative to the square of the
//! view, so a set of lanes is not a bitboard: the same bit is another square in each view.
//! Three layouts are not relative:
//!
//! * AVX-512 has the 128 bytes of the board in two registers. Its byte permutation
//!   indexes them by 0x88 square numbers, so nothing is converted.
//! * AVX2 has a byte shuffle that looks up 16 bytes at a time. Two ranks without their
//!   spare halves fit, so the board is packed into four registers. For each square, a table
//!   has the places of its lanes in them, computed by the off-board test at compile time.
//! * [`threats`] has one word per rank. Its results have one bit per square, from comparisons
//!   of 64 bytes.

/// Defines the entry points of a vector level. The generic code is inlined into them, so that it
/// is compiled with the level's target features.
#[cfg(target_arch = "x86_64")]
macro_rules! entry_points {
    ($features:literal, $backend:ident, $ranks:ident) => {
        pub(in crate::backend) use entry::*;

        mod entry {
            use super::{$backend, $ranks};
            use crate::backend::lanes::KingLines;
            use crate::backend::simd::{check_info, make, movegen, see, threats};
            use crate::see::Exchange;
            use crate::{
                Board, CheckInfo, Color, Move, MoveList, SeeValues, ThreatFeatures, Threats,
            };

            #[target_feature(enable = $features)]
            pub fn generate<const STAGE: u8>(board: &Board, list: &mut MoveList) -> Option<usize> {
                movegen::generate::<STAGE, _>($backend(()), board, list)
            }

            #[target_feature(enable = $features)]
            pub fn count(board: &Board) -> Option<u64> {
                movegen::count($backend(()), board)
            }

            #[target_feature(enable = $features)]
            pub fn count_replies(board: &Board, moves: &[Move]) -> u64 {
                movegen::count_replies($backend(()), board, moves)
            }

            #[target_feature(enable = $features)]
            pub fn find_checkers(board: &Board) -> u16 {
                check_info::find_checkers($backend(()), board)
            }

            #[target_feature(enable = $features)]
            pub fn has_king_move(board: &Board) -> bool {
                check_info::has_king_move($backend(()), board)
            }

            #[target_feature(enable = $features)]
            pub fn compute_check_info(board: &Board) -> CheckInfo {
                check_info::compute_check_info($backend(()), board)
            }

            #[target_feature(enable = $features)]
            pub fn king_lines(board: &Board) -> KingLines {
                check_info::king_lines($backend(()), board)
            }

            #[target_feature(enable = $features)]
            pub fn make<const RARE: bool>(board: &Board, mv: Move) -> Board {
                make::make::<RARE, _>($backend(()), board, mv)
            }

            #[target_feature(enable = $features)]
            pub fn copy(board: &Board) -> Board {
                board.copy()
            }

            #[target_feature(enable = $features)]
            pub fn see_loop(board: &Board, exchange: Exchange, values: &SeeValues) -> bool {
                see::see_loop($backend(()), board, exchange, values)
            }

            #[target_feature(enable = $features)]
            pub fn threats(board: &Board, by: Color) -> Threats {
                threats::threats($ranks::pack(&board.squares), by)
            }

            #[target_feature(enable = $features)]
            pub fn threat_features(board: &Board) -> ThreatFeatures {
                threats::threat_features($ranks::pack(&board.squares))
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod check_info;
#[cfg(any(target_arch = "aarch64", target_family = "wasm"))]
mod four_registers;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[cfg_attr(target_arch = "aarch64", allow(dead_code, reason = "tables for moves"))]
mod geometry;
#[cfg(target_arch = "x86_64")]
pub mod make;
#[cfg(target_arch = "x86_64")]
pub mod movegen;
#[cfg(target_arch = "aarch64")]
pub mod neon;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod see;
pub mod threats;
#[cfg(target_arch = "x86_64")]
pub mod vector_backend;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod view;
#[cfg(target_family = "wasm")]
pub mod wasm;
