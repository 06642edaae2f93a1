//! From counts to percentages: what the fault sets of a cell say together, and how certain it is.

use super::error::CubeError;
use super::study::{Cell, SetResult, Study, StudyParams};
use super::tally::Counts;

/// A mean over fault sets with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Mean; not a number if there was nothing to count.
    pub mean: f64,
    /// Standard error of the mean over fault sets; not a number for fewer than two sets.
    pub stderr: f64,
}

impl Estimate {
    /// The mean and standard error of `values`.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Self { mean, stderr: (variance / n).sqrt() }
    }
}

/// One column of one cell. Percentages are of all pairs, with standard errors over fault sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnSummary {
    /// Declared optimal, percent.
    pub optimal: Estimate,
    /// Declared suboptimal, percent.
    pub suboptimal: Estimate,
    /// Declared failures, percent.
    pub failed: Estimate,
    /// Declared failures although a path exists, percent.
    pub failed_connected: Estimate,
    /// Mean hops beyond the Hamming distance of what is delivered.
    pub detour: Estimate,
    /// Mean rounds of neighbour exchange.
    pub rounds: f64,
    /// Most rounds of any fault set.
    pub max_rounds: u64,
    /// Mean messages.
    pub messages: f64,
}

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellSummary {
    /// What was studied.
    pub cell: Cell,
    /// Fault sets with two nonfaulty nodes at least: what the percentages are means over.
    pub sets: u64,
    /// Pairs decided over all fault sets.
    pub pairs: u64,
    /// Mean faulty nodes of a fault set.
    pub faulty_nodes: f64,
    /// Mean faulty links of a fault set, those at faulty nodes included.
    pub faulty_links: f64,
    /// Pairs with any path at all, percent.
    pub connected: Estimate,
    /// One per column of the study.
    pub columns: Vec<ColumnSummary>,
}

/// A whole study.
#[derive(Clone, Debug, PartialEq)]
pub struct StudySummary {
    /// What was computed.
    pub params: StudyParams,
    /// One per cell, in order.
    pub cells: Vec<CellSummary>,
}

impl Study {
    /// Joins the results of all fault sets, in whatever order they come; the outcome does not depend on it.
    ///
    /// # Errors
    /// If a fault set is missing or there twice.
    pub fn merge(&self, mut results: Vec<SetResult>) -> Result<StudySummary, CubeError> {
        results.sort_unstable_by_key(|r| (r.cell, r.set));
        let sets = self.params().sets;
        let complete = results.len() as u64 == self.n_sets()
            && (0u64..).zip(&results).all(|(i, r)| {
                (u64::from(r.cell), u64::from(r.set)) == (i / u64::from(sets), i % u64::from(sets))
                    && r.counts.len() == self.params().columns.len()
            });
        if !complete {
            return Err(CubeError::Study(format!(
                "{} results do not make up the {} fault sets of the study, each once",
                results.len(),
                self.n_sets()
            )));
        }
        let cells = self
            .params()
            .cells
            .iter()
            .zip(results.chunks(sets as usize))
            .map(|(cell, results)| CellSummary::of(cell, results))
            .collect();
        Ok(StudySummary { params: self.params().clone(), cells })
    }
}

impl CellSummary {
    /// The summary of all fault sets of `cell`, of which there is at least one. Fault sets without pairs (fewer than two nonfaulty
    /// nodes) say nothing and are left out of percentages.
    #[must_use]
    pub fn of(cell: &Cell, results: &[SetResult]) -> Self {
        let counted: Vec<&SetResult> = results.iter().filter(|r| r.pairs > 0).collect();
        let percent = |count: &dyn Fn(&SetResult) -> u64| {
            Estimate::of(&counted.iter().map(|r| 100.0 * count(r) as f64 / r.pairs as f64).collect::<Vec<_>>())
        };
        let columns = (0..results[0].counts.len())
            .map(|c| {
                let detours: Vec<f64> = counted.iter().filter_map(|r| detour(&r.counts[c])).collect();
                let mean = |count: fn(&Counts) -> u64| {
                    results.iter().map(|r| count(&r.counts[c])).sum::<u64>() as f64 / results.len() as f64
                };
                ColumnSummary {
                    optimal: percent(&|r| r.counts[c].optimal),
                    suboptimal: percent(&|r| r.counts[c].suboptimal),
                    failed: percent(&|r| r.pairs - r.counts[c].optimal - r.counts[c].suboptimal),
                    failed_connected: percent(&|r| r.counts[c].failed_connected),
                    detour: Estimate::of(&detours),
                    rounds: mean(|c| c.rounds),
                    max_rounds: results.iter().map(|r| r.counts[c].rounds).max().unwrap_or(0),
                    messages: mean(|c| c.messages),
                }
            })
            .collect();
        let mean = |count: fn(&SetResult) -> u64| results.iter().map(count).sum::<u64>() as f64 / results.len() as f64;
        Self {
            cell: cell.clone(),
            sets: counted.len() as u64,
            pairs: results.iter().map(|r| r.pairs).sum(),
            faulty_nodes: mean(|r| r.faulty_nodes),
            faulty_links: mean(|r| r.faulty_links),
            connected: percent(&|r| r.connected),
            columns,
        }
    }
}

/// Hops beyond the Hamming distance per delivered unicast: 2 for each suboptimal one.
fn detour(counts: &Counts) -> Option<f64> {
    let delivered = counts.optimal + counts.suboptimal;
    (delivered > 0).then(|| 2.0 * counts.suboptimal as f64 / delivered as f64)
}
