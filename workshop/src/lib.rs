//! The workshop: makes Carrybit's networks, from nothing.
//!
//! The engine ([`carrybit`]) needs none of this to play. Here it plays against itself,
//! and a network learns from its games, plays in its turn, and is learnt from:
//!
//! * [`games`] plays, keeps games in shards, takes in those played elsewhere, and counts
//!   what is in them;
//! * [`train`] has a network learn from shards.
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
