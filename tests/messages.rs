//! Lists of messages: when each is delivered, and how such a point ends.

mod support;

use sfpdes::error::exit;
use sfpdes::network::{flag, Event};
use sfpdes::stats::{PointReport, Status};
use sfpdes::study::{simulate as simulate_point, Point, Prepared, Unwatched};
use support::{assert_same, finish, numbers, table, trace, words, Place};

const NETWORK: &str = "[network]\ntopology = 'slim-fly'\nq = 5\np = 4\n[router]\nnum_vcs = 2\nvc_buf_size = 8\n";

/// A folder with the network and these messages.
fn place(messages: &str) -> Place {
    let place = Place::new(&format!("{NETWORK}[traffic]\npattern = 'messages'\nmessage_file = 'list.csv'\n"));
    place.write("list.csv", &format!("time,source,destination,size\n{messages}"));
    place
}

fn point(place: &Place, sets: &[&str], n_partitions: u32) -> Point {
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    let study = sfpdes::config::Study::load(&place.input(), &sets, sfpdes::study::schema()).unwrap();
    Prepared::default().point(&study.points[0], n_partitions).unwrap()
}

fn run(place: &Place, sets: &[&str]) -> PointReport {
    simulate_point(&point(place, sets, 1), &Unwatched).unwrap().report
}

/// Messages that meet: many sources, several per source, of one to forty flits, not in the order of time.
fn crowd() -> String {
    (0..500u32).map(|i| format!("{},{},{},{}\n", i * 7919 % 900, i * 31 % 200, (i * i * 7 + 3) % 200, 1 + i * 13 % 40)).collect()
}

#[test]
fn a_lone_message_takes_the_closed_form() {
    // Endpoints 0 and 1 share a router: 5 cycles for a single flit, one more for each flit behind it.
    let report = run(&place("100,0,1,1\n700,1,0,6\n"), &["traffic.packet_size=10"]);
    assert_eq!(report.messages.completion, [105, 710]);
    assert_eq!((report.status, report.stop_reason, report.latency_steady), (Status::Completed, "completed", true));
    assert_eq!((report.window_start, report.window_end, report.cycles), (0, 1000, 1000));
    assert_eq!((report.messages.latency.count, report.messages.latency.mean, report.messages.latency.max), (2, 7.5, 10));
    // Cut into packets of one flit the flits still follow each other.
    assert_eq!(run(&place("700,1,0,6\n"), &[]).messages.completion, [710]);
    // Behind another message of its source it waits until that has left.
    assert_eq!(run(&place("50,2,3,1\n50,0,1,8\n51,0,2,1\n"), &["traffic.packet_size=8"]).messages.completion, [55, 62, 63]);
}

#[test]
fn what_the_report_says_is_what_the_flits_did() {
    for (sets, size) in [(&[][..], 1), (&["traffic.packet_size=7"], 7), (&["traffic.packet_size=255"], 255)] {
        let place = place(&crowd());
        let point = point(&place, sets, 1);
        let report = simulate_point(&point, &Unwatched).unwrap().report;
        assert_eq!(report.status, Status::Completed);
        // Put the packets of each endpoint together again, in the order in which they left.
        let log = trace(&point, report.cycles);
        let lines: Vec<[u32; 4]> = crowd()
            .lines()
            .map(|line| line.split(',').map(|n| n.parse().unwrap()).collect::<Vec<_>>().try_into().unwrap())
            .collect();
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by_key(|&i| (lines[i][1], lines[i][0], i));
        let mut completion = vec![0; lines.len()];
        let mut packets = std::collections::BTreeMap::new();
        for (event, flit) in &log {
            if let (Event::Ejected(at, _), true) = (event, flit.flags & flag::TAIL != 0) {
                packets.insert((flit.src, flit.sequence), (*at, flit.dst, flit.generated, u32::from(flit.size)));
            }
        }
        let mut sequence = 0;
        for (k, &i) in order.iter().enumerate() {
            let [time, source, destination, flits] = lines[i];
            if k == 0 || lines[order[k - 1]][1] != source {
                sequence = 0;
            }
            let mut left = flits;
            while left > 0 {
                let (at, dst, generated, flits) = packets.remove(&(source, sequence)).expect("every packet arrives");
                assert_eq!((dst, generated, flits), (destination, time, left.min(size)));
                completion[i] = completion[i].max(at);
                left -= flits;
                sequence += 1;
            }
        }
        assert!(packets.is_empty());
        assert_eq!(report.messages.completion, completion);
        assert_eq!(report.messages.completion_time(), *completion.iter().max().unwrap());
        let flits: u64 = lines.iter().map(|l| u64::from(l[3])).sum();
        assert_eq!((report.endpoint_offered.iter().sum::<u64>(), report.endpoint_accepted.iter().sum::<u64>()), (flits, flits));
        assert_eq!(report.packets_offered, report.packet_latency.count);
    }
}

#[test]
fn the_results_file_tells_of_each_message_the_same_on_any_number_of_threads() {
    let place = place(&crowd());
    let alone = place.run("alone", &["traffic.packet_size=5"], 1, 1);
    for threads in [2, 5] {
        assert_same(&alone, &place.run(&format!("on_{threads}"), &["traffic.packet_size=5"], 1, threads));
    }
    let results = table(&alone);
    assert_eq!((words(&results, "status"), words(&results, "stop_reason")), (vec!["completed".into()], vec!["completed".into()]));
    assert_eq!((numbers(&results, "messages"), numbers(&results, "messages_completed")), (vec![500.0], vec![500.0]));
    let file = hdf5::File::open(&alone).unwrap();
    let detail = file.group("points_detail").unwrap();
    let group = detail.group(&detail.member_names().unwrap()[0]).unwrap();
    let column = |name: &str| group.dataset(name).unwrap().read_raw::<u64>().unwrap();
    let (time, completion) = (column("message_time"), column("message_completion"));
    assert_eq!((time.len(), column("message_size").iter().sum::<u64>()), (500, (0..500).map(|i| 1 + i * 13 % 40).sum()));
    assert_eq!(numbers(&results, "completion_time"), [*completion.iter().max().unwrap() as f64]);
    let mean = time.iter().zip(&completion).map(|(t, c)| c - t).sum::<u64>() as f64 / 500.0;
    assert_eq!(numbers(&results, "message_latency"), [mean]);
    assert_eq!((column("message_source")[7], column("message_destination")[7]), (7 * 31 % 200, (49 * 7 + 3) % 200));
}

#[test]
fn what_is_not_delivered_in_time_is_reported_as_such() {
    let report = run(&place("0,0,1,1\n10,0,5,60000\n"), &["measurement.max_cycles=1500", "measurement.sample_period=400"]);
    assert_eq!((report.status, report.stop_reason, report.cycles), (Status::MaxTime, "max_time", 1600));
    assert_eq!((report.messages.completion.as_slice(), report.messages.n_completed()), (&[5, 0][..], 1));
    assert_eq!((report.messages.completion_time(), report.messages.latency.count), (0, 1));
}

#[test]
fn a_long_silence_between_messages_is_no_stall_and_costs_little() {
    let report = run(&place("0,0,1,1\n9000000,3,77,2\n"), &["measurement.sample_period=50000"]);
    assert_eq!((report.status, report.cycles), (Status::Completed, 9_050_000));
    assert!(report.messages.completion[1] > 9_000_000 && report.messages.completion[1] < 9_000_020);
}

#[test]
fn messages_that_deadlock_are_a_stall() {
    let ring =
        "[network]\ntopology = 'torus'\ndims = [8]\n[router]\nnum_vcs = 1\nvc_buf_size = 1\n[routing]\nallow_deadlock = true\n\
                algorithm = 'dimension-order'\n[traffic]\npattern = 'messages'\nmessage_file = 'list.csv'\n";
    let place = Place::new(ring);
    let list: String = (0..8).map(|e| format!("0,{e},{},500\n", (e + 3) % 8)).collect();
    place.write("list.csv", &format!("time,source,destination,size\n{list}"));
    let end = finish(place.command(&place.path("results.h5"), &[], 1, 1));
    assert_eq!(end.code(), Some(exit::STALL), "{}", end.stderr);
    assert_eq!(numbers(&table(&place.path("results.h5")), "messages_completed"), [0.0]);
}

#[test]
fn every_fault_of_a_list_is_told_at_once() {
    let place = place("0,0,1,0\n-1,200,1,5\n\n3,4\n5,6,7.5,8\n");
    let end = finish(place.command(&place.path("results.h5"), &["router.num_vcs=1"], 1, 1));
    assert_eq!(end.code(), Some(exit::INPUT));
    for says in [
        "list.csv:2: `size` takes flits from 1 to 4294967295, not `0`",
        "list.csv:3: `time` takes a cycle from 0 to 4294967294, not `-1`",
        "list.csv:3: `source` takes an endpoint from 0 to 199, not `200`",
        "list.csv:5: 2 fields; a record has 4: time,source,destination,size",
        "list.csv:6: `destination` takes an endpoint from 0 to 199, not `7.5`",
        "num_vcs is 1",
        "6 faults",
    ] {
        assert!(end.stderr.contains(says), "{says}\n{}", end.stderr);
    }
    assert!(!place.path("results.h5").exists());
    let said = |sets: &[&str]| finish(place.command(&place.path("results.h5"), sets, 1, 1)).stderr;
    place.write("list.csv", "time,source,destination,size\n");
    assert!(said(&[]).contains("list.csv: no message"));
    place.write("list.csv", "time,source,destination,size\n9000,0,1,1\n");
    let text = said(&["measurement.max_cycles=9000"]);
    assert!(text.contains("the last message comes in cycle 9000, after the end of the point"), "{text}");
    place.write("list.csv", "time,source,destination,size\n0,0,1,4294967295\n0,0,1,1\n");
    assert!(said(&[]).contains("list.csv:3: with this message endpoint 0 has 2^32 packets or more"));
    let text = said(&["traffic.injection_rate=0.1", "traffic.packet_sizes=[2]"]);
    assert!(
        text.contains("`traffic.injection_rate` means nothing with") && text.contains("unless traffic.pattern = messages"),
        "{text}"
    );
    assert!(text.contains("`traffic.packet_sizes` means nothing with"), "{text}");
    let text = said(&["study.kind=saturation"]);
    assert!(text.contains("a search varies the load, and `messages` has none"), "{text}");
    let text = said(&["measurement.warmup_periods=2"]);
    assert!(
        text.contains("`measurement.warmup_periods` means nothing with") && text.contains("any other than messages"),
        "{text}"
    );
}
