//! What a point reports: counts that add up, loads that are what was asked, and an end in bounded time with a status that
//! says which.

mod support;

use std::time::{Duration, Instant};

use sfpdes::engine::{Model, NEVER};
use sfpdes::error::{exit, Error};
use sfpdes::stats::{Cell, PointReport, Status, COLUMNS};
use sfpdes::study::{first_of, run_partition, run_threads, simulate as simulate_point, Outcome, Unwatched};
use sfpdes::topology::Distances;
use sfpdes::transport::{Hub, Local, Threads};
use support::{finish, numbers, point, simulate, table, words, Place};

const SLIM_FLY: &str = "
[network]
topology = 'slim-fly'
q = 3
p = 2
[router]
num_vcs = 2
[traffic]
injection_rate = 0.4
";

/// A ring whose packets all wait for each other once it is full: one VC, one flit of buffer, no dateline.
const DEADLOCK: &str = "
[network]
topology = 'torus'
dims = [8]
[router]
num_vcs = 1
vc_buf_size = 1
[routing]
algorithm = 'dimension-order'
allow_deadlock = true
[traffic]
injection_rate = 1.0
";

/// What holds for every point, whatever its load.
fn check_sums(report: &PointReport, packet_size: u64) {
    let cycles = report.window_end - report.window_start;
    let n = report.endpoint_offered.len() as u64;
    let offered: u64 = report.endpoint_offered.iter().sum();
    let accepted: u64 = report.endpoint_accepted.iter().sum();
    assert_eq!(offered, report.packets_offered * packet_size);
    assert_eq!(report.offered.mean, offered as f64 / (n * cycles) as f64);
    assert_eq!(report.accepted.mean, accepted as f64 / (n * cycles) as f64);
    for load in [report.offered, report.accepted] {
        assert!(load.min <= load.mean && load.mean <= load.max, "{load:?}");
        assert!(load.jain <= 1.0 && load.jain >= 1.0 / n as f64, "{load:?}");
    }
    for (latency, bins) in
        [(report.packet_latency, &report.packet_latency_bins), (report.network_latency, &report.network_latency_bins)]
    {
        assert_eq!(bins.count.iter().sum::<u64>(), latency.count);
        let parts = [latency.p50, latency.p95, latency.p99, latency.p999, latency.max as f64];
        assert!(parts.is_sorted(), "{latency:?}");
        assert!(latency.mean <= latency.max as f64 && latency.ci95 >= 0.0, "{latency:?}");
        if latency.max < 2048 && latency.count > 0 {
            let sum: u64 = bins.lower.iter().zip(&bins.count).map(|(value, count)| value * count).sum();
            assert_eq!(latency.mean, sum as f64 / latency.count as f64);
        }
    }
    assert!(report.network_latency.mean <= report.packet_latency.mean);
    assert!(report.channel_utilization.iter().all(|&u| (0.0..=1.0).contains(&u)));
    for series in &report.series {
        assert!(series.values.iter().all(|v| v.is_finite() && *v >= 0.0), "{}", series.name);
    }
    // The samples of the window make up the window.
    let period = report.cycles / report.series[0].values.len() as u64;
    let window = (report.window_start / period) as usize..(report.window_end / period) as usize;
    for (name, mean) in [("offered_load", report.offered.mean), ("accepted_load", report.accepted.mean)] {
        let values = &report.series.iter().find(|s| s.name == name).unwrap().values[window.clone()];
        let of_samples = values.iter().sum::<f64>() / values.len() as f64;
        assert!((of_samples - mean).abs() < 1e-9, "{name}: {of_samples}, {mean}");
    }
    check_finite(report);
}

/// No column is NaN or infinite.
fn check_finite(report: &PointReport) {
    for column in COLUMNS {
        if let Cell::Float(value) = (column.get)(report) {
            assert!(value.is_finite(), "{} is {value}", column.name);
        }
    }
}

#[test]
fn what_is_offered_is_what_was_asked_and_is_accepted_below_saturation() {
    for packet_size in [1u64, 2, 3, 8] {
        for rate in [0.01, 0.1, 0.2, 0.3, 0.4, 0.5] {
            let sets = [
                format!("traffic.injection_rate={rate}"),
                format!("traffic.packet_size={packet_size}"),
                "router.num_vcs=4".into(),
                "measurement.confidence_width=0.0".into(),
            ];
            let report = simulate(SLIM_FLY, &sets.each_ref().map(String::as_str)).report;
            check_sums(&report, packet_size);
            assert_eq!(report.status, Status::MaxTime, "{packet_size} flits at {rate}");
            assert!(report.latency_steady);
            let trials = (report.endpoint_offered.len() as u64 * (report.window_end - report.window_start)) as f64;
            let p = rate / packet_size as f64;
            let deviation = packet_size as f64 * (p * (1.0 - p) / trials).sqrt();
            assert!((report.offered.mean - rate).abs() < 4.0 * deviation, "{packet_size} flits: {:?}, {rate}", report.offered);
            // What was offered and not accepted is in flight: it differs by no more than the arrivals of a latency.
            let in_flight = rate * (report.packet_latency.mean + packet_size as f64) / 10_000.0;
            let difference = (report.offered.mean - report.accepted.mean).abs();
            assert!(difference < in_flight + 4.0 * deviation * 0.2, "{packet_size} flits at {rate}: {difference}, {in_flight}");
            assert_eq!(report.packet_latency.count, report.packets_offered, "every measured packet arrives");
        }
    }
}

#[test]
fn hops_are_those_of_the_graph() {
    let point = point(SLIM_FLY, &["measurement.confidence_width=0.0"], 1);
    // Of the pairs of distinct endpoints, p^2 for each ordered pair of routers, p (p - 1) at each router with no hops.
    let (n, p) = (f64::from(point.graph.n_endpoints()), 2.0);
    let expected = Distances::of(&point.graph).total() as f64 * p * p / (n * (n - 1.0));
    let report = simulate_point(&point, &Unwatched).unwrap().report;
    // 0.6 is more than the standard deviation of one packet's hops.
    let tolerance = 4.0 * 0.6 / (report.packet_latency.count as f64).sqrt();
    assert!((report.hops_mean - expected).abs() < tolerance, "{} hops, {expected} by the graph", report.hops_mean);
    // Every flit of a window crosses that many channels.
    let crossed = report.channel_utilization.iter().sum::<f64>();
    let expected = report.accepted.mean * report.endpoint_accepted.len() as f64 * report.hops_mean;
    assert!((crossed / expected - 1.0).abs() < 0.01, "{crossed} flits per cycle on channels, {expected} by hops");
}

#[test]
fn a_load_of_zero_counts_zero_and_ends() {
    let check = |report: &PointReport| {
        check_sums(report, 1);
        assert_eq!((report.status, report.stop_reason), (Status::Converged, "converged"));
        assert_eq!((report.packets_offered, report.packets_accepted, report.flit_hops), (0, 0, 0));
        assert_eq!((report.packet_latency.count, report.packet_latency.mean, report.packet_latency.max), (0, 0.0, 0));
        assert_eq!((report.offered.mean, report.accepted.max, report.hops_mean), (0.0, 0.0, 0.0));
        assert!(report.cycles <= 10_000);
    };
    check(&simulate(SLIM_FLY, &["traffic.injection_rate=0.0"]).report);
    // Nobody to talk to: nothing is offered whatever the load.
    let alone = "[network]\ntopology = 'mesh'\ndims = [1]\n[traffic]\ninjection_rate = 1.0\n";
    check(&simulate(alone, &[]).report);
    let place = Place::new(SLIM_FLY);
    let end = finish(place.command(&place.path("results.h5"), &["traffic.injection_rate=0"], 1, 2));
    assert_eq!(end.code(), Some(0), "{}", end.stderr);
    assert!(!end.stdout.contains("NaN") && !end.stdout.contains("inf"), "{}", end.stdout);
    assert_eq!(numbers(&table(&place.path("results.h5")), "packets_offered"), [0.0]);
}

#[test]
fn the_length_of_samples_changes_neither_status_nor_latency() {
    let reports = ["100", "200", "400", "1000"].map(|period| {
        let period = format!("measurement.sample_period={period}");
        simulate(SLIM_FLY, &[&period, "measurement.max_samples=100", "measurement.confidence_width=0.01"]).report
    });
    for report in &reports {
        check_sums(report, 1);
        assert_eq!(report.status, Status::Converged, "{:?}", report.packet_latency);
        assert!(report.packet_latency.ci95 > 0.0);
        let longest = &reports[3];
        let allowed = 2.0 * (report.packet_latency.ci95 + longest.packet_latency.ci95);
        let difference = (report.packet_latency.mean - longest.packet_latency.mean).abs();
        assert!(difference <= allowed, "{:?}, {:?}", report.packet_latency, longest.packet_latency);
    }
}

#[test]
fn saturation_ends_in_bounded_time_and_says_so() {
    for period in ["100", "200", "400", "1000"] {
        for load in ["0.95", "1.0"] {
            let sets = [
                format!("measurement.sample_period={period}"),
                format!("traffic.injection_rate={load}"),
                "network.q=5".into(),
                "network.p=5".into(),
            ];
            let point = point(SLIM_FLY, &sets.each_ref().map(String::as_str), 1);
            let Outcome { report, stuck, .. } = simulate_point(&point, &Unwatched).unwrap();
            check_sums(&report, 1);
            assert_eq!((report.status, report.stop_reason), (Status::Saturated, "saturated"), "{period} {load}");
            assert!(!report.latency_steady && stuck.is_empty());
            assert!(report.cycles <= point.rules.longest());
            assert!(report.accepted.mean > 0.5 && report.accepted.mean < report.offered.mean - 0.02, "{:?}", report.accepted);
        }
    }
}

#[test]
fn status_tells_how_the_window_ended() {
    let converged = simulate(SLIM_FLY, &["measurement.confidence_width=0.5"]).report;
    assert_eq!((converged.status, converged.window_start, converged.window_end), (Status::Converged, 3_000, 6_000));
    let all = simulate(SLIM_FLY, &["measurement.confidence_width=0.0", "measurement.warmup_periods=1"]).report;
    assert_eq!((all.status, all.stop_reason), (Status::MaxTime, "max_time"));
    assert_eq!((all.window_start, all.window_end), (1_000, 11_000));
    // A latency that no sample may exceed: 11 cycles is the least that two hops take.
    let slow = simulate(SLIM_FLY, &["measurement.latency_thres=5.0"]).report;
    assert_eq!(slow.status, Status::Saturated);
    let none =
        simulate(SLIM_FLY, &["measurement.warmup_periods=0", "measurement.max_drain_periods=0", "traffic.injection_rate=0.01"]);
    assert_eq!(none.report.window_start, 0);
}

#[test]
fn a_deadlock_is_found_named_and_told_by_the_exit_code() {
    let place = Place::new(DEADLOCK);
    let results = place.path("results.h5");
    let end = finish(place.command(&results, &[], 1, 1));
    assert_eq!(end.code(), Some(exit::STALL), "{}", end.stderr);
    assert_eq!(words(&table(&results), "status"), ["stalled"]);
    for part in ["no flit moved for 10000 cycles", "packet ", "of endpoint", "at router", "waits for", "generated in cycle"] {
        assert!(end.stderr.contains(part), "{part}: {}", end.stderr);
    }
    // All the way round the ring of eight, one way or the other.
    let cycle = end.stderr.lines().find(|line| line.contains("a cycle of channels: ")).expect("the cycle is told");
    assert_eq!(cycle.matches(" -> ").count(), 8, "{cycle}");
    assert!(cycle.contains("7 -> 0 on VC 0") || cycle.contains("0 -> 7 on VC 0"), "{cycle}");
    assert!(end.stdout.contains("stalled"), "{}", end.stdout);
    // A window shorter than the watchdog's time must not pass it off as saturation.
    let short = simulate(DEADLOCK, &["measurement.max_samples=3"]).report;
    assert_eq!((short.status, short.stop_reason), (Status::Stalled, "stalled"));
    // Other points of the sweep are run all the same.
    let sets = ["traffic.injection_rate=[1.0, 0.01]"];
    let end = finish(place.command(&place.path("two.h5"), &sets, 1, 1));
    assert_eq!(end.code(), Some(exit::STALL), "{}", end.stderr);
    assert_eq!(words(&table(&place.path("two.h5")), "status")[0], "stalled");
    assert_eq!(table(&place.path("two.h5")).points.len(), 2);
    let refused = Place::new(&DEADLOCK.replace("allow_deadlock = true", ""));
    let end = finish(refused.command(&refused.path("results.h5"), &[], 1, 1));
    assert_eq!(end.code(), Some(exit::INPUT), "{}", end.stderr);
    assert!(end.stderr.contains("2 VCs"), "{}", end.stderr);
}

#[test]
fn a_deadlock_is_the_same_on_any_number_of_partitions() {
    let outcome = |n| simulate_point(&point(DEADLOCK, &[], n), &Unwatched).unwrap();
    let alone = outcome(1);
    assert_eq!(alone.report.status, Status::Stalled);
    check_sums(&alone.report, 1);
    assert!(!alone.stuck.is_empty() && alone.stuck.len() <= 10);
    for n in [2, 3, 8] {
        let shared = outcome(n);
        assert_eq!((shared.report, shared.stuck), (alone.report.clone(), alone.stuck.clone()));
        assert!(shared.cycle.is_some() && shared.cycle == alone.cycle);
    }
}

#[test]
fn every_routing_that_is_cyclic_is_refused_and_when_forced_its_deadlock_is_found() {
    // On a ring of eight minimal paths of up to four hops fill the channels all the way round.
    let ring = DEADLOCK.replace("algorithm = 'dimension-order'", "vc_policy = 'any'");
    let slim_fly = ring.replace("topology = 'torus'\ndims = [8]", "topology = 'slim-fly'\nq = 5\np = 6");
    for (network, routing) in [
        (&ring, &["routing.algorithm=min"][..]),
        (&ring, &["routing.tie=per_packet"]),
        (&ring, &["routing.algorithm=min-adaptive"]),
        (&ring, &["routing.algorithm=ecmp"]),
        (&ring, &["routing.algorithm=valiant"]),
        (&ring, &["routing.algorithm=valiant", "routing.max_hops=4"]),
        (&ring, &["routing.algorithm=ugal-l"]),
        (&ring, &["routing.vc_policy=layers"]),
        (&ring, &["routing.vc_policy=hop"]),
        (&slim_fly, &["routing.algorithm=valiant"]),
        (&slim_fly, &["routing.algorithm=ugal-l", "routing.ugal_threshold=-1000"]),
    ] {
        let place = Place::new(network);
        let sets: Vec<&str> = routing.iter().copied().chain(["measurement.stall_cycles=2000"]).collect();
        let refused: Vec<&str> = sets.iter().copied().chain(["routing.allow_deadlock=false"]).collect();
        let end = finish(place.command(&place.path("refused.h5"), &refused, 1, 1));
        assert_eq!(end.code(), Some(exit::INPUT), "{routing:?}: {}", end.stderr);
        assert!(end.stderr.contains("can deadlock") || end.stderr.contains(" VCs, num_vcs is 1"), "{}", end.stderr);
        assert!(!place.path("refused.h5").exists());
        let results = place.path("results.h5");
        let end = finish(place.command(&results, &sets, 1, 1));
        assert_eq!(end.code(), Some(exit::STALL), "{routing:?}: {}", end.stderr);
        assert_eq!(words(&table(&results), "status"), ["stalled"]);
        let cycle = end.stderr.lines().find(|line| line.contains("a cycle of channels: ")).expect("the cycle is told");
        check_cycle(network.contains("torus"), cycle);
        let file = hdf5::File::open(&results).unwrap();
        let said: hdf5::types::VarLenUnicode = file.dataset("points_detail/0000/deadlock").unwrap().read_scalar().unwrap();
        assert!(said.starts_with("can deadlock, allowed by routing.allow_deadlock: "), "{said}");
    }
}

/// Each channel of a cycle in words begins where the one before ends, on a ring at a neighbour.
fn check_cycle(ring: bool, text: &str) {
    let number = |word: &str| word.trim_matches(|c: char| !c.is_ascii_digit()).parse::<i32>().unwrap();
    let parts: Vec<&str> = text.split(" -> ").collect();
    let ends =
        parts.windows(2).map(|pair| (number(pair[0].rsplit(' ').next().unwrap()), number(pair[1].split(' ').next().unwrap())));
    let ends: Vec<(i32, i32)> = ends.collect();
    assert!(ends.len() >= 2, "{text}");
    for pair in ends.windows(2) {
        assert_eq!(pair[0].1, pair[1].0, "{text}");
    }
    assert!(text.contains("and so on over") || ends.last().unwrap().1 == ends[0].0, "{text}");
    assert!(!ring || ends.iter().all(|(a, b)| [1, 7].contains(&(a - b).abs())), "{text}");
}

#[test]
fn any_vc_on_a_slim_fly_with_little_buffer_ends_in_bounded_time() {
    let sets = [
        "network.q=5",
        "network.p=4",
        "router.num_vcs=1",
        "router.vc_buf_size=1",
        "routing.vc_policy=any",
        "routing.allow_deadlock=true",
        "traffic.injection_rate=1.0",
    ];
    let report = simulate(SLIM_FLY, &sets).report;
    assert!(matches!(report.status, Status::Stalled | Status::Saturated), "{:?}", report.status);
    assert!(report.accepted.mean < 0.5, "{:?}", report.accepted);
}

#[test]
fn what_was_accepted_as_free_of_deadlock_does_not_stall() {
    let grids =
        |topology, dims| format!("[network]\ntopology = '{topology}'\ndims = {dims}\n[routing]\nalgorithm = 'dimension-order'\n");
    let networks = [
        SLIM_FLY.replace("[traffic]\ninjection_rate = 0.4\n", ""),
        grids("mesh", "[4, 4]"),
        grids("torus", "[5, 4]"),
        grids("torus", "[8]"),
    ];
    for network in networks {
        for (packet_size, depth) in [(1, 1), (5, 2), (4, 8)] {
            let sets = [
                "router.num_vcs=2".into(),
                format!("traffic.packet_size={packet_size}"),
                format!("router.vc_buf_size={depth}"),
                "measurement.max_samples=30".into(),
                "measurement.saturation_tolerance=1.0".into(),
                "measurement.latency_thres=1e9".into(),
                "measurement.stall_cycles=500".into(),
                "measurement.max_drain_periods=0".into(),
            ];
            let text = format!("{network}[traffic]\ninjection_rate = 1.0\n").replace("num_vcs = 2\n", "");
            let report = simulate(&text, &sets.each_ref().map(String::as_str)).report;
            assert_eq!(report.status, Status::Saturated, "{network} {packet_size} flits, buffers of {depth}");
            let series = report.series.iter().find(|s| s.name == "accepted_load").unwrap();
            let least = series.values.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(least > 0.02, "{network} {packet_size} flits, buffers of {depth}: {least}");
        }
    }
}

#[test]
fn an_idle_network_of_a_million_endpoints_costs_next_to_nothing() {
    let network = "[network]\ntopology = 'mesh'\ndims = [32, 32]\np = 1000\n[router]\nnum_vcs = 1\nvc_buf_size = 4\n\
                   [routing]\nalgorithm = 'dimension-order'\n[traffic]\ninjection_rate = 0.0\n";
    let cycles = 100_000;
    let run = |rate: &str| {
        let point = point(network, &[&format!("traffic.injection_rate={rate}")], 1);
        assert_eq!(point.graph.n_endpoints(), 1_024_000);
        let (mut network, mut windows) = point.network(0).unwrap();
        let started = Instant::now();
        windows.run(&mut network, &mut Local, cycles).unwrap();
        let took = started.elapsed();
        let period = network.close_period(cycles).unwrap();
        (period, took, network.next_event(cycles))
    };
    let (period, took, next) = run("0.0");
    assert_eq!((period.packets_offered, next), (0, NEVER));
    assert!(took < Duration::from_secs(1), "{took:?}");
    // One packet in ten cycles in all.
    let (period, took, _) = run("1e-7");
    assert!((9_000..12_000).contains(&period.packets_offered), "{period:?}");
    assert!(period.packets_accepted > 9_000);
    // Packets cross some 22 routers: most cycles have an event somewhere, and cost as much as that.
    assert!(took < Duration::from_secs(60), "{took:?}");
}

#[test]
fn partitions_that_disagree_on_a_buffer_break_conservation_and_are_caught() {
    // Partition 1 believes that buffers are deeper than they are.
    let points: Vec<_> = [4, 5].map(|depth| point(SLIM_FLY, &[&format!("router.vc_buf_size={depth}")], 2)).into();
    let hub = Hub::new(2);
    let ends = run_threads(2, &hub, |thread| run_partition(&points[thread], &mut Threads::new(thread, hub.clone()), &Unwatched));
    match first_of(ends) {
        Err(Error::Internal(text)) => assert!(text.contains("slots, the buffer has") && text.contains("router"), "{text}"),
        other => panic!("{other:?}"),
    }
}
