//! Sets positions, plays moves, and starts searches.

use std::time::Duration;

use crate::board::{Board, Game, Move};
use crate::host::{Instant, Sender};
use crate::search::limits::{BestMove, Limits, SearchEvent};
use crate::terminal::{Mode, hints, show};

use super::Dialogue;
use super::event::{Event, Failure};
use super::flip::flipped;
use super::go::Go;
use super::job::{Job, JobKind};
use super::options::tuning;
use super::position::{Setup, UNREADABLE, read_move};
use super::report::{InfoPrinter, QUIET};

/// The time for a reply if `play` sets no limits.
const REPLY_MOVE_TIME: Duration = Duration::from_secs(1);

impl Dialogue {
    pub(super) fn set_position(&mut self, setup: Option<&Setup>) {
        let mode = self.engine.settings().castling_mode;
        match setup.map_or_else(|| Err(UNREADABLE.to_owned()), |setup| setup.game(mode)) {
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

    pub(super) fn go(&mut self, go: &Go, at: Instant) {
        if let Some(problem) = &self.refused_position {
            self.output.message(&format!("no move without a position: {problem}"));
        }
        if let Some(problem) = go.problem() {
            self.refuse(&problem);
        }
        if go.lacks_clock(self.board().side()) {
            self.refuse("go has no clock for the side to move");
        }
        if self.refused_position.is_none() {
            self.refuse_illegal_search_moves(go);
        }
        let root = self.engine.game().board();
        let mut limits = tuning::adjust(go.limits(root));
        if self.refused_position.is_some() {
            // No move is legal there.
            limits.search_moves = vec![Move::NONE];
        }
        let printer = InfoPrinter::new(root, self.engine.settings(), Instant::now());
        self.search(JobKind::Search(Box::new(printer)), limits, at);
    }

    fn refuse_illegal_search_moves(&mut self, go: &Go) {
        let (board, moves) = (self.board(), go.search_moves.iter().map(String::as_str));
        let illegal: Vec<&str> = moves.filter(|text| read_move(board, text).is_err()).collect();
        if !illegal.is_empty() {
            self.refuse(&format!("illegal searchmoves: {}", illegal.join(", ")));
        }
    }

    pub(super) fn print_deferred_message(&mut self) {
        if let Some(message) = self.deferred_message.take() {
            self.output.message(&message);
        }
    }

    /// Starts a search whose command was read at `at`, unless the command was an argument and a
    /// part of it was refused.
    fn search(&mut self, kind: JobKind, limits: Limits, at: Instant) {
        if matches!(self.failure, Some(Failure::Refused(_))) {
            return;
        }
        self.print_deferred_message();
        self.job = Some(Job::search(kind, &limits));
        let events = self.events();
        // Without a search thread, this thread searches, and already has the lock that
        // `finish_search` takes.
        let has_thread = self.engine.start_thread();
        let finish_search = self.finish_search.clone().filter(|_| has_thread);
        let quiet_until = Instant::now() + QUIET;
        // Without a position there is nothing to report.
        let has_moves = limits.search_moves != [Move::NONE];
        let mut answer = Answer {
            events: self.events(),
            fallback: limits.first_move(self.board()),
            is_given: false,
        };
        self.engine.go(limits, at, move |event| {
            if !has_moves && matches!(event, SearchEvent::Report(_)) {
                return;
            }
            answer.note(&event);
            let is_quiet = matches!(event, SearchEvent::Report(_)) && Instant::now() < quiet_until;
            let is_last = matches!(event, SearchEvent::Finished(_));
            let event = Event::Search(event);
            // Ignore the error: the dialogue may be over.
            let _ = match &finish_search {
                Some(finish_search) if is_last => return finish_search(event),
                _ if is_quiet => events.send_quietly(event),
                _ => events.send(event),
            };
        });
    }
}

/// Answers a search whose thread panics before it begins.
struct Answer {
    events: Sender<Event>,
    fallback: Option<Move>,
    is_given: bool,
}

impl Answer {
    fn note(&mut self, event: &SearchEvent) {
        self.is_given |= matches!(event, SearchEvent::Finished(_));
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if !self.is_given {
            let answer = BestMove { best: self.fallback, ponder: None };
            // Ignore the error: the dialogue may be over.
            let _ = self.events.send(Event::Search(SearchEvent::Finished(answer)));
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
