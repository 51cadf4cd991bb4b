//! The kinds of nodes, as types: what a node may do is decided when it is
//! compiled, and each kind names the kind of its first child.

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
/// A node searched with a window of one point: is it better than that or not?
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
