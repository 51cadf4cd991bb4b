//! The numbers of the live pictures in the page's tab *Learn*, from the engine's own board and
//! tables. The course in `docs/learn/` explains them; `tree.rs` has those of the search. All
//! answers are JSON. Squares, steps and bytes are plain numbers; kinds are letters of FEN.

use std::error::Error;

use carrybit_board::difference::{REACH, STEP};
use carrybit_board::square::{ALL_STEPS, KNIGHT_JUMPS, OFF_BOARD, ORTHOGONALS};
use carrybit_board::{Board, CastlingMode, Color, Delta, Kind, Move, Piece, PieceByte, Square};
use serde_json::{Value, json};

use crate::Answer;

/// The values of chapter 5, of pawn, knight, bishop, rook, queen and king, in centipawns.
const VALUES: [i32; 6] = [100, 320, 330, 500, 900, 0];

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

/// The pieces on a board that need not be a legal position, by 0x88 number.
type Pieces = [Option<Piece>; 128];

/// Reads pieces such as `Ng5 pb6`.
fn pieces(text: &str) -> Result<Pieces, Box<dyn Error>> {
    let mut on = [None; 128];
    for word in text.split_whitespace() {
        let (letter, square) = word.split_at_checked(1).ok_or("a piece needs a square")?;
        on[square.parse::<Square>()?.index()] = Some(letter.parse()?);
    }
    Ok(on)
}

/// A sum of a square and a step.
fn sum(to: Square) -> Value {
    json!({ "number": number(to), "and": number(to) & OFF_BOARD })
}

/// A number of the board (in hexadecimal): its AND with 0x88, and its four neighbours: up, right,
/// down, left.
pub(crate) fn number_of(text: &str) -> Answer {
    let from = Square::A1.step(Delta::from_str_radix(text, 16)?);
    let steps = ORTHOGONALS.map(|step| json!({ "step": step, "sum": sum(from.step(step)) }));
    Ok(json!({ "and": number(from) & OFF_BOARD, "steps": steps }).to_string())
}

/// The steps of the piece on a square. Each has its sums and their AND with 0x88, up to the edge,
/// an own piece, a capture, or the end of a single step. `on` names what the sum is: `off`, `own`,
/// `capture`, `reached`, or `barred` for a pawn that cannot go there.
pub(crate) fn steps(text: &str, square: &str) -> Answer {
    let (on, from) = (pieces(text)?, square.parse::<Square>()?);
    let Piece { color, kind } = on[from.index()].ok_or("no piece on this square")?;
    let [west, east] = color.pawn_captures();
    let of_pawn = [color.forward(), west, east];
    let steps = if kind == Kind::Pawn { &of_pawn } else { kind.steps() };
    let line = |&step: &Delta| {
        let mut sums = Vec::new();
        let mut to = from;
        loop {
            to = to.step(step);
            let met = if to.is_on_board() { on[to.index()] } else { None };
            let is_pawn_capture = kind == Kind::Pawn && step != color.forward();
            let found = match met {
                _ if !to.is_on_board() => "off",
                Some(piece) if piece.color == color => "own",
                Some(_) if kind != Kind::Pawn || is_pawn_capture => "capture",
                None if !is_pawn_capture => "reached",
                _ => "barred",
            };
            let mut value = sum(to);
            value["on"] = json!(found);
            sums.push(value);
            if !kind.slides() || found != "reached" {
                return json!({ "step": step, "sums": sums });
            }
        }
    };
    let lines: Vec<Value> = steps.iter().map(line).collect();
    Ok(json!({ "from": number(from), "lines": lines }).to_string())
}

/// A piece, such as `Bb2`, and another square: their difference, its entry in the table of attacks,
/// the AND with the byte of the piece, the step (0 if none), and the squares between.
pub(crate) fn difference(piece: &str, to: &str) -> Answer {
    let (letter, from) = piece.split_at_checked(1).ok_or("a piece needs a square")?;
    let (Piece { color, kind }, from): (Piece, Square) = (letter.parse()?, from.parse()?);
    let to: Square = to.parse()?;
    let delta = from.delta_to(to);
    let entry = REACH[color.index()][usize::from(delta)];
    let byte = kind.bit() | color.bit();
    Ok(json!({
        "difference": delta,
        "entry": entry,
        "kinds": kinds(entry),
        "byte": byte,
        "and": entry & byte,
        "step": STEP[usize::from(delta)],
        "between": between(from, to).map(number).collect::<Vec<_>>(),
    })
    .to_string())
}

/// All pairs of squares with a difference (in hexadecimal).
pub(crate) fn pairs(difference: &str) -> Answer {
    let delta = Delta::from_str_radix(difference, 16)?;
    let pairs = Square::all().flat_map(|from| Square::all().map(move |to| (from, to)));
    let found = pairs.filter(|(from, to)| from.delta_to(*to) == delta);
    let found: Vec<[u8; 2]> = found.map(|(from, to)| [number(from), number(to)]).collect();
    Ok(serde_json::to_string(&found)?)
}

/// A side's table (`w` or `b`): the kinds that attack along each difference.
pub(crate) fn reach(side: &str) -> Answer {
    Ok(serde_json::to_string(&REACH[side.parse::<Color>()?.index()].as_slice())?)
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

/// The captures of the side to move and, if one of them is given in UCI notation, the exchange that
/// it begins: each capture with its gain, the balance after it for the side to move, and its value
/// if each side may stop. The king captures only undefended pieces.
pub(crate) fn exchange(fen: &str, first: &str) -> Answer {
    let board: Board = fen.parse()?;
    let legal = board.legal_moves();
    let is_plain = |mv: &&Move| mv.is_capture() && !mv.is_promotion() && !mv.is_en_passant();
    let name = |mv: &Move| mv.uci(CastlingMode::Standard).to_string();
    let captures: Vec<&Move> = legal.iter().filter(is_plain).collect();
    let list: Vec<Value> =
        captures.iter().map(|&mv| json!({ "uci": name(mv), "san": board.san(*mv) })).collect();
    let line = captures.iter().find(|mv| name(mv) == first).map(|mv| capture_line(&board, **mv));
    Ok(json!({ "captures": list, "line": line.unwrap_or_default() }).to_string())
}

fn capture_line(board: &Board, first: Move) -> Vec<Value> {
    let (to, mut from) = (first.target(), first.from());
    let mut gone = Vec::new();
    let mut side = board.side();
    let value = |sq: Square| board.piece_on(sq).map_or(0, |piece| VALUES[piece.kind.index()]);
    let (mut at_risk, mut balance) = (value(to), 0);
    let mut line = Vec::new();
    loop {
        balance += if side == board.side() { at_risk } else { -at_risk };
        line.push((from, side, at_risk, balance));
        at_risk = value(from);
        gone.push(from);
        side = !side;
        let attackers = |side: Color| {
            let reaches = |&(sq, piece): &(Square, PieceByte)| {
                let entry = REACH[side.index()][usize::from(sq.delta_to(to))];
                let is_empty = |on| gone.contains(&on) || board.byte_on(on).is_empty();
                let is_clear = || !piece.is_slider() || between(sq, to).all(is_empty);
                sq != to && !gone.contains(&sq) && entry & byte(piece) != 0 && is_clear()
            };
            board.pieces_of(side).filter(reaches).map(|(sq, piece)| (piece.kind_index(), sq)).min()
        };
        match attackers(side) {
            Some((kind, sq)) if kind != Kind::King.index() || attackers(!side).is_none() => {
                from = sq;
            }
            _ => break,
        }
    }
    let mut rest = 0;
    let mut rows: Vec<Value> = Vec::new();
    for (from, side, gain, balance) in line.into_iter().rev() {
        let value = gain - rest.max(0);
        let piece = board.piece_on(from).map(|piece| piece.to_string());
        let is_first = side == board.side();
        rows.push(json!({
            "piece": piece, "from": number(from), "isFirst": is_first, "gain": gain, "balance": balance,
            "rest": rest, "value": value,
        }));
        rest = value;
    }
    rows.reverse();
    rows
}

/// The 64 lanes around a square: eight lines, each seven squares and a jump of the knight. A line
/// has the offsets, their sums, the AND with 0x88, the pieces there (empty if none), and the bytes
/// of the subtraction that finds the reach: occupied lanes with the stop, less 1, exclusive or, AND
/// the lanes on the board.
pub(crate) fn lanes(text: &str, centre: &str) -> Answer {
    let (on, centre) = (pieces(text)?, centre.parse::<Square>()?);
    let mut mask = 0_u64;
    let lines = std::array::from_fn::<_, 8, _>(|line| {
        let offsets = std::array::from_fn::<_, 8, _>(|lane| match lane {
            7 => KNIGHT_JUMPS[line],
            _ => ALL_STEPS[line].wrapping_mul(lane as u8 + 1),
        });
        let sums = offsets.map(|offset| centre.step(offset));
        let letters = sums.map(|sq| {
            let piece = if sq.is_on_board() { on[sq.index()] } else { None };
            piece.map(|piece| piece.to_string()).unwrap_or_default()
        });
        let bits = |is_set: &dyn Fn(usize) -> bool| -> u8 {
            (0..8).filter(|&lane| is_set(lane)).map(|lane| 1 << lane).sum()
        };
        let board = bits(&|lane| sums[lane].is_on_board());
        let stop = bits(&|lane| lane == 7 || !letters[lane].is_empty());
        let less = stop.wrapping_sub(1);
        mask |= u64::from(board) << (8 * line);
        json!({
            "offsets": offsets.to_vec(),
            "sums": sums.map(number).to_vec(),
            "ands": sums.map(|sq| number(sq) & OFF_BOARD).to_vec(),
            "letters": letters,
            "stop": stop, "less": less, "xor": stop ^ less, "reach": (stop ^ less) & board & 0x7F,
        })
    });
    Ok(json!({ "lines": lines, "mask": format!("{mask:016X}") }).to_string())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn parse(answer: Answer) -> Value {
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

    #[test]
    fn value_of_an_exchange_agrees_with_the_engine() {
        for fen in [
            "3r2k1/8/5n2/3p4/8/2N5/3R4/3Q2K1 w - - 0 1",
            "3r2k1/8/4pn2/3p4/8/2N5/3R4/3Q2K1 w - - 0 1",
            "8/8/3k4/3p4/8/3R4/3K4/8 w - - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        ] {
            let board: Board = fen.parse().unwrap();
            for capture in parse(exchange(fen, ""))["captures"].as_array().expect("captures") {
                let uci = capture["uci"].as_str().unwrap();
                let mv = board.parse_uci(uci).unwrap();
                let found =
                    parse(exchange(fen, uci))["line"][0]["value"].as_i64().expect("a value") as i32;
                assert!(board.see_ge(mv, found, &VALUES), "{fen} {uci} {found}");
                assert!(!board.see_ge(mv, found + 1, &VALUES), "{fen} {uci} {found}");
            }
        }
    }
}
