//! The static bound: up to which load the channels can carry all that is offered.

use std::fmt;

use super::ChannelLoads;
use crate::ids::{EndpointId, Port, RouterId};
use crate::topology::Graph;

/// The channel with the largest expected load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Busiest {
    /// Out of an endpoint.
    Injection(EndpointId),
    /// Between two routers.
    Network {
        /// The router it leaves.
        from: RouterId,
        /// By this port.
        port: Port,
        /// The router it leads to.
        to: RouterId,
    },
    /// Into an endpoint.
    Ejection(EndpointId),
}

impl fmt::Display for Busiest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Busiest::Injection(endpoint) => write!(f, "the channel out of endpoint {endpoint}"),
            Busiest::Network { from, port, to } => write!(f, "the channel from router {from} (port {port}) to router {to}"),
            Busiest::Ejection(endpoint) => write!(f, "the channel into endpoint {endpoint}"),
        }
    }
}

/// The largest load, in flits per cycle and active endpoint, at which no channel is offered more than a flit per cycle.
///
/// Above it the network is saturated for certain: it cannot accept what it is offered. Below it the network may saturate,
/// because buffers and allocation are not ideal. What is accepted beyond saturation is at most the bound where all
/// endpoints that send are alike; in other patterns those that do not cross the busiest channels may go on to send more, up to
/// the [`Ceiling`](super::Ceiling).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The bound.
    pub load: f64,
    /// The channel that is full first; of several the first, channels between routers before others.
    pub busiest: Busiest,
    /// Mean number of router-to-router channels that a packet crosses.
    pub hops: f64,
}

impl Bound {
    /// Of expected loads; `None` if nothing is sent.
    #[must_use]
    pub fn new(graph: &Graph, loads: &ChannelLoads) -> Option<Self> {
        let first_largest = |loads: &[f64]| {
            let most = loads.iter().copied().fold(0.0, f64::max);
            // Equal loads are added up in different orders: what differs by rounding only is equal.
            loads.iter().position(|&load| load >= most * (1.0 - 1e-12)).map_or((0, 0.0), |at| (at as u32, most))
        };
        let (channel, network) = first_largest(&loads.network);
        let (sink, ejection) = first_largest(&loads.ejection);
        let (source, injection) = first_largest(&loads.injection);
        let total: f64 = loads.injection.iter().sum();
        if total == 0.0 {
            return None;
        }
        let most = network.max(ejection).max(injection);
        let reached = |load: f64| load >= most * (1.0 - 1e-12);
        let busiest = if reached(network) {
            let (from, port) = graph.channel_origin(channel);
            Busiest::Network { from, port, to: graph.peers(from)[usize::from(port)] }
        } else if reached(ejection) {
            Busiest::Ejection(sink)
        } else {
            Busiest::Injection(source)
        };
        Some(Self { load: 1.0 / most, busiest, hops: loads.network.iter().sum::<f64>() / total })
    }
}
