//! What people ask to see: the position, its evaluation, its moves.

use crate::board::Board;
use crate::engine::Engine;
use crate::tablebase::Wdl;
use crate::tablebase::probe::SPOILT_PLIES;

use super::{hints, paint, wdl};

/// How many moves stand in a line.
const MOVES_PER_LINE: usize = 5;

/// The lines of `d`: the position, its FEN and key, the checkers, and what the
/// tablebases say, if they know it.
pub(super) fn position(engine: &Engine, has_colour: bool) -> Vec<String> {
    let board = engine.game().board();
    let mut lines = painted(board.to_string().lines(), has_colour);
    lines.push(format!("Key: {:016x}", board.key()));
    let checkers: String = board.checkers().map(|sq| format!(" {sq}")).collect();
    lines.push(format!("Checkers:{checkers}"));
    lines.extend(tablebases(engine, board).map(|result| format!("Tablebases: {result}")));
    lines
}

/// The outcome that the tablebases know, for people.
fn tablebases(engine: &Engine, board: &Board) -> Option<String> {
    let tables = engine.tablebases();
    let outcome = tables.probe_wdl(board)?;
    let [us, them] = [board.side(), board.side().flip()].map(hints::name);
    let result = match outcome {
        Wdl::Win => format!("{us} wins"),
        Wdl::CursedWin => format!("drawn, as the fifty-move rule spoils the win of {us}"),
        Wdl::Draw => "drawn".to_owned(),
        Wdl::BlessedLoss => format!("drawn, as the fifty-move rule spoils the win of {them}"),
        Wdl::Loss => format!("{them} wins"),
    };
    let distance = tables.probe_dtz(board).filter(|&plies| plies != 0).map(|plies| {
        let plies = plies.abs();
        if plies > SPOILT_PLIES { plies - SPOILT_PLIES } else { plies }
    });
    Some(match distance {
        Some(plies) => format!("{result}; {plies} plies to mate, a capture or a pawn move (DTZ)"),
        None => result,
    })
}

/// The lines of `eval`: what each piece is worth and the position as a whole, in the
/// centipawns of a search from here.
pub(super) fn evaluation(engine: &Engine, has_colour: bool) -> Vec<String> {
    let board = engine.game().board();
    let material = wdl::material(board);
    let text = engine.evaluate_text(|score| wdl::shown_cp(score, material));
    let mut lines = painted(text.lines(), has_colour);
    if board.in_check() {
        let side = hints::name(board.side());
        lines.push(format!(
            "{side} is in check: a search extends checks before evaluating, so this value is \
             never used"
        ));
    }
    lines
}

/// The lines of `moves`: all legal moves in SAN, each with UCI's notation.
pub(super) fn moves(board: &Board, chess960: bool) -> Vec<String> {
    let mut moves: Vec<(String, String)> =
        board.legal_moves().iter().map(|&mv| (board.san(mv), board.uci(mv, chess960))).collect();
    moves.sort_unstable();
    let words: Vec<String> = moves.iter().map(|(san, uci)| format!("{san} {uci}")).collect();
    let width = words.iter().map(String::len).max().unwrap_or_default() + 2;
    let side = hints::name(board.side());
    let mut lines = vec![match words.len() {
        0 => format!("{side} has no legal move"),
        1 => format!("{side} has one legal move"),
        count => format!("{side} has {count} legal moves"),
    }];
    for row in words.chunks(MOVES_PER_LINE) {
        let row: String = row.iter().map(|word| format!("{word:<width$}")).collect();
        lines.push(row.trim_end().to_owned());
    }
    lines
}

/// The pieces on the board and the names of files and ranks, without edges.
pub(super) fn pieces(board: &Board, has_colour: bool) -> Vec<String> {
    let text = board.to_string();
    let is_edge = |line: &&str| line.starts_with(" +");
    let lines = text.lines().take_while(|line| !line.is_empty());
    painted(lines.filter(|line| !is_edge(line)), has_colour)
}

/// Lines with colours if there are any.
fn painted<'t>(lines: impl Iterator<Item = &'t str>, has_colour: bool) -> Vec<String> {
    if has_colour {
        lines.map(paint::board_line).collect()
    } else {
        lines.map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_moves_are_listed_in_both_notations() {
        let lines = moves(&Board::default(), false);
        assert_eq!(lines[0], "White has 20 legal moves");
        let words: Vec<&str> = lines[1..].iter().flat_map(|line| line.split_whitespace()).collect();
        assert_eq!(words.len(), 40);
        assert!(words.windows(2).any(|pair| pair == ["Nf3", "g1f3"]), "{lines:#?}");
        let mated: Board =
            "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3".parse().expect("legal");
        assert_eq!(moves(&mated, false), ["White has no legal move"]);
    }
}
