//! The workshop's commands and the trainer, in one program: each program is linked to the engine.

mod learning;
mod pgn;
mod positions;
mod shards;
mod support;
mod training;
