//! The options that a GUI can set: one table of name, kind, default, range and effect.
//! What `uci` prints, what `setoption` accepts and what the tests check are all read from
//! it.
//!
//! Names are part of the interface and stay as they are, as users' configurations depend
//! on them. None of them may contain a word with a meaning in the protocol (`name`,
//! `type`, `default`, `min`, `max`, `var`, `value`).

use std::sync::Arc;

use crate::engine::{DEFAULT_HASH_MB, DEFAULT_MOVE_OVERHEAD_MS, Engine};
use crate::eval::nnue::Network;
use crate::search::clock::Pace;
use crate::search::handicap::{DEFAULT_ELO, MAX_ELO, MAX_SKILL, MIN_ELO};
use crate::search::threads::MAX_THREADS;
use crate::search::transposition::TranspositionTable;
use crate::sys::encoding;
use crate::tablebase::{MAX_TABLEBASE_PIECES, Tablebases};

use super::go::integer;
use super::journal::Journal;
use super::spelling::nearest;

/// What an option acts upon. The engine must be idle.
pub struct Target<'a> {
    /// The engine itself.
    pub engine: &'a mut Engine,
    /// Whether scores come with the chances of win, draw and loss.
    pub show_wdl: &'a mut bool,
    /// The log of the dialogue.
    pub journal: &'a mut Journal,
}

/// Something to tell the user about an option that was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// Something worth knowing.
    Note(String),
    /// What is found in a place that was named.
    Notes {
        /// Problems with the files, for the user now.
        problems: Vec<String>,
        /// What is worth knowing when the next search begins: some clients take whatever is
        /// said between two searches for a problem.
        news: Option<String>,
    },
    /// Why nothing has changed.
    Refusal(String),
}

/// The effect of an option with a value of type `T`.
type Effect<T> = fn(&mut Target<'_>, T) -> Option<Remark>;

/// The values that an option takes, and what they do.
pub enum OptionKind {
    /// True or false.
    Check {
        /// The default.
        default: bool,
        /// What setting it does.
        set: Effect<bool>,
    },
    /// A whole number.
    Spin {
        /// The default.
        default: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
        /// What setting it does; gets only values within the range.
        set: Effect<i64>,
    },
    /// Any text.
    Text {
        /// The default; empty for none.
        default: &'static str,
        /// What setting it does.
        set: for<'t> fn(&mut Target<'_>, &'t str) -> Option<Remark>,
    },
    /// No value: setting it does something once.
    Button {
        /// What it does.
        press: fn(&mut Target<'_>) -> Option<Remark>,
    },
}

/// One option.
pub struct OptionSpec {
    /// The name, compared without regard to case.
    pub name: &'static str,
    /// Its values and its effect.
    pub kind: OptionKind,
    /// What it is for, in a few words.
    pub meaning: &'static str,
}

/// All options, in the order in which they are printed.
pub const OPTIONS: [OptionSpec; 21] = [
    OptionSpec {
        name: "Hash",
        kind: OptionKind::Spin {
            default: DEFAULT_HASH_MB as i64,
            min: 1,
            max: TranspositionTable::MAX_MB as i64,
            set: |target, megabytes| {
                let size = usize::try_from(megabytes).unwrap_or(usize::MAX);
                let problem = target.engine.set_hash(size).err()?;
                Some(Remark::Note(problem.to_string()))
            },
        },
        meaning: "size of the transposition table in MB",
    },
    OptionSpec {
        name: "Threads",
        kind: OptionKind::Spin {
            default: 1,
            min: 1,
            max: MAX_THREADS as i64,
            set: |target, threads| {
                target.engine.set_threads(threads as usize);
                None
            },
        },
        meaning: "number of search threads",
    },
    OptionSpec {
        name: "MultiPV",
        kind: OptionKind::Spin {
            default: 1,
            min: 1,
            max: 256,
            set: |target, lines| {
                target.engine.settings_mut().multi_pv = lines as usize;
                None
            },
        },
        meaning: "number of best lines to show",
    },
    OptionSpec {
        name: "Move Overhead",
        kind: OptionKind::Spin {
            default: DEFAULT_MOVE_OVERHEAD_MS as i64,
            min: 0,
            max: 5000,
            set: |target, millis| {
                target.engine.settings_mut().move_overhead_ms = millis.unsigned_abs();
                None
            },
        },
        meaning: "time kept back for delays between engine and GUI, in ms",
    },
    OptionSpec {
        name: "nodestime",
        kind: OptionKind::Spin {
            default: 0,
            min: 0,
            max: 10_000,
            set: |target, nodes| {
                let per_ms = nodes.unsigned_abs();
                target.engine.set_pace(if per_ms == 0 { Pace::Time } else { Pace::Nodes(per_ms) });
                None
            },
        },
        meaning: "nodes that count as a millisecond on the clock; 0 for real time",
    },
    OptionSpec {
        name: "Ponder",
        kind: OptionKind::Check { default: false, set: |_, _| None },
        meaning: "tells the GUI that the engine can ponder; no need to set it",
    },
    OptionSpec {
        name: "Clear Hash",
        kind: OptionKind::Button {
            press: |target| {
                target.engine.clear();
                None
            },
        },
        meaning: "clears the transposition table and all histories",
    },
    OptionSpec {
        name: "EvalFile",
        kind: OptionKind::Text { default: OWN_NETWORK, set: set_network },
        meaning: "file of the network to evaluate with",
    },
    OptionSpec {
        name: "SyzygyPath",
        kind: OptionKind::Text {
            default: "",
            set: |target, path| {
                let problems = target.engine.set_tablebases(path);
                Some(found(path, target.engine.tablebases(), problems))
            },
        },
        meaning: "folders with Syzygy tablebases",
    },
    OptionSpec {
        name: "SyzygyProbeDepth",
        kind: OptionKind::Spin {
            default: 1,
            min: 1,
            max: 100,
            set: |target, depth| {
                target.engine.settings_mut().probing.min_depth = depth as i32;
                None
            },
        },
        meaning: "minimum depth for probing the largest tablebases",
    },
    OptionSpec {
        name: "SyzygyProbeLimit",
        kind: OptionKind::Spin {
            default: MAX_TABLEBASE_PIECES as i64,
            min: 0,
            max: MAX_TABLEBASE_PIECES as i64,
            set: |target, pieces| {
                target.engine.settings_mut().probing.max_pieces = pieces as usize;
                None
            },
        },
        meaning: "most pieces, kings included, with which positions are probed",
    },
    OptionSpec {
        name: "Syzygy50MoveRule",
        kind: OptionKind::Check {
            default: true,
            set: |target, on| {
                target.engine.settings_mut().probing.fifty_moves = on;
                None
            },
        },
        meaning: "counts tablebase wins prevented by the fifty-move rule as draws",
    },
    OptionSpec {
        name: "UCI_LimitStrength",
        kind: OptionKind::Check {
            default: false,
            set: |target, on| {
                target.engine.settings_mut().strength.is_limited = on;
                None
            },
        },
        meaning: "limits the strength to UCI_Elo",
    },
    OptionSpec {
        name: "UCI_Elo",
        kind: OptionKind::Spin {
            default: DEFAULT_ELO as i64,
            min: MIN_ELO as i64,
            max: MAX_ELO as i64,
            set: |target, elo| {
                target.engine.settings_mut().strength.elo = elo as i32;
                None
            },
        },
        meaning: "the strength to play at if UCI_LimitStrength is set",
    },
    OptionSpec {
        name: "Skill Level",
        kind: OptionKind::Spin {
            default: MAX_SKILL as i64,
            min: 0,
            max: MAX_SKILL as i64,
            set: |target, level| {
                target.engine.settings_mut().strength.skill_level = level as i32;
                None
            },
        },
        meaning: "the same in levels, 20 being full strength; UCI_LimitStrength overrides it",
    },
    OptionSpec {
        name: "UCI_Chess960",
        kind: OptionKind::Check {
            default: false,
            set: |target, on| {
                target.engine.settings_mut().chess960 = on;
                None
            },
        },
        meaning: "writes castling as king takes rook, as Chess960 needs it",
    },
    OptionSpec {
        name: "UCI_ShowWDL",
        kind: OptionKind::Check {
            default: false,
            set: |target, on| {
                *target.show_wdl = on;
                None
            },
        },
        meaning: "shows wins, draws and losses expected out of 1000 games",
    },
    OptionSpec {
        name: "UCI_AnalyseMode",
        kind: OptionKind::Check { default: false, set: |_, _| None },
        meaning: "accepted without effect: the engine analyses as it plays",
    },
    OptionSpec {
        name: "UCI_Opponent",
        kind: OptionKind::Text { default: "", set: |_, _| None },
        meaning: "accepted without effect: the engine plays the same against everybody",
    },
    OptionSpec {
        name: "UCI_EngineAbout",
        kind: OptionKind::Text { default: ABOUT, set: |_, _| None },
        meaning: "says what the engine is; cannot be changed",
    },
    OptionSpec {
        name: "Debug Log File",
        kind: OptionKind::Text {
            default: "",
            set: |target, path| {
                let problem = target.journal.open(path).err()?;
                let path = encoding::path(path);
                let path = path.display();
                Some(Remark::Refusal(format!("cannot open the debug log {path}: {problem}")))
            },
        },
        meaning: "file to which all input and output is appended, with times",
    },
];

/// What `UCI_EngineAbout` says.
const ABOUT: &str = concat!(
    "Carrybit ",
    env!("CARGO_PKG_VERSION"),
    ", a chess engine on a 0x88 board, free under MIT or Apache-2.0"
);

/// Stands for the engine's own network where a file name is expected.
const OWN_NETWORK: &str = "<embedded>";

/// Uses the network in a file, or the engine's own. Returns what to tell the user.
fn set_network(target: &mut Target<'_>, path: &str) -> Option<Remark> {
    let network = if path.is_empty() || path == OWN_NETWORK {
        Network::embedded()
    } else {
        let path = encoding::path(path);
        match Network::load(&path) {
            Ok(network) => Arc::new(network),
            Err(problem) => {
                let path = path.display();
                return Some(Remark::Refusal(format!(
                    "cannot use {path}: {problem}; EvalFile is left as it was"
                )));
            }
        }
    };
    target.engine.set_network(network);
    Some(Remark::Note(evaluation(target.engine)))
}

/// The note on the evaluation in use.
pub(super) fn evaluation(engine: &Engine) -> String {
    format!("evaluation: {}", engine.describe_evaluation())
}

/// The most problems with tablebases that are listed one by one.
const PROBLEMS_TOLD: usize = 8;

/// What to tell the user about the tablebases found, and those that cannot be used.
fn found(path: &str, tablebases: &Tablebases, mut problems: Vec<String>) -> Remark {
    let untold = problems.len().saturating_sub(PROBLEMS_TOLD);
    problems.truncate(PROBLEMS_TOLD);
    if untold > 0 {
        problems.push(format!("and {untold} more problems with tablebases"));
    }
    let [wdl, dtz] = tablebases.counts();
    let most = tablebases.max_pieces();
    let news = (most > 0)
        .then(|| format!("found tablebases: {wdl} WDL and {dtz} DTZ, up to {most} pieces"));
    if news.is_none() && !path.is_empty() {
        problems.push("found no tablebases".to_owned());
    }
    Remark::Notes { problems, news }
}

/// Sets the option called `name`. Returns what to tell the user. An unusable value or an
/// unknown name changes nothing; a number out of range is clamped.
pub fn set(name: &str, value: &str, target: &mut Target<'_>) -> Vec<Remark> {
    let is_meant = |option: &&OptionSpec| option.name.eq_ignore_ascii_case(name);
    let Some(option) = OPTIONS.iter().find(is_meant) else {
        #[cfg(feature = "spsa")]
        if let Some(remarks) = tuning::set(name, value) {
            return remarks;
        }
        return vec![Remark::Refusal(unknown(name))];
    };
    match option.kind {
        OptionKind::Check { set, .. } => match value.to_ascii_lowercase().as_str() {
            "true" | "1" => set(target, true).into_iter().collect(),
            "false" | "0" => set(target, false).into_iter().collect(),
            _ => vec![refusal(option, "true or false", value)],
        },
        OptionKind::Spin { min, max, set, .. } => {
            let Some(number) = integer(value) else {
                return vec![refusal(option, "a number", value)];
            };
            let within = number.clamp(min.into(), max.into()) as i64;
            let cut = (i128::from(within) != number).then(|| {
                let name = option.name;
                Remark::Note(format!("{name} ranges from {min} to {max}, set to {within}"))
            });
            cut.into_iter().chain(set(target, within)).collect()
        }
        OptionKind::Text { set, .. } => set(target, value).into_iter().collect(),
        OptionKind::Button { press } => press(target).into_iter().collect(),
    }
}

/// Why an option of this name cannot be set.
fn unknown(name: &str) -> String {
    let advice = match nearest(name, OPTIONS.iter().map(|option| option.name)) {
        Some(known) => format!("did you mean {known}?"),
        None => "uci lists the options".to_owned(),
    };
    format!("unknown option {name}: nothing is set; {advice}")
}

fn refusal(option: &OptionSpec, wants: &str, value: &str) -> Remark {
    let name = option.name;
    Remark::Refusal(format!("{name} expects {wants}, got {value:?}; unchanged"))
}

/// The search parameters as options, in a build for a tuner.
#[cfg(feature = "spsa")]
pub(super) mod tuning {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::{Remark, integer};
    use crate::search::limits::Limits;
    use crate::search::params::{ALL, Param};

    /// The option that makes limits of nodes soft.
    const SOFT_NODES: &str = "SoftNodes";
    static IS_SOFT: AtomicBool = AtomicBool::new(false);

    /// The limits as they are meant: soft ones, if the tuner wants whole iterations.
    pub fn as_meant(limits: Limits) -> Limits {
        if IS_SOFT.load(Relaxed) { limits.with_soft_nodes() } else { limits }
    }

    /// The line that declares each parameter, and soft limits.
    pub fn declarations() -> impl Iterator<Item = String> {
        let params = ALL.iter().map(|Param { name, value, min, max, .. }| {
            format!("option name {name} type spin default {value} min {min} max {max}")
        });
        params.chain([format!("option name {SOFT_NODES} type check default false")])
    }

    /// Sets a parameter, clamped to its range, or whether limits are soft. Returns what to
    /// tell the user, or `None` if there is nothing of this name.
    pub fn set(name: &str, value: &str) -> Option<Vec<Remark>> {
        if name.eq_ignore_ascii_case(SOFT_NODES) {
            let Ok(is_soft) = value.to_ascii_lowercase().parse() else {
                let refusal = format!("{SOFT_NODES} takes true or false, not {value:?}");
                return Some(vec![Remark::Refusal(refusal)]);
            };
            IS_SOFT.store(is_soft, Relaxed);
            return Some(Vec::new());
        }
        let param = ALL.iter().find(|param| param.name.eq_ignore_ascii_case(name))?;
        Some(match integer(value) {
            Some(number) => {
                let within = number.clamp(param.min.into(), param.max.into()) as i32;
                param.live.store(within, Relaxed);
                Vec::new()
            }
            None => vec![Remark::Refusal(format!("{name} takes a number, not {value:?}"))],
        })
    }
}
