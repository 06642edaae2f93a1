//! What the results file is made from: plain data about the study, its networks and each finished point.

use crate::hypercube::{CellSummary, SetResult};
use crate::stats::PointReport;
use crate::topology::Graph;

/// What kind of study a results file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StudyKind {
    /// A network simulated at each point.
    Simulation,
    /// A hypercube with faults: unicasts decided, a point for each cell and column.
    Hypercube,
}

/// The study, as far as it is the same for every run of it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunInfo {
    /// What is studied.
    pub kind: StudyKind,
    /// Effective configuration of the study with its sweep, without what may differ between runs (runtime, output).
    pub config_toml: String,
    /// Seed of all random streams.
    pub seed: u64,
    /// Version of the program.
    pub version: String,
    /// The swept keys, in the order of the input; of a hypercube study also what tells its points apart within one input.
    pub axes: Vec<Axis>,
    /// Points of the whole study.
    pub n_points: usize,
}

/// A swept key.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Dotted key, e.g. `traffic.injection_rate`; the name of its column everywhere.
    pub name: String,
    /// Unit; "1" for a pure number, empty for words.
    pub unit: String,
    /// Meaning in one sentence.
    pub long_name: String,
    /// Its values in the order of the sweep. They decide the type of the column: whole numbers, numbers or words.
    pub values: Vec<Coordinate>,
}

/// The value of a swept key.
#[derive(Clone, Debug, PartialEq)]
pub enum Coordinate {
    /// A whole number.
    Int(i64),
    /// A number; never NaN or infinite.
    Float(f64),
    /// A word, and anything else as it is typed in TOML.
    Text(String),
}

impl std::fmt::Display for Coordinate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Coordinate::Int(v) => write!(f, "{v}"),
            Coordinate::Float(v) => write!(f, "{v}"),
            Coordinate::Text(v) => write!(f, "{v:?}"),
        }
    }
}

/// One finished point.
#[derive(Clone, Debug)]
pub struct PointRecord {
    /// Its place in the study, from 0.
    pub index: usize,
    /// Its value on each axis of the study.
    pub coordinates: Vec<Coordinate>,
    /// Its effective configuration.
    pub config_toml: String,
    /// How freedom from deadlock was shown, or the cycle that was allowed.
    pub deadlock: String,
    /// What was measured.
    pub report: PointReport,
    /// What it took on this machine.
    pub runtime: PointRuntime,
}

/// One finished cell of a hypercube study: a point for each column of the study.
#[derive(Clone, Debug)]
pub struct CellRecord {
    /// Its number in the study, from 0.
    pub cell: usize,
    /// Index of its first point.
    pub first_point: usize,
    /// Value on each axis of the study, for each point.
    pub coordinates: Vec<Vec<Coordinate>>,
    /// What was counted, of all fault sets together; a column for each point.
    pub summary: CellSummary,
    /// What was counted in each fault set.
    pub fault_sets: Vec<SetResult>,
    /// Wall time, s: goes to `/runtime` only.
    pub wall_seconds: f64,
}

/// What a point took: goes to `/runtime` only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointRuntime {
    /// Wall time, set-up included, s.
    pub wall_seconds: f64,
    /// Cycles simulated between two exchanges; 0 where nothing is cut.
    pub lookahead: u64,
    /// Exchanges between partitions.
    pub windows: u64,
}

/// One run of the program on a study: goes to `/runtime` only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runtime {
    /// Start, UTC, ISO 8601.
    pub started: String,
    /// Machine of rank 0.
    pub host: String,
    /// State of the source tree the program was built from.
    pub git: String,
    /// The command line.
    pub command: String,
    /// How partitions talk: local, threads, mpi.
    pub transport: String,
    /// How routers are dealt to partitions.
    pub partitioner: String,
    /// Processes.
    pub ranks: u32,
    /// Threads per process.
    pub threads: u32,
}

/// The network behind one or more points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkInfo {
    /// Name of the topology.
    pub topology: String,
    /// Source router of each router-to-router channel; shape `[n_channels]` like the other channel fields.
    pub source_router: Vec<u32>,
    /// Output port at the source router.
    pub source_port: Vec<u32>,
    /// Destination router.
    pub destination_router: Vec<u32>,
    /// Class, as numbered by `topology::ChannelClass`.
    pub class: Vec<u8>,
    /// Router of each endpoint; shape `[n_endpoints]`.
    pub endpoint_router: Vec<u32>,
    /// Rack of each router; shape `[n_routers]`.
    pub rack: Vec<u32>,
}

impl NetworkInfo {
    /// The description of `graph`, channels in the order of `Graph::channel`.
    #[must_use]
    pub fn new(topology: &str, graph: &Graph) -> Self {
        let mut info = Self {
            topology: topology.to_string(),
            source_router: Vec::with_capacity(graph.n_channels()),
            source_port: Vec::with_capacity(graph.n_channels()),
            destination_router: Vec::with_capacity(graph.n_channels()),
            class: Vec::with_capacity(graph.n_channels()),
            endpoint_router: Vec::with_capacity(graph.n_endpoints() as usize),
            rack: (0..graph.n_routers()).map(|r| graph.rack(r)).collect(),
        };
        for router in 0..graph.n_routers() {
            for (port, (&peer, &class)) in (0u32..).zip(graph.peers(router).iter().zip(graph.classes(router))) {
                info.source_router.push(router);
                info.source_port.push(port);
                info.destination_router.push(peer);
                info.class.push(class as u8);
            }
            info.endpoint_router.extend(graph.endpoints(router).map(|_| router));
        }
        info
    }
}
