//! Makes Carrybit's networks; see [`workshop`].

use std::io::stdout;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use workshop::command::{Arguments, Command};
use workshop::progress::print_stderr;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    if let Some(error) = carrybit_board::cpu::env_error() {
        print_stderr(format_args!("workshop: {error}"));
    }
    let command = Arguments::parse().command;
    if let Command::Train(arguments) = &command
        && let Err(problem) = arguments.check()
    {
        Arguments::command().error(ErrorKind::ValueValidation, problem).exit();
    }
    match command.run(&mut stdout()) {
        Err(error) if !error.is_broken_pipe() => {
            print_stderr(format_args!("workshop: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
