//! The options that a GUI can set: one row each with name, values, meaning and effect.
//!
//! To add an option that changes the search, add a row here and a field to
//! [`Settings`].
//!
//! Names are part of the interface and stay, because users' configurations contain them.
//! They must not contain a keyword of the protocol (`name`, `type`, `default`, `min`, `max`,
//! `var`, `value`).

use std::sync::Arc;

use crate::engine::{DEFAULT_HASH_MB, Engine};
use crate::eval::nnue::Network;
use crate::search::clock::TimeUnit;
use crate::search::settings::{DEFAULT_MOVE_OVERHEAD_MS, Settings};
use crate::search::strength::{DEFAULT_ELO, MAX_ELO, MAX_SKILL, MIN_ELO};
use crate::search::threads::MAX_THREADS;
use crate::search::transposition::TranspositionTable;
use crate::sys::encoding;
use crate::tablebase::MAX_TABLEBASE_PIECES;
use crate::terminal::spelling::nearest;

use super::debug_log::DebugLog;
use super::go::integer;

/// The objects that options change, and their messages. The engine must be idle.
pub struct Target<'a> {
    pub(super) engine: &'a mut Engine,
    pub(super) log: &'a mut DebugLog,
    /// Messages to the user.
    pub(super) messages: Vec<String>,
    /// Why nothing has changed.
    pub(super) refusals: Vec<String>,
    /// A message to be printed when the next search begins: some clients take any line
    /// between two searches for a problem.
    pub(super) deferred: &'a mut Option<String>,
}

impl Target<'_> {
    fn settings(&mut self) -> &mut Settings {
        self.engine.settings_mut()
    }
}

/// The values of an option, and the effect of setting it.
pub enum OptionKind {
    /// True or false.
    Check {
        /// The default.
        default: bool,
        /// The effect.
        set: fn(&mut Target<'_>, bool),
    },
    /// A whole number.
    Spin {
        /// The default.
        default: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
        /// The effect; it gets only values within the range.
        set: fn(&mut Target<'_>, i64),
    },
    /// Any text.
    Text {
        /// The default; empty for none.
        default: &'static str,
        /// The effect.
        set: fn(&mut Target<'_>, &str),
    },
    /// No value.
    Button {
        /// The effect.
        press: fn(&mut Target<'_>),
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
    spin(
        "Hash",
        [DEFAULT_HASH_MB as i64, 1, TranspositionTable::MAX_MB as i64],
        "size of the transposition table in MB",
        |target, megabytes| {
            let size = usize::try_from(megabytes).unwrap_or(usize::MAX);
            let problem = target.engine.set_hash(size).err();
            target.messages.extend(problem.map(|problem| problem.to_string()));
        },
    ),
    spin("Threads", [1, 1, MAX_THREADS as i64], "number of search threads", |target, threads| {
        target.engine.set_threads(threads as usize);
    }),
    spin("MultiPV", [1, 1, 256], "number of best lines to show", |target, lines| {
        target.settings().multi_pv = lines as usize;
    }),
    spin(
        "Move Overhead",
        [DEFAULT_MOVE_OVERHEAD_MS as i64, 0, 5000],
        "time kept back for delays between engine and GUI, in ms",
        |target, millis| target.settings().move_overhead_ms = millis.unsigned_abs(),
    ),
    spin(
        "nodestime",
        [0, 0, 10_000],
        "nodes that count as a millisecond on the clock; 0 for real time",
        |target, nodes| {
            let per_ms = nodes.unsigned_abs();
            target.engine.set_time_unit(if per_ms == 0 {
                TimeUnit::Time
            } else {
                TimeUnit::Nodes(per_ms)
            });
        },
    ),
    check(
        "Ponder",
        false,
        "tells the GUI that the engine can ponder; no need to set it",
        |_, _| (),
    ),
    OptionSpec {
        name: "Clear Hash",
        kind: OptionKind::Button { press: |target| target.engine.clear() },
        meaning: "clears the transposition table and all histories",
    },
    text("EvalFile", OWN_NETWORK, "file of the network to evaluate with", set_network),
    text("SyzygyPath", "", "folders with Syzygy tablebases", set_tablebases),
    spin(
        "SyzygyProbeDepth",
        [1, 1, 100],
        "minimum depth for probing the largest tablebases",
        |target, depth| target.settings().probing.min_depth = depth as i32,
    ),
    spin(
        "SyzygyProbeLimit",
        [MAX_TABLEBASE_PIECES as i64, 0, MAX_TABLEBASE_PIECES as i64],
        "most pieces, kings included, with which positions are probed",
        |target, pieces| target.settings().probing.max_pieces = pieces as usize,
    ),
    check(
        "Syzygy50MoveRule",
        true,
        "counts tablebase wins prevented by the fifty-move rule as draws",
        |target, on| target.settings().probing.fifty_moves = on,
    ),
    check("UCI_LimitStrength", false, "limits the strength to UCI_Elo", |target, on| {
        target.settings().strength.is_limited = on;
    }),
    spin(
        "UCI_Elo",
        [DEFAULT_ELO as i64, MIN_ELO as i64, MAX_ELO as i64],
        "the strength to play at if UCI_LimitStrength is set",
        |target, elo| target.settings().strength.elo = elo as i32,
    ),
    spin(
        "Skill Level",
        [MAX_SKILL as i64, 0, MAX_SKILL as i64],
        "the same in levels, 20 being full strength; UCI_LimitStrength overrides it",
        |target, level| target.settings().strength.skill_level = level as i32,
    ),
    check(
        "UCI_Chess960",
        false,
        "writes castling as king takes rook, as Chess960 needs it",
        |target, on| target.settings().chess960 = on,
    ),
    check(
        "UCI_ShowWDL",
        false,
        "shows wins, draws and losses expected out of 1000 games",
        |target, on| target.settings().show_wdl = on,
    ),
    check(
        "UCI_AnalyseMode",
        false,
        "accepted without effect: the engine analyses as it plays",
        |_, _| (),
    ),
    text(
        "UCI_Opponent",
        "",
        "accepted without effect: the engine plays the same against all opponents",
        |_, _| (),
    ),
    text("UCI_EngineAbout", ABOUT, "describes the engine; cannot be changed", |_, _| ()),
    text(
        "Debug Log File",
        "",
        "file to which all input and output is appended, with times",
        |target, path| {
            let problem = target.log.open(path).err();
            target.refusals.extend(problem.map(|problem| {
                let path = encoding::path(path);
                format!("cannot open the debug log {}: {problem}", path.display())
            }));
        },
    ),
];

const fn check(
    name: &'static str,
    default: bool,
    meaning: &'static str,
    set: fn(&mut Target<'_>, bool),
) -> OptionSpec {
    OptionSpec { name, kind: OptionKind::Check { default, set }, meaning }
}

/// A number with default, minimum and maximum.
const fn spin(
    name: &'static str,
    [default, min, max]: [i64; 3],
    meaning: &'static str,
    set: fn(&mut Target<'_>, i64),
) -> OptionSpec {
    OptionSpec { name, kind: OptionKind::Spin { default, min, max, set }, meaning }
}

const fn text(
    name: &'static str,
    default: &'static str,
    meaning: &'static str,
    set: fn(&mut Target<'_>, &str),
) -> OptionSpec {
    OptionSpec { name, kind: OptionKind::Text { default, set }, meaning }
}

/// The value of `UCI_EngineAbout`.
const ABOUT: &str = concat!(
    "Carrybit ",
    env!("CARGO_PKG_VERSION"),
    ", a chess engine on a 0x88 board, free under MIT or Apache-2.0"
);

/// Stands for the engine's own network instead of a file name.
const OWN_NETWORK: &str = "<embedded>";

fn set_network(target: &mut Target<'_>, path: &str) {
    let network = if path.is_empty() || path == OWN_NETWORK {
        Network::embedded()
    } else {
        let path = encoding::path(path);
        match Network::load(&path) {
            Ok(network) => Arc::new(network),
            Err(problem) => {
                return target.refusals.push(format!(
                    "cannot use {}: {problem}; EvalFile is left as it was",
                    path.display()
                ));
            }
        }
    };
    target.engine.set_network(network);
    target.messages.push(format!("evaluation: {}", target.engine.network()));
}

/// The most problems with tablebases that are printed one by one.
const MOST_PROBLEMS: usize = 8;

fn set_tablebases(target: &mut Target<'_>, path: &str) {
    let mut problems = target.engine.set_tablebases(path);
    let more = problems.len().saturating_sub(MOST_PROBLEMS);
    problems.truncate(MOST_PROBLEMS);
    if more > 0 {
        problems.push(format!("and {more} more problems with tablebases"));
    }
    let tablebases = target.engine.tablebases();
    let [wdl, dtz] = tablebases.counts();
    let most = tablebases.max_pieces();
    *target.deferred = (most > 0)
        .then(|| format!("found tablebases: {wdl} WDL and {dtz} DTZ, up to {most} pieces"));
    if target.deferred.is_none() && !path.is_empty() {
        problems.push("found no tablebases".to_owned());
    }
    target.messages.extend(problems);
}

/// Sets the option called `name`. An unusable value or an unknown name changes nothing; a
/// number out of range is clamped.
pub(super) fn set(name: &str, value: &str, target: &mut Target<'_>) {
    let is_meant = |option: &&OptionSpec| option.name.eq_ignore_ascii_case(name);
    let Some(OptionSpec { name, kind, .. }) = OPTIONS.iter().find(is_meant) else {
        #[cfg(feature = "spsa")]
        if tuning::set(name, value, target) {
            return;
        }
        let advice = match nearest(name, OPTIONS.iter().map(|option| option.name)) {
            Some(known) => format!("did you mean {known}?"),
            None => "uci lists the options".to_owned(),
        };
        return target.refusals.push(format!("unknown option {name}: nothing is set; {advice}"));
    };
    let refusal = |wants: &str| format!("{name} expects {wants}, got {value:?}; unchanged");
    match *kind {
        OptionKind::Check { set, .. } => match value.to_ascii_lowercase().as_str() {
            "true" | "1" => set(target, true),
            "false" | "0" => set(target, false),
            _ => target.refusals.push(refusal("true or false")),
        },
        OptionKind::Spin { min, max, set, .. } => match integer(value) {
            Some(number) => {
                let clamped = number.clamp(min.into(), max.into()) as i64;
                if i128::from(clamped) != number {
                    let message = format!("{name} ranges from {min} to {max}, set to {clamped}");
                    target.messages.push(message);
                }
                set(target, clamped);
            }
            None => target.refusals.push(refusal("a number")),
        },
        OptionKind::Text { set, .. } => set(target, value),
        OptionKind::Button { press } => press(target),
    }
}

impl OptionSpec {
    /// Name and values, as `help` shows them.
    pub(super) fn usage(&self) -> String {
        let name = self.name;
        match self.kind {
            OptionKind::Check { .. } => format!("{name} (true, false)"),
            OptionKind::Spin { min, max, .. } => format!("{name} ({min} to {max})"),
            OptionKind::Text { .. } => format!("{name} (text)"),
            OptionKind::Button { .. } => format!("{name} (no value)"),
        }
    }
}

/// The search parameters as options, in a build for a tuner.
#[cfg(feature = "spsa")]
pub(super) mod tuning {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::{Target, integer};
    use crate::search::limits::Limits;
    use crate::search::params::{ALL, Param};

    /// The option that makes limits of nodes soft.
    const SOFT_NODES: &str = "SoftNodes";
    static IS_SOFT: AtomicBool = AtomicBool::new(false);

    /// Makes limits of nodes soft if the tuner wants whole iterations.
    pub fn adjust(limits: Limits) -> Limits {
        if IS_SOFT.load(Relaxed) { limits.with_soft_nodes() } else { limits }
    }

    /// The line that declares each parameter, and soft limits.
    pub fn declarations() -> impl Iterator<Item = String> {
        let params = ALL.iter().map(|Param { name, value, min, max, .. }| {
            format!("option name {name} type spin default {value} min {min} max {max}")
        });
        params.chain([format!("option name {SOFT_NODES} type check default false")])
    }

    /// Sets a parameter, clamped to its range, or whether limits are soft. Returns whether
    /// one of them has this name.
    pub(in crate::uci) fn set(name: &str, value: &str, target: &mut Target<'_>) -> bool {
        if name.eq_ignore_ascii_case(SOFT_NODES) {
            match value.to_ascii_lowercase().parse() {
                Ok(is_soft) => IS_SOFT.store(is_soft, Relaxed),
                Err(_) => target
                    .refusals
                    .push(format!("{SOFT_NODES} expects true or false, got {value:?}; unchanged")),
            }
            return true;
        }
        let Some(param) = ALL.iter().find(|param| param.name.eq_ignore_ascii_case(name)) else {
            return false;
        };
        match integer(value) {
            Some(number) => {
                let clamped = number.clamp(param.min.into(), param.max.into()) as i32;
                param.live.store(clamped, Relaxed);
            }
            None => {
                target.refusals.push(format!("{name} expects a number, got {value:?}; unchanged"));
            }
        }
        true
    }
}
