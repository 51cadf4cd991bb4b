//! The evaluation of a position.
//!
//! The search consults [`endings`] first, for material that decides the game, then the neural
//! network ([`Nnue`]). [`wdl`] converts scores for users.

pub mod endings;
mod kpk;
mod krpkr;
pub mod nnue;
pub mod wdl;

pub use nnue::Nnue;
