//! Decodes a PGN file, lists its games, and plays, analyses and annotates one of them. Long work
//! is split into parts, so that the page can handle events in between.

use std::mem;
use std::rc::Rc;

use carrybit_board::{CastlingMode, Color, Game as Played};
use pgn::annotate::annotate;
use pgn::batch::{Positions, ranges};
use pgn::findings::{Evaluation, Findings};
use pgn::replay::Player;
use pgn::text::Decoder;
use pgn::viewer::ViewerGame;
use pgn::{Entries, Entry, Game, Line, Remark, earlier, tag};
use serde::Serialize;
use serde_json::{Value, json};

use crate::Answer;

/// The size of a part, when reading (in bytes) and when playing (in moves). A part takes a few
/// milliseconds.
const PART_BYTES: usize = 1 << 14;
const PART_MOVES: usize = 200;

#[derive(Default)]
pub(crate) struct GameFile {
    decoder: Decoder,
    text: Rc<String>,
    listing: Option<Reading>,
    /// The first byte and the first line of each game.
    starts: Vec<(usize, usize)>,
    chosen: Chosen,
}

/// An iterator over the games of a text, which it keeps alive.
struct Reading {
    /// Declared before `_text`, which it borrows, so that it is dropped first.
    entries: Entries<'static>,
    _text: Rc<String>,
}

impl Reading {
    fn new(text: &Rc<String>, start: usize, line: usize) -> Reading {
        let text = Rc::clone(text);
        // SAFETY: an `Rc` gives no mutable access to the text, and `_text` keeps it alive until
        // the entries are dropped.
        let borrowed: &'static str = unsafe { &*Rc::as_ptr(&text) };
        Reading { entries: Entries::new(borrowed, start, line), _text: text }
    }

    fn part_end(&self) -> usize {
        self.entries.at() + PART_BYTES
    }
}

/// The chosen game.
#[derive(Default)]
enum Chosen {
    #[default]
    None,
    Reading(Box<Reading>),
    /// The text of the game, the game, and its player.
    Playing(Box<(String, Game, Player)>),
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

impl GameFile {
    pub(crate) fn new(size: usize) -> GameFile {
        GameFile { decoder: Decoder::new(size), ..GameFile::default() }
    }

    /// Decodes a piece of the file. Returns the length of the text so far, in bytes.
    pub(crate) fn decode(&mut self, piece: &[u8]) -> Answer {
        self.decoder.push(piece)?;
        Ok(self.decoder.text_len().to_string())
    }

    /// Ends the file. Returns its text in JSON, or `null` if it has more than `limit` bytes.
    pub(crate) fn end(&mut self, limit: usize) -> Answer {
        let text = mem::take(&mut self.decoder).into_text()?.text;
        let short = serde_json::to_string(&(text.len() <= limit).then_some(&text))?;
        self.text = Rc::new(text);
        Ok(short)
    }

    /// Lists the games in the first or the next part of the file. Returns them, and whether this
    /// was the last part.
    pub(crate) fn list(&mut self, is_first: bool) -> Answer {
        if is_first {
            self.listing = Some(Reading::new(&self.text, 0, 1));
            self.starts.clear();
        }
        let mut games = Vec::new();
        let reading = self.listing.as_mut().ok_or("the list is complete")?;
        let end = reading.part_end();
        while let Some(entry) = reading.entries.next_before(end) {
            self.starts.push((entry.start, entry.line));
            let (tags, result, problem) = match entry.game {
                Ok(game) => (game.tags, game.result, None),
                Err(problem) => (entry.tags, None, Some(problem.to_string())),
            };
            let player = |name| tag(&tags, name).map(str::to_owned);
            games.push(Listed { white: player("White"), black: player("Black"), result, problem });
        }
        let is_last = end > self.text.len();
        if is_last {
            self.listing = None;
        }
        Ok(serde_json::to_string(&(games, is_last))?)
    }

    /// Reads and plays a part of a game: the first part of the game with this number (from 0), or
    /// the next part if there is no number. Returns the game after its last part, and an empty
    /// answer after the others.
    pub(crate) fn play(&mut self, number: Option<usize>) -> Answer {
        if let Some(number) = number {
            let &(start, line) = self.starts.get(number).ok_or("the game does not exist")?;
            self.chosen = Chosen::Reading(Box::new(Reading::new(&self.text, start, line)));
        }
        match mem::take(&mut self.chosen) {
            Chosen::None => return Err("no game is chosen".into()),
            Chosen::Reading(mut reading) => {
                let end = reading.part_end();
                self.chosen = match reading.entries.next_before(end) {
                    Some(Entry { game, text, line, .. }) => {
                        let mut game = game?;
                        let player = Player::new(&mut game, &text, line)?;
                        Chosen::Playing(Box::new((text, game, player)))
                    }
                    None => Chosen::Reading(reading),
                };
            }
            Chosen::Playing(mut playing) => {
                let (text, _, player) = &mut *playing;
                for _ in 0..PART_MOVES {
                    if player.step(text)? {
                        let (_, mut game, player) = *playing;
                        let (played, _) = player.finish(&mut game);
                        let positions = Positions::new(&played);
                        let findings = Findings::new(&played, []);
                        let analysis = Analysis { game, played, positions, findings };
                        self.chosen = Chosen::Played(Box::new(analysis));
                        return Ok(String::new());
                    }
                }
                self.chosen = Chosen::Playing(playing);
            }
            Chosen::Played(analysis) => {
                let shown = ViewerGame::new(&analysis.game, &analysis.played);
                let shown = serde_json::to_string(&shown)?;
                self.chosen = Chosen::Played(analysis);
                return Ok(shown);
            }
        }
        Ok(String::new())
    }

    pub(crate) fn analysis(&mut self) -> Result<&mut Analysis, &'static str> {
        match &mut self.chosen {
            Chosen::Played(analysis) => Ok(analysis),
            _ => Err("no game was read"),
        }
    }
}

/// A game and its analysis so far.
pub(crate) struct Analysis {
    game: Game,
    played: Played,
    positions: Positions,
    findings: Findings,
}

/// A position for the engine.
#[derive(Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Task {
    /// The engine must search it. `moves` lead to it, so that the engine sees repetitions.
    Search { fen: String, moves: Vec<String>, is_white: bool },
    /// The rules decide it.
    Found(Evaluation),
}

impl Analysis {
    /// The next positions to evaluate; an empty answer if there are no more.
    pub(crate) fn batch(&mut self) -> Answer {
        let next = self.findings.evaluations.len();
        let Some(range) = ranges(&self.played).find(|range| range.start == next) else {
            return Ok(String::new());
        };
        let games = self.positions.get(&self.played, &range);
        let tasks = games.iter().map(|game| {
            let search = || Task::Search {
                fen: game.start().fen(),
                moves: game.moves().iter().map(|mv| mv.uci(CastlingMode::Chess960)).collect(),
                is_white: game.board().side() == Color::White,
            };
            Evaluation::of_end(game.board()).map_or_else(search, Task::Found)
        });
        Ok(serde_json::to_string(&tasks.collect::<Vec<_>>())?)
    }

    /// Adds the evaluations of the last batch, in JSON.
    pub(crate) fn add(&mut self, found: &str) -> Answer {
        for evaluation in serde_json::from_str::<Vec<Evaluation>>(found)? {
            self.findings.add(&self.played, evaluation);
        }
        Ok(String::new())
    }

    /// Annotates the game. Returns it for the viewer.
    pub(crate) fn annotate(&mut self) -> Answer {
        earlier::remove(&mut self.game);
        let shown = ViewerGame::analysed(&self.game, &self.played, &self.findings);
        let shown = serde_json::to_string(&shown)?;
        annotate(
            &mut self.game,
            &self.findings,
            false,
            concat!("Carrybit ", env!("CARGO_PKG_VERSION")),
        );
        Ok(shown)
    }

    pub(crate) fn write(&self) -> String {
        self.game.to_string()
    }

    /// The tags and the moves, in JSON.
    pub(crate) fn tree(&self) -> String {
        json!([self.game.tags, tree(&self.game.moves)]).to_string()
    }
}

/// The comments before the moves of a line, and the moves with their comments, glyphs and variations,
/// except for variations that cannot be played.
fn tree(line: &Line) -> Value {
    let comment = |remark: &Remark| match remark {
        Remark::Comment(text) => Some(Value::from(text.as_str())),
        _ => None,
    };
    let variation = |remark: &Remark| match remark {
        Remark::Variation(line) if line.verbatim.is_none() => Some(tree(line)),
        _ => None,
    };
    let comments = |remarks: &[Remark]| remarks.iter().filter_map(comment).collect::<Value>();
    let moves = line.moves.iter().map(|ply| {
        let variations: Value = ply.after.iter().filter_map(variation).collect();
        let (san, nags, comments) = (ply.text.as_str(), &*ply.nags, comments(&ply.after));
        json!({ "san": san, "nags": nags, "comments": comments, "variations": variations })
    });
    json!({ "comments": comments(&line.before), "moves": moves.collect::<Value>() })
}
