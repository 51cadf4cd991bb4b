//! The standard library's synchronisation types that the stop token needs.
//! `tests/loom.rs` replaces them by those of a model checker.

pub(super) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(super) use std::sync::{Arc, Condvar, Mutex, PoisonError};
