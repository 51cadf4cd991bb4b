//! Every decision to search less, or more: margins, reductions, counts,
//! extensions. Pure functions of what the node knows, each with its reason.

use super::params::*;
use super::transposition::Entry;
use crate::board::Move;
use crate::score::{self, Score};

/// What a node knows about itself when it decides what to leave out.
#[derive(Clone, Copy, Debug)]
pub struct Outlook {
    /// Plies left.
    pub depth: i32,
    /// The static evaluation, corrected by the table's score.
    pub eval: Score,
    /// Whether the evaluation is better than at our last turn.
    pub improving: bool,
    /// Whether the position is, or was, on a principal variation.
    pub was_pv: bool,
}

/// Table: whether its `entry` settles a node of `depth` with a window of one point
/// below `beta`. One that contradicts what is expected of the node (`cutnode`:
/// that it fails high) has to be far from the leaves, where it saves the most.
pub fn is_settled(entry: Entry, depth: i32, beta: Score, cutnode: bool) -> bool {
    entry.cuts(beta)
        && entry.depth >= depth
        && (cutnode == (entry.score >= beta) || depth >= table_contrary_min_depth())
}

/// Hindsight: how much deeper (or, below 0, shallower) than planned a node
/// should be searched, given by how many plies the move that led here was
/// `reduced`, and the static evaluations of both sides before and after it.
pub fn hindsight(depth: i32, reduced: i32, before: Score, eval: Score) -> i32 {
    if reduced >= hindsight_deeper_plies() && eval <= -before {
        1
    } else if reduced >= hindsight_shallower_plies()
        && depth >= 2
        && eval + before > hindsight_shallower_cp()
    {
        -1
    } else {
        0
    }
}

/// Razoring: so far below alpha that only captures can help.
pub fn is_far_below(outlook: Outlook, alpha: Score) -> bool {
    outlook.depth <= razoring_max_depth()
        && outlook.eval + razoring_base_cp() + razoring_cp_per_depth() * outlook.depth < alpha
}

/// Reverse futility: so far above beta that a shallow search will not bring it
/// down. The margin is one ply less if things are going up.
pub fn is_far_above(outlook: Outlook, beta: Score) -> bool {
    let plies = outlook.depth - i32::from(outlook.improving);
    !outlook.was_pv
        && outlook.depth <= reverse_futility_max_depth()
        && outlook.eval - reverse_futility_cp_per_depth() * plies >= beta
}

/// Null move: worth a try if the position already looks good enough.
pub fn tries_null_move(outlook: Outlook, static_eval: Score, beta: Score) -> bool {
    outlook.depth >= null_move_min_depth()
        && outlook.eval >= beta
        && static_eval >= beta + null_move_margin_cp() - null_move_cp_per_depth() * outlook.depth
}

/// Null move: how many plies less than the node the answer is searched.
pub fn null_move_reduction(outlook: Outlook, beta: Score) -> i32 {
    null_move_reduction_plies()
        + outlook.depth / null_move_depth_div()
        + ((outlook.eval - beta) / null_move_eval_div_cp()).min(null_move_eval_max_plies())
}

/// From which ply on passing is allowed again in the search that verifies a null move
/// at `ply` with `plies`: in its last quarter.
#[must_use]
pub fn null_move_min_ply(ply: usize, plies: i32) -> usize {
    ply + (plies.max(0) * 3 / 4) as usize + 1
}

/// Internal iterative reduction: a deep node without a move from the table is
/// poorly ordered; a shallower search will find one for the next time.
pub fn lacks_hash_move(depth: i32, has_hash_move: bool) -> bool {
    depth >= iir_min_depth() && !has_hash_move
}

/// Probcut: what a capture must reach in a shallow search for the node to be
/// cut; `None` if it is not worth a try, because the node is too shallow or the
/// table already says that nothing reaches it.
pub fn probcut_beta(depth: i32, beta: Score, entry: Option<Entry>) -> Option<Score> {
    let wanted = beta + probcut_margin_cp();
    let is_denied = entry.is_some_and(|entry| {
        entry.bound.is_some()
            && entry.depth > depth - probcut_reduction_plies()
            && entry.score < wanted
    });
    (depth >= probcut_min_depth() && !is_denied && !score::is_decisive(beta)).then_some(wanted)
}

/// Late move pruning: after so many moves, quiet ones are hopeless.
pub fn is_late(outlook: Outlook, moves_tried: i32) -> bool {
    let enough = late_moves_base() + outlook.depth * outlook.depth;
    moves_tried >= enough / (2 - i32::from(outlook.improving))
}

/// Futility: so far below alpha that no quiet move will bring it up, checks
/// aside, unless its history speaks for it. `depth` is what would be left after
/// reduction.
pub fn is_futile(eval: Score, history: i32, depth: i32, alpha: Score) -> bool {
    let margin =
        futility_base_cp() + futility_cp_per_depth() * depth + history / futility_history_div();
    depth <= futility_max_depth() && eval + margin <= alpha
}

/// History pruning: a quiet move that has failed so often will fail again.
pub fn is_discredited(history: i32, reduced_depth: i32, depth: i32) -> bool {
    reduced_depth <= history_pruning_max_depth() && history < -history_pruning_per_depth() * depth
}

/// Exchanges: the least a move must win on its square to be searched.
pub fn see_threshold(depth: i32, reduced_depth: i32, history: i32, is_noisy: bool) -> Score {
    if is_noisy {
        (-see_noisy_cp_per_depth() * depth - history / see_noisy_history_div()).min(0)
    } else {
        -see_quiet_cp_per_depth_squared() * reduced_depth * reduced_depth
    }
}

/// Whether the line has not yet grown far beyond the iteration's depth.
pub fn may_extend(ply: usize, root_depth: i32) -> bool {
    (ply as i32) < extension_plies_per_depth() * root_depth
}

/// Singular extension: the score that all other moves must fail to reach if the
/// table's move, with this `entry`, is to count as the only one; `None` if the
/// entry does not promise enough to ask.
pub fn singular_beta(depth: i32, entry: Entry) -> Option<Score> {
    let is_promising = depth >= singular_min_depth()
        && entry.is_at_least()
        && entry.depth >= depth - singular_table_plies()
        && !score::is_decisive(entry.score);
    is_promising.then(|| entry.score - depth * singular_cp_per_depth_16() / 16)
}

/// Singular extension: by how many plies the table's move is extended if all
/// others stay `short` centipawns below what they should reach.
pub fn singular_extension(short: Score, is_pv: bool, is_noisy: bool, doubles: i32) -> i32 {
    let double_cp = if is_pv { singular_pv_double_cp() } else { singular_double_cp() };
    if short <= double_cp || doubles >= singular_max_doubles() {
        1
    } else if is_pv || is_noisy || short <= singular_triple_cp() {
        2
    } else {
        3
    }
}

/// Whether a node that has raised alpha to `score` searches its other moves a ply
/// less: one that does even better is not likely, and not needed so much.
pub fn is_raised(depth: i32, score: Score) -> bool {
    (raised_min_depth()..=raised_max_depth()).contains(&depth) && !score::is_decisive(score)
}

/// Negative extension: by how many plies the table's move is reduced if it is
/// one good move among others.
pub fn singular_reduction(is_above_beta: bool, cutnode: bool) -> i32 {
    if is_above_beta {
        singular_negative_plies()
    } else if cutnode {
        singular_cutnode_plies()
    } else {
        0
    }
}

/// Reduction of the `nth` move (from 1) at `depth`, in 1/1024 plies, before any
/// adjustment: it grows with the logarithms of both.
pub fn base_reduction(depth: i32, nth: i32, is_noisy: bool) -> i32 {
    let product = ln_1024(depth) * ln_1024(nth);
    if is_noisy {
        lmr_noisy_base_1024() + product / lmr_noisy_div_1024()
    } else {
        lmr_quiet_base_1024() + product / lmr_quiet_div_1024()
    }
}

/// How much less a move is reduced for its `history`, in 1/1024 plies.
fn history_relief(history: i32, is_noisy: bool) -> i32 {
    let div = if is_noisy { lmr_noisy_history_div() } else { lmr_quiet_history_div() };
    history * PLY_1024 / div
}

/// The depth that a move with that `base` reduction and `history` would be
/// searched to, as far as can be said before it is made.
pub fn reduced_depth(depth: i32, base: i32, history: i32, is_noisy: bool) -> i32 {
    (depth - (base - history_relief(history, is_noisy)) / PLY_1024).max(0)
}

/// Whether the `nth` move (from 1) is late enough, and the node deep enough, to
/// be reduced; one move later at the root.
pub fn is_reducible(depth: i32, nth: i32, is_root: bool) -> bool {
    depth >= lmr_min_depth() && nth >= lmr_min_move() + i32::from(is_root)
}

/// What the table says of a node, as far as reductions ask.
#[derive(Clone, Copy, Debug)]
pub struct TableView {
    has_move: bool,
    /// Whether its move is a capture: then something else is at stake.
    captures: bool,
    raises_alpha: bool,
    /// Whether its score comes from a search as deep as this.
    is_deep: bool,
}

impl TableView {
    /// Of a node of `depth` with that `alpha`, `entry`, and legal `hash_move`.
    #[must_use]
    pub fn new(entry: Option<Entry>, hash_move: Move, alpha: Score, depth: i32) -> TableView {
        TableView {
            has_move: !hash_move.is_none(),
            captures: hash_move.is_noisy(),
            raises_alpha: entry.is_some_and(|entry| entry.score > alpha),
            is_deep: entry.is_some_and(|entry| entry.depth >= depth),
        }
    }
}

/// What is known of a late move when its reduction is decided.
#[derive(Clone, Copy, Debug)]
pub struct LateMove {
    /// Whether it is noisy.
    pub is_noisy: bool,
    /// Its history score.
    pub history: i32,
    /// Whether the node is expected to fail high: then late moves hardly matter.
    pub cutnode: bool,
    /// What the node knows about itself.
    pub outlook: Outlook,
    /// What the table says of the node.
    pub table: TableView,
    /// Whether the node is on the principal variation.
    pub is_pv: bool,
    /// Whether the move gives check.
    pub gives_check: bool,
    /// How often nodes of the next ply have failed high of late.
    pub cutoffs: i32,
    /// By how much the static evaluation was corrected, in centipawns.
    pub correction: Score,
}

/// By how many plies a late move is reduced, given its `base` reduction.
pub fn reduction(base: i32, late: LateMove) -> i32 {
    let when = |condition: bool, amount: i32| if condition { amount } else { 0 };
    let Outlook { improving, was_pv, .. } = late.outlook;
    let more = when(late.cutnode, lmr_cutnode_1024())
        + when(late.cutnode && !late.table.has_move, lmr_no_table_move_1024())
        + when(!improving, lmr_not_improving_1024())
        + when(late.table.captures && !late.is_noisy, lmr_table_capture_1024())
        + when(late.cutoffs >= lmr_cutoffs_min(), lmr_cutoffs_1024());
    let less = when(late.is_pv, lmr_pv_1024())
        + when(was_pv, lmr_was_pv_1024())
        + when(was_pv && late.table.raises_alpha, lmr_table_alpha_1024())
        + when(was_pv && late.table.is_deep, lmr_table_depth_1024())
        + when(late.gives_check, lmr_check_1024())
        + when(late.correction.abs() > lmr_correction_cp(), lmr_correction_1024())
        + history_relief(late.history, late.is_noisy);
    (base + more - less) / PLY_1024
}

/// To what depth a late move is searched at first, if `new_depth` would be left
/// without its reduction: on the principal variation a ply more.
pub fn late_depth(new_depth: i32, reduction: i32, is_pv: bool) -> i32 {
    (new_depth - reduction).clamp(1, new_depth.max(1)) + i32::from(is_pv)
}

/// A reduced search has beaten alpha: by how many plies the search that checks
/// it differs from the depth planned, given how far its score lies above the
/// best so far.
pub fn re_search_plies(above_best: Score, depth: i32) -> i32 {
    if above_best > lmr_deeper_cp() + lmr_deeper_cp_per_depth() * depth {
        1
    } else if above_best < lmr_shallower_cp() {
        -1
    } else {
        0
    }
}

/// The natural logarithm in 1/1024ths, of 1..=255 (cut to that).
fn ln_1024(x: i32) -> i32 {
    static TABLE: [i32; 256] = ln_table();
    TABLE[x.clamp(1, 255) as usize]
}

const fn ln_table() -> [i32; 256] {
    let mut table = [0; 256];
    let mut x = 1;
    while x < 256 {
        table[x] = ln_of(x as u64);
        x += 1;
    }
    table
}

/// `1024 * ln(x)`, in integers so that it is the same everywhere: the binary
/// logarithm bit by bit through repeated squaring, times ln 2.
const fn ln_of(x: u64) -> i32 {
    const FRACTION_BITS: u32 = 16;
    const LN_2_1024: u64 = 710; // 1024 * ln 2
    let whole = x.ilog2();
    let mut log = (whole as u64) << FRACTION_BITS;
    let mut mantissa = (x << 31) >> whole;
    let mut bit = FRACTION_BITS;
    while bit > 0 {
        bit -= 1;
        mantissa = (mantissa * mantissa) >> 31;
        if mantissa >> 32 != 0 {
            mantissa >>= 1;
            log |= 1 << bit;
        }
    }
    ((log * LN_2_1024) >> FRACTION_BITS) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_logarithm_follows_the_real_one() {
        for x in 1..256 {
            let real = f64::from(x).ln() * 1024.0;
            assert!((f64::from(ln_1024(x)) - real).abs() < 3.0, "{x}");
        }
    }

    #[test]
    fn reductions_grow_with_depth_and_move_number() {
        for depth in 2..64 {
            for nth in 2..64 {
                let here = base_reduction(depth, nth, false);
                assert!(base_reduction(depth + 1, nth, false) >= here);
                assert!(base_reduction(depth, nth + 1, false) >= here);
            }
        }
    }
}
