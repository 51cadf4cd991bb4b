//! Games played elsewhere, from PGN with scores in the comments to a shard.
//!
//! Match runners write such files ([`score_text`] has the format), and so does OpenBench's data
//! generation. How a game is converted:
//!
//! * Every move is checked by the rules, those of Chess960 if the tag `Variant` says so.
//!   Variations are passed over.
//! * It begins behind the last move without a score: moves of a book have none.
//! * Scores become centipawns from White's view. Mates are kept, as the engine counts
//!   them; like all scores of won games, they are no labels for training.
//! * Its result is that of the file, however it came about, by adjudication, too. Where
//!   the last position leaves no move, the rules must agree.
//! * A game without a result is left out. So is one decided by the clock, a crash or an illegal
//!   move: its tag `Termination` is neither `normal` nor `adjudication`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use carrybit::board::draw::FIFTY_MOVES_PLIES;
use carrybit::board::{Board, Color, Game};
use carrybit::score::Score;
use pgn::replay::{BadMove, Replay, ReplayError, Step};
use pgn::{Entry, PgnError, Ply, Remark};

use super::error::GamesError;
use super::record::{Ending, GameRecord};
use super::score_text;
use super::shard::{ShardError, encode};
use crate::files::replace_file;
use crate::progress::Progress;

/// The values of the tag `Termination` with which a result counts; so it does without the tag.
const REGULAR: [&str; 2] = ["normal", "adjudication"];

/// The files.
#[derive(Clone, Debug, clap::Args)]
pub struct FromPgnArguments {
    /// The shard to make; a file that has something in it is refused
    pub shard: PathBuf,

    /// The files with the games
    #[arg(required = true, value_name = "GAMES.pgn")]
    pub games: Vec<PathBuf>,
}

/// The games read so far.
#[derive(Default)]
struct Harvest {
    /// The games as they lie in a shard.
    shard: Vec<u8>,
    games: usize,
    positions: usize,
    /// Games without a result.
    unfinished: usize,
    /// Games decided by the clock, a crash, an illegal move or the like.
    irregular: usize,
}

/// Whether a game counts.
enum Outcome {
    Played(Box<GameRecord>),
    Unfinished,
    Irregular,
}

/// Makes a shard of all games of all files, and prints their number. The shard appears only
/// when all are read.
///
/// # Errors
/// If the shard is there already or cannot be written, if a file cannot be read or has no
/// game in it, or if a game is not sound.
pub fn convert(arguments: &FromPgnArguments, out: &mut impl Write) -> Result<(), GamesError> {
    let shard = &arguments.shard;
    if fs::metadata(shard).is_ok_and(|data| !data.is_file() || data.len() > 0) {
        return Err(GamesError::AlreadyThere(shard.clone()));
    }
    let mut harvest = Harvest::default();
    for path in &arguments.games {
        harvest.read_file(path)?;
    }
    replace_file(shard, &harvest.shard)
        .map_err(|source| ShardError::File { path: shard.clone(), source })?;
    let Harvest { games, positions, unfinished, irregular, .. } = harvest;
    writeln!(out, "{games} games, {positions} positions")?;
    writeln!(out, "left out: {unfinished} without a result, {irregular} for their Termination")?;
    Ok(())
}

impl Harvest {
    fn read_file(&mut self, path: &Path) -> Result<(), GamesError> {
        let bytes =
            fs::read(path).map_err(|source| ShardError::File { path: path.to_owned(), source })?;
        let text = pgn::text::decode(bytes)
            .map_err(|source| GamesError::Text { path: path.to_owned(), source })?;
        let mut progress = Progress::new("Lines read", Some(text.lines().count() as u64));
        let mut number = 0;
        for entry in pgn::entries(&text) {
            number += 1;
            progress.set(entry.line as u64, format!("{} games", self.games));
            let outcome = read_game(entry).map_err(|problem| {
                progress.clear();
                GamesError::Pgn { path: path.to_owned(), number, problem }
            })?;
            match outcome {
                Outcome::Unfinished => self.unfinished += 1,
                Outcome::Irregular => self.irregular += 1,
                Outcome::Played(record) => {
                    self.games += 1;
                    self.positions += record.moves.len();
                    self.shard.extend(encode(&record));
                }
            }
        }
        progress.clear();
        if number == 0 { Err(ShardError::Empty(path.to_owned()).into()) } else { Ok(()) }
    }
}

/// Reads a game of a file.
fn read_game(entry: Entry) -> Result<Outcome, PgnError> {
    let Entry { line, text, game, warnings, .. } = entry;
    let mut game = game?;
    // Text without meaning is no sign of a sound file.
    if let Some(warning) = warnings.into_iter().next() {
        return Err(warning);
    }
    let fail = |reason: String| PgnError { line, reason };
    let result = game.result.take();
    let result = result.ok_or_else(|| fail("there is no result behind the moves".to_owned()))?;
    if let Some(tag) = game.tag("Result").filter(|&tag| tag != result) {
        return Err(fail(format!("the result is {tag:?} by its tag, {result:?} by the moves")));
    }
    let ending = match result.as_str() {
        "1-0" => Ending::Win(Color::White),
        "0-1" => Ending::Win(Color::Black),
        "1/2-1/2" => Ending::Draw,
        _ => return Ok(Outcome::Unfinished),
    };
    let is_regular = |tag: &str| REGULAR.iter().any(|word| tag.eq_ignore_ascii_case(word));
    if !game.tag("Termination").is_none_or(is_regular) {
        return Ok(Outcome::Irregular);
    }
    let (replay, _) = Replay::new(&mut game, &text).map_err(|error| error.locate(line, &text))?;
    let record = record(replay, &game.moves.moves, ending);
    record.map(Box::new).map(Outcome::Played).map_err(|error| error.locate(line, &text))
}

/// The part of a game that has scores.
fn record(replay: Replay, plies: &[Ply], result: Ending) -> Result<GameRecord, ReplayError> {
    let scores: Vec<_> = plies.iter().map(score).collect();
    let first = scores.iter().rposition(Option::is_none).map_or(0, |last| last + 1);
    let mut game = Game::new(replay.start);
    let mut start = game.board().clone();
    let mut moves = Vec::with_capacity(plies.len() - first);
    for (at, (step, ply)) in replay.steps.into_iter().zip(plies).enumerate() {
        let board = game.board();
        let Step::Move(mv) = step else {
            return Err(bad_move(board, ply, "is no move"));
        };
        if board.halfmove() >= FIFTY_MOVES_PLIES {
            return Err(bad_move(board, ply, "follows a draw by the fifty-move rule"));
        }
        match scores[at] {
            Some(score) if at >= first => {
                moves.push((mv, if board.side() == Color::White { score } else { -score }));
            }
            _ if at + 1 == plies.len() => return Err(bad_move(board, ply, "has no score")),
            _ => {}
        }
        game.play(mv);
        if at + 1 == first {
            start = game.board().clone();
        }
    }
    let line = plies.last().map_or(0, |ply| ply.line);
    if moves.is_empty() {
        return Err(bad_game(game.board(), line, "there is no move to begin with".to_owned()));
    }
    let is_over = !game.board().has_legal_move();
    if is_over && game.outcome().map(Ending::from) != Some(result) {
        return Err(bad_game(
            game.board(),
            line,
            "the game has ended with another result".to_owned(),
        ));
    }
    Ok(GameRecord { start, moves, ending: result })
}

/// The score behind a move, from the mover's view.
fn score(ply: &Ply) -> Option<Score> {
    ply.after.iter().find_map(|remark| match remark {
        Remark::Comment(text) => score_text::read(text),
        _ => None,
    })
}

/// The error for a move played on this board.
fn bad_move(board: &Board, ply: &Ply, reason: &str) -> ReplayError {
    bad_game(board, ply.line, format!("{:?} {reason}", ply.text))
}

/// The error for a line of the file; `board` is the position reached.
fn bad_game(board: &Board, line: usize, reason: String) -> ReplayError {
    ReplayError::Move(BadMove::new(board, line, reason))
}
