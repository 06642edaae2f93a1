//! Latencies and rates that follow from the timing rules by hand.

use sfpdes::rng::{Purpose, Stream};

use crate::reference::islip::Islip;
use crate::reference::network::{Network, Peer, PortSpec};
use crate::reference::packet::{Log, Packet, PacketSpec};
use crate::reference::router::Route;
use crate::reference::{Model, Params};

/// A row of `n` routers with one endpoint each; `links[i]` is the latency between routers `i` and `i + 1`.
fn row(links: &[u64], endpoint_latency: u64) -> Network {
    let n = links.len() + 1;
    // Ports ascend by peer id: left neighbour, right neighbour, endpoint.
    let right_port = |r: usize| usize::from(r > 0);
    let routers = (0..n).map(|r| {
        let mut ports = Vec::new();
        if r > 0 {
            ports.push(PortSpec { peer: Peer::Router { router: r - 1, port: right_port(r - 1) }, latency: links[r - 1] });
        }
        if r + 1 < n {
            ports.push(PortSpec { peer: Peer::Router { router: r + 1, port: 0 }, latency: links[r] });
        }
        ports.push(PortSpec { peer: Peer::Endpoint(r), latency: endpoint_latency });
        ports
    });
    Network { routers: routers.collect() }
}

/// Routing in a row, any VC.
fn row_route(network: &Network, vcs: usize) -> impl FnMut(usize, usize, usize, &Packet, &[usize]) -> Route {
    let network = network.clone();
    move |router, _, _, packet, _| {
        let port = match packet.destination.cmp(&router) {
            std::cmp::Ordering::Equal => network.endpoint_port(router, router),
            std::cmp::Ordering::Less => network.port_towards(router, router - 1),
            std::cmp::Ordering::Greater => network.port_towards(router, router + 1),
        };
        (port.expect("a row is connected"), (0..vcs).collect())
    }
}

/// Runs `packets`, all from endpoint 0, over a row.
fn run_row(links: &[u64], endpoint_latency: u64, params: &Params, packets: &[PacketSpec], cycles: u64) -> Log {
    let network = row(links, endpoint_latency);
    let mut lists = vec![Vec::new(); network.routers.len()];
    lists[0] = packets.to_vec();
    let route = row_route(&network, params.num_vcs);
    let mut model = Model::new(network, params.clone(), &lists, route);
    for _ in 0..cycles {
        model.run(1);
        model.check_conservation();
    }
    model.take_log()
}

/// Cycles in which the flits of one packet, generated in cycle 0, are read at the far end of a row with links of latency 1.
fn arrivals(routers: usize, size: usize, params: &Params) -> Vec<u64> {
    let packet = PacketSpec { generated: 0, destination: routers - 1, size };
    let log = run_row(&vec![1; routers - 1], 1, params, &[packet], 300);
    assert_eq!(log.ejections.len(), size, "every flit arrives");
    assert!(log.ejections.iter().enumerate().all(|(i, ejection)| ejection.flit == i), "in order");
    log.ejections.iter().map(|ejection| ejection.cycle).collect()
}

/// `n` single-flit packets, all generated in cycle 0.
fn burst(n: usize, destination: usize) -> Vec<PacketSpec> {
    vec![PacketSpec { generated: 0, destination, size: 1 }; n]
}

#[test]
fn zero_load_latency_is_the_formula() {
    for (speedup, routing_delay, expected) in
        [(2.0, 1, [5, 8, 11]), (1.0, 1, [7, 12, 17]), (2.0, 0, [5, 8, 11]), (1.0, 0, [6, 10, 14]), (1.5, 1, [6, 10, 14])]
    {
        let params = Params { internal_speedup: speedup, routing_delay, ..Params::default() };
        for routers in 1..=3 {
            assert_eq!(arrivals(routers, 1, &params), [expected[routers - 1]], "S {speedup}, {routers} routers");
        }
    }
}

#[test]
fn zero_load_latency_adds_every_channel_at_its_own_latency() {
    for (speedup, stages) in [(1.0, 3), (2.0, 1), (3.0, 1), (4.0, 0)] {
        let params = Params { internal_speedup: speedup, ..Params::default() };
        let packet = PacketSpec { generated: 4, destination: 3, size: 1 };
        let log = run_row(&[10, 0, 100], 7, &params, &[packet], 200);
        let channels = (7 + 1) + (10 + 1) + 1 + (100 + 1) + (7 + 1);
        assert_eq!(log.injections[0].cycle, 4, "a packet may enter in the cycle in which it is generated");
        assert_eq!(log.ejections[0].cycle, 4 + channels + 4 * stages);
    }
}

/// With S = 1 each stage delay adds up. With S = 2 a stage of more than one cycle ends in the first sub-step of its last cycle:
/// (routing 2) RC 0.0-1.0, VA 1.1, SA 2.0, ST 2.1; (all 2) RC 0.0-1.0, VA 1.1-2.0, SA 2.1-3.0, ST 3.1-4.0.
#[test]
fn stage_delays_end_in_the_first_sub_step_of_their_last_cycle() {
    for (delays, at_1, at_2) in [
        ([1, 1, 1, 1], 3, 1),
        ([2, 1, 1, 1], 4, 2),
        ([1, 2, 1, 1], 4, 2),
        ([1, 1, 2, 1], 4, 2),
        ([1, 1, 1, 2], 4, 2),
        ([2, 2, 2, 2], 7, 4),
        ([3, 1, 2, 4], 9, 7),
        ([0, 2, 1, 1], 3, 2),
    ] {
        for (speedup, per_router) in [(1.0, at_1), (2.0, at_2)] {
            let [routing_delay, vc_alloc_delay, sw_alloc_delay, st_final_delay] = delays;
            let params = Params {
                routing_delay,
                vc_alloc_delay,
                sw_alloc_delay,
                st_final_delay,
                internal_speedup: speedup,
                ..Params::default()
            };
            for routers in 1..=3 {
                let expected = 2 + routers as u64 * (per_router + 2);
                assert_eq!(arrivals(routers, 1, &params), [expected], "{delays:?}, S {speedup}, {routers} routers");
            }
        }
    }
}

/// Flits enter one per cycle. The head opens the way; a flit behind it needs only SA and ST, and is never later than one
/// cycle behind the flit before it: by then that one has left its place in the output queue.
#[test]
fn with_deep_buffers_a_packet_is_one_cycle_longer_per_flit() {
    for (speedup, heads) in [(1.0, [7, 12, 17]), (2.0, [5, 8, 11]), (1.5, [6, 10, 14])] {
        for cut_through in [false, true] {
            let params = Params { internal_speedup: speedup, cut_through, ..Params::default() };
            for routers in 1..=3 {
                for size in 1..=8 {
                    let expected: Vec<u64> = (0..size as u64).map(|i| heads[routers - 1] + i).collect();
                    assert_eq!(arrivals(routers, size, &params), expected, "S {speedup}, {routers} routers, {size} flits");
                }
            }
        }
    }
}

/// One place per VC, S = 2. One router: a flit takes the ejection credit at its SA and gets it back 6 cycles later; the endpoint's
/// loop of 5 is shorter. Two routers: the head leaves the first router in cycle 3 and the second in 6; behind it, body flits skip
/// RC and VA, so the loop between the routers is 6 as well (SA 10.0, seen 12, SA 12.0, credit seen 14, usable 16).
/// Two places: pairs of flits, 6 cycles apart.
#[test]
fn shallow_buffers_pace_a_packet_by_its_credits() {
    let with_places = |vc_buf_size| Params { vc_buf_size, ..Params::default() };
    assert_eq!(arrivals(1, 4, &with_places(1)), [5, 11, 17, 23]);
    assert_eq!(arrivals(2, 4, &with_places(1)), [8, 14, 20, 26]);
    assert_eq!(arrivals(1, 5, &with_places(2)), [5, 6, 11, 12, 17]);
}

/// One place per VC, S = 2, single-flit packets: from a grant to the next one that uses the same credit.
#[test]
fn credit_round_trips_take_7_5_and_6_cycles() {
    let params = Params { vc_buf_size: 1, ..Params::default() };
    let log = run_row(&[1], 1, &params, &burst(4, 1), 100);
    let grants_at = |router| log.grants.iter().filter(move |g| g.router == router).map(|g| g.cycle);
    assert_eq!(grants_at(0).collect::<Vec<_>>(), [3, 10, 17, 24], "between routers");
    assert_eq!((log.injections[0].cycle, log.injections[1].cycle), (0, 5), "endpoint to router");
    let log = run_row(&[], 1, &params, &burst(4, 0), 100);
    assert_eq!(log.grants.iter().map(|g| g.cycle).collect::<Vec<_>>(), [3, 9, 15, 21], "router to ejection");
}

/// Every latency of the loop counts once each way, and `credit_delay` once.
#[test]
fn credit_round_trip_grows_with_latency_and_delay() {
    let params = Params { vc_buf_size: 1, credit_delay: 5, ..Params::default() };
    let log = run_row(&[4], 1, &params, &burst(3, 1), 100);
    let cycles: Vec<u64> = log.grants.iter().filter(|g| g.router == 0).map(|g| g.cycle).collect();
    assert_eq!(cycles, [3, 3 + 7 + 6 + 3, 3 + 2 * (7 + 6 + 3)]);
}

/// RC, VA and SA of the next packet begin when the last has left the buffer.
#[test]
fn one_vc_carries_a_third_of_a_packet_per_sub_step() {
    // Three sub-steps per packet: the span of `packets` packets in whole cycles.
    for (speedup, packets, span) in [(1.0, 1, 3), (1.5, 1, 2), (2.0, 2, 3), (3.0, 1, 1)] {
        let params = Params { vc_buf_size: 64, internal_speedup: speedup, ..Params::default() };
        let log = run_row(&[], 1, &params, &burst(300, 0), 1000);
        let cycles: Vec<u64> = log.grants.iter().map(|g| g.cycle).collect();
        assert_eq!(cycles.len(), 300);
        assert!((0..200).all(|i| cycles[i + packets] - cycles[i] == span), "S {speedup}");
    }
}

/// Two packets of 4 flits, 4 places, S = 2. The switch is won in 3.0, 3.1, 4.0 and 5.0; the ejection credits are back in
/// 9, 10, 11 and 12, those of the endpoint in 5, 6, 7 and 8. Wormhole: the second head enters with the first credit, in 5, and
/// crosses with the first credit, in 9. Cut-through: it enters with the last, in 8, and needs the last, in 12, for its VC.
#[test]
fn cut_through_waits_for_room_for_the_whole_packet() {
    for (cut_through, enters, crosses) in [(false, 5, 9), (true, 8, 12)] {
        let params = Params { vc_buf_size: 4, cut_through, ..Params::default() };
        let packets = [PacketSpec { generated: 0, destination: 0, size: 4 }; 2];
        let log = run_row(&[], 1, &params, &packets, 100);
        assert_eq!(log.injections[4].cycle, enters);
        assert_eq!(log.grants[4].cycle, crosses);
        assert_eq!(log.ejections.len(), 8);
    }
}

/// An endpoint goes round the VCs, VC 0 first, and keeps one VC for all flits of a packet.
#[test]
fn endpoint_takes_vcs_in_turn() {
    let params = Params { num_vcs: 3, ..Params::default() };
    let packets = [PacketSpec { generated: 0, destination: 0, size: 2 }; 4];
    let log = run_row(&[], 1, &params, &packets, 100);
    let vcs: Vec<usize> = log.injections.iter().map(|injection| injection.vc).collect();
    assert_eq!(vcs, [0, 0, 1, 1, 2, 2, 0, 0]);
}

#[test]
fn islip_pointers_move_only_on_acceptance_in_the_first_iteration() {
    let all = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let mut one = Islip::new(2, 2, 1);
    assert_eq!(one.allocate(&all), [Some(0), None], "both outputs grant input 0, which accepts output 0");
    assert_eq!(one.allocate(&all), [Some(1), Some(0)], "output 1 still points at input 0");
    let mut two = Islip::new(2, 2, 2);
    assert_eq!(two.allocate(&all), [Some(0), Some(1)], "the second iteration matches what is left");
    assert_eq!(two.allocate(&all), [Some(1), Some(0)], "and leaves its pointers alone");
    assert_eq!(two.allocate(&[]), [None, None]);
}

/// Random packets of 1 to 5 flits over a row under every kind of parameter: nothing is lost, credits always add up, flits stay in order.
#[test]
fn flits_and_credits_are_conserved() {
    for (i, (speedup, delays, cut_through, iters)) in [
        (1.0, [1, 1, 1, 1], false, 1),
        (1.5, [0, 1, 1, 1], false, 2),
        (2.0, [1, 1, 1, 1], true, 1),
        (2.0, [2, 3, 2, 2], false, 1),
        (2.5, [0, 2, 3, 1], true, 3),
    ]
    .into_iter()
    .enumerate()
    {
        let [routing_delay, vc_alloc_delay, sw_alloc_delay, st_final_delay] = delays;
        let params = Params {
            num_vcs: 2,
            vc_buf_size: 5,
            routing_delay,
            vc_alloc_delay,
            sw_alloc_delay,
            st_final_delay,
            internal_speedup: speedup,
            alloc_iters: iters,
            cut_through,
            ..Params::default()
        };
        let network = row(&[1, 3, 2], 1);
        let lists: Vec<Vec<PacketSpec>> = (0..4)
            .map(|e| {
                let mut stream = Stream::new(i as u64, Purpose::Injection, e);
                let mut generated = 0;
                let mut next = || {
                    generated += u64::from(stream.below(15));
                    PacketSpec { generated, destination: stream.below(4) as usize, size: 1 + stream.below(5) as usize }
                };
                (0..100).map(|_| next()).collect()
            })
            .collect();
        let offered: usize = lists.iter().flatten().map(|packet| packet.size).sum();
        let route = row_route(&network, params.num_vcs);
        let mut model = Model::new(network, params, &lists, route);
        for _ in 0..6000 {
            model.run(1);
            model.check_conservation();
        }
        assert_eq!((model.flits_in_network(), model.flits_at_sources()), (0, 0));
        let log = model.take_log();
        assert_eq!((log.injections.len(), log.ejections.len()), (offered, offered));
        let mut seen = log.ejections.clone();
        seen.sort_by_key(|ejection| (ejection.packet, ejection.cycle));
        assert!(seen.windows(2).all(|w| w[0].packet != w[1].packet || w[1].flit == w[0].flit + 1), "flits in order");
    }
}
