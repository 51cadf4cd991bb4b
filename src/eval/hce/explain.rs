//! The evaluation as a table for people, as the `eval` command prints it.

use std::fmt::Write;

use crate::board::{Board, Color};

use super::endgame::{self, SCALE_FULL};
use super::sums::{PHASE_MAX, Sums};
use super::tapered::Tapered;
use super::terms::{self, Group};
use super::trace::Entry;
use super::{king, scaled, traced, weights};

/// A table of the groups of terms, of the danger to the kings, and of what
/// becomes of their sum.
pub(super) fn table(board: &Board) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_table(&mut text, board);
    text
}

fn write_table(text: &mut String, board: &Board) -> std::fmt::Result {
    let side = if board.side() == Color::White { "White" } else { "Black" };
    let turn = |white: i32| if board.side() == Color::White { white } else { -white };
    let Some(traced) = traced(board) else {
        let known = endgame::known(board, &Sums::of(board)).unwrap_or_default();
        return writeln!(text, "Known ending: {} cp for {side}, who is to move", turn(known));
    };
    writeln!(text, "{:>29} | {:^13} | {:^13} | {:^13}", "", "White", "Black", "total")?;
    writeln!(text, "{:>29} |     mg     eg |     mg     eg |     mg     eg", "centipawns")?;
    let mut total = Tapered::ZERO;
    for group in terms::LINEAR {
        let sums = Color::ALL.map(|color| linear_sum(&traced.record.linear, group, color));
        total += write_row(text, group.name, sums)?;
    }
    let danger = Color::ALL.map(|color| danger_sum(&traced.record.danger, color));
    total += write_row(text, "danger to the king", danger.map(|sum| -king::price(sum)))?;
    writeln!(text, "{:>29} | {:>13} | {:>13} |{:>7}{:>7}", "sum", "", "", total.mg(), total.eg())?;
    let value = scaled(traced.unscaled, |strong| traced.scale[strong.index()]);
    writeln!(text, "Phase {}/{PHASE_MAX}: {} cp", traced.phase, traced.unscaled)?;
    let [white, black] = traced.scale;
    writeln!(text, "Scale {white}/{SCALE_FULL} if White is ahead, {black}/{SCALE_FULL} if Black")?;
    writeln!(
        text,
        "Evaluation: {value} cp for White, {} cp for {side}, who is to move",
        turn(value)
    )
}

/// Writes one line and returns its total, White's minus Black's.
fn write_row(
    text: &mut String,
    name: &str,
    sums: [Tapered; 2],
) -> Result<Tapered, std::fmt::Error> {
    let total = sums[0] - sums[1];
    write!(text, "{name:>29}")?;
    for value in [sums[0], sums[1], total] {
        write!(text, " |{:>7}{:>7}", value.mg(), value.eg())?;
    }
    writeln!(text)?;
    Ok(total)
}

/// What the terms of a group are worth to one side.
fn linear_sum(entries: &[Entry], group: Group, side: Color) -> Tapered {
    entries
        .iter()
        .filter(|entry| entry.side == side && (group.first..group.end()).contains(&entry.term))
        .fold(Tapered::ZERO, |sum, entry| sum + weights::LINEAR[entry.term] * entry.count)
}

/// The danger to one side's king, in units of danger.
fn danger_sum(entries: &[Entry], side: Color) -> i32 {
    entries
        .iter()
        .filter(|entry| entry.side == side)
        .map(|entry| weights::DANGER[entry.term] * entry.count)
        .sum()
}
