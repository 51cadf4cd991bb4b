//! A whole chess engine in one file. The course in `docs/learn` explains its functions.
#![allow(clippy::print_stdout)] // UCI is text on the standard output.

use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

// The kinds of pieces. A black piece is the negative of its kind; an empty square is 0.
const PAWN: i8 = 1;
const KNIGHT: i8 = 2;
const BISHOP: i8 = 3;
const ROOK: i8 = 4;
const QUEEN: i8 = 5;
const KING: i8 = 6;

/// The board has 128 squares, `rank << 4 | file`. A step over an edge sets bit 3 or bit 7.
fn is_on_board(sq: isize) -> bool {
    sq & 0x88 == 0
}

fn squares() -> impl Iterator<Item = isize> {
    (0..128).filter(|&sq| is_on_board(sq))
}

fn name(sq: isize) -> String {
    format!("{}{}", char::from(b'a' + (sq & 7) as u8), (sq >> 4) + 1)
}

fn square(text: &str) -> Option<isize> {
    squares().find(|&sq| name(sq) == text)
}

/// The steps by which each kind attacks. A pawn's are White's.
const STEPS: [&[isize]; 7] = [
    &[],
    &[15, 17],
    &[33, 18, -14, -31, -33, -18, 14, 31],
    &[17, -15, -17, 15],
    &[16, 1, -16, -1],
    &[16, 1, -16, -1, 17, -15, -17, 15],
    &[16, 1, -16, -1, 17, -15, -17, 15],
];

fn slides(piece: i8) -> bool {
    matches!(piece.abs(), BISHOP..=QUEEN)
}

/// For each difference of two squares: a bit for each kind that attacks along it, and its step.
static TABLE: LazyLock<[(u8, isize); 239]> = LazyLock::new(difference_table);
const CENTRE: isize = 119; // the index of the difference 0; differences are -119 to 119

fn difference_table() -> [(u8, isize); 239] {
    let mut table = [(0, 0); 239];
    for kind in PAWN..=KING {
        for &step in STEPS[kind as usize] {
            for length in 1..=if slides(kind) { 7 } else { 1 } {
                let (kinds, unit) = &mut table[(CENTRE + length * step) as usize];
                (*kinds, *unit) = (*kinds | 1 << kind, step);
            }
        }
    }
    table
}

type Move = (isize, isize, i8); // from, to, and the kind that a pawn promotes to, or 0

fn text((from, to, promotion): Move) -> String {
    name(from) + &name(to) + ["", "", "n", "b", "r", "q"][promotion as usize]
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Position {
    board: [i8; 128],
    side: i8,       // 1 if White is to move, -1 if Black is, like the sign of pieces
    castling: u128, // a bit for each square of a king or rook that may castle
    en_passant: Option<isize>, // the square that a pawn has just passed by its double step
}

impl Position {
    fn from_fen(fen: &str) -> Option<Position> {
        let fields: Vec<&str> = fen.split_whitespace().collect();
        let [pieces, side, castling, en_passant, ..] = fields[..] else { return None };
        let (side, en_passant) = (if side == "w" { 1 } else { -1 }, square(en_passant));
        let mut position = Position { board: [0; 128], side, castling: 0, en_passant };
        let mut letters = pieces.replace('/', "");
        for empty in 1..=8 {
            letters = letters.replace(&empty.to_string(), &".".repeat(empty));
        }
        // A FEN begins with the eighth rank.
        for (sq, letter) in squares().zip(letters.chars()) {
            let kind = ".pnbrqk".find(letter.to_ascii_lowercase())? as i8;
            position.board[(sq ^ 0x70) as usize] = if letter.is_uppercase() { kind } else { -kind };
        }
        // The king on e1 is bit 4, its rooks are the bits 7 and 0. Black's are 0x70 higher.
        for (right, bits) in [('K', 0x90), ('Q', 0x11), ('k', 0x90 << 0x70), ('q', 0x11 << 0x70)] {
            position.castling |= if castling.contains(right) { bits } else { 0 };
        }
        Some(position)
    }

    fn at(&self, sq: isize) -> i8 {
        self.board[sq as usize]
    }

    /// Whether the piece on `from` attacks `to`. For Black, the signs of the table are reversed.
    fn attacks(&self, from: isize, to: isize) -> bool {
        let (kind, sign) = (self.at(from).abs(), isize::from(self.at(from).signum()));
        let (kinds, step) = TABLE[(CENTRE + sign * (to - from)) as usize];
        let mut between = (1..).map(|n| from + n * sign * step).take_while(|&sq| sq != to);
        kinds & 1 << kind != 0 && between.all(|sq| self.at(sq) == 0)
    }

    fn is_attacked(&self, to: isize, by: i8) -> bool {
        squares().any(|from| self.at(from) * by > 0 && self.attacks(from, to))
    }

    fn in_check(&self) -> bool {
        squares().any(|sq| self.at(sq) == KING * self.side && self.is_attacked(sq, -self.side))
    }

    /// All moves, including those that leave the king in check: `make` refuses them.
    fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(64);
        for from in squares().filter(|&from| self.at(from) * self.side > PAWN) {
            let piece = self.at(from);
            for step in STEPS[piece.unsigned_abs() as usize] {
                let mut to = from + step;
                while is_on_board(to) && self.at(to) * self.side <= 0 {
                    moves.push((from, to, 0));
                    if self.at(to) != 0 || !slides(piece) {
                        break;
                    }
                    to += step;
                }
            }
        }
        self.pawn_moves(&mut moves);
        self.castling_moves(&mut moves);
        moves
    }

    fn pawn_moves(&self, moves: &mut Vec<Move>) {
        for from in squares().filter(|&from| self.at(from) == PAWN * self.side) {
            let [one, two] = [16, 32].map(|step| from + step * isize::from(self.side));
            let is_first = from >> 4 == if self.side > 0 { 1 } else { 6 };
            let is_empty = |sq| is_on_board(sq) && self.at(sq) == 0;
            let is_enemy = |sq| self.at(sq) * self.side < 0 || self.en_passant == Some(sq);
            for (to, is_possible) in [
                (one, is_empty(one)),
                (two, is_first && is_empty(one) && is_empty(two)),
                (one - 1, is_on_board(one - 1) && is_enemy(one - 1)),
                (one + 1, is_on_board(one + 1) && is_enemy(one + 1)),
            ] {
                let is_last = matches!(to >> 4, 0 | 7);
                let kinds = if is_last { &[QUEEN, ROOK, BISHOP, KNIGHT][..] } else { &[0] };
                moves.extend(kinds.iter().filter(|_| is_possible).map(|&kind| (from, to, kind)));
            }
        }
    }

    fn castling_moves(&self, moves: &mut Vec<Move>) {
        let king = if self.side > 0 { 0x04 } else { 0x74 };
        for (rook, step) in [(king + 3, 1), (king - 4, -1)] {
            let has_right = self.castling >> king & self.castling >> rook & 1 != 0;
            let is_safe = |sq| !self.is_attacked(sq, -self.side);
            let is_free = self.attacks(rook, king); // no piece is between
            if has_right && is_free && is_safe(king) && is_safe(king + step) {
                moves.push((king, king + 2 * step, 0));
            }
        }
    }

    /// The position after a move, or `None` if the move leaves the king in check.
    fn make(&self, (from, to, promotion): Move) -> Option<Position> {
        let (mut next, piece) = (self.clone(), self.at(from));
        next.board[from as usize] = 0;
        next.board[to as usize] = if promotion == 0 { piece } else { promotion * self.side };
        next.castling &= !(1 << from | 1 << to);
        let middle = (from + to) / 2;
        let is_double_step = piece.abs() == PAWN && (to - from).abs() == 32;
        next.en_passant = is_double_step.then_some(middle);
        let beside = from & 0x70 | to & 7; // a pawn captured en passant
        match (piece.abs(), to - from) {
            (KING, 2) => next.board.swap(to as usize + 1, middle as usize),
            (KING, -2) => next.board.swap(to as usize - 2, middle as usize),
            (PAWN, _) if self.en_passant == Some(to) => next.board[beside as usize] = 0,
            _ => {}
        }
        let is_legal = !next.in_check();
        next.side = -self.side;
        is_legal.then_some(next)
    }

    fn perft(&self, depth: u32) -> u64 {
        let positions = self.moves().into_iter().filter_map(|mv| self.make(mv));
        if depth == 0 { 1 } else { positions.map(|next| next.perft(depth - 1)).sum() }
    }

    /// The value in centipawns for the side to move.
    fn evaluate(&self) -> i32 {
        const VALUES: [i32; 7] = [0, 100, 320, 330, 500, 950, 0];
        const CENTRE_VALUES: [i32; 7] = [0, 3, 12, 7, 2, 3, -8]; // for each step from the edge
        let value = |sq: isize| {
            let (piece, file, rank) = (self.at(sq), (sq & 7) as i32, (sq >> 4) as i32);
            let kind = piece.unsigned_abs() as usize;
            let centre = file.min(7 - file) + rank.min(7 - rank);
            let advance = if piece > 0 { rank } else { 7 - rank };
            let pawn = if kind == 1 { advance * (advance + 4) } else { 0 };
            (VALUES[kind] + CENTRE_VALUES[kind] * centre + pawn) * i32::from(piece.signum())
        };
        squares().map(value).sum::<i32>() * i32::from(self.side)
    }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const MATE: i32 = 30_000;
const MAX_PLY: i32 = 100;
const RESERVE_MS: i64 = 20; // stays on the clock, for delays outside the search
static STOP: AtomicBool = AtomicBool::new(false); // set by the command `stop`

struct Search {
    seen: Vec<Position>, // the positions before, in the game and in the search
    best_moves: HashMap<Position, Move>,
    nodes: u64,
    start: Instant,
    limit_ms: i64,
}

impl Search {
    fn is_stopped(&self) -> bool {
        STOP.load(Relaxed) || self.start.elapsed().as_millis() as i64 >= self.limit_ms
    }

    /// The best move of an earlier search first, then valuable victims of cheap attackers.
    fn ordered(&self, position: &Position) -> Vec<Move> {
        let best = self.best_moves.get(position);
        let kind = |sq| position.at(sq).abs();
        let mut moves = position.moves();
        moves.sort_by_key(|mv| (best != Some(mv), kind(mv.0) - 10 * kind(mv.1).max(mv.2)));
        moves
    }

    /// Alpha-beta: the value for the side to move, exact if it is between `alpha` and `beta`.
    fn search(&mut self, position: &Position, depth: i32, ply: i32, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if self.is_stopped() || ply > 0 && self.seen.contains(position) {
            return 0;
        }
        let in_check = position.in_check();
        let depth = if in_check { depth + 1 } else { depth };
        // Without depth left, only captures and promotions are searched, and none has to be made.
        let is_quiescence = depth <= 0 || ply >= MAX_PLY;
        let mut best = if is_quiescence { position.evaluate() } else { ply - MATE };
        let mut alpha = alpha.max(best);
        self.seen.push(position.clone());
        for mv in self.ordered(position) {
            if alpha >= beta {
                break;
            }
            if is_quiescence && position.at(mv.1) == 0 && mv.2 == 0 {
                continue;
            }
            let Some(next) = position.make(mv) else { continue };
            let score = -self.search(&next, depth - 1, ply + 1, -beta, -alpha);
            best = best.max(score);
            if score > alpha && !is_quiescence {
                if self.best_moves.len() == 1 << 18 {
                    self.best_moves.clear(); // so that it needs at most 160 MB
                }
                self.best_moves.insert(position.clone(), mv);
            }
            alpha = alpha.max(score);
        }
        self.seen.pop();
        if best == ply - MATE && !in_check { 0 } else { best } // 0 for stalemate: no legal move
    }
}

/// Iterative deepening: searches one ply deeper each time, until a limit of the command is reached.
fn go(command: &str, mut game: Vec<Position>) -> Option<Move> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let number = |key: &str| words.windows(2).find(|w| w[0] == key)?[1].parse::<i64>().ok();
    let (start, root) = (Instant::now(), game.pop()?);
    let [time, increment] = if root.side > 0 { ["wtime", "winc"] } else { ["btime", "binc"] };
    let share = |left| left / 30 + number(increment).unwrap_or(0) / 2;
    let clock = number(time).map(|left| share(left).min(left.saturating_sub(RESERVE_MS)));
    let limit_ms = number("movetime").or(clock).unwrap_or(i64::MAX);
    let mut search = Search { seen: game, best_moves: HashMap::new(), nodes: 0, start, limit_ms };
    let mut best = root.moves().into_iter().find(|&mv| root.make(mv).is_some());
    for depth in 1..=number("depth").map_or(MAX_PLY, |depth| depth as i32) {
        let score = search.search(&root, depth, 0, -MATE, MATE);
        if search.is_stopped() || best.is_none() {
            break;
        }
        best = search.best_moves.get(&root).copied().or(best);
        let (nodes, pv) = (search.nodes, best.map(text).unwrap_or_default());
        println!("info depth {depth} score cp {score} nodes {nodes} pv {pv}");
    }
    println!("bestmove {}", best.map_or("0000".to_owned(), text));
    best
}

/// The positions of a game, from the words of the command `position`.
fn game(words: &[&str]) -> Option<Vec<Position>> {
    let fen = if words.get(1)? == &"startpos" { START.to_owned() } else { words[2..].join(" ") };
    let mut game = vec![Position::from_fen(&fen)?];
    for word in words.iter().skip_while(|&&word| word != "moves").skip(1) {
        let position = game.last()?;
        let mv = position.moves().into_iter().find(|&mv| text(mv) == *word)?;
        game.push(position.make(mv)?);
    }
    Some(game)
}

fn main() {
    std::thread::scope(|scope| {
        let mut current = vec![Position::from_fen(START).expect("a FEN")];
        for line in std::io::stdin().lines().map_while(Result::ok) {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["uci"] => println!("id name Carrybit small engine\nid author Carrybit\nuciok"),
                ["isready"] => println!("readyok"),
                ["position", ..] => current = game(&words).unwrap_or(current),
                ["go", "perft", depth] => {
                    println!("{}", current[current.len() - 1].perft(depth.parse().unwrap_or(1)));
                }
                ["go", ..] => {
                    STOP.store(false, Relaxed);
                    let game = current.clone();
                    scope.spawn(move || go(&line, game));
                }
                ["stop"] => STOP.store(true, Relaxed),
                ["quit"] => break,
                _ => {}
            }
        }
        STOP.store(true, Relaxed);
    });
}

#[test]
fn perft_counts_are_those_published() {
    for (fen, depth, count) in [
        (START, 4, 197_281),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", 3, 97_862),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", 3, 2812),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -", 3, 9467),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -", 3, 62_379),
    ] {
        assert_eq!(Position::from_fen(fen).expect("a FEN").perft(depth), count, "{fen}");
    }
}

#[test]
fn go_finds_a_mate_in_two_and_legal_moves_by_the_clock() {
    let fen = "r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 0";
    let game = vec![Position::from_fen(fen).expect("a FEN")];
    assert_eq!(go("go depth 4", game.clone()).map(text), Some("d5f6".to_owned()));
    for limit in ["go movetime 50", "go wtime 1000 btime 1000", "go wtime 1 winc 1", "go wtime -9"]
    {
        let mv = go(limit, game.clone()).expect("a move");
        assert!(game[0].make(mv).is_some(), "{limit}");
    }
}
