//! The router's and the channels' parameters, with BookSim2's names and meanings.

use crate::config::{Applies, Config, ConfigError, Default, Key, Kind};
use crate::ids::Cycle;
use crate::routing::ugal_g;
use crate::topology::{channel_latencies, ChannelClass};
use crate::traffic::largest_packet;

const fn int(path: &'static str, min: i64, max: i64, default: i64, unit: &'static str, doc: &'static str) -> Key {
    Key { path, kind: Kind::Int { min, max }, default: Default::Int(default), applies: Applies::Always, unit, doc }
}

const fn latency(path: &'static str, doc: &'static str) -> Key {
    Key { path, kind: Kind::Int { min: 1, max: 100_000 }, default: Default::Unset, applies: Applies::Always, unit: "cycles", doc }
}

const fn choice(path: &'static str, names: &'static [&'static str], default: &'static str, doc: &'static str) -> Key {
    Key { path, kind: Kind::Choice(names), default: Default::Text(default), applies: Applies::Always, unit: "", doc }
}

/// Keys of `[router]` and the channel latencies of `[network]`.
pub const KEYS: &[Key] = &[
    int(
        "network.channel_latency",
        1,
        100_000,
        1,
        "cycles",
        "Latency L of every channel, for flits and for credits: what is sent in cycle t is seen in cycle t + L + 1.",
    ),
    latency("network.channel_latency_endpoint", "Latency of injection and ejection channels, if other than channel_latency."),
    latency("network.channel_latency_local", "Latency of channels between routers of one rack, if other than channel_latency."),
    latency("network.channel_latency_global", "Latency of channels between racks, if other than channel_latency."),
    int("router.num_vcs", 1, 32, 4, "VCs", "Virtual channels per channel."),
    int("router.vc_buf_size", 1, 65_535, 16, "flits", "Buffer depth of each input VC."),
    int(
        "router.routing_delay",
        0,
        1_000,
        1,
        "cycles",
        "Cycles of route computation (RC); 0 skips the stage, as if the route were known on arrival.",
    ),
    int("router.vc_alloc_delay", 1, 1_000, 1, "cycles", "Cycles of virtual-channel allocation (VA)."),
    int("router.sw_alloc_delay", 1, 1_000, 1, "cycles", "Cycles of switch allocation (SA)."),
    int("router.st_final_delay", 1, 1_000, 1, "cycles", "Cycles of switch traversal (ST)."),
    int("router.credit_delay", 0, 1_000, 2, "cycles", "Cycles from the arrival of a credit to its use."),
    Key {
        path: "router.internal_speedup",
        kind: Kind::Float { min: 1.0, max: 16.0 },
        default: Default::Float(2.0),
        applies: Applies::Always,
        unit: "1",
        doc: "Pipeline steps of the router per channel cycle; a fraction such as 1.5 alternates between one and two. Rounded to 0.001.",
    },
    choice(
        "router.vc_allocator",
        &["islip", "separable-input-first"],
        "islip",
        "Matching of input VCs to output VCs: iSLIP (outputs grant, inputs accept), or separable input-first \
         (inputs choose, outputs grant), both with round-robin pointers that move on success.",
    ),
    choice(
        "router.sw_allocator",
        &["islip", "separable-input-first"],
        "islip",
        "Matching of input ports to output ports, as vc_allocator.",
    ),
    int("router.alloc_iters", 1, 16, 1, "1", "Iterations of both allocators; pointers move only in the first."),
    choice(
        "router.flow_control",
        &["wormhole", "virtual-cut-through"],
        "wormhole",
        "When a head may take an output VC: wormhole, whenever it is free; virtual-cut-through, when its buffer also has \
         room for the whole packet.",
    ),
];

/// How a matching is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// Outputs grant, inputs accept.
    Islip,
    /// Inputs choose, outputs grant.
    SeparableInputFirst,
}

impl Matching {
    fn of(name: &str) -> Self {
        match name {
            "separable-input-first" => Matching::SeparableInputFirst,
            _ => Matching::Islip,
        }
    }
}

/// Parameters of routers and channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// Virtual channels per channel, V.
    pub num_vcs: u32,
    /// Flits per VC buffer.
    pub vc_buf_size: u16,
    /// Cycles of RC; 0 skips it.
    pub routing_delay: u32,
    /// Cycles of VA.
    pub vc_alloc_delay: u32,
    /// Cycles of SA.
    pub sw_alloc_delay: u32,
    /// Cycles of ST.
    pub st_final_delay: u32,
    /// Cycles from the arrival of a credit to its use.
    pub credit_delay: u32,
    /// Sub-steps per 1,000 cycles.
    pub speedup_milli: u64,
    /// Of VA.
    pub vc_matching: Matching,
    /// Of SA.
    pub sw_matching: Matching,
    /// Iterations of both.
    pub alloc_iters: u32,
    /// Whether a head needs room for its whole packet.
    pub cut_through: bool,
    /// By `ChannelClass`.
    pub latency: [u32; 3],
    /// Cycles between two editions of the board of queue lengths; `None` where no routing reads it.
    pub board_period: Option<u32>,
}

impl Params {
    /// Reads the parameters.
    ///
    /// # Errors
    /// Combinations that cannot work.
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        let u = |path: &str| config.int(path) as u32;
        let cut_through = config.text("router.flow_control") == "virtual-cut-through";
        let (depth, packet) = (config.int("router.vc_buf_size"), largest_packet(config));
        if cut_through && depth < packet {
            return Err(config.fault(
                "router.vc_buf_size",
                format!("virtual-cut-through needs a buffer of a whole packet: vc_buf_size {depth} is less than the {packet} flits of the largest"),
            ));
        }
        let latency = channel_latencies(config);
        // The key applies where routing reads the board.
        let period = config.get_int(ugal_g::PERIOD).map_or(latency[1].min(latency[2]), |cycles| cycles as u32);
        Ok(Self {
            board_period: config.applies(ugal_g::PERIOD).then_some(period),
            latency,
            num_vcs: u("router.num_vcs"),
            vc_buf_size: depth as u16,
            routing_delay: u("router.routing_delay"),
            vc_alloc_delay: u("router.vc_alloc_delay"),
            sw_alloc_delay: u("router.sw_alloc_delay"),
            st_final_delay: u("router.st_final_delay"),
            credit_delay: u("router.credit_delay"),
            speedup_milli: (config.float("router.internal_speedup") * 1000.0).round() as u64,
            vc_matching: Matching::of(config.text("router.vc_allocator")),
            sw_matching: Matching::of(config.text("router.sw_allocator")),
            alloc_iters: u("router.alloc_iters"),
            cut_through,
        })
    }

    /// Latency of a channel.
    #[must_use]
    pub fn latency(&self, class: ChannelClass) -> u32 {
        self.latency[class as usize]
    }

    /// The most cycles from the generation of a packet of `flits` flits to the arrival of its tail, over `hops` channels between
    /// routers, if it meets no other: T0 of docs/model.md with the slowest channels, one step per cycle, and a round trip of a
    /// credit for every full buffer.
    #[must_use]
    pub fn zero_load_latency(&self, hops: u32, flits: u32) -> Cycle {
        let [endpoint, local, global] = self.latency.map(|l| Cycle::from(l) + 1);
        let router = Cycle::from(self.routing_delay + self.vc_alloc_delay + self.sw_alloc_delay + self.st_final_delay - 1);
        let (hops, behind) = (Cycle::from(hops), Cycle::from(flits.saturating_sub(1)));
        let head = 2 * endpoint + hops * local.max(global) + (hops + 1) * router;
        let round_trip = 2 * endpoint.max(local).max(global) + router + Cycle::from(self.credit_delay) + 1;
        head + behind * Cycle::from(self.sw_alloc_delay) + behind / Cycle::from(self.vc_buf_size) * round_trip
    }

    /// Sub-steps that a router makes in cycle `now`.
    #[inline]
    #[must_use]
    pub fn substeps(&self, now: Cycle) -> u32 {
        ((now + 1) * self.speedup_milli / 1000 - now * self.speedup_milli / 1000) as u32
    }

    /// Cycles between an action at one end of a channel of latency 0 and its first effect at the other: a flit that wins
    /// the switch is seen at least `st_final_delay` later, and one more where a router makes one step per cycle, since it
    /// crosses in the next; a credit works `1 + credit_delay` later. Added to the latency of a channel this is the
    /// lookahead it gives.
    #[must_use]
    pub fn least_notice(&self) -> u32 {
        let crossing = u32::from(self.speedup_milli == 1000);
        (crossing + self.st_final_delay).min(1 + self.credit_delay)
    }

    /// The furthest that an event can lie ahead: a full buffer's worth of credits or flits leaves one per cycle.
    #[must_use]
    pub fn horizon(&self) -> Cycle {
        let slowest = self.latency.iter().max().copied().unwrap_or(1);
        let backlog = self.num_vcs * u32::from(self.vc_buf_size);
        Cycle::from(slowest + self.st_final_delay + self.credit_delay + 4) + Cycle::from(backlog)
    }
}
