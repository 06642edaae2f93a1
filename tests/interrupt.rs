//! A signal that comes in the middle of a sample: the run ends within seconds, on any number of threads and ranks, keeps what is
//! finished and drops the rest.

mod support;

use std::process::Child;
use std::time::{Duration, Instant};

use sfpdes::error::exit;
use support::{send, start, table, wait, words, Place};

/// What a user waits for gladly, also on a crowded machine.
const SOON: Duration = Duration::from_secs(20);

/// The first point is finished at once; a sample of the second takes hours.
const INPUT: &str = "
[network]
topology = 'slim-fly'
q = 5
p = 4
[measurement]
sample_period = 80000000
[sweep]
traffic.injection_rate = [0.0, 0.4]
";

/// A row of routers, in which it takes several windows until all partitions know of a signal.
const ROW: &str = "
[network]
topology = 'mesh'
dims = [6]
[routing]
algorithm = 'dimension-order'
[runtime]
partitioner = 'contiguous'
[measurement]
sample_period = 80000000
[sweep]
traffic.injection_rate = [0.0, 0.4]
";

/// Waits for the first point, and until the second is well under way; then calls `strike`, and checks how the run ends.
fn check(place: &Place, child: Child, strike: impl FnOnce(u32)) {
    let results = place.path("results.h5");
    let started = Instant::now();
    while !results.exists() || table(&results).points.is_empty() {
        assert!(started.elapsed() < Duration::from_secs(120), "the first point does not end");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(500));
    let struck = Instant::now();
    strike(child.id());
    let end = wait(child);
    assert!(struck.elapsed() < SOON, "{:?}", struck.elapsed());
    assert_eq!(end.code(), Some(exit::CHECKPOINT), "{}", end.stderr);
    assert!(end.stderr.contains("same command again"), "{}", end.stderr);
    assert!(end.stdout.contains("1 of 2 points finished"), "{}", end.stdout);
    assert_eq!(words(&table(&results), "status"), ["converged"]);
    assert!(place.path("results.summary.csv").exists());
}

#[test]
fn threads_end_in_the_middle_of_a_sample() {
    for (input, threads, signal) in
        [(INPUT, 1, "-TERM"), (INPUT, 3, "-INT"), (ROW, 1, "-INT"), (ROW, 6, "-TERM"), (ROW, 9, "-TERM")]
    {
        let place = Place::new(input);
        let command = place.command(&place.path("results.h5"), &[], 1, threads);
        check(&place, start(command), |process| send(signal, process));
    }
}

#[test]
fn points_side_by_side_end_in_the_middle_of_a_sample() {
    let place = Place::new(&INPUT.replace("[0.0, 0.4]", "[0.0, 0.4, 0.5]"));
    let mut command = place.command(&place.path("results.h5"), &[], 1, 1);
    command.args(["--side-by-side", "2"]);
    let child = start(command);
    let results = place.path("results.h5");
    while !results.exists() || table(&results).points.is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    send("-TERM", child.id());
    let struck = Instant::now();
    let end = wait(child);
    assert!(struck.elapsed() < SOON && end.code() == Some(exit::CHECKPOINT), "{}", end.stderr);
    assert!(end.stdout.contains("1 of 3 points finished"), "{}", end.stdout);
}

#[test]
fn a_sample_of_a_large_hypercube_study_ends_too() {
    let place = Place::new("[cube]\nn = 12\nfaults = [0, 400]\nsets = 1000000\npairs = 1000\n");
    let mut command = support::sfpdes();
    command.arg("cube").arg(place.input()).arg("-o").arg(place.path("results.h5")).current_dir(place.path(""));
    let child = start(command);
    std::thread::sleep(Duration::from_secs(2));
    let struck = Instant::now();
    send("-TERM", child.id());
    let end = wait(child);
    assert!(struck.elapsed() < SOON && end.code() == Some(exit::CHECKPOINT), "{}", end.stderr);
}

#[cfg(feature = "mpi")]
#[test]
fn ranks_end_in_the_middle_of_a_sample_whichever_of_them_is_told() {
    for (input, ranks, threads, side_by_side) in
        [(INPUT, 2, 1, 1), (ROW, 4, 1, 1), (ROW, 2, 2, 1), (ROW, 7, 1, 1), (INPUT, 2, 1, 2), (ROW, 4, 1, 2)]
    {
        // All of them, as a batch system does it, or one alone that has a part in the second point.
        let another = if side_by_side == 1 { 1 } else { ranks - 1 };
        for told in [0..ranks, 0..1, another..another + 1] {
            let place = Place::new(input);
            let sets = [&*format!("runtime.side_by_side={side_by_side}")];
            let command = place.command(&place.path("results.h5"), &sets, ranks, threads);
            check(&place, start(command), |mpirun| {
                support::children(mpirun)[told].iter().for_each(|&rank| send("-TERM", rank));
            });
        }
    }
}
