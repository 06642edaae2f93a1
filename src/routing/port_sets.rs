//! Minimal port sets: every port by which a shortest path from a router to a target can start. Rows of local routers
//! only.
//!
//! An entry is the number of a set within its row. Numbers below the largest degree are the sets of one port, which are
//! most of a Slim Fly's; the others follow in the order in which the row has them. As a row has few different sets an entry
//! takes one byte where that is enough for all rows (a Slim Fly of q = 19 has 29 ports and up to 46 further sets in a row,
//! one of q = 89 has 133 ports and some 44 further sets), else two or four.

use std::collections::HashMap;

use rayon::prelude::*;

use super::first_hops::FirstHops;
use super::table::{Disconnected, Table};
use super::{Choice, Head};
use crate::ids::{Port, RouterId};
use crate::topology::{Graph, Search};

/// The minimal port sets of some routers towards every router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSets {
    n_routers: usize,
    /// The number of the first set of a row that has more than one port.
    singles: u32,
    /// Shape `[rows][n_routers]`. The entry of a row for its own router is never read.
    entries: Entries,
    /// Of each row, where its sets begin in `starts`.
    first: Vec<u32>,
    /// Where each set begins in `ports`, and at last where the last one ends.
    starts: Vec<u32>,
    /// First each port by itself, then the sets one after the other, ascending.
    ports: Vec<Port>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entries {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
    Widest(Vec<u32>),
}

impl Entries {
    #[inline]
    fn get(&self, index: usize) -> u32 {
        match self {
            Entries::Narrow(list) => u32::from(list[index]),
            Entries::Wide(list) => u32::from(list[index]),
            Entries::Widest(list) => list[index],
        }
    }

    /// Adds a row, after widening all entries if one of the row does not fit.
    fn extend(&mut self, row: &[u32]) {
        let largest = row.iter().copied().max().unwrap_or(0);
        match self {
            Entries::Narrow(list) if largest > u32::from(u8::MAX) => {
                *self = Entries::Wide(list.iter().map(|&e| u16::from(e)).collect());
                self.extend(row);
            }
            Entries::Wide(list) if largest > u32::from(u16::MAX) => {
                *self = Entries::Widest(list.iter().map(|&e| u32::from(e)).collect());
                self.extend(row);
            }
            Entries::Narrow(list) => list.extend(row.iter().map(|&e| e as u8)),
            Entries::Wide(list) => list.extend(row.iter().map(|&e| e as u16)),
            Entries::Widest(list) => list.extend(row),
        }
    }
}

/// A row as it is built: its entries, and its sets of more than one port.
#[derive(Default)]
struct Row {
    entries: Vec<u32>,
    sets: Vec<Vec<Port>>,
}

impl PortSets {
    /// Builds the rows of `routers`, in that order and in parallel: one breadth-first search and one pass over all channels
    /// per row.
    ///
    /// # Errors
    /// If the graph is not connected.
    pub fn build(graph: &Graph, routers: &[RouterId]) -> Result<Self, Disconnected> {
        /// Rows that exist at a time in their wide form.
        const BATCH: usize = 256;
        Table::check_connected(graph)?;
        let singles = graph.max_degree();
        let mut sets = Self {
            n_routers: graph.n_routers() as usize,
            singles,
            entries: Entries::Narrow(Vec::new()),
            first: Vec::with_capacity(routers.len()),
            starts: vec![singles],
            ports: (0..singles).map(|port| port as Port).collect(),
        };
        for batch in routers.chunks(BATCH) {
            let rows: Vec<Row> = batch
                .par_iter()
                .map_init(
                    || (Search::new(graph), FirstHops::default()),
                    |(search, hops), &router| row(graph, search, hops, router, singles),
                )
                .collect();
            rows.iter().for_each(|row| sets.add(row));
        }
        Ok(sets)
    }

    fn add(&mut self, row: &Row) {
        self.entries.extend(&row.entries);
        self.first.push(self.starts.len() as u32 - 1);
        for set in &row.sets {
            self.ports.extend(set);
            self.starts.push(self.ports.len() as u32);
        }
    }

    /// The ports by which a shortest path from `row`'s router to `target`, another router, can start; ascending, at least one.
    #[inline]
    #[must_use]
    pub fn get(&self, row: u32, target: RouterId) -> &[Port] {
        let entry = self.entries.get(row as usize * self.n_routers + target as usize);
        if entry < self.singles {
            return &self.ports[entry as usize..=entry as usize];
        }
        let set = (self.first[row as usize] + entry - self.singles) as usize;
        &self.ports[self.starts[set] as usize..self.starts[set + 1] as usize]
    }

    /// Appends every port of a head's set, for a head that leaves as `head` on one of `vcs`, `probability` being shared evenly.
    pub fn choices(&self, row: u32, head: Head, vcs: u32, probability: f64, out: &mut Vec<(f64, Choice, Head)>) {
        let ports = self.get(row, head.target);
        let share = probability / ports.len() as f64;
        out.extend(ports.iter().map(|&port| (share, Choice { port, vcs }, head)));
    }
}

/// Bytes of a row, at most: an entry takes one byte, rarely two.
pub fn bytes_per_row(n_routers: u64) -> u64 {
    2 * n_routers
}

fn row(graph: &Graph, search: &mut Search, hops: &mut FirstHops, router: RouterId, singles: u32) -> Row {
    search.run(graph, router, |_, _, _| ());
    hops.fill(graph, search, router);
    let n = graph.n_routers() as usize;
    let mut row = Row { entries: Vec::with_capacity(n), sets: Vec::new() };
    let mut numbers: HashMap<&[u64], u32> = HashMap::new();
    for target in 0..n {
        let entry = if target == router as usize {
            0
        } else if let Some(port) = hops.single(target) {
            port as u32
        } else {
            *numbers.entry(hops.set(target)).or_insert_with(|| {
                row.sets.push(ports_of(hops.set(target)));
                singles + row.sets.len() as u32 - 1
            })
        };
        row.entries.push(entry);
    }
    row
}

/// The positions of the bits of a set, ascending.
fn ports_of(set: &[u64]) -> Vec<Port> {
    (0..set.len() * 64).filter(|bit| set[bit / 64] >> (bit % 64) & 1 == 1).map(|bit| bit as Port).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_widen_when_they_have_to() {
        let mut entries = Entries::Narrow(Vec::new());
        entries.extend(&[7, 255]);
        assert!(matches!(entries, Entries::Narrow(_)));
        entries.extend(&[256, 65_535]);
        assert!(matches!(entries, Entries::Wide(_)));
        entries.extend(&[65_536]);
        assert!(matches!(entries, Entries::Widest(_)));
        entries.extend(&[1]);
        assert_eq!((0..6).map(|i| entries.get(i)).collect::<Vec<_>>(), [7, 255, 256, 65_535, 65_536, 1]);
    }
}
