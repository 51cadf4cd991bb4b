//! A training on disk, to be taken up again after its process has ended.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use carrybit::eval::nnue::features::PIECE_FEATURES;
use carrybit::random::scramble;

use super::model::FloatNet;
use super::report::EpochRecord;
use super::training::Trainer;
use crate::files::replace_file;

/// How a checkpoint begins: a name and the format's version.
const MAGIC: [u8; 8] = *b"carryck3";

/// Numbers in a [`EpochRecord`].
const RECORD_LEN: usize = 6;

/// Why training cannot be taken up again.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What happened to it.
        source: io::Error,
    },
    /// The file is no checkpoint, or not as it was written.
    #[error("{0}: not a checkpoint, or a damaged one")]
    Damaged(PathBuf),
    /// The checkpoint is of another training.
    #[error("{path} is of another training:\n  then {then}\n  now  {now}")]
    Other {
        /// The file.
        path: PathBuf,
        /// What its training was.
        then: String,
        /// What this training is.
        now: String,
    },
}

/// Writes a checkpoint. `description` is all that decides about the outcome: what
/// is learnt from and how.
///
/// # Errors
/// If it cannot be written.
pub fn save(trainer: &Trainer, description: &str, path: &Path) -> Result<(), CheckpointError> {
    let mut bytes = MAGIC.to_vec();
    let mut push = |number: u64| bytes.extend(number.to_le_bytes());
    push(trainer.step);
    push(trainer.records.len() as u64);
    push(trainer.network.hidden() as u64);
    push(description.len() as u64);
    bytes.extend(description.as_bytes());
    for record in &trainer.records {
        let EpochRecord { step, epoch, rate, training, validation, speed } = *record;
        for number in [step as f64, epoch as f64, rate, training, validation, speed] {
            bytes.extend(number.to_le_bytes());
        }
    }
    let (own, shared) = (&trainer.optimiser, &trainer.factoriser.optimiser);
    let parameters = &trainer.network.parameters[..];
    for numbers in [parameters, &own.mean, &own.square, &shared.mean, &shared.square] {
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes.extend(checksum(&bytes).to_le_bytes());
    replace_file(path, &bytes)
        .map_err(|source| CheckpointError::File { path: path.to_owned(), source })
}

/// Puts a training that is just beginning to where the checkpoint was written; if
/// there is no checkpoint, it stays at its beginning.
///
/// # Errors
/// If the checkpoint cannot be read or is of another training.
pub fn load(trainer: &mut Trainer, description: &str, path: &Path) -> Result<(), CheckpointError> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        result => {
            result.map_err(|source| CheckpointError::File { path: path.to_owned(), source })?
        }
    };
    let damaged = || CheckpointError::Damaged(path.to_owned());
    let checkpoint = Checkpoint::parse(&bytes).ok_or_else(damaged)?;
    if checkpoint.description != description {
        return Err(CheckpointError::Other {
            path: path.to_owned(),
            then: checkpoint.description.to_owned(),
            now: description.to_owned(),
        });
    }
    trainer.step = checkpoint.step;
    trainer.records = checkpoint.records;
    trainer.network = checkpoint.network;
    let [own, shared] = checkpoint.memories;
    (trainer.optimiser.mean, trainer.optimiser.square) = own;
    (trainer.factoriser.optimiser.mean, trainer.factoriser.optimiser.square) = shared;
    Ok(())
}

/// What is in a checkpoint.
struct Checkpoint<'a> {
    description: &'a str,
    step: u64,
    records: Vec<EpochRecord>,
    network: FloatNet,
    /// The optimisers' means and squares: of the parameters, then of what zones share.
    memories: [(Vec<f32>, Vec<f32>); 2],
}

impl Checkpoint<'_> {
    fn parse(bytes: &[u8]) -> Option<Checkpoint<'_>> {
        let (content, sum) = bytes.split_last_chunk::<8>()?;
        if checksum(content) != u64::from_le_bytes(*sum) {
            return None;
        }
        let mut reader = Reader(content.strip_prefix(&MAGIC)?);
        let step = reader.number()?;
        let [records, hidden, description] = [reader.len()?, reader.len()?, reader.len()?];
        let description = str::from_utf8(reader.take(description)?).ok()?;
        let mut numbers = (0..records * RECORD_LEN).map(|_| reader.number().map(f64::from_bits));
        let numbers: Vec<f64> = numbers.by_ref().collect::<Option<_>>()?;
        let records = numbers
            .as_chunks::<RECORD_LEN>()
            .0
            .iter()
            .map(|&[step, epoch, rate, training, validation, speed]| EpochRecord {
                step: step as u64,
                epoch: epoch as u64,
                rate,
                training,
                validation,
                speed,
            })
            .collect();
        let mut network = FloatNet::zero(hidden);
        let memory = |numbers: usize| (vec![0.0; numbers], vec![0.0; numbers]);
        let mut memories = [network.parameters.len(), hidden * PIECE_FEATURES].map(memory);
        let [own, shared] = &mut memories;
        let parameters = &mut network.parameters[..];
        for numbers in [parameters, &mut own.0, &mut own.1, &mut shared.0, &mut shared.1] {
            let bytes = reader.take(4 * numbers.len())?;
            for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks().0) {
                *number = f32::from_le_bytes(*bytes);
            }
        }
        Some(Checkpoint { description, step, records, network, memories })
    }
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        self.take(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    }

    fn len(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }
}

/// Tells bytes from what they are after some of them changed.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(bytes.len() as u64, |sum, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        scramble(sum ^ u64::from_le_bytes(word))
    })
}
