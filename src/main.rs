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
To play in a GUI, install this program there as a UCI engine.
With arguments it runs them as commands, one after the other:
  carrybit help                 lists the commands; \"help options\" the options
  carrybit go movetime 1000     searches for a second
  carrybit go infinite          searches until Ctrl-C
  carrybit \"position startpos moves e2e4 e7e5\" eval
  carrybit bench                measures the speed
  carrybit analyse GAMES.pgn    finds the mistakes in games (see its --help)";

/// A strong chess engine for GUIs, bots and people at a terminal.
#[derive(Parser)]
#[command(version = VERSION.as_str(), after_help = FIRST_STEPS)]
struct Arguments {
    /// Commands to run before exiting
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    commands: Vec<OsString>,
    /// Write man pages and shell completions into a folder such as ~/.local/share
    #[cfg(feature = "manual")]
    #[arg(long, value_name = "FOLDER", exclusive = true)]
    install_manual: Option<std::path::PathBuf>,
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
    let arguments = Arguments::parse();
    #[cfg(feature = "manual")]
    if let Some(folder) = &arguments.install_manual {
        let Err(error) = install_manual(folder) else { return ExitCode::SUCCESS };
        complain(&format!("cannot write the manual into {}: {error}", folder.display()));
        return ExitCode::from(FAILED);
    }
    let commands = arguments.commands;
    if let Some((first, rest)) = commands.split_first()
        && (first == "analyse" || first == "analyze")
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

/// Writes man pages and completions to the places below `share` where systems look for them.
#[cfg(feature = "manual")]
fn install_manual(share: &std::path::Path) -> io::Result<()> {
    use std::fs;

    use carrybit::internals::{analyse, uci::command_meanings};
    use clap::builder::{PossibleValue, PossibleValuesParser};
    use clap::{Command, CommandFactory};
    use clap_complete::Shell;

    let program = Arguments::command().version(carrybit::VERSION);
    let analyse = analyse::Arguments::command().name("analyse");
    let values = command_meanings().map(|(word, meaning)| PossibleValue::new(word).help(meaning));
    let with_values = |arg: clap::Arg| arg.value_parser(PossibleValuesParser::new(values));
    let page = program.clone().mut_arg("commands", with_values).subcommand(analyse.clone());
    fs::create_dir_all(share.join("man/man1"))?;
    clap_mangen::generate_to(page, share.join("man/man1"))?;
    // For a shell, commands are subcommands: fish completes no values of a positional argument.
    let options = program.get_arguments().filter(|arg| !arg.is_positional());
    let subcommand = |(word, meaning)| Command::new(word).about(meaning).disable_help_flag(true);
    let mut completed = Command::new("carrybit")
        .version(carrybit::VERSION)
        .disable_help_subcommand(true)
        .args(options.cloned())
        .subcommand(analyse)
        .subcommands(command_meanings().map(subcommand));
    for (shell, folder, name) in [
        (Shell::Bash, "bash-completion/completions", "carrybit"),
        (Shell::Fish, "fish/vendor_completions.d", "carrybit.fish"),
        (Shell::Zsh, "zsh/site-functions", "_carrybit"),
    ] {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut completed, "carrybit", &mut script);
        fs::create_dir_all(share.join(folder))?;
        fs::write(share.join(folder).join(name), script)?;
    }
    Ok(())
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
