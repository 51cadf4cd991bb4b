//! The numbers by which a node decides, each named once, with its range.
//!
//! A normal build compiles them in as constants. With the feature `spsa` each
//! is a UCI option that a tuner may set, and `carrybit params` prints them all
//! in the form that OpenBench reads.
//!
//! Endings of names: `_cp` centipawns, `_plies` plies of depth, `_1024`
//! 1/1024ths, `_per_depth` is multiplied by the depth left, `_max_depth` is the
//! greatest depth at which a technique is used.

use crate::board::SeeValues;

/// Values of pawn to king for exchanges, in centipawns.
pub const SEE_VALUES: SeeValues = [100, 320, 330, 500, 900, 0];

/// One ply, as reductions count.
pub const PLY_1024: i32 = 1024;

/// Above this the fifty-move clock makes table scores doubtful.
pub const CUTOFF_MAX_HALFMOVE: u16 = 90;

/// A number of the search that can be tuned.
#[derive(Debug)]
pub struct Param {
    /// Its name, also as an option.
    pub name: &'static str,
    /// The value that a normal build uses.
    pub value: i32,
    /// The least value that makes sense.
    pub min: i32,
    /// The greatest value that makes sense.
    pub max: i32,
    /// By how much a tuner should vary it at the end of its run.
    pub step: f64,
    /// The value in use.
    #[cfg(feature = "spsa")]
    pub live: &'static std::sync::atomic::AtomicI32,
}

/// Learning rate at the end of a tuning run, the same for all.
const SPSA_RATE: f64 = 0.002;

impl Param {
    /// The line that OpenBench's SPSA form wants: `name, int, value, min, max,
    /// c_end, r_end`.
    #[must_use]
    pub fn spsa_line(&self) -> String {
        let Param { name, value, min, max, step, .. } = self;
        format!("{name}, int, {value}, {min}, {max}, {step}, {SPSA_RATE}")
    }
}

/// Declares the table: for each line a function that gives the value, and an
/// entry in `ALL`.
macro_rules! params {
    ($($(#[doc = $doc:literal])+ $name:ident = $value:literal, $min:literal..=$max:literal, $step:literal;)+) => {
        $(
            $(#[doc = $doc])+
            #[cfg(not(feature = "spsa"))]
            #[inline]
            #[must_use]
            pub const fn $name() -> i32 {
                $value
            }

            $(#[doc = $doc])+
            #[cfg(feature = "spsa")]
            #[inline]
            #[must_use]
            pub fn $name() -> i32 {
                live::$name.load(std::sync::atomic::Ordering::Relaxed)
            }
        )+

        /// The values in use, for a tuner to change.
        #[cfg(feature = "spsa")]
        #[allow(non_upper_case_globals, reason = "they bear the names of their parameters")]
        mod live {
            use std::sync::atomic::AtomicI32;
            $(pub static $name: AtomicI32 = AtomicI32::new($value);)+
        }

        /// All parameters, in the order of this file.
        pub static ALL: &[Param] = &[$(Param {
            name: stringify!($name),
            value: $value,
            min: $min,
            max: $max,
            step: $step,
            #[cfg(feature = "spsa")]
            live: &live::$name,
        }),+];
    };
}

params! {
    /// Half the first aspiration window.
    aspiration_cp = 14, 5..=40, 2.0;
    /// From this iteration on the window is narrow at first.
    aspiration_min_depth = 5, 3..=8, 0.5;
    /// A window grown beyond this is opened altogether.
    aspiration_open_cp = 500, 200..=1000, 40.0;
    /// How many plies a search that fails high may be shortened by.
    aspiration_max_reduction_plies = 3, 0..=5, 0.5;

    /// The static evaluation fades with the fifty-move clock: it is
    /// multiplied by this less the clock, and divided by this.
    fifty_move_fade = 200, 110..=400, 15.0;

    /// Table: from this depth on, an entry may settle a node otherwise than
    /// expected.
    table_contrary_min_depth = 6, 3..=12, 0.5;

    /// Hindsight: a parent reduced by so many plies was reduced too much if the
    /// mover's hopes were not in vain.
    hindsight_deeper_plies = 3, 1..=5, 0.5;
    /// Hindsight: a parent reduced by so many plies may be reduced further...
    hindsight_shallower_plies = 2, 1..=5, 0.5;
    /// ...if both sides' evaluations add up to this in our favour.
    hindsight_shallower_cp = 100, 20..=300, 14.0;

    /// Razoring: the margin under alpha at depth 0.
    razoring_base_cp = 225, 50..=500, 22.0;
    /// Razoring: the margin for each ply left.
    razoring_cp_per_depth = 213, 50..=400, 18.0;
    /// Razoring is used up to this depth.
    razoring_max_depth = 1, 1..=6, 0.5;

    /// Reverse futility: the margin for each ply left.
    reverse_futility_cp_per_depth = 66, 40..=140, 5.0;
    /// Reverse futility is used up to this depth.
    reverse_futility_max_depth = 11, 4..=14, 0.5;

    /// Null move: the least depth.
    null_move_min_depth = 3, 2..=5, 0.5;
    /// Null move: how far above beta the static evaluation must be at depth 0.
    null_move_margin_cp = 85, 0..=300, 15.0;
    /// Null move: how much less it may be for each ply left.
    null_move_cp_per_depth = 13, 5..=30, 1.2;
    /// Null move: plies it is reduced by, besides those below.
    null_move_reduction_plies = 4, 2..=6, 0.5;
    /// Null move: one ply more for so many plies left.
    null_move_depth_div = 3, 2..=6, 0.5;
    /// Null move: one ply more for so much evaluation above beta.
    null_move_eval_div_cp = 150, 80..=400, 16.0;
    /// Null move: the most plies that the evaluation adds.
    null_move_eval_max_plies = 4, 1..=6, 0.5;
    /// Null move: from this depth on its success is verified by a search
    /// without one.
    null_move_verify_min_depth = 15, 10..=30, 0.5;

    /// Internal iterative reduction: the least depth.
    iir_min_depth = 3, 2..=7, 0.5;

    /// Probcut: the least depth.
    probcut_min_depth = 5, 3..=8, 0.5;
    /// Probcut: how far above beta a capture must come.
    probcut_margin_cp = 180, 80..=350, 13.0;
    /// Probcut: plies it is reduced by.
    probcut_reduction_plies = 4, 3..=6, 0.5;

    /// Late moves: the place in the order from which on quiet moves are left out
    /// at depth 0; half of that if things are not improving.
    late_moves_base = 4, 2..=8, 0.5;

    /// Futility: the margin at depth 0.
    futility_base_cp = 100, 20..=250, 11.0;
    /// Futility: the margin for each ply left.
    futility_cp_per_depth = 80, 30..=160, 6.0;
    /// Futility: a centipawn more for so much history.
    futility_history_div = 64, 16..=256, 12.0;
    /// Futility is used up to this (reduced) depth.
    futility_max_depth = 7, 4..=12, 0.5;

    /// History pruning: quiet moves with less than minus this for each ply left
    /// are not searched.
    history_pruning_per_depth = 2400, 800..=5000, 200.0;
    /// History pruning is used up to this (reduced) depth.
    history_pruning_max_depth = 5, 2..=8, 0.5;

    /// Exchanges: how much a quiet move may lose, for each ply left squared.
    see_quiet_cp_per_depth_squared = 28, 10..=60, 2.5;
    /// Exchanges: how much a capture may lose, for each ply left.
    see_noisy_cp_per_depth = 84, 40..=160, 6.0;
    /// Exchanges: a capture may lose one centipawn more for so much history.
    see_noisy_history_div = 48, 16..=256, 8.0;

    /// Singular extension: the least depth.
    singular_min_depth = 6, 4..=9, 0.5;
    /// Singular extension: how much shallower than the node the table's score
    /// may be.
    singular_table_plies = 3, 2..=5, 0.5;
    /// Singular extension: how much worse all others must be, for each ply left,
    /// in 1/16 centipawns.
    singular_cp_per_depth_16 = 18, 8..=48, 2.0;
    /// Singular extension: a second ply if they are worse by so much more.
    singular_double_cp = 18, 0..=60, 3.0;
    /// Singular extension: a third ply for a quiet move if by so much.
    singular_triple_cp = 90, 40..=200, 8.0;
    /// Singular extension: a second ply on the principal variation if by so much.
    singular_pv_double_cp = 60, 0..=300, 12.0;
    /// Singular extension: so many times a line may be extended by more than a
    /// ply.
    singular_max_doubles = 8, 2..=16, 0.7;
    /// Singular extension: plies taken off if the table's move is not singular
    /// and its score is above beta,
    singular_negative_plies = 2, 1..=4, 0.5;
    /// or if the node is expected to fail high anyway.
    singular_cutnode_plies = 1, 0..=3, 0.5;

    /// Once a move has raised alpha, the others are searched a ply less, from this
    /// depth on
    raised_min_depth = 3, 2..=8, 0.5;
    /// up to this one.
    raised_max_depth = 13, 4..=30, 1.0;

    /// Lines are extended up to so many plies for each of the iteration's.
    extension_plies_per_depth = 2, 1..=3, 0.5;

    /// Reductions: the least depth.
    lmr_min_depth = 2, 2..=4, 0.5;
    /// Reductions: the first move (counted from 1) to be reduced.
    lmr_min_move = 2, 2..=4, 0.5;
    /// Reduction of quiet moves: constant part.
    lmr_quiet_base_1024 = 909, 300..=1500, 60.0;
    /// Reduction of quiet moves: the product of logarithms is divided by this.
    lmr_quiet_div_1024 = 2247, 1500..=3500, 100.0;
    /// Reduction of noisy moves: constant part.
    lmr_noisy_base_1024 = 274, -500..=1000, 75.0;
    /// Reduction of noisy moves: the product of logarithms is divided by this.
    lmr_noisy_div_1024 = 3586, 2000..=5000, 150.0;
    /// Reductions: so much history of a quiet move is worth one ply.
    lmr_quiet_history_div = 7738, 4096..=16384, 600.0;
    /// Reductions: so much history of a noisy move is worth one ply.
    lmr_noisy_history_div = 8192, 3000..=16384, 600.0;
    /// Reductions: less on the principal variation.
    lmr_pv_1024 = 1024, 0..=2000, 85.0;
    /// Reductions: less where the position is, or was, on a principal variation.
    lmr_was_pv_1024 = 1024, 300..=2000, 85.0;
    /// Reductions: more in nodes expected to fail high.
    lmr_cutnode_1024 = 1498, 500..=2800, 110.0;
    /// Reductions: more in such a node if the table has no move for it.
    lmr_no_table_move_1024 = 1024, 0..=2000, 90.0;
    /// Reductions: less on what is or was a principal variation if the table's
    /// score is above alpha,
    lmr_table_alpha_1024 = 600, 0..=1600, 80.0;
    /// and if it comes from a search as deep.
    lmr_table_depth_1024 = 600, 0..=1600, 80.0;
    /// Reductions: more if the evaluation is not improving.
    lmr_not_improving_1024 = 700, 0..=1600, 80.0;
    /// Reductions: less for a move that gives check.
    lmr_check_1024 = 900, 0..=2000, 80.0;
    /// Reductions: more for quiet moves if the table's move is a capture.
    lmr_table_capture_1024 = 934, 0..=2000, 90.0;
    /// Reductions: more if moves thereabouts were refuted...
    lmr_cutoffs_1024 = 990, 0..=2000, 90.0;
    /// ...so often or more.
    lmr_cutoffs_min = 3, 1..=6, 0.5;
    /// Reductions: less if the static evaluation is known to err...
    lmr_correction_1024 = 480, 0..=1600, 80.0;
    /// ...by more than this.
    lmr_correction_cp = 38, 15..=120, 5.0;
    /// Reductions: a reduced search that comes out so far above the best
    /// deserves a ply more,
    lmr_deeper_cp = 42, 15..=120, 5.0;
    /// and so much more for each ply left;
    lmr_deeper_cp_per_depth = 3, 0..=8, 0.5;
    /// one that comes out by less than this, a ply less.
    lmr_shallower_cp = 12, 0..=30, 2.0;

    /// Quiescence: the margin under alpha at which a capture is hopeless.
    quiescence_futility_cp = 200, 60..=350, 14.0;
    /// Quiescence: captures tried, besides those that take back.
    quiescence_max_moves = 3, 2..=8, 0.5;

    /// History: bonus for each ply left.
    history_bonus_per_depth = 140, 60..=300, 12.0;
    /// History: taken off the bonus.
    history_bonus_offset = 80, 0..=300, 15.0;
    /// History: the greatest bonus.
    history_bonus_max = 1500, 600..=3000, 120.0;
    /// History: malus for each ply left.
    history_malus_per_depth = 160, 40..=300, 12.0;
    /// History: taken off the malus.
    history_malus_offset = 60, 0..=300, 15.0;
    /// History: the greatest malus.
    history_malus_max = 1600, 400..=3000, 120.0;

    /// History: the part of the bonus that a quiet move gets which left the
    /// opponent without a good answer.
    unanswered_bonus_percent = 100, 0..=150, 8.0;
    /// History: the bonus of a quiet move for each centipawn by which the static
    /// evaluation rose with it,
    eval_bonus_per_cp = 10, 2..=30, 1.4;
    /// its greatest bonus,
    eval_bonus_max = 350, 100..=1000, 45.0;
    /// and its greatest malus.
    eval_malus_max = 200, 50..=1000, 45.0;

    /// Order of quiet moves: the bonus of a check...
    check_bonus = 8192, 0..=24576, 1000.0;
    /// ...that loses no more than this by exchanges.
    check_max_loss_cp = 75, 0..=300, 15.0;
    /// Order of captures: the worth of a victim, for each centipawn.
    victim_weight = 14, 2..=24, 1.0;
    /// Order of captures: one that loses no more than a centipawn for so much
    /// of its history still counts as good.
    good_capture_history_div = 64, 16..=512, 16.0;

    /// Correction: the weight of the pawns' table, for each of its 1/1024.
    correction_pawn = 65, 10..=120, 6.0;
    /// Correction: the weight of each side's pieces' table.
    correction_non_pawn = 49, 10..=120, 6.0;
    /// Correction: the weight of the table of knights and bishops.
    correction_minor = 35, 0..=120, 6.0;
    /// Correction: the weight of the table of rooks and queens.
    correction_major = 24, 0..=120, 6.0;
    /// Correction: the weight of the table of the last two moves.
    correction_continuation = 57, 0..=120, 6.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_range_and_has_a_name_of_its_own() {
        for (i, param) in ALL.iter().enumerate() {
            assert!((param.min..=param.max).contains(&param.value), "{}", param.name);
            assert!(param.step > 0.0 && param.step * 4.0 <= f64::from(param.max - param.min));
            assert!(ALL[..i].iter().all(|other| other.name != param.name));
        }
    }

    #[test]
    fn openbench_can_read_a_parameter() {
        let line = ALL[0].spsa_line();
        assert_eq!(line, "aspiration_cp, int, 14, 5, 40, 2, 0.002");
    }
}
