//! The program `carrybit`: a UCI engine on standard input and output.
//!
//! With arguments it runs them as commands and exits, with code 2 if one of them
//! could not be obeyed. What it logs (`RUST_LOG` says what, nothing by default)
//! goes to standard error.

use std::sync::LazyLock;

use carrybit::{engine, simd, uci};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

/// The version, the vector instructions that this processor is served with, and what is
/// evaluated with.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!("{} ({}, {})", env!("CARGO_PKG_VERSION"), simd::level(), engine::own_evaluation())
});

/// A chess engine that speaks UCI. Without arguments it talks with a GUI.
#[derive(Parser)]
#[command(version = VERSION.as_str())]
struct Arguments {
    /// Commands to run before leaving, such as: bench, perft 5, go depth 10
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    commands: Vec<String>,
}

fn main() {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    // In a dialogue, the answer to `uci` says it.
    if let Some(refusal) = simd::refusal()
        && std::env::args_os().len() > 1
    {
        eprintln!("carrybit: {refusal}");
    }
    let arguments = Arguments::parse().commands;
    if arguments.is_empty() {
        uci::run(std::io::stdin(), std::io::stdout());
        return;
    }
    let done = uci::arguments::to_lines(&arguments)
        .map_err(|error| error.to_string())
        .and_then(|lines| uci::run_commands(&lines, std::io::stdout()));
    if let Err(problem) = done {
        Arguments::command().error(ErrorKind::InvalidValue, problem).exit();
    }
}
