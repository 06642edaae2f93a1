//! Partitions: complete, balanced, along racks, for any number of them.

mod common;

use common::random_graph;
use sfpdes::partition::{assign, cut_channels, routers_of, Partitioner};
use sfpdes::topology::grid::Grid;
use sfpdes::topology::{mesh, slim_fly, torus, Graph};

const COUNTS: [u32; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 19, 20, 38, 64, 200, 1000];
const ALL: [Partitioner; 4] = [Partitioner::Racks, Partitioner::Subgroups, Partitioner::Contiguous, Partitioner::RoundRobin];

fn graphs() -> Vec<Graph> {
    vec![
        slim_fly::graph(5, 4),
        slim_fly::graph(8, 6),
        slim_fly::graph(19, 15),
        mesh::graph(&Grid::new(&[8, 8]), 1),
        torus::graph(&Grid::new(&[4, 3, 5]), 2),
        torus::graph(&Grid::new(&[64]), 1),
        mesh::graph(&Grid::new(&[1]), 1),
        random_graph(50, 30, 1),
    ]
}

/// How many different values `key` has in each part.
fn parts_per<K: Ord>(graph: &Graph, assignment: &[u32], key: impl Fn(u32) -> K) -> Vec<usize> {
    let mut parts = std::collections::BTreeMap::<K, std::collections::BTreeSet<u32>>::new();
    (0..graph.n_routers()).for_each(|r| _ = parts.entry(key(r)).or_default().insert(assignment[r as usize]));
    parts.values().map(|p| p.len()).collect()
}

fn sizes(assignment: &[u32], n: u32) -> Vec<usize> {
    let sizes: Vec<_> = (0..n).map(|p| routers_of(assignment, p)).collect();
    let mut routers: Vec<_> = sizes.iter().flatten().copied().collect();
    routers.sort_unstable();
    assert!(routers.into_iter().eq(0..assignment.len() as u32), "every router is in exactly one partition");
    sizes.iter().map(Vec::len).collect()
}

#[test]
fn every_router_is_assigned_once_and_no_partition_is_empty_needlessly() {
    for graph in graphs() {
        for n in COUNTS {
            for partitioner in ALL {
                let assignment = assign(&graph, n, partitioner);
                let used = sizes(&assignment, n).iter().filter(|&&s| s > 0).count() as u32;
                assert_eq!(used, n.min(graph.n_routers()), "{partitioner:?}, {n}");
                assert_eq!(assignment, assign(&graph, n, partitioner), "the same every time");
            }
        }
    }
}

#[test]
fn racks_and_subgroups_are_split_only_when_there_are_too_few() {
    for graph in graphs() {
        let n_racks = graph.n_racks();
        let n_subgroups = parts_per(&graph, &vec![0; graph.n_routers() as usize], |r| graph.subgroup(r)).len() as u32;
        for n in COUNTS {
            let assignment = assign(&graph, n, Partitioner::Racks);
            let whole = |parts: Vec<usize>| parts.iter().all(|&p| p == 1);
            let partition = |r: u32| assignment[r as usize];
            assert!(n > n_racks || whole(parts_per(&graph, &assignment, |r| graph.rack(r))), "{n}");
            assert!(n > n_subgroups || whole(parts_per(&graph, &assignment, |r| graph.subgroup(r))), "{n}");
            // Once racks are split, no partition spans two of them.
            let racks: Vec<u32> = (0..graph.n_routers()).map(|r| graph.rack(r)).collect();
            assert!(n < n_racks || whole(parts_per(&graph, &racks, partition)), "{n}");
        }
    }
}

#[test]
fn slim_fly_of_19_is_balanced_by_whole_racks() {
    let graph = slim_fly::graph(19, 15);
    for n in 1..=19u32 {
        let largest = *sizes(&assign(&graph, n, Partitioner::Racks), n).iter().max().unwrap();
        assert_eq!(largest as u32, 38 * 19u32.div_ceil(n), "{n}: the best that whole racks allow");
    }
    for n in [2, 4, 8] {
        let largest = *sizes(&assign(&graph, n, Partitioner::Racks), n).iter().max().unwrap();
        assert!(largest as f64 <= 1.27 * 722.0 / f64::from(n), "{n}: {largest}");
    }
}

#[test]
fn whole_subgroups_halve_a_slim_fly_of_19_exactly_and_cut_few_channels_more() {
    let graph = slim_fly::graph(19, 15);
    for n in 1..=38u32 {
        let assignment = assign(&graph, n, Partitioner::Subgroups);
        let largest = *sizes(&assignment, n).iter().max().unwrap();
        assert_eq!(largest as u32, 19 * 38u32.div_ceil(n), "{n}: the best that whole subgroups allow");
        assert!(parts_per(&graph, &assignment, |r| graph.subgroup(r)).iter().all(|&parts| parts == 1), "{n}");
    }
    let cut = |partitioner| cut_channels(&graph, &assign(&graph, 2, partitioner)) as f64 / graph.n_channels() as f64;
    assert!(cut(Partitioner::Subgroups) < 1.05 * cut(Partitioner::Racks));
}

#[test]
fn cuts_of_a_slim_fly_are_as_computed_independently() {
    let graph = slim_fly::graph(19, 15);
    let share = |n, partitioner| cut_channels(&graph, &assign(&graph, n, partitioner)) as f64 / graph.n_channels() as f64;
    for (n, racks, round_robin) in [(2, 0.33, 0.52), (4, 0.49, 0.76), (8, 0.57, 0.89)] {
        assert!((share(n, Partitioner::Racks) - racks).abs() < 0.01, "{n}: {}", share(n, Partitioner::Racks));
        assert!((share(n, Partitioner::RoundRobin) - round_robin).abs() < 0.02, "{n}: {}", share(n, Partitioner::RoundRobin));
    }
    assert!((share(2, Partitioner::Contiguous) - 0.66).abs() < 0.01);
    assert_eq!(share(1, Partitioner::Racks), 0.0);
}

#[test]
fn a_mesh_is_cut_into_slabs() {
    let graph = mesh::graph(&Grid::new(&[8, 8]), 1);
    let assignment = assign(&graph, 4, Partitioner::Racks);
    assert!(assignment.iter().copied().eq((0..64).map(|r| r / 16)));
    assert_eq!(cut_channels(&graph, &assignment), 3 * 8 * 2);
}

#[test]
fn balance_counts_ports_not_routers() {
    // A hub of 30 ports and 30 leaves of 2, each in a rack of its own: the hub is worth 15 leaves.
    let links: Vec<_> = (1..=30).map(|r| (0, r)).collect();
    let graph = Graph::from_links(&links, &[1; 31], (0..31).collect(), (0..31).collect());
    let assignment = assign(&graph, 2, Partitioner::Racks);
    let hub = routers_of(&assignment, 0).len();
    assert!((7..=9).contains(&hub), "the hub shares its half with 7 leaves or so, not with 14: {hub}");
}
