//! The paper's table beside ours, and a table of everything else a study counts, as text.

use std::fmt::{self, Write as _};

use super::faults::{Faults, Mix};
use super::reference::{Published, Quantity, Reference};
use super::summary::{ColumnSummary, Estimate, StudySummary};
use super::tally::Scheme;
use super::unicast::Criterion;

/// How many standard errors two values may lie apart.
const LIMIT: f64 = 3.0;

/// One value of ours beside the published one.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Our value, percent.
    pub ours: Estimate,
    /// The published one, if any.
    pub published: Option<Published>,
    /// Standard error of the difference: ours, that of the published value (taken as ours scaled to its number of fault
    /// sets) and its rounding.
    pub stderr: f64,
}

impl Entry {
    /// Distance of the two values in standard errors of the difference; `None` without a published value.
    #[must_use]
    pub fn z(&self) -> Option<f64> {
        self.published.as_ref().map(|p| (self.ours.mean - p.value) / self.stderr)
    }

    /// Whether the two values lie more than three standard errors apart.
    #[must_use]
    pub fn is_outside(&self) -> bool {
        self.z().is_some_and(|z| z.abs() > LIMIT)
    }

    /// Whether the published value is a known misprint.
    #[must_use]
    pub fn is_misprint(&self) -> bool {
        self.published.as_ref().is_some_and(|p| p.misprint)
    }
}

/// One row: a mix and number of faults.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What the faults are.
    pub mix: Mix,
    /// How many.
    pub faults: u32,
    /// One per quantity; `None` if the study has no such column.
    pub entries: Vec<Option<Entry>>,
}

/// A study beside a published table. Displays as text, three lines per row.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Columns.
    pub quantities: Vec<Quantity>,
    /// Rows: the cells of the study whose faults are given by number and mix.
    pub rows: Vec<Row>,
}

impl Comparison {
    /// Reads `study` against `reference`; without one, shows the columns of the paper alone.
    #[must_use]
    pub fn new(study: &StudySummary, reference: Option<&Reference>) -> Self {
        let quantities = reference.map_or_else(Quantity::paper, |r| r.quantities.clone());
        let column_of = |q: &Quantity| {
            let counts_it = |scheme, criterion| scheme == q.scheme && (scheme == Scheme::Global || criterion == Criterion::Table);
            study.params.columns.iter().position(|c| counts_it(c.scheme, c.criterion))
        };
        let rows = study
            .cells
            .iter()
            .filter_map(|cell| {
                let Faults::Count { faults, mix, .. } = cell.cell.faults else { return None };
                let published = reference.and_then(|r| r.row(mix, faults));
                let entries = (0..quantities.len())
                    .map(|q| {
                        let column = &cell.columns[column_of(&quantities[q])?];
                        let ours = if quantities[q].suboptimal { column.suboptimal } else { column.optimal };
                        let value = published.and_then(|row| row.values[q].clone());
                        let their_sets = published.and_then(|row| row.sets);
                        Some(Entry {
                            ours,
                            stderr: difference_stderr(ours, study.params.sets, &value, their_sets),
                            published: value,
                        })
                    })
                    .collect();
                Some(Row { mix, faults, entries })
            })
            .collect();
        Self { quantities, rows }
    }

    /// All values that have a published counterpart.
    pub fn compared(&self) -> impl Iterator<Item = &Entry> {
        self.rows.iter().flat_map(|row| row.entries.iter().flatten()).filter(|e| e.published.is_some())
    }

    fn has_reference(&self) -> bool {
        self.compared().next().is_some()
    }
}

/// Standard error of the difference between our value and a published one.
fn difference_stderr(ours: Estimate, our_sets: u32, published: &Option<Published>, their_sets: Option<u32>) -> f64 {
    let Some(published) = published else { return ours.stderr };
    let theirs = their_sets.map_or(0.0, |sets| f64::from(our_sets) / f64::from(sets.max(1)));
    // Rounding to a unit has the variance of a uniform distribution.
    (ours.stderr.powi(2) * (1.0 + theirs) + published.unit().powi(2) / 12.0).sqrt()
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<5} {:>6} {:<6}", "mix", "faults", "")?;
        for q in &self.quantities {
            write!(f, " {:>9} ", q.label)?;
        }
        writeln!(f)?;
        for row in &self.rows {
            let decimals = |q: usize| if self.quantities[q].suboptimal { 3 } else { 2 };
            write!(f, "{:<5} {:>6} {:<6}", row.mix.name(), row.faults, "ours")?;
            write_values(f, &row.entries, |q, e| format!("{} ", number(e.ours.mean, decimals(q))))?;
            write!(f, "{:<5} {:>6} {:<6}", "", "", "+-")?;
            write_values(f, &row.entries, |q, e| format!("{} ", number(e.ours.stderr, decimals(q))))?;
            if row.entries.iter().flatten().any(|e| e.published.is_some()) {
                write!(f, "{:<5} {:>6} {:<6}", "", "", "paper")?;
                write_values(f, &row.entries, |_, e| {
                    let mark = if e.is_misprint() { 'm' } else { [' ', '*'][usize::from(e.is_outside())] };
                    e.published.as_ref().map_or("- ".to_string(), |p| format!("{}{mark}", p.text))
                })?;
            }
        }
        if self.has_reference() {
            let outside = self.compared().filter(|e| e.is_outside() && !e.is_misprint()).count();
            let misprints = self.compared().filter(|e| e.is_misprint()).count();
            writeln!(
                f,
                "{} values compared: {outside} outside {LIMIT} standard errors of the difference (*), {misprints} known misprints (m)",
                self.compared().count()
            )?;
        }
        Ok(())
    }
}

/// Writes one line of values, 11 characters each.
fn write_values(f: &mut fmt::Formatter<'_>, entries: &[Option<Entry>], text: impl Fn(usize, &Entry) -> String) -> fmt::Result {
    for (q, entry) in entries.iter().enumerate() {
        write!(f, " {:>10}", entry.as_ref().map_or("- ".to_string(), |e| text(q, e)))?;
    }
    writeln!(f)
}

/// A number, or a dash where there is none.
fn number(x: f64, decimals: usize) -> String {
    if x.is_finite() {
        format!("{x:.decimals$}")
    } else {
        "-".to_string()
    }
}

/// Everything a study counts as text, one line per cell and column: percent optimal, suboptimal, failed, and failed though a path
/// exists, each with its standard error; mean detour in hops; mean rounds and messages of the coding.
#[must_use]
pub fn overview(study: &StudySummary) -> String {
    let mut out = format!(
        "{:<22} {:<14} {:<5} {:>15} {:>15} {:>15} {:>15} {:>8} {:>7} {:>9}\n",
        "cell", "model", "rule", "optimal %", "suboptimal %", "failed %", "though conn. %", "detour", "rounds", "messages"
    );
    for cell in &study.cells {
        for (column, summary) in study.params.columns.iter().zip(&cell.columns) {
            let rule = if column.scheme == Scheme::Global { "" } else { column.criterion.name() };
            write_line(&mut out, &cell.cell.describe(), &column.scheme.name(), rule, summary);
        }
    }
    out
}

fn write_line(out: &mut String, cell: &str, model: &str, rule: &str, c: &ColumnSummary) {
    let estimate = |e: Estimate| format!("{} +-{}", number(e.mean, 3), number(e.stderr, 3));
    writeln!(
        out,
        "{cell:<22} {model:<14} {rule:<5} {:>15} {:>15} {:>15} {:>15} {:>8} {:>7} {:>9}",
        estimate(c.optimal),
        estimate(c.suboptimal),
        estimate(c.failed),
        estimate(c.failed_connected),
        number(c.detour.mean, 4),
        number(c.rounds, 1),
        number(c.messages, 0)
    )
    .expect("writing to a string cannot fail");
}
