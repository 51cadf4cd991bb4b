//! What the engine offers besides playing, for people and scripts; and what it has
//! for the workshop, which plays it against itself.

pub mod bench;

pub mod perft;

pub mod genfens;

pub mod player;

pub mod opening;

pub mod ending;

mod speed;

pub use speed::per_second;
