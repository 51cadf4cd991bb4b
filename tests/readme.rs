//! README's option table is the same as the program's.

use std::fs;
use std::path::Path;

use carrybit::uci::options::{OPTIONS, OptionKind};

#[test]
fn the_option_table_is_complete_and_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(path).expect("README.md is readable");
    for option in &OPTIONS {
        let values = match option.kind {
            OptionKind::Check { default, .. } => format!("check {default}"),
            OptionKind::Spin { default, min, max, .. } => format!("spin {default}, {min} to {max}"),
            OptionKind::Text { .. } => "string".to_owned(),
            OptionKind::Button { .. } => "button".to_owned(),
        };
        let row = format!("| `{}` | {values} |", option.name);
        assert!(readme.contains(&row), "README lacks the row {row}");
    }
    let rows = readme.lines().filter(|line| {
        ["| check", "| spin", "| string", "| button"].iter().any(|kind| line.contains(kind))
    });
    assert_eq!(rows.count(), OPTIONS.len(), "README has a row for no option");
}
