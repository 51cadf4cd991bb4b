//! The numbers of the page's tab *Learn*, from the engine's own board and tables. The course in
//! `docs/learn/` explains them. All answers are JSON. Squares, steps and bytes are plain numbers;
//! kinds are letters of FEN.

use carrybit_board::difference::{REACH, STEP};
use carrybit_board::square::OFF_BOARD;
use carrybit_board::{Board, Color, Kind, Move, Outcome, Piece, Square};
use carrybit_board::{Delta, PieceByte};
use serde_json::{Value, json};

use crate::Answer;

/// The values of pawn, knight, bishop, rook, queen and king in centipawns.
const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];
const MATE: i32 = 10_000;
const INFINITE: i32 = 100_000;

/// The byte of a square, also off the board.
fn number(sq: Square) -> u8 {
    Square::A1.delta_to(sq)
}

/// The byte of a piece on the board.
fn byte(piece: PieceByte) -> u8 {
    piece.kind().map_or(0, Kind::bit) | piece.color().map_or(0, Color::bit)
}

/// The kinds in an entry of the difference table.
fn kinds(entry: u8) -> String {
    Kind::ALL.iter().filter(|kind| entry & kind.bit() != 0).map(|kind| kind.letter()).collect()
}

/// The steps of a piece from a square. Each has its sums, the last one off the board if the piece
/// slides, and their AND with 0x88.
pub(crate) fn steps(piece: &str, square: &str) -> Answer {
    let (Piece { color, kind }, from): (Piece, Square) = (piece.parse()?, square.parse()?);
    let [west, east] = color.pawn_captures();
    let of_pawn = [color.forward(), west, east];
    let steps = if kind == Kind::Pawn { &of_pawn } else { kind.steps() };
    let line = |&step: &Delta| {
        let mut sums = Vec::new();
        let mut to = from;
        loop {
            to = to.step(step);
            sums.push(json!({ "number": number(to), "and": number(to) & OFF_BOARD }));
            if !kind.slides() || !to.is_on_board() {
                return json!({ "step": step, "sums": sums });
            }
        }
    };
    let lines: Vec<Value> = steps.iter().map(line).collect();
    Ok(json!({ "from": number(from), "lines": lines }).to_string())
}

/// The difference of two squares, its entries in both tables of attacks, its step (0 if none), and
/// the squares between.
pub(crate) fn difference(from: &str, to: &str) -> Answer {
    let (from, to): (Square, Square) = (from.parse()?, to.parse()?);
    let delta = from.delta_to(to);
    let entries = REACH.map(|reach| reach[usize::from(delta)]);
    let step = STEP[usize::from(delta)];
    Ok(json!({
        "from": number(from),
        "to": number(to),
        "difference": delta,
        "entries": entries,
        "kinds": entries.map(kinds),
        "step": step,
        "between": between(from, to).map(number).collect::<Vec<_>>(),
    })
    .to_string())
}

/// White's table: the kinds that attack along each difference.
pub(crate) fn reach() -> Answer {
    Ok(serde_json::to_string(&REACH[0].as_slice())?)
}

/// The squares strictly between two squares of a line; none if they share no line.
fn between(from: Square, to: Square) -> impl Iterator<Item = Square> {
    let step = STEP[usize::from(from.delta_to(to))];
    let next = move |sq: Square| Some(sq.step(step)).filter(|&sq| step != 0 && sq != to);
    std::iter::successors(next(from), move |&sq| next(sq))
}

/// How each enemy piece relates to the king of the side to move: the difference, the entry of the
/// table, the squares walked, and the verdict. Also the legal moves.
pub(crate) fn check(fen: &str) -> Answer {
    let board: Board = fen.parse()?;
    let enemy = !board.side();
    let king = board.king(board.side());
    let relation = |(sq, piece): (Square, PieceByte)| {
        let delta = sq.delta_to(king);
        let entry = REACH[enemy.index()][usize::from(delta)];
        let and = entry & byte(piece);
        let is_slider = and != 0 && piece.is_slider();
        let walk: Vec<Square> =
            if is_slider { between(king, sq).chain([sq]).collect() } else { Vec::new() };
        let met: Vec<Square> =
            walk.iter().copied().filter(|&on| on != sq && board.piece_on(on).is_some()).collect();
        let verdict = match met[..] {
            _ if and == 0 => "none",
            [] => "check",
            [one] if board.byte_on(one).is_color(enemy) => "discovered",
            [_] => "pin",
            _ => "blocked",
        };
        json!({
            "piece": piece.letter(),
            "square": sq.to_string(),
            "number": number(sq),
            "byte": byte(piece),
            "difference": delta,
            "entry": entry,
            "kinds": kinds(entry),
            "and": and,
            "walk": walk.into_iter().map(number).collect::<Vec<_>>(),
            "met": met.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "verdict": verdict,
        })
    };
    let pieces: Vec<Value> = board.pieces_of(enemy).map(relation).collect();
    let moves: Vec<String> = board.legal_moves().iter().map(|&mv| board.san(mv)).collect();
    Ok(json!({ "king": number(king), "pieces": pieces, "moves": moves }).to_string())
}

/// One step (a byte in hexadecimal) from all 64 squares at once: the squares, the sums, their AND
/// with 0x88, and the mask with a bit for each sum on the board.
pub(crate) fn lanes(step: &str) -> Answer {
    let step = Delta::from_str_radix(step, 16)?;
    let squares: [u8; 64] = std::array::from_fn(|lane| number(Square::from_64(lane)));
    let sums = squares.map(|square| square.wrapping_add(step));
    let ands = sums.map(|sum| sum & OFF_BOARD);
    let bits = ands.iter().enumerate().map(|(lane, &and)| u64::from(and == 0) << lane);
    let mask: u64 = bits.sum();
    let [squares, sums, ands] = [squares, sums, ands].map(|lanes| lanes.to_vec());
    let mask = format!("{mask:016X}");
    Ok(json!({ "squares": squares, "sums": sums, "ands": ands, "mask": mask }).to_string())
}

/// Searches a position by plain alpha-beta with material as evaluation. Returns the nodes in the
/// order of the search, and the events: a move to a node, or the score of a node, which changes the
/// window of its parent and may cause a cutoff there (`cut` is the number of moves skipped). Scores
/// and windows are in centipawns from White's side.
pub(crate) fn tree(fen: &str, depth: &str) -> Answer {
    let board: Board = fen.parse()?;
    let depth: usize = depth.parse()?;
    let mut tree = Tree::default();
    tree.nodes.push(json!({
        "fen": fen,
        "moves": board.legal_moves().len(),
        "window": [null, null],
    }));
    tree.events.push(json!({ "node": 0 }));
    let score = tree.search(0, &board, depth, [-INFINITE, INFINITE]);
    tree.events.push(json!({ "node": 0, "score": for_white(board.side(), score), "bound": "" }));
    let leaves = leaves(&board, depth);
    Ok(json!({ "nodes": tree.nodes, "events": tree.events, "leaves": leaves }).to_string())
}

#[derive(Default)]
struct Tree {
    nodes: Vec<Value>,
    events: Vec<Value>,
}

impl Tree {
    /// The score of a node for the side to move (negamax, fail-soft).
    fn search(&mut self, node: usize, board: &Board, depth: usize, window: [i32; 2]) -> i32 {
        let [mut alpha, beta] = window;
        let side = board.side();
        match board.status() {
            Some(Outcome::Checkmate(_)) => return -MATE,
            Some(Outcome::Stalemate) => return 0,
            _ if depth == 0 => return material(board),
            _ => {}
        }
        let moves = ordered_moves(board);
        let mut best = -INFINITE;
        for (tried, &mv) in moves.iter().enumerate() {
            let next = board.make(mv);
            let child = self.nodes.len();
            let is_leaf = depth == 1 || !next.has_legal_move();
            self.nodes.push(json!({
                "parent": node,
                "san": board.san(mv),
                "fen": next.fen(),
                "isLeaf": is_leaf,
                "moves": next.legal_moves().len(),
                "window": window_for_white(side, [alpha, beta]),
            }));
            if !is_leaf {
                self.events.push(json!({ "node": child }));
            }
            let score = -self.search(child, &next, depth - 1, [-beta, -alpha]);
            let bound = match side {
                _ if is_leaf || (alpha < score && score < beta) => "",
                Color::White if score <= alpha => "≤",
                Color::Black if score >= beta => "≤",
                _ => "≥",
            };
            let is_better = score > alpha;
            best = best.max(score);
            alpha = alpha.max(score);
            let is_cutoff = alpha >= beta;
            self.events.push(json!({
                "node": child,
                "score": for_white(side, score),
                "bound": bound,
                "isBetter": is_better,
                "window": window_for_white(side, [alpha, beta]),
                "isCutoff": is_cutoff,
                "cut": if is_cutoff { moves.len() - tried - 1 } else { 0 },
            }));
            if is_cutoff {
                break;
            }
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

/// The number of leaves without cutoffs.
fn leaves(board: &Board, depth: usize) -> usize {
    let moves = board.legal_moves();
    if depth == 0 || moves.is_empty() {
        return 1;
    }
    moves.iter().map(|&mv| leaves(&board.make(mv), depth - 1)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(answer: Answer) -> Value {
        serde_json::from_str(&answer.expect("an answer")).expect("JSON")
    }

    #[test]
    fn verdicts_agree_with_the_check_info_of_the_board() {
        for fen in [
            "4r2k/8/b7/8/2B5/6n1/8/4K3 w - - 0 1",
            "4r2k/8/8/b7/8/5n2/3P4/4K3 w - - 0 1",
            "4r2k/8/8/8/1b2R3/8/3N3n/4K3 w - - 0 1",
            "4r2k/8/8/4b3/7q/6P1/5P2/4K3 w - - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "4k3/8/8/8/7b/8/5P2/R3K1r1 w - - 0 1",
        ] {
            let board: Board = fen.parse().unwrap();
            let pieces = parse(check(fen))["pieces"].as_array().expect("pieces").clone();
            let with = |verdict: &str, name: fn(&Value) -> &Value| {
                let found = pieces.iter().filter(|piece| piece["verdict"] == verdict);
                let mut names: Vec<_> =
                    found.map(|piece| name(piece).as_str().unwrap().to_owned()).collect();
                names.sort();
                names
            };
            let names = |squares: &mut dyn Iterator<Item = Square>| {
                let mut names: Vec<_> = squares.map(|sq| sq.to_string()).collect();
                names.sort();
                names
            };
            assert_eq!(
                with("check", |piece| &piece["square"]),
                names(&mut board.checkers()),
                "{fen}"
            );
            assert_eq!(with("pin", |piece| &piece["met"][0]), names(&mut board.pinned()), "{fen}");
        }
    }

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

    /// Chapter 7.
    #[test]
    fn tree_has_the_score_of_a_search_without_cutoffs() {
        for fen in [
            "8/8/8/8/8/kPp5/8/1K6 w - - 0 1",
            "8/8/8/8/8/3p4/P2K4/1k6 b - - 0 1",
            "7k/5Q2/8/8/8/8/6P1/6K1 b - - 0 1",
        ] {
            for depth in 1..=3 {
                let board: Board = fen.parse().unwrap();
                let found = parse(tree(fen, &depth.to_string()));
                let events = found["events"].as_array().expect("events");
                let score = for_white(board.side(), minimax(&board, depth));
                assert_eq!(events.last().expect("an event")["score"], score, "{fen} {depth}");
                let nodes = found["nodes"].as_array().expect("nodes");
                let visited = nodes.iter().filter(|node| node["isLeaf"] == true).count();
                assert!(visited <= leaves(&board, depth), "{fen} {depth}");
                assert_eq!(found["leaves"], leaves(&board, depth));
            }
        }
    }
}
