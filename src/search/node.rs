//! The kinds of nodes. What a node may do is decided at compile time by its type,
//! which also names the type of its first child; what is expected of it is decided
//! as the search goes.

/// A kind of node.
pub trait Node {
    /// Searched with an open window: exact score and principal variation wanted.
    const PV: bool;
    /// The position the search was asked about.
    const ROOT: bool;
    /// The kind of the child that may become the principal variation.
    type Child: Node;
}

/// The root.
pub struct Root;
/// An inner node with an open window.
pub struct Pv;
/// An inner node with a null window: does it reach beta or not?
pub struct Scout;

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
    type Child = Pv;
}

impl Node for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
    type Child = Pv;
}

impl Node for Scout {
    const PV: bool = false;
    const ROOT: bool = false;
    type Child = Scout;
}

/// Whether a node is expected to fail high.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A cut node: one of its first moves should reach beta, the rest hardly matter.
    Cut,
    /// An all node, where every move should fail, or one of the principal variation.
    NoCut,
}

impl Expected {
    /// Whether a cutoff is expected.
    #[inline]
    #[must_use]
    pub const fn is_cut(self) -> bool {
        matches!(self, Expected::Cut)
    }

    /// What is then expected of the node's children: the opposite.
    #[inline]
    #[must_use]
    pub const fn of_child(self) -> Expected {
        match self {
            Expected::Cut => Expected::NoCut,
            Expected::NoCut => Expected::Cut,
        }
    }
}
