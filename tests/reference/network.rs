//! The explicit network: for each router its ports, for each port where it leads and how long the way is.

use sfpdes::topology::Graph;

/// What stands at the other end of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    Router { router: usize, port: usize },
    Endpoint(usize),
}

/// One port; the channels out of it and into it, and the credits of both, all take `latency`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortSpec {
    pub peer: Peer,
    pub latency: u64,
}

/// Where an endpoint is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    pub router: usize,
    pub port: usize,
    pub latency: u64,
}

/// The ports of every router: network ports first, by peer id, then one per endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    pub routers: Vec<Vec<PortSpec>>,
}

impl Network {
    /// The network of a graph; `latency` by channel class (endpoint, local, global).
    pub fn from_graph(graph: &Graph, latency: [u64; 3]) -> Self {
        let ports = |r: u32| {
            let network = (0..graph.degree(r) as usize).map(move |i| PortSpec {
                peer: Peer::Router { router: graph.peers(r)[i] as usize, port: graph.peer_ports(r)[i] as usize },
                latency: latency[graph.classes(r)[i] as usize],
            });
            let endpoints = graph.endpoints(r).map(|e| PortSpec { peer: Peer::Endpoint(e as usize), latency: latency[0] });
            network.chain(endpoints).collect()
        };
        Self { routers: (0..graph.n_routers()).map(ports).collect() }
    }

    /// The place of every endpoint, by endpoint id.
    pub fn attachments(&self) -> Vec<Attachment> {
        let mut found = Vec::new();
        for (router, ports) in self.routers.iter().enumerate() {
            for (port, spec) in ports.iter().enumerate() {
                if let Peer::Endpoint(e) = spec.peer {
                    found.push((e, Attachment { router, port, latency: spec.latency }));
                }
            }
        }
        found.sort_unstable_by_key(|&(e, _)| e);
        assert!(found.iter().enumerate().all(|(i, &(e, _))| i == e), "endpoint ids must be 0, 1, 2, ...");
        found.into_iter().map(|(_, place)| place).collect()
    }

    /// The port of endpoint `e` at its router.
    pub fn endpoint_port(&self, router: usize, e: usize) -> Option<usize> {
        self.routers[router].iter().position(|spec| spec.peer == Peer::Endpoint(e))
    }

    /// The lowest port of `router` that leads to `neighbour`.
    pub fn port_towards(&self, router: usize, neighbour: usize) -> Option<usize> {
        self.routers[router].iter().position(|spec| matches!(spec.peer, Peer::Router { router, .. } if router == neighbour))
    }
}
