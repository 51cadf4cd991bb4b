//! Threats by walking from each piece.

use crate::threats::lesser_than;
use crate::{Board, Color, Delta, Kind, PieceByte, Square, ThreatFeatures, Threats};

use super::movegen::PaddedBoard;

pub(in crate::backend) fn threats(board: &Board, by: Color) -> Threats {
    let padded = PaddedBoard::new(&board.squares, by);
    let mut attacked = 0;
    for (from, piece) in board.pieces_of(by) {
        for_each_attack::<true>(&padded, from, piece, by, |sq| {
            attacked |= u64::from(sq.is_on_board()) << (sq.to_64() % 64);
        });
    }
    Threats(attacked)
}

pub(in crate::backend) fn threat_features(board: &Board) -> ThreatFeatures {
    // The colour of the padding does not matter: the padding only ends the rays.
    let padded = PaddedBoard::new(&board.squares, Color::White);
    // By colour and square: the kinds that attack it, as bits of a `PieceByte`. Entries off the
    // board are written but never read.
    let mut attackers = [[0u8; 256]; 2];
    for color in Color::ALL {
        for (from, piece) in board.pieces_of(color) {
            for_each_attack::<false>(&padded, from, piece, color, |sq| {
                attackers[color.index()][usize::from(sq.0)] |= piece.0;
            });
        }
    }
    let mut features = ThreatFeatures::default();
    for color in Color::ALL {
        for (sq, piece) in board.pieces_of(color) {
            let [own, enemy] = [color, !color].map(|side| attackers[side.index()][sq.index()]);
            let lesser = piece.kind().map_or(0, lesser_than);
            features.hanging |= u64::from(enemy != 0 && own == 0) << sq.to_64();
            features.attacked_by_lesser |= u64::from(enemy & lesser != 0) << sq.to_64();
        }
    }
    features
}

/// Calls `attacks` for each square that the piece on `from` attacks, on the board or off it.
/// Without `ALL`, a slider gets only the last square of each ray.
#[inline(always)]
fn for_each_attack<const ALL: bool>(
    padded: &PaddedBoard,
    from: Square,
    piece: PieceByte,
    color: Color,
    mut attacks: impl FnMut(Square),
) {
    let mut leap = |jumps: &[Delta]| jumps.iter().for_each(|&jump| attacks(from.step(jump)));
    match piece.kind() {
        Some(Kind::Pawn) => leap(&color.pawn_captures()),
        Some(kind) if !kind.slides() => leap(kind.steps()),
        Some(kind) => {
            for &step in kind.steps() {
                let mut to = from.step(step);
                while padded.byte_on(to).is_empty() {
                    if ALL {
                        attacks(to);
                    }
                    to = to.step(step);
                }
                attacks(to);
            }
        }
        None => {}
    }
}
