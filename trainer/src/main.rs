//! Trains a network on games; see [`carrybit_trainer`].

use std::process::ExitCode;

use clap::Parser;

use carrybit_trainer::arguments::Arguments;

fn main() -> ExitCode {
    if let Some(refusal) = carrybit::simd::refusal() {
        eprintln!("train: {refusal}");
    }
    match carrybit_trainer::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("train: {error}");
            ExitCode::FAILURE
        }
    }
}
