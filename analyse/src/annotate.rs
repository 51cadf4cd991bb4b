//! Findings written into the game, in the form that Lichess, Scid and ChessBase read:
//! `[%eval 0.35]` in a comment on each move, a mark and a few words on a mistake, and what
//! would have been better as a variation.
//!
//! What was there stays, but for evaluations, which take the place of earlier ones.

use pgn::{Game, Line, Ply, Remark};

use crate::findings::Findings;
use crate::judgement::{Judgement, Value};

/// The commands of comments that are written anew.
const COMMANDS: [&str; 2] = ["[%eval ", "[%wdl "];

/// The glyphs that praise or blame a move: a second one would contradict the first.
pub const QUALITIES: std::ops::RangeInclusive<u16> = 1..=6;

/// Writes the findings about a game into it, with the chances if `wdl`.
pub fn annotate(game: &mut Game, findings: &Findings, wdl: bool) {
    for (at, ply) in game.moves.moves.iter_mut().enumerate() {
        let Some(after) = findings.evaluations.get(at + 1) else { break };
        let mut commands: Vec<String> = eval_text(after.value).into_iter().collect();
        if wdl {
            let [win, draw, loss] = after.wdl;
            commands.push(format!("[%wdl {win},{draw},{loss}]"));
        }
        set_commands(ply, &commands.join(" "));
        if let Some(judgement) = findings.judgements[at] {
            blame(ply, judgement, &findings.lines[at]);
        }
    }
    if game.tag("Annotator").is_none() && !game.moves.moves.is_empty() {
        game.tags.push(("Annotator".to_owned(), format!("Carrybit {}", carrybit::VERSION)));
    }
}

/// The command that tells the value of a position; `None` where the game is won.
fn eval_text(value: Value) -> Option<String> {
    match value {
        Value::Cp(cp) => Some(format!("[%eval {:.2}]", f64::from(cp) / 100.0)),
        Value::Mate(moves) => Some(format!("[%eval #{moves}]")),
        Value::Won { .. } => None,
    }
}

/// Puts commands in front of those that a comment on the move has, or in front of the
/// comments.
fn set_commands(ply: &mut Ply, commands: &str) {
    ply.after.retain_mut(|remark| {
        let Remark::Comment(text) = remark else { return true };
        let Some(rest) = without_commands(text) else { return true };
        *text = rest;
        !text.is_empty()
    });
    if commands.is_empty() {
        return;
    }
    let with_commands = ply.after.iter_mut().find_map(|remark| match remark {
        Remark::Comment(text) if text.starts_with("[%") => Some(text),
        _ => None,
    });
    match with_commands {
        Some(text) => *text = format!("{commands} {text}"),
        None => ply.after.insert(0, Remark::Comment(commands.to_owned())),
    }
}

/// A comment without the commands that are written anew; `None` if it has none of them.
fn without_commands(text: &str) -> Option<String> {
    let mut rest = text.to_owned();
    let mut changed = false;
    for command in COMMANDS {
        while let Some(start) = rest.find(command) {
            let Some(len) = rest[start..].find(']') else { break };
            let behind = rest[start + len + 1..].trim_start().to_owned();
            rest.truncate(start);
            rest.push_str(&behind);
            changed = true;
        }
    }
    changed.then(|| rest.trim().to_owned())
}

/// Marks a move that was not good, and shows the better line.
fn blame(ply: &mut Ply, judgement: Judgement, line: &[String]) {
    if !ply.nags.iter().any(|nag| QUALITIES.contains(nag)) {
        ply.nags.insert(0, judgement.nag());
    }
    let Some(best) = line.first() else { return };
    let words = format!("{}. {best} was best.", judgement.name());
    let says = |remark: &Remark| matches!(remark, Remark::Comment(text) if text.contains(&words));
    if !ply.after.iter().any(says) {
        // Behind the comment with the evaluation.
        ply.after.insert(1.min(ply.after.len()), Remark::Comment(words));
    }
    let begins_so = |remark: &Remark| {
        let Remark::Variation(line) = remark else { return false };
        line.moves.first().is_some_and(|ply| ply.text == *best)
    };
    if !ply.after.iter().any(begins_so) {
        let moves = line.iter().map(|text| Ply { text: text.clone(), ..Ply::default() });
        let variation = Line { before: Vec::new(), moves: moves.collect() };
        ply.after.push(Remark::Variation(variation));
    }
}

#[cfg(test)]
mod tests {
    use pgn::read;
    use pgn::replay::Replay;

    use super::*;
    use crate::analyst::Evaluation;

    /// The moves annotated with these values of the positions after them, as if the first
    /// position were even and d4 the best move everywhere.
    fn annotated(text: &str, values: &[Value], wdl: bool) -> String {
        let mut game = read(text).remove(0).game.expect("a game");
        let (replay, _) = Replay::new(&mut game).expect("legal moves");
        let values = [Value::Cp(0)].iter().chain(values);
        let evaluations = values.map(|&value| Evaluation {
            value,
            wdl: [500, 300, 200],
            depth: 1,
            line: vec!["d2d4".to_owned(), "d7d5".to_owned()],
        });
        let findings = Findings::new(&replay, evaluations.collect());
        annotate(&mut game, &findings, wdl);
        game.tags.clear();
        game.write(replay.numbering())
    }

    #[test]
    fn evaluations_and_mistakes_are_written_in_the_customary_form() {
        assert_eq!(
            annotated("1. g4 e5 *", &[Value::Cp(-130), Value::Cp(-135)], false),
            "1. g4 $2 { [%eval -1.30] } { Mistake. d4 was best. } (1. d4 d5) 1... e5\n\
             { [%eval -1.35] } *\n"
        );
        assert_eq!(annotated("e4 *", &[Value::Mate(-3)], true).matches("$4").count(), 1);
        assert_eq!(
            annotated("d4 *", &[Value::Mate(-3)], true),
            "1. d4 { [%eval #-3] [%wdl 500,300,200] } *\n"
        );
    }

    #[test]
    fn what_was_there_stays() {
        let text = "1. g4 $1 $13 { [%eval 0.2] [%clk 0:01:00] } {why?} (1. d4 {!} Nf6) *";
        assert_eq!(
            annotated(text, &[Value::Cp(-130)], false),
            "1. g4 $1 $13 { [%eval -1.30] [%clk 0:01:00] } { Mistake. d4 was best. } { why? }\n\
             (1. d4 { ! } 1... Nf6) *\n"
        );
        let plain = annotated("1. e4 {a [%eval 1,20] b} {} *", &[Value::Cp(0)], false);
        assert_eq!(plain, "1. e4 { [%eval 0.00] } { a b } {} *\n");
    }

    #[test]
    fn to_annotate_twice_is_no_more_than_once() {
        let values = [Value::Cp(-130), Value::Won { by_white: false }];
        let once = annotated("1. g4 {hm} e5 *", &values, true);
        assert_eq!(annotated(&once, &values, true), once);
    }
}
