//! What algorithms need to know of the whole network. Each part is found when it is first asked for, once per process,
//! and shared by its partitions.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use super::distances::DistanceTable;
use super::layers::{Layers, NoLayers};
use super::table::{Disconnected, Table, Tie};
use crate::hypercube::{CubeError, Knowledge, Method, Scenario};
use crate::ids::RouterId;
use crate::topology::{hypercube, Distances, Graph};

/// A graph and what was found of it.
#[derive(Debug)]
pub struct Survey {
    graph: Arc<Graph>,
    diameter: OnceLock<Option<u32>>,
    distances: OnceLock<Arc<DistanceTable>>,
    longest_detour: OnceLock<u32>,
    paths: OnceLock<Arc<Table>>,
    /// By tie.
    layers: Mutex<Vec<(Tie, Arc<Layers>)>>,
    /// The last ones asked for, the latest at the end.
    knowledge: Mutex<Vec<(Faults, Arc<Knowledge>)>>,
}

/// What decides what the nodes of a hypercube know: their faults, how they tell each other, and the latency of channels by class.
type Faults = (Scenario, Method, [u32; 3]);

/// Points of a sweep share the network and each have their own faults: more than those in work are not kept.
const KEPT: usize = 4;

impl Survey {
    /// Of `graph`, with nothing found yet.
    #[must_use]
    pub fn new(graph: Arc<Graph>) -> Self {
        Self {
            graph,
            diameter: OnceLock::new(),
            distances: OnceLock::new(),
            longest_detour: OnceLock::new(),
            paths: OnceLock::new(),
            layers: Mutex::default(),
            knowledge: Mutex::default(),
        }
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// The longest shortest path between two routers, in hops; 0 for a network that is not connected, which building an
    /// algorithm refuses. Costs N_r searches.
    #[must_use]
    pub fn diameter(&self) -> u32 {
        self.known_diameter().unwrap_or(0)
    }

    fn known_diameter(&self) -> Option<u32> {
        *self.diameter.get_or_init(|| Distances::of(&self.graph).diameter())
    }

    /// Hops between all pairs of routers; see [`DistanceTable`] for its memory. Costs N_r searches.
    ///
    /// # Errors
    /// If the graph is not connected.
    pub fn distances(&self) -> Result<Arc<DistanceTable>, Disconnected> {
        let Some(diameter) = self.known_diameter() else {
            Table::check_connected(&self.graph)?;
            unreachable!("a connected network has a diameter");
        };
        Ok(self.distances.get_or_init(|| Arc::new(DistanceTable::build(&self.graph, diameter))).clone())
    }

    /// The most hops from a router with endpoints over a third router to another router with endpoints, both parts by a
    /// shortest path; 0 if there are no three such routers. At most twice the diameter. Costs N_r^2 look-ups.
    ///
    /// # Errors
    /// If the graph is not connected.
    pub fn longest_detour(&self) -> Result<u32, Disconnected> {
        let distances = self.distances()?;
        let ends = self.ends();
        let over = |via: RouterId| {
            let (mut first, mut second) = (0, 0);
            for &end in ends.iter().filter(|&&end| end != via) {
                let hops = distances.get(via, end);
                (first, second) = if hops > first { (hops, first) } else { (first, second.max(hops)) };
            }
            if second == 0 {
                0
            } else {
                first + second
            }
        };
        let n = self.graph.n_routers();
        Ok(*self.longest_detour.get_or_init(|| (0..n).into_par_iter().map(over).max().unwrap_or(0)))
    }

    /// The next hop from every router to every other, of several the one over the router with the lowest id. Costs N_r
    /// searches, and N_r^2 bytes.
    ///
    /// # Errors
    /// If the graph is not connected.
    pub fn paths(&self) -> Result<Arc<Table>, Disconnected> {
        Table::check_connected(&self.graph)?;
        let all: Vec<RouterId> = (0..self.graph.n_routers()).collect();
        let build = || Arc::new(Table::build(&self.graph, &all, Tie::LowestId).expect("it is connected"));
        Ok(self.paths.get_or_init(build).clone())
    }

    /// The routers that have endpoints, ascending.
    #[must_use]
    pub fn ends(&self) -> Vec<RouterId> {
        (0..self.graph.n_routers()).filter(|&r| !self.graph.endpoints(r).is_empty()).collect()
    }

    /// What the nodes of this network, a hypercube, know of the faults of `scenario` if they tell each other by `method` over
    /// channels of these latencies, by class.
    ///
    /// # Errors
    /// As [`Knowledge::new`].
    pub fn knowledge(&self, scenario: Scenario, method: Method, latencies: [u32; 3]) -> Result<Arc<Knowledge>, CubeError> {
        let faults = (scenario, method, latencies);
        // Held while it is computed, as for layers.
        let mut known = self.knowledge.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, knowledge)) = known.iter().find(|(have, _)| *have == faults) {
            return Ok(knowledge.clone());
        }
        let class = |u, i| self.graph.classes(u)[usize::from(hypercube::port(u, i))];
        let delay = |u: u32, i: u32| u64::from(latencies[class(u, i) as usize]) + 1;
        let knowledge = Arc::new(Knowledge::new(&faults.0, method, &delay)?);
        if known.len() == KEPT {
            known.remove(0);
        }
        known.push((faults, knowledge.clone()));
        Ok(knowledge)
    }

    /// The layers of the paths of a table with this `tie`.
    ///
    /// # Errors
    /// A graph that is not connected, or too large.
    pub fn layers(&self, tie: Tie) -> Result<Arc<Layers>, NoLayers> {
        // Held while they are found, so that partitions wait for the first and do not all find them.
        let mut known = self.layers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, layers)) = known.iter().find(|(t, _)| *t == tie) {
            return Ok(layers.clone());
        }
        let layers = Arc::new(Layers::find(&self.graph, tie)?);
        known.push((tie, layers.clone()));
        Ok(layers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(links: &[(u32, u32)], endpoints: &[u32]) -> Survey {
        let zeros = vec![0; endpoints.len()];
        Survey::new(Arc::new(Graph::from_links(links, endpoints, zeros.clone(), zeros)))
    }

    #[test]
    fn the_longest_detour_ends_at_two_routers_with_endpoints() {
        // On a path of four, from 2 over 0 to 3 or from 1 over 3 to 0: five hops, not twice the diameter.
        assert_eq!(survey(&[(0, 1), (1, 2), (2, 3)], &[1; 4]).longest_detour(), Ok(5));
        // Only neighbours in the middle talk.
        assert_eq!(survey(&[(0, 1), (1, 2), (2, 3)], &[0, 1, 1, 0]).longest_detour(), Ok(3));
        assert_eq!(survey(&[(0, 1)], &[1; 2]).longest_detour(), Ok(0));
        assert_eq!(survey(&[], &[1]).longest_detour(), Ok(0));
    }

    #[test]
    fn a_disconnected_graph_has_no_distances() {
        let survey = survey(&[(0, 1)], &[1; 3]);
        let error = Disconnected { from: 0, to: 2 };
        assert_eq!((survey.diameter(), survey.distances(), survey.longest_detour()), (0, Err(error), Err(error)));
    }
}
