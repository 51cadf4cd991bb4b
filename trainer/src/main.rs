//! Trains a network on games; see [`carrybit_trainer`].

use std::process::ExitCode;

use carrybit::tools::progress::tell;
use carrybit_trainer::arguments::Arguments;

fn main() -> ExitCode {
    if let Some(refusal) = carrybit::processor::refusal() {
        tell(format_args!("train: {refusal}"));
    }
    match carrybit_trainer::run(&Arguments::from_command_line()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(format_args!("train: {error}"));
            ExitCode::FAILURE
        }
    }
}
