//! Draws by the rules: insufficient material (not blocked positions), fifty moves, repetition.
//!
//! A [`Game`](super::game::Game) keeps the history that repetition needs, and decides by
//! these rules when it is over; the search appends the positions of its current line.

use super::{Board, Color, Kind, Square};

/// A game is drawn after this many plies without a capture or a pawn move, if a player
/// claims it (FIDE Laws, 9.3).
pub const FIFTY_MOVES_PLIES: u16 = 100;

/// A game is drawn without a claim after this many such plies (FIDE Laws, 9.6.2).
pub const SEVENTY_FIVE_MOVES_PLIES: u16 = 150;

/// Beyond 100 plies without a claim, a search counts a draw after this many more.
const PLIES_LEFT_UNCLAIMED: u16 = 50;

/// The number of earlier occurrences with which a repetition is a draw, if a player claims it
/// (FIDE Laws, 9.2), and without a claim (9.6.1).
pub(super) const EARLIER_FOR_THREEFOLD: usize = 2;
pub(super) const EARLIER_FOR_FIVEFOLD: usize = 4;

/// The fewest plies after which a position can recur: both sides go and return.
const SHORTEST_CYCLE: usize = 4;

impl Board {
    /// Whether the material allows no mate: bare kings, one knight or bishop, or bishops on
    /// squares of one colour only. (Two knights allow a helpmate.)
    pub fn is_insufficient_material(&self) -> bool {
        !self.has_pawns_or_majors()
            && Color::ALL.into_iter().all(|color| self.has_insufficient_material(color))
    }

    /// Whether `color` can never mate with its material, not even if the other side helps. If a
    /// clock runs out, that side cannot win: the game is drawn.
    ///
    /// A bare king cannot mate; nor can a knight against queens only, nor bishops if all bishops on
    /// the board stand on squares of one colour and there are neither pawns nor knights.
    ///
    /// ```
    /// use carrybit_board::{Board, Color};
    ///
    /// let board: Board = "4k3/7p/8/8/8/8/8/3NK3 w - - 0 1".parse()?;
    /// // The pawn can block its king: the knight could mate.
    /// assert!(!board.has_insufficient_material(Color::White));
    /// let board: Board = "4k3/7q/8/8/8/8/8/3NK3 w - - 0 1".parse()?;
    /// assert!(board.has_insufficient_material(Color::White));
    /// assert!(!board.has_insufficient_material(Color::Black));
    /// # Ok::<(), carrybit_board::FenError>(())
    /// ```
    pub fn has_insufficient_material(&self, color: Color) -> bool {
        let count = |color: Color, kind: Kind| self.squares_of(color, kind).count();
        let (own, other) = (|kind: Kind| count(color, kind), |kind: Kind| count(!color, kind));
        if [Kind::Pawn, Kind::Rook, Kind::Queen].into_iter().any(|kind| own(kind) > 0) {
            return false;
        }
        let bishops = || Color::ALL.into_iter().flat_map(|by| self.squares_of(by, Kind::Bishop));
        match (own(Kind::Knight), own(Kind::Bishop)) {
            (0, 0) => true,
            (1, 0) => [Kind::Pawn, Kind::Knight, Kind::Bishop, Kind::Rook]
                .into_iter()
                .all(|kind| other(kind) == 0),
            (0, _) => {
                let is_one_color =
                    bishops().all(Square::is_light) || bishops().all(|sq| !sq.is_light());
                is_one_color && other(Kind::Pawn) == 0 && other(Kind::Knight) == 0
            }
            _ => false,
        }
    }
}

/// The halfmove clock at which a game or search from `halfmove` is drawn:
/// [`FIFTY_MOVES_PLIES`], or 50 plies from now if no player has claimed that draw. (Not at
/// the 75-move limit: near it, every move would score as a draw.)
pub fn halfmove_limit(halfmove: u16) -> u16 {
    if halfmove < FIFTY_MOVES_PLIES {
        FIFTY_MOVES_PLIES
    } else {
        halfmove.saturating_add(PLIES_LEFT_UNCLAIMED)
    }
}

/// When a search counts positions as drawn by the halfmove clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FiftyMoveRule {
    /// Plies by which the limit exceeds [`FIFTY_MOVES_PLIES`].
    extra_plies: u16,
}

impl FiftyMoveRule {
    /// The rule for a search from `board`.
    pub fn of(board: &Board) -> FiftyMoveRule {
        FiftyMoveRule { extra_plies: halfmove_limit(board.halfmove()) - FIFTY_MOVES_PLIES }
    }

    /// The rule for a search from `board` if no player will claim the draw.
    pub fn unclaimed(board: &Board) -> FiftyMoveRule {
        let limit = board.halfmove().saturating_add(PLIES_LEFT_UNCLAIMED);
        FiftyMoveRule { extra_plies: limit.saturating_sub(FIFTY_MOVES_PLIES) }
    }

    /// Whether the fifty moves have passed without a claim.
    pub fn is_past_claim(self) -> bool {
        self.extra_plies > 0
    }

    /// The halfmove clock `plies`, shifted so that the limit is [`FIFTY_MOVES_PLIES`]. (After
    /// a capture or a pawn move the limit should be 100 again. This is ignored, as it matters
    /// only 100 plies later.)
    #[inline]
    pub fn shifted(self, plies: u16) -> u16 {
        plies.saturating_sub(self.extra_plies)
    }

    /// Whether `board` is drawn by the halfmove clock. Mate on the last ply still wins.
    #[inline]
    pub fn is_draw(self, board: &Board) -> bool {
        board.halfmove() >= FIFTY_MOVES_PLIES + self.extra_plies
            && (!board.in_check() || board.has_legal_move())
    }
}

/// Whether the position with this `key` counts as a draw by repetition in a search.
///
/// `history` holds the keys of all positions before this one, oldest first: those of the
/// game, then those of the line searched. `root` is normally the index of the root. `halfmove`
/// is the clock of this position: no position before the last irreversible move can recur.
///
/// One earlier occurrence at or after the root is enough: the side that repeated can do so
/// again. Before the root, the rules need two (threefold) or four (fivefold). Three, or
/// more than four, mean that the game went on: no draw.
pub fn is_repetition(history: &[u64], key: u64, halfmove: u16, root: usize) -> bool {
    let mut seen = 0;
    for index in earlier(history, key, halfmove) {
        if index >= root {
            return true;
        }
        seen += 1;
    }
    seen == EARLIER_FOR_THREEFOLD || seen == EARLIER_FOR_FIVEFOLD
}

/// The indices of the positions in `history` with this `key`, the latest first.
pub(super) fn earlier(history: &[u64], key: u64, halfmove: u16) -> impl Iterator<Item = usize> {
    let reach = history.len().min(usize::from(halfmove));
    let indices = (SHORTEST_CYCLE..=reach).step_by(2).map(|back| history.len() - back);
    indices.filter(move |&index| history[index] == key)
}
