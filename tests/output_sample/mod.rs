//! Made-up studies for the tests of the output: shaped like real ones, and equal for equal arguments.
#![allow(dead_code)]

use sfpdes::output::{Axis, Coordinate, NetworkInfo, PointRecord, PointRuntime, RunInfo, Runtime, StudyKind};
use sfpdes::stats::{Bins, Latency, Load, Messages, PointReport, Series, Status};
use sfpdes::topology::Graph;

/// Routers of the made-up network.
pub const N_ROUTERS: u32 = 6;

/// Virtual channels of the made-up network.
pub const NUM_VCS: usize = 2;

/// A ring with two endpoints per router.
pub fn network() -> NetworkInfo {
    let links: Vec<_> = (0..N_ROUTERS).map(|r| (r, (r + 1) % N_ROUTERS)).collect();
    let rack: Vec<u32> = (0..N_ROUTERS).map(|r| r / 2).collect();
    NetworkInfo::new("ring", &Graph::from_links(&links, &[2; N_ROUTERS as usize], rack.clone(), rack))
}

/// The swept loads: `n` of them, up to 1.
pub fn rates(n: usize) -> Vec<f64> {
    (1..=n).map(|i| i as f64 / n as f64).collect()
}

/// A sweep of routing by load.
pub fn study(routings: &[&str], n_rates: usize) -> RunInfo {
    let rates = rates(n_rates);
    RunInfo {
        kind: StudyKind::Simulation,
        config_toml: format!(
            "[network]\ntopology = \"ring\"\n\n[sweep]\nrouting.name = {routings:?}\ntraffic.injection_rate = {rates:?}\n"
        ),
        seed: 7,
        version: "0.1.0".into(),
        axes: vec![
            Axis {
                name: "routing.algorithm".into(),
                unit: String::new(),
                long_name: "routing algorithm".into(),
                values: routings.iter().map(|r| Coordinate::Text((*r).into())).collect(),
            },
            Axis {
                name: "traffic.injection_rate".into(),
                unit: "flits/cycle/endpoint".into(),
                long_name: "offered load".into(),
                values: rates.iter().map(|&r| Coordinate::Float(r)).collect(),
            },
        ],
        n_points: routings.len() * n_rates,
    }
}

/// Point `index` of `study`; routing `i` saturates at `0.75 - 0.1 i` of the load.
pub fn point(run: &RunInfo, index: usize) -> PointRecord {
    let rates = &run.axes[1].values;
    let (routing, rate) = (index / rates.len(), index % rates.len());
    let Coordinate::Float(load) = rates[rate] else { panic!("the second axis is the load") };
    PointRecord {
        index,
        coordinates: vec![run.axes[0].values[routing].clone(), rates[rate].clone()],
        config_toml: format!("[traffic]\ninjection_rate = {load}\n"),
        deadlock: "deadlock-free".into(),
        report: report(load, 0.75 - 0.1 * routing as f64, index as u64),
        runtime: PointRuntime { wall_seconds: 1.5 + index as f64, lookahead: 4, windows: 1000 },
    }
}

/// A report as of a queue that saturates at load `limit`.
pub fn report(load: f64, limit: f64, noise: u64) -> PointReport {
    let saturated = load > limit;
    let accepted = load.min(limit);
    let mean = if saturated { 300.0 + 2000.0 * (load - limit) } else { 10.0 + 1.9 * load / (limit * 1.08 - load) };
    let network = network();
    let n_channels = network.source_router.len();
    let latency = |mean: f64| Latency {
        count: 1000,
        mean,
        ci95: mean * 0.002 * mean,
        p50: (mean * 0.95).floor(),
        p95: (mean * 1.6).floor(),
        p99: (mean * 2.1).floor(),
        p999: (mean * 2.9).floor(),
        max: (mean * 3.5) as u64,
    };
    let load_of = |mean: f64| Load { mean, min: mean * 0.9, max: mean * 1.1, jain: 0.998 };
    let bins = |from: u64| Bins {
        lower: (from..from + 40).collect(),
        upper: (from..from + 40).collect(),
        count: (0..40).map(|i| 1 + (i * 37 + noise) % 50).collect(),
    };
    let series = |name, unit, value: f64| Series {
        name,
        unit,
        long_name: "a quantity per sample period",
        values: (0..12).map(|i| value * (1.0 + 0.01 * f64::from(i))).collect(),
    };
    PointReport {
        status: if saturated { Status::Saturated } else { Status::Converged },
        stop_reason: if saturated { "saturated" } else { "converged" },
        latency_steady: !saturated,
        window_start: 3000,
        window_end: 12000,
        cycles: 12400,
        packets_offered: (load * 108_000.0) as u64,
        packets_accepted: (accepted * 108_000.0) as u64,
        active_endpoints: network.endpoint_router.len() as u64,
        offered: load_of(load),
        accepted: load_of(accepted),
        accepted_ci95: 0.01 * noise as f64,
        packet_latency: latency(mean),
        network_latency: latency(mean * 0.9),
        hops_mean: 1.8,
        delivered_share: 1.0,
        packets_refused: 0,
        packets_lost: 0,
        packets_dropped: 0,
        update_messages: 0,
        update_rounds: 0,
        channel_utilization_mean: accepted * 0.9,
        channel_utilization_max: accepted * 1.1,
        vc_occupancy_mean: accepted * 2.0,
        vc_occupancy_max: accepted * 5.0,
        flit_hops: 1_000_000 + noise,
        packet_latency_bins: bins(10),
        network_latency_bins: bins(8),
        channel_utilization: (0..n_channels).map(|c| accepted * (c as f64 + 1.0) / n_channels as f64).collect(),
        vc_occupancy: (0..n_channels * NUM_VCS).map(|c| accepted * c as f64).collect(),
        endpoint_accepted: (0..network.endpoint_router.len() as u64).map(|e| 8000 + e + noise).collect(),
        endpoint_offered: (0..network.endpoint_router.len() as u64).map(|e| 8001 + e + noise).collect(),
        messages: Messages::default(),
        series: vec![series("accepted_load", "flits/cycle/endpoint", accepted), series("packet_latency", "cycles", mean)],
    }
}

/// A report of a point in which no packet was measured.
pub fn empty_report() -> PointReport {
    let none = Latency::default();
    let report = report(0.001, 0.75, 0);
    PointReport {
        packet_latency: none,
        network_latency: none,
        hops_mean: 0.0,
        packet_latency_bins: Bins::default(),
        network_latency_bins: Bins::default(),
        packets_offered: 0,
        packets_accepted: 0,
        ..report
    }
}

/// A run on some machine.
pub fn runtime(host: &str, ranks: u32) -> Runtime {
    Runtime {
        started: "2026-01-02T03:04:05Z".into(),
        host: host.into(),
        git: "clean".into(),
        command: "sfpdes study.toml".into(),
        transport: "local".into(),
        partitioner: "racks".into(),
        ranks,
        threads: 1,
    }
}
