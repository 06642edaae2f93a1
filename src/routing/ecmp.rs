//! Equal-cost multipath (`ecmp`): all packets of a pair of endpoints take one shortest path, which a hash of the two
//! chooses (RFC 2992 for the idea; Hopps, 2000).
//!
//! Each router hashes anew, with its own id mixed in: were the hash the same everywhere, the flows that one router sends
//! by one port would all agree at the next (polarisation).

use super::minimal::refused;
use super::port_sets::{self, PortSets};
use super::table::Disconnected;
use super::vc::{self, policy_key, VcClasses};
use super::{Choice, Entry, Head, Here, Memory, Routing, RoutingAlgorithm, Survey, View};
use crate::config::{Config, ConfigErrors};
use crate::ids::{EndpointId, RouterId};
use crate::rng::{mix, Stream};

const NAME: &[&str] = &["ecmp"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "Equal-cost multipath: one shortest path per pair of endpoints, chosen by a hash of the two",
    topologies: &[],
    keys: &[policy_key(NAME)],
    adaptive: false,
    tolerates_faults: false,
    max_hops: |_, survey| survey.diameter(),
    vcs_required: |cfg, survey| vc::required(cfg, || survey.diameter()),
    memory: |_, sizes| Memory { per_row: port_sets::bytes_per_row(sizes.n_routers), shared: 0 },
    build,
};

fn build(cfg: &Config, survey: &Survey, routers: &[RouterId]) -> Result<Routing, ConfigErrors> {
    let vcs = VcClasses::from_config(cfg, || survey.diameter())?;
    let seed = cfg.int("simulation.seed") as u64;
    Ecmp::new(survey, routers, seed, vcs).map(Routing::Ecmp).map_err(|e| refused(cfg, e))
}

/// Equal-cost multipath for the routers of one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ecmp {
    sets: PortSets,
    vcs: VcClasses,
    /// Mixed into every hash.
    salt: u64,
}

impl Ecmp {
    /// With port sets for `routers`, in that order.
    ///
    /// # Errors
    /// If the graph is not connected.
    pub fn new(survey: &Survey, routers: &[RouterId], seed: u64, vcs: VcClasses) -> Result<Self, Disconnected> {
        Ok(Self { sets: PortSets::build(survey.graph(), routers)?, vcs, salt: mix(seed) })
    }

    /// Which of `n` ports packets from `src` to `dst` take at `router`.
    #[inline]
    fn pick(&self, router: RouterId, src: EndpointId, dst: EndpointId, n: usize) -> usize {
        let pair = mix(self.salt ^ (u64::from(src) << 32 | u64::from(dst)));
        let hash = mix(pair ^ u64::from(router));
        (((hash >> 32) * n as u64) >> 32) as usize
    }
}

impl RoutingAlgorithm for Ecmp {
    #[inline]
    fn route(&self, here: Here, head: &mut Head, _view: &impl View, _rng: &mut Stream) -> Choice {
        let port = match self.sets.get(here.row, head.target) {
            [port] => *port,
            ports => ports[self.pick(here.router, head.src, head.dst, ports.len())],
        };
        Choice { port, vcs: self.vcs.allowed(head.hops) }
    }

    /// Every port that some pair of endpoints of the two routers may be hashed to, whichever `head` names.
    fn choices(&self, here: Here, head: &Head, out: &mut Vec<(f64, Choice, Head)>) {
        self.sets.choices(here.row, *head, self.vcs.allowed(head.hops), 1.0, out);
    }

    fn argument(&self) -> Option<&'static str> {
        self.vcs.argument()
    }

    fn reads_hops(&self) -> bool {
        self.vcs.reads_hops()
    }

    fn reads_endpoints(&self) -> bool {
        true
    }
}
