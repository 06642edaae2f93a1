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
    /// If an end is out of range, a link is a loop, a router or the network is too large for the widths of `ids`, or the
    /// vectors disagree in length: topologies are responsible for that.
    #[must_use]
    pub fn from_links(links: &[(RouterId, RouterId)], endpoints: &[u32], rack: Vec<u32>, subgroup: Vec<u32>) -> Self {
        let n = endpoints.len();
        assert!(rack.len() == n && subgroup.len() == n, "one rack and subgroup per router");
        let mut degree = vec![0u32; n];
        assert!(2 * links.len() <= u32::MAX as usize, "channels have 32-bit ids");
        for &(a, b) in links {
            assert!(a != b, "link ({a}, {b}) is a loop");
            degree[a as usize] += 1;
            degree[b as usize] += 1;
        }
        let widest = degree.iter().zip(endpoints).map(|(&d, &p)| u64::from(d) + u64::from(p)).max().unwrap_or(0);
        assert!(widest <= u64::from(Port::MAX), "{widest} ports do not fit 16 bits");
        let row = offsets(&degree);
        let mut unsorted = vec![0 as RouterId; 2 * links.len()];
        let mut fill = row.clone();
        for &(a, b) in links {
            for (from, to) in [(a, b), (b, a)] {
                unsorted[fill[from as usize] as usize] = to;
                fill[from as usize] += 1;
            }
        }
        let row_of = |r: usize| row[r] as usize..row[r + 1] as usize;
        // Every link stands in two rows. Handing each router, in ascending order, to the rows of its peers leaves every row
        // sorted, without a sort.
        let mut peer = vec![0 as RouterId; unsorted.len()];
        fill.copy_from_slice(&row);
        for r in 0..n {
            for &to in &unsorted[row_of(r)] {
                peer[fill[to as usize] as usize] = r as RouterId;
                fill[to as usize] += 1;
            }
        }
        // In the same order, the next port of a peer that has no partner yet is the one that leads back to `r`.
        let mut next_port = vec![0 as Port; n];
        let mut peer_port = Vec::with_capacity(peer.len());
        let mut class = Vec::with_capacity(peer.len());
        for r in 0..n {
            for &to in &peer[row_of(r)] {
                peer_port.push(next_port[to as usize]);
                next_port[to as usize] += 1;
                class.push(if rack[r] == rack[to as usize] { ChannelClass::Local } else { ChannelClass::Global });
            }
        }
        Self { row, peer, peer_port, class, endpoint_row: offsets(endpoints), rack, subgroup }
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

    /// The largest network radix k' of any router; 0 for a network without routers.
    #[must_use]
    pub fn max_degree(&self) -> u32 {
        (0..self.n_routers()).map(|r| self.degree(r)).max().unwrap_or(0)
    }

    /// Number of racks; they are numbered densely.
    #[must_use]
    pub fn n_racks(&self) -> u32 {
        self.rack.iter().max().map_or(0, |last| last + 1)
    }

    /// The router and port that channel `channel` leaves by; O(log N_r).
    #[must_use]
    pub fn channel_origin(&self, channel: u32) -> (RouterId, Port) {
        let r = self.row.partition_point(|&first| first <= channel) - 1;
        (r as RouterId, (channel - self.row[r]) as Port)
    }

    /// Global index of the channel out of network port 0 of `r`; port `i` has this plus `i`.
    #[inline]
    #[must_use]
    pub fn channel(&self, r: RouterId) -> u32 {
        self.row[r as usize]
    }

    /// The router that channel `channel` leads to.
    #[inline]
    #[must_use]
    pub fn channel_end(&self, channel: u32) -> RouterId {
        self.peer[channel as usize]
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

/// Where each of consecutive runs of these lengths begins, and where the last ends.
fn offsets(lengths: &[u32]) -> Vec<u32> {
    std::iter::once(0)
        .chain(lengths.iter().scan(0u32, |sum, &length| {
            *sum += length;
            Some(*sum)
        }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_ordered_by_peer_and_parallel_links_pair_up() {
        let graph = Graph::from_links(&[(2, 0), (1, 0), (0, 2), (2, 1)], &[1, 0, 2], vec![0, 0, 1], vec![0, 1, 2]);
        assert_eq!(graph.peers(0), [1, 2, 2]);
        assert_eq!(graph.peers(1), [0, 2]);
        assert_eq!(graph.peers(2), [0, 0, 1]);
        assert_eq!(graph.peer_ports(0), [0, 0, 1]);
        assert_eq!(graph.peer_ports(1), [0, 2]);
        assert_eq!(graph.peer_ports(2), [1, 2, 1]);
        assert_eq!(graph.classes(0), [ChannelClass::Local, ChannelClass::Global, ChannelClass::Global]);
        assert_eq!((graph.endpoints(0), graph.endpoints(1), graph.endpoints(2)), (0..1, 1..1, 1..3));
        assert_eq!([0, 1, 2].map(|e| graph.router_of(e)), [0, 2, 2]);
        assert_eq!((graph.max_degree(), graph.n_racks(), graph.n_channels()), (3, 2, 8));
        assert_eq!([0, 2, 3, 7].map(|c| graph.channel_origin(c)), [(0, 0), (0, 2), (1, 0), (2, 2)]);
    }

    #[test]
    #[should_panic(expected = "do not fit 16 bits")]
    fn too_many_ports_are_refused() {
        let _ = Graph::from_links(&[(0, 1)], &[65_535, 1], vec![0, 0], vec![0, 0]);
    }
}
