//! Draws the pictures of the course in `docs/learn`:
//! `cargo run --locked --example learn_pictures -- docs/learn/images`.
//!
//! Squares, steps, differences, moves and features come from the engine's library, and the bars
//! of the last picture from the table of its chapter.

mod picture;

use std::error::Error;
use std::fs;
use std::path::Path;

use carrybit::internals::board::difference::{REACH, STEP};
use carrybit::internals::board::square::{ALL_STEPS, KNIGHT_JUMPS, OFF_BOARD};
use carrybit::internals::board::{Board, Color, Kind, Square};
use carrybit::internals::eval::nnue::network::{L1, L2, L3, SHAPE};

use picture::*;

/// The squares that the legal moves from `from` lead to.
fn targets(board: &Board, from: Square) -> Vec<Square> {
    let moves = board.legal_moves();
    moves.iter().filter(|mv| mv.from() == from).map(|mv| mv.to()).collect()
}

/// The position after the legal move from `from` to `to`.
fn after(board: &Board, from: Square, to: Square) -> Board {
    let moves = board.legal_moves();
    let mv = moves.iter().find(|mv| (mv.from(), mv.to()) == (from, to));
    board.make(*mv.expect("a legal move"))
}

fn board_picture() -> String {
    let mut p = Picture::default();
    let corner =
        |number: u8| (70 + 43 * i32::from(number & 15), 60 + 43 * (7 - i32::from(number >> 4)));
    for number in 0..128 {
        let is_off = number & OFF_BOARD != 0;
        let is_light = (number ^ number >> 4) & 1 != 0;
        let paint = if is_off {
            GREY
        } else if is_light {
            LIGHT
        } else {
            DARK
        };
        p.cell(corner(number), (43, 43), paint, &format!("{number:02X}"));
    }
    for digit in 0..16 {
        p.middle((corner(digit).0 + 21, 52), BLUE, &format!("{digit:X}"));
    }
    for digit in 0..8 {
        p.middle((44, corner(digit << 4).1 + 27), BLUE, &digit.to_string());
        let file = char::from(b'a' + digit).to_string();
        p.middle((corner(digit).0 + 21, 420), GREY, &format!("file {file}"));
        p.middle((18, corner(digit << 4).1 + 27), GREY, &(digit + 1).to_string());
    }
    p.text((10, 28), BLUE, "hex digits");
    p.middle((242, 28), PLAIN, "the board");
    p.middle((586, 28), GREY, "off the board");
    let [e4, h4, a4] = ["e4", "h4", "a4"].map(square);
    let (x, y) = corner(number(e4));
    p.cell((x, y), (43, 43), GREEN, &format!("e4\n{}", hex(e4)));
    // One step to the right of h4 and one to the left of a4.
    let (east, west) = (h4.step(ALL_STEPS[1]), a4.step(ALL_STEPS[3]));
    let ((x, y), (last, below)) = (corner(number(h4)), corner(number(west)));
    p.arrow((x + 14, y + 36), (x + 70, y + 36), 0, RED);
    p.arrow((92, y + 36), (50, y + 36), 0, RED);
    p.arrow((798, below + 36), (last + 20, below + 36), 0, RED);
    let [e8, e1] = ["e8", "e1"].map(square);
    let (north, south) = (e8.step(ALL_STEPS[0]), e1.step(ALL_STEPS[2]));
    for (y, from, step, to) in [
        (455, h4, "+ 0x01", east),
        (480, a4, "- 0x01", west),
        (505, e8, "+ 0x10", north),
        (530, e1, "- 0x10", south),
    ] {
        let test = format!("0x{} AND 0x88 = 0x{:02X}: off", hex(to), number(to) & OFF_BOARD);
        let text = format!("{from}: 0x{} {step} = 0x{}; {test}", hex(from), hex(to));
        p.text((400, y), RED, &text);
    }
    for (y, name, byte) in [(445, "e4", number(e4)), (485, "mask", OFF_BOARD)] {
        p.end((62, y + 20), PLAIN, name);
        for bit in 0..8 {
            let paint = if OFF_BOARD >> bit & 1 != 0 { RED } else { BLUE };
            p.cell((280 - 30 * bit, y), (30, 30), paint, &(byte >> bit & 1).to_string());
        }
        p.text((320, y + 20), PLAIN, &format!("0x{byte:02X}"));
    }
    for (x, paint, text) in
        [(85, RED, "spare"), (145, BLUE, "rank"), (205, RED, "spare"), (265, BLUE, "file")]
    {
        p.middle((x, 535), paint, text);
    }
    p.finish(550, "The 0x88 board: 16 by 8 numbers, of which the left half are squares")
}

fn steps_picture() -> String {
    let mut p = Picture::default();
    let fen = "6k1/8/1p6/6N1/8/1R2P3/8/6K1 w - - 0 1";
    let (board, knight, rook) = (position(fen), square("g5"), square("b3"));
    let [of_knight, of_rook] = [knight, rook].map(|from| targets(&board, from));
    let centre = p.board((90, 20), 48, fen, &[of_knight.clone(), of_rook.clone()].concat());
    let mut lines = format!("Knight {knight} = 0x{}", hex(knight));
    for to in KNIGHT_JUMPS.map(|jump| knight.step(jump)) {
        let sum = format!("\n+ 0x{:02X} = 0x{}", knight.delta_to(to), hex(to));
        if of_knight.contains(&to) {
            p.arrow(centre(knight), centre(to), 30, GREEN);
            lines += &format!("{sum}: {to}");
        } else {
            p.cell((centre(to).0 - 23, centre(to).1 - 23), (46, 46), RED, &hex(to));
            p.arrow(centre(knight), centre(to), 30, RED);
            lines += &format!("{sum}: off");
        }
    }
    p.text((550, 40), PLAIN, &lines);
    p.text((550, 240), PLAIN, &format!("Rook {rook} = 0x{}", hex(rook)));
    let names = ["up", "right", "down", "left"];
    for (i, (name, &step)) in names.iter().zip(Kind::Rook.steps()).enumerate() {
        let mut line = of_rook.clone();
        line.retain(|&to| STEP[usize::from(rook.delta_to(to))] == step);
        line.sort_by_key(|&to| rook.distance_to(to));
        let last = *line.last().expect("a move");
        p.arrow(centre(rook), centre(last), 16, GREEN);
        let next = last.step(step);
        let end = match board.piece_on(last) {
            Some(_) => "capture".to_owned(),
            None if next.is_on_board() => format!("{next} is White's"),
            None => format!("0x{} is off", hex(next)),
        };
        if !next.is_on_board() {
            let ((x, y), (from_x, from_y)) = (centre(last), centre(rook));
            let beside = (x + 52 * (x - from_x).signum(), y + 52 * (y - from_y).signum());
            p.cell((beside.0 - 20, beside.1 - 20), (40, 40), RED, &hex(next));
            p.arrow((x, y), beside, 20, RED);
        }
        let names = line.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let y = 260 + 20 * i as i32;
        p.text((550, y), PLAIN, &format!("{name} 0x{step:02X}: {names}; {end}"));
    }
    p.text((550, 380), GREEN, "green: moves of the knight and the rook");
    p.text((550, 400), RED, "red: off, AND 0x88 is not 0");
    p.finish(490, "The jumps of a knight and the lines of a rook, as hexadecimal sums")
}

fn differences_picture() -> String {
    let mut p = Picture::default();
    let order = [Kind::King, Kind::Queen, Kind::Rook, Kind::Bishop, Kind::Knight, Kind::Pawn];
    for ranks in -7..=7_i8 {
        for files in -7..=7_i8 {
            // Two squares of the board with this difference.
            let from = Square::new((-files).max(0) as u8, (-ranks).max(0) as u8);
            let delta = from.delta_to(Square::new(files.max(0) as u8, ranks.max(0) as u8));
            let [white, black] = [0, 1].map(|color| REACH[color][usize::from(delta)]);
            let has = |kind: Kind| white & kind.bit() != 0;
            let kinds = order.into_iter().filter(|&kind| has(kind));
            let letters = kinds.map(|kind| kind.to_string()).collect::<String>().to_uppercase();
            let black_pawn = if black & !white != 0 { "p" } else { "" };
            let paint = match () {
                () if has(Kind::Rook) => BLUE,
                () if has(Kind::Bishop) => GREEN,
                () if has(Kind::Knight) => RED,
                () => PLAIN,
            };
            let (x, y) = (64 + 38 * (i32::from(files) + 7), 44 + 38 * (7 - i32::from(ranks)));
            let is_example = delta == square("b2").delta_to(square("g7"));
            let fill = if is_example { "#ffe58a" } else { paint.0 };
            p.cell(
                (x, y),
                (38, 38),
                (fill, PLAIN.1),
                &format!("{delta:02X}\n{letters}{black_pawn}"),
            );
        }
        let label = if ranks == 0 { "0".to_owned() } else { format!("{ranks:+}") };
        let along = 19 + 38 * (i32::from(ranks) + 7);
        p.middle((64 + along, 38), GREY, &label);
        p.end((56, 44 + 570 - along + 5), GREY, &label);
    }
    p.middle((349, 18), GREY, "files");
    p.text((4, 60), GREY, "ranks");
    let legend = ["rook, queen", "bishop, queen", "knight", "nothing"];
    for ((y, paint), text) in (50..).step_by(28).zip([BLUE, GREEN, RED, PLAIN]).zip(legend) {
        p.rect((648, y), (22, 22), (paint.0, GREY.1));
        p.text((678, y + 16), PLAIN, text);
    }
    p.text(
        (648, 190),
        PLAIN,
        "K king, Q queen\nR rook, B bishop\nN knight\nP White's pawn\np Black's pawn",
    );
    p.rect((648, 300), (22, 22), ("#ffe58a", GREY.1));
    let (b2, g7) = (square("b2"), square("g7"));
    let sum = format!("0x{} - 0x{} = 0x{:02X}", hex(g7), hex(b2), b2.delta_to(g7));
    p.text((678, 316), PLAIN, "b2 to g7:");
    p.text((648, 340), PLAIN, &sum);
    p.finish(625, "The difference table: 225 differences, each with the pieces that attack")
}

fn check_picture() -> String {
    let mut p = Picture::default();
    let fen = "4r2k/8/8/8/1bB5/8/3N4/4K3 w - - 0 1";
    let board = position(fen);
    let pinned = board.pinned().next().expect("a pin");
    let (king, moves) = (board.king(Color::White), board.legal_moves());
    let marked: Vec<Square> = moves.iter().map(|mv| mv.to()).collect();
    let centre = p.board((40, 20), 50, fen, &marked);
    for mv in &moves {
        p.arrow(centre(mv.from()), centre(mv.to()), 30, GREEN);
    }
    let mut lines = format!("White's king {king} = 0x{}", hex(king));
    for (sq, piece) in board.pieces_of(Color::Black) {
        let delta = sq.delta_to(king);
        let entry = REACH[Color::Black.index()][usize::from(delta)];
        let kind = KIND_NAMES[piece.kind_index()];
        lines += &format!("\n\n{kind} {sq}: 0x{} - 0x{} = 0x{delta:02X}", hex(king), hex(sq));
        lines += &format!("\nentry 0x{entry:02X}: ");
        lines += if board.checkers().any(|checker| checker == sq) {
            p.arrow(centre(sq), centre(king), 17, RED);
            "in line, nothing between: check"
        } else if entry & Kind::ALL[piece.kind_index()].bit() != 0 {
            p.arrow(centre(sq), centre(pinned), 21, BLUE);
            p.arrow(centre(pinned), centre(king), 21, BLUE);
            "in line, one between: a pin"
        } else {
            "not in line"
        };
    }
    let refused = square("e4");
    p.ring(centre(pinned), 19, "none", BLUE.1);
    p.arrow(centre(pinned), centre(refused), 17, RED);
    let (x, y) = centre(refused);
    p.line((x - 22, y - 20), (x - 8, y - 6), RED);
    p.line((x - 8, y - 20), (x - 22, y - 6), RED);
    p.text((480, 50), PLAIN, &lines);
    let moves = moves.iter().map(|&mv| board.san(mv)).collect::<Vec<_>>().join(" ");
    p.text((480, 270), GREEN, &format!("green: the legal moves\n{moves}"));
    p.text((480, 320), RED, "red: the check, and Ne4,\nwhich the pin forbids (cross)");
    p.text((480, 370), BLUE, "blue: the line of the pin,\nand the pinned knight (ring)");
    p.finish(450, "A check by a rook, a pin by a bishop, and the five legal moves")
}

const KIND_NAMES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

/// Plays the captures on d5 from the squares of `from`. Returns a line for each, and White's
/// balance after each.
fn exchange(fen: &str, from: &str) -> (String, Vec<i32>) {
    const VALUES: [i32; 6] = [100, 320, 330, 500, 900, 0];
    let (mut board, mut lines, mut balances, to) =
        (position(fen), String::new(), vec![0], square("d5"));
    for (from, sign) in from.split(' ').map(square).zip([1, -1].into_iter().cycle()) {
        let [piece, victim] = [from, to].map(|sq| board.byte_on(sq).kind_index());
        let (piece_name, victim_name) = (KIND_NAMES[piece], KIND_NAMES[victim]);
        lines += &format!("{}. {piece_name} {from} takes {victim_name}\n", balances.len());
        balances.push(balances[balances.len() - 1] + sign * VALUES[victim]);
        board = after(&board, from, to);
    }
    (lines, balances[1..].to_vec())
}

/// Bars for White's balance after each capture; only the first `played` are played.
fn chart(p: &mut Picture, (left, zero): Point, balances: &[i32], played: usize) {
    for ((i, x), &balance) in (0..).zip((left..).step_by(58)).zip(balances) {
        let (height, is_up) = (balance.abs() / 6, balance > 0);
        let paint = [[GREEN, RED], [GREY, GREY]][usize::from(i >= played)][usize::from(!is_up)];
        p.rect((x, if is_up { zero - height } else { zero }), (44, height), paint);
        let number_y = if is_up { zero + 17 } else { zero - 6 };
        p.middle((x + 22, number_y), paint, &format!("{}.", i + 1));
        let balance_y = if is_up { zero - height - 6 } else { zero + height + 16 };
        p.middle((x + 22, balance_y), PLAIN, &format!("{balance:+}"));
    }
    p.line((left - 10, zero), (left + 58 * balances.len() as i32, zero), GREY);
}

fn exchange_picture() -> String {
    let mut p = Picture::default();
    let fen = "3r2k1/8/5n2/3p4/8/2N5/3R4/3Q2K1 w - - 0 1";
    let centre = p.board((34, 16), 46, fen, &[]);
    let (lines, balances) = exchange(fen, "c3 f6 d2 d8 d1");
    let starts = ["c3", "f6", "d2", "d8", "d1"].map(|name| centre(square(name)));
    for (i, ((x, y), paint)) in starts.into_iter().zip([BLUE, RED].into_iter().cycle()).enumerate()
    {
        // The queen's arrow passes the rook on the right.
        let shift = if i == 4 { 19 } else { 0 };
        let (to_x, to_y) = centre(square("d5"));
        p.arrow((x + shift, y), (to_x + shift, to_y), 16, paint);
        p.end((x - 16, y - 8), paint, &format!("{}.", i + 1));
    }
    p.text((450, 36), PLAIN, &lines);
    p.text((450, 136), PLAIN, "blue arrows: White; red arrows: Black");
    p.text((450, 170), PLAIN, "White's balance after each capture:");
    chart(&mut p, (470, 235), &balances, 5);
    p.text((450, 350), GREEN, "The exchange is worth +100.");
    let fen = "3r2k1/8/4pn2/3p4/8/2N5/3R4/3Q2K1 w - - 0 1";
    let (lines, balances) = exchange(fen, "c3 e6 d2 f6 d1 d8");
    p.text((34, 440), PLAIN, "With a black pawn on e6:");
    p.text((34, 470), PLAIN, &lines);
    p.text((34, 605), RED, "White stops after 2: the exchange is worth -220.");
    p.text((34, 625), GREY, "grey: captures that are not played");
    chart(&mut p, (440, 430), &balances, 2);
    p.finish(660, "An exchange on d5: the captures in order, and the balance after each")
}

/// A row of eight cells with a name at the left.
fn row(p: &mut Picture, y: i32, name: &str, mut cell: impl FnMut(usize) -> (Paint, String)) {
    p.end((150, y + 20), PLAIN, name);
    for (x, i) in (160..).step_by(52).zip(0..8) {
        let (paint, text) = cell(i);
        p.cell((x, y), (52, 30), paint, &text);
    }
}

fn lanes_picture() -> String {
    let mut p = Picture::default();
    let (board, queen) = (position("3r2k1/8/3p4/8/3Q4/8/8/1K6 w - - 0 1"), square("d4"));
    // The square of a lane: up to seven steps along a line, or a jump.
    let lane = |ray: usize, i: usize| {
        let steps = ALL_STEPS[ray].wrapping_mul(i as u8 + 1);
        queen.step(if i == 7 { KNIGHT_JUMPS[ray] } else { steps })
    };
    let first = |i: usize| lane(0, i);
    p.text((160, 24), PLAIN, "The first eight lanes: the line up, and a knight's jump");
    row(&mut p, 36, "d4", |_| (LIGHT, hex(queen)));
    row(&mut p, 70, "+ offsets", |i| (BLUE, format!("{:02X}", queen.delta_to(first(i)))));
    row(&mut p, 104, "= squares", |i| (LIGHT, hex(first(i))));
    row(&mut p, 138, "AND 88", |i| {
        let bits = number(first(i)) & OFF_BOARD;
        (if bits == 0 { GREEN } else { RED }, format!("{bits:02X}"))
    });
    p.text((160, 202), PLAIN, "All 64 lanes after the addition");
    let names =
        ["up", "right", "down", "left", "up, right", "down, right", "down, left", "up, left"];
    let mut on_board = 0_u64;
    for (ray, name) in names.iter().enumerate() {
        row(&mut p, 214 + 32 * ray as i32, name, |i| {
            let to = lane(ray, i);
            if !to.is_on_board() {
                return (GREY, hex(to));
            }
            on_board |= 1 << (8 * ray + i);
            let mark = if board.piece_on(to).is_some() { "*" } else { "" };
            let is_reached = i == 7 || board.is_clear_between(queen, to);
            (if is_reached { GREEN } else { PLAIN }, hex(to) + mark)
        });
    }
    p.text((592, 234), GREY, "grey: off the board");
    p.text((592, 264), GREEN, "green: a knight's jumps, and\nlines up to the first piece");
    p.text((592, 314), PLAIN, "white: behind a piece\n*: a piece is on the square");
    let count = on_board.count_ones();
    p.text((592, 374), PLAIN, &format!("on the board: {count} lanes,\n0x{on_board:016X}"));
    p.text((160, 500), PLAIN, "Compare: the first line as bits, lane 7 first, lane 0 last");
    let pieces = (0..7).filter(|&i| first(i).is_on_board() && board.piece_on(first(i)).is_some());
    let stopped = pieces.fold(0x80_u8, |bits, i| bits | 1 << i);
    let stages = [
        ("occupied, with stop", stopped),
        ("less 1", stopped - 1),
        ("exclusive or", stopped ^ (stopped - 1)),
    ];
    for (y, (name, byte)) in (512..).step_by(34).zip(stages) {
        let bit = |i: usize| byte >> (7 - i) & 1;
        row(&mut p, y, name, |i| (if bit(i) != 0 { GREEN } else { PLAIN }, bit(i).to_string()));
        p.text((592, y + 20), PLAIN, &format!("0x{byte:02X}"));
    }
    p.text((650, 600), GREEN, "the reach: d5, d6");
    p.finish(625, "Sixty-four lanes around d4: added, tested with 0x88, and compared")
}

/// Searches a tree of two plies with alpha-beta, and draws it.
fn tree(p: &mut Picture, top: i32, moves: [(&str, [i32; 3]); 3]) {
    let (mut alpha, mut visited) = (None, 0);
    for (x, (name, leaves)) in (135..).step_by(265).zip(moves) {
        p.line((400, top + 18), (x, top + 72), GREY);
        let (mut best, mut is_cut) = (i32::MAX, false);
        let has = |alpha: i32| format!("White has {alpha}");
        let window = alpha.map_or("White has no score".to_owned(), has);
        for (leaf_x, leaf) in (x - 75..).step_by(75).zip(leaves) {
            p.line((x, top + 118), (leaf_x, top + 164), if is_cut { RED } else { GREY });
            let paint = if is_cut { GREY } else { GREEN };
            p.cell((leaf_x - 28, top + 164), (56, 32), paint, &leaf.to_string());
            if is_cut {
                let middle = i32::midpoint(x, leaf_x);
                p.line((middle - 9, top + 147), (middle + 9, top + 135), RED);
                p.middle((leaf_x, top + 213), RED, "skipped");
            } else {
                visited += 1;
                best = best.min(leaf);
                is_cut = alpha.is_some_and(|alpha| best <= alpha);
            }
        }
        alpha = alpha.max(Some(best));
        let value = format!("{name}: {best}{}", if is_cut { " or less" } else { "" });
        p.cell((x - 70, top + 72), (140, 46), LIGHT, &format!("{window}\n{value}"));
    }
    let score = format!("White: {}", alpha.expect("three moves"));
    p.cell((325, top - 18), (150, 36), BLUE, &score);
    p.text((490, top + 5), PLAIN, &format!("{visited} of 9 leaves visited"));
}

fn tree_picture() -> String {
    let mut p = Picture::default();
    let [a, b, c] = [("A", [30, 50, 40]), ("B", [20, 70, 90]), ("C", [60, 40, 50])];
    p.text((16, 30), PLAIN, "White takes the maximum,\nBlack the minimum.");
    p.text((490, 61), PLAIN, "leaves: centipawns, from White's side");
    tree(&mut p, 36, [a, b, c]);
    p.text((16, 320), PLAIN, "With C, the best move, first:");
    tree(&mut p, 315, [c, a, b]);
    p.finish(545, "Alpha-beta in a tree of two plies: cutoffs skip leaves")
}

fn order_picture() -> String {
    let mut p = Picture::default();
    let groups = [
        ("With histories: 391,864 cutoffs, 2,422,246 nodes", [880, 75, 23, 22], GREEN),
        ("Without histories: 744,247 cutoffs, 4,256,515 nodes", [793, 120, 37, 50], BLUE),
    ];
    for (top, (title, shares, paint)) in (40..).step_by(190).zip(groups) {
        p.text((20, top), PLAIN, title);
        let names = ["first move", "second", "third", "fourth and later"];
        for ((y, name), share) in (top + 14..).step_by(36).zip(names).zip(shares) {
            let width = share * 56 / 100;
            p.end((150, y + 19), PLAIN, name);
            p.rect((160, y), (width, 28), paint);
            let text = format!("{}.{} %", share / 10, share % 10);
            p.text((168 + width, y + 19), PLAIN, &text);
        }
    }
    let caption =
        "Share of the cutoffs in interior nodes, by the number of the move that caused them";
    p.text((20, 415), PLAIN, caption);
    p.finish(435, "Cutoffs by the number of the move, with and without histories")
}

fn network_picture() -> String {
    let mut p = Picture::default();
    let board = position("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    let next = after(&board, square("g1"), square("f3"));
    for (color, top) in Color::ALL.into_iter().zip([50, 270]) {
        let [old, new] = [&board, &next].map(|board| SHAPE.active_features(board, color));
        let removed = old.iter().filter(|row| !new.contains(row)).map(|row| format!("- row {row}"));
        let added = new.iter().filter(|row| !old.contains(row)).map(|row| format!("+ row {row}"));
        let changes = removed.chain(added).collect::<Vec<_>>().join("\n");
        p.text((20, top - 10), PLAIN, &format!("{color:?}'s perspective"));
        let features = format!("{} features,\n{} on after Nf3", SHAPE.feature_count(), new.len());
        p.cell((20, top), (160, 130), BLUE, &features);
        p.text((200, top + 20), PLAIN, &format!("Nf3 changes\n{L1} numbers by"));
        p.arrow((180, top + 65), (340, top + 65), 2, PLAIN);
        p.text((210, top + 90), PLAIN, &changes);
        p.cell((340, top), (120, 130), GREEN, &format!("accumulator:\n{L1} numbers"));
        p.arrow((460, top + 65), (500, 225 + (top - 160) / 8), 2, PLAIN);
    }
    p.cell((500, 165), (120, 120), LIGHT, "clip to 0..127,\nmultiply pairs:\nactivations");
    p.arrow((620, 225), (655, 225), 2, PLAIN);
    let output = SHAPE.output_bucket(next.piece_count());
    p.cell(
        (655, 165),
        (135, 120),
        RED,
        &format!("layers of {L2}\nand {L3} neurons,\nbucket {output}:\ncentipawns"),
    );
    let title =
        format!("The network: features, two accumulators of {L1} numbers, the layers behind");
    p.finish(420, &title)
}

fn elo_picture() -> String {
    let mut p = Picture::default();
    // Each row of the chapter's table begins with the change, its Elo and the error.
    let table = include_str!("../../docs/learn/10-elo.md").lines().filter_map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let (change, (elo, error)) = (cells.next()?, cells.next()?.split_once(" ± ")?);
        Some((change, elo.parse::<i32>().ok()?, error.parse::<i32>().ok()?))
    });
    let rows: Vec<(&str, i32, i32)> = table.collect();
    let (x, bottom) = (|elo: i32| 575 + elo * 13 / 20, 50 + 28 * rows.len() as i32);
    for elo in [-100, 0, 100, 200] {
        p.line((x(elo), 40), (x(elo), bottom), ("", GREY.0));
        p.middle((x(elo), 30), GREY, &elo.to_string());
    }
    p.text((20, 30), PLAIN, "Elo gained (bar), and its error (line)");
    for (y, (change, elo, error)) in (46..).step_by(28).zip(rows) {
        p.end((448, y + 15), PLAIN, change);
        let width = x(elo) - x(0);
        let paint = if elo > 0 { GREEN } else { RED };
        p.rect((x(elo.min(0)), y), (width.abs(), 20), paint);
        p.line((x(elo - error), y + 10), (x(elo + error), y + 10), PLAIN);
        p.text((x((elo + error).max(0)) + 6, y + 15), PLAIN, &format!("{elo:+} ± {error}"));
    }
    p.finish(bottom + 15, "Elo gained by networks and by changes of the search, with errors")
}

type Drawing = fn() -> String;

const PICTURES: [(&str, Drawing); 10] = [
    ("01-board.svg", board_picture),
    ("02-steps.svg", steps_picture),
    ("03-differences.svg", differences_picture),
    ("04-check.svg", check_picture),
    ("05-exchange.svg", exchange_picture),
    ("06-lanes.svg", lanes_picture),
    ("07-tree.svg", tree_picture),
    ("08-order.svg", order_picture),
    ("09-network.svg", network_picture),
    ("10-elo.svg", elo_picture),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: learn_pictures FOLDER")?;
    fs::create_dir_all(&folder)?;
    for (name, draw) in PICTURES {
        fs::write(Path::new(&folder).join(name), draw())?;
    }
    Ok(())
}

#[test]
fn pictures_are_those_in_the_folder_of_the_course() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/learn/images");
    for (name, draw) in PICTURES {
        let file = fs::read_to_string(folder.join(name)).unwrap_or_default();
        let command = "cargo run --locked --example learn_pictures -- docs/learn/images";
        assert!(file.replace('\r', "") == draw(), "{name} is out of date; run {command}");
    }
}
