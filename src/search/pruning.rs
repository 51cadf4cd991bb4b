//! Every decision to search less: margins, reductions, counts. Pure functions
//! of what the node knows, each with its reason.

use super::params::*;
use crate::score::Score;

/// What a node knows about itself when it decides what to leave out.
#[derive(Clone, Copy, Debug)]
pub struct Outlook {
    /// Plies left.
    pub depth: i32,
    /// The static evaluation, corrected by the table's score.
    pub eval: Score,
    /// Whether the evaluation is better than at our last turn.
    pub improving: bool,
}

/// Reverse futility: so far above beta that a shallow search will not bring it
/// down. The margin is one ply less if things are going up.
pub fn is_far_above(outlook: Outlook, beta: Score) -> bool {
    let plies = outlook.depth - i32::from(outlook.improving);
    outlook.depth <= REVERSE_FUTILITY_MAX_DEPTH
        && outlook.eval - REVERSE_FUTILITY_CP_PER_DEPTH * plies >= beta
}

/// Null move: worth a try if the position already looks good enough.
pub fn tries_null_move(outlook: Outlook, static_eval: Score, beta: Score) -> bool {
    outlook.depth >= NULL_MOVE_MIN_DEPTH
        && outlook.eval >= beta
        && static_eval >= beta + NULL_MOVE_MARGIN_CP - NULL_MOVE_CP_PER_DEPTH * outlook.depth
}

/// Null move: how many plies less than the node the answer is searched.
pub fn null_move_reduction(outlook: Outlook, beta: Score) -> i32 {
    NULL_MOVE_REDUCTION_PLIES
        + outlook.depth / NULL_MOVE_DEPTH_DIV
        + ((outlook.eval - beta) / NULL_MOVE_EVAL_DIV_CP).min(NULL_MOVE_EVAL_MAX_PLIES)
}

/// Internal iterative reduction: a deep node without a move from the table is
/// poorly ordered; a shallower search will find one for the next time.
pub fn lacks_table_move(depth: i32, has_table_move: bool) -> bool {
    depth >= IIR_MIN_DEPTH && !has_table_move
}

/// Late move pruning: after so many moves, quiet ones are hopeless.
pub fn is_late(outlook: Outlook, moves_tried: i32) -> bool {
    let depth = outlook.depth;
    depth <= LATE_MOVES_MAX_DEPTH
        && moves_tried >= (LATE_MOVES_BASE + depth * depth) / (2 - i32::from(outlook.improving))
}

/// Futility: so far below alpha that no quiet move will bring it up, checks
/// aside. `depth` is what would be left after reduction.
pub fn is_futile(eval: Score, depth: i32, alpha: Score) -> bool {
    depth <= FUTILITY_MAX_DEPTH && eval + FUTILITY_BASE_CP + FUTILITY_CP_PER_DEPTH * depth <= alpha
}

/// Check extension: a check leaves few answers, so a ply more costs little. Not
/// in lines that have already grown far beyond the iteration's depth.
pub fn extends_check(gives_check: bool, ply: usize, root_depth: i32) -> bool {
    gives_check && (ply as i32) < CHECK_EXTENSION_PLIES_PER_DEPTH * root_depth
}

/// Exchanges: the least a move must win on its square to be searched, or `None`
/// if any may do.
pub fn see_threshold(depth: i32, reduced_depth: i32, is_noisy: bool) -> Option<Score> {
    (depth <= SEE_PRUNING_MAX_DEPTH).then(|| {
        if is_noisy {
            -SEE_NOISY_CP_PER_DEPTH * depth
        } else {
            -SEE_QUIET_CP_PER_DEPTH_SQUARED * reduced_depth * reduced_depth
        }
    })
}

/// Reduction of the `nth` move (from 1) at `depth`, in 1/1024 plies, before any
/// adjustment: it grows with the logarithms of both.
pub fn base_reduction(depth: i32, nth: i32, is_noisy: bool) -> i32 {
    let product = ln_1024(depth) * ln_1024(nth);
    if is_noisy {
        LMR_NOISY_BASE_1024 + product / LMR_NOISY_DIV_1024
    } else {
        LMR_QUIET_BASE_1024 + product / LMR_QUIET_DIV_1024
    }
}

/// The depth that a move with that `base` reduction and `history` would be
/// searched to, as far as can be said before it is made.
pub fn reduced_depth(depth: i32, base: i32, history: i32) -> i32 {
    (depth - (base - history * PLY_1024 / LMR_HISTORY_DIV) / PLY_1024).max(0)
}

/// Whether the `nth` move (from 1) is late enough, and the node deep enough, to
/// be reduced; one move later at the root.
pub fn is_reducible(depth: i32, nth: i32, is_root: bool) -> bool {
    depth >= LMR_MIN_DEPTH && nth >= LMR_MIN_MOVE + i32::from(is_root)
}

/// What is known of a late move when its reduction is decided.
#[derive(Clone, Copy, Debug)]
pub struct LateMove {
    /// Its history score; 0 for a noisy move.
    pub history: i32,
    /// Whether the node is expected to fail high: then late moves hardly matter.
    pub cutnode: bool,
    /// Whether the evaluation is improving.
    pub improving: bool,
    /// Whether the position is or was on a principal variation.
    pub was_pv: bool,
    /// Whether the move gives check.
    pub gives_check: bool,
}

/// By how many plies a late move is reduced, given its `base` reduction.
pub fn reduction(base: i32, late: LateMove) -> i32 {
    let mut reduction = base - late.history * PLY_1024 / LMR_HISTORY_DIV;
    reduction += if late.cutnode { LMR_CUTNODE_1024 } else { 0 };
    reduction += if late.improving { 0 } else { LMR_NOT_IMPROVING_1024 };
    reduction -= if late.was_pv { LMR_PV_1024 } else { 0 };
    reduction -= if late.gives_check { LMR_CHECK_1024 } else { 0 };
    reduction / PLY_1024
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
