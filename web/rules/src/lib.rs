//! The rules of chess and PGN as a second WebAssembly module, besides the engine. It has no search
//! and no network; the page and `carrybit/rules` of the npm package call it synchronously.
//!
//! To call a function of `respond`, `rules.mjs` calls `room` with the length of the input, writes the
//! function's name and arguments to the address that `room` returns, separated by tabs, and calls
//! `ask`. `ask` returns the length of the answer, or the inverted length (`!length`) of an error
//! message; `answer` returns the address of either. All texts are UTF-8, except the bytes for
//! `decode`.
#![cfg(any(target_family = "wasm", test))]
#![allow(unsafe_code)]

#[path = "../../src/input.rs"]
mod input;

mod file;
mod learn;
mod tree;

use std::cell::RefCell;
use std::error::Error;

use carrybit_board::{Board, CastlingMode, Game, Move, MoveError, Outcome};
use pgn::findings::san_line;
use pgn::judgement::Value;
use pgn::replay::{find_move, open};
use serde_json::json;

use file::GameFile;

type Answer = Result<String, Box<dyn Error>>;

thread_local! {
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
    static FILE: RefCell<GameFile> = RefCell::default();
}

/// The address of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// Calls the function that the input names.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> isize {
    let input = input::take();
    let tab = input.iter().position(|&byte| byte == b'\t').unwrap_or(input.len());
    let (name, argument) = (&input[..tab], input.get(tab + 1..).unwrap_or_default());
    let (text, mask) = match FILE.with_borrow_mut(|file| respond(name, argument, file)) {
        Ok(text) => (text, 0),
        Err(error) => (error.to_string(), -1),
    };
    let length = text.len().cast_signed() ^ mask;
    ANSWER.set(text);
    length
}

fn respond(name: &[u8], argument: &[u8], file: &mut GameFile) -> Answer {
    if name == b"decode" {
        return file.decode(argument);
    }
    let argument = str::from_utf8(argument)?;
    let (fen, text) = argument.split_once('\t').unwrap_or((argument, ""));
    match name {
        // A FEN, possibly with tabs between its fields; returns `describe`.
        b"position" => Ok(describe(&argument.parse()?)),
        // A number from 0 to 959; returns the FEN of this start position of Chess960.
        b"start" => {
            let board = Board::chess960_start(argument.parse()?).ok_or("no such start position")?;
            Ok(board.fen())
        }
        // A FEN and moves in UCI notation, also null moves (`0000`); returns the end of the game and
        // the draw that can be claimed, in JSON.
        b"outcomes" => outcomes(fen.parse()?, text),
        // A FEN and moves in UCI notation, likewise; returns the FEN after them.
        b"after" => Ok(played(fen.parse()?, text)?.board().fen()),
        // A FEN; returns a `line` for each legal move.
        b"moves" => {
            let board: Board = fen.parse()?;
            let moves = board.legal_moves();
            Ok(moves.iter().map(|&mv| line(&board, mv)).collect::<Vec<_>>().join("\n"))
        }
        // A FEN and a move in any notation; returns its `line`, or nothing if it is not legal.
        b"find" => {
            let board: Board = fen.parse()?;
            Ok(find_move(&board, text).map_or_else(String::new, |mv| line(&board, mv)))
        }
        // A FEN and moves in UCI notation, separated by blanks; returns them in SAN, up to the
        // first illegal move.
        b"sans" => {
            let line: Vec<&str> = text.split(' ').collect();
            Ok(san_line(&fen.parse()?, &line).join(" "))
        }
        // A value in JSON; returns White's winning percentage.
        b"percent" => Ok(serde_json::from_str::<Value>(argument)?.win_percent().to_string()),
        // A game in PGN; returns it in export format.
        b"tidy" => {
            let entry = pgn::entries(argument).next().ok_or("no game found")?;
            let (game, ..) = open(&entry)?;
            Ok(game.to_string())
        }
        // The size of a new file in bytes; `decode` then receives the file in pieces.
        b"begin" => {
            *file = GameFile::new(argument.parse()?);
            Ok(String::new())
        }
        b"end" => file.end(argument.parse()?),
        b"list" => file.list(argument == "first"),
        b"play" => file.play(argument.parse().ok()),
        b"batch" => file.analysis()?.batch(),
        b"found" => file.analysis()?.add(argument),
        b"annotate" => file.analysis()?.annotate(),
        b"write" => Ok(file.analysis()?.write()),
        b"moves-of-game" => Ok(file.analysis()?.tree()),
        // The live pictures of the tab Learn.
        b"number" => learn::number_of(fen),
        b"steps" => learn::steps(fen, text),
        b"difference" => learn::difference(fen, text),
        b"pairs" => learn::pairs(fen),
        b"reach" => learn::reach(fen),
        b"check" => learn::check(fen),
        b"exchange" => learn::exchange(fen, text),
        b"lanes" => learn::lanes(fen, text),
        b"tree" => tree::tree(fen, text),
        _ => Err("unknown function".into()),
    }
}

/// The game of these moves, in UCI notation.
fn played(board: Board, moves: &str) -> Result<Game, MoveError> {
    let mut game = Game::new(board);
    for mv in moves.split_whitespace() {
        if mv == "0000" && !game.board().in_check() {
            game.play_null();
        } else {
            game.play_uci(mv)?;
        }
    }
    Ok(game)
}

fn outcomes(board: Board, moves: &str) -> Answer {
    let game = played(board, moves)?;
    let found = [game.automatic_outcome(), game.claimable_draw()];
    let words = |end: Outcome| json!({ "result": end.to_string(), "reason": end.reason() });
    Ok(json!(found.map(|outcome| outcome.map(words))).to_string())
}

/// A position as X-FEN, two flags, each 0 or 1 (check, needs Chess960 castling), and the result and
/// the reason if the position ends the game.
fn describe(board: &Board) -> String {
    let [check, chess960] = [board.in_check(), board.has_chess960_castling()].map(u8::from);
    let end = board.status().map(|end| format!("\t{end}\t{}", end.reason())).unwrap_or_default();
    format!("{}\t{check}\t{chess960}{end}", board.fen())
}

/// A move in UCI notation (castling is king takes rook) and in SAN, the FEN after it, and `x` for a
/// capture.
fn line(board: &Board, mv: Move) -> String {
    let capture = if mv.is_capture() { "x" } else { "" };
    let (uci, san, fen) = (mv.uci(CastlingMode::Chess960), board.san(mv), board.make(mv).fen());
    format!("{uci}\t{san}\t{fen}\t{capture}")
}
