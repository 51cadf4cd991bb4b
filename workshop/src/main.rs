//! Makes Carrybit's networks; see [`workshop`].

use std::io::stdout;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use workshop::command::Arguments;
use workshop::progress::tell;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    if let Some(refusal) = carrybit::sys::cpu::env_error() {
        tell(format_args!("workshop: {refusal}"));
    }
    let command = Arguments::parse().command;
    if let Err(problem) = command.check() {
        Arguments::command().error(ErrorKind::ValueValidation, problem).exit();
    }
    match command.run(&mut stdout()) {
        Err(error) if !error.is_broken_pipe() => {
            tell(format_args!("workshop: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
