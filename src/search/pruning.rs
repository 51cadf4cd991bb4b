//! Every decision to search less, or more: margins, reductions, move counts,
//! extensions. Pure functions of what the node knows, each with its reason and, where
//! it is somebody's idea, its source.

use crate::board::Move;
use crate::score::{self, Score};

use super::node::Expected;
use super::params::{
    PLY_1024, extension, futility, hindsight, history_pruning, iir, late_moves, lmr, null_move,
    probcut, raised, razoring, reverse_futility, see, singular, table,
};
use super::transposition::Entry;

/// What a node knows about itself when it decides what to leave out.
#[derive(Clone, Copy, Debug)]
pub struct NodeFacts {
    /// Plies left.
    pub depth: i32,
    /// Whether it is expected to fail high.
    pub expected: Expected,
    /// Whether it is searched with an open window.
    pub is_pv: bool,
    /// Whether the position is, or was, on a principal variation.
    pub was_pv: bool,
    /// The static evaluation, refined by the transposition table.
    pub eval: Score,
    /// By how much the correction history changed the static evaluation, in
    /// centipawns.
    pub correction: Score,
    /// Whether the evaluation is better than at our last turn.
    pub improving: bool,
}

impl NodeFacts {
    /// A move has raised alpha to `score`.
    pub fn raise(&mut self, score: Score) {
        if is_raised(self.depth, score) {
            self.depth -= 1;
        }
    }
}

/// What the transposition table says of a node.
#[derive(Clone, Copy, Debug)]
pub struct TableView {
    /// What was found there.
    pub entry: Option<Entry>,
    /// Its move; none if that is not legal here.
    pub mv: Move,
}

impl TableView {
    /// What a search of all moves but the hash move `excluded` sees of the node's `entry`.
    /// Its reductions need it (Stockfish, Reckless): as if nothing were known of the node,
    /// its moves would be reduced by more than those that they are compared with.
    pub fn without(excluded: Move, entry: Option<Entry>) -> TableView {
        TableView { entry, mv: excluded }
    }

    /// The entry, unless it holds an evaluation only, or a score that the fifty-move rule
    /// may forbid.
    fn searched(self) -> Option<Entry> {
        self.entry.filter(|entry| entry.bound.is_some())
    }
}

/// A move of a node, as pruning and reductions see it.
#[derive(Clone, Copy, Debug)]
pub struct LateMove {
    /// The move.
    pub mv: Move,
    /// Its place in the order, from 1.
    pub nth: i32,
    /// Its history score.
    pub history: i32,
    /// The reduction that its place in the order asks for, in 1/1024 plies.
    pub base: i32,
}

/// Transposition table: whether `entry` settles a null-window node of this `depth`.
/// An entry that contradicts what is expected of the node counts only far from the
/// leaves, where it saves the most.
pub fn is_settled(entry: Entry, depth: i32, beta: Score, expected: Expected) -> bool {
    entry.cuts(beta)
        && entry.depth >= depth
        && (expected.is_cut() == (entry.score >= beta) || depth >= table::contrary_min_depth())
}

/// Hindsight (Stockfish): by how many plies the node should be searched deeper, or
/// shallower if negative, than planned. The move that led here was `reduced` by this many
/// plies; `before` is the opponent's static evaluation before it, `eval` ours after it.
pub fn hindsight(depth: i32, reduced: i32, before: Score, eval: Score) -> i32 {
    if reduced >= hindsight::deeper_plies() && eval <= -before {
        1
    } else if reduced >= hindsight::shallower_plies()
        && depth >= 2
        && eval + before > hindsight::shallower_cp()
    {
        -1
    } else {
        0
    }
}

/// Razoring (Birmingham and Kent, 1977): the evaluation is so far below alpha that only
/// captures can help.
pub fn is_far_below(node: NodeFacts, alpha: Score) -> bool {
    node.depth <= razoring::max_depth()
        && node.eval + razoring::base_cp() + razoring::cp_per_depth() * node.depth < alpha
}

/// Reverse futility (Heinz's static null move): the evaluation is so far above beta that
/// a shallow search will not bring it down. The deeper the search, the more it may. The
/// margin is less if the evaluation is improving.
pub fn is_far_above(node: NodeFacts, beta: Score) -> bool {
    let relief = if node.improving { reverse_futility::improving_cp() } else { 0 };
    !node.was_pv
        && node.depth <= reverse_futility::max_depth()
        && node.eval - reverse_futility::cp_per_depth() * node.depth + relief >= beta
}

/// Null move (Beal, 1989): worth a try if the position already looks good enough. (A score
/// below beta in the transposition table speaks against it, as a part of the evaluation.)
pub fn tries_null_move(node: NodeFacts, static_eval: Score, beta: Score) -> bool {
    node.depth >= null_move::min_depth()
        && node.eval >= beta
        && static_eval >= beta + null_move::margin_cp() - null_move::cp_per_depth() * node.depth
}

/// Null move: how many plies shallower than the node the reply is searched.
pub fn null_move_reduction(node: NodeFacts, beta: Score) -> i32 {
    null_move::reduction_plies()
        + node.depth / null_move::depth_div()
        + ((node.eval - beta) / null_move::eval_div_cp()).min(null_move::eval_max_plies())
}

/// Null move, verified (Tabibi and Netanyahu, 2002): the first ply at which one is
/// allowed again in the search, `depth` plies deep, that verifies the null move at `ply`.
/// Only its last quarter has them.
#[must_use]
pub fn null_move_min_ply(ply: usize, depth: i32) -> usize {
    ply + (depth.max(0) * 3 / 4) as usize + 1
}

/// Internal iterative reduction (Ed Schröder, 2020): the moves of a deep node
/// without a hash move are poorly ordered; a shallower search will find one for the next
/// visit.
pub fn lacks_hash_move(depth: i32, has_hash_move: bool) -> bool {
    depth >= iir::min_depth() && !has_hash_move
}

/// Probcut (Buro, 1995): what a capture must reach in a shallow search to cut the node off.
/// `None` if it is not worth a try, because the node is too shallow, or the transposition
/// table already says that nothing reaches it.
pub fn probcut_beta(depth: i32, view: TableView, beta: Score) -> Option<Score> {
    let target = beta + probcut::margin_cp();
    let is_denied = view
        .searched()
        .is_some_and(|entry| entry.depth > probcut_depth(depth) && entry.score < target);
    let is_tried = depth >= probcut::min_depth() && !is_denied;
    (is_tried && !score::is_decisive(beta)).then_some(target)
}

/// Probcut: how deep a capture is searched that quiescence search has confirmed at a node of
/// this `depth`, 0 for not at all.
pub fn probcut_depth(depth: i32) -> i32 {
    (depth - probcut::reduction_plies()).max(0)
}

/// Late move pruning: quiet moves this late in the order are hopeless.
pub fn is_late(node: NodeFacts, moves_tried: i32) -> bool {
    let enough = late_moves::base() + node.depth * node.depth;
    moves_tried >= enough / (2 - i32::from(node.improving))
}

/// Futility (Schaeffer, 1986): the evaluation is so far below alpha that no quiet move,
/// checks aside, will bring it up, unless its history speaks for it. `depth` is what
/// would be left after reduction.
pub fn is_futile(eval: Score, history: i32, depth: i32, alpha: Score) -> bool {
    let margin =
        futility::base_cp() + futility::cp_per_depth() * depth + history / futility::history_div();
    depth <= futility::max_depth() && eval + margin <= alpha
}

/// History pruning: a quiet move with so bad a history will fail again.
pub fn is_discredited(history: i32, reduced_depth: i32, depth: i32) -> bool {
    reduced_depth <= history_pruning::max_depth() && history < -history_pruning::per_depth() * depth
}

/// Static exchange pruning: the least a move must win on its square to be searched.
pub fn see_threshold(depth: i32, reduced_depth: i32, history: i32, is_noisy: bool) -> Score {
    if is_noisy {
        (-see::noisy_cp_per_depth() * depth - history / see::noisy_history_div()).min(0)
    } else {
        -see::quiet_cp_per_depth_squared() * reduced_depth * reduced_depth
    }
}

/// Extensions: whether the line is not yet much longer than the iteration is deep.
pub fn may_extend(ply: usize, root_depth: i32) -> bool {
    (ply as i32) < extension::plies_per_depth() * root_depth
}

/// Singular extension (Anantharaman, Campbell and Hsu, 1988): the score that all other
/// moves must fail to reach for the hash move of this `entry` to be singular. `None` if
/// the entry does not promise enough to find out.
pub fn singular_beta(depth: i32, entry: Entry) -> Option<Score> {
    let is_promising = depth >= singular::min_depth()
        && entry.is_at_least()
        && entry.depth >= depth - singular::table_plies()
        && !score::is_decisive(entry.score);
    is_promising.then(|| entry.score - depth * singular::cp_per_depth_16() / 16)
}

/// Singular extension: by how many plies the hash move is extended if all others
/// stay `short` centipawns below the singular beta.
pub fn singular_extension(short: Score, is_pv: bool, is_noisy: bool, doubles: i32) -> i32 {
    let double_cp = if is_pv { singular::pv_double_cp() } else { singular::double_cp() };
    if short <= double_cp || doubles >= singular::max_doubles() {
        1
    } else if is_pv || is_noisy || short <= singular::triple_cp() {
        2
    } else {
        3
    }
}

/// Whether a node that has raised alpha to `score` searches its other moves a ply
/// shallower: a still better one is unlikely, and less needed.
fn is_raised(depth: i32, score: Score) -> bool {
    (raised::min_depth()..=raised::max_depth()).contains(&depth) && !score::is_decisive(score)
}

/// Negative extension (Stockfish): by how many plies the hash move is reduced if it is
/// one good move among others.
pub fn singular_reduction(is_above_beta: bool, expected: Expected) -> i32 {
    if is_above_beta {
        singular::negative_plies()
    } else if expected.is_cut() {
        singular::cutnode_plies()
    } else {
        0
    }
}

/// Late move reductions (Fruit, 2005; the logarithms are Stockfish's): the reduction of
/// the `nth` move (from 1) at `depth`, in 1/1024 plies, before any adjustment: it grows
/// with the logarithms of both.
pub fn base_reduction(depth: i32, nth: i32, is_noisy: bool) -> i32 {
    let product = ln_1024(depth) * ln_1024(nth);
    if is_noisy {
        lmr::noisy_base_1024() + product / lmr::noisy_div_1024()
    } else {
        lmr::quiet_base_1024() + product / lmr::quiet_div_1024()
    }
}

/// Late move reductions: how much less a move is reduced for its `history`, in 1/1024
/// plies.
fn history_relief(history: i32, is_noisy: bool) -> i32 {
    let div = if is_noisy { lmr::noisy_history_div() } else { lmr::quiet_history_div() };
    history * PLY_1024 / div
}

/// Late move reductions: the depth to which a move with this `base` reduction and
/// `history` would be searched, as far as that can be told before it is made.
pub fn reduced_depth(depth: i32, base: i32, history: i32, is_noisy: bool) -> i32 {
    (depth - (base - history_relief(history, is_noisy)) / PLY_1024).max(0)
}

/// Late move reductions: whether the `nth` move (from 1) is late enough, and the node
/// deep enough, to be reduced. At the root reductions start one move later.
pub fn is_reducible(depth: i32, nth: i32, is_root: bool) -> bool {
    depth >= lmr::min_depth() && nth >= lmr::min_move() + i32::from(is_root)
}

/// What reductions need to know from the transposition table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashFacts {
    has_move: bool,
    /// Whether the hash move is a capture: then something else is at stake.
    captures: bool,
    raises_alpha: bool,
    /// Whether the score comes from a search as deep as this one.
    is_deep: bool,
}

impl HashFacts {
    /// Of a node of this `depth` and `alpha`.
    #[must_use]
    pub fn new(view: TableView, alpha: Score, depth: i32) -> HashFacts {
        HashFacts {
            has_move: !view.mv.is_none(),
            captures: view.mv.is_noisy(),
            raises_alpha: view.searched().is_some_and(|entry| entry.score > alpha),
            is_deep: view.searched().is_some_and(|entry| entry.depth >= depth),
        }
    }
}

/// Late move reductions: by how much a late move is reduced, in 1/1024 plies. `cutoffs`
/// counts how often nodes of the next ply have failed high since this node's parent was
/// entered.
pub fn reduction_1024(
    late: LateMove,
    node: NodeFacts,
    hash: HashFacts,
    gives_check: bool,
    cutoffs: i32,
) -> i32 {
    let when = |condition: bool, amount: i32| if condition { amount } else { 0 };
    let (is_cut, was_pv, is_noisy) = (node.expected.is_cut(), node.was_pv, late.mv.is_noisy());
    let more = when(is_cut, lmr::cutnode_1024())
        + when(is_cut && !hash.has_move, lmr::no_table_move_1024())
        + when(!node.improving, lmr::not_improving_1024())
        + when(hash.captures && !is_noisy, lmr::table_capture_1024())
        + when(cutoffs >= lmr::cutoffs_min(), lmr::cutoffs_1024());
    let less = when(node.is_pv, lmr::pv_1024())
        + when(was_pv, lmr::was_pv_1024())
        + when(was_pv && hash.raises_alpha, lmr::table_alpha_1024())
        + when(was_pv && hash.is_deep, lmr::table_depth_1024())
        + when(gives_check, lmr::check_1024())
        + when(node.correction.abs() > lmr::correction_cp(), lmr::correction_1024())
        + history_relief(late.history, is_noisy);
    late.base + more - less
}

/// Late move reductions: to what depth a late move is searched at first, if without its
/// reduction `new_depth` would be left. On the principal variation that is a ply deeper.
pub fn late_depth(new_depth: i32, reduction_1024: i32, is_pv: bool) -> i32 {
    (new_depth - reduction_1024 / PLY_1024).clamp(1, new_depth.max(1)) + i32::from(is_pv)
}

/// After a reduced search has beaten alpha: by how many plies the re-search is deeper
/// than planned, or shallower if negative, given how far the score lies above the best
/// so far.
pub fn re_search_plies(above_best: Score, depth: i32) -> i32 {
    if above_best > lmr::deeper_cp() + lmr::deeper_cp_per_depth() * depth {
        1
    } else if above_best < lmr::shallower_cp() {
        -1
    } else {
        0
    }
}

/// The natural logarithm of `x`, clamped to 1..=255, in 1/1024ths.
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
    use crate::board::Square;
    use crate::search::limits::Bound;

    #[test]
    fn integer_logarithm_follows_the_real_one() {
        for x in 1..256 {
            let real = f64::from(x).ln() * 1024.0;
            assert!((f64::from(ln_1024(x)) - real).abs() < 3.0, "{x}");
        }
    }

    /// An entry of a quiet move with this score.
    fn entry(score: Score, bound: Option<Bound>) -> Entry {
        let mv = Move::quiet(Square::new(6, 0), Square::new(5, 2));
        Entry { mv, score, eval: score, depth: 8, bound, pv: false }
    }

    #[test]
    fn a_singular_search_reduces_as_the_whole_one_does() {
        let entry = entry(30, Some(Bound::Lower));
        let whole = TableView { entry: Some(entry), mv: entry.mv };
        let without = TableView::without(entry.mv, Some(entry));
        let [whole, without] = [whole, without].map(|view| HashFacts::new(view, 0, 8));
        assert_eq!(without, whole);
        assert!(without.has_move && without.raises_alpha && without.is_deep);
    }

    #[test]
    fn an_entry_without_a_bound_says_nothing_of_alpha_or_of_depth() {
        let facts = |bound| {
            let entry = Some(entry(score::DRAW, bound));
            let facts = HashFacts::new(TableView { entry, mv: Move::NONE }, -50, 8);
            (facts.raises_alpha, facts.is_deep)
        };
        assert_eq!(facts(Some(Bound::Lower)), (true, true));
        assert_eq!(facts(None), (false, false));
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
