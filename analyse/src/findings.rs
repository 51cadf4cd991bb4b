//! What the evaluations of a game's positions come to: its mistakes, what would have been
//! better, and how accurately both sides played.

use carrybit::board::draw::{FIFTY_MOVES_PLIES, SEVENTY_FIVE_MOVES_PLIES, is_threefold};
use carrybit::board::{Board, Color, Game};
use carrybit::uci::position::find_move;
use pgn::replay::{Replay, Step};

use crate::analyst::Evaluation;
use crate::judgement::{self, Judgement, Value};

/// What was found about a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Of each position, from the first to the last, its evaluation.
    pub evaluations: Vec<Evaluation>,
    /// Of each position, the engine's line in SAN.
    pub lines: Vec<Vec<String>>,
    /// What there is to say about each move.
    pub judgements: Vec<Option<Judgement>>,
    /// The accuracies of White and Black, from 0 to 100; `None` for who has not moved.
    pub accuracies: [Option<f64>; 2],
}

impl Findings {
    /// What follows from these evaluations of all positions of the game.
    #[must_use]
    pub fn new(replay: &Replay, evaluations: Vec<Evaluation>) -> Findings {
        let mut game = Game::new(replay.start.clone());
        let mut lines = Vec::with_capacity(evaluations.len());
        let mut judgements = Vec::with_capacity(replay.steps.len());
        for (at, evaluation) in evaluations.iter().enumerate() {
            let board = game.board();
            lines.push(san_line(board, &evaluation.line));
            let Some(&step) = replay.steps.get(at) else { break };
            let is_white = board.side() == Color::White;
            let is_best = match step {
                Step::Move(mv) => evaluation.line.first() == Some(&board.uci(mv, true)),
                Step::Pass => true,
            };
            step.play(&mut game);
            let after = evaluations[at + 1].value;
            // The mover could have claimed a draw with this move.
            let is_lower = if is_white { after.chances() < 0.0 } else { after.chances() > 0.0 };
            let after = if is_lower && is_claimable(&game) { Value::Cp(0) } else { after };
            // If the best move loses something, the search has learnt, not the mover erred.
            let judge = || judgement::judge(evaluation.value, after, is_white);
            judgements.push(if is_best { None } else { judge() });
        }
        let values: Vec<_> = evaluations.iter().map(|evaluation| evaluation.value).collect();
        let white_begins = replay.start.side() == Color::White;
        Findings {
            lines,
            judgements,
            accuracies: judgement::accuracies(&values, white_begins),
            evaluations,
        }
    }

    /// How many moves of White and of Black were judged so; `white_begins` says whose the
    /// first move is.
    #[must_use]
    pub fn count(&self, judgement: Judgement, white_begins: bool) -> [usize; 2] {
        let mut counts = [0; 2];
        for (at, _) in
            self.judgements.iter().enumerate().filter(|(_, found)| **found == Some(judgement))
        {
            counts[usize::from((at % 2 == 0) != white_begins)] += 1;
        }
        counts
    }
}

/// Whether the player who has just moved can claim a draw: after fifty moves without
/// capture or pawn's move, or when a position occurs for the third time.
fn is_claimable(game: &Game) -> bool {
    let board = game.board();
    // The game has ended then, and to compare more would take quadratic time.
    let past = board.halfmove().min(SEVENTY_FIVE_MOVES_PLIES);
    board.halfmove() >= FIFTY_MOVES_PLIES || is_threefold(game.history(), board.key(), past)
}

/// A line of moves in UCI's notation in SAN, as far as it can be played.
fn san_line(board: &Board, line: &[String]) -> Vec<String> {
    let mut board = board.clone();
    let mut texts = Vec::with_capacity(line.len());
    for uci in line {
        let Some(mv) = find_move(&board, uci) else { break };
        texts.push(board.san(mv));
        board = board.make(mv);
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The judgements on moves, if the positions after them have these values.
    fn judgements(text: &str, values: &[i32]) -> Vec<Option<Judgement>> {
        let mut game = pgn::read(text).remove(0).game.expect("a game");
        let (replay, _) = Replay::new(&mut game, text).expect("legal moves");
        let evaluations = [0].iter().chain(values).map(|&cp| Evaluation {
            value: Value::Cp(cp),
            wdl: [0, 1000, 0],
            depth: 1,
            line: Vec::new(),
        });
        Findings::new(&replay, evaluations.collect()).judgements
    }

    #[test]
    fn move_that_allows_a_claim_of_a_draw_is_no_mistake() {
        let fen = |clock| format!("[FEN \"7k/8/8/8/8/8/8/RR5K b - - {clock} 80\"]\n\n80... Kg7 *");
        let blunder = Some(Judgement::Blunder);
        assert_eq!(judgements(&fen(98), &[900]), [blunder]);
        assert_eq!(judgements(&fen(99), &[900]), [None]);
        assert_eq!(judgements(&fen(99), &[-900]), [None]);
        let text = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *";
        assert_eq!(judgements(text, &[0, 0, 0, 0, 0, 0, 0, 900]), [None; 8]);
        assert_eq!(judgements(text, &[0, 0, 0, 900, 0, 0, 0, 0])[3], blunder);
    }
}
