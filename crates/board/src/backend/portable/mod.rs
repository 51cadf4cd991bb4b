//! The portable backend: the hot path in plain Rust, based on the difference table. It runs
//! everywhere, and [`simd`](super::simd) is tested against it.
//!
//! One lookup in the table shows whether a piece could attack a square and by which step;
//! only a slider's path must be walked. Moves and threats are found by stepping. Each file
//! has a counterpart of the same name in [`simd`](super::simd).

pub mod check_info;
pub mod make;
pub mod movegen;
pub mod see;
pub mod threats;

pub(super) use check_info::{compute_check_info, find_checkers, has_king_move, king_lines};
pub(super) use make::make;
pub(super) use movegen::{count, count_all, count_replies, generate, generate_from};
pub(super) use see::see_loop;
#[cfg(not(target_family = "wasm"))]
pub(super) use threats::threat_features;
pub(super) use threats::threats;

#[cfg(target_family = "wasm")]
pub(super) use super::simd::wasm::threat_features;

#[inline]
pub(super) fn copy(board: &crate::Board) -> crate::Board {
    board.copy()
}
