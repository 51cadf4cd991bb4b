//! Reads by bytes what nearly all games consist of: moves in the standard's SAN, and move numbers
//! with dots. A function returns `None` for anything unusual, even if it may be read, and otherwise
//! exactly what the general code of the lexer and of `words` returns; a test compares them. The
//! general code decodes characters and compares words with all glyphs, which takes twenty times as
//! long.

use super::numbers::MoveNumber;

/// Whether a word ends before the bytes. Characters beyond ASCII may continue it.
fn ends_word(rest: &[u8]) -> bool {
    rest.first().is_none_or(|&byte| {
        byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"_+#=:-/@".contains(&byte)
    })
}

/// The length of the move at the beginning of the text.
#[inline]
pub(super) fn plain_move(bytes: &[u8]) -> Option<usize> {
    let is = |at: usize, wanted: u8| bytes.get(at) == Some(&wanted);
    let is_file = |at: usize| matches!(bytes.get(at), Some(b'a'..=b'h'));
    let is_rank = |at: usize| matches!(bytes.get(at), Some(b'1'..=b'8'));
    let is_square = |at: usize| is_file(at) && is_rank(at + 1);
    let mut len = match *bytes.first()? {
        b'a'..=b'h' => {
            let to = if is(1, b'x') { 2 } else { 0 };
            if !is_square(to) {
                return None;
            }
            let len = to + 2;
            // The general code searches for promotions in other forms, such as `e8(Q)`.
            if matches!(bytes[len - 1], b'1' | b'8') {
                let is_piece = matches!(bytes.get(len + 1), Some(b'Q' | b'R' | b'B' | b'N'));
                if !is(len, b'=') || !is_piece {
                    return None;
                }
                len + 2
            } else {
                len
            }
        }
        b'K' | b'Q' | b'R' | b'B' | b'N' => {
            let mut to = 1;
            if !(is_square(1) && !is(3, b'x') && !is_file(3)) {
                to += usize::from(is_file(to));
                to += usize::from(is_rank(to));
                to += usize::from(is(to, b'x'));
                if !is_square(to) {
                    return None;
                }
            }
            to + 2
        }
        b'O' if bytes.starts_with(b"O-O-O") => 5,
        b'O' if bytes.starts_with(b"O-O") => 3,
        _ => return None,
    };
    len += usize::from(is(len, b'+') || is(len, b'#'));
    ends_word(&bytes[len..]).then_some(len)
}

/// The move number at the beginning of the text, with its dots, and its length.
#[inline]
pub(super) fn plain_number(bytes: &[u8]) -> Option<(usize, MoveNumber)> {
    if !matches!(bytes.first(), Some(b'1'..=b'9')) {
        return None;
    }
    let mut value = 0;
    let mut len = 0;
    while let Some(digit @ b'0'..=b'9') = bytes.get(len) {
        if len == 4 {
            return None;
        }
        value = 10 * value + u16::from(digit - b'0');
        len += 1;
    }
    let digits = len;
    while bytes.get(len) == Some(&b'.') {
        len += 1;
    }
    // An ellipsis as a single character is a dot, too.
    let is_whole = bytes.get(len).is_none_or(u8::is_ascii);
    let dots = len - digits;
    (dots > 0 && is_whole).then_some((len, MoveNumber { value, dots }))
}
