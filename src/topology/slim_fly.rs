//! Slim Fly: the diameter-2 graphs of McKay, Miller and Siran ("A note on large graphs of diameter two and given maximum
//! degree", 1998) as an interconnection network (Besta and Hoefler, "Slim Fly: A Cost Effective Low-Diameter Network
//! Topology", SC14, section II-B).
//!
//! The letters are the paper's, here and in every output: `q = 4 w + delta` is a prime power with `delta` in {-1, 0,
//! 1}; `xi` is a primitive element of GF(q), `X` and `X'` are the generator sets; `k' = (3 q - delta) / 2` is the
//! network radix, `p` the concentration (endpoints per router), `k = k' + p` the radix, `N_r = 2 q^2` the routers and
//! `N = N_r p` the endpoints.
//!
//! Router `(s, x, y)` has id `(s q + x) q + y`. Rack `x` holds the subgroups `(0, x, *)` and `(1, x, *)`, joined inside by
//! `q` cables, and every pair of racks is joined by `2 q` (section VI-A).

use super::galois::{nearest_prime_powers, Element, Field};
use super::keys::{applies, concentration, given_concentration};
use super::{describe, limits, Entry, Graph, Sizes};
use crate::config::{Config, ConfigErrors, Default, Key, Kind};

const NAME: &[&str] = &["slim-fly"];

const Q: &str = "network.q";

/// The largest q that is accepted: 524,288 routers.
const MAX_Q: u32 = 512;

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "Slim Fly (MMS graph): diameter 2, 2 q^2 routers of network radix (3 q - delta) / 2",
    keys: &[
        Key {
            path: Q,
            kind: Kind::Int { min: 3, max: MAX_Q as i64 },
            default: Default::Required,
            applies: applies(NAME),
            unit: "",
            doc:
                "The prime power q = 4 w + delta, delta in {-1, 0, 1}, that gives N_r = 2 q^2 routers (Besta and Hoefler, SC14).",
        },
        concentration(NAME, "Endpoints per router, the concentration p. Unset on a Slim Fly: balanced, p = ceil(k'/2)."),
    ],
    size_key: Q,
    sizes: |cfg| parameters(cfg).map(|(q, p)| sizes(q, p)),
    build: |cfg| parameters(cfg).map(|(q, p)| graph(q, p)),
    describe: |cfg, graph| {
        let q = cfg.int(Q) as u32;
        let mut rows =
            vec![("q", q.to_string()), ("delta", delta(q).to_string()), ("w", ((i64::from(q) - delta(q)) / 4).to_string())];
        rows.extend(describe::sizes(graph));
        rows.push(("diameter", "2 hops".to_string()));
        rows
    },
};

/// The q and p that the input asks for.
fn parameters(cfg: &Config) -> Result<(u32, u32), ConfigErrors> {
    let q = cfg.int(Q) as u32;
    check_q(q).map_err(|rule| cfg.fault(Q, rule))?;
    let p = given_concentration(cfg).unwrap_or_else(|| balanced_concentration(q));
    limits::check(sizes(q, p).n_routers, network_radix(q).into(), p.into()).map_err(|rule| cfg.fault("network.p", rule))?;
    Ok((q, p))
}

/// What `graph(q, p)` measures.
fn sizes(q: u32, p: u32) -> Sizes {
    let n_routers = 2 * u64::from(q) * u64::from(q);
    Sizes { n_routers, n_endpoints: n_routers * u64::from(p), n_channels: n_routers * u64::from(network_radix(q)), diameter: 2 }
}

/// Whether there is a Slim Fly for `q`.
///
/// # Errors
/// The rule that `q` breaks, with the nearest values that keep it.
pub fn check_q(q: u32) -> Result<(), String> {
    if q < 3 {
        return Err(format!(
            "q = {q}: a Slim Fly needs q = 4 w + delta with w >= 1 and delta in {{-1, 0, 1}}; the smallest is 3"
        ));
    }
    if Field::new(q).is_some() {
        return Ok(());
    }
    let (below, above) = nearest_prime_powers(q);
    let nearest = below.map_or(above.to_string(), |b| format!("{b} and {above}"));
    Err(format!("q = {q} is no prime power; the nearest are {nearest}"))
}

/// delta of `q = 4 w + delta`: 1, 0 or -1. `q` must not be 2 mod 4, which no prime power above 2 is.
#[must_use]
pub fn delta(q: u32) -> i64 {
    match q % 4 {
        0 => 0,
        1 => 1,
        3 => -1,
        _ => unreachable!("a prime power above 2 is not 2 mod 4"),
    }
}

/// The network radix k' = (3 q - delta) / 2.
#[must_use]
pub fn network_radix(q: u32) -> u32 {
    ((3 * i64::from(q) - delta(q)) / 2) as u32
}

/// The concentration at which the global bandwidth just suffices, ceil(k' / 2): the whole number next to the paper's
/// `p = k' N_r / (2 N_r - k' - 2)` (section II-B2).
#[must_use]
pub fn balanced_concentration(q: u32) -> u32 {
    network_radix(q).div_ceil(2)
}

/// The generator sets `X` and `X'`, in the order of their exponents. Both are closed under negation, so that the links
/// they give are undirected.
///
/// For delta = 1 and 0 they are the even and the odd powers of xi. For delta = -1, where -1 is an odd power, each is made of half
/// the even and half the odd powers (Hafner, "Geometric realisation of the graphs of McKay-Miller-Siran", 2004).
#[must_use]
pub fn generators(field: &Field) -> (Vec<Element>, Vec<Element>) {
    let q = field.order();
    let powers = |first: u32, end: u32| (first..end).step_by(2).map(|e| field.power(e));
    if delta(q) >= 0 {
        return (powers(0, q - 1).collect(), powers(1, q).take((q / 2) as usize).collect());
    }
    let w = (q + 1) / 4;
    let x = powers(0, 2 * w - 1).chain(powers(2 * w - 1, 4 * w - 2)).collect();
    let x_prime = powers(1, 2 * w).chain(powers(2 * w, 4 * w - 1)).collect();
    (x, x_prime)
}

/// The Slim Fly of `q` with `p` endpoints per router.
///
/// # Panics
/// If `check_q(q)` fails.
#[must_use]
pub fn graph(q: u32, p: u32) -> Graph {
    let field = Field::new(q).expect("q is a prime power");
    let (x_set, x_prime_set) = generators(&field);
    let router = |s: u32, x: u32, y: u32| (s * q + x) * q + y;
    let n_routers = 2 * q * q;
    let mut links = Vec::with_capacity(n_routers as usize * network_radix(q) as usize / 2);

    // (s, x, y) ~ (s, x, y') iff y - y' is in the subgroup's generator set; once per pair.
    for (s, set) in [(0, &x_set), (1, &x_prime_set)] {
        let offsets: Vec<(u32, u32)> = (0..q)
            .flat_map(|y| set.iter().map(move |&g| (y, g)))
            .map(|(y, g)| (y, field.add(y, g)))
            .filter(|(y, z)| y < z)
            .collect();
        for x in 0..q {
            links.extend(offsets.iter().map(|&(y, z)| (router(s, x, y), router(s, x, z))));
        }
    }
    // (0, x, y) ~ (1, m, c) iff y = m x + c.
    for x in 0..q {
        for m in 0..q {
            let shift = field.mul(m, x);
            links.extend((0..q).map(|c| (router(0, x, field.add(shift, c)), router(1, m, c))));
        }
    }

    let subgroup: Vec<u32> = (0..n_routers).map(|r| r / q).collect();
    let rack = subgroup.iter().map(|s| s % q).collect();
    Graph::from_links(&links, &vec![p; n_routers as usize], rack, subgroup)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prime_powers(max: u32) -> impl Iterator<Item = u32> {
        (3..=max).filter(|&q| check_q(q).is_ok())
    }

    #[test]
    fn generator_sets_are_closed_under_negation_and_of_the_right_size() {
        for q in prime_powers(163) {
            let field = Field::new(q).unwrap();
            let (x, x_prime) = generators(&field);
            for set in [&x, &x_prime] {
                assert_eq!(set.len() as u32, network_radix(q) - q, "q={q}");
                let mut sorted = set.clone();
                let mut negated: Vec<_> = set.iter().map(|&g| field.neg(g)).collect();
                sorted.sort_unstable();
                negated.sort_unstable();
                assert_eq!(sorted, negated, "q={q}");
                sorted.dedup();
                assert_eq!(sorted.len(), set.len(), "q={q}: distinct");
                assert!(!set.contains(&0), "q={q}: no loops");
            }
            let union: std::collections::BTreeSet<_> = x.iter().chain(&x_prime).collect();
            assert_eq!(union.len() as u32, q - 1, "q={q}: together they are every element but 0");
        }
    }

    #[test]
    fn radix_and_concentration_follow_the_paper() {
        assert_eq!([5, 8, 7, 19, 89].map(delta), [1, 0, -1, -1, 1]);
        assert_eq!([3, 4, 5, 19, 89].map(network_radix), [5, 6, 7, 29, 133]);
        assert_eq!([19, 89].map(balanced_concentration), [15, 67]);
        for q in prime_powers(512) {
            let (k, n) = (f64::from(network_radix(q)), 2.0 * f64::from(q * q));
            let exact = k * n / (2.0 * n - k - 2.0);
            assert_eq!(f64::from(balanced_concentration(q)), exact.round(), "q={q}");
        }
    }

    #[test]
    fn a_wrong_q_is_refused_with_its_neighbours() {
        assert_eq!(check_q(6).unwrap_err(), "q = 6 is no prime power; the nearest are 5 and 7");
        assert_eq!(check_q(20).unwrap_err(), "q = 20 is no prime power; the nearest are 19 and 23");
        assert!(check_q(2).unwrap_err().contains("the smallest is 3"));
        assert!(check_q(163).is_ok());
    }
}
