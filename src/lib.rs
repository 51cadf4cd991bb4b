//! Carrybit, a chess engine on a 0x88 board.
//!
//! Read the modules in this order; arrows of use point downwards only:
//!
//! * [`uci`]: text in, text out
//! * [`engine`]: the face used by it, the tests and the tools
//! * [`search`]: how a move is chosen
//! * [`eval`]: what a position is worth
//! * [`tablebase`]: the outcome of endgames, looked up in tables
//! * [`board`]: the rules of chess, and the hot path
//! * [`score`]: the arithmetic of scores, below all
//! * [`simd`]: which vector instructions run, below all
//! * [`random`]: numbers that are a function of a seed, below all
//! * `files`: opens the files that users name, below all

pub mod uci;

pub mod engine;

pub mod tools;

pub mod search;

pub mod eval;

pub mod tablebase;

pub mod board;

pub mod score;

pub mod simd;

pub mod random;

mod files;

mod prefetch;

mod large_pages;

mod memory;

/// The version of the engine.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
