//! Contract 1: everything in the results file outside `/runtime` is the same, to the last bit, for any number of threads, any
//! partitioner and any display. tests/mpi.rs shows the same for ranks. Comparing transports at one count would prove little:
//! what is varied is the count.

mod support;

use std::path::Path;

use sfpdes::output::{compare, digest};
use sfpdes::rng::{Purpose, Stream};
use sfpdes::stats::PointReport;
use sfpdes::study::{first_of, run_partition, run_threads, Unwatched};
use sfpdes::transport::{Hub, Threads};
use support::{assert_same, point, table, words, Place};

/// Three points each: far below saturation, near it, and beyond it, so that every way to end a point is taken.
const STUDY: &str = "
[measurement]
sample_period = 150
warmup_periods = 1
min_samples = 2
max_samples = 3
max_drain_periods = 4
[sweep]
traffic.injection_rate = [0.1, 0.5, 0.95]
";

/// Name, tables less `[measurement]`.
const NETWORKS: &[(&str, &str)] = &[
    ("slim_fly_q3", "[network]\ntopology = 'slim-fly'\nq = 3\np = 2\n[router]\nnum_vcs = 2\nvc_buf_size = 4\n"),
    ("slim_fly_q4", "[network]\ntopology = 'slim-fly'\nq = 4\np = 3\n[router]\nnum_vcs = 3\nvc_buf_size = 8\n"),
    ("slim_fly_q5", "[network]\ntopology = 'slim-fly'\nq = 5\np = 2\n[router]\nnum_vcs = 4\n"),
    ("mesh", "[network]\ntopology = 'mesh'\ndims = [4, 3]\np = 2\n[routing]\nalgorithm = 'dimension-order'\n"),
    ("torus", "[network]\ntopology = 'torus'\ndims = [4, 3, 2]\n[routing]\nalgorithm = 'dimension-order'\n"),
];

fn place(network: &str) -> Place {
    Place::new(&format!("{network}{STUDY}"))
}

/// What is run on 2, 3 and 5 threads gives what one thread gives.
fn check_threads(name: &str, network: &str, sets: &[&str]) {
    let place = place(network);
    let alone = place.run("alone", sets, 1, 1);
    for threads in [2, 3, 5] {
        let shared = place.run(&format!("{name}_{threads}"), sets, 1, threads);
        assert_same(&alone, &shared);
    }
}

#[test]
fn any_number_of_threads_gives_one_answer_on_every_network() {
    for &(name, network) in NETWORKS {
        check_threads(name, network, &[]);
    }
}

#[test]
fn points_that_saturate_are_among_those_compared() {
    let place = place(NETWORKS[0].1);
    let status = words(&table(&place.run("q3", &[], 1, 1)), "status");
    assert_ne!(status[0], "saturated", "{status:?}");
    assert_eq!(status[2], "saturated", "{status:?}");
}

#[test]
fn any_partitioner_gives_one_answer() {
    for &(name, network) in [NETWORKS[1], NETWORKS[4]].iter() {
        let place = place(network);
        let alone = place.run("alone", &[], 1, 1);
        for partitioner in ["auto", "racks", "subgroups", "contiguous", "round-robin"] {
            let set = format!("runtime.partitioner={partitioner}");
            assert_same(&alone, &place.run(&format!("{name}_{partitioner}"), &[&set], 1, 3));
        }
    }
}

#[test]
fn any_display_of_progress_gives_one_answer() {
    let place = place(NETWORKS[0].1);
    let off = place.run("off", &["runtime.progress=off"], 1, 2);
    let lines = place.run("lines", &["runtime.progress=lines", "runtime.progress_seconds=1"], 1, 2);
    let auto = place.run("auto", &[], 1, 2);
    assert_same(&off, &lines);
    assert_same(&off, &auto);
}

#[test]
fn a_latency_for_each_class_of_channels_gives_one_answer() {
    // The lookahead then differs between partitioners, and between counts: 3 where a rack is cut, else 8.
    let sets = ["network.channel_latency_endpoint=1", "network.channel_latency_local=2", "network.channel_latency_global=7"];
    for &(name, network) in [NETWORKS[1], NETWORKS[3], NETWORKS[4]].iter() {
        let place = place(network);
        let alone = place.run("alone", &sets, 1, 1);
        for (partitioner, threads) in [("racks", 2), ("racks", 5), ("round-robin", 3)] {
            let partitioner = format!("runtime.partitioner={partitioner}");
            let sets: Vec<&str> = sets.iter().copied().chain([partitioner.as_str()]).collect();
            assert_same(&alone, &place.run(&format!("{name}_{threads}"), &sets, 1, threads));
        }
    }
}

#[test]
fn packets_of_several_flits_cross_partitions_whole() {
    for flow_control in ["wormhole", "virtual-cut-through"] {
        let flow_control = format!("router.flow_control={flow_control}");
        let sets = ["traffic.packet_size=5", "router.vc_buf_size=6", flow_control.as_str()];
        check_threads("slim_fly_q3", NETWORKS[0].1, &sets);
        check_threads("torus", NETWORKS[4].1, &sets);
    }
}

#[test]
fn any_router_pipeline_gives_one_answer() {
    for sets in [
        &["router.internal_speedup=1"][..],
        &["router.internal_speedup=1.5", "router.alloc_iters=2"],
        &["router.routing_delay=0", "router.credit_delay=0", "router.st_final_delay=3"],
        &["router.routing_delay=2", "router.vc_alloc_delay=3", "router.sw_alloc_delay=2"],
        &["router.vc_allocator=separable-input-first", "router.sw_allocator=separable-input-first"],
    ] {
        check_threads("slim_fly_q3", NETWORKS[0].1, sets);
    }
}

#[test]
fn random_choices_of_routing_give_one_answer() {
    check_threads("slim_fly_q4", NETWORKS[1].1, &["routing.tie=random"]);
    // A ring of four has ties of direction, which each router settles by a coin.
    check_threads("torus", NETWORKS[4].1, &["network.dims=[4, 4]"]);
}

#[test]
fn more_threads_than_racks_and_than_routers_give_one_answer() {
    let place = place(NETWORKS[0].1);
    let sets = ["traffic.injection_rate=0.4", "measurement.sample_period=60"];
    let alone = place.run("alone", &sets, 1, 1);
    // 3 racks, 18 routers.
    for threads in [4, 7, 18, 23] {
        assert_same(&alone, &place.run(&format!("on_{threads}"), &sets, 1, threads));
    }
    let one = Place::new("[network]\ntopology = 'mesh'\ndims = [1]\np = 4\n[traffic]\ninjection_rate = 0.5\n");
    assert_same(&one.run("alone", &[], 1, 1), &one.run("on_3", &[], 1, 3));
}

#[test]
fn a_network_larger_than_a_cache_gives_one_answer_whole_and_in_small_parts() {
    let sets = [
        "network.q=11",
        "network.p=8",
        "router.num_vcs=4",
        "measurement.sample_period=100",
        "traffic.injection_rate=[0.3, 0.8]",
        "network.channel_latency_global=5",
    ];
    let place = place(NETWORKS[0].1);
    let alone = place.run("alone", &sets, 1, 1);
    for threads in [2, 11, 40] {
        assert_same(&alone, &place.run(&format!("on_{threads}"), &sets, 1, threads));
    }
    let sets: Vec<&str> = sets.into_iter().chain(["runtime.partitioner=round-robin"]).collect();
    assert_same(&alone, &place.run("dealt", &sets, 1, 3));
}

#[test]
fn the_digest_sees_the_seed_and_the_network() {
    let place = place(NETWORKS[0].1);
    let short = ["traffic.injection_rate=0.3"];
    let one = place.run("one", &short, 1, 1);
    let seed = place.run("seed", &[short[0], "simulation.seed=2"], 1, 1);
    let p = place.run("p", &[short[0], "network.p=3"], 1, 1);
    assert_ne!(digest(&one).unwrap(), digest(&seed).unwrap());
    assert!(differs_in(&one, &seed, "/points/packet_latency"));
    assert!(differs_in(&one, &p, "/points/packet_latency"));
}

fn differs_in(a: &Path, b: &Path, what: &str) -> bool {
    compare(a, b).unwrap().iter().any(|name| name == what)
}

/// The report of `n` partitions, each with the seed that `seed_of` gives its number.
fn report_with_seeds(n: u32, seed_of: fn(u32) -> u64) -> PointReport {
    let network = format!("{}{}", NETWORKS[0].1, STUDY.replace("[0.1, 0.5, 0.95]", "0.5"));
    let points: Vec<_> = (0..n)
        .map(|partition| {
            let mut point = point(&network.replace("[sweep]\ntraffic.", "[traffic]\n"), &[], n);
            point.load.seed = seed_of(partition);
            point
        })
        .collect();
    let hub = Hub::new(n as usize);
    let ends = run_threads(n as usize, &hub, |thread| {
        run_partition(&points[thread], &mut Threads::new(thread, hub.clone()), &Unwatched)
    });
    first_of(ends).unwrap().expect("partition 0 has the outcome").report
}

#[test]
fn streams_keyed_by_partition_would_be_noticed() {
    // The control of the control: built in the same way with one seed, the reports are equal.
    let sound = [1, 2, 3, 4].map(|n| report_with_seeds(n, |_| 1));
    assert!(sound.iter().all(|report| *report == sound[0]));
    let broken = [1, 2, 3, 4].map(|n| report_with_seeds(n, |partition| 1 + u64::from(partition)));
    assert_eq!(broken[0], sound[0], "one partition has the one seed");
    for (i, a) in broken.iter().enumerate() {
        for b in &broken[i + 1..] {
            assert_ne!(a.packet_latency, b.packet_latency);
            assert_ne!(a.endpoint_accepted, b.endpoint_accepted);
        }
    }
}

/// One of the choices.
fn any<T: Copy>(stream: &mut Stream, choices: &[T]) -> T {
    choices[stream.below(choices.len() as u32) as usize]
}

/// Any routing that goes on any network, with any of its settings.
fn random_routing(s: &mut Stream) -> String {
    let tie = any(s, &["lowest_id", "random", "per_packet"]);
    let policy = any(s, &["hop", "hop", "any"]);
    match any(s, &["min", "min", "layers", "min-adaptive", "ecmp", "valiant", "ugal-l", "ugal-l", "ugal-g", "ugal-g"]) {
        "layers" => format!("tie = '{}'\nvc_policy = 'layers'\n", any(s, &["lowest_id", "random"])),
        "min" => format!("tie = '{tie}'\nvc_policy = '{policy}'\n"),
        "valiant" => format!("algorithm = 'valiant'\ntie = '{tie}'\nvc_policy = '{policy}'\n{}", any(s, &["", "max_hops = 9\n"])),
        "ugal-l" => format!(
            "algorithm = 'ugal-l'\ntie = '{tie}'\nvc_policy = '{policy}'\n{}ugal_candidates = {}\nugal_threshold = {}\n\
             ugal_weight = '{}'\n",
            any(s, &["", "max_hops = 9\n"]),
            any(s, &[1, 4, 9]),
            any(s, &[0, 0, -20, 6]),
            any(s, &["hops", "legs", "none"]),
        ),
        "ugal-g" => format!(
            "algorithm = 'ugal-g'\ntie = '{tie}'\nvc_policy = '{policy}'\n{}",
            any(s, &["", "", "ugal_g_period = 1\n", "ugal_g_period = 3\n", "ugal_g_period = 70\nugal_threshold = -3\n"])
        ),
        other => format!("algorithm = '{other}'\nvc_policy = '{policy}'\n"),
    }
}

/// Settings that nobody would think of together, on a small network.
fn random_input(seed: u64) -> String {
    let s = &mut Stream::new(seed, Purpose::Pairs, 1);
    let network = match s.below(4) {
        0 => format!("topology = 'mesh'\ndims = {}\n", any(s, &["[1]", "[2]", "[5]", "[3, 4]", "[2, 2, 3]"])),
        1 => format!("topology = 'torus'\ndims = {}\n", any(s, &["[2]", "[3]", "[8]", "[4, 3]", "[2, 3, 2]"])),
        _ => format!("topology = 'slim-fly'\nq = {}\n", any(s, &[3, 4, 5])),
    };
    let grid = !network.contains("slim");
    let packet_size = any(s, &[1, 1, 2, 3, 7]);
    let cut_through = s.below(3) == 0;
    let depth = any(s, &[1, 2, 3, 8, 40]).max(if cut_through { packet_size } else { 1 });
    let pattern = match s.below(4) {
        0 | 1 => format!("self_traffic = {}\n", any(s, &["true", "false"])),
        2 => format!(
            "pattern = '{}'\n",
            any(s, &["shuffle", "tornado", "shift", "random-permutation", "all-to-all", "bit-reverse"])
        ),
        _ => format!("pattern = 'hotspot'\nhot_endpoints = [0]\nhot_share = {}\n", any(s, &["0.0", "0.3", "1.0"])),
    };
    let size = match s.below(3) {
        0 => format!("packet_sizes = [1, {packet_size}, {}]\n", 1 + packet_size / 2),
        _ => format!("packet_size = {packet_size}\n"),
    };
    let rate = any(s, &["0.0", "0.001", "0.05", "0.3", "0.7", "1.0"]);
    let bursts = if s.below(3) == 0 && rate != "0.7" { "process = 'on-off'\nburst_length = 7\n" } else { "" };
    let routing = if grid && s.below(2) == 0 { "algorithm = 'dimension-order'\n".to_string() } else { random_routing(s) };
    let allocators = ["islip", "separable-input-first"];
    format!(
        "[network]\n{network}p = {}\nchannel_latency = {}\nchannel_latency_local = {}\nchannel_latency_endpoint = {}\n\
         [router]\nnum_vcs = {}\nvc_buf_size = {depth}\nrouting_delay = {}\nvc_alloc_delay = {}\nsw_alloc_delay = {}\n\
         st_final_delay = {}\ncredit_delay = {}\ninternal_speedup = {}\nvc_allocator = '{}'\nsw_allocator = '{}'\n\
         alloc_iters = {}\nflow_control = '{}'\n[routing]\nallow_deadlock = true\n{routing}\
         [traffic]\ninjection_rate = {rate}\n{size}{bursts}{pattern}\
         [measurement]\nsample_period = {}\nwarmup_periods = {}\nmin_samples = 1\nmax_samples = {}\nmax_drain_periods = {}\n\
         stall_cycles = 400\n[simulation]\nseed = {seed}\n",
        any(s, &[1, 2, 3]),
        any(s, &[1, 1, 2, 9, 40]),
        any(s, &[1, 3, 5]),
        any(s, &[1, 1, 4, 70]),
        any(s, &[1, 2, 3, 5, 9, 32]),
        any(s, &[1, 1, 0, 2, 4]),
        any(s, &[1, 1, 1, 2, 3]),
        any(s, &[1, 1, 1, 2, 3]),
        any(s, &[1, 1, 2, 5]),
        any(s, &[2, 0, 1, 7]),
        any(s, &["1", "1.0", "2", "1.5", "2.333", "4", "16"]),
        any(s, &allocators),
        any(s, &allocators),
        any(s, &[1, 1, 2, 4]),
        if cut_through { "virtual-cut-through" } else { "wormhole" },
        any(s, &[1, 7, 50, 128, 300]),
        any(s, &[0, 1, 3]),
        any(s, &[1, 2, 5]),
        any(s, &[0, 1, 6]),
    )
}

#[test]
fn random_settings_give_one_answer() {
    let n = if cfg!(feature = "slow-tests") { 3000 } else { 100 };
    for seed in 0..n {
        let input = random_input(seed);
        let outcome = |partitions| sfpdes::study::simulate(&point(&input, &[], partitions), &Unwatched);
        let alone = outcome(1).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{input}"));
        for partitions in [2, 3 + (seed % 9) as u32] {
            let shared = outcome(partitions).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{input}"));
            assert_eq!(shared.report, alone.report, "seed {seed} on {partitions}:\n{input}");
            assert_eq!(shared.stuck, alone.stuck, "seed {seed} on {partitions}:\n{input}");
            assert_eq!(shared.cycle, alone.cycle, "seed {seed} on {partitions}:\n{input}");
        }
    }
}
