//! The paper's table beside ours, as text.

use std::fmt;

use super::code::Model;
use super::faults::{Faults, Mix};
use super::reference::{Published, Quantity, Reference};
use super::summary::{Estimate, StudySummary};
use super::tally::{Column, Scheme};
use super::unicast::Criterion;

/// How many standard errors two values may lie apart.
const LIMIT: f64 = 3.0;

/// The probability that a normal variable lies further than that from its mean.
const BY_CHANCE: f64 = 0.0027;

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
        let column_of = |q: &Quantity| study.params.columns.iter().position(|c| c.scheme == q.scheme && is_counted_so(c));
        let quantities = match reference {
            Some(reference) => reference.quantities.clone(),
            None => Quantity::paper().into_iter().filter(|q| column_of(q).is_some()).collect(),
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

    /// Whether a column of a study stands in the table.
    #[must_use]
    pub fn shows(&self, column: &Column) -> bool {
        let counts_it = |q: &Quantity| q.scheme == column.scheme;
        self.quantities.iter().any(counts_it) && is_counted_so(column)
    }

    /// What the lines and marks mean, in words; `sets` is our number of fault sets.
    #[must_use]
    pub fn legend(&self, sets: u32) -> String {
        let mut text = format!("ours   percent of all pairs, mean over {sets} fault sets\n");
        text.push_str("+-     its standard error over the fault sets\n");
        let n_compared = self.compared().count();
        if n_compared > 0 {
            text.push_str("paper  the published value\n");
            if self.compared().all(|e| e.stderr.is_nan()) {
                text.push_str("       nothing is marked: a single fault set has no standard error\n");
            } else {
                let outside = self.compared().filter(|e| e.is_outside() && !e.is_misprint()).count();
                let chance = n_compared as f64 * BY_CHANCE;
                text.push_str(&format!(
                    "*      more than {LIMIT} standard errors away from ours, the paper's own sampling error and rounding\n       \
                     included: {outside} of {n_compared} values; chance alone makes {chance:.1} of as many so, if they are independent\n"
                ));
            }
            let misprints = self.compared().filter(|e| e.is_misprint()).count();
            if misprints > 0 {
                text.push_str(&format!(
                    "m      known misprint of the paper, as its file says: {misprints} values, never marked *\n"
                ));
            }
        }
        text.push_str("\nThe columns, all by criterion \"table\":\n");
        for q in &self.quantities {
            let verdict = if q.suboptimal { "suboptimal, H + 2 hops" } else { "optimal, H hops" };
            let scheme = match q.scheme {
                Scheme::Global => "global information".to_string(),
                Scheme::Coded(Model::Extended(d)) => format!("the extended safety vector with d = {d}"),
                Scheme::Coded(model) => format!("the {}", model.name().replace('-', " ")),
            };
            text.push_str(&format!("{:<9} {verdict}, by {scheme}\n", q.label));
        }
        text
    }
}

/// Whether a column counts as the published tables do.
fn is_counted_so(column: &Column) -> bool {
    column.scheme == Scheme::Global || column.criterion == Criterion::Table
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
pub(super) fn number(x: f64, decimals: usize) -> String {
    if x.is_finite() {
        format!("{x:.decimals$}")
    } else {
        "-".to_string()
    }
}
