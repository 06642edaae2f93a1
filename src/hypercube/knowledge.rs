//! What packets are sent by in a simulated hypercube: for every node and time the dimensions that its knowledge offers, as
//! tables that answer in a few steps. Deciding is the same at the source and in between, by the criterion `text`.

use super::code::Model;
use super::cube::Cube;
use super::error::CubeError;
use super::near::{n_near, Near};
use super::scenario::Scenario;
use super::spread::{Method, Spread, Stage};

/// The dimensions that a node offers a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directions {
    /// Their mask; 0 if nothing is sound.
    pub dims: u32,
    /// Whether they are spare, so that the packet makes a detour of two hops, the only one that it may make.
    pub spare: bool,
}

impl Directions {
    const NONE: Directions = Directions { dims: 0, spare: false };
}

/// The knowledge of all nodes of a cube, through the whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knowledge {
    n: u32,
    method: Method,
    /// Exact knowledge within a distance above 1.
    near: Option<Near>,
    /// First stage of each node; shape `[n_nodes + 1]`.
    first: Vec<u32>,
    /// By stage: the first cycle.
    from: Vec<u64>,
    /// By stage: the number of the cube that is known.
    view: Vec<u32>,
    /// By stage, for k from 0 to n: the dimensions whose neighbour has bit k; bit 0 is that it can be reached.
    with_bit: Vec<u32>,
    /// By stage and place of `near`: the first hops of minimal paths. Empty without exact knowledge.
    first_hops: Vec<u32>,
    views: Vec<Cube>,
    /// The cycle from which each node is faulty.
    deaths: Vec<u64>,
    messages: u64,
    rounds: u32,
    changes: bool,
}

impl Knowledge {
    /// Of `scenario`; a message from node u along dimension i is heard `delay(u, i)` cycles after it is sent.
    ///
    /// # Errors
    /// As `Model::check`, and exact knowledge that would take too much memory.
    pub fn new(scenario: &Scenario, method: Method, delay: &dyn Fn(u32, u32) -> u64) -> Result<Self, CubeError> {
        let n = scenario.cube.n();
        let spread = Spread::new(scenario, method, delay)?;
        let near = spread.near;
        let n_nodes = scenario.cube.n_nodes();
        let mut first = vec![0; n_nodes as usize + 1];
        spread.stages.iter().for_each(|stage| first[stage.node as usize + 1] += 1);
        (1..first.len()).for_each(|u| first[u] += first[u - 1]);
        let mut first_hops = vec![0; near.as_ref().map_or(0, |near| near.len() * spread.stages.len())];
        if let Some(near) = &near {
            for (stage, hops) in spread.stages.iter().zip(first_hops.chunks_exact_mut(near.len())) {
                let cube = &spread.views[stage.view as usize];
                // A node that is dead has no way out.
                if stage.heard.iter().any(|&heard| heard != 0) {
                    near.explore(cube, stage.node, hops);
                }
            }
        }
        Ok(Self {
            n,
            method,
            near,
            first,
            from: spread.stages.iter().map(|stage| stage.from).collect(),
            view: spread.stages.iter().map(|stage| stage.view).collect(),
            with_bit: spread.stages.iter().flat_map(|stage| with_bits(stage, n)).collect(),
            first_hops,
            views: spread.views,
            deaths: scenario.deaths(),
            messages: spread.messages,
            rounds: spread.rounds,
            changes: !scenario.failures.is_empty(),
        })
    }

    /// Bytes that it takes without failures during the run.
    #[must_use]
    pub fn bytes(n: u32, method: Method) -> u64 {
        let near = match method {
            Method::Code(Model::Extended(d)) => n_near(n, d.min(n)),
            _ => 0,
        };
        (u64::from(n + 1) * 4 + 24 + 4 * near) << n
    }

    /// Whether anything breaks during the run, so that decisions change.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.changes
    }

    /// Messages sent because of failures during the run.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// The longest chain of such messages that each told something because of the one before.
    #[must_use]
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The stage of `node` in cycle `now`.
    #[inline]
    fn stage(&self, node: u32, now: u64) -> usize {
        let (first, end) = (self.first[node as usize] as usize, self.first[node as usize + 1] as usize);
        if end - first == 1 {
            return first;
        }
        first + self.from[first..end].partition_point(|&from| from <= now) - 1
    }

    /// The dimensions of `stage` whose neighbour has bit `k`, at most n.
    #[inline]
    fn with_bit(&self, stage: usize, k: u32) -> u32 {
        self.with_bit[stage * (self.n as usize + 1) + k as usize]
    }

    /// Whether node `node` is faulty in cycle `now`.
    #[inline]
    #[must_use]
    pub fn is_dead(&self, node: u32, now: u64) -> bool {
        self.deaths[node as usize] <= now
    }

    /// Where node `at` may send a packet for another node `to` in cycle `now`: along a preferred dimension if a minimal path is
    /// guaranteed, else, unless the packet has made its `detour`, along a spare one from which one is.
    #[inline]
    #[must_use]
    pub fn directions(&self, at: u32, to: u32, detour: bool, now: u64) -> Directions {
        let preferred = at ^ to;
        let k = preferred.count_ones();
        let stage = self.stage(at, now);
        let dims = match &self.near {
            Some(near) if k <= self.exact_distance() => self.first_hops[stage * near.len() + near.place(preferred)],
            _ => preferred & self.with_bit(stage, k - 1),
        };
        if dims != 0 || detour || k >= self.n {
            return Directions { dims, spare: false };
        }
        let dims = !preferred & self.with_bit(stage, k + 1);
        if dims == 0 {
            Directions::NONE
        } else {
            Directions { dims, spare: true }
        }
    }

    fn exact_distance(&self) -> u32 {
        match self.method {
            Method::Failures => self.n,
            Method::Code(model) => model.exact_distance(),
        }
    }

    /// The dimension by which an e-cube packet leaves `at` for another node `to`, the lowest in which they differ; `None` if its
    /// link or the node there is broken, as `at` can see.
    #[inline]
    #[must_use]
    pub fn next_in_order(&self, at: u32, to: u32, now: u64) -> Option<u32> {
        let dim = (at ^ to).trailing_zeros();
        (self.with_bit(self.stage(at, now), 0) >> dim & 1 != 0).then_some(dim)
    }

    /// Whether the e-cube path from `at` to `to` is whole as far as `at` knows in cycle `now`.
    #[must_use]
    pub fn order_is_open(&self, at: u32, to: u32, now: u64) -> bool {
        let cube = &self.views[self.view[self.stage(at, now)] as usize];
        let mut node = at;
        while node != to {
            let dim = (node ^ to).trailing_zeros();
            if cube.is_faulty(node) || cube.faulty_dims(node) >> dim & 1 != 0 {
                return false;
            }
            node ^= 1 << dim;
        }
        !cube.is_faulty(to)
    }
}

fn with_bits(stage: &Stage, n: u32) -> impl Iterator<Item = u32> + '_ {
    (0..=n).map(|k| (0..).zip(&stage.heard).fold(0, |mask, (i, heard)| mask | (heard >> k & 1) << i))
}
