//! The keys of the table `[cube]`.

use super::cube::MAX_DIMENSION;
use super::exact::MAX_TABLE_DIMENSION;
use crate::config::{Applies, Default, Key, Kind};

/// More faults than any cube has links.
pub(super) const MAX_FAULTS: i64 = (MAX_DIMENSION as i64) << (MAX_DIMENSION - 1);

/// The highest node of the largest cube.
pub(super) const MAX_NODE: i64 = (1 << MAX_DIMENSION) - 1;

/// The names that `cube.models` takes.
const MODELS: &[&str] = &[
    "global",
    "safe-unsafe",
    "extended-safe",
    "safety-level",
    "safety-vector",
    "esv1",
    "esv2",
    "esv3",
    "esv4",
    "esv5",
    "esv6",
    "esv7",
    "esv8",
    "esv9",
    "esv10",
    "esv11",
    "esv12",
    "esv13",
    "esv14",
    "esv15",
    "esv16",
    "esv17",
    "esv18",
    "esv19",
    "esv20",
];

const BY_COUNT: Applies = Applies::When { key: "cube.placement", values: &["count"] };
const BY_RATE: Applies = Applies::When { key: "cube.placement", values: &["rate"] };
const BY_LIST: Applies = Applies::When { key: "cube.placement", values: &["list"] };

pub(super) const fn key(
    path: &'static str,
    kind: Kind,
    default: Default,
    applies: Applies,
    unit: &'static str,
    doc: &'static str,
) -> Key {
    Key { path, kind, default, applies, unit, doc }
}

const fn int(path: &'static str, min: i64, max: i64, default: i64, unit: &'static str, doc: &'static str) -> Key {
    key(path, Kind::Int { min, max }, Default::Int(default), Applies::Always, unit, doc)
}

const fn rate(path: &'static str, applies: Applies, doc: &'static str) -> Key {
    key(path, Kind::Float { min: 0.0, max: 1.0 }, Default::Float(0.0), applies, "", doc)
}

pub(super) const fn node_fault_rate(path: &'static str, applies: Applies) -> Key {
    rate(path, applies, "Probability that a node is faulty.")
}

pub(super) const fn link_fault_rate(path: &'static str, applies: Applies) -> Key {
    rate(path, applies, "Probability that a link between nonfaulty nodes is faulty.")
}

pub(super) const fn faulty_nodes(path: &'static str, applies: Applies) -> Key {
    key(path, Kind::Ints { min: 0, max: MAX_NODE }, Default::Unset, applies, "", "Faulty nodes; none if not given.")
}

pub(super) const fn faulty_links(path: &'static str, applies: Applies) -> Key {
    let kind = Kind::Pairs { max: [MAX_NODE, MAX_DIMENSION as i64 - 1] };
    key(
        path,
        kind,
        Default::Unset,
        applies,
        "",
        "Faulty links `[u, i]`: node u at either end, and dimension i; none if not given.",
    )
}

/// Every key of `[cube]`.
pub const KEYS: &[Key] = &[
    int("cube.n", 1, MAX_DIMENSION as i64, 8, "", "Dimension of the cube: 2^n nodes."),
    key(
        "cube.placement",
        Kind::Choice(&["count", "rate", "list"]),
        Default::Text("count"),
        Applies::Always,
        "",
        "How faults are placed: `count` draws a number of them without repetition, `rate` fails each node and link with a \
         probability, `list` takes them as given.",
    ),
    key(
        "cube.faults",
        Kind::Ints { min: 0, max: MAX_FAULTS },
        Default::Required,
        BY_COUNT,
        "faults",
        "Numbers of faults: one row of the table each.",
    ),
    key(
        "cube.mix",
        Kind::Names(&["node", "half", "link"]),
        Default::Unset,
        BY_COUNT,
        "",
        "What the faults are: `node` all nodes, `half` half nodes (rounded up) and half links, `link` all links. Not given: all \
         three in turn.",
    ),
    key(
        "cube.link_faults",
        Kind::Choice(&["apart", "anywhere"]),
        Default::Text("apart"),
        BY_COUNT,
        "",
        "Which links a link fault may hit: `apart` only those between nonfaulty nodes, `anywhere` also links at faulty nodes, as \
         the published tables did.",
    ),
    node_fault_rate("cube.node_fault_rate", BY_RATE),
    link_fault_rate("cube.link_fault_rate", BY_RATE),
    faulty_nodes("cube.faulty_nodes", BY_LIST),
    faulty_links("cube.faulty_links", BY_LIST),
    key(
        "cube.models",
        Kind::Names(MODELS),
        Default::Unset,
        Applies::Always,
        "",
        "Whose knowledge decides: `global` information, a coding method, or `esv<d>`, the extended safety vector with exact knowledge \
         within distance d (at most n). Not given: those of the published tables, which are global, safety-vector, esv2 and esv3.",
    ),
    key(
        "cube.criterion",
        Kind::Choice(&["table", "text", "both"]),
        Default::Text("table"),
        Applies::Always,
        "",
        "How the source decides: `text` is sound and routes, `table` counts as the published tables were counted, `both` counts \
         both. Global information has no criterion.",
    ),
    int("cube.sets", 1, 1_000_000, 100, "fault sets", "Fault sets per row of the table; standard errors are over these."),
    int(
        "cube.pairs",
        0,
        1_000_000_000,
        200_000,
        "pairs",
        "Pairs of distinct nonfaulty nodes drawn per fault set; 0 counts every ordered pair once (up to 12 dimensions).",
    ),
    int("cube.seed", 0, i64::MAX, 1, "", "Seed of fault sets and pairs."),
];

const _: () = assert!(MAX_TABLE_DIMENSION == 12, "the text of `cube.pairs` names the limit");

/// What a results file is compared with. It changes no result, so it does not stand in `[cube]`.
pub const REFERENCE: Key = key(
    "output.reference",
    Kind::Path,
    Default::Unset,
    Applies::Always,
    "",
    "CSV file of published percentages to print beside ours, with the columns mix, faults and some of op_n, op_3, sv_op, sv_sub, \
     esv_op, esv_sub; see docs/hypercube.md.",
);
