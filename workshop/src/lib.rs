//! The workshop: makes Carrybit's networks, from nothing.
//!
//! The engine ([`carrybit`]) needs none of this to play. Here it plays against itself, a
//! network is trained on its games and plays the next ones:
//!
//! * [`games`] plays games and keeps them in shards, imports games played elsewhere, and
//!   prints statistics;
//! * [`train`] trains networks on shards.
//!
//! [`command`] is the command line; [`random`], [`threads`], [`progress`] and [`files`] are
//! used by all of them.

pub mod files;

pub mod progress;

pub mod random;

pub mod threads;

pub mod games;

pub mod train;

pub mod command;
