//! What a point takes of memory and time, roughly. Memory is reckoned from the sizes of its network alone, so that a network
//! that is too large is known before anything of it is built.

use crate::config::{Config, ConfigError};
use crate::ids::Cycle;
use crate::network::{bytes_per_remote_tile, Params, TILE_VCS};
use crate::output::readable_bytes;
use crate::study::plan::LOAD;
use crate::study::prepare::{fits, routing_of, topology_of};
use crate::study::{Point, Room};
use crate::topology::Sizes;
use crate::traffic::{Pattern, TrafficPattern};

/// Bytes of a process that simulates nothing: the program and its libraries.
const PROGRAM: f64 = (23 << 20) as f64;

// The others are fitted to the peaks of runs of networks of 50 to 16,384 routers, which scripts/check_memory.py compares some with.

/// Bytes of a VC at one end of a channel: its state, what is checked at the end of a sample, what is counted of it.
const VC: f64 = 130.0;

/// Bytes of a port.
const PORT: f64 = 82.0;

/// Bytes of an endpoint beside its port.
const ENDPOINT: f64 = 300.0;

/// Bytes of a flit under way, with the event that it waits for and the spare room in lists of events.
const FLIT: f64 = 110.0;

/// Bytes of the counts of a VC and of an endpoint where those of all processes are put together, after the simulation.
const COUNTED: f64 = 60.0;

/// Flit hops per second and core to reckon with; measured for q = 19 in benches/README.md, rounded down.
const FLIT_HOPS_PER_SECOND: f64 = 2e6;

/// Who simulates a point, and what else is simulated there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Processes that each have a part of the point.
    pub ranks: u32,
    /// Threads that share such a part.
    pub threads: u32,
    /// Points at the same time in each process.
    pub points: u32,
}

impl Share {
    /// One point in one thread.
    pub const ALONE: Self = Self { ranks: 1, threads: 1, points: 1 };
}

/// Bytes of memory that a point takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footprint {
    /// For a moment, while the graph is built.
    building: f64,
    /// The graph, which every process has.
    graph: f64,
    /// What every process has of the tables of the routing.
    tables: f64,
    /// The rows of these tables, which processes share out.
    rows: f64,
    /// State of routers and endpoints, and the flits, which processes share out.
    state: f64,
    /// Tiles of routers, and the channels between routers, by which a partition reaches the tiles of others.
    tiles: f64,
    channels: f64,
    /// What a partition has for each such tile of another.
    per_remote_tile: f64,
    /// Counts of the whole network, in one process, after the state is no longer needed.
    counts: f64,
    /// For the dependency graph, in the process that shows freedom from deadlock, if it takes all rows.
    dependencies: f64,
}

impl Footprint {
    /// Of a point whose network measures `sizes`. Reckons with the offered load, with shortest paths, and, of an input with
    /// faults, with what is known; the flits of a list of messages are not counted.
    #[must_use]
    pub fn new(config: &Config, sizes: &Sizes) -> Self {
        let load = config.get_float(LOAD).filter(|_| config.is_sound(&["traffic"])).unwrap_or(0.0);
        let flits = |params: &Params| in_flight(params, sizes.n_endpoints as f64 * load, f64::from(sizes.diameter));
        Self::with(config, sizes, flits)
    }

    /// The same with as many flits under way as `flits` says.
    fn with(config: &Config, sizes: &Sizes, flits: impl FnOnce(&Params) -> f64) -> Self {
        let [routers, endpoints, channels] = [sizes.n_routers, sizes.n_endpoints, sizes.n_channels].map(|n| n as f64);
        let ports = channels + endpoints;
        let params = config.is_sound(&["network", "router", "routing", "traffic"]).then(|| Params::new(config).ok()).flatten();
        let vcs = params.as_ref().map_or(0.0, |params| ports * f64::from(params.num_vcs));
        let state = params.as_ref().map_or(0.0, |params| vcs * VC + ports * PORT + endpoints * ENDPOINT + flits(params) * FLIT);
        let routing = routing_of(config);
        let memory = fits(routing, config).then(|| (routing.memory)(config, sizes));
        let (per_row, tables) = memory.map_or((0, 0), |memory| (memory.per_row, memory.shared));
        // Some kinds of dependencies, each with a bit per pair of channels that meet, and what says where the bits are.
        let dependencies = channels * (12.0 + 4.0 * channels / routers.max(1.0) / 8.0);
        Self {
            building: channels * 12.0 + routers * 20.0,
            graph: channels * 7.0 + routers * 24.0 + endpoints * 4.0,
            tables: tables as f64,
            rows: routers * per_row as f64,
            state,
            tiles: (vcs / TILE_VCS as f64).ceil().min(routers),
            channels,
            per_remote_tile: params.as_ref().map_or(0.0, |params| bytes_per_remote_tile(params) as f64),
            counts: (vcs + endpoints) * COUNTED,
            dependencies,
        }
    }

    /// Bytes to have the graph.
    pub(super) fn of_graph(&self) -> f64 {
        PROGRAM + self.graph + self.building
    }

    /// Bytes to examine the point, in one process.
    pub(super) fn of_examination(&self) -> f64 {
        self.of_graph() + self.tables
    }

    /// Bytes to follow the paths of all packets, in one process.
    pub(super) fn of_proof(&self) -> f64 {
        self.of_examination() + self.rows + self.dependencies
    }

    /// Bytes to simulate, in each process; the points at the same time have the network in common.
    #[must_use]
    pub fn of_process(&self, share: Share) -> f64 {
        let part = (self.rows + self.state) / f64::from(share.ranks) + self.of_remote_tiles(share);
        PROGRAM + self.graph + self.tables + f64::from(share.points) * part.max(self.counts)
    }

    /// Bytes for what the partitions in a process send to the tiles of others: of all other partitions, or of as many as their
    /// channels lead to.
    fn of_remote_tiles(&self, share: Share) -> f64 {
        let partitions = f64::from(share.ranks) * f64::from(share.threads);
        let tiles = (self.tiles * (1.0 - 1.0 / partitions)).min(self.channels / partitions);
        f64::from(share.threads) * tiles * self.per_remote_tile
    }

    /// That `bytes`, to do what `deed` says, are more than there is `room` for.
    pub(super) fn refusal(&self, config: &Config, sizes: &Sizes, bytes: f64, deed: &str, room: &Room) -> ConfigError {
        let topology = topology_of(config);
        let routing = routing_of(config).name;
        let [tables, state] = [self.tables + self.rows, self.state].map(readable_bytes);
        let parts =
            format!("graph {}, tables of `{routing}` {tables}, routers and endpoints {state}", readable_bytes(self.graph));
        let mut remedies = vec![format!("a smaller {}", topology.size_key)];
        if self.tables + self.rows > self.graph + self.state {
            remedies.push("a routing with smaller tables".into());
        }
        if self.rows + self.state > self.graph + self.tables {
            remedies.push("more machines that share it as ranks".into());
        }
        if config.is_sound(&["runtime"]) && config.int("runtime.side_by_side") > 1 {
            remedies.push("fewer points side by side".into());
        }
        let Sizes { n_routers, n_endpoints, n_channels, .. } = sizes;
        let message = format!(
            "{n_routers} routers, {n_endpoints} endpoints and {n_channels} channels are too many: {deed} takes about {} of memory \
             in each process, and {room} (whole network: {parts}); what helps: {}",
            readable_bytes(bytes),
            remedies.join(", or ")
        );
        config.fault(topology.size_key, message)
    }
}

/// Flits under way if endpoints offer `load` together, in flits per cycle.
fn in_flight(params: &Params, load: f64, hops: f64) -> f64 {
    load * latency(params, hops)
}

/// Cycles that a flit is under way, over that many hops.
fn latency(params: &Params, hops: f64) -> f64 {
    2.0 * f64::from(params.latency[0] + 1) + (hops + 1.0) * f64::from(params.latency[2] + 3)
}

/// What a point will take, roughly, with all that is known of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Bytes of memory in each rank.
    pub bytes_per_rank: f64,
    /// Flit hops of the measured window and the warm-up, if nothing saturates.
    pub flit_hops: f64,
    /// Most cycles.
    pub longest: Cycle,
}

impl Estimate {
    /// Of `point`. Memory counts the arrays that grow with the network (port and VC state, endpoints, table rows, the graph,
    /// which every rank has) and the flits in flight at the offered load.
    ///
    /// # Panics
    /// If the graph is not that of the point's configuration.
    #[must_use]
    pub fn new(point: &Point, share: Share, mean_hops: f64) -> Self {
        let sizes = (topology_of(&point.config).sizes)(&point.config).expect("the graph was built from it");
        let active = (0..point.graph.n_endpoints()).filter(|&e| point.load.pattern.active(e)).count() as f64;
        let list = Pattern::messages(&point.load.pattern);
        // A list is short or long whatever its rate: what it holds in the network is bounded by its size.
        let rate = point.config.get_float(LOAD).unwrap_or(0.0);
        let footprint = Footprint::with(&point.config, &sizes, |params| match list {
            Some(list) => (list.n_flits() as f64).min(active * latency(params, mean_hops)),
            None => in_flight(params, active * rate, mean_hops),
        });
        let window = point.rules.warmup_periods + point.rules.max_samples;
        let steady = (window * point.rules.sample_period) as f64 * active * rate;
        let flits = list.map_or(steady, |list| list.n_flits() as f64);
        Self { bytes_per_rank: footprint.of_process(share), flit_hops: flits * (mean_hops + 1.0), longest: point.rules.longest() }
    }

    /// Seconds on `cores` cores.
    #[must_use]
    pub fn seconds(&self, cores: u32) -> f64 {
        self.flit_hops / (FLIT_HOPS_PER_SECOND * f64::from(cores))
    }
}
