//! The tables in `docs/` are complete and correct, and every link has a target.

use std::collections::BTreeSet;
use std::path::Path;

use carrybit::VERSION;
use carrybit::internals::uci::options::OPTIONS;

use super::{files, read, root};
use crate::process_support::{run, text};

/// The cells of the rows whose first cell begins with a backquote.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

/// The parts in backquotes.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn option_table_has_every_option() {
    let table = read("docs/options.md");
    let output = run(&["uci"]);
    for line in text(&output).lines().filter_map(|line| line.strip_prefix("option name ")) {
        let (name, values) = line.split_once(" type ").expect("a type");
        let values = if values.starts_with("string") { "string" } else { values };
        let values = values.replace(" default", "").replace(" min", ",").replace("max", "to");
        let row = format!("| `{name}` | {values} |");
        assert!(table.contains(&row), "docs/options.md lacks the row {row}");
    }
    assert_eq!(rows(&table).len(), OPTIONS.len(), "docs/options.md has a row that names no option");
}

#[test]
fn command_table_has_the_commands_of_help() {
    let output = run(&["help"]);
    let help = text(&output);
    let is_option = |entry: &&str| OPTIONS.iter().any(|option| entry.starts_with(option.name));
    assert!(help.lines().all(|line| line.len() < 80), "{help}");
    let entries = help.lines().filter_map(|line| line.strip_prefix("  "));
    let entries = entries.filter(|entry| !entry.starts_with(' '));
    let usage = |entry: &str| entry.split("  ").next().unwrap_or(entry).to_owned();
    let listed: BTreeSet<_> = entries.filter(|entry| !is_option(entry)).map(usage).collect();
    assert!(listed.len() > 5, "help lists commands: {help}");
    assert!(text(&run(&["--help"])).contains("carrybit help "), "--help names help");

    let text = read("docs/commands.md");
    let table = text.split("\n## ").next().unwrap_or_default();
    let rows = rows(table);
    let shown = rows.iter().filter_map(|cells| code(cells[0]).next());
    assert_eq!(shown.map(str::to_owned).collect::<BTreeSet<_>>(), listed);
}

#[test]
fn source_map_is_complete_and_correct() {
    let text = read("docs/source.md");
    for path in code(&text).filter(|text| text.contains('/') && text.ends_with(".rs")) {
        assert!(root().join(path).exists(), "{path} is in docs/source.md only");
    }
    let mut places = BTreeSet::new();
    for cells in rows(&text) {
        let [place, meaning] = cells[..] else { panic!("not two cells: {cells:?}") };
        let place = code(place).next().unwrap_or_default();
        assert!(root().join(place).exists(), "{place} is in docs/source.md only");
        places.insert(place.trim_end_matches('/'));
        if place.ends_with('/') {
            let inside = files(place);
            let is_file =
                |name: &&str| [".rs", ".py", ".sh", ".mjs"].iter().any(|e| name.ends_with(e));
            for name in code(meaning).filter(is_file) {
                assert!(inside.iter().any(|path| path.ends_with(name)), "{place} has no {name}");
            }
        }
    }
    for entry in root().join("src").read_dir().expect("a readable folder") {
        let place = format!("src/{}", entry.expect("an entry").file_name().display());
        assert!(places.contains(&*place), "docs/source.md lacks {place}");
    }
}

#[test]
fn readme_has_two_set_up_commands_which_build_and_test() {
    let text = read("README.md");
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next());
    let commands: Vec<&str> = blocks.flatten().map(str::trim).collect();
    let tests = "cargo test --locked --workspace";
    assert_eq!(commands, ["cargo run --release --locked -- go movetime 1000", tests]);
    assert!(read(".ci/run").lines().any(|line| line == tests), ".ci/run runs another command");
}

/// GitHub's anchors for the headings of a text.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let titles = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase());
    let is_kept = |c: &char| c.is_alphanumeric() || "-_ ".contains(*c);
    titles
        .map(|title| title.chars().filter(is_kept).collect::<String>().replace(' ', "-"))
        .collect()
}

#[test]
fn every_relative_link_has_a_target() {
    let places = "README.md CONTRIBUTING.md CHANGELOG.md docs scripts src crates fuzz tests web";
    let is_page = |path: &std::path::PathBuf| path.extension() == Some("md".as_ref());
    let pages: Vec<_> = places.split(' ').flat_map(files).filter(is_page).collect();
    let mut links = 0;
    for page in &pages {
        let text = read(page);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let folder = page.parent().unwrap_or(Path::new(""));
            let file = if path.is_empty() { page.clone() } else { folder.join(path) };
            assert!(file.exists(), "{}: no file for {target}", page.display());
            let is_there = anchor.is_empty() || anchors(&read(&file)).contains(anchor);
            assert!(is_there, "{}: no heading for {target}", page.display());
            links += 1;
        }
    }
    assert!(pages.len() > 8 && links > 15, "{links} links in {} pages", pages.len());
}

#[test]
fn version_is_dev_unless_the_changelog_has_it_as_released() {
    let changelog = read("CHANGELOG.md");
    let section = changelog.lines().find_map(|line| line.strip_prefix("## ")).expect("a section");
    if section == "[Unreleased]" {
        assert!(VERSION.contains("-dev"), "{VERSION}");
    } else {
        assert!(section.starts_with(&format!("{VERSION} - ")), "{VERSION}: {section}");
    }
}
