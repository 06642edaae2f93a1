//! Every key of the input does something: a change of it changes the result, or it is on a list that says why not.

mod support;

use sfpdes::config::Value;
use sfpdes::stats::PointReport;
use sfpdes::study::{schema, simulate, Unwatched};
use support::{point, simulate as run, Place};

/// A small Slim Fly, loaded enough that everything matters.
const SLIM_FLY: &str = "
[network]
topology = 'slim-fly'
q = 3
p = 3
channel_latency_global = 2
[router]
num_vcs = 4
vc_buf_size = 4
[measurement]
sample_period = 100
";

const BUSY: &str = "traffic.injection_rate=0.6";

/// A key, what both runs set, and what the second run changes.
type Case = (&'static str, &'static [&'static str], &'static str);

const CASES: &[Case] = &[
    ("network.topology", &[BUSY, "network.q=3"], "network.topology=\"mesh\""),
    ("network.q", &[BUSY], "network.q=4"),
    ("network.p", &[BUSY], "network.p=2"),
    ("network.channel_latency", &[BUSY], "network.channel_latency=3"),
    ("network.channel_latency_endpoint", &[BUSY], "network.channel_latency_endpoint=3"),
    ("network.channel_latency_local", &[BUSY], "network.channel_latency_local=3"),
    ("network.channel_latency_global", &[BUSY], "network.channel_latency_global=5"),
    ("router.num_vcs", &[BUSY], "router.num_vcs=3"),
    ("router.vc_buf_size", &[BUSY], "router.vc_buf_size=5"),
    ("router.routing_delay", &[BUSY], "router.routing_delay=0"),
    ("router.vc_alloc_delay", &[BUSY], "router.vc_alloc_delay=2"),
    ("router.sw_alloc_delay", &[BUSY], "router.sw_alloc_delay=2"),
    ("router.st_final_delay", &[BUSY], "router.st_final_delay=2"),
    ("router.credit_delay", &[BUSY], "router.credit_delay=5"),
    ("router.internal_speedup", &[BUSY], "router.internal_speedup=1.0"),
    ("router.vc_allocator", &[BUSY], "router.vc_allocator=\"separable-input-first\""),
    ("router.sw_allocator", &[BUSY], "router.sw_allocator=\"separable-input-first\""),
    ("router.alloc_iters", &["traffic.injection_rate=0.9"], "router.alloc_iters=2"),
    ("router.flow_control", &[BUSY, "traffic.packet_size=3"], "router.flow_control=\"virtual-cut-through\""),
    ("routing.algorithm", &[BUSY], "routing.algorithm=\"valiant\""),
    ("routing.tie", &[BUSY], "routing.tie=\"per_packet\""),
    ("routing.vc_policy", &[BUSY, "routing.allow_deadlock=true"], "routing.vc_policy=\"any\""),
    ("routing.max_hops", &["traffic.injection_rate=0.2", "routing.algorithm=\"valiant\""], "routing.max_hops=3"),
    ("routing.ugal_candidates", &[BUSY, "routing.algorithm=\"ugal-l\""], "routing.ugal_candidates=1"),
    ("routing.ugal_threshold", &[BUSY, "routing.algorithm=\"ugal-l\""], "routing.ugal_threshold=9"),
    ("routing.ugal_weight", &[BUSY, "routing.algorithm=\"ugal-l\""], "routing.ugal_weight=\"none\""),
    ("routing.ugal_g_period", &[BUSY, "routing.algorithm=\"ugal-g\""], "routing.ugal_g_period=20"),
    ("traffic.pattern", &[BUSY], "traffic.pattern=\"tornado\""),
    ("traffic.injection_rate", &[], "traffic.injection_rate=0.3"),
    ("traffic.process", &["traffic.injection_rate=0.3", "measurement.sample_period=101"], ON_OFF),
    (
        "traffic.burst_length",
        &["traffic.injection_rate=0.3", "traffic.process=\"on-off\"", "traffic.burst_length=3.0"],
        "traffic.burst_length=30.0",
    ),
    (
        "traffic.burst_rate",
        &["traffic.injection_rate=0.3", "traffic.process=\"on-off\"", "traffic.burst_length=9.0"],
        "traffic.burst_rate=0.5",
    ),
    ("traffic.packet_size", &[BUSY], "traffic.packet_size=2"),
    ("traffic.packet_sizes", &[BUSY], "traffic.packet_sizes=[1,4]"),
    ("traffic.packet_size_weights", &[BUSY, "traffic.packet_sizes=[1,4]"], "traffic.packet_size_weights=[3,1]"),
    ("traffic.self_traffic", &[BUSY], "traffic.self_traffic=true"),
    ("traffic.active_endpoints", &["traffic.injection_rate=0.2", "traffic.pattern=\"shuffle\""], "traffic.active_endpoints=16"),
    ("traffic.grid", &["traffic.injection_rate=0.2", "traffic.pattern=\"tornado\""], "traffic.grid=[6,9]"),
    (
        "traffic.hot_endpoints",
        &["traffic.injection_rate=0.2", HOTSPOT, "traffic.hot_endpoints=[0]", "traffic.hot_share=0.1"],
        "traffic.hot_endpoints=[0,9]",
    ),
    (
        "traffic.hot_share",
        &["traffic.injection_rate=0.2", HOTSPOT, "traffic.hot_endpoints=[0]", "traffic.hot_share=0.1"],
        "traffic.hot_share=0.3",
    ),
    ("traffic.phase_packets", &["traffic.injection_rate=0.2", "traffic.pattern=\"all-to-all\""], "traffic.phase_packets=7"),
    ("measurement.sample_period", &[BUSY], "measurement.sample_period=150"),
    ("measurement.warmup_periods", &[BUSY], "measurement.warmup_periods=5"),
    ("measurement.min_samples", &["traffic.injection_rate=0.1", "measurement.confidence_width=1.0"], "measurement.min_samples=5"),
    ("measurement.max_samples", &[BUSY, "measurement.confidence_width=0.0"], "measurement.max_samples=5"),
    (
        "measurement.max_drain_periods",
        &["traffic.injection_rate=1.0", "measurement.saturation_tolerance=1.0", "measurement.latency_thres=1e9"],
        "measurement.max_drain_periods=0",
    ),
    ("measurement.confidence_width", &["traffic.injection_rate=0.1"], "measurement.confidence_width=0.0"),
    (
        "measurement.saturation_tolerance",
        &["traffic.injection_rate=1.0", "measurement.max_drain_periods=0"],
        "measurement.saturation_tolerance=1.0",
    ),
    ("measurement.latency_thres", &["traffic.injection_rate=0.1"], "measurement.latency_thres=1.0"),
    (
        "measurement.stall_cycles",
        &["traffic.injection_rate=0.00005", "network.channel_latency=1000"],
        "measurement.stall_cycles=100",
    ),
    ("simulation.seed", &[BUSY], "simulation.seed=2"),
];

const ON_OFF: &str = "traffic.process=\"on-off\"";
const HOTSPOT: &str = "traffic.pattern=\"hotspot\"";

/// Keys that no pair of runs here tells apart, and why.
const EXEMPT: &[(&str, &str)] = &[
    ("study.kind", "says what is done with points, not what a point is; tests/saturation.rs"),
    ("study.tolerance", "of the search; tests/saturation.rs"),
    ("study.highest_load", "of the search; tests/saturation.rs"),
    ("study.loads_per_round", "of the search; unit tests of study/search.rs"),
    ("network.dims", "read by meshes and tori only: changed below"),
    ("network.n", "read by hypercubes only: changed below"),
    ("faults.placement", "read by hypercubes only, like all of [faults]: changed below"),
    ("faults.count", "changed below"),
    ("faults.mix", "changed below"),
    ("faults.link_faults", "changed below"),
    ("faults.node_fault_rate", "changed below"),
    ("faults.link_fault_rate", "changed below"),
    ("faults.faulty_nodes", "changed below"),
    ("faults.faulty_links", "changed below"),
    ("faults.seed", "changed below"),
    ("faults.node_failures", "changed below"),
    ("faults.link_failures", "changed below"),
    ("routing.exact_distance", "read by esv only: changed below"),
    ("routing.dimension_choice", "read by hypercubes only: changed below"),
    ("routing.allow_deadlock", "permits a run and changes nothing in it: tests/deadlock.rs"),
    ("traffic.matrix_file", "a file: tests of the traffic"),
    ("traffic.message_file", "a file: tests of the traffic"),
    ("measurement.max_cycles", "ends lists of messages: tests of the traffic"),
    ("runtime.threads", "must change nothing: tests/invariance.rs"),
    ("runtime.side_by_side", "must change nothing: tests/saturation.rs"),
    ("runtime.partitioner", "must change nothing: tests/invariance.rs"),
    ("runtime.progress", "must change nothing: tests/invariance.rs"),
    ("runtime.progress_seconds", "must change nothing: tests/invariance.rs"),
    ("output.file", "a place"),
];

/// What both runs set, with the load of `traffic.injection_rate` where the key itself is not tried.
fn report(sets: &[&str]) -> PointReport {
    run(SLIM_FLY, sets).report
}

#[test]
fn every_key_is_tried_or_exempt() {
    for key in &schema().keys {
        let tried = CASES.iter().filter(|c| c.0 == key.path).count();
        let exempt = EXEMPT.iter().filter(|e| e.0 == key.path).count();
        assert_eq!(tried + exempt, 1, "{}: tried {tried} times, exempt {exempt} times", key.path);
    }
    for name in CASES.iter().map(|c| c.0).chain(EXEMPT.iter().map(|e| e.0)) {
        assert!(schema().get(name).is_some(), "{name} is no key");
    }
}

#[test]
fn every_key_changes_the_result() {
    for &(key, sets, change) in CASES {
        let (mut before, mut after) = (sets.to_vec(), sets.to_vec());
        after.push(change);
        match key {
            "traffic.injection_rate" => before.push("traffic.injection_rate=0.30001"),
            // One key cannot change without what comes with it.
            "traffic.process" => after.push("traffic.burst_length=9.0"),
            "network.topology" => {
                let grid =
                    "[network]\ntopology = 'mesh'\ndims = [18]\np = 3\nchannel_latency_global = 2\n[router]\nnum_vcs = 4\n\
                            vc_buf_size = 4\n[routing]\nalgorithm = 'dimension-order'\n[measurement]\nsample_period = 100\n";
                let longer = run(&grid.replace("[18]", "[9, 2]"), &[BUSY]).report;
                let mesh = run(grid, &[BUSY]).report;
                assert!(mesh != report(&before) && mesh != longer, "{key} or network.dims");
                continue;
            }
            _ => {}
        }
        assert!(report(&before) != report(&after), "{key}: {change} changes nothing");
    }
}

#[test]
fn every_key_of_a_hypercube_changes_the_result() {
    const CUBE: &str = "[network]\ntopology = 'hypercube'\n[router]\nnum_vcs = 7\n[routing]\nalgorithm = 'esv'\n\
                        [measurement]\nsample_period = 100\n[traffic]\ninjection_rate = 0.3\n";
    const N: &str = "network.n=5";
    const COUNT: [&str; 4] = [N, "faults.placement=count", "faults.count=16", "faults.mix=half"];
    const RATE: [&str; 4] = [N, "faults.placement=rate", "faults.node_fault_rate=0.1", "faults.link_fault_rate=0.1"];
    const LIST: [&str; 4] = [N, "faults.placement=list", "faults.faulty_nodes=[1,6]", "faults.faulty_links=[[8,0],[8,1]]"];
    const LATER: [&str; 3] = [N, "faults.node_failures=[[400,3]]", "faults.link_failures=[[500,12,2]]"];
    let report = |sets: &[&str]| run(CUBE, sets).report;
    for (sets, change) in [
        (&[N][..], "network.n=4"),
        (&[N], "faults.link_failures=[[500,12,2]]"),
        (&[N], "routing.dimension_choice=random"),
        (&COUNT, "faults.count=9"),
        (&COUNT, "faults.mix=link"),
        (&COUNT, "faults.link_faults=anywhere"),
        (&COUNT, "faults.seed=2"),
        (&COUNT, "routing.exact_distance=1"),
        (&RATE, "faults.node_fault_rate=0.2"),
        (&RATE, "faults.link_fault_rate=0.2"),
        (&LIST, "faults.faulty_nodes=[1,7]"),
        (&LIST, "faults.faulty_links=[[8,0],[8,2]]"),
        (&LATER, "faults.node_failures=[[400,2]]"),
        (&LATER, "faults.link_failures=[[510,12,2]]"),
    ] {
        let changed: Vec<&str> = sets.iter().copied().chain([change]).collect();
        assert!(report(sets) != report(&changed), "{change} changes nothing");
    }
    // By list, nothing that is listed is nothing at all.
    assert!(report(&[N]) == report(&[N, "faults.placement=none"]) && report(&LIST) != report(&[N]));
}

#[test]
fn a_value_given_as_it_is_by_default_changes_nothing() {
    for key in schema().keys.iter().filter(|k| k.applies.is_empty() && !k.path.starts_with("output")) {
        let Some(value) = key.default_value() else { continue };
        if SLIM_FLY.contains(&format!("\n{} ", key.leaf())) {
            continue;
        }
        let typed = if let Value::Text(word) = &value { format!("{word:?}") } else { value.to_string() };
        assert!(report(&[BUSY]) == report(&[BUSY, &format!("{}={typed}", key.path)]), "{}", key.path);
    }
    // The same through the whole program, which reads the input as a user would.
    let place = Place::new(SLIM_FLY);
    place.run("r", &[BUSY], 1, 1);
    assert!(simulate(&point(SLIM_FLY, &[BUSY], 1), &Unwatched).is_ok());
}
