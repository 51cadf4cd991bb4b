//! Games on a page: one HTML file that needs nothing else, in which they can be clicked
//! through.
//!
//! Its Content-Security-Policy lets it load nothing, send nothing, and run no other script
//! than its own.

use std::io::{self, Write};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use pgn::viewer::ViewerGame;
use serde::Serialize;
use sha2::{Digest, Sha256};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const VIEWER: &str = include_str!("viewer.mjs");
const SCRIPT: &str = include_str!("page.mjs");
const PIECES: &str = include_str!("pieces.svg");

/// A page that is being written, game by game.
pub struct Page<W> {
    out: W,
    /// The part of the template behind the games.
    end: String,
    has_games: bool,
}

impl<W: Write> Page<W> {
    /// Writes the beginning of the page: `title` is the name of the file of games,
    /// `method` says by whom and how it was analysed.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn new(mut out: W, title: &str, method: &str) -> io::Result<Page<W>> {
        let script = script();
        let page = TEMPLATE
            .replacen("/*script*/", &script, 1)
            .replacen("<!--policy-->", &policy(&script), 1)
            .replacen("/*style*/", STYLE, 1)
            .replacen("<!--pieces-->", PIECES, 1);
        let (begin, end) = page.split_once("/*data*/").unwrap_or((&page, ""));
        // Last: a title may have any text in it.
        let begin = begin.replacen("<!--title-->", &escape(title), 1);
        let (title, method) = (json(title)?, json(method)?);
        write!(out, "{begin}{{\"title\":{title},\"method\":{method},\"games\":[")?;
        Ok(Page { out, end: end.to_owned(), has_games: false })
    }

    /// Writes a game.
    ///
    /// # Errors
    /// If the output cannot be written to.
    pub fn game(&mut self, game: &ViewerGame<'_>) -> io::Result<()> {
        let separator = if self.has_games { "," } else { "" };
        self.has_games = true;
        write!(self.out, "{separator}{}", json(game)?)
    }

    /// Writes the end of the page.
    ///
    /// # Errors
    /// If the output cannot be written to.
    pub fn finish(mut self) -> io::Result<W> {
        write!(self.out, "]}}{}", self.end)?;
        Ok(self.out)
    }
}

/// The viewer and the page's own module as one: the one has all that the other imports.
fn script() -> String {
    let lines = VIEWER.lines().chain(SCRIPT.lines().filter(|line| !line.starts_with("import ")));
    lines.collect::<Vec<_>>().join("\n")
}

/// The Content-Security-Policy: the page's own script and style, and nothing else.
fn policy(script: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
        hash(script),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn page(games: &[ViewerGame<'_>]) -> String {
        let mut page = Page::new(Vec::new(), "a <b> & c", "").expect("memory");
        games.iter().for_each(|game| page.game(game).expect("memory"));
        String::from_utf8(page.finish().expect("memory")).expect("text")
    }

    #[test]
    fn nothing_in_a_game_leaves_the_data() {
        let text = "[White \"</script><script>alert(1)</script>\"]\n[Black \"/*script*/\"]\n\n*";
        let entry = pgn::read(text).remove(0);
        let unread = || ViewerGame::unread(&entry, "</SCRIPT><!--".to_owned());
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
            ("script-src", between("<script type=\"module\">", "</script>")),
            ("style-src", between("<style>", "</style>")),
        ] {
            let hash = BASE64_STANDARD.encode(Sha256::digest(&text));
            assert!(policy.contains(&format!("{directive} 'sha256-{hash}';")), "{policy}");
        }
        // The policy would block these.
        assert!(!html.contains(" style=") && !html.contains(" onclick="));
    }
}
