//! The options that a GUI can set: one row each with name, values, meaning and effect.
//!
//! To add an option that changes the search, add a row here and a field to [`Settings`].
//!
//! Names never change, because users' configurations contain them. They must not contain a
//! keyword of the protocol (`name`, `type`, `default`, `min`, `max`, `var`, `value`).

use std::time::Duration;

use crate::engine::DEFAULT_HASH_MB;
use crate::eval::nnue::Network;
use crate::search::clock::TimeUnit;
use crate::search::settings::{DEFAULT_MOVE_OVERHEAD, Settings};
use crate::search::strength::{DEFAULT_ELO, MAX_ELO, MAX_SKILL, MIN_ELO};
use crate::search::threads::MAX_THREADS;
use crate::search::transposition::TranspositionTable;
use crate::sys::encoding;
use crate::terminal::spelling::nearest;
use carrybit_board::CastlingMode;
use carrybit_syzygy::{self, MAX_TABLEBASE_PIECES};

use super::Dialogue;
use super::go::integer;

impl Dialogue {
    fn settings(&mut self) -> &mut Settings {
        self.engine.settings_mut()
    }

    fn refuse_value<T>(&mut self, name: &str, wanted: &str, value: &str) -> Option<T> {
        self.refuse(&format!("{name} expects {wanted}, got {value:?}; unchanged"));
        None
    }

    fn read_bool(&mut self, name: &str, value: &str) -> Option<bool> {
        read_bool(value).or_else(|| self.refuse_value(name, "true or false", value))
    }

    /// Reads a number and clamps it to the range.
    fn read_number(&mut self, name: &str, value: &str, [min, max]: [i64; 2]) -> Option<i64> {
        let Some(number) = integer(value) else {
            return self.refuse_value(name, "a number", value);
        };
        let clamped = number.clamp(min.into(), max.into()) as i64;
        if i128::from(clamped) != number {
            self.output.message(&format!("{name} ranges from {min} to {max}, set to {clamped}"));
        }
        Some(clamped)
    }
}

fn read_bool(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// Sets an option to a value that it allows. The engine must be idle.
type Effect<T> = fn(&mut Dialogue, T);

/// The default and the range of an option, and the effect of setting it.
pub enum OptionKind {
    /// True or false: the default.
    Check(bool, Effect<bool>),
    /// A whole number: the default, the least and the greatest value.
    Spin([i64; 3], Effect<i64>),
    /// Any text: the default, empty for none.
    Text(&'static str, fn(&mut Dialogue, &str)),
    /// No value, only an effect.
    Button(fn(&mut Dialogue)),
}

/// One option.
pub struct OptionSpec {
    /// The name; its case does not matter.
    pub name: &'static str,
    /// The values and the effect.
    pub kind: OptionKind,
    /// A description for `help`.
    pub meaning: &'static str,
}

/// All options, in the order in which they are printed.
pub const OPTIONS: [OptionSpec; 22] = [
    spin(
        "Hash",
        [DEFAULT_HASH_MB as i64, 1, TranspositionTable::MAX_MB as i64],
        "size of the transposition table in MB",
        |dialogue, megabytes| {
            dialogue.engine.request_hash(usize::try_from(megabytes).unwrap_or(usize::MAX));
        },
    ),
    spin("Threads", [1, 1, MAX_THREADS as i64], "number of search threads", |dialogue, threads| {
        dialogue.engine.set_threads(threads as usize);
    }),
    spin("MultiPV", [1, 1, 256], "number of best lines to show", |dialogue, lines| {
        dialogue.settings().multi_pv = lines as usize;
    }),
    spin(
        "Move Overhead",
        [DEFAULT_MOVE_OVERHEAD.as_millis() as i64, 0, 5000],
        "reserve for delays between engine and GUI, in ms",
        |dialogue, millis| {
            dialogue.settings().move_overhead = Duration::from_millis(millis.unsigned_abs());
        },
    ),
    spin(
        "nodestime",
        [0, 0, 10_000],
        "nodes that count as a millisecond on the clock; 0 for real time",
        |dialogue, nodes| {
            let per_ms = nodes.unsigned_abs();
            let unit = if per_ms == 0 { TimeUnit::Time } else { TimeUnit::Nodes(per_ms) };
            dialogue.engine.set_time_unit(unit);
        },
    ),
    check("Ponder", false, "declares that the engine can ponder; no need to set it", |_, _| ()),
    OptionSpec {
        name: "Clear Hash",
        kind: OptionKind::Button(|dialogue| dialogue.engine.clear()),
        meaning: "clears the transposition table and all histories",
    },
    text("EvalFile", OWN_NETWORK, "file of the network to evaluate with", set_network),
    text("SyzygyPath", "", "folders with Syzygy tablebases", set_tablebases),
    spin(
        "SyzygyProbeDepth",
        [1, 1, 100],
        "minimum depth for probing the largest tablebases",
        |dialogue, depth| dialogue.settings().probing.min_depth = depth as i32,
    ),
    spin(
        "SyzygyProbeLimit",
        [MAX_TABLEBASE_PIECES as i64, 0, MAX_TABLEBASE_PIECES as i64],
        "maximum number of pieces, kings included, of positions that are probed",
        |dialogue, pieces| dialogue.settings().probing.max_pieces = pieces as usize,
    ),
    check(
        "Syzygy50MoveRule",
        true,
        "counts tablebase wins prevented by the fifty-move rule as draws",
        |dialogue, on| dialogue.settings().probing.fifty_moves = on,
    ),
    check("UCI_LimitStrength", false, "limits the strength to UCI_Elo", |dialogue, on| {
        dialogue.settings().strength.is_limited = on;
    }),
    spin(
        "UCI_Elo",
        [DEFAULT_ELO as i64, MIN_ELO as i64, MAX_ELO as i64],
        "the strength if UCI_LimitStrength is set",
        |dialogue, elo| dialogue.settings().strength.elo = elo as i32,
    ),
    spin(
        "Skill Level",
        [MAX_SKILL as i64, 0, MAX_SKILL as i64],
        "limits the strength to a level, 20 is full strength; UCI_LimitStrength overrides it",
        |dialogue, level| dialogue.settings().strength.skill_level = level as i32,
    ),
    spin(
        "Strength Seed",
        [0, 0, i32::MAX as i64],
        "at limited strength the same number makes the same mistakes; 0 for others at each move",
        |dialogue, seed| {
            dialogue.settings().strength.seed = (seed != 0).then_some(seed.unsigned_abs());
        },
    ),
    check("UCI_Chess960", false, "writes castling as king takes rook", |dialogue, on| {
        dialogue.castling_mode = if on { CastlingMode::Chess960 } else { CastlingMode::Standard };
    }),
    check("UCI_ShowWDL", false, "shows wins, draws and losses per 1000 games", |dialogue, on| {
        dialogue.show_wdl = on;
    }),
    check("UCI_AnalyseMode", false, "no effect: the engine analyses as it plays", |_, _| ()),
    text("UCI_Opponent", "", "no effect: the play does not depend on the opponent", |_, _| ()),
    text("UCI_EngineAbout", ABOUT, "describes the engine; cannot be changed", |_, _| ()),
    text(
        "Debug Log File",
        "",
        "file to which all input and output is appended, with times",
        |dialogue, path| {
            if let Err(problem) = dialogue.output.open_log(path) {
                let path = encoding::path(path);
                let refusal = format!("cannot open the debug log {}: {problem}", path.display());
                dialogue.refuse(&(refusal + "; nothing is logged"));
            }
        },
    ),
];

const fn check(
    name: &'static str,
    default: bool,
    meaning: &'static str,
    set: Effect<bool>,
) -> OptionSpec {
    OptionSpec { name, kind: OptionKind::Check(default, set), meaning }
}

const fn spin(
    name: &'static str,
    range: [i64; 3],
    meaning: &'static str,
    set: Effect<i64>,
) -> OptionSpec {
    OptionSpec { name, kind: OptionKind::Spin(range, set), meaning }
}

const fn text(
    name: &'static str,
    default: &'static str,
    meaning: &'static str,
    set: fn(&mut Dialogue, &str),
) -> OptionSpec {
    OptionSpec { name, kind: OptionKind::Text(default, set), meaning }
}

const ABOUT: &str = concat!(
    "Carrybit ",
    env!("CARRYBIT_VERSION"),
    ", a chess engine on a 0x88 board, free under MIT or Apache-2.0"
);

/// The value of `EvalFile` for the engine's own network.
const OWN_NETWORK: &str = "<embedded>";

fn set_network(dialogue: &mut Dialogue, path: &str) {
    if path.is_empty() || path == OWN_NETWORK {
        dialogue.engine.set_network(Network::embedded());
    } else {
        let path = encoding::path(path);
        if let Err(problem) = dialogue.engine.load_network(&path) {
            let file = path.display();
            return dialogue
                .refuse(&format!("cannot use {file}: {problem}; EvalFile is unchanged"));
        }
    }
    dialogue.output.message(&format!("evaluation: {}", dialogue.engine.network()));
}

/// The number of problems with tablebases to print. Further ones are only counted.
const MAX_PROBLEMS: usize = 8;

fn set_tablebases(dialogue: &mut Dialogue, path: &str) {
    let mut problems = dialogue.engine.set_tablebases(&encoding::folders(path));
    let more = problems.len().saturating_sub(MAX_PROBLEMS);
    problems.truncate(MAX_PROBLEMS);
    if more > 0 {
        problems.push(format!("problems with tablebases that are not listed: {more}"));
    }
    let tablebases = dialogue.engine.tablebases();
    let [wdl, dtz] = tablebases.counts();
    let most = tablebases.max_pieces();
    dialogue.deferred_message = (most > 0)
        .then(|| format!("found tablebases: {wdl} WDL and {dtz} DTZ, up to {most} pieces"));
    if dialogue.deferred_message.is_none() && !path.is_empty() {
        problems.push("found no tablebases".to_owned());
    }
    problems.iter().for_each(|problem| dialogue.output.message(problem));
}

fn find(name: &str) -> Option<&'static OptionSpec> {
    OPTIONS.iter().find(|option| option.name.eq_ignore_ascii_case(name))
}

/// Whether there is an option of this name that can be set to `value`, perhaps clamped. With the
/// feature `spsa`, any other name may be a parameter.
pub(super) fn accepts(name: &str, value: &str) -> bool {
    match find(name).map(|option| &option.kind) {
        Some(OptionKind::Check(..)) => read_bool(value).is_some(),
        Some(OptionKind::Spin(..)) => integer(value).is_some(),
        Some(OptionKind::Text(..) | OptionKind::Button(_)) => true,
        None => cfg!(feature = "spsa") && tuning::has(name),
    }
}

/// Sets an option. An invalid value or an unknown name changes nothing; a number out of
/// range is clamped.
pub(super) fn set(dialogue: &mut Dialogue, name: &str, value: &str) {
    let Some(OptionSpec { name, kind, .. }) = find(name) else {
        if cfg!(feature = "spsa") && tuning::set(dialogue, name, value) {
            return;
        }
        let advice = match nearest(name, OPTIONS.iter().map(|option| option.name)) {
            Some(known) => format!("did you mean {known}?"),
            None => "uci lists the options".to_owned(),
        };
        return dialogue.refuse(&format!("unknown option {name}: nothing is set; {advice}"));
    };
    match *kind {
        OptionKind::Check(_, set) => {
            if let Some(on) = dialogue.read_bool(name, value) {
                set(dialogue, on);
            }
        }
        OptionKind::Spin([_, min, max], set) => {
            if let Some(number) = dialogue.read_number(name, value, [min, max]) {
                set(dialogue, number);
            }
        }
        OptionKind::Text(_, set) => set(dialogue, value),
        OptionKind::Button(press) => press(dialogue),
    }
}

impl OptionSpec {
    pub(super) fn usage(&self) -> String {
        let name = self.name;
        match self.kind {
            OptionKind::Check(..) => format!("{name} (true, false)"),
            OptionKind::Spin([_, min, max], _) => format!("{name} ({min} to {max})"),
            OptionKind::Text(..) => format!("{name} (text)"),
            OptionKind::Button(_) => format!("{name} (no value)"),
        }
    }
}

/// The search parameters as options, in a build with the feature `spsa`.
pub(super) mod tuning {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::Dialogue;
    use crate::search::limits::Limits;
    use crate::search::params::{ALL, Param};

    const SOFT_NODES: &str = "SoftNodes";
    static IS_SOFT: AtomicBool = AtomicBool::new(false);

    /// Makes a node limit soft if `SoftNodes` is set.
    pub fn adjust(limits: Limits) -> Limits {
        if IS_SOFT.load(Relaxed) { limits.with_soft_nodes() } else { limits }
    }

    /// The lines that declare the parameters and `SoftNodes`.
    pub fn declarations() -> impl Iterator<Item = String> {
        let params = ALL.iter().map(|Param { name, value, min, max, .. }| {
            format!("option name {name} type spin default {value} min {min} max {max}")
        });
        params.chain([format!("option name {SOFT_NODES} type check default false")])
    }

    /// Whether `name` is a parameter or `SoftNodes`.
    pub(super) fn has(name: &str) -> bool {
        let names = ALL.iter().map(|param| param.name).chain([SOFT_NODES]);
        names.into_iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Sets a parameter or `SoftNodes`. Returns whether `name` is one of them.
    pub(super) fn set(dialogue: &mut Dialogue, name: &str, value: &str) -> bool {
        if name.eq_ignore_ascii_case(SOFT_NODES) {
            if let Some(is_soft) = dialogue.read_bool(SOFT_NODES, value) {
                IS_SOFT.store(is_soft, Relaxed);
            }
            return true;
        }
        let Some(param) = ALL.iter().find(|param| param.name.eq_ignore_ascii_case(name)) else {
            return false;
        };
        let range = [param.min, param.max].map(i64::from);
        if let Some(number) = dialogue.read_number(name, value, range) {
            param.live.store(number as i32, Relaxed);
        }
        true
    }
}
