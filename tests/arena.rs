//! Arena, replayed. The program itself cannot be part of a test, but its debug logs in the
//! problem reports of other engines tell what it sends, and what broke those engines.
//!
//! Whatever it sends, each `go` is answered by one `bestmove`, every line begins with a word
//! that a GUI knows, and nothing is written to standard error.

mod folder_support;
mod process_support;

use std::io::Read;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use carrybit::board::Board;
use carrybit::uci::position::find_move;
use folder_support::Folder;
use process_support::{Engine, SOON, program};

/// Arena may take this long to read a line: asmFish throttles its output to one line in
/// this time.
const LINE_TIME: Duration = Duration::from_millis(15);

/// The words that lines to a GUI begin with.
const WORDS: [&str; 6] = ["id", "option", "uciok", "readyok", "info", "bestmove"];

/// The engine as Arena runs it.
struct Arena {
    engine: Engine,
    /// The engine's folder, from which Arena starts it.
    folder: Folder,
    goes: usize,
    answers: usize,
}

impl Arena {
    fn start(name: &str) -> Arena {
        let folder = Folder::new(name);
        let engine = Engine::start_as(program().current_dir(&folder.0).stderr(Stdio::piped()));
        Arena { engine, folder, goes: 0, answers: 0 }
    }

    /// Sends a line, ended as on Windows.
    fn say(&mut self, line: &str) {
        self.goes += usize::from(line.starts_with("go"));
        self.engine.write(format!("{line}\r\n").as_bytes());
    }

    /// Looks at a line as Arena does, which ignores those that begin with a blank.
    fn take(&mut self, line: &str) {
        let word = line.split(' ').next().expect("a split has a first part");
        assert!(WORDS.contains(&word.trim_end()), "{line:?}");
        self.answers += usize::from(word == "bestmove");
        assert!(self.answers <= self.goes, "nobody has asked: {line}");
    }

    /// Reads up to a line that begins with `word`.
    fn hear_until(&mut self, word: &str) -> Vec<String> {
        let lines = self.engine.hear_until(word);
        for line in &lines {
            self.take(line);
        }
        lines
    }

    /// Waits until the engine is ready, and returns what else it says.
    fn ready(&mut self) -> Vec<String> {
        self.say("isready");
        let mut lines = self.hear_until("readyok");
        lines.pop();
        lines
    }

    /// The move that the engine plays and the one that it would ponder on.
    fn best_move(&mut self) -> (String, Option<String>) {
        let lines = self.hear_until("bestmove");
        let words: Vec<&str> = lines[lines.len() - 1].split_whitespace().collect();
        (words[1].to_owned(), words.get(3).map(|&ponder| ponder.to_owned()))
    }

    fn quit(mut self) {
        let mut errors = self.engine.child.stderr.take().expect("its errors are a pipe");
        self.say("quit");
        let (status, rest) = self.engine.exit();
        assert!(status.success());
        let late = rest.lines().filter(|line| line.starts_with("bestmove ")).count();
        assert_eq!(self.answers + late, self.goes, "{rest}");
        let mut text = String::new();
        errors.read_to_string(&mut text).expect("UTF-8");
        assert_eq!(text, "");
    }
}

/// A game as Arena has it: its moves and where they lead.
#[derive(Default)]
struct Game {
    moves: Vec<String>,
    board: Board,
}

impl Game {
    /// The game with one more move.
    fn after(&self, text: &str) -> Game {
        let mv = find_move(&self.board, text).unwrap_or_else(|| panic!("illegal: {text}"));
        let board = self.board.make(mv);
        Game { moves: [&self.moves[..], &[text.to_owned()]].concat(), board }
    }

    /// A legal move other than this one.
    fn other_than(&self, avoided: &str) -> String {
        let moves = self.board.legal_moves();
        let mut texts = moves.iter().map(|&mv| self.board.uci(mv, false));
        texts.find(|text| text != avoided).expect("there are several")
    }

    fn command(&self) -> String {
        format!("position startpos moves {}", self.moves.join(" "))
    }
}

/// Sets an option to what the engine says is its default; Arena does so with all but
/// buttons (log in peterlesslie/LessChess).
fn set_to_default(option: &str) -> Option<String> {
    let (name, kind) = option.strip_prefix("option name ")?.split_once(" type ")?;
    let (_, default) = kind.split_once(" default ")?;
    let value = default.split_once(" min ").map_or(default, |(value, _)| value);
    Some(format!("setoption name {name} value {value}"))
}

#[test]
fn every_option_can_be_set_to_the_default_it_declares() {
    let mut arena = Arena::start("options");
    // The engine type "auto" begins with a word of another protocol (ToppleChess#2).
    arena.say("xboard");
    arena.say("uci");
    let declared = arena.hear_until("uciok");
    let settings: Vec<String> =
        declared.iter().filter_map(|line| set_to_default(line.trim_end())).collect();
    assert!(settings.len() > 10, "{declared:#?}");
    for line in &settings {
        arena.say(line);
    }
    let evaluation = declared.iter().find(|line| line.starts_with("info string evaluation: "));
    assert_eq!(arena.ready(), [evaluation.expect("it says how it evaluates").as_str()]);
    // Arena's own field for the hash has held such a number (yukari#5).
    arena.say("setoption name Hash value -1");
    let refusal = "info string Hash ranges from 1 to 33554432, set to 1\n";
    assert_eq!(arena.ready(), [refusal]);
    arena.say("go movetime 20");
    arena.best_move();
    arena.quit();
}

#[test]
fn pondering_is_a_hit_or_a_miss_on_each_clock() {
    let mut arena = Arena::start("ponder");
    arena.say("uci");
    arena.hear_until("uciok");
    arena.say("setoption name Ponder value true");
    for limits in [
        "movetime 40",
        "wtime 1000 btime 1000 winc 0 binc 0",
        "wtime 1 btime 6354 winc 1000 binc 1000",
    ] {
        for is_hit in [true, false] {
            arena.say("ucinewgame");
            assert!(arena.ready().is_empty());
            let start = Game::default().after("d2d4").after("d7d5");
            arena.say(&start.command());
            arena.say(&format!("go {limits}"));
            let (best, ponder) = arena.best_move();
            let played = start.after(&best);
            let expected = ponder.unwrap_or_else(|| played.other_than(""));
            let mut game = played.after(&expected);
            arena.say(&game.command());
            arena.say(&format!("go ponder {limits}"));
            // The time for a move, too, counts only from `ponderhit` (lc0#651).
            thread::sleep(Duration::from_millis(60));
            let thoughts = arena.ready();
            assert!(thoughts.iter().all(|line| line.starts_with("info ")), "{thoughts:#?}");
            let asked = Instant::now();
            if is_hit {
                arena.say("ponderhit");
            } else {
                arena.say("stop");
                let (unused, _) = arena.best_move();
                game.after(&unused);
                game = played.after(&played.other_than(&expected));
                arena.say(&game.command());
                arena.say(&format!("go {limits}"));
            }
            let (best, _) = arena.best_move();
            assert!(asked.elapsed() < SOON, "{limits}: {:?}", asked.elapsed());
            game.after(&best);
        }
    }
    arena.quit();
}

#[test]
fn each_go_is_answered_once() {
    let mut arena = Arena::start("quirks");
    arena.say("uci");
    arena.hear_until("uciok");
    for (position, go, then) in [
        // The clock shows a millisecond (Talkchess, topic 83909).
        ("position startpos moves e2e4", "go wtime 1 btime 1 winc 1000 binc 1000", &[] as &[&str]),
        // Blanks in unusual places.
        ("position startpos  moves  e2e4 ", "go  wtime 300  btime 300  winc 0  binc 0 ", &[]),
        // Arena asks a side that is checkmated for a move, and then stops it
        // (Winboard Forum, topic 52662).
        (
            "position startpos moves f2f3 e7e5 g2g4 d8h4",
            "go wtime 77000 btime 27000 winc 1000 binc 1000",
            &["stop"],
        ),
        // The stop that comes when the flag has fallen may come twice.
        ("position startpos moves e2e4 e7e5", "go infinite", &["stop", "stop"]),
        // Chess960 without the option, and with its own notation for castling, which no
        // engine can read: the game ends for the engine before that move.
        (
            "position fen bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w KQkq - 0 1 moves O-O",
            "go movetime 20",
            &[],
        ),
        // After a position that is refused.
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "go movetime 20", &[]),
    ] {
        arena.say(position);
        arena.say(go);
        for line in then {
            arena.say(line);
        }
        arena.best_move();
        let answers = arena.answers;
        arena.ready();
        assert_eq!((arena.answers, arena.goes), (answers, answers), "{position}, {go}");
    }
    arena.quit();
}

#[test]
fn a_slow_reader_is_not_left_behind() {
    let most = SOON.as_millis() / LINE_TIME.as_millis();
    for lines_wanted in [1, 3] {
        let mut arena = Arena::start("slow");
        arena.say(&format!("setoption name MultiPV value {lines_wanted}"));
        // Every depth is reached in a moment.
        arena.say("position fen 7k/8/8/8/8/8/8/K7 w - - 0 1");
        arena.say("go infinite");
        thread::sleep(Duration::from_millis(500));
        arena.say("stop");
        let mut lines = Vec::new();
        while arena.answers == 0 {
            thread::sleep(LINE_TIME);
            let line = arena.engine.read_line();
            arena.take(&line);
            lines.push(line);
        }
        assert!(lines.len() as u128 <= most, "{} lines", lines.len());
        assert!(lines[lines.len() - 2].starts_with("info depth 240 "), "{lines:#?}");
        arena.quit();
    }
}

#[test]
fn an_engine_that_is_installed_as_a_winboard_engine_says_nothing() {
    let mut arena = Arena::start("winboard");
    for line in [
        "xboard",
        "protover 2",
        "accepted setboard",
        "new",
        "random",
        "memory -1",
        "cores 1",
        "level 40 5 0",
        "post",
        "hard",
        "easy",
        "time 30000",
        "otim 30000",
        "force",
        "d2d4",
        "usermove e7e5",
        "setboard 8/8/4k3/8/8/4K3/4P3/8 w - - 0 1",
        "?",
        "result * {Aborted}",
    ] {
        arena.say(line);
    }
    assert_eq!(arena.ready(), Vec::<String>::new());
    arena.quit();
}

#[test]
fn files_are_looked_for_in_the_folder_of_the_engine() {
    let mut arena = Arena::start("folder");
    arena.say("setoption name Debug Log File value carrybit.log");
    arena.say("setoption name SyzygyPath value tables");
    let answer = arena.ready();
    let is_missing = |line: &String| line.contains("ignoring ") && line.contains("tables");
    assert!(answer.iter().any(is_missing), "{answer:#?}");
    arena.say("setoption name Debug Log File value <empty>");
    assert!(arena.ready().is_empty());
    assert!(arena.folder.0.join("carrybit.log").is_file());
    arena.quit();
}
