//! Fits the weights of the evaluation to the results of games; see
//! [`carrybit::tools::tune`].

use std::process::ExitCode;

use clap::Parser;

use carrybit::tools::tune::{Arguments, run};

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tune: {error}");
            ExitCode::FAILURE
        }
    }
}
