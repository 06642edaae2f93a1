//! Points side by side over groups of ranks: one answer however the ranks are shared, also after a stop.

#![cfg(feature = "mpi")]

mod support;

use sfpdes::error::{exit, Error};
use sfpdes::stats::Phases;
use sfpdes::study::{simulate, Ended, Team, Unwatched};
use support::{assert_same, finish, point, sfpdes, stop, table, words, Place};

const SWEEP: &str = "
[network]
topology = 'slim-fly'
q = 3
p = 2
[router]
num_vcs = 2
vc_buf_size = 4
[measurement]
sample_period = 200
max_samples = 4
[sweep]
traffic.injection_rate = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.95]
";

/// Four endpoints send over one channel of the middle; a search with several rounds.
const SEARCH: &str = "
[study]
kind = 'saturation'
tolerance = 0.05
[network]
topology = 'mesh'
dims = [3]
p = 4
[routing]
algorithm = 'dimension-order'
[measurement]
sample_period = 500
[sweep]
router.vc_buf_size = [2, 8]
";

/// A ring that deadlocks at the first load, and not at the others.
const RING: &str = "
[network]
topology = 'torus'
dims = [8]
[router]
num_vcs = 1
vc_buf_size = 2
[routing]
algorithm = 'dimension-order'
allow_deadlock = true
[traffic]
packet_size = 4
[measurement]
sample_period = 500
stall_cycles = 1000
[sweep]
traffic.injection_rate = [1.0, 0.01, 0.02]
";

/// Lists of messages are counted by message, which has to come back whole.
const MESSAGES: &str = "
[network]
topology = 'mesh'
dims = [4]
[traffic]
pattern = 'messages'
message_file = 'messages.csv'
[measurement]
sample_period = 100
[sweep]
router.vc_buf_size = [1, 2, 3]
";

#[test]
fn results_do_not_depend_on_how_ranks_are_shared() {
    for input in [SWEEP, SEARCH, MESSAGES] {
        let place = Place::new(input);
        place.write("messages.csv", "time,source,destination,size\n0,0,3,9\n5,1,2,300\n700,3,0,1\n");
        let plain = place.run("plain", &[], 1, 1);
        for (ranks, side_by_side, threads) in [(2, 2, 1), (4, 2, 1), (3, 3, 1), (6, 2, 1), (2, 2, 2), (4, 2, 2)] {
            let name = format!("by{ranks}in{side_by_side}with{threads}");
            let shared = place.run(&name, &[&format!("runtime.side_by_side={side_by_side}")], ranks, threads);
            assert_same(&plain, &shared);
        }
    }
}

#[test]
fn a_deadlock_in_another_group_is_told_as_if_it_were_here() {
    let place = Place::new(RING);
    let plain = finish(place.command(&place.path("plain.h5"), &[], 1, 1));
    assert_eq!(plain.code(), Some(exit::STALL), "{}", plain.stderr);
    let told = |stderr: &str| -> Vec<String> {
        let lines = stderr.lines().skip_while(|line| !line.contains("no flit moved for"));
        lines.take_while(|line| !line.contains("MPI_ABORT") && !line.starts_with("---")).take(12).map(String::from).collect()
    };
    // The second group has the point that stalls if the first has another before it.
    for (rates, ranks) in [("[1.0, 0.01, 0.02]", 4), ("[0.01, 1.0, 0.02]", 4), ("[0.01, 1.0, 0.02]", 2)] {
        let results = place.path(&format!("shared{}.h5", ranks + rates.len()));
        let sets = [&format!("traffic.injection_rate={rates}"), "runtime.side_by_side=2"];
        let end = finish(place.command(&results, &sets, ranks, 1));
        assert_eq!(end.code(), Some(exit::STALL), "{}", end.stderr);
        assert_eq!(words(&table(&results), "status").iter().filter(|s| *s == "stalled").count(), 1);
        assert_eq!(told(&end.stderr), told(&plain.stderr));
        assert!(told(&end.stderr).iter().any(|line| line.contains("a cycle of channels: ")), "{}", end.stderr);
        std::fs::remove_file(&results).unwrap();
    }
}

#[test]
fn a_study_of_groups_is_taken_up_by_others() {
    let place = Place::new(&SWEEP.replace("sample_period = 200", "sample_period = 5000"));
    let results = place.path("results.h5");
    stop(place.command(&results, &["runtime.side_by_side=2"], 4, 1), &results, "-TERM", 2, 8);
    place.run("results", &["runtime.side_by_side=3"], 3, 1);
    assert_same(&place.run("plain", &[], 1, 1), &results);
}

#[test]
fn ranks_that_cannot_be_shared_equally_are_refused() {
    let place = Place::new(SWEEP);
    let results = place.path("results.h5");
    for (ranks, side_by_side) in [(3, 2), (2, 4)] {
        let end = finish(place.command(&results, &[&format!("runtime.side_by_side={side_by_side}")], ranks, 1));
        assert_eq!(end.code(), Some(exit::INPUT), "{}", end.stderr);
        let says = format!("{side_by_side} points side by side cannot share {ranks} ranks equally");
        assert!(end.stderr.contains(&says) && end.stderr.contains("runtime.side_by_side"), "{}", end.stderr);
        assert!(!results.exists());
        let mut check = sfpdes();
        check.arg("check").arg(place.input()).args(["-n", &ranks.to_string(), "-s", &side_by_side.to_string()]);
        let end = finish(check);
        assert!(end.code() == Some(exit::INPUT) && end.stderr.contains(&says), "{}", end.stderr);
    }
    let mut check = sfpdes();
    check.arg("check").arg(place.input()).args(["-n", "4", "-s", "2"]);
    let text = finish(check).stdout;
    assert!(text.contains("2 (2 ranks x 1 thread)") && text.contains("on 4 cores"), "{text}");
}

#[test]
fn counts_give_the_same_outcome_elsewhere_and_are_refused_if_they_come_cut_short() {
    let point = point(RING, &["traffic.injection_rate=1.0"], 1);
    let here = simulate(&point, &Unwatched).unwrap();
    let team = Team::alone();
    let ended = team.simulate_in(team.all(), &point, 1, &Unwatched).unwrap().unwrap();
    let bytes = ended.encode().unwrap();
    let there = Ended::decode(&point, &bytes).unwrap().outcome(&point).unwrap();
    assert_eq!((there.report, there.stuck, there.cycle), (here.report, here.stuck, here.cycle));
    for length in (0..bytes.len()).step_by(7).chain([bytes.len() - 8, bytes.len() - 1]) {
        let cut = Ended::decode(&point, &bytes[..length]);
        assert!(matches!(cut, Err(Error::Internal(_))), "{length} of {} bytes", bytes.len());
    }
    let missing = Ended { phases: Phases::new(point.rules.clone()), ..ended };
    assert!(matches!(missing.encode(), Err(Error::Internal(_))), "it has not ended");
}
