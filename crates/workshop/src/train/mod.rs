//! Trains the network of Carrybit's evaluation on games of self-play. From a position, the
//! network predicts the score of a search and the result of the game.
//!
//! [`data`] reads positions from games; [`training`] is the loop over them: [`pass`] computes the
//! outputs, [`gradient`] the gradient of the loss, and [`adam`] changes the parameters ([`model`]);
//! [`quantise`] rounds the result to the engine's integers. [`run`] is the command `train`.
//!
//! Training runs on the CPU: the number of positions limits it, not the speed.

pub mod adam;
pub mod arguments;
mod checkpoint;
pub mod convert;
pub mod data;
mod factoriser;
pub mod gradient;
pub mod inputs;
mod kernel;
pub mod mean;
pub mod model;
pub mod pass;
mod permutation;
pub mod quantise;
pub mod rescale;
pub mod run;
pub mod search_error;
pub mod smoothing;
pub mod training;
