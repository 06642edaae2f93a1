//! What holds for every algorithm of the registry, on every small network it accepts: packets are delivered, the VCs it
//! asks for are enough and one fewer is refused, and any number of threads gives one answer.

mod support;

use sfpdes::routing::deadlock::Evidence;
use sfpdes::routing::REGISTRY;
use sfpdes::stats::Status;
use sfpdes::study::{simulate as simulate_point, Prepared, Unwatched};
use support::{point, points};

/// Name of the topology, its table.
const NETWORKS: &[(&str, &str)] = &[
    ("mesh", "dims = [1]\np = 4"),
    ("mesh", "dims = [2]\np = 2"),
    ("mesh", "dims = [3, 2]"),
    ("torus", "dims = [1]\np = 2"),
    ("torus", "dims = [4, 3]"),
    ("hypercube", "n = 2\np = 3"),
    ("hypercube", "n = 4"),
    ("slim-fly", "q = 3\np = 2"),
    ("slim-fly", "q = 4\np = 2"),
    ("slim-fly", "q = 5\np = 2"),
    ("slim-fly", "q = 7\np = 1"),
];

/// Settings of an algorithm worth a run of their own.
fn variants(algorithm: &str) -> &'static [&'static [&'static str]] {
    match algorithm {
        "min" => &[&[], &["routing.tie=random"], &["routing.tie=per_packet"], &["routing.vc_policy=layers"]],
        "valiant" => &[&[], &["routing.max_hops=5"], &["routing.max_hops=5", "routing.tie=per_packet"]],
        "ugal-l" => &[
            &[],
            &["routing.max_hops=5", "routing.tie=random"],
            &["routing.ugal_threshold=-100", "routing.ugal_weight=legs"],
            &["routing.ugal_candidates=1", "routing.ugal_weight=none"],
        ],
        "ugal-g" => &[
            &[],
            &["routing.max_hops=5", "routing.tie=per_packet", "routing.ugal_g_period=20"],
            &["routing.ugal_threshold=-100", "routing.ugal_candidates=1"],
        ],
        "safety-level" | "safety-vector" => &[&[], &["routing.dimension_choice=random"]],
        "esv" => &[&[], &["routing.dimension_choice=random", "routing.exact_distance=1"]],
        _ => &[&[]],
    }
}

/// Calls `each` with an input without VCs and load, its settings and a name, for every algorithm, variant and network.
fn for_each(mut each: impl FnMut(&str, &[&str], &str)) {
    for entry in REGISTRY {
        for (topology, table) in NETWORKS {
            if !entry.topologies.is_empty() && !entry.topologies.contains(topology) {
                continue;
            }
            let input = format!(
                "[network]\ntopology = '{topology}'\n{table}\nchannel_latency_global = 3\n[routing]\nalgorithm = '{}'\n\
                 [measurement]\nsample_period = 100\nwarmup_periods = 1\nmin_samples = 2\nmax_samples = 3\n\
                 latency_thres = 1e9\nstall_cycles = 400\n[traffic]\npacket_size = 2\n",
                entry.name
            );
            for sets in variants(entry.name) {
                each(&input, sets, &format!("{} {sets:?} on {topology} {table}", entry.name));
            }
        }
    }
}

fn with<'a>(sets: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    sets.iter().chain(more).copied().collect()
}

#[test]
fn every_packet_is_delivered_within_the_hops_that_are_claimed() {
    for_each(|input, sets, name| {
        let point = point(input, &with(sets, &["router.num_vcs=8", "traffic.injection_rate=0.2"]), 1);
        let report = simulate_point(&point, &Unwatched).unwrap_or_else(|e| panic!("{name}: {e}")).report;
        assert!(matches!(report.status, Status::Converged | Status::MaxTime), "{name}: {:?}", report.status);
        assert!(report.packets_offered > 50 || point.graph.n_endpoints() == 1, "{name}: {}", report.packets_offered);
        assert_eq!(report.packet_latency.count, report.packets_offered, "{name}");
        let entry = REGISTRY.iter().find(|e| e.name == point.config.text("routing.algorithm")).unwrap();
        assert!(
            report.hops_mean <= f64::from((entry.max_hops)(&point.config, &point.survey)),
            "{name}: {} hops",
            report.hops_mean
        );
    });
}

#[test]
fn no_algorithm_stalls_with_the_vcs_it_asks_for_and_one_flit_of_buffer() {
    for_each(|input, sets, name| {
        let (_, _, required) = evidence(input, &with(sets, &["router.num_vcs=32", "traffic.injection_rate=1.0"]));
        let vcs = format!("router.num_vcs={required}");
        let tight = ["router.vc_buf_size=1", "traffic.injection_rate=1.0", "measurement.max_samples=12", &vcs];
        let report = simulate_point(&point(input, &with(sets, &tight), 1), &Unwatched).unwrap().report;
        assert_ne!(report.status, Status::Stalled, "{name} with {required} VCs");
    });
}

/// The verdict on an input, and hops and VCs that the algorithm claims.
fn evidence(input: &str, sets: &[&str]) -> (Result<Evidence, String>, u32, u32) {
    let config = points(input, sets).remove(0);
    let mut prepared = Prepared::default();
    let verdict = prepared.evidence(&config).map_err(|e| e.to_string());
    let entry = REGISTRY.iter().find(|e| e.name == config.text("routing.algorithm")).unwrap();
    let survey = prepared.survey(&config).unwrap();
    (verdict, (entry.max_hops)(&config, &survey), (entry.vcs_required)(&config, &survey))
}

#[test]
fn the_vcs_asked_for_are_enough_and_one_fewer_is_refused() {
    for_each(|input, sets, name| {
        let load = "traffic.injection_rate=0.1";
        let (_, hops, required) = evidence(input, &with(sets, &["router.num_vcs=32", load]));
        let vcs = format!("router.num_vcs={required}");
        let (verdict, ..) = evidence(input, &with(sets, &[&vcs, load]));
        assert!(matches!(verdict, Ok(Evidence::Acyclic { .. })), "{name}: {verdict:?}");
        let in_order = input.contains("dimension-order") || input.contains("ecube");
        let by_hop = !in_order && !sets.contains(&"routing.vc_policy=layers");
        assert!(!by_hop || required == hops.max(1), "{name}: {required} VCs, {hops} hops");
        if required > 1 {
            let fewer = format!("router.num_vcs={}", required - 1);
            let (verdict, ..) = evidence(input, &with(sets, &[&fewer, load]));
            let text = verdict.unwrap_err();
            assert!(text.contains(&format!("needs {required} VCs, num_vcs is {}", required - 1)), "{name}: {text}");
            // Forced, the graph is looked at, and tells what there is.
            let (verdict, ..) = evidence(input, &with(sets, &[&fewer, load, "routing.allow_deadlock=true"]));
            assert!(matches!(verdict, Ok(Evidence::Waived(_) | Evidence::Acyclic { .. })), "{name}: {verdict:?}");
        }
    });
}

#[test]
fn one_vc_fewer_closes_a_cycle_on_a_slim_fly() {
    for (algorithm, sets, required) in [
        ("min", &[][..], 2),
        ("min", &["routing.vc_policy=layers"], 2),
        ("min-adaptive", &[], 2),
        ("ecmp", &[], 2),
        ("valiant", &[], 4),
        ("valiant", &["routing.max_hops=3"], 3),
        ("ugal-l", &[], 4),
        ("ugal-l", &["routing.max_hops=3"], 3),
        ("ugal-g", &[], 4),
    ] {
        for q in [5, 7] {
            let input = format!("[network]\ntopology = 'slim-fly'\nq = {q}\n[routing]\nalgorithm = '{algorithm}'\n");
            let at = |vcs: u32| {
                let vcs = format!("router.num_vcs={vcs}");
                let more = [&vcs, "traffic.injection_rate=0.1", "routing.allow_deadlock=true"];
                evidence(&input, &with(sets, &more))
            };
            let (verdict, _, claimed) = at(required);
            assert_eq!(claimed, required, "{algorithm} {sets:?}");
            assert!(matches!(verdict, Ok(Evidence::Acyclic { .. })), "{algorithm} {sets:?}, q = {q}");
            assert!(matches!(at(required - 1).0, Ok(Evidence::Waived(_))), "{algorithm} {sets:?}, q = {q}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_one_answer() {
    for_each(|input, sets, name| {
        for load in ["0.2", "0.9"] {
            let load = format!("traffic.injection_rate={load}");
            let sets = with(sets, &["router.num_vcs=8", "router.vc_buf_size=3", &load]);
            let run = |n| simulate_point(&point(input, &sets, n), &Unwatched).unwrap().report;
            let alone = run(1);
            for n in [2, 7] {
                assert_eq!(run(n), alone, "{name} at {load} on {n}");
            }
        }
    });
}

#[test]
fn settings_that_cannot_be_are_refused_with_the_reason() {
    let slim_fly = "[network]\ntopology = 'slim-fly'\nq = 5\n[traffic]\ninjection_rate = 0.1\n";
    for (sets, says) in [
        (&["routing.algorithm=valiant", "routing.max_hops=1"][..], "1 is less than the diameter: some routers are 2 hops apart"),
        (
            &["routing.algorithm=ugal-l", "routing.vc_policy=layers"],
            "layers need one path per pair of routers: `layers` is for routing.algorithm = \"min\", not \"ugal-l\"",
        ),
        (
            &["routing.vc_policy=layers", "routing.tie=per_packet"],
            "layers need one path per pair of routers: routing.tie = \"lowest_id\" or \"random\", not \"per_packet\"",
        ),
        (&["routing.algorithm=valiant", "routing.vc_policy=any"], "routing `valiant` on topology `slim-fly` can deadlock"),
        (&["routing.algorithm=ecmp", "routing.vc_policy=any"], "it needs routing.vc_policy = \"hop\" with router.num_vcs >= 2"),
        (&["routing.vc_policy=layers", "router.num_vcs=1"], "needs 2 VCs, num_vcs is 1"),
    ] {
        let (verdict, ..) = evidence(slim_fly, sets);
        let text = verdict.unwrap_err();
        assert!(text.contains(says), "{text}");
    }
    let line = "[network]\ntopology = 'mesh'\ndims = [600]\n[routing]\nvc_policy = 'layers'\n[traffic]\ninjection_rate = 0.1\n";
    let text = evidence(line, &[]).0.unwrap_err();
    assert!(text.contains("input.toml:5:13") && text.contains("finding layers takes 71640400 dependencies"), "{text}");
}
