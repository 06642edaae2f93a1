//! Layers of VCs: each is free of cycles by a second method, and packets stay in theirs.

mod common;
mod support;

use std::collections::BTreeSet;
use std::sync::Arc;

use common::{all_routers, random_graph, survey};
use sfpdes::ids::Port;
use sfpdes::rng::{Purpose, Stream};
use sfpdes::routing::deadlock::{check, Evidence};
use sfpdes::routing::layers::{Layers, NoLayers};
use sfpdes::routing::min::{Min, Vcs};
use sfpdes::routing::table::{Disconnected, Table, Tie};
use sfpdes::routing::vc::VcClasses;
use sfpdes::routing::{Head, Here, RoutingAlgorithm, View};
use sfpdes::topology::grid::Grid;
use sfpdes::topology::{mesh, slim_fly, torus, Graph};

const TIES: [Tie; 3] = [Tie::LowestId, Tie::Random { seed: 1 }, Tie::Random { seed: 2 }];

/// The routers of the path that a table gives.
fn path(graph: &Graph, table: &Table, source: u32, target: u32) -> Vec<u32> {
    let mut path = vec![source];
    while let Some(&router) = path.last().filter(|&&router| router != target) {
        path.push(graph.peers(router)[usize::from(table.next(router, target))]);
    }
    path
}

/// Whether the dependencies between links can be put in an order: links without predecessors are taken away until none are
/// left (Kahn).
fn can_be_ordered(mut edges: BTreeSet<([u32; 2], [u32; 2])>) -> bool {
    while !edges.is_empty() {
        let wanted: BTreeSet<[u32; 2]> = edges.iter().map(|e| e.1).collect();
        let before = edges.len();
        edges.retain(|e| wanted.contains(&e.0));
        if edges.len() == before {
            return false;
        }
    }
    true
}

/// Checks the layers of a graph without parallel links; returns how many there are.
fn check_layers(name: &str, graph: &Graph, tie: Tie) -> u32 {
    let layers = Layers::find(graph, tie).unwrap();
    let table = Table::build(graph, &all_routers(graph), tie).unwrap();
    let ends: Vec<u32> = all_routers(graph).into_iter().filter(|&r| !graph.endpoints(r).is_empty()).collect();
    let mut paths = vec![0; layers.n_layers() as usize];
    let mut edges = vec![BTreeSet::new(); layers.n_layers() as usize];
    for (a, b) in ends.iter().flat_map(|&a| ends.iter().map(move |&b| (a, b))).filter(|(a, b)| a != b) {
        let layer = usize::from(layers.get(a, b));
        paths[layer] += 1;
        for hop in path(graph, &table, a, b).windows(3) {
            edges[layer].insert(([hop[0], hop[1]], [hop[1], hop[2]]));
        }
    }
    assert_eq!(paths, layers.paths(), "{name}");
    let all: BTreeSet<_> = edges.iter().flatten().copied().collect();
    assert_eq!(all.len(), layers.n_dependencies(), "{name}");
    assert_eq!(layers.n_layers() == 1, can_be_ordered(all), "{name}: one layer is taken where one will do");
    for (layer, edges) in edges.into_iter().enumerate() {
        assert!(can_be_ordered(edges), "{name}: layer {layer}");
    }
    layers.n_layers()
}

#[test]
fn two_layers_do_on_every_slim_fly() {
    for q in [3, 4, 5, 7, 8] {
        let graph = slim_fly::graph(q, 1);
        for tie in TIES {
            assert_eq!(check_layers(&format!("q = {q}"), &graph, tie), 2, "q = {q}");
        }
    }
}

#[test]
fn every_layer_is_free_of_cycles_on_any_network() {
    for dims in [&[1][..], &[2], &[5], &[4, 4], &[3, 3, 3]] {
        let grid = Grid::new(dims);
        for tie in TIES {
            check_layers(&format!("mesh {grid}"), &mesh::graph(&grid, 1), tie);
        }
        // The lowest id first is dimension order on a mesh.
        assert_eq!(check_layers("mesh", &mesh::graph(&grid, 1), Tie::LowestId), 1);
    }
    for dims in [&[4][..], &[7], &[4, 4], &[5, 3]] {
        let grid = Grid::new(dims);
        for tie in TIES {
            let layers = check_layers(&format!("torus {grid}"), &torus::graph(&grid, 1), tie);
            assert!(layers >= 2 || grid.dims().iter().all(|&d| d < 5), "{grid}: {layers}");
        }
    }
    for seed in 0..12 {
        let graph = simple(&random_graph(24, 10 * (seed % 4), u64::from(seed)));
        for tie in TIES {
            check_layers(&format!("random {seed}"), &graph, tie);
        }
    }
    // Routers without endpoints are on paths, but are no ends of any.
    let ring = Graph::from_links(&[(0, 1), (1, 2), (2, 3), (3, 0)], &[1, 1, 0, 0], vec![0; 4], vec![0; 4]);
    assert_eq!(check_layers("two of four", &ring, Tie::LowestId), 1);
}

/// The graph with one link where there were several.
fn simple(graph: &Graph) -> Graph {
    let links: BTreeSet<(u32, u32)> =
        all_routers(graph).iter().flat_map(|&r| graph.peers(r).iter().filter(move |&&p| p < r).map(move |&p| (p, r))).collect();
    let n = graph.n_routers() as usize;
    Graph::from_links(&links.into_iter().collect::<Vec<_>>(), &vec![1; n], vec![0; n], vec![0; n])
}

struct Unseen;

impl View for Unseen {
    fn occupancy(&self, _port: Port) -> u32 {
        unreachable!("it is not adaptive")
    }
}

#[test]
fn packets_stay_in_the_vcs_of_their_layer_and_the_graph_shows_no_cycle() {
    for (graph, num_vcs) in [(slim_fly::graph(5, 1), 2), (slim_fly::graph(7, 1), 5), (torus::graph(&Grid::new(&[5, 5]), 1), 6)] {
        for tie in TIES {
            let layers = Arc::new(Layers::find(&graph, tie).unwrap());
            assert!(layers.n_layers() <= num_vcs, "{}", layers.n_layers());
            let vcs = Vcs::by_layer(num_vcs, layers.clone());
            let min = Min::new(&survey(&graph), &all_routers(&graph), Some(tie), vcs).unwrap();
            assert!(matches!(check(&graph, &min, num_vcs), Ok(Evidence::Acyclic { .. })));
            assert!(min.argument().is_some() && !min.reads_hops());
            let mut rng = Stream::new(1, Purpose::Routing, 0);
            let mut used = vec![0; layers.n_layers() as usize];
            for (a, b) in (0..graph.n_routers()).flat_map(|a| (0..graph.n_routers()).map(move |b| (a, b))).filter(|(a, b)| a != b)
            {
                let mut head =
                    Head { src: graph.endpoints(a).start, dst: graph.endpoints(b).start, target: b, hops: 0, state: 0 };
                let (mut router, mut sets) = (a, BTreeSet::new());
                while router != b {
                    let choice = min.route(Here { router, row: router, in_port: 0 }, &mut head, &Unseen, &mut rng);
                    sets.insert(choice.vcs);
                    router = graph.peers(router)[usize::from(choice.port)];
                    head.hops += 1;
                }
                assert_eq!(sets.len(), 1, "{a} to {b}");
                used[usize::from(layers.get(a, b))] |= sets.first().unwrap();
            }
            assert_eq!(used.iter().sum::<u32>(), (1 << num_vcs) - 1, "layers have VCs of their own, together all: {used:?}");
        }
    }
}

#[test]
fn with_fewer_vcs_than_layers_there_is_a_cycle() {
    for q in [3, 5, 7] {
        let graph = slim_fly::graph(q, 1);
        let vcs = Vcs::by_layer(1, Arc::new(Layers::find(&graph, Tie::LowestId).unwrap()));
        let min = Min::new(&survey(&graph), &all_routers(&graph), Some(Tie::LowestId), vcs).unwrap();
        assert!(min.argument().is_none());
        assert!(check(&graph, &min, 1).is_err());
        // As on any VC.
        assert!(check(&graph, &common::min(&graph, Some(Tie::LowestId), VcClasses::any(1)), 1).is_err());
    }
}

#[test]
fn networks_that_are_too_large_or_in_parts_have_no_layers() {
    let line = |n: u32| mesh::graph(&Grid::new(&[n]), 1);
    assert_eq!(Layers::find(&line(8193), Tie::LowestId), Err(NoLayers::TooManyPairs(8193 * 8193)));
    // A path of l hops makes l - 1 dependencies; on a row of n routers that is n (n - 1) (n - 2) / 3 in all.
    assert_eq!(Layers::find(&line(600), Tie::LowestId), Err(NoLayers::TooManyDependencies(600 * 599 * 598 / 3)));
    let parts = Graph::from_links(&[(0, 1)], &[1; 3], vec![0; 3], vec![0; 3]);
    let error = Layers::find(&parts, Tie::LowestId).unwrap_err();
    assert_eq!(error, NoLayers::Disconnected(Disconnected { from: 0, to: 2 }));
}

#[test]
fn the_study_prints_a_line_for_each_point_and_refuses_what_has_no_layers() {
    let input = "[network]\ntopology = 'slim-fly'\n[routing]\nalgorithm = 'min'\n[traffic]\ninjection_rate = 0.1\n\
                 [sweep]\nnetwork.q = [3, 5]\nrouting.tie = ['lowest_id', 'random']\n";
    let place = support::Place::new(input);
    let run = |sets: &[&str]| {
        let mut command = support::sfpdes();
        command.arg("layers").arg(place.input());
        sets.iter().for_each(|set| {
            command.args(["--set", set]);
        });
        support::finish(command)
    };
    let end = run(&[]);
    assert_eq!((end.code(), end.stderr.as_str()), (Some(0), ""));
    let lines: Vec<Vec<&str>> = end.stdout.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        lines[0],
        [
            "network.q",
            "routing.tie",
            "n_routers",
            "n_channels",
            "diameter",
            "paths",
            "dependencies",
            "layers",
            "paths_beyond_layer_0",
            "share_beyond_layer_0"
        ]
    );
    // Of q = 5, where no pair has a tie: 50 * 49 paths, 50 * 42 of two hops; either tie gives the same.
    assert_eq!(lines[3][..8], ["5", "lowest_id", "50", "350", "2", "2450", "2100", "2"]);
    assert_eq!(lines[3][2..], lines[4][2..]);
    assert_eq!((lines.len(), &lines[1][..2], &lines[2][..2]), (5, &["3", "lowest_id"][..], &["3", "random"][..]));
    let graph = slim_fly::graph(3, 1);
    let layers = Layers::find(&graph, Tie::LowestId).unwrap();
    assert_eq!(lines[1][8], layers.paths()[1].to_string());

    for (sets, says) in [
        (&["routing.tie=per_packet"][..], "layers need one path per pair of routers"),
        (&["routing.algorithm=valiant"], "layers are found for the paths of `min`, not of `valiant`"),
        (&["network.q=[6, 5]"], "q = 6 is no prime power"),
    ] {
        let end = run(sets);
        assert_eq!((end.code(), end.stdout.as_str()), (Some(sfpdes::error::exit::INPUT), ""));
        assert!(end.stderr.contains(says), "{}", end.stderr);
    }
    // Faults of keys, of the network and of the routing, those of every point, at once; what hangs on an unknown value is silent.
    for (sets, all) in [
        (&["router.wombats=1", "network.q=[6, 10]"][..], &["router.wombats", "q = 6", "q = 10"][..]),
        (&["router.wombats=1", "network.q=6", "routing.algorithm=valiant"], &["router.wombats", "q = 6", "not of `valiant`"]),
        (&["router.num_vcs=none", "network.q=3", "routing.tie=per_packet"], &["num_vcs", "one path per pair"]),
        (&["network.q=six", "routing.algorithm=valiant"], &["network.q", "not of `valiant`"]),
        (&["network.q=6", "routing.algorithm=vallient"], &["did you mean", "q = 6"]),
        (&["network.topology=[]", "routing.algorithm=valiant"], &["network.topology", "not of `valiant`"]),
    ] {
        // The sweep of the file would name `routing.tie` for other algorithms, too.
        let end = run(&[&["routing.tie=lowest_id"], sets].concat());
        assert_eq!((end.code(), end.stdout.as_str()), (Some(sfpdes::error::exit::INPUT), ""));
        assert!(all.iter().all(|says| end.stderr.contains(says)), "{all:?}: {}", end.stderr);
        assert!(end.stderr.contains(&format!("{} faults", all.len())), "{all:?}: {}", end.stderr);
    }
}
