//! Games to train on: those of self-play, and others.
//!
//! [`play`] has the engine play against itself from random openings, with a fixed number of
//! nodes for each move, and appends the games to a shard. It is deterministic: game number n of
//! a shard follows from its settings and n alone, with any number of threads, and games are
//! written in the order of their numbers. So a shard that was cut off at any moment continues
//! after its last complete game, and becomes the same file, byte for byte, as without the
//! interruption. [`random_game`] needs no network: its games of random moves, labelled with
//! material, begin the chain of networks.
//!
//! [`stats`] replays shards, which checks them, and prints and draws statistics. [`from_pgn`]
//! makes shards of games played elsewhere, and [`to_pgn`] writes a shard as PGN;
//! [`score_text`] has the format of their scores.
//!
//! [`selfplay`] plays a game, which [`referee`] ends early when it is decided; [`record`] is a
//! game with its scores, [`shard`] its file format, and [`settings`] has everything that the
//! games of a shard follow from. [`starts`] has positions of earlier games to begin from.

pub mod record;

pub mod random_game;

pub mod referee;

pub mod selfplay;

pub mod shard;

pub mod starts;

pub mod error;

pub mod settings;

pub mod play;

pub mod stats;

pub mod score_text;

pub mod from_pgn;

pub mod to_pgn;
