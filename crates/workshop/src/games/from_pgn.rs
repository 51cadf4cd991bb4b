//! Converts PGN with scores in the comments ([`score_text`]) to a shard; `docs/networks.md` has the
//! rules.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use carrybit::internals::eval::wdl;
use carrybit::internals::score::{self, Score};
use carrybit::{Board, Color, Game, Outcome};
use carrybit_board::draw::FIFTY_MOVES_PLIES;
use pgn::{Entry, PgnError, Ply, Remark, replay};

use super::shard::encode;
use super::{GameRecord, score_text};
use crate::error::Error;
use crate::files;
use crate::progress::Progress;

/// A result counts with one of these values of the tag `Termination`, or without the tag.
const REGULAR: [&str; 2] = ["normal", "adjudication"];

#[derive(Clone, Debug, clap::Args)]
pub struct FromPgnArguments {
    /// The new shard; a file that is not empty is refused
    pub shard: PathBuf,

    /// The PGN files
    #[arg(required = true, value_name = "GAMES.pgn")]
    pub games: Vec<PathBuf>,

    /// The scores are those that Carrybit shows to a GUI or match runner, where +1.00 wins half of
    /// the games; undo that scaling
    #[arg(long)]
    pub shown: bool,
}

/// The games converted so far.
#[derive(Default)]
struct Converted {
    shard: Vec<u8>,
    games: usize,
    positions: usize,
    /// Games without a result.
    unfinished: usize,
    /// Games decided by the clock, a crash, an illegal move or the like.
    irregular: usize,
}

/// Converts all games of all files to one shard and prints their number. The shard is written
/// only after all files are read.
pub fn convert(arguments: &FromPgnArguments, out: &mut impl Write) -> Result<(), Error> {
    let shard = &arguments.shard;
    if fs::metadata(shard).is_ok_and(|data| !data.is_file() || data.len() > 0) {
        return Err(Error::of(shard, "the file is not empty; from-pgn writes only new shards"));
    }
    let mut converted = Converted::default();
    for path in &arguments.games {
        converted.add_file(path, arguments.shown)?;
    }
    files::replace(shard, &converted.shard)?;
    let Converted { games, positions, unfinished, irregular, .. } = converted;
    writeln!(out, "{games} games, {positions} positions")?;
    writeln!(out, "skipped: {unfinished} without a result, {irregular} for their Termination")?;
    Ok(())
}

impl Converted {
    fn add_file(&mut self, path: &Path, shown: bool) -> Result<(), Error> {
        let text = pgn::text::load(path).map_err(|error| Error::of(path, error))?.text;
        let mut progress = Progress::new("Lines read", text.lines().count() as u64);
        let mut number = 0;
        for entry in pgn::entries(&text) {
            number += 1;
            progress.set(entry.line as u64, format!("{} games", self.games));
            self.add_game(entry, shown).map_err(|problem| {
                Error::Refused(format!("{}, game {number}, {problem}", path.display()))
            })?;
        }
        if number == 0 { Err(Error::of(path, "the file has no games")) } else { Ok(()) }
    }

    fn add_game(&mut self, mut entry: Entry, shown: bool) -> Result<(), PgnError> {
        let line = entry.line;
        let game = entry.game.as_mut().map_err(|error| error.clone())?;
        // A warning means text that is not PGN: the file may be damaged.
        if let Some(warning) = entry.warnings.first() {
            return Err(warning.clone());
        }
        let fail = |reason: String| PgnError { line, reason };
        let result = game.result.take();
        let result = result.ok_or_else(|| fail("no result after the moves".to_owned()))?;
        if let Some(tag) = game.tag("Result").filter(|&tag| tag != result) {
            return Err(fail(format!(
                "the result is {tag:?} in the tag, {result:?} after the moves"
            )));
        }
        let winner = match result.as_str() {
            "1-0" => Some(Color::White),
            "0-1" => Some(Color::Black),
            "1/2-1/2" => None,
            _ => {
                self.unfinished += 1;
                return Ok(());
            }
        };
        let is_regular = |tag: &str| REGULAR.iter().any(|word| tag.eq_ignore_ascii_case(word));
        if !game.tag("Termination").is_none_or(is_regular) {
            self.irregular += 1;
            return Ok(());
        }
        let played = replay::open_in_place(&mut entry)?;
        let record = record(&played, &entry.game?.moves.moves, shown, winner, line)?;
        self.games += 1;
        self.positions += record.moves.len();
        self.shard.extend(encode(&record));
        Ok(())
    }
}

/// The part of a game after the last move without a score, with scores as the search has them.
fn record(
    played: &Game,
    plies: &[Ply],
    shown: bool,
    winner: Option<Color>,
    line: usize,
) -> Result<GameRecord, PgnError> {
    let scores: Vec<_> = plies.iter().map(score).collect();
    let first = scores.iter().rposition(Option::is_none).map_or(0, |last| last + 1);
    let mut game = Game::new(played.start().clone());
    let mut start = game.board().clone();
    let mut moves = Vec::with_capacity(plies.len() - first);
    for (at, (&mv, ply)) in played.moves().iter().zip(plies).enumerate() {
        let board = game.board();
        if mv.is_null() {
            return Err(bad_move(board, ply, "is not a move"));
        }
        if board.halfmove() >= FIFTY_MOVES_PLIES {
            return Err(bad_move(board, ply, "follows a draw by the fifty-move rule"));
        }
        match scores[at] {
            Some(score) if at >= first => {
                let score = match shown && !score::is_mate(score) {
                    true => wdl::internal_cp(score, wdl::material(board)),
                    false => score,
                };
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
    let line = plies.last().map_or(line, |ply| ply.line);
    if moves.is_empty() {
        return Err(replay::bad_move(game.board(), line, "the game has no moves"));
    }
    let is_over = !game.board().has_legal_move();
    if is_over && game.outcome().map(Outcome::winner) != Some(winner) {
        let reason = "the last position contradicts the result";
        return Err(replay::bad_move(game.board(), line, reason));
    }
    Ok(GameRecord { start, moves, winner })
}

/// The score after a move, from the mover's view.
fn score(ply: &Ply) -> Option<Score> {
    ply.after.iter().find_map(|remark| match remark {
        Remark::Comment(text) => score_text::read(text),
        _ => None,
    })
}

/// The error for a move played on this board.
fn bad_move(board: &Board, ply: &Ply, reason: &str) -> PgnError {
    replay::bad_move(board, ply.line, &format!("{:?} {reason}", ply.text))
}
