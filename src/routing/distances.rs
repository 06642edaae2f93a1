//! Distances between all pairs of routers, packed: what an algorithm reads that must know how long the way beyond another
//! router is, which no local row of a table says.
//!
//! An entry holds the distance less one in as few bits as the diameter needs, rounded up to a power of two: 1 bit up to
//! diameter 2, 2 bits up to 4, 4 bits up to 16, 8 bits up to 256. A Slim Fly of 722 routers takes 69 KB, one of 15,842
//! routers (a million endpoints) 31 MB. There is one such table per process; its partitions share it.

use rayon::prelude::*;

use crate::ids::RouterId;
use crate::topology::{Graph, Search};

/// Hops between every two routers of a connected network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistanceTable {
    /// Logarithm of the bits per entry.
    shift: u32,
    mask: u64,
    words_per_row: usize,
    /// Shape `[n_routers][words_per_row]`.
    words: Vec<u64>,
}

impl DistanceTable {
    /// Searches from every router, in parallel. `diameter` is that of `graph`, which must be connected.
    #[must_use]
    pub fn build(graph: &Graph, diameter: u32) -> Self {
        let n = graph.n_routers() as usize;
        let shift = shift(diameter);
        let words_per_row = (n << shift).div_ceil(64);
        let mut words = vec![0; n * words_per_row];
        words.par_chunks_mut(words_per_row.max(1)).enumerate().for_each_init(
            || Search::new(graph),
            |search, (source, row)| {
                search.run(graph, source as RouterId, |_, _, _| ());
                // The source itself, first in the order, is told by its id.
                for &target in &search.order()[1..] {
                    let bit = (target as usize) << shift;
                    row[bit / 64] |= u64::from(search.distances()[target as usize] - 1) << (bit % 64);
                }
            },
        );
        Self { shift, mask: u64::MAX >> (64 - (1 << shift)), words_per_row, words }
    }

    /// Hops from `a` to `b`, which are as many as from `b` to `a`.
    #[inline]
    #[must_use]
    pub fn get(&self, a: RouterId, b: RouterId) -> u32 {
        if a == b {
            return 0;
        }
        let bit = (b as usize) << self.shift;
        ((self.words[a as usize * self.words_per_row + bit / 64] >> (bit % 64)) & self.mask) as u32 + 1
    }

    /// Bytes of memory for `n_routers` routers at this diameter.
    #[must_use]
    pub fn bytes(n_routers: u64, diameter: u32) -> u64 {
        n_routers.saturating_mul((n_routers << shift(diameter)).div_ceil(64) * 8)
    }
}

/// The logarithm of the bits that distances from 1 to `diameter` take.
fn shift(diameter: u32) -> u32 {
    let bits = u32::BITS - diameter.saturating_sub(1).leading_zeros();
    bits.max(1).next_power_of_two().trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_as_narrow_as_the_diameter_allows() {
        let bits = |diameter| 1 << shift(diameter);
        assert_eq!([0, 1, 2, 3, 4, 5, 16, 17, 256, 257, 65_536, 65_537].map(bits), [1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32]);
        assert_eq!(DistanceTable::bytes(722, 2), 722 * 12 * 8);
        assert_eq!(DistanceTable::bytes(15_842, 2), 15_842 * 248 * 8);
    }
}
