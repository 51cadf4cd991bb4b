//! Shared by the tests that need positions: random numbers, data files, random games, and a slow
//! but simple computation of attacks.

// Each test file compiles this module for itself and uses a part of it.
#![allow(dead_code)]

pub(crate) mod naive;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use carrybit::{Board, Game, Move};
use carrybit_board::random::{STRIDE, scramble};

/// Reproducible random numbers, from the engine's own generator.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STRIDE);
        scramble(self.0)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

pub(crate) fn data_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

pub(crate) fn read_data(name: &str) -> String {
    let path = data_path(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of a table whose first line is a heading, split at `separator`.
pub(crate) fn rows(text: &str, separator: char) -> impl Iterator<Item = Vec<&str>> {
    text.lines().skip(1).map(move |line| line.split(separator).collect())
}

/// The position of a FEN that must be valid.
pub(crate) fn board(fen: &str) -> Board {
    fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The legal move that is `text` in UCI's notation.
pub(crate) fn find_move(board: &Board, text: &str) -> Move {
    board.parse_uci(text).unwrap_or_else(|error| panic!("{error} in {board:?}"))
}

/// The position after moves in UCI's notation, castling as in Chess960.
pub(crate) fn after(board: &Board, moves: &str) -> Board {
    moves.split_whitespace().fold(board.clone(), |board, text| board.make(find_move(&board, text)))
}

/// Plays moves in UCI's notation, castling as in Chess960.
pub(crate) fn play(game: &mut Game, moves: &str) {
    for text in moves.split_whitespace() {
        let mv = find_move(game.board(), text);
        game.play(mv);
    }
}

/// Counts cases, so that a test can assert that each one occurs.
#[derive(Default)]
pub(crate) struct Seen(BTreeMap<&'static str, usize>);

impl Seen {
    pub(crate) fn note(&mut self, name: &'static str, is_so: bool) {
        *self.0.entry(name).or_default() += usize::from(is_so);
    }

    pub(crate) fn assert_each_at_least(&self, least: usize) {
        assert!(self.0.values().all(|&count| count >= least), "{:?}", self.0);
    }
}

/// Positions that no game leads to, with up to sixteen pieces of any kind on a side.
pub(crate) const CROWDED: [&str; 11] = [
    "2QQ1Q2/Q6Q/2Q3Q1/K3Q3/1Q5Q/7Q/k7/2QQ1QQ1 w - - 0 1",
    "2qq1qq1/K7/7q/1q5q/k3q3/2q3q1/q6q/2qq1q2 b - - 0 1",
    "4k3/8/8/8/8/8/RRRR1RRR/RRRR1RRK w - - 0 1",
    "4k3/8/8/8/8/8/BBBBBBBB/BBBBBBBK w - - 0 1",
    "nnnnnnnk/nnnnnnnn/8/8/8/8/8/4K3 b - - 0 1",
    "qqqqqqqk/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQQQQK w - - 0 1",
    "rrrrrrrk/rrrrrrrr/8/8/8/8/BBBBBBBB/BBBBBBBK b - - 0 1",
    "nnnnnnnk/nnnnnnnn/8/8/8/8/NNNNNNNN/NNNNNNNK w - - 0 1",
    "nnnnnnnk/nnnnnnnn/8/8/8/8/NNNNNNNN/NNNNNNNK b - - 0 1",
    "bbbbbbbk/bbbbbbbb/8/8/8/8/RRRRRRRR/RRRRRRRK w - - 0 1",
    "4k3/pppppppp/qqqqqqq1/8/8/QQQQQQQ1/PPPPPPPP/4K3 w - - 0 1",
];

/// One line of a perft file: a position, and its leaves at some depths.
pub(crate) struct PerftLine {
    pub(crate) fen: String,
    pub(crate) counts: Vec<(u32, u64)>,
}

/// Reads a perft file: `FEN ;D1 n ;D2 n ...`.
pub(crate) fn perft_lines(text: &str) -> Vec<PerftLine> {
    let parse = |line: &str| {
        let (fen, counts) = line.split_once(';')?;
        let counts = counts.split(';').map(|part| {
            let (depth, nodes) = part.trim().strip_prefix('D')?.split_once(' ')?;
            Some((depth.parse().ok()?, nodes.trim().parse().ok()?))
        });
        Some(PerftLine { fen: fen.trim().to_owned(), counts: counts.collect::<Option<_>>()? })
    };
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| parse(line).unwrap_or_else(|| panic!("not a perft line: {line}")))
        .collect()
}

/// The names of the perft files under `tests/data/perft`.
pub(crate) const PERFT_FILES: [&str; 9] = [
    "standard.epd",
    "chess960.epd",
    "en-passant.epd",
    "single-check.epd",
    "double-check.epd",
    "random-marcel.epd",
    "stress.epd",
    "tricky.epd",
    "tricky960.epd",
];

/// All positions of the perft files: checks, pins, en passant and castling traps.
pub(crate) fn tricky_positions() -> Vec<Board> {
    let texts = PERFT_FILES.map(|name| read_data(&format!("perft/{name}")));
    let lines = texts.iter().flat_map(|text| perft_lines(text));
    lines.map(|line| board(&line.fen)).collect()
}

/// The start positions of Chess960, as Shredder-FENs in the order of their numbers.
pub(crate) fn chess960_starts() -> Vec<String> {
    let text = read_data("startpos960.csv");
    rows(&text, ',').map(|row| row[2].to_owned()).collect()
}

/// The start position with White's pieces from one Chess960 position and Black's from another.
pub(crate) fn double_chess960(white: &str, black: &str) -> String {
    let rights = |start: &str| start.split(' ').nth(2).expect("six fields")[..2].to_owned();
    let pieces = |start: &str| start[..8].to_owned();
    format!(
        "{}/pppppppp/8/8/8/8/PPPPPPPP/{} w {}{} - 0 1",
        pieces(black),
        pieces(white).to_ascii_uppercase(),
        rights(white),
        rights(black).to_ascii_lowercase()
    )
}

/// One of the 960 * 960 start positions of double Chess960.
pub(crate) fn random_double_chess960(rng: &mut Rng, starts: &[String]) -> Board {
    let (white, black) = (rng.below(starts.len()), rng.below(starts.len()));
    board(&double_chess960(&starts[white], &starts[black]))
}

/// Plays random moves from `start` until the game ends or `plies` are played; `visit` gets each
/// position with the move about to be played.
pub(crate) fn random_game(
    rng: &mut Rng,
    start: &Board,
    plies: usize,
    mut visit: impl FnMut(&Board, Move),
) {
    let mut board = start.clone();
    for _ in 0..plies {
        let moves = board.legal_moves();
        if moves.is_empty() {
            return;
        }
        let mv = *rng.pick(&moves);
        visit(&board, mv);
        board = board.make(mv);
    }
}

/// Start positions of random games.
pub(crate) struct Starts {
    shuffled: Vec<String>,
    tricky: Vec<Board>,
}

impl Starts {
    pub(crate) fn read() -> Starts {
        Starts { shuffled: chess960_starts(), tricky: tricky_positions() }
    }

    /// The start position, one of double Chess960 or one of the perft files, in turn.
    pub(crate) fn pick(&self, rng: &mut Rng, nth: usize) -> Board {
        match nth % 3 {
            0 => Board::default(),
            1 => random_double_chess960(rng, &self.shuffled),
            _ => rng.pick(&self.tricky).clone(),
        }
    }
}

/// The positions of `games` random games of `plies` plies.
pub(crate) fn random_positions(seed: u64, games: usize, plies: usize) -> Vec<Board> {
    let (mut rng, starts) = (Rng(seed), Starts::read());
    let mut boards = Vec::new();
    for game in 0..games {
        let start = starts.pick(&mut rng, game);
        random_game(&mut rng, &start, plies, |board, _| boards.push(board.clone()));
    }
    boards
}

/// A position with these pieces (letters as in FENs) on random squares; `None` if it is invalid.
pub(crate) fn random_placing(rng: &mut Rng, pieces: &str) -> Option<Board> {
    let mut squares = [' '; 64];
    for letter in pieces.chars() {
        let sq = rng.below(64);
        let is_bad_pawn = letter.eq_ignore_ascii_case(&'p') && !(8..56).contains(&sq);
        if squares[sq] != ' ' || is_bad_pawn {
            return None;
        }
        squares[sq] = letter;
    }
    let rank = |rank: &[char]| -> String {
        let runs = rank.chunk_by(|&a, &b| a == ' ' && b == ' ');
        runs.map(|run| if run[0] == ' ' { run.len().to_string() } else { run[0].to_string() })
            .collect()
    };
    let ranks: Vec<String> = squares.chunks(8).map(rank).collect();
    let side = rng.pick(&['w', 'b']);
    format!("{} {side} - - 0 1", ranks.join("/")).parse().ok()
}

/// The letters of pieces, with colours exchanged.
fn swap_colours(pieces: &str) -> String {
    let swap = |c: char| {
        if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
    };
    pieces.chars().map(swap).collect()
}

/// The pieces, or, at random, the same pieces with colours exchanged.
pub(crate) fn random_colours(rng: &mut Rng, pieces: &str) -> String {
    if rng.below(2) == 0 { pieces.to_owned() } else { swap_colours(pieces) }
}

/// The position with colours exchanged and ranks in reverse order, without castling rights.
pub(crate) fn with_colours_exchanged(position: &Board) -> Board {
    let fen = position.shredder_fen();
    let placement = fen.split(' ').next().expect("six fields");
    let ranks: Vec<&str> = placement.split('/').rev().collect();
    let side = if fen.contains(" w ") { 'b' } else { 'w' };
    board(&format!("{} {side} - - {} 1", swap_colours(&ranks.join("/")), position.halfmove()))
}

/// The position with left and right exchanged, without castling rights.
pub(crate) fn mirrored(position: &Board) -> Board {
    let fen = position.shredder_fen();
    let placement = fen.split(' ').next().expect("six fields");
    let ranks: Vec<String> =
        placement.split('/').map(|rank| rank.chars().rev().collect()).collect();
    let side = if fen.contains(" w ") { 'w' } else { 'b' };
    board(&format!("{} {side} - - {} 1", ranks.join("/"), position.halfmove()))
}

/// Positions with these pieces on random squares, of either colour.
pub(crate) fn random_boards(seed: u64, pieces: &str, count: usize) -> Vec<Board> {
    let mut rng = Rng(seed);
    let mut boards = Vec::new();
    while boards.len() < count {
        let pieces = random_colours(&mut rng, pieces);
        boards.extend(random_placing(&mut rng, &pieces));
    }
    boards
}
