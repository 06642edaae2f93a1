//! Routing against brute force: every hop of every packet is checked on distances computed another way.

mod common;

use common::{all_distances, all_routers, graphs, minimal_ports};
use sfpdes::ids::Port;
use sfpdes::rng::{Purpose, Stream};
use sfpdes::routing::dimension_order::DimensionOrder;
use sfpdes::routing::table::{Table, Tie};
use sfpdes::routing::vc::VcClasses;
use sfpdes::routing::{Head, Here, Routing, RoutingAlgorithm, View, REGISTRY};
use sfpdes::topology::grid::Grid;
use sfpdes::topology::{mesh, slim_fly, torus, Graph};

/// A view of empty outputs.
struct Idle;

impl View for Idle {
    fn occupancy(&self, _port: Port) -> u32 {
        0
    }
}

#[test]
fn lowest_id_tables_take_the_first_port_of_a_shortest_path() {
    for (name, graph) in graphs() {
        let distance = all_distances(&graph);
        let table = Table::build(&graph, &all_routers(&graph), Tie::LowestId).unwrap();
        for a in 0..graph.n_routers() {
            for b in (0..graph.n_routers()).filter(|&b| b != a) {
                assert_eq!(table.next(a, b), minimal_ports(&graph, &distance, a, b)[0], "{name}: {a} to {b}");
            }
        }
    }
}

#[test]
fn random_tables_take_a_shortest_path_and_all_of_them_in_equal_shares() {
    for (name, graph) in graphs() {
        let distance = all_distances(&graph);
        let tables: Vec<_> =
            (0..40).map(|seed| Table::build(&graph, &all_routers(&graph), Tie::Random { seed }).unwrap()).collect();
        let (mut chi2, mut freedom) = (0.0, 0);
        for a in 0..graph.n_routers() {
            for b in (0..graph.n_routers()).filter(|&b| b != a) {
                let ports = minimal_ports(&graph, &distance, a, b);
                let mut taken = vec![0u32; ports.len()];
                for table in &tables {
                    let port = table.next(a, b);
                    let found = ports.iter().position(|&p| p == port);
                    taken[found.unwrap_or_else(|| panic!("{name}: {a} to {b} by {port}"))] += 1;
                }
                let expected = 40.0 / ports.len() as f64;
                chi2 += taken.iter().map(|&t| (f64::from(t) - expected).powi(2) / expected).sum::<f64>();
                freedom += ports.len() - 1;
            }
        }
        // The normal approximation of the chi-square distribution; five standard deviations.
        let freedom = freedom as f64;
        assert!((chi2 - freedom).abs() <= 5.0 * (2.0 * freedom).sqrt(), "{name}: chi-square {chi2} of {freedom}");
    }
}

#[test]
fn rows_do_not_depend_on_which_others_are_built() {
    let graph = slim_fly::graph(7, 1);
    let n = graph.n_routers();
    for tie in [Tie::LowestId, Tie::Random { seed: 3 }] {
        let all = Table::build(&graph, &all_routers(&graph), tie).unwrap();
        for routers in [vec![5], vec![97, 3, 50], (0..n).filter(|r| r % 3 == 1).collect(), vec![]] {
            let some = Table::build(&graph, &routers, tie).unwrap();
            for (row, &router) in (0..).zip(&routers) {
                (0..n).for_each(|target| assert_eq!(some.next(row, target), all.next(router, target)));
            }
        }
    }
}

#[test]
fn a_disconnected_network_is_refused() {
    let graph = Graph::from_links(&[(0, 1), (2, 3)], &[1; 4], vec![0; 4], vec![0; 4]);
    for routers in [vec![], vec![3]] {
        let error = Table::build(&graph, &routers, Tie::LowestId).unwrap_err();
        assert_eq!(error.to_string(), "the network is not connected: no path leads from router 0 to router 2");
    }
}

/// Sends a packet from every router to every other one and checks what a routing promises: each decision is among
/// `choices`, whose probabilities sum to 1; each hop comes nearer; and `per_hop` holds for (hops, VC set, num_vcs).
fn check_routing(name: &str, graph: &Graph, routing: &impl RoutingAlgorithm, per_hop: impl Fn(u8, u32)) {
    let distance = all_distances(graph);
    let mut rng = Stream::new(11, Purpose::Routing, 0);
    let mut choices = Vec::new();
    for a in 0..graph.n_routers() {
        for b in (0..graph.n_routers()).filter(|&b| b != a) {
            let (src, dst) = (graph.endpoints(a).start, graph.endpoints(b).start);
            let mut head = Head { src, dst, target: b, hops: 0, state: 0 };
            let mut here = Here { router: a, row: a, in_port: graph.degree(a) as Port };
            while here.router != b {
                choices.clear();
                routing.choices(here, &head, &mut choices);
                assert!((choices.iter().map(|(p, ..)| p).sum::<f64>() - 1.0).abs() < 1e-12, "{name}");
                let choice = routing.route(here, &mut head, &Idle, &mut rng);
                assert!(choices.iter().any(|&(_, c, h)| (c, h) == (choice, head)), "{name}: {choice:?} of {choices:?}");
                assert_ne!(choice.vcs, 0);
                per_hop(head.hops, choice.vcs);
                let (port, at) = (usize::from(choice.port), here.router);
                let router = graph.peers(at)[port];
                assert_eq!(distance[router as usize][b as usize] + 1, distance[at as usize][b as usize], "{name}: {a} to {b}");
                here = Here { router, row: router, in_port: graph.peer_ports(at)[port] };
                head.hops += 1;
            }
            assert_eq!(u32::from(head.hops), distance[a as usize][b as usize]);
        }
    }
}

#[test]
fn minimal_routing_comes_nearer_with_every_hop() {
    for (name, graph) in graphs() {
        for tie in [Some(Tie::LowestId), Some(Tie::Random { seed: 1 }), None] {
            let min = common::min(&graph, tie, VcClasses::any(3));
            check_routing(&name, &graph, &Routing::Min(min), |_, vcs| assert_eq!(vcs, 0b111));
        }
    }
}

#[test]
fn minimal_routing_by_hop_is_on_vc_i_at_hop_i() {
    let graph = slim_fly::graph(5, 1);
    let min = common::min(&graph, Some(Tie::LowestId), VcClasses::by_hop(2, 2));
    check_routing("slim fly 5", &graph, &Routing::Min(min), |hops, vcs| assert_eq!(vcs, 1 << hops));
}

#[test]
fn dimension_order_comes_nearer_with_every_hop() {
    for dims in [&[8, 8][..], &[5, 4], &[3, 3, 3], &[2, 6], &[1, 4, 2], &[7], &[1]] {
        let grid = Grid::new(dims);
        for num_vcs in [1, 2, 3, 5] {
            for (wraps, graph) in [(false, mesh::graph(&grid, 1)), (true, torus::graph(&grid, 1))] {
                let routing = DimensionOrder::new(&graph, &grid, wraps, &all_routers(&graph), num_vcs);
                let all = u32::MAX >> (32 - num_vcs);
                let vcs_are_legal = |_, vcs| assert!(vcs & !all == 0 && (wraps || vcs == all));
                let name = format!("{grid}, wraps {wraps}, {num_vcs} VCs");
                check_routing(&name, &graph, &Routing::DimensionOrder(routing), vcs_are_legal);
            }
        }
    }
}

/// The decisions of a packet from `a` to `b` on a ring of 8 routers with 2 VCs: (next router, VC set) per hop.
fn on_ring(a: u32, b: u32) -> Vec<(u32, u32)> {
    let grid = Grid::new(&[8]);
    let graph = torus::graph(&grid, 1);
    let routing = DimensionOrder::new(&graph, &grid, true, &all_routers(&graph), 2);
    let mut head = Head { src: a, dst: b, target: b, hops: 0, state: 0 };
    let mut rng = Stream::new(1, Purpose::Routing, 0);
    let (mut router, mut hops) = (a, Vec::new());
    while router != b {
        let choice = routing.route(Here { router, row: router, in_port: 0 }, &mut head, &Idle, &mut rng);
        router = graph.peers(router)[usize::from(choice.port)];
        hops.push((router, choice.vcs));
    }
    hops
}

#[test]
fn torus_packets_keep_the_half_that_booksim_gives_them() {
    // Going up: the lower half, or the upper from the start if the packet will wrap. Going down: the other way round.
    assert_eq!(on_ring(1, 4), [(2, 1), (3, 1), (4, 1)]);
    assert_eq!(on_ring(6, 1), [(7, 2), (0, 2), (1, 2)]);
    assert_eq!(on_ring(4, 1), [(3, 2), (2, 2), (1, 2)]);
    assert_eq!(on_ring(1, 6), [(0, 1), (7, 1), (6, 1)]);
}

#[test]
fn a_tie_on_a_torus_is_a_fair_coin_and_the_direction_is_kept() {
    let grid = Grid::new(&[8]);
    let graph = torus::graph(&grid, 1);
    let routing = DimensionOrder::new(&graph, &grid, true, &all_routers(&graph), 2);
    let head = Head { src: 0, dst: 4, target: 4, hops: 0, state: 0 };
    let mut choices = Vec::new();
    routing.choices(Here { router: 0, row: 0, in_port: 2 }, &head, &mut choices);
    assert_eq!(
        choices.iter().map(|(p, c, _)| (*p, graph.peers(0)[usize::from(c.port)])).collect::<Vec<_>>(),
        [(0.5, 1), (0.5, 7)]
    );
    let mut rng = Stream::new(5, Purpose::Routing, 0);
    let up = (0..1000).filter(|_| {
        let mut head = head;
        let choice = routing.route(Here { router: 0, row: 0, in_port: 2 }, &mut head, &Idle, &mut rng);
        graph.peers(0)[usize::from(choice.port)] == 1
    });
    // Four standard deviations of 1000 tosses.
    assert!(up.count().abs_diff(500) < 64);
    // On the way there is no second toss.
    let state = choices[1].2.state;
    choices.clear();
    routing.choices(Here { router: 7, row: 7, in_port: 0 }, &Head { state, hops: 1, ..head }, &mut choices);
    assert_eq!(choices.len(), 1);
}

#[test]
fn registry_names_and_topologies_are_known() {
    for (i, entry) in REGISTRY.iter().enumerate() {
        assert!(REGISTRY[..i].iter().all(|other| other.name != entry.name));
        for name in entry.topologies {
            assert!(sfpdes::topology::REGISTRY.iter().any(|t| t.name == *name), "{name}");
        }
    }
}
