//! The standard library's means to synchronise threads, as far as the stop token
//! needs them. `tests/loom.rs` puts in their place those of a model checker.

pub(super) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(super) use std::sync::{Arc, Condvar, Mutex, PoisonError};
