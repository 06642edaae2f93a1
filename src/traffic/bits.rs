//! Permutations of address bits (Dally and Towles, "Principles and Practices of Interconnection Networks", section 3.2):
//! the address of an endpoint is its id, and bit `b - 1` the highest of `b`.

use super::fixed::Fixed;
use super::Pattern;
use crate::config::{Config, ConfigErrors};
use crate::topology::Graph;

/// The pattern in which endpoint s sends to `image(s, b)`, for the endpoints `0..2^b`. There are as many as
/// `traffic.active_endpoints` says, or the most that the network has; `b` is a multiple of `unit`.
pub(super) fn permutation(
    config: &Config,
    graph: &Graph,
    unit: u32,
    image: fn(u32, u32) -> u32,
) -> Result<Pattern, ConfigErrors> {
    let n = graph.n_endpoints();
    let bits = bits(config, n, unit)?;
    Ok(Fixed::permutation(config, n, |src| (u64::from(src) < 1 << bits).then(|| image(src, bits))))
}

fn bits(config: &Config, n: u32, unit: u32) -> Result<u32, ConfigErrors> {
    const KEY: &str = "traffic.active_endpoints";
    let most = |n: u32| n.max(1).ilog2() / unit * unit;
    let Some(given) = config.get_int(KEY) else { return Ok(most(n)) };
    let below = most(given as u32);
    let power = if unit == 2 { "four" } else { "two" };
    if given != 1 << below {
        let nearest = format!("the nearest are {} and {}", 1u64 << below, 1u64 << (below + unit));
        return Err(config.fault(KEY, format!("active_endpoints = {given} is no power of {power}; {nearest}")).into());
    }
    if given > i64::from(n) {
        let most = 1u64 << most(n);
        let fault =
            format!("active_endpoints = {given}, but the network has {n} endpoints; the largest power of {power} is {most}");
        return Err(config.fault(KEY, fault).into());
    }
    Ok(below)
}

/// The lowest `b` bits.
pub(super) fn mask(b: u32) -> u32 {
    ((1u64 << b) - 1) as u32
}

/// `s` of `b` bits, each moved up by `by`, the highest around to the lowest.
pub(super) fn rotate(s: u32, b: u32, by: u32) -> u32 {
    if b == 0 {
        return s;
    }
    let (wide, by) = (u64::from(s), by % b);
    ((wide << by | wide >> (b - by)) & u64::from(mask(b))) as u32
}
