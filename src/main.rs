//! The program `carrybit`: a UCI engine on standard input and output.
//!
//! If there are arguments, it runs them as commands and exits; `analyse` starts another program. It
//! logs to standard error if `RUST_LOG` sets a level.

use std::env::{self, consts};
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::{Command, ExitCode};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use carrybit::internals::eval::nnue::Network;
use carrybit::internals::host::Sender;
use carrybit::internals::sys::{cpu, encoding, logging, memory};
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
/// The exit code after Ctrl-C: 128 plus the number of the signal, as in shells.
const INTERRUPTED: u8 = 130;

/// Grace period after an interrupt before the process exits.
const INTERRUPT_GRACE: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    // In a dialogue, the answer to `uci` contains this error; `carrybit-analyse` prints its own.
    if let Some(error) = cpu::env_error()
        && env::args_os().nth(1).is_some_and(|first| first != "analyse")
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

/// Runs `carrybit-analyse`, which must be in the folder of this program, and returns its exit code.
fn analyse(arguments: &[OsString]) -> ExitCode {
    let name = format!("carrybit-analyse{}", consts::EXE_SUFFIX);
    let path = env::current_exe().unwrap_or_default().with_file_name(&name);
    if !path.is_file() {
        complain(&format_args!(
            "{} not found; put it there from the archive that contains carrybit, or build it with \
             `cargo build --release --locked -p analyse`",
            path.display()
        ));
        return ExitCode::from(REFUSED);
    }
    let mut program = Command::new(&path);
    let error = run_instead(program.args(arguments));
    complain(&format_args!("{} cannot be run: {error}", path.display()));
    ExitCode::from(FAILED)
}

/// Replaces this process, so that signals reach the program. Returns only if that fails.
#[cfg(unix)]
fn run_instead(program: &mut Command) -> io::Error {
    use std::os::unix::process::CommandExt;
    program.exec()
}

/// Exits with the program's exit code. Returns only if it cannot be started.
#[cfg(not(unix))]
fn run_instead(program: &mut Command) -> io::Error {
    // Ctrl-C reaches both processes, and the other one decides.
    handle_interrupts(|| ());
    match program.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(FAILED.into())),
        Err(error) => error,
    }
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
