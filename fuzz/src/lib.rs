//! The functions of the fuzz targets: each gives its bytes to a reader of foreign input, which
//! must refuse them or make sense of them.
//!
//! Each target panics if it does not keep its promise. The tests give the targets the
//! seeds and all that was ever found.

pub mod engine;

pub mod games;

pub mod workshop;
