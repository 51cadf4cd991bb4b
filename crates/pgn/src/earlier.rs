//! Removes an earlier analysis from a game, so that it does not contradict the new one. Comments,
//! glyphs and variations of human annotators are kept.
//!
//! These parts count as written by a program:
//!
//! * the commands `[%eval ...]` and `[%wdl ...]`;
//! * sentences such as `Mistake. Nf3 was best.`, which Lichess and Carrybit write, if the move has
//!   an `[%eval]`, or if Lichess's scores `(0.23 → -0.71)` precede the sentence;
//! * Chess.com's judgements, `BLUNDER (-3.10)`, with the assessment (`±`) of the move, and its
//!   variations that begin with `(+0.32) The best move was`, if they have neither comments nor marks;
//! * the glyph `?!`, `?` or `??` that such a sentence names, unless it says `Mistake, as marked.`,
//!   which Carrybit writes if the annotator had given this glyph. In a game without such sentences and
//!   without an `Annotator`, as in Lichess's database, each of these glyphs if the evaluations
//!   before and after the move are those of a bad move;
//! * the first variation, if it consists of moves only and begins with the move that such a
//!   sentence names.

use std::slice;

use carrybit_board::Color;

use crate::commands::{Eval, leading_commands, retain_commands};
use crate::judgement::{INITIAL_CP, Judgement, Value, judge};
use crate::replay::start;
use crate::{Game, Line, Ply, Remark};

const EVAL: &str = "[%eval";
const WDL: &str = "[%wdl";

/// Follows the judgement in a sentence of Carrybit if the annotator had marked the move with the
/// same glyph, which is kept.
pub(crate) const AS_MARKED: &str = ", as marked";

/// Lichess's sentences about mates that were missed or allowed. They name no judgement.
const MATE_SENTENCES: [&str; 3] = [
    "Checkmate is now unavoidable",
    "Lost forced checkmate sequence",
    "Not the best checkmate sequence",
];

/// Chess.com's judgements without a glyph of their own.
const CHESS_COM_NAMES: [&str; 9] =
    ["MISS", "MISSED WIN", "BRILLIANT", "GREAT", "BEST", "EXCELLENT", "GOOD", "BOOK", "FORCED"];

/// The glyphs of assessments, from `=` to `−+`.
const ASSESSMENTS: std::ops::RangeInclusive<u16> = 10..=19;

/// A sentence of an earlier analysis.
struct Sentence<'a> {
    /// The judgements whose glyph may have come with it.
    glyphs: &'static [Judgement],
    /// The better move.
    best: Option<&'a str>,
    /// The text after the sentence.
    rest: &'a str,
}

/// Removes an earlier analysis from a game.
pub fn remove(game: &mut Game) {
    let white_begins = start(game).unwrap_or_default().side() == Color::White;
    let has_annotator = game.tag("Annotator").is_some();
    let moves = &mut game.moves.moves;
    let mut removed: Vec<Removed> = moves.iter_mut().map(remove_from_comments).collect();
    let has_sentences = removed.iter().any(|removed| removed.has_sentence);
    let mut before = Some(Value::Cp(INITIAL_CP));
    for (at, (ply, removed)) in moves.iter_mut().zip(&mut removed).enumerate() {
        let is_white = (at % 2 == 0) == white_begins;
        let evals = before.zip(removed.eval).filter(|_| !has_sentences && !has_annotator);
        // Which glyph a program writes is not tested: Lichess's database has games with limits of
        // 50, 100 and 300 centipawns.
        let is_bad = evals.is_some_and(|(before, after)| judge(before, after, is_white).is_some());
        ply.nags.retain(|&nag| {
            if removed.is_chess_com && ASSESSMENTS.contains(&nag) {
                return false;
            }
            let judgement = Judgement::ALL.into_iter().find(|judgement| judgement.nag() == nag);
            let Some(judgement) = judgement else { return true };
            !(is_bad || removed.glyphs.contains(&judgement))
        });
        if let Some(best) = &removed.best {
            remove_line(ply, best);
        }
        remove_chess_com_lines(ply);
        before = removed.eval;
    }
}

/// An earlier analysis in the comments on a move.
#[derive(Default)]
struct Removed {
    eval: Option<Value>,
    has_sentence: bool,
    /// The judgements whose glyph may have come with its sentences.
    glyphs: Vec<Judgement>,
    /// The better move.
    best: Option<String>,
    is_chess_com: bool,
}

fn remove_from_comments(ply: &mut Ply) -> Removed {
    let mut comments = ply.after.iter().filter_map(Remark::comment);
    let has_eval = comments.any(|text| text.contains(EVAL));
    let mut removed = Removed::default();
    ply.after.retain_mut(|remark| {
        let Remark::Comment(text) = remark else { return true };
        let (rest, eval) = without_analysis(text);
        removed.eval = removed.eval.or(eval);
        // Programs that join comments write the commands before the sentence.
        let words = rest[leading_commands(&rest)..].trim_start();
        let commands = &rest[..rest.len() - words.len()];
        // A program that wraps comments may break the line within a sentence.
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let chess_com = chess_com_sentence(&words);
        removed.is_chess_com |= chess_com.is_some();
        let rest = match chess_com.or_else(|| sentence(&words, has_eval)) {
            Some(sentence) => {
                removed.has_sentence = true;
                removed.glyphs.extend(sentence.glyphs);
                removed.best = removed.best.take().or(sentence.best.map(str::to_owned));
                format!("{commands}{}", sentence.rest).trim_end().to_owned()
            }
            None => rest,
        };
        if rest.len() == text.len() {
            return true;
        }
        *text = rest;
        !text.is_empty()
    });
    removed
}

/// Removes the variation of an earlier analysis, which begins with the `best` move.
fn remove_line(ply: &mut Ply, best: &str) {
    // Check, mate and quality signs do not matter.
    let bare = |text: &str| text.trim_end_matches(['+', '#', '!', '?']).to_owned();
    let variations = |remark: &Remark| matches!(remark, Remark::Variation(_));
    if let Some(at) = ply.after.iter().position(variations)
        && let Remark::Variation(line) = &ply.after[at]
        && is_bare(line)
        && line.moves.first().is_some_and(|first| bare(&first.text) == bare(best))
    {
        ply.after.remove(at);
    }
}

/// Removes the variations of Chess.com, which begin with a comment of its own. A variation with
/// comments or glyphs besides only loses this one.
fn remove_chess_com_lines(ply: &mut Ply) {
    ply.after.retain_mut(|remark| {
        let Remark::Variation(line) = remark else { return true };
        let Some(Remark::Comment(text)) = line.before.first() else { return true };
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let rest = words.strip_prefix('(').and_then(|text| text.split_once(')'));
        let is_chess_com = rest.is_some_and(|(score, rest)| {
            is_chess_com_score(score) && rest.trim().trim_end_matches('.') == "The best move was"
        });
        if is_chess_com {
            line.before.remove(0);
        }
        !(is_chess_com && is_bare(line))
    });
}

/// Whether a variation consists of moves only.
pub(crate) fn is_bare(line: &Line) -> bool {
    let is_bare = |ply: &Ply| ply.nags.is_empty() && ply.after.is_empty();
    line.verbatim.is_none() && line.before.is_empty() && line.moves.iter().all(is_bare)
}

/// A comment without `[%eval]` and `[%wdl]`, and the evaluation.
fn without_analysis(text: &str) -> (String, Option<Value>) {
    let mut eval = None;
    let kept = retain_commands(text, |command| {
        // A program that wraps comments may break the line within a command.
        let Some((name, value)) = command.split_once(char::is_whitespace) else { return true };
        let Some(value) = value.strip_suffix(']') else { return true };
        if name == EVAL {
            eval = eval.or(eval_value(value));
        }
        ![EVAL, WDL].contains(&name)
    });
    let is_changed = kept.len() < text.len();
    (if is_changed { kept.trim().to_owned() } else { kept }, eval)
}

/// The value of an `[%eval]`.
fn eval_value(text: &str) -> Option<Value> {
    Some(match Eval::parse(text.split(',').next()?.trim())? {
        Eval::Cp(cp) => Value::Cp(cp),
        Eval::Mate(moves) => Value::Mate(moves),
    })
}

/// The sentence of an earlier analysis at the beginning of a comment on a move, whose words are
/// separated by single spaces.
fn sentence(text: &str, has_eval: bool) -> Option<Sentence<'_>> {
    let without_scores = scores(text);
    let has_scores = without_scores.is_some();
    let text = without_scores.unwrap_or(text);
    let named = Judgement::ALL.iter().find_map(|judgement| {
        let rest = text.strip_prefix(judgement.name())?;
        let as_marked = rest.strip_prefix(AS_MARKED).map(|rest| (&[][..], rest));
        Some(as_marked.unwrap_or((slice::from_ref(judgement), rest)))
    });
    let mates = || {
        let mut sentences = MATE_SENTENCES.iter();
        sentences.find_map(|words| Some((&Judgement::ALL[..], text.strip_prefix(words)?)))
    };
    let (glyphs, rest) = named.or_else(mates)?;
    let rest = rest.strip_prefix('.')?.trim_start();
    let (best, rest) = match best_move(rest) {
        Some((best, rest)) => (Some(best), rest.trim_start()),
        None => (None, rest),
    };
    // Without a better move, a human annotator may have written this.
    (has_scores || has_eval && best.is_some()).then_some(Sentence { glyphs, best, rest })
}

/// The judgement of Chess.com at the beginning of a comment, such as `BLUNDER (-3.10)`. Its move is in
/// a variation.
fn chess_com_sentence(text: &str) -> Option<Sentence<'_>> {
    let (name, rest) = text.split_once(" (")?;
    let (score, rest) = rest.split_once(')')?;
    let named = Judgement::ALL.iter().find(|judgement| {
        name.chars().all(char::is_uppercase) && judgement.name().eq_ignore_ascii_case(name)
    });
    let is_judgement = named.is_some() || CHESS_COM_NAMES.contains(&name);
    (is_judgement && is_chess_com_score(score)).then(|| Sentence {
        glyphs: named.map_or(&Judgement::ALL, slice::from_ref),
        best: None,
        rest: rest.trim_start(),
    })
}

/// Whether the text is a score as Chess.com writes them: `+0.32`, `-M3` or `♚ Mate in 1`.
fn is_chess_com_score(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((king, moves)) = text.split_once("Mate in ") {
        return king.trim().chars().count() <= 1 && is_number(moves);
    }
    let unsigned = text.trim_start_matches(['+', '-', '−']);
    let mate = unsigned.strip_prefix(['M', '#']);
    let pawns = || unsigned.split_once('.').is_some_and(|(a, b)| is_number(a) && is_number(b));
    mate.map_or_else(pawns, is_number)
}

/// The move in `Nf3 was best.` (older versions: `Best move was Nf3.`), and the text after it.
fn best_move(text: &str) -> Option<(&str, &str)> {
    let older = ["Best move was ", "The best move was "].iter();
    let older = older.filter_map(|words| text.strip_prefix(words)?.split_once('.')).next();
    older.or_else(|| text.split_once(" was best.")).filter(|(best, _)| is_san(best))
}

fn is_san(text: &str) -> bool {
    let has_rank = text.contains(|c: char| c.is_ascii_digit());
    !text.contains(' ') && (has_rank || text.starts_with("O-O"))
}

/// The text after Lichess's scores, `(0.23 → -0.71)`, if it begins with them.
fn scores(text: &str) -> Option<&str> {
    let (scores, rest) = text.strip_prefix('(')?.split_once(')')?;
    let is_score = |score: &str| {
        let number = score.strip_prefix("Mate in ").unwrap_or(score);
        number.starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c))
            && number.parse::<f64>().is_ok()
    };
    let (before, after) = scores.split_once(" → ")?;
    (is_score(before) && is_score(after)).then(|| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removed(text: &str) -> String {
        let entry = crate::read(text).remove(0);
        let (mut game, ..) = crate::replay::open(&entry).expect("legal moves");
        remove(&mut game);
        game.tags.clear();
        game.to_string().replace('\n', " ").trim().to_owned()
    }

    #[test]
    fn analysis_of_lichess_is_removed() {
        let text = "1. e4 { [%eval 0.18] [%clk 0:05:00] } 1... e5 { [%eval 0.23] } \
            2. Ke2?! { (0.23 → -0.71) Inaccuracy. Nf3\nwas best. } { [%eval -0.71] [%clk 0:04:58] } \
            (2. Nf3 Nc6 3. Bb5 Nf6) 2... Qh4?? { (-0.71 → Mate in 3) Blunder. Best move was Nf6. } \
            { [%eval #3] } (2... Nf6 3. d3) 3. Nf3 { [%eval\n1.1,22] } *";
        let bare = "1. e4 { [%clk 0:05:00] } 1... e5 2. Ke2 { [%clk 0:04:58] } 2... Qh4 3. Nf3 *";
        assert_eq!(removed(text), bare);
        let wrapped = "1. e4 {[%eval 0.2]} e5?! {(0.23 →\n0.81) Inaccuracy. d5\nwas best.} \
            {[%eval 0.81]} 2. g4?? {(0.81 → Mate in\n3) Checkmate is now\nunavoidable. d4 was\n\
            best.} *";
        assert_eq!(removed(wrapped), "1. e4 e5 2. g4 *");
        let mate = "1. e4 $6 {[%eval #-3] Checkmate is now unavoidable. d4 was best.} (1. d4) *";
        assert_eq!(removed(mate), "1. e4 *");
    }

    #[test]
    fn analysis_of_chess_com_is_removed() {
        let text = "1. e4 e5 2. Qh5 $6 $17 {INACCURACY (-0.81)} ({(+0.32) The best\nmove was} 2. Nf3 \
            Nc6) 2... Ke7?? {BLUNDER\n(♔ Mate in 1)} ({(-M3) The best move was} 2... Nc6 3. Bc4) \
            3. Qf3 {[%clk 0:01] MISTAKE (+M11) Why?} 3... Ke8 {MISSED WIN (+0.00)} ({(+1.20) The \
            best move was} 3... d6 {!}) 4. Nc3 $3 {BRILLIANT (-0.10)} *";
        let bare = "1. e4 e5 2. Qh5 Ke7 3. Qf3 { [%clk 0:01] Why? } 3... Ke8 (3... d6 { ! }) \
            4. Nc3 $3 *";
        assert_eq!(removed(text), bare);
        for text in [
            "1. e4 $2 $14 { MISTAKE (5) } *",
            "1. e4 $2 { Blunder (+0.32) } *",
            "1. e4 $2 { TN (+0.32) } ({ The best move was } 1. d4) *",
            "1. e4 $4 { BLUNDER (see the clock) } ({ (I thought) The best move was } 1. d4) *",
        ] {
            assert_eq!(removed(text), text);
        }
    }

    #[test]
    fn sentence_that_another_program_joined_to_commands_is_removed() {
        let joined = |words| {
            let comment = format!("[%eval -1.30] [%clk 0:01:00]\nMistake. d4 was best.{words}");
            removed(&format!("1. g4 $2 {{ {comment} }} ( 1. d4 d5 ) 1... e5 *"))
        };
        assert_eq!(joined(""), "1. g4 { [%clk 0:01:00] } 1... e5 *");
        assert_eq!(joined(" Why?"), "1. g4 { [%clk 0:01:00] Why? } 1... e5 *");
    }

    #[test]
    fn glyph_without_sentence_is_removed_if_it_follows_from_the_evaluations() {
        let game = |glyph, eval| format!("1. e4 {{[%eval 0.2]}} e5{glyph} {{[%eval {eval}]}} *");
        assert_eq!(removed(&game("?", "1.5")), "1. e4 e5 *");
        // Lichess's database has marks with other limits.
        assert_eq!(removed(&game("??", "1.5")), "1. e4 e5 *");
        assert_eq!(removed(&game("?", "1.99")), "1. e4 e5 *");
        assert_eq!(removed(&game("?", "0.3")), "1. e4 e5 $2 *");
        assert_eq!(removed(&game("?!", "#4")), "1. e4 e5 *");
        let nearer = "1. e4 {[%eval #5]} e5? {[%eval #4]} *";
        assert_eq!(removed(nearer), "1. e4 e5 $2 *");
        assert_eq!(removed("1. e4 e5? {[%eval 1.5]} *"), "1. e4 e5 $2 *");
        assert_eq!(removed("1. g4? {[%eval -1.2]} *"), "1. g4 *");
        let annotated = removed("[Annotator \"Anna\"] 1. g4? {[%eval -1.2]} *");
        assert_eq!(annotated, "1. g4 $2 *");
        // If a game has sentences, the program wrote one for each of its glyphs.
        let other = " 2. f3?! {Inaccuracy. Nf3 was best.} {[%eval 1.0]}";
        let text = game("?", "1.5").replace(" *", other) + " *";
        assert_eq!(removed(&text), "1. e4 e5 $2 2. f3 *");
    }

    #[test]
    fn human_comments_glyphs_and_variations_are_kept() {
        for text in [
            "1. e4 $6 { Inaccuracy. d4 was best. } (1. d4) 1... e5 *",
            "1. e4 $4 { Blunder. } { I slept. } (1. d4 d5) *",
            "1. e4 $2 { (5) Mistake. I was tired. } *",
            "1. e4 $1 $14 { Mistake, but a fine one. } (1. c4 { ! }) (1. d4) *",
        ] {
            assert_eq!(removed(text), text);
        }
        for words in ["Mistake. Castling was best.", "Mistake. Best move was obvious."] {
            let text = format!("1. e4 {{ [%eval 0.1] }} {{ {words} }} *");
            assert_eq!(removed(&text), format!("1. e4 {{ {words} }} *"));
        }
        let text = "1. e4 $1 $14 {[%eval 0.1] [%cal Ge2e4]} {Mistake. d4 was best. Not so!} \
            {(better)} (1. d4 d5) (1. d4 Nf6) (1. c4) *";
        let kept = "1. e4 $1 $14 { [%cal Ge2e4] } { Not so! } { (better) } (1. d4 Nf6) (1. c4) *";
        assert_eq!(removed(text), kept);
        let annotated =
            "1. e4 $5 { [%eval 0.1] } { Mistake. d4 was best. } (1. d4 { ! }) (1. d4) *";
        assert_eq!(removed(annotated), "1. e4 $5 (1. d4 { ! }) (1. d4) *");
    }
}
