//! The engine as a library, and in a dialogue in memory.

#[path = "../support/folder.rs"]
mod folder_support;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/time.rs"]
mod time_support;
#[path = "../support/uci.rs"]
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
