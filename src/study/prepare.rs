//! From a configuration to a point that can be simulated, with every check that needs the network.

use std::sync::Arc;

use crate::analysis::{Bound, Ceiling, ChannelLoads};
use crate::config::{Config, ConfigError, ConfigErrors};
use crate::ids::RouterId;
use crate::network::{Layout, Load, Network, Params};
use crate::partition::{assign, Partitioner};
use crate::routing::deadlock::{self, Evidence};
use crate::routing::{Routing, Survey};
use crate::stats::Rules;
use crate::study::cube_faults::{among_live, check_routing, failures, scenario_of};
use crate::study::plan::LOAD;
use crate::study::{Footprint, Point, Room, Share};
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
pub(super) fn sound(config: &Config, tables: &[&str]) -> Result<(), ConfigErrors> {
    config.is_sound(tables).then_some(()).ok_or_else(ConfigErrors::default)
}

/// Whether the routing `entry` is for the topology of `config`.
pub(super) fn fits(entry: &routing::Entry, config: &Config) -> bool {
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
    /// What memory there is for it; unlimited without.
    limits: Option<Limits>,
}

/// What memory there is in a process.
struct Limits {
    room: Room,
    /// If points are to be simulated, and not only examined, by whom.
    share: Option<Share>,
}

/// The part of a configuration that is in `tables`, as text, and the seed, from which networks and tables may be drawn:
/// equal text, equal meaning.
fn signature(config: &Config, tables: &[&str]) -> String {
    const TABLES: [&str; 8] = ["network", "faults", "router", "routing", "traffic", "measurement", "simulation", "runtime"];
    let without: Vec<&str> = TABLES.iter().filter(|t| !tables.contains(t)).copied().chain(["output"]).collect();
    format!("{}\n{}", config.to_toml(&without), config.int("simulation.seed"))
}

impl Prepared {
    /// Nothing yet, with no more memory than there is `room`, if that is known, to examine points, or, with `share`, to
    /// simulate them. What would take more is refused before it is built.
    #[must_use]
    pub fn within(room: Option<Room>, share: Option<Share>) -> Self {
        Self { limits: Some(Limits { room: room.unwrap_or_else(Room::anywhere), share }), ..Self::default() }
    }

    /// Whether there is memory for the point of `config`, as far as the sizes of its network tell.
    ///
    /// # Errors
    /// That there is not.
    pub fn fits(&self, config: &Config) -> Result<(), ConfigErrors> {
        let simulated = self.limits.as_ref().is_some_and(|limits| limits.share.is_some());
        let deed = if simulated { "to simulate it" } else { "to examine it" };
        self.admit(config, deed, |footprint, share| {
            share.map_or(0.0, |share| footprint.of_process(share)).max(footprint.of_examination())
        })
    }

    /// Whether there is memory for what takes the `bytes` of a footprint; what is wrong with the network is told elsewhere.
    fn admit(
        &self,
        config: &Config,
        deed: &str,
        bytes: impl FnOnce(&Footprint, Option<Share>) -> f64,
    ) -> Result<(), ConfigErrors> {
        let Some(Limits { room, share }) = &self.limits else { return Ok(()) };
        let Some(sizes) = sound(config, &["network", "simulation"]).and_then(|()| (topology_of(config).sizes)(config)).ok()
        else {
            return Ok(());
        };
        let footprint = Footprint::new(config, &sizes);
        let bytes = bytes(&footprint, *share);
        if bytes <= room.bytes {
            return Ok(());
        }
        Err(footprint.refusal(config, &sizes, bytes, deed, room).into())
    }

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
                self.admit(config, "to build the network", |footprint, _| footprint.of_graph())?;
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
        let proof = || self.admit(config, "to show that it cannot deadlock", |footprint, _| footprint.of_proof());
        let evidence = deadlock::verify(config, &survey, entry, proof)?;
        self.evidence.push((key, evidence.clone()));
        Ok(evidence)
    }

    /// Makes both checks of a configuration.
    ///
    /// # Errors
    /// A point for which there is no memory; every fault of [`Prepared::evidence`] and of [`Prepared::point`], each once; a
    /// load that nobody offers.
    pub fn checked(&mut self, config: &Config, n_partitions: u32) -> Result<(Evidence, Point), ConfigErrors> {
        self.fits(config)?;
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
    let loads = ChannelLoads::of_pattern(&point.graph, &routing_everywhere(point)?, &*point.load.pattern);
    Ok(Bound::new(&point.graph, &loads))
}

/// The most that `point` can accept at injection rate `rate`, or at any if there is none given; `None` if nothing is sent, or
/// there are too many paths to follow. The routing must not be adaptive. Builds it for all routers.
///
/// # Errors
/// What building the routing refuses.
pub fn static_ceiling(point: &Point, rate: Option<f64>) -> Result<Option<Ceiling>, ConfigErrors> {
    let pattern = &*point.load.pattern;
    // No endpoint is offered more than a flit per cycle: at this rate the busiest one is.
    let highest = || 1.0 / (0..point.graph.n_endpoints()).map(|src| pattern.weight(src)).fold(1.0, f64::max);
    Ok(Ceiling::new(&point.graph, &routing_everywhere(point)?, pattern, rate.unwrap_or_else(highest)))
}

fn routing_everywhere(point: &Point) -> Result<Routing, ConfigErrors> {
    let all: Vec<RouterId> = (0..point.graph.n_routers()).collect();
    (routing_of(&point.config).build)(&point.config, &point.survey, &all)
}
