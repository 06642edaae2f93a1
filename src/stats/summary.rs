//! From merged counts to the report of a point. All sums are integers; each quotient is taken once.

use crate::ids::Cycle;
use crate::stats::{
    interval, Arrived, Batch, Bins, Histogram, Latency, Load, Messages, Period, Phases, PointReport, Series, Status, Totals,
};

/// What a report needs to know of the point.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// Whether each endpoint sends; shape `[n_endpoints]`.
    pub active: Vec<bool>,
    /// Whether it is sent to.
    pub receiving: Vec<bool>,
    /// The messages of a list, in its order.
    pub messages: Vec<Listed>,
    /// Directed router-to-router channels.
    pub n_channels: usize,
    /// VCs per channel.
    pub num_vcs: usize,
    /// Cycles of a sample.
    pub sample_period: Cycle,
    /// Messages by which routers heard of failures, and the longest chain of them.
    pub update: (u64, u64),
}

/// A message as it was listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Cycle from which its source could send it.
    pub time: u64,
    /// Source endpoint.
    pub source: u64,
    /// Destination endpoint.
    pub destination: u64,
    /// Flits.
    pub size: u64,
    /// Packets.
    pub packets: u64,
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// The mean of `flits` over `n_active` endpoints, the rest over those that are `counted`.
fn load(flits: &[u64], counted: &[bool], n_active: u64, cycles: u64) -> Load {
    let counted = || flits.iter().zip(counted).filter(|(_, &counted)| counted).map(|(&flits, _)| flits);
    let (sum, squares) = counted().fold((0u64, 0u128), |(s, q), f| (s + f, q + u128::from(f) * u128::from(f)));
    let n = counted().count();
    let jain = if squares == 0 { 1.0 } else { (sum as f64).powi(2) / (n as f64 * squares as f64) };
    Load {
        mean: ratio(flits.iter().sum(), n_active * cycles),
        min: ratio(counted().min().unwrap_or(0), cycles),
        max: ratio(counted().max().unwrap_or(0), cycles),
        jain,
    }
}

/// What became of the messages.
fn messages(listed: &[Listed], arrived: &[Arrived]) -> Messages {
    let mut completion = vec![0; listed.len()];
    let mut latencies = Histogram::default();
    for a in arrived {
        let message = &listed[a.message as usize];
        if a.packets == message.packets {
            completion[a.message as usize] = a.last;
            latencies.record((a.last - message.time) as u32);
        }
    }
    let column = |of: fn(&Listed) -> u64| listed.iter().map(of).collect();
    Messages {
        time: column(|m| m.time),
        source: column(|m| m.source),
        destination: column(|m| m.destination),
        size: column(|m| m.size),
        completion,
        latency: latency(&latencies, &[], |_| 0),
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

fn series(periods: &[Period], n_active: u64, sizes: &Sizes) -> Vec<Series> {
    let column = |name, unit, long_name, value: &dyn Fn(&Period) -> f64| Series {
        name,
        unit,
        long_name,
        values: periods.iter().map(value).collect(),
    };
    let per_endpoint = n_active * sizes.sample_period;
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
        column("packets_refused", "packets", "packets that their source refused to send", &|p| p.packets_refused as f64),
        column("packets_lost", "packets", "packets lost with what failed", &|p| p.packets_lost as f64),
        column("packets_dropped", "packets", "packets that a failure left no way on", &|p| p.packets_dropped as f64),
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
    let (endpoint_offered, endpoint_accepted) = scatter(&totals.window.endpoints, sizes.active.len());
    let n_active = sizes.active.iter().filter(|&&active| active).count() as u64;
    let (arrived, occupied) = scatter(&totals.window.vcs, sizes.n_channels * sizes.num_vcs);
    let by_channel: Vec<u64> = arrived.chunks(sizes.num_vcs).map(|vcs| vcs.iter().sum()).collect();
    let measured = &totals.measured;
    let batches = &measured.batches;
    let [refused, lost, dropped] = measured.failed;
    let delivered = measured.packet_latency.count();
    let per_endpoint = n_active * sizes.sample_period;
    let accepted_by_sample: Vec<f64> = window.iter().map(|p| ratio(p.flits_accepted, per_endpoint)).collect();
    PointReport {
        status,
        stop_reason,
        latency_steady: matches!(status, Status::Converged | Status::MaxTime | Status::Completed),
        window_start: phases.first as u64 * sizes.sample_period,
        window_end: phases.last as u64 * sizes.sample_period,
        cycles: phases.periods.len() as u64 * sizes.sample_period,
        packets_offered: window.iter().map(|p| p.packets_offered).sum(),
        packets_accepted: window.iter().map(|p| p.packets_accepted).sum(),
        active_endpoints: n_active,
        offered: load(&endpoint_offered, &sizes.active, n_active, cycles),
        accepted: load(&endpoint_accepted, &sizes.receiving, n_active, cycles),
        accepted_ci95: interval(&accepted_by_sample).1,
        packet_latency: latency(&measured.packet_latency, batches, |b| b.packet_latency),
        network_latency: latency(&measured.network_latency, batches, |b| b.network_latency),
        hops_mean: ratio(measured.hops, delivered),
        delivered_share: ratio(delivered, delivered + refused + lost + dropped),
        packets_refused: refused,
        packets_lost: lost,
        packets_dropped: dropped,
        update_messages: sizes.update.0,
        update_rounds: sizes.update.1,
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
        series: series(&phases.periods, n_active, sizes),
        messages: messages(&sizes.messages, &totals.arrived),
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
        assert!((load(&[5, 5, 5, 5], &[true; 4], 4, 10).jain - 1.0).abs() < 1e-12);
        assert!((load(&[8, 0, 0, 0], &[true; 4], 4, 10).jain - 0.25).abs() < 1e-12);
        let idle = load(&[0, 0], &[true; 2], 2, 10);
        assert_eq!((idle.mean, idle.min, idle.max, idle.jain), (0.0, 0.0, 0.0, 1.0));
    }

    #[test]
    fn those_that_take_no_part_are_not_counted() {
        // Two of four endpoints send, to one.
        let offered = load(&[4, 6, 0, 0], &[true, true, false, false], 2, 10);
        assert_eq!((offered.mean, offered.min, offered.max), (0.5, 0.4, 0.6));
        let accepted = load(&[0, 0, 9, 0], &[false, false, true, false], 2, 10);
        assert_eq!((accepted.mean, accepted.min, accepted.max, accepted.jain), (0.45, 0.9, 0.9, 1.0));
    }

    #[test]
    fn a_message_is_complete_with_its_last_packet() {
        let listed = |time, packets| Listed { time, source: 1, destination: 2, size: packets, packets };
        let arrived = |message, packets, last| Arrived { message, packets, last };
        let list = [listed(10, 3), listed(20, 2), listed(5, 1)];
        let some = messages(&list, &[arrived(2, 1, 9), arrived(0, 3, 50), arrived(1, 1, 60)]);
        assert_eq!((some.completion.as_slice(), some.n_completed(), some.completion_time()), (&[50, 0, 9][..], 2, 0));
        assert_eq!((some.latency.count, some.latency.mean, some.latency.max), (2, 22.0, 40));
        let all = messages(&list, &[arrived(2, 1, 9), arrived(0, 3, 50), arrived(1, 2, 60)]);
        assert_eq!((all.n_completed(), all.completion_time(), messages(&[], &[]).completion_time()), (3, 60, 0));
    }
}
