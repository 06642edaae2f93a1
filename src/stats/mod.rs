//! Statistics of a run: integer counters and histograms that merge exactly, and the report made of them.

mod counters;
mod histogram;
mod phases;
mod report;
mod summary;

pub use counters::{Arrived, Batch, Failed, Measured, Period, Totals, Window};
pub use histogram::Histogram;
pub use phases::{interval, Goal, Phases, Rules, Step, KEYS};
pub use report::{Bins, Cell, Column, Latency, Load, Messages, PointReport, Series, Status, COLUMNS};
pub use summary::{report, Listed, Sizes};
