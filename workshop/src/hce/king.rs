//! The danger that the enemy's pieces are to a king.
//!
//! Danger is not linear as all other terms are: two attackers are worth more than
//! twice one. Its terms add up to units of danger, which cost the square of their
//! sum in the middle game and the sum itself in the endgame.
//! Idea: Ed Schröder's King Safety pages; Andrew Grant's tuning of Ethereal.

use carrybit::board::square::{
    DIAGONALS, EAST, KNIGHT_JUMPS, NORTH, NORTH_EAST, NORTH_WEST, ORTHOGONALS, SOUTH, SOUTH_EAST,
    SOUTH_WEST, WEST,
};
use carrybit::board::{Board, Color, Delta, Kind, Square};

use super::geometry::middle_file;
use super::pawns::Structure;
use super::pieces::{Attacks, is_plural};
use super::tapered::Tapered;
use super::terms;
use super::trace::{DangerTally, Trace};

/// The nine squares of the king's zone from its middle.
const ZONE: [Delta; 9] =
    [SOUTH_WEST, SOUTH, SOUTH_EAST, WEST, 0, EAST, NORTH_WEST, NORTH, NORTH_EAST];

/// Danger beyond this makes no difference, units of danger.
pub const DANGER_MAX: i32 = 1500;
/// The square of the danger, divided by this, is its price in the middle game in
/// centipawns.
pub const DANGER_MG_DIV: i32 = 1024;
/// Danger divided by this is its price in the endgame in centipawns.
pub const DANGER_EG_DIV: i32 = 16;

/// The kinds that attack a king, in the order of [`terms::DANGER_ATTACKER`].
const OFFICERS: [Kind; 4] = [Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen];

/// What a sum of danger terms costs the side whose king it threatens, as a
/// positive value.
#[inline]
#[must_use]
pub fn price(danger: i32) -> Tapered {
    let danger = danger.clamp(0, DANGER_MAX);
    Tapered::new(danger * danger / DANGER_MG_DIV, danger / DANGER_EG_DIV)
}

/// Adds up the danger to the king of `side`. `ours` and `theirs` are the attacks
/// of `side` and of the other side.
pub(super) fn add_danger<T: Trace>(
    board: &Board,
    pawns: &Structure,
    side: Color,
    ours: &Attacks,
    theirs: &Attacks,
    tally: &mut DangerTally<'_, T>,
) {
    let king = board.king(side);
    let files = middle_file(king) - 1..=middle_file(king) + 1;
    let middle = Square::new(middle_file(king), king.rank().clamp(1, 6));
    // What defends the zone in earnest: not the king, and not the queen.
    let defenders = !(ours.of(Kind::King) | ours.of(Kind::Queen));
    let they = !theirs.of(Kind::King);
    let zone = ZONE.map(|step| middle.step(step));
    let attackers = zone.iter().fold(0, |all, &sq| all | theirs.on(sq)) & they;
    if attackers == 0 {
        return;
    }
    let (mut attacked, mut attacked_twice, mut weak) = (0, 0, 0);
    for sq in zone {
        let by = theirs.on(sq) & they;
        let is_attacked = by != 0;
        // Without a branch, which could not be foreseen.
        let is_defended = (ours.on(sq) & defenders != 0) | ours.by_pawn(sq);
        attacked += i32::from(is_attacked);
        attacked_twice += i32::from(is_plural(by));
        weak += i32::from(is_attacked & !is_defended);
    }
    for (index, kind) in OFFICERS.into_iter().enumerate() {
        let count = (attackers & theirs.of(kind)).count_ones();
        tally.add_times(terms::DANGER_ATTACKER.at(index), count as i32);
    }
    tally.add_times(terms::DANGER_ATTACKED.at(0), attacked);
    tally.add_times(terms::DANGER_ATTACKED_TWICE.at(0), attacked_twice);
    tally.add_times(terms::DANGER_WEAK.at(0), weak);
    let open_files = files.filter(|&file| pawns.pawns[side.index()][file as usize] == 0).count();
    tally.add_times(terms::DANGER_OPEN_FILE.at(0), open_files as i32);
    if theirs.of(Kind::Queen) == 0 {
        tally.add_times(terms::DANGER_NO_QUEEN.at(0), 1);
    }
    tally.add_times(terms::DANGER_BASE.at(0), 1);
    add_safe_checks(board, side, ours, theirs, tally);
}

/// Adds the squares from where the other side can check the king of `side` with
/// impunity.
fn add_safe_checks<T: Trace>(
    board: &Board,
    side: Color,
    ours: &Attacks,
    theirs: &Attacks,
    tally: &mut DangerTally<'_, T>,
) {
    let king = board.king(side);
    let is_safe = |sq: Square| !ours.any(sq) && !board.piece_on(sq).is_color(side.flip());
    let number = |kind: Kind| kind.index() - Kind::Knight.index();
    let mut checks = [0; 4];
    let knights = theirs.of(Kind::Knight);
    if knights != 0 {
        for jump in KNIGHT_JUMPS {
            let sq = king.step(jump);
            if sq.is_on_board() && theirs.on(sq) & knights != 0 && is_safe(sq) {
                checks[number(Kind::Knight)] += 1;
            }
        }
    }
    let queens = theirs.of(Kind::Queen);
    for (kind, steps) in [(Kind::Rook, ORTHOGONALS), (Kind::Bishop, DIAGONALS)] {
        let others = theirs.of(kind);
        for step in steps {
            let mut sq = king.step(step);
            while sq.is_on_board() {
                let by = theirs.on(sq) & (queens | others);
                if by != 0 && is_safe(sq) {
                    checks[number(Kind::Queen)] += i32::from(by & queens != 0);
                    checks[number(kind)] += i32::from(by & others != 0);
                }
                if !board.piece_on(sq).is_empty() {
                    break;
                }
                sq = sq.step(step);
            }
        }
    }
    for (index, &count) in checks.iter().enumerate() {
        tally.add_times(terms::DANGER_SAFE_CHECK.at(index), count);
    }
}
