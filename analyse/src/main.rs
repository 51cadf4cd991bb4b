//! Analyses the games of a file; see [`analyse`].

use std::io::stdout;
use std::process::{ExitCode, exit};

use clap::Parser;

use analyse::arguments::Arguments;
use analyse::progress::tell;
use analyse::run::{AnalyseError, run};

/// Some games were not analysed.
const INCOMPLETE: u8 = 3;

/// The exit code after an interrupt, as shells have it: 128 plus the signal's number.
const INTERRUPTED: i32 = 130;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    if let Some(refusal) = carrybit::sys::cpu::env_error() {
        tell(format_args!("analyse: {refusal}"));
    }
    let arguments = Arguments::parse();
    // The journal holds all that is needed, at any moment.
    let handler = ctrlc::set_handler(|| {
        tell("\nInterrupted. The same command continues from here.");
        exit(INTERRUPTED);
    });
    if let Err(error) = handler {
        log::debug!("interrupts end the program without a message: {error}");
    }
    match run(&arguments, &mut stdout()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(INCOMPLETE),
        Err(error) => {
            tell(format_args!("analyse: {error}"));
            // The files are written; only the last lines could not be printed.
            let is_done = matches!(error, AnalyseError::Output(_));
            if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    }
}
