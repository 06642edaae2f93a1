//! Traffic: who talks to whom (patterns) and when (injection processes), separately.

use crate::config::{Config, ConfigErrors, Key};
use crate::ids::EndpointId;
use crate::rng::Stream;
use crate::topology::Graph;

/// Who talks to whom.
pub trait TrafficPattern: Send + Sync {
    /// The destination of the next packet of `src`, which is active.
    fn destination(&self, src: EndpointId, rng: &mut Stream) -> EndpointId;

    /// Whether `src` sends at all.
    fn active(&self, src: EndpointId) -> bool;

    /// The share of packets of `src` that go to `dst`; sums to 1 over `dst` for an active `src`.
    fn share(&self, src: EndpointId, dst: EndpointId) -> f64;
}

/// A pattern as the program knows it.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The value of `traffic.pattern`.
    pub name: &'static str,
    /// One line for the reference.
    pub summary: &'static str,
    /// The keys it reads.
    pub keys: &'static [Key],
    /// Builds it.
    pub build: fn(&Config, &Graph) -> Result<Pattern, ConfigErrors>,
}

/// A built pattern.
#[derive(Debug)]
pub enum Pattern {}

/// Every pattern.
pub const REGISTRY: &[Entry] = &[];
