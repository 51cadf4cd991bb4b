//! Walks through the moves of a game and of its variations, with boards.

use carrybit_board::{Board, Move};

use crate::replay::{bad_move, first_position, read_move_or_pass};
use crate::{Game, Line, PgnError, Ply, Remark};

/// A move of a game or of a variation, from [`Game::walk`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step<'a> {
    /// 0 in the game, 1 in its variations, 2 in theirs and so on.
    pub depth: usize,
    /// The number of moves before this one in its line.
    pub index: usize,
    /// The position before the move.
    pub board: Board,
    /// The move, which is legal, or a null move.
    pub mv: Move,
    /// The move as written, with its glyphs and remarks.
    pub ply: &'a Ply,
    /// The line of the move: that of the game, or a variation.
    pub line: &'a Line,
}

impl Step<'_> {
    /// The position after the move.
    pub fn after(&self) -> Board {
        if self.mv.is_null() { self.board.make_null() } else { self.board.make(self.mv) }
    }
}

/// Iterates over the moves of a game and of its variations; see [`Game::walk`].
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    /// The line of the last move and those around it, the innermost last.
    lines: Vec<OpenLine<'a>>,
}

#[derive(Clone, Debug)]
struct OpenLine<'a> {
    line: &'a Line,
    /// The number of moves that have been returned.
    at: usize,
    /// The position before the last of them, where its variations begin, and after it.
    before: Board,
    board: Board,
    /// The number of remarks on the last move that are done.
    remarks: usize,
}

impl<'a> OpenLine<'a> {
    fn new(line: &'a Line, board: Board) -> OpenLine<'a> {
        OpenLine { line, at: 0, before: board.clone(), board, remarks: 0 }
    }

    /// The next variation on the last move.
    fn next_variation(&mut self) -> Option<&'a Line> {
        let last = &self.line.moves[self.at.checked_sub(1)?];
        while let Some(remark) = last.after.get(self.remarks) {
            self.remarks += 1;
            if let Remark::Variation(line) = remark
                && line.verbatim.is_none()
            {
                return Some(line);
            }
        }
        None
    }
}

impl Game {
    /// The moves of the game and of its variations, in the order of the text: a move, then the
    /// variations on it, which begin with the position before it, then the next move.
    ///
    /// Of a line with a move that is not legal, the walk returns the moves before it and then the
    /// error; after an error in a variation, it continues with the line around it. A variation that
    /// is kept as text is left out.
    ///
    /// ```
    /// let game: carrybit_pgn::Game = "1. e4 e5 (1... c5 2. Nf3) 2. Nc3 *".parse()?;
    /// let mut lines = Vec::new();
    /// for step in game.walk()? {
    ///     let step = step?;
    ///     lines.push(format!("{}{}", "  ".repeat(step.depth), step.board.san(step.mv)));
    /// }
    /// assert_eq!(lines, ["e4", "e5", "  c5", "  Nf3", "Nc3"]);
    /// # Ok::<(), carrybit_pgn::PgnError>(())
    /// ```
    ///
    /// # Errors
    /// If the first position is not valid, or the variant is not supported.
    pub fn walk(&self) -> Result<Walk<'_>, PgnError> {
        let start = first_position(self, "", 1)?;
        Ok(Walk { lines: vec![OpenLine::new(&self.moves, start)] })
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Result<Step<'a>, PgnError>;

    fn next(&mut self) -> Option<Result<Step<'a>, PgnError>> {
        loop {
            let depth = self.lines.len().checked_sub(1)?;
            let open = self.lines.last_mut()?;
            if let Some(line) = open.next_variation() {
                let before = open.before.clone();
                self.lines.push(OpenLine::new(line, before));
                continue;
            }
            let line = open.line;
            let Some(ply) = line.moves.get(open.at) else {
                self.lines.pop();
                continue;
            };
            let mv = match read_move_or_pass(&open.board, &ply.text) {
                Ok(mv) => mv,
                Err(reason) => {
                    let error = bad_move(&open.board, ply.line, &reason);
                    self.lines.pop();
                    return Some(Err(error));
                }
            };
            let board = open.board.clone();
            let step = Step { depth, index: open.at, board, mv, ply, line };
            open.before = std::mem::replace(&mut open.board, step.after());
            (open.at, open.remarks) = (open.at + 1, 0);
            return Some(Ok(step));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(text: &str) -> Vec<String> {
        let game: Game = text.parse().expect("a game");
        let steps = game.walk().expect("a position");
        let shown = steps.map(|step| match step {
            Ok(step) => {
                assert_eq!(step.line.moves[step.index], *step.ply);
                let number = step.board.fullmove();
                format!("{} {number} {}", step.depth, step.ply.text)
            }
            Err(error) => error.to_string(),
        });
        shown.collect()
    }

    #[test]
    fn moves_and_variations_come_in_the_order_of_the_text() {
        assert_eq!(
            walk("1. e4 {a} (1. d4 d5 (1... Nf6 2. c4) 2. c4) (1. c4) e5 (1... c5) 2. -- Nf6 *"),
            [
                "0 1 e4", "1 1 d4", "1 1 d5", "2 1 Nf6", "2 2 c4", "1 2 c4", "1 1 c4", "0 1 e5",
                "1 1 c5", "0 2 --", "0 2 Nf6",
            ]
        );
        assert_eq!(walk("*"), [""; 0]);
    }

    #[test]
    fn walk_continues_after_an_error_in_a_variation_only() {
        assert_eq!(
            walk("1. e4 (1. d4 e4\n(1... d5) 2. c4) e5 2. Ke3 Nf6 *"),
            [
                "0 1 e4",
                "1 1 d4",
                "line 1: move 1... e4 is not legal",
                "0 1 e5",
                "line 2: move 2. Ke3 is not legal",
            ]
        );
        assert!("[FEN \"x\"]\n\n*".parse::<Game>().expect("a game").walk().is_err());
    }
}
