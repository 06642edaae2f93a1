//! Detours: from the source to an intermediate router by a shortest path, and from there to the destination by another
//! (Valiant, "A scheme for fast parallel communication", 1982). What `valiant` always does and UGAL sometimes.
//!
//! The network's routers do the second part: when a packet reaches its intermediate target its target becomes the router of
//! its destination. On the way to the intermediate it may pass its destination, or its source once more; it is not
//! delivered before the intermediate was reached.

use std::sync::Arc;

use super::distances::DistanceTable;
use super::minimal::{self, refused, Minimal};
use super::table::{Disconnected, Tie};
use super::vc::VcClasses;
use super::{Choice, Head, Here, Memory, Survey, ALGORITHM};
use crate::config::{Applies, Config, ConfigErrors, Default, Key, Kind};
use crate::ids::RouterId;
use crate::rng::Stream;
use crate::topology::Sizes;

/// The path of the key that bounds detours.
pub const MAX_HOPS: &str = "routing.max_hops";

/// `routing.max_hops` for the algorithms named in `values`.
pub const fn max_hops_key(values: &'static [&'static str]) -> Key {
    Key {
        path: MAX_HOPS,
        kind: Kind::Int { min: 1, max: 255 },
        default: Default::Unset,
        applies: Applies::When { key: ALGORITHM, values },
        unit: "hops",
        doc: "The most channels between routers that a detour may cross: an intermediate router is drawn among those only \
              that keep to it, all being equally likely (3 on a Slim Fly is the variant of Besta and Hoefler's VAL with at most \
              3 hops). At least the diameter. Unset: any intermediate router, up to twice the diameter.",
    }
}

/// `Head::state` of a packet whose intermediate router, or that it has none, was decided at its source.
pub const DECIDED: u8 = 1;

/// The most hops of any packet that may make detours as the input says.
pub fn max_hops(cfg: &Config, survey: &Survey) -> u32 {
    let longest = survey.longest_detour().unwrap_or(0).max(survey.diameter());
    limit(cfg).map_or(longest, |limit| limit.min(longest))
}

fn limit(cfg: &Config) -> Option<u32> {
    cfg.get_int(MAX_HOPS).map(|hops| hops as u32)
}

/// What the tables of an algorithm with detours take.
pub fn memory(cfg: &Config, sizes: &Sizes) -> Memory {
    Memory { per_row: minimal::bytes_per_row(cfg, sizes), shared: DistanceTable::bytes(sizes.n_routers, sizes.diameter) }
}

/// Detours from the routers of one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detours {
    minimal: Minimal,
    vcs: VcClasses,
    distances: Arc<DistanceTable>,
    n_routers: u32,
    limit: Option<u32>,
}

impl Detours {
    /// With table rows for `routers`, in that order. Intermediate routers are those that keep a packet within `limit` hops.
    ///
    /// # Errors
    /// If the graph is not connected.
    pub fn new(
        survey: &Survey,
        routers: &[RouterId],
        tie: Option<Tie>,
        limit: Option<u32>,
        vcs: VcClasses,
    ) -> Result<Self, Disconnected> {
        Ok(Self {
            minimal: Minimal::build(survey, routers, tie)?,
            vcs,
            distances: survey.distances()?,
            n_routers: survey.graph().n_routers(),
            limit,
        })
    }

    /// As the input says.
    ///
    /// # Errors
    /// A graph that is not connected, a limit below the diameter, a VC policy that is not for detours.
    pub fn from_config(cfg: &Config, survey: &Survey, routers: &[RouterId]) -> Result<Self, ConfigErrors> {
        let (limit, diameter) = (limit(cfg), survey.diameter());
        if let Some(limit) = limit.filter(|&limit| limit < diameter) {
            return Err(cfg
                .fault(MAX_HOPS, format!("{limit} is less than the diameter: some routers are {diameter} hops apart"))
                .into());
        }
        let vcs = VcClasses::from_config(cfg, || max_hops(cfg, survey))?;
        Self::new(survey, routers, minimal::tie(cfg), limit, vcs).map_err(|e| refused(cfg, e))
    }

    /// Hops from `a` to `b` by a shortest path.
    #[inline]
    #[must_use]
    pub fn distance(&self, a: RouterId, b: RouterId) -> u32 {
        self.distances.get(a, b)
    }

    /// The shortest paths that detours are made of.
    #[must_use]
    pub fn minimal(&self) -> &Minimal {
        &self.minimal
    }

    /// The VCs for a packet that has crossed `hops` channels.
    #[inline]
    #[must_use]
    pub fn vcs(&self) -> &VcClasses {
        &self.vcs
    }

    /// The most hops of a detour, if they are limited.
    #[must_use]
    pub fn limit(&self) -> Option<u32> {
        self.limit
    }

    /// Whether `via` may be the intermediate router of packets from `source` to `destination`, two other routers.
    #[inline]
    #[must_use]
    pub fn is_allowed(&self, source: RouterId, via: RouterId, destination: RouterId) -> bool {
        self.limit.is_none_or(|limit| self.distance(source, via) + self.distance(via, destination) <= limit)
    }

    /// Every intermediate router for packets from `source` to `destination`, ascending.
    pub fn all(&self, source: RouterId, destination: RouterId) -> impl Iterator<Item = RouterId> + '_ {
        let others = (0..self.n_routers).filter(move |&via| via != source && via != destination);
        others.filter(move |&via| self.is_allowed(source, via, destination))
    }

    /// One of [`Detours::all`], all being equally likely; `None` if there is none. `source` and `destination` differ.
    #[inline]
    pub fn draw(&self, source: RouterId, destination: RouterId, rng: &mut Stream) -> Option<RouterId> {
        /// Draws before the allowed routers are counted instead. On a Slim Fly with at most 3 hops one router in q is
        /// allowed, so this is hardly ever reached.
        const DRAWS: u32 = 256;
        if self.n_routers < 3 {
            return None;
        }
        let (low, high) = (source.min(destination), source.max(destination));
        for _ in 0..DRAWS {
            let mut via = rng.below(self.n_routers - 2);
            via += u32::from(via >= low);
            via += u32::from(via >= high);
            if self.is_allowed(source, via, destination) {
                return Some(via);
            }
        }
        let n_allowed = self.all(source, destination).count() as u32;
        (n_allowed > 0).then(|| rng.below(n_allowed)).and_then(|skip| self.all(source, destination).nth(skip as usize))
    }

    /// The next hop towards `head.target`.
    #[inline]
    pub fn step(&self, here: Here, head: &Head, rng: &mut Stream) -> Choice {
        Choice { port: self.minimal.next(here.row, head.target, rng), vcs: self.vcs.allowed(head.hops) }
    }

    /// Appends every next hop towards `head.target`, together with `probability`.
    pub fn steps(&self, here: Here, head: Head, probability: f64, out: &mut Vec<(f64, Choice, Head)>) {
        self.minimal.choices(here.row, head, self.vcs.allowed(head.hops), probability, out);
    }
}
