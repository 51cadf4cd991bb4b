//! Writes a page with the games: a single HTML file that needs no other files.
//!
//! Its Content-Security-Policy permits only its own script and style, and no requests.

use std::io::{self, Write};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use carrybit_pgn::viewer::ViewerGame;
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
    /// The part of the template after the games.
    end: String,
    has_games: bool,
}

impl<W: Write> Page<W> {
    /// Writes the beginning of the page: `title` is the name of the PGN file, `method` describes
    /// the engine and its limits.
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
        // Insert the title last: it may contain the text of another placeholder.
        let name = title.replace('&', "&amp;").replace('<', "&lt;");
        let begin = begin.replacen("<!--title-->", &name, 1);
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

/// Joins the viewer and the page's module into one, which needs no imports.
fn script() -> String {
    let lines = VIEWER.lines().chain(SCRIPT.lines().filter(|line| !line.starts_with("import ")));
    lines.collect::<Vec<_>>().join("\n")
}

/// The Content-Security-Policy, which permits this script and the style.
fn policy(script: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
        hash(script),
        hash(STYLE)
    )
}

/// Converts a value to JSON for a script element. `<` is escaped so that no text of a game can
/// close the element.
fn json(value: &(impl Serialize + ?Sized)) -> io::Result<String> {
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between<'a>(html: &'a str, start: &str, end: &str) -> &'a str {
        let inner = html.split_once(start).and_then(|(_, rest)| rest.split_once(end));
        inner.expect("both marks").0
    }

    fn page(games: &[ViewerGame<'_>]) -> String {
        let mut page = Page::new(Vec::new(), "a <b> & c", "").expect("memory");
        games.iter().for_each(|game| page.game(game).expect("memory"));
        String::from_utf8(page.finish().expect("memory")).expect("text")
    }

    #[test]
    fn text_of_a_game_cannot_close_the_data() {
        let text = "[White \"</script><script>alert(1)</script>\"]\n[Black \"/*script*/\"]\n\n*";
        let entry = carrybit_pgn::read(text).remove(0);
        let unread = || ViewerGame::unread(&entry, "</SCRIPT><!--".to_owned());
        let html = page(&[unread(), unread()]);
        assert_eq!(html.matches("</script").count(), TEMPLATE.matches("</script").count());
        assert!(html.contains("\\u003c/script>") && !html.contains("</SCRIPT"));
        assert!(html.contains("a &lt;b> &amp; c"));
        let data: serde_json::Value =
            serde_json::from_str(between(&html, "id=\"data\">", "</script>")).expect("valid JSON");
        assert_eq!(data["games"][1]["tags"][1][1], "/*script*/");
    }

    #[test]
    fn template_has_all_placeholders_and_loads_nothing() {
        let html = page(&[]);
        for name in ["policy", "title", "style", "pieces", "data", "script"] {
            let marks = [format!("<!--{name}-->"), format!("/*{name}*/")];
            let count =
                |text: &str| marks.iter().map(|mark| text.matches(mark).count()).sum::<usize>();
            assert_eq!([count(TEMPLATE), count(&html)], [1, 0], "{name}");
        }
        assert!(html.ends_with("</html>\n"));
        for outside in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!html.contains(outside), "{outside}");
        }
    }

    #[test]
    fn policy_permits_only_its_own_script_and_style() {
        let html = page(&[]);
        let policy = between(&html, "Content-Security-Policy\" content=\"", "\"");
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert!(policy.ends_with("; base-uri 'none'; form-action 'none'"), "{policy}");
        for (directive, text) in [
            ("script-src", between(&html, "<script type=\"module\">", "</script>")),
            ("style-src", between(&html, "<style>", "</style>")),
        ] {
            let hash = BASE64_STANDARD.encode(Sha256::digest(text));
            assert!(policy.contains(&format!("{directive} 'sha256-{hash}';")), "{policy}");
        }
        // The policy would block these.
        assert!(!html.contains(" style=") && !html.contains(" onclick="));
    }
}
