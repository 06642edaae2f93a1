//! Valiant's routing and UGAL against brute force and a second, plain implementation of the decision.

mod common;

use common::{all_distances, all_routers, check_even, graphs, head, minimal_ports, survey, Queues};
use sfpdes::ids::Port;
use sfpdes::rng::{Purpose, Stream};
use sfpdes::routing::detours::Detours;
use sfpdes::routing::table::Tie;
use sfpdes::routing::ugal::{Rule, Ugal, Weight};
use sfpdes::routing::ugal_l::UgalL;
use sfpdes::routing::valiant::Valiant;
use sfpdes::routing::vc::VcClasses;
use sfpdes::routing::{Choice, Here, RoutingAlgorithm};
use sfpdes::topology::grid::Grid;
use sfpdes::topology::{mesh, slim_fly, torus, Graph};

fn stream(n: u64) -> Stream {
    Stream::new(17, Purpose::Routing, n)
}

fn detours(graph: &Graph, tie: Option<Tie>, limit: Option<u32>) -> Detours {
    Detours::new(&survey(graph), &all_routers(graph), tie, limit, VcClasses::any(1)).unwrap()
}

/// The intermediate routers of a pair, ascending.
fn allowed(distance: &[Vec<u32>], source: u32, destination: u32, limit: Option<u32>) -> Vec<u32> {
    let hops = |via: u32| distance[source as usize][via as usize] + distance[via as usize][destination as usize];
    let others = (0..distance.len() as u32).filter(|&via| via != source && via != destination);
    others.filter(|&via| limit.is_none_or(|limit| hops(via) <= limit)).collect()
}

#[test]
fn every_allowed_intermediate_is_equally_likely_and_no_other_is_drawn() {
    let ring = torus::graph(&Grid::new(&[9]), 1);
    for (graph, source, destination, limit) in [
        (slim_fly::graph(5, 1), 3, 40, None),
        (slim_fly::graph(5, 1), 3, 40, Some(3)),
        (slim_fly::graph(5, 1), 40, 3, Some(2)),
        (slim_fly::graph(7, 1), 0, 1, Some(3)),
        (ring.clone(), 0, 1, None),
        (ring, 8, 4, Some(5)),
    ] {
        let candidates = allowed(&all_distances(&graph), source, destination, limit);
        let detours = detours(&graph, Some(Tie::LowestId), limit);
        assert_eq!(detours.all(source, destination).collect::<Vec<_>>(), candidates);
        let mut counts = vec![0; candidates.len()];
        let mut rng = stream(1);
        for _ in 0..300 * candidates.len() {
            let via = detours.draw(source, destination, &mut rng).unwrap();
            counts[candidates.binary_search(&via).expect("an allowed router")] += 1;
        }
        check_even(&counts, &format!("{source} to {destination} within {limit:?}"));
    }
}

#[test]
fn rare_intermediates_are_found_and_equally_likely() {
    // On a large ring only the two neighbours of a link keep a packet over it within three hops.
    let graph = torus::graph(&Grid::new(&[2000]), 1);
    let detours = detours(&graph, Some(Tie::LowestId), Some(3));
    let mut rng = stream(2);
    let drawn: Vec<u32> = (0..200).map(|_| detours.draw(700, 701, &mut rng).unwrap()).collect();
    let count = |via| drawn.iter().filter(|&&d| d == via).count() as u32;
    assert_eq!(count(699) + count(702), 200);
    check_even(&[count(699), count(702)], "the two");
    // And where there is none, none is found.
    assert_eq!(detours.draw(700, 704, &mut rng), None);
}

/// Sends packets between all pairs and checks each hop: the target is reached by a shortest path, then the destination by
/// another; no more than `limit` hops in all. Returns the most hops of any packet.
fn check_legs(
    name: &str,
    graph: &Graph,
    routing: &impl RoutingAlgorithm,
    queues: impl Fn(u32) -> Queues,
    limit: Option<u32>,
) -> u32 {
    let distance = all_distances(graph);
    let far = |a: u32, b: u32| distance[a as usize][b as usize];
    let (mut rng, mut choices, mut most) = (stream(3), Vec::new(), 0);
    for (a, b) in (0..graph.n_routers()).flat_map(|a| (0..graph.n_routers()).map(move |b| (a, b))).filter(|(a, b)| a != b) {
        let mut head = head(graph, a, b);
        let (mut router, mut via) = (a, None);
        while router != b || head.target != b {
            if router == head.target {
                head.target = b;
            }
            let here = Here { router, row: router, in_port: 0 };
            choices.clear();
            routing.choices(here, &head, &mut choices);
            assert!((choices.iter().map(|c| c.0).sum::<f64>() - 1.0).abs() < 1e-9, "{name}");
            let before = head;
            let choice = routing.route(here, &mut head, &queues(router), &mut rng);
            assert!(choices.iter().any(|&(_, c, h)| (c, h) == (choice, head)), "{name}: {choice:?} {head:?} of {choices:?}");
            if head.target != before.target {
                assert!(head.hops == 0 && router == a, "{name}: decided at the source only");
                assert!(head.target != a && via.replace(head.target).is_none());
            }
            let next = graph.peers(router)[usize::from(choice.port)];
            assert_eq!(far(next, head.target) + 1, far(router, head.target), "{name}: {a} to {b} over {via:?}");
            router = next;
            head.hops += 1;
        }
        let expected = via.map_or(far(a, b), |via| far(a, via) + far(via, b));
        assert_eq!(u32::from(head.hops), expected, "{name}: {a} to {b} over {via:?}");
        assert!(limit.is_none_or(|limit| expected <= limit));
        most = most.max(expected);
    }
    most
}

#[test]
fn valiant_takes_two_shortest_paths_within_its_limit() {
    for (name, graph) in graphs().into_iter().filter(|(_, graph)| graph.n_routers() < 100) {
        let distance = all_distances(&graph);
        let diameter = distance.iter().flatten().max().copied().unwrap();
        for (tie, limit) in [
            (Some(Tie::LowestId), None),
            (None, None),
            (Some(Tie::Random { seed: 4 }), Some(diameter)),
            (None, Some(diameter + 1)),
        ] {
            let valiant = Valiant(detours(&graph, tie, limit));
            let most = check_legs(&name, &graph, &valiant, |r| Queues(vec![0; graph.degree(r) as usize]), limit);
            assert!(most <= survey(&graph).longest_detour().unwrap().max(diameter), "{name}");
        }
    }
}

#[test]
fn valiant_makes_a_detour_wherever_there_is_one() {
    for n in 1..6 {
        let graph = mesh::graph(&Grid::new(&[n]), 1);
        let valiant = Valiant(detours(&graph, Some(Tie::LowestId), None));
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            let mut head = head(&graph, a, b);
            valiant.route(Here { router: a, row: a, in_port: 0 }, &mut head, &Queues(vec![]), &mut stream(4));
            assert_eq!(head.target == b, n == 2, "{a} to {b} of {n}");
        }
    }
}

fn rules() -> Vec<Rule> {
    let weights = [Weight::Hops, Weight::Legs, Weight::None];
    let rules = weights.iter().flat_map(|&weight| {
        [(4, 0), (1, 0), (4, -3), (4, 5), (16, 2)].map(|(candidates, threshold)| Rule { candidates, threshold, weight })
    });
    rules.collect()
}

/// UGAL-L in plain words. The random router is drawn among the others in the order of their ids.
fn decide(
    graph: &Graph,
    distance: &[Vec<u32>],
    (a, b): (u32, u32),
    rule: Rule,
    limit: Option<u32>,
    queues: &Queues,
    rng: &mut Stream,
) -> (u32, Port) {
    let far = |a: u32, b: u32| i64::from(distance[a as usize][b as usize]);
    let score = |target: u32| {
        let port = minimal_ports(graph, distance, a, target)[0];
        let hops = if target == b { far(a, b) } else { far(a, target) + far(target, b) };
        let factor = match rule.weight {
            Weight::Hops => hops,
            Weight::Legs if target == b => 1,
            Weight::Legs => 2,
            Weight::None => 1,
        };
        (factor * i64::from(queues.0[usize::from(port)]), port)
    };
    let (straight, straight_port) = score(b);
    if straight <= rule.threshold {
        return (b, straight_port);
    }
    let others: Vec<u32> = (0..graph.n_routers()).filter(|&r| r != a && r != b).collect();
    let mut drawn = Vec::new();
    while drawn.len() < rule.candidates as usize {
        let via = others[rng.below(others.len() as u32) as usize];
        if limit.is_none_or(|limit| far(a, via) + far(via, b) <= i64::from(limit)) {
            drawn.push(via);
        }
    }
    let best = drawn.iter().map(|&via| score(via).0).min().unwrap();
    if straight <= best + rule.threshold {
        return (b, straight_port);
    }
    let via = *drawn.iter().find(|&&via| score(via).0 == best).unwrap();
    (via, score(via).1)
}

#[test]
fn ugal_decides_as_a_plain_implementation_does() {
    let (mut straight, mut around) = (0, 0);
    for graph in
        [slim_fly::graph(5, 1), slim_fly::graph(4, 1), torus::graph(&Grid::new(&[4, 3]), 1), common::random_graph(20, 15, 1)]
    {
        let distance = all_distances(&graph);
        let diameter = distance.iter().flatten().max().copied().unwrap();
        for rule in rules() {
            for limit in [None, Some(diameter + 1)] {
                let ugal = UgalL(Ugal::new(detours(&graph, Some(Tie::LowestId), limit), rule));
                let mut random = stream(5);
                for n in 0..150 {
                    let a = random.below(graph.n_routers());
                    let b = (a + 1 + random.below(graph.n_routers() - 1)) % graph.n_routers();
                    let queues = Queues((0..graph.degree(a)).map(|_| random.below(12)).collect());
                    let mut head = head(&graph, a, b);
                    let here = Here { router: a, row: a, in_port: graph.degree(a) as Port };
                    let Choice { port, .. } = ugal.route(here, &mut head, &queues, &mut stream(n));
                    let expected = decide(&graph, &distance, (a, b), rule, limit, &queues, &mut stream(n));
                    assert_eq!((head.target, port), expected, "{rule:?}, {limit:?}: {a} to {b} with {:?}", queues.0);
                    if head.target == b {
                        straight += 1;
                    } else {
                        around += 1;
                    }
                }
            }
        }
    }
    assert!(straight > 5000 && around > 2000, "{straight} straight, {around} around");
}

#[test]
fn ugal_takes_shortest_paths_on_both_legs_however_full_the_queues() {
    for (name, graph) in graphs().into_iter().filter(|(_, graph)| graph.n_routers() < 60) {
        let diameter = all_distances(&graph).iter().flatten().max().copied().unwrap();
        for limit in [None, Some(diameter), Some(diameter + 1)] {
            for tie in [Some(Tie::LowestId), None] {
                let rule = Rule { candidates: 4, threshold: 0, weight: Weight::Hops };
                let ugal = UgalL(Ugal::new(detours(&graph, tie, limit), rule));
                let queues = |router: u32| {
                    let mut stream = stream(u64::from(router));
                    Queues((0..graph.degree(router)).map(|_| stream.below(9)).collect())
                };
                check_legs(&name, &graph, &ugal, queues, limit);
            }
        }
    }
}

#[test]
fn the_probabilities_of_ugal_are_those_of_an_idle_network() {
    let graph = slim_fly::graph(4, 1);
    for (threshold, straight) in [(0, 1.0), (7, 1.0), (-1, 0.0)] {
        let ugal =
            UgalL(Ugal::new(detours(&graph, Some(Tie::LowestId), None), Rule { candidates: 4, threshold, weight: Weight::Hops }));
        let (here, head) = (Here { router: 2, row: 2, in_port: 0 }, head(&graph, 2, 29));
        let mut choices = Vec::new();
        ugal.choices(here, &head, &mut choices);
        assert_eq!(choices.len(), 31);
        let mut seen = [0; 32];
        for n in 0..2000 {
            let mut head = head;
            ugal.route(here, &mut head, &Queues(vec![0; 7]), &mut stream(n));
            seen[head.target as usize] += 1;
        }
        for (probability, _, head) in choices {
            let expected = if head.target == 29 { straight } else { (1.0 - straight) / 30.0 };
            assert!((probability - expected).abs() < 1e-12);
            assert_eq!(seen[head.target as usize] > 0, expected > 0.0);
        }
        if straight == 0.0 {
            check_even(&(0..32).filter(|r| ![2, 29].contains(r)).map(|r| seen[r]).collect::<Vec<_>>(), "detours");
        }
    }
}
