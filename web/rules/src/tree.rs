//! The search of the live pictures of chapters 7 and 8: plain alpha-beta, with a transposition
//! table of eight entries if asked for. Answers are JSON; scores and windows are in centipawns from
//! White's side.

use std::error::Error;

use carrybit_board::{Board, Color, Move, Outcome, Piece, Square};
use serde_json::{Value, json};

use crate::Answer;

/// The values of pawn, knight, bishop, rook, queen and king in centipawns.
const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];
const MATE: i32 = 10_000;
const INFINITE: i32 = 100_000;

/// The number of entries in the table.
const ENTRIES: usize = 8;

/// A place in a tree: a position, or a node of an invented tree, whose leaves have scores from
/// White's side.
#[derive(Clone)]
enum Place {
    Position(Box<Board>),
    Moves(Color, Vec<(String, Place)>),
    Leaf(i32),
}

impl Place {
    /// Reads a FEN, or a tree of two plies such as `A 30 50 40, B 20 70 90`.
    fn read(text: &str) -> Result<Place, Box<dyn Error>> {
        if text.contains('/') {
            return Ok(Place::Position(Box::new(text.parse()?)));
        }
        let mut moves = Vec::new();
        for words in text.split(',') {
            let (name, scores) = words.trim().split_once(' ').ok_or("a move needs scores")?;
            let mut leaves = Vec::new();
            for (at, score) in scores.split(' ').enumerate() {
                leaves.push((format!("{name}{}", at + 1), Place::Leaf(score.parse()?)));
            }
            moves.push((name.into(), Place::Moves(Color::Black, leaves)));
        }
        Ok(Place::Moves(Color::White, moves))
    }

    fn side(&self) -> Color {
        match self {
            Place::Position(board) => board.side(),
            Place::Moves(side, _) => *side,
            Place::Leaf(_) => Color::White,
        }
    }

    fn board(&self) -> Option<&Board> {
        if let Place::Position(board) = self { Some(board) } else { None }
    }

    fn moves(&self) -> Vec<(String, Place)> {
        match self {
            Place::Position(board) => {
                let next = |&mv| (board.san(mv), Place::Position(Box::new(board.make(mv))));
                ordered_moves(board).iter().map(next).collect()
            }
            Place::Moves(_, moves) => moves.clone(),
            Place::Leaf(_) => Vec::new(),
        }
    }

    /// The score of a leaf for the side to move.
    fn leaf_score(&self, depth: usize) -> Option<i32> {
        match self {
            Place::Position(board) => match board.status() {
                Some(Outcome::Checkmate(_)) => Some(-MATE),
                Some(Outcome::Stalemate) => Some(0),
                _ => (depth == 0).then(|| material(board)),
            },
            Place::Moves(..) => None,
            Place::Leaf(score) => Some(*score),
        }
    }

    /// The number of leaves without cutoffs.
    fn leaves(&self, depth: usize) -> usize {
        match self.leaf_score(depth) {
            Some(_) => 1,
            None => self.moves().iter().map(|(_, next)| next.leaves(depth - 1)).sum(),
        }
    }
}

/// An entry of the table; its score is for the side to move.
#[derive(Clone)]
struct Entry {
    key: u64,
    depth: usize,
    score: i32,
    /// `≤`, `≥`, or empty for an exact score, from that side.
    bound: &'static str,
    best: String,
    node: usize,
}

/// The index of a key in a table, by its upper bits, as in the engine's table.
fn index_of(key: u64) -> usize {
    ((u128::from(key) * ENTRIES as u128) >> 64) as usize
}

/// Searches a tree (see [`Place::read`]) to a depth; `depth` may be followed by ` table`. Returns
/// the nodes in the order of the search, and the events: a move to a node, with what the table has
/// for it (`probe`), or the score of a node, which changes the window of its parent and may cause a
/// cutoff there (`cut` is the number of moves skipped); `store` is the entry that the node has
/// written.
pub(crate) fn tree(text: &str, depth: &str) -> Answer {
    let root = Place::read(text)?;
    let (number, has_table) =
        depth.split_once(' ').map_or((depth, false), |(number, _)| (number, true));
    let depth: usize = number.parse()?;
    let search = |table: Option<[Option<Entry>; ENTRIES]>| {
        let mut tree = Tree { table, nodes: Vec::new(), events: Vec::new() };
        tree.add(&root, None, None, [-INFINITE, INFINITE], root.leaf_score(depth).is_some());
        let score = for_white(root.side(), tree.search(0, &root, depth, [-INFINITE, INFINITE]));
        let stored = tree.stored(0);
        tree.events.push(json!({ "node": 0, "score": score, "bound": "", "store": stored }));
        tree
    };
    let tree = search(has_table.then_some([const { None }; ENTRIES]));
    let without = if has_table { search(None).nodes.len() } else { tree.nodes.len() };
    let leaves = root.leaves(depth);
    Ok(json!({ "nodes": tree.nodes, "events": tree.events, "leaves": leaves, "without": without })
        .to_string())
}

struct Tree {
    nodes: Vec<Value>,
    events: Vec<Value>,
    table: Option<[Option<Entry>; ENTRIES]>,
}

impl Tree {
    /// Adds a node. A move to a leaf is no event of its own.
    fn add(
        &mut self,
        place: &Place,
        parent: Option<usize>,
        san: Option<&str>,
        window: [i32; 2],
        is_leaf: bool,
    ) {
        let node = self.nodes.len();
        let side = parent.map_or(place.side(), |at| {
            if self.nodes[at]["side"] == "w" { Color::Black } else { Color::White }
        });
        self.nodes.push(json!({
            "parent": parent,
            "san": san,
            "side": side.to_string(),
            "fen": place.board().map(Board::fen),
            "isLeaf": is_leaf,
            "moves": place.moves().len(),
            "window": window_for_white(if parent.is_some() { !side } else { side }, window),
        }));
        if !is_leaf {
            let probe = self.probe(place).map(|(index, found)| json!({
                "index": index,
                "key": place.board().map(|board| format!("{:016X}", board.key())),
                "found": found.map(|(entry, is_same)| json!({ "isSame": is_same, "depth": entry.depth })),
            }));
            self.events.push(json!({ "node": node, "probe": probe }));
        }
    }

    /// The index of a position in the table, and the entry there with whether it has the position's
    /// key.
    fn probe(&self, place: &Place) -> Option<(usize, Option<(&Entry, bool)>)> {
        let (table, board) = (self.table.as_ref()?, place.board()?);
        let index = index_of(board.key());
        Some((index, table[index].as_ref().map(|entry| (entry, entry.key == board.key()))))
    }

    /// The entry that a node has written.
    fn stored(&self, node: usize) -> Option<Value> {
        let entries = self.table.as_ref()?.iter().enumerate();
        let found = |(index, entry): (usize, &Option<Entry>)| {
            let entry = entry.as_ref().filter(|entry| entry.node == node)?;
            let key = format!("{:016X}", entry.key);
            Some(json!({
                "index": index, "key": key, "depth": entry.depth, "score": entry.score, "bound": entry.bound,
                "best": entry.best,
            }))
        };
        entries.into_iter().find_map(found)
    }

    /// The score of a node for the side to move (negamax, fail-soft).
    fn search(&mut self, node: usize, place: &Place, depth: usize, window: [i32; 2]) -> i32 {
        if let Some(score) = place.leaf_score(depth) {
            return score;
        }
        let [mut alpha, beta] = window;
        if let Some((_, Some((entry, true)))) = self.probe(place) {
            let is_usable = match entry.bound {
                "≥" => entry.score >= beta,
                "≤" => entry.score <= alpha,
                _ => true,
            };
            if entry.depth >= depth && is_usable {
                let score = entry.score;
                self.nodes[node]["isHit"] = json!(true);
                return score;
            }
        }
        let side = place.side();
        let moves = place.moves();
        let (mut best, mut best_move) = (-INFINITE, "");
        for (tried, (name, next)) in moves.iter().enumerate() {
            let child = self.nodes.len();
            let is_leaf = next.leaf_score(depth - 1).is_some();
            self.add(next, Some(node), Some(name), [alpha, beta], is_leaf);
            let sign = if matches!(next, Place::Leaf(_)) { for_white(side, 1) } else { -1 };
            let score = sign * self.search(child, next, depth - 1, [-beta, -alpha]);
            let bound = match side {
                _ if is_leaf || (alpha < score && score < beta) => "",
                Color::White if score <= alpha => "≤",
                Color::Black if score >= beta => "≤",
                _ => "≥",
            };
            let is_better = score > alpha;
            if score > best {
                (best, best_move) = (score, name);
            }
            alpha = alpha.max(score);
            let is_cutoff = alpha >= beta;
            let store = self.stored(child);
            self.events.push(json!({
                "node": child,
                "score": for_white(side, score),
                "bound": bound,
                "isBetter": is_better,
                "window": window_for_white(side, [alpha, beta]),
                "isCutoff": is_cutoff,
                "cut": if is_cutoff { moves.len() - tried - 1 } else { 0 },
                "store": store,
            }));
            if is_cutoff {
                break;
            }
        }
        if let (Some(table), Some(board)) = (&mut self.table, place.board()) {
            let bound = if best >= beta {
                "≥"
            } else if best <= window[0] {
                "≤"
            } else {
                ""
            };
            let key = board.key();
            table[index_of(key)] =
                Some(Entry { key, depth, score: best, bound, best: best_move.into(), node });
        }
        best
    }
}

fn for_white(side: Color, score: i32) -> i32 {
    if side == Color::White { score } else { -score }
}

/// A window of `side` as the scores that White and Black already have; `None` for infinite ones.
fn window_for_white(side: Color, [alpha, beta]: [i32; 2]) -> [Option<i32>; 2] {
    let window = if side == Color::White { [alpha, beta] } else { [-beta, -alpha] };
    window.map(|score| (score.abs() < INFINITE).then_some(score))
}

/// The material of the side to move, less the opponent's.
fn material(board: &Board) -> i32 {
    let value = |(_, piece): (Square, Piece)| {
        let value = VALUES[piece.kind.index()];
        if piece.color == board.side() { value } else { -value }
    };
    board.pieces().map(value).sum()
}

/// Captures and promotions come first: the most valuable gain, then the least valuable piece
/// that moves (MVV-LVA). The others are in the order of their squares.
fn ordered_moves(board: &Board) -> Vec<Move> {
    let mut moves = board.legal_moves().to_vec();
    moves.sort_by_key(|&mv| {
        let gains = [board.captured_kind(mv), mv.promotion_kind()];
        let gain: i32 = gains.into_iter().flatten().map(|kind| VALUES[kind.index()]).sum();
        let mover = board.piece_on(mv.from()).map_or(0, |piece| piece.kind.index());
        (-gain, if gain > 0 { mover } else { 0 }, mv.from(), mv.to())
    });
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::tests::parse;

    fn minimax(board: &Board, depth: usize) -> i32 {
        let moves = board.legal_moves();
        if moves.is_empty() {
            return if board.in_check() { -MATE } else { 0 };
        }
        if depth == 0 {
            return material(board);
        }
        moves.iter().map(|&mv| -minimax(&board.make(mv), depth - 1)).max().expect("a move")
    }

    /// Chapters 7 and 8.
    #[test]
    fn tree_has_the_score_of_a_search_without_cutoffs() {
        for fen in [
            "8/8/8/8/8/kPp5/8/1K6 w - - 0 1",
            "8/8/8/8/8/3p4/P2K4/1k6 b - - 0 1",
            "7k/5Q2/8/8/8/8/6P1/6K1 b - - 0 1",
        ] {
            for depth in 1..=5 {
                let board: Board = fen.parse().unwrap();
                let score = for_white(board.side(), minimax(&board, depth));
                for words in [format!("{depth}"), format!("{depth} table")] {
                    let found = parse(tree(fen, &words));
                    let events = found["events"].as_array().expect("events");
                    assert_eq!(events.last().expect("an event")["score"], score, "{fen} {words}");
                    assert!(
                        found["nodes"].as_array().expect("nodes").len()
                            <= found["without"].as_u64().unwrap() as usize + 20
                    );
                }
            }
        }
    }

    #[test]
    fn example_of_chapter_7_visits_seven_of_nine_leaves() {
        let found = parse(tree("A 30 50 40, B 20 70 90, C 60 40 50", "2"));
        let nodes = found["nodes"].as_array().expect("nodes");
        assert_eq!(nodes.iter().filter(|node| node["isLeaf"] == true).count(), 7);
        assert_eq!(found["leaves"], 9);
        assert_eq!(found["events"].as_array().expect("events").last().unwrap()["score"], 40);
    }
}
