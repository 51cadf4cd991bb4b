//! Games on a page to look at: one HTML file that needs nothing else, in which they can be
//! clicked through.
//!
//! The page computes nothing about chess but where the pieces stand: whatever it shows of
//! the analysis is in its data.

use carrybit::board::Color;
use pgn::Remark;
use pgn::replay::{Replay, Step};
use serde::Serialize;

use crate::annotate::QUALITIES;
use crate::findings::Findings;
use crate::judgement::{Judgement, Value};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const PIECES: &str = include_str!("pieces.svg");

/// The tags that the page shows.
const TAGS: [&str; 9] =
    ["White", "Black", "WhiteElo", "BlackElo", "Event", "Site", "Date", "Round", "Opening"];

/// What the page shows of a file of games.
#[derive(Debug, Serialize)]
pub struct Page {
    /// The name of the file.
    pub title: String,
    /// By whom and how it was analysed.
    pub method: String,
    /// The games, in the order of the file.
    pub games: Vec<PageGame>,
}

/// A game on the page. The lists have an entry for each move, or for each position where
/// that is said.
#[derive(Debug, Default, Serialize)]
pub struct PageGame {
    /// Tags with their values.
    tags: Vec<(&'static str, String)>,
    result: String,
    /// Why the game was not analysed, if it was not; then there is nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// The position at the beginning.
    fen: String,
    /// The moves as people write them.
    san: Vec<String>,
    /// The moves as from-square, to-square and promotion; castling is king takes rook.
    uci: Vec<String>,
    /// Marks such as `?!`.
    glyphs: Vec<String>,
    /// Comments in the file.
    comments: Vec<String>,
    /// The name of the judgement on each move, or nothing.
    judgements: Vec<&'static str>,
    /// Of each position: its value in words.
    values: Vec<String>,
    /// Of each position: White's chances as a percentage.
    percents: Vec<f64>,
    /// Of each position: games out of a thousand that White wins, draws and loses.
    wdl: Vec<[u32; 3]>,
    /// Of each position: how deep it was searched.
    depths: Vec<i32>,
    /// Of each position: the best line, each move in both notations.
    lines: Vec<Vec<(String, String)>>,
    /// The accuracies of White and Black as percentages.
    accuracies: [Option<f64>; 2],
    /// The numbers of inaccuracies, mistakes and blunders of White and of Black.
    counts: [[usize; 3]; 2],
}

impl PageGame {
    /// A game that was analysed.
    #[must_use]
    pub fn new(game: &pgn::Game, replay: &Replay, findings: &Findings) -> PageGame {
        let plies = &game.moves.moves;
        let uci = replay.steps.iter().map(|step| match step {
            Step::Move(mv) => mv.to_string(),
            Step::Pass => String::new(),
        });
        let white_begins = replay.start.side() == Color::White;
        let named = [Judgement::Inaccuracy, Judgement::Mistake, Judgement::Blunder];
        let counts = named.map(|judgement| findings.count(judgement, white_begins));
        let glyphs_with_judgements =
            plies.iter().zip(&findings.judgements).map(|(ply, judgement)| {
                let is_marked = ply.nags.iter().any(|nag| QUALITIES.contains(nag));
                let ours = judgement.filter(|_| !is_marked).map(Judgement::nag);
                glyphs(&ours.into_iter().chain(ply.nags.iter().copied()).collect::<Vec<_>>())
            });
        let found = &findings.evaluations;
        let lines = found.iter().zip(&findings.lines).map(|(evaluation, line)| {
            evaluation.line.iter().cloned().zip(line.iter().cloned()).collect()
        });
        PageGame {
            problem: None,
            fen: replay.start.fen(replay.chess960),
            san: plies.iter().map(|ply| ply.text.clone()).collect(),
            uci: uci.collect(),
            glyphs: glyphs_with_judgements.collect(),
            comments: plies.iter().map(|ply| comments(&ply.after)).collect(),
            judgements: (findings.judgements.iter())
                .map(|judgement| judgement.map_or("", Judgement::name))
                .collect(),
            values: found.iter().map(|evaluation| value_text(evaluation.value)).collect(),
            percents: (found.iter())
                .map(|evaluation| tenths(evaluation.value.win_percent()))
                .collect(),
            wdl: found.iter().map(|evaluation| evaluation.wdl).collect(),
            depths: found.iter().map(|evaluation| evaluation.depth).collect(),
            lines: lines.collect(),
            accuracies: findings.accuracies.map(|accuracy| accuracy.map(tenths)),
            counts: [0, 1].map(|side| counts.map(|of| of[side])),
            ..PageGame::header(game)
        }
    }

    /// A game that could not be analysed, for this reason.
    #[must_use]
    pub fn unread(game: Option<&pgn::Game>, problem: String) -> PageGame {
        let header = game.map(PageGame::header).unwrap_or_default();
        PageGame { problem: Some(problem), ..header }
    }

    /// What the tags say.
    fn header(game: &pgn::Game) -> PageGame {
        let tags = TAGS.into_iter().filter_map(|name| {
            let value = game.tag(name).filter(|value| !["", "?", "????.??.??"].contains(value))?;
            Some((name, value.to_owned()))
        });
        let result = game.result.as_deref().or_else(|| game.tag("Result")).unwrap_or("*");
        PageGame { tags: tags.collect(), result: result.to_owned(), ..PageGame::default() }
    }
}

impl Page {
    /// The page as HTML.
    #[must_use]
    pub fn html(&self) -> String {
        // No data of ours fail to become JSON: there are neither maps nor strange numbers.
        let data = serde_json::to_string(self).unwrap_or_default();
        let parts = [
            ("<!--title-->", escape(&self.title)),
            ("/*style*/", STYLE.to_owned()),
            ("<!--pieces-->", PIECES.to_owned()),
            // In JSON this sign occurs in texts only, and there it may be written so. Without
            // it nothing in a game can end the element that holds the data.
            ("/*data*/", data.replace('<', "\\u003c")),
            ("/*script*/", SCRIPT.to_owned()),
        ];
        let mut rest = TEMPLATE;
        let mut html = String::with_capacity(data.len() + (1 << 16));
        // The parts come in this order, and are not searched themselves.
        for (mark, part) in parts {
            let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
            html.push_str(before);
            html.push_str(&part);
            rest = after;
        }
        html + rest
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// A value as players write it.
fn value_text(value: Value) -> String {
    match value {
        Value::Cp(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Value::Mate(moves) => format!("#{moves}"),
        Value::Won { by_white: true } => "1-0".to_owned(),
        Value::Won { by_white: false } => "0-1".to_owned(),
    }
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
        Remark::Comment(text) => Some(without_commands(text)),
        Remark::Escape(_) | Remark::Variation(_) => None,
    });
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A comment without what stands in brackets that begin with `[%`.
fn without_commands(mut text: &str) -> String {
    let mut kept = String::new();
    while let Some((before, rest)) = text.split_once("[%") {
        kept.push_str(before);
        text = rest.split_once(']').map_or("", |(_, behind)| behind);
    }
    kept.push_str(text);
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(games: Vec<PageGame>) -> String {
        Page { title: "a <b> & c".to_owned(), method: String::new(), games }.html()
    }

    #[test]
    fn nothing_in_a_game_leaves_the_data() {
        let text = "[White \"</script><script>alert(1)</script>\"]\n[Black \"/*script*/\"]\n\n*";
        let game = pgn::read(text).remove(0).game.expect("a game");
        let html = page(vec![PageGame::unread(Some(&game), "</SCRIPT><!--".to_owned())]);
        assert_eq!(html.matches("</script").count(), TEMPLATE.matches("</script").count());
        assert!(html.contains("\\u003c/script>") && !html.contains("</SCRIPT"));
        assert!(html.contains("a &lt;b> &amp; c"));
    }

    #[test]
    fn the_template_has_a_place_for_everything_and_loads_nothing() {
        for mark in ["<!--title-->", "/*style*/", "<!--pieces-->", "/*data*/", "/*script*/"] {
            assert_eq!(TEMPLATE.matches(mark).count(), 1, "{mark}");
        }
        let html = page(Vec::new());
        assert!(html.ends_with("</html>\n"));
        for outside in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!html.contains(outside), "{outside}");
        }
    }

    #[test]
    fn comments_are_shown_without_commands() {
        assert_eq!(without_commands("[%clk 0:01] a [%emt 3]\n b [%x"), "a b");
        assert_eq!(without_commands("a [b] c"), "a [b] c");
        assert_eq!(glyphs(&[4, 14, 139]), "?? ⩲");
    }
}
