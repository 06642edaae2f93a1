//! Freedom from deadlock: what is claimed by argument is shown on the dependency graph, and cycles that are known are found.

mod common;

use common::{all_routers, random_graph};
use sfpdes::rng::Stream;
use sfpdes::routing::deadlock::{check, check_paths, cycle_of_waits, refusal, Cycle, Evidence, Remedy, VirtualChannel};
use sfpdes::routing::detours::Detours;
use sfpdes::routing::dimension_order::DimensionOrder;
use sfpdes::routing::min::Min;
use sfpdes::routing::table::Tie;
use sfpdes::routing::ugal::{Rule, Ugal, Weight};
use sfpdes::routing::ugal_l::UgalL;
use sfpdes::routing::valiant::Valiant;
use sfpdes::routing::vc::VcClasses;
use sfpdes::routing::{Choice, Head, Here, RoutingAlgorithm, View};
use sfpdes::topology::grid::Grid;
use sfpdes::topology::{mesh, slim_fly, torus, Distances, Graph};

fn min(graph: &Graph, vcs: VcClasses) -> Min {
    common::min(graph, Some(Tie::LowestId), vcs)
}

/// Every channel of a cycle is a link, and begins where the one before ends.
fn check_cycle(graph: &Graph, cycle: &Cycle, num_vcs: u32) {
    let channels = &cycle.0;
    assert!(channels.len() > 1);
    for (i, channel) in channels.iter().enumerate() {
        assert!(graph.peers(channel.from).contains(&channel.to) && channel.vc < num_vcs);
        assert_eq!(channel.to, channels[(i + 1) % channels.len()].from, "{cycle}");
    }
}

fn is_acyclic(evidence: &Result<Evidence, Cycle>) -> bool {
    matches!(evidence, Ok(Evidence::Acyclic { .. }))
}

#[test]
fn minimal_routing_on_any_vc_of_a_slim_fly_is_cyclic() {
    for q in [4, 5, 7, 8, 9] {
        let graph = slim_fly::graph(q, 1);
        for num_vcs in 1..=3 {
            let cycle = check(&graph, &min(&graph, VcClasses::any(num_vcs)), num_vcs).unwrap_err();
            check_cycle(&graph, &cycle, num_vcs);
        }
    }
}

#[test]
fn minimal_routing_by_hop_is_acyclic_with_as_many_vcs_as_hops() {
    for q in [3, 4, 5, 7, 8, 9] {
        let graph = slim_fly::graph(q, 1);
        for num_vcs in 2..=4 {
            let routing = min(&graph, VcClasses::by_hop(num_vcs, 2));
            assert!(routing.argument().is_some());
            assert!(is_acyclic(&check(&graph, &routing, num_vcs)), "q={q}, {num_vcs} VCs");
        }
        let routing = min(&graph, VcClasses::by_hop(1, 2));
        assert!(routing.argument().is_none());
        assert!(check(&graph, &routing, 1).is_err(), "q={q}: one VC is too few");
    }
}

#[test]
fn hop_classes_are_acyclic_on_any_network() {
    for seed in 0..6 {
        let graph = random_graph(24, 12, seed);
        let hops = Distances::of(&graph).diameter().unwrap();
        let routing = min(&graph, VcClasses::by_hop(hops, hops));
        assert!(routing.argument().is_some());
        assert!(is_acyclic(&check(&graph, &routing, hops)), "seed {seed}");
    }
}

#[test]
fn a_tree_is_acyclic_without_any_argument() {
    let graph = random_graph(40, 0, 3);
    let evidence = check(&graph, &min(&graph, VcClasses::any(1)), 1);
    assert!(is_acyclic(&evidence));
    let text = evidence.unwrap().to_string();
    assert!(text.starts_with("deadlock-free: acyclic dependency graph over 78 channels"), "{text}");
}

#[test]
fn dimension_order_is_acyclic_wherever_it_claims_to_be_and_cyclic_elsewhere() {
    for dims in [&[1][..], &[3], &[4], &[5], &[9], &[8, 8], &[3, 3], &[2, 5], &[4, 2], &[3, 4, 5], &[2, 2, 2], &[1, 6]] {
        let grid = Grid::new(dims);
        for num_vcs in 1..=5 {
            for (wraps, graph) in [(false, mesh::graph(&grid, 1)), (true, torus::graph(&grid, 1))] {
                let routing = DimensionOrder::new(&graph, &grid, wraps, &all_routers(&graph), num_vcs);
                let shown = check(&graph, &routing, num_vcs);
                assert_eq!(is_acyclic(&shown), routing.argument().is_some(), "{grid}, wraps {wraps}, {num_vcs} VCs");
                if let Err(cycle) = shown {
                    assert!(wraps && num_vcs == 1, "{grid}");
                    check_cycle(&graph, &cycle, num_vcs);
                }
            }
        }
    }
}

/// Clockwise on a ring of `n`; from router 0 on, `dateline` moves packets to VC 1.
struct Clockwise {
    n: u32,
    dateline: bool,
}

impl RoutingAlgorithm for Clockwise {
    fn route(&self, here: Here, head: &mut Head, _view: &impl View, _rng: &mut Stream) -> Choice {
        let next = (here.router + 1) % self.n;
        if self.dateline && here.router == 0 {
            head.state = 1;
        }
        // Peers are ordered by id: of the two, the next is the higher, but for routers 0 (1 before n - 1) and n - 1 (0
        // before n - 2).
        let previous = (here.router + self.n - 1) % self.n;
        Choice { port: u16::from(next > previous), vcs: 1 << head.state }
    }

    fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>) {
        struct Unseen;
        impl View for Unseen {
            fn occupancy(&self, _port: u16) -> u32 {
                unreachable!("it is not adaptive")
            }
        }
        let mut head = *head;
        let mut rng = Stream::new(0, sfpdes::rng::Purpose::Routing, 0);
        let choice = self.route(here, &mut head, &Unseen, &mut rng);
        out.push((1.0, choice, head));
    }
}

#[test]
fn a_ring_deadlocks_and_a_dateline_breaks_the_cycle() {
    for n in [3, 4, 7, 20] {
        let graph = torus::graph(&Grid::new(&[n]), 1);
        let cycle = check(&graph, &Clockwise { n, dateline: false }, 2).unwrap_err();
        check_cycle(&graph, &cycle, 1);
        assert_eq!(cycle.0.len() as u32, n, "the only cycle is the ring");
        assert!(is_acyclic(&check(&graph, &Clockwise { n, dateline: true }, 2)));
    }
}

#[test]
fn routers_without_endpoints_are_passed_but_are_no_ends() {
    // A ring of four in which only two neighbours talk: nothing goes all the way round.
    let graph = Graph::from_links(&[(0, 1), (1, 2), (2, 3), (3, 0)], &[1, 1, 0, 0], vec![0; 4], vec![0; 4]);
    assert!(is_acyclic(&check(&graph, &Clockwise { n: 4, dateline: false }, 1)));
}

#[test]
fn the_refusal_names_everything_needed_to_go_on() {
    let channel = |from, to| VirtualChannel { from, to, vc: 0 };
    let cycle = Cycle(vec![channel(0, 5), channel(5, 9), channel(9, 0)]);
    let text = refusal("min", "slim-fly", 3, &Remedy::ByHop(2), &cycle);
    assert_eq!(
        text,
        "routing `min` on topology `slim-fly` can deadlock with router.num_vcs = 3; it needs routing.vc_policy = \"hop\" with \
         router.num_vcs >= 2 (routing.allow_deadlock = true runs it all the same). One cycle of channels: 0 -> 5 on VC 0, \
         which waits for 5 -> 9 on VC 0, which waits for 9 -> 0 on VC 0, which waits for the first"
    );
    let long = Cycle((0..20).map(|i| channel(i, (i + 1) % 20)).collect());
    let text = refusal("dimension-order", "torus", 1, &Remedy::MoreVcs(2), &long);
    assert!(text.contains("it needs router.num_vcs >= 2") && text.contains("and so on over 20 channels"), "{text}");
}

/// Small networks, one with routers that have no endpoints.
fn small() -> Vec<(String, Graph)> {
    let mut graphs: Vec<(String, Graph)> = [3, 4, 5].map(|q| (format!("q = {q}"), slim_fly::graph(q, 1))).into();
    for dims in [&[1][..], &[2], &[3], &[4], &[7], &[3, 4]] {
        let grid = Grid::new(dims);
        graphs.push((format!("mesh {grid}"), mesh::graph(&grid, 1)));
        graphs.push((format!("torus {grid}"), torus::graph(&grid, 1)));
    }
    graphs.extend((0..6).map(|seed| (format!("random {seed}"), random_graph(14, 2 * seed, u64::from(seed)))));
    let links: Vec<(u32, u32)> = (0..10).map(|r| (r, (r + 1) % 10)).chain([(0, 5), (2, 7)]).collect();
    let endpoints: Vec<u32> = (0..10).map(|r| u32::from(r % 3 == 0)).collect();
    graphs.push(("few ends".into(), Graph::from_links(&links, &endpoints, vec![0; 10], vec![0; 10])));
    graphs
}

/// The most hops of any packet, found by following all of them.
fn longest(graph: &Graph, routing: &impl RoutingAlgorithm) -> u32 {
    let ends = all_routers(graph).into_iter().filter(|&r| !graph.endpoints(r).is_empty());
    let pairs = ends.clone().flat_map(|a| ends.clone().map(move |b| (a, b))).filter(|(a, b)| a != b);
    let mut longest = 0;
    for (a, b) in pairs {
        let head = Head { src: graph.endpoints(a).start, dst: graph.endpoints(b).start, target: b, hops: 0, state: 0 };
        let mut open = vec![(a, head)];
        while let Some((router, mut head)) = open.pop() {
            longest = longest.max(u32::from(head.hops));
            if router == head.target {
                if router == b {
                    continue;
                }
                head.target = b;
            }
            let mut choices = Vec::new();
            routing.choices(Here { router, row: router, in_port: 0 }, &head, &mut choices);
            for (_, choice, mut head) in choices {
                head.hops += 1;
                open.push((graph.peers(router)[usize::from(choice.port)], head));
            }
        }
    }
    longest
}

#[test]
fn legs_give_the_graph_that_whole_paths_give() {
    let mut compared = 0;
    for (name, graph) in small() {
        let survey = common::survey(&graph);
        let diameter = survey.diameter();
        for limit in [None, Some(diameter), Some(diameter + 1), Some(diameter + 2)] {
            for tie in [Some(Tie::LowestId), Some(Tie::Random { seed: 3 }), None] {
                for num_vcs in [1, 3, 2 * diameter.clamp(1, 8)] {
                    let classes = VcClasses::by_hop(num_vcs, 2 * diameter);
                    let detours = Detours::new(&survey, &all_routers(&graph), tie, limit, classes).unwrap();
                    let ugal = UgalL(Ugal::new(detours.clone(), Rule { candidates: 4, threshold: 0, weight: Weight::Hops }));
                    let valiant = Valiant(detours);
                    for (legs, paths) in [
                        (check(&graph, &valiant, num_vcs), check_paths(&graph, &valiant, num_vcs)),
                        (check(&graph, &ugal, num_vcs), check_paths(&graph, &ugal, num_vcs)),
                    ] {
                        match (legs, paths) {
                            (Ok(legs), Ok(paths)) => assert_eq!(legs, paths, "{name} within {limit:?}"),
                            (Err(legs), Err(paths)) => {
                                check_cycle(&graph, &legs, num_vcs);
                                check_cycle(&graph, &paths, num_vcs);
                            }
                            (legs, paths) => panic!("{name} within {limit:?}, {num_vcs} VCs: {legs:?}, {paths:?}"),
                        }
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn the_hops_claimed_are_those_of_the_longest_path() {
    for (name, graph) in small() {
        let survey = common::survey(&graph);
        let detours = |limit| Detours::new(&survey, &all_routers(&graph), Some(Tie::LowestId), limit, VcClasses::any(1)).unwrap();
        if survey.longest_detour().unwrap() > 0 {
            assert_eq!(longest(&graph, &Valiant(detours(None))), survey.longest_detour().unwrap(), "{name}");
        }
        let limit = survey.diameter() + 1;
        let most = longest(&graph, &Valiant(detours(Some(limit))));
        assert!(most <= survey.longest_detour().unwrap().max(survey.diameter()).min(limit), "{name}: {most}");
    }
    // The claims that matter: 4 hops on a Slim Fly, 3 in the variant.
    let graph = slim_fly::graph(5, 1);
    let survey = common::survey(&graph);
    assert_eq!(survey.longest_detour(), Ok(4));
    let detours = Detours::new(&survey, &all_routers(&graph), None, Some(3), VcClasses::any(1)).unwrap();
    assert_eq!(longest(&graph, &Valiant(detours)), 3);
}

#[test]
fn waits_that_go_round_are_told_and_others_are_not() {
    let graph = torus::graph(&Grid::new(&[3]), 1);
    let channel = |from: u32, to: u32| {
        let port = graph.peers(from).iter().position(|&p| p == to).unwrap();
        graph.channel(from) + port as u32
    };
    let waits =
        [[channel(0, 1), 1, channel(1, 2), 2], [channel(1, 2), 1, channel(2, 0), 3], [channel(2, 0), 0, channel(0, 1), 2]];
    let cycle = cycle_of_waits(&graph, &waits, 2).unwrap();
    assert_eq!(cycle.0.len(), 3);
    check_cycle(&graph, &cycle, 2);
    assert_eq!(cycle_of_waits(&graph, &waits[..2], 2), None);
    assert_eq!(cycle_of_waits(&graph, &[], 2), None);
}
