//! The rules of chess and games in PGN as a WebAssembly module of its own, for the page. It has
//! no search and no network; the page calls it in place and gets an answer at once.
//!
//! A call: the page gets `room` for its input, writes it there, and calls one of the
//! functions, which return the length of the answer at `answer`, or that of an error, with all
//! bits inverted. Input and answer are UTF-8, but for `decode`, which takes bytes; parts of a
//! line are separated by tabs.
#![cfg(target_family = "wasm")]
#![allow(unsafe_code)]

#[path = "../../src/input.rs"]
mod input;

mod file;

use std::cell::RefCell;
use std::error::Error;

use carrybit::board::{Board, Game, Move};
use pgn::findings::san_line;
use pgn::replay::{find_move, open};

use file::GameFile;

/// An answer, or why there is none.
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

/// Answers with the result of `act` for the input, or with its error.
fn respond(act: impl FnOnce(&str) -> Answer) -> isize {
    respond_to_bytes(|input| act(str::from_utf8(input)?))
}

fn respond_to_bytes(act: impl FnOnce(&[u8]) -> Answer) -> isize {
    let (text, mask) = match act(&input::take()) {
        Ok(text) => (text, 0),
        Err(error) => (error.to_string(), -1),
    };
    let length = text.len().cast_signed() ^ mask;
    ANSWER.set(text);
    length
}

/// The position in front of the first tab, and the text behind it.
fn parse(input: &str) -> Result<(Board, &str), Box<dyn Error>> {
    let (fen, text) = input.split_once('\t').unwrap_or((input, ""));
    Ok((fen.parse()?, text))
}

/// For a FEN: the position as X-FEN, and whether the side to move is in check, has a legal
/// move, whether there is too little material to mate, and whether it takes Chess960 to
/// castle, each as 0 or 1.
#[unsafe(no_mangle)]
pub extern "C" fn position() -> isize {
    respond(|fen| {
        let board: Board = fen.parse()?;
        let facts = [
            board.in_check(),
            board.has_legal_move(),
            board.is_insufficient_material(),
            board.has_chess960_castling(),
        ];
        let facts = facts.map(|fact| if fact { "\t1" } else { "\t0" });
        Ok(board.fen(false) + &facts.concat())
    })
}

/// For a FEN: its legal moves, a line for each (see [`line`]).
#[unsafe(no_mangle)]
pub extern "C" fn moves() -> isize {
    respond(|fen| {
        let board: Board = fen.parse()?;
        let lines: Vec<String> = board.legal_moves().iter().map(|&mv| line(&board, mv)).collect();
        Ok(lines.join("\n"))
    })
}

/// For a FEN and a move in any notation: its line, or nothing if no legal move is meant.
#[unsafe(no_mangle)]
pub extern "C" fn find() -> isize {
    respond(|input| {
        let (board, text) = parse(input)?;
        Ok(find_move(&board, text).map_or_else(String::new, |mv| line(&board, mv)))
    })
}

/// A move: in UCI's notation (castling is king takes rook) and in SAN, the FEN after it, and
/// `x` if it captures.
fn line(board: &Board, mv: Move) -> String {
    let mut game = Game::new(board.clone());
    game.play(mv);
    let capture = if mv.is_capture() { "x" } else { "" };
    let fen = game.board().fen(false);
    format!("{}\t{}\t{fen}\t{capture}", board.uci(mv, true), board.san(mv))
}

/// For a FEN and moves in UCI's notation with blanks between them: the moves in SAN, as far as
/// they are legal.
#[unsafe(no_mangle)]
pub extern "C" fn sans() -> isize {
    respond(|input| {
        let (board, line) = parse(input)?;
        Ok(san_line(&board, &line.split(' ').collect::<Vec<_>>()).join(" "))
    })
}

/// For a value in JSON: White's chances as a percentage.
#[unsafe(no_mangle)]
pub extern "C" fn percent() -> isize {
    respond(|value| {
        let value: pgn::judgement::Value = serde_json::from_str(value)?;
        Ok(value.win_percent().to_string())
    })
}

/// For a game in PGN: the same in the customary form.
#[unsafe(no_mangle)]
pub extern "C" fn tidy() -> isize {
    respond(|text| {
        let entry = pgn::entries(text).next().ok_or("there is no game")?;
        let (game, replay, _) = open(&entry)?;
        Ok(game.write(replay.numbering()))
    })
}

/// Begins another file of `size` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn begin(size: usize) {
    FILE.set(GameFile::new(size));
}

/// Decodes a piece of the file. Answers with the length of its text so far, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn decode() -> isize {
    respond_to_bytes(|piece| FILE.with_borrow_mut(|file| file.decode(piece)))
}

/// Ends the file. Answers with its text in JSON, or with `null` if that has more bytes than the
/// input says.
#[unsafe(no_mangle)]
pub extern "C" fn end() -> isize {
    respond(|limit| FILE.with_borrow_mut(|file| file.end(limit.parse()?)))
}

/// Lists the games in a part of the file: the first part if the input is `first`, or else the
/// next one.
#[unsafe(no_mangle)]
pub extern "C" fn list() -> isize {
    respond(|part| FILE.with_borrow_mut(|file| file.list(part == "first")))
}

/// Reads and plays a part of a game: of the one with this number, from 0, or without a number
/// the next part. Answers with the game when all of it has been played.
#[unsafe(no_mangle)]
pub extern "C" fn play() -> isize {
    respond(|number| FILE.with_borrow_mut(|file| file.play(number.parse().ok())))
}

/// The positions of the game that are to be evaluated next; nothing if there are no more.
#[unsafe(no_mangle)]
pub extern "C" fn batch() -> isize {
    respond(|_| FILE.with_borrow_mut(|file| file.analysis()?.batch()))
}

/// Takes the evaluations of these.
#[unsafe(no_mangle)]
pub extern "C" fn found() -> isize {
    respond(|found| FILE.with_borrow_mut(|file| file.analysis()?.add(found)))
}

/// Annotates the game. Answers with the game as the viewer has it.
#[unsafe(no_mangle)]
pub extern "C" fn annotate() -> isize {
    respond(|_| FILE.with_borrow_mut(|file| file.analysis()?.annotate()))
}

/// The game as PGN.
#[unsafe(no_mangle)]
pub extern "C" fn write() -> isize {
    respond(|_| FILE.with_borrow_mut(|file| Ok(file.analysis()?.write())))
}

/// The FENs of the game's positions, each on a line.
#[unsafe(no_mangle)]
pub extern "C" fn fens() -> isize {
    respond(|_| FILE.with_borrow_mut(|file| Ok(file.analysis()?.fens())))
}
