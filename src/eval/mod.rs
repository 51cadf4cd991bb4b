//! The evaluation of a position.
//!
//! The search consults [`endings`] first, for material that decides alone, then a neural
//! network, [`Nnue`].

pub mod endings;
mod kpk;
mod krpkr;
pub mod nnue;
pub mod wdl;

pub use nnue::Nnue;
