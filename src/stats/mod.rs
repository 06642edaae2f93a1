//! Statistics of a run: integer counters and histograms that merge exactly, and the report made of them.

mod counters;
mod histogram;
mod interval;
mod phases;
mod report;
mod rules;
mod summary;

pub use counters::{Arrived, Batch, Failed, Measured, Period, Totals, Window};
pub use histogram::Histogram;
pub use interval::interval;
pub use phases::{Phases, Step};
pub use report::{Bins, Cell, Column, Latency, Load, Messages, PointReport, Series, Status, COLUMNS};
pub use rules::{Goal, Rules, KEYS};
pub use summary::{report, Listed, Sizes};
