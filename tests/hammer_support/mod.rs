//! The race hammer: random commands at random moments, and a model of the protocol that
//! knows which answers may come, and until when.
//!
//! `script` invents commands, `model` keeps the queue of answers that are due, `judge` knows
//! which moves are legal (from the crate cozy-chess, not from this engine), `session` talks
//! to a process and measures.

pub(crate) mod judge;
pub(crate) mod model;
pub(crate) mod script;
pub(crate) mod session;
