//! The rules of chess. `CARRYBIT_SIMD` (`scalar`, `avx2`, `avx512`) selects the vector
//! instructions.

#[path = "../support/mod.rs"]
mod support;

mod attacks;
mod fen;
mod game;
mod learn;
mod make;
mod movegen;
mod oracle;
mod perft;
mod san;
mod see;
mod simd;
