//! Endings evaluated by rule: material that draws, and wins against a bare king.
//!
//! Such endings are rare in training games, so the search consults these rules before the
//! network. King and pawn against king is in `kpk`; won positions of rook and pawn against
//! rook are in `krpkr`.
//!
//! * A few instructions rule out most positions. The rules examine only those with a bare king,
//!   without minor pieces, or with minor pieces only.
//! * Draws and wins are those of perfect play, except for tactics that a search of a few plies
//!   finds: a piece en prise, a stalemate, a helpmate. (`tests/engine/tablebase_search.rs`
//!   compares with the tablebases.)
//! * The score of a win rises on the way to the mate. It stays within the range of evaluations,
//!   below the scores of tablebase wins and mates (`src/score.rs`).

pub use super::kpk::prepare;
use super::{kpk, krpkr};
use crate::score::{DRAW, EVAL_LIMIT, Score};
use carrybit_board::{Board, Color, Kind, MAX_PIECES, Square};

// All values are in centipawns.

/// The least value of a won ending: more than the network gives to a position with pawns on
/// both sides, so the search prefers the ending.
const KNOWN_WIN: Score = 4000;

/// Indexed by kind, from pawn to king: more material wins sooner.
const PIECE_BONUS: [Score; 6] = [100, 300, 300, 500, 900, 0];

/// Per step of the bare king towards the edge, along files and along ranks.
const PER_STEP_TO_EDGE: Score = 20;

/// Bishop and knight: per step of the bare king towards a corner of the bishop's colour.
const PER_STEP_TO_CORNER: Score = 80;

/// Bishop and knight: per step of the knight towards the bare king.
const PER_STEP_OF_KNIGHT: Score = 20;

/// Per step of the kings towards each other.
const PER_STEP_OF_KINGS: Score = 20;

/// King and pawn against king: per rank of the pawn.
const PER_RANK: Score = 20;

/// The largest distance between two squares, along a file or a rank.
const MOST_STEPS: Score = 7;

/// The best win: all pieces are queens, and the king is mated in a corner.
const BEST_WIN: Score = KNOWN_WIN
    + (MAX_PIECES as Score - 1) * PIECE_BONUS[Kind::Queen.index()]
    + MOST_STEPS * (PER_STEP_TO_EDGE + PER_STEP_TO_CORNER + PER_STEP_OF_KNIGHT + PER_STEP_OF_KINGS);
const _: () = assert!(BEST_WIN < EVAL_LIMIT);

/// The value for the side to move, in centipawns, if a rule decides: [`DRAW`] if neither
/// side can win, otherwise the score of a win or a loss.
#[inline]
pub fn score(board: &Board) -> Option<Score> {
    let has_bare_king = Color::ALL.into_iter().any(|color| board.has_bare_king(color));
    if has_bare_king || !board.has_minors() || !board.has_pawns_or_majors() {
        known_by_rule(board)
    } else {
        None
    }
}

#[cold]
fn known_by_rule(board: &Board) -> Option<Score> {
    let Some(weak) = Color::ALL.into_iter().find(|&color| board.has_bare_king(color)) else {
        if board.has_pawns_or_majors() {
            return krpkr::score(board);
        }
        // Both sides have minor pieces only: with one each it is a draw.
        let is_drawn = board.piece_count() == 4 || board.is_insufficient_material();
        return is_drawn.then_some(DRAW);
    };
    let value = Material::of(board, !weak).against_bare_king(board, weak)?;
    Some(if board.side() == weak { -value } else { value })
}

struct Material {
    color: Color,
    /// Indexed by kind, from pawn to king.
    counts: [Score; 6],
    /// Whether there are bishops on dark and on light squares.
    bishops_on: [bool; 2],
    /// The files with pawns, a bit for each.
    pawn_files: u8,
    /// Any of the pawns.
    pawn: Square,
    /// The [`nearness`] of the nearest knight to the enemy king; 0 without a knight.
    nearest_knight: Score,
}

impl Material {
    fn of(board: &Board, color: Color) -> Material {
        let mut material = Material {
            color,
            counts: [0; 6],
            bishops_on: [false; 2],
            pawn_files: 0,
            pawn: Square::NONE,
            nearest_knight: 0,
        };
        for (sq, piece) in board.pieces_of(color) {
            let Some(kind) = piece.kind() else { continue };
            material.counts[kind.index()] += 1;
            match kind {
                Kind::Bishop => material.bishops_on[usize::from(sq.is_light())] = true,
                Kind::Knight => {
                    let near = nearness(board.king(!color), sq);
                    material.nearest_knight = material.nearest_knight.max(near);
                }
                Kind::Pawn => {
                    material.pawn_files |= 1 << sq.file();
                    material.pawn = sq;
                }
                _ => {}
            }
        }
        material
    }

    /// The value for this side against the bare king of `weak`; `None` if the placing of pawns
    /// decides.
    fn against_bare_king(&self, board: &Board, weak: Color) -> Option<Score> {
        let king = board.king(weak);
        let [pawns, knights, bishops, rooks, queens, _] = self.counts;
        let has_majors = rooks + queens > 0;
        let nearer = if has_majors || self.bishops_on == [true, true] || knights > 2 {
            PER_STEP_TO_EDGE * (steps_from_middle(king.file()) + steps_from_middle(king.rank()))
        } else if knights > 0 && bishops > 0 {
            PER_STEP_TO_CORNER * (MOST_STEPS - steps_to_corner(king, self.bishops_on[1]))
                + PER_STEP_OF_KNIGHT * self.nearest_knight
        } else if pawns == 0 || self.has_wrong_rook_pawns(king) {
            return Some(DRAW);
        } else if pawns == 1 && knights + bishops == 0 {
            if !kpk::is_won(board, self.color, self.pawn) {
                return Some(DRAW);
            }
            PER_RANK * Score::from(self.pawn.relative_rank(self.color))
        } else {
            return None;
        };
        let pieces = self.counts.iter().zip(PIECE_BONUS).map(|(count, bonus)| count * bonus);
        let together = nearness(king, board.king(self.color));
        Some(KNOWN_WIN + pieces.sum::<Score>() + nearer + PER_STEP_OF_KINGS * together)
    }

    /// Whether wrong rook pawns draw: all pawns stand on one rook file, no bishop guards their
    /// promotion square, and the enemy `king` is on it or next to it. False with knights, which
    /// could drive the king away. The side must not have rooks or queens.
    fn has_wrong_rook_pawns(&self, king: Square) -> bool {
        const ROOK_FILES: [u8; 2] = [0, 7];
        let last_rank = if self.color == Color::White { 7 } else { 0 };
        ROOK_FILES.into_iter().filter(|file| self.pawn_files == 1 << file).any(|file| {
            let corner = Square::new(file, last_rank);
            let has_knights = self.counts[Kind::Knight.index()] > 0;
            let is_guarded = self.bishops_on[usize::from(corner.is_light())];
            !has_knights && !is_guarded && king.distance_to(corner) <= 1
        })
    }
}

/// 7 minus the steps of a king between two squares.
fn nearness(a: Square, b: Square) -> Score {
    MOST_STEPS - Score::from(a.distance_to(b))
}

/// For a file or a rank: 0 in the middle to 3 on the edge.
fn steps_from_middle(coordinate: u8) -> Score {
    3 - Score::from(coordinate.min(7 - coordinate))
}

/// The steps along files and ranks to the nearest corner of a colour: 7, the maximum, on the
/// long diagonal of the other colour.
fn steps_to_corner(sq: Square, is_light: bool) -> Score {
    let file = if is_light { 7 - sq.file() } else { sq.file() };
    MOST_STEPS - Score::from((file + sq.rank()).abs_diff(7))
}
