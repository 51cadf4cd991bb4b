//! The operating system: memory, files, text encodings and the log.

pub mod encoding;
pub(crate) mod files;
pub(crate) mod large_pages;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(all(feature = "program", not(target_family = "wasm")))]
pub mod logging;
pub mod memory;
