//! The program `carrybit`: a UCI engine on standard input and output.
//!
//! If there are arguments, it runs them as commands and exits. Its log goes to standard
//! error; `RUST_LOG` says what is logged, by default nothing.
//!
//! The exit code is 0 if all went well, 1 if input or output failed or memory is short, 2
//! if an argument could not be obeyed, and 130 if the program was interrupted.

#[cfg(all(feature = "terminal", any(unix, windows)))]
mod terminal;

#[cfg(not(all(feature = "terminal", any(unix, windows))))]
#[path = "terminal/none.rs"]
mod terminal;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use carrybit::engine;
use carrybit::host::Sender;
use carrybit::sys::{cpu, encoding, memory};
use carrybit::uci::{self, Dialogue, Event, Failure};
use clap::Parser;

/// The version, the vector instructions in use, and the evaluation.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!("{} ({}, {})", env!("CARGO_PKG_VERSION"), cpu::level(), engine::own_evaluation())
});

/// What a newcomer needs besides the usage.
const FIRST_STEPS: &str = "\
Without arguments it speaks UCI with a chess GUI, or at a terminal with you.
With arguments it runs them as commands, one after the other:
  carrybit help                 lists all commands and options
  carrybit go movetime 1000     searches the start position for a second
  carrybit go infinite          searches until you press Ctrl-C, then gives its move
  carrybit \"position startpos moves e2e4 e7e5\" eval
  carrybit bench                measures the speed
To play in a GUI, install this program there as a UCI engine.";

/// A strong chess engine for GUIs, bots and people at a terminal.
#[derive(Parser)]
#[command(version = VERSION.as_str(), after_help = FIRST_STEPS)]
struct Arguments {
    /// Commands to run before leaving
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    commands: Vec<OsString>,
}

/// The exit code if input or output fails.
const FAILED: u8 = 1;

/// The exit code if an argument cannot be obeyed.
const REFUSED: u8 = 2;

/// The exit code after an interrupt, as shells have it: 128 plus the signal's number.
const INTERRUPTED: u8 = 130;

/// How long the dialogue has to end after an interrupt.
const PATIENCE: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    // In a dialogue, the answer to `uci` says so.
    if let Some(refusal) = cpu::env_error()
        && std::env::args_os().len() > 1
    {
        complain(&refusal);
    }
    let commands = Arguments::parse().commands;
    let arguments: Vec<String> =
        commands.iter().map(|text| encoding::decode(text.as_encoded_bytes())).collect();
    if let Err(problem) = memory::adapt_to_limits() {
        complain(&problem);
        return ExitCode::from(FAILED);
    }
    let Err(failure) = talk(&arguments) else { return ExitCode::SUCCESS };
    if !matches!(failure, Failure::Interrupted) {
        complain(&failure);
    }
    ExitCode::from(match failure {
        Failure::Refused(_) => REFUSED,
        Failure::Interrupted => INTERRUPTED,
        _ => FAILED,
    })
}

/// Obeys the arguments, or if there are none, a person or a GUI.
fn talk(arguments: &[String]) -> Result<(), Failure> {
    let lines =
        uci::arguments::to_lines(arguments).map_err(|error| Failure::Refused(error.to_string()))?;
    if !lines.is_empty() {
        let (output, terminal) = terminal::standard();
        let mut dialogue = Dialogue::new(output);
        dialogue.attach(terminal);
        end_at_interrupts(dialogue.events());
        return dialogue.obey_all(&lines);
    }
    if let Some(result) = terminal::converse(handle_interrupts, interrupt) {
        return result;
    }
    let dialogue = Dialogue::new(io::stdout());
    end_at_interrupts(dialogue.events());
    dialogue.converse(io::stdin())
}

/// Has interrupts (Ctrl-C) end the dialogue.
fn end_at_interrupts(events: Sender<Event>) {
    handle_interrupts(Box::new(move || interrupt(&events)));
}

fn handle_interrupts(handler: Box<dyn FnMut() + Send>) {
    if let Err(error) = ctrlc::set_handler(handler) {
        log::error!("cannot handle interrupts: {error}");
    }
}

/// Tells the dialogue about an interrupt, and ends the program if it does not end soon
/// afterwards: it may be held up by output that nobody reads.
fn interrupt(events: &Sender<Event>) {
    // If nobody listens, it is ending already.
    let _ = events.send(Event::Interrupt);
    thread::sleep(PATIENCE);
    terminal::restore();
    std::process::exit(INTERRUPTED.into());
}

/// Says what is wrong, if anybody reads it.
fn complain(problem: &dyn Display) {
    let _ = writeln!(io::stderr(), "carrybit: {}", encoding::shown(&problem.to_string()));
}
