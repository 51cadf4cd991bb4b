//! Commands that measure and check the engine.

pub mod bench;
