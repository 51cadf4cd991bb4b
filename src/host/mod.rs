//! The platform: clock, threads and channels.
//!
//! A native build uses the threads of the operating system ([`Actor`], [`spawn`]). WebAssembly
//! runs in a page or in Node, on one thread. There a search is a *fiber*, which [`yield_now`]
//! suspends in the middle of the tree; `src/host/web.rs` explains how.

mod actor;
mod channel;
#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(target_family = "wasm")]
mod web;

pub use actor::Actor;
pub use channel::{Receiver, Sender, channel};
#[cfg(not(target_family = "wasm"))]
pub use native::{Instant, run_spawned, seed, spawn, yield_now};
#[cfg(target_family = "wasm")]
pub use web::{Instant, has_spawned, run_spawned, seed, spawn, wait_event, yield_now};
