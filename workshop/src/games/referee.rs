//! Adjudication: ends games that are decided before the rules of chess end them.

use carrybit::board::Color;
use carrybit::score::Score;

use super::record::Ending;

/// For how many plies the scores must say that the same side is [`WIN_CP`] ahead, for
/// the game to be won.
const WIN_PLIES: usize = 4;
/// How far ahead, in centipawns, wins. In games of 400 nodes a move with network n4a,
/// this saves 14 % of the plies that 2000 asks for, and names a winner who would not
/// have won in 0.9 % of the games.
const WIN_CP: Score = 1000;
/// For how many plies the scores must be within [`DRAW_CP`] for the game to be drawn.
const DRAW_PLIES: usize = 10;
/// A level score, in centipawns either way.
const DRAW_CP: Score = 6;
/// A level game is drawn from this ply on.
const DRAW_MIN_PLY: usize = 70;
/// A game that is longer than this is a draw.
pub const MAX_PLIES: usize = 500;

/// Describes the adjudication; stored in shard metadata.
pub fn rules() -> String {
    format!(
        "won at {WIN_CP} cp for {WIN_PLIES} plies; drawn within {DRAW_CP} cp for {DRAW_PLIES} \
         plies from ply {DRAW_MIN_PLY} on, and at ply {MAX_PLIES}"
    )
}

/// Watches the scores of one game.
#[derive(Clone, Debug, Default)]
pub struct Referee {
    /// For how many plies White has been winning; below 0 if it is Black.
    winning: isize,
    /// For how many plies the game has been level.
    level: usize,
}

impl Referee {
    /// Takes the score, from White's view, of the position after `ply` plies. Returns the
    /// ending if the game is decided.
    pub fn update(&mut self, white_score: Score, ply: usize) -> Option<Ending> {
        self.winning = match white_score {
            WIN_CP.. => self.winning.max(0) + 1,
            score if score <= -WIN_CP => self.winning.min(0) - 1,
            _ => 0,
        };
        self.level = if white_score.abs() <= DRAW_CP { self.level + 1 } else { 0 };
        if self.winning.unsigned_abs() >= WIN_PLIES {
            return Some(Ending::Win(if self.winning > 0 { Color::White } else { Color::Black }));
        }
        let is_draw = self.level >= DRAW_PLIES && ply >= DRAW_MIN_PLY || ply >= MAX_PLIES;
        is_draw.then_some(Ending::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(scores: impl IntoIterator<Item = Score>, first_ply: usize) -> Option<(usize, Ending)> {
        let mut referee = Referee::default();
        let mut scores = scores.into_iter().enumerate();
        scores.find_map(|(i, score)| Some((i, referee.update(score, first_ply + i)?)))
    }

    #[test]
    fn a_lasting_advantage_wins() {
        const NEARLY: Score = WIN_CP - 1;
        assert_eq!(heard([WIN_CP; 9], 0), Some((3, Ending::Win(Color::White))));
        assert_eq!(heard([-WIN_CP - 500; 9], 0), Some((3, Ending::Win(Color::Black))));
        let [won, lost] = [WIN_CP, -WIN_CP];
        assert_eq!(heard([won, won, won, NEARLY, won, lost, lost, won], 0), None);
    }

    #[test]
    fn a_level_game_is_drawn_but_not_early() {
        assert_eq!(heard([6; 40], 100), Some((9, Ending::Draw)));
        assert_eq!(heard([-6; 40], 50), Some((20, Ending::Draw)));
        assert_eq!(heard([6, 7].repeat(40), 100), None);
        assert_eq!(heard([100; 9], MAX_PLIES - 5), Some((5, Ending::Draw)));
    }
}
