//! What the evaluations of a game's positions come to: its mistakes, what would have been
//! better, and how accurately both sides played.

use carrybit::board::{Board, Color, Game, NoObserver};
use carrybit::uci::position::find_move;
use pgn::replay::{Replay, Step};

use crate::analyst::Evaluation;
use crate::judgement::{self, Judgement};

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
        let positions = replay.positions();
        let boards: Vec<&Board> = positions.iter().map(Game::board).collect();
        let lines = boards.iter().zip(&evaluations);
        let lines = lines.map(|(board, evaluation)| san_line(board, &evaluation.line)).collect();
        let judgements = replay.steps.iter().enumerate().map(|(at, &step)| {
            let Step::Move(mv) = step else { return None };
            let [before, after] = [&evaluations[at], &evaluations[at + 1]];
            let is_best = before.line.first() == Some(&boards[at].uci(mv, true));
            let is_white = boards[at].side() == Color::White;
            // If the best move loses something, the search has learnt, not the mover erred.
            if is_best { None } else { judgement::judge(before.value, after.value, is_white) }
        });
        let values: Vec<_> = evaluations.iter().map(|evaluation| evaluation.value).collect();
        let white_begins = replay.start.side() == Color::White;
        Findings {
            lines,
            judgements: judgements.collect(),
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

/// A line of moves in UCI's notation in SAN, as far as it can be played.
fn san_line(board: &Board, line: &[String]) -> Vec<String> {
    let mut board = board.clone();
    let mut texts = Vec::with_capacity(line.len());
    for uci in line {
        let Some(mv) = find_move(&board, uci) else { break };
        texts.push(board.san(mv));
        board = board.make(mv, &mut NoObserver);
    }
    texts
}
