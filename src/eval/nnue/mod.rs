//! An efficiently updatable neural network (NNUE; idea: Yu Nasu, 2018).
//!
//! Sums are of integers, or of floating-point numbers in a fixed order, so all processors give the
//! same result.
//!
//! The engine's own network is `carrybit.nnue`, in this folder. A build embeds another one if
//! `CARRYBIT_EVALFILE` names it, and a network of piece values if that is `none`.

mod accumulator;
mod embedded;
mod explain;
mod feature_state;
pub mod features;
pub mod network;
mod quantised;
mod shape;
mod simd;

pub use self::accumulator::Nnue;
pub use self::network::Network;
