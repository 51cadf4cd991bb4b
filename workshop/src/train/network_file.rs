//! Networks in files.

use std::fs;
use std::path::Path;

use carrybit::eval::nnue::network::QuantisedNet;

use super::error::{TrainError, file_error};
use crate::files::replace_file;

/// Reads a network of any shape.
///
/// # Errors
/// If the file cannot be read, or is no network.
pub fn read(path: &Path) -> Result<QuantisedNet, TrainError> {
    let bytes = fs::read(path).map_err(file_error(path))?;
    QuantisedNet::from_bytes(&bytes)
        .map_err(|source| TrainError::Network { path: path.to_owned(), source })
}

/// Writes a network that fits the engine's integers.
///
/// # Errors
/// If it does not fit, or cannot be written.
pub fn write(path: &Path, net: &QuantisedNet) -> Result<(), TrainError> {
    net.check().map_err(TrainError::Unfit)?;
    replace_file(path, &net.to_bytes()).map_err(file_error(path))
}
