//! A game as JSON data for `src/analyse/page/viewer.mjs`.
//!
//! The page computes nothing about chess except piece placement.

use carrybit_board::{CastlingMode, Game as Played, Move};
use serde::Serialize;

use crate::annotate::QUALITIES;
use crate::commands::without_commands;
use crate::findings::Findings;
use crate::judgement::{Judgement, Value};
use crate::words::glyph_of;
use crate::{Entry, Game, Remark, tag};

/// The tags that pages show.
const TAGS: [&str; 9] =
    ["White", "Black", "WhiteElo", "BlackElo", "Event", "Site", "Date", "Round", "Opening"];

/// A game on a page. Without an analysis, its lists are empty.
#[derive(Debug, Default, Serialize)]
pub struct ViewerGame<'a> {
    tags: Vec<(&'static str, &'a str)>,
    result: &'a str,
    /// Why the game was not analysed; then there are no moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// The first position, and whether the side to move is in check.
    fen: String,
    check: bool,
    // For each move:
    san: Vec<&'a str>,
    /// Castling is king takes rook; a null move is empty.
    uci: Vec<String>,
    glyphs: Vec<String>,
    comments: Vec<String>,
    /// Names, or empty strings.
    judgements: Vec<&'static str>,
    // For each position:
    values: Vec<Value>,
    /// White's winning percentage.
    percents: Vec<f64>,
    /// White's wins, draws and losses per thousand games.
    wdl: Vec<[u32; 3]>,
    depths: Vec<i32>,
    /// The best line, as pairs of UCI and SAN.
    lines: Vec<Vec<(&'a str, &'a str)>>,
    // For White and Black:
    accuracies: [Option<f64>; 2],
    /// Inaccuracies, mistakes and blunders.
    counts: [[usize; 3]; 2],
}

impl<'a> ViewerGame<'a> {
    /// A game without an analysis.
    pub fn new(game: &'a Game, played: &Played) -> ViewerGame<'a> {
        let plies = &game.moves.moves;
        let uci =
            |mv: &Move| if mv.is_null() { String::new() } else { mv.uci(CastlingMode::Chess960) };
        ViewerGame {
            fen: played.start().fen(),
            check: played.start().in_check(),
            san: plies.iter().map(|ply| ply.text.as_str()).collect(),
            uci: played.moves().iter().map(uci).collect(),
            glyphs: plies.iter().map(|ply| glyphs(&ply.nags)).collect(),
            comments: plies.iter().map(|ply| comments(&ply.after)).collect(),
            ..ViewerGame::header(&game.tags, game.result.as_deref())
        }
    }

    /// A game with its analysis.
    pub fn analysed(game: &'a Game, played: &Played, findings: &'a Findings) -> ViewerGame<'a> {
        let found = &findings.evaluations;
        let mut this = ViewerGame::new(game, played);
        for (at, judgement) in findings.judgements.iter().enumerate() {
            this.judgements.push(judgement.map_or("", Judgement::name));
            let Some(judgement) = judgement else { continue };
            if !game.moves.moves[at].nags.iter().any(|nag| QUALITIES.contains(nag)) {
                this.glyphs[at].insert_str(0, &glyphs(&[judgement.nag()]));
            }
        }
        this.counts = findings.counts();
        this.values = found.iter().map(|evaluation| evaluation.value).collect();
        this.percents = this.values.iter().map(|value| tenths(value.win_percent())).collect();
        this.wdl = found.iter().map(|evaluation| evaluation.wdl).collect();
        this.depths = found.iter().map(|evaluation| evaluation.depth).collect();
        let lines = found.iter().zip(&findings.lines).map(|(evaluation, san)| {
            let uci = evaluation.line.iter().map(String::as_str);
            uci.zip(san.iter().map(String::as_str)).collect()
        });
        this.lines = lines.collect();
        this.accuracies = findings.accuracies().map(|accuracy| accuracy.map(tenths));
        this
    }

    /// A game that cannot be analysed, and the reason.
    pub fn unread(entry: &'a Entry, problem: String) -> ViewerGame<'a> {
        let fen = "8/8/8/8/8/8/8/8 w - - 0 1".to_owned();
        let header = match &entry.game {
            Ok(game) => ViewerGame::header(&game.tags, game.result.as_deref()),
            Err(_) => ViewerGame::header(&entry.tags, None),
        };
        ViewerGame { problem: Some(problem), fen, ..header }
    }

    fn header(tags: &'a [(String, String)], result: Option<&'a str>) -> ViewerGame<'a> {
        let shown = TAGS.into_iter().filter_map(|name| {
            let value = tag(tags, name)?;
            (!["", "?", "????.??.??"].contains(&value)).then_some((name, value))
        });
        let result = result.or_else(|| tag(tags, "Result")).unwrap_or("*");
        ViewerGame { tags: shown.collect(), result, ..ViewerGame::default() }
    }
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// Annotation glyphs as players write them, without rare ones.
fn glyphs(nags: &[u16]) -> String {
    let mut text = String::new();
    for &nag in nags.iter().filter(|nag| matches!(nag, 1..=6 | 10..=19)) {
        // Without a blank, `?` and `!` would be another glyph.
        if nag > 6 || !text.is_empty() {
            text.push(' ');
        }
        text.push_str(glyph_of(nag).unwrap_or_default());
    }
    text
}

/// The comments among the remarks, without commands such as `[%clk]`.
fn comments(remarks: &[Remark]) -> String {
    let texts = remarks.iter().filter_map(Remark::comment).map(without_commands);
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    texts.map(words).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_shown_without_commands() {
        let shown = |text: &str| comments(&[Remark::Comment(text.to_owned())]);
        assert_eq!(shown("[%clk 0:01] a [%emt 3]\n b [%x"), "a b");
        assert_eq!(shown("a [b] c"), "a [b] c");
        assert_eq!(glyphs(&[4, 14, 140, 18]), "?? ⩲ +−");
        assert_eq!(glyphs(&[2, 1, 10, 6]), "? ! = ?!");
    }
}
