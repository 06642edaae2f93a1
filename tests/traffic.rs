//! Traffic patterns and injection: each pattern against its definition written a second time, what is drawn against what is
//! stated, and what is offered against what is accepted.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sfpdes::config::{Config, Study};
use sfpdes::error::exit;
use sfpdes::network::Endpoint;
use sfpdes::rng::{Purpose, Stream};
use sfpdes::stats::Status;
use sfpdes::study::{schema, simulate as simulate_point, Point, Prepared, Unwatched};
use sfpdes::topology::Graph;
use sfpdes::traffic::{TrafficPattern, REGISTRY};
use support::{finish, sfpdes, simulate, table, Place};

/// Networks of even, odd and prime numbers of endpoints, and of one endpoint.
const NETWORKS: &[(&str, u32)] = &[
    ("topology = 'slim-fly'\nq = 3\np = 2\n", 36),
    ("topology = 'slim-fly'\nq = 4\np = 3\n", 96),
    ("topology = 'torus'\ndims = [5, 3]\np = 3\n", 45),
    ("topology = 'mesh'\ndims = [7]\n", 7),
    ("topology = 'mesh'\ndims = [2]\n", 2),
    ("topology = 'mesh'\ndims = [1]\n", 1),
];

/// The patterns that need chains of routers, which small grids do not have.
const ON_CHAINS: &[&str] = &["worst-case-link", "worst-case-exchange"];

/// An input with `pattern` on a network of `n` endpoints; its files go to `folder`. A pattern that is new in the registry has to
/// be given its keys here.
fn input(folder: &Path, network: &str, n: u32, pattern: &str) -> String {
    let own = match pattern {
        "uniform"
        | "shuffle"
        | "bit-reverse"
        | "bit-complement"
        | "transpose"
        | "tornado"
        | "shift"
        | "random-permutation"
        | "worst-case-link"
        | "worst-case-exchange"
        | "all-to-all"
        | "nearest-neighbour" => String::new(),
        "hotspot" => format!("hot_endpoints = [0, {}]\nhot_share = 0.1\n", n - 1).replace("[0, 0]", "[0]"),
        "matrix" => {
            // Endpoint 0 sends three times as much as the others do on average, the last two nothing.
            let flows = (0..n.max(3) - 2).flat_map(|s| (1..4).map(move |i| (s, (s * 5 + i) % n, 0.5 + f64::from(i * (s % 3)))));
            let mut seen = std::collections::BTreeSet::new();
            let lines = flows.filter(|&(s, d, _)| seen.insert((s, d))).map(|(s, d, w)| format!("{s},{d},{w}\n"));
            let text: String = std::iter::once("source,destination,weight\n".to_string()).chain(lines).collect();
            std::fs::write(folder.join("matrix.csv"), text).unwrap();
            "matrix_file = 'matrix.csv'\n".to_string()
        }
        "messages" => {
            let lines = (0..3 * n).map(|i| format!("{},{},{},{}\n", i * 37 % 500, i % n, (i * i + 1) % n, 1 + i % 9));
            let text: String = std::iter::once("time,source,destination,size\n".to_string()).chain(lines).collect();
            std::fs::write(folder.join("messages.csv"), text).unwrap();
            return format!(
                "[network]\n{network}[traffic]\npattern = 'messages'\nmessage_file = 'messages.csv'\npacket_size = 4\n"
            );
        }
        new => panic!("tests/traffic.rs knows no input for `{new}`"),
    };
    format!("[network]\n{network}[traffic]\npattern = '{pattern}'\ninjection_rate = 0.05\n{own}")
}

/// A temporary folder.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The only point of `toml`, whose files are in `folder`.
fn config(folder: &Path, toml: &str, sets: &[&str]) -> Config {
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    let file = folder.join("input.toml");
    let study = Study::parse(file.to_str().unwrap(), toml, &sets, schema()).unwrap_or_else(|e| panic!("{e}\n{toml}"));
    study.points.into_iter().next().unwrap()
}

fn point_in(folder: &Path, toml: &str, sets: &[&str], n_partitions: u32) -> Point {
    let config = config(folder, toml, sets);
    Prepared::default().point(&config, n_partitions).unwrap_or_else(|e| panic!("{e}\n{toml}"))
}

/// The pattern of `toml` and its graph.
fn pattern(toml: &str, sets: &[&str]) -> Point {
    point_in(Path::new("."), toml, sets, 1)
}

/// Calls `f` with every pattern on every network on which it can be built; returns how many there were.
fn walk(mut f: impl FnMut(&str, &str, &Point)) {
    let folder = folder();
    for entry in REGISTRY {
        let mut seen = 0;
        for &(network, n) in NETWORKS {
            let toml = input(folder.path(), network, n, entry.name);
            let config =
                config(folder.path(), &toml, &["router.num_vcs=4", "routing.vc_policy=any", "routing.allow_deadlock=true"]);
            match Prepared::default().point(&config, 1) {
                Ok(point) => {
                    assert_eq!(point.graph.n_endpoints(), n);
                    f(entry.name, network, &point);
                    seen += 1;
                }
                Err(e) if ON_CHAINS.contains(&entry.name) => {
                    assert!(e.to_string().contains("this network has none"), "{e}");
                }
                Err(e) => panic!("{}: {e}\n{toml}", entry.name),
            }
        }
        assert!(seen >= if ON_CHAINS.contains(&entry.name) { 3 } else { NETWORKS.len() }, "{} on {seen} networks", entry.name);
    }
}

#[test]
fn shares_of_every_pattern_add_up_and_its_parties_are_those_that_send_and_are_sent_to() {
    walk(|name, network, point| {
        let (n, pattern) = (point.graph.n_endpoints(), &point.load.pattern);
        let mut receiving = vec![false; n as usize];
        let mut weights = Vec::new();
        for src in 0..n {
            if !pattern.active(src) {
                assert_eq!((pattern.weight(src), pattern.share(src, src)), (0.0, 0.0));
                continue;
            }
            weights.push(pattern.weight(src));
            let shares: Vec<f64> = (0..n).map(|dst| pattern.share(src, dst)).collect();
            let sum: f64 = shares.iter().sum();
            assert!((sum - 1.0).abs() < 1e-9 && shares.iter().all(|&s| s >= 0.0), "{name} of {src} on {network}: {shares:?}");
            (0..n as usize).for_each(|dst| receiving[dst] |= shares[dst] > 0.0);
        }
        let parties = pattern.parties(n);
        assert_eq!(parties.receiving, receiving, "{name} on {network}");
        assert_eq!(parties.active.iter().filter(|&&a| a).count(), weights.len());
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        assert!(weights.is_empty() || (mean - 1.0).abs() < 1e-9, "{name} on {network}: mean weight {mean}");
        let alone = n == 1 && !["shuffle", "matrix", "messages"].contains(&name);
        assert!(!weights.is_empty() || n <= 2 || alone, "{name} on {network}: nobody sends");
    });
}

#[test]
fn destinations_of_every_pattern_have_their_shares() {
    walk(|name, network, point| {
        let (n, pattern) = (point.graph.n_endpoints(), &point.load.pattern);
        let packets: u64 = match pattern.messages() {
            Some(list) => list.n_packets(),
            // A multiple of every number of destinations in turn, less than a few hundred too many.
            None => 20_000 / u64::from(n.max(2) - 1) * u64::from(n.max(2) - 1),
        };
        for src in (0..n).step_by(7).filter(|&src| pattern.active(src)) {
            let mut rng = Stream::new(5, Purpose::Destination, src.into());
            let own = pattern.messages().map_or(packets, |list| {
                list.messages().iter().filter(|m| m.source == src).map(|m| u64::from(m.n_packets(4))).sum()
            });
            let mut counts = vec![0u64; n as usize];
            (0..own).for_each(|sequence| counts[pattern.destination(src, sequence, &mut rng) as usize] += 1);
            for dst in 0..n {
                let (count, share) = (counts[dst as usize] as f64, pattern.share(src, dst));
                let expected = own as f64 * share;
                let deviation = (own as f64 * share * (1.0 - share)).sqrt();
                assert!(
                    (count - expected).abs() <= 5.0 * deviation + 1e-6,
                    "{name} on {network}, {src} to {dst}: {count}, {expected}"
                );
            }
        }
    });
}

#[test]
fn what_is_offered_is_accepted_below_saturation_by_every_pattern_on_every_network() {
    let folder = folder();
    for entry in REGISTRY.iter().filter(|e| !e.timed) {
        for &(network, n) in NETWORKS {
            let toml = input(folder.path(), network, n, entry.name);
            let sets = [
                "router.num_vcs=7",
                "measurement.sample_period=2000",
                "measurement.confidence_width=0.0",
                "measurement.max_samples=4",
                "traffic.packet_sizes=[1,3]",
            ];
            let config = config(folder.path(), &toml, &sets);
            let Ok(point) = Prepared::default().point(&config, 1) else {
                assert!(ON_CHAINS.contains(&entry.name), "{}", entry.name);
                continue;
            };
            let report = simulate_point(&point, &Unwatched).unwrap().report;
            let what = format!("{} on {network}: {:?}, {:?}", entry.name, report.offered, report.accepted);
            let active = (0..n).filter(|&e| point.load.pattern.active(e)).count() as u64;
            assert_eq!(report.active_endpoints, active, "{what}");
            if active == 0 {
                assert_eq!((report.status, report.packets_offered), (Status::Converged, 0), "{what}");
                continue;
            }
            assert_eq!(report.status, Status::MaxTime, "{what}");
            assert_eq!(report.packet_latency.count, report.packets_offered, "every packet arrives: {what}");
            // Packets of mean size 2, mean square 5.
            let trials = 8000.0 * active as f64;
            let deviation = (0.025 * 5.0 / trials).sqrt() * if entry.name == "matrix" { 2.0 } else { 1.0 };
            assert!((report.offered.mean - 0.05).abs() < 5.0 * deviation, "{what}");
            let in_flight = 0.05 * report.packet_latency.mean / 8000.0;
            assert!((report.offered.mean - report.accepted.mean).abs() < in_flight + 3.0 * deviation, "{what}");
            let idle =
                (0..n as usize).filter(|&e| report.endpoint_offered[e] > 0 && !point.load.pattern.active(e as u32)).count();
            assert_eq!(idle, 0, "{what}");
        }
    }
}

/// Where each endpoint of a pattern with one destination each sends to.
fn destinations(toml: &str, sets: &[&str]) -> Vec<Option<u32>> {
    let point = pattern(toml, sets);
    let mut rng = Stream::new(1, Purpose::Destination, 0);
    let sends = |src| point.load.pattern.active(src).then(|| point.load.pattern.destination(src, 0, &mut rng.clone()));
    let list = (0..point.graph.n_endpoints()).map(sends).collect();
    assert_eq!(rng.bits(), Stream::new(1, Purpose::Destination, 0).bits());
    list
}

fn slim_fly(q: u32, p: u32, pattern: &str) -> String {
    format!("[network]\ntopology = 'slim-fly'\nq = {q}\np = {p}\n[traffic]\ninjection_rate = 0.1\npattern = '{pattern}'\n")
}

/// Endpoint `s` with its `b` address bits as `of` says: bit `i` of the destination from the bits of the source.
fn by_bits(s: u32, b: usize, of: impl Fn(usize, &[u32]) -> u32) -> u32 {
    let bits: Vec<u32> = (0..b).map(|i| s / 2u32.pow(i as u32) % 2).collect();
    (0..b).map(|i| of(i, &bits) * 2u32.pow(i as u32)).sum()
}

#[test]
fn bit_patterns_are_those_of_the_definitions_on_8192_of_10830_endpoints() {
    type Definition = fn(usize, &[u32]) -> u32;
    let patterns: [(&str, usize, Definition); 4] = [
        ("shuffle", 13, |i, s| s[(i + s.len() - 1) % s.len()]),
        ("bit-reverse", 13, |i, s| s[s.len() - i - 1]),
        ("bit-complement", 13, |i, s| 1 - s[i]),
        ("transpose", 12, |i, s| s[(i + s.len() / 2) % s.len()]),
    ];
    for (name, b, definition) in patterns {
        for (to_self, sets) in [(false, &[][..]), (true, &["traffic.self_traffic=true"])] {
            let to = destinations(&slim_fly(19, 15, name), sets);
            assert_eq!(to.len(), 10_830);
            for (src, &dst) in (0u32..).zip(&to) {
                let expected = (src < 1 << b).then(|| by_bits(src, b, definition)).filter(|&d| to_self || d != src);
                assert_eq!(dst, expected, "{name} of {src}");
            }
        }
    }
}

#[test]
fn fewer_endpoints_may_take_part() {
    let to = destinations(&slim_fly(5, 4, "bit-complement"), &["traffic.active_endpoints=16"]);
    assert_eq!((to[3], to[15], to[16], to.len()), (Some(12), Some(0), None, 200));
    assert_eq!(destinations(&slim_fly(5, 4, "transpose"), &["traffic.active_endpoints=64"])[8], Some(1));
    for (pattern, sets, says) in [
        ("shuffle", "traffic.active_endpoints=100", "active_endpoints = 100 is no power of two; the nearest are 64 and 128"),
        ("transpose", "traffic.active_endpoints=32", "active_endpoints = 32 is no power of four; the nearest are 16 and 64"),
        ("shuffle", "traffic.active_endpoints=256", "the network has 200 endpoints; the largest power of two is 128"),
        ("shift", "traffic.active_endpoints=7", "active_endpoints = 7 is odd"),
        ("shift", "traffic.active_endpoints=202", "the network has 200 endpoints"),
    ] {
        let text = refusal(&slim_fly(5, 4, pattern), &[sets]);
        assert!(text.starts_with("--set traffic.active_endpoints: error: ") && text.contains(says), "{text}");
    }
}

/// Why an input cannot be simulated.
fn refusal(toml: &str, sets: &[&str]) -> String {
    let config = config(Path::new("."), toml, sets);
    Prepared::default().point(&config, 1).err().expect("a refusal").to_string()
}

#[test]
fn tornado_goes_almost_half_way_round() {
    // 200 endpoints on a ring: 99 further.
    let to = destinations(&slim_fly(5, 4, "tornado"), &[]);
    assert!((0u32..).zip(&to).all(|(s, &d)| d == Some((s + 99) % 200)));
    let torus = |dims: &str, p: u32| {
        format!("[network]\ntopology = 'torus'\ndims = {dims}\np = {p}\n[traffic]\ninjection_rate = 0.1\npattern = 'tornado'\n")
    };
    // 8 by 5: 3 further in x, 2 in y.
    let to = destinations(&torus("[8, 5]", 1), &[]);
    for (s, &d) in (0u32..).zip(&to) {
        assert_eq!(d, Some((s % 8 + 3) % 8 + 8 * ((s / 8 + 2) % 5)));
    }
    // With two endpoints per router each sends to the one of its own number.
    let to = destinations(&torus("[8, 5]", 2), &[]);
    for (s, &d) in (0u32..).zip(&to) {
        let (i, r) = (s % 2, s / 2);
        assert_eq!(d, Some(i + 2 * ((r % 8 + 3) % 8 + 8 * ((r / 8 + 2) % 5))));
    }
    // A dimension of two stays in place, and then nobody has anywhere to go.
    assert!(destinations(&torus("[2, 2]", 1), &[]).iter().all(Option::is_none));
    let to = destinations(&slim_fly(5, 4, "tornado"), &["traffic.grid=[9, 21]"]);
    assert_eq!((to[0], to[188], to[189]), (Some(4 + 9 * 10), Some(3 + 9 * 9), None));
    let text = refusal(&slim_fly(5, 4, "tornado"), &["traffic.grid=[15, 14]"]);
    assert!(text.contains("the grid has 210 places, but the network has 200 endpoints"), "{text}");
    let text = refusal(&slim_fly(5, 4, "nearest-neighbour"), &["traffic.grid=[4294967295,4294967295,4294967295]"]);
    assert!(text.contains("places, but the network has 200 endpoints"), "{text}");
}

#[test]
fn shift_is_half_to_the_other_half_and_half_to_oneself() {
    let point = pattern(&slim_fly(19, 15, "shift"), &[]);
    for src in [0, 1, 5414, 5415, 10_829] {
        let other = (src + 5415) % 10_830;
        assert_eq!((point.load.pattern.share(src, src), point.load.pattern.share(src, other)), (0.5, 0.5));
    }
    // An odd number leaves the last one out.
    let odd = pattern("[network]\ntopology = 'mesh'\ndims = [7]\n[traffic]\ninjection_rate = 0.1\npattern = 'shift'\n", &[]);
    assert_eq!((odd.load.pattern.share(1, 4), odd.load.pattern.active(5), odd.load.pattern.active(6)), (0.5, true, false));
}

#[test]
fn a_random_permutation_is_one_and_follows_the_seed() {
    let to = |sets: &[&str]| destinations(&slim_fly(7, 6, "random-permutation"), sets);
    let with_self = to(&["traffic.self_traffic=true"]);
    let mut sorted: Vec<u32> = with_self.iter().map(|d| d.unwrap()).collect();
    sorted.sort_unstable();
    assert!(sorted.iter().copied().eq(0..588));
    let without = to(&[]);
    for (src, (a, b)) in (0u32..).zip(without.iter().zip(&with_self)) {
        assert_eq!(*a, b.filter(|&d| d != src), "{src}");
    }
    assert_ne!(to(&["simulation.seed=2"]), without);
    assert_eq!(to(&["traffic.injection_rate=0.9"]), without);
}

#[test]
fn hot_endpoints_get_their_share_and_never_from_themselves() {
    let toml = format!("{}hot_endpoints = [150, 3]\nhot_share = 0.4\n", slim_fly(5, 4, "hotspot"));
    let hot = pattern(&toml, &[]).load.pattern.clone();
    let rest = 0.6 / 199.0;
    for (src, dst, share) in [(0, 1, rest), (0, 3, 0.2 + rest), (0, 150, 0.2 + rest), (3, 150, 0.4 + rest), (150, 3, 0.4 + rest)]
    {
        assert!((hot.share(src, dst) - share).abs() < 1e-12, "{src} to {dst}: {}", hot.share(src, dst));
    }
    assert_eq!((hot.share(3, 3), hot.share(0, 0)), (0.0, 0.0));
    // The only hot endpoint has nobody hot to send to.
    let one = pattern(&toml.replace("[150, 3]", "[7]"), &[]).load.pattern.clone();
    assert!((one.share(7, 9) - 1.0 / 199.0).abs() < 1e-12);
    let text = refusal(&toml.replace("[150, 3]", "[3, 200, 3]"), &[]);
    assert!(text.contains("there is no endpoint 200: the network has 200, numbered from 0"), "{text}");
    assert!(text.contains("endpoint 3 stands twice") && text.matches("input.toml:8:17: error").count() == 2, "{text}");
}

#[test]
fn phases_go_through_the_partners_in_turn() {
    let point = pattern(&slim_fly(3, 2, "all-to-all"), &["traffic.phase_packets=2"]);
    let mut rng = Stream::new(1, Purpose::Destination, 0);
    for (sequence, dst) in [(0, 6), (1, 6), (2, 7), (58, 35), (60, 0), (68, 4), (69, 4), (70, 6)] {
        assert_eq!(point.load.pattern.destination(5, sequence, &mut rng), dst, "packet {sequence}");
    }
    // 36 endpoints as 3 by 3 by 4.
    let halo = pattern(&slim_fly(3, 2, "nearest-neighbour"), &[]);
    let to: Vec<u32> = (0..7).map(|i| halo.load.pattern.destination(0, i, &mut rng)).collect();
    assert_eq!(to, [1, 2, 3, 6, 9, 27, 1]);
    let grid = pattern(&slim_fly(3, 2, "nearest-neighbour"), &["traffic.grid=[2, 1, 5]", "traffic.phase_packets=3"]);
    let to: Vec<u32> = (0..10).map(|i| grid.load.pattern.destination(9, i, &mut rng)).collect();
    assert_eq!(to, [8, 8, 8, 1, 1, 1, 7, 7, 7, 8]);
    assert!(!grid.load.pattern.active(10));
}

/// Number of paths of two channels from `a` to `b`.
fn two_hop_paths(graph: &Graph, a: u32, b: u32) -> usize {
    graph.peers(a).iter().map(|&m| graph.peers(m).iter().filter(|&&end| end == b).count()).sum()
}

#[test]
fn the_worst_cases_cross_one_link_with_as_many_flows_as_they_say() {
    for (q, p) in [(3, 2), (5, 4), (7, 6), (8, 5), (19, 15)] {
        for (name, flows) in [("worst-case-link", p + 1), ("worst-case-exchange", 2 * p)] {
            let point = pattern(&slim_fly(q, p, name), &[]);
            let graph = &point.graph;
            let to = destinations(&slim_fly(q, p, name), &[]);
            // Flows by channel along the only shortest path.
            let mut load: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            let mut n_active = 0;
            for (src, dst) in (0u32..).zip(&to).filter_map(|(src, dst)| Some((src, (*dst)?))) {
                n_active += 1;
                let (a, b) = (graph.router_of(src), graph.router_of(dst));
                if graph.peers(a).contains(&b) {
                    *load.entry((a, b)).or_default() += 1;
                    continue;
                }
                assert_eq!(two_hop_paths(graph, a, b), 1, "{name}, q = {q}: {a} to {b}");
                let over = *graph.peers(a).iter().find(|&&m| graph.peers(m).contains(&b)).unwrap();
                *load.entry((a, over)).or_default() += 1;
                *load.entry((over, b)).or_default() += 1;
            }
            assert_eq!(load.values().copied().max(), Some(flows), "{name}, q = {q}");
            let busiest = load.values().filter(|&&l| l == flows).count() as u32;
            // Each chain has two such channels, and most routers are in a chain.
            let routers = 2 * busiest;
            assert!(routers * 10 >= graph.n_routers() * 6, "{name}, q = {q}: {routers} of {} routers", graph.n_routers());
            let per_chain = if name == "worst-case-link" { 2 * (p + 1) } else { 4 * p };
            assert_eq!(n_active, busiest / 2 * per_chain, "{name}, q = {q}");
            if name == "worst-case-exchange" {
                let exchanges = (0u32..).zip(&to).all(|(src, dst)| dst.is_none_or(|dst| to[dst as usize] == Some(src)));
                assert!(exchanges, "q = {q}");
            }
        }
    }
    let ring = "[network]\ntopology = 'mesh'\ndims = [3]\n[traffic]\ninjection_rate = 0.1\npattern = 'worst-case-link'\n";
    let text = refusal(ring, &[]);
    assert!(text.contains("input.toml:6:11: error: `worst-case-link` needs routers A - Rx - Ry - B"), "{text}");
}

#[test]
fn worst_cases_are_accepted_up_to_their_bounds_by_minimal_routing() {
    for (name, bound) in [("worst-case-link", 0.2), ("worst-case-exchange", 0.125)] {
        let run = |rate: f64| {
            // Two VCs for each hop: a single one is allocated anew for every packet and cannot fill a channel by itself.
            let sets =
                [format!("traffic.injection_rate={rate}"), "router.num_vcs=4".into(), "measurement.sample_period=3000".into()];
            simulate(&slim_fly(5, 4, name), &sets.each_ref().map(String::as_str)).report
        };
        let below = run(bound * 0.9);
        assert_ne!(below.status, Status::Saturated, "{name}: {:?} {:?}", below.accepted, below.packet_latency);
        assert!((below.accepted.mean / (bound * 0.9) - 1.0).abs() < 0.02, "{name}: {:?}", below.accepted);
        let above = run(bound * 2.0);
        assert_eq!(above.status, Status::Saturated, "{name}");
        assert!((above.accepted.mean / bound - 1.0).abs() < 0.01, "{name}: {:?}", above.accepted);
    }
}

#[test]
fn an_endpoint_draws_every_packet_again_as_it_was() {
    let bursts = "traffic.process=on-off";
    for sets in [
        &["traffic.injection_rate=0.3"][..],
        &["traffic.injection_rate=0.3", "traffic.packet_sizes=[1,2,9]", "traffic.packet_size_weights=[3,2,1]"],
        &["traffic.injection_rate=0.3", bursts, "traffic.burst_length=20", "traffic.packet_sizes=[1,4]"],
        &["traffic.injection_rate=0.2", bursts, "traffic.burst_length=3", "traffic.burst_rate=0.4"],
    ] {
        let point = pattern(&slim_fly(5, 4, "uniform"), sets);
        let (mut endpoint, mut next) = Endpoint::new(5, &point.load, 3);
        let (mut generated, mut taken) = (Vec::new(), Vec::new());
        let mut rng = Stream::new(1, Purpose::Pairs, 0);
        for now in 0..20_000 {
            if next == Some(now) {
                let packet = endpoint.generate(5, now, &point.load);
                assert_eq!(packet.packets, 1);
                generated.push((now, packet.flits));
                next = packet.next;
            }
            // A server that keeps up only sometimes.
            let rate = if now / 1000 % 2 == 0 { 40 } else { 2 };
            if endpoint.queued() > 0 && rng.below(rate) == 0 {
                let head = endpoint.head_size(5, &point.load);
                let (number, at, size) = endpoint.take(5, &point.load);
                assert_eq!((number as usize, head), (taken.len(), size));
                taken.push((at, u64::from(size)));
            }
        }
        assert!(taken.len() > 500, "{sets:?}: {}", taken.len());
        assert_eq!(taken, generated[..taken.len()], "{sets:?}");
        let flits: u64 = generated.iter().map(|&(_, flits)| flits).sum();
        assert_eq!(endpoint.window_offered, flits);
    }
}

#[test]
fn bursts_and_mixed_sizes_offer_the_load_asked_for() {
    let burst = ["traffic.process=on-off", "traffic.burst_length=30"];
    for more in [&[][..], &["traffic.packet_sizes=[1,7]", "traffic.packet_size_weights=[9,1]"], &["traffic.burst_rate=0.5"]] {
        let sets: Vec<&str> = burst
            .iter()
            .chain(more)
            .copied()
            .chain([
                "traffic.injection_rate=0.2",
                "router.num_vcs=4",
                "router.vc_buf_size=64",
                "measurement.confidence_width=0.0",
            ])
            .collect();
        let report = simulate(&slim_fly(5, 4, "uniform"), &sets).report;
        // 200 endpoints, 10,000 cycles: some 27,000 bursts of 30 cycles at most.
        assert!((report.offered.mean - 0.2).abs() < 0.006, "{more:?}: {:?}", report.offered);
        assert!((report.accepted.mean - report.offered.mean).abs() < 0.002, "{more:?}: {:?}", report.accepted);
        if more.is_empty() {
            let calm = simulate(&slim_fly(5, 4, "uniform"), &["traffic.injection_rate=0.2", "router.num_vcs=4"]).report;
            let (burst, calm) = (report.packet_latency, calm.packet_latency);
            assert!(burst.mean > calm.mean + 3.0 * (calm.ci95 + burst.ci95), "bursts wait for each other: {burst:?}, {calm:?}");
        }
    }
}

#[test]
fn injection_that_cannot_be_is_refused() {
    let toml = slim_fly(5, 4, "uniform");
    for (sets, says) in [
        (&["traffic.packet_sizes=[1,2]", "traffic.packet_size=3"][..], "packet_sizes takes the place of packet_size"),
        (&["traffic.packet_size_weights=[1,2]"], "packet_size_weights means nothing without packet_sizes"),
        (&["traffic.packet_sizes=[1,2]", "traffic.packet_size_weights=[1,2,3]"], "3 weights for 2 packet_sizes"),
        (
            &["traffic.process=on-off", "traffic.burst_length=9", "traffic.injection_rate=0.5", "traffic.burst_rate=0.4"],
            "would offer 0.5 on average but only burst_rate = 0.4",
        ),
        (
            &["traffic.process=on-off", "traffic.burst_length=9", "traffic.injection_rate=0.95"],
            "would last 0.474 cycles; for a cycle or more it may offer 0.9000 at most",
        ),
        (
            &["router.flow_control=virtual-cut-through", "router.vc_buf_size=6", "traffic.packet_sizes=[1,7]"],
            "vc_buf_size 6 is less than the 7 flits of the largest",
        ),
    ] {
        let text = refusal(&toml, sets);
        assert!(text.contains(says) && text.lines().count() == 1, "{sets:?}: {text}");
    }
    let always = simulate(&toml, &["traffic.process=on-off", "traffic.burst_length=9", "traffic.injection_rate=1.0"]);
    assert_eq!(always.report.offered.min, 1.0);
}

#[test]
fn a_mix_of_sizes_is_swept_like_any_list() {
    let place = Place::new(&slim_fly(3, 2, "uniform"));
    let sets = ["traffic.packet_sizes=[[1],[1,5],[3,3]]", "measurement.max_samples=3", "router.num_vcs=2"];
    let results = table(&place.run("sizes", &sets, 1, 1));
    assert_eq!(results.points.len(), 3);
    let swept: Vec<String> = (0..3).map(|row| results.axes[0].values.text(row)).collect();
    assert_eq!(swept, ["[1]", "[1, 5]", "[3, 3]"]);
}

#[test]
fn every_pattern_gives_one_answer_on_any_number_of_threads() {
    let folder = folder();
    for entry in REGISTRY {
        for (i, &(network, n)) in NETWORKS[..3].iter().enumerate() {
            let toml = input(folder.path(), network, n, entry.name);
            let mut sets = vec!["router.num_vcs=7", "measurement.sample_period=100"];
            if !entry.timed {
                sets.extend(["measurement.warmup_periods=1", "measurement.max_samples=3", "traffic.packet_sizes=[1,5,2]"]);
                sets.push(["traffic.injection_rate=0.2", "traffic.injection_rate=0.02", "traffic.injection_rate=0.3"][i]);
                if i == 1 {
                    sets.extend(["traffic.process=on-off", "traffic.burst_length=12"]);
                }
            }
            let outcome = |partitions| simulate_point(&point_in(folder.path(), &toml, &sets, partitions), &Unwatched).unwrap();
            if ON_CHAINS.contains(&entry.name) && network.contains("torus") {
                let point = Prepared::default().point(&config(folder.path(), &toml, &sets), 1);
                if point.is_err() {
                    continue;
                }
            }
            let alone = outcome(1);
            assert!(alone.report.flit_hops > 0, "{}", entry.name);
            for partitions in [2, 5, 20] {
                assert_eq!(outcome(partitions).report, alone.report, "{} on {partitions} of {network}", entry.name);
            }
        }
    }
}

/// What the program says of an input with a bad file; the exit code is that of a bad input.
fn said(place: &Place, sets: &[&str]) -> String {
    let mut command = sfpdes();
    command.arg("check").arg(place.input());
    sets.iter().for_each(|set| {
        command.args(["--set", set]);
    });
    let end = finish(command);
    assert_eq!((end.code(), end.stdout.as_str()), (Some(exit::INPUT), ""), "{}", end.stderr);
    end.stderr
}

#[test]
fn every_fault_of_a_matrix_is_told_at_once() {
    let toml = slim_fly(3, 2, "matrix") + "matrix_file = 'm.csv'\n";
    let place = Place::new(&toml);
    assert!(said(&place, &[]).contains("m.csv: no such file"));
    place.write("m.csv", "source,destination,weight\n0,1,1\n0,36,1\n5,x,-2\n0,1,3\n1,2\n");
    let text = said(&place, &["router.num_vcs=1"]);
    for says in [
        "m.csv:3: `destination` takes an endpoint from 0 to 35, not `36`",
        "m.csv:4: `destination` takes an endpoint from 0 to 35, not `x`",
        "m.csv:4: `weight` takes a number from 0 to 1000000000000, not `-2`",
        "m.csv:5: the pair 0,1 stands on line 2 already",
        "m.csv:6: 2 fields; a record has 3: source,destination,weight",
        // Together with what else is wrong.
        "num_vcs is 1",
        "6 faults",
    ] {
        assert!(text.contains(says), "{says}\n{text}");
    }
    place.write("m.csv", "source,destination,weight\n0,1,0\n");
    assert!(said(&place, &[]).contains("no pair has a weight above 0"));
    place.write("m.csv", "source,destination,weight\n0,1,30\n1,0,10\n2,3,20\n");
    let text = said(&place, &["traffic.injection_rate=[0.6,0.7,0.8]"]);
    let says =
        "endpoint 0 sends 1.5000 times the mean of the active ones and would offer 1.0500 flits per cycle; with this matrix \
                injection_rate can be at most 0.6666";
    assert!(text.contains(says) && text.contains("2 faults"), "{text}");
    std::fs::remove_file(place.path("m.csv")).unwrap();
    std::fs::create_dir(place.path("m.csv")).unwrap();
    assert!(said(&place, &[]).contains("m.csv: this is a folder"));
    std::fs::remove_dir(place.path("m.csv")).unwrap();
    std::fs::write(place.path("m.csv"), b"source,destination,weight\n\xff\n").unwrap();
    assert!(said(&place, &[]).contains("m.csv:2:1: not UTF-8 text"));
}

#[test]
fn a_matrix_sends_in_proportion_to_its_weights() {
    let place = Place::new(&(slim_fly(3, 2, "matrix") + "matrix_file = 'm.csv'\n"));
    place.write("m.csv", "# demand\nsource,destination,weight\n0,1,30\n0,2,10\n7,0,20\n3,3,0\n");
    let folder: PathBuf = place.input().parent().unwrap().into();
    let toml = std::fs::read_to_string(place.input()).unwrap();
    let point =
        point_in(&folder, &toml, &["traffic.injection_rate=0.5", "router.num_vcs=2", "measurement.confidence_width=0.0"], 1);
    let pattern = &point.load.pattern;
    let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
    assert!(close(pattern.weight(0), 4.0 / 3.0) && close(pattern.weight(7), 2.0 / 3.0) && pattern.weight(3) == 0.0);
    assert!(close(pattern.share(0, 1), 0.75) && close(pattern.share(0, 2), 0.25) && close(pattern.share(7, 0), 1.0));
    let report = simulate_point(&point, &Unwatched).unwrap().report;
    assert_eq!(report.active_endpoints, 2);
    assert!((report.offered.mean - 0.5).abs() < 0.02, "{:?}", report.offered);
    let offered = |e: usize| report.endpoint_offered[e] as f64 / 10_000.0;
    assert!((offered(0) - 2.0 / 3.0).abs() < 0.03 && (offered(7) - 1.0 / 3.0).abs() < 0.03, "{} {}", offered(0), offered(7));
    assert_eq!(report.endpoint_accepted.iter().filter(|&&flits| flits > 0).count(), 3);
}

#[test]
fn a_changed_file_is_another_study() {
    let place = Place::new(&(slim_fly(3, 2, "matrix") + "matrix_file = 'm.csv'\n[router]\nnum_vcs = 2\n"));
    place.write("m.csv", "source,destination,weight\n0,1,1\n");
    let results = place.run("results", &[], 1, 1);
    // The same again is taken up.
    assert!(finish(place.command(&results, &[], 1, 1)).status.success());
    place.write("m.csv", "source,destination,weight\n0,2,1\n");
    let end = finish(place.command(&results, &[], 1, 1));
    assert_eq!(end.code(), Some(exit::INPUT));
    assert!(end.stderr.contains("m.csv: 32 bytes, SHA-256") && end.stderr.contains("another configuration"), "{}", end.stderr);
}
