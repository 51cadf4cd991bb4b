//! The workshop: makes Carrybit's networks, from nothing.
//!
//! The engine ([`carrybit`]) does not use it. The engine plays against itself, a network is
//! trained on these games and plays the next ones:
//!
//! * [`games`] plays games and keeps them in shards, imports games played elsewhere, and
//!   prints statistics;
//! * [`train`] trains networks on shards.
//!
//! [`command`] is the command line; both use [`error`], [`threads`], [`progress`] and [`files`].

#![allow(missing_docs, reason = "the package is not published")]

pub mod command;
pub mod error;
pub mod files;
pub mod games;
pub mod progress;
pub mod threads;
pub mod train;
