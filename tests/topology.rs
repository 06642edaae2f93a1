//! The topologies against what their papers prove.

use sfpdes::config::Applies;
use sfpdes::topology::grid::Grid;
use sfpdes::topology::{galois, mesh, slim_fly, torus, ChannelClass, Distances, Graph, REGISTRY};

/// What every graph must keep: ports sorted by peer, every channel with its way back, classes that follow the racks,
/// endpoints numbered by router.
fn check_graph(graph: &Graph) {
    let mut endpoint = 0;
    let mut channel = 0;
    for r in 0..graph.n_routers() {
        assert!(graph.peers(r).is_sorted(), "ports of {r} are ordered by peer");
        assert_eq!(graph.channel(r), channel);
        channel += graph.degree(r);
        for (port, &peer) in graph.peers(r).iter().enumerate() {
            assert_ne!(peer, r, "no loops");
            let back = usize::from(graph.peer_ports(r)[port]);
            assert_eq!(graph.peers(peer)[back], r, "the peer port leads back");
            assert_eq!(usize::from(graph.peer_ports(peer)[back]), port, "and its peer port is this one");
            let local = graph.rack(r) == graph.rack(peer);
            assert_eq!(graph.classes(r)[port] == ChannelClass::Local, local);
            assert_eq!(graph.channel_origin(graph.channel(r) + port as u32), (r, port as u16));
        }
        assert_eq!(graph.endpoints(r).start, endpoint);
        endpoint = graph.endpoints(r).end;
        graph.endpoints(r).for_each(|e| assert_eq!(graph.router_of(e), r));
        assert_eq!(graph.radix(r), graph.degree(r) + graph.endpoints(r).len() as u32);
        assert!(graph.rack(r) < graph.n_racks());
    }
    assert_eq!(endpoint, graph.n_endpoints());
    assert_eq!(channel as usize, graph.n_channels());
}

fn prime_powers(max: u32) -> impl Iterator<Item = u32> {
    (3..=max).filter(|&q| galois::prime_power(q).is_some())
}

#[test]
fn slim_fly_has_the_size_degree_and_diameter_of_the_paper_for_every_prime_power_to_32() {
    for q in prime_powers(32) {
        let graph = slim_fly::graph(q, 1);
        check_graph(&graph);
        let radix = slim_fly::network_radix(q);
        assert_eq!(graph.n_routers(), 2 * q * q, "q={q}");
        assert!((0..graph.n_routers()).all(|r| graph.degree(r) == radix), "q={q}");
        assert!((0..graph.n_routers()).all(|r| graph.peers(r).is_sorted_by(|a, b| a < b)), "q={q}: no parallel links");
        let distances = Distances::of(&graph);
        assert_eq!(distances.diameter(), Some(2), "q={q}");
        // Average distance 2 - k' / (N_r - 1), as a sum: N_r (2 (N_r - 1) - k').
        let n = u64::from(graph.n_routers());
        assert_eq!(distances.total(), n * (2 * (n - 1) - u64::from(radix)), "q={q}");
    }
}

#[test]
fn slim_fly_of_5_is_the_hoffman_singleton_graph() {
    let graph = slim_fly::graph(5, 4);
    assert_eq!((graph.n_routers(), graph.n_channels(), graph.n_endpoints()), (50, 350, 200));
    // Girth 5: adjacent routers share no peer, others share exactly one.
    for a in 0..50 {
        for b in (0..50).filter(|&b| b != a) {
            let shared = graph.peers(a).iter().filter(|r| graph.peers(b).contains(r)).count();
            assert_eq!(shared, usize::from(!graph.peers(a).contains(&b)), "{a} and {b}");
        }
    }
}

#[test]
fn slim_fly_of_19_has_the_path_diversity_computed_independently() {
    let graph = slim_fly::graph(19, 15);
    assert_eq!((graph.n_endpoints(), graph.max_degree(), graph.radix(0)), (10_830, 29, 44));
    let mut paths = [0u64; 8];
    for a in 0..graph.n_routers() {
        let mut count = vec![0usize; graph.n_routers() as usize];
        graph.peers(a).iter().flat_map(|&m| graph.peers(m)).for_each(|&b| count[b as usize] += 1);
        for b in (0..graph.n_routers()).filter(|b| *b != a && graph.peers(a).binary_search(b).is_err()) {
            paths[count[b as usize]] += 1;
        }
    }
    let (pairs, total): (u64, u64) = paths.iter().zip(0u64..).fold((0, 0), |(p, t), (&n, i)| (p + n, t + i * n));
    assert_eq!((paths[0], paths[7] > 0), (0, true), "at least one, at most seven paths of two hops");
    assert_eq!((100 * total / pairs), 111, "1.11 on average");
}

#[test]
fn slim_fly_variants_have_the_sizes_of_the_table() {
    let table = [
        (3, 54),
        (4, 96),
        (5, 200),
        (7, 588),
        (8, 768),
        (9, 1134),
        (11, 2178),
        (13, 3380),
        (16, 6144),
        (17, 7514),
        (19, 10_830),
        (23, 19_044),
    ];
    assert_eq!(prime_powers(23).collect::<Vec<_>>(), table.map(|(q, _)| q));
    for (q, n) in table {
        assert_eq!(slim_fly::graph(q, slim_fly::balanced_concentration(q)).n_endpoints(), n, "q={q}");
    }
}

#[test]
fn slim_fly_racks_hold_two_subgroups_and_are_joined_by_2q_cables() {
    for q in prime_powers(19) {
        let graph = slim_fly::graph(q, 1);
        assert_eq!(graph.n_racks(), q);
        let mut cables = vec![0u64; (q * q) as usize];
        for a in 0..graph.n_routers() {
            assert_eq!((graph.subgroup(a) / q, graph.subgroup(a) % q), (a / (q * q), graph.rack(a)));
            for &b in graph.peers(a).iter().filter(|&&b| a < b) {
                let (i, j) = (graph.rack(a), graph.rack(b));
                cables[(i.min(j) * q + i.max(j)) as usize] += 1;
            }
        }
        let inside: u64 = (0..q).map(|i| cables[(i * q + i) as usize]).sum();
        let qq = u64::from(q);
        let delta = slim_fly::delta(q);
        assert_eq!(4 * inside, (2 * q * q) as u64 * (i64::from(q) - delta) as u64 + 4 * qq * qq, "q={q}");
        assert_eq!(cables.iter().sum::<u64>() - inside, qq * qq * (qq - 1), "q={q}");
        for i in 0..q {
            for j in i + 1..q {
                assert_eq!(cables[(i * q + j) as usize], 2 * qq, "q={q}: racks {i} and {j}");
            }
        }
    }
    let graph = slim_fly::graph(19, 15);
    let local: usize = (0..graph.n_routers()).flat_map(|r| graph.classes(r)).filter(|&&c| c == ChannelClass::Local).count();
    assert_eq!((local / 2, (graph.n_channels() - local) / 2), (3_971, 6_498));
}

#[test]
fn slim_fly_of_a_million_endpoints_is_built() {
    let graph = slim_fly::graph(89, 67);
    assert_eq!((graph.n_routers(), graph.n_endpoints(), graph.max_degree()), (15_842, 1_061_414, 133));
    let graph = slim_fly::graph(163, 1);
    assert_eq!((graph.n_routers(), graph.max_degree()), (53_138, 245));
}

fn grids() -> Vec<Grid> {
    [&[1][..], &[2], &[3], &[9], &[8, 8], &[1, 5], &[5, 1, 2], &[2, 2, 2, 2], &[4, 3, 5], &[3, 2, 4], &[1, 1, 1]]
        .map(Grid::new)
        .into()
}

/// Hops between two routers by the coordinates, with `along(length, from, to)` hops in one dimension.
fn grid_distance(grid: &Grid, a: u32, b: u32, along: fn(u32, u32, u32) -> u32) -> u64 {
    (0..grid.dims().len()).map(|d| u64::from(along(grid.dims()[d], grid.coordinate(a, d), grid.coordinate(b, d)))).sum()
}

fn check_grid(grid: &Grid, graph: &Graph, diameter: u32, along: fn(u32, u32, u32) -> u32) {
    check_graph(graph);
    assert_eq!(graph.n_routers(), grid.n_routers());
    let distances = Distances::of(graph);
    assert_eq!(distances.diameter(), Some(diameter), "{grid}");
    let n = grid.n_routers();
    let total: u64 = (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).map(|(a, b)| grid_distance(grid, a, b, along)).sum();
    assert_eq!(distances.total(), total, "{grid}");
    assert_eq!(graph.n_racks(), n / grid.dims()[0]);
}

#[test]
fn mesh_distances_are_manhattan() {
    for grid in grids() {
        let graph = mesh::graph(&grid, 2);
        check_grid(&grid, &graph, mesh::diameter(&grid), |_, a, b| a.abs_diff(b));
        let links: u32 = grid.dims().iter().map(|d| grid.n_routers() / d * (d - 1)).sum();
        assert_eq!(graph.n_channels() as u32, 2 * links, "{grid}");
        assert_eq!(graph.n_endpoints(), 2 * grid.n_routers());
    }
}

#[test]
fn torus_distances_take_the_shorter_way() {
    for grid in grids() {
        let graph = torus::graph(&grid, 1);
        check_grid(&grid, &graph, torus::diameter(&grid), |d, a, b| a.abs_diff(b).min(d - a.abs_diff(b)));
        let degree: u32 = grid.dims().iter().map(|&d| d.min(3) - 1).sum();
        assert!((0..graph.n_routers()).all(|r| graph.degree(r) == degree), "{grid}: rings of 2 are one link");
    }
}

#[test]
fn a_single_router_is_a_network() {
    for graph in [mesh::graph(&Grid::new(&[1]), 3), torus::graph(&Grid::new(&[1]), 3)] {
        assert_eq!((graph.n_routers(), graph.n_channels(), graph.n_endpoints(), graph.radix(0)), (1, 0, 3, 3));
    }
}

#[test]
fn registry_names_are_distinct_and_their_keys_apply_to_them() {
    for (i, entry) in REGISTRY.iter().enumerate() {
        assert!(REGISTRY[..i].iter().all(|other| other.name != entry.name));
        assert!(!entry.summary.is_empty());
        for key in entry.keys {
            let applies = matches!(key.applies, Applies::When { key: "network.topology", values } if values == [entry.name]);
            assert!(applies, "{} of {}", key.path, entry.name);
        }
    }
}
