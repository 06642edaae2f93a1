//! The finished points of a study as columns: what the summary, the table and the figure are made from.

use super::record::StudyKind;

/// All finished points of a results file.
#[derive(Clone, Debug, PartialEq)]
pub struct PointTable {
    /// What was studied.
    pub kind: StudyKind,
    /// Index of each finished point, ascending.
    pub points: Vec<u64>,
    /// Points of the whole study, finished or not.
    pub n_points: usize,
    /// One column per swept key, in the order of the input.
    pub axes: Vec<TableColumn>,
    /// The columns of `stats::COLUMNS` or `hypercube::COLUMNS`, in that order.
    pub columns: Vec<TableColumn>,
}

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub struct TableColumn {
    /// Name.
    pub name: String,
    /// Unit; "1" for a pure number, empty for words.
    pub unit: String,
    /// Definition in one sentence.
    pub long_name: String,
    /// One value per finished point.
    pub values: Values,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Whole numbers.
    Int(Vec<i64>),
    /// Counts.
    Count(Vec<u64>),
    /// Numbers.
    Float(Vec<f64>),
    /// Words.
    Text(Vec<String>),
}

impl Values {
    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Values::Int(v) => v.len(),
            Values::Count(v) => v.len(),
            Values::Float(v) => v.len(),
            Values::Text(v) => v.len(),
        }
    }

    /// The values at `rows`, in that order.
    #[must_use]
    pub fn pick(&self, rows: &[usize]) -> Self {
        match self {
            Values::Int(v) => Values::Int(rows.iter().map(|&r| v[r]).collect()),
            Values::Count(v) => Values::Count(rows.iter().map(|&r| v[r]).collect()),
            Values::Float(v) => Values::Float(rows.iter().map(|&r| v[r]).collect()),
            Values::Text(v) => Values::Text(rows.iter().map(|&r| v[r].clone()).collect()),
        }
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at `row`; `None` for a word.
    #[must_use]
    pub fn number(&self, row: usize) -> Option<f64> {
        match self {
            Values::Int(v) => Some(v[row] as f64),
            Values::Count(v) => Some(v[row] as f64),
            Values::Float(v) => Some(v[row]),
            Values::Text(_) => None,
        }
    }

    /// The value at `row` as text, exact.
    #[must_use]
    pub fn text(&self, row: usize) -> String {
        match self {
            Values::Int(v) => v[row].to_string(),
            Values::Count(v) => v[row].to_string(),
            // `{:?}` is the shortest text that reads back as the same number, with an exponent where it is shorter.
            Values::Float(v) => format!("{:?}", v[row]),
            Values::Text(v) => v[row].clone(),
        }
    }
}

/// Whether a column is a mean over measured packets, and so means nothing without any.
#[must_use]
pub(super) fn needs_packets(column: &str) -> bool {
    column == "hops" || column.starts_with("packet_latency") || column.starts_with("network_latency")
}

impl PointTable {
    /// The column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&TableColumn> {
        self.columns.iter().find(|c| c.name == name)
    }

    /// The number in column `name` at `row`; `None` if there is no such column or it holds words.
    #[must_use]
    pub fn number(&self, name: &str, row: usize) -> Option<f64> {
        self.column(name)?.values.number(row)
    }

    /// False where no packet was measured at `row`: then its latencies and hops are no measurements.
    #[must_use]
    pub fn has_latency(&self, row: usize) -> bool {
        self.number("packets_measured", row).is_some_and(|n| n > 0.0)
    }

    /// False where column `name` holds a 0 for want of anything measured at `row`.
    #[must_use]
    pub fn is_measured(&self, name: &str, row: usize) -> bool {
        let exceeds = |name: &str, limit: f64| self.number(name, row).is_some_and(|v| v > limit);
        match self.kind {
            StudyKind::Simulation => self.has_latency(row) || !needs_packets(name),
            StudyKind::Hypercube if name.starts_with("detour") && !exceeds("optimal", 0.0) && !exceeds("suboptimal", 0.0) => {
                false
            }
            StudyKind::Hypercube if name.ends_with("_stderr") => exceeds("sets_counted", 1.0),
            StudyKind::Hypercube => exceeds("sets_counted", 0.0) || self.column(name).is_none_or(|c| c.unit != "percent"),
        }
    }

    /// False where latency has no steady value at `row`.
    #[must_use]
    pub fn is_steady(&self, row: usize) -> bool {
        self.number("latency_steady", row) == Some(1.0)
    }
}
