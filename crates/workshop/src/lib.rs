//! The workshop: makes Carrybit's networks, from nothing. The engine ([`carrybit`]) does not use
//! it. The engine plays against itself ([`games`]), a network is trained on these games
//! ([`train`]) and plays the next ones.

#![allow(missing_docs, reason = "the package is not published")]

pub mod command;
pub mod error;
pub mod files;
pub mod games;
pub mod progress;
pub mod threads;
pub mod train;
