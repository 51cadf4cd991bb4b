//! The evaluation by an efficiently updatable neural network (NNUE; the idea is
//! Yu Nasu's, 2018).
//!
//! [`features`] has the inputs, [`network`] the definition, `shape` and `quantised` its file,
//! `feature_state` the difference between two positions, `accumulator` the evaluator, and
//! `simd` the arithmetic. All of it is on integers: every processor gives the same result.
//!
//! The engine's own network is `carrybit.nnue`, beside this file; a build embeds another one if
//! `CARRYBIT_EVALFILE` names it, and piece values if that is `none`.

mod accumulator;
mod explain;
mod feature_state;
pub mod features;
pub mod network;
mod quantised;
mod shape;
mod simd;

pub use self::accumulator::Nnue;
pub use self::network::Network;
