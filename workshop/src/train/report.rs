//! The losses of a training.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

/// The losses of a unit of the training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Steps so far.
    pub step: u64,
    /// Epochs so far.
    pub epochs: f64,
    /// The learning rate of the last step.
    pub rate: f64,
    /// The mean loss of the samples, each before the step that used it.
    pub training: f64,
    /// The mean loss of the validation positions.
    pub validation: f64,
    /// Samples per second.
    pub speed: f64,
}

/// The losses as a table (CSV).
pub fn table(records: &[Record]) -> String {
    let mut table =
        "step,epochs,rate,training_loss,validation_loss,positions_per_second\n".to_owned();
    for Record { step, epochs, rate, training, validation, speed } in records {
        writeln!(table, "{step},{epochs:.3},{rate:.3e},{training:.8},{validation:.8},{speed:.0}")
            .expect("writing to a string");
    }
    table
}
