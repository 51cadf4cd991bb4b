//! Sends the commands that Arena sends, and reads as slowly as Arena may. Arena itself cannot run
//! in a test: the commands come from its debug logs in the bug reports of other engines.

use std::thread;
use std::time::Duration;

use crate::folder_support::Folder;
use crate::process_support::{Engine, program};

/// The time that Arena may take to read a line. (asmFish prints at most one line in this time.)
const LINE_TIME: Duration = Duration::from_millis(15);

/// The most lines that a second of a search may print: Arena reads them within a second.
const MAX_LINES: usize = 66;

/// Every line to a GUI begins with one of these words.
const WORDS: [&str; 6] = ["id", "option", "uciok", "readyok", "info", "bestmove"];

/// Starts the engine in its own folder, as Arena does.
fn start(name: &str) -> (Engine, Folder) {
    let folder = Folder::new(name);
    (Engine::start_as(program().current_dir(&folder.0)), folder)
}

/// Sends lines with the line ends of Windows.
fn send(engine: &mut Engine, lines: &[&str]) {
    lines.iter().for_each(|line| engine.write(format!("{line}\r\n").as_bytes()));
}

/// Sends lines and `isready`; returns the answer without `readyok`.
fn ask(engine: &mut Engine, lines: &[&str]) -> Vec<String> {
    send(engine, lines);
    send(engine, &["isready"]);
    let mut answer = engine.lines_until("readyok");
    for line in &answer {
        let word = line.split_whitespace().next().unwrap_or_default();
        assert!(WORDS.contains(&word) && line.starts_with(word), "{line:?}");
    }
    answer.pop();
    answer
}

fn quit(mut engine: Engine) {
    send(&mut engine, &["quit"]);
    let (status, rest) = engine.exit();
    assert!(status.success() && rest.is_empty(), "{rest}");
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
    quit(engine);
}

#[test]
fn slow_reader_reads_a_second_of_lines_within_a_second() {
    for lines_wanted in [1, 3] {
        let (mut engine, _folder) = start("slow");
        let multi_pv = format!("setoption name MultiPV value {lines_wanted}");
        // Every depth takes an instant.
        let position = "position fen 7k/8/8/8/8/8/8/K7 w - - 0 1";
        send(&mut engine, &[&multi_pv, position, "go depth 240"]);
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| line.starts_with("bestmove ")) {
            thread::sleep(LINE_TIME);
            lines.push(engine.read_line());
        }
        let last = &lines[lines.len() - 2];
        assert!(last.starts_with("info depth 240 "), "{lines:#?}");
        let millis = last.split(' ').skip_while(|&word| word != "time").nth(1);
        let millis: usize = millis.and_then(|word| word.parse().ok()).expect("its time");
        let most = MAX_LINES * (1 + millis / 1000);
        assert!(lines.len() <= most, "{} lines in {millis} ms", lines.len());
        quit(engine);
    }
}

#[test]
fn winboard_commands_print_nothing() {
    let commands = "xboard;protover 2;accepted setboard;new;memory -1;level 40 5 0;post;hard;\
        time 30000;force;d2d4;usermove e7e5;setboard 8/8/4k3/8/8/4K3/4P3/8 w - - 0 1;?;\
        result * {Aborted}";
    let (mut engine, _folder) = start("winboard");
    let commands: Vec<&str> = commands.split(';').collect();
    assert_eq!(ask(&mut engine, &commands), Vec::<String>::new());
    quit(engine);
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
    quit(engine);
}
