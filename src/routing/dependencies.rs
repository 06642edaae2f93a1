//! The dependencies of a network as they are found, one bit each.
//!
//! A packet on a channel can only want a channel of the router where the first ends, and there are few pairs of VC sets. So
//! there is a row of bits per channel, as long as that router has ports, for each pair of sets: a Slim Fly of 722 routers
//! takes 76 kB per pair, and nothing has to be hashed or sorted.

use super::cycle::Dependency;
use crate::ids::RouterId;
use crate::topology::Graph;

/// Where the row of each channel is.
pub(super) struct Rows {
    /// First bit of each channel's row; shape `[n_channels + 1]`.
    first: Vec<usize>,
    /// First channel of the router where each ends.
    base: Vec<u32>,
}

impl Rows {
    pub(super) fn new(graph: &Graph) -> Self {
        let ends: Vec<RouterId> = (0..graph.n_channels() as u32).map(|channel| graph.channel_end(channel)).collect();
        let mut first = vec![0];
        for &end in &ends {
            first.push(first[first.len() - 1] + graph.degree(end) as usize);
        }
        Self { first, base: ends.iter().map(|&end| graph.channel(end)).collect() }
    }
}

/// The rows of one pair of VC sets.
struct Kind {
    held_vcs: u32,
    wanted_vcs: u32,
    bits: Vec<u64>,
}

impl Kind {
    fn sets(&self) -> (u32, u32) {
        (self.held_vcs, self.wanted_vcs)
    }
}

/// A set of dependencies.
pub(super) struct Dependencies<'a> {
    rows: &'a Rows,
    kinds: Vec<Kind>,
    /// The kind used last, with which the next search begins.
    last: usize,
}

impl<'a> Dependencies<'a> {
    /// None, between the channels that `rows` is about.
    pub(super) fn new(rows: &'a Rows) -> Self {
        Self { rows, kinds: Vec::new(), last: 0 }
    }

    /// The index of a kind, which is made if there is none.
    #[inline]
    fn kind(&mut self, sets: (u32, u32)) -> usize {
        if self.kinds.get(self.last).is_some_and(|kind| kind.sets() == sets) {
            return self.last;
        }
        self.last = self.kinds.iter().position(|kind| kind.sets() == sets).unwrap_or_else(|| {
            let n_bits = self.rows.first[self.rows.first.len() - 1];
            self.kinds.push(Kind { held_vcs: sets.0, wanted_vcs: sets.1, bits: vec![0; n_bits.div_ceil(64)] });
            self.kinds.len() - 1
        });
        self.last
    }

    /// Adds one; `wanted` leaves the router where `held` ends.
    #[inline]
    pub(super) fn insert(&mut self, Dependency { held, held_vcs, wanted, wanted_vcs }: Dependency) {
        let kind = self.kind((held_vcs, wanted_vcs));
        let bit = self.rows.first[held as usize] + (wanted - self.rows.base[held as usize]) as usize;
        self.kinds[kind].bits[bit / 64] |= 1 << (bit % 64);
    }

    /// Adds those of another set.
    pub(super) fn absorb(mut self, other: Self) -> Self {
        for theirs in other.kinds {
            let kind = self.kind(theirs.sets());
            for (word, more) in self.kinds[kind].bits.iter_mut().zip(theirs.bits) {
                *word |= more;
            }
        }
        self
    }

    /// All of them, ascending by the channel held; the order does not depend on that in which they were found.
    pub(super) fn list(&self) -> Vec<Dependency> {
        let mut kinds: Vec<&Kind> = self.kinds.iter().collect();
        kinds.sort_unstable_by_key(|kind| kind.sets());
        let n_found: u32 = kinds.iter().flat_map(|kind| &kind.bits).map(|word| word.count_ones()).sum();
        let mut list = Vec::with_capacity(n_found as usize);
        for (held, row) in (0..).zip(self.rows.first.windows(2)) {
            for kind in &kinds {
                for_each_bit(&kind.bits, row[0]..row[1], |bit| {
                    let wanted = self.rows.base[held as usize] + (bit - row[0]) as u32;
                    list.push(Dependency { held, held_vcs: kind.held_vcs, wanted, wanted_vcs: kind.wanted_vcs });
                });
            }
        }
        list
    }
}

/// Calls `each` with the set bits of a range, ascending.
fn for_each_bit(words: &[u64], range: std::ops::Range<usize>, mut each: impl FnMut(usize)) {
    let mut start = range.start;
    while start < range.end {
        let next = (start / 64 + 1) * 64;
        let mut bits = words[start / 64] & (!0 << (start % 64));
        if range.end < next {
            bits &= (1 << (range.end % 64)) - 1;
        }
        while bits != 0 {
            each(start / 64 * 64 + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
        start = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};
    use crate::topology::Graph;
    use std::collections::BTreeSet;

    /// A ring of `n` routers in which every other has a chord, so that rows differ in length.
    fn graph(n: u32) -> Graph {
        let mut links: Vec<(RouterId, RouterId)> = (0..n).map(|r| (r, (r + 1) % n)).collect();
        links.extend((0..n / 2).step_by(2).map(|r| (r, r + n / 2)));
        Graph::from_links(&links, &vec![1; n as usize], vec![0; n as usize], vec![0; n as usize])
    }

    #[test]
    fn agrees_with_a_set_and_lists_in_order_of_the_channel_held() {
        let graph = graph(70);
        let rows = Rows::new(&graph);
        for seed in 0..20 {
            let mut rng = Stream::new(seed, Purpose::Pairs, 0);
            let mut parts = [Dependencies::new(&rows), Dependencies::new(&rows)];
            let mut shadow = BTreeSet::new();
            for k in 0..rng.below(400) {
                let held = rng.below(graph.n_channels() as u32);
                let (from, port) = graph.channel_origin(held);
                let at = graph.peers(from)[usize::from(port)];
                let dependency = Dependency {
                    held,
                    held_vcs: 1 + rng.below(3),
                    wanted: graph.channel(at) + rng.below(graph.degree(at)),
                    wanted_vcs: 1 + rng.below(3),
                };
                parts[(k % 2) as usize].insert(dependency);
                shadow.insert(dependency);
            }
            let [a, b] = parts;
            let list = a.absorb(b).list();
            assert!(list.windows(2).all(|pair| pair[0].held <= pair[1].held), "seed {seed}");
            assert_eq!(list.len(), shadow.len(), "seed {seed}");
            assert_eq!(list.into_iter().collect::<BTreeSet<_>>(), shadow, "seed {seed}");
        }
    }
}
