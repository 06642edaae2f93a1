//! Faults that come while the network runs: vectors follow round by round until they are those of the library, what is on a
//! failing channel is lost and counted, and once the news has got about, everything that is sent arrives again.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use sfpdes::hypercube::{decide, Code, Criterion, Cube, Failure, Knowledge, Method, Model, Part, Scenario, Spread, Verdict};
use sfpdes::network::{Event, Flit};
use sfpdes::rng::{Purpose, Stream};
use sfpdes::stats::{PointReport, Status};
use sfpdes::study::{scenario_of, simulate as simulate_point, Point, Prepared, Unwatched};
#[cfg(feature = "mpi")]
use support::{assert_same, numbers, table, Place};
use support::{point, points, trace};

const ROUTINGS: &[&str] = &["ecube", "safety-level", "safety-vector", "esv"];

/// Cycle of the first failure.
const T: u64 = 100;

/// A cube with some faults in which more come, all at `T` or one by one from then on `apart` cycles apart.
fn scenario(n: u32, seed: u64, n_failures: usize, apart: u64) -> Scenario {
    let mut rng = Stream::new(seed, Purpose::Faults, u64::from(n));
    let first = if seed % 2 == 0 { vec![] } else { vec![rng.below(1 << n)] };
    let mut scenario = Scenario { cube: Cube::with_faults(n, &first, &[]).unwrap(), failures: Vec::new() };
    // A small cube has not much to break.
    while scenario.failures.len() < n_failures.min(n as usize - 1) {
        let u = rng.below(1 << n);
        let i = rng.below(n);
        let now = scenario.at(u64::MAX - 1);
        let part = if rng.below(3) == 0 { Part::Node(u) } else { Part::Link(u & !(1 << i), i) };
        let whole = match part {
            Part::Node(u) => !now.is_faulty(u),
            Part::Link(u, i) => now.open_dims(u) >> i & 1 != 0 && !now.is_faulty(u),
        };
        if whole {
            let at = T + apart * scenario.failures.len() as u64;
            scenario.failures.push(Failure { at, part });
        }
    }
    scenario
}

/// What every node goes by in cycle `now`.
fn stages_at(spread: &Spread, now: u64) -> BTreeMap<u32, &sfpdes::hypercube::Stage> {
    spread.stages.iter().filter(|stage| stage.from <= now).map(|stage| (stage.node, stage)).collect()
}

fn models(n: u32) -> impl Iterator<Item = Model> {
    [Model::SafetyLevel, Model::SafetyVector].into_iter().chain((1..=n).map(Model::Extended))
}

#[test]
fn after_n_minus_1_rounds_every_vector_is_that_of_the_library() {
    for n in 2..=6 {
        for seed in 0..12 {
            let scenario = scenario(n, seed, 1 + seed as usize % 4, 0);
            // Latencies of two classes, and of every channel its own: rounds are those of the slowest.
            let uneven = |u: u32, i: u32| 1 + u64::from((u & !(1 << i)).wrapping_mul(7) + i * 3) % 5;
            let even = |_: u32, _: u32| 4u64;
            for model in models(n) {
                let changed = Code::new(&scenario.at(T), model).unwrap();
                for (delay, slowest) in [(&even as &dyn Fn(u32, u32) -> u64, 4), (&uneven, 5)] {
                    let spread = Spread::new(&scenario, Method::Code(model), delay).unwrap();
                    let name = format!("n {n}, seed {seed}, {}", model.name());
                    let after = stages_at(&spread, T + u64::from(n - 1) * slowest);
                    for (&u, stage) in &after {
                        assert_eq!(stage.vector, changed.vector(u), "{name}, node {u}");
                    }
                    // Everybody has heard of the bits below n, and nothing more is said.
                    let cube = scenario.at(T);
                    let told = (1 << (n - 1)) - 1;
                    for (u, stage) in after {
                        let heard = |i: u32| match cube.is_faulty(u) || cube.open_dims(u) >> i & 1 == 0 {
                            true => 0,
                            false => (changed.vector(u ^ 1 << i) & told) << 1 | 1,
                        };
                        assert!(stage.heard.iter().copied().eq((0..n).map(heard)), "{name}, node {u}");
                    }
                    let last = spread.stages.iter().map(|stage| stage.from).max().unwrap();
                    assert!(last <= T + u64::from(n - 1) * slowest, "{name}: {last}");
                    // Where channels differ, a longer chain may be faster.
                    assert!(slowest == 5 || spread.rounds < n, "{name}: {} rounds", spread.rounds);
                }
            }
        }
    }
}

#[test]
fn in_even_rounds_vectors_are_those_of_a_synchronous_exchange() {
    // Written from the definition of the safety vector alone: in round r everybody tells what it had after round r - 1.
    for seed in 0..20 {
        let n = 5;
        let scenario = scenario(n, seed, 2, 0);
        let cube = scenario.at(T);
        let spread = Spread::new(&scenario, Method::Code(Model::SafetyVector), &|_, _| 7).unwrap();
        let before = Code::new(&scenario.cube, Model::SafetyVector).unwrap();
        let bit = |vector: u32, k: u32| vector >> (k - 1) & 1;
        let open = |u: u32, i: u32| cube.open_dims(u) >> i & 1 != 0;
        let own = |u: u32, told: &dyn Fn(u32) -> u32| {
            if cube.is_faulty(u) {
                return 0;
            }
            (2..=n).fold(u32::from(!cube.is_link_end(u)), |vector, k| {
                let sum: u32 = (0..n).filter(|&i| open(u, i)).map(|i| bit(told(u ^ 1 << i), k - 1)).sum();
                vector | u32::from(sum > n - k) << (k - 1)
            })
        };
        // At T those at the faults see them, and go by what was told before; so do, with the same result, all others.
        let mut vectors: Vec<u32> = (0..1 << n).map(|u| own(u, &|v| before.vector(v))).collect();
        for round in 0..n + 2 {
            let now = T + u64::from(round) * 7;
            let stages = stages_at(&spread, now);
            let seen: Vec<u32> = (0..1 << n).map(|u| stages[&u].vector).collect();
            assert_eq!(seen, vectors, "seed {seed}, round {round}");
            vectors = (0..1 << n).map(|u| own(u, &|v| vectors[v as usize])).collect();
        }
    }
}

#[test]
fn once_the_news_has_got_about_every_decision_is_that_of_the_cube_as_it_is() {
    for (n, seed, apart) in (2..=5).flat_map(|n| (0..10).map(move |seed| (n, seed, [0, 3, 50][seed as usize % 3]))) {
        let scenario = scenario(n, seed, 3, apart);
        let last = scenario.failures.last().map_or(T, |failure| failure.at);
        let (cube, after) = (scenario.at(last), last + 4 * u64::from(n - 1));
        for model in models(n) {
            let knowledge = Knowledge::new(&scenario, Method::Code(model), &|_, _| 4).unwrap();
            let code = Code::new(&cube, model).unwrap();
            for u in cube.nonfaulty_nodes() {
                for v in cube.nonfaulty_nodes().filter(|&v| v != u) {
                    let ways = knowledge.directions(u, v, false, after);
                    let decision = decide(&cube, &code, u, v, Criterion::Text).unwrap();
                    let is_detour = decision.verdict == Verdict::Suboptimal;
                    // That one would have to know bit n of a neighbour.
                    let is_told = !(is_detour && (u ^ v).count_ones() == n - 1);
                    let dims = if is_told { decision.dims } else { 0 };
                    assert_eq!(ways.dims, dims, "{} {scenario:?}: {u} to {v}", model.name());
                    assert_eq!(ways.dims != 0 && ways.spare, is_detour && is_told);
                }
            }
        }
    }
}

/// An n-cube under `routing` in which something fails in cycle 1,000 and after.
fn input(n: u32, routing: &str) -> String {
    format!(
        "[network]\ntopology = 'hypercube'\nn = {n}\nchannel_latency_local = 2\nchannel_latency_global = 4\n[router]\n\
         num_vcs = {}\nvc_buf_size = 8\n[routing]\nalgorithm = '{routing}'\n[measurement]\nsample_period = 500\n\
         warmup_periods = 1\nmin_samples = 6\nmax_samples = 6\nconfidence_width = 0.0\n[traffic]\ninjection_rate = 0.3\n\
         [faults]\nlink_failures = [[1000, 0, 0], [1000, 5, 1], [1000, 6, 3], [1003, 9, 2]]\n\
         node_failures = [[1000, 12], [1010, 10]]\n",
        n + 2
    )
}

/// Everything has failed then.
const FAILED: u64 = 1010;

fn report(toml: &str, sets: &[&str], n: u32) -> PointReport {
    simulate_point(&point(toml, sets, n), &Unwatched).unwrap().report
}

/// Of each packet, by source and number, the events that begin and end its way.
fn ways(events: &[(Event, Flit)]) -> BTreeMap<(u32, u32), Vec<(Event, Flit)>> {
    let mut ways: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (event, flit) in events {
        ways.entry((flit.src, flit.sequence)).or_default().push((*event, *flit));
    }
    ways
}

#[test]
fn what_is_on_a_failing_channel_is_lost_and_what_is_sent_later_arrives() {
    for routing in ROUTINGS {
        for load in ["0.1", "0.5"] {
            let load = format!("traffic.injection_rate={load}");
            let point = point(&input(4, routing), &[&load], 1);
            let cube = scenario_of(&point.config).unwrap().unwrap().at(FAILED);
            let events = trace(&point, 3000);
            // n - 1 rounds over the slowest channels.
            let sound = FAILED + 3 * 5;
            let (mut lost, mut late) = (0, 0);
            for (name, way) in ways(&events) {
                let (end, flit) = way.last().unwrap();
                let injected = way.iter().find_map(|(e, _)| if let Event::Injected(at, ..) = e { Some(*at) } else { None });
                let dst = point.router_of[flit.dst as usize];
                match *end {
                    // A flit that was in an output queue is lost when it would have arrived.
                    Event::Lost(at, _) => {
                        assert!((1000..FAILED + 60).contains(&at) && injected.unwrap() < FAILED, "{routing}: {way:?}");
                        lost += 1;
                    }
                    Event::Dropped(at, router) => {
                        assert!(at >= 1000 && injected.unwrap() < sound, "{routing}: {way:?}");
                        assert!(!cube.is_faulty(router));
                    }
                    Event::Refused(at, _) => assert!(at >= 1000, "{routing}: {way:?}"),
                    Event::Ejected(..) if injected.unwrap() >= sound => {
                        let hops = (point.router_of[flit.src as usize] ^ dst).count_ones() as u8;
                        assert!(flit.hops == hops || *routing != "ecube" && flit.hops == hops + 2, "{routing}: {way:?}");
                        late += 1;
                    }
                    Event::Ejected(..) => assert!(flit.hops <= 6),
                    // Still under way.
                    _ => assert!(injected.is_none_or(|at| at > 2900), "{routing}, {name:?}: {way:?}"),
                }
                if let Some(at) = injected.filter(|&at| at >= 1000) {
                    assert!(at < 1010 || !cube.is_faulty(dst) && !cube.is_faulty(point.router_of[flit.src as usize]), "{way:?}");
                }
            }
            assert!(lost > 0 && late > 500, "{routing}, {load}: {lost} lost, {late} later");
            check_hops(&point, &cube, &events, sound);
        }
    }
}

/// Checks that nothing is sent over a broken link after `from`, and that what arrives had a whole link all the way.
fn check_hops(point: &Point, cube: &Cube, events: &[(Event, Flit)], from: u64) {
    for (event, flit) in events {
        if let Event::Switched(at, router, _, [port, _]) = *event {
            let Some(&next) = point.graph.peers(router).get(usize::from(port)) else { continue };
            let dim = (router ^ next).trailing_zeros();
            assert!(at < from || cube.open_dims(router) >> dim & 1 != 0, "cycle {at}: {flit:?} from {router} to {next}");
        }
    }
}

#[test]
fn every_packet_is_delivered_refused_lost_or_dropped() {
    let mut seen = BTreeSet::new();
    for routing in ROUTINGS {
        for sets in [
            &["traffic.injection_rate=0.2"][..],
            &["traffic.injection_rate=1.0"],
            &["traffic.injection_rate=0.4", "network.p=2", "routing.dimension_choice=random"],
            &["traffic.injection_rate=0.8", "router.routing_delay=3", "router.vc_alloc_delay=2", "router.sw_alloc_delay=2"],
            &["traffic.injection_rate=0.5", "router.routing_delay=0", "router.internal_speedup=1.0", "router.vc_buf_size=1"],
            &["traffic.injection_rate=0.5", "router.flow_control=virtual-cut-through", "traffic.pattern=bit-complement"],
        ] {
            let sets: Vec<&str> = sets.iter().copied().filter(|s| *routing != "ecube" || !s.contains("choice")).collect();
            let r = report(&input(4, routing), &sets, 1);
            let name = format!("{routing}, {sets:?}: {:?}, {} {}", r.status, r.packets_lost, r.packets_dropped);
            assert_ne!(r.status, Status::Stalled, "{name}");
            if r.status != Status::Saturated {
                let fates = [r.packet_latency.count, r.packets_refused, r.packets_lost, r.packets_dropped];
                assert_eq!(r.packets_offered, fates.iter().sum::<u64>(), "{name}");
                assert!(r.packets_lost > 0, "{name}");
            }
            assert!(r.packets_refused > 0 && r.update_messages > 0, "{name}");
            assert!((1..=4).contains(&r.update_rounds) || *routing == "ecube", "{name}: {} rounds", r.update_rounds);
            seen.insert(r.packets_dropped > 0);
        }
    }
    assert!(seen.contains(&true), "some packet is dropped somewhere");
}

#[test]
fn results_do_not_depend_on_the_partition() {
    for routing in ROUTINGS {
        for sets in [
            &["traffic.injection_rate=0.2"][..],
            &["traffic.injection_rate=1.0", "network.p=2"],
            &[
                "traffic.injection_rate=0.02",
                "router.routing_delay=2",
                "router.sw_alloc_delay=3",
                "network.channel_latency_global=20",
            ],
            &["traffic.injection_rate=0.001", "measurement.sample_period=300"],
        ] {
            let alone = report(&input(4, routing), sets, 1);
            // 20 are more than there are routers.
            for n in if sets.len() == 1 { &[2, 3, 7, 20][..] } else { &[2, 7] } {
                assert!(report(&input(4, routing), sets, *n) == alone, "{routing}, {sets:?} on {n}");
            }
            let dealt: Vec<&str> = sets.iter().copied().chain(["runtime.partitioner=round-robin"]).collect();
            assert!(report(&input(4, routing), &dealt, 3) == alone, "{routing}, {sets:?} dealt out");
        }
    }
}

#[cfg(feature = "mpi")]
#[test]
fn results_do_not_depend_on_the_ranks() {
    let place = Place::new(&input(4, "esv"));
    let alone = place.run("alone", &[], 1, 1);
    assert!(numbers(&table(&alone), "packets_lost")[0] > 0.0 && numbers(&table(&alone), "update_messages")[0] > 0.0);
    for (ranks, threads) in [(2, 1), (3, 1), (2, 2)] {
        assert_same(&alone, &place.run(&format!("r{ranks}t{threads}"), &[], ranks, threads));
    }
}

#[test]
fn a_node_that_fails_takes_its_endpoints_with_it() {
    for routing in ROUTINGS {
        let point = point(&input(4, routing), &["network.p=2", "traffic.injection_rate=0.9"], 1);
        for (event, flit) in trace(&point, 2500) {
            let (at, of_node) = (event.cycle(), |e: u32| point.router_of[e as usize] == 12);
            match event {
                Event::Injected(..) | Event::Refused(..) if at > 1000 => {
                    assert!(!of_node(flit.src), "{routing}: {event:?} {flit:?}");
                    assert!(!of_node(flit.dst) || matches!(event, Event::Refused(..)), "{routing}: {event:?} {flit:?}");
                }
                Event::Ejected(_, e) => assert!(at < 1000 || !of_node(e), "{routing}: {event:?} {flit:?}"),
                Event::Switched(_, router, ..) => assert!(at < 1000 || router != 12, "{routing}: {event:?}"),
                _ => {}
            }
        }
    }
}

#[test]
fn the_argument_for_freedom_from_deadlock_does_not_look_at_what_fails() {
    let evidence = |routing: &str, sets: &[&str]| {
        Prepared::default().evidence(&points(&input(4, routing), sets)[0]).map(|e| e.to_string()).map_err(|e| e.to_string())
    };
    assert!(evidence("esv", &[]).unwrap().starts_with("deadlock-free by argument: every hop of a packet uses higher VCs"));
    assert!(evidence("ecube", &["router.num_vcs=1"]).unwrap().contains("by argument: dimensions are crossed in ascending order"));
    let text = evidence("safety-vector", &["router.num_vcs=5", "routing.allow_deadlock=true"]).unwrap_err();
    assert!(text.contains("with failures during the run `safety-vector` needs 6 VCs"), "{text}");
}

#[test]
fn failures_that_cannot_be_are_refused_with_the_reason() {
    let base = input(4, "esv").split("[faults]").next().unwrap().to_string();
    for (faults, sets, says) in [
        ("node_failures = [[5, 16]]", &[][..], &["node 16 is not in the 4-cube: its nodes are 0 to 15"][..]),
        ("link_failures = [[5, 3, 4]]", &[], &["link (3, 4) is not in the 4-cube: its dimensions are 0 to 3"]),
        ("link_failures = [[5, 3, 1], [7, 1, 1]]", &[], &["link (1, 1) cannot fail in cycle 7: it is faulty already"]),
        (
            "link_failures = [[6, 3, 1]]\nnode_failures = [[5, 3], [9, 3]]",
            &[],
            &[
                "link (1, 1) cannot fail in cycle 6: node 3 is faulty already",
                "node 3 cannot fail in cycle 9: it is faulty already",
            ],
        ),
        ("placement = 'list'\nfaulty_nodes = [3]\nnode_failures = [[5, 3]]", &[], &["node 3 cannot fail in cycle 5"]),
        ("node_failures = [[1000000, 3]]", &[], &["a failure in cycle 1000000 comes after the end of the point"]),
        ("link_failures = [[5, 3, 1], [6, 3, 0]]", &["traffic.packet_size=2"], &["need packets of one flit, not of 2"]),
        ("node_failures = [[5, 3]]", &["traffic.packet_sizes=[1,4]"], &["need packets of one flit, not of 4"]),
        (
            "placement = 'list'\nfaulty_nodes = [0, 1, 2]\nnode_failures = [[5, 3]]",
            &["network.n=2", "router.num_vcs=4"],
            &["leave no node of the 2-cube"],
        ),
    ] {
        let config = &points(&format!("{base}[faults]\n{faults}\n"), sets)[0];
        let Err(e) = Prepared::default().checked(config, 1) else { panic!("{faults} is accepted") };
        let text = e.to_string();
        assert!(says.iter().all(|says| text.contains(says)), "{faults}: {text}");
        assert_eq!(text.matches("error: ").count(), says.len(), "{text}");
    }
}
