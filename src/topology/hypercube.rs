//! Hypercubes: 2^n routers, numbered by n bits, joined where they differ in one. Which of them are faulty is no matter of the
//! graph: it is told by `hypercube::Scenario`, beside it.

use super::keys::{applies, concentration, given_concentration};
use super::{describe, limits, Entry, Graph, Sizes};
use crate::config::{Config, ConfigErrors, Default, Key, Kind};
use crate::hypercube::{Scenario, MAX_DIMENSION};
use crate::ids::{Port, RouterId};

const NAME: &[&str] = &["hypercube"];

/// The key of the dimension.
pub const N: &str = "network.n";

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "Hypercube: 2^n routers, linked where their numbers differ in one bit",
    keys: &[
        Key {
            path: N,
            kind: Kind::Int { min: 1, max: MAX_DIMENSION as i64 },
            default: Default::Required,
            applies: applies(NAME),
            unit: "",
            doc: "Dimension of the hypercube: 2^n routers with n network ports each. Endpoints p u to p u + p - 1 are those of \
                  router u.",
        },
        concentration(NAME, "Unset on a hypercube: 1."),
    ],
    size_key: N,
    sizes: |cfg| parameters(cfg).map(|(n, p)| sizes(n, p)),
    build: |cfg| parameters(cfg).map(|(n, p)| graph(n, p)),
    describe,
};

/// The n and p that the input asks for.
fn parameters(cfg: &Config) -> Result<(u32, u32), ConfigErrors> {
    let (n, p) = (cfg.int(N) as u32, given_concentration(cfg).unwrap_or(1));
    limits::check(1 << n, n.into(), p.into()).map_err(|rule| cfg.fault("network.p", rule))?;
    Ok((n, p))
}

/// What `graph(n, p)` measures.
fn sizes(n: u32, p: u32) -> Sizes {
    let n_routers = 1 << n;
    Sizes { n_routers, n_endpoints: n_routers * u64::from(p), n_channels: n_routers * u64::from(n), diameter: n }
}

/// The n-cube with `p` endpoints per router. A rack is a subcube of the lower half of the dimensions, so that a cut between
/// consecutive racks crosses few dimensions; a subgroup is a router.
#[must_use]
pub fn graph(n: u32, p: u32) -> Graph {
    let links: Vec<(RouterId, RouterId)> =
        (0..n).flat_map(|i| (0..1u32 << n).filter(move |u| u >> i & 1 == 0).map(move |u| (u, u | 1 << i))).collect();
    let rack = (0..1u32 << n).map(|u| u >> n.div_ceil(2)).collect();
    Graph::from_links(&links, &vec![p; 1 << n], rack, (0..1 << n).collect())
}

/// The port of router `u` along dimension `i`. Ports ascend by peer: first those that clear a bit, the highest first, then those
/// that set one, the lowest first.
#[inline]
#[must_use]
pub fn port(u: RouterId, i: u32) -> Port {
    let port = if u >> i & 1 != 0 { (u >> i).count_ones() - 1 } else { u.count_ones() + i - (u & ((1 << i) - 1)).count_ones() };
    port as Port
}

fn describe(cfg: &Config, graph: &Graph) -> Vec<(&'static str, String)> {
    let n = cfg.int(N) as u32;
    let mut rows = vec![("n", n.to_string())];
    rows.extend(describe::sizes(graph));
    rows.push(("diameter", format!("{n} hops")));
    if let Ok(Scenario { cube, failures }) = Scenario::from_config(cfg, n) {
        let (nodes, links, later) = (cube.n_faulty_nodes(), cube.faulty_links().len(), failures.len());
        rows.push(("faults", format!("{nodes} nodes, {links} links; {later} failures during the run")));
    }
    rows
}
