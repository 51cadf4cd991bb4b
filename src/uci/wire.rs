//! The only file that uses the crate `vampirc-uci`, to read the lines that come in and to
//! write those that go out.
//!
//! The crate reads the simple commands and `setoption`; see [`command`](super::command)
//! for what it is not trusted with. It writes the answer to `uci` and the `info` lines of
//! a search; `pv`, `time`, `wdl` and `currmove` are given to it as text, as its own types
//! do not fit them. `bestmove` is not left to it, since it has no way to say "no move".

use std::time::Duration;

use vampirc_uci::{Serializable, UciInfoAttribute as Info, UciMessage, UciOptionConfig};

use crate::score::{Score, mate_in_moves};
use crate::search::limits::{Bound, CurrentMove, Report, Snapshot};
use crate::tools::per_second;

use super::command::Command;
use super::options::{OptionKind, OptionSpec};
use super::wdl::{shown_cp, wdl};

/// The command in a line that begins with a protocol command other than `position` or
/// `go`.
pub(super) fn read(line: &str) -> Option<Command> {
    Some(match vampirc_uci::parse_one(line) {
        UciMessage::Uci => Command::Uci,
        UciMessage::Debug(on) => Command::Debug(on),
        UciMessage::IsReady => Command::IsReady,
        UciMessage::Register { .. } => Command::Register,
        UciMessage::SetOption { name, value } => Command::SetOption {
            name: name.trim().to_owned(),
            value: match value.as_deref().map(str::trim) {
                None | Some("<empty>") => String::new(),
                Some(value) => value.to_owned(),
            },
        },
        UciMessage::UciNewGame => Command::NewGame,
        UciMessage::Stop => Command::Stop,
        UciMessage::PonderHit => Command::PonderHit,
        UciMessage::Quit => Command::Quit,
        _ => return None,
    })
}

/// The `info` line for a report, with its moves written as `pv` and its score converted
/// for the `material` at the root. A report of depth 0 has nothing but its score.
pub(super) fn info(report: &Report, pv: &str, material: u32, show_wdl: bool) -> String {
    let mut fields = vec![depth(report.depth)];
    if report.depth == 0 {
        fields.push(score(report.score, report.bound, material));
        return UciMessage::Info(fields).serialize();
    }
    fields.push(Info::SelDepth(u8::try_from(report.seldepth).unwrap_or(u8::MAX)));
    fields.push(Info::MultiPv(u16::try_from(report.multi_pv).unwrap_or(u16::MAX)));
    fields.push(score(report.score, report.bound, material));
    if show_wdl && report.bound == Bound::Exact {
        let [win, draw, loss] = wdl(report.score, material);
        fields.push(Info::Any("wdl".to_owned(), format!("{win} {draw} {loss}")));
    }
    fields.extend(effort(report.nodes, report.hashfull, report.tb_hits, report.time));
    if !pv.is_empty() {
        fields.push(Info::Any("pv".to_owned(), pv.to_owned()));
    }
    UciMessage::Info(fields).serialize()
}

/// The `info` line that says what a search has done so far, without a score.
pub(super) fn figures(snapshot: &Snapshot) -> String {
    let Snapshot { nodes, hashfull, tb_hits, time, .. } = *snapshot;
    UciMessage::Info(effort(nodes, hashfull, tb_hits, time).to_vec()).serialize()
}

/// The `info` line for a root move that is being searched, written as `mv`.
pub(super) fn current_move(current: CurrentMove, mv: &str) -> String {
    let fields = vec![
        depth(current.depth),
        Info::Any("currmove".to_owned(), mv.to_owned()),
        // The crate spells its own field `currmovenum`.
        Info::Any("currmovenumber".to_owned(), current.number.to_string()),
    ];
    UciMessage::Info(fields).serialize()
}

fn depth(depth: i32) -> Info {
    Info::Depth(u8::try_from(depth).unwrap_or(u8::MAX))
}

/// What was spent, and what it brought.
fn effort(nodes: u64, hashfull: u32, tb_hits: u64, time: Duration) -> [Info; 5] {
    [
        Info::Nodes(nodes),
        Info::Nps(per_second(nodes, time)),
        Info::HashFull(u16::try_from(hashfull).unwrap_or(1000)),
        Info::TbHits(tb_hits),
        Info::Any("time".to_owned(), time.as_millis().to_string()),
    ]
}

/// The score in centipawns as users see them or in moves to mate, and whether it is a
/// bound.
fn score(score: Score, bound: Bound, material: u32) -> Info {
    let mate = mate_in_moves(score);
    let only = |wanted| (bound == wanted).then_some(true);
    Info::Score {
        cp: mate.is_none().then(|| shown_cp(score, material)),
        mate: mate.map(|moves| moves.clamp(-127, 127) as i8),
        lower_bound: only(Bound::Lower),
        upper_bound: only(Bound::Upper),
    }
}

/// The lines that answer `uci`, including notes about this engine.
pub(super) fn introduction(options: &[OptionSpec], notes: &[String]) -> Vec<String> {
    let mut lines = vec![
        UciMessage::id_name(concat!("Carrybit ", env!("CARGO_PKG_VERSION"))).serialize(),
        UciMessage::id_author("the Carrybit developers").serialize(),
    ];
    lines.extend(options.iter().map(declaration));
    lines.extend(notes.iter().map(|note| format!("info string {note}")));
    lines.push(UciMessage::UciOk.serialize());
    lines
}

/// The line that declares an option.
fn declaration(option: &OptionSpec) -> String {
    let name = option.name.to_owned();
    let config = match option.kind {
        OptionKind::Check { default, .. } => {
            UciOptionConfig::Check { name, default: Some(default) }
        }
        OptionKind::Spin { default, min, max, .. } => {
            UciOptionConfig::Spin { name, default: Some(default), min: Some(min), max: Some(max) }
        }
        OptionKind::Text { default, .. } => UciOptionConfig::String {
            name,
            default: Some(if default.is_empty() { "<empty>" } else { default }.to_owned()),
        },
        OptionKind::Button { .. } => UciOptionConfig::Button { name },
    };
    UciMessage::Option(config).serialize()
}
