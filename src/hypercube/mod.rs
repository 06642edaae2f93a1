//! Hypercubes with faults: coded fault information, unicasting by it, and the study of how often an optimal path is
//! guaranteed (Wu, Gao, Li, Min, "Optimal Fault-Tolerant Routing in Hypercubes Using Extended Safety Vectors", 2000).
//!
//! A pure library: `Cube` holds the faults, `Code` what each node knows under a `Model`, `unicast` decides and routes by it,
//! `Study` counts decisions over many fault sets, `table` reads the counts against published ones, `explain` shows one unicast.
//! For simulations, `Scenario` is a cube whose faults come over time, `Spread` how nodes hear of them, `Knowledge` what packets
//! are sent by. Statuses of all nodes are computed 64 at a time as bit planes. It knows no ranks, files or clocks.

mod code;
mod columns;
mod connectivity;
mod cube;
mod error;
mod exact;
mod explain;
mod extended_safe;
mod extended_safety_vector;
mod faults;
mod input;
mod keys;
mod knowledge;
mod near;
mod planes;
mod reference;
mod report;
mod safe_unsafe;
mod safety_level;
mod safety_vector;
mod scenario;
mod scenario_keys;
mod search;
mod spread;
mod study;
mod summary;
mod table;
mod tally;
mod unicast;

pub use code::{Code, Cost, Model};
pub use columns::{CubeColumn, Number, COLUMNS};
pub use connectivity::Components;
pub use cube::{Cube, MAX_DIMENSION};
pub use error::CubeError;
pub use exact::{AllPairs, MAX_TABLE_DIMENSION};
pub use explain::explain;
pub use faults::{Faults, LinkPlacement, Mix};
pub use keys::{KEYS, REFERENCE};
pub use knowledge::{Directions, Knowledge};
pub use reference::{Published, Quantity, Reference, ReferenceRow};
pub use report::{report, ReportedStudy};
pub use scenario::{Failure, Part, Scenario, NEVER};
pub use scenario_keys::FAULT_KEYS;
pub use search::{distances, minimal_first_hops, PathSearch};
pub use spread::{Method, Spread, Stage};
pub use study::{all_columns, paper_columns, Cell, SetResult, Study, StudyParams};
pub use summary::{CellSummary, ColumnSummary, Estimate, StudySummary};
pub use table::{Comparison, Entry, Row};
pub use tally::{Column, Counts, Pairs, Scheme};
pub use unicast::{decide, minimal_dims, route, Criterion, Decision, Ground, Hop, Route, Verdict};
