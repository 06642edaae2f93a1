//! Routing over all shortest paths, against brute force: port sets, equal split, the least occupied port, and hashing.

mod common;

use common::{all_distances, all_routers, check_even, graphs, head, minimal_ports, random_graph, survey, Queues};
use sfpdes::rng::{Purpose, Stream};
use sfpdes::routing::distances::DistanceTable;
use sfpdes::routing::ecmp::Ecmp;
use sfpdes::routing::min_adaptive::MinAdaptive;
use sfpdes::routing::port_sets::PortSets;
use sfpdes::routing::vc::VcClasses;
use sfpdes::routing::{Head, Here, RoutingAlgorithm, View};
use sfpdes::topology::grid::Grid;
use sfpdes::topology::{mesh, slim_fly, torus, Distances, Graph};

fn stream() -> Stream {
    Stream::new(3, Purpose::Routing, 0)
}

fn here(router: u32) -> Here {
    Here { router, row: router, in_port: 0 }
}

#[test]
fn port_sets_hold_every_minimal_port_and_no_other() {
    for (name, graph) in graphs() {
        let distance = all_distances(&graph);
        let sets = PortSets::build(&graph, &all_routers(&graph)).unwrap();
        for a in 0..graph.n_routers() {
            for b in (0..graph.n_routers()).filter(|&b| b != a) {
                assert_eq!(sets.get(a, b), minimal_ports(&graph, &distance, a, b), "{name}: {a} to {b}");
            }
        }
    }
}

#[test]
fn port_sets_do_not_depend_on_which_others_are_built() {
    let graph = torus::graph(&Grid::new(&[4, 4, 4]), 1);
    let n = graph.n_routers();
    let all = PortSets::build(&graph, &all_routers(&graph)).unwrap();
    for routers in [vec![5], vec![63, 3, 50], (0..n).filter(|r| r % 3 == 1).collect(), vec![]] {
        let some = PortSets::build(&graph, &routers).unwrap();
        for (row, &router) in (0..).zip(&routers) {
            (0..n).filter(|&t| t != router).for_each(|target| assert_eq!(some.get(row, target), all.get(router, target)));
        }
    }
    let parts = Graph::from_links(&[(0, 1)], &[1; 3], vec![0; 3], vec![0; 3]);
    assert!(PortSets::build(&parts, &[0]).is_err());
}

#[test]
fn packed_distances_are_those_of_brute_force() {
    for (name, graph) in graphs() {
        let distance = all_distances(&graph);
        let table = DistanceTable::build(&graph, Distances::of(&graph).diameter().unwrap());
        for a in 0..graph.n_routers() {
            for b in 0..graph.n_routers() {
                assert_eq!(table.get(a, b), distance[a as usize][b as usize], "{name}: {a} to {b}");
            }
        }
    }
    // Diameters that take 8 and 16 bits.
    for n in [40, 200, 600] {
        let graph = mesh::graph(&Grid::new(&[n]), 1);
        let table = DistanceTable::build(&graph, n - 1);
        assert!((0..n).all(|a| (0..n).all(|b| table.get(a, b) == a.abs_diff(b))), "{n}");
    }
}

#[test]
fn packets_are_split_equally_over_minimal_ports() {
    for (name, graph) in [("slim fly", slim_fly::graph(8, 1)), ("torus", torus::graph(&Grid::new(&[4, 4, 4]), 1))] {
        let distance = all_distances(&graph);
        let min = common::min(&graph, None, VcClasses::any(1));
        let mut rng = stream();
        for a in [0, graph.n_routers() / 2] {
            for b in (0..graph.n_routers()).filter(|&b| b != a) {
                let ports = minimal_ports(&graph, &distance, a, b);
                let mut counts = vec![0; ports.len()];
                for _ in 0..400 * ports.len() {
                    let choice = min.route(here(a), &mut head(&graph, a, b), &Queues(Vec::new()), &mut rng);
                    counts[ports.iter().position(|&p| p == choice.port).unwrap()] += 1;
                }
                let mut choices = Vec::new();
                min.choices(here(a), &head(&graph, a, b), &mut choices);
                assert!(choices.iter().all(|c| c.0 == 1.0 / ports.len() as f64) && choices.len() == ports.len());
                if ports.len() > 1 {
                    check_even(&counts, &format!("{name}: {a} to {b}"));
                }
            }
        }
    }
}

#[test]
fn adaptive_packets_take_the_least_occupied_minimal_port_and_equals_in_equal_shares() {
    for graph in [slim_fly::graph(8, 1), torus::graph(&Grid::new(&[4, 4, 2]), 1), random_graph(25, 60, 2)] {
        let distance = all_distances(&graph);
        let adaptive = MinAdaptive::new(&survey(&graph), &all_routers(&graph), VcClasses::any(1)).unwrap();
        let mut rng = stream();
        for (a, b) in (0..graph.n_routers()).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let ports = minimal_ports(&graph, &distance, a, b);
            let queues = Queues((0..graph.degree(a)).map(|_| rng.below(3)).collect());
            let least = ports.iter().map(|&p| queues.occupancy(p)).min().unwrap();
            let choice = adaptive.route(here(a), &mut head(&graph, a, b), &queues, &mut rng);
            assert!(ports.contains(&choice.port) && queues.occupancy(choice.port) == least, "{a} to {b}");
        }
        let (a, b) = (0..graph.n_routers())
            .flat_map(|a| (0..graph.n_routers()).map(move |b| (a, b)))
            .filter(|(a, b)| a != b)
            .max_by_key(|&(a, b)| minimal_ports(&graph, &distance, a, b).len())
            .unwrap();
        let ports = minimal_ports(&graph, &distance, a, b);
        assert!(ports.len() > 1);
        // All but the first equally empty.
        let queues = Queues((0..graph.degree(a) as u16).map(|p| u32::from(p == ports[0])).collect());
        let mut counts = vec![0; ports.len()];
        for _ in 0..2000 {
            let choice = adaptive.route(here(a), &mut head(&graph, a, b), &queues, &mut rng);
            counts[ports.iter().position(|&p| p == choice.port).unwrap()] += 1;
        }
        assert_eq!(counts[0], 0);
        check_even(&counts[1..], "equals");
    }
}

/// The routers that a packet from endpoint `src` to `dst` passes.
fn path(graph: &Graph, ecmp: &Ecmp, src: u32, dst: u32) -> Vec<u32> {
    let (mut router, target) = (graph.router_of(src), graph.router_of(dst));
    let mut head = Head { src, dst, target, hops: 0, state: 0 };
    let mut path = vec![router];
    while router != target {
        let choice = ecmp.route(here(router), &mut head, &Queues(Vec::new()), &mut stream());
        router = graph.peers(router)[usize::from(choice.port)];
        head.hops += 1;
        path.push(router);
    }
    path
}

#[test]
fn a_pair_of_endpoints_keeps_its_path_and_pairs_spread_over_all() {
    // Six shortest paths lead from corner to corner of a cube; three next hops, then two.
    let graph = mesh::graph(&Grid::new(&[2, 2, 2]), 40);
    let ecmp = |seed, rows: &[u32]| Ecmp::new(&survey(&graph), rows, seed, VcClasses::any(1)).unwrap();
    let (one, other) = (ecmp(1, &all_routers(&graph)), ecmp(2, &all_routers(&graph)));
    let mut counts = std::collections::BTreeMap::new();
    let mut moved = 0;
    for src in graph.endpoints(0) {
        for dst in graph.endpoints(7) {
            let taken = path(&graph, &one, src, dst);
            assert_eq!(taken.len(), 4);
            assert_eq!(taken, path(&graph, &one, src, dst));
            moved += u32::from(taken != path(&graph, &other, src, dst));
            *counts.entry(taken).or_insert(0) += 1;
        }
    }
    assert_eq!(counts.len(), 6);
    check_even(&counts.into_values().collect::<Vec<u32>>(), "paths");
    // Another seed is another hash: five in six pairs move.
    assert!((1200..1470).contains(&moved), "{moved} of 1600");
    // The flows of one source spread too, and those to one destination.
    for flows in [graph.endpoints(7).map(|dst| path(&graph, &one, 0, dst)).collect::<Vec<_>>(), {
        graph.endpoints(0).map(|src| path(&graph, &one, src, 280)).collect()
    }] {
        let distinct: std::collections::BTreeSet<_> = flows.iter().collect();
        assert!(distinct.len() >= 5, "{distinct:?}");
    }
}
