//! Analyses the games of a file; see [`analyse`].

use std::io::stdout;
use std::process::{ExitCode, exit};

use clap::Parser;

use analyse::arguments::Arguments;
use analyse::files::remove_drafts;
use analyse::progress::tell;
use analyse::run::run;

/// The exit code if some games were not analysed.
const INCOMPLETE: u8 = 3;

/// The exit code after an interrupt, by the convention of shells: 128 plus the signal's number.
const INTERRUPTED: i32 = 130;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    if let Some(refusal) = carrybit::internals::sys::cpu::env_error() {
        tell(format_args!("carrybit-analyse: {refusal}"));
    }
    let arguments = Arguments::parse();
    // Exiting at any moment is safe: the journal has everything.
    let handler = ctrlc::set_handler(|| {
        tell("\nInterrupted. To continue, run the same command again.");
        remove_drafts();
        exit(INTERRUPTED);
    });
    if let Err(error) = handler {
        log::debug!("cannot handle interrupts: {error}");
    }
    match run(&arguments, &mut stdout()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(INCOMPLETE),
        Err(error) => {
            tell(format_args!("carrybit-analyse: {error}"));
            ExitCode::FAILURE
        }
    }
}
