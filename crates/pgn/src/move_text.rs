//! The text of a move, without an allocation for nearly all moves.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
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

    /// The text, if it is short enough to be stored inline.
    #[inline]
    fn inline(text: &str) -> Option<MoveText> {
        let mut bytes = [0; MAX_INLINE];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(MoveText(Inner::Inline { len: text.len() as u8, bytes }))
    }
}

impl From<&str> for MoveText {
    #[inline]
    fn from(text: &str) -> MoveText {
        MoveText::inline(text).unwrap_or_else(|| MoveText(Inner::Heap(text.into())))
    }
}

impl From<String> for MoveText {
    fn from(text: String) -> MoveText {
        MoveText::inline(&text).unwrap_or_else(|| MoveText(Inner::Heap(text.into())))
    }
}

impl From<MoveText> for String {
    fn from(text: MoveText) -> String {
        match text.0 {
            Inner::Inline { .. } => text.as_str().to_owned(),
            Inner::Heap(text) => text.into(),
        }
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

impl AsRef<str> for MoveText {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for MoveText {
    fn borrow(&self) -> &str {
        self
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

impl PartialEq<String> for MoveText {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl PartialOrd for MoveText {
    fn partial_cmp(&self, other: &MoveText) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for MoveText {
    fn cmp(&self, other: &MoveText) -> Ordering {
        self.as_str().cmp(other)
    }
}

/// Like a `str`, which [`Borrow`] requires.
impl Hash for MoveText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
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
                assert_eq!(kept, text);
                assert_eq!(format!("{kept} {kept:?}"), format!("{text} {text:?}"));
                assert_eq!(String::from(kept), text);
            }
        }
        assert_eq!(MoveText::default(), "");
        let mut sorted = ["b1", "a3", "a"].map(MoveText::from);
        sorted.sort();
        assert_eq!(sorted, ["a", "a3", "b1"]);
    }
}
