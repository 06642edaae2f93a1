//! Distances between all pairs of routers, summed up in integers so that they do not depend on the number of threads.

use rayon::prelude::*;

use super::search::Search;
use super::Graph;

/// How far apart the routers of a graph are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distances {
    /// Ordered pairs at each distance; entry 0 counts every router with itself. Shape `[diameter + 1]`.
    pairs: Vec<u64>,
    /// Ordered pairs without a path.
    unreachable: u64,
}

impl Distances {
    /// Searches from every router, in parallel. Costs N_r searches: k'^2 N_r steps for a network of diameter 2.
    #[must_use]
    pub fn of(graph: &Graph) -> Self {
        let n = graph.n_routers();
        let pairs = (0..n)
            .into_par_iter()
            .fold(
                || (Search::new(graph), Vec::new()),
                |(mut search, mut pairs), source| {
                    search.run(graph, source, |_, _, _| ());
                    count(&search, &mut pairs);
                    (search, pairs)
                },
            )
            .map(|(_, pairs)| pairs)
            .reduce(Vec::new, add);
        let reached: u64 = pairs.iter().sum();
        Self { pairs, unreachable: u64::from(n) * u64::from(n) - reached }
    }

    /// The longest shortest path in hops, or `None` if some router cannot reach some other.
    #[must_use]
    pub fn diameter(&self) -> Option<u32> {
        (self.unreachable == 0).then(|| self.pairs.len().saturating_sub(1) as u32)
    }

    /// Ordered pairs at each distance from 0 to the largest.
    #[must_use]
    pub fn pairs(&self) -> &[u64] {
        &self.pairs
    }

    /// Ordered pairs of routers without a path.
    #[must_use]
    pub fn unreachable(&self) -> u64 {
        self.unreachable
    }

    /// The sum of all distances over ordered pairs with a path.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.pairs.iter().zip(0..).map(|(pairs, hops)| pairs * hops).sum()
    }

    /// The mean distance over ordered pairs of distinct routers with a path; 0 if there is no such pair.
    #[must_use]
    pub fn average(&self) -> f64 {
        let n: u64 = self.pairs.iter().skip(1).sum();
        if n == 0 {
            0.0
        } else {
            self.total() as f64 / n as f64
        }
    }
}

/// Adds the routers that `search` reached to `pairs` by their distance.
fn count(search: &Search, pairs: &mut Vec<u64>) {
    for level in search.order().chunk_by(|&a, &b| search.distances()[a as usize] == search.distances()[b as usize]) {
        let hops = search.distances()[level[0] as usize] as usize;
        if pairs.len() <= hops {
            pairs.resize(hops + 1, 0);
        }
        pairs[hops] += level.len() as u64;
    }
}

fn add(mut a: Vec<u64>, b: Vec<u64>) -> Vec<u64> {
    if a.len() < b.len() {
        return add(b, a);
    }
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(links: &[(u32, u32)], n: usize) -> Distances {
        Distances::of(&Graph::from_links(links, &vec![1; n], vec![0; n], vec![0; n]))
    }

    #[test]
    fn a_path_of_three() {
        let d = of(&[(0, 1), (1, 2)], 3);
        assert_eq!(d.pairs(), [3, 4, 2]);
        assert_eq!((d.diameter(), d.total(), d.unreachable()), (Some(2), 8, 0));
        assert_eq!(d.average(), 8.0 / 6.0);
    }

    #[test]
    fn a_disconnected_graph_has_no_diameter() {
        let d = of(&[(0, 1)], 4);
        assert_eq!((d.diameter(), d.unreachable(), d.total()), (None, 10, 2));
        assert_eq!(d.average(), 1.0);
    }

    #[test]
    fn one_router_has_diameter_zero() {
        let d = of(&[], 1);
        assert_eq!((d.diameter(), d.average()), (Some(0), 0.0));
    }
}
