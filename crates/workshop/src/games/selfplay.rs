//! One game of the engine against itself, determined by a seed. Adjudication ends decided games
//! before checkmate or a draw by rule.

use carrybit::internals::score::Score;
use carrybit::internals::selfplay::{self, OpeningError, SelfPlayer};
use carrybit::{Board, Color, Outcome};
use fastrand::Rng;

use super::GameRecord;

/// A side that is ahead by a winning score for this number of plies has won.
const WIN_PLIES: usize = 4;
/// The winning score of most games, in centipawns. In games of 1,000 nodes a move with network n23a,
/// this saves 20 % of the plies compared with 1000, and is wrong in 1 of 441 games.
const WIN_CP: Score = 600;
/// The winning score of the other games: networks must know larger advantages, too.
const LONG_WIN_CP: Score = 1000;
/// One game in this many is a long one.
const LONG_GAMES: u64 = 8;
/// A game whose scores are within [`DRAW_CP`] for this number of plies is drawn.
const DRAW_PLIES: usize = 10;
/// The largest absolute value of a level score, in centipawns.
const DRAW_CP: Score = 6;
/// Level games are drawn from this ply on.
const DRAW_MIN_PLY: usize = 70;
/// Longer games are draws.
const MAX_PLIES: usize = 500;

/// Describes the rules of each game; stored in the settings of a shard. The text must change if
/// and only if the rules change.
pub fn rules() -> String {
    format!(
        "{}; won at {WIN_CP} cp for {WIN_PLIES} plies, in one game in {LONG_GAMES} at {LONG_WIN_CP} \
         cp; drawn within {DRAW_CP} cp for {DRAW_PLIES} \
         plies from ply {DRAW_MIN_PLY} on, and at ply {MAX_PLIES}, unless the last move ends the \
         game",
        selfplay::rules()
    )
}

/// Plays the game of `seed`: an opening of `random_plies` random moves, or one more, then
/// about `nodes` nodes for each move. With `chess960` the opening begins at a position of Chess960
/// or double Chess960.
pub fn play_game(
    player: &mut SelfPlayer,
    seed: u64,
    random_plies: usize,
    chess960: bool,
    nodes: u64,
) -> Result<GameRecord, OpeningError> {
    player.clear();
    let mut rng = Rng::with_seed(seed);
    let start = if chess960 { chess960_start(&mut rng) } else { Board::default() };
    let mut game = player.find_opening(&mut rng, &[start], random_plies, nodes)?;
    let start = game.board().clone();
    let win_cp = if seed.is_multiple_of(LONG_GAMES) { LONG_WIN_CP } else { WIN_CP };
    let mut referee = Referee::new(win_cp);
    let mut moves = Vec::new();
    let mut decided = None;
    loop {
        // A short search may give a winning score to a move that stalemates.
        if let Some(winner) = game.outcome().map(Outcome::winner).or(decided) {
            return Ok(GameRecord { start, moves, winner });
        }
        let (mv, score) = player.search(&game, nodes).ok_or(OpeningError::Stopped)?;
        let white_score = if game.board().side() == Color::White { score } else { -score };
        moves.push((mv, white_score));
        decided = referee.update(white_score, moves.len());
        game.play(mv);
    }
}

/// A start position of Chess960, or as often of double Chess960, where each side has one of its
/// own.
fn chess960_start(rng: &mut Rng) -> Board {
    let mut random = || Board::chess960_start(rng.u16(..960)).expect("a number below 960");
    let [white, black] = [random(), random()].map(|board| board.shredder_fen());
    let black = if rng.bool() { &white } else { &black };
    let rights = |fen: &str| fen.split(' ').nth(2).expect("castling rights")[..2].to_owned();
    let (upper, lower) = (rights(&white), rights(black).to_lowercase());
    let (white, black) = (white[..8].to_uppercase(), &black[..8]);
    let fen = format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w {upper}{lower} - 0 1");
    fen.parse().expect("a start position")
}

/// Watches the scores of one game.
struct Referee {
    win_cp: Score,
    /// Plies for which White has been winning; negative for Black.
    winning: isize,
    /// Plies for which the game has been level.
    level: usize,
}

impl Referee {
    fn new(win_cp: Score) -> Referee {
        Referee { win_cp, winning: 0, level: 0 }
    }

    /// Takes the score, from White's view, of the position after `ply` plies. Returns the
    /// winner if the game is decided.
    fn update(&mut self, white_score: Score, ply: usize) -> Option<Option<Color>> {
        self.winning = match white_score {
            score if score >= self.win_cp => self.winning.max(0) + 1,
            score if score <= -self.win_cp => self.winning.min(0) - 1,
            _ => 0,
        };
        self.level = if white_score.abs() <= DRAW_CP { self.level + 1 } else { 0 };
        if self.winning.unsigned_abs() >= WIN_PLIES {
            return Some(Some(if self.winning > 0 { Color::White } else { Color::Black }));
        }
        let is_draw = self.level >= DRAW_PLIES && ply >= DRAW_MIN_PLY || ply >= MAX_PLIES;
        is_draw.then_some(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lasting_advantage_wins_and_a_late_level_game_is_drawn() {
        const NEARLY: Score = WIN_CP - 1;
        let [won, lost] = [WIN_CP, -WIN_CP];
        let cases = [
            (vec![won; 9], 0, Some((3, Some(Color::White)))),
            (vec![lost - 500; 9], 0, Some((3, Some(Color::Black)))),
            (vec![won, won, won, NEARLY, won, lost, lost, won], 0, None),
            (vec![6; 40], 100, Some((9, None))),
            (vec![-6; 40], 50, Some((20, None))),
            ([6, 7].repeat(40), 100, None),
            (vec![100; 9], MAX_PLIES - 5, Some((5, None))),
        ];
        for (scores, first_ply, expected) in cases {
            let mut referee = Referee::new(WIN_CP);
            let mut scores = scores.iter().enumerate();
            let found =
                scores.find_map(|(i, &score)| Some((i, referee.update(score, first_ply + i)?)));
            assert_eq!(found, expected);
        }
    }
}
