//! Commands in comments, as values: clocks, evaluations, coloured squares and arrows.
//!
//! Programs write them as `[%name value]`, several in one comment, before or after words.
//!
//! ```
//! use std::time::Duration;
//! use carrybit_pgn::Game;
//! use carrybit_pgn::commands::{Command, Eval};
//!
//! let mut game: Game = "1. e4 { [%eval 0.33,20] [%clk 0:02:59.5] my move } *".parse()?;
//! let ply = &mut game.moves.moves[0];
//! assert_eq!(ply.clock(), Some(Duration::from_millis(179_500)));
//! assert_eq!(ply.eval(), Some(Eval::Cp(33)));
//! ply.set_command(&Command::Clock(Duration::from_secs(175)));
//! assert_eq!(game.to_string(), "1. e4 { [%eval 0.33,20] [%clk 0:02:55] my move } *\n");
//! # Ok::<(), carrybit_pgn::PgnError>(())
//! ```

use std::fmt;
use std::time::Duration;

use carrybit_board::Square;

use crate::{Ply, Remark};

/// A command in a comment. Its text is that of PGN, such as `[%clk 0:05:00]`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Command {
    /// `[%clk 0:05:00]`: the time left to the player who has moved.
    Clock(Duration),
    /// `[%emt 0:00:03]`: the time that the player took for the move ("elapsed move time").
    MoveTime(Duration),
    /// `[%eval 0.35,20]`: an engine's evaluation of the position after the move.
    Eval {
        /// The evaluation.
        value: Eval,
        /// The depth of the search, in plies.
        depth: Option<u32>,
    },
    /// `[%csl Ga4,Rb5]`: coloured squares.
    Squares(Vec<MarkedSquare>),
    /// `[%cal Gd1d4,Re2e4]`: arrows.
    Arrows(Vec<Arrow>),
}

/// An evaluation, seen from White. Its text is that of `[%eval]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eval {
    /// Centipawns.
    Cp(i32),
    /// Mate in this many moves, by White if positive and by Black if negative.
    Mate(i32),
}

/// The colour of a square or of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MarkColor {
    /// `G`
    Green,
    /// `R`
    Red,
    /// `Y`
    Yellow,
    /// `B`
    Blue,
}

/// A coloured square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MarkedSquare {
    /// The colour.
    pub color: MarkColor,
    /// The square.
    pub square: Square,
}

/// A coloured arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arrow {
    /// The colour.
    pub color: MarkColor,
    /// The square at which the arrow begins.
    pub from: Square,
    /// The square at which it points.
    pub to: Square,
}

impl Command {
    /// The name in PGN, such as `clk`.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Clock(_) => "clk",
            Command::MoveTime(_) => "emt",
            Command::Eval { .. } => "eval",
            Command::Squares(_) => "csl",
            Command::Arrows(_) => "cal",
        }
    }

    /// Reads the inside of a command, after `[%` and before `]`.
    fn parse(inner: &str) -> Option<Command> {
        let (name, value) = inner.split_once(char::is_whitespace)?;
        let value = value.trim();
        let items = || value.split(',').map(str::trim);
        match name {
            "clk" => Some(Command::Clock(parse_duration(value)?)),
            "emt" => Some(Command::MoveTime(parse_duration(value)?)),
            "eval" => {
                let depth = items().nth(1).and_then(|depth| depth.parse().ok());
                Some(Command::Eval { value: Eval::parse(items().next()?)?, depth })
            }
            "csl" => Some(Command::Squares(items().filter_map(MarkedSquare::parse).collect())),
            "cal" => Some(Command::Arrows(items().filter_map(Arrow::parse).collect())),
            _ => None,
        }
    }
}

/// The command with its brackets.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[%{} ", self.name())?;
        match self {
            Command::Clock(time) | Command::MoveTime(time) => write_duration(f, *time)?,
            Command::Eval { value, depth } => {
                write!(f, "{value}")?;
                if let Some(depth) = depth {
                    write!(f, ",{depth}")?;
                }
            }
            Command::Squares(squares) => write_items(f, squares)?,
            Command::Arrows(arrows) => write_items(f, arrows)?,
        }
        f.write_str("]")
    }
}

fn write_items(f: &mut fmt::Formatter<'_>, items: &[impl fmt::Display]) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if at > 0 { "," } else { "" })?;
    }
    Ok(())
}

impl Eval {
    /// Reads pawns or a mate. A number without a decimal point is in centipawns if ChessBase has
    /// written it, and in pawns otherwise, so it is not read. Both can be negated.
    pub(crate) fn parse(text: &str) -> Option<Eval> {
        if let Some(mate) = text.strip_prefix('#') {
            return mate.parse().ok().map(|moves: i32| Eval::Mate(moves.max(-i32::MAX)));
        }
        let pawns: f64 = text.parse().ok().filter(|_| text.contains('.'))?;
        pawns.is_finite().then(|| Eval::Cp(((pawns * 100.0).round() as i32).max(-i32::MAX)))
    }
}

/// Pawns with two decimals, or `#` and the number of moves to mate.
impl fmt::Display for Eval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Eval::Cp(cp) => write!(f, "{:.2}", f64::from(*cp) / 100.0),
            Eval::Mate(moves) => write!(f, "#{moves}"),
        }
    }
}

impl MarkColor {
    const LETTERS: [(MarkColor, char); 4] = [
        (MarkColor::Green, 'G'),
        (MarkColor::Red, 'R'),
        (MarkColor::Yellow, 'Y'),
        (MarkColor::Blue, 'B'),
    ];

    /// The letter in PGN.
    pub fn letter(self) -> char {
        MarkColor::LETTERS[self as usize].1
    }

    /// The colour at the beginning of the text, and the rest.
    fn split(text: &str) -> Option<(MarkColor, &str)> {
        MarkColor::LETTERS
            .into_iter()
            .find_map(|(color, letter)| Some((color, text.strip_prefix(letter)?)))
    }
}

impl MarkedSquare {
    fn parse(text: &str) -> Option<MarkedSquare> {
        let (color, square) = MarkColor::split(text)?;
        Some(MarkedSquare { color, square: square.parse().ok()? })
    }
}

/// As in PGN, such as `Ga4`.
impl fmt::Display for MarkedSquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.color.letter(), self.square)
    }
}

impl Arrow {
    fn parse(text: &str) -> Option<Arrow> {
        let (color, squares) = MarkColor::split(text)?;
        let (from, to) = squares.split_at_checked(2)?;
        Some(Arrow { color, from: from.parse().ok()?, to: to.parse().ok()? })
    }
}

/// As in PGN, such as `Gd1d4`.
impl fmt::Display for Arrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.color.letter(), self.from, self.to)
    }
}

/// Reads `1:02:03.5`; minutes or hours may be missing.
fn parse_duration(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.split_once(['.']).unwrap_or((text, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut seconds: u64 = 0;
    for (at, part) in whole.split(':').enumerate() {
        if at > 2 || part.is_empty() || !are_digits(part) {
            return None;
        }
        seconds = seconds.checked_mul(60)?.checked_add(part.parse().ok()?)?;
    }
    if !are_digits(fraction) {
        return None;
    }
    let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    let nanos = digits.fold(0, |nanos, digit| 10 * nanos + u32::from(digit - b'0'));
    Some(Duration::new(seconds, nanos))
}

/// Writes `1:02:03.5`, without the fraction if it is 0.
fn write_duration(f: &mut fmt::Formatter<'_>, time: Duration) -> fmt::Result {
    let seconds = time.as_secs();
    write!(f, "{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
    let fraction = format!("{:09}", time.subsec_nanos());
    match fraction.trim_end_matches('0') {
        "" => Ok(()),
        digits => write!(f, ".{digits}"),
    }
}

/// The commands in a comment. Those of other names, and those that cannot be read, are left out.
pub fn commands(comment: &str) -> impl Iterator<Item = Command> + use<'_> {
    let inner = |part: &str| Command::parse(part.split_once(']')?.0);
    comment.split("[%").skip(1).filter_map(inner)
}

/// A comment without its commands, of any name.
pub fn without_commands(comment: &str) -> String {
    retain_commands(comment, |_| false).trim().to_owned()
}

/// A comment without those commands for which `is_kept` returns false. Its argument is the whole
/// command. An unclosed command extends to the end.
pub(crate) fn retain_commands(text: &str, mut is_kept: impl FnMut(&str) -> bool) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("[%") {
        let (before, behind) = rest.split_at(start);
        let (command, behind) = behind.split_at(behind.find(']').map_or(behind.len(), |at| at + 1));
        kept.push_str(before);
        rest = if is_kept(command) {
            kept.push_str(command);
            behind
        } else {
            behind.trim_start()
        };
    }
    kept + rest
}

impl Ply {
    /// The commands in the comments on the move.
    pub fn commands(&self) -> impl Iterator<Item = Command> + use<'_> {
        self.after.iter().filter_map(Remark::comment).flat_map(commands)
    }

    /// The time left to the player who has moved: the first `[%clk]`.
    pub fn clock(&self) -> Option<Duration> {
        self.commands().find_map(|command| match command {
            Command::Clock(time) => Some(time),
            _ => None,
        })
    }

    /// The time that the player took for the move: the first `[%emt]`.
    pub fn move_time(&self) -> Option<Duration> {
        self.commands().find_map(|command| match command {
            Command::MoveTime(time) => Some(time),
            _ => None,
        })
    }

    /// The evaluation of the position after the move: the first `[%eval]`.
    pub fn eval(&self) -> Option<Eval> {
        self.commands().find_map(|command| match command {
            Command::Eval { value, .. } => Some(value),
            _ => None,
        })
    }

    /// The coloured squares: those of all `[%csl]`.
    pub fn squares(&self) -> Vec<MarkedSquare> {
        let squares = self.commands().filter_map(|command| match command {
            Command::Squares(squares) => Some(squares),
            _ => None,
        });
        squares.flatten().collect()
    }

    /// The arrows: those of all `[%cal]`.
    pub fn arrows(&self) -> Vec<Arrow> {
        let arrows = self.commands().filter_map(|command| match command {
            Command::Arrows(arrows) => Some(arrows),
            _ => None,
        });
        arrows.flatten().collect()
    }

    /// Replaces the first command of this name, or else adds the command: at the end of the commands
    /// with which a comment begins, or in a new first comment.
    pub fn set_command(&mut self, command: &Command) {
        let written = command.to_string();
        let mut comments: Vec<&mut String> =
            self.after.iter_mut().filter_map(Remark::comment_mut).collect();
        for text in &mut comments {
            if let Some((start, end)) = find_command(text, command.name()) {
                text.replace_range(start..end, &written);
                return;
            }
        }
        match comments.into_iter().find(|text| leading_commands(text) > 0) {
            Some(text) => {
                let end = leading_commands(text);
                let words = text[end..].trim_start();
                let blank = if words.is_empty() { "" } else { " " };
                *text = format!("{} {written}{blank}{words}", &text[..end]);
            }
            None => self.after.insert(0, Remark::Comment(written)),
        }
    }
}

/// The bytes of the first command of this name.
fn find_command(text: &str, name: &str) -> Option<(usize, usize)> {
    let mut next = 0;
    text.split("[%").find_map(|part| {
        let start = next;
        next = start + part.len() + 2;
        let value = part.strip_prefix(name).filter(|_| start > 0)?;
        let close = part.find(']').filter(|_| value.starts_with(char::is_whitespace))?;
        Some((start - 2, start + close + 1))
    })
}

/// The length of the commands with which the text begins, without the blanks after the last.
pub(crate) fn leading_commands(text: &str) -> usize {
    let mut end = 0;
    loop {
        let rest = text[end..].trim_start();
        match rest.strip_prefix("[%").and_then(|inner| inner.split_once(']')) {
            Some((_, behind)) => end = text.len() - behind.len(),
            None => return end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(comment: &str) -> String {
        commands(comment).map(|command| command.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn commands_are_read_and_written() {
        for text in [
            "[%clk 0:05:00]",
            "[%clk 12:59:59.9]",
            "[%emt 0:00:00.001]",
            "[%eval 0.35]",
            "[%eval -0.05,22]",
            "[%eval #-3]",
            "[%csl Ga4,Rb5,Yh8,Ba1]",
            "[%cal Gd1d4,Re2e4]",
            "[%csl ]",
            "[%clk 0:00:01] [%eval 1.00]",
        ] {
            assert_eq!(written(&format!("words {text} words")), text);
        }
        for (text, expected) in [
            ("[%clk 3:07]", "[%clk 0:03:07]"),
            ("[%emt\n61.50]", "[%emt 0:01:01.5]"),
            ("[%clk 00:99:00]", "[%clk 1:39:00]"),
            ("[%eval .5, 9 ]", "[%eval 0.50,9]"),
            ("[%eval 1.2,x]", "[%eval 1.20]"),
            ("[%csl Xa4, Ga9,Gb2]", "[%csl Gb2]"),
            ("[%cal Ga1é,Ga1a,Ga1a2]", "[%cal Ga1a2]"),
        ] {
            assert_eq!(written(text), expected, "{text}");
        }
        for text in [
            "[%clk]",
            "[%clk 1:2:3:4]",
            "[%clk -1:00]",
            "[%clk 1::2]",
            "[%clk 1.x]",
            "[%eval 35]",
            "[%eval inf]",
            "[%clk 0:01",
            "[% clk 1]",
            "[%other 1]",
            "clk 1]",
            "[%clk 99999999999999999999]",
            "[%clk 18446744073709551615:00]",
        ] {
            assert_eq!(written(text), "", "{text}");
        }
    }

    #[test]
    fn command_replaces_one_of_its_name_or_is_added_to_the_commands() {
        let set = |text: &str| {
            let mut game: crate::Game = format!("1. e4 {text} *").parse().expect("a game");
            game.moves.moves[0].set_command(&Command::Clock(Duration::from_secs(9)));
            game.to_string()
        };
        for (text, expected) in [
            ("", "{ [%clk 0:00:09] }"),
            ("{a}", "{ [%clk 0:00:09] } { a }"),
            ("{[%emt 1] a}", "{ [%emt 1] [%clk 0:00:09] a }"),
            ("{a} {b [%clk 1] c}", "{ a } { b [%clk 0:00:09] c }"),
            ("{[%clkx 1]}", "{ [%clkx 1] [%clk 0:00:09] }"),
            ("{clk 1] [%clk [%clk 1]}", "{ clk 1] [%clk [%clk 0:00:09] }"),
            ("{[%emt 1}", "{ [%clk 0:00:09] } { [%emt 1 }"),
        ] {
            assert_eq!(set(text), format!("1. e4 {expected} *\n"), "{text}");
        }
    }

    #[test]
    fn squares_and_arrows_of_all_comments_are_found() {
        let game: crate::Game =
            "1. e4 {[%csl Ga4][%cal Ra1a2]} {[%csl Yb5]} *".parse().expect("a game");
        let ply = &game.moves.moves[0];
        let squares: Vec<_> = ply.squares().iter().map(ToString::to_string).collect();
        assert_eq!(squares, ["Ga4", "Yb5"]);
        assert_eq!(ply.arrows()[0].to.to_string(), "a2");
        assert_eq!((ply.clock(), ply.move_time(), ply.eval()), (None, None, None));
        assert_eq!(without_commands("[%clk 1] a [%x] b"), "a b");
        assert_eq!(Eval::parse("-99999999.0"), Some(Eval::Cp(-i32::MAX)));
        assert_eq!(Eval::parse("#-2147483648"), Some(Eval::Mate(-i32::MAX)));
    }
}
