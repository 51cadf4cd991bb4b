//! The evaluation of a position.
//!
//! The search consults [`endings`] first, for material that decides alone, then a neural
//! network, [`Nnue`].

mod lone_pawn;

mod rook_ending;

pub mod endings;

pub mod nnue;

pub use nnue::Nnue;
