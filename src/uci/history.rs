//! The game of a dialogue: its first position and its moves, which can be taken back.

use crate::board::{Board, Color, FenError, Game, Move, Outcome};

/// A game whose moves can be taken back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameHistory {
    start: Board,
    /// The moves from there; `None` is a null move.
    moves: Vec<Option<Move>>,
    game: Game,
}

impl GameHistory {
    /// A game that begins at `start`.
    pub fn new(start: Board) -> GameHistory {
        GameHistory { start: start.clone(), moves: Vec::new(), game: Game::new(start) }
    }

    /// The game so far.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The position reached.
    pub fn board(&self) -> &Board {
        self.game.board()
    }

    /// Plays a legal move. `None` is a null move, which must not be played in check.
    pub(super) fn play(&mut self, mv: Option<Move>) {
        match mv {
            Some(mv) => self.game.play(mv),
            None => self.game.play_null(),
        }
        self.moves.push(mv);
    }

    /// Takes the last move back. Returns whether there was one.
    pub(super) fn undo(&mut self) -> bool {
        let Some((_, moves)) = self.moves.split_last() else { return false };
        let mut before = GameHistory::new(self.start.clone());
        moves.iter().for_each(|&mv| before.play(mv));
        *self = before;
        true
    }

    /// A new game from the current position with the colours exchanged.
    ///
    /// # Errors
    /// No case is known: the position stays legal.
    pub(super) fn flipped(&self) -> Result<GameHistory, FenError> {
        Ok(GameHistory::new(flip(&self.board().fen(true)).parse()?))
    }

    /// The [outcome](Game::outcome) of the game as text.
    pub(super) fn result(&self) -> Option<&'static str> {
        Some(match self.game.outcome()? {
            Outcome::Checkmate(Color::White) => "Checkmate: White wins",
            Outcome::Checkmate(Color::Black) => "Checkmate: Black wins",
            Outcome::Stalemate => "Stalemate: drawn",
            Outcome::InsufficientMaterial => "Drawn: neither side can mate",
            Outcome::FiftyMoves => "Drawn: fifty moves without a capture or a pawn move",
            Outcome::Threefold => "Drawn: the position occurred three times",
        })
    }
}

/// Turns the board upside down and exchanges the colours of the pieces, the side to move and
/// the castling rights.
fn flip(fen: &str) -> String {
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    let other_case = |c: char| {
        if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
    };
    let ranks: Vec<&str> = fields[0].rsplit('/').collect();
    fields[0] = ranks.join("/").chars().map(other_case).collect();
    if let [_, side, castling, ep, ..] = &mut fields[..] {
        *side = if side == "w" { "b" } else { "w" }.to_owned();
        *castling = castling.chars().map(other_case).collect();
        *ep = ep.replace('3', "?").replace('6', "3").replace('?', "6");
    }
    fields.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn after(fen: &str, moves: &str) -> GameHistory {
        let mut history = GameHistory::new(fen.parse().expect("a legal position"));
        for text in moves.split_whitespace() {
            let mv = history.board().parse_san(text).expect("a legal move");
            history.play(Some(mv));
        }
        history
    }

    #[test]
    fn moves_can_be_taken_back_to_the_start() {
        let mut history = after(START, "e4 e5");
        history.play(None);
        assert_eq!(history.board().side(), Color::Black);
        assert!(history.undo());
        assert_eq!(history, after(START, "e4 e5"));
        assert!(history.undo() && history.undo() && !history.undo());
        assert_eq!(history, GameHistory::default());
    }

    #[test]
    fn flipped_position_has_the_colours_exchanged_and_flips_back() {
        for (fen, flipped) in [
            (
                "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3",
                "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
            ),
            ("4k2r/8/8/8/8/8/8/R3K3 w Qk - 5 9", "r3k3/8/8/8/8/8/8/4K2R b Kq - 5 9"),
        ] {
            let history = after(fen, "");
            let other = history.flipped().expect("a legal position");
            assert_eq!(other.board().fen(false), flipped);
            assert_eq!(other.flipped(), Ok(history));
        }
    }

    #[test]
    fn results_follow_from_the_rules() {
        const KNIGHTS: &str = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1";
        for (fen, moves, result) in [
            (START, "f3 e5 g4 Qh4#", Some("Checkmate: Black wins")),
            (START, KNIGHTS, None),
            (START, &format!("{KNIGHTS} Ng8"), Some("Drawn: the position occurred three times")),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "", Some("Stalemate: drawn")),
            ("7k/8/6K1/8/8/8/8/8 b - - 0 1", "", Some("Drawn: neither side can mate")),
            (
                "7k/8/6K1/8/8/8/7p/R7 w - - 99 99",
                "Ra2",
                Some("Drawn: fifty moves without a capture or a pawn move"),
            ),
            // A game that begins after fifty quiet moves goes on.
            ("7k/8/6K1/8/8/8/7p/R7 w - - 100 99", "Ra2 Kg8 Ra3", None),
            ("7k/8/6K1/8/8/8/7p/R7 w - - 148 99", "Ra2 Kg8 Ra3", None),
        ] {
            assert_eq!(after(fen, moves).result(), result, "{fen} {moves}");
        }
    }
}
