//! The hammer test: random commands at random moments, and a model of the protocol that predicts
//! which answers may come, and until when.
//!
//! `script` generates commands, `model` keeps the queue of answers that are due, `judge` computes
//! legal moves with the crate cozy-chess, `session` runs a process and measures.

pub(crate) mod judge;
pub(crate) mod model;
pub(crate) mod script;
pub(crate) mod session;
