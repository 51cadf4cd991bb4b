//! The race hammer: random commands at random moments, and a model of the
//! protocol that says what may come back, and until when.
//!
//! `script` invents what to say, `command` knows what each command asks for, `model` keeps
//! the queue of answers that are due, `judge` knows what is legal (from the crate
//! cozy-chess, not from this engine), `session` talks to a process and measures.

pub(crate) mod command;
pub(crate) mod judge;
pub(crate) mod model;
pub(crate) mod script;
pub(crate) mod session;
