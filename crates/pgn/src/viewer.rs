//! A game as JSON data for `src/analyse/page/viewer.mjs`.
//!
//! The page computes nothing about chess except piece placement.

use std::time::Duration;

use carrybit_board::{CastlingMode, Game as Played};
use serde::Serialize;

use crate::annotate::QUALITIES;
use crate::commands::{Command, commands};
use crate::findings::Findings;
use crate::judgement::Value;
use crate::words::{glyph_of, standard_result};
use crate::{Entry, Game, Remark, tag};

/// A game on a page: a tree of positions.
#[derive(Debug, Default, Serialize)]
pub struct ViewerGame<'a> {
    tags: Vec<(&'a str, &'a str)>,
    result: &'a str,
    /// Why the game was not analysed; then there are no moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// The first position, and whether the side to move is in check.
    fen: String,
    check: bool,
    /// The first position, then those after each move of the game and of its variations, in the order
    /// of the text.
    nodes: Vec<Node<'a>>,
    /// The indices of the positions of the game itself.
    #[serde(skip)]
    main: Vec<usize>,
    // For White and Black, in an analysed game:
    accuracies: [Option<f64>; 2],
    /// Inaccuracies, mistakes and blunders.
    counts: [[usize; 3]; 2],
}

/// A position, the move that led to it, and the remarks on this move.
#[derive(Debug, Default, Serialize)]
struct Node<'a> {
    /// The index of the position before the move, unless it is that of the previous node.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    #[serde(skip_serializing_if = "str::is_empty")]
    san: &'a str,
    /// Castling is king takes rook; a null move is empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    uci: String,
    #[serde(skip_serializing_if = "<[u16]>::is_empty")]
    nags: &'a [u16],
    #[serde(skip_serializing_if = "String::is_empty")]
    glyphs: String,
    /// The comments before the first move of a variation, and those after the move, with commands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    before: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments: Vec<&'a str>,
    /// The variations that cannot be read or played.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    verbatim: Vec<&'a str>,
    /// The time left to the player who has moved.
    #[serde(skip_serializing_if = "String::is_empty")]
    clock: String,
    /// Coloured squares and arrows, as in PGN.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    squares: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    arrows: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judgement: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    analysis: Option<Analysis<'a>>,
}

/// The engine's evaluation of a position.
#[derive(Debug, Serialize)]
struct Analysis<'a> {
    value: Value,
    /// White's winning percentage.
    percent: f64,
    /// White's wins, draws and losses per thousand games.
    wdl: [u32; 3],
    depth: i32,
    /// The best line, as pairs of UCI and SAN.
    line: Vec<(&'a str, &'a str)>,
}

impl<'a> Node<'a> {
    /// Adds the remarks after the move.
    fn with_remarks(mut self, remarks: &'a [Remark]) -> Node<'a> {
        for remark in remarks {
            match remark {
                Remark::Comment(text) => self.comments.push(text),
                Remark::Variation(line) => self.verbatim.extend(line.verbatim.as_deref()),
                Remark::Escape(_) => {}
            }
        }
        for command in self.comments.iter().flat_map(|text| commands(text)) {
            match command {
                Command::Clock(time) if self.clock.is_empty() => self.clock = clock_text(time),
                Command::Squares(squares) => {
                    self.squares.extend(squares.iter().map(ToString::to_string));
                }
                Command::Arrows(arrows) => {
                    self.arrows.extend(arrows.iter().map(ToString::to_string));
                }
                _ => {}
            }
        }
        self
    }
}

impl<'a> ViewerGame<'a> {
    /// A game without an analysis. It was opened by [`open`](crate::replay::open).
    pub fn new(game: &'a Game, played: &Played) -> ViewerGame<'a> {
        let mut nodes = vec![Node::default().with_remarks(&game.moves.before)];
        let (mut parents, mut main) = (vec![0], vec![0]);
        // The last node of the line of each depth.
        let mut last: Vec<usize> = Vec::new();
        for step in game.walk().into_iter().flatten().flatten() {
            let is_first = step.index == 0;
            let parent = match step.depth.checked_sub(1) {
                None if is_first => 0,
                Some(outer) if is_first => parents[last[outer]],
                _ => last[step.depth],
            };
            let is_null = step.mv.is_null();
            let node = Node {
                parent: (parent + 1 != nodes.len()).then_some(parent),
                san: step.ply.text.as_str(),
                uci: if is_null { String::new() } else { step.mv.uci(CastlingMode::Chess960) },
                nags: &step.ply.nags,
                glyphs: glyphs(&step.ply.nags),
                ..Node::default()
            };
            last.truncate(step.depth);
            last.push(nodes.len());
            if step.depth == 0 {
                main.push(nodes.len());
            }
            parents.push(parent);
            nodes.push(node.with_remarks(&step.ply.after));
            if is_first
                && step.depth > 0
                && let Some(node) = nodes.last_mut()
            {
                node.before = step.line.before.iter().filter_map(Remark::comment).collect();
            }
        }
        let start = played.start();
        let header = ViewerGame::header(&game.tags, game.result.as_deref());
        ViewerGame { fen: start.fen(), check: start.in_check(), nodes, main, ..header }
    }

    /// A game with its analysis.
    pub fn analysed(game: &'a Game, played: &Played, findings: &'a Findings) -> ViewerGame<'a> {
        let mut this = ViewerGame::new(game, played);
        for (ply, found) in findings.evaluations.iter().enumerate() {
            let Some(node) = this.main.get(ply).and_then(|&at| this.nodes.get_mut(at)) else {
                break;
            };
            let line = findings.lines.get(ply).into_iter().flatten().map(String::as_str);
            node.analysis = Some(Analysis {
                value: found.value,
                percent: tenths(found.value.win_percent()),
                wdl: found.wdl,
                depth: found.depth,
                line: found.line.iter().map(String::as_str).zip(line).collect(),
            });
            let judged = ply.checked_sub(1).and_then(|move_at| findings.judgements[move_at]);
            if let Some(judgement) = judged {
                node.judgement = Some(judgement.name());
                if !node.nags.iter().any(|nag| QUALITIES.contains(nag)) {
                    node.glyphs.insert_str(0, &glyphs(&[judgement.nag()]));
                }
            }
        }
        this.counts = findings.counts();
        this.accuracies = findings.accuracies().map(|accuracy| accuracy.map(tenths));
        this
    }

    /// A game that cannot be analysed, and the reason.
    pub fn unread(entry: &'a Entry, problem: String) -> ViewerGame<'a> {
        let fen = "8/8/8/8/8/8/8/8 w - - 0 1".to_owned();
        let header = match &entry.game {
            Ok(game) => ViewerGame::header(&game.tags, game.result.as_deref()),
            Err(_) => ViewerGame::header(&entry.tags, None),
        };
        ViewerGame { problem: Some(problem), fen, ..header }
    }

    fn header(tags: &'a [(String, String)], result: Option<&'a str>) -> ViewerGame<'a> {
        let result =
            result.or_else(|| tag(tags, "Result").and_then(standard_result)).unwrap_or("*");
        let tags = tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        ViewerGame { tags, result, ..ViewerGame::default() }
    }
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// Annotation glyphs as players write them, without rare ones.
fn glyphs(nags: &[u16]) -> String {
    let mut text = String::new();
    for &nag in nags.iter().filter(|nag| matches!(nag, 1..=6 | 10..=19)) {
        // Without a blank, `?` and `!` would be another glyph.
        if nag > 6 || !text.is_empty() {
            text.push(' ');
        }
        text.push_str(glyph_of(nag).unwrap_or_default());
    }
    text
}

/// A time as clocks show it: `4:05`, or `1:02:03` from an hour on.
fn clock_text(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let hours = if hours > 0 { format!("{hours}:{minutes:02}") } else { minutes.to_string() };
    format!("{hours}:{seconds:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use crate::replay::open;

    #[test]
    fn game_becomes_a_tree_with_clocks_and_marks() {
        let text = "{[%csl Ga1] x} 1. e4 $2 {[%clk 1:00:09] [%cal Ge2e4,Rd1h5] a} ({b} 1. d4 {[%clk 0:04:05]} \
            d5 (1... Nf6) 2. c4) (1. d9) e5 2. Nf3 *";
        let (game, played, _) = open(&read(text)[0]).expect("a game");
        let nodes = ViewerGame::new(&game, &played).nodes;
        let moves = nodes.iter().enumerate().skip(1);
        let moves = moves.map(|(at, node)| (node.parent.unwrap_or(at - 1), node.san));
        let expected =
            [(0, "e4"), (0, "d4"), (2, "d5"), (2, "Nf6"), (3, "c4"), (1, "e5"), (6, "Nf3")];
        assert_eq!(moves.collect::<Vec<_>>(), expected);
        assert_eq!((&nodes[0].squares[0], &nodes[1].arrows[1]), (&"Ga1".into(), &"Rd1h5".into()));
        assert_eq!([&*nodes[1].clock, &nodes[2].clock], ["1:00:09", "4:05"]);
        assert_eq!([nodes[2].before[0], nodes[1].verbatim[0]], ["b", "(1. d9)"]);
        assert_eq!([&*nodes[1].glyphs, &nodes[1].uci], ["?", "e2e4"]);
    }

    #[test]
    fn result_tag_counts_only_if_it_is_a_result() {
        for (written, expected) in [("1-0", "1-0"), ("0-0", "*"), ("White wins", "*")] {
            let entries = read(&format!("[Result \"{written}\"]\n\n1. e4"));
            let (game, played, _) = open(&entries[0]).expect("a game");
            assert_eq!(ViewerGame::new(&game, &played).result, expected);
        }
    }

    #[test]
    fn rare_glyphs_are_left_out() {
        assert_eq!(glyphs(&[4, 14, 140, 18]), "?? ⩲ +−");
        assert_eq!(glyphs(&[2, 1, 10, 6]), "? ! = ?!");
    }
}
