//! Carrybit, a chess engine on a 0x88 board.
//!
//! Read the modules in this order; each uses only those below it:
//!
//! * [`uci`]: text in, text out
//! * [`engine`]: the engine as the dialogue, the tools and the tests see it
//! * [`search`]: how a move is chosen
//! * [`eval`]: what a position is worth
//! * [`tablebase`]: the outcome of endgames, looked up in tables
//! * [`board`]: the rules of chess, and the hot path
//! * [`score`]: the arithmetic of scores, below all of these
//! * [`processor`]: which vector instructions run, below all of these
//! * `files`: opens the files that users name, below all of these

pub mod uci;

pub mod engine;

pub mod tools;

pub mod search;

pub mod eval;

pub mod tablebase;

pub mod board;

pub mod score;

pub mod processor;

mod files;

mod prefetch;

mod large_pages;

mod memory;
