//! Pruning of nodes and moves, reductions and extensions.

use std::mem;

use crate::score::{self, NO_EVAL, Score};
use carrybit_board::{Board, Kind, Move};

use super::history::{NO_PIECE_TO, is_quiet};
use super::params::{
    PLY_1024, SEE_VALUES, alpha_raise, futility, hindsight, history_pruning, lmp, lmr, nmp,
    probcut, razoring, rfp, see_pruning, seek_mate, singular,
};
use super::report::Bound;
use super::searcher::{Searcher, Stopped};
use super::transposition::TtEntry;

/// An interior node's state, for pruning and reductions.
pub(super) struct NodeState {
    pub(super) depth: i32,
    pub(super) pv: bool,
    pub(super) cut_node: bool,
    pub(super) tt_pv: bool,
    /// In a singular search the excluded move, so that it reduces as the search of all moves does
    /// (Stockfish, Reckless), except for `eval`.
    pub(super) tt_move: Move,
    /// The transposition table's entry, if it has a score.
    pub(super) tt: Option<TtEntry>,
    /// The transposition table's score if that is a better bound, else the static evaluation;
    /// [`NO_EVAL`] in check and in a singular search.
    pub(super) eval: Score,
    pub(super) correction: Score,
    pub(super) improving: bool,
    /// Pruned moves included.
    pub(super) move_count: i32,
}

impl Searcher<'_> {
    /// Whether the side to move wins and may find a mate.
    fn is_attacker(&self, ply: usize) -> bool {
        self.seeks_mate && ply.is_multiple_of(2)
    }

    /// Whether the other side wins and may find a mate.
    pub(super) fn is_defender(&self, ply: usize) -> bool {
        self.seeks_mate && !ply.is_multiple_of(2)
    }

    /// Hindsight (Stockfish): plies to add to a node's depth, because the move that led to it
    /// was reduced too much or too little. Also updates a quiet move's history by the
    /// difference of the evaluations before and after it.
    pub(super) fn hindsight(&mut self, ply: usize, depth: i32) -> i32 {
        // Reset to 0: the depth of a null move's verification search includes it (Stockfish).
        let reduction = mem::take(&mut self.stack.at(ply - 1).reduction);
        let static_eval = self.stack.at(ply).static_eval;
        let prior = self.stack.before(ply, 1);
        if prior.static_eval == NO_EVAL {
            return 0;
        }
        // Each evaluation is from its own side's view, so the sum is the loss by the last move.
        let gain = static_eval + prior.static_eval;
        if is_quiet(prior.mv) {
            self.history.eval_diff_bonus(&prior.context, prior.mv, prior.piece_to, -gain);
        }
        if reduction >= hindsight::deeper_plies() && gain <= 0 {
            1
        } else if reduction >= hindsight::shallower_plies()
            && depth >= 2
            && gain > hindsight::shallower_cp()
        {
            -1
        } else {
            0
        }
    }

    /// The score of a zero-window node that razoring, RFP or NMP prunes. Not in check.
    pub(super) fn node_pruning(
        &mut self,
        board: &Board,
        ply: usize,
        node: &NodeState,
        beta: Score,
    ) -> Result<Option<Score>, Stopped> {
        let alpha = beta - 1;
        let NodeState { depth, eval, .. } = *node;

        // Step 7. Razoring (Birmingham and Kent, 1977): the evaluation is so far below alpha
        // that only captures can help.
        if depth <= razoring::max_depth()
            && eval + razoring::base_cp() + razoring::cp_per_depth() * depth < alpha
            && !score::is_decisive(alpha)
        {
            let score = self.quiescence::<false>(board, ply, alpha, beta)?;
            if score <= alpha {
                return Ok(Some(score));
            }
        }
        if score::is_loss(beta) {
            return Ok(None);
        }

        // Step 8. Reverse futility pruning (RFP; Heinz's static null move): the evaluation is
        // so far above beta that a shallow search will not bring it down.
        let relief = if node.improving { rfp::improving_cp() } else { 0 };
        let margin = rfp::cp_per_depth() * depth - relief;
        if !node.tt_pv
            && depth <= rfp::max_depth()
            && eval - margin >= beta
            && !score::is_decisive(eval)
        {
            return Ok(Some((eval + beta) / 2));
        }

        // Step 9. Null move pruning (NMP; Beal, 1989): the position reaches beta even if the
        // opponent moves twice. (`eval` includes the transposition table's score.) Not if the TT
        // move captured a piece and failed high (Reckless), nor against a mate that a quiet move
        // threatens.
        let captured_piece = || {
            node.tt.is_some_and(|tt| tt.bound == Some(Bound::Lower))
                && board.captured_kind(node.tt_move).is_some_and(|kind| kind != Kind::Pawn)
        };
        let static_eval = self.stack.at(ply).static_eval;
        if node.cut_node
            && depth >= nmp::min_depth()
            && eval >= beta
            && static_eval >= beta + nmp::margin_cp() - nmp::cp_per_depth() * depth
            && ply >= self.nmp_min_ply
            && !self.stack.before(ply, 1).mv.is_null()
            && board.has_non_pawns(board.side())
            && !captured_piece()
            && !self.is_defender(ply)
        {
            return self.null_move(board, ply, node, beta);
        }
        Ok(None)
    }

    /// The score after a null move, if it reaches beta. At high depth a search without null
    /// moves verifies it (Tabibi and Netanyahu, 2002) because of zugzwang.
    fn null_move(
        &mut self,
        board: &Board,
        ply: usize,
        node: &NodeState,
        beta: Score,
    ) -> Result<Option<Score>, Stopped> {
        let reduced = node.depth
            - nmp::reduction_plies()
            - node.depth / nmp::depth_div()
            - ((node.eval - beta) / nmp::eval_div_cp()).min(nmp::eval_max_plies());
        self.push_move(board, ply, Move::NONE, NO_PIECE_TO);
        let child = board.make_null();
        self.request.table.prefetch(self.table_key(child.key()));
        // The accumulators stay the same, so `evaluator` has no entry to take back.
        let score = self.zero_window_search(&child, ply, reduced, beta - 1, false)?;
        self.keys.pop();
        if score < beta {
            return Ok(None);
        }
        // A mate after a null move is unproven.
        let score = if score::is_win(score) { beta } else { score };
        if node.depth < nmp::verify_min_depth() || self.nmp_min_ply > 0 {
            return Ok(Some(score));
        }
        // The last quarter of the verification may use null moves again.
        self.nmp_min_ply = ply + (reduced.max(0) * 3 / 4) as usize + 1;
        let verified = self.negamax::<false, false>(board, ply, reduced, beta - 1, beta, false);
        self.nmp_min_ply = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// Probcut (Buro, 1995): a capture that beats beta by a margin in quiescence search and in
    /// a shallow search will beat it in a deep one. Returns the score less the margin.
    pub(super) fn probcut(
        &mut self,
        board: &Board,
        ply: usize,
        node: &NodeState,
        beta: Score,
    ) -> Result<Option<Score>, Stopped> {
        let relief = if node.improving { probcut::improving_cp() } else { 0 };
        let probcut_beta = beta + probcut::margin_cp() - relief;
        let probcut_depth = (node.depth - probcut::reduction_plies()).max(0);
        let is_refuted =
            node.tt.is_some_and(|tt| tt.depth > probcut_depth && tt.score < probcut_beta);
        if node.depth < probcut::min_depth() || is_refuted || score::is_decisive(beta) {
            return Ok(None);
        }
        let ss = self.stack.at(ply);
        let raw_eval = ss.raw_eval;
        ss.picker.reset_noisy(node.tt_move, probcut_beta - ss.static_eval);
        while let Some(mv) = self.next_move(board, ply) {
            let child = self.make(board, ply, mv);
            let mut score =
                -self.quiescence::<false>(&child, ply + 1, -probcut_beta, 1 - probcut_beta)?;
            if score >= probcut_beta && probcut_depth > 0 {
                let alpha = probcut_beta - 1;
                score =
                    self.zero_window_search(&child, ply, probcut_depth, alpha, !node.cut_node)?;
            }
            self.unmake();
            if score >= probcut_beta {
                let (depth, bound, pv) = (probcut_depth + 1, Some(Bound::Lower), node.tt_pv);
                self.store(board, ply, TtEntry { mv, score, raw_eval, depth, bound, pv });
                let surplus = if score::is_decisive(score) { 0 } else { probcut_beta - beta };
                return Ok(Some(score - surplus));
            }
        }
        Ok(None)
    }

    /// Step 14. Late move pruning (LMP): leaves out all quiet moves after the first few, even those
    /// with the best history.
    #[inline]
    pub(super) fn late_move_pruning(&mut self, ply: usize, node: &NodeState) {
        let ss = self.stack.at(ply);
        let last = lmp_limit(node) + lmp::history_moves().min(node.depth);
        if node.move_count + 1 >= last && ss.static_eval != NO_EVAL {
            ss.picker.skip_quiets();
        }
    }

    /// Step 14. LMP of one move, history pruning, futility pruning, SEE pruning.
    pub(super) fn can_prune(
        &mut self,
        board: &Board,
        ply: usize,
        node: &NodeState,
        mv: Move,
        history: i32,
        alpha: Score,
    ) -> bool {
        let depth = node.depth;
        let is_noisy = mv.is_noisy();
        // The depth after LMR, without the adjustments of `lmr_reduction`.
        let lmr_depth = (depth - base_reduction(node, mv, history) / PLY_1024).max(0);
        let is_attacker = self.is_attacker(ply);
        let ss = self.stack.at(ply);
        let static_eval = ss.static_eval;
        if !is_noisy && static_eval != NO_EVAL {
            // LMP, later for a good history (Reckless).
            let most = lmp::history_moves().min(depth);
            let later = (history / lmp::history_div()).clamp(-most, most);
            if node.move_count >= lmp_limit(node) + later {
                return true;
            }
            // History pruning.
            if lmr_depth <= history_pruning::max_depth()
                && history < -history_pruning::per_depth() * depth
            {
                return true;
            }
            // Futility pruning (Schaeffer, 1986): the evaluation is too far below alpha for a
            // quiet move without check.
            let margin = futility::base_cp()
                + futility::cp_per_depth() * lmr_depth
                + history / futility::history_div();
            if lmr_depth <= futility::max_depth()
                && static_eval + margin <= alpha
                && !board.gives_check(mv)
            {
                // A check that comes later may begin a mate.
                if !is_attacker {
                    ss.picker.skip_quiets();
                }
                return true;
            }
        }
        // SEE pruning: the move loses material. A check may be a sacrifice.
        let see_threshold = if is_noisy {
            let history_cp = history / see_pruning::noisy_history_div();
            (-see_pruning::noisy_cp_per_depth() * depth - history_cp).min(0)
        } else {
            -see_pruning::quiet_cp_per_depth_squared() * lmr_depth * lmr_depth
        };
        // Without a recapture a move loses nothing, and no threshold is above 0.
        let is_safe = ss.context.is_unattacked(mv) && !mv.is_en_passant();
        !is_safe && !board.see_ge(mv, see_threshold, &SEE_VALUES) && !board.gives_check(mv)
    }

    /// Plies to extend a singular TT move, whose alternatives stay `gap` centipawns below
    /// the singular beta: single extension, double extension or triple extension.
    pub(super) fn singular_extension(&self, ply: usize, node: &NodeState, gap: Score) -> i32 {
        let double_cp = if node.pv { singular::pv_double_cp() } else { singular::double_cp() };
        let double_extensions = self.stack.before(ply, 1).double_extensions;
        if gap <= double_cp || double_extensions >= singular::max_doubles() {
            1
        } else if node.pv || node.tt_move.is_noisy() || gap <= singular::triple_cp() {
            2
        } else {
            3
        }
    }

    /// Late move reductions (LMR; Fruit, 2005), in plies.
    pub(super) fn lmr_reduction(
        &mut self,
        ply: usize,
        node: &NodeState,
        mv: Move,
        history: i32,
        alpha: Score,
        gives_check: bool,
    ) -> i32 {
        let when = |condition: bool, amount: i32| if condition { amount } else { 0 };
        let NodeState { depth, pv, cut_node, tt_pv, tt_move, .. } = *node;
        let is_noisy = mv.is_noisy();
        let tt_above_alpha = node.tt.is_some_and(|tt| tt.score > alpha);
        let tt_deep = node.tt.is_some_and(|tt| tt.depth >= depth);
        let cutoff_count = self.stack.at(ply + 1).cutoff_count;
        let prior = self.stack.before(ply, 1).mv;
        let is_recapture = !prior.is_null() && mv.target() == prior.target();
        let below_alpha = alpha.saturating_sub(node.eval).clamp(0, lmr::below_alpha_max_cp());
        let more = when(cut_node, lmr::cutnode_1024())
            + when(cut_node && tt_move.is_null(), lmr::no_tt_move_1024())
            + when(!node.improving, lmr::not_improving_1024())
            + when(tt_move.is_noisy() && !is_noisy, lmr::tt_capture_1024())
            + when(cutoff_count >= lmr::cutoffs_min(), lmr::cutoffs_1024())
            + when(is_recapture, lmr::recapture_1024())
            + when(node.eval != NO_EVAL, lmr::below_alpha_1024() * below_alpha / 16);
        let less = when(!pv && !cut_node, lmr::all_node_1024())
            + when(pv, lmr::pv_1024())
            + when(tt_pv, lmr::tt_pv_1024())
            + when(tt_pv && tt_above_alpha, lmr::tt_above_alpha_1024())
            + when(tt_pv && tt_deep, lmr::tt_depth_1024())
            + when(gives_check, lmr::check_1024())
            + when(gives_check && self.is_attacker(ply), seek_mate::check_1024())
            + when(node.correction.abs() > lmr::correction_cp(), lmr::correction_1024());
        (base_reduction(node, mv, history) + more - less) / PLY_1024
    }
}

/// Plies by which to reduce the remaining moves of a node that has raised alpha to `score`: an
/// even better move is unlikely.
pub(super) fn alpha_raise_reduction(depth: i32, score: Score) -> i32 {
    let depths = alpha_raise::min_depth()..=alpha_raise::max_depth();
    i32::from(depths.contains(&depth) && !score::is_decisive(score))
}

/// The number of the first quiet move that LMP leaves out, if its history is 0.
fn lmp_limit(node: &NodeState) -> i32 {
    let limit_32 = 32 * lmp::base() + lmp::per_depth_squared_32() * node.depth * node.depth;
    let share_64 = if node.improving { 64 } else { lmp::not_improving_64() };
    limit_32 * share_64 / (32 * 64)
}

/// Plies to add to the re-search of a reduced move, by how far its score lies above the best.
pub(super) fn do_deeper_or_shallower(above_best: Score, depth: i32) -> i32 {
    if above_best > lmr::deeper_cp() + lmr::deeper_cp_per_depth() * depth {
        1
    } else if above_best < lmr::shallower_cp() {
        -1
    } else {
        0
    }
}

/// The LMR reduction before adjustments, in 1/1024 plies. The product of logarithms is
/// Stockfish's.
fn base_reduction(node: &NodeState, mv: Move, history: i32) -> i32 {
    let product = ln_1024(node.depth) * ln_1024(node.move_count);
    if mv.is_noisy() {
        lmr::noisy_base_1024() + product / lmr::noisy_div_1024()
            - history * PLY_1024 / lmr::noisy_history_div()
    } else {
        lmr::quiet_base_1024() + product / lmr::quiet_div_1024()
            - history * PLY_1024 / lmr::quiet_history_div()
    }
}

/// The natural logarithm in 1/1024ths, of `x` clamped to 1..=255.
fn ln_1024(x: i32) -> i32 {
    static TABLE: [i32; 256] = {
        let mut table = [0; 256];
        let mut x = 1;
        while x < 256 {
            table[x] = ln_of(x as u64);
            x += 1;
        }
        table
    };
    TABLE[x.clamp(1, 255) as usize]
}

/// `1024 * ln(x)` in integers, the same on every machine: the binary logarithm bit by bit
/// through repeated squaring, times ln 2.
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
