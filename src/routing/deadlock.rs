//! Freedom from deadlock by the channel dependency graph (Dally and Seitz, 1987; Dally and Towles, "Principles and
//! Practices of Interconnection Networks", chapter 14).
//!
//! Its vertices are the virtual channels between routers; there is an edge from one to another if some packet that
//! holds the first may wait for the second. Without a cycle no set of packets can wait for each other. That holds for
//! any packet size: a packet over several channels adds only paths along edges that are there.
//!
//! Channels from and to endpoints take no part. An endpoint consumes whatever reaches it, so an ejection channel never
//! waits and has no edge out; nothing between routers waits for an injection channel, so it has no edge in. Neither can
//! be on a cycle.
//!
//! An algorithm's decisions may depend on a packet's destination only through its router, and on its source only at the
//! first router: paths are followed once per pair of routers that have endpoints.

use std::fmt;

use rayon::prelude::*;

use super::cycle::{self, Dependency};
use super::dependencies::{Dependencies, Rows};
use super::set::Set;
use super::{two_legs, vc, Choice, Entry, Head, Here, RoutingAlgorithm, Survey};
use crate::config::{self, Applies, Config, ConfigErrors, Kind};
use crate::ids::RouterId;
use crate::rng::mix;
use crate::topology::Graph;

/// `routing.allow_deadlock`.
pub const KEY: config::Key = config::Key {
    path: "routing.allow_deadlock",
    kind: Kind::Bool,
    default: config::Default::Bool(false),
    applies: Applies::Always,
    unit: "",
    doc: "Run although the channel dependency graph has a cycle, for example to reproduce another simulator's curve. The \
          run may end early with status stalled.",
};

/// How freedom from deadlock was shown, or that it was waived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// By an exact argument about the algorithm.
    Argument(&'static str),
    /// By the dependency graph, which has no cycle.
    Acyclic {
        /// Virtual channels between routers that the graph was built over.
        n_channels: usize,
        /// Its edges between physical channels.
        n_dependencies: usize,
    },
    /// Not at all: there is a cycle, and `routing.allow_deadlock` is set.
    Waived(Cycle),
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evidence::Argument(why) => write!(f, "deadlock-free by argument: {why}"),
            Evidence::Acyclic { n_channels, n_dependencies } => {
                write!(f, "deadlock-free: acyclic dependency graph over {n_channels} channels ({n_dependencies} dependencies)")
            }
            Evidence::Waived(cycle) => write!(f, "can deadlock, allowed by routing.allow_deadlock: {cycle}"),
        }
    }
}

/// A virtual channel between two routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VirtualChannel {
    /// The router it leaves.
    pub from: RouterId,
    /// The router it leads to.
    pub to: RouterId,
    /// The VC.
    pub vc: u32,
}

/// Channels each of which can wait for the next, and the last for the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle(pub Vec<VirtualChannel>);

impl fmt::Display for Cycle {
    /// At most `SHOWN` channels: enough to see what is wrong.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        for (i, channel) in self.0.iter().take(SHOWN).enumerate() {
            let join = if i == 0 { "" } else { ", which waits for " };
            write!(f, "{join}{} -> {} on VC {}", channel.from, channel.to, channel.vc)?;
        }
        if self.0.len() > SHOWN {
            write!(f, ", and so on over {} channels", self.0.len())?;
        }
        write!(f, ", which waits for the first")
    }
}

/// Shows by its dependency graph that `routing`, built for all routers of `graph` in their order, cannot deadlock. Follows
/// legs where the algorithm is made of them, else whole paths: see [`check_paths`].
///
/// # Errors
/// A cycle of the dependency graph.
pub fn check(graph: &Graph, routing: &impl RoutingAlgorithm, num_vcs: u32) -> Result<Evidence, Cycle> {
    match routing.two_legs() {
        Some(legs) => settle(graph, &two_legs::dependencies(graph, legs), num_vcs),
        None => check_paths(graph, routing, num_vcs),
    }
}

/// As [`check`], by following every path. Costs one step per (destination, router, way to get there): about N_r^2 for
/// a table routing that ignores hops, N_r^3 with intermediate routers. Cycles are looked for as the graph grows, and usually
/// found long before all destinations have been followed.
///
/// # Errors
/// A cycle of the dependency graph.
pub fn check_paths(graph: &Graph, routing: &impl RoutingAlgorithm, num_vcs: u32) -> Result<Evidence, Cycle> {
    let mut ends: Vec<RouterId> = (0..graph.n_routers()).filter(|&r| !graph.endpoints(r).is_empty()).collect();
    // In a scattered order, because a cycle needs destinations all over it: on a Slim Fly of 15,842 routers the first few
    // hundred show one.
    ends.sort_unstable_by_key(|&r| mix(u64::from(r)));
    let rows = Rows::new(graph);
    let mut dependencies = Dependencies::new(&rows);
    let (mut done, mut batch) = (0, 16);
    loop {
        let destinations = &ends[done..ends.len().min(done + batch)];
        let found = destinations
            .par_chunks(share(destinations.len()))
            .map(|chunk| {
                let mut walk = Walk::new(graph, &rows);
                chunk.iter().for_each(|&destination| walk.follow(graph, routing, &ends, destination));
                walk.found
            })
            .reduce(|| Dependencies::new(&rows), Dependencies::absorb);
        dependencies = dependencies.absorb(found);
        let evidence = settle(graph, &dependencies.list(), num_vcs)?;
        done += destinations.len();
        if done == ends.len() {
            return Ok(evidence);
        }
        // So the searches before the last, all together, cost a fraction of it.
        batch = 7 * done;
    }
}

/// How many of `n` destinations a thread follows at a time: each time takes room for all channels.
pub(super) fn share(n: usize) -> usize {
    n.div_ceil(4 * rayon::current_num_threads()).max(1)
}

/// Looks for a cycle of `dependencies`, which are in the order of the channel held.
fn settle(graph: &Graph, dependencies: &[Dependency], num_vcs: u32) -> Result<Evidence, Cycle> {
    match cycle::find(dependencies, graph.n_channels(), num_vcs) {
        Some(cycle) => Err(Cycle(cycle.into_iter().map(|(channel, vc)| virtual_channel(graph, channel, vc)).collect())),
        None => Ok(Evidence::Acyclic { n_channels: graph.n_channels() * num_vcs as usize, n_dependencies: dependencies.len() }),
    }
}

/// The cycle of channels in which the heads of a stalled network wait, `waits` being what each holds and wants: the
/// channel and VC it came by, the channel it wants, and the VCs it may take there. `None` if there is no cycle among them.
#[must_use]
pub fn cycle_of_waits(graph: &Graph, waits: &[[u32; 4]], num_vcs: u32) -> Option<Cycle> {
    let mut dependencies: Vec<Dependency> =
        waits.iter().map(|&[held, vc, wanted, wanted_vcs]| Dependency { held, held_vcs: 1 << vc, wanted, wanted_vcs }).collect();
    dependencies.sort_unstable();
    settle(graph, &dependencies, num_vcs).err()
}

fn virtual_channel(graph: &Graph, channel: u32, vc: u32) -> VirtualChannel {
    let (from, port) = graph.channel_origin(channel);
    VirtualChannel { from, to: graph.peers(from)[usize::from(port)], vc }
}

/// A head that waits at a router, having come by `held`: the channel and the VCs it may be on there.
#[derive(Clone, Copy)]
struct Waiting {
    here: Here,
    held: Option<(u32, u32)>,
    head: Head,
}

/// What the decisions of a head that came by a channel can depend on, all packets having the same destination: the VCs it may
/// be on there, its target, hops and state.
type Case = (u32, RouterId, u8, u8);

/// Paths followed by one thread, destination after destination.
struct Walk<'a> {
    /// What waits for what.
    found: Dependencies<'a>,
    /// By channel, the first case met there, and the number of the destination for which it was: mostly it is the only one.
    first: Vec<(u32, Case)>,
    /// The other cases met on the way to the current destination.
    others: Set<(u32, Case)>,
    /// Destinations begun.
    begun: u32,
}

impl<'a> Walk<'a> {
    fn new(graph: &Graph, rows: &'a Rows) -> Self {
        Self {
            found: Dependencies::new(rows),
            first: vec![(0, (0, 0, 0, 0)); graph.n_channels()],
            others: Set::default(),
            begun: 0,
        }
    }

    /// Notes that a case is met by `channel`; returns whether for the first time on the way to the current destination.
    #[inline]
    fn is_new(&mut self, channel: u32, case: Case) -> bool {
        let first = &mut self.first[channel as usize];
        if first.0 != self.begun {
            *first = (self.begun, case);
            return true;
        }
        first.1 != case && self.others.insert((channel, case))
    }

    /// Follows packets from all `sources` to `destination` over every decision they can meet.
    fn follow(&mut self, graph: &Graph, routing: &impl RoutingAlgorithm, sources: &[RouterId], destination: RouterId) {
        let dst = graph.endpoints(destination).start;
        let mut open: Vec<Waiting> = sources
            .iter()
            .filter(|&&source| source != destination)
            .map(|&source| Waiting {
                here: Here { router: source, row: source, in_port: graph.degree(source) as u16 },
                held: None,
                head: Head { src: graph.endpoints(source).start, dst, target: destination, hops: 0, state: 0 },
            })
            .collect();
        self.others.clear();
        self.begun += 1;
        let reads_hops = routing.reads_hops();
        let mut choices: Vec<(f64, Choice, Head)> = Vec::new();
        while let Some(Waiting { here, held, mut head }) = open.pop() {
            if here.router == head.target {
                if here.router == destination {
                    continue;
                }
                // An intermediate target has been reached: from here on to the destination.
                head.target = destination;
            }
            choices.clear();
            routing.choices(here, &head, &mut choices);
            for &(_, choice, mut head) in &choices {
                let channel = graph.channel(here.router) + u32::from(choice.port);
                if let Some((held, held_vcs)) = held {
                    self.found.insert(Dependency { held, held_vcs, wanted: channel, wanted_vcs: choice.vcs });
                }
                if reads_hops {
                    head.hops = head.hops.saturating_add(1);
                }
                if self.is_new(channel, (choice.vcs, head.target, head.hops, head.state)) {
                    let router = graph.peers(here.router)[usize::from(choice.port)];
                    let in_port = graph.peer_ports(here.router)[usize::from(choice.port)];
                    open.push(Waiting { here: Here { router, row: router, in_port }, held: Some((channel, choice.vcs)), head });
                }
            }
        }
    }
}

/// Steps, pairs of routers times hops where decisions depend on them, up to which the dependency graph of every input is
/// built and searched: a few seconds of one core. Beyond, an exact argument stands in where there is one.
pub const MAX_STEPS: u64 = 8_000_000;

/// Shows that the input cannot deadlock: by the dependency graph, or, where that takes more than [`MAX_STEPS`], by the
/// algorithm's own argument if it has one. Builds rows for all routers for the graph, so it is done once per input, not per
/// partition, and asks `admit` before.
///
/// # Errors
/// What building the algorithm refuses; what `admit` says; a cycle, with what would avoid it, unless `routing.allow_deadlock`
/// is set.
pub fn verify(
    cfg: &Config,
    survey: &Survey,
    entry: &Entry,
    admit: impl FnOnce() -> Result<(), ConfigErrors>,
) -> Result<Evidence, ConfigErrors> {
    let graph = survey.graph();
    let bare = (entry.build)(cfg, survey, &[])?;
    let hops = if bare.reads_hops() { (entry.max_hops)(cfg, survey).max(1) } else { 1 };
    if bare.changes().is_some() {
        // The graph would be that of the start; only what holds whatever fails and whenever will do.
        let needs = || format!("with failures during the run `{}` needs {} VCs", entry.name, (entry.vcs_required)(cfg, survey));
        return bare.argument().map(Evidence::Argument).ok_or_else(|| cfg.fault("router.num_vcs", needs()).into());
    }
    let steps = u64::from(graph.n_routers()).pow(2) * u64::from(hops);
    if let Some(why) = bare.argument().filter(|_| steps > MAX_STEPS) {
        return Ok(Evidence::Argument(why));
    }
    admit()?;
    let all: Vec<RouterId> = (0..graph.n_routers()).collect();
    let num_vcs = cfg.int("router.num_vcs") as u32;
    match check(graph, &(entry.build)(cfg, survey, &all)?, num_vcs) {
        Err(cycle) if cfg.bool(KEY.path) => Ok(Evidence::Waived(cycle)),
        Err(cycle) => {
            let remedy = if entry.keys.iter().any(|key| key.path == vc::POLICY) {
                Remedy::ByHop((entry.max_hops)(cfg, survey))
            } else {
                Remedy::MoreVcs((entry.vcs_required)(cfg, survey))
            };
            Err(cfg.fault("router.num_vcs", refusal(entry.name, cfg.text("network.topology"), num_vcs, &remedy, &cycle)).into())
        }
        evidence => Ok(evidence.expect("the errors have been dealt with")),
    }
}

/// What makes an algorithm free of deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The hop policy, with this many VCs.
    ByHop(u32),
    /// This many VCs.
    MoreVcs(u32),
}

/// What the user is told of a cycle.
#[must_use]
pub fn refusal(algorithm: &str, topology: &str, num_vcs: u32, remedy: &Remedy, cycle: &Cycle) -> String {
    let needs = match remedy {
        Remedy::ByHop(vcs) => format!("{} = \"hop\" with router.num_vcs >= {vcs}", vc::POLICY),
        Remedy::MoreVcs(vcs) => format!("router.num_vcs >= {vcs}"),
    };
    format!(
        "routing `{algorithm}` on topology `{topology}` can deadlock with router.num_vcs = {num_vcs}; it needs {needs} \
         ({} = true runs it all the same). One cycle of channels: {cycle}",
        KEY.path
    )
}
