//! The engine as a library, and in a dialogue in memory.

#[path = "../folder_support/mod.rs"]
mod folder_support;
#[path = "../process_support/mod.rs"]
mod process_support;
#[path = "../support/mod.rs"]
mod support;
#[path = "../time_support/mod.rs"]
mod time_support;
#[path = "../uci_support/mod.rs"]
mod uci_support;

mod analysis;
mod endings;
mod engine_support;
mod evalfile;
mod hash;
mod nnue;
mod nodestime;
mod reproducible;
mod search;
mod strength;
mod tablebase;
mod tablebase_search;
mod threads;
