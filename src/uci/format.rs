//! Reads and writes the lines of UCI that `vampirc-uci` supports; no other file uses the crate.
//!
//! The crate reads the simple commands and `setoption`, and writes the answer to `uci` and
//! the `info` lines. It gets `pv`, `time`, `wdl` and `currmove` as text, because its own types
//! do not fit. It cannot write a `bestmove` without a move, so `report` writes `bestmove`.

use std::time::Duration;

use vampirc_uci::{Serializable, UciInfoAttribute as Info, UciMessage, UciOptionConfig};

use crate::eval::wdl::{shown_cp, wdl};
use crate::score::{Score, mate_in_moves};
use crate::search::report::{Bound, CurrentMove, Report, Snapshot};
use crate::tools::per_second;

use super::options::{OPTIONS, OptionKind, OptionSpec};
use super::parser::{Command, CommandError};

/// Reads a line that begins with a protocol command other than `position` or `go`.
///
/// # Errors
/// It is not a complete command.
pub(super) fn read(line: &str) -> Result<Command, CommandError> {
    Ok(match vampirc_uci::parse_one(line) {
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
        _ => return Err(CommandError::Unknown),
    })
}

/// The `info` line of a report, with its moves as the text `pv` and its score converted
/// for the `material` at the root. A report of depth 0 has only a score.
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
    fields.extend(counts(report.nodes, report.hashfull, report.tb_hits, report.time));
    if !pv.is_empty() {
        fields.push(Info::Any("pv".to_owned(), pv.to_owned()));
    }
    UciMessage::Info(fields).serialize()
}

/// The `info` line with the node counts of a running search, without a score.
pub(super) fn stats_line(snapshot: &Snapshot) -> String {
    let Snapshot { nodes, hashfull, tb_hits, time, .. } = *snapshot;
    UciMessage::Info(counts(nodes, hashfull, tb_hits, time).to_vec()).serialize()
}

/// The `info` line for the root move being searched, written as `mv`.
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

fn counts(nodes: u64, hashfull: u32, tb_hits: u64, time: Duration) -> [Info; 5] {
    [
        Info::Nodes(nodes),
        Info::Nps(per_second(nodes, time)),
        Info::HashFull(u16::try_from(hashfull).unwrap_or(1000)),
        Info::TbHits(tb_hits),
        Info::Any("time".to_owned(), time.as_millis().to_string()),
    ]
}

/// The score in normalised centipawns or in moves to mate.
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

/// The answer to `uci`. `more` are declarations of options that are not in [`OPTIONS`];
/// `notes` become `info string` lines.
pub(super) fn id_lines(more: impl IntoIterator<Item = String>, notes: &[String]) -> Vec<String> {
    let mut lines = vec![
        UciMessage::id_name(concat!("Carrybit ", env!("CARRYBIT_VERSION"))).serialize(),
        UciMessage::id_author("the Carrybit developers").serialize(),
    ];
    lines.extend(OPTIONS.iter().map(declaration));
    lines.extend(more);
    lines.extend(notes.iter().map(|note| format!("info string {note}")));
    lines.push(UciMessage::UciOk.serialize());
    lines
}

fn declaration(option: &OptionSpec) -> String {
    let name = option.name.to_owned();
    let config = match option.kind {
        OptionKind::Check(default, _) => UciOptionConfig::Check { name, default: Some(default) },
        OptionKind::Spin([default, min, max], _) => {
            UciOptionConfig::Spin { name, default: Some(default), min: Some(min), max: Some(max) }
        }
        OptionKind::Text(default, _) => UciOptionConfig::String {
            name,
            default: Some(if default.is_empty() { "<empty>" } else { default }.to_owned()),
        },
        OptionKind::Button(_) => UciOptionConfig::Button { name },
    };
    UciMessage::Option(config).serialize()
}
