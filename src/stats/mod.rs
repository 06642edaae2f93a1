//! Statistics of a run: integer counters and histograms that merge exactly, and the report made of them.

mod report;

pub use report::{Bins, Cell, Column, Latency, Load, PointReport, Series, Status, COLUMNS};
