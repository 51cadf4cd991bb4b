//! What the fuzz targets do with their bytes: everything that reads what others have
//! written is given them, and must refuse them or make sense of them.
//!
//! Each target panics if it does not keep its promise. The tests give the targets the
//! seeds and all that was ever found.

pub mod engine;

pub mod workshop;
