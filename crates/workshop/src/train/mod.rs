//! Trains the network of Carrybit's evaluation on games of self-play. From a position, the
//! network predicts the score of a search and the result of the game.
//!
//! From the games to the network:
//!
//! * [`data`] reads the games and selects positions, with labels that [`smoothing`] makes of
//!   scores; `permutation.rs` is the order in which an epoch visits them;
//! * [`model`] holds the network's parameters; [`inputs`] holds the active features of some
//!   positions, [`pass`] computes the outputs, [`gradient`] the gradient of the loss. They run in
//!   [`kernel`], which compiles plain loops for the best vector instructions;
//! * [`training`] draws samples, computes the loss, and has [`adam`] change the parameters
//!   step by step; [`factoriser`] shares each step among the king buckets;
//! * [`quantise`] rounds the result to the engine's integers;
//! * [`convert`] converts a network to another shape, [`rescale`] gives it the scale of another
//!   one, [`search_error`] measures their errors, [`network_file`] reads and writes them;
//! * [`checkpoint`] keeps a training on disk;
//! * [`run`] is the command ([`arguments`]).
//!
//! Training runs on the CPU: the number of positions limits it, not the speed.

pub mod adam;
pub mod arguments;
pub mod checkpoint;
pub mod convert;
pub mod data;
pub mod factoriser;
pub mod gradient;
pub mod inputs;
pub mod kernel;
pub mod model;
pub mod network_file;
pub mod pass;
mod permutation;
pub mod quantise;
pub mod rescale;
pub mod run;
pub mod search_error;
pub mod smoothing;
pub mod training;
