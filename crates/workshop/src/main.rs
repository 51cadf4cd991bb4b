//! Makes Carrybit's networks; see [`workshop`].

use std::io::stdout;
use std::process::ExitCode;

use clap::Parser;

use workshop::command::Arguments;
use workshop::progress::print_stderr;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    if let Some(error) = carrybit_board::cpu::env_error() {
        print_stderr(format_args!("workshop: {error}"));
    }
    match Arguments::parse().command.run(&mut stdout()) {
        Err(error) if !error.is_broken_pipe() => {
            print_stderr(format_args!("workshop: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
