//! The hot path by the difference table, in plain Rust. It runs everywhere, and it is
//! what the [`lanes`](super::lanes) are tested against.
//!
//! Where two squares are compared, one look at the table says whether a piece bears on
//! the other and by which step, and only a slider's path is walked; moves and threats are
//! found by stepping. Each file has its counterpart of the same name
//! among the lanes: `king.rs` looks around the king, `movegen.rs` generates moves,
//! `make.rs` makes them, `see.rs` plays out exchanges, `threats.rs` and
//! `dangers.rs` collect attacks.

pub mod dangers;

pub mod king;

pub mod make;

pub mod movegen;

pub mod perft;

pub mod see;

pub mod threats;

#[cfg(not(target_family = "wasm"))]
pub(super) use dangers::dangers;
pub(super) use king::{find_checkers, look};
pub(super) use make::make;
pub(super) use movegen::{count, count_rest, generate, generate_rest};
pub(super) use perft::count_replies;
pub(super) use see::wins_exchange;
pub(super) use threats::threats;

#[cfg(target_family = "wasm")]
pub(super) use super::lanes::wasm::dangers;
