//! The moves of a game played on a board: what PGN says, as the rules of chess see it.

use std::fmt;

use carrybit::board::{Board, Color, Game, Move};

use crate::lexer::{Lexer, Token};
use crate::words::{is_pass, read_move};
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
        /// Why it is refused.
        reason: String,
    },
    /// A move is not legal.
    #[error("{0}")]
    Move(BadMove),
}

/// A move that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadMove {
    /// The line of the file that it stands on, from 1; 0 if it was not read from a file.
    pub line: usize,
    /// The number of the move, as it is counted in the game.
    pub number: u16,
    /// Whose move it is.
    pub side: Color,
    /// Why the move is refused.
    pub reason: String,
}

impl fmt::Display for BadMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dots = if self.side == Color::White { "." } else { "..." };
        write!(f, "move {}{dots} {}", self.number, self.reason)
    }
}

impl BadMove {
    /// The wrong move, its line and its error.
    #[must_use]
    pub fn new(board: &Board, line: usize, reason: String) -> BadMove {
        BadMove { line, number: board.fullmove(), side: board.side(), reason }
    }
}

impl ReplayError {
    /// The error with its line in the file: that of the move or of the tag in the `entry`
    /// which cannot be used.
    #[must_use]
    pub fn locate(&self, entry_line: usize, entry_text: &str) -> PgnError {
        let tag_line = |wanted: &str| {
            let tags = Lexer::new(entry_text);
            let is_wanted =
                |token: &Token<'_>| matches!(token, Token::Tag { name, .. } if *name == wanted);
            let line = tags.into_iter().find(|spanned| is_wanted(&spanned.token));
            line.map_or(entry_line, |spanned| entry_line + spanned.line - 1)
        };
        let line = match self {
            ReplayError::Variant(_) => tag_line("Variant"),
            ReplayError::Fen { .. } => tag_line("FEN"),
            ReplayError::Move(problem) if problem.line > 0 => problem.line,
            ReplayError::Move(_) => entry_line,
        };
        PgnError { line, reason: self.to_string() }
    }
}

impl Step {
    /// Makes the step in a game.
    pub fn play(self, game: &mut Game) {
        match self {
            Step::Move(mv) => game.play(mv),
            Step::Pass => game.play_null(),
        }
    }
}

impl Replay {
    /// Plays the game with the `text` that it was read from. Its moves are written as SAN
    /// from then on, and those of its variations. A variation with an illegal move is
    /// written as it stands in the text; such problems are returned as well.
    ///
    /// # Errors
    /// If the game itself cannot be played to its end.
    pub fn new(game: &mut crate::Game, text: &str) -> Result<(Replay, Vec<BadMove>), ReplayError> {
        let chess960 = is_chess960(game.tag("Variant").unwrap_or_default())?;
        let start = start(game)?;
        let mut player = Player { text, problems: Vec::new() };
        let steps =
            player.play(&mut game.moves, Game::new(start.clone())).map_err(ReplayError::Move)?;
        Ok((Replay { start, chess960, steps }, player.problems))
    }

    /// What the first move is counted as.
    #[must_use]
    pub fn numbering(&self) -> Numbering {
        let is_black = self.start.side() == Color::Black;
        Numbering { number: self.start.fullmove(), is_black }
    }
}

/// Plays lines and their variations.
struct Player<'a> {
    /// The text of the game.
    text: &'a str,
    /// The errors in variations.
    problems: Vec<BadMove>,
}

impl Player<'_> {
    /// Plays a line from a position, and its variations. Fails if the line's own moves
    /// cannot all be played.
    fn play(&mut self, line: &mut Line, mut game: Game) -> Result<Vec<Step>, BadMove> {
        let mut steps = Vec::with_capacity(line.moves.len());
        for ply in &mut line.moves {
            let board = game.board();
            let step = read_step(board, &ply.text)
                .map_err(|reason| BadMove::new(board, ply.place.line, reason))?;
            ply.text = match step {
                Step::Move(mv) => board.san(mv),
                Step::Pass => "--".to_owned(),
            };
            for remark in &mut ply.after {
                let Remark::Variation(variation) = remark else { continue };
                // Without history: to copy it for each variation would take quadratic time.
                if variation.verbatim.is_none()
                    && let Err(problem) = self.play(variation, Game::new(board.clone()))
                {
                    let (start, end) = (variation.place.start, variation.place.end);
                    variation.verbatim = self
                        .text
                        .get(start..end)
                        .filter(|text| !text.is_empty())
                        .map(str::to_owned);
                    self.problems.push(problem);
                }
            }
            step.play(&mut game);
            steps.push(step);
        }
        Ok(steps)
    }
}

/// What a text means as a move.
fn read_step(board: &Board, text: &str) -> Result<Step, String> {
    if is_pass(text) {
        return if board.in_check() { Err(format!("{text:?} in check")) } else { Ok(Step::Pass) };
    }
    read_move(board, text).map(Step::Move).map_err(|error| error.to_string())
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
    // Programs write these where there is no FEN.
    const NONE: [&str; 5] = ["", "?", "-", "*", "startpos"];
    let fen = game.tag("FEN").filter(|fen| !NONE.contains(&fen.trim()));
    let Some(fen) = fen.filter(|_| game.tag("SetUp") != Some("0")) else {
        return Ok(Board::default());
    };
    fen.parse().map_err(|error| {
        let reason = format!("{error}");
        ReplayError::Fen { fen: fen.to_owned(), reason }
    })
}

/// A game of a file that can be played, or why it cannot; with the problems that do not
/// keep it from being played.
///
/// # Errors
/// If it cannot be read or played.
pub fn open(entry: &Entry) -> Result<(crate::Game, Replay, Vec<PgnError>), PgnError> {
    let mut game = entry.game.clone()?;
    let (replay, bad_moves) = Replay::new(&mut game, &entry.text)
        .map_err(|error| error.locate(entry.line, &entry.text))?;
    let bad_moves = bad_moves.into_iter().map(|bad| PgnError {
        line: bad.line,
        reason: format!("in a variation, which stays as it is: {bad}"),
    });
    let problems = entry.warnings.iter().cloned().chain(bad_moves).collect();
    Ok((game, replay, problems))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;

    fn problem(text: &str) -> String {
        open(&read(text)[0]).expect_err("it cannot be played").to_string()
    }

    #[test]
    fn error_names_the_line_of_the_move_or_tag() {
        assert_eq!(
            problem("[Event \"a\"]\n\n1. e4 e5\n2. Ke3\nd6 *"),
            "line 4: move 2. \"Ke3\" is not legal"
        );
        let fen = "[Event \"a\"]\n[SetUp \"1\"]\n[FEN \"8/8 w\"]\n\n*";
        assert!(problem(fen).starts_with("line 3: FEN"), "{}", problem(fen));
        assert!(problem("[Event \"a\"]\n[Variant \"Atomic\"]\n\n*").starts_with("line 2: "));
        let entries = read("1. e4 *\n\n[Event \"b\"]\n\n1. d4\nd9 *");
        assert!(
            open(&entries[1]).expect_err("illegal").to_string().starts_with("line 6: move 1...")
        );
    }

    #[test]
    fn placeholder_in_the_fen_tag_means_the_usual_start() {
        for fen in ["", "?", "-", "*"] {
            let text = format!("[FEN \"{fen}\"]\n[SetUp \"1\"]\n\n1. e4 *");
            let (_, replay, _) = open(&read(&text)[0]).expect("a game");
            assert_eq!(replay.start, Board::default());
        }
    }

    #[test]
    fn variation_with_an_illegal_move_stays_as_it_is() {
        let bad = "(15.  d4 d5\n{a} (1... Nf6 2. c4) 16 exf6ep)";
        let text = format!("1. e4 {bad} (1. c4 (1. f4 $1 f9 ) c5) e5 *");
        let entries = read(&text);
        let (game, replay, problems) = open(&entries[0]).expect("a game");
        assert_eq!((replay.steps.len(), problems.len()), (2, 2), "{problems:?}");
        assert_eq!(problems[0].line, 2);
        let written = game.write(replay.numbering());
        assert_eq!(written, format!("1. e4 {bad} (1. c4 (1. f4 $1 f9 ) 1... c5) 1... e5 *\n"));
        let (again, ..) = open(&read(&written)[0]).expect("a game");
        assert_eq!(again, game);
    }

    #[test]
    fn long_game_with_variations_is_played_in_linear_time() {
        // With a copy of the history for each move this takes minutes and gigabytes.
        const MOVES: usize = 50_000;
        let text = "1. Nf3 Nf6 (1... Nc6 (1... d5)) 2. Ng1 Ng8 ".repeat(MOVES);
        let entries = read(&text);
        let (_, replay, problems) = open(&entries[0]).expect("a game");
        assert_eq!((replay.steps.len(), problems.len()), (4 * MOVES, 0));
    }
}
