//! The moves of a game played on a board: what PGN says, as the rules of chess see it.

use std::{fmt, mem};

use carrybit::board::san::SanError;
use carrybit::board::{Board, Color, Game, Move};

use crate::lexer::{Lexer, Token};
use crate::reader::shortened;
use crate::words::{Word, is_pass, lacks_promotion, read_move, word_at};
use crate::{Entry, Line, Numbering, PgnError, Place, Remark};

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
    /// The side to move.
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
    pub fn new(board: &Board, line: usize, reason: String) -> BadMove {
        BadMove { line, number: board.fullmove(), side: board.side(), reason }
    }
}

impl ReplayError {
    /// The error with its line in the file: that of the move or of the tag in the `entry`
    /// which cannot be used.
    pub fn locate(&self, entry_line: usize, entry_text: &str) -> PgnError {
        let tag_line = |wanted: &str| {
            let is_wanted =
                |token: &Token<'_>| matches!(token, Token::Tag { name, .. } if *name == wanted);
            let mut tokens = Lexer::new(entry_text, 0, entry_line);
            let tag = tokens.find(|spanned| is_wanted(&spanned.token));
            tag.map_or(entry_line, |spanned| spanned.line)
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
    /// Plays the game with the `text` that it was read from; see [`Player`]. Returns the
    /// problems in variations as well.
    ///
    /// # Errors
    /// If the game itself cannot be played to its end.
    pub fn new(game: &mut crate::Game, text: &str) -> Result<(Replay, Vec<BadMove>), ReplayError> {
        let mut player = Player::new(game)?;
        while !player.step(text)? {}
        Ok(player.finish(game))
    }

    /// The number and the side of the first move.
    pub fn numbering(&self) -> Numbering {
        let is_black = self.start.side() == Color::Black;
        Numbering { number: self.start.fullmove(), is_black }
    }
}

/// Plays a game move by move. Its moves are written as SAN from then on, and those of its
/// variations. A variation with an illegal move is written as it stands in the text.
pub struct Player {
    replay: Replay,
    /// The line being played and those around it, the innermost last: the first is the game's.
    lines: Vec<OpenLine>,
    /// The errors in variations.
    problems: Vec<BadMove>,
}

/// A line of moves that is being played.
struct OpenLine {
    /// It is taken out of the game as long as it is here.
    line: Line,
    /// The position before the move `at`. A variation has no history: to copy it for each one
    /// would take quadratic time.
    game: Game,
    at: usize,
    /// That move, if it has been read; then its variations are played, before itself.
    step: Option<Step>,
    /// How many of the remarks on it are done.
    remarks: usize,
}

impl OpenLine {
    fn new(line: &mut Line, start: Board) -> OpenLine {
        OpenLine { line: mem::take(line), game: Game::new(start), at: 0, step: None, remarks: 0 }
    }
}

impl Player {
    /// Begins with a game. Its moves are missing in it until they have all been played.
    ///
    /// # Errors
    /// If it is a game of other rules, or begins nowhere.
    pub fn new(game: &mut crate::Game) -> Result<Player, ReplayError> {
        let chess960 = is_chess960(game.tag("Variant").unwrap_or_default())?;
        let start = start(game)?;
        let lines = vec![OpenLine::new(&mut game.moves, start.clone())];
        let replay = Replay { start, chess960, steps: Vec::new() };
        Ok(Player { replay, lines, problems: Vec::new() })
    }

    /// Plays a move of the game, or of a variation in its `text`. Returns whether all have been
    /// played.
    ///
    /// # Errors
    /// If a move of the game itself cannot be played.
    pub fn step(&mut self, text: &str) -> Result<bool, ReplayError> {
        let is_variation = self.lines.len() > 1;
        let Some(open) = self.lines.last_mut() else { return Ok(true) };
        let Some(ply) = open.line.moves.get_mut(open.at) else {
            if is_variation {
                self.close();
            }
            return Ok(!is_variation);
        };
        let board = open.game.board();
        let step = match open.step.map_or_else(|| read_step(board, &ply.text), Ok) {
            Ok(step) => *open.step.insert(step),
            Err(reason) => {
                let problem = BadMove::new(board, ply.line, reason);
                if !is_variation {
                    return Err(ReplayError::Move(problem));
                }
                let Place { start, end, .. } = open.line.place;
                let verbatim = text.get(start..end).filter(|text| !text.is_empty());
                open.line.verbatim = verbatim.map(str::to_owned);
                self.problems.push(problem);
                self.close();
                return Ok(false);
            }
        };
        while let Some(remark) = ply.after.get_mut(open.remarks) {
            open.remarks += 1;
            if let Remark::Variation(line) = remark
                && line.verbatim.is_none()
            {
                let variation = OpenLine::new(line, board.clone());
                self.lines.push(variation);
                return Ok(false);
            }
        }
        ply.text = match step {
            Step::Move(mv) => board.san(mv),
            Step::Pass => "--".to_owned(),
        };
        step.play(&mut open.game);
        (open.at, open.step, open.remarks) = (open.at + 1, None, 0);
        if !is_variation {
            self.replay.steps.push(step);
        }
        Ok(false)
    }

    /// Puts the innermost line back into the one around it.
    fn close(&mut self) {
        let inner = self.lines.pop();
        let outer = self.lines.last_mut();
        let place = outer.and_then(|outer| {
            let ply = outer.line.moves.get_mut(outer.at)?;
            ply.after.get_mut(outer.remarks.checked_sub(1)?)
        });
        if let (Some(inner), Some(place)) = (inner, place) {
            *place = Remark::Variation(inner.line);
        }
    }

    /// Puts the moves back into the game. Returns the moves played, and the problems in
    /// variations.
    pub fn finish(mut self, game: &mut crate::Game) -> (Replay, Vec<BadMove>) {
        while self.lines.len() > 1 {
            self.close();
        }
        game.moves = self.lines.pop().map(|open| open.line).unwrap_or_default();
        (self.replay, self.problems)
    }
}

/// Reads a move, or a null move.
fn read_step(board: &Board, text: &str) -> Result<Step, String> {
    if is_pass(text) {
        return if board.in_check() { Err(format!("{text} in check")) } else { Ok(Step::Pass) };
    }
    read_move(board, text).map(Step::Move).map_err(|error| {
        let problem = match error {
            SanError::Ambiguous(_) => "may be more than one move",
            SanError::NoMove(_) => "is not a move",
            _ => "is not legal",
        };
        format!("{} {problem}", shortened(text))
    })
}

/// The legal move that people mean by a text, in any notation of moves. A pawn becomes a queen
/// unless another piece is named.
pub fn find_move(board: &Board, text: &str) -> Option<Move> {
    let (_, Word::Move(text)) = word_at(text.trim()) else { return None };
    let queen = || lacks_promotion(&text).then(|| read_move(board, &format!("{text}Q")).ok());
    read_move(board, &text).ok().or_else(|| queen().flatten())
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
        Err(ReplayError::Variant(shortened(variant).into_owned()))
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
        ReplayError::Fen { fen: shortened(fen).into_owned(), reason }
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
            "line 4: move 2. Ke3 is not legal"
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
