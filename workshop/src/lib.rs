//! The workshop: makes Carrybit's networks, from nothing.
//!
//! The engine ([`carrybit`]) needs none of this to play. Here it plays against itself,
//! and a network learns from its games, plays in its turn, and is learnt from:
//!
//! * [`games`] plays, keeps games in shards, takes in those played elsewhere, and looks at
//!   what is in them;
//! * [`train`] has a network learn from shards.
//!
//! Below these are [`adam`], the optimiser of both kinds of learning, [`kernel`], which
//! runs plain loops on the best instructions there are, [`random`], [`threads`],
//! [`progress`] and [`files`]; above them [`command`], what the program can be asked to
//! do. Modules use those before them in this list:

pub mod files;

pub mod progress;

pub mod random;

pub mod threads;

pub mod kernel;

pub mod adam;

pub mod games;

pub mod train;

pub mod command;
