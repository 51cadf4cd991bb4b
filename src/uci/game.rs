//! Sets positions, plays moves, and keeps the game.

use std::time::Duration;

use crate::host::Instant;
use crate::search::limits::Limits;
use crate::search::strength::MAX_SKILL;
use crate::terminal::{Mode, hints, show};
use carrybit_board::{Board, Color, FenError, Game, Move};

use super::go::Go;
use super::position::{Setup, UNREADABLE};
use super::schedule::JobKind;
use super::{Dialogue, options};

/// The time for a reply if `play` sets no limits, and for a hint.
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
                self.show_side();
            }
            Err(problem) => {
                let message = format!("{problem}; go needs another position");
                self.refuse(&message);
                self.refused_position = Some(problem);
            }
        }
    }

    /// Whether the last position was refused; then refuses the command `name`, which needs it.
    pub(super) fn refuses_without_position(&mut self, name: &str) -> bool {
        let Some(problem) = &self.refused_position else { return false };
        self.refuse(&format!("no {name} without a position: {problem}"));
        true
    }

    pub(super) fn board(&self) -> &Board {
        self.engine.game().board()
    }

    fn set_game(&mut self, game: Game) {
        self.engine.set_game(game);
        self.refused_position = None;
        self.resigned = None;
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
        if self.refuses_without_position("moves") {
            return;
        }
        if let Some(side) = self.resigned {
            return self.refuse_resigned(side);
        }
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
        if let Some((_, side)) = &mut self.auto_reply {
            let other = self.engine.game().board().side();
            if std::mem::replace(side, other) != other {
                self.look_from(!other);
            }
            self.show_pieces();
            if self.engine.game().outcome().is_none() {
                self.reply(at);
            }
        }
    }

    fn refuse_resigned(&mut self, side: Color) {
        self.refuse(&format!("the game is over: {side:?} has resigned"));
    }

    /// Searches for the engine's move now, and for the reply to each later move.
    pub(super) fn play(&mut self, go: Option<Go>, at: Instant) {
        if self.refuses_without_position("play") {
            return;
        }
        if let Some(side) = self.resigned {
            return self.refuse_resigned(side);
        }
        let other = Limits::move_time(REPLY_MOVE_TIME);
        let go = go.unwrap_or_else(|| Go { other, ..Go::default() });
        self.refuse_illegal_search_moves(&go);
        let side = self.board().side();
        self.auto_reply = Some((go, side));
        self.look_from(!side);
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
        self.show_side();
    }

    /// Shows the board to a person from `side` from now on; to a script always from White's.
    fn look_from(&mut self, side: Color) {
        if self.terminal.mode == Mode::Person {
            self.view = side;
        }
    }

    pub(super) fn flip(&mut self) {
        self.look_from(!self.view);
        self.print_pieces();
    }

    pub(super) fn mirror(&mut self) {
        match mirrored(self.board()) {
            Ok(board) => {
                self.set_game(Game::new(board));
                self.show_side();
            }
            Err(error) => self.refuse(&format!("mirror ignored: {error}")),
        }
    }

    /// Sets the strength if there is a `level`, and shows it.
    pub(super) fn set_level(&mut self, level: Option<i32>) {
        if let Some(level) = level {
            let is_elo = level > MAX_SKILL;
            options::set(self, "UCI_LimitStrength", if is_elo { "true" } else { "false" });
            options::set(self, if is_elo { "UCI_Elo" } else { "Skill Level" }, &level.to_string());
        }
        let level = self.limited_level().unwrap_or_else(|| "full strength".to_owned());
        self.output.print(&format!("The engine plays at {level}"));
    }

    /// The level in words; `None` is full strength.
    pub(super) fn limited_level(&mut self) -> Option<String> {
        let strength = &self.engine.settings_mut().strength;
        match strength.skill_level {
            _ if strength.is_limited => Some(format!("UCI_Elo {}", strength.elo)),
            MAX_SKILL => None,
            level => Some(format!("Skill Level {level} of {MAX_SKILL}")),
        }
    }

    /// Searches for a good move at full strength.
    pub(super) fn hint(&mut self, at: Instant) {
        if self.refuses_without_position("hint") {
            return;
        }
        if let Some(end) = result(self.engine.game()) {
            return self.output.print(&end);
        }
        let settings = self.engine.settings_mut();
        let strength = std::mem::take(&mut settings.strength);
        self.search(JobKind::Hint(None), Limits::move_time(REPLY_MOVE_TIME), at);
        // The search has a copy of the settings.
        self.engine.settings_mut().strength = strength;
    }

    /// The engine's opponent resigns; without one, the side to move.
    pub(super) fn resign(&mut self) {
        if let Some(end) = result(self.engine.game()) {
            return self.refuse(&format!("resign ignored: {end}"));
        }
        let side = self.auto_reply.as_ref().map_or(self.board().side(), |&(_, side)| !side);
        self.resigned = Some(side);
        self.output.print(&format!("{:?} wins: {side:?} resigns", !side));
    }

    /// Prints the game as PGN, or appends it to the file if there is a path.
    #[cfg(feature = "program")]
    pub(super) fn save_game(&mut self, path: &str) {
        use std::io::Write;

        use crate::sys::{encoding, files};

        let mut game = carrybit_pgn::Game::from(self.engine.game());
        game.set_tag("Date", &chrono::Utc::now().format("%Y.%m.%d").to_string());
        if let Some((_, side)) = self.auto_reply {
            let name = format!("Carrybit {}", crate::VERSION);
            game.set_tag(["White", "Black"][side.index()], &name);
        }
        if let Some(side) = self.resigned {
            let result = ["0-1", "1-0"][side.index()];
            game.set_tag("Result", result);
            game.result = Some(result.to_owned());
        }
        if path.is_empty() {
            return self.output.print_all(game.to_string().lines());
        }
        let path = encoding::path(path);
        let name = path.display();
        // An empty line separates games.
        match files::append(&path).and_then(|mut file| writeln!(file, "{game}")) {
            Ok(()) => self.output.print(&format!("The game is in {name}")),
            Err(error) => self.refuse(&format!("cannot save the game in {name}: {error}")),
        }
    }

    #[cfg(not(feature = "program"))]
    pub(super) fn save_game(&mut self, _: &str) {
        self.refuse("pgn ignored: this build has no PGN");
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
        self.look_from(Color::White);
        self.set_game(Game::default());
        self.show_side();
    }

    /// Shows the board and the side to move to a person.
    fn show_side(&mut self) {
        if self.terminal.mode == Mode::Person {
            self.print_pieces();
            self.output.print(&format!("{:?} is to move", self.board().side()));
        }
    }

    /// Shows the board to a person who plays against the engine.
    fn show_pieces(&mut self) {
        if self.terminal.mode == Mode::Person && self.auto_reply.is_some() {
            self.print_pieces();
        }
    }

    fn print_pieces(&mut self) {
        self.output.print_all(show::pieces(self.board(), self.view, self.terminal.has_colour));
    }
}

/// The result of a game that is over, such as `White wins: checkmate`.
fn result(game: &Game) -> Option<String> {
    game.outcome().map(show::outcome)
}

/// Turns the board upside down and exchanges the colours of the pieces, the side to move and
/// the castling rights.
///
/// # Errors
/// No case is known: the position stays legal.
fn mirrored(board: &Board) -> Result<Board, FenError> {
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
    fn mirrored_position_has_the_colours_exchanged_and_mirrors_back() {
        for (fen, expected) in [
            (
                "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3",
                "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
            ),
            ("4k2r/8/8/8/8/8/8/R3K3 w Qk - 5 9", "r3k3/8/8/8/8/8/8/4K2R b Kq - 5 9"),
        ] {
            let board = fen.parse().expect("a legal position");
            let other = mirrored(&board).expect("a legal position");
            assert_eq!(other.fen(), expected);
            assert_eq!(mirrored(&other), Ok(board));
        }
    }
}
