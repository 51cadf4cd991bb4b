//! Games that the evaluation learns from: those of self-play, and others.
//!
//! [`play`] has the engine play against itself from random openings, a fixed number
//! of nodes for each move, and appends the games to a shard. It is deterministic:
//! game number n of a shard follows from its settings and n alone, however many
//! threads play, and games are written in the order of their numbers. So a shard
//! that was cut short at any moment goes on where its last whole game ends, and
//! becomes the same, byte for byte, as if nothing had happened. [`random_game`] needs no
//! network: its games of random moves, labelled with material, begin the chain of networks.
//!
//! [`stats`] replays shards, which proves them sound, and says and draws what is in
//! them. [`from_pgn`] makes shards of games played elsewhere, and [`to_pgn`] writes those
//! of a shard for others to read; [`score_text`] is how their scores are written.
//!
//! [`selfplay`] plays a game, for which [`referee`] decides what everybody can see;
//! [`record`] is what is left of it, [`shard`] keeps it in a file, and [`settings`]
//! says what the games of a shard follow from. [`starts`] has positions of earlier games to
//! begin from.

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
