//! Positions, evaluations and moves as text, with or without colours.

use anstyle::{AnsiColor, Style};

use crate::engine::Engine;
use crate::eval::wdl;
use crate::score::mate_in_moves;
use crate::search::report::Report;
use carrybit_board::draw::{FIFTY_MOVES_PLIES, FiftyMoveRule};
use carrybit_board::{Board, CastlingMode, Color, Move, Outcome};
use carrybit_syzygy::CURSED_PLIES;
use carrybit_syzygy::Wdl;

use super::table::wrap;

const MOVES_PER_LINE: usize = 5;

pub(crate) const MESSAGE: Style = AnsiColor::Yellow.on_default();

const WHITE_PIECE: Style = Style::new().bold();
const BLACK_PIECE: Style = AnsiColor::Cyan.on_default().bold();
const EDGE: Style = Style::new().dimmed();
const GOOD_FOR_WHITE: Style = AnsiColor::Green.on_default();
const BAD_FOR_WHITE: Style = AnsiColor::Red.on_default();

/// The width of the first column of `help`; a longer text has a line of its own.
const HELP_WIDTH: usize = 20;

/// A part of `help` for a terminal of 80 columns: an introduction, then usage and meaning of each
/// command or option.
pub(crate) fn help(
    introduction: &str,
    entries: impl Iterator<Item = (String, &'static str)>,
) -> Vec<String> {
    let entry = |(usage, meaning): (String, &str)| {
        let mut columns = wrap(meaning, 79 - HELP_WIDTH - 3);
        if usage.len() > HELP_WIDTH {
            columns.insert(0, String::new());
        }
        let usages = std::iter::once(usage).chain(std::iter::repeat(String::new()));
        let line =
            |(usage, meaning)| format!("  {usage:<HELP_WIDTH$} {meaning}").trim_end().to_owned();
        usages.zip(columns).map(line).collect::<Vec<_>>()
    };
    wrap(introduction, 79).into_iter().chain(entries.flat_map(entry)).collect()
}

/// The lines of `d`: the position, its FEN and key, the checkers, and the tablebase result.
/// The board is seen from the side of `view`.
pub(crate) fn position(engine: &Engine, view: Color, has_colour: bool) -> Vec<String> {
    let board = engine.game().board();
    let diagram = diagram(board, view);
    let mut lines = coloured(diagram.iter().map(String::as_str), has_colour);
    lines.extend([String::new(), format!("Fen: {board}")]);
    lines.push(format!("Key: {:016x}", board.key()));
    let checkers: String = board.checkers().map(|sq| format!(" {sq}")).collect();
    lines.push(format!("Checkers:{checkers}"));
    lines.extend(tablebase_result(engine, board).map(|result| format!("Tablebases: {result}")));
    lines
}

fn tablebase_result(engine: &Engine, board: &Board) -> Option<String> {
    let tables = engine.tablebases();
    let outcome = tables.probe_wdl(board)?;
    let plies = tables.probe_dtz(board).map_or(0, i32::abs);
    // WDL tables assume a fifty-move clock of 0.
    let clock = FiftyMoveRule::of(board).shifted(board.halfmove());
    let is_late = plies + i32::from(clock) > i32::from(FIFTY_MOVES_PLIES);
    let [us, them] = [board.side(), !board.side()];
    let prevented = "drawn, the fifty-move rule prevents the win of";
    let result = match outcome {
        Wdl::Win if !is_late => format!("{us:?} wins"),
        Wdl::Win | Wdl::CursedWin => format!("{prevented} {us:?}"),
        Wdl::Draw => "drawn".to_owned(),
        Wdl::Loss if !is_late => format!("{them:?} wins"),
        Wdl::Loss | Wdl::BlessedLoss => format!("{prevented} {them:?}"),
    };
    if plies == 0 {
        return Some(result);
    }
    let plies = if plies > CURSED_PLIES { plies - CURSED_PLIES } else { plies };
    Some(format!("{result}; {plies} plies to mate, a capture or a pawn move (DTZ)"))
}

/// The lines of `eval`: the value of each piece and the evaluation of the position, in the
/// centipawns of a search from this position.
pub(crate) fn evaluation(engine: &Engine, has_colour: bool) -> Vec<String> {
    let board = engine.game().board();
    let material = wdl::material(board);
    let text = engine.evaluate_text(|score| wdl::shown_cp(score, material));
    let mut lines = coloured(text.lines(), has_colour);
    if board.in_check() {
        lines.push(format!(
            "{:?} is in check: a search extends checks before evaluating, so this value is never \
             used",
            board.side()
        ));
    }
    lines
}

/// The lines of `moves`: all legal moves, in SAN and in UCI's notation.
pub(crate) fn moves(board: &Board, mode: CastlingMode) -> Vec<String> {
    let both = |&mv: &Move| format!("{} {}", board.san(mv), mv.uci(mode));
    let mut moves: Vec<String> = board.legal_moves().iter().map(both).collect();
    moves.sort_unstable();
    let width = moves.iter().map(String::len).max().unwrap_or_default() + 2;
    let side = board.side();
    let mut lines = vec![match moves.len() {
        0 => format!("{side:?} has no legal move"),
        1 => format!("{side:?} has one legal move"),
        count => format!("{side:?} has {count} legal moves"),
    }];
    for row in moves.chunks(MOVES_PER_LINE) {
        let row: String = row.iter().map(|text| format!("{text:<width$}")).collect();
        lines.push(row.trim_end().to_owned());
    }
    lines
}

/// The board with the names of files and ranks, without edges, from the side of `view`.
pub(crate) fn pieces(board: &Board, view: Color, has_colour: bool) -> Vec<String> {
    let lines = diagram(board, view);
    coloured(lines.iter().map(String::as_str).filter(|line| !line.starts_with(" +")), has_colour)
}

/// The lines of the board's diagram from the side of `view`, which plays upwards.
fn diagram(board: &Board, view: Color) -> Vec<String> {
    let text = board.diagram();
    if view == Color::White {
        return text.lines().map(str::to_owned).collect();
    }
    // The last line has the names of the files.
    let mut lines: Vec<String> = text.lines().rev().map(turned).collect();
    lines.rotate_left(1);
    lines
}

/// A line of a diagram from the other side: all but the name of the rank, at the end, is reversed.
fn turned(line: &str) -> String {
    let reversed = |text: &str| text.chars().rev().collect::<String>();
    match line.strip_prefix(" |").and_then(|row| row.rsplit_once('|')) {
        Some((row, rank)) => format!(" |{}|{rank}", reversed(row)),
        None => format!("{:>1$}", reversed(line.trim_start()), line.len()),
    }
}

/// The end of a game, such as `White wins: checkmate`.
pub(crate) fn outcome(outcome: Outcome) -> String {
    let end = match outcome.winner() {
        Some(side) => format!("{side:?} wins"),
        None => "Drawn".to_owned(),
    };
    format!("{end}: {}", outcome.reason())
}

/// The number of a legal move, and the move in SAN.
pub(crate) fn numbered(board: &Board, mv: Move) -> String {
    let dots = if board.side() == Color::White { "." } else { "..." };
    format!("{}{dots} {}", board.fullmove(), board.san(mv))
}

/// The engine's move `best`, with score and depth of the last `report`.
pub(crate) fn reply(board: &Board, best: Move, report: Option<&Report>) -> String {
    let mv = numbered(board, best);
    // At limited strength another move than that of the first line may be played.
    let Some(report) = report.filter(|report| report.pv.first() == Some(&best)) else { return mv };
    let side = board.side();
    let score = match mate_in_moves(report.score) {
        Some(moves) if moves > 0 => format!("{side:?} mates in {moves}"),
        Some(moves) => format!("{side:?} is mated in {}", -moves),
        None => {
            let cp = wdl::shown_cp(report.score, wdl::material(board));
            format!("{:+.2} for {side:?}", f64::from(cp) / 100.0)
        }
    };
    format!("{mv}  ({score}, depth {})", report.depth)
}

fn coloured<'t>(lines: impl Iterator<Item = &'t str>, has_colour: bool) -> Vec<String> {
    lines.map(|line| if has_colour { colour(line) } else { line.to_owned() }).collect()
}

/// Colours a line of a board with pieces or signed numbers. Other lines are unchanged.
fn colour(line: &str) -> String {
    if !line.trim_start().starts_with(['|', '+']) {
        return line.to_owned();
    }
    let mut result = String::new();
    for cell in line.split_inclusive('|') {
        let (content, edge) = cell.strip_suffix('|').map_or((cell, ""), |content| (content, "|"));
        let style = match content.trim().as_bytes() {
            [letter] if letter.is_ascii_uppercase() => WHITE_PIECE,
            [letter] if letter.is_ascii_lowercase() => BLACK_PIECE,
            b"+0" => Style::new(),
            [b'+', b'0'..=b'9', ..] => GOOD_FOR_WHITE,
            [b'-', b'0'..=b'9', ..] => BAD_FOR_WHITE,
            [b'+', b'-', ..] => EDGE,
            _ => Style::new(),
        };
        result += &format!("{style}{content}{style:#}");
        if !edge.is_empty() {
            result += &format!("{EDGE}{edge}{EDGE:#}");
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_do_not_change_the_text() {
        let plain = |text: &str| -> String {
            let mut pieces = text.split('\u{1b}');
            let first = pieces.next().into_iter();
            first.chain(pieces.map(|piece| piece.split_once('m').expect("a code").1)).collect()
        };
        for line in [" | r |   | K | 8", " +---+---+---+", "|   P   |   q   |", "|   +123|   -456|"]
        {
            let coloured = colour(line);
            assert_eq!(plain(&coloured), line);
            assert_ne!(coloured, line);
        }
        for line in ["", "   a   b   c", "Fen: 8/8/8/8/8/8/8/8 w - - 0 1", "Key: 0123"] {
            assert_eq!(colour(line), line);
        }
    }
}
