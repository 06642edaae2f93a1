//! The hypercube as a simulated network with faults from the start: what every source decides is what the library and a
//! brute force say, what is sent arrives in H or H + 2 hops over healthy links, and nothing else is sent.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use sfpdes::hypercube::{decide, Code, Criterion, Cube, Model, Scenario, Verdict};
use sfpdes::network::{Event, Flit};
use sfpdes::routing::deadlock::Evidence;
use sfpdes::stats::{PointReport, Status};
use sfpdes::study::{scenario_of, simulate as simulate_point, Point, Prepared, Unwatched};
use sfpdes::topology::hypercube;
use sfpdes::traffic::TrafficPattern;
use support::{finish, numbers, point, points, sfpdes, table, trace, Place};

const ROUTINGS: &[&str] = &["ecube", "safety-level", "safety-vector", "esv"];

/// An n-cube with little load under `routing` and what the settings of `[faults]` say.
fn input(n: u32, routing: &str, faults: &str) -> String {
    format!(
        "[network]\ntopology = 'hypercube'\nn = {n}\nchannel_latency_global = 2\n[router]\nnum_vcs = {}\nvc_buf_size = 8\n\
         [routing]\nalgorithm = '{routing}'\n[measurement]\nsample_period = 200\nwarmup_periods = 1\nmin_samples = 5\n\
         max_samples = 10\nconfidence_width = 0.0\n[traffic]\ninjection_rate = 0.05\n[faults]\n{faults}\n",
        n + 2
    )
}

/// Faults of every kind, as `[faults]` has them; in the last the cube falls into parts.
const FAULTS: &[&str] = &[
    "placement = 'none'",
    "placement = 'count'\ncount = 3",
    "placement = 'count'\ncount = 5\nmix = 'link'\nseed = 4",
    "placement = 'count'\ncount = 6\nmix = 'half'\nlink_faults = 'anywhere'\nseed = 2",
    "placement = 'rate'\nnode_fault_rate = 0.2\nlink_fault_rate = 0.1\nseed = 7",
    "placement = 'list'\nfaulty_nodes = [1, 2, 4, 8]\nfaulty_links = [[7, 3], [11, 0]]",
];

fn cube_of(point: &Point) -> Cube {
    scenario_of(&point.config)
        .unwrap()
        .map_or_else(|| Cube::healthy(point.config.int("network.n") as u32).unwrap(), |scenario: Scenario| scenario.cube)
}

/// What happened to each packet: its ends as nodes, and the hops it took or that it was refused.
fn fates(point: &Point, events: &[(Event, Flit)]) -> BTreeMap<(u32, u32), BTreeSet<Option<u8>>> {
    let mut fates: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (event, flit) in events {
        let ends = (point.router_of[flit.src as usize], point.router_of[flit.dst as usize]);
        match event {
            Event::Ejected(..) => fates.entry(ends).or_default().insert(Some(flit.hops)),
            Event::Refused(..) => fates.entry(ends).or_default().insert(None),
            Event::Lost(..) | Event::Dropped(..) => panic!("{event:?} of {flit:?}"),
            _ => continue,
        };
    }
    fates
}

/// Whether the path that crosses dimensions in ascending order is whole, one step after the other.
fn ecube_path_is_whole(cube: &Cube, from: u32, to: u32) -> bool {
    let mut at = from;
    for i in (0..cube.n()).filter(|i| (from ^ to) >> i & 1 != 0) {
        if cube.open_dims(at) >> i & 1 == 0 {
            return false;
        }
        at ^= 1 << i;
    }
    true
}

/// The hops of a packet, or `None` if its source refuses it.
fn expected(cube: &Cube, routing: &str, exact_distance: u32, from: u32, to: u32) -> Option<u8> {
    let hops = (from ^ to).count_ones() as u8;
    let model = match routing {
        "ecube" => return (from == to || ecube_path_is_whole(cube, from, to)).then_some(hops),
        "safety-level" => Model::SafetyLevel,
        "safety-vector" => Model::SafetyVector,
        _ => Model::Extended(exact_distance),
    };
    let code = Code::new(cube, model).unwrap();
    match decide(cube, &code, from, to, Criterion::Text).unwrap().verdict {
        Verdict::Optimal => Some(hops),
        Verdict::Suboptimal => Some(hops + 2),
        Verdict::Failure => None,
    }
}

/// Checks that every hop is over a healthy link to a nonfaulty node.
fn check_hops(point: &Point, cube: &Cube, events: &[(Event, Flit)]) {
    for (event, flit) in events {
        if let Event::Switched(_, router, _, [port, _]) = *event {
            if let Some(&next) = point.graph.peers(router).get(usize::from(port)) {
                let dim = (router ^ next).trailing_zeros();
                assert!(cube.open_dims(router) >> dim & 1 != 0, "{flit:?} from {router} to {next}");
            }
        }
    }
}

#[test]
fn what_is_sent_and_how_far_it_goes_is_what_the_library_decides_for_every_pair() {
    for routing in ROUTINGS {
        for faults in FAULTS {
            let distances = if *routing == "esv" { &[1, 2, 4][..] } else { &[2] };
            for &d in distances {
                let exact = format!("routing.exact_distance={d}");
                let mut sets = vec!["traffic.injection_rate=0.2"];
                if *routing == "esv" {
                    sets.push(&exact);
                }
                if d == 4 {
                    sets.push("routing.dimension_choice=random");
                }
                let point = point(&input(4, routing, faults), &sets, 1);
                let cube = cube_of(&point);
                let events = trace(&point, 4000);
                check_hops(&point, &cube, &events);
                let fates = fates(&point, &events);
                let live: Vec<u32> = cube.nonfaulty_nodes().collect();
                assert_eq!(fates.len(), live.len() * (live.len() - 1), "{routing}, {faults}: every pair talks");
                for ((from, to), fate) in fates {
                    let expected = expected(&cube, routing, d, from, to);
                    assert_eq!(fate, BTreeSet::from([expected]), "{routing} {d}, {faults}: {from} to {to}");
                }
            }
        }
    }
}

#[test]
fn permutations_of_bits_mean_nodes_and_leave_out_those_that_are_faulty() {
    let faults = "placement = 'list'\nfaulty_nodes = [3, 9]\nfaulty_links = [[0, 0], [15, 2], [6, 3]]";
    let of_bits = |s: u32, at: [u32; 4]| at.iter().enumerate().fold(0, |d, (i, from)| d | (s >> from & 1) << i);
    let images: [(&str, &dyn Fn(u32) -> u32); 3] = [
        ("bit-complement", &|s| !s & 15),
        ("bit-reverse", &|s| of_bits(s, [3, 2, 1, 0])),
        ("transpose", &|s| of_bits(s, [2, 3, 0, 1])),
    ];
    for routing in ROUTINGS {
        for (pattern, image) in images {
            let set = format!("traffic.pattern={pattern}");
            let point = point(&input(4, routing, faults), &[&set], 1);
            let cube = cube_of(&point);
            let sends = |s: u32| image(s) != s && !cube.is_faulty(s) && !cube.is_faulty(image(s));
            let wanted: BTreeMap<_, _> = (0..16)
                .filter(|&s| sends(s))
                .map(|s| ((s, image(s)), BTreeSet::from([expected(&cube, routing, 2, s, image(s))])))
                .collect();
            assert_eq!(fates(&point, &trace(&point, 1000)), wanted, "{routing}, {pattern}");
        }
    }
}

fn report(toml: &str, sets: &[&str], n: u32) -> PointReport {
    simulate_point(&point(toml, sets, n), &Unwatched).unwrap().report
}

#[test]
fn every_packet_is_delivered_or_refused_and_counted() {
    for routing in ROUTINGS {
        for faults in FAULTS {
            for (p, size, load) in [(1, 1, "0.1"), (2, 3, "0.1"), (1, 1, "1.0")] {
                let sets =
                    [format!("network.p={p}"), format!("traffic.packet_size={size}"), format!("traffic.injection_rate={load}")];
                let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
                let r = report(&input(4, routing, faults), &sets, 1);
                let name = format!("{routing}, {faults}, {sets:?}: {:?}", r.status);
                assert_eq!((r.packets_lost, r.packets_dropped, r.update_messages), (0, 0, 0), "{name}");
                assert_ne!(r.status, Status::Stalled, "{name}");
                if r.status != Status::Saturated {
                    assert_eq!(r.packets_offered, r.packet_latency.count + r.packets_refused, "{name}");
                    let share = r.packet_latency.count as f64 / r.packets_offered as f64;
                    assert_eq!(r.delivered_share, share, "{name}");
                }
                assert!(load != "0.1" || r.status == Status::MaxTime, "{name}");
                assert_eq!(r.packets_refused == 0, r.delivered_share == 1.0, "{name}");
            }
        }
    }
}

#[test]
fn knowing_more_delivers_more() {
    let faults = "placement = 'count'\ncount = 12\nmix = 'link'\nseed = 3";
    let share = |routing: &str, sets: &[&str]| {
        let sets: Vec<&str> = sets.iter().copied().chain(["traffic.injection_rate=0.2"]).collect();
        report(&input(5, routing, faults), &sets, 1).delivered_share
    };
    let shares = [
        share("safety-level", &[]),
        share("safety-vector", &[]),
        share("esv", &["routing.exact_distance=2"]),
        share("esv", &["routing.exact_distance=5"]),
    ];
    assert!(shares.is_sorted() && shares[0] < shares[2], "{shares:?}");
    assert!(share("ecube", &[]) < shares[3]);
    // The same traffic over the same faults: seeds of both are apart.
    assert_eq!(share("safety-vector", &[]), share("esv", &["routing.exact_distance=1"]));
    let other_traffic = share("safety-vector", &["simulation.seed=9"]);
    assert!((other_traffic - shares[1]).abs() < 0.04 && other_traffic != shares[1], "{other_traffic} {shares:?}");
    assert_ne!(share("safety-vector", &["faults.seed=9"]), shares[1]);
}

#[test]
fn a_network_in_which_nothing_can_be_delivered_ends_with_that() {
    // Two nodes, each alone.
    let faults = "placement = 'list'\nfaulty_nodes = [1, 2]";
    for routing in ROUTINGS {
        let r = report(&input(2, routing, faults), &[], 1);
        assert_eq!((r.status, r.delivered_share, r.packet_latency.count), (Status::Converged, 0.0, 0), "{routing}");
        assert!(r.packets_refused > 50 && r.packets_refused == r.packets_offered, "{routing}: {}", r.packets_refused);
    }
}

#[test]
fn results_do_not_depend_on_the_partition() {
    for (routing, set) in ROUTINGS.iter().zip([
        "traffic.packet_size=2",
        "traffic.pattern=transpose",
        "network.p=2",
        "routing.dimension_choice=random",
    ]) {
        let faults = "placement = 'count'\ncount = 6\nmix = 'half'";
        for load in ["0.2", "0.9"] {
            let load = format!("traffic.injection_rate={load}");
            let alone = report(&input(4, routing, faults), &[set, &load], 1);
            for n in [2, 3, 7, 40] {
                assert_eq!(report(&input(4, routing, faults), &[set, &load], n), alone, "{routing} on {n}");
            }
            let dealt = [set, load.as_str(), "runtime.partitioner=round-robin"];
            assert_eq!(report(&input(4, routing, faults), &dealt, 3), alone, "{routing} dealt out");
        }
    }
}

/// The verdict on freedom from deadlock.
fn evidence(toml: &str, sets: &[&str]) -> Result<Evidence, String> {
    Prepared::default().evidence(&points(toml, sets)[0]).map_err(|e| e.to_string())
}

#[test]
fn the_dependency_graph_has_no_cycle_and_too_few_vcs_are_refused() {
    for faults in FAULTS {
        for routing in ROUTINGS {
            for choice in ["lowest", "random"] {
                let set = format!("routing.dimension_choice={choice}");
                let sets = if *routing == "ecube" { vec!["router.num_vcs=1"] } else { vec![set.as_str()] };
                let verdict = evidence(&input(4, routing, faults), &sets);
                assert!(matches!(verdict, Ok(Evidence::Acyclic { n_dependencies: 1.., .. })), "{routing}, {faults}: {verdict:?}");
            }
            if *routing != "ecube" {
                let text = evidence(&input(4, routing, faults), &["router.num_vcs=5"]).unwrap_err();
                assert!(text.contains(&format!("routing `{routing}` on this `hypercube` needs 6 VCs, num_vcs is 5")), "{text}");
            }
        }
    }
    // Beyond what is searched, the argument stands in.
    let large = evidence(&input(12, "esv", FAULTS[1]), &[]).unwrap();
    assert!(matches!(large, Evidence::Argument(_)), "{large}");
}

#[test]
fn a_healthy_hypercube_is_a_network_for_every_routing() {
    for algorithm in ["min", "min-adaptive", "ecmp", "valiant", "ugal-l", "ugal-g"] {
        let r = report(&input(3, algorithm, "placement = 'none'"), &["router.num_vcs=6"], 2);
        assert_eq!((r.status, r.packet_latency.count), (Status::MaxTime, r.packets_offered), "{algorithm}");
        assert_eq!((r.delivered_share, r.packets_refused), (1.0, 0));
    }
    let min = report(&input(5, "min", "placement = 'none'"), &["traffic.injection_rate=0.3"], 1);
    // n 2^(n-1) / (2^n - 1) hops between distinct nodes.
    assert!((min.hops_mean - 80.0 / 31.0).abs() < 0.02, "{}", min.hops_mean);
}

#[test]
fn ports_lead_where_they_say() {
    for n in 1..=7 {
        let graph = hypercube::graph(n, 1);
        for u in 0..1u32 << n {
            for i in 0..n {
                let port = usize::from(hypercube::port(u, i));
                assert_eq!(graph.peers(u)[port], u ^ 1 << i);
                assert_eq!(graph.peer_ports(u)[port], hypercube::port(u ^ 1 << i, i));
            }
        }
        assert_eq!((graph.n_channels(), graph.n_racks()), ((n as usize) << n, 1 << (n / 2)));
    }
}

/// Everything that is said against an input.
fn refusal(toml: &str, sets: &[&str]) -> String {
    match Prepared::default().checked(&points(toml, sets)[0], 1) {
        Ok(_) => panic!("{sets:?} is accepted"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let none = "placement = 'none'";
    let by_count = "placement = 'count'\ncount = 3";
    let list = "placement = 'list'\n";
    for (n, routing, faults, sets, says) in [
        (
            4,
            "min",
            by_count,
            &[][..],
            "`min` knows nothing of faults; on a hypercube with faults use ecube, safety-level, safety-vector, esv",
        ),
        (3, "ugal-l", "node_failures = [[5, 1]]", &["router.num_vcs=8"], "`ugal-l` knows nothing of faults"),
        (4, "esv", none, &["routing.exact_distance=5"], "the extended safety vector of a 4-cube takes d from 1 to 4, not 5"),
        (17, "esv", none, &["routing.exact_distance=9"], "at most esv"),
        (4, "esv", &format!("{list}faulty_nodes = [3, 16]"), &[], "node 16 is not in the 4-cube: its nodes are 0 to 15"),
        (4, "esv", &format!("{list}faulty_nodes = [3, 3]"), &[], "faulty node 3 is listed twice"),
        (4, "esv", &format!("{list}faulty_links = [[3, 4]]"), &[], "link (3, 4) is not in the 4-cube: its dimensions are 0 to 3"),
        (2, "ecube", &format!("{list}faulty_nodes = [0, 1, 2]"), &[], "the faults leave one node of the 2-cube nonfaulty"),
        (2, "ecube", "placement = 'count'\ncount = 4", &[], "the faults leave no node of the 2-cube nonfaulty"),
        (2, "ecube", "placement = 'count'\ncount = 5", &[], "5 faulty nodes asked for, but the 2-cube has 4 nodes"),
        (2, "ecube", "placement = 'count'\ncount = 5\nmix = 'link'", &[], "5 faulty links asked for, but only 4 links"),
        (
            4,
            "esv",
            by_count,
            &["traffic.pattern=all-to-all"],
            "with faults `all-to-all` cannot be: it goes through all its destinations in turn",
        ),
        (4, "esv", by_count, &["traffic.pattern=nearest-neighbour", "traffic.grid=[16]"], "`nearest-neighbour` cannot be"),
    ] {
        let text = refusal(&input(n, routing, faults), sets);
        assert!(text.contains(says), "{text}");
        assert_eq!(text.matches("error: ").count(), 1, "{text}");
    }
    // Only there do the keys mean anything, and the algorithms.
    let mesh = "[network]\ntopology = 'mesh'\ndims = [4]\n[traffic]\ninjection_rate = 0.1\n";
    let text = refusal(mesh, &["routing.algorithm=esv", "router.num_vcs=8"]);
    assert!(text.contains("`esv` is for hypercube, not for network.topology = \"mesh\""), "{text}");
    let text = sfpdes::config::Study::parse("f", mesh, &["faults.placement=count".into()], sfpdes::study::schema()).unwrap_err();
    assert!(text.to_string().contains("`faults.placement` means nothing with network.topology = \"mesh\""), "{text}");
}

#[test]
fn shares_are_those_of_the_pattern_among_the_endpoints_that_are_left() {
    let faults = "placement = 'list'\nfaulty_nodes = [3, 9, 14]";
    for sets in [
        &["traffic.pattern=uniform"][..],
        &["traffic.pattern=hotspot", "traffic.hot_endpoints=[3,6]", "traffic.hot_share=0.2"],
        &["traffic.pattern=shift"],
        &["traffic.pattern=tornado"],
        &["traffic.pattern=random-permutation"],
    ] {
        let all = point(&input(4, "esv", "placement = 'none'"), sets, 1).load.pattern;
        let left = point(&input(4, "esv", faults), sets, 1).load.pattern;
        let dead = |e: u32| [3, 9, 14].contains(&e);
        let mut weights = Vec::new();
        for src in 0..16 {
            let among: f64 = (0..16).filter(|&dst| !dead(dst)).map(|dst| all.share(src, dst)).sum();
            assert_eq!(left.active(src), !dead(src) && among > 0.0, "{sets:?}: {src}");
            if left.active(src) {
                weights.push(left.weight(src));
                for dst in 0..16 {
                    let share = if dead(dst) { 0.0 } else { all.share(src, dst) / among };
                    assert!((left.share(src, dst) - share).abs() < 1e-12, "{sets:?}: {src} to {dst}");
                }
            }
        }
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        assert!((mean - 1.0).abs() < 1e-12, "{sets:?}: {mean}");
    }
}

#[test]
fn a_study_of_faults_tells_and_draws_what_is_delivered_for_each_pattern() {
    let place = Place::new(&input(3, "esv", "placement = 'count'\nmix = 'link'"));
    let sweep = ["routing.algorithm=[ecube,esv]", "faults.count=[0,5]", "router.num_vcs=5"];
    let run = |name: &str, sets: &[&str]| {
        let results = place.path(name);
        let mut command = sfpdes();
        command.arg(place.input()).arg("-o").arg(&results).arg("--plot");
        sweep.iter().chain(sets).for_each(|set| {
            command.args(["--set", set]);
        });
        (finish(command), results)
    };
    let (end, results) = run("many.h5", &["traffic.pattern=[uniform,bit-complement]"]);
    assert!(end.status.success() && end.stdout.contains("delivered"), "{end:?}");
    for name in ["many.uniform.svg", "many.uniform.png", "many.bit-complement.svg", "many.bit-complement.png"] {
        assert!(place.path(name).exists(), "{name}: {:?}", place.names());
    }
    let text = std::fs::read_to_string(place.path("many.uniform.svg")).unwrap();
    for words in ["Delivered share", "Packet latency", "Accepted load", "Number of faults", "ecube", "esv"] {
        assert!(text.contains(words), "{words}");
    }
    assert!(!text.contains("bit-complement"));
    let shares = numbers(&table(&results), "delivered_share");
    assert!(shares.iter().any(|&s| s < 1.0) && shares.iter().filter(|&&s| s == 1.0).count() >= 4, "{shares:?}");
    // With one pattern it is one figure, and where everything is delivered no panel more.
    let (end, _) = run("one.h5", &["faults.count=[0]"]);
    assert!(end.status.success() && !end.stdout.contains("delivered"), "{end:?}");
    assert!(!std::fs::read_to_string(place.path("one.svg")).unwrap().contains("Delivered share"));
}

#[test]
fn a_packet_that_is_refused_is_followed_to_its_end() {
    // Node 0 is alone.
    let place = Place::new(&input(2, "esv", "placement = 'list'\nfaulty_links = [[0, 0], [0, 1]]"));
    let mut command = sfpdes();
    command.arg("trace").arg(place.input()).args(["--packet", "0:0"]);
    let end = finish(command);
    assert!(
        end.stdout.contains("is refused: faults leave no way that is sure") && end.stdout.contains("never delivered"),
        "{end:?}"
    );
}
