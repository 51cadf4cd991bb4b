//! The words of a game's text: results, annotation glyphs, and moves in many notations.
//!
//! Sources: the PGN standard, the signs of Chess Informant, and the numeric annotation glyphs
//! that ChessBase and Scid have added.

use carrybit_board::{Board, Kind, Move, MoveError};

use super::numbers::MoveNumber;

/// Annotation glyphs by their numbers (NAG), the usual one first.
const GLYPHS: [(u16, &[&str]); 31] = [
    (1, &["!", "！"]),
    (2, &["?", "？"]),
    (3, &["!!", "‼", "！！"]),
    (4, &["??", "⁇", "？？"]),
    (5, &["!?", "⁉", "！？"]),
    (6, &["?!", "⁈", "？！"]),
    (7, &["□"]),
    (10, &["="]),
    (13, &["∞"]),
    (14, &["⩲", "+/=", "+="]),
    (15, &["⩱", "=/+", "=+"]),
    (16, &["±", "+/-"]),
    (17, &["∓", "-/+"]),
    (18, &["+−", "+-", "+–"]),
    (19, &["−+", "-+", "–+"]),
    (22, &["⨀", "⊙"]),
    (26, &["○"]),
    (32, &["⟳", "↻"]),
    (36, &["↑"]),
    (40, &["→"]),
    (44, &["⯹"]),
    (132, &["⇄", "⇆"]),
    (138, &["⊕", "⨁"]),
    (140, &["∆", "Δ", "△"]),
    (141, &["∇"]),
    (142, &["⌓"]),
    (143, &["≤"]),
    (145, &["RR"]),
    (146, &["TN", "N"]),
    (147, &["×"]),
    (220, &["D"]),
];

/// The usual glyph for a number.
#[cfg(feature = "analysis")]
pub(super) fn glyph_of(nag: u16) -> Option<&'static str> {
    GLYPHS.iter().find(|(number, _)| *number == nag).map(|(_, glyphs)| glyphs[0])
}

/// The longest glyph that satisfies the condition, and its number.
fn longest_glyph(fits: impl Fn(&str) -> bool) -> Option<(&'static str, u16)> {
    let glyphs = GLYPHS.iter().flat_map(|&(nag, glyphs)| glyphs.iter().map(move |&g| (g, nag)));
    glyphs.filter(|(glyph, _)| fits(glyph)).max_by_key(|(glyph, _)| glyph.len())
}

/// Words that add nothing to a move, in lower case; attached to the move or after it.
const SUFFIXES: [&str; 7] = ["checkmate", "mate", "check", "dblch", "disch", "ch", "ep"];

/// Words that add nothing to a move, in lower case; only after it.
const REDUNDANT: [&str; 15] = [
    ":", "+", "++", "#", "##", "†", "‡", "≠", "dbl", "double", "dis", "disc", "en", "passant",
    "matt",
];

/// Null moves, in lower case.
const PASSES: [&str; 6] = ["--", "z0", "0000", "@@@@", "null", "pass"];

/// The figurines of White's and Black's pieces, and their letters.
const FIGURINES: [char; 12] = ['♔', '♕', '♖', '♗', '♘', '♙', '♚', '♛', '♜', '♝', '♞', '♟'];
const FIGURINE_LETTERS: [char; 6] = ['K', 'Q', 'R', 'B', 'N', 'P'];

/// Letters of other alphabets that look like those of moves: of Cyrillic and Greek keyboards, and of
/// programs that read print. A game in Russian or Greek notation is refused at its first piece whose
/// letter looks like none of ours.
const LOOK_ALIKES: [(&str, char); 20] = [
    ("а", 'a'),
    ("ь", 'b'),
    ("с", 'c'),
    ("ԁ", 'd'),
    ("е", 'e'),
    ("ƒ", 'f'),
    ("ɡ", 'g'),
    ("һ", 'h'),
    ("к", 'k'),
    ("р", 'p'),
    ("АΑ", 'A'),
    ("ВΒ", 'B'),
    ("С", 'C'),
    ("ЕΕ", 'E'),
    ("НΗ", 'H'),
    ("КΚ", 'K'),
    ("Ν", 'N'),
    ("ОоΟο", 'O'),
    ("РΡ", 'P'),
    ("хХχΧ", 'x'),
];

/// A word of a game's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A move in ASCII, without suffixes such as `mate`.
    Move(String),
    /// An annotation glyph.
    Nag(u16),
    /// A word that adds nothing to the move before it.
    Redundant,
    Unknown,
}

/// The ASCII form of a full-width character; other characters stay.
pub(super) fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

/// Whether the character only separates words.
pub(super) fn is_blank(c: char) -> bool {
    let c = narrow(c);
    // 0x1a is the end of a file of DOS.
    let is_invisible = matches!(
        c,
        '\u{0}' | '\u{1a}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
    );
    c.is_whitespace() || c == ',' || is_invisible
}

/// Whether the character is part of a word.
pub(super) fn is_symbol(c: char) -> bool {
    let c = narrow(c);
    let is_ascii = c.is_ascii_alphanumeric() || "_+#=:-/@".contains(c);
    is_ascii
        || !c.is_ascii() && {
            let is_sign = "½×†‡≠\u{fe0e}\u{fe0f}".contains(c) || is_dash(c);
            (c.is_alphanumeric() && c != 'Δ') || is_sign || FIGURINES.contains(&c)
        }
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '−')
}

/// The result at the beginning of the text: its length in bytes and its standard form.
pub(super) fn result_at(text: &str) -> Option<(usize, &'static str)> {
    const SCORES: [(&str, &str); 5] =
        [("1/2", "1/2"), ("½", "1/2"), ("0.5", "1/2"), ("1", "1"), ("0", "0")];
    if let Some(star) = text.chars().next().filter(|&first| narrow(first) == '*') {
        return Some((star.len_utf8(), "*"));
    }
    let score = |text: &str| SCORES.into_iter().find(|(written, _)| text.starts_with(written));
    let len = |rest: &str| {
        let is_whole = !rest.starts_with(is_symbol);
        is_whole.then_some(text.len() - rest.len())
    };
    let (written, white) = score(text)?;
    let rest = &text[written.len()..];
    let after_blanks = rest.trim_start_matches(' ');
    let second = after_blanks.strip_prefix(|c| is_dash(c) || c == ':').and_then(|rest| {
        let rest = rest.trim_start_matches(' ');
        let (written, black) = score(rest)?;
        Some((black, len(&rest[written.len()..])?))
    });
    match (white, second) {
        ("1", Some(("0", len))) => Some((len, "1-0")),
        ("0", Some(("1", len))) => Some((len, "0-1")),
        ("1/2", Some(("1/2", len))) => Some((len, "1/2-1/2")),
        ("1/2", None) if written != "0.5" => Some((len(rest)?, "1/2-1/2")),
        _ => None,
    }
}

/// The standard form of a result.
pub(super) fn standard_result(written: &str) -> Option<&'static str> {
    result_at(written).filter(|&(len, _)| len == written.len()).map(|(_, standard)| standard)
}

/// The move number at the beginning of the text and its length in bytes, including its dots. Dots
/// alone are the number 0.
pub(super) fn move_number(text: &str) -> Option<(usize, MoveNumber)> {
    let after_digits = text.trim_start_matches(|c| narrow(c).is_ascii_digit());
    let after_dots = after_digits.trim_start_matches(|c| matches!(narrow(c), '.' | '…'));
    let digits: String = text[..text.len() - after_digits.len()].chars().map(narrow).collect();
    let dots = after_digits[..after_digits.len() - after_dots.len()].chars();
    let dots = dots.map(|dot| if dot == '…' { 3 } else { 1 }).sum();
    // Up to three digits without dots are a number unless more is attached, as in `0-1`. Four are a
    // move by ICCF, a null move or a year.
    let is_lone = (1..4).contains(&digits.len())
        && !digits.starts_with('0')
        && !after_digits.starts_with(is_symbol);
    let number = MoveNumber { value: digits.parse().unwrap_or(0), dots };
    (dots > 0 || is_lone).then(|| (text.len() - after_dots.len(), number))
}

/// The glyph at the beginning of the text, and its length in bytes. Glyphs made of
/// [symbols](is_symbol) are words, for [`word_at`].
pub(super) fn glyph_at(text: &str) -> Option<(usize, u16)> {
    if text.starts_with(is_symbol) {
        return None;
    }
    let (glyph, nag) = longest_glyph(|glyph| text.starts_with(glyph))?;
    let marks = text.len() - text.trim_start_matches(|c| matches!(narrow(c), '!' | '?')).len();
    Some((glyph.len().max(marks), nag))
}

/// The word at the beginning of the text, and its length in bytes. The text must begin with a
/// [symbol](is_symbol).
pub(super) fn word_at(text: &str) -> (usize, Word) {
    let mut len = text.find(|c| !is_symbol(c)).unwrap_or(text.len());
    let mut word = &text[..len];
    if let Some((_, nag)) = longest_glyph(|glyph| word == glyph) {
        return (len, Word::Nag(nag));
    }
    if REDUNDANT.iter().chain(&SUFFIXES).any(|known| word.eq_ignore_ascii_case(known)) {
        return (len, Word::Redundant);
    }
    if word.ends_with('e') && text[len..].starts_with(".p") {
        word = &word[..len - 1];
        len += if text[len..].starts_with(".p.") { 3 } else { 2 };
        if word.is_empty() {
            return (len, Word::Redundant);
        }
    } else {
        word = without_glyph(word);
        len = word.len();
    }
    let mut tidied = tidy(word);
    if !is_move(&tidied) {
        return (len, Word::Unknown);
    }
    if lacks_promotion(&tidied)
        && let Some((promotion_len, letter)) = promotion_at(&text[len..])
    {
        tidied.push(letter);
        len += promotion_len;
    }
    (len, Word::Move(tidied))
}

/// Removes an attached glyph, as in `Qh4+-` and `Nf3N`.
fn without_glyph(word: &str) -> &str {
    let ends_move =
        |rest: &&str| rest.ends_with(|c: char| c.is_ascii_alphanumeric() || "+#".contains(c));
    let has_square = |rest: &&str| has_square(rest) || is_castling(rest);
    let without = |glyph: &str| word.strip_suffix(glyph).filter(ends_move).filter(has_square);
    let is_sign = |glyph: &str| !glyph.starts_with(char::is_alphabetic);
    if let Some((glyph, _)) = longest_glyph(|glyph| without(glyph).is_some() && is_sign(glyph)) {
        return &word[..word.len() - glyph.len()];
    }
    // After a pawn move to the last rank, `N` is a promotion.
    let is_piece = word.starts_with(|c: char| !c.is_ascii_lowercase());
    let is_novelty = |rest: &&str| {
        rest.ends_with(|c: char| ('2'..='7').contains(&c) || is_piece && c.is_ascii_digit())
    };
    without("N").filter(is_novelty).unwrap_or(word)
}

/// Converts a move to ASCII and removes suffixes such as `mate`.
fn tidy(word: &str) -> String {
    let ascii = word.chars().filter_map(|c| match c {
        '×' => Some('x'),
        '†' => Some('+'),
        '‡' | '≠' => Some('#'),
        '\u{fe0e}' | '\u{fe0f}' => None,
        _ if is_dash(c) => Some('-'),
        _ => {
            let figurine = FIGURINES.iter().position(|&figurine| figurine == c);
            let look_alike = || LOOK_ALIKES.iter().find(|(letters, _)| letters.contains(c));
            let letter = figurine.map(|at| FIGURINE_LETTERS[at % 6]);
            Some(letter.or_else(|| Some(look_alike()?.1)).unwrap_or(narrow(c)))
        }
    });
    let mut text: String = ascii.collect();
    if has_square(&text) || text.starts_with(['O', '0']) {
        while let Some(suffix) = SUFFIXES.iter().find(|&suffix| text.ends_with(suffix)) {
            text.truncate(text.len() - suffix.len());
        }
        if !text.ends_with("--") {
            text.truncate(text.trim_end_matches('-').len());
        }
    }
    // Old notation has the sign of a capture behind the move: `Qd5:`, `ed:+`.
    let end = text.trim_end_matches(['+', '#']).len();
    let colons = text[..end].trim_end_matches(':').len()..end;
    text.replace_range(colons, "");
    text.truncate(text.trim_end_matches(':').len());
    // A move number that is attached without a dot.
    let after_digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if !text.starts_with('0') && after_digits.starts_with(|c: char| c.is_ascii_alphabetic()) {
        text.drain(..text.len() - after_digits.len());
    }
    text
}

/// Whether the word has the form of a move, legal or not.
fn is_move(word: &str) -> bool {
    has_square(word)
        || is_castling(word)
        || is_pass(word)
        || pawn_capture(word).is_some()
        || iccf_move(word).is_some()
}

/// Whether the word is a null move.
pub(super) fn is_pass(word: &str) -> bool {
    PASSES.iter().any(|pass| word.eq_ignore_ascii_case(pass))
}

/// Whether the word has the letter of a file or a piece, followed by a single digit.
fn has_square(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_letter = |letter: u8| b"abcdefghkqrnp".contains(&letter.to_ascii_lowercase());
    let is_lone_digit = |at: usize| {
        let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        is_digit(at) && !is_digit(at + 1)
    };
    (1..bytes.len()).any(|at| is_letter(bytes[at - 1]) && is_lone_digit(at))
}

/// Whether the word is castling, with letters O or zeros, with or without dashes.
fn is_castling(word: &str) -> bool {
    let word = word.trim_end_matches(['+', '#']);
    let count = word.chars().filter(|c| "Oo0".contains(*c)).count();
    word.chars().all(|c| "Oo0-".contains(c)) && (2..=3).contains(&count) && !word.ends_with('-')
}

/// The files of a pawn capture without ranks, and its promotion piece: `ed`, `exd` or `ed:=Q`.
fn pawn_capture(word: &str) -> Option<(u8, u8, Option<Kind>)> {
    let word = word.trim_end_matches(['+', '#']);
    let files = word.trim_end_matches(|c| "QRBN".contains(c));
    let promotion = match &word[files.len()..] {
        "" => None,
        "Q" => Some(Kind::Queen),
        "R" => Some(Kind::Rook),
        "B" => Some(Kind::Bishop),
        "N" => Some(Kind::Knight),
        _ => return None,
    };
    let files = files.trim_end_matches('=').trim_end_matches(':');
    let ([from, b'x' | b':', to] | [from, to]) = *files.as_bytes() else { return None };
    let are_files = [from, to].iter().all(|file| (b'a'..=b'h').contains(file));
    (are_files && from.abs_diff(to) == 1).then(|| (from - b'a', to - b'a', promotion))
}

/// The move in the numeric notation of correspondence chess, in coordinates: `5254` is e2e4, and a
/// fifth digit is the promotion piece. (ICCF's rules, "numeric notation".)
pub(super) fn iccf_move(word: &str) -> Option<String> {
    let word = word.trim_end_matches(['+', '#']);
    let (squares, promotion) = match *word.as_bytes() {
        [a, b, c, d] | [a, b, b'-', c, d] => ([a, b, c, d], ""),
        [a, b, c, d, piece @ b'1'..=b'4'] => {
            ([a, b, c, d], ["=Q", "=R", "=B", "=N"][usize::from(piece - b'1')])
        }
        _ => return None,
    };
    let is_move = squares.iter().all(|digit| (b'1'..=b'8').contains(digit));
    let [a, b, c, d] = squares.map(char::from);
    let file = |digit: char| char::from(digit as u8 - b'1' + b'a');
    (is_move && (a, b) != (c, d)).then(|| format!("{}{b}{}{d}{promotion}", file(a), file(c)))
}

/// Whether the word is a pawn move to the last rank without a promotion piece.
pub(super) fn lacks_promotion(word: &str) -> bool {
    let &[first, second, .., last] = word.as_bytes() else {
        return matches!(*word.as_bytes(), [b'a'..=b'h', b'1' | b'8']);
    };
    // A digit after the first letter is the rank of origin.
    let is_pawn = (b'a'..=b'h').contains(&first)
        && (!second.is_ascii_digit() || matches!((second, last), (b'7', b'8') | (b'2', b'1')));
    is_pawn && matches!(last, b'1' | b'8')
}

/// The promotion piece at the beginning of the text, as `(Q)`, `=(Q)` or ` Q`: its length in
/// bytes and its letter.
fn promotion_at(text: &str) -> Option<(usize, char)> {
    let rest = text.trim_start_matches(' ');
    let rest = rest.strip_prefix(['=', '/']).unwrap_or(rest).trim_start_matches(' ');
    let inner = rest.strip_prefix('(').unwrap_or(rest);
    let letter = inner.chars().next()?;
    let figurine = FIGURINES.iter().position(|&figurine| figurine == letter);
    let kind = figurine.map_or(letter.to_ascii_uppercase(), |at| FIGURINE_LETTERS[at % 6]);
    let behind = &inner[letter.len_utf8()..];
    let behind = if inner.len() < rest.len() { behind.strip_prefix(')')? } else { behind };
    let is_whole = !behind.trim_start_matches(['+', '#']).starts_with(is_symbol);
    ("QRBN".contains(kind) && is_whole).then(|| (text.len() - behind.len(), kind))
}

/// The legal move that a [word](Word::Move) means. The word as written has precedence (`bxc3` is
/// a pawn move). If it is not legal, lower case may mean a piece (`nf3`), and capitals alone a pawn
/// (`EXD6`); but `Bb4` is no move of the b-pawn.
pub(super) fn read_move(board: &Board, word: &str) -> Result<Move, MoveError> {
    let error = match board.parse_san(word) {
        Err(error @ (MoveError::Illegal(_) | MoveError::NoMove(_))) => error,
        result => return result,
    };
    if let Some(coordinates) = iccf_move(word) {
        let illegal = |_| MoveError::Illegal(word.to_owned());
        return board.parse_san(&coordinates).map_err(illegal);
    }
    if let Some((from, to, promotion)) = pawn_capture(word) {
        let moves = board.legal_moves();
        let mut meant = moves.iter().copied().filter(|mv| {
            let is_pawn = board.byte_on(mv.from()).is_kind(Kind::Pawn);
            let files = (mv.from().file(), mv.target().file());
            is_pawn
                && files == (from, to)
                && promotion.is_none_or(|kind| mv.promotion_kind() == Some(kind))
        });
        let first = meant.next();
        return match (first, meant.next()) {
            (Some(mv), None) => Ok(mv),
            (Some(_), Some(_)) => Err(MoveError::Ambiguous(word.to_owned())),
            _ => Err(MoveError::Illegal(word.to_owned())),
        };
    }
    let mut tries = Vec::new();
    if is_castling(word) {
        let is_short = word.chars().filter(|c| "Oo0".contains(*c)).count() == 2;
        tries.push(if is_short { "O-O" } else { "O-O-O" }.to_owned());
    } else if word.is_ascii() && !word.is_empty() {
        let (first, rest) = word.split_at(1);
        let rest = rest.to_ascii_lowercase();
        tries.push(format!("{first}{rest}"));
        tries.push(format!("{}{rest}", first.to_ascii_uppercase()));
        if !word.contains(|c: char| c.is_ascii_lowercase()) {
            tries.push(word.to_ascii_lowercase());
        }
    }
    tries.iter().find_map(|text| board.parse_san(text).ok()).ok_or(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_in_every_form() {
        let results: [(&str, &[&str]); 4] = [
            ("1-0", &["1-0", "1:0", "1–0"]),
            ("0-1", &["0 - 1"]),
            ("1/2-1/2", &["1/2:1/2", "½ : ½", "½-½", "1/2", "0.5-0.5"]),
            ("*", &["*"]),
        ];
        for (result, texts) in results {
            for text in texts {
                assert_eq!(standard_result(text), Some(result), "{text}");
            }
        }
        for text in ["0-0", "0-0-0", "1-1", "1. e4", "1 e4", "1-0-0", "0.5", "1", "1/2-0", "?"] {
            assert_eq!(standard_result(text), None, "{text}");
        }
    }

    #[test]
    fn every_notation_means_its_move() {
        let start = "r1bqk2r/pPp2ppp/2n2n2/3pP3/1b1P4/2N2N2/PP2BPPP/R1BQK2R w KQkq d6 0 9";
        let board: Board = start.parse().expect("a FEN");
        let moves: [(&str, &[&str]); 14] = [
            ("exd6", &["exd6ep", "exd6 e.p.", "exd6e.p", "ed", "e:d6", "e5xd6", "e5×d6†", "EXD6"]),
            ("exd6", &["ed:", "ed6:", "e5d6:", "e5xd6:", "e5:d6:", "e:d:", "ed:+", "ed+:", "5546"]),
            ("exd6", &["еd6", "ехd6", "e5хԁ6", "ｅｘｄ６", "５５４６", "55-46"]),
            ("O-O", &["O-O#", "0–0", "00", "О-О", "Ο－Ο", "5171"]),
            ("Ng5", &["♘g5", "♘\u{fe0e}f3-g5", "ng5", "NG5", "Ng5mate", "Ng5++", "Ng5dblch"]),
            ("Ng5", &["Ng5+-", "Ng5∓", "Ng5N", "Ng5:", "9Ng5"]),
            ("Ng5", &["Ｎｇ５", "Νg5", "Nɡ5＋", "6375"]),
            ("b8=Q", &["b8Q", "b8(Q)", "b8=(♕)", "ь8Q", "ｂ８＝Ｑ", "27281"]),
            ("b8=N", &["b8/N", "b8 N"]),
            ("b8=R", &["b7-b8=R"]),
            ("bxa8=N", &["bxa8N", "baN", "ba:N", "bxa=N", "b:a:=N", "27184"]),
            ("a3", &["p-a3", "а3", "А3", "Рa3", "ａ３"]),
            ("Bd3", &["bd3", "Вd3"]),
            ("Kf1", &["Кf1", "кf1", "5161"]),
        ];
        for (san, words) in moves {
            for word in words {
                let (_, read) = word_at(word);
                let Word::Move(text) = read else { panic!("{word}: {read:?}") };
                let mv = read_move(&board, &text).unwrap_or_else(|error| panic!("{word}: {error}"));
                assert_eq!(board.san(mv), san, "{word}");
            }
        }
    }

    #[test]
    fn legal_pawn_capture_has_precedence_over_the_bishop() {
        let board: Board = "4k3/8/8/8/8/2n5/1P1B4/4K3 w - - 0 1".parse().expect("a FEN");
        for (word, san) in [("bxc3", "bxc3"), ("Bxc3", "Bxc3"), ("BXC3", "Bxc3"), ("bc3", "bxc3")] {
            assert_eq!(read_move(&board, word).map(|mv| board.san(mv)).as_deref(), Ok(san));
        }
        // A typing error for another move of the bishop.
        assert!(read_move(&Board::default(), "Bb4").is_err());
    }

    #[test]
    fn words_are_classified() {
        for word in ["mate", "checkmate", "ch", "Dbl", "ep", "++"] {
            assert_eq!(word_at(word).1, Word::Redundant, "{word}");
        }
        for (word, nag) in [("N", 146), ("TN", 146), ("D", 220), ("+-", 18), ("-/+", 17)] {
            assert_eq!(word_at(word).1, Word::Nag(nag), "{word}");
        }
        for word in ["foo", "novelty", "draw", "B33", "0", "-", "Elo2500", "Zeitnot"] {
            assert_eq!(word_at(word).1, Word::Unknown, "{word}");
        }
        for word in ["e9", "Ke3", "Nf9", "P-K4", "--", "Z0", "null", "5254", "57584"] {
            assert!(matches!(word_at(word).1, Word::Move(_)), "{word}");
        }
    }
}
