//! The text of a move, without an allocation for nearly all moves.

use std::fmt;
use std::ops::Deref;

/// Longer texts than this, in bytes, are on the heap. The size of a `String` is not exceeded.
const MAX_INLINE: usize = 22;

/// The text of a move, such as `Nf3`. It dereferences to `str`, compares like `str`, and is made from a
/// `&str` or a `String` with `into()`.
///
/// ```
/// use carrybit_pgn::{MoveText, Ply};
///
/// let ply = Ply { text: "Nf3".into(), ..Ply::default() };
/// assert_eq!(ply.text, "Nf3");
/// assert!(ply.text.starts_with('N'));
/// assert_eq!(MoveText::from(String::from("e4")).as_str(), "e4");
/// ```
#[derive(Clone)]
pub struct MoveText(Inner);

#[derive(Clone)]
enum Inner {
    Inline { len: u8, bytes: [u8; MAX_INLINE] },
    Heap(Box<str>),
}

impl MoveText {
    pub(crate) const EMPTY: MoveText = MoveText(Inner::Inline { len: 0, bytes: [0; MAX_INLINE] });

    /// The text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            // The bytes always are a whole `str`.
            Inner::Inline { len, bytes } => {
                str::from_utf8(&bytes[..usize::from(*len)]).unwrap_or_default()
            }
            Inner::Heap(text) => text,
        }
    }

    /// Replaces the text in place.
    #[inline]
    pub(crate) fn set(&mut self, text: &str) {
        if let Inner::Inline { len, bytes } = &mut self.0
            && let Some(bytes) = bytes.get_mut(..text.len())
        {
            bytes.copy_from_slice(text.as_bytes());
            *len = text.len() as u8;
        } else {
            *self = text.into();
        }
    }
}

impl From<&str> for MoveText {
    #[inline]
    fn from(text: &str) -> MoveText {
        let mut bytes = [0; MAX_INLINE];
        let Some(start) = bytes.get_mut(..text.len()) else {
            return MoveText(Inner::Heap(text.into()));
        };
        start.copy_from_slice(text.as_bytes());
        MoveText(Inner::Inline { len: text.len() as u8, bytes })
    }
}

impl From<String> for MoveText {
    fn from(text: String) -> MoveText {
        text.as_str().into()
    }
}

impl Default for MoveText {
    fn default() -> MoveText {
        MoveText::EMPTY
    }
}

impl Deref for MoveText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

/// Like a `str`.
impl fmt::Debug for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl PartialEq for MoveText {
    fn eq(&self, other: &MoveText) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for MoveText {}

impl PartialEq<str> for MoveText {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for MoveText {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_any_length_is_kept() {
        assert_eq!(size_of::<MoveText>(), size_of::<String>());
        for len in 0..2 * MAX_INLINE {
            let text: String = "aé".chars().cycle().take(len).collect();
            let mut set = MoveText::from("bxa8=Q+");
            set.set(&text);
            for kept in [text.as_str().into(), text.clone().into(), set] {
                let kept: MoveText = kept;
                assert_eq!(kept.as_str(), text);
                assert_eq!(format!("{kept} {kept:?}"), format!("{text} {text:?}"));
            }
        }
        assert_eq!(MoveText::default(), "");
    }
}
