//! Trains the network of Carrybit's evaluation on games that it has played against itself: the
//! network learns to predict the score of a search and the game's result from the position.
//!
//! From the games to the network:
//!
//! * [`data`] reads the games and keeps the positions worth learning from,
//!   with scores that [`smoothing`] freed from some of their error;
//! * [`model`] holds the network's parameters; [`inputs`] are its features in some positions,
//!   [`pass`] computes its outputs, [`gradient`] how they change with the parameters, all by
//!   [`kernel`], which runs plain loops on the best instructions there are;
//! * [`training`] draws samples, compares the outputs with what they should be,
//!   and has [`adam`] change the parameters a little against the error,
//!   many thousand times; [`factoriser`] lets the king buckets learn from each other;
//! * [`quantise`] rounds the result to the integers with which the engine plays;
//! * [`average`] averages several networks, [`convert`] converts one to another shape,
//!   [`rescale`] puts it on the scale of another one, [`network_file`] reads and writes them;
//! * [`checkpoint`] keeps a training on disk, [`report`] shows its losses;
//! * [`run`] is the command ([`arguments`]), and [`speed`] measures the speed of training.
//!
//! All in 32-bit floating point, on the CPU: training is limited by positions, not by speed.

pub mod kernel;

pub mod model;

pub mod inputs;

pub mod pass;

pub mod gradient;

pub mod smoothing;

pub mod error;

pub mod data;

pub mod adam;

pub mod factoriser;

pub mod report;

pub mod training;

pub mod quantise;

pub mod checkpoint;

pub mod network_file;

pub mod convert;

pub mod arguments;

pub mod run;

pub mod average;

pub mod rescale;

pub mod speed;
