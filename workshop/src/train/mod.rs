//! Trains the network of Carrybit's evaluation on games that it has played
//! against itself: the network learns to forecast, from the position alone, what
//! a search thought of it and how the game ended.
//!
//! From the games to the network:
//!
//! * [`data`] reads the games and keeps the positions worth learning from,
//!   with scores that [`smoothing`] freed from some of their error;
//! * [`model`] holds the network's parameters; [`views`] says what it sees, [`pass`] computes
//!   its outputs, [`gradient`] how they change with the parameters;
//! * [`training`] draws samples, compares the outputs with what they should be,
//!   and has [`Adam`](crate::adam) change the parameters a little against the error,
//!   many thousand times; [`factoriser`] lets the zones of the king learn from each other;
//! * [`quantise`] rounds the result to the integers with which the engine plays;
//! * [`average`] takes the mean of several;
//! * [`rescale`] puts it on the scale of another network;
//! * [`checkpoint`] keeps a training on disk, [`report`] says how it goes;
//! * [`run`] does what the command line ([`arguments`]) says, and [`bench`](mod@bench) measures
//!   how fast training is.
//!
//! All in 32-bit floating point, on the processor: positions are what there is
//! too few of, not speed.

pub mod model;

pub mod views;

pub mod pass;

pub mod gradient;

pub mod smoothing;

pub mod data;

pub mod factoriser;

pub mod report;

pub mod training;

pub mod quantise;

pub mod checkpoint;

pub mod arguments;

pub mod run;

pub mod average;

pub mod rescale;

pub mod bench;
