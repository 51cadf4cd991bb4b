//! What the engine has to say -> text; the only place where scores and moves
//! become text, and the only one that knows how `vampirc-uci` writes it.
//!
//! Also decides what is said at all: a GUI that reads slowly must not be flooded.

use std::time::{Duration, Instant};

use vampirc_uci::{Serializable, UciInfoAttribute as Info, UciMessage, UciOptionConfig};

use crate::board::{Board, Move};
use crate::score::{Score, mate_in_moves};
use crate::search::limits::{Bound, Outcome, Report};
use crate::tools::per_second;

use super::options::{Kind, OptionSpec};
use super::wdl::wdl;

/// Scores that are only bounds are not shown more often than this. They come
/// when a search is in doubt about its score, sometimes a dozen within a few
/// milliseconds, and the exact one follows.
const BOUNDS_APART: Duration = Duration::from_millis(50);

/// Tells the GUI about one search.
pub(super) struct Narrator {
    root: Board,
    chess960: bool,
    show_wdl: bool,
    /// The last report, if it was not shown because it came too soon.
    held: Option<Report>,
    /// When a report was last shown.
    last_shown: Option<Instant>,
}

impl Narrator {
    /// For a search from `root`, with the options as they are at its start.
    pub(super) fn new(root: Board, chess960: bool, show_wdl: bool) -> Narrator {
        Narrator { root, chess960, show_wdl, held: None, last_shown: None }
    }

    /// The lines to print when `report` comes at `now`. The last report on each
    /// line of a depth is always shown, and so is the last one of all.
    pub(super) fn report(&mut self, report: Report, now: Instant) -> Vec<String> {
        let line_of = |report: &Report| (report.depth, report.multi_pv);
        let mut due = Vec::new();
        if let Some(held) = self.held.take()
            && line_of(&held) != line_of(&report)
        {
            due.push(self.info(&held));
        }
        let is_soon = self
            .last_shown
            .is_some_and(|shown| now.saturating_duration_since(shown) < BOUNDS_APART);
        if report.bound != Bound::Exact && is_soon {
            self.held = Some(report);
        } else {
            due.push(self.info(&report));
            self.last_shown = Some(now);
        }
        due
    }

    /// The lines to print when the search has ended: `bestmove` comes last.
    pub(super) fn finish(&mut self, outcome: &Outcome) -> Vec<String> {
        let mut due: Vec<String> = self.held.take().iter().map(|held| self.info(held)).collect();
        due.push(self.best_move(outcome));
        due
    }

    /// The `info` line for a report; one of depth 0 has nothing but its score.
    fn info(&self, report: &Report) -> String {
        let mut fields = vec![Info::Depth(u8::try_from(report.depth).unwrap_or(u8::MAX))];
        if report.depth == 0 {
            fields.push(score(report.score, report.bound));
            return UciMessage::Info(fields).serialize();
        }
        fields.push(Info::SelDepth(u8::try_from(report.seldepth).unwrap_or(u8::MAX)));
        fields.push(Info::MultiPv(u16::try_from(report.multi_pv).unwrap_or(u16::MAX)));
        fields.push(score(report.score, report.bound));
        if self.show_wdl && report.bound == Bound::Exact {
            let [win, draw, loss] = wdl(report.score);
            fields.push(Info::Any("wdl".to_owned(), format!("{win} {draw} {loss}")));
        }
        fields.push(Info::Nodes(report.nodes));
        fields.push(Info::Nps(per_second(report.nodes, report.time)));
        fields.push(Info::HashFull(u16::try_from(report.hashfull).unwrap_or(1000)));
        fields.push(Info::TbHits(report.tb_hits));
        let millis = report.time.as_millis().to_string();
        fields.push(Info::Any("time".to_owned(), millis));
        if !report.pv.is_empty() {
            let moves: Vec<String> = report.pv.iter().map(|&mv| self.text(mv)).collect();
            fields.push(Info::Any("pv".to_owned(), moves.join(" ")));
        }
        UciMessage::Info(fields).serialize()
    }

    fn best_move(&self, outcome: &Outcome) -> String {
        let Some(best) = outcome.best else {
            return "bestmove (none)".to_owned();
        };
        let best = self.text(best);
        match outcome.ponder {
            Some(ponder) => format!("bestmove {best} ponder {}", self.text(ponder)),
            None => format!("bestmove {best}"),
        }
    }

    /// How a move is written depends on the move and the mode alone, so that the
    /// root will do for all moves of a line.
    fn text(&self, mv: Move) -> String {
        self.root.uci(mv, self.chess960)
    }
}

/// Centipawns or moves to mate, and whether it is a bound.
fn score(score: Score, bound: Bound) -> Info {
    let mate = mate_in_moves(score);
    let only = |wanted| (bound == wanted).then_some(true);
    Info::Score {
        cp: mate.is_none().then_some(score),
        mate: mate.map(|moves| moves.clamp(-127, 127) as i8),
        lower_bound: only(Bound::Lower),
        upper_bound: only(Bound::Upper),
    }
}

/// The lines that answer `uci`.
pub(super) fn introduction(options: &[OptionSpec]) -> Vec<String> {
    let mut lines = vec![
        UciMessage::id_name(concat!("Carrybit ", env!("CARGO_PKG_VERSION"))).serialize(),
        UciMessage::id_author("the Carrybit developers").serialize(),
    ];
    lines.extend(options.iter().map(declaration));
    lines.push(UciMessage::UciOk.serialize());
    lines
}

/// The line that declares an option.
fn declaration(option: &OptionSpec) -> String {
    let name = option.name.to_owned();
    let config = match option.kind {
        Kind::Check { default, .. } => UciOptionConfig::Check { name, default: Some(default) },
        Kind::Spin { default, min, max, .. } => {
            UciOptionConfig::Spin { name, default: Some(default), min: Some(min), max: Some(max) }
        }
        Kind::Text { default, .. } => UciOptionConfig::String {
            name,
            default: Some(if default.is_empty() { "<empty>" } else { default }.to_owned()),
        },
        Kind::Button { .. } => UciOptionConfig::Button { name },
    };
    UciMessage::Option(config).serialize()
}
