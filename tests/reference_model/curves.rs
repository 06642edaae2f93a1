//! BookSim2's curves (commit 28f4329): uniform single-flit traffic, the sender included, over Slim Fly, mesh and torus.
//! The numbers are means over 3 to 5 seeds of BookSim2 with the standard deviation between seeds.

use sfpdes::rng::{Purpose, Stream};
use sfpdes::topology::Graph;

use crate::reference::network::Network;
use crate::reference::packet::{Ejection, Packet, PacketSpec};
use crate::reference::router::Route;
use crate::reference::{Model, Params};

/// BookSim2's sample period in cycles; three of them warm up, three are measured.
const PERIOD: u64 = 2000;

/// Cycles after the measured periods in which every measured packet arrives (checked).
const DRAIN: u64 = 1500;

/// Routers in a row or column of mesh and torus.
const K: usize = 8;

/// The Slim Fly of q = 5 with 4 endpoints per router. In GF(5) with primitive element 2, X = {1, 4} and X' = {2, 3}.
fn slim_fly() -> Graph {
    const Q: u32 = 5;
    let router = |block: u32, column: u32, row: u32| (block * Q + column) * Q + row;
    let mut links = Vec::new();
    for x in 0..Q {
        for y in 0..Q {
            for other in y + 1..Q {
                let block = u32::from(![1, 4].contains(&(other - y)));
                links.push((router(block, x, y), router(block, x, other)));
            }
            // (0, x, y) ~ (1, m, c) iff y = m x + c.
            for m in 0..Q {
                let c = (y + m * (Q - x)) % Q;
                links.push((router(0, x, y), router(1, m, c)));
            }
        }
    }
    let n = 2 * Q * Q;
    Graph::from_links(&links, &vec![4; n as usize], vec![0; n as usize], vec![0; n as usize])
}

/// K x K routers with one endpoint each; router K y + x stands at (x, y).
fn grid(wraps: bool) -> Graph {
    let mut links = Vec::new();
    for y in 0..K {
        for x in 0..K {
            let mut link = |to: usize| links.push(((K * y + x) as u32, to as u32));
            if wraps || x + 1 < K {
                link(K * y + (x + 1) % K);
            }
            if wraps || y + 1 < K {
                link(K * ((y + 1) % K) + x);
            }
        }
    }
    Graph::from_links(&links, &[1; K * K], vec![0; K * K], vec![0; K * K])
}

/// Where `router` sends a packet for `destination`: to the endpoint, or to the router that `next` names for the endpoint's router.
fn port(graph: &Graph, router: usize, destination: usize, next: impl Fn(usize) -> usize) -> usize {
    let target = graph.router_of(destination as u32) as usize;
    if target == router {
        let first = graph.endpoints(router as u32).start as usize;
        graph.degree(router as u32) as usize + destination - first
    } else {
        let next = next(target) as u32;
        graph.peers(router as u32).iter().position(|&peer| peer == next).expect("the next router is a neighbour")
    }
}

/// The single minimal path of the Slim Fly, any VC.
fn minimal(graph: &Graph, vcs: usize) -> impl FnMut(usize, usize, usize, &Packet, &[usize]) -> Route + '_ {
    let next = |router: usize, target: usize| {
        let peers = graph.peers(router as u32);
        let adjacent = |peer: &&u32| graph.peers(**peer).contains(&(target as u32));
        let via = if peers.contains(&(target as u32)) {
            target as u32
        } else {
            *peers.iter().find(adjacent).expect("the diameter is 2")
        };
        via as usize
    };
    move |router, _, _, packet, _| (port(graph, router, packet.destination, |target| next(router, target)), (0..vcs).collect())
}

/// Dimension order in the mesh, x first, any VC.
fn mesh(graph: &Graph, vcs: usize) -> impl FnMut(usize, usize, usize, &Packet, &[usize]) -> Route + '_ {
    let next = |router: usize, target: usize| match (target % K).cmp(&(router % K)) {
        std::cmp::Ordering::Less => router - 1,
        std::cmp::Ordering::Greater => router + 1,
        std::cmp::Ordering::Equal if target < router => router - K,
        std::cmp::Ordering::Equal => router + K,
    };
    move |router, _, _, packet, _| (port(graph, router, packet.destination, |target| next(router, target)), (0..vcs).collect())
}

/// Dimension order in the torus. The direction and the half of the VCs are chosen at the router where a packet enters a dimension
/// and kept in it: the shorter way, a coin at a tie; the upper half if the packet is beyond its target then, which is wrapping
/// for one that goes up and not wrapping for one that goes down.
fn torus(graph: &Graph, vcs: usize, seed: u64) -> impl FnMut(usize, usize, usize, &Packet, &[usize]) -> Route + '_ {
    let mut coin = Stream::new(seed, Purpose::Routing, 0);
    move |router, in_port, in_vc, packet, _| {
        let target = graph.router_of(packet.destination as u32) as usize;
        let in_x = target % K != router % K;
        let position = |r: usize| if in_x { r % K } else { r / K };
        let previous = graph.peers(router as u32).get(in_port).map(|&peer| peer as usize);
        let (up, upper) = match previous.filter(|&peer| position(peer) != position(router)) {
            Some(peer) => (position(router) == (position(peer) + 1) % K, in_vc >= vcs / 2),
            None => {
                let ahead = (position(target) + K - position(router)) % K;
                let up = 2 * ahead < K || (2 * ahead == K && coin.below(2) == 1);
                (up, position(router) > position(target))
            }
        };
        let step = (position(router) + if up { 1 } else { K - 1 }) % K;
        let next = if in_x { router - router % K + step } else { K * step + router % K };
        let allowed = match (target == router, upper) {
            (true, _) => 0..vcs,
            (false, false) => 0..vcs / 2,
            (false, true) => vcs / 2..vcs,
        };
        (port(graph, router, packet.destination, |_| next), allowed.collect())
    }
}

/// Bernoulli packets for every endpoint before cycle `end`, each to any endpoint.
fn uniform(seed: u64, graph: &Graph, load: f64, end: u64) -> Vec<Vec<PacketSpec>> {
    let n = graph.n_endpoints();
    let list = |e: u32| {
        let mut injection = Stream::new(seed, Purpose::Injection, e.into());
        let mut destination = Stream::new(seed, Purpose::Destination, e.into());
        let arriving = (0..end).filter(|_| injection.open01() <= load);
        arriving.map(|generated| PacketSpec { generated, destination: destination.below(n) as usize, size: 1 }).collect()
    };
    (0..n).map(list).collect()
}

/// What BookSim2 prints of a run.
#[derive(Debug)]
struct Measured {
    /// Mean packet latency.
    latency: f64,
    /// 99th percentile of the packet latency.
    p99: u64,
    /// Flits per endpoint and cycle that arrived.
    accepted: f64,
}

impl Measured {
    fn new(mut latencies: Vec<u64>, arrived: usize, endpoints: usize, cycles: u64) -> Self {
        latencies.sort_unstable();
        Self {
            latency: latencies.iter().sum::<u64>() as f64 / latencies.len() as f64,
            p99: latencies[latencies.len() * 99 / 100],
            accepted: arrived as f64 / (endpoints as f64 * cycles as f64),
        }
    }
}

fn generated(packets: &[Vec<PacketSpec>], arrival: &Ejection) -> u64 {
    packets[arrival.packet.source][arrival.packet.sequence].generated
}

/// A stable run: latency of the packets generated in the measured periods, arrivals in those periods.
fn steady(packets: &[Vec<PacketSpec>], arrivals: &[Ejection]) -> Measured {
    let window = 3 * PERIOD..6 * PERIOD;
    let measured = arrivals.iter().filter(|arrival| window.contains(&generated(packets, arrival)));
    let latencies: Vec<u64> = measured.map(|arrival| arrival.cycle - generated(packets, arrival)).collect();
    let expected = packets.iter().flatten().filter(|packet| window.contains(&packet.generated)).count();
    assert_eq!(latencies.len(), expected, "the drain must be long enough for every measured packet");
    let arrived = arrivals.iter().filter(|arrival| window.contains(&arrival.cycle)).count();
    Measured::new(latencies, arrived, packets.len(), 3 * PERIOD)
}

/// An unstable run. BookSim2 looks at the mean latency after every period and clears its counts before the first and the third;
/// these runs pass the threshold at the end of the third and end there, still warming up. What it prints is therefore of all packets
/// that arrived in the third period, whenever they were generated.
fn aborted(packets: &[Vec<PacketSpec>], arrivals: &[Ejection]) -> Measured {
    let window = 2 * PERIOD..3 * PERIOD;
    let arrived = arrivals.iter().filter(|arrival| window.contains(&arrival.cycle));
    let latencies: Vec<u64> = arrived.map(|arrival| arrival.cycle - generated(packets, arrival)).collect();
    let n = latencies.len();
    Measured::new(latencies, n, packets.len(), PERIOD)
}

/// Runs a network, all channels of latency 1, and returns the arrivals.
fn simulate(
    graph: &Graph,
    params: &Params,
    packets: &[Vec<PacketSpec>],
    cycles: u64,
    route: impl FnMut(usize, usize, usize, &Packet, &[usize]) -> Route,
) -> Vec<Ejection> {
    let mut model = Model::new(Network::from_graph(graph, [1; 3]), params.clone(), packets, route);
    let mut arrivals = Vec::new();
    // In parts, so that the grants, which no curve needs, do not fill the memory.
    for start in (0..cycles).step_by(PERIOD as usize) {
        model.run(PERIOD.min(cycles - start));
        arrivals.extend(model.take_log().ejections);
    }
    model.check_conservation();
    arrivals
}

fn run_slim_fly(load: f64, seed: u64) -> Measured {
    let graph = slim_fly();
    let params = Params { num_vcs: 3, vc_buf_size: 21, ..Params::default() };
    let cycles = 6 * PERIOD + DRAIN;
    let packets = uniform(seed, &graph, load, cycles);
    let arrivals = simulate(&graph, &params, &packets, cycles, minimal(&graph, params.num_vcs));
    steady(&packets, &arrivals)
}

fn run_mesh(load: f64, seed: u64) -> Measured {
    let graph = grid(false);
    let params = Params { num_vcs: 2, vc_buf_size: 16, ..Params::default() };
    let cycles = 6 * PERIOD + DRAIN;
    let packets = uniform(seed, &graph, load, cycles);
    let arrivals = simulate(&graph, &params, &packets, cycles, mesh(&graph, params.num_vcs));
    steady(&packets, &arrivals)
}

fn run_torus(load: f64, seed: u64, cycles: u64, measure: fn(&[Vec<PacketSpec>], &[Ejection]) -> Measured) -> Measured {
    let graph = grid(true);
    let params = Params { num_vcs: 2, vc_buf_size: 16, ..Params::default() };
    let packets = uniform(seed, &graph, load, cycles);
    let arrivals = simulate(&graph, &params, &packets, cycles, torus(&graph, params.num_vcs, seed));
    measure(&packets, &arrivals)
}

/// The mean of BookSim2's seeds and its standard deviation.
type Mean = (f64, f64);

/// Latency and accepted load within 1 % of BookSim2, and three standard deviations on top; p99 within a cycle or 5 %.
fn check(name: &str, measured: &Measured, latency: Mean, p99: Option<f64>, accepted: Mean) {
    println!("{name}: {measured:?}, BookSim2 {latency:?} {p99:?} {accepted:?}");
    for (own, (mean, sd)) in [(measured.latency, latency), (measured.accepted, accepted)] {
        assert!((own - mean).abs() <= 0.01 * mean + 3.0 * sd, "{name}: {measured:?}, BookSim2 {mean} +- {sd}");
    }
    if let Some(p99) = p99 {
        assert!((measured.p99 as f64 - p99).abs() <= (0.05 * p99).max(1.0), "{name}: {measured:?}, BookSim2 p99 {p99}");
    }
}

#[test]
fn slim_fly_follows_booksim() {
    check("Slim Fly 0.7", &run_slim_fly(0.7, 1), (15.1800, 0.0107), Some(25.0), (0.69996, 0.00037));
}

#[test]
fn mesh_follows_booksim() {
    check("mesh 0.3", &run_mesh(0.3, 1), (23.3852, 0.0308), Some(47.0), (0.29990, 0.00029));
}

#[test]
fn torus_follows_booksim() {
    let measured = run_torus(0.5, 1, 6 * PERIOD + DRAIN, steady);
    check("torus 0.5", &measured, (23.8730, 0.0505), Some(50.7), (0.49965, 0.00062));
    let measured = run_torus(0.8, 1, 3 * PERIOD, aborted);
    check("torus 0.8", &measured, (1760.7433, 1.4775), None, (0.43329, 0.00362));
}

/// Minutes each: the loads near saturation need every cycle of every seed.
#[cfg(feature = "slow-tests")]
mod slow {
    use super::*;

    /// The mean over `seeds` runs.
    fn mean(seeds: u64, run: impl Fn(u64) -> Measured) -> Measured {
        let runs: Vec<Measured> = (1..=seeds).map(run).collect();
        let over = |value: fn(&Measured) -> f64| runs.iter().map(value).sum::<f64>() / runs.len() as f64;
        Measured { latency: over(|m| m.latency), p99: over(|m| m.p99 as f64).round() as u64, accepted: over(|m| m.accepted) }
    }

    #[test]
    fn slim_fly_from_idle_to_saturation() {
        for (load, latency, p99, accepted) in [
            (0.3, (11.3905, 0.0013), Some(15.0), (0.30031, 0.00028)),
            (0.85, (23.3407, 0.0449), Some(47.0), (0.85007, 0.00032)),
            (0.9, (33.3576, 0.1435), Some(70.2), (0.89994, 0.00042)),
            (0.95, (305.1876, 17.8565), None, (0.92016, 0.00115)),
        ] {
            check(&format!("Slim Fly {load}"), &mean(3, |seed| run_slim_fly(load, seed)), latency, p99, accepted);
        }
    }

    #[test]
    fn mesh_from_idle_to_saturation() {
        for (load, latency, p99, accepted) in [
            (0.1, (21.3253, 0.0118), 42.0, (0.10030, 0.00004)),
            (0.4, (25.8416, 0.0118), 54.0, (0.39968, 0.00068)),
            (0.45, (29.3669, 0.2406), 65.0, (0.44937, 0.00072)),
        ] {
            check(&format!("mesh {load}"), &mean(3, |seed| run_mesh(load, seed)), latency, Some(p99), accepted);
        }
    }

    #[test]
    fn torus_from_idle_to_beyond_saturation() {
        for (load, latency, p99, accepted) in
            [(0.1, (17.4878, 0.0216), 29.0, (0.10028, 0.00007)), (0.3, (18.9210, 0.0374), 33.0, (0.29990, 0.00027))]
        {
            let measured = mean(3, |seed| run_torus(load, seed, 6 * PERIOD + DRAIN, steady));
            check(&format!("torus {load}"), &measured, latency, Some(p99), accepted);
        }
        for (load, latency, accepted) in [
            (0.7, (1267.5033, 14.0087), (0.44340, 0.00189)),
            (0.8, (1760.7433, 1.4775), (0.43329, 0.00362)),
            (0.9, (2126.7167, 3.7806), (0.42952, 0.00244)),
        ] {
            let measured = mean(3, |seed| run_torus(load, seed, 3 * PERIOD, aborted));
            check(&format!("torus {load}"), &measured, latency, None, accepted);
        }
    }
}
