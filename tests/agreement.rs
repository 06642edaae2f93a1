//! The simulator against the reference model, flit by flit: every injection, every grant of the switch and every ejection
//! in the same cycle, at the same port and VC. The reference model is written apart from the simulator, slowly and plainly.

#[allow(dead_code, reason = "the reference model's own tests use the rest")]
#[path = "reference/mod.rs"]
mod reference;
#[path = "reference/routings.rs"]
mod routings;
mod support;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use reference::network::Network;
use reference::packet::{Packet, PacketSpec};
use reference::router::Route;
use reference::{Model, Params, Queues};
use routings::{Detour, Hashed, LeastOccupied, Routing, Split, Ugal, Ways};
use sfpdes::network::{flag, Event, Flit};
use sfpdes::topology::Graph;

const CYCLES: u64 = 400;

/// Distance of every router to `target`.
fn distances(graph: &Graph, target: u32) -> Vec<u32> {
    let mut distance = vec![u32::MAX; graph.n_routers() as usize];
    distance[target as usize] = 0;
    let mut queue = VecDeque::from([target]);
    while let Some(r) = queue.pop_front() {
        for &peer in graph.peers(r) {
            if distance[peer as usize] == u32::MAX {
                distance[peer as usize] = distance[r as usize] + 1;
                queue.push_back(peer);
            }
        }
    }
    distance
}

/// The neighbour of `router` with the lowest id that is nearer to `target`.
fn lowest_id(graph: &Graph, router: u32, target: u32) -> u32 {
    let distance = distances(graph, target);
    let nearer = |peer: &&u32| distance[**peer as usize] + 1 == distance[router as usize];
    *graph.peers(router).iter().find(nearer).expect("a connected network")
}

/// The neighbour in a grid of width `x`: first along x, then along y.
fn x_then_y(x: u32, router: u32, target: u32) -> u32 {
    match ((target % x).cmp(&(router % x)), target.cmp(&router)) {
        (std::cmp::Ordering::Less, _) => router - 1,
        (std::cmp::Ordering::Greater, _) => router + 1,
        (_, std::cmp::Ordering::Less) => router - x,
        _ => router + x,
    }
}

/// Runs `toml` in both and compares their logs. `next` names the next router, `vcs` the VCs of a hop, given whether it is
/// the first.
fn check(toml: &str, next: impl Fn(&Graph, u32, u32) -> u32, vcs: impl Fn(bool) -> Vec<usize>) {
    check_routes(toml, |graph, place| {
        let target = graph.router_of(place.packet.destination as u32);
        (target != place.router).then(|| {
            let next = next(graph, place.router, target);
            let port = graph.peers(place.router).iter().position(|&peer| peer == next).expect("the next router is a neighbour");
            (port, vcs(place.in_port >= graph.degree(place.router) as usize))
        })
    });
}

/// Where a head of the model is routed, and the occupancy of the ports there.
struct Place<'a> {
    router: u32,
    in_port: usize,
    packet: &'a Packet,
    occupancy: &'a [usize],
    /// By cycle up to this one, router and port: the occupancy at the beginning of the cycle.
    queues: &'a [Vec<Vec<usize>>],
}

/// Runs `toml` in both and compares their logs. `route` gives the network port and its VCs, or `None` to eject; it is called
/// once per packet and router passed.
fn check_routes(toml: &str, mut route: impl FnMut(&Graph, &Place) -> Option<Route>) {
    let point = support::point(toml, &[], 1);
    let ours = support::trace(&point, CYCLES);
    let graph = &point.graph;
    let p = &point.params;
    let params = Params {
        num_vcs: p.num_vcs as usize,
        vc_buf_size: p.vc_buf_size.into(),
        routing_delay: p.routing_delay.into(),
        vc_alloc_delay: p.vc_alloc_delay.into(),
        sw_alloc_delay: p.sw_alloc_delay.into(),
        st_final_delay: p.st_final_delay.into(),
        credit_delay: p.credit_delay.into(),
        internal_speedup: p.speedup_milli as f64 / 1000.0,
        alloc_iters: p.alloc_iters as usize,
        cut_through: p.cut_through,
    };
    let history: Queues = Rc::new(RefCell::new(Vec::new()));
    let route = |router: usize, in_port: usize, _: usize, packet: &Packet, occupancy: &[usize]| {
        let router = router as u32;
        route(graph, &Place { router, in_port, packet, occupancy, queues: &history.borrow() }).unwrap_or_else(|| {
            let port = graph.degree(router) as usize + packet.destination - graph.endpoints(router).start as usize;
            (port, (0..p.num_vcs as usize).collect())
        })
    };
    let network = Network::from_graph(graph, p.latency.map(u64::from));
    let mut model = Model::new(network, params, &packets(graph, &ours), route).with_queues(history.clone());
    model.run(CYCLES);
    model.check_conservation();
    compare(&ours, model.take_log());
}

/// The packets that the simulator injected, for the model to inject when it can.
fn packets(graph: &Graph, trace: &[(Event, Flit)]) -> Vec<Vec<PacketSpec>> {
    let mut list = vec![Vec::new(); graph.n_endpoints() as usize];
    for (event, flit) in trace {
        if matches!(event, Event::Injected(..)) && flit.flags & flag::HEAD != 0 {
            assert_eq!(flit.sequence as usize, list[flit.src as usize].len(), "packets leave a source in order");
            list[flit.src as usize].push(PacketSpec {
                generated: flit.generated.into(),
                destination: flit.dst as usize,
                size: flit.size.into(),
            });
        }
    }
    list
}

fn compare(ours: &[(Event, Flit)], model: reference::packet::Log) {
    let (mut injections, mut grants, mut ejections) = (Vec::new(), Vec::new(), Vec::new());
    for (event, flit) in ours {
        let packet = (flit.src as usize, flit.sequence as usize);
        match *event {
            Event::Injected(cycle, e, vc) => injections.push((cycle, e as usize, usize::from(vc), packet)),
            Event::Switched(cycle, router, from, to) => {
                grants.push((cycle, router as usize, from.map(usize::from), to.map(usize::from), packet));
            }
            Event::Ejected(cycle, e) => ejections.push((cycle, e as usize, packet)),
            _ => panic!("{event:?} was not asked for"),
        }
    }
    let id = |p: reference::packet::PacketId| (p.source, p.sequence);
    let mut their_injections: Vec<_> = model.injections.iter().map(|i| (i.cycle, i.endpoint, i.vc, id(i.packet))).collect();
    let mut their_grants: Vec<_> =
        model.grants.iter().map(|g| (g.cycle, g.router, [g.in_port, g.in_vc], [g.out_port, g.out_vc], id(g.packet))).collect();
    let mut their_ejections: Vec<_> = model.ejections.iter().map(|e| (e.cycle, e.endpoint, id(e.packet))).collect();
    agree("injection", &mut injections, &mut their_injections);
    agree("grant", &mut grants, &mut their_grants);
    agree("ejection", &mut ejections, &mut their_ejections);
}

fn agree<T: Ord + std::fmt::Debug>(what: &str, ours: &mut [T], theirs: &mut [T]) {
    ours.sort_unstable();
    theirs.sort_unstable();
    assert!(ours.len() > 200, "only {} {what}s: nothing to compare", ours.len());
    if let Some((a, b)) = ours.iter().zip(&*theirs).find(|(a, b)| a != b) {
        panic!("the first {what} that differs: simulator {a:?}, model {b:?}");
    }
    assert_eq!(ours.len(), theirs.len(), "number of {what}s");
}

fn toml(network: &str, router: &str, routing: &str, traffic: &str) -> String {
    format!("[network]\n{network}\n[router]\n{router}\n[routing]\n{routing}\n[traffic]\n{traffic}\n")
}

const MIN_ANY: &str = "algorithm = \"min\"\nvc_policy = \"any\"\nallow_deadlock = true";
const GRID: &str = "algorithm = \"dimension-order\"";

#[test]
fn minimal_routing_by_hop_classes() {
    for (q, p, load) in [(3, 2, 0.4), (4, 3, 0.7), (5, 4, 0.95)] {
        let network = format!("topology = \"slim-fly\"\nq = {q}\np = {p}");
        let text = toml(&network, "num_vcs = 2\nvc_buf_size = 4", "", &format!("injection_rate = {load}"));
        check(&text, lowest_id, |first| vec![usize::from(!first)]);
        let text = toml(&network, "num_vcs = 3\nvc_buf_size = 4", "", &format!("injection_rate = {load}"));
        check(&text, lowest_id, |first| if first { vec![0, 1] } else { vec![2] });
    }
}

#[test]
fn any_vc_as_booksim_does() {
    let network = "topology = \"slim-fly\"\nq = 5\np = 4";
    let text = toml(network, "num_vcs = 3\nvc_buf_size = 21", MIN_ANY, "injection_rate = 0.95\nself_traffic = true");
    check(&text, lowest_id, |_| vec![0, 1, 2]);
}

#[test]
fn multi_flit_wormhole_with_shallow_buffers() {
    for (size, depth) in [(2, 1), (3, 2), (8, 5)] {
        let router = format!("num_vcs = 2\nvc_buf_size = {depth}");
        let traffic = format!("injection_rate = 0.5\npacket_size = {size}");
        let text = toml("topology = \"mesh\"\ndims = [3, 4]\np = 2", &router, GRID, &traffic);
        check(&text, |_, r, t| x_then_y(3, r, t), |_| vec![0, 1]);
    }
}

#[test]
fn virtual_cut_through() {
    for speedup in ["1", "2", "1.5"] {
        let router =
            format!("num_vcs = 3\nvc_buf_size = 6\nflow_control = \"virtual-cut-through\"\ninternal_speedup = {speedup}");
        let text = toml("topology = \"mesh\"\ndims = [4, 3]", &router, GRID, "injection_rate = 0.6\npacket_size = 4");
        check(&text, |_, r, t| x_then_y(4, r, t), |_| vec![0, 1, 2]);
    }
}

#[test]
fn speedups_iterations_and_a_missing_routing_stage() {
    for router in [
        "num_vcs = 4\nvc_buf_size = 3\ninternal_speedup = 1",
        "num_vcs = 4\nvc_buf_size = 3\ninternal_speedup = 1.5\nalloc_iters = 3",
        "num_vcs = 4\nvc_buf_size = 3\ninternal_speedup = 3\nalloc_iters = 2",
        "num_vcs = 4\nvc_buf_size = 3\nrouting_delay = 0",
        "num_vcs = 1\nvc_buf_size = 3\nrouting_delay = 0\ncredit_delay = 0",
    ] {
        let n = if router.starts_with("num_vcs = 1") { 1 } else { 4 };
        let text = toml("topology = \"mesh\"\ndims = [3, 3]\np = 3", router, GRID, "injection_rate = 0.7\npacket_size = 2");
        check(&text, |_, r, t| x_then_y(3, r, t), |_| (0..n).collect());
    }
}

#[test]
fn slow_stages_and_long_channels() {
    for stages in [[2, 1, 1, 1], [1, 3, 1, 1], [1, 1, 2, 1], [1, 1, 1, 4], [2, 3, 2, 2], [0, 2, 2, 1]] {
        for speedup in [1, 2] {
            let [rc, va, sa, st] = stages;
            let router = format!(
                "num_vcs = 2\nvc_buf_size = 8\nrouting_delay = {rc}\nvc_alloc_delay = {va}\nsw_alloc_delay = {sa}\n\
                 st_final_delay = {st}\ninternal_speedup = {speedup}\ncredit_delay = 3"
            );
            let network = "topology = \"slim-fly\"\nq = 3\np = 2\nchannel_latency_endpoint = 2\nchannel_latency_local = 1\n\
                           channel_latency_global = 5";
            let text = toml(network, &router, "", "injection_rate = 0.6\npacket_size = 2");
            check(&text, lowest_id, |first| vec![usize::from(!first)]);
        }
    }
}

/// Networks on which routings are compared: the diameter, and the hops of the longest detour. Ties are common on the torus.
const NETWORKS: [(&str, u32, u32); 3] = [
    ("topology = \"slim-fly\"\nq = 4\np = 3", 2, 4),
    ("topology = \"slim-fly\"\nq = 5\np = 4", 2, 4),
    ("topology = \"torus\"\ndims = [4, 4]\np = 2", 4, 7),
];

/// Compares `algorithm` on one network with `hops` VCs.
fn check_algorithm(network: &str, hops: u32, algorithm: &str, routing: impl Fn(&Graph) -> Box<dyn Routing>) {
    for (load, depth) in [(0.3, 4), (0.9, 2)] {
        let router = format!("num_vcs = {hops}\nvc_buf_size = {depth}");
        let text = toml(network, &router, algorithm, &format!("injection_rate = {load}\npacket_size = 2"));
        let mut ways = Ways::new(routing(&support::point(&text, &[], 1).graph));
        check_routes(&text, |graph, place| ways.route(graph, place));
    }
}

#[test]
fn packets_split_over_minimal_ports() {
    for (network, diameter, _) in NETWORKS {
        check_algorithm(network, diameter, "algorithm = \"min\"\ntie = \"per_packet\"", |graph| Box::new(Split::new(graph)));
    }
}

#[test]
fn the_least_occupied_minimal_port() {
    for (network, diameter, _) in NETWORKS {
        check_algorithm(network, diameter, "algorithm = \"min-adaptive\"", |graph| Box::new(LeastOccupied::new(graph)));
    }
}

#[test]
fn paths_by_hash() {
    for (network, diameter, _) in NETWORKS {
        check_algorithm(network, diameter, "algorithm = \"ecmp\"", |_| Box::new(Hashed));
    }
}

#[test]
fn valiant_by_a_random_router() {
    for (network, diameter, longest) in NETWORKS {
        check_algorithm(network, longest, "algorithm = \"valiant\"", |graph| Box::new(Detour::new(graph, None)));
        let limit = diameter + 1;
        let algorithm = format!("algorithm = \"valiant\"\nmax_hops = {limit}");
        check_algorithm(network, limit, &algorithm, |graph| Box::new(Detour::new(graph, Some(limit))));
    }
}

#[test]
fn ugal_by_local_queues() {
    for (network, _, longest) in NETWORKS {
        check_algorithm(network, longest, "algorithm = \"ugal-l\"", |graph| Box::new(Ugal::local(graph, 4, 0)));
        let algorithm = "algorithm = \"ugal-l\"\nugal_candidates = 2\nugal_threshold = 6";
        check_algorithm(network, longest, algorithm, |graph| Box::new(Ugal::local(graph, 2, 6)));
    }
}

/// What is published can be read st_final_delay after the latency of the fastest channel: 1 + 1. Slower channels delay it and
/// make it rarer; routers that make one step per cycle delay it by 1.
#[test]
fn ugal_by_published_queues() {
    for (network, _, longest) in NETWORKS {
        check_algorithm(network, longest, "algorithm = \"ugal-g\"", |graph| Box::new(Ugal::global(graph, 4, 0, 1, 2)));
        let algorithm = "algorithm = \"ugal-g\"\nugal_candidates = 2\nugal_threshold = 3\nugal_g_period = 7";
        check_algorithm(network, longest, algorithm, |graph| Box::new(Ugal::global(graph, 2, 3, 7, 2)));
        let slow = format!("{network}\nchannel_latency = 5");
        check_algorithm(&slow, longest, "algorithm = \"ugal-g\"", |graph| Box::new(Ugal::global(graph, 4, 0, 5, 6)));
    }
    let router = "num_vcs = 4\nvc_buf_size = 4\ninternal_speedup = 1";
    let text = toml(NETWORKS[1].0, router, "algorithm = \"ugal-g\"", "injection_rate = 0.6");
    let mut ways = Ways::new(Box::new(Ugal::global(&support::point(&text, &[], 1).graph, 4, 0, 1, 3)));
    check_routes(&text, |graph, place| ways.route(graph, place));
}
