//! Expected channel loads and the static bound: against closed forms, against every path followed by itself, and against what
//! simulated networks carry.

mod support;

use sfpdes::analysis::{Bound, Busiest, ChannelLoads, Demand};
use sfpdes::config::Config;
use sfpdes::routing::{self, Head, Here, Routing, RoutingAlgorithm, Survey};
use sfpdes::stats::Status;
use sfpdes::study::{simulate as simulate_point, static_bound, Point, Unwatched};
use sfpdes::topology::Graph;
use sfpdes::traffic::{self, Pattern, TrafficPattern};
use support::{finish, follow, point, points, routing_of, sfpdes, simulate, Decisions, Place};

fn toml(network: &str, pattern: &str) -> String {
    format!("[network]\n{network}\n[router]\nnum_vcs = 8\n[traffic]\ninjection_rate = 0.1\npattern = '{pattern}'\n")
}

fn loads(point: &Point) -> ChannelLoads {
    ChannelLoads::new(&point.graph, &routing_of(point), &Demand::new(&point.graph, &*point.load.pattern))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 * (1.0 + b.abs())
}

/// The load of the channel from router `a` to router `b`.
fn between(point: &Point, loads: &ChannelLoads, a: u32, b: u32) -> f64 {
    let port = point.graph.peers(a).binary_search(&b).expect("they are linked");
    loads.network[point.graph.channel(a) as usize + port]
}

#[test]
fn a_mesh_has_the_loads_of_the_closed_form() {
    for (k, p) in [(4u32, 1u32), (5, 2), (8, 1)] {
        let mesh = format!("topology = 'mesh'\ndims = [{k}, {k}]\np = {p}\n[routing]\nalgorithm = 'dimension-order'");
        let point = point(&toml(&mesh, "uniform"), &[], 1);
        let found = loads(&point);
        let per_pair = f64::from(p * p) / f64::from(k * k * p - 1);
        for i in 0..k - 1 {
            // Of the routers at or before i in a row, each sends to all that are beyond, in whatever row.
            let x = f64::from((i + 1) * (k - i - 1) * k) * per_pair;
            for y in 0..k {
                for (a, b) in [(y * k + i, y * k + i + 1), (i * k + y, (i + 1) * k + y)] {
                    assert!(close(between(&point, &found, a, b), x), "{k} {p}: {a} to {b}");
                    assert!(close(between(&point, &found, b, a), x), "{k} {p}: {b} to {a}");
                }
            }
        }
        assert!(found.ejection.iter().chain(&found.injection).all(|&load| close(load, 1.0)));
        let bound = Bound::new(&point.graph, &found).unwrap();
        let most = f64::from((k / 2) * (k - k / 2) * k) * per_pair;
        assert!(close(bound.load, 1.0 / most.max(1.0)), "{bound:?}");
    }
}

#[test]
fn a_torus_has_the_loads_of_the_closed_form() {
    for (k, p) in [(3u32, 1u32), (5, 2), (4, 1), (8, 3)] {
        let torus = format!("topology = 'torus'\ndims = [{k}, {k}]\np = {p}\n[routing]\nalgorithm = 'dimension-order'");
        let point = point(&toml(&torus, "uniform"), &[], 1);
        // Of a ring of k routers, the paths of one direction over one channel: (k^2 - 1) / 8, k^2 / 8 with ties halved.
        let paths = f64::from(if k % 2 == 0 { k * k } else { k * k - 1 }) / 8.0;
        let expected = paths * f64::from(k * p * p) / f64::from(k * k * p - 1);
        let found = loads(&point);
        assert!(found.network.iter().all(|&load| close(load, expected)), "{k} {p}: {expected}, {:?}", &found.network[..4]);
    }
    // Tornado on a ring of 8: all go 3 the same way.
    let ring = toml("topology = 'torus'\ndims = [8]\n[routing]\nalgorithm = 'dimension-order'", "tornado");
    let point = point(&ring, &[], 1);
    let found = loads(&point);
    for r in 0..8 {
        assert!(close(between(&point, &found, r, (r + 1) % 8), 3.0) && close(between(&point, &found, (r + 1) % 8, r), 0.0));
    }
    let bound = Bound::new(&point.graph, &found).unwrap();
    assert!(close(bound.load, 1.0 / 3.0) && close(bound.hops, 3.0), "{bound:?}");
    assert!(matches!(bound.busiest, Busiest::Network { .. }));
}

/// A pattern on a graph that no topology makes, with the keys of `config`.
fn pattern_on(graph: &Graph, config: &Config) -> Pattern {
    (traffic::find(config.text("traffic.pattern")).unwrap().build)(config, graph).unwrap()
}

#[test]
fn a_complete_graph_carries_a_flow_per_channel() {
    for (n, p) in [(5u32, 1u32), (6, 3), (4, 9)] {
        let links: Vec<(u32, u32)> = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
        let graph = Graph::from_links(&links, &vec![p; n as usize], vec![0; n as usize], vec![0; n as usize]);
        let config = points(&toml("topology = 'mesh'\ndims = [2]", "uniform"), &[]).remove(0);
        let survey = Survey::new(graph.clone().into());
        let all: Vec<u32> = (0..n).collect();
        let entry = routing::REGISTRY.iter().find(|e| e.name == "min").unwrap();
        let min = (entry.build)(&config, &survey, &all).unwrap();
        let found = ChannelLoads::new(&graph, &min, &Demand::new(&graph, &pattern_on(&graph, &config)));
        let expected = f64::from(p * p) / f64::from(n * p - 1);
        assert!(found.network.iter().all(|&load| close(load, expected)), "{n} {p}");
        let bound = Bound::new(&graph, &found).unwrap();
        assert!(close(bound.load, 1.0 / expected.max(1.0)), "{n} {p}: {bound:?}");
    }
}

#[test]
fn a_slim_fly_has_the_bounds_of_the_paper() {
    let bound = |q: u32, p: u32, pattern: &str, sets: &[&str]| {
        let network = format!("topology = 'slim-fly'\nq = {q}\np = {p}");
        static_bound(&point(&toml(&network, pattern), sets, 1)).unwrap().unwrap()
    };
    let to_self = "traffic.self_traffic=true";
    for tie in ["routing.tie=lowest_id", "routing.tie=per_packet"] {
        for (q, p, load) in [(5, 4, 0.9615), (7, 6, 0.8596), (19, 15, 0.8752), (19, 16, 0.8205), (19, 18, 0.7293)] {
            let found = bound(q, p, "uniform", &[to_self, tie]);
            assert!((found.load - load).abs() < 5e-5, "q = {q}, p = {p}, {tie}: {found:?}");
            // The mean distance is 2 - k'/(N_r - 1), and 1/N_r of the traffic stays.
            let (n, k) = (f64::from(2 * q * q), f64::from((3 * q).div_ceil(2)));
            let hops = (2.0 - k / (n - 1.0)) * (1.0 - 1.0 / n);
            assert!(q == 5 || close(found.hops, hops), "q = {q}: {found:?}, {hops}");
        }
    }
    for p in [2, 4, 7] {
        assert!(close(bound(5, p, "worst-case-link", &[]).load, 1.0 / f64::from(p + 1)));
        assert!(close(bound(5, p, "worst-case-exchange", &[]).load, 1.0 / f64::from(2 * p)));
    }
    // Valiant makes uniform traffic of everything, twice: on the Hoffman-Singleton graph all channels are alike.
    let valiant = bound(5, 4, "worst-case-exchange", &["routing.algorithm=valiant"]);
    assert!(valiant.load > 0.4 && valiant.load < 0.5 && valiant.hops > 3.5, "{valiant:?}");
}

/// Loads by following each pair of endpoints over every decision by itself.
fn by_pairs(graph: &Graph, routing: &Routing, pattern: &Pattern) -> Vec<f64> {
    let choices = |here: Here, head: &Head| {
        let mut choices = Decisions::new();
        routing.choices(here, head, &mut choices);
        choices
    };
    let mut load = vec![0.0; graph.n_channels()];
    for src in 0..graph.n_endpoints() {
        for dst in 0..graph.n_endpoints() {
            let amount = pattern.weight(src) * pattern.share(src, dst);
            let (source, destination) = (graph.router_of(src), graph.router_of(dst));
            if amount > 0.0 && source != destination {
                let head = Head { src, dst, target: destination, hops: 0, state: 0 };
                follow(graph, &choices, head, amount, &mut load);
            }
        }
    }
    load
}

/// Inputs of many kinds, small enough to follow each pair by itself.
fn many(mut each: impl FnMut(&str, &Point)) {
    let networks =
        ["topology = 'slim-fly'\nq = 3\np = 2", "topology = 'torus'\ndims = [4, 3]\np = 2", "topology = 'mesh'\ndims = [5]"];
    let routings = [
        &["routing.algorithm=min"][..],
        &["routing.algorithm=min", "routing.tie=per_packet"],
        &["routing.algorithm=min", "routing.tie=random"],
        &["routing.algorithm=ecmp"],
        &["routing.algorithm=valiant"],
        &["routing.algorithm=valiant", "routing.max_hops=5", "routing.tie=per_packet"],
        &["routing.algorithm=dimension-order"],
    ];
    for network in networks {
        for sets in routings {
            if network.contains("slim") && sets[0].contains("dimension") {
                continue;
            }
            for pattern in ["uniform", "shuffle", "tornado", "shift", "random-permutation", "nearest-neighbour"] {
                let point = point(&toml(network, pattern), sets, 1);
                each(&format!("{pattern} by {sets:?} on {network}"), &point);
            }
            let hot = toml(network, "hotspot") + "hot_endpoints = [1, 4]\nhot_share = 0.3\n";
            each("hotspot", &point(&hot, sets, 1));
        }
    }
}

#[test]
fn flows_added_up_are_the_sum_of_every_pair_followed_by_itself() {
    let mut n = 0;
    many(|name, point| {
        let routing = routing_of(point);
        let expected = by_pairs(&point.graph, &routing, &point.load.pattern);
        let demand = Demand::new(&point.graph, &*point.load.pattern);
        for (how, found) in [
            ("at best", ChannelLoads::new(&point.graph, &routing, &demand)),
            ("by choices", ChannelLoads::by_choices(&point.graph, &routing, &demand)),
        ] {
            for (channel, (&a, &b)) in found.network.iter().zip(&expected).enumerate() {
                assert!(close(a, b), "{name} {how}, channel {channel}: {a}, {b}");
            }
            for dst in 0..point.graph.n_endpoints() {
                let sources = 0..point.graph.n_endpoints();
                let pattern = &point.load.pattern;
                let into: f64 = sources.map(|src| pattern.weight(src) * pattern.share(src, dst)).sum();
                assert!(close(found.ejection[dst as usize], into), "{name} {how}, endpoint {dst}");
            }
        }
        n += 1;
    });
    assert!(n > 100, "{n}");
}

#[test]
fn simulated_channels_carry_what_is_expected() {
    for (network, pattern, sets) in [
        ("topology = 'slim-fly'\nq = 4\np = 3", "uniform", &["routing.tie=per_packet"][..]),
        ("topology = 'slim-fly'\nq = 5\np = 2", "shift", &["routing.algorithm=valiant"]),
        ("topology = 'torus'\ndims = [5, 4]\np = 2", "shuffle", &["routing.algorithm=dimension-order"]),
        ("topology = 'mesh'\ndims = [4, 4]", "transpose", &["routing.algorithm=min"]),
    ] {
        let long = ["measurement.sample_period=4000", "measurement.confidence_width=0.0", "traffic.injection_rate=0.15"];
        let sets: Vec<&str> = sets.iter().chain(&long).copied().collect();
        let point = point(&toml(network, pattern), &sets, 1);
        let expected = loads(&point);
        let report = simulate_point(&point, &Unwatched).unwrap().report;
        assert_eq!(report.status, Status::MaxTime, "{pattern} on {network}");
        for (channel, (&found, &load)) in report.channel_utilization.iter().zip(&expected.network).enumerate() {
            let expected = 0.15 * load;
            assert!(
                (found - expected).abs() < 5.0 * (expected / 40_000.0).sqrt() + 1e-12,
                "{pattern} on {network}, channel {channel}: {found}, {expected}"
            );
        }
    }
}

#[test]
fn no_run_accepts_more_than_the_bound_where_sources_are_alike() {
    for (network, pattern, sets) in [
        ("topology = 'slim-fly'\nq = 5\np = 4", "uniform", &[][..]),
        ("topology = 'slim-fly'\nq = 5\np = 7", "uniform", &[]),
        ("topology = 'slim-fly'\nq = 5\np = 4", "uniform", &["routing.algorithm=valiant"]),
        ("topology = 'slim-fly'\nq = 7\np = 8", "uniform", &["routing.tie=per_packet"]),
        ("topology = 'slim-fly'\nq = 7\np = 8", "all-to-all", &[]),
        ("topology = 'slim-fly'\nq = 5\np = 4", "worst-case-exchange", &[]),
        ("topology = 'slim-fly'\nq = 5\np = 4", "worst-case-link", &[]),
        ("topology = 'torus'\ndims = [6, 6]\np = 2", "uniform", &["routing.algorithm=dimension-order"]),
        ("topology = 'torus'\ndims = [8]\np = 1", "tornado", &["routing.algorithm=dimension-order"]),
        ("topology = 'mesh'\ndims = [6, 6]\np = 2", "uniform", &["routing.algorithm=dimension-order"]),
    ] {
        // While buffers fill, packets with short ways come out first: measured after they have been filled often.
        let long = ["measurement.sample_period=1000", "measurement.warmup_periods=5", "measurement.max_samples=3"];
        let more = ["traffic.injection_rate=1.0", "router.vc_buf_size=8", "router.num_vcs=4"];
        let sets: Vec<&str> = sets.iter().chain(&long).chain(&more).copied().collect();
        let input = toml(network, pattern);
        let bound = static_bound(&point(&input, &sets, 1)).unwrap().unwrap();
        let report = simulate(&input, &sets).report;
        let what = format!("{pattern} on {network} {sets:?}: {:?} +- {}, {bound:?}", report.accepted, report.accepted_ci95);
        assert_eq!(report.status, Status::Saturated, "{what}");
        assert!(report.accepted.mean <= bound.load + report.accepted_ci95 + 0.002, "{what}");
        assert!(report.accepted.mean > 0.5 * bound.load, "{what}");
    }
}

#[test]
fn offered_more_than_the_bound_every_pattern_saturates() {
    let network = "topology = 'slim-fly'\nq = 5\np = 4";
    for pattern in ["shuffle", "bit-reverse", "bit-complement", "transpose", "tornado", "shift", "random-permutation", "hotspot"]
    {
        let hot = if pattern == "hotspot" { "hot_endpoints = [7]\nhot_share = 0.05\n" } else { "" };
        let input = toml(network, pattern) + hot;
        let bound = static_bound(&point(&input, &[], 1)).unwrap().unwrap();
        assert!(bound.load < 0.7, "{pattern}: {bound:?}");
        if pattern == "hotspot" {
            assert_eq!(bound.busiest, Busiest::Ejection(7));
        }
        let rate = format!("traffic.injection_rate={}", 1.3 * bound.load);
        let report = simulate(&input, &[&rate, "measurement.sample_period=1500", "router.num_vcs=2"]).report;
        assert_eq!(report.status, Status::Saturated, "{pattern}: {:?}, {bound:?}", report.accepted);
        assert!(report.channel_utilization_max <= 1.0 && report.accepted.mean < report.offered.mean, "{pattern}");
    }
}

#[test]
fn check_tells_the_bound_or_why_there_is_none() {
    let place = Place::new(&toml("topology = 'slim-fly'\nq = 19\np = 15", "uniform"));
    let bounds = |sets: &[&str]| {
        let mut command = sfpdes();
        command.arg("check").arg(place.input());
        sets.iter().for_each(|set| {
            command.args(["--set", set]);
        });
        let end = finish(command);
        assert!(end.status.success(), "{}", end.stderr);
        let row = |name: &str| end.stdout.lines().find_map(|l| Some(l.strip_prefix(name)?.trim().to_string()));
        (row("load bound").unwrap(), row("load ceiling"))
    };
    let (text, ceiling) = bounds(&["traffic.self_traffic=true"]);
    assert_eq!(ceiling.unwrap().split(':').next(), Some("0.8752 flits/cycle/endpoint"));
    // Some sources of bit reversal share a channel with four others, many with none.
    let (bound, ceiling) = bounds(&["traffic.pattern=bit-reverse", "network.q=7", "network.p=4"]);
    let ceiling: f64 = ceiling.as_deref().and_then(|text| text.split(' ').next()).unwrap().parse().unwrap();
    assert!(bound.starts_with("0.2000 ") && ceiling > 0.4 && ceiling < 1.0, "{bound}, {ceiling}");
    assert_eq!(
        bounds(&["routing.algorithm=valiant", "routing.max_hops=3", "router.num_vcs=3"]).1.unwrap(),
        "not computed: too many paths to follow"
    );
    assert_eq!(bounds(&["routing.algorithm=ugal-l"]).1, None);
    let check = |sets: &[&str]| bounds(sets).0;
    assert_eq!(
        text,
        "0.8752 flits/cycle/endpoint: the channel from router 0 (port 10) to router 361 is full then; 1.9571 hops per packet on \
         average"
    );
    assert_eq!(check(&["routing.algorithm=ugal-l"]), "none: `ugal-l` decides by the state of the network");
    assert_eq!(check(&["network.q=5", "network.p=1"]).split(':').next(), Some("1.0000 flits/cycle/endpoint"));
    assert_eq!(
        check(&["network.q=5", "network.p=1", "traffic.pattern=hotspot", "traffic.hot_endpoints=[0]", "traffic.hot_share=1.0"])
            .split(';')
            .next(),
        Some("0.0204 flits/cycle/endpoint: the channel into endpoint 0 is full then")
    );
    assert_eq!(check(&["network.q=47", "network.p=1"]), "not computed: 4418 routers, more than 4096");
    place.write("list.csv", "time,source,destination,size\n0,0,1,5\n3,4,1,2\n");
    place.write(
        "input.toml",
        "[network]\ntopology = 'slim-fly'\nq = 5\n[traffic]\npattern = 'messages'\nmessage_file = 'list.csv'\n",
    );
    assert_eq!(check(&[]), "none: a list of messages has no load (2 messages, 7 flits)");
    place.write("input.toml", "[network]\ntopology = 'mesh'\ndims = [1]\n[traffic]\ninjection_rate = 0.0\n");
    assert_eq!(check(&[]), "none: nobody sends");
}
