//! What can be wrong with a cube, a route or a study of them.

/// Why a faulty cube, a code or a route cannot be built as asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CubeError {
    /// The dimension is not supported.
    #[error("a cube has 1 to {max} dimensions, not {n}", max = super::MAX_DIMENSION)]
    Dimension {
        /// The dimension asked for.
        n: u32,
    },
    /// A node does not exist.
    #[error("node {node} is not in the {n}-cube: its nodes are 0 to {last}", last = (1u64 << n) - 1)]
    Node {
        /// The node asked for.
        node: u64,
        /// Dimension of the cube.
        n: u32,
    },
    /// A link does not exist.
    #[error("link ({node}, {dim}) is not in the {n}-cube: its dimensions are 0 to {last}", last = n - 1)]
    Dim {
        /// The node at one end.
        node: u64,
        /// The dimension asked for.
        dim: u64,
        /// Dimension of the cube.
        n: u32,
    },
    /// A faulty node is listed twice.
    #[error("faulty node {node} is listed twice")]
    DuplicateNode {
        /// The node.
        node: u32,
    },
    /// A faulty link is listed twice, perhaps once from each end.
    #[error("faulty link ({node}, {dim}) is listed twice; (u, i) and (u xor 2^i, i) are the same link")]
    DuplicateLink {
        /// The end as listed.
        node: u32,
        /// The dimension.
        dim: u32,
    },
    /// More faulty nodes than nodes.
    #[error("{asked} faulty nodes asked for, but the {n}-cube has {nodes} nodes")]
    TooManyNodes {
        /// Faulty nodes asked for.
        asked: u64,
        /// Nodes of the cube.
        nodes: u64,
        /// Dimension of the cube.
        n: u32,
    },
    /// More faulty links than links, or than links between nonfaulty nodes where only those may fail.
    #[error("{asked} faulty links asked for, but only {links} links of the {n}-cube can fail")]
    TooManyLinks {
        /// Faulty links asked for.
        asked: u64,
        /// Links that can fail.
        links: u64,
        /// Dimension of the cube.
        n: u32,
    },
    /// A rate is no probability.
    #[error("fault rate {rate} is not between 0 and 1")]
    Rate {
        /// The rate given.
        rate: f64,
    },
    /// The parameter of an extended safety vector is out of range.
    #[error("the extended safety vector of a {n}-cube takes d from 1 to {n}, not {d}")]
    Distance {
        /// The parameter.
        d: u32,
        /// Dimension of the cube.
        n: u32,
    },
    /// An extended safety vector takes too long to compute.
    #[error("esv{d} of a {n}-cube takes minutes to hours for each fault set; at most esv{most} is computed there")]
    TooExact {
        /// The parameter.
        d: u32,
        /// Dimension of the cube.
        n: u32,
        /// The largest parameter that is computed.
        most: u32,
    },
    /// A source or destination is faulty.
    #[error("the {role} {node} is faulty: it can neither send nor receive")]
    FaultyEnd {
        /// "source" or "destination".
        role: &'static str,
        /// The node.
        node: u32,
    },
    /// A study asks for something that cannot be counted.
    #[error("{0}")]
    Study(String),
    /// The fault set of one cell of a study cannot be drawn.
    #[error("cell {cell}, fault set {set}: {reason}")]
    FaultSet {
        /// The cell: dimension and faults.
        cell: String,
        /// Fault set index within the cell.
        set: u64,
        /// What is wrong.
        reason: Box<CubeError>,
    },
    /// A file of reference values cannot be understood.
    #[error("reference line {line}: {reason}")]
    Reference {
        /// Line number, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}
