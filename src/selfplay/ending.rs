//! How a game ends by the laws of chess, with draws claimed as soon as possible.

use crate::board::draw::is_threefold;
use crate::board::{Color, Game};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// This side has won.
    Win(Color),
    /// Nobody has.
    Draw,
}

/// How the game ends in the position reached; `None` if it goes on.
pub fn ending(game: &Game) -> Option<Ending> {
    let (board, history) = (game.board(), game.history());
    if !board.has_legal_move() {
        let mated = board.in_check();
        return Some(if mated { Ending::Win(!board.side()) } else { Ending::Draw });
    }
    let is_draw = board.is_fifty_move_draw()
        || board.is_insufficient_material()
        || is_threefold(history, board.key(), board.halfmove());
    is_draw.then_some(Ending::Draw)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending_of(fen: &str) -> Option<Ending> {
        ending(&Game::new(fen.parse().expect("a sound FEN")))
    }

    #[test]
    fn mate_wins_and_stalemate_fifty_moves_and_bare_kings_draw() {
        let white_mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        assert_eq!(ending_of(white_mated), Some(Ending::Win(Color::Black)));
        assert_eq!(ending_of("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1"), Some(Ending::Win(Color::White)));
        assert_eq!(ending_of("7k/5Q2/8/8/8/8/8/K7 b - - 0 1"), Some(Ending::Draw));
        assert_eq!(ending_of("7k/8/8/8/8/8/8/K5R1 w - - 100 90"), Some(Ending::Draw));
        assert_eq!(ending_of("7k/8/8/8/8/8/8/K7 w - - 0 1"), Some(Ending::Draw));
        assert_eq!(ending_of("7k/8/8/8/8/8/8/K5R1 w - - 99 90"), None);
    }

    #[test]
    fn a_position_that_comes_for_the_third_time_is_a_draw() {
        let mut game = Game::default();
        let mut endings = Vec::new();
        for text in "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8".split(' ') {
            let moves = game.board().legal_moves();
            let mv = moves.iter().copied().find(|mv| mv.to_string() == text);
            game.play(mv.expect("the move is legal"));
            endings.push(ending(&game));
        }
        assert_eq!(endings, [[None; 7].as_slice(), &[Some(Ending::Draw)]].concat());
    }
}
