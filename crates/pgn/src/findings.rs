//! The result of analysing a game: mistakes, better moves, and the accuracy of both sides.

use carrybit_board::{Board, CastlingMode, Color, Game};
use serde::{Deserialize, Serialize};

use crate::judgement::{self, Judgement, Value};

/// The maximum length of a stored line, in plies.
pub const MAX_LINE: usize = 12;

/// The engine's result for a position, from White's point of view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The score.
    pub value: Value,
    /// White's wins, draws and losses per thousand games.
    pub wdl: [u32; 3],
    /// The depth of the search, in plies.
    pub depth: i32,
    /// The principal variation in UCI notation, with castling as king takes rook.
    pub line: Vec<String>,
}

impl Evaluation {
    /// The evaluation of a position that ends the game by checkmate, stalemate or insufficient
    /// material; `None` for any other position.
    pub fn of_end(board: &Board) -> Option<Evaluation> {
        let (value, wdl) = match board.status()?.winner() {
            Some(Color::White) => (Value::Won { by_white: true }, [1000, 0, 0]),
            Some(Color::Black) => (Value::Won { by_white: false }, [0, 0, 1000]),
            None => (Value::Cp(0), [0, 1000, 0]),
        };
        Some(Evaluation { value, wdl, depth: 0, line: Vec::new() })
    }
}

/// The results for the positions of a game that have been evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The evaluation of each position, from the first.
    pub evaluations: Vec<Evaluation>,
    /// The engine's line in each position, in SAN.
    pub lines: Vec<Vec<String>>,
    /// The judgement on each move; `None` if the move was good enough.
    pub judgements: Vec<Option<Judgement>>,
    /// The game up to the position evaluated last.
    game: Game,
}

impl Findings {
    /// The findings from the evaluations of the first positions of a game, or of all.
    pub fn new(played: &Game, evaluations: impl IntoIterator<Item = Evaluation>) -> Findings {
        let game = Game::new(played.start().clone());
        let mut findings =
            Findings { evaluations: Vec::new(), lines: Vec::new(), judgements: Vec::new(), game };
        evaluations.into_iter().for_each(|evaluation| findings.add(played, evaluation));
        findings
    }

    /// Adds the evaluation of the next position.
    pub fn add(&mut self, played: &Game, mut evaluation: Evaluation) {
        if let Some(before) = self.evaluations.last()
            && let Some(&mv) = played.moves().get(self.evaluations.len() - 1)
        {
            let is_white = self.game.board().side() == Color::White;
            let is_best =
                mv.is_null() || before.line.first() == Some(&mv.uci(CastlingMode::Chess960));
            self.game.play(mv);
            let after = evaluation.value;
            // A mover who stands worse can claim a draw by repetition or the fifty-move rule.
            let is_worse = if is_white { after.chances() < 0.0 } else { after.chances() > 0.0 };
            let is_draw = || self.game.outcome().is_some_and(|outcome| outcome.winner().is_none());
            let after = if is_worse && is_draw() { Value::Cp(0) } else { after };
            // The engine's first choice is never marked: its loss was beyond the search's horizon.
            let judgement = judgement::judge(before.value, after, is_white);
            self.judgements.push(judgement.filter(|_| !is_best));
        }
        evaluation.line.truncate(MAX_LINE);
        self.lines.push(san_line(self.game.board(), &evaluation.line));
        self.evaluations.push(evaluation);
    }

    /// The accuracy of White and of Black, from 0 to 100; `None` for a side that has not moved.
    pub fn accuracies(&self) -> [Option<f64>; 2] {
        let start = self.game.start();
        let mut values: Vec<_> = self.evaluations.iter().map(|found| found.value).collect();
        // Lichess uses this value for every start position. We keep the engine's value for others:
        // the first move has not caused an advantage.
        if *start == Board::default()
            && let Some(first) = values.first_mut()
        {
            *first = Value::Cp(judgement::INITIAL_CP);
        }
        judgement::accuracies(&values, start.side() == Color::White)
    }

    /// The inaccuracies, mistakes and blunders of White and of Black.
    pub fn counts(&self) -> [[usize; 3]; 2] {
        let white_begins = self.game.start().side() == Color::White;
        let mut counts = [[0; 3]; 2];
        for (at, judgement) in self.judgements.iter().enumerate() {
            let is_white = (at % 2 == 0) == white_begins;
            if let Some(judgement) = judgement {
                counts[usize::from(!is_white)][*judgement as usize] += 1;
            }
        }
        counts
    }
}

/// Converts a line from UCI notation to SAN, up to the first move that is not legal.
pub fn san_line(board: &Board, line: &[impl AsRef<str>]) -> Vec<String> {
    let mut game = Game::new(board.clone());
    let moves: Vec<_> = line.iter().map_while(|uci| game.play_uci(uci.as_ref()).ok()).collect();
    board.san_line(&moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The findings about a game whose positions have these `values`.
    fn findings(text: &str, values: impl IntoIterator<Item = i32>) -> Findings {
        let (_, played, _) = crate::replay::open(&crate::read(text)[0]).expect("legal moves");
        let evaluations = values.into_iter().map(|cp| Evaluation {
            value: Value::Cp(cp),
            wdl: [0, 1000, 0],
            depth: 1,
            line: Vec::new(),
        });
        Findings::new(&played, evaluations)
    }

    /// The judgements on moves that lead to positions of these `values`.
    fn judgements(text: &str, values: &[i32]) -> Vec<Option<Judgement>> {
        findings(text, [0].iter().chain(values).copied()).judgements
    }

    #[test]
    fn move_that_allows_a_draw_claim_is_no_mistake() {
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
    fn accuracy_begins_with_the_value_of_lichess_except_in_a_set_up_position() {
        let accuracy =
            |text: &str, values: [i32; 3]| findings(text, values).accuracies()[0].expect("a move");
        let game = "1. e4 e5 *";
        assert_eq!(accuracy(game, [80, 15, 15]), 100.0);
        assert!(accuracy(game, [0, 0, 0]) < accuracy(game, [0, 15, 15]));
        let set_up = "[FEN \"4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 e5 *";
        assert_eq!(accuracy(set_up, [-300, -300, -300]), 100.0);
    }

    #[test]
    fn final_positions_need_no_search() {
        for (fen, expected) in [
            ("R5k1/5ppp/8/8/8/8/8/7K b - - 0 1", Some(Value::Won { by_white: true })),
            ("6k1/5ppp/8/8/8/8/r7/1r5K w - - 0 1", Some(Value::Won { by_white: false })),
            ("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", Some(Value::Cp(0))),
            ("7k/8/8/8/8/8/8/KR6 w - - 0 1", None),
        ] {
            let found = Evaluation::of_end(&fen.parse().expect("a FEN"));
            assert_eq!(found.map(|found| found.value), expected, "{fen}");
        }
    }
}
