//! Games on a page to look at: one HTML file that needs nothing else, in which they can be
//! clicked through.
//!
//! The page computes nothing about chess but where the pieces stand: whatever it shows of
//! the analysis is in its data. Its Content-Security-Policy lets it load nothing, send
//! nothing, and run no other script than its own.

use std::io::{self, Write};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use carrybit::board::Color;
use pgn::Remark;
use pgn::replay::{Replay, Step};
use serde::Serialize;
use sha2::{Digest, Sha256};

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

/// A page that is being written, game by game.
pub struct Page<W> {
    out: W,
    has_games: bool,
}

/// A game on the page. The lists have an entry for each move, or for each position where
/// that is said.
#[derive(Debug, Default, Serialize)]
pub struct PageGame<'a> {
    /// Tags with their values.
    tags: Vec<(&'static str, &'a str)>,
    result: &'a str,
    /// Why the game was not analysed, if it was not; then there is nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// The position at the beginning.
    fen: String,
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
    /// Of each position: its value in words.
    values: Vec<String>,
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

impl<'a> PageGame<'a> {
    /// A game that was analysed.
    #[must_use]
    pub fn new(game: &'a pgn::Game, replay: &Replay, findings: &'a Findings) -> PageGame<'a> {
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
            evaluation
                .line
                .iter()
                .map(String::as_str)
                .zip(line.iter().map(String::as_str))
                .collect()
        });
        PageGame {
            problem: None,
            fen: replay.start.fen(replay.chess960),
            san: plies.iter().map(|ply| ply.text.as_str()).collect(),
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
    pub fn unread(game: Option<&'a pgn::Game>, problem: String) -> PageGame<'a> {
        let header = game.map(PageGame::header).unwrap_or_default();
        PageGame { problem: Some(problem), ..header }
    }

    /// What the tags say.
    fn header(game: &'a pgn::Game) -> PageGame<'a> {
        let tags = TAGS.into_iter().filter_map(|name| {
            let value = game.tag(name).filter(|value| !["", "?", "????.??.??"].contains(value))?;
            Some((name, value))
        });
        let result = game.result.as_deref().or_else(|| game.tag("Result")).unwrap_or("*");
        PageGame { tags: tags.collect(), result, ..PageGame::default() }
    }
}

impl<W: Write> Page<W> {
    /// Writes the beginning of the page: `title` is the name of the file of games,
    /// `method` says by whom and how it was analysed.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn new(mut out: W, title: &str, method: &str) -> io::Result<Page<W>> {
        let (before, _) = halves();
        let parts = [
            ("<!--policy-->", policy()),
            ("<!--title-->", escape(title)),
            ("/*style*/", STYLE.to_owned()),
            ("<!--pieces-->", PIECES.to_owned()),
        ];
        write_parts(&mut out, before, &parts)?;
        let (title, method) = (json(title)?, json(method)?);
        write!(out, "{{\"title\":{title},\"method\":{method},\"games\":[")?;
        Ok(Page { out, has_games: false })
    }

    /// Writes a game.
    ///
    /// # Errors
    /// If the output cannot be written to.
    pub fn game(&mut self, game: &PageGame<'_>) -> io::Result<()> {
        let separator = if self.has_games { "," } else { "" };
        self.has_games = true;
        write!(self.out, "{separator}{}", json(game)?)
    }

    /// Writes the end of the page.
    ///
    /// # Errors
    /// If the output cannot be written to.
    pub fn finish(mut self) -> io::Result<W> {
        let (_, behind) = halves();
        self.out.write_all(b"]}")?;
        write_parts(&mut self.out, behind, &[("/*script*/", SCRIPT.to_owned())])?;
        Ok(self.out)
    }
}

/// The template before the data and behind it.
fn halves() -> (&'static str, &'static str) {
    TEMPLATE.split_once("/*data*/").unwrap_or((TEMPLATE, ""))
}

/// Writes a template with parts in the places of their marks. The marks come in this
/// order, and are not looked for in the parts.
fn write_parts(out: &mut impl Write, template: &str, parts: &[(&str, String)]) -> io::Result<()> {
    let mut rest = template;
    for (mark, part) in parts {
        let (before, behind) = rest.split_once(mark).unwrap_or((rest, ""));
        out.write_all(before.as_bytes())?;
        out.write_all(part.as_bytes())?;
        rest = behind;
    }
    out.write_all(rest.as_bytes())
}

/// The Content-Security-Policy: the page's own script and style, and nothing else.
fn policy() -> String {
    let hash = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    )
}

/// The value as JSON that nothing in a game can end: `<` occurs in texts only, and there it
/// may be written as its number.
fn json(value: &(impl Serialize + ?Sized)) -> io::Result<String> {
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
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

    fn page(games: &[PageGame<'_>]) -> String {
        let mut page = Page::new(Vec::new(), "a <b> & c", "").expect("memory");
        games.iter().for_each(|game| page.game(game).expect("memory"));
        String::from_utf8(page.finish().expect("memory")).expect("text")
    }

    #[test]
    fn nothing_in_a_game_leaves_the_data() {
        let text = "[White \"</script><script>alert(1)</script>\"]\n[Black \"/*script*/\"]\n\n*";
        let game = pgn::read(text).remove(0).game.expect("a game");
        let unread = || PageGame::unread(Some(&game), "</SCRIPT><!--".to_owned());
        let html = page(&[unread(), unread()]);
        assert_eq!(html.matches("</script").count(), TEMPLATE.matches("</script").count());
        assert!(html.contains("\\u003c/script>") && !html.contains("</SCRIPT"));
        assert!(html.contains("a &lt;b> &amp; c"));
        let data =
            html.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>"));
        let data: serde_json::Value =
            serde_json::from_str(data.expect("the data").0).expect("valid JSON");
        assert_eq!(data["games"][1]["tags"][1][1], "/*script*/");
    }

    #[test]
    fn the_template_has_a_place_for_everything_and_loads_nothing() {
        let marks = [
            "<!--policy-->",
            "<!--title-->",
            "/*style*/",
            "<!--pieces-->",
            "/*data*/",
            "/*script*/",
        ];
        for mark in marks {
            assert_eq!(TEMPLATE.matches(mark).count(), 1, "{mark}");
        }
        let html = page(&[]);
        assert!(html.ends_with("</html>\n"));
        for outside in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!html.contains(outside), "{outside}");
        }
    }

    #[test]
    fn policy_permits_the_own_script_and_style_only() {
        let html = page(&[]);
        let between = |start: &str, end: &str| {
            let inner = html.split_once(start).and_then(|(_, rest)| rest.split_once(end));
            inner.expect("the template has this").0.to_owned()
        };
        let policy = between("Content-Security-Policy\" content=\"", "\"");
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert!(policy.ends_with("; base-uri 'none'; form-action 'none'"), "{policy}");
        for (directive, text) in [
            ("script-src", between("<script>", "</script>")),
            ("style-src", between("<style>", "</style>")),
        ] {
            let hash = BASE64_STANDARD.encode(Sha256::digest(&text));
            assert!(policy.contains(&format!("{directive} 'sha256-{hash}';")), "{policy}");
        }
        // The policy would block these.
        assert!(!html.contains(" style=") && !html.contains(" onclick="));
    }

    #[test]
    fn comments_are_shown_without_commands() {
        assert_eq!(without_commands("[%clk 0:01] a [%emt 3]\n b [%x"), "a b");
        assert_eq!(without_commands("a [b] c"), "a [b] c");
        assert_eq!(glyphs(&[4, 14, 139]), "?? ⩲");
    }
}
