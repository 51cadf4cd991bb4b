//! Plays the moves of a game on a board.

use std::mem;
use std::sync::LazyLock;

use carrybit_board::{Board, CastlingMode, Color, Game, Move, MoveError};

use crate::lexer::{Lexer, Token};
use crate::reader::shortened;
use crate::words::{is_pass, lacks_promotion, read_move};
use crate::{Entry, Line, PgnError, Place, Ply, Remark};

/// An error in the next move on `board`: `reason`, behind the number of this move. `line` is the line
/// of the file that the move is on.
pub fn bad_move(board: &Board, line: usize, reason: &str) -> PgnError {
    let dots = if board.side() == Color::White { "." } else { "..." };
    PgnError { line, reason: format!("move {}{dots} {reason}", board.fullmove()) }
}

/// Plays a game as [`open_in_place`] does, move by move, so that a long game can be played with
/// pauses.
pub struct Player {
    /// The line being played and those around it, the innermost last: the first is the game's.
    lines: Vec<OpenLine>,
    /// The errors in variations.
    problems: Vec<PgnError>,
}

/// A line of moves that is being played.
struct OpenLine {
    /// Taken out of the game while it is played.
    line: Line,
    /// The position before the move `at`. A variation has no history: copying the history for
    /// each one would take quadratic time.
    game: Game,
    at: usize,
    /// The move `at`, once it is read. Its variations are played before the move itself.
    mv: Option<Move>,
    /// The number of remarks on the move that are done.
    remarks: usize,
}

impl OpenLine {
    fn new(line: &mut Line, start: Board) -> OpenLine {
        OpenLine { line: mem::take(line), game: Game::new(start), at: 0, mv: None, remarks: 0 }
    }
}

impl Player {
    /// Takes the moves out of the game; [`finish`](Player::finish) puts them back. `text` is the
    /// text of the game, and `line` the line of the file that it begins on.
    ///
    /// # Errors
    /// If the `Variant` tag names another variant than Chess960, or the `FEN` tag is invalid.
    pub fn new(game: &mut crate::Game, text: &str, line: usize) -> Result<Player, PgnError> {
        let start = first_position(game, text, line)?;
        let lines = vec![OpenLine::new(&mut game.moves, start)];
        Ok(Player { lines, problems: Vec::new() })
    }

    /// Plays a move of the game, or of a variation in its `text`. Returns true after the last
    /// move.
    ///
    /// # Errors
    /// If a move of the game itself cannot be played.
    pub fn step(&mut self, text: &str) -> Result<bool, PgnError> {
        let is_variation = self.lines.len() > 1;
        let Some(open) = self.lines.last_mut() else { return Ok(true) };
        let Some(ply) = open.line.moves.get_mut(open.at) else {
            if is_variation {
                self.close();
            }
            return Ok(!is_variation);
        };
        let board = open.game.board();
        let mv = match open.mv.map_or_else(|| read_move_or_pass(board, &ply.text), Ok) {
            Ok(mv) => *open.mv.insert(mv),
            Err(reason) => {
                let PgnError { line, reason } = bad_move(board, ply.line, &reason);
                if !is_variation {
                    return Err(PgnError { line, reason });
                }
                let reason = format!("in a variation, which is kept as text: {reason}");
                let Place { start, end, .. } = open.line.place;
                let verbatim = text.get(start..end).filter(|text| !text.is_empty());
                open.line.verbatim = verbatim.map(str::to_owned);
                self.problems.push(PgnError { line, reason });
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
        ply.text = if mv.is_null() { "--".into() } else { board.san(mv).into() };
        open.game.play(mv);
        (open.at, open.mv, open.remarks) = (open.at + 1, None, 0);
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

    /// Puts the moves back into the game. Returns the game played, without variations, and the
    /// errors in variations.
    pub fn finish(mut self, game: &mut crate::Game) -> (Game, Vec<PgnError>) {
        while self.lines.len() > 1 {
            self.close();
        }
        let (line, played) =
            self.lines.pop().map(|open| (open.line, open.game)).unwrap_or_default();
        game.moves = line;
        (played, self.problems)
    }
}

/// The first position of a game. `text` is the text of the game, and `line` its line of the file.
pub(crate) fn first_position(
    game: &crate::Game,
    text: &str,
    line: usize,
) -> Result<Board, PgnError> {
    let error = |tag: &str, reason| PgnError { line: tag_line(text, line, tag), reason };
    is_chess960(game).map_err(|reason| error("Variant", reason))?;
    start(game).map_err(|reason| error("FEN", reason))
}

/// The line of a tag, in a game that begins on the line `first`.
fn tag_line(text: &str, first: usize, wanted: &str) -> usize {
    let is_wanted = |token: &Token<'_>| matches!(token, Token::Tag { name, .. } if *name == wanted);
    let tag = Lexer::new(text, 0, first).find(|spanned| is_wanted(&spanned.token));
    tag.map_or(first, |spanned| spanned.line)
}

/// Reads a legal move, or a null move, which annotators write to show a threat.
pub(crate) fn read_move_or_pass(board: &Board, text: &str) -> Result<Move, String> {
    if is_pass(text) {
        return if board.in_check() { Err(format!("{text} in check")) } else { Ok(Move::NONE) };
    }
    read_move(board, text).map_err(|error| {
        let problem = match error {
            MoveError::Ambiguous(_) => "fits more than one move",
            MoveError::NoMove(_) => "is not a move",
            _ => "is not legal",
        };
        format!("{} {problem}", shortened(text))
    })
}

/// The legal move that a text means, in any notation. A pawn promotes to a queen unless the text
/// names another piece.
pub fn find_move(board: &Board, text: &str) -> Option<Move> {
    let tokens = Lexer::new(text, 0, 1).map(|spanned| spanned.token);
    let mut tokens = tokens.filter(|token| !matches!(token, Token::Nag(_) | Token::Redundant));
    let (Some(Token::Move(text)), None) = (tokens.next(), tokens.next()) else { return None };
    let queen = || lacks_promotion(&text).then(|| read_move(board, &format!("{text}Q")).ok());
    read_move(board, &text).ok().or_else(|| queen().flatten())
}

/// Whether the `Variant` tag names Chess960. Returns an error if it names neither Chess960 nor
/// standard chess.
pub(crate) fn is_chess960(game: &crate::Game) -> Result<bool, String> {
    let variant = game.tag("Variant").unwrap_or_default();
    let name: String = variant.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let has = |part: &&str| name.contains(*part);
    match name.as_str() {
        "" | "standard" | "chess" | "classical" | "normal" | "fromposition" => Ok(false),
        // Other start positions of FICS. In its wild/0 and wild/1 castling differs.
        "wild2" | "wild3" | "wild4" | "wild5" | "wild7" | "wild8" | "wild8a" => Ok(false),
        _ if ["960", "fischer", "frc", "freestyle", "wildfr"].iter().any(has) => Ok(true),
        _ => Err(format!("the variant {:?} is not supported", shortened(variant))),
    }
}

/// The first position. Unless the `Variant` tag names Chess960, it has castling rights from other
/// squares than those of standard chess only if the moves need them: some programs write rights
/// that do not exist, and others omit the tag.
pub(crate) fn start(game: &crate::Game) -> Result<Board, String> {
    // Placeholders of other programs for "no FEN".
    const NONE: [&str; 5] = ["", "?", "-", "*", "startpos"];
    let fen = game.tag("FEN").filter(|fen| !NONE.contains(&fen.trim()));
    let Some(fen) = fen.filter(|_| game.tag("SetUp") != Some("0")) else {
        // Reading the FEN of the start position for each game would take time.
        static START: LazyLock<Board> = LazyLock::new(Board::default);
        return Ok(START.clone());
    };
    let error = |error| format!("FEN {:?}: {error}", shortened(fen));
    let board: Board = fen.parse().map_err(error)?;
    if is_chess960(game) == Ok(true) || !board.has_chess960_castling() {
        return Ok(board);
    }
    let standard = Board::from_fen(fen, CastlingMode::Standard).map_err(error)?;
    let mut played = Game::new(standard);
    let is_legal =
        |ply: &Ply| read_move_or_pass(played.board(), &ply.text).map(|mv| played.play(mv)).is_ok();
    let is_standard = game.moves.moves.iter().all(is_legal);
    Ok(if is_standard { played.start().clone() } else { board })
}

/// Plays a game of a file, and rewrites the moves of the game and of its variations as SAN. A
/// variation with an illegal move keeps its text. Returns the game with these moves
/// ([`crate::Game`]), the game played ([`carrybit_board::Game`]), and the warnings of the reader with
/// the errors in variations.
///
/// # Errors
/// If the game cannot be read or played.
pub fn open(entry: &Entry) -> Result<(crate::Game, Game, Vec<PgnError>), PgnError> {
    let mut entry = entry.clone();
    let played = open_in_place(&mut entry)?;
    Ok((entry.game?, played, entry.warnings))
}

/// Like [`open`], but writes the moves in SAN into the entry, and adds the errors in variations to
/// its warnings, also if the game cannot be played to its end: they may be the cause.
///
/// # Errors
/// Like [`open`].
pub fn open_in_place(entry: &mut Entry) -> Result<Game, PgnError> {
    let game = entry.game.as_mut().map_err(|error| error.clone())?;
    let mut player = Player::new(game, &entry.text, entry.line)?;
    let end = loop {
        match player.step(&entry.text) {
            Ok(false) => {}
            Ok(true) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    let (played, errors) = player.finish(game);
    entry.warnings.extend(errors);
    end.map(|()| played)
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
    fn warnings_about_a_refused_game_are_kept() {
        let text = "1. e4 foo e5 (1... d5 2. Ke3)\n2. Nf3 4. Nc3 Ke6 *";
        let mut entry = read(text).remove(0);
        let error = open_in_place(&mut entry).expect_err("an illegal move");
        let problems = entry.warnings;
        assert_eq!(error.to_string(), "line 2: move 2... Nc3 is not legal");
        let lines: Vec<_> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [1, 2, 1], "{problems:?}");
        assert!(problems[1].reason.starts_with("move number 4."), "{problems:?}");
    }

    #[test]
    fn moves_in_old_or_numeric_notation_are_read_or_refused_with_the_right_reason() {
        let (game, ..) = open(&read("1. e4 d5 2. ed : Qd5: 3. d4 Qd4:: *")[0]).expect("a game");
        assert_eq!(game.to_string(), "1. e4 d5 2. exd5 Qxd5 3. d4 Qxd4 *\n");
        let reason = |text: &str| problem(text).split_once(": ").expect("a line").1.to_owned();
        assert_eq!(reason("1. e4 d5 2. fe: *"), "move 2. fe is not legal");
        assert_eq!(reason("1. e4 d5 2. Qd5: *"), "move 2. Qd5 is not legal");
        assert_eq!(reason("1. 5254 57-55 2. 5253 *"), "move 2. 5253 is not legal");
        let both = "[FEN \"4k3/8/2p5/2pP4/3P4/8/8/4K3 w - - 0 6\"]\n\n6. dc: *";
        assert_eq!(reason(both), "move 6. dc fits more than one move");
    }

    #[test]
    fn game_that_cannot_be_played_keeps_its_moves() {
        let mut entry = read("1. e2e4 (1. d4) e4 *").remove(0);
        open_in_place(&mut entry).expect_err("an illegal move");
        assert_eq!(entry.game.expect("a game").to_string(), "1. e4 (1. d4) 1... e4 *\n");
    }

    #[test]
    fn one_move_is_found() {
        let find = |text| find_move(&Board::default(), text).map(|mv| mv.to_string());
        assert_eq!((find("1.e4!"), find("e2-e4")), (Some("e2e4".into()), Some("e2e4".into())));
        assert_eq!([find("e4 e5"), find("e4 is best"), find("1."), find("")], [const { None }; 4]);
    }

    #[test]
    fn placeholder_in_the_fen_tag_means_the_usual_start() {
        for fen in ["", "?", "-", "*"] {
            let text = format!("[FEN \"{fen}\"]\n[SetUp \"1\"]\n\n1. e4 *");
            let (_, played, _) = open(&read(&text)[0]).expect("a game");
            assert_eq!(*played.start(), Board::default());
        }
    }

    #[test]
    fn castling_from_other_squares_needs_the_variant_or_a_castling_move() {
        let fen = "[FEN \"4k3/8/8/8/8/8/8/R5K1 w Q - 0 1\"]";
        for (variant, mv, is_possible) in [
            ("", "Kg2", false),
            ("", "O-O-O", true),
            ("Classical", "Kg2", false),
            ("wild/8a", "Kg2", false),
            ("wild/fr", "Kg2", true),
            ("Chess960", "Kg2", true),
        ] {
            let text = format!("[Variant \"{variant}\"]\n{fen}\n\n1. {mv} *");
            let (_, played, _) = open(&read(&text)[0]).expect("a game");
            assert_eq!(played.start().has_chess960_castling(), is_possible, "{text}");
        }
        assert!(problem("[Variant \"wild/0\"]\n\n*").contains("not supported"));
    }

    #[test]
    fn variation_with_an_illegal_move_keeps_its_text() {
        let bad = "(15.  d4 d5\n{a} (1... Nf6 2. c4) 16 exf6ep)";
        let text = format!("1. e4 {bad} (1. c4 (1. f4 $1 f9 ) c5) e5 *");
        let entries = read(&text);
        let (game, played, problems) = open(&entries[0]).expect("a game");
        assert_eq!((played.moves().len(), problems.len()), (2, 2), "{problems:?}");
        assert_eq!(problems[0].line, 2);
        let written = game.to_string();
        assert_eq!(written, format!("1. e4 {bad} (1. c4 (1. f4 $1 f9 ) 1... c5) 1... e5 *\n"));
        let (again, ..) = open(&read(&written)[0]).expect("a game");
        assert_eq!(again, game);
    }
}
