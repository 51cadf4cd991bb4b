//! Networks in files.

use std::path::Path;

use carrybit::internals::eval::nnue::network::QuantisedNet;

use super::error::TrainError;
use crate::files;

/// Reads a network of any shape.
///
/// # Errors
/// If the file cannot be read or is not a network.
pub fn read(path: &Path) -> Result<QuantisedNet, TrainError> {
    QuantisedNet::from_bytes(&files::read(path)?)
        .map_err(|error| TrainError::Network(path.to_owned(), error))
}

/// Writes a network.
///
/// # Errors
/// If it does not fit the engine's integers, or cannot be written.
pub fn write(path: &Path, net: &QuantisedNet) -> Result<(), TrainError> {
    net.check().map_err(TrainError::Unfit)?;
    Ok(files::replace(path, &net.to_bytes())?)
}
