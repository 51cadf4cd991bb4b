//! Sends the commands that Arena sends. Arena itself cannot run in a test: the commands come from its
//! debug logs in the bug reports of other engines.

use crate::folder_support::Folder;
use crate::process_support::{Engine, program};

/// Every line to a GUI begins with one of these words.
const WORDS: [&str; 6] = ["id", "option", "uciok", "readyok", "info", "bestmove"];

/// Starts the engine in its own folder, as Arena does.
fn start(name: &str) -> (Engine, Folder) {
    let folder = Folder::new(name);
    (Engine::start_as(program().current_dir(&folder.0)), folder)
}

/// Sends lines and `isready`, with the line ends of Windows; returns the answer without `readyok`.
fn ask(engine: &mut Engine, lines: &[&str]) -> Vec<String> {
    let mut answer = engine.ask(&[&lines.join("\r\n"), "isready\r"], "readyok");
    for line in &answer {
        let word = line.split_whitespace().next().unwrap_or_default();
        assert!(WORDS.contains(&word) && line.starts_with(word), "{line:?}");
    }
    answer.pop();
    answer
}

/// The command that sets an option to its declared default. Arena sends it for every option but
/// buttons (log in peterlesslie/LessChess).
fn set_to_default(option: &str) -> Option<String> {
    let (name, kind) = option.strip_prefix("option name ")?.split_once(" type ")?;
    let (_, default) = kind.split_once(" default ")?;
    let value = default.split_once(" min ").map_or(default, |(value, _)| value);
    Some(format!("setoption name {name} value {}", value.trim_end()))
}

#[test]
fn every_option_accepts_its_default() {
    let (mut engine, _folder) = start("options");
    // With the engine type "auto", Arena sends a command of another protocol first
    // (ToppleChess#2).
    let declared = ask(&mut engine, &["xboard", "uci"]);
    let settings: Vec<String> = declared.iter().filter_map(|line| set_to_default(line)).collect();
    assert!(settings.len() > 10, "{declared:#?}");
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let evaluation = declared.iter().find(|line| line.starts_with("info string evaluation: "));
    assert_eq!(ask(&mut engine, &settings), [evaluation.expect("the evaluation").as_str()]);
    // Arena has sent such a number from its own field for the hash size (yukari#5).
    let refusal = "info string Hash ranges from 1 to 33554432, set to 1\n";
    assert_eq!(ask(&mut engine, &["setoption name Hash value -1"]), [refusal]);
    assert_eq!(engine.quit(), "");
}

#[test]
fn winboard_commands_print_nothing() {
    let commands = "xboard;protover 2;accepted setboard;new;memory -1;level 40 5 0;post;hard;\
        time 30000;force;d2d4;usermove e7e5;setboard 8/8/4k3/8/8/4K3/4P3/8 w - - 0 1;?;\
        result * {Aborted}";
    let (mut engine, _folder) = start("winboard");
    let commands: Vec<&str> = commands.split(';').collect();
    assert_eq!(ask(&mut engine, &commands), Vec::<String>::new());
    assert_eq!(engine.quit(), "");
}

#[test]
fn relative_paths_start_at_the_working_directory() {
    let (mut engine, folder) = start("folder");
    let log = "setoption name Debug Log File value carrybit.log";
    let answer = ask(&mut engine, &[log, "setoption name SyzygyPath value tables"]);
    let is_missing = |line: &String| line.contains("ignoring ") && line.contains("tables");
    assert!(answer.iter().any(is_missing), "{answer:#?}");
    assert!(ask(&mut engine, &["setoption name Debug Log File value <empty>"]).is_empty());
    assert!(folder.0.join("carrybit.log").is_file());
    assert_eq!(engine.quit(), "");
}
