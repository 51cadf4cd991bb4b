//! The evaluation by an efficiently updatable neural network (NNUE; the idea is
//! Yu Nasu's, 2018).
//!
//! [`features`] says what the network sees, [`network`] what it is and what its
//! numbers mean.

pub mod features;

pub mod network;
