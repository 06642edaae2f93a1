//! How knowledge of failures spreads: nodes tell their neighbours, in messages that take the latency of their channel.
//!
//! A node sees at once what breaks at itself. It then computes its vector anew, from its own links and from what its
//! neighbours told it last, and if anything changed it tells all neighbours that it can reach. Bit k + 1 depends on the
//! neighbours' bits k alone (and in an extended vector bits up to d on faults fewer than d hops away), so the change of one failure
//! has run its course after n - 1 rounds of messages, in any order in which they come; then all vectors are those that
//! `Code` computes of the cube as it is, and neighbours have heard of the bits below n.
//!
//! Bit n of a neighbour would come one round later. No vector depends on it, only the detour of a packet that has n - 1 hops
//! to go, and a detour on bad news is a packet lost. So where anything fails during the run nobody tells bit n, no such detour
//! is made, and whatever is sent after n - 1 rounds arrives.
//!
//! Where exact knowledge is asked for, the failures themselves are passed on, as far as it reaches. Minimal healthy paths to a
//! fault are ways for the news of it, and a fault to which none leads changes nothing within that distance.
//!
//! All of this depends on the failures alone and not on traffic, so it is computed beforehand, once, for the whole network.

use std::collections::{BTreeMap, HashMap};

use super::code::{Code, Model};
use super::cube::Cube;
use super::error::CubeError;
use super::near::Near;
use super::scenario::{with_failures, Failure, Part, Scenario};

/// What a node goes by from some cycle on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The node.
    pub node: u32,
    /// The first cycle.
    pub from: u64,
    /// Its own vector, 0 where there is no code.
    pub vector: u32,
    /// By dimension, the vector that the neighbour told last (without bit n if anything fails during the run), moved up by one, with bit 0 set: bit k of it is bit k of the
    /// neighbour, and bit 0 that it can be reached. 0 for a neighbour that cannot.
    pub heard: Vec<u32>,
    /// Number of the cube, as far as this node knows it.
    pub view: u32,
}

/// Everything that nodes will know, and what it takes to tell them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    /// By node, then ascending in time. Every node has one from cycle 0 on.
    pub stages: Vec<Stage>,
    /// The cubes that nodes know; 0 is that of the start. Only that one where nodes need no more than their vectors.
    pub views: Vec<Cube>,
    /// Messages sent after failures.
    pub messages: u64,
    /// The longest chain of messages that each told something because of the one before.
    pub rounds: u32,
    /// What is within exact knowledge, if there is more than a node sees for itself.
    pub(super) near: Option<Near>,
}

/// What is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Every failure, to everybody; there is no code.
    Failures,
    /// The vectors of a code, and failures as far as it knows them exactly.
    Code(Model),
}

impl Method {
    /// How many hops a failure is passed on.
    fn reach(self) -> u32 {
        match self {
            Method::Failures => u32::MAX,
            Method::Code(model) => model.exact_distance() - 1,
        }
    }
}

struct Message {
    to: u32,
    dim: u32,
    vector: u32,
    /// Failures by number, with the hops that they have come.
    news: Vec<(u32, u32)>,
    depth: u32,
}

/// What a node has in mind.
#[derive(Clone)]
struct Node {
    vector: u32,
    heard: Vec<u32>,
    /// Failures known, ascending, if they matter.
    known: Vec<u32>,
    view: u32,
    alive: bool,
    /// Whether it is no end of a faulty link.
    sound: bool,
}

/// A node that learned something in the present cycle.
#[derive(Default)]
struct Touched {
    news: Vec<(u32, u32)>,
    depth: u32,
}

struct Spreading<'a> {
    n: u32,
    /// The bits of a vector that are told.
    told: u32,
    method: Method,
    scratch: Vec<u32>,
    failures: &'a [Failure],
    /// The cube as it is.
    faulty_dims: Vec<u32>,
    nodes: Vec<Node>,
    delay: &'a dyn Fn(u32, u32) -> u64,
    pending: BTreeMap<u64, Vec<Message>>,
    view_of: HashMap<Vec<u32>, u32>,
    spread: Spread,
}

impl Spread {
    /// In `scenario`; a message from node u along dimension i is heard `delay(u, i)` cycles after it is sent, at least 1.
    ///
    /// # Errors
    /// As `Model::check`, and exact knowledge that would take too much memory.
    pub fn new(scenario: &Scenario, method: Method, delay: &dyn Fn(u32, u32) -> u64) -> Result<Self, CubeError> {
        let cube = &scenario.cube;
        let (code, near) = match method {
            Method::Failures => (None, None),
            // Tables that are too large are refused before the code is computed.
            Method::Code(model) => {
                let near = Near::of(cube.n(), model)?;
                (Some(Code::new(cube, model)?), near)
            }
        };
        let told = (1u32 << (cube.n() - u32::from(!scenario.failures.is_empty()))) - 1;
        let vector = |u| code.as_ref().map_or(0, |code| code.vector(u));
        let node = |u: u32| Node {
            vector: vector(u),
            heard: heard_at_start(cube, u, |v| vector(v) & told),
            known: Vec::new(),
            view: 0,
            alive: !cube.is_faulty(u),
            sound: !cube.is_link_end(u),
        };
        let mut spreading = Spreading {
            n: cube.n(),
            told,
            method,
            scratch: vec![0; near.as_ref().map_or(0, Near::len)],
            failures: &scenario.failures,
            faulty_dims: (0..cube.n_nodes()).map(|u| cube.faulty_dims(u)).collect(),
            nodes: (0..cube.n_nodes()).map(node).collect(),
            delay,
            pending: BTreeMap::new(),
            view_of: HashMap::from([(Vec::new(), 0)]),
            spread: Spread { stages: Vec::new(), views: vec![cube.clone()], messages: 0, rounds: 0, near },
        };
        (0..cube.n_nodes()).for_each(|u| spreading.enter_stage(u, 0));
        spreading.run();
        let mut spread = spreading.spread;
        spread.stages.sort_by_key(|stage| (stage.node, stage.from));
        // Of two in one cycle, at the start, the later counts.
        spread.stages.dedup_by(|later, earlier| {
            let same = (later.node, later.from) == (earlier.node, earlier.from);
            if same {
                std::mem::swap(later, earlier);
            }
            same
        });
        Ok(spread)
    }
}

fn heard_at_start(cube: &Cube, u: u32, vector: impl Fn(u32) -> u32) -> Vec<u32> {
    let open = if cube.is_faulty(u) { 0 } else { cube.open_dims(u) };
    (0..cube.n()).map(|i| if open >> i & 1 != 0 { vector(u ^ 1 << i) << 1 | 1 } else { 0 }).collect()
}

impl Spreading<'_> {
    fn run(&mut self) {
        let mut next = 0;
        loop {
            let failure = self.failures.get(next).map(|f| f.at);
            let message = self.pending.first_key_value().map(|(&at, _)| at);
            let Some(now) = failure.into_iter().chain(message).min() else { return };
            let mut touched: BTreeMap<u32, Touched> = BTreeMap::new();
            while self.failures.get(next).is_some_and(|f| f.at == now) {
                self.break_part(next as u32, &mut touched);
                next += 1;
            }
            for message in self.pending.remove(&now).unwrap_or_default() {
                self.hear(message, &mut touched);
            }
            for (u, what) in touched {
                self.think(u, now, what);
            }
        }
    }

    /// The dimensions by which `u`, which is alive, can send.
    fn open(&self, u: u32) -> impl Iterator<Item = u32> + '_ {
        (0..self.n).filter(move |&i| self.faulty_dims[u as usize] >> i & 1 == 0 && self.nodes[(u ^ 1 << i) as usize].alive)
    }

    /// Something breaks: those at it see it.
    fn break_part(&mut self, failure: u32, touched: &mut BTreeMap<u32, Touched>) {
        match self.failures[failure as usize].part {
            Part::Node(u) => {
                for i in self.open(u).collect::<Vec<_>>() {
                    self.nodes[(u ^ 1 << i) as usize].heard[i as usize] = 0;
                    self.learn(u ^ 1 << i, failure, 0, touched);
                }
                let node = &mut self.nodes[u as usize];
                node.alive = false;
                node.vector = 0;
                node.heard.fill(0);
                touched.entry(u).or_default();
            }
            Part::Link(u, i) => {
                for end in [u, u ^ 1 << i] {
                    self.faulty_dims[end as usize] |= 1 << i;
                    let node = &mut self.nodes[end as usize];
                    node.heard[i as usize] = 0;
                    node.sound = false;
                    self.learn(end, failure, 0, touched);
                }
            }
        }
    }

    /// Node `u` gets to know of a failure, perhaps again.
    fn learn(&mut self, u: u32, failure: u32, hops: u32, touched: &mut BTreeMap<u32, Touched>) {
        let touched = touched.entry(u).or_default();
        let keeps = self.method == Method::Failures || self.spread.near.is_some();
        let node = &mut self.nodes[u as usize];
        if let Err(place) = node.known.binary_search(&failure) {
            if keeps {
                node.known.insert(place, failure);
                touched.news.push((failure, hops));
            }
        }
    }

    fn hear(&mut self, message: Message, touched: &mut BTreeMap<u32, Touched>) {
        let (to, dim) = (message.to, message.dim as usize);
        // What was under way on a channel that has broken is lost.
        if !self.nodes[to as usize].alive || self.nodes[to as usize].heard[dim] == 0 {
            return;
        }
        self.nodes[to as usize].heard[dim] = message.vector << 1 | 1;
        let own = touched.entry(to).or_default();
        own.depth = own.depth.max(message.depth);
        for (failure, hops) in message.news {
            self.learn(to, failure, hops, touched);
        }
    }

    /// Node `u` draws its conclusions from what it learned in this cycle, and tells others.
    fn think(&mut self, u: u32, now: u64, Touched { news, depth }: Touched) {
        if self.nodes[u as usize].alive {
            if !news.is_empty() {
                self.nodes[u as usize].view = self.view(&self.nodes[u as usize].known.clone());
            }
            let vector = self.vector(u);
            let before = std::mem::replace(&mut self.nodes[u as usize].vector, vector);
            let (told, changed) = (vector & self.told, (vector ^ before) & self.told != 0);
            let reach = self.method.reach();
            let passed: Vec<(u32, u32)> = news.iter().filter(|(_, hops)| *hops < reach).map(|&(f, hops)| (f, hops + 1)).collect();
            if changed || !passed.is_empty() {
                for dim in self.open(u).collect::<Vec<_>>() {
                    let message = Message { to: u ^ 1 << dim, dim, vector: told, news: passed.clone(), depth: depth + 1 };
                    self.pending.entry(now + (self.delay)(u, dim).max(1)).or_default().push(message);
                    self.spread.messages += 1;
                    self.spread.rounds = self.spread.rounds.max(depth + 1);
                }
            }
        }
        self.enter_stage(u, now);
    }

    /// The vector of `u` by what it knows.
    fn vector(&mut self, u: u32) -> u32 {
        let Method::Code(model) = self.method else { return 0 };
        let node = &self.nodes[u as usize];
        let mut bits = match &self.spread.near {
            Some(near) => near.explore(&self.spread.views[node.view as usize], u, &mut self.scratch),
            None => u32::from(node.sound),
        };
        for k in model.exact_distance()..self.n {
            let zeros = node.heard.iter().filter(|&&heard| heard >> k & 1 == 0).count() as u32;
            let own = model != Model::SafetyLevel || bits >> (k - 1) & 1 != 0;
            bits |= u32::from(own && zeros <= k) << k;
        }
        bits
    }

    /// The number of the cube with the failures `known` so far.
    fn view(&mut self, known: &[u32]) -> u32 {
        if let Some(&view) = self.view_of.get(known) {
            return view;
        }
        let view = self.spread.views.len() as u32;
        let parts = known.iter().map(|&f| self.failures[f as usize].part);
        self.spread.views.push(with_failures(&self.spread.views[0], parts));
        self.view_of.insert(known.to_vec(), view);
        view
    }

    fn enter_stage(&mut self, node: u32, from: u64) {
        let Node { vector, heard, view, .. } = &self.nodes[node as usize];
        self.spread.stages.push(Stage { node, from, vector: *vector, heard: heard.clone(), view: *view });
    }
}
