//! What the engine offers besides playing, for people and scripts; and what it has
//! for the workshop, which plays it against itself.

pub mod bench;

pub mod perft;

pub mod genfens;

pub mod player;

pub mod opening;

pub mod ending;

pub mod speedtest;

pub mod doctor;

mod observer;

mod speed;

pub use observer::Observer;
pub use speed::per_second;
