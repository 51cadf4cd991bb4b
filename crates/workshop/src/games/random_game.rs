//! Games of random moves, labelled with material: the first network is trained on them.
//!
//! They need no search and no network: a million positions take about a second.

use carrybit::internals::eval::nnue::network::PIECE_VALUES;
use carrybit::internals::score::Score;
use carrybit::{Board, Color, Game};
use fastrand::Rng;

use super::GameRecord;

/// Games end here: by then they have passed through all numbers of pieces, and so through
/// all output buckets.
const MAX_PLIES: usize = 400;

/// Describes the games; stored in the settings of a shard.
pub fn rules() -> String {
    format!("up to ply {MAX_PLIES}; pieces are worth {PIECE_VALUES:?} cp")
}

/// Plays random legal moves from the starting position. Each score is the material balance;
/// a game that reaches the last ply is a draw.
pub fn play_random_game(seed: u64) -> GameRecord {
    let mut rng = Rng::with_seed(seed);
    let start = Board::default();
    let mut game = Game::new(start.clone());
    let mut moves = Vec::new();
    while moves.len() < MAX_PLIES {
        if let Some(outcome) = game.outcome() {
            return GameRecord { start, moves, winner: outcome.winner() };
        }
        let legal = game.board().legal_moves();
        let mv = legal[rng.usize(..legal.len())];
        moves.push((mv, material(game.board())));
        game.play(mv);
    }
    GameRecord { start, moves, winner: None }
}

/// White's pieces less Black's, in centipawns.
fn material(board: &Board) -> Score {
    let side = |color| -> Score {
        board.pieces_of(color).map(|(_, piece)| PIECE_VALUES[piece.kind_index()]).sum()
    };
    side(Color::White) - side(Color::Black)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_games_with_material_scores() {
        let record = play_random_game(1);
        assert_eq!(play_random_game(1), record);
        assert_ne!(play_random_game(2), record);
        let mut game = Game::new(record.start);
        let mut balance = 0;
        for (mv, white_score) in record.moves {
            assert_eq!(white_score, balance);
            let board = game.board();
            let sign = if board.side() == Color::White { 1 } else { -1 };
            let captured = board.captured_kind(mv).map_or(0, |kind| PIECE_VALUES[kind.index()]);
            let promoted =
                mv.promotion_kind().map_or(0, |kind| PIECE_VALUES[kind.index()] - PIECE_VALUES[0]);
            balance += sign * (captured + promoted);
            game.play(mv);
        }
    }

    #[test]
    fn random_games_reach_every_number_of_pieces() {
        let mut seen = [false; 33];
        for record in (0..200).map(play_random_game) {
            let mut game = Game::new(record.start);
            for (mv, _) in record.moves {
                seen[game.board().piece_count()] = true;
                game.play(mv);
            }
        }
        assert_eq!(seen[3..], [true; 30]);
    }
}
