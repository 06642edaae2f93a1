//! What faults of a hypercube mean for a point: who takes part, what fails when, and what cannot be had together with them.

use crate::config::{Config, ConfigErrors};
use crate::hypercube::{Part, Scenario};
use crate::network::Failure;
use crate::routing;
use crate::stats::Rules;
use crate::topology::{hypercube, Graph};
use crate::traffic::{self, among, largest_packet, Among, Pattern};

/// The faults of a configuration, if its network is a hypercube that has some or will have.
///
/// # Errors
/// As [`Scenario::from_config`].
pub fn scenario_of(config: &Config) -> Result<Option<Scenario>, ConfigErrors> {
    if config.text("network.topology") != hypercube::ENTRY.name {
        return Ok(None);
    }
    Scenario::from_config(config, config.int(hypercube::N) as u32).map(|scenario| Some(scenario).filter(Scenario::has_faults))
}

/// Refuses faults under an algorithm that knows nothing of them.
pub(super) fn check_routing(config: &Config, entry: &routing::Entry) -> Result<(), ConfigErrors> {
    if entry.tolerates_faults || scenario_of(config)?.is_none() {
        return Ok(());
    }
    let able: Vec<&str> = routing::REGISTRY.iter().filter(|e| e.tolerates_faults).map(|e| e.name).collect();
    let message = format!("`{}` knows nothing of faults; on a hypercube with faults use {}", entry.name, able.join(", "));
    Err(config.fault(routing::ALGORITHM, message).into())
}

/// `pattern` among the endpoints whose node is not faulty at the start.
///
/// # Errors
/// A pattern that cannot do without some of its endpoints.
pub(super) fn among_live(config: &Config, graph: &Graph, scenario: &Scenario, pattern: Pattern) -> Result<Pattern, ConfigErrors> {
    let name = config.text(traffic::PATTERN);
    let fault =
        |why: &str| ConfigErrors::from(config.fault(traffic::PATTERN, format!("with faults `{name}` cannot be: it {why}")));
    if pattern.messages().is_some() {
        return Err(fault(among::LIST));
    }
    if scenario.cube.n_faulty_nodes() == 0 {
        return Ok(pattern);
    }
    let live = (0..graph.n_routers()).flat_map(|r| graph.endpoints(r).map(move |_| !scenario.cube.is_faulty(r)));
    Among::new(pattern, live.collect()).map(|among| Pattern::Among(Box::new(among))).map_err(fault)
}

/// What fails during the run, by router and port.
///
/// # Errors
/// Packets of several flits, which a failure could cut in two; failures after the end.
pub(super) fn failures(config: &Config, graph: &Graph, scenario: &Scenario, rules: &Rules) -> Result<Vec<Failure>, ConfigErrors> {
    let mut errors = ConfigErrors::default();
    let (mut all, mut refused) = (Vec::new(), Vec::new());
    for failure in &scenario.failures {
        let key = match failure.part {
            Part::Node(u) => {
                all.push(Failure { at: failure.at, router: u, port: None });
                let ends = graph.peers(u).iter().zip(graph.peer_ports(u));
                all.extend(ends.map(|(&router, &port)| Failure { at: failure.at, router, port: Some(port) }));
                "faults.node_failures"
            }
            Part::Link(u, i) => {
                let end = |router| Failure { at: failure.at, router, port: Some(hypercube::port(router, i)) };
                all.extend([u, u ^ 1 << i].map(end));
                "faults.link_failures"
            }
        };
        if failure.at >= rules.longest() {
            let message = format!(
                "a failure in cycle {} comes after the end of the point, in cycle {} at the latest",
                failure.at,
                rules.longest()
            );
            errors.add_new(config.fault(key, message).into());
        }
        let largest = largest_packet(config);
        if largest > 1 && !refused.contains(&key) {
            refused.push(key);
            let message =
                format!("failures during the run need packets of one flit, not of {largest}: they could cut a longer one in two");
            errors.add_new(config.fault(key, message).into());
        }
    }
    if errors.0.is_empty() {
        Ok(all)
    } else {
        Err(errors)
    }
}
