//! Networks in files.

use std::path::Path;

use carrybit::internals::eval::nnue::Network;
use carrybit::internals::eval::nnue::network::QuantisedNet;

use crate::error::Error;
use crate::files;

/// Reads a network of any shape.
pub fn read(path: &Path) -> Result<QuantisedNet, Error> {
    QuantisedNet::from_bytes(&files::read(path)?)
        .map_err(|error| Error::Network(path.to_owned(), error))
}

/// Reads a network of the engine's shape, to evaluate with.
pub fn for_engine(path: &Path) -> Result<Network, Error> {
    Network::read(&files::read(path)?).map_err(|error| Error::Network(path.to_owned(), error))
}

pub fn write(path: &Path, net: &QuantisedNet) -> Result<(), Error> {
    net.check().map_err(Error::Unfit)?;
    files::replace(path, &net.to_bytes())
}
