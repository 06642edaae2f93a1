//! Real ranks, started by a real mpirun: one answer on any number of them, and one end for all. Without mpirun these tests
//! fail: a parallel test that silently ran alone would show nothing.

#![cfg(feature = "mpi")]

mod support;

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sfpdes::cli::together;
use sfpdes::error::exit;
use sfpdes::study::{Team, Unwatched};
use support::{assert_same, finish, mpirun, point, sfpdes, stop, table, words, End, Place};

/// What design.md allows from a fault on one rank to the end of all, besides what it takes to start and end a job here.
const SECONDS_TO_END: Duration = Duration::from_secs(5);

const SLIM_FLY: &str = "
[network]
topology = 'slim-fly'
q = 3
p = 2
[router]
num_vcs = 2
vc_buf_size = 4
[measurement]
sample_period = 100
warmup_periods = 1
min_samples = 2
max_samples = 3
max_drain_periods = 4
[sweep]
traffic.injection_rate = [0.1, 0.9]
";

/// The role of this program when a test starts it again as ranks of a job.
const ROLE: &str = "SFPDES_TEST_ROLE";

/// `ranks` ranks of this program in `role`.
fn ranks_as(role: &str, ranks: usize) -> Command {
    let mut command = mpirun(ranks, std::env::current_exe().unwrap().to_str().unwrap());
    command.args(["--exact", "a_rank_of_a_job", "--nocapture", "--test-threads=1"]).env(ROLE, role);
    command
}

/// Not a test by itself: what each rank does that [`ranks_as`] starts. A role is words: `world`, `crowd kind
/// threads`, or `fault kind rank threads`.
#[test]
fn a_rank_of_a_job() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let role: Vec<&str> = role.split(' ').collect();
    let team = Team::join().unwrap();
    // In one piece: other ranks write to the same pipe.
    let line = format!("[process {} is rank {} of {}]\n", std::process::id(), team.rank(), team.size());
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    let end = together(&team, || {
        match role[..] {
            ["world"] => team.broadcast(Vec::new()).map(|_| ())?,
            ["crowd", kind, threads] => crowd(&team, kind, threads.parse().unwrap()),
            ["fault", kind, rank, threads] => fail(&team, kind, rank.parse().unwrap(), threads.parse().unwrap())?,
            _ => unreachable!("no such role"),
        }
        Ok(())
    });
    end.unwrap();
}

/// Four routers in a row, for four partitions each of which has only its neighbours to talk to.
const ROW: &str = "
[network]
topology = 'mesh'
dims = [4]
[routing]
algorithm = 'dimension-order'
[traffic]
injection_rate = 0.1
[runtime]
partitioner = 'contiguous'
";

/// Fails in all threads of rank 1 at the same time.
fn crowd(team: &Team, kind: &str, threads: usize) {
    let all = std::sync::Barrier::new(threads);
    let fail = || {
        all.wait();
        match kind {
            "panics" => panic!("a fault for the test"),
            _ => sfpdes::study::abort(team.size(), exit::INTERNAL, || eprintln!("last words")),
        }
    };
    if team.rank() == 1 {
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(fail))));
    }
    team.broadcast(Vec::new()).map(|_| ()).unwrap();
}

/// Simulates with a fault on one rank.
fn fail(team: &Team, kind: &str, rank: usize, threads: usize) -> Result<(), sfpdes::error::Error> {
    let slim_fly = SLIM_FLY.replace("[sweep]\ntraffic.injection_rate = [0.1, 0.9]", "[traffic]\ninjection_rate = 0.5");
    let network = if kind == "books" { ROW } else { slim_fly.as_str() };
    let mut point = point(network, &[], (team.size() * threads) as u32);
    let mine = team.rank() == rank;
    match kind {
        "panic-at-start" => assert!(!mine, "a fault for the test"),
        // The first packet to an endpoint that is not in the list panics in the middle of a cycle.
        "panic-in-a-cycle" if mine => point.router_of = Arc::new(point.router_of[..4].to_vec()),
        // Only the partitions beside the border between ranks see that the books do not balance.
        "books" if mine => point.params.vc_buf_size += 1,
        // Windows that are too long: a message arrives in the past of whoever receives first, and that is an error.
        "straggler" => point.layout.lookahead = point.layout.lookahead.map(|l| l + 3),
        _ => {}
    }
    team.simulate(&point, threads, &Unwatched)?;
    assert!(!(mine && kind == "panic-at-end"), "a fault for the test");
    // The others are still talking when the last kind of fault strikes.
    team.broadcast(Vec::new()).map(|_| ())
}

/// Rank and size that each process of a job said, ascending by rank; checks that no process is left.
fn ranks_of(end: &End) -> Vec<(usize, usize)> {
    let mut ranks = Vec::new();
    for line in end.stderr.lines().filter_map(|l| l.split_once("[process ")?.1.split_once(']').map(|(said, _)| said)) {
        let numbers: Vec<usize> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [process, rank, size] = numbers[..] else { panic!("{line}") };
        let ended = Instant::now();
        while lives(process) {
            assert!(ended.elapsed() < SECONDS_TO_END, "rank {rank} is left over: {}", end.stderr);
            std::thread::sleep(Duration::from_millis(20));
        }
        ranks.push((rank, size));
    }
    ranks.sort_unstable();
    ranks
}

/// Whether a process runs: one that has ended may keep its number until somebody asks how it ended.
fn lives(process: usize) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z') && !line.contains('X'))
}

/// What it takes to start and end a job of 3 ranks here and now.
fn time_of_a_job() -> Duration {
    let end = finish(ranks_as("world", 3));
    assert_eq!(end.code(), Some(0), "{}", end.stderr);
    end.took
}

#[test]
fn mpirun_starts_one_world_and_not_singletons() {
    let end = finish(ranks_as("world", 3));
    assert_eq!(end.code(), Some(0), "{}", end.stderr);
    assert_eq!(ranks_of(&end), [(0, 3), (1, 3), (2, 3)], "{}", end.stderr);
}

#[test]
fn any_number_of_ranks_gives_one_answer() {
    let place = Place::new(SLIM_FLY);
    let alone = place.run("alone", &[], 1, 1);
    for (ranks, threads) in [(2, 1), (3, 1), (4, 1), (7, 1), (2, 2)] {
        assert_same(&alone, &place.run(&format!("on_{ranks}_{threads}"), &[], ranks, threads));
    }
    let torus = Place::new(
        &SLIM_FLY
            .replace("topology = 'slim-fly'\nq = 3", "topology = 'torus'\ndims = [4, 3]")
            .replace("[measurement]", "[routing]\nalgorithm = 'dimension-order'\n[measurement]"),
    );
    assert_same(&torus.run("alone", &[], 1, 1), &torus.run("on_3", &[], 3, 1));
}

#[test]
fn every_routing_gives_one_answer_on_any_number_of_ranks() {
    let place = Place::new(SLIM_FLY);
    for (n, sets) in [
        &["routing.tie=per_packet"][..],
        &["routing.vc_policy=layers", "routing.tie=random"],
        &["routing.algorithm=min-adaptive"],
        &["routing.algorithm=ecmp"],
        &["routing.algorithm=valiant", "routing.max_hops=3", "router.num_vcs=3"],
        &["routing.algorithm=ugal-l", "router.num_vcs=4"],
        &["routing.algorithm=ugal-g", "router.num_vcs=4"],
        &["routing.algorithm=ugal-g", "router.num_vcs=4", "routing.ugal_g_period=5", "network.channel_latency_global=4"],
    ]
    .iter()
    .enumerate()
    {
        let alone = place.run(&format!("alone_{n}"), sets, 1, 1);
        for (ranks, threads) in [(2, 2), (3, 1), (7, 1)] {
            assert_same(&alone, &place.run(&format!("on_{ranks}_{threads}_{n}"), sets, ranks, threads));
        }
    }
}

#[test]
fn more_ranks_than_routers_give_one_answer() {
    let place = Place::new(SLIM_FLY);
    let sets = ["traffic.injection_rate=0.4", "measurement.sample_period=40"];
    // 18 routers: most ranks own nothing.
    assert_same(&place.run("alone", &sets, 1, 1), &place.run("on_64", &sets, 64, 1));
    let one = Place::new("[network]\ntopology = 'mesh'\ndims = [1]\np = 4\n[traffic]\ninjection_rate = 0.5\n");
    assert_same(&one.run("alone", &[], 1, 1), &one.run("on_3", &[], 3, 1));
}

#[test]
fn partitioners_latencies_and_packets_of_several_flits_give_one_answer() {
    let place = Place::new(SLIM_FLY);
    let latencies = ["network.channel_latency_endpoint=1", "network.channel_latency_local=2", "network.channel_latency_global=7"];
    let alone = place.run("latencies", &latencies, 1, 1);
    for partitioner in ["runtime.partitioner=racks", "runtime.partitioner=round-robin"] {
        let sets: Vec<&str> = latencies.into_iter().chain([partitioner, "runtime.progress=lines"]).collect();
        assert_same(&alone, &place.run(&format!("latencies_{}", &partitioner[20..]), &sets, 4, 1));
    }
    for flow_control in ["wormhole", "virtual-cut-through"] {
        let flow_control = format!("router.flow_control={flow_control}");
        let sets = ["traffic.packet_size=4", flow_control.as_str()];
        assert_same(&place.run("alone", &sets, 1, 1), &place.run("on_3", &sets, 3, 1));
        std::fs::remove_file(place.path("alone.h5")).unwrap();
        std::fs::remove_file(place.path("on_3.h5")).unwrap();
    }
}

#[test]
fn every_pattern_gives_one_answer_on_any_number_of_ranks() {
    let names: Vec<&str> = sfpdes::traffic::REGISTRY.iter().map(|e| e.name).collect();
    let drawn: Vec<&str> = names.iter().copied().filter(|&n| !["hotspot", "matrix", "messages"].contains(&n)).collect();
    let place = Place::new(&SLIM_FLY.replace("vc_buf_size = 4", "vc_buf_size = 8"));
    place.write("matrix.csv", "source,destination,weight\n0,35,2\n7,3,1\n7,30,1\n20,1,1\n");
    let list: String = (0..200).map(|i| format!("{},{},{},{}\n", i * 3, i % 36, (i * i + 1) % 36, 1 + i % 7)).collect();
    place.write("list.csv", &format!("time,source,destination,size\n{list}"));
    let patterns = format!("traffic.pattern={drawn:?}");
    let others = names.len() - drawn.len();
    let runs: [&[&str]; 4] = [
        &[&patterns, "traffic.packet_sizes=[1,4]", "traffic.injection_rate=0.1"],
        &[
            "traffic.pattern=hotspot",
            "traffic.hot_endpoints=[3,30]",
            "traffic.hot_share=0.2",
            "traffic.process=on-off",
            "traffic.burst_length=9.5",
        ],
        &["traffic.pattern=matrix", "traffic.matrix_file=matrix.csv", "traffic.injection_rate=[0.1,0.5]"],
        &["traffic.pattern=messages", "traffic.message_file=list.csv", "traffic.packet_size=3"],
    ];
    assert_eq!(others, runs.len() - 1, "every pattern is in one of the runs");
    for (i, sets) in runs.into_iter().enumerate() {
        // A list of messages has neither a load nor a window.
        let toml = if i == 3 { SLIM_FLY.split("[measurement]").next().unwrap() } else { SLIM_FLY };
        place.write("input.toml", toml);
        let alone = place.run(&format!("alone_{i}"), sets, 1, 1);
        assert_same(&alone, &place.run(&format!("on_3_{i}"), sets, 3, 1));
        assert_same(&alone, &place.run(&format!("on_2x2_{i}"), sets, 2, 2));
    }
}

/// Runs an input that cannot be run on 3 ranks; all ends in time with `code` and one text.
fn refused(place: &Place, results: &Path, code: i32) -> String {
    let usual = time_of_a_job();
    let end = finish(place.command(results, &[], 3, 1));
    assert_eq!(end.code(), Some(code), "{}", end.stderr);
    assert!(end.took < usual + SECONDS_TO_END, "{:?}, {usual:?} is usual", end.took);
    assert_eq!(end.stdout, "");
    end.stderr
}

#[test]
fn a_bad_input_ends_all_ranks_with_one_text() {
    let place = Place::new(&SLIM_FLY.replace("q = 3", "q = 6\nqq = 1"));
    let text = refused(&place, &place.path("results.h5"), exit::INPUT);
    assert_eq!(text.matches("nothing was run or written").count(), 1, "{text}");
    assert!(text.contains("qq") && text.contains("input.toml:5"), "{text}");
    assert!(place.names().is_empty(), "{:?}", place.names());
    // A fault that takes the network to find.
    let place = Place::new(&SLIM_FLY.replace("q = 3", "q = 6"));
    let text = refused(&place, &place.path("results.h5"), exit::INPUT);
    assert_eq!(text.matches("nothing was run or written").count(), 1, "{text}");
}

#[test]
fn an_output_that_cannot_be_written_ends_all_ranks_with_one_text() {
    let place = Place::new(SLIM_FLY);
    let below_a_file = place.input().join("results.h5");
    let text = refused(&place, &below_a_file, exit::IO);
    assert_eq!(text.matches("sfpdes: error:").count(), 1, "{text}");
}

#[test]
fn a_panic_on_any_rank_at_any_time_ends_all() {
    let usual = time_of_a_job();
    for (kind, rank) in [
        ("panic-at-start", 0),
        ("panic-at-start", 2),
        ("panic-in-a-cycle", 0),
        ("panic-in-a-cycle", 1),
        ("panic-at-end", 0),
        ("panic-at-end", 2),
    ] {
        let end = finish(ranks_as(&format!("fault {kind} {rank} 1"), 3));
        assert_eq!(end.code(), Some(exit::INTERNAL), "{kind} on {rank}: {}", end.stderr);
        assert!(end.took < usual + SECONDS_TO_END, "{kind} on {rank} took {:?}, {usual:?} is usual", end.took);
        assert!(end.stderr.contains(&format!("internal error on rank {rank}")), "{kind} on {rank}: {}", end.stderr);
        assert_eq!(ranks_of(&end).len(), 3, "{kind} on {rank}: {}", end.stderr);
    }
}

#[test]
fn a_panic_or_an_error_on_one_thread_of_a_rank_ends_all() {
    let usual = time_of_a_job();
    for (kind, says) in [
        ("panic-in-a-cycle", "internal error on rank 1"),
        ("straggler", "the lookahead is wrong"),
        ("books", "slots, the buffer has"),
    ] {
        let end = finish(ranks_as(&format!("fault {kind} 1 2"), 2));
        assert_eq!(end.code(), Some(exit::INTERNAL), "{kind}: {}", end.stderr);
        assert!(end.took < usual + SECONDS_TO_END, "{kind} took {:?}, {usual:?} is usual", end.took);
        assert!(end.stderr.contains(says), "{kind}: {}", end.stderr);
        ranks_of(&end);
    }
}

#[test]
fn threads_that_fail_at_the_same_time_end_all_once() {
    for (kind, says) in [("panics", "internal error on rank 1: all ranks end\n"), ("errors", "last words\n")] {
        for _ in 0..5 {
            let end = finish(ranks_as(&format!("crowd {kind} 8"), 2));
            assert_eq!(end.code(), Some(exit::INTERNAL), "{kind}: {}", end.stderr);
            assert_eq!(end.stderr.matches(says).count(), 1, "{kind}: {}", end.stderr);
            assert_eq!(end.stderr.matches("a fault for the test").count(), usize::from(kind == "panics"), "{}", end.stderr);
            ranks_of(&end);
        }
    }
}

#[test]
fn a_message_from_the_past_is_found_and_ends_all_ranks() {
    let usual = time_of_a_job();
    let end = finish(ranks_as("fault straggler 0 1", 3));
    assert_eq!(end.code(), Some(exit::INTERNAL), "{}", end.stderr);
    assert!(end.took < usual + SECONDS_TO_END, "{:?}, {usual:?} is usual", end.took);
    assert!(end.stderr.contains("the lookahead is wrong"), "{}", end.stderr);
    ranks_of(&end);
}

#[test]
fn a_stall_is_told_by_the_exit_code_of_the_job() {
    let ring = ROW.replace("'mesh'\ndims = [4]", "'torus'\ndims = [8]").replace("injection_rate = 0.1", "injection_rate = 1.0");
    let place =
        Place::new(&ring.replace("[routing]", "[router]\nnum_vcs = 1\nvc_buf_size = 1\n[routing]\nallow_deadlock = true"));
    // More than once: rank 0 knows it when the others are about to leave.
    for n in 0..4 {
        let results = place.path(&format!("{n}.h5"));
        let end = finish(place.command(&results, &[], 3, 1));
        assert_eq!(end.code(), Some(exit::STALL), "{}", end.stderr);
        assert_eq!(end.stderr.matches("those that wait longest").count(), 1, "{}", end.stderr);
        // The channels of the ring belong to all ranks.
        assert!(
            end.stderr.contains("a cycle of channels: ") && end.stderr.contains("which waits for the first"),
            "{}",
            end.stderr
        );
        assert_eq!(words(&table(&results), "status"), ["stalled"]);
    }
}

#[test]
fn processes_of_a_launcher_that_mpi_does_not_know_are_refused() {
    let place = Place::new(SLIM_FLY);
    let alone = place.run("usual", &["traffic.injection_rate=0.1"], 1, 1);
    for (variable, n) in [("SLURM_NTASKS", "4"), ("PMI_SIZE", "2")] {
        let results = place.path("results.h5");
        let mut command = place.command(&results, &["traffic.injection_rate=0.1"], 1, 1);
        let end = finish({
            command.env(variable, n);
            command
        });
        assert_eq!(end.code(), Some(exit::INPUT), "{variable}: {}", end.stderr);
        assert!(end.stderr.contains(variable) && end.stderr.contains("--alone"), "{}", end.stderr);
        assert!(!results.exists());
        let mut command = place.command(&results, &["traffic.injection_rate=0.1"], 1, 1);
        let end = finish({
            command.env(variable, n).arg("--alone");
            command
        });
        assert_eq!(end.code(), Some(0), "{variable}: {}", end.stderr);
        assert_same(&alone, &results);
        std::fs::remove_file(&results).unwrap();
    }
    // What simulates nothing is no part of a job.
    let mut check = sfpdes();
    check.arg("check").arg(place.input()).env("SLURM_NTASKS", "4");
    assert_eq!(finish(check).code(), Some(0));
}

#[test]
fn a_job_that_was_stopped_goes_on_with_other_ranks() {
    let place = Place::new(&SLIM_FLY.replace("[0.1, 0.9]", "[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]"));
    let results = place.path("results.h5");
    let sets = ["measurement.sample_period=5000"];
    let end = stop(place.command(&results, &sets, 3, 1), &results, "-TERM", 2, 8);
    assert_eq!(end.code(), Some(exit::CHECKPOINT), "{}", end.stderr);
    place.run("results", &sets, 2, 1);
    assert_eq!(words(&table(&results), "status").len(), 8);
    assert_same(&place.run("alone", &sets, 1, 1), &results);
}
