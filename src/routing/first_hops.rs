//! The ports by which shortest paths from one router can start, for every target: what the tables are made of.

use crate::ids::RouterId;
use crate::rng::Stream;
use crate::topology::{Graph, Search};

/// For every router, the set of ports by which a shortest path to it can start: bit sets of equal width.
#[derive(Debug, Default)]
pub(super) struct FirstHops {
    /// Words per set.
    width: usize,
    /// Shape `[n_routers][width]`.
    bits: Vec<u64>,
}

impl FirstHops {
    /// Collects the sets for paths from `router`, which `search` was run from.
    pub(super) fn fill(&mut self, graph: &Graph, search: &Search, router: RouterId) {
        let distance = search.distances();
        self.width = (graph.degree(router) as usize).div_ceil(64);
        self.bits.clear();
        self.bits.resize(self.width * distance.len(), 0);
        for (port, &peer) in graph.peers(router).iter().enumerate() {
            self.bits[peer as usize * self.width + port / 64] |= 1 << (port % 64);
        }
        // Nearest first: the set of a router is complete before it is handed on. Routers at the largest distance hand on nothing.
        let last = search.order().last().map_or(0, |&r| distance[r as usize]);
        for &from in search.order()[1..].iter().take_while(|&&r| distance[r as usize] < last) {
            for &to in graph.peers(from) {
                if distance[to as usize] == distance[from as usize] + 1 {
                    for word in 0..self.width {
                        self.bits[to as usize * self.width + word] |= self.bits[from as usize * self.width + word];
                    }
                }
            }
        }
    }

    /// The set of `target` as words of bits.
    pub(super) fn set(&self, target: usize) -> &[u64] {
        &self.bits[target * self.width..(target + 1) * self.width]
    }

    /// The only port of the set of `target`, if it has but one.
    pub(super) fn single(&self, target: usize) -> Option<usize> {
        // No population counts, which are slow on baseline x86-64.
        let mut used = self.set(target).iter().enumerate().filter(|(_, &word)| word != 0);
        match (used.next(), used.next()) {
            (Some((index, &word)), None) if word & (word - 1) == 0 => Some(index * 64 + word.trailing_zeros() as usize),
            _ => None,
        }
    }

    /// A uniformly drawn port of the set of `target`.
    pub(super) fn pick(&self, target: usize, stream: &mut Stream) -> usize {
        // Most sets of a Slim Fly have one port and need no draw.
        if let Some(port) = self.single(target) {
            return port;
        }
        let set = self.set(target);
        let mut skip = stream.below(set.iter().map(|word| word.count_ones()).sum());
        for (index, &word) in set.iter().enumerate() {
            if skip < word.count_ones() {
                let rest = (0..skip).fold(word, |w, _| w & (w - 1));
                return index * 64 + rest.trailing_zeros() as usize;
            }
            skip -= word.count_ones();
        }
        unreachable!("the set has more ports than are skipped")
    }
}
