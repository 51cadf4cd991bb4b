//! Comments and documents are in plain English, as CONTRIBUTING.md describes. (`.ci/run` also
//! compares their words with dictionaries and `scripts/words.txt`.)

use std::path::{Path, PathBuf};

use super::{files, read, root};

const PLACES: &str =
    "src tests examples crates web fuzz scripts docs README.md CONTRIBUTING.md CHANGELOG.md";

/// Words of a person where a machine or a rule is meant. (In parts: a search finds none here.)
const TICS: [&str; 4] = [
    concat!("who", "ever"),
    concat!("no", "body"),
    concat!("some", "body"),
    concat!("so ", "many "),
];

/// A subordinate clause in place of the subject.
const OPENINGS: [&str; 3] =
    [concat!("Wh", "at "), concat!("Who", "ever "), concat!("What", "ever ")];

/// The most words between two of `.!?:;`.
const MAX_WORDS: usize = 40;

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

fn sources() -> Vec<PathBuf> {
    let known = ["rs", "mjs", "js", "py", "sh", "md", "css"];
    let paths = PLACES.split(' ').flat_map(files);
    paths.filter(|path| known.contains(&extension(path)) && !path.ends_with(file!())).collect()
}

/// The prose of a line, if it is a comment, or a line of a document.
fn prose<'a>(line: &'a str, extension: &str) -> Option<&'a str> {
    let line = line.trim();
    match extension {
        "md" => Some(line),
        // Usage texts are indented.
        "py" | "sh" => line
            .strip_prefix('#')
            .filter(|rest| !rest.starts_with(['!', '\t']) && !rest.starts_with("   ")),
        "css" => line.strip_prefix("/* ").or(line.strip_prefix("* ")),
        _ => match line.strip_prefix("//") {
            Some(rest) => Some(rest.trim_start_matches(['/', '!'])),
            None => line.strip_prefix("/** ").or(line.strip_prefix("* ")),
        },
    }
}

/// The paragraphs of comments and documents, without code, tables and headings, each with the line
/// where it begins.
fn paragraphs(text: &str, extension: &str) -> Vec<(usize, String)> {
    let mut paragraphs: Vec<(usize, String)> = Vec::new();
    let (mut is_open, mut is_code) = (false, false);
    for (i, line) in text.lines().enumerate() {
        let prose = prose(line, extension).map(str::trim).unwrap_or_default();
        is_code ^= prose.starts_with("```");
        let is_item = prose.starts_with(['*', '-', '+']) || prose.starts_with(char::is_numeric);
        let is_prose = !is_code && !prose.is_empty() && !prose.starts_with(['|', '#', '`', '<']);
        if is_prose && is_open && !is_item {
            let (_, last) = paragraphs.last_mut().expect("one is open");
            *last = format!("{last} {prose}");
        } else if is_prose {
            paragraphs.push((i + 1, prose.to_owned()));
        }
        is_open = is_prose;
    }
    paragraphs
}

/// The faults of a text.
fn faults(text: &str, extension: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let lower = line.to_lowercase();
        let tics = TICS.into_iter().filter(|tic| lower.contains(tic));
        faults.extend(tics.map(|tic| format!("{}: {tic}", i + 1)));
    }
    for (line, text) in paragraphs(text, extension) {
        if OPENINGS.iter().any(|opening| text.starts_with(opening)) && !text.contains('?') {
            faults.push(format!("{line}: {text}"));
        }
        for sentence in text.split_inclusive(['.', '!', '?', ':', ';']) {
            let words = sentence.split_whitespace().count();
            if words > MAX_WORDS {
                faults.push(format!("{line}: {words} words: {sentence}"));
            }
        }
    }
    faults
}

#[test]
fn comments_and_documents_are_plain_english() {
    let mut found = Vec::new();
    for path in sources() {
        let name = path.strip_prefix(root()).expect("a file of the repository").display();
        let text = read(&path);
        found.extend(faults(&text, extension(&path)).iter().map(|fault| format!("{name}:{fault}")));
    }
    assert!(found.is_empty(), "{} faults:\n{}", found.len(), found.join("\n"));
}
