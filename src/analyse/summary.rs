//! The table of accuracy and mistakes at the end of a run: two rows a game.

use carrybit_pgn::Game;
use carrybit_pgn::findings::Findings;

/// The first line of the table, as wide as each row: 80 columns with the line end.
pub const HEADING: &str =
    " Game  Side   Player                 Accuracy  Inaccuracies  Mistakes  Blunders\n";

/// The maximum length of a name, in characters.
const MAX_NAME: usize = 21;

/// The rows of White and Black for game `number`.
pub fn rows(number: usize, game: &Game, findings: &Findings) -> String {
    let rows = ["White", "Black"].into_iter().zip(findings.accuracies()).zip(findings.counts());
    let rows = rows.map(|((side, accuracy), [inaccuracies, mistakes, blunders])| {
        let name = short(game.tag(side).filter(|name| !name.is_empty()).unwrap_or("?"));
        let accuracy = accuracy.map_or_else(|| "-".to_owned(), |percent| format!("{percent:.1}"));
        format!(
            "{number:5}  {side}  {name:MAX_NAME$}  {accuracy:>8}  {inaccuracies:12}  \
             {mistakes:8}  {blunders:8}\n"
        )
    });
    rows.collect()
}

/// The name, cut to [`MAX_NAME`], without control characters: they can change the terminal.
fn short(name: &str) -> String {
    let mut chars: Vec<char> = name.chars().filter(|c| !c.is_control()).collect();
    if chars.len() > MAX_NAME {
        chars.truncate(MAX_NAME - 1);
        chars.push('…');
    }
    chars.into_iter().collect()
}
