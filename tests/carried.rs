//! Below saturation all that is offered is accepted, by every routing under every pattern: both registries are walked, so that
//! whatever is added to one of them is tried with all of the other.

mod support;

use rayon::prelude::*;
use sfpdes::config::{Config, Study};
use sfpdes::routing::{self, REGISTRY};
use sfpdes::stats::{PointReport, Status};
use sfpdes::study::{schema, simulate, static_bound, static_ceiling, Prepared, Unwatched};
use sfpdes::traffic::{self, TrafficPattern};
use support::Place;

/// Topology, its table, number of endpoints.
const NETWORKS: &[(&str, &str, u32)] = &[
    ("slim-fly", "q = 5\np = 2", 100),
    ("torus", "dims = [5, 4]\np = 2", 40),
    ("mesh", "dims = [4, 3]\np = 3", 36),
    ("hypercube", "n = 5", 32),
];

/// Share of what the channels can carry that is offered.
const SHARE: f64 = 0.3;

/// What is offered of patterns and routings whose bound is not known or high: all of them carry it.
const LOAD: f64 = 0.1;

/// Networks whose channels are too few for their endpoints; as above.
const SCARCE: &[(&str, &str, u32)] = &[
    ("slim-fly", "q = 3\np = 4", 72),
    ("torus", "dims = [5, 4]\np = 2", 40),
    ("mesh", "dims = [4, 3]\np = 3", 36),
    ("hypercube", "n = 4\np = 3", 48),
];

/// The keys of a pattern that has to be told whom to send to.
fn keys_of(pattern: &str) -> &'static str {
    match pattern {
        "hotspot" => "hot_endpoints = [0, 7]\nhot_share = 0.05\n",
        "matrix" => "matrix_file = 'matrix.csv'\n",
        "messages" => "message_file = 'messages.csv'\n",
        _ => "",
    }
}

/// A place with the files that patterns read, for `n` endpoints.
fn place(n: u32) -> Place {
    let place = Place::new("");
    let pairs = |i: u32| (i % n, (i * 7 + i / n + 1) % n);
    let flows: String = (0..3 * n).map(pairs).map(|(s, d)| format!("{s},{d},{}\n", 1 + s % 2)).collect();
    place.write("matrix.csv", &format!("source,destination,weight\n{flows}"));
    let list: String =
        (0..4 * n).map(|i| (i, pairs(i))).map(|(i, (s, d))| format!("{},{s},{d},{}\n", i * 11, 1 + i % 9)).collect();
    place.write("messages.csv", &format!("time,source,destination,size\n{list}"));
    place
}

/// The configuration of `pattern` under `routing` at `load`; `None` if the routing is not for the topology.
fn config(place: &Place, network: (&str, &str, u32), routing: &routing::Entry, pattern: &str, load: f64) -> Option<Config> {
    config_with(place, network, routing, pattern, load, &[])
}

/// As `config`, with some keys set.
fn config_with(
    place: &Place,
    (topology, table, _): (&str, &str, u32),
    routing: &routing::Entry,
    pattern: &str,
    load: f64,
    sets: &[&str],
) -> Option<Config> {
    if !routing.topologies.is_empty() && !routing.topologies.contains(&topology) {
        return None;
    }
    let rate = if pattern == "messages" { String::new() } else { format!("injection_rate = {load}\n") };
    let steady = if pattern == "messages" { "" } else { "warmup_periods = 2\nmax_samples = 3\nconfidence_width = 0.0\n" };
    let toml = format!(
        "[network]\ntopology = '{topology}'\n{table}\n[router]\nnum_vcs = 16\n[routing]\nalgorithm = '{}'\n\
         [measurement]\nsample_period = 500\n{steady}[traffic]\npattern = '{pattern}'\npacket_size = 2\n{rate}{}",
        routing.name,
        keys_of(pattern)
    );
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    let study = Study::parse(place.input().to_str().unwrap(), &toml, &sets, schema()).unwrap_or_else(|e| panic!("{e}\n{toml}"));
    study.points.into_iter().next()
}

#[test]
fn what_is_offered_is_accepted_by_every_routing_under_every_pattern() {
    let (mut tried, mut refused) = (Vec::new(), 0);
    for &network in NETWORKS {
        let (place, mut prepared) = (place(network.2), Prepared::default());
        for (routing, pattern) in REGISTRY.iter().flat_map(|r| traffic::REGISTRY.iter().map(move |p| (r, p))) {
            let what = format!("{} under {} on {}", pattern.name, routing.name, network.0);
            let Some(first) = config(&place, network, routing, pattern.name, LOAD) else { continue };
            let point = match prepared.checked(&first, 1) {
                Ok((_, point)) => point,
                // A pattern may need a kind of network, and says so.
                Err(e) => {
                    assert!(
                        pattern.name.starts_with("worst-case") && e.to_string().contains("this network has none"),
                        "{what}: {e}"
                    );
                    refused += 1;
                    continue;
                }
            };
            tried.push(routing.name);
            if pattern.timed {
                delivered(&simulate(&point, &Unwatched).unwrap().report, &what);
                continue;
            }
            // Only shares of what sends and is sent to are asked for, which do not depend on the load.
            let bound = if routing.adaptive { None } else { static_bound(&point).unwrap() };
            let load = bound.map_or(LOAD, |bound| (SHARE * bound.load).min(LOAD));
            let config = config(&place, network, routing, pattern.name, load).unwrap();
            let point = prepared.point(&config, 1).unwrap();
            carried(&simulate(&point, &Unwatched).unwrap().report, load, &what);
        }
    }
    assert!(refused * 5 < tried.len(), "{refused} refused, {} tried", tried.len());
    for routing in REGISTRY {
        let own = tried.iter().filter(|&&name| name == routing.name).count();
        assert!(
            own >= traffic::REGISTRY.len() - 2,
            "{}: only {own} patterns, though none but two need chains of routers",
            routing.name
        );
    }
}

#[test]
fn no_run_accepts_more_than_the_ceiling_by_any_routing_that_is_not_adaptive() {
    let (tried, saturated, above_the_bound) = SCARCE
        .par_iter()
        .map(|&network| offered_too_much(network))
        .reduce(Default::default, |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2));
    assert!(tried > 400 && saturated * 10 > tried * 9, "{saturated} of {tried} saturated");
    assert!(above_the_bound * 5 > tried, "{above_the_bound} of {tried}: the ceiling has something to say that the bound has not");
}

/// Offers a network half as much again as its channels carry, and all that endpoints can send: how many points ran, how many were
/// saturated, and how many accepted more than the bound on what all can send alike.
fn offered_too_much(network: (&str, &str, u32)) -> (u32, u32, u32) {
    let (place, mut prepared) = (place(network.2), Prepared::default());
    let (mut tried, mut saturated, mut above_the_bound) = (0, 0, 0);
    let oblivious = REGISTRY.iter().filter(|routing| !routing.adaptive);
    for (routing, pattern) in oblivious.flat_map(|r| traffic::REGISTRY.iter().map(move |p| (r, p))).filter(|(_, p)| !p.timed) {
        let Some(first) = config(&place, network, routing, pattern.name, LOAD) else { continue };
        // What cannot be had together is the matter of the test above.
        let Ok((_, point)) = prepared.checked(&first, 1) else { continue };
        // Few buffers, which are soon full: while they fill, what has free ways comes out first.
        let num_vcs = format!("router.num_vcs={}", (routing.vcs_required)(&first, &point.survey).max(2));
        let sets = [&num_vcs[..], "router.vc_buf_size=4", "measurement.warmup_periods=8"];
        let bound = static_bound(&point).unwrap().unwrap().load;
        let highest = 1.0 / (0..network.2).map(|src| point.load.pattern.weight(src)).fold(1.0, f64::max);
        for rate in [highest, (1.5 * bound).min(highest)] {
            let what = format!("{} at {rate} by {} on {}", pattern.name, routing.name, network.0);
            let config = config_with(&place, network, routing, pattern.name, rate, &sets).unwrap();
            let point = prepared.point(&config, 1).unwrap();
            let ceiling = static_ceiling(&point, (rate < highest).then_some(rate)).unwrap().unwrap();
            let report = simulate(&point, &Unwatched).unwrap().report;
            let (accepted, uncertain) = (report.accepted.mean, report.accepted_ci95);
            assert!(accepted <= ceiling.load + uncertain + 0.002, "{what}: {accepted} +- {uncertain}, {ceiling:?}");
            tried += 1;
            saturated += u32::from(report.status == Status::Saturated);
            above_the_bound += u32::from(accepted > bound + uncertain + 0.002);
        }
    }
    (tried, saturated, above_the_bound)
}

/// Every packet arrived, and the window accepted what it was offered, but for what was under way at its beginning and end.
fn carried(report: &PointReport, load: f64, what: &str) {
    assert_eq!(report.status, Status::MaxTime, "{what} at {load}: {:?}", report.packet_latency);
    assert_eq!(report.packet_latency.count, report.packets_offered, "every packet of the window arrives: {what}");
    let (active, cycles) = (report.active_endpoints as f64, (report.window_end - report.window_start) as f64);
    assert!(active > 0.0 && report.packets_offered > 20, "{what}: {} packets", report.packets_offered);
    // Packets of two flits, generated independently of each other; an endpoint that sends twice the mean varies as its load.
    let deviation = (2.0 * load / (cycles * active)).sqrt();
    assert!((report.offered.mean - load).abs() < 5.0 * deviation, "{what} at {load}: {:?}", report.offered);
    // Little's law: what is under way is the load times the latency.
    let held = report.offered.mean * report.packet_latency.mean * active;
    let change = (report.offered.mean - report.accepted.mean).abs() * cycles * active;
    assert!(change <= 5.0 * (2.0 * 2.0 * held).sqrt() + 4.0, "{what} at {load}: {change} of {held} flits");
    // Beside the simulator's own audit: the endpoints add up to the whole.
    let sums = [&report.endpoint_offered, &report.endpoint_accepted].map(|flits| flits.iter().sum::<u64>() as f64);
    for (sum, mean) in sums.into_iter().zip([report.offered.mean, report.accepted.mean]) {
        assert!((sum - mean * cycles * active).abs() < 0.5, "{what}: {sum} flits");
    }
}

/// Every message arrived whole.
fn delivered(report: &PointReport, what: &str) {
    assert_eq!(report.status, Status::Completed, "{what}");
    assert_eq!(report.packets_accepted, report.packets_offered, "{what}");
    let [offered, accepted] = [&report.endpoint_offered, &report.endpoint_accepted].map(|flits| flits.iter().sum::<u64>());
    assert!(offered > 0 && offered == accepted, "{what}: {offered} and {accepted} flits");
}
