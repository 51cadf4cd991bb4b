//! Endings that the pieces left decide: what nobody can win, and what mates a bare king.
//!
//! An evaluator that learns from games hardly meets them, as most games are over before;
//! so the search asks here first. King and pawn against king is decided by `lone_pawn`, rook
//! and pawn against rook, where it is won beyond doubt, by `rook_ending`.
//! Promises:
//!
//! * A position takes a few instructions unless a side has a bare king, or there are no
//!   knights and bishops or nothing else.
//! * Draws and wins are those of perfect play, except for what a search of a few plies
//!   sees by itself: a piece that is lost at once, a stalemate, a mate that the loser
//!   helps with. (`tests/tablebase.rs` asks the tablebases.)
//! * The score of a win rises on the way to the mate, and stays an evaluation: it is no
//!   forced win as [`crate::score`] has them.

use super::{lone_pawn, rook_ending};
use crate::board::{Board, Color, Kind, MAX_PIECES, Square};
use crate::score::{DRAW, EVAL_LIMIT, Score};

/// What a won ending is worth at least, in centipawns: more than any network says of a
/// position with pawns on both sides, so that a search goes for it.
const KNOWN_WIN: Score = 4000;

/// What each piece adds to that, pawn to king, in centipawns: more is won sooner.
const WORTH: [Score; 6] = [100, 300, 300, 500, 900, 0];

/// For each step, along files and along ranks, that the bare king stands nearer to the
/// edge, in centipawns.
const PER_STEP_TO_EDGE: Score = 20;

/// For each step that the bare king stands nearer to a corner of the bishop's colour, if
/// bishop and knight are to mate there, in centipawns.
const PER_STEP_TO_CORNER: Score = 80;

/// For each step that the knight stands nearer to the bare king there, in centipawns.
const PER_STEP_OF_KNIGHT: Score = 20;

/// For each step that the kings stand nearer to each other, in centipawns.
const PER_STEP_OF_KINGS: Score = 20;

/// For each rank that a lone pawn has advanced, in centipawns.
const PER_RANK: Score = 20;

/// The most steps between two squares, along a file or a rank.
const MOST_STEPS: Score = 7;

/// The best of all wins: with as many queens as there are, and the king mated in a corner.
const BEST_WIN: Score = KNOWN_WIN
    + (MAX_PIECES as Score - 1) * WORTH[Kind::Queen.index()]
    + MOST_STEPS * (PER_STEP_TO_EDGE + PER_STEP_TO_CORNER + PER_STEP_OF_KNIGHT + PER_STEP_OF_KINGS);
const _: () = assert!(BEST_WIN < EVAL_LIMIT);

/// Pieces on the board if each side has its king and one more.
const KING_AND_ONE_EACH: usize = 4;

/// Works out what is needed for that, so that no search has to while its clock runs.
pub fn prepare() {
    lone_pawn::prepare();
}

/// What the position is worth to the side to move, in centipawns, if the pieces left
/// decide it: [`DRAW`] exactly if neither side can win, else the score of a win or a
/// loss.
#[inline]
#[must_use]
pub fn known(board: &Board) -> Option<Score> {
    let has_bare_king = Color::ALL.into_iter().any(|color| board.has_bare_king(color));
    if has_bare_king || !board.has_minors() || !board.has_pawns_or_majors() {
        look_closer(board)
    } else {
        None
    }
}

/// The same for positions with a bare king, without knights and bishops or with nothing
/// else.
#[cold]
fn look_closer(board: &Board) -> Option<Score> {
    let Some(weak) = Color::ALL.into_iter().find(|&color| board.has_bare_king(color)) else {
        if board.has_pawns_or_majors() {
            return rook_ending::known(board);
        }
        let is_drawn = board.piece_count() == KING_AND_ONE_EACH || board.is_insufficient_material();
        return is_drawn.then_some(DRAW);
    };
    let worth = Army::of(board, !weak).against_bare_king(board, weak)?;
    Some(if board.side() == weak { -worth } else { worth })
}

/// What a side has besides its king.
struct Army {
    color: Color,
    /// How many there are of each kind, pawn to king.
    counts: [Score; 6],
    /// Whether there are bishops on dark and on light squares.
    bishops_on: [bool; 2],
    /// The files with pawns, a bit for each.
    pawn_files: u8,
    /// One of the pawns, if there are any.
    pawn: Square,
    /// How near the nearest knight is to the enemy king, in steps fewer than the most; 0
    /// if there is none.
    nearest_knight: Score,
}

impl Army {
    fn of(board: &Board, color: Color) -> Army {
        let mut army = Army {
            color,
            counts: [0; 6],
            bishops_on: [false; 2],
            pawn_files: 0,
            pawn: Square::NONE,
            nearest_knight: 0,
        };
        for (sq, piece) in board.pieces(color) {
            let Some(kind) = piece.kind() else { continue };
            army.counts[kind.index()] += 1;
            match kind {
                Kind::Bishop => army.bishops_on[usize::from(sq.is_light())] = true,
                Kind::Knight => {
                    let near = nearness(board.king(!color), sq);
                    army.nearest_knight = army.nearest_knight.max(near);
                }
                Kind::Pawn => {
                    army.pawn_files |= 1 << sq.file();
                    army.pawn = sq;
                }
                _ => {}
            }
        }
        army
    }

    /// What the position is worth to this army against the bare king of `weak`; `None`
    /// if that depends on how its pawns stand.
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
            if !lone_pawn::is_won(board, self.color, self.pawn) {
                return Some(DRAW);
            }
            PER_RANK * Score::from(self.pawn.rank_for(self.color))
        } else {
            return None;
        };
        let pieces = self.counts.iter().zip(WORTH).map(|(count, worth)| count * worth);
        let together = nearness(king, board.king(self.color));
        Some(KNOWN_WIN + pieces.sum::<Score>() + nearer + PER_STEP_OF_KINGS * together)
    }

    /// Whether all pawns stand on one rook file, no bishop guards the square that they
    /// promote on, and the enemy `king` is there or next to it, where nothing drives it
    /// away. For an army of pawns and bishops of one colour.
    fn has_wrong_rook_pawns(&self, king: Square) -> bool {
        const ROOK_FILES: [u8; 2] = [0, 7];
        let last_rank = if self.color == Color::White { 7 } else { 0 };
        ROOK_FILES.into_iter().filter(|file| self.pawn_files == 1 << file).any(|file| {
            let corner = Square::new(file, last_rank);
            let has_knights = self.counts[Kind::Knight.index()] > 0;
            let is_guarded = self.bishops_on[usize::from(corner.is_light())];
            !has_knights && !is_guarded && king.king_steps_to(corner) <= 1
        })
    }
}

/// 7 for two pieces on one square to 0 for the most steps of a king between them.
fn nearness(a: Square, b: Square) -> Score {
    MOST_STEPS - Score::from(a.king_steps_to(b))
}

/// 0 in the middle of the board to 3 on the edge, for a file or a rank.
fn steps_from_middle(coordinate: u8) -> Score {
    3 - Score::from(coordinate.min(7 - coordinate))
}

/// How many steps along files and ranks to the nearest corner of that colour: 7, the
/// most, on the long diagonal of the other colour.
fn steps_to_corner(sq: Square, is_light: bool) -> Score {
    let file = if is_light { 7 - sq.file() } else { sq.file() };
    MOST_STEPS - Score::from((file + sq.rank()).abs_diff(7))
}
