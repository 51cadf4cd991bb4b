//! Types that the stop token uses. `tests/loom.rs` replaces them by those of a model checker.

pub(super) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(super) use std::sync::{Arc, Condvar, Mutex, PoisonError};

pub(super) use crate::host::Instant;
