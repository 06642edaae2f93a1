//! Timing against closed forms. A packet alone in the network takes exactly
//!
//! T0 = (L_inj + 1) + R D + sum over router channels (L + 1) + (L_ej + 1) + (F - 1),
//!
//! with R routers visited, F flits, and D cycles from the arrival of the head at a router to its departure:
//! floor((stages - 1) / S) cycles where every stage takes one of the S sub-steps of a cycle, and the sum of the stages less
//! one where S = 1. Flits follow their head by one cycle each, at the source and so everywhere after it, as long as a
//! buffer holds the packet.

mod support;

use std::collections::BTreeMap;

use sfpdes::network::{flag, Event};
use sfpdes::study::Point;
use sfpdes::topology::ChannelClass;
use support::{point, simulate, trace};

/// Diameter 2: 0, 1 and 2 hops occur. Some 500 packets in 200,000 cycles.
const NETWORK: &str = "
[network]
topology = 'slim-fly'
q = 3
p = 2
[router]
num_vcs = 2
vc_buf_size = 16
[traffic]
injection_rate = 7e-5
";

/// A packet that was alone.
struct Alone {
    latency: u64,
    hops: u8,
    /// Sum of L + 1 over all its channels.
    wires: u64,
}

/// The packets of a trace that met no other: none was in the network within 100 cycles of them.
fn lone_packets(point: &Point) -> Vec<Alone> {
    struct Seen {
        generated: u64,
        end: Option<u64>,
        hops: u8,
        wires: u64,
    }
    let endpoint_wires = 2 * u64::from(point.params.latency(ChannelClass::Endpoint) + 1);
    let mut packets: BTreeMap<(u32, u32), Seen> = BTreeMap::new();
    for (event, flit) in trace(point, 200_000) {
        let generated = u64::from(flit.generated);
        let new = Seen { generated, end: None, hops: 0, wires: endpoint_wires };
        let packet = packets.entry((flit.src, flit.sequence)).or_insert(new);
        match event {
            Event::Switched(_, router, _, [port, _]) if flit.flags & flag::HEAD != 0 => {
                if let Some(&class) = point.graph.classes(router).get(usize::from(port)) {
                    packet.wires += u64::from(point.params.latency(class) + 1);
                }
            }
            Event::Ejected(at, endpoint) if flit.flags & flag::TAIL != 0 => {
                assert_eq!(endpoint, flit.dst);
                (packet.end, packet.hops) = (Some(at), flit.hops);
            }
            _ => {}
        }
    }
    let mut by_time: Vec<Seen> = packets.into_values().collect();
    by_time.sort_by_key(|p| p.generated);
    let far = |a: &Seen, b: &Seen| a.end.is_some_and(|end| end + 100 < b.generated);
    (1..by_time.len() - 1)
        .filter(|&i| far(&by_time[i - 1], &by_time[i]) && far(&by_time[i], &by_time[i + 1]))
        .map(|i| &by_time[i])
        .map(|p| Alone { latency: p.end.unwrap() - p.generated, hops: p.hops, wires: p.wires })
        .collect()
}

/// Every lone packet of `flits` flits takes its wires, `per_router` cycles at each router, and `per_flit` for each flit
/// after the head.
fn check(flits: u64, sets: &[&str], per_router: u64, per_flit: u64) {
    let rate = format!("traffic.injection_rate={}", 7e-5 * flits as f64);
    let size = format!("traffic.packet_size={flits}");
    let all: Vec<&str> = [rate.as_str(), size.as_str()].into_iter().chain(sets.iter().copied()).collect();
    let packets = lone_packets(&point(NETWORK, &all, 1));
    let mut seen = [0; 3];
    for packet in &packets {
        let routers = u64::from(packet.hops) + 1;
        let expected = packet.wires + routers * per_router + (flits - 1) * per_flit;
        assert_eq!(packet.latency, expected, "{} hops, {flits} flits, {sets:?}", packet.hops);
        seen[usize::from(packet.hops)] += 1;
    }
    assert!(seen.iter().all(|&n| n > 2), "{seen:?} packets of 0, 1, 2 hops");
}

#[test]
fn a_lone_packet_takes_the_closed_form() {
    for flits in 1..=8 {
        for flow_control in ["router.flow_control=wormhole", "router.flow_control=virtual-cut-through"] {
            check(flits, &[flow_control, "router.internal_speedup=2"], 1, 1);
            check(flits, &[flow_control, "router.internal_speedup=1"], 3, 1);
        }
    }
}

#[test]
fn the_numbers_of_booksim_are_5_8_11_and_7_12_17() {
    for (speedup, numbers) in [("2", [5, 8, 11]), ("1", [7, 12, 17])] {
        let speedup = format!("router.internal_speedup={speedup}");
        for packet in lone_packets(&point(NETWORK, &[&speedup], 1)) {
            assert_eq!(packet.latency, numbers[usize::from(packet.hops)]);
        }
    }
}

#[test]
fn every_stage_takes_its_delay() {
    // Without sub-steps the stages simply add up, the crossing falling into the cycle of departure.
    for [rc, va, sa, st] in [[1, 1, 1, 2], [2, 1, 1, 1], [1, 3, 1, 1], [1, 1, 4, 1], [0, 1, 1, 1], [0, 2, 2, 3], [5, 4, 3, 2]] {
        let sets = [
            "router.internal_speedup=1".to_string(),
            format!("router.routing_delay={rc}"),
            format!("router.vc_alloc_delay={va}"),
            format!("router.sw_alloc_delay={sa}"),
            format!("router.st_final_delay={st}"),
        ];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        for flits in [1, 4] {
            // While a stage takes several cycles, a VC has one flit in it at a time.
            check(flits, &sets, rc + va + sa + st - 1, sa.max(1));
        }
    }
}

#[test]
fn sub_steps_shorten_the_pipeline_but_not_the_final_stage() {
    for (sets, per_router) in [
        (&["router.internal_speedup=2", "router.routing_delay=0"][..], 1),
        (&["router.internal_speedup=2", "router.st_final_delay=4"], 4),
        (&["router.internal_speedup=3"], 1),
        (&["router.internal_speedup=4"], 0),
        (&["router.internal_speedup=3", "router.routing_delay=0"], 0),
    ] {
        for flits in [1, 3] {
            check(flits, sets, per_router, 1);
        }
    }
}

#[test]
fn every_class_of_channels_has_its_latency() {
    let sets = ["network.channel_latency_endpoint=4", "network.channel_latency_local=2", "network.channel_latency_global=9"];
    for flits in [1, 5, 8] {
        check(flits, &sets, 1, 1);
    }
    check(2, &["network.channel_latency=25", "router.internal_speedup=1"], 3, 1);
}

#[test]
fn wires_may_be_longer_than_buffers_are_deep() {
    for (endpoint, others) in [(100, 1), (1, 100), (1000, 3), (20_000, 20_000)] {
        let sets = [
            format!("network.channel_latency_endpoint={endpoint}"),
            format!("network.channel_latency={others}"),
            "router.num_vcs=2".into(),
            "router.vc_buf_size=1".into(),
            "traffic.injection_rate=1e-6".into(),
            "measurement.sample_period=500000".into(),
            "measurement.confidence_width=0.0".into(),
        ];
        let report = simulate(NETWORK, &sets.each_ref().map(String::as_str)).report;
        let least = 2 * (endpoint + 1) + 1;
        assert!(report.packet_latency_bins.lower[0] <= least && report.packet_latency_bins.upper[0] >= least, "{endpoint}");
    }
}

#[test]
fn a_buffer_of_one_flit_takes_a_credit_round_trip_for_each() {
    // The flit goes out and its credit comes back: twice L + 1, the credit delay, and without sub-steps a cycle for the crossing.
    // The channel to the endpoint sets the pace: between routers a flit that follows its head is as fast.
    for flits in 1..=5 {
        check(flits, &["router.vc_buf_size=1", "router.internal_speedup=2"], 1, 2 * 2 + 2);
        check(flits, &["router.vc_buf_size=1", "router.internal_speedup=1"], 3, 2 * 2 + 2 + 1);
        check(flits, &["router.vc_buf_size=1", "router.credit_delay=5"], 1, 2 * 2 + 5);
        check(flits, &["router.vc_buf_size=1", "network.channel_latency=3"], 1, 2 * 4 + 2);
    }
}

/// Two routers with an endpoint each: every packet crosses one channel and meets only those of its own source.
const PAIR: &str = "
[network]
topology = 'mesh'
dims = [2]
[routing]
algorithm = 'dimension-order'
[measurement]
confidence_width = 0.0
sample_period = 20000
warmup_periods = 1
max_samples = 5
";

#[test]
fn a_lone_packet_loads_its_channel_by_its_flits_and_no_other() {
    let window = [
        "measurement.sample_period=1000",
        "measurement.warmup_periods=0",
        "measurement.min_samples=1",
        "measurement.max_samples=1",
    ];
    let mut found = 0;
    for seed in 1..200 {
        let seed = format!("simulation.seed={seed}");
        for (flits, speedup, waits) in [(1u64, 2, 1), (1, 1, 2), (4, 2, 0)] {
            let sets = [
                format!("traffic.injection_rate={}", 0.0003 * flits as f64),
                format!("traffic.packet_size={flits}"),
                format!("router.internal_speedup={speedup}"),
            ];
            let sets: Vec<&str> = sets.iter().map(String::as_str).chain(window).chain([seed.as_str()]).collect();
            let report = simulate(PAIR, &sets).report;
            if (report.packets_offered, report.packets_accepted) != (1, 1) {
                continue;
            }
            found += 1;
            let mut loads = report.channel_utilization.clone();
            loads.sort_by(f64::total_cmp);
            assert_eq!(loads, [0.0, flits as f64 / 1000.0]);
            assert_eq!(report.channel_utilization_mean, flits as f64 / 2000.0);
            assert_eq!(report.channel_utilization_max, flits as f64 / 1000.0);
            assert_eq!(report.endpoint_offered.iter().sum::<u64>(), flits);
            assert_eq!(report.endpoint_accepted.iter().sum::<u64>(), flits);
            assert_eq!(report.flit_hops, 2 * flits);
            assert_eq!(report.hops_mean, 1.0);
            if waits > 0 {
                // A flit is in the buffer from its arrival to the cycle in which it wins the switch.
                assert_eq!(report.vc_occupancy_max, f64::from(waits) / 1000.0);
            }
        }
    }
    assert!(found > 60, "{found}");
}

#[test]
fn a_packet_waits_at_its_source_as_queueing_theory_says() {
    // Geo/D/1: arrivals with probability p in each cycle, F cycles of service: mean wait p F (F - 1) / (2 (1 - p F)).
    for (flits, load) in [(1, 0.9), (2, 0.5), (4, 0.6), (8, 0.3), (4, 0.8)] {
        let sets = [format!("traffic.packet_size={flits}"), format!("traffic.injection_rate={load}"), "router.num_vcs=8".into()];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let report = simulate(PAIR, &sets).report;
        let f = f64::from(flits);
        let expected = load / f * f * (f - 1.0) / (2.0 * (1.0 - load));
        let wait = report.packet_latency.mean - report.network_latency.mean;
        assert!((wait - expected).abs() <= 0.04 * expected, "{flits} flits at {load}: {wait}, {expected} expected");
        assert!(report.network_latency.mean >= 8.0 + f - 1.0, "{:?}", report.network_latency);
    }
}

#[test]
fn one_vc_carries_a_packet_in_every_three_sub_steps() {
    // RC, VA and SA of a packet begin when the packet before it has left.
    for (speedup, expected) in [(1, 1.0 / 3.0), (2, 2.0 / 3.0), (3, 1.0)] {
        let speedup = format!("router.internal_speedup={speedup}");
        let report = simulate(PAIR, &["router.num_vcs=1", "traffic.injection_rate=1.0", &speedup]).report;
        assert!((report.accepted.mean - expected).abs() < 1e-3, "{speedup}: {:?}", report.accepted);
    }
}
