//! Keys that several topologies share. Each topology contributes its own, naming itself; the schema unites them.

use crate::config::{Applies, Config, Default, Key, Kind};

/// The key that selects the topology.
pub const TOPOLOGY: &str = "network.topology";

/// The key of the routers along each dimension of a grid.
pub const DIMS: &str = "network.dims";

/// A key that applies for the topologies named in `values`.
pub const fn applies(values: &'static [&'static str]) -> Applies {
    Applies::When { key: TOPOLOGY, values }
}

/// `network.p`, the concentration; `doc` says what it is if not given.
pub const fn concentration(values: &'static [&'static str], doc: &'static str) -> Key {
    Key {
        path: "network.p",
        kind: Kind::Int { min: 1, max: 65_535 },
        default: Default::Unset,
        applies: applies(values),
        unit: "endpoints",
        doc,
    }
}

/// `network.dims`, the routers along each dimension.
pub const fn dims(values: &'static [&'static str]) -> Key {
    Key {
        path: DIMS,
        kind: Kind::Ints { min: 1, max: 65_536 },
        default: Default::Required,
        applies: applies(values),
        unit: "routers",
        doc: "Routers along each dimension, for example [8, 8]. Dimension 0 varies fastest in the router id and is a rack.",
    }
}

/// The endpoints per router that the input asks for, if it does.
pub fn given_concentration(cfg: &Config) -> Option<u32> {
    cfg.get_int("network.p").map(|p| p as u32)
}

/// Cycles on a channel of each class, as the input says; by `ChannelClass`.
#[must_use]
pub fn channel_latencies(cfg: &Config) -> [u32; 3] {
    let class = |path: &str| cfg.get_int(path).unwrap_or_else(|| cfg.int("network.channel_latency")) as u32;
    ["network.channel_latency_endpoint", "network.channel_latency_local", "network.channel_latency_global"].map(class)
}
