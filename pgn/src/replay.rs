//! The moves of a game played on a board: what PGN says, as the rules of chess see it.

use std::fmt;

use carrybit::board::{Board, Color, Game, Move};

use crate::{Entry, Line, Numbering, PgnError, Remark};

/// A move of the game, or none where its author passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A legal move.
    Move(Move),
    /// A null move, which people write to show a threat.
    Pass,
}

/// A game that can be played: where it began, and what happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The position at the beginning.
    pub start: Board,
    /// Whether it is a game of Chess960.
    pub chess960: bool,
    /// The moves of the game, without variations.
    pub steps: Vec<Step>,
}

/// Why a game cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// It is a game of other rules.
    #[error("the variant {0:?} is not supported")]
    Variant(String),
    /// It begins nowhere.
    #[error("FEN {fen:?}: {reason}")]
    Fen {
        /// The FEN.
        fen: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A move is not legal.
    #[error("{0}")]
    Move(BadMove),
}

/// A move that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadMove {
    /// The number of the move, as it is counted in the game.
    pub number: u16,
    /// Whose move it is.
    pub side: Color,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for BadMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dots = if self.side == Color::White { "." } else { "..." };
        write!(f, "move {}{dots} {}", self.number, self.reason)
    }
}

impl Replay {
    /// Plays the game. Its moves are written as SAN from then on, those of its variations
    /// as far as they are legal. Returns what is wrong with variations as well.
    ///
    /// # Errors
    /// If the game itself cannot be played to its end.
    pub fn new(game: &mut crate::Game) -> Result<(Replay, Vec<BadMove>), ReplayError> {
        let chess960 = is_chess960(game.tag("Variant").unwrap_or_default())?;
        let start = start(game)?;
        let mut problems = Vec::new();
        let steps = play(&mut game.moves, Game::new(start.clone()), &mut problems)
            .map_err(ReplayError::Move)?;
        Ok((Replay { start, chess960, steps }, problems))
    }

    /// What the first move is counted as.
    #[must_use]
    pub fn numbering(&self) -> Numbering {
        let is_black = self.start.side() == Color::Black;
        Numbering { number: self.start.fullmove(), is_black }
    }

    /// The positions of the game, from the one at the beginning to the one at the end.
    #[must_use]
    pub fn positions(&self) -> Vec<Game> {
        let mut positions = vec![Game::new(self.start.clone())];
        for &step in &self.steps {
            let mut next = positions[positions.len() - 1].clone();
            match step {
                Step::Move(mv) => next.play(mv),
                Step::Pass => next.play_null(),
            }
            positions.push(next);
        }
        positions
    }
}

/// Plays a line from a position, and its variations. If its own moves cannot all be
/// played, says why; what is wrong with variations goes to `problems`.
fn play(
    line: &mut Line,
    mut game: Game,
    problems: &mut Vec<BadMove>,
) -> Result<Vec<Step>, BadMove> {
    let mut steps = Vec::with_capacity(line.moves.len());
    for ply in &mut line.moves {
        let before = game.clone();
        let board = before.board();
        let step = read_step(board, &ply.text).map_err(|reason| BadMove {
            number: board.fullmove(),
            side: board.side(),
            reason,
        })?;
        match step {
            Step::Move(mv) => {
                ply.text = board.san(mv);
                game.play(mv);
            }
            Step::Pass => game.play_null(),
        }
        steps.push(step);
        for remark in &mut ply.after {
            if let Remark::Variation(variation) = remark
                && let Err(problem) = play(variation, before.clone(), problems)
            {
                problems.push(problem);
            }
        }
    }
    Ok(steps)
}

/// What a text means as a move.
fn read_step(board: &Board, text: &str) -> Result<Step, String> {
    const PASSES: [&str; 5] = ["--", "Z0", "0000", "@@@@", "null"];
    if PASSES.contains(&text) {
        return if board.in_check() { Err(format!("{text:?} in check")) } else { Ok(Step::Pass) };
    }
    board.parse_san(text).map(Step::Move).map_err(|error| error.to_string())
}

/// Whether a game with this `Variant` tag is one of Chess960.
fn is_chess960(variant: &str) -> Result<bool, ReplayError> {
    let name: String = variant.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let has = |part: &&str| name.contains(*part);
    if ["960", "fischer", "frc", "freestyle"].iter().any(has) {
        Ok(true)
    } else if ["", "standard", "chess", "normal", "fromposition"].contains(&name.as_str()) {
        Ok(false)
    } else {
        Err(ReplayError::Variant(variant.to_owned()))
    }
}

/// Where the game begins.
fn start(game: &crate::Game) -> Result<Board, ReplayError> {
    let Some(fen) = game.tag("FEN").filter(|_| game.tag("SetUp") != Some("0")) else {
        return Ok(Board::default());
    };
    fen.parse().map_err(|error| {
        let reason = format!("{error}");
        ReplayError::Fen { fen: fen.to_owned(), reason }
    })
}

/// A game of a file that can be played, or why it cannot.
///
/// # Errors
/// If it cannot be read or played.
pub fn open(entry: &Entry) -> Result<(crate::Game, Replay, Vec<BadMove>), PgnError> {
    let mut game = entry.game.clone()?;
    let (replay, problems) = Replay::new(&mut game)
        .map_err(|error| PgnError { line: entry.line, reason: error.to_string() })?;
    Ok((game, replay, problems))
}
