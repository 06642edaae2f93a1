//! From a configuration to a point that can be simulated, with every check that needs the network.

use std::sync::Arc;

use crate::analysis::{Bound, ChannelLoads, Demand};
use crate::config::{Config, ConfigError, ConfigErrors};
use crate::ids::{Cycle, RouterId};
use crate::network::{Layout, Load, Network, Params};
use crate::partition::{assign, Partitioner};
use crate::routing::deadlock::{self, Evidence};
use crate::routing::Survey;
use crate::stats::Rules;
use crate::study::cube_faults::{among_live, check_routing, failures, scenario_of};
use crate::study::plan::LOAD;
use crate::study::Point;
use crate::topology::{ChannelClass, Graph};
use crate::traffic::{self, largest_packet, Injection, Pattern, TrafficPattern};
use crate::{routing, topology};

/// The topology of a configuration.
#[must_use]
pub fn topology_of(config: &Config) -> &'static topology::Entry {
    let name = config.text("network.topology");
    topology::REGISTRY.iter().find(|e| e.name == name).expect("the schema lists the registry's names")
}

/// The routing algorithm of a configuration.
#[must_use]
pub fn routing_of(config: &Config) -> &'static routing::Entry {
    let name = config.text(routing::ALGORITHM);
    routing::REGISTRY.iter().find(|e| e.name == name).expect("the schema lists the registry's names")
}

/// Whether the values of `tables` are known.
///
/// # Errors
/// An empty list if not: the faults that make them unknown are told already, and what hangs on them cannot be.
fn sound(config: &Config, tables: &[&str]) -> Result<(), ConfigErrors> {
    config.is_sound(tables).then_some(()).ok_or_else(ConfigErrors::default)
}

/// Whether the routing `entry` is for the topology of `config`.
fn fits(entry: &routing::Entry, config: &Config) -> bool {
    entry.topologies.is_empty() || entry.topologies.contains(&config.text("network.topology"))
}

/// The partitioner of a configuration.
#[must_use]
pub fn partitioner_of(config: &Config, params: &Params) -> Partitioner {
    let short_within_racks = params.latency(ChannelClass::Local) < params.latency(ChannelClass::Global);
    match config.text("runtime.partitioner") {
        "auto" if !short_within_racks => Partitioner::Subgroups,
        "subgroups" => Partitioner::Subgroups,
        "contiguous" => Partitioner::Contiguous,
        "round-robin" => Partitioner::RoundRobin,
        _ => Partitioner::Racks,
    }
}

/// That a load is asked for which nobody would offer.
fn nobody_sends(point: &Point) -> Option<ConfigError> {
    let load = point.config.get_float(LOAD)?;
    (load > 0.0 && point.rules.idle).then(|| {
        let (pattern, n) = (point.config.text(traffic::PATTERN), point.graph.n_endpoints());
        let message = format!("nobody sends: `{pattern}` has no destination for any endpoint of this network, which has {n}");
        point.config.fault(traffic::PATTERN, message)
    })
}

/// What several points of a sweep can share: the network, what was found of it, and that its routing is free of deadlock.
#[derive(Default)]
pub struct Prepared {
    /// The last network asked for.
    network: Option<(String, Arc<Survey>)>,
    /// One for each network, router and routing, by their keys: other keys do not matter to it.
    evidence: Vec<(String, Evidence)>,
}

/// The part of a configuration that is in `tables`, as text, and the seed, from which networks and tables may be drawn:
/// equal text, equal meaning.
fn signature(config: &Config, tables: &[&str]) -> String {
    const TABLES: [&str; 8] = ["network", "faults", "router", "routing", "traffic", "measurement", "simulation", "runtime"];
    let without: Vec<&str> = TABLES.iter().filter(|t| !tables.contains(t)).copied().chain(["output"]).collect();
    format!("{}\n{}", config.to_toml(&without), config.int("simulation.seed"))
}

impl Prepared {
    /// The network of `config`.
    ///
    /// # Errors
    /// Every fault of the topology's keys.
    pub fn graph(&mut self, config: &Config) -> Result<Arc<Graph>, ConfigErrors> {
        Ok(self.survey(config)?.graph().clone())
    }

    /// The network of `config` with what routing has found of it so far.
    ///
    /// # Errors
    /// Every fault of the topology's keys.
    pub fn survey(&mut self, config: &Config) -> Result<Arc<Survey>, ConfigErrors> {
        sound(config, &["network", "simulation"])?;
        let key = signature(config, &["network"]);
        match &self.network {
            Some((have, survey)) if *have == key => Ok(survey.clone()),
            _ => {
                let survey = Arc::new(Survey::new(Arc::new((topology_of(config).build)(config)?)));
                self.network = Some((key, survey.clone()));
                Ok(survey)
            }
        }
    }

    /// Checks that routing fits the network and cannot deadlock on it.
    ///
    /// # Errors
    /// A routing that is not for this topology, too few VCs, or a cycle of channel dependencies.
    pub fn evidence(&mut self, config: &Config) -> Result<Evidence, ConfigErrors> {
        sound(config, &["network", "faults", "router", "routing", "simulation"])?;
        let key = signature(config, &["network", "faults", "router", "routing"]);
        if let Some((_, evidence)) = self.evidence.iter().find(|(have, _)| *have == key) {
            return Ok(evidence.clone());
        }
        let survey = self.survey(config)?;
        let entry = routing_of(config);
        let topology = config.text("network.topology");
        if !fits(entry, config) {
            return Err(config
                .fault(
                    routing::ALGORITHM,
                    format!("`{}` is for {}, not for network.topology = \"{topology}\"", entry.name, entry.topologies.join(", ")),
                )
                .into());
        }
        check_routing(config, entry)?;
        let (given, required) = (config.int("router.num_vcs") as u32, (entry.vcs_required)(config, &survey));
        if given < required && !config.bool(deadlock::KEY.path) {
            return Err(config
                .fault(
                    "router.num_vcs",
                    format!("routing `{}` on this `{topology}` needs {required} VCs, num_vcs is {given}", entry.name),
                )
                .into());
        }
        let evidence = deadlock::verify(config, &survey, entry)?;
        self.evidence.push((key, evidence.clone()));
        Ok(evidence)
    }

    /// Makes both checks of a configuration.
    ///
    /// # Errors
    /// Every fault of [`Prepared::evidence`] and of [`Prepared::point`], each once; a load that nobody offers.
    pub fn checked(&mut self, config: &Config, n_partitions: u32) -> Result<(Evidence, Point), ConfigErrors> {
        match (self.evidence(config), self.point(config, n_partitions)) {
            (Ok(evidence), Ok(point)) => match nobody_sends(&point) {
                Some(fault) => Err(fault.into()),
                None => Ok((evidence, point)),
            },
            (evidence, point) => {
                let mut faults = evidence.err().unwrap_or_default();
                faults.add_new(point.err().unwrap_or_default());
                Err(faults)
            }
        }
    }

    /// The point of `config` on `n_partitions` partitions. The deadlock check is not repeated here: see
    /// [`Prepared::evidence`].
    ///
    /// # Errors
    /// Every fault that the checks of the keys alone cannot see.
    pub fn point(&mut self, config: &Config, n_partitions: u32) -> Result<Point, ConfigErrors> {
        let mut faults = ConfigErrors::default();
        let survey = self.survey(config).map_err(|e| faults.add_new(e)).ok();
        let params = sound(config, &["network", "router", "routing", "traffic"])
            .and_then(|()| Params::new(config).map_err(ConfigErrors::from))
            .map_err(|e| faults.add_new(e))
            .ok();
        let slowest = params.as_ref().map_or(1, |p| p.latency.iter().max().copied().unwrap_or(1));
        let entry = traffic::find(config.text(traffic::PATTERN)).expect("the schema lists the registry's names");
        let scenario = sound(config, &["network", "faults", "simulation"])
            .and_then(|()| scenario_of(config))
            .map_err(|e| faults.add_new(e))
            .unwrap_or_default();
        let drawn_on = survey.as_ref().filter(|_| sound(config, &["traffic"]).is_ok());
        let pattern = drawn_on.and_then(|s| {
            let all = (entry.build)(config, s.graph());
            let live = all.and_then(|all| match &scenario {
                Some(scenario) => among_live(config, s.graph(), scenario, all),
                None => Ok(all),
            });
            live.map_err(|e| faults.add_new(e)).ok()
        });
        let n = survey.as_ref().map_or(0, |s| s.graph().n_endpoints());
        let injection = pattern.as_ref().and_then(|p| Injection::new(config, p, n).map_err(|e| faults.add_new(e)).ok());
        let packets = entry.timed.then(|| pattern.as_ref().and_then(Pattern::messages).map_or(0, |list| list.n_packets()));
        let (routing, flits) = (routing_of(config), largest_packet(config) as u32);
        // What is wrong with one of the two is told already, or by `evidence`.
        let hops = survey.as_ref().filter(|_| fits(routing, config)).map_or(0, |survey| (routing.max_hops)(config, survey));
        let fill = params.as_ref().map_or(0, |p| p.zero_load_latency(hops, flits));
        let idle = pattern.as_ref().is_some_and(|pattern| !(0..n).any(|endpoint| pattern.active(endpoint)));
        let rules = sound(config, &["measurement", "traffic"])
            .and_then(|()| Rules::new(config, slowest, fill, packets, idle).map_err(ConfigErrors::from))
            .map_err(|e| faults.add_new(e))
            .ok();
        if let (Some(list), Some(rules)) = (pattern.as_ref().and_then(Pattern::messages), &rules) {
            if list.last_time() >= rules.longest() {
                let message = format!("the last message comes in cycle {}, after the end of the point", list.last_time());
                faults.add_new(config.fault("measurement.max_cycles", message).into());
            }
        }
        let later = match (&scenario, &survey, &rules) {
            (Some(scenario), Some(s), Some(rules)) => failures(config, s.graph(), scenario, rules).map_err(|e| faults.add_new(e)),
            _ => Ok(Vec::new()),
        };
        let (Some(survey), Some(params), Some(rules), Some(pattern), Some(injection)) =
            (survey, params, rules, pattern, injection)
        else {
            return Err(faults);
        };
        let graph = survey.graph().clone();
        if !faults.0.is_empty() {
            return Err(faults);
        }
        let layout = Layout::new(&graph, &params, assign(&graph, n_partitions, partitioner_of(config, &params)), n_partitions);
        Ok(Point {
            load: Load { pattern: Arc::new(pattern), injection, seed: config.int("simulation.seed") as u64 },
            router_of: Network::routers_of_endpoints(&graph),
            params,
            rules,
            failures: later.unwrap_or_default(),
            layout,
            config: config.clone(),
            survey,
            graph,
        })
    }
}

/// The load up to which every channel of `point` can carry what it is offered; `None` if nothing is sent. The routing must not
/// be adaptive. Builds it for all routers.
///
/// # Errors
/// What building the routing refuses.
pub fn static_bound(point: &Point) -> Result<Option<Bound>, ConfigErrors> {
    let all: Vec<RouterId> = (0..point.graph.n_routers()).collect();
    let routing = (routing_of(&point.config).build)(&point.config, &point.survey, &all)?;
    let demand = Demand::new(&point.graph, &*point.load.pattern);
    Ok(Bound::new(&point.graph, &ChannelLoads::new(&point.graph, &routing, &demand)))
}

/// What a point will take, roughly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Bytes of memory in each rank.
    pub bytes_per_rank: u64,
    /// Flit hops of the measured window and the warm-up, if nothing saturates.
    pub flit_hops: f64,
    /// Most cycles.
    pub longest: Cycle,
}

/// Flit hops per second and core to reckon with; measured for q = 19 in benches/README.md, rounded down.
const FLIT_HOPS_PER_SECOND: f64 = 2e6;

impl Estimate {
    /// Of `point` on `ranks` ranks. Memory counts the arrays that grow with the network (port and VC state, endpoints,
    /// table rows, the graph, which every rank has) and the flits in flight at the offered load.
    #[must_use]
    pub fn new(point: &Point, ranks: u32, mean_hops: f64) -> Self {
        let (graph, params) = (&point.graph, &point.params);
        let ports: u64 = (0..graph.n_routers()).map(|r| u64::from(graph.radix(r))).sum();
        let vcs = ports * u64::from(params.num_vcs);
        let (routers, endpoints) = (u64::from(graph.n_routers()), u64::from(graph.n_endpoints()));
        let active = (0..graph.n_endpoints()).filter(|&e| point.load.pattern.active(e)).count() as f64;
        let list = point.load.pattern.messages();
        // A list is short or long whatever its rate: what it holds in the network is bounded by its size.
        let rate = point.config.get_float("traffic.injection_rate").unwrap_or(0.0);
        let latency = 2.0 * f64::from(params.latency[0] + 1) + (mean_hops + 1.0) * f64::from(params.latency[2] + 3);
        let in_flight = list.map_or(active * rate * latency, |list| (list.n_flits() as f64).min(active * latency));
        let shared = graph.n_channels() as u64 * 7 + routers * 24 + endpoints * 4;
        let tables = (routing_of(&point.config).memory)(&point.config, &point.survey);
        let shared = shared + tables.shared;
        let split = vcs * 46 + ports * 60 + endpoints * 240 + routers * tables.per_row + (in_flight * 60.0) as u64;
        let window = point.rules.warmup_periods + point.rules.max_samples;
        let steady = (window * point.rules.sample_period) as f64 * active * rate;
        let flits = list.map_or(steady, |list| list.n_flits() as f64);
        Self {
            bytes_per_rank: (8 << 20) + shared + split / u64::from(ranks),
            flit_hops: flits * (mean_hops + 1.0),
            longest: point.rules.longest(),
        }
    }

    /// Seconds on `cores` cores.
    #[must_use]
    pub fn seconds(&self, cores: u32) -> f64 {
        self.flit_hops / (FLIT_HOPS_PER_SECOND * f64::from(cores))
    }
}
