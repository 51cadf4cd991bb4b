//! Writes findings into a game, in the form that Lichess, Scid and ChessBase read:
//! `[%eval 0.35]` in a comment on each move, a glyph and a sentence on a mistake, and the better
//! line as a variation.
//!
//! Comments and glyphs of human annotators are kept.

use crate::earlier::{self, AS_MARKED};
use crate::findings::Findings;
use crate::judgement::{Judgement, Value};
use crate::{Game, Line, Ply, Remark};

/// The glyphs from `!` to `?!`. A move has at most one of them.
pub const QUALITIES: std::ops::RangeInclusive<u16> = 1..=6;

/// Writes the findings about a game into it, including `[%wdl]` if `wdl` is set. Call
/// [`earlier::remove`] first.
pub fn annotate(game: &mut Game, findings: &Findings, wdl: bool, engine: &str) {
    for (at, ply) in game.moves.moves.iter_mut().enumerate() {
        let Some(after) = findings.evaluations.get(at + 1) else { break };
        let mut commands = match after.value {
            Value::Cp(cp) => vec![format!("[%eval {:.2}]", f64::from(cp) / 100.0)],
            Value::Mate(moves) => vec![format!("[%eval #{moves}]")],
            Value::Won { .. } => Vec::new(),
        };
        if wdl {
            let [win, draw, loss] = after.wdl;
            commands.push(format!("[%wdl {win},{draw},{loss}]"));
        }
        set_commands(ply, &commands.join(" "));
        if let Some(judgement) = findings.judgements[at] {
            mark_mistake(ply, judgement, &findings.lines[at]);
        }
    }
    if game.moves.moves.is_empty() {
        return;
    }
    // The name of an earlier version of Carrybit is replaced.
    if game.tag("Annotator").is_none_or(|name| name.starts_with("Carrybit ")) {
        game.set_tag("Annotator", engine);
    }
}

/// Adds commands to the first comment that begins with commands, or adds a first comment.
fn set_commands(ply: &mut Ply, commands: &str) {
    if commands.is_empty() {
        return;
    }
    let mut comments = ply.after.iter_mut().filter_map(Remark::comment_mut);
    match comments.find(|text| text.starts_with("[%")) {
        Some(text) => *text = format!("{commands} {text}"),
        None => ply.after.insert(0, Remark::Comment(commands.to_owned())),
    }
}

/// Adds the glyph, the sentence and the better line to a bad move.
fn mark_mistake(ply: &mut Ply, judgement: Judgement, line: &[String]) {
    // Without a better line there is no sentence, and a later analysis would take a glyph
    // without a sentence for that of a human annotator.
    let Some(best) = line.first() else { return };
    let ours = judgement.nag();
    let as_marked = if ply.nags.contains(&ours) { AS_MARKED } else { "" };
    if !ply.nags.iter().any(|nag| QUALITIES.contains(nag)) {
        ply.nags.insert(0, ours);
    }
    let words = format!("{}{as_marked}. {best} was best.", judgement.name());
    if !ply.after.iter().filter_map(Remark::comment).any(|text| text == words) {
        // After the comment with the evaluation.
        ply.after.insert(1.min(ply.after.len()), Remark::Comment(words));
    }
    // The better line comes first: `earlier::remove` only removes the first variation.
    let is_variation = |remark: &Remark| matches!(remark, Remark::Variation(_));
    let at = ply.after.iter().position(is_variation).unwrap_or(ply.after.len());
    // If the first variation begins with this move and is annotated, the line adds nothing.
    let is_annotated = |line: &Line| {
        line.moves.first().is_some_and(|ply| ply.text == best.as_str()) && !earlier::is_bare(line)
    };
    if !matches!(ply.after.get(at), Some(Remark::Variation(line)) if is_annotated(line)) {
        let moves = line.iter().map(|text| Ply { text: text.as_str().into(), ..Ply::default() });
        let variation = Line { moves: moves.collect(), ..Line::default() };
        ply.after.insert(at, Remark::Variation(variation));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Evaluation;
    use crate::read;
    use crate::replay::open;

    /// Annotates a game whose positions after the moves have these `values`; the first position
    /// has 0, and the best move is always d4.
    fn annotated(text: &str, values: &[Value], wdl: bool) -> String {
        let (mut game, played, _) = open(&read(text)[0]).expect("legal moves");
        let values = [Value::Cp(0)].iter().chain(values);
        let evaluations = values.map(|&value| Evaluation {
            value,
            wdl: [500, 300, 200],
            depth: 1,
            line: vec!["d2d4".to_owned(), "d7d5".to_owned()],
        });
        let findings = Findings::new(&played, evaluations);
        earlier::remove(&mut game);
        annotate(&mut game, &findings, wdl, "Carrybit 1");
        game.tags.clear();
        game.to_string()
    }

    #[test]
    fn evaluations_and_mistakes_are_written_as_lichess_writes_them() {
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
    fn human_annotations_are_kept() {
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
    fn annotating_twice_changes_nothing() {
        let values = [Value::Cp(-130), Value::Won { by_white: false }];
        for text in [
            "1. g4 {hm} e5 *",
            "1. g4 $13 $2 (1. d4 d5) (1. d4 {!}) e5 *",
            "1. g4 $1 {hm} {[%clk 0:01]} (1. d4 {!}) (1. d4) e5 *",
            "1. g4 {Mistake. d4 was best.} (1. c4) e5 *",
            "1. g4 {a [%eval 0.1] b} (1. d9 ) e5 *",
        ] {
            let once = annotated(text, &values, true);
            assert_eq!(annotated(&once, &values, true), once, "{text}");
        }
    }

    #[test]
    fn mark_of_the_annotator_outlives_later_analyses() {
        let mistake = annotated("1. g4 $2 *", &[Value::Cp(-130)], false);
        let expected =
            "1. g4 $2 { [%eval -1.30] } { Mistake, as marked. d4 was best. } (1. d4 d5) *\n";
        assert_eq!(mistake, expected);
        let blunder = annotated(&mistake, &[Value::Cp(-230)], false);
        assert!(blunder.contains("$2 { [%eval -2.30] } { Blunder. d4 was best. }"), "{blunder}");
        assert_eq!(annotated(&blunder, &[Value::Cp(-130)], false), mistake);
    }
}
