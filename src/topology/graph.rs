//! The immutable network: routers, channels, endpoints, racks. Pure data; every topology yields one.

use crate::ids::{EndpointId, Port, RouterId};

/// Where a channel runs; each class has its own `channel_latency`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ChannelClass {
    /// Between an endpoint and its router (injection and ejection).
    Endpoint = 0,
    /// Between two routers of one rack.
    Local = 1,
    /// Between two racks.
    Global = 2,
}

/// A network in compressed sparse row form. Router `r` has network ports `0..degree(r)`, ordered by peer id (then by
/// the order given for parallel channels), followed by one port per endpoint. Links are bidirectional: the channel out of port
/// `i` of `r` and the channel into it share the latency and the peer port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Row offsets into `peer`, `peer_port`, `class`; shape `[n_routers + 1]`.
    row: Vec<u32>,
    /// Peer router of each network port.
    peer: Vec<RouterId>,
    /// The port at the peer that leads back.
    peer_port: Vec<Port>,
    /// Class of each network port.
    class: Vec<ChannelClass>,
    /// First endpoint of each router; shape `[n_routers + 1]`.
    endpoint_row: Vec<EndpointId>,
    /// Rack of each router.
    rack: Vec<u32>,
    /// Subgroup of each router within the whole network (a finer cut than racks); equal to `rack` where there is none.
    subgroup: Vec<u32>,
}

impl Graph {
    /// Builds a graph from undirected links. `links` are `(a, b)` pairs, `a != b`; parallel links are allowed.
    /// `endpoints[r]` is the number of endpoints of router `r`. The class of a link follows from the racks of its ends.
    ///
    /// # Panics
    /// If an end is out of range, a link is a loop, or the vectors disagree in length: topologies are responsible for that.
    #[must_use]
    pub fn from_links(links: &[(RouterId, RouterId)], endpoints: &[u32], rack: Vec<u32>, subgroup: Vec<u32>) -> Self {
        let n = endpoints.len();
        assert!(rack.len() == n && subgroup.len() == n, "one rack and subgroup per router");
        let mut degree = vec![0u32; n];
        for &(a, b) in links {
            assert!(a != b, "link ({a}, {b}) is a loop");
            degree[a as usize] += 1;
            degree[b as usize] += 1;
        }
        let row: Vec<u32> = std::iter::once(0)
            .chain(degree.iter().scan(0u32, |sum, &d| {
                *sum += d;
                Some(*sum)
            }))
            .collect();
        // (peer, link) of every directed half, sorted by peer within a router: ports follow peer ids.
        let mut halves = vec![(0 as RouterId, 0u32); 2 * links.len()];
        let mut fill = row.clone();
        for (link, &(a, b)) in links.iter().enumerate() {
            for (from, to) in [(a, b), (b, a)] {
                halves[fill[from as usize] as usize] = (to, link as u32);
                fill[from as usize] += 1;
            }
        }
        let mut port_of = vec![[0 as Port; 2]; links.len()];
        for r in 0..n {
            let own = &mut halves[row[r] as usize..row[r + 1] as usize];
            own.sort_unstable();
            for (port, &(_, link)) in own.iter().enumerate() {
                let end = usize::from(links[link as usize].0 as usize != r);
                port_of[link as usize][end] = port as Port;
            }
        }
        let mut peer_port = Vec::with_capacity(halves.len());
        let mut class = Vec::with_capacity(halves.len());
        for r in 0..n {
            for &(to, link) in &halves[row[r] as usize..row[r + 1] as usize] {
                let other_end = usize::from(links[link as usize].0 as usize == r);
                peer_port.push(port_of[link as usize][other_end]);
                class.push(if rack[r] == rack[to as usize] { ChannelClass::Local } else { ChannelClass::Global });
            }
        }
        let endpoint_row = std::iter::once(0)
            .chain(endpoints.iter().scan(0u32, |sum, &p| {
                *sum += p;
                Some(*sum)
            }))
            .collect();
        let peer = halves.into_iter().map(|(to, _)| to).collect();
        Self { row, peer, peer_port, class, endpoint_row, rack, subgroup }
    }

    /// Number of routers, N_r.
    #[must_use]
    pub fn n_routers(&self) -> u32 {
        self.rack.len() as u32
    }

    /// Number of endpoints, N.
    #[must_use]
    pub fn n_endpoints(&self) -> u32 {
        self.endpoint_row[self.rack.len()]
    }

    /// Number of directed router-to-router channels (twice the cables).
    #[must_use]
    pub fn n_channels(&self) -> usize {
        self.peer.len()
    }

    /// Number of network ports of `r`; its network radix k'.
    #[inline]
    #[must_use]
    pub fn degree(&self, r: RouterId) -> u32 {
        self.row[r as usize + 1] - self.row[r as usize]
    }

    /// Number of ports of `r`, endpoint ports included; its radix k.
    #[inline]
    #[must_use]
    pub fn radix(&self, r: RouterId) -> u32 {
        self.degree(r) + self.endpoints(r).len() as u32
    }

    /// Global index of the channel out of network port 0 of `r`; port `i` has this plus `i`.
    #[inline]
    #[must_use]
    pub fn channel(&self, r: RouterId) -> u32 {
        self.row[r as usize]
    }

    /// Peers of `r` by network port, ascending.
    #[inline]
    #[must_use]
    pub fn peers(&self, r: RouterId) -> &[RouterId] {
        &self.peer[self.row[r as usize] as usize..self.row[r as usize + 1] as usize]
    }

    /// For each network port of `r`, the port at the peer that leads back.
    #[inline]
    #[must_use]
    pub fn peer_ports(&self, r: RouterId) -> &[Port] {
        &self.peer_port[self.row[r as usize] as usize..self.row[r as usize + 1] as usize]
    }

    /// For each network port of `r`, the class of its channel.
    #[inline]
    #[must_use]
    pub fn classes(&self, r: RouterId) -> &[ChannelClass] {
        &self.class[self.row[r as usize] as usize..self.row[r as usize + 1] as usize]
    }

    /// Endpoints of `r`.
    #[inline]
    #[must_use]
    pub fn endpoints(&self, r: RouterId) -> std::ops::Range<EndpointId> {
        self.endpoint_row[r as usize]..self.endpoint_row[r as usize + 1]
    }

    /// The router of endpoint `e`; O(log N_r).
    #[must_use]
    pub fn router_of(&self, e: EndpointId) -> RouterId {
        (self.endpoint_row.partition_point(|&first| first <= e) - 1) as RouterId
    }

    /// Rack of `r`.
    #[must_use]
    pub fn rack(&self, r: RouterId) -> u32 {
        self.rack[r as usize]
    }

    /// Subgroup of `r`: a part of its rack that is cut only when there are more partitions than racks.
    #[must_use]
    pub fn subgroup(&self, r: RouterId) -> u32 {
        self.subgroup[r as usize]
    }
}
