//! The clock and the synchronisation types that the stop token needs. `tests/loom.rs`
//! replaces the latter by those of a model checker.

pub(super) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(super) use std::sync::{Arc, Condvar, Mutex, PoisonError};

pub(super) use crate::host::Instant;
