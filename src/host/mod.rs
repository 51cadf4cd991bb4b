//! The platform: clock and concurrency.
//!
//! Natively that is the operating system, with threads. As WebAssembly it is a page or
//! Node, which can do nothing else while it calls the engine. There is one thread, and a
//! search is a *fiber*, which [`pause`] suspends in the middle of the tree. `src/host/web.rs`
//! explains how.

mod actor;

mod channel;

#[cfg(not(target_family = "wasm"))]
mod native;

#[cfg(target_family = "wasm")]
mod web;

pub use actor::Actor;
pub use channel::{Receiver, Sender, channel};

#[cfg(not(target_family = "wasm"))]
pub use native::{Instant, pause, seed, spawn, work};

#[cfg(target_family = "wasm")]
pub use web::{Instant, has_work, pause, rest, seed, spawn, work};
