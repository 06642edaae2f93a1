//! Cutting the network: routers to partitions, along racks, then subgroups, then routers. Never fails: partitions beyond
//! the number of routers stay empty.

use crate::ids::{PartitionId, RouterId};
use crate::topology::Graph;

/// How routers are spread over partitions. Results do not depend on it; speed does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partitioner {
    /// Whole racks in order, balanced by the ports of their routers; racks are split along subgroups, and those into
    /// routers, only when there are too few.
    Racks,
    /// Whole subgroups in the order of their racks, balanced likewise: a rack may be shared by two partitions. Cuts a few more
    /// channels, among them short ones, for a better balance.
    Subgroups,
    /// Equal runs of consecutive router ids.
    Contiguous,
    /// Router r to partition r mod n: the largest cut, for tests.
    RoundRobin,
}

impl Partitioner {
    /// The value of `runtime.partitioner` that asks for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Partitioner::Racks => "racks",
            Partitioner::Subgroups => "subgroups",
            Partitioner::Contiguous => "contiguous",
            Partitioner::RoundRobin => "round-robin",
        }
    }
}

/// The partition of every router; shape `[n_routers]`, values `0..n_partitions`. Depends on nothing else, so every rank
/// finds the same.
///
/// # Panics
/// If there is no partition.
#[must_use]
pub fn assign(graph: &Graph, n_partitions: u32, partitioner: Partitioner) -> Vec<PartitionId> {
    assert!(n_partitions > 0, "at least one partition");
    let n = graph.n_routers();
    let used = n_partitions.min(n);
    match partitioner {
        Partitioner::Racks => by_levels(graph, used, true),
        Partitioner::Subgroups => by_levels(graph, used, false),
        Partitioner::Contiguous => (0..n).map(|r| (u64::from(r) * u64::from(used) / u64::from(n)) as PartitionId).collect(),
        Partitioner::RoundRobin => (0..n).map(|r| r % n_partitions).collect(),
    }
}

/// The routers of one partition, ascending.
#[must_use]
pub fn routers_of(assignment: &[PartitionId], partition: PartitionId) -> Vec<RouterId> {
    (0..assignment.len() as RouterId).filter(|&r| assignment[r as usize] == partition).collect()
}

/// The router-to-router channels that lead from one partition to another: each direction of a link counts.
#[must_use]
pub fn cut_channels(graph: &Graph, assignment: &[PartitionId]) -> usize {
    let cut = |r: RouterId| graph.peers(r).iter().filter(|&&peer| assignment[r as usize] != assignment[peer as usize]).count();
    (0..graph.n_routers()).map(cut).sum()
}

/// A run of routers, in the order by rack, subgroup and id, that is not split at some level.
type Unit = std::ops::Range<usize>;

/// Cuts at the coarsest level that has a unit for every one of the `n` partitions; each unit one level up gets its share
/// of partitions, so that a partition never spans two of them. The levels are racks, if wanted, subgroups and routers.
fn by_levels(graph: &Graph, n: u32, with_racks: bool) -> Vec<PartitionId> {
    let mut order: Vec<RouterId> = (0..graph.n_routers()).collect();
    order.sort_by_key(|&r| (graph.rack(r), graph.subgroup(r), r));
    let whole = units(&order, |_| ());
    let racks = units(&order, |r| graph.rack(r));
    let subgroups = units(&order, |r| (graph.rack(r), graph.subgroup(r)));
    let routers = units(&order, |r| r);
    let levels = if with_racks { vec![whole, racks, subgroups, routers] } else { vec![whole, subgroups, routers] };
    let fine = levels.iter().skip(1).position(|units| units.len() >= n as usize).expect("n is at most the number of routers") + 1;

    // A router's work grows with its ports.
    let weight = |unit: &Unit| order[unit.clone()].iter().map(|&r| u64::from(graph.radix(r)).max(1)).sum::<u64>();
    let inside = |coarse: &Unit| -> Vec<Unit> {
        let from = levels[fine].partition_point(|unit| unit.start < coarse.start);
        levels[fine][from..].iter().take_while(|unit| unit.end <= coarse.end).cloned().collect()
    };
    let coarse: Vec<(u64, Vec<Unit>)> = levels[fine - 1].iter().map(|unit| (weight(unit), inside(unit))).collect();
    let sizes: Vec<(u64, u32)> = coarse.iter().map(|(weight, units)| (*weight, units.len() as u32)).collect();

    let mut assignment = vec![0; order.len()];
    let mut first = 0;
    for ((_, units), parts) in coarse.iter().zip(apportion(&sizes, n)) {
        let weights: Vec<u64> = units.iter().map(weight).collect();
        for (unit, part) in units.iter().zip(runs(&weights, parts)) {
            order[unit.clone()].iter().for_each(|&r| assignment[r as usize] = first + part);
        }
        first += parts;
    }
    assignment
}

/// Maximal runs of `order` with equal `key`.
fn units<K: PartialEq>(order: &[RouterId], key: impl Fn(RouterId) -> K) -> Vec<Unit> {
    let mut end = 0;
    order
        .chunk_by(|&a, &b| key(a) == key(b))
        .map(|chunk| {
            end += chunk.len();
            end - chunk.len()..end
        })
        .collect()
}

/// Shares `n` parts among units of (weight, most parts it can use): one each, then one by one to the unit whose parts are
/// the heaviest. `n` is at least the number of units and at most the sum of what they can use.
fn apportion(units: &[(u64, u32)], n: u32) -> Vec<u32> {
    let mut parts = vec![1u32; units.len()];
    for _ in units.len()..n as usize {
        // Weight per part, compared without division; the first of equals wins.
        let heavier = |&a: &usize, &b: &usize| {
            let (x, y) = (u128::from(units[a].0) * u128::from(parts[b]), u128::from(units[b].0) * u128::from(parts[a]));
            x.cmp(&y).then(b.cmp(&a))
        };
        let next = (0..units.len()).filter(|&i| parts[i] < units[i].1).max_by(heavier).expect("some unit can be split further");
        parts[next] += 1;
    }
    parts
}

/// Divides a row of `weights` into `n` consecutive parts, none empty: each goes where its middle falls on a scale of `n`
/// equal lengths. No part exceeds the mean by more than the largest weight. `n` is at most the number of weights.
fn runs(weights: &[u64], n: u32) -> Vec<u32> {
    let total: u128 = weights.iter().map(|&w| u128::from(w)).sum();
    let (mut before, mut part) = (0u128, 0u32);
    weights
        .iter()
        .enumerate()
        .map(|(i, &weight)| {
            let middle = ((2 * before + u128::from(weight)) * u128::from(n) / (2 * total)) as u32;
            before += u128::from(weight);
            if i > 0 {
                // Leave something for every part still to come, and skip none.
                let left = (weights.len() - i) as u32;
                part = middle.clamp(part, part + 1).max(n.saturating_sub(left));
            }
            part
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_equal_weights_differ_by_at_most_one() {
        for m in 1..40u32 {
            for n in 1..=m {
                let parts = runs(&vec![7; m as usize], n);
                let sizes: Vec<_> = (0..n).map(|p| parts.iter().filter(|&&q| q == p).count()).collect();
                assert!(parts.is_sorted());
                assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{m} in {n}: {sizes:?}");
            }
        }
    }

    #[test]
    fn no_run_is_empty_however_uneven_the_weights() {
        for weights in [[1, 1, 1, 1, 1000], [1000, 1, 1, 1, 1], [1, 1000, 1, 1, 1], [500, 1, 1, 1, 500]] {
            for n in 1..=5 {
                let parts = runs(&weights, n);
                assert!(parts.is_sorted() && parts[0] == 0 && parts[4] == n - 1, "{weights:?} in {n}: {parts:?}");
                assert!(parts.windows(2).all(|w| w[1] - w[0] <= 1), "{weights:?} in {n}: {parts:?}");
            }
        }
    }

    #[test]
    fn parts_go_to_the_heaviest_and_never_beyond_what_a_unit_can_use() {
        assert_eq!(apportion(&[(10, 5), (20, 5), (10, 5)], 4), [1, 2, 1]);
        assert_eq!(apportion(&[(100, 2), (1, 3)], 5), [2, 3]);
        assert_eq!(apportion(&[(1, 9), (1, 9)], 3), [2, 1]);
    }
}
