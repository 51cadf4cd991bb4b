//! Checkpoints: trainings on disk, for `--resume`.
//!
//! A checkpoint is the magic, the length of the header, the header as TOML, the floats of the
//! trainer (parameters, moments of Adam, average), and a CRC-32 of everything before.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::training::{Record, Trainer};
use crate::error::Error;
use crate::files;
use crate::progress::print_stderr;

/// The first bytes: a name and the version of the format.
const MAGIC: [u8; 8] = *b"carryck6";

#[derive(Serialize, Deserialize)]
struct Header {
    settings: String,
    schedule: String,
    step: u64,
    averaged: u64,
    records: Vec<Record>,
}

/// Everything that determines the result of a training.
pub struct Description {
    /// A training keeps these options.
    pub settings: String,
    /// The games and the number of steps, which can change when it resumes.
    pub schedule: String,
}

pub fn save(trainer: &mut Trainer, description: &Description, path: &Path) -> Result<(), Error> {
    let header = Header {
        settings: description.settings.clone(),
        schedule: description.schedule.clone(),
        step: trainer.step,
        averaged: trainer.averaged,
        records: trainer.records.clone(),
    };
    let header = toml::to_string(&header).expect("plain values");
    let mut bytes = MAGIC.to_vec();
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header.as_bytes());
    for numbers in trainer.numbers() {
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    files::replace(path, &bytes)
}

/// Brings a new trainer to the state of the checkpoint. Does nothing if there is none. If the
/// schedule is another one, prints both.
pub fn load(trainer: &mut Trainer, description: &Description, path: &Path) -> Result<(), Error> {
    let Some(bytes) = files::read_if_there(path)? else { return Ok(()) };
    let damaged = || Error::of(path, "not a checkpoint, or a damaged one");
    let (header, mut rest) = split(&bytes).ok_or_else(damaged)?;
    if header.settings != description.settings {
        let problem = format!(
            "the checkpoint of another training:\n  checkpoint {}\n  requested  {}",
            header.settings, description.settings
        );
        return Err(Error::of(path, problem));
    }
    for numbers in trainer.numbers() {
        let (bytes, after) = rest.split_at_checked(4 * numbers.len()).ok_or_else(damaged)?;
        for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks().0) {
            *number = f32::from_le_bytes(*bytes);
        }
        rest = after;
    }
    (trainer.step, trainer.averaged, trainer.records) =
        (header.step, header.averaged, header.records);
    if header.schedule != description.schedule {
        print_stderr(format_args!(
            "continuing at step {} with other games or another schedule:\n  checkpoint {}\n  now \
             \u{20}      {}",
            header.step, header.schedule, description.schedule
        ));
        trainer.restart_average();
    }
    Ok(())
}

/// The header of a valid checkpoint and the bytes of the numbers.
fn split(bytes: &[u8]) -> Option<(Header, &[u8])> {
    let (content, sum) = bytes.split_last_chunk()?;
    if crc32fast::hash(content) != u32::from_le_bytes(*sum) {
        return None;
    }
    let (len, rest) = content.strip_prefix(&MAGIC)?.split_first_chunk()?;
    let (header, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    Some((toml::from_str(str::from_utf8(header).ok()?).ok()?, rest))
}
