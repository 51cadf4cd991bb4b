//! A file of games for the page: decoded, listed, and one of its games played, analysed and
//! annotated. Long work is done in parts, so that the page can react in between.

use std::mem;
use std::rc::Rc;

use carrybit::board::{Color, Game as Position};
use pgn::annotate::annotate;
use pgn::batch::{Positions, ranges};
use pgn::findings::{Evaluation, Findings};
use pgn::replay::{Player, Replay, ReplayError, Step};
use pgn::text::Decoder;
use pgn::viewer::ViewerGame;
use pgn::{Entries, Entry, Game, PgnError, earlier, tag};
use serde::Serialize;

use crate::Answer;

/// The bytes of text that are read in a part, and the moves that are played: some milliseconds.
const PART_BYTES: usize = 1 << 14;
const PART_MOVES: usize = 200;

#[derive(Default)]
pub(crate) struct GameFile {
    decoder: Decoder,
    text: Rc<String>,
    /// The games that are being listed.
    listing: Option<Reading>,
    /// Where each game begins: its byte and its line.
    starts: Vec<(usize, usize)>,
    chosen: Chosen,
}

/// The games of a text, being read.
struct Reading {
    /// Stands before the text that it borrows, and so is dropped before it.
    entries: Entries<'static>,
    _text: Rc<String>,
}

impl Reading {
    fn new(text: &Rc<String>, start: usize, line: usize) -> Reading {
        let text = Rc::clone(text);
        // SAFETY: the text is shared, so that nothing changes it, and lives longer than the
        // entries, which are dropped before their share of it.
        let borrowed: &'static str = unsafe { &*Rc::as_ptr(&text) };
        Reading { entries: Entries::new(borrowed, start, line), _text: text }
    }

    /// The next game of this part, which ends at the byte `end`.
    fn next(&mut self, end: usize) -> Option<Entry> {
        self.entries.next_before(end)
    }

    fn part_end(&self) -> usize {
        self.entries.at() + PART_BYTES
    }
}

/// The game that has been chosen from the list.
#[derive(Default)]
enum Chosen {
    #[default]
    None,
    Reading(Reading),
    Playing(Box<(Entry, Game, Player)>),
    Played(Box<Analysis>),
}

/// A game of the list.
#[derive(Serialize)]
struct Listed {
    white: Option<String>,
    black: Option<String>,
    result: Option<String>,
    /// Why it cannot be read.
    problem: Option<String>,
}

/// A part of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    games: Vec<Listed>,
    /// Whether it is the last one.
    is_last: bool,
}

impl GameFile {
    pub(crate) fn new(size: usize) -> GameFile {
        GameFile { decoder: Decoder::new(size), ..GameFile::default() }
    }

    /// Decodes a piece of the file. Answers with the length of its text so far, in bytes.
    pub(crate) fn decode(&mut self, piece: &[u8]) -> Answer {
        self.decoder.push(piece)?;
        Ok(self.decoder.text_len().to_string())
    }

    /// Ends the file. Answers with its text in JSON, or with `null` if that has more bytes than
    /// `limit`.
    pub(crate) fn end(&mut self, limit: usize) -> Answer {
        let text = mem::take(&mut self.decoder).finish()?;
        let short = serde_json::to_string(&(text.len() <= limit).then_some(&text))?;
        self.text = Rc::new(text);
        Ok(short)
    }

    /// Lists the games in a part of the file: the first part, or the next one.
    pub(crate) fn list(&mut self, is_first: bool) -> Answer {
        if is_first {
            self.listing = Some(Reading::new(&self.text, 0, 1));
            self.starts.clear();
        }
        let mut games = Vec::new();
        let Some(reading) = &mut self.listing else {
            return Ok(serde_json::to_string(&Part { games, is_last: true })?);
        };
        let end = reading.part_end();
        while let Some(entry) = reading.next(end) {
            self.starts.push((entry.start, entry.line));
            games.push(listed(entry));
        }
        let is_last = end > self.text.len();
        if is_last {
            self.listing = None;
        }
        Ok(serde_json::to_string(&Part { games, is_last })?)
    }

    /// Reads and plays a part of a game: the first part of the game with this number, counted
    /// from 0, or without a number the next part. Answers with the game after the last part.
    pub(crate) fn play(&mut self, number: Option<usize>) -> Answer {
        if let Some(number) = number {
            let &(start, line) = self.starts.get(number).ok_or("there is no such game")?;
            self.chosen = Chosen::Reading(Reading::new(&self.text, start, line));
        }
        match mem::take(&mut self.chosen) {
            Chosen::None => return Err("no game is chosen".into()),
            Chosen::Reading(mut reading) => {
                let end = reading.part_end();
                self.chosen = match reading.next(end) {
                    Some(mut entry) => {
                        let mut game =
                            mem::take(entry.game.as_mut().map_err(|error| error.clone())?);
                        let player =
                            Player::new(&mut game).map_err(|error| locate(&error, &entry))?;
                        Chosen::Playing(Box::new((entry, game, player)))
                    }
                    None => Chosen::Reading(reading),
                };
            }
            Chosen::Playing(mut playing) => {
                let (entry, _, player) = &mut *playing;
                for _ in 0..PART_MOVES {
                    if player.step(&entry.text).map_err(|error| locate(&error, entry))? {
                        let (_, mut game, player) = *playing;
                        let (replay, _) = player.finish(&mut game);
                        return self.played(game, replay);
                    }
                }
                self.chosen = Chosen::Playing(playing);
            }
            Chosen::Played(analysis) => self.chosen = Chosen::Played(analysis),
        }
        Ok(String::new())
    }

    fn played(&mut self, game: Game, replay: Replay) -> Answer {
        let shown = serde_json::to_string(&ViewerGame::new(&game, &replay))?;
        let (positions, findings) = (Positions::new(&replay), Findings::new(&replay, []));
        self.chosen = Chosen::Played(Box::new(Analysis { game, replay, positions, findings }));
        Ok(shown)
    }

    /// The analysis of the game that has been played.
    pub(crate) fn analysis(&mut self) -> Result<&mut Analysis, &'static str> {
        match &mut self.chosen {
            Chosen::Played(analysis) => Ok(analysis),
            _ => Err("no game has been played"),
        }
    }
}

fn locate(error: &ReplayError, entry: &Entry) -> PgnError {
    error.locate(entry.line, &entry.text)
}

fn listed(entry: Entry) -> Listed {
    let (tags, result, problem) = match entry.game {
        Ok(game) => (game.tags, game.result, None),
        Err(problem) => (entry.tags, None, Some(problem.to_string())),
    };
    let player = |name| tag(&tags, name).map(str::to_owned);
    Listed { white: player("White"), black: player("Black"), result, problem }
}

/// A game, as far as it has been analysed.
pub(crate) struct Analysis {
    game: Game,
    replay: Replay,
    positions: Positions,
    findings: Findings,
}

/// A position for the engine.
#[derive(Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Task {
    /// It is to be searched, with the moves before it, which may be repeated.
    Search { fen: String, moves: Vec<String>, is_white: bool },
    /// The game ends in it.
    Found(Evaluation),
}

impl Analysis {
    /// The positions that are to be evaluated next; nothing if there are no more.
    pub(crate) fn batch(&mut self) -> Answer {
        let next = self.findings.evaluations.len();
        let Some(range) = ranges(&self.replay).find(|range| range.start == next) else {
            return Ok(String::new());
        };
        let batch = self.positions.get(&self.replay, &range);
        let fen = batch.board.fen(false);
        let moves: Vec<String> = batch.steps.iter().map(uci).collect();
        let tasks = batch.games().into_iter().enumerate().map(|(at, game)| {
            let moves = moves[..batch.past + at].to_vec();
            let is_white = game.board().side() == Color::White;
            let search = || Task::Search { fen: fen.clone(), moves, is_white };
            Evaluation::of_end(game.board()).map_or_else(search, Task::Found)
        });
        Ok(serde_json::to_string(&tasks.collect::<Vec<_>>())?)
    }

    /// Takes the evaluations of the last batch, in JSON.
    pub(crate) fn add(&mut self, found: &str) -> Answer {
        for evaluation in serde_json::from_str::<Vec<Evaluation>>(found)? {
            self.findings.add(&self.replay, evaluation);
        }
        Ok(String::new())
    }

    /// Annotates the game. Answers with the game for the viewer.
    pub(crate) fn annotate(&mut self) -> Answer {
        earlier::remove(&mut self.game, !self.replay.numbering().is_black);
        let shown = ViewerGame::analysed(&self.game, &self.replay, &self.findings);
        let shown = serde_json::to_string(&shown)?;
        annotate(&mut self.game, &self.findings, false);
        Ok(shown)
    }

    pub(crate) fn write(&self) -> String {
        self.game.write(self.replay.numbering())
    }

    /// The FENs of the positions, each on a line.
    pub(crate) fn fens(&self) -> String {
        let mut game = Position::new(self.replay.start.clone());
        let mut fens = game.board().fen(false);
        for step in &self.replay.steps {
            step.play(&mut game);
            fens.push('\n');
            fens.push_str(&game.board().fen(false));
        }
        fens
    }
}

fn uci(step: &Step) -> String {
    match step {
        Step::Move(mv) => mv.to_string(),
        Step::Pass => "0000".to_owned(),
    }
}
