//! Below saturation all that is offered is accepted, by every routing under every pattern: both registries are walked, so that
//! whatever is added to one of them is tried with all of the other.

mod support;

use sfpdes::config::{Config, Study};
use sfpdes::routing::{self, REGISTRY};
use sfpdes::stats::{PointReport, Status};
use sfpdes::study::{schema, simulate, static_bound, Prepared, Unwatched};
use sfpdes::traffic;
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
fn config(
    place: &Place,
    (topology, table, _): (&str, &str, u32),
    routing: &routing::Entry,
    pattern: &str,
    load: f64,
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
    let study = Study::parse(place.input().to_str().unwrap(), &toml, &[], schema()).unwrap_or_else(|e| panic!("{e}\n{toml}"));
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
