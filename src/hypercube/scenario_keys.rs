//! The keys of the table `[faults]`: what is broken in a simulated hypercube from the start, and what breaks while it runs. Where
//! they mean the same as keys of `[cube]`, they have the same names and values.

use super::cube::MAX_DIMENSION;
use super::keys::{faulty_links, faulty_nodes, key, link_fault_rate, node_fault_rate, MAX_FAULTS, MAX_NODE};
use crate::config::{Applies, Default, Key, Kind};

const HYPERCUBE: Applies = Applies::When { key: "network.topology", values: &["hypercube"] };
const BY_COUNT: Applies = Applies::When { key: PLACEMENT, values: &["count"] };
const BY_RATE: Applies = Applies::When { key: PLACEMENT, values: &["rate"] };
const BY_LIST: Applies = Applies::When { key: PLACEMENT, values: &["list"] };
const DRAWN: Applies = Applies::When { key: PLACEMENT, values: &["count", "rate"] };

/// The last cycle that a run can have.
const MAX_CYCLE: i64 = (1 << 32) - 1;

/// The key that says where faults come from.
pub(super) const PLACEMENT: &str = "faults.placement";
/// See [`PLACEMENT`].
pub(super) const COUNT: &str = "faults.count";
/// See [`PLACEMENT`].
pub(super) const NODES: &str = "faults.faulty_nodes";
/// See [`PLACEMENT`].
pub(super) const LINKS: &str = "faults.faulty_links";
/// Nodes that fail during the run.
pub(super) const NODE_FAILURES: &str = "faults.node_failures";
/// Links that fail during the run.
pub(super) const LINK_FAILURES: &str = "faults.link_failures";

/// Every key of `[faults]`.
pub const FAULT_KEYS: &[Key] = &[
    key(
        PLACEMENT,
        Kind::Choice(&["none", "count", "rate", "list"]),
        Default::Text("none"),
        HYPERCUBE,
        "",
        "What is faulty from the start: nothing; `count` draws a number of faults without repetition; `rate` fails each node and \
         link with a probability; `list` takes them as given. Faults need one of the routings ecube, safety-level, safety-vector \
         and esv; endpoints at faulty nodes neither send nor receive.",
    ),
    key(COUNT, Kind::Int { min: 0, max: MAX_FAULTS }, Default::Required, BY_COUNT, "faults", "Number of faults."),
    key(
        "faults.mix",
        Kind::Choice(&["node", "half", "link"]),
        Default::Text("node"),
        BY_COUNT,
        "",
        "What the faults are: `node` all nodes, `half` half nodes (rounded up) and half links, `link` all links.",
    ),
    key(
        "faults.link_faults",
        Kind::Choice(&["apart", "anywhere"]),
        Default::Text("apart"),
        BY_COUNT,
        "",
        "Which links a link fault may hit: `apart` only those between nonfaulty nodes, `anywhere` also links at faulty nodes.",
    ),
    node_fault_rate("faults.node_fault_rate", BY_RATE),
    link_fault_rate("faults.link_fault_rate", BY_RATE),
    faulty_nodes(NODES, BY_LIST),
    faulty_links(LINKS, BY_LIST),
    key(
        "faults.seed",
        Kind::Int { min: 0, max: i64::MAX },
        Default::Int(1),
        DRAWN,
        "",
        "Seed of the faults that are drawn; traffic has its own, so that both can be changed alone.",
    ),
    key(
        NODE_FAILURES,
        Kind::Pairs { max: [MAX_CYCLE, MAX_NODE] },
        Default::Unset,
        HYPERCUBE,
        "",
        "Nodes that fail while the network runs: `[t, u]`, node u in cycle t with all its links. What is in it or on its channels \
         is lost. Needs packets of one flit.",
    ),
    key(
        LINK_FAILURES,
        Kind::Triples { max: [MAX_CYCLE, MAX_NODE, MAX_DIMENSION as i64 - 1] },
        Default::Unset,
        HYPERCUBE,
        "",
        "Links that fail while the network runs: `[t, u, i]`, in cycle t the link of node u along dimension i. What is on it is \
         lost, what waits for it is routed again. Needs packets of one flit.",
    ),
];
