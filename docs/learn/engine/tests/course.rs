//! Tests the solutions of the course, and with the feature `learner` the exercises. A reader tests
//! one by `cargo learn square`, those of a chapter by `cargo learn chapter_01`.

#![allow(clippy::print_stdout, reason = "a reader sees how the game ended")]

use std::collections::BTreeSet;
use std::fmt::{Debug, Display};
use std::sync::atomic::Ordering::Relaxed;

use carrybit_board::difference::{REACH, STEP};
use carrybit_board::random::splitmix64;
use carrybit_board::square::{ALL_STEPS, KNIGHT_JUMPS};
use carrybit_board::{Board, CastlingMode, Square};
use carrybit_course::{
    BLACK, Bound, Entry, INFINITY, KING, MATE, Move, NONE, PAWN, Position, ROOK, Search, WHITE,
    all_squares, own, solutions,
};

mod game;

/// Positions with their numbers of sequences of three moves.
const PERFT: [(&str, u64); 5] = [
    (Position::START, 8902),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 97_862),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 2812),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 9467),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 62_379),
];

/// Positions with few moves, among them mates and stalemates.
const CALM: [&str; 4] = [
    "8/8/8/2k5/8/2pPK3/8/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "4k3/3p4/8/2P1n3/8/3N4/3PP3/4K3 w - - 0 1",
];

/// Compares the learner's answer with the right one.
#[track_caller]
fn check<T: Debug + PartialEq>(question: impl Display, yours: T, right: T) {
    assert!(yours == right, "\n{question}: the answer is {right:?}, not {yours:?}.\n");
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).expect("a FEN")
}

/// Random numbers below `end`, the same on every run.
fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut count = seed << 32;
    move |end| {
        count += 1;
        (splitmix64(count) % end as u64) as usize
    }
}

/// Positions of random games, for both boards.
fn random_positions(games: usize) -> Vec<(Board, Position)> {
    let (mut random, mut found) = (random(1), Vec::new());
    for (fen, _) in PERFT.iter().cycle().take(games) {
        let mut board: Board = fen.parse().expect("a FEN");
        for _ in 0..60 {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            found.push((board.clone(), position(&board.fen())));
            board = board.make(moves[random(moves.len())]);
        }
    }
    found
}

fn name(sq: u8) -> String {
    Move { from: sq, to: sq, promotion: 0 }.to_string()[..2].to_owned()
}

fn names(squares: Vec<u8>) -> BTreeSet<String> {
    squares.into_iter().map(name).collect()
}

#[test]
fn chapter_01_square() {
    for sq in Square::all() {
        let (file, rank) = (sq.file(), sq.rank());
        let question = format!("square({file}, {rank}), the square {sq}");
        check(
            question,
            format!("{:#04x}", own::square(file, rank)),
            format!("{:#04x}", sq.index()),
        );
    }
}

#[test]
fn chapter_02_stays_on_board() {
    for from in Square::all() {
        for step in ALL_STEPS.into_iter().chain(KNIGHT_JUMPS) {
            let sq = from.index() as u8;
            let question = format!("{from} is {sq:#04x}. stays_on_board({sq:#04x}, {step:#04x})");
            check(question, own::stays_on_board(sq, step), from.step(step).is_on_board());
        }
    }
}

#[test]
fn chapter_02_targets() {
    for (board, position) in random_positions(10) {
        for from in all_squares().filter(|&sq| position.at(sq) != 0) {
            let yours = names(own::targets(&position.squares, from));
            let right = names(solutions::targets(&position.squares, from));
            check(format!("The targets of {} in {}", name(from), board.fen()), yours, right);
        }
    }
}

#[test]
fn chapter_03_difference_table() {
    let table = own::difference_table();
    for (from, to) in Square::all().flat_map(|from| Square::all().map(move |to| (from, to))) {
        let at = usize::from(from.delta_to(to));
        for color in [0, 1] {
            let question = format!("From {from} to {to}: table.kinds[{color}][{at:#04x}]");
            let [yours, right] = [table.kinds[color][at], REACH[color][at]];
            check(question, format!("{yours:#04x}"), format!("{right:#04x}"));
        }
        let question = format!("From {from} to {to}: table.steps[{at:#04x}]");
        check(question, format!("{:#04x}", table.steps[at]), format!("{:#04x}", STEP[at]));
    }
}

#[test]
fn chapter_04_pieces_between() {
    for pawns in [&[][..], &[0x05, 0x03], &[0x44], &[0x14, 0x44], &[0x14, 0x24, 0x64]] {
        let mut squares = [0; 128];
        (squares[0x04], squares[0x74]) = (KING | WHITE, ROOK | BLACK);
        pawns.iter().for_each(|&sq| squares[sq] = PAWN | WHITE);
        for (from, to, step) in [(0x04, 0x74, 0x10), (0x74, 0x04, 0xF0)] {
            let question = format!("King e1, rook e8, pawns on the squares {pawns:#04x?}");
            let right = solutions::pieces_between(&squares, from, to, step);
            check(question, own::pieces_between(&squares, from, to, step), right);
        }
    }
}

#[test]
fn chapter_04_checkers() {
    let example = position("4r2k/8/8/8/1bB5/8/3N4/4K3 w - - 0 1");
    check(
        "The chapter's example",
        names(own::checkers(&example.squares, 0x04, BLACK)),
        names(vec![0x74]),
    );
    let mut checks = 0;
    for (board, position) in random_positions(60) {
        for king in Square::all().step_by(7).chain([board.king(board.side())]) {
            let yours = own::checkers(&position.squares, king.index() as u8, position.enemy());
            let attackers =
                board.pieces_of(!board.side()).filter(|(sq, _)| board.attacks(*sq, king));
            let right = names(attackers.map(|(sq, _)| sq.index() as u8).collect());
            checks += right.len();
            check(
                format!("The checkers of a king on {king} in {}", board.fen()),
                names(yours),
                right,
            );
        }
    }
    assert!(checks > 1000, "only {checks} checks");
}

#[test]
fn chapter_04_legal_moves() {
    for (board, position) in random_positions(30) {
        let yours: BTreeSet<_> = own::legal_moves(&position).iter().map(Move::to_string).collect();
        let moves = board.legal_moves();
        let right: BTreeSet<_> = moves.iter().map(|mv| mv.uci(CastlingMode::Standard)).collect();
        let [missing, illegal] = [&right - &yours, &yours - &right];
        let is_right = missing.is_empty() && illegal.is_empty();
        assert!(is_right, "\nIn {}\nmissing: {missing:?}, illegal: {illegal:?}\n", board.fen());
    }
    for (fen, right) in PERFT {
        check(format!("perft 3 of {fen}"), perft(&position(fen), 3), right);
    }
}

fn perft(position: &Position, depth: u32) -> u64 {
    let moves = own::legal_moves(position);
    let children = moves.iter().map(|&mv| position.make(mv));
    if depth == 1 { moves.len() as u64 } else { children.map(|next| perft(&next, depth - 1)).sum() }
}

#[test]
fn chapter_05_exchange() {
    let mut lists = vec![vec![100, 500], vec![100, 500, 100], vec![100, 320, 320, 500, 500, 900]];
    let mut random = random(5);
    lists.extend(
        (0..500).map(|i| (0..i % 9 + 1).map(|_| [100, 320, 330, 500][random(4)]).collect()),
    );
    for values in lists {
        check(
            format!("exchange(&{values:?})"),
            own::exchange(&values),
            solutions::exchange(&values),
        );
    }
}

#[test]
fn chapter_05_material() {
    for (fen, right) in [
        (Position::START, 0),
        ("4k3/8/8/8/8/8/8/1N2K3 w - - 0 1", 320),
        ("4k3/8/8/8/8/8/8/1N2K3 b - - 0 1", -320),
        ("3qk3/p7/8/8/8/8/8/R3KB2 w - - 0 1", 500 + 330 - 900 - 100),
    ] {
        check(format!("The material of {fen}"), own::material(&position(fen)), right);
    }
}

#[test]
fn chapter_06_reach() {
    let mut random = random(6);
    for _ in 0..1000 {
        let ray = |ray: u64| ((random(256) & random(256)) as u64) << (8 * ray);
        let occupied: u64 = (0..8).map(ray).sum();
        for (ray, set) in occupied.to_le_bytes().into_iter().enumerate() {
            let yours = own::reach(occupied).to_le_bytes()[ray] & 0x7F;
            let right = if set & 0x7F == 0 { 0x7F } else { (2 << set.trailing_zeros()) - 1 };
            let question = format!("reach({occupied:#018x}), the byte {ray}, from {set:#04x}");
            check(question, format!("{yours:#04x}"), format!("{right:#04x}"));
        }
    }
}

/// The score of a tree without cutoffs.
fn negamax(leaves: &[i32]) -> i32 {
    let children = leaves.chunks(leaves.len().div_ceil(3));
    if leaves.len() == 1 { leaves[0] } else { children.map(|c| -negamax(c)).max().unwrap_or(0) }
}

#[test]
fn chapter_07_alpha_beta() {
    // The chapter's tree, and the same with the best move first.
    let mut trees =
        vec![vec![30, 50, 40, 20, 70, 90, 60, 40, 50], vec![60, 40, 50, 30, 50, 40, 20, 70, 90]];
    let mut random = random(7);
    trees.extend(
        (0..300).map(|i| (0..3_usize.pow(i % 6 + 1)).map(|_| random(200) as i32 - 100).collect()),
    );
    for leaves in trees {
        let (mut yours, mut right) = (0, 0);
        let score = own::alpha_beta(&leaves, -1000, 1000, &mut yours);
        check(format!("The score of the tree {leaves:?}"), score, negamax(&leaves));
        solutions::alpha_beta(&leaves, -1000, 1000, &mut right);
        check(format!("The leaves visited of the tree {leaves:?}"), yours, right);
    }
}

/// The score without cutoffs, but by the own quiescence search, and the number of positions.
fn full_search(memory: &mut Search, position: &Position, depth: i32) -> i32 {
    memory.nodes += 1;
    if depth == 0 {
        return own::captures(memory, position, -INFINITY, INFINITY);
    }
    let moves = solutions::legal_moves(position);
    let scores = moves.iter().map(|&mv| -full_search(memory, &position.make(mv), depth - 1));
    scores.max().unwrap_or_else(|| {
        let king = position.king(position.side);
        let checkers = solutions::checkers(&position.squares, king, position.enemy());
        if checkers.is_empty() { 0 } else { -MATE - depth }
    })
}

#[test]
fn chapter_07_search() {
    for (fen, depth) in CALM.iter().flat_map(|fen| [(fen, 1), (fen, 2), (fen, 3)]) {
        let (position, mut memory, mut full) =
            (position(fen), Search::default(), Search::default());
        let right = full_search(&mut full, &position, depth);
        let yours = own::search(&mut memory, &position, depth, -INFINITY, INFINITY);
        check(format!("The score of {fen} to depth {depth}"), yours, right);
        let (nodes, full) = (memory.nodes, full.nodes);
        let is_cut = nodes < full || depth < 3 || full < 100;
        assert!(is_cut, "\n{fen}, depth {depth}: you visit {nodes} positions of {full}.\n");
    }
}

#[test]
fn chapter_07_captures() {
    let queen = "4k3/8/8/3p4/8/8/8/3QK3 w - - 0 1";
    for (fen, right) in [
        ("4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1", 700), // The queen must not take a defended pawn.
        (queen, 900),                                // Here it wins the pawn.
        ("4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1", -100), // A pawn for a pawn.
    ] {
        let yours = own::captures(&mut Search::default(), &position(fen), -INFINITY, INFINITY);
        // The placement counts, too, but less than a pawn.
        let is_near = (yours - right).abs() < 60;
        assert!(is_near, "\nThe score of {fen} is near {right}, not {yours}.\n");
    }
    let mut memory = Search::default();
    own::captures(&mut memory, &position(queen), -INFINITY, 100);
    check("The positions visited if the evaluation reaches beta", memory.nodes, 1);
}

#[test]
fn chapter_08_key() {
    let turns = [
        (Position::START, "w KQkq", "b KQkq"),
        (Position::START, "KQkq", "KQk"),
        (CALM[1], "6k1", "5k2"),
    ];
    for (fen, old, new) in turns {
        let (position, other) = (position(fen), position(&fen.replace(old, new)));
        check(format!("The key of {fen}"), own::key(&position), solutions::key(&position));
        check(
            format!("{fen} and the same with {new} have different keys"),
            own::key(&position) != own::key(&other),
            true,
        );
    }
}

#[test]
fn chapter_08_bound() {
    for (score, depth) in
        [50, 40, 39, 1, 0, -10].into_iter().flat_map(|score| [(score, 3), (score, 4), (score, 5)])
    {
        let question = format!("bound({score}, 0, 40)");
        check(question, own::bound(score, 0, 40), solutions::bound(score, 0, 40));
        for bound in [Bound::Exact, Bound::AtLeast, Bound::AtMost] {
            let entry = Entry {
                key: 0,
                best: Move { from: NONE, to: NONE, promotion: 0 },
                score,
                depth,
                bound,
            };
            let question =
                format!("cuts_off(&entry, 4, 0, 40) for depth {depth} and {bound:?} {score}");
            check(question, own::cuts_off(&entry, 4, 0, 40), solutions::cuts_off(&entry, 4, 0, 40));
        }
    }
}

/// Fails if the own search visits more positions than `limit`.
fn check_nodes(fen: &str, depth: i32, limit: u64) {
    let mut memory = Search::default();
    own::search(&mut memory, &position(fen), depth, -INFINITY, INFINITY);
    let nodes = memory.nodes;
    assert!(
        nodes < limit,
        "\n{fen}, depth {depth}: you visit {nodes} positions, not fewer than {limit}.\n"
    );
    println!("{nodes} positions");
}

#[test]
fn chapter_08_table() {
    check_nodes("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", 8, 4_000);
    let mut memory = Search::default();
    memory.seen.push(solutions::key(&position(CALM[1])));
    let score = own::search(&mut memory, &position(CALM[1]), 2, -INFINITY, INFINITY);
    check("The score of a position whose key is in `memory.seen`", score, 0);
}

#[test]
fn chapter_09_update() {
    for (score, change) in
        [(0, 340), (340, 340), (8192, 340), (8192, -340), (-340, 340), (979, -420)]
    {
        check(
            format!("update({score}, {change})"),
            own::update(score, change),
            solutions::update(score, change),
        );
    }
}

#[test]
fn chapter_09_order() {
    let position = position("4k3/8/3p4/q7/1P2N3/8/8/R3K3 w - - 0 1");
    let mut moves = solutions::legal_moves(&position);
    let best = moves.iter().copied().find(|mv| mv.to_string() == "e1f2");
    own::order(&position, &mut moves, best);
    let first: Vec<String> = moves.iter().take(4).map(Move::to_string).collect();
    let right = ["e1f2", "b4a5", "a1a5", "e4d6"].map(str::to_owned).to_vec();
    check("The best move e1f2, pawn and rook take queen, knight takes pawn", first, right);
}

#[test]
fn chapter_09_search() {
    check_nodes("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", 3, 20_000);
}

#[test]
fn chapter_10_share() {
    for (left, increment) in [(60_000, 0), (60_000, 1000), (100, 2000), (30, 0), (20, 0), (0, 1000)]
    {
        check(
            format!("share({left}, {increment})"),
            own::share(left, increment),
            solutions::share(left, increment),
        );
    }
}

#[test]
fn chapter_10_go() {
    let fen = "r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 0";
    let best = |memory: &mut Search, depth| {
        own::go(memory, &position(fen), depth).map(|mv| mv.to_string())
    };
    check(
        format!("The mate in two moves in {fen}"),
        best(&mut Search::default(), 4),
        Some("d5f6".to_owned()),
    );
    let mated = position("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
    check("The move of a mated side", own::go(&mut Search::default(), &mated, 4), None);
    let mut memory = Search::default();
    memory.stop.store(true, Relaxed);
    check("A search that is stopped at once has a move", best(&mut memory, 64).is_some(), true);
    check("A stopped search visits fewer than ten positions", memory.nodes < 10, true);
}

#[test]
fn chapter_10_game() {
    println!("{}", game::play());
}

#[test]
fn chapter_11_feature() {
    for (king, sq) in all_squares().flat_map(|king| all_squares().map(move |sq| (king, sq))) {
        for (is_enemy, kind) in [(false, 0), (true, 1), (false, 5)] {
            let right = solutions::feature(king, sq, is_enemy, kind);
            let question = format!("feature({king:#04x}, {sq:#04x}, {is_enemy}, {kind})");
            check(question, own::feature(king, sq, is_enemy, kind), right);
        }
    }
}
