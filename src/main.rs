//! The program `carrybit`: a UCI engine on standard input and output.
//!
//! If there are arguments, it runs them as commands and exits. It
//! logs to standard error if `RUST_LOG` sets a level.

use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use carrybit::cpu;
use carrybit::internals::eval::nnue::Network;
use carrybit::internals::host::Sender;
use carrybit::internals::sys::{encoding, logging, memory};
use carrybit::internals::terminal;
use carrybit::internals::uci::{Dialogue, Event, Failure, arguments};
use clap::Parser;

static VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{} ({}, {})", carrybit::VERSION, cpu::level(), Network::embedded()));

const FIRST_STEPS: &str = "\
Without arguments it speaks UCI with a chess GUI, or at a terminal with you.
With arguments it runs them as commands, one after the other:
  carrybit help                 lists all commands and options
  carrybit go movetime 1000     searches the start position for a second
  carrybit go infinite          searches until you press Ctrl-C, then gives its move
  carrybit \"position startpos moves e2e4 e7e5\" eval
  carrybit bench                measures the speed
  carrybit analyse GAMES.pgn    finds the mistakes in games (carrybit analyse --help)
To play in a GUI, install this program there as a UCI engine.";

/// A strong chess engine for GUIs, bots and people at a terminal.
#[derive(Parser)]
#[command(version = VERSION.as_str(), after_help = FIRST_STEPS)]
struct Arguments {
    /// Commands to run before exiting
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    commands: Vec<OsString>,
}

/// The exit code if input or output failed or memory is short.
const FAILED: u8 = 1;
/// The exit code if an argument cannot be run.
const REFUSED: u8 = 2;
/// The exit code if some games were not analysed.
#[cfg(feature = "analyse")]
const INCOMPLETE: u8 = 3;
/// The exit code after Ctrl-C: 128 plus the number of the signal, as in shells.
const INTERRUPTED: u8 = 130;

/// Grace period after an interrupt before the process exits.
const INTERRUPT_GRACE: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    // In a dialogue, the answer to `uci` contains this error.
    if let Some(error) = cpu::env_error()
        && env::args_os().len() > 1
    {
        complain(&error);
    }
    // First, since the version names the network, which takes memory.
    if let Err(problem) = memory::adapt_to_limits() {
        complain(&problem);
        return ExitCode::from(FAILED);
    }
    let _log = logging::begin();
    let commands = Arguments::parse().commands;
    if let Some((first, rest)) = commands.split_first()
        && first == "analyse"
    {
        return analyse(rest);
    }
    let arguments: Vec<String> =
        commands.iter().map(|text| encoding::decode(text.as_encoded_bytes())).collect();
    let Err(failure) = run(&arguments) else { return ExitCode::SUCCESS };
    if !matches!(failure, Failure::Interrupted) {
        complain(&failure);
    }
    ExitCode::from(match failure {
        Failure::Refused(_) => REFUSED,
        Failure::Interrupted => INTERRUPTED,
        _ => FAILED,
    })
}

/// Runs `carrybit analyse` and returns its exit code.
#[cfg(feature = "analyse")]
fn analyse(arguments: &[OsString]) -> ExitCode {
    use carrybit::internals::analyse;

    let words = [OsString::from("carrybit analyse")].iter().chain(arguments).cloned().collect();
    let arguments = analyse::Arguments::parse_from::<Vec<OsString>, _>(words);
    // Exiting at any moment is safe: the journal has everything.
    handle_interrupts(|| {
        analyse::interrupted();
        std::process::exit(INTERRUPTED.into());
    });
    match analyse::run(&arguments, &mut io::stdout()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(INCOMPLETE),
        Err(error) => {
            complain(&error);
            ExitCode::from(FAILED)
        }
    }
}

#[cfg(not(feature = "analyse"))]
fn analyse(_: &[OsString]) -> ExitCode {
    complain(&"this build has no `analyse`: it lacks the feature of that name");
    ExitCode::from(REFUSED)
}

/// Runs the arguments; without any, starts a prompt or a UCI dialogue.
fn run(arguments: &[String]) -> Result<(), Failure> {
    let lines = arguments::to_lines(arguments).map_err(Failure::Refused)?;
    if !lines.is_empty() {
        let (output, terminal) = terminal::for_arguments();
        let dialogue = Dialogue::new(output, terminal);
        exit_at_interrupts(dialogue.events());
        return dialogue.run_lines(&lines);
    }
    #[cfg(all(feature = "terminal", any(unix, windows)))]
    if terminal::Prompt::is_wanted() {
        return serve_prompt();
    }
    let dialogue = Dialogue::new(io::stdout(), terminal::for_program());
    exit_at_interrupts(dialogue.events());
    dialogue.converse(io::stdin())
}

/// The prompt at a terminal. Ctrl-C stops a search or a tool, or ends the program.
#[cfg(all(feature = "terminal", any(unix, windows)))]
fn serve_prompt() -> Result<(), Failure> {
    use std::time::Instant;

    use carrybit::internals::terminal::Prompt;
    use carrybit::internals::uci::completions;

    let (prompt, output, terminal) = Prompt::open(completions).map_err(Failure::Input)?;
    let dialogue = Dialogue::new(output, terminal);
    let (status, events) = (prompt.status(), dialogue.events());
    let send = move |line: io::Result<Option<String>>| {
        let event = match line {
            Ok(Some(line)) => Event::Line(Some(line), Instant::now()),
            Ok(None) => Event::EndOfInput(None),
            Err(error) => Event::EndOfInput(Some(error)),
        };
        events.send(event).is_ok()
    };
    let (events, send_stop) = (dialogue.events(), send.clone());
    handle_interrupts(move || {
        if status.take_interrupt() {
            send_stop(Ok(Some("stop".to_owned())));
        } else {
            exit_soon(&events);
        }
    });
    let events = dialogue.events();
    prompt.spawn(send, move || exit_soon(&events)).map_err(Failure::Reader)?;
    let result = dialogue.serve();
    Prompt::close();
    result
}

fn exit_at_interrupts(events: Sender<Event>) {
    handle_interrupts(move || exit_soon(&events));
}

fn handle_interrupts(handler: impl FnMut() + Send + 'static) {
    if let Err(error) = ctrlc::set_handler(handler) {
        log::error!("cannot handle interrupts: {error}");
    }
}

/// Ends the dialogue. After a grace period it ends the program, because the dialogue blocks if
/// no client reads the output.
fn exit_soon(events: &Sender<Event>) {
    // Ignore the error: the dialogue has ended.
    let _ = events.send(Event::Interrupt);
    thread::sleep(INTERRUPT_GRACE);
    terminal::restore();
    std::process::exit(INTERRUPTED.into());
}

/// Prints a problem. Ignores errors: standard error may be closed.
fn complain(problem: &dyn Display) {
    let _ = writeln!(io::stderr(), "carrybit: {}", encoding::shown(&problem.to_string()));
}
