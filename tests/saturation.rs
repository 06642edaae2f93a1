//! The search for saturation, against loads that can be reckoned by hand, and that it finds the same whatever runs it.

mod support;

use sfpdes::error::exit;
use support::{assert_same, finish, numbers, stop, table, words, Place};

/// Two routers with four endpoints each, and one channel each way. Of a router's packets 4 of 7 cross it, so it is full
/// when 4 x load x 4/7 = 1, at a load of 7/16 = 0.4375.
const BRIDGE: &str = "
[study]
kind = 'saturation'
tolerance = 0.01
[network]
topology = 'mesh'
dims = [2]
p = 4
[router]
num_vcs = 4
vc_buf_size = 32
[routing]
algorithm = 'dimension-order'
[measurement]
sample_period = 2000
min_samples = 4
max_samples = 8
";

/// The rows of `NAME.saturation.csv`, as numbers by column name.
fn found(place: &Place, name: &str) -> Vec<Vec<(String, f64)>> {
    let text = std::fs::read_to_string(place.path(name)).unwrap();
    let mut lines = text.lines().map(|l| l.split(',').map(str::to_string).collect::<Vec<_>>());
    let names = lines.next().unwrap();
    lines.map(|row| names.iter().cloned().zip(row.iter().map(|cell| cell.parse().unwrap())).collect()).collect()
}

fn value(row: &[(String, f64)], name: &str) -> f64 {
    row.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("no column {name}")).1
}

#[test]
fn a_channel_saturates_where_its_load_is_one() {
    let place = Place::new(BRIDGE);
    let end = finish(place.command(&place.path("r.h5"), &["runtime.side_by_side=2"], 1, 1));
    assert_eq!(end.code(), Some(0), "{}", end.stderr);
    let rows = found(&place, "r.saturation.csv");
    assert_eq!(rows.len(), 1);
    let [carried, refused] = ["carried_load", "refused_load"].map(|name| value(&rows[0], name));
    assert!(refused - carried <= 0.010_004, "{rows:?}");
    // A load a little above what the channel carries is told from noise only when 1 % of it stays behind.
    assert!(carried <= 0.4375 * 1.02 && refused >= 0.4375 * 0.985, "{rows:?}");
    let highest = value(&rows[0], "accepted_load_highest");
    assert!((highest - 0.4375).abs() < 0.4375 * 0.015, "{rows:?}");
    assert!(end.stdout.contains("carried") && end.stdout.contains("0.01 apart at most"), "{}", end.stdout);
}

#[test]
fn the_search_is_the_same_side_by_side_by_ranks_and_after_a_stop() {
    let place = Place::new(&BRIDGE.replace("dims = [2]", "").replace("tolerance = 0.01", "tolerance = 0.05"));
    let sets = ["measurement.sample_period=500", "network.dims=[3]", "router.vc_buf_size=[2,8]"];
    let plain = place.run("plain", &sets, 1, 1);
    let mut side_by_side = sets.to_vec();
    side_by_side.push("runtime.side_by_side=3");
    assert_same(&plain, &place.run("side", &side_by_side, 1, 1));
    side_by_side.push("runtime.threads=2");
    assert_same(&plain, &place.run("both", &side_by_side, 1, 2));
    if cfg!(feature = "mpi") {
        assert_same(&plain, &place.run("ranks", &sets, 2, 1));
    }

    // Stopped in the middle, and taken up again.
    let stopped = place.path("stopped.h5");
    let all = table(&plain).points.len();
    stop(place.command(&stopped, &sets, 1, 1), &stopped, "-KILL", 3, all);
    assert_same(&plain, &place.run("stopped", &sets, 1, 1));

    // Points of the search are points: loads, status, in the order of the search.
    let points = table(&plain);
    assert_eq!(points.axes.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(), ["router.vc_buf_size", "traffic.injection_rate"]);
    assert_eq!(words(&points, "status").len(), numbers(&points, "offered_load").len());
}

#[test]
fn a_load_that_is_always_carried_ends_the_search_at_once() {
    let place = Place::new(BRIDGE);
    let sets = ["study.highest_load=0.3", "measurement.sample_period=500"];
    place.run("r", &sets, 1, 1);
    let rows = found(&place, "r.saturation.csv");
    assert_eq!(["carried_load", "refused_load", "loads_tried"].map(|name| value(&rows[0], name)), [0.3, 0.3, 4.0]);
}

#[test]
fn what_a_search_cannot_do_is_refused() {
    let place = Place::new(BRIDGE);
    let results = place.path("r.h5");
    let end = finish(place.command(&results, &["traffic.injection_rate=0.3"], 1, 1));
    assert_eq!(end.code(), Some(exit::INPUT), "{}", end.stderr);
    assert!(end.stderr.contains("traffic.injection_rate") && end.stderr.contains("study.kind"), "{}", end.stderr);
    let end = finish(place.command(&results, &["study.kind=[\"sweep\",\"saturation\"]"], 1, 1));
    assert_eq!(end.code(), Some(exit::INPUT), "{}", end.stderr);
    assert!(!results.exists());
}

#[test]
fn a_load_that_the_search_could_not_offer_is_refused_before_it_begins_and_where_it_was_given() {
    let place = Place::new(BRIDGE);
    let results = place.path("r.h5");
    // An endless burst offers 1, and bursts of a cycle 1/2 at most: nothing between them.
    let bursts = ["traffic.process=on-off", "traffic.burst_length=1"];
    for (rate, load, code) in [("1.0", "1.0", 2), ("0.4", "0.5", 2), ("1.0", "0.51", 2), ("1.0", "0.5", 0)] {
        let (rate, load) = (format!("traffic.burst_rate={rate}"), format!("study.highest_load={load}"));
        let sets = [&bursts[..], &[&rate, &load, "measurement.sample_period=200", "study.tolerance=0.5"]].concat();
        let end = finish(place.command(&results, &sets, 1, 1));
        assert_eq!(end.code(), Some(code), "{sets:?}: {}", end.stderr);
        let told = end.stderr.contains("study.highest_load: ") && !end.stderr.contains("injection_rate");
        assert!(code == 0 || (told && !results.exists()), "{sets:?}: {}", end.stderr);
    }
}
