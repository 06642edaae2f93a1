//! From merged counts to the report of a point. All sums are integers; each quotient is taken once.

use crate::ids::Cycle;
use crate::stats::phases::interval;
use crate::stats::{Batch, Bins, Histogram, Latency, Load, Period, Phases, PointReport, Series, Status, Totals};

/// Sizes a report needs.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Endpoints of the network.
    pub n_endpoints: usize,
    /// Directed router-to-router channels.
    pub n_channels: usize,
    /// VCs per channel.
    pub num_vcs: usize,
    /// Cycles of a sample.
    pub sample_period: Cycle,
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn load(flits: &[u64], cycles: u64) -> Load {
    let n = flits.len() as u64;
    let (sum, squares) = flits.iter().fold((0u64, 0u128), |(s, q), &f| (s + f, q + u128::from(f) * u128::from(f)));
    let jain = if squares == 0 { 1.0 } else { (sum as f64).powi(2) / (n as f64 * squares as f64) };
    Load {
        mean: ratio(sum, n * cycles),
        min: ratio(flits.iter().min().copied().unwrap_or(0), cycles),
        max: ratio(flits.iter().max().copied().unwrap_or(0), cycles),
        jain,
    }
}

fn latency(histogram: &Histogram, batches: &[Batch], sum: impl Fn(&Batch) -> u64) -> Latency {
    let means: Vec<f64> = batches.iter().filter(|b| b.packets > 0).map(|b| ratio(sum(b), b.packets)).collect();
    Latency {
        count: histogram.count(),
        mean: histogram.mean(),
        ci95: interval(&means).1,
        p50: histogram.percentile(0.50),
        p95: histogram.percentile(0.95),
        p99: histogram.percentile(0.99),
        p999: histogram.percentile(0.999),
        max: histogram.max(),
    }
}

fn series(periods: &[Period], sizes: &Sizes) -> Vec<Series> {
    let column = |name, unit, long_name, value: &dyn Fn(&Period) -> f64| Series {
        name,
        unit,
        long_name,
        values: periods.iter().map(value).collect(),
    };
    let per_endpoint = sizes.n_endpoints as u64 * sizes.sample_period;
    let load = "flits/cycle/endpoint";
    vec![
        column("offered_load", load, "flits generated", &|p| ratio(p.flits_offered, per_endpoint)),
        column("injected_load", load, "flits that left the source queues", &|p| ratio(p.flits_injected, per_endpoint)),
        column("accepted_load", load, "flits ejected", &|p| ratio(p.flits_accepted, per_endpoint)),
        column("packet_latency", "cycles", "mean packet latency of the packets accepted, 0 if none was", &|p| {
            ratio(p.packet_latency_sum, p.packets_accepted)
        }),
        column("network_latency", "cycles", "mean network latency of the packets accepted, 0 if none was", &|p| {
            ratio(p.network_latency_sum, p.packets_accepted)
        }),
        column("packets_accepted", "packets", "packets whose tail was ejected", &|p| p.packets_accepted as f64),
        column("packets_queued", "packets", "packets in source queues at the end", &|p| p.packets_queued as f64),
        column("flits_in_network", "flits", "flits in buffers and channels at the end", &|p| p.flits_in_network as f64),
        column("flits_buffered", "flits", "flits in router input buffers at the end", &|p| p.flits_buffered as f64),
    ]
}

/// Values by index out of (index, a, b) triples of all partitions.
fn scatter(triples: &[[u64; 3]], n: usize) -> (Vec<u64>, Vec<u64>) {
    let (mut a, mut b) = (vec![0; n], vec![0; n]);
    for &[index, x, y] in triples {
        a[index as usize] = x;
        b[index as usize] = y;
    }
    (a, b)
}

/// The report of a point that has ended.
#[must_use]
pub fn report(phases: &Phases, totals: &Totals, sizes: &Sizes) -> PointReport {
    let (status, stop_reason) = phases.outcome.unwrap_or((Status::MaxTime, "max_time"));
    let window = &phases.periods[phases.first..phases.last];
    let cycles = window.len() as u64 * sizes.sample_period;
    let (endpoint_offered, endpoint_accepted) = scatter(&totals.window.endpoints, sizes.n_endpoints);
    let (arrived, occupied) = scatter(&totals.window.vcs, sizes.n_channels * sizes.num_vcs);
    let by_channel: Vec<u64> = arrived.chunks(sizes.num_vcs).map(|vcs| vcs.iter().sum()).collect();
    let measured = &totals.measured;
    let batches = &measured.batches;
    let per_endpoint = sizes.n_endpoints as u64 * sizes.sample_period;
    let accepted_by_sample: Vec<f64> = window.iter().map(|p| ratio(p.flits_accepted, per_endpoint)).collect();
    PointReport {
        status,
        stop_reason,
        latency_steady: matches!(status, Status::Converged | Status::MaxTime),
        window_start: phases.first as u64 * sizes.sample_period,
        window_end: phases.last as u64 * sizes.sample_period,
        cycles: phases.periods.len() as u64 * sizes.sample_period,
        packets_offered: window.iter().map(|p| p.packets_offered).sum(),
        packets_accepted: window.iter().map(|p| p.packets_accepted).sum(),
        offered: load(&endpoint_offered, cycles),
        accepted: load(&endpoint_accepted, cycles),
        accepted_ci95: interval(&accepted_by_sample).1,
        packet_latency: latency(&measured.packet_latency, batches, |b| b.packet_latency),
        network_latency: latency(&measured.network_latency, batches, |b| b.network_latency),
        hops_mean: ratio(measured.hops, measured.packet_latency.count()),
        channel_utilization_mean: ratio(by_channel.iter().sum(), by_channel.len() as u64 * cycles),
        channel_utilization_max: ratio(by_channel.iter().max().copied().unwrap_or(0), cycles),
        vc_occupancy_mean: ratio(occupied.iter().sum(), occupied.len() as u64 * cycles),
        vc_occupancy_max: ratio(occupied.iter().max().copied().unwrap_or(0), cycles),
        flit_hops: phases.periods.iter().map(|p| p.flit_hops).sum(),
        packet_latency_bins: measured.packet_latency.bins(),
        network_latency_bins: measured.network_latency.bins(),
        channel_utilization: by_channel.iter().map(|&flits| ratio(flits, cycles)).collect(),
        vc_occupancy: occupied.iter().map(|&integral| ratio(integral, cycles)).collect(),
        endpoint_accepted,
        endpoint_offered,
        series: series(&phases.periods, sizes),
    }
}

impl Bins {
    /// Number of bins.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_is_one_when_equal_and_one_over_n_when_one_has_all() {
        assert!((load(&[5, 5, 5, 5], 10).jain - 1.0).abs() < 1e-12);
        assert!((load(&[8, 0, 0, 0], 10).jain - 0.25).abs() < 1e-12);
        let idle = load(&[0, 0], 10);
        assert_eq!((idle.mean, idle.min, idle.max, idle.jain), (0.0, 0.0, 0.0, 1.0));
    }
}
