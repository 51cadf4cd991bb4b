//! The findings of an analysis: the mistakes of a game, the better moves, and the accuracy
//! of both sides.

use carrybit::board::draw::{FIFTY_MOVES_PLIES, SEVENTY_FIVE_MOVES_PLIES, is_threefold};
use carrybit::board::{Board, Color, Game};
use carrybit::uci::position::find_move;
use serde::{Deserialize, Serialize};

use crate::judgement::{self, Judgement, Value};
use crate::replay::{Replay, Step};

/// The longest line that is kept, in plies.
pub const MAX_LINE: usize = 12;

/// The engine's results for a position, from White's point of view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The score.
    pub value: Value,
    /// How many of a thousand games White wins, draws and loses.
    pub wdl: [u32; 3],
    /// How deep it was searched, in plies.
    pub depth: i32,
    /// The best moves for both sides, in UCI's notation, with castling as king takes rook.
    pub line: Vec<String>,
}

impl Evaluation {
    /// The evaluation of a position in which the game has ended, by mate, stalemate, or too
    /// little material to mate with; `None` where it goes on.
    pub fn of_end(board: &Board) -> Option<Evaluation> {
        let by_white = board.side() == Color::Black;
        let (value, wdl) = match (board.has_legal_move(), board.in_check()) {
            (false, true) if by_white => (Value::Won { by_white }, [1000, 0, 0]),
            (false, true) => (Value::Won { by_white }, [0, 0, 1000]),
            (true, _) if !board.is_insufficient_material() => return None,
            _ => (Value::Cp(0), [0, 1000, 0]),
        };
        Some(Evaluation { value, wdl, depth: 0, line: Vec::new() })
    }
}

/// The findings about the positions of a game that have been evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Of each position, from the first to the last, its evaluation.
    pub evaluations: Vec<Evaluation>,
    /// Of each position, the engine's line in SAN.
    pub lines: Vec<Vec<String>>,
    /// The judgement on each move that was not good.
    pub judgements: Vec<Option<Judgement>>,
    /// The position evaluated last.
    game: Game,
}

impl Findings {
    /// The findings from the evaluations of the first positions of the game, or of all.
    pub fn new(replay: &Replay, evaluations: impl IntoIterator<Item = Evaluation>) -> Findings {
        let game = Game::new(replay.start.clone());
        let mut findings =
            Findings { evaluations: Vec::new(), lines: Vec::new(), judgements: Vec::new(), game };
        evaluations.into_iter().for_each(|evaluation| findings.add(replay, evaluation));
        findings
    }

    /// Adds the evaluation of the next position.
    pub fn add(&mut self, replay: &Replay, mut evaluation: Evaluation) {
        if let Some(before) = self.evaluations.last()
            && let Some(&step) = replay.steps.get(self.evaluations.len() - 1)
        {
            let is_white = self.game.board().side() == Color::White;
            let is_best = match step {
                Step::Move(mv) => before.line.first() == Some(&self.game.board().uci(mv, true)),
                Step::Pass => true,
            };
            step.play(&mut self.game);
            let after = evaluation.value;
            // The mover could have claimed a draw with this move.
            let is_lower = if is_white { after.chances() < 0.0 } else { after.chances() > 0.0 };
            let after = if is_lower && is_claimable(&self.game) { Value::Cp(0) } else { after };
            // If the best move loses something, the search has learnt, not the mover erred.
            let judgement = judgement::judge(before.value, after, is_white);
            self.judgements.push(judgement.filter(|_| !is_best));
        }
        evaluation.line.truncate(MAX_LINE);
        self.lines.push(san_line(self.game.board(), &evaluation.line));
        self.evaluations.push(evaluation);
    }

    /// The accuracies of White and Black, from 0 to 100; `None` for a side that has not moved.
    pub fn accuracies(&self, white_begins: bool) -> [Option<f64>; 2] {
        let values: Vec<_> = self.evaluations.iter().map(|evaluation| evaluation.value).collect();
        judgement::accuracies(&values, white_begins)
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
pub fn san_line(board: &Board, line: &[impl AsRef<str>]) -> Vec<String> {
    let mut game = Game::new(board.clone());
    let mut texts = Vec::with_capacity(line.len());
    for uci in line {
        let Some(mv) = find_move(game.board(), uci.as_ref()) else { break };
        texts.push(game.board().san(mv));
        game.play(mv);
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The judgements on moves, if the positions after them have these values.
    fn judgements(text: &str, values: &[i32]) -> Vec<Option<Judgement>> {
        let mut game = crate::read(text).remove(0).game.expect("a game");
        let (replay, _) = Replay::new(&mut game, text).expect("legal moves");
        let evaluations = [0].iter().chain(values).map(|&cp| Evaluation {
            value: Value::Cp(cp),
            wdl: [0, 1000, 0],
            depth: 1,
            line: Vec::new(),
        });
        Findings::new(&replay, evaluations).judgements
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

    #[test]
    fn decided_positions_need_no_search() {
        for (fen, expected) in [
            ("R5k1/5ppp/8/8/8/8/8/7K b - - 0 1", Some(Value::Won { by_white: true })),
            ("6k1/5ppp/8/8/8/8/r7/1r5K w - - 0 1", Some(Value::Won { by_white: false })),
            ("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", Some(Value::Cp(0))),
            ("7k/8/8/8/8/8/8/KB6 w - - 0 1", Some(Value::Cp(0))),
            ("7k/8/8/8/8/8/8/KR6 w - - 0 1", None),
        ] {
            let found = Evaluation::of_end(&fen.parse().expect("a FEN"));
            assert_eq!(found.map(|found| found.value), expected, "{fen}");
        }
    }
}
