//! A game as data for a page: what `analyse/src/page/viewer.mjs` shows.
//!
//! The page computes nothing about chess but where the pieces stand.

use carrybit::board::Color;
use serde::Serialize;

use crate::annotate::QUALITIES;
use crate::earlier::without_commands;
use crate::findings::Findings;
use crate::judgement::{Judgement, Value};
use crate::replay::{Replay, Step};
use crate::{Entry, Game, Remark, tag};

/// The tags that pages show.
const TAGS: [&str; 9] =
    ["White", "Black", "WhiteElo", "BlackElo", "Event", "Site", "Date", "Round", "Opening"];

/// A game on a page. The lists have an entry for each move, or for each position where that is
/// said; those of an analysis are empty if there was none.
#[derive(Debug, Default, Serialize)]
pub struct ViewerGame<'a> {
    /// Tags with their values.
    tags: Vec<(&'static str, &'a str)>,
    result: &'a str,
    /// Why the game was not analysed, if it was not; then there is nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// The position at the beginning, and whether the side to move is in check there.
    fen: String,
    check: bool,
    /// The moves as people write them.
    san: Vec<&'a str>,
    /// The moves as from-square, to-square and promotion; castling is king takes rook.
    uci: Vec<String>,
    /// Marks such as `?!`.
    glyphs: Vec<String>,
    /// Comments in the file.
    comments: Vec<String>,
    /// The name of the judgement on each move, or nothing.
    judgements: Vec<&'static str>,
    /// Of each position: its value.
    values: Vec<Value>,
    /// Of each position: White's chances as a percentage.
    percents: Vec<f64>,
    /// Of each position: games out of a thousand that White wins, draws and loses.
    wdl: Vec<[u32; 3]>,
    /// Of each position: how deep it was searched.
    depths: Vec<i32>,
    /// Of each position: the best line, each move in both notations.
    lines: Vec<Vec<(&'a str, &'a str)>>,
    /// The accuracies of White and Black as percentages.
    accuracies: [Option<f64>; 2],
    /// The numbers of inaccuracies, mistakes and blunders of White and of Black.
    counts: [[usize; 3]; 2],
}

impl<'a> ViewerGame<'a> {
    /// A game that can be played.
    pub fn new(game: &'a Game, replay: &Replay) -> ViewerGame<'a> {
        let plies = &game.moves.moves;
        let uci = replay.steps.iter().map(|step| match step {
            Step::Move(mv) => mv.to_string(),
            Step::Pass => String::new(),
        });
        ViewerGame {
            fen: replay.start.fen(replay.chess960),
            check: replay.start.in_check(),
            san: plies.iter().map(|ply| ply.text.as_str()).collect(),
            uci: uci.collect(),
            glyphs: plies.iter().map(|ply| glyphs(&ply.nags)).collect(),
            comments: plies.iter().map(|ply| comments(&ply.after)).collect(),
            ..ViewerGame::header(&game.tags, game.result.as_deref())
        }
    }

    /// A game that was analysed.
    pub fn analysed(game: &'a Game, replay: &Replay, findings: &'a Findings) -> ViewerGame<'a> {
        let found = &findings.evaluations;
        let white_begins = replay.start.side() == Color::White;
        let mut this = ViewerGame::new(game, replay);
        for (at, judgement) in findings.judgements.iter().enumerate() {
            this.judgements.push(judgement.map_or("", Judgement::name));
            let Some(judgement) = judgement else { continue };
            let side = usize::from((at % 2 == 0) != white_begins);
            let named = [Judgement::Inaccuracy, Judgement::Mistake, Judgement::Blunder];
            let kind = named.into_iter().position(|named| named == *judgement);
            this.counts[side][kind.unwrap_or_default()] += 1;
            if !game.moves.moves[at].nags.iter().any(|nag| QUALITIES.contains(nag)) {
                this.glyphs[at].insert_str(0, &glyphs(&[judgement.nag()]));
            }
        }
        this.values = found.iter().map(|evaluation| evaluation.value).collect();
        this.percents = this.values.iter().map(|value| tenths(value.win_percent())).collect();
        this.wdl = found.iter().map(|evaluation| evaluation.wdl).collect();
        this.depths = found.iter().map(|evaluation| evaluation.depth).collect();
        let lines = found.iter().zip(&findings.lines).map(|(evaluation, san)| {
            let uci = evaluation.line.iter().map(String::as_str);
            uci.zip(san.iter().map(String::as_str)).collect()
        });
        this.lines = lines.collect();
        this.accuracies = findings.accuracies(white_begins).map(|accuracy| accuracy.map(tenths));
        this
    }

    /// A game that could not be analysed, for this reason.
    pub fn unread(entry: &'a Entry, problem: String) -> ViewerGame<'a> {
        let fen = "8/8/8/8/8/8/8/8 w - - 0 1".to_owned();
        let header = match &entry.game {
            Ok(game) => ViewerGame::header(&game.tags, game.result.as_deref()),
            Err(_) => ViewerGame::header(&entry.tags, None),
        };
        ViewerGame { problem: Some(problem), fen, ..header }
    }

    /// The game's header, from its tags.
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

/// Annotation glyphs as players write them; those that are rare are left out.
fn glyphs(nags: &[u16]) -> String {
    let glyph = |nag: &u16| match nag {
        1 => "!",
        2 => "?",
        3 => "!!",
        4 => "??",
        5 => "!?",
        6 => "?!",
        10 => " =",
        13 => " ∞",
        14 => " ⩲",
        15 => " ⩱",
        16 => " ±",
        17 => " ∓",
        18 => " +−",
        19 => " −+",
        _ => "",
    };
    nags.iter().map(glyph).collect()
}

/// The comments among the remarks, without commands to programs.
fn comments(remarks: &[Remark]) -> String {
    let texts = remarks.iter().filter_map(|remark| match remark {
        Remark::Comment(text) => Some(without_commands(text, |_| true)),
        Remark::Escape(_) | Remark::Variation(_) => None,
    });
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
        assert_eq!(glyphs(&[4, 14, 139]), "?? ⩲");
    }
}
