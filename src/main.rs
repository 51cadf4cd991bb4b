//! The program `carrybit`: a UCI engine on standard input and output.
//!
//! If there are arguments, it runs them as commands and exits. Its log goes to standard
//! error; `RUST_LOG` says what is logged, by default nothing.
//!
//! The exit code is 0 if all went well, 1 if input or output failed, 2 if an argument
//! could not be obeyed, and 130 if the program was interrupted.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use carrybit::uci::{self, Dialogue, Event, Failure};
use carrybit::{engine, processor};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use crossbeam_channel::Sender;

/// The version, the vector instructions in use, and the evaluation.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!("{} ({}, {})", env!("CARGO_PKG_VERSION"), processor::level(), engine::own_evaluation())
});

/// A chess engine that speaks UCI. Without arguments it talks to a GUI.
#[derive(Parser)]
#[command(version = VERSION.as_str())]
struct Arguments {
    /// Commands to run before leaving, such as: bench, perft 5, go depth 10
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    commands: Vec<String>,
}

/// The exit code if input or output fails.
const FAILED: u8 = 1;

/// The exit code after an interrupt, as shells have it: 128 plus the signal's number.
const INTERRUPTED: u8 = 130;

/// How long the dialogue has to end after an interrupt.
const PATIENCE: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    // In a dialogue, the answer to `uci` says so.
    if let Some(refusal) = processor::refusal()
        && std::env::args_os().len() > 1
    {
        complain(&refusal);
    }
    let arguments = Arguments::parse().commands;
    match talk(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Refused(problem)) => {
            Arguments::command().error(ErrorKind::InvalidValue, problem).exit()
        }
        Err(Failure::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(failure) => {
            complain(&failure);
            ExitCode::from(FAILED)
        }
    }
}

/// Obeys the arguments, or a GUI if there are none.
fn talk(arguments: &[String]) -> Result<(), Failure> {
    let lines =
        uci::arguments::to_lines(arguments).map_err(|error| Failure::Refused(error.to_string()))?;
    let mut dialogue = Dialogue::new(io::stdout());
    hear_interrupts(dialogue.events());
    if lines.is_empty() { dialogue.converse(io::stdin()) } else { dialogue.obey_all(&lines) }
}

/// Tells the dialogue about an interrupt (Ctrl-C), and ends the program if it does not
/// end soon afterwards: it may be held up by output that nobody reads.
fn hear_interrupts(events: Sender<Event>) {
    let hear = move || {
        // If nobody listens, it is ending already.
        let _ = events.send(Event::Interrupt);
        thread::sleep(PATIENCE);
        std::process::exit(INTERRUPTED.into());
    };
    if let Err(error) = ctrlc::set_handler(hear) {
        log::error!("cannot handle interrupts: {error}");
    }
}

/// Says what is wrong, if anybody reads it.
fn complain(problem: &dyn Display) {
    let _ = writeln!(io::stderr(), "carrybit: {problem}");
}
