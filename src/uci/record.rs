//! The game that a dialogue is about: where it began, its moves, and so what can be
//! taken back.

use crate::board::draw::{clock_limit, is_threefold};
use crate::board::{Board, Color, FenError, Game, Move};

/// A game and how it came about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    start: Board,
    /// The moves from there; `None` is a null move.
    moves: Vec<Option<Move>>,
    game: Game,
}

impl Record {
    /// A game that begins at `start`.
    #[must_use]
    pub fn new(start: Board) -> Record {
        Record { start: start.clone(), moves: Vec::new(), game: Game::new(start) }
    }

    /// The game so far.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The position reached.
    #[must_use]
    pub fn board(&self) -> &Board {
        self.game.board()
    }

    /// Plays a legal move, or with `None`, out of check, a null move.
    pub(super) fn play(&mut self, mv: Option<Move>) {
        match mv {
            Some(mv) => self.game.play(mv),
            None => self.game.play_null(),
        }
        self.moves.push(mv);
    }

    /// Takes the last move back; returns whether there was one.
    pub(super) fn undo(&mut self) -> bool {
        let has_move = self.moves.pop().is_some();
        let mut before = Record::new(self.start.clone());
        self.moves.iter().for_each(|&mv| before.play(mv));
        *self = before;
        has_move
    }

    /// The position reached with the colours exchanged, as the begin of a new game.
    ///
    /// # Errors
    /// None is known: a legal position stays one.
    pub(super) fn flipped(&self) -> Result<Record, FenError> {
        Ok(Record::new(flip(&self.board().fen(true)).parse()?))
    }

    /// A legal move as game scores have it: its number, and the move in SAN.
    pub(super) fn numbered(&self, mv: Move) -> String {
        let board = self.board();
        let dots = if board.side() == Color::White { "." } else { "..." };
        format!("{}{dots} {}", board.fullmove(), board.san(mv))
    }

    /// How the game has ended by the rules, if it has. Draws are claimed as soon as
    /// possible, but a game that begins after fifty quiet moves goes on.
    pub(super) fn result(&self) -> Option<&'static str> {
        let board = self.board();
        let (history, clock) = (self.game.history(), board.halfmove());
        // Less than its moves if the clock has been set back since the start.
        let at_start = usize::from(clock).saturating_sub(self.moves.len()) as u16;
        if !board.has_legal_move() {
            return Some(match (board.in_check(), board.side()) {
                (true, Color::White) => "Checkmate: Black wins",
                (true, Color::Black) => "Checkmate: White wins",
                (false, _) => "Stalemate: drawn",
            });
        }
        if board.is_insufficient_material() {
            Some("Drawn: neither side can mate")
        } else if board.is_drawn_at(clock_limit(at_start)) {
            Some("Drawn: fifty moves without a capture or a pawn move")
        } else if is_threefold(history, board.key(), clock) {
            Some("Drawn: the position stands for the third time")
        } else {
            None
        }
    }
}

/// The FEN of the position with the colours exchanged: the board upside down, and the
/// other side to move.
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

    fn after(moves: &str) -> Record {
        let mut record = Record::default();
        for text in moves.split_whitespace() {
            let mv = record.board().parse_san(text).expect("a legal move");
            record.play(Some(mv));
        }
        record
    }

    #[test]
    fn what_was_played_can_be_taken_back_to_the_start() {
        let mut record = after("e4 e5 Nf3");
        assert_eq!(record.board().side(), Color::Black);
        assert!(record.undo());
        assert_eq!(record, after("e4 e5"));
        assert!(record.undo() && record.undo());
        assert_eq!(record, Record::default());
        assert!(!record.undo());
        assert_eq!(record, Record::default());
    }

    #[test]
    fn a_null_move_can_be_taken_back() {
        let mut record = after("e4");
        record.play(None);
        assert_eq!(record.board().side(), Color::White);
        assert!(record.undo());
        assert_eq!(record, after("e4"));
    }

    #[test]
    fn a_flipped_position_has_the_colours_exchanged_and_flips_back() {
        for (fen, flipped) in [
            (
                "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3",
                "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
            ),
            ("4k2r/8/8/8/8/8/8/R3K3 w Qk - 5 9", "r3k3/8/8/8/8/8/8/4K2R b Kq - 5 9"),
        ] {
            let record = Record::new(fen.parse().expect("a legal position"));
            let other = record.flipped().expect("a legal position");
            assert_eq!(other.board().fen(false), flipped);
            assert_eq!(other.flipped(), Ok(record));
        }
    }

    #[test]
    fn the_end_of_a_game_is_known() {
        for (moves, result) in [
            ("f3 e5 g4 Qh4#", Some("Checkmate: Black wins")),
            ("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1", None),
            (
                "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8",
                Some("Drawn: the position stands for the third time"),
            ),
        ] {
            assert_eq!(after(moves).result(), result, "{moves}");
        }
        for (fen, result) in [
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "Stalemate: drawn"),
            ("7k/8/6K1/8/8/8/8/8 b - - 0 1", "Drawn: neither side can mate"),
        ] {
            let record = Record::new(fen.parse().expect("a legal position"));
            assert_eq!(record.result(), Some(result), "{fen}");
        }
    }

    #[test]
    fn fifty_quiet_moves_end_a_game_unless_it_began_after_them() {
        const DRAWN: Option<&str> = Some("Drawn: fifty moves without a capture or a pawn move");
        for (clock, moves, result) in [
            (99, "Ra2", DRAWN),
            (100, "", None),
            (100, "Ra2 Kg8 Ra3", None),
            (148, "Ra2 Kg8 Ra3", None),
        ] {
            let start = format!("7k/8/6K1/8/8/8/7p/R7 w - - {clock} 99");
            let mut record = Record::new(start.parse().expect("a legal position"));
            for text in moves.split_whitespace() {
                let mv = record.board().parse_san(text).expect("a legal move");
                record.play(Some(mv));
            }
            assert_eq!(record.result(), result, "{clock} {moves}");
        }
    }

    #[test]
    fn moves_are_numbered_as_in_game_scores() {
        for (before, mv, text) in
            [("", "e2e4", "1. e4"), ("e4", "e7e5", "1... e5"), ("f3 e5 g4", "d8h4", "2... Qh4#")]
        {
            let record = after(before);
            let mv = record.board().parse_san(mv).expect("a legal move");
            assert_eq!(record.numbered(mv), text);
        }
    }
}
