//! Sets positions and plays moves.

use std::time::Duration;

use crate::host::Instant;
use crate::search::limits::Limits;
use crate::terminal::{Mode, hints, show};
use carrybit_board::{Board, FenError, Game, Move};

use super::Dialogue;
use super::go::Go;
use super::position::{Setup, UNREADABLE};
use super::schedule::JobKind;

/// The time for a reply if `play` sets no limits.
const REPLY_MOVE_TIME: Duration = Duration::from_secs(1);

impl Dialogue {
    pub(super) fn set_position(&mut self, setup: Option<&Setup>) {
        match setup
            .map_or_else(|| Err(UNREADABLE.to_owned()), |setup| setup.game(self.castling_mode))
        {
            Ok((game, problems)) => {
                self.set_game(game);
                let operations = setup.map_or(&[][..], |setup| &setup.operations);
                if !operations.is_empty() {
                    self.output.message(&format!("EPD ignored: {}", operations.join(", ")));
                }
                problems.iter().for_each(|problem| self.refuse(problem));
            }
            Err(problem) => {
                let message = format!("{problem}; the previous position stays");
                self.refuse(&message);
                self.refused_position = Some(problem);
            }
        }
    }

    pub(super) fn board(&self) -> &Board {
        self.engine.game().board()
    }

    fn set_game(&mut self, game: Game) {
        self.engine.set_game(game);
        self.refused_position = None;
    }

    /// Plays a legal move, and prints the result if it ends the game.
    fn play_move(&mut self, mv: Move) {
        let mut game = self.engine.game().clone();
        game.play(mv);
        let result = result(&game);
        self.set_game(game);
        self.output.print_all(result);
    }

    /// Plays the moves of a person, and after `play` searches for the reply.
    pub(super) fn play_moves(&mut self, moves: &[String], at: Instant) {
        let mut game = self.engine.game().clone();
        for text in moves {
            match game.board().parse_san(text) {
                Ok(mv) => game.play(mv),
                Err(error) => return self.refuse(&hints::illegal(game.board(), text, &error)),
            }
        }
        let before = self.engine.game().moves().len();
        for &mv in &game.moves()[before..] {
            self.output.print(&show::numbered(self.board(), mv));
            self.play_move(mv);
        }
        self.show_pieces();
        if let Some((_, side)) = &mut self.auto_reply {
            *side = self.engine.game().board().side();
            if self.engine.game().outcome().is_none() {
                self.reply(at);
            }
        }
    }

    /// Searches for the engine's move now, and for the reply to each later move.
    pub(super) fn play(&mut self, go: Option<Go>, at: Instant) {
        let other = Limits::move_time(REPLY_MOVE_TIME);
        let go = go.unwrap_or_else(|| Go { other, ..Go::default() });
        self.refuse_illegal_search_moves(&go);
        self.auto_reply = Some((go, self.board().side()));
        self.reply(at);
    }

    fn reply(&mut self, at: Instant) {
        let board = self.engine.game().board();
        match &self.auto_reply {
            Some((go, _)) if board.has_legal_move() => {
                let limits = go.limits(board);
                self.search(JobKind::Reply(None), limits, at);
            }
            _ => self.output.print_all(result(self.engine.game())),
        }
    }

    /// Plays and shows the engine's move, which `text` describes.
    pub(super) fn finish_reply(&mut self, best: Move, text: &str) {
        self.output.print(text);
        self.play_move(best);
        self.show_pieces();
    }

    /// Takes back the last move; if the engine played it, also the person's move before it.
    pub(super) fn undo(&mut self) {
        let mut game = self.engine.game().clone();
        if game.undo().is_none() {
            return self.refuse("undo ignored: there is no move to take back");
        }
        if self.auto_reply.as_ref().is_some_and(|&(_, side)| side == game.board().side()) {
            game.undo();
        }
        self.set_game(game);
        self.show_pieces();
        self.show_side();
    }

    pub(super) fn flip(&mut self) {
        match flipped(self.board()) {
            Ok(board) => {
                self.set_game(Game::new(board));
                self.show_side();
            }
            Err(error) => self.refuse(&format!("flip ignored: {error}")),
        }
    }

    /// Begins a new game. After a refused position it begins at the start.
    pub(super) fn begin_game(&mut self) {
        self.engine.clear();
        if self.refused_position.is_some() {
            self.set_game(Game::default());
        }
    }

    pub(super) fn restart(&mut self) {
        self.engine.clear();
        self.auto_reply = None;
        self.set_game(Game::default());
        self.show_side();
    }

    /// Prints the side to move, for a person.
    fn show_side(&mut self) {
        if self.terminal.mode == Mode::Person {
            self.output.print(&format!("{:?} is to move", self.board().side()));
        }
    }

    /// Shows the board to a person who plays against the engine.
    fn show_pieces(&mut self) {
        if self.terminal.mode == Mode::Person && self.auto_reply.is_some() {
            self.output.print_all(show::pieces(self.board(), self.terminal.has_colour));
        }
    }
}

/// The result of a game that is over, such as `White wins: checkmate`.
fn result(game: &Game) -> Option<String> {
    let outcome = game.outcome()?;
    let end = match outcome.winner() {
        Some(side) => format!("{side:?} wins"),
        None => "Drawn".to_owned(),
    };
    Some(format!("{end}: {}", outcome.reason()))
}

/// Turns the board upside down and exchanges the colours of the pieces, the side to move and
/// the castling rights.
///
/// # Errors
/// No case is known: the position stays legal.
fn flipped(board: &Board) -> Result<Board, FenError> {
    let fen = board.shredder_fen();
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
    fields.join(" ").parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flipped_position_has_the_colours_exchanged_and_flips_back() {
        for (fen, expected) in [
            (
                "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3",
                "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
            ),
            ("4k2r/8/8/8/8/8/8/R3K3 w Qk - 5 9", "r3k3/8/8/8/8/8/8/4K2R b Kq - 5 9"),
        ] {
            let board = fen.parse().expect("a legal position");
            let other = flipped(&board).expect("a legal position");
            assert_eq!(other.fen(), expected);
            assert_eq!(flipped(&other), Ok(board));
        }
    }
}
