//! The part of the dialogue that is about the game: positions, moves, and the searches
//! that answer them.

use std::io::Write;

use crate::board::Move;
use crate::host::Instant;
use crate::search::limits::{Limits, SearchEvent};

use super::audience::Audience;
use super::event::Event;
use super::go::Go;
use super::job::{Job, Work};
use super::opponent::Reply;
use super::position::Setup;
use super::record::Record;
use super::report::{Narrator, QUIET};
use super::{Dialogue, hints, show};

impl<W: Write> Dialogue<W> {
    pub(super) fn set_up(&mut self, setup: &Setup) {
        match setup.record(self.engine.settings().chess960) {
            Ok((record, problems)) => {
                self.keep(record);
                problems.into_iter().for_each(|problem| self.refuse(problem));
            }
            Err(problem) => {
                self.is_outdated = true;
                self.refuse(problem + "; the previous position stays until a legal one is sent");
            }
        }
    }

    /// Makes this the game that the next `go` is about.
    pub(super) fn keep(&mut self, record: Record) {
        self.engine.set_game(record.game().clone());
        self.record = record;
        self.is_outdated = false;
    }

    /// Plays a legal move, and says how the game has ended, if it has.
    pub(super) fn advance(&mut self, mv: Move) {
        let mut record = std::mem::take(&mut self.record);
        record.play(Some(mv));
        let result = record.result();
        self.keep(record);
        self.output.say_all(result);
    }

    /// Plays the moves of a person, and lets the engine answer them if it is to.
    pub(super) fn play_moves(&mut self, moves: &[String], at: Instant) {
        for text in moves {
            match self.record.board().parse_san(text) {
                Ok(mv) => {
                    self.output.say(&self.record.numbered(mv));
                    self.advance(mv);
                }
                Err(error) => {
                    return self.refuse(hints::illegal(self.record.board(), text, &error));
                }
            }
        }
        self.show_pieces();
        let Some(opponent) = &mut self.opponent else { return };
        opponent.side = self.record.board().side();
        if self.record.result().is_none() {
            self.reply(at);
        }
    }

    /// Takes back the last move; if the engine answers each, takes back what the person has
    /// played last.
    pub(super) fn undo(&mut self) {
        let mut record = self.record.clone();
        if !record.undo() {
            return self.refuse("undo ignored: there is no move to take back".to_owned());
        }
        let side = record.board().side();
        if self.opponent.as_ref().is_some_and(|opponent| opponent.side == side) {
            record.undo();
        }
        self.keep(record);
        self.show_pieces();
        self.tell_turn();
    }

    pub(super) fn flip(&mut self) {
        match self.record.flipped() {
            Ok(record) => {
                self.keep(record);
                self.tell_turn();
            }
            Err(error) => self.refuse(format!("flip ignored: {error}")),
        }
    }

    /// Forgets the game and begins a new one.
    pub(super) fn restart(&mut self) {
        self.engine.clear();
        self.start_preparing();
        self.opponent = None;
        self.keep(Record::default());
        self.tell_turn();
    }

    /// Tells a person, who has changed the position without a move, who is to move.
    fn tell_turn(&mut self) {
        if self.audience == Audience::Person {
            let side = hints::name(self.record.board().side());
            self.output.say(&format!("{side} is to move"));
        }
    }

    /// Shows the board to a person who plays against the engine.
    pub(super) fn show_pieces(&mut self) {
        if self.audience == Audience::Person && self.opponent.is_some() {
            let lines = show::pieces(self.record.board(), self.terminal.has_colour);
            self.output.say_all(lines);
        }
    }

    pub(super) fn go(&mut self, go: &Go, at: Instant) {
        if self.is_outdated {
            let note = "go searches the previous position: the last position command was ignored";
            self.output.remark(note);
        }
        if let Some(problem) = go.problem() {
            self.refuse(problem);
        }
        self.refuse_search_moves(go);
        let root = self.engine.game().board().clone();
        let limits = go.limits(&root);
        #[cfg(feature = "spsa")]
        let limits = super::options::tuning::as_meant(limits);
        let chess960 = self.engine.settings().chess960;
        let narrator = Narrator::new(root, chess960, self.show_wdl, Instant::now());
        self.search(Work::Search(Box::new(narrator)), limits, at);
    }

    /// Says which of the moves to search are ignored because they are not legal.
    pub(super) fn refuse_search_moves(&mut self, go: &Go) {
        let illegal = go.illegal_search_moves(self.engine.game().board());
        if !illegal.is_empty() {
            self.refuse(format!("illegal searchmoves: {}", illegal.join(", ")));
        }
    }

    /// Lets the engine make the next move of the game.
    pub(super) fn reply(&mut self, at: Instant) {
        let board = self.record.board();
        match &self.opponent {
            Some(opponent) if board.has_legal_move() => {
                let limits = opponent.go.limits(board);
                self.search(Work::Reply(Reply::default()), limits, at);
            }
            _ => self.output.say_all(self.record.result()),
        }
    }

    /// Tells what was to be told with the next search.
    pub(super) fn tell_news(&mut self) {
        if let Some(news) = self.news.take() {
            self.output.remark(&news);
        }
    }

    /// Starts a search that was asked for at `at`.
    pub(super) fn search(&mut self, work: Work, limits: Limits, at: Instant) {
        self.tell_news();
        self.job = Some(Job::search(work, &limits));
        let events = self.events();
        let finish_search = self.finish_search.clone();
        let quiet_until = Instant::now() + QUIET;
        self.engine.go_prepared(limits, at, move |event| {
            let is_report = matches!(event, SearchEvent::Report(_));
            let is_last = matches!(event, SearchEvent::Finished(_));
            let event = Event::Search(event);
            if let Some(finish_search) = &finish_search
                && is_last
            {
                return finish_search(event);
            }
            let is_quiet = is_report && Instant::now() < quiet_until;
            // The dialogue may be over.
            let _ = if is_quiet { events.send_quietly(event) } else { events.send(event) };
        });
    }
}
