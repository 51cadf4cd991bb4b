//! Plays games of the engine against itself; see [`carrybit::tools::datagen`].

use std::process::ExitCode;

use clap::Parser;

use carrybit::tools::datagen::{Arguments, run};

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    match run(&Arguments::parse(), &mut std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("datagen: {error}");
            ExitCode::FAILURE
        }
    }
}
