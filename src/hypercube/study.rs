//! The Monte Carlo study: fault counts x mixes, each over many fault sets, each decided for many pairs under every column.
//!
//! A fault set is the unit of work. Its faults and pairs depend on (seed, its cell, its number) only, and its result is integers, so
//! a study gives the same answer whoever computes which sets, in whatever order: on threads by `run_sets`, on ranks by
//! giving each a range and packing the results for the journey.

use std::ops::Range;

use rayon::prelude::*;

use super::code::Model;
use super::cube::MAX_DIMENSION;
use super::error::CubeError;
use super::exact::MAX_TABLE_DIMENSION;
use super::faults::{Faults, LinkPlacement, Mix};
use super::tally::{tally, Column, Counts, Pairs, Scheme};
use super::unicast::Criterion;
use crate::rng::{mix, Purpose, Stream};

/// One cell of a study: a cube and the faults placed in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Dimension.
    pub n: u32,
    /// Faults of every fault set.
    pub faults: Faults,
}

impl Cell {
    /// The entity of the random streams of fault set `set`: it depends on what the cell is, not on where it stands in a study,
    /// so that adding a cell changes no other.
    fn stream_entity(&self, set: u32) -> u64 {
        let (kind, a, b) = match &self.faults {
            Faults::List { .. } => (0, 0, 0),
            Faults::Count { faults, mix, .. } => (1, u64::from(*faults), *mix as u64),
            Faults::Rate { node, link } => (2, node.to_bits(), link.to_bits()),
        };
        let cell = [u64::from(self.n), kind, a, b].into_iter().fold(0, |key, part| mix(key ^ part));
        cell.wrapping_add(set.into())
    }

    /// Checks that the faults of each of `sets` fault sets can be drawn.
    ///
    /// # Errors
    /// If one cannot, for lack of nodes or links; or a list of faults is wrong.
    pub fn check(&self, seed: u64, sets: u32) -> Result<(), CubeError> {
        let n = self.n;
        // The first set stands for all, unless it depends on where the faulty nodes are if the links suffice: each faulty node
        // takes at most its n links with it.
        let doubtful = match self.faults {
            Faults::Count { faults, mix, links: LinkPlacement::Apart } if (1..=MAX_DIMENSION).contains(&n) => {
                let (nodes, links) = mix.split(faults);
                u64::from(links) + u64::from(nodes) * u64::from(n) > u64::from(n) << (n - 1)
            }
            _ => false,
        };
        let place = |set: u32| {
            let located = |reason| CubeError::FaultSet { cell: self.describe(), set: set.into(), reason: Box::new(reason) };
            self.faults.place(n, seed, self.stream_entity(set)).map(|_| ()).map_err(located)
        };
        place(0)?;
        (1..if doubtful { sets } else { 1 }).into_par_iter().map(place).find_first(Result::is_err).unwrap_or(Ok(()))
    }

    /// A short description: `8-cube, node 20`.
    #[must_use]
    pub fn describe(&self) -> String {
        format!("{}-cube, {}", self.n, self.faults.describe())
    }
}

/// What a study computes.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyParams {
    /// The rows.
    pub cells: Vec<Cell>,
    /// The columns.
    pub columns: Vec<Column>,
    /// Fault sets per cell.
    pub sets: u32,
    /// Pairs per fault set.
    pub pairs: Pairs,
    /// Seed of all streams.
    pub seed: u64,
}

impl StudyParams {
    /// The study of a published table: `fault_counts` x all mixes in n-cubes, with its columns, its 100 fault
    /// sets of 200,000 pairs, and link faults anywhere.
    #[must_use]
    pub fn paper(n: u32, fault_counts: &[u32], seed: u64) -> Self {
        let cells = Mix::ALL
            .into_iter()
            .flat_map(|mix| {
                fault_counts
                    .iter()
                    .map(move |&faults| Cell { n, faults: Faults::Count { faults, mix, links: LinkPlacement::Anywhere } })
            })
            .collect();
        Self { cells, columns: paper_columns(), sets: 100, pairs: Pairs::Sample(200_000), seed }
    }
}

/// The columns of the published tables: global information, safety vectors, extended safety vectors with d = 2 and d = 3.
#[must_use]
pub fn paper_columns() -> Vec<Column> {
    [Scheme::Global, Scheme::Coded(Model::SafetyVector), Scheme::Coded(Model::Extended(2)), Scheme::Coded(Model::Extended(3))]
        .map(|scheme| Column { scheme, criterion: Criterion::Table })
        .to_vec()
}

/// The columns of everything: global information, the four older models and extended safety vectors of the distances `d`, under
/// each of `criteria`.
#[must_use]
pub fn all_columns(d: &[u32], criteria: &[Criterion]) -> Vec<Column> {
    let coded = Model::FIXED.into_iter().chain(d.iter().map(|&d| Model::Extended(d))).map(Scheme::Coded);
    let global = Column { scheme: Scheme::Global, criterion: Criterion::Text };
    std::iter::once(global)
        .chain(coded.flat_map(|scheme| criteria.iter().map(move |&criterion| Column { scheme, criterion })))
        .collect()
}

/// The result of one fault set: integers only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetResult {
    /// Index of the cell.
    pub cell: u32,
    /// Number of the fault set within the cell.
    pub set: u32,
    /// Pairs decided: 0 if fewer than two nodes are nonfaulty.
    pub pairs: u64,
    /// Those with any path at all.
    pub connected: u64,
    /// Faulty nodes.
    pub faulty_nodes: u64,
    /// Faulty links, those at faulty nodes included.
    pub faulty_links: u64,
    /// Per column.
    pub counts: Vec<Counts>,
}

/// A checked study, ready to run.
#[derive(Clone, Debug)]
pub struct Study {
    params: StudyParams,
}

impl Study {
    /// Checks `params`.
    ///
    /// # Errors
    /// If there is nothing to do, a cube or a distance is out of range, or all pairs are asked for of a cube too large.
    pub fn new(params: StudyParams) -> Result<Self, CubeError> {
        let nothing = |what: &str| Err(CubeError::Study(format!("a study needs at least one {what}")));
        if params.cells.is_empty() {
            return nothing("number of faults and mix");
        }
        if params.columns.is_empty() {
            return nothing("model");
        }
        if params.sets == 0 {
            return nothing("fault set");
        }
        if params.pairs == Pairs::Sample(0) {
            return nothing("pair");
        }
        for cell in &params.cells {
            if !(1..=MAX_DIMENSION).contains(&cell.n) {
                return Err(CubeError::Dimension { n: cell.n });
            }
            if params.pairs == Pairs::All && cell.n > MAX_TABLE_DIMENSION {
                return Err(CubeError::Study(format!(
                    "all pairs are counted for at most {MAX_TABLE_DIMENSION} dimensions; sample the {}-cube",
                    cell.n
                )));
            }
            for column in &params.columns {
                if let Scheme::Coded(model) = column.scheme {
                    model.check(cell.n)?;
                }
            }
            cell.check(params.seed, params.sets)?;
        }
        Ok(Self { params })
    }

    /// What it computes.
    #[must_use]
    pub fn params(&self) -> &StudyParams {
        &self.params
    }

    /// Fault sets in all, numbered cell by cell.
    #[must_use]
    pub fn n_sets(&self) -> u64 {
        self.params.cells.len() as u64 * u64::from(self.params.sets)
    }

    /// Computes the fault sets of `range` on the threads of the current pool; results in ascending order.
    ///
    /// # Errors
    /// None for a checked study.
    ///
    /// # Panics
    /// If `range` reaches beyond `n_sets`.
    pub fn run_sets(&self, range: Range<u64>) -> Result<Vec<SetResult>, CubeError> {
        assert!(range.end <= self.n_sets(), "the study has {} fault sets", self.n_sets());
        range.into_par_iter().map(|index| self.run_set(index)).collect()
    }

    fn run_set(&self, index: u64) -> Result<SetResult, CubeError> {
        let sets = u64::from(self.params.sets);
        let (cell_index, set) = ((index / sets) as u32, (index % sets) as u32);
        let cell = &self.params.cells[cell_index as usize];
        let entity = cell.stream_entity(set);
        let located = |reason| CubeError::FaultSet { cell: cell.describe(), set: set.into(), reason: Box::new(reason) };
        let cube = cell.faults.place(cell.n, self.params.seed, entity).map_err(located)?;
        let mut stream = Stream::new(self.params.seed, Purpose::Pairs, entity);
        let tally = tally(&cube, &self.params.columns, self.params.pairs, &mut stream).map_err(located)?;
        Ok(SetResult {
            cell: cell_index,
            set,
            pairs: tally.pairs,
            connected: tally.connected,
            faulty_nodes: cube.n_faulty_nodes().into(),
            faulty_links: cube.faulty_links().len() as u64,
            counts: tally.counts,
        })
    }

    /// The results as plain words, to be sent between ranks.
    #[must_use]
    pub fn pack(&self, results: &[SetResult]) -> Vec<u64> {
        let mut words = Vec::with_capacity(results.len() * self.words_per_set());
        for r in results {
            words.extend([r.cell.into(), r.set.into(), r.pairs, r.connected, r.faulty_nodes, r.faulty_links]);
            for c in &r.counts {
                words.extend([c.optimal, c.suboptimal, c.failed_connected, c.rounds, c.messages]);
            }
        }
        words
    }

    /// The results that `pack` made `words` of.
    ///
    /// # Errors
    /// If `words` cannot come from a study with these columns.
    pub fn unpack(&self, words: &[u64]) -> Result<Vec<SetResult>, CubeError> {
        let size = self.words_per_set();
        if words.len() % size != 0 {
            return Err(CubeError::Study(format!("{} words are no whole number of results of {size}", words.len())));
        }
        let unpack_counts =
            |c: &[u64]| Counts { optimal: c[0], suboptimal: c[1], failed_connected: c[2], rounds: c[3], messages: c[4] };
        let unpack_set = |w: &[u64]| SetResult {
            cell: w[0] as u32,
            set: w[1] as u32,
            pairs: w[2],
            connected: w[3],
            faulty_nodes: w[4],
            faulty_links: w[5],
            counts: w[6..].chunks_exact(5).map(unpack_counts).collect(),
        };
        Ok(words.chunks_exact(size).map(unpack_set).collect())
    }

    fn words_per_set(&self) -> usize {
        6 + 5 * self.params.columns.len()
    }
}
