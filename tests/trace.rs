//! The trace of single packets: every cycle of a packet is accounted for, by the formulas of docs/model.md.

mod support;

use sfpdes::error::exit;
use sfpdes::network::{flag, Event};
use sfpdes::study::{trace, Traced};
use support::{finish, point, sfpdes, Place};

const NETWORK: &str = "
[network]
topology = 'slim-fly'
q = 3
p = 2
[router]
num_vcs = 2
vc_buf_size = 3
";

/// The first packets of every endpoint under a load that makes them wait.
fn traced(sets: &[&str]) -> (Vec<Traced>, u64) {
    let point = point(NETWORK, sets, 1);
    let packets: Vec<_> = (0..point.graph.n_endpoints()).flat_map(|e| (20..30).map(move |k| (e, k))).collect();
    (trace(&point, &packets, 4000).unwrap(), point.params.st_final_delay.into())
}

/// For every router that the head visits: cycles from the route to the switch, and steps of waiting between them.
fn stays(packet: &Traced) -> Vec<(u64, u64)> {
    let (mut list, mut routed, mut waits) = (Vec::new(), 0, 0);
    for (event, _) in packet.events.iter().filter(|(_, flit)| flit.flags & flag::HEAD != 0) {
        match *event {
            Event::Routed(at, ..) => (routed, waits) = (at, 0),
            Event::Waited(..) => waits += 1,
            Event::Switched(at, ..) => list.push((at - routed, waits)),
            _ => {}
        }
    }
    list
}

#[test]
fn the_parts_of_a_latency_add_up_and_every_step_of_waiting_has_a_reason() {
    for (speedup, size) in [("1.0", "1"), ("1.0", "3"), ("2.0", "1"), ("2.0", "4")] {
        let sets =
            ["traffic.injection_rate=0.5", &format!("router.internal_speedup={speedup}"), &format!("traffic.packet_size={size}")];
        let (packets, st_final_delay) = traced(&sets);
        let (mut waited, mut delivered) = (0, 0);
        for packet in &packets {
            let spent = packet.spent(st_final_delay).expect("delivered");
            let (_, first) = packet.events[0];
            let last = packet.events.last().unwrap().0;
            assert!(matches!(last, Event::Ejected(..)));
            assert_eq!(spent.total(), last.cycle() - u64::from(first.generated), "{packet:?}");
            delivered += 1;
            for (cycles, waits) in stays(packet) {
                // RC, VA and SA are a step each, and a step of waiting is one more.
                let steps = 2 + waits;
                if speedup == "1.0" {
                    assert_eq!(cycles, steps, "{packet:?}");
                } else {
                    assert!(cycles == steps / 2 || cycles == steps.div_ceil(2), "{cycles} cycles for {steps} steps: {packet:?}");
                }
                waited += waits;
            }
        }
        assert_eq!(delivered, packets.len());
        assert!(waited > 100, "a load of 0.5 makes packets wait: {waited} steps");
    }
}

#[test]
fn a_lone_packet_waits_for_nothing() {
    let sets = ["traffic.injection_rate=0.0001"];
    let point = point(NETWORK, &sets, 1);
    let packet = &trace(&point, &[(5, 0)], 1_000_000).unwrap()[0];
    let spent = packet.spent(1).unwrap();
    let hops = u64::from(packet.events.last().unwrap().1.hops);
    // T0 = 2 + 3 R for S = 2 and unit delays.
    assert_eq!(spent.total(), 2 + 3 * (hops + 1));
    assert_eq!((spent.source_queue, spent.behind_others, spent.output_queues, spent.tail), (0, 0, 0, 0));
    assert!(!packet.events.iter().any(|(event, _)| matches!(event, Event::Waited(..))));
    let text = packet.render(&point);
    for word in ["is generated", "RC: to port", "VA: gets VC", "SA: wins the switch", "is read", "latency"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn traces_that_cannot_be_made_are_refused() {
    let place = Place::new(NETWORK);
    let input = place.input();
    let run = |arguments: &[&str]| {
        let mut command = sfpdes();
        command.arg("trace").arg(&input).args(arguments);
        finish(command)
    };
    for (arguments, says) in [
        (&["--set", "traffic.injection_rate=0.1", "--packet", "0"][..], "give an endpoint and a number"),
        (&["--set", "traffic.injection_rate=0.1", "--packet", "36:0"], "no endpoint 36, the network has 36"),
        (&["--set", "traffic.injection_rate=[0.1,0.2]"], "fix the swept keys"),
        (&["--set", "study.kind=saturation"], "study.kind=sweep"),
        (&[], "traffic.injection_rate"),
    ] {
        let end = run(arguments);
        assert_eq!(end.code(), Some(exit::INPUT), "{arguments:?}: {}", end.stderr);
        assert!(end.stderr.contains(says) && end.stdout.is_empty(), "{arguments:?}: {}", end.stderr);
    }
    // A packet that is asked for twice is shown twice, and waited for once.
    let twice = ["--set", "traffic.injection_rate=0.1", "--packet", "0:0", "--packet", "0:0", "--until", "4000000000"];
    let end = run(&twice);
    assert_eq!((end.code(), end.stdout.matches("is generated").count()), (Some(0), 2), "{}", end.stderr);
    let end = run(&["--set", "traffic.injection_rate=0.0", "--until", "100"]);
    assert_eq!((end.code(), end.stdout.contains("did not leave its source queue")), (Some(0), true), "{}", end.stderr);
}
