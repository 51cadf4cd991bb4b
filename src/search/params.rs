//! The parameters of the search, each named once, with its range.
//!
//! `lmr::min_depth()` is the parameter `lmr_min_depth`. A normal build compiles them in as
//! constants. With the feature `spsa` each is a UCI option for a tuner, and `carrybit params`
//! prints all of them in OpenBench's form.
//!
//! Endings of names: `_cp` centipawns, `_plies` plies of depth, `_16` 1/16ths and so on to `_1024`,
//! `_div` a divisor. Margins are `base_cp` at depth 0 plus `cp_per_depth` for each ply left; a
//! technique is used from `min_depth` to `max_depth`.

use std::sync::atomic::AtomicI32;

use carrybit_board::SeeValues;
use carrybit_board::draw::FIFTY_MOVES_PLIES;

use crate::score::Score;

/// Values of the pieces in exchanges, pawn to king, in centipawns.
pub const SEE_VALUES: SeeValues = [100, 320, 330, 500, 900, 0];

/// One ply, as reductions count it.
pub const PLY_1024: i32 = 1024;

/// No transposition table cutoffs from this fifty-move clock on: scores stored with a lower clock
/// may be wrong.
pub const CUTOFF_MAX_HALFMOVE: u16 = 90;

/// A search parameter, which can be tuned.
#[derive(Debug)]
pub struct Param {
    /// Its name, also as an option.
    pub name: &'static str,
    /// The value that a normal build uses.
    pub value: i32,
    /// The least useful value.
    pub min: i32,
    /// The greatest useful value.
    pub max: i32,
    /// The perturbation at the end of a tuning run.
    pub step: f64,
    /// The value in use; a normal build ignores it.
    pub live: &'static AtomicI32,
}

/// Learning rate at the end of a tuning run.
const SPSA_RATE: f64 = 0.002;

impl Param {
    /// The parameter in OpenBench's SPSA form: `name, int, value, min, max, c_end, r_end`.
    pub fn spsa_line(&self) -> String {
        let Param { name, value, min, max, step, .. } = self;
        format!("{name}, int, {value}, {min}, {max}, {step}, {SPSA_RATE}")
    }
}

/// Declares a module for each group, with a function for each value, and `ALL`.
macro_rules! params {
    ($(
        $(#[doc = $about:literal])*
        $group:ident {
            $($(#[doc = $doc:literal])* $name:ident = $value:literal, $min:literal..=$max:literal, $step:literal;)+
        }
    )+) => {
        $(
            $(#[doc = $about])*
            pub(super) mod $group {
                use std::sync::atomic::Ordering::Relaxed;

                $(
                    $(#[doc = $doc])*
                    #[inline]
                    pub(in crate::search) fn $name() -> i32 {
                        if cfg!(feature = "spsa") { live::$name.load(Relaxed) } else { $value }
                    }
                )+

                /// The values in use, which a tuner may change.
                #[allow(non_upper_case_globals, reason = "named like the parameters")]
                pub(super) mod live {
                    use std::sync::atomic::AtomicI32;
                    $(pub(in crate::search) static $name: AtomicI32 = AtomicI32::new($value);)+
                }
            }
        )+

        /// All parameters, in the order of this file.
        pub static ALL: &[Param] = &[$($(Param {
            name: concat!(stringify!($group), "_", stringify!($name)),
            value: $value,
            min: $min,
            max: $max,
            step: $step,
            live: &$group::live::$name,
        }),+),+];
    };
}

params! {
    aspiration {
        /// Half the width of the first window.
        cp = 15, 5..=40, 2.0;
        min_depth = 5, 3..=8, 0.5;
        /// A window wider than this is opened completely.
        open_cp = 500, 200..=1000, 40.0;
        /// The maximum reduction after fail highs.
        max_reduction_plies = 3, 0..=5, 0.5;
    }

    fifty_move {
        /// The static evaluation is multiplied by (fade - clock) / fade.
        fade = 200, 110..=400, 15.0;
    }

    /// Transposition table cutoffs.
    tt {
        /// Minimum depth of a cutoff that contradicts the expected node type.
        contrary_min_depth = 6, 3..=12, 0.5;
    }

    hindsight {
        /// After a reduction of at least this, search deeper if the evaluation did not rise.
        deeper_plies = 3, 1..=5, 0.5;
        /// After a reduction of at least this, search shallower if it rose by `shallower_cp`.
        shallower_plies = 2, 1..=5, 0.5;
        shallower_cp = 108, 20..=300, 14.0;
    }

    razoring {
        base_cp = 241, 0..=500, 22.0;
        cp_per_depth = 186, 50..=500, 18.0;
        max_depth = 1, 1..=20, 0.5;
    }

    /// Reverse futility pruning.
    rfp {
        cp_per_depth = 50, 0..=140, 5.0;
        /// Subtracted from the margin if improving.
        improving_cp = 62, 0..=160, 7.0;
        max_depth = 11, 4..=20, 0.5;
    }

    /// Null move pruning.
    nmp {
        min_depth = 3, 2..=5, 0.5;
        /// The static evaluation must exceed beta by this, less `cp_per_depth` for each ply left.
        margin_cp = 113, 0..=300, 15.0;
        cp_per_depth = 13, 5..=30, 1.2;
        /// The reduction is this, plus depth / `depth_div`, plus (evaluation - beta) /
        /// `eval_div_cp`. The last term is at most `eval_max_plies`.
        reduction_plies = 4, 2..=6, 0.5;
        depth_div = 3, 2..=6, 0.5;
        eval_div_cp = 130, 80..=400, 16.0;
        eval_max_plies = 4, 1..=6, 0.5;
        verify_min_depth = 15, 10..=30, 0.5;
    }

    /// Internal iterative reduction.
    iir {
        min_depth = 3, 2..=7, 0.5;
    }

    probcut {
        min_depth = 5, 3..=8, 0.5;
        margin_cp = 164, 80..=350, 13.0;
        /// Subtracted from the margin if improving.
        improving_cp = 21, -80..=120, 20.0;
        reduction_plies = 4, 3..=6, 0.5;
    }

    /// Late move pruning.
    lmp {
        /// The move count limit at depth 0.
        base = 4, 2..=8, 0.5;
        /// Moves more for each squared ply left, in 1/32.
        per_depth_squared_32 = 41, 16..=64, 4.0;
        /// The share of the limit if not improving.
        not_improving_64 = 42, 16..=64, 4.0;
        /// History worth one move more or less.
        history_div = 10651, 3000..=20000, 800.0;
        /// The most moves by which the history raises or lowers the limit.
        history_moves = 3, 1..=6, 0.5;
    }

    /// Futility pruning, at the depth after LMR.
    futility {
        base_cp = 99, 20..=250, 11.0;
        cp_per_depth = 73, 30..=160, 6.0;
        /// History worth one centipawn of margin.
        history_div = 65, 16..=256, 12.0;
        max_depth = 7, 4..=12, 0.5;
    }

    history_pruning {
        /// Prune quiet moves with a history below minus this for each ply left.
        per_depth = 2626, 800..=5000, 200.0;
        /// After LMR.
        max_depth = 5, 2..=8, 0.5;
    }

    /// SEE pruning (static exchange evaluation): how much a move may lose.
    see_pruning {
        quiet_cp_per_depth_squared = 28, 10..=60, 2.5;
        noisy_cp_per_depth = 82, 40..=160, 6.0;
        /// History worth one centipawn more of loss.
        noisy_history_div = 45, 16..=256, 8.0;
    }

    singular {
        min_depth = 6, 4..=9, 0.5;
        /// Below `min_depth`, the TT move of a cut node is extended if the evaluation is below alpha
        /// by this or more.
        shallow_cp = 26, 0..=100, 5.0;
        /// How much shallower than the node the transposition table's entry may be.
        tt_plies = 3, 2..=5, 0.5;
        /// How much worse all other moves must be for each ply left, in 1/16 centipawns.
        cp_per_depth_16 = 15, 8..=48, 2.0;
        /// The same at `tt_pv` nodes off the PV.
        tt_pv_cp_per_depth_16 = 19, 8..=48, 2.0;
        /// Double extension if they are worse by this much more.
        double_cp = 15, 0..=60, 3.0;
        /// Triple extension of a quiet move if they are worse by this much more.
        triple_cp = 88, 40..=200, 8.0;
        /// Instead of `double_cp` at PV nodes.
        pv_double_cp = 57, 0..=300, 12.0;
        /// Maximum number of double and triple extensions on a line.
        max_doubles = 8, 2..=16, 0.7;
        /// Negative extension of a TT move that is not singular, but has a score above beta.
        negative_plies = 2, 1..=4, 0.5;
        /// Negative extension in all other cases at a cut node.
        cutnode_plies = 1, 0..=3, 0.5;
    }

    /// After an alpha raise, the other moves are searched a ply shallower.
    alpha_raise {
        min_depth = 3, 2..=8, 0.5;
        max_depth = 13, 4..=30, 1.0;
    }

    extension {
        /// Only moves at a ply below this times the depth of the iteration are extended.
        plies_per_depth = 2, 1..=3, 0.5;
    }

    /// Late move reductions.
    lmr {
        min_depth = 2, 2..=4, 0.5;
        /// The first move to reduce, counted from 1.
        min_move = 2, 2..=4, 0.5;
        quiet_base_1024 = 934, 300..=1500, 60.0;
        /// Divisor of the product of logarithms.
        quiet_div_1024 = 2062, 1500..=3500, 100.0;
        noisy_base_1024 = 307, -500..=1000, 75.0;
        noisy_div_1024 = 3807, 2000..=5000, 150.0;
        /// History worth one ply.
        quiet_history_div = 6964, 4096..=16384, 600.0;
        noisy_history_div = 8549, 3000..=16384, 600.0;
        /// More reduction at a cut node.
        cutnode_1024 = 1459, 500..=2800, 110.0;
        /// More at a cut node without a TT move.
        no_tt_move_1024 = 1009, 0..=2000, 90.0;
        /// More if not improving.
        not_improving_1024 = 765, 0..=1600, 80.0;
        /// More for a quiet move if the TT move is noisy.
        tt_capture_1024 = 1055, 0..=2000, 90.0;
        /// More if child nodes have failed high at least `cutoffs_min` times.
        cutoffs_1024 = 1153, 0..=2000, 90.0;
        cutoffs_min = 3, 1..=6, 0.5;
        /// More for a recapture.
        recapture_1024 = 263, -800..=1000, 180.0;
        /// More for each 16 centipawns that the evaluation is below alpha.
        below_alpha_1024 = 8, -48..=64, 9.0;
        /// The most such centipawns.
        below_alpha_max_cp = 400, 100..=1000, 60.0;
        /// Less at an all-node, neither on the PV nor a cut node.
        all_node_1024 = 207, -800..=800, 150.0;
        /// Less at a PV node.
        pv_1024 = 930, 0..=2000, 85.0;
        /// Less at a `tt_pv` node.
        tt_pv_1024 = 1016, 300..=2000, 85.0;
        /// Less at a `tt_pv` node if the TT score is above alpha.
        tt_above_alpha_1024 = 500, 0..=1600, 80.0;
        /// Less at a `tt_pv` node if the TT entry is at least as deep as the node.
        tt_depth_1024 = 498, 0..=1600, 80.0;
        /// Less for a move that gives check.
        check_1024 = 862, 0..=2000, 80.0;
        /// Less if the node's correction is larger than `correction_cp` in either direction.
        correction_1024 = 397, 0..=1600, 80.0;
        correction_cp = 37, 15..=120, 5.0;
        /// The re-search is a ply deeper if the score exceeds the best one by more than this, plus
        /// `deeper_cp_per_depth` for each ply left.
        deeper_cp = 34, 15..=120, 5.0;
        deeper_cp_per_depth = 3, 0..=8, 0.5;
        /// The re-search is a ply shallower if the score exceeds the best one by less than this.
        shallower_cp = 11, 0..=30, 2.0;
    }

    /// Exceptions from pruning and reductions while the side to move at the root is winning, so that
    /// the search finds more mates.
    seek_mate {
        /// Winning: the score of the last iteration is this or more.
        min_cp = 150, 0..=1000, 25.0;
        /// Less reduction for a check of the side that wins.
        check_1024 = 1138, 0..=2000, 90.0;
    }

    quiescence {
        /// How much a capture must win by SEE.
        see_cp = 13, -80..=60, 14.0;
        futility_cp = 205, 60..=350, 14.0;
        /// LMP: after this many moves only recaptures and checks are searched.
        max_moves = 3, 2..=8, 0.5;
    }

    /// Bonus and malus of all histories: `per_depth` times depth less `offset`, at most `max`.
    history {
        bonus_per_depth = 168, 60..=300, 12.0;
        bonus_offset = 49, 0..=300, 15.0;
        bonus_max = 1485, 600..=3000, 120.0;
        malus_per_depth = 158, 40..=300, 12.0;
        malus_offset = 57, 0..=300, 15.0;
        malus_max = 1648, 400..=3000, 120.0;
    }

    continuation {
        /// Its part of bonus and malus, and of the bonus of `fail_low`.
        bonus_16 = 20, 4..=24, 3.0;
        /// The limit of the gravity on the sum of a move's scores; more than the largest change,
        /// by `fail_low`.
        sum_max = 9046, 6800..=20000, 800.0;
    }

    /// Nodes that fail low unexpectedly.
    fail_low {
        /// Bonus of the quiet move that led to the node.
        bonus_percent = 107, 0..=150, 8.0;
    }

    /// Change of a move's butterfly history, and of its continuation history, by the rise or fall of
    /// the static evaluation after it.
    eval_hist {
        bonus_per_cp = 10, 2..=30, 1.4;
        bonus_max = 382, 100..=1000, 45.0;
        malus_max = 194, 50..=1000, 45.0;
        /// The part of the change that the continuation history gets.
        continuation_16 = 4, -16..=16, 3.0;
    }

    /// Move ordering: bonus of quiet checks that lose at most `max_loss_cp` by SEE.
    order_check {
        bonus = 8013, 0..=24576, 1000.0;
        max_loss_cp = 78, 0..=300, 15.0;
    }

    /// Move ordering: most valuable victim first.
    mvv {
        /// For each centipawn of the victim's value.
        weight = 16, 2..=24, 1.0;
    }

    /// Move ordering: good captures.
    good_noisy {
        /// History worth one centipawn of loss.
        history_div = 45, 16..=512, 16.0;
    }

    corrhist {
        /// An update is error in centipawns * depth / this.
        change_div = 7, 2..=24, 1.0;
        /// Weights of the tables.
        pawn = 56, 10..=120, 6.0;
        non_pawn = 55, 10..=120, 6.0;
        minor = 38, 0..=120, 6.0;
        major = 23, 0..=120, 6.0;
        continuation = 59, 0..=120, 6.0;
    }
}

/// The share of a static evaluation that is left at this fifty-move clock: numerator and denominator.
pub fn share_at_clock(clock: u16) -> [Score; 2] {
    let fade = fifty_move::fade();
    [fade - Score::from(clock.min(FIFTY_MOVES_PLIES)), fade]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_in_their_ranges_and_names_are_unique() {
        for (i, param) in ALL.iter().enumerate() {
            assert!((param.min..=param.max).contains(&param.value), "{}", param.name);
            assert!(param.step > 0.0 && param.step * 4.0 <= f64::from(param.max - param.min));
            assert!(ALL[..i].iter().all(|other| other.name != param.name));
        }
        let param = Param { value: 14, ..ALL[0] };
        assert_eq!(param.spsa_line(), "aspiration_cp, int, 14, 5, 40, 2, 0.002");
    }
}
