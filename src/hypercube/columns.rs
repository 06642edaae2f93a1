//! Everything that a study counts, as columns: name, unit, definition and getter, for all outputs.

use super::summary::{CellSummary, ColumnSummary, Estimate};

/// A value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A count.
    Count(u64),
    /// A number; not a number where there was nothing to count.
    Float(f64),
}

/// A column of a study's results.
pub struct CubeColumn {
    /// Name in every output.
    pub name: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Definition in one sentence.
    pub long_name: &'static str,
    /// Its value for a cell and a column of the study.
    pub get: fn(&CellSummary, &ColumnSummary) -> Number,
}

/// A column and its standard error.
macro_rules! estimate {
    ($name:literal, $unit:literal, $long_name:literal, $get:expr) => {{
        const GET: fn(&CellSummary, &ColumnSummary) -> Estimate = $get;
        [
            CubeColumn {
                name: $name,
                unit: $unit,
                long_name: $long_name,
                get: |cell, column| Number::Float(GET(cell, column).mean),
            },
            CubeColumn {
                name: concat!($name, "_stderr"),
                unit: $unit,
                long_name: concat!("standard error of ", $name, " over fault sets; 0 for fewer than two of them"),
                get: |cell, column| Number::Float(GET(cell, column).stderr),
            },
        ]
    }};
}

const CONNECTED: [CubeColumn; 2] = estimate!("connected", "percent", "pairs with any healthy path", |cell, _| cell.connected);
const OPTIMAL: [CubeColumn; 2] =
    estimate!("optimal", "percent", "pairs that the source declares optimal: H hops, H the Hamming distance", |_, c| c.optimal);
const SUBOPTIMAL: [CubeColumn; 2] =
    estimate!("suboptimal", "percent", "pairs that the source declares suboptimal: H + 2 hops", |_, c| c.suboptimal);
const FAILED: [CubeColumn; 2] = estimate!("failed", "percent", "pairs that the source declares failures", |_, c| c.failed);
const FAILED_CONNECTED: [CubeColumn; 2] =
    estimate!("failed_connected", "percent", "pairs declared failures although a healthy path exists", |_, c| c.failed_connected);
const DETOUR: [CubeColumn; 2] = estimate!(
    "detour",
    "hops",
    "hops beyond H of a declared unicast, mean over fault sets; 0 where nothing is delivered",
    |_, c| c.detour
);

const fn count(
    name: &'static str,
    unit: &'static str,
    long_name: &'static str,
    get: fn(&CellSummary, &ColumnSummary) -> Number,
) -> CubeColumn {
    CubeColumn { name, unit, long_name, get }
}

const SETS: CubeColumn = count(
    "sets_counted",
    "fault sets",
    "fault sets with at least two nonfaulty nodes; the percentages are means over these and 0 if there are none",
    |cell, _| Number::Count(cell.sets),
);
const PAIRS: CubeColumn = count("pairs", "pairs", "pairs decided over all fault sets", |cell, _| Number::Count(cell.pairs));
const NODES: CubeColumn =
    count("faulty_nodes", "nodes", "mean faulty nodes of a fault set", |cell, _| Number::Float(cell.faulty_nodes));
const LINKS: CubeColumn =
    count("faulty_links", "links", "mean faulty links of a fault set, those at faulty nodes included", |cell, _| {
        Number::Float(cell.faulty_links)
    });
const ROUNDS: CubeColumn =
    count("rounds", "rounds", "mean rounds of neighbour exchange that the model takes, 0 for global information", |_, c| {
        Number::Float(c.rounds)
    });
const MAX_ROUNDS: CubeColumn = count("max_rounds", "rounds", "most rounds of any fault set", |_, c| Number::Count(c.max_rounds));
const MESSAGES: CubeColumn = count("messages", "messages", "mean messages of these rounds", |_, c| Number::Float(c.messages));

/// All columns, in the order of the outputs.
pub const COLUMNS: &[&CubeColumn] = &[
    &SETS,
    &PAIRS,
    &NODES,
    &LINKS,
    &CONNECTED[0],
    &CONNECTED[1],
    &OPTIMAL[0],
    &OPTIMAL[1],
    &SUBOPTIMAL[0],
    &SUBOPTIMAL[1],
    &FAILED[0],
    &FAILED[1],
    &FAILED_CONNECTED[0],
    &FAILED_CONNECTED[1],
    &DETOUR[0],
    &DETOUR[1],
    &ROUNDS,
    &MAX_ROUNDS,
    &MESSAGES,
];
