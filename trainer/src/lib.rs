//! Trains the network of Carrybit's evaluation on games that it has played
//! against itself: the network learns to forecast, from the position alone, what
//! a search thought of it and how the game ended.
//!
//! From the games to the network:
//!
//! * [`data`] reads the games and keeps the positions worth learning from;
//! * [`model`] computes the network's outputs, and how they change with its
//!   parameters;
//! * [`training`] draws samples, compares the outputs with what they should be,
//!   and has [`optimiser`] change the parameters a little against the error, many
//!   thousand times;
//! * [`quantise`] rounds the result to the integers with which the engine plays;
//! * [`checkpoint`] keeps a training on disk, [`report`] says how it goes.
//!
//! [`threads`] shares all work out so that nothing depends on their number.
//!
//! All in 32-bit floating point, on the processor: positions are what there is
//! too few of, not speed.

pub mod arguments;

pub mod bench;

pub mod checkpoint;

pub mod data;

pub mod model;

pub mod optimiser;

pub mod quantise;

pub mod random;

pub mod report;

pub mod simd;

pub mod threads;

pub mod training;

mod run;

pub use run::{TrainError, run};
