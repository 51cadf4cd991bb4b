//! Training games: from self-play, or played elsewhere.
//!
//! [`play`] has the engine play against itself from random openings, with about the
//! same number of nodes for each move, and appends the games to a shard. It is deterministic: game
//! number n of a shard follows from its settings and n alone, with any number of threads, and games
//! are written in the order of their numbers. So a shard that was cut off at any moment resumes
//! after its last complete game, and becomes the same file, byte for byte, as without the
//! interruption. [`random_game`] needs no network: its games of random moves, labelled with
//! material, train the first network of a chain.
//!
//! [`stats`] replays shards, which validates them, and prints statistics.
//! [`from_pgn`] converts PGN to a shard, and [`to_pgn`] a shard to PGN; [`score_text`] has the
//! format of the scores.
//!
//! [`selfplay`] plays one game, which [`referee`] adjudicates. [`record`] is a game with its
//! scores, [`shard`] its file format, and [`settings`] holds all settings that determine the
//! games of a shard.

pub mod from_pgn;
pub mod play;
pub mod random_game;
pub mod record;
pub mod referee;
pub mod score_text;
pub mod selfplay;
pub mod settings;
pub mod shard;
pub mod stats;
pub mod to_pgn;
