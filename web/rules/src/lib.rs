//! The engine's rules as a WebAssembly module of its own, for the page: positions and moves
//! in, what the rules say of them out. It has no search and no network; the page calls it
//! in place and gets an answer at once.
//!
//! A call: the page gets `room` for its input, writes it there, and calls one of the
//! functions, which return the length of the answer at `answer`. Input and answer are
//! UTF-8; parts of a line are separated by tabs.
#![cfg(target_family = "wasm")]
#![allow(unsafe_code)]

#[path = "../../src/input.rs"]
mod input;

use std::cell::RefCell;
use std::fmt::Write;

use carrybit::board::{Board, Move};
use carrybit::uci::position::find_move;

thread_local! {
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The address of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// Answers with the result of `act` for the input, or with its error behind a `!`.
fn respond(act: impl FnOnce(&str) -> Result<String, String>) -> usize {
    let input = input::take();
    let text = match act(&String::from_utf8_lossy(&input)) {
        Ok(text) => text,
        Err(error) => format!("!{error}"),
    };
    let length = text.len();
    ANSWER.set(text);
    length
}

fn read(fen: &str) -> Result<Board, String> {
    fen.parse().map_err(|error: carrybit::board::FenError| error.to_string())
}

/// For a FEN: the position as X-FEN, and whether the side to move is in check, has a legal
/// move, whether there is too little material to mate, and whether it takes Chess960 to
/// castle, each as 0 or 1.
#[unsafe(no_mangle)]
pub extern "C" fn position() -> usize {
    respond(|fen| {
        let board = read(fen)?;
        let facts = [
            board.in_check(),
            board.has_legal_move(),
            board.is_insufficient_material(),
            board.has_chess960_castling(),
        ];
        let mut text = board.fen(false);
        for fact in facts {
            text.push_str(if fact { "\t1" } else { "\t0" });
        }
        Ok(text)
    })
}

/// For a FEN: its legal moves, a line for each (see [`line`]).
#[unsafe(no_mangle)]
pub extern "C" fn moves() -> usize {
    respond(|fen| {
        let board = read(fen)?;
        let lines: Vec<String> = board.legal_moves().iter().map(|&mv| line(&board, mv)).collect();
        Ok(lines.join("\n"))
    })
}

/// For a FEN and a move in UCI's notation: its line, or nothing if it is not legal.
#[unsafe(no_mangle)]
pub extern "C" fn named() -> usize {
    respond(|input| {
        let (fen, text) = input.split_once('\t').unwrap_or((input, ""));
        let board = read(fen)?;
        Ok(find_move(&board, text).map_or_else(String::new, |mv| line(&board, mv)))
    })
}

/// For a FEN and a move in SAN or similar: its line, or nothing if no legal move is meant.
#[unsafe(no_mangle)]
pub extern "C" fn meant() -> usize {
    respond(|input| {
        let (fen, text) = input.split_once('\t').unwrap_or((input, ""));
        let board = read(fen)?;
        Ok(board.parse_san(text).map_or_else(|_| String::new(), |mv| line(&board, mv)))
    })
}

/// A move: in UCI's notation (castling is king takes rook) and in SAN, the FEN after it,
/// `x` if it captures, and the square to which the king castles, if it does.
fn line(board: &Board, mv: Move) -> String {
    let after = board.make(mv).fen(false);
    let capture = if mv.is_capture() { "x" } else { "" };
    let mut text = format!("{}\t{}\t{after}\t{capture}\t", board.uci(mv, true), board.san(mv));
    if mv.is_castling() {
        // Writing into a string cannot fail.
        let _ = write!(text, "{}", Board::castled_king(mv));
    }
    text
}
