//! What one simulated point reports: pure data, equal to the last bit for any partitioning.

/// How a point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Steady state, and the confidence interval is as narrow as asked.
    Converged,
    /// Steady state, but `max_samples` passed before the interval was as narrow as asked.
    MaxTime,
    /// The network accepts less than is offered; latency has no steady value.
    Saturated,
    /// Nothing moved any more: deadlock.
    Stalled,
    /// Every message of the list was delivered.
    Completed,
}

impl Status {
    /// All values.
    pub const ALL: [Status; 5] = [Status::Converged, Status::MaxTime, Status::Saturated, Status::Stalled, Status::Completed];

    /// The word in files and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Status::Converged => "converged",
            Status::MaxTime => "max_time",
            Status::Saturated => "saturated",
            Status::Stalled => "stalled",
            Status::Completed => "completed",
        }
    }
}

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A count.
    Int(u64),
    /// A measured quantity; never NaN or infinite.
    Float(f64),
    /// A word.
    Text(&'static str),
}

/// One column of `/points`, `summary.csv` and the table on stdout.
pub struct Column {
    /// Name, the same in every output.
    pub name: &'static str,
    /// Unit; "1" for a pure number, empty for words.
    pub unit: &'static str,
    /// Definition in one sentence.
    pub long_name: &'static str,
    /// The value of a report.
    pub get: fn(&PointReport) -> Cell,
}

/// A histogram as it is stored: bins with at least one entry, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bins {
    /// Lower bound of each bin, cycles (inclusive).
    pub lower: Vec<u64>,
    /// Upper bound of each bin, cycles (inclusive).
    pub upper: Vec<u64>,
    /// Entries of each bin.
    pub count: Vec<u64>,
}

/// One column of the time series, one value per sample period from cycle 0 on.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name.
    pub name: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Definition in one sentence.
    pub long_name: &'static str,
    /// Values; shape `[sample periods simulated]`.
    pub values: Vec<f64>,
}

/// The messages of a list, in the order of the list; all empty without one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Messages {
    /// Cycle from which the source could send each. Shape `[messages]`, like the others.
    pub time: Vec<u64>,
    /// Source endpoint.
    pub source: Vec<u64>,
    /// Destination endpoint.
    pub destination: Vec<u64>,
    /// Flits.
    pub size: Vec<u64>,
    /// Cycle in which its last flit was read, 0 if that did not happen.
    pub completion: Vec<u64>,
    /// From `time` to `completion`, of the messages delivered. `ci95` is 0: there are no batches.
    pub latency: Latency,
}

impl Messages {
    /// Messages delivered.
    #[must_use]
    pub fn n_completed(&self) -> u64 {
        self.completion.iter().filter(|&&cycle| cycle > 0).count() as u64
    }

    /// The cycle in which the last flit of all was read; 0 if a message was not delivered.
    #[must_use]
    pub fn completion_time(&self) -> u64 {
        if self.completion.contains(&0) {
            return 0;
        }
        self.completion.iter().max().copied().unwrap_or(0)
    }
}

/// Mean, extremes and evenness of a load over endpoints, flits per cycle and endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// All flits over the endpoints that send.
    pub mean: f64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Jain's fairness index (sum x)^2 / (n sum x^2); 1 when all are equal, and when all are 0.
    pub jain: f64,
}

/// A distribution of latencies, cycles; all 0 when `count` is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Latency {
    /// Packets measured.
    pub count: u64,
    /// Mean.
    pub mean: f64,
    /// Half width of the 95 % confidence interval of the mean, by batch means; 0 with fewer than 2 batches.
    pub ci95: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// Largest, exact.
    pub max: u64,
}

/// Everything measured at one point.
#[derive(Clone, Debug, PartialEq)]
pub struct PointReport {
    /// How it ended.
    pub status: Status,
    /// Why it ended: converged, max_time, saturated, stalled, completed.
    pub stop_reason: &'static str,
    /// False when latency has no steady value (saturated, stalled).
    pub latency_steady: bool,
    /// First cycle of the measured window.
    pub window_start: u64,
    /// First cycle after the measured window.
    pub window_end: u64,
    /// Cycles simulated, warm-up and drain included.
    pub cycles: u64,
    /// Packets generated in the measured window.
    pub packets_offered: u64,
    /// Packets whose tail was ejected in the measured window.
    pub packets_accepted: u64,
    /// Endpoints that send: loads are per such endpoint.
    pub active_endpoints: u64,
    /// Load generated in the measured window; extremes over the endpoints that send.
    pub offered: Load,
    /// Load ejected in the measured window; the mean is per endpoint that sends, extremes over those that are sent to.
    pub accepted: Load,
    /// Half width of the 95 % confidence interval of its mean, by batch means over sample periods.
    pub accepted_ci95: f64,
    /// From generation to ejection of the tail, of the packets generated in the measured window.
    pub packet_latency: Latency,
    /// From injection of the head to ejection of the tail, of the same packets.
    pub network_latency: Latency,
    /// Mean number of router-to-router channels crossed by those packets.
    pub hops_mean: f64,
    /// Of the packets generated in the measured window whose fate is known, the share that was delivered; 0 if there are none.
    pub delivered_share: f64,
    /// Packets generated in the measured window that their source refused to send.
    pub packets_refused: u64,
    /// Such packets that were lost with a channel or router that failed.
    pub packets_lost: u64,
    /// Such packets that were dropped where a failure left them no way on.
    pub packets_dropped: u64,
    /// Messages by which routers told each other of failures, in the whole run.
    pub update_messages: u64,
    /// The longest chain of such messages that each told something because of the one before.
    pub update_rounds: u64,
    /// Mean over router-to-router channels of flits per cycle in the measured window.
    pub channel_utilization_mean: f64,
    /// Largest utilisation of a router-to-router channel.
    pub channel_utilization_max: f64,
    /// Mean over router input VCs of buffered flits, averaged over the measured window.
    pub vc_occupancy_mean: f64,
    /// Largest time average of one input VC.
    pub vc_occupancy_max: f64,
    /// Flits moved out of a router in the whole run: flits times routers visited.
    pub flit_hops: u64,
    /// Distribution of packet latency.
    pub packet_latency_bins: Bins,
    /// Distribution of network latency.
    pub network_latency_bins: Bins,
    /// Utilisation of each router-to-router channel, flits per cycle; shape `[n_channels]`, in the order of `Graph::channel`.
    pub channel_utilization: Vec<f64>,
    /// Mean occupancy of the input buffer at the far end of each channel, flits, by VC; shape `[n_channels * num_vcs]`.
    pub vc_occupancy: Vec<f64>,
    /// Flits ejected in the window by endpoint; shape `[n_endpoints]`.
    pub endpoint_accepted: Vec<u64>,
    /// Flits generated in the window by endpoint; shape `[n_endpoints]`.
    pub endpoint_offered: Vec<u64>,
    /// Per sample period.
    pub series: Vec<Series>,
    /// The messages, if the traffic is a list of them.
    pub messages: Messages,
}

macro_rules! columns {
    ($($name:literal $unit:literal $get:expr, $long:literal;)*) => {
        &[$(Column { name: $name, unit: $unit, long_name: $long, get: $get }),*]
    };
}

/// The columns of a point, in the order in which they are shown.
pub const COLUMNS: &[Column] = columns! {
    "status" "" |r| Cell::Text(r.status.name()), "how the point ended: converged, max_time, saturated, stalled or completed";
    "stop_reason" "" |r| Cell::Text(r.stop_reason), "what ended the simulation of the point";
    "latency_steady" "1" |r| Cell::Int(u64::from(r.latency_steady)), "1 if latency has a steady value, 0 if it grows for as long as one measures";
    "active_endpoints" "endpoints" |r| Cell::Int(r.active_endpoints), "endpoints that send; loads are per such endpoint";
    "offered_load" "flits/cycle/endpoint" |r| Cell::Float(r.offered.mean), "flits generated in the measured window, mean over the endpoints that send";
    "offered_load_min" "flits/cycle/endpoint" |r| Cell::Float(r.offered.min), "flits generated in the measured window, smallest endpoint that sends";
    "offered_load_max" "flits/cycle/endpoint" |r| Cell::Float(r.offered.max), "flits generated in the measured window, largest endpoint that sends";
    "offered_load_jain" "1" |r| Cell::Float(r.offered.jain), "Jain's fairness index of the offered load over the endpoints that send";
    "accepted_load" "flits/cycle/endpoint" |r| Cell::Float(r.accepted.mean), "flits ejected in the measured window, per endpoint that sends";
    "accepted_load_ci95" "flits/cycle/endpoint" |r| Cell::Float(r.accepted_ci95), "half width of the 95 % confidence interval of accepted_load, by batch means over sample periods";
    "accepted_load_min" "flits/cycle/endpoint" |r| Cell::Float(r.accepted.min), "flits ejected in the measured window, smallest endpoint that is sent to";
    "accepted_load_max" "flits/cycle/endpoint" |r| Cell::Float(r.accepted.max), "flits ejected in the measured window, largest endpoint that is sent to";
    "accepted_load_jain" "1" |r| Cell::Float(r.accepted.jain), "Jain's fairness index of the accepted load over the endpoints that are sent to";
    "packet_latency" "cycles" |r| Cell::Float(r.packet_latency.mean), "mean time from generation to ejection of the tail, packets generated in the measured window";
    "packet_latency_ci95" "cycles" |r| Cell::Float(r.packet_latency.ci95), "half width of the 95 % confidence interval of packet_latency, by batch means over sample periods";
    "packet_latency_p50" "cycles" |r| Cell::Float(r.packet_latency.p50), "median packet latency";
    "packet_latency_p95" "cycles" |r| Cell::Float(r.packet_latency.p95), "95th percentile of packet latency";
    "packet_latency_p99" "cycles" |r| Cell::Float(r.packet_latency.p99), "99th percentile of packet latency";
    "packet_latency_p999" "cycles" |r| Cell::Float(r.packet_latency.p999), "99.9th percentile of packet latency";
    "packet_latency_max" "cycles" |r| Cell::Int(r.packet_latency.max), "largest packet latency";
    "network_latency" "cycles" |r| Cell::Float(r.network_latency.mean), "mean time from injection of the head to ejection of the tail, same packets";
    "network_latency_ci95" "cycles" |r| Cell::Float(r.network_latency.ci95), "half width of the 95 % confidence interval of network_latency";
    "network_latency_p50" "cycles" |r| Cell::Float(r.network_latency.p50), "median network latency";
    "network_latency_p95" "cycles" |r| Cell::Float(r.network_latency.p95), "95th percentile of network latency";
    "network_latency_p99" "cycles" |r| Cell::Float(r.network_latency.p99), "99th percentile of network latency";
    "network_latency_p999" "cycles" |r| Cell::Float(r.network_latency.p999), "99.9th percentile of network latency";
    "network_latency_max" "cycles" |r| Cell::Int(r.network_latency.max), "largest network latency";
    "hops" "1" |r| Cell::Float(r.hops_mean), "mean number of router-to-router channels crossed, same packets";
    "channel_utilization_mean" "flits/cycle" |r| Cell::Float(r.channel_utilization_mean), "mean load of the router-to-router channels in the measured window";
    "channel_utilization_max" "flits/cycle" |r| Cell::Float(r.channel_utilization_max), "load of the busiest router-to-router channel in the measured window";
    "vc_occupancy_mean" "flits" |r| Cell::Float(r.vc_occupancy_mean), "mean number of flits in a router input VC, over VCs of router-to-router channels and the measured window";
    "vc_occupancy_max" "flits" |r| Cell::Float(r.vc_occupancy_max), "largest time-averaged occupancy of one such VC";
    "packets_offered" "packets" |r| Cell::Int(r.packets_offered), "packets generated in the measured window";
    "packets_accepted" "packets" |r| Cell::Int(r.packets_accepted), "packets whose tail was ejected in the measured window";
    "packets_measured" "packets" |r| Cell::Int(r.packet_latency.count), "packets generated in the measured window and delivered by the end: those behind the latencies, which are 0 if there are none";
    "delivered_share" "1" |r| Cell::Float(r.delivered_share), "of the packets generated in the measured window whose fate is known at the end, the share that was delivered; 0 if there are none";
    "packets_refused" "packets" |r| Cell::Int(r.packets_refused), "packets generated in the measured window that their source refused to send, because of faults";
    "packets_lost" "packets" |r| Cell::Int(r.packets_lost), "packets generated in the measured window that were on a channel or in a router when it failed";
    "packets_dropped" "packets" |r| Cell::Int(r.packets_dropped), "packets generated in the measured window that were dropped where a failure left them no way on";
    "update_messages" "messages" |r| Cell::Int(r.update_messages), "messages by which routers told their neighbours of failures during the simulation";
    "update_rounds" "1" |r| Cell::Int(r.update_rounds), "longest chain of such messages that each told something because of the one before";
    "window_start" "cycles" |r| Cell::Int(r.window_start), "first cycle of the measured window; everything before is warm-up and is not in any other column";
    "window_end" "cycles" |r| Cell::Int(r.window_end), "first cycle after the measured window";
    "cycles" "cycles" |r| Cell::Int(r.cycles), "cycles simulated, warm-up and drain included";
    "flit_hops" "flits" |r| Cell::Int(r.flit_hops), "flits times routers visited in the whole simulation";
    "messages" "messages" |r| Cell::Int(r.messages.size.len() as u64), "messages of the list, 0 without one";
    "messages_completed" "messages" |r| Cell::Int(r.messages.n_completed()), "messages of which every flit was delivered";
    "completion_time" "cycles" |r| Cell::Int(r.messages.completion_time()), "cycle in which the last flit of all messages was read; 0 if a message was not delivered or there is none";
    "message_latency" "cycles" |r| Cell::Float(r.messages.latency.mean), "mean time from the time of a message to the delivery of its last flit, messages delivered";
    "message_latency_p50" "cycles" |r| Cell::Float(r.messages.latency.p50), "median message latency";
    "message_latency_p95" "cycles" |r| Cell::Float(r.messages.latency.p95), "95th percentile of message latency";
    "message_latency_p99" "cycles" |r| Cell::Float(r.messages.latency.p99), "99th percentile of message latency";
    "message_latency_max" "cycles" |r| Cell::Int(r.messages.latency.max), "largest message latency";
};
