//! What a position is worth.
//!
//! Before anybody else the search asks [`endings`], for those that the pieces left decide.
//! Apart from that, it is generic over [`Evaluator`], the seam, so what judges positions can
//! be replaced without a line of the search changing. The engine asks a network,
//! [`Nnue`]. (The workshop, which makes the networks, plays its first games with
//! another evaluator.)

pub mod evaluator;

mod lone_pawn;

mod rook_ending;

pub mod endings;

pub mod nnue;

pub use evaluator::{Evaluator, STACK_LEN};
pub use nnue::Nnue;
