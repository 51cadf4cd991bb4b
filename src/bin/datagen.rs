//! Plays games of the engine against itself; see [`carrybit::tools::datagen`].

use std::io::{ErrorKind, stdout};
use std::process::ExitCode;

use clap::Parser;

use carrybit::tools::datagen::{Arguments, DatagenError, run};
use carrybit::tools::progress::tell;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    match run(&Arguments::parse(), &mut stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever listened has heard enough.
        Err(DatagenError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            tell(format_args!("datagen: {error}"));
            ExitCode::FAILURE
        }
    }
}
