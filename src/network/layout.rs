//! Who owns what: the partition of every router and the indices of its ports there. Computed once per process and shared.

use crate::ids::{Cycle, EndpointId, PartitionId, Port, RouterId};
use crate::network::Params;
use crate::topology::{ChannelClass, Graph};

/// The cut of a network into partitions.
#[derive(Debug)]
pub struct Layout {
    /// Partition of each router.
    pub assignment: Vec<PartitionId>,
    /// Index, within its partition, of port 0 of each router.
    pub port_base: Vec<u32>,
    /// Tile of each router within its partition: consecutive routers that are simulated together, a cycle at a time, while
    /// their state is in the cache.
    pub tile: Vec<u32>,
    /// Number of tiles of each partition.
    pub n_tiles: Vec<u32>,
    /// Number of partitions, empty ones included.
    pub n_partitions: u32,
    /// Directed channels between partitions.
    pub cut_channels: u64,
    /// Cycles that every partition may run ahead of the others; `None` without cut channels.
    pub lookahead: Option<Cycle>,
    /// Cycles until what a router publishes on the board of queue lengths can be read anywhere, if there is a board: the least
    /// time in which anything acts at the far end of a channel, cut or not.
    pub board_lag: Option<Cycle>,
    /// The largest distance between two connected partitions, in neighbour steps; at least 1.
    pub depth: usize,
}

impl Layout {
    /// Numbers the ports of each partition and derives its lookahead from the cut channels.
    #[must_use]
    pub fn new(graph: &Graph, params: &Params, assignment: Vec<PartitionId>, n_partitions: u32) -> Self {
        let mut next = vec![0u32; n_partitions as usize];
        let port_base = (0..graph.n_routers())
            .map(|r| {
                let base = &mut next[assignment[r as usize] as usize];
                *base += graph.radix(r);
                *base - graph.radix(r)
            })
            .collect();
        let mut cut_channels = 0;
        let mut least: Option<u32> = None;
        let mut least_of_all: Option<u32> = None;
        let mut neighbours = vec![Vec::new(); n_partitions as usize];
        for r in 0..graph.n_routers() {
            let own = assignment[r as usize];
            for (&peer, &class) in graph.peers(r).iter().zip(graph.classes(r)) {
                let other = assignment[peer as usize];
                least_of_all = Some(least_of_all.map_or(params.latency(class), |l| l.min(params.latency(class))));
                if other != own {
                    cut_channels += 1;
                    least = Some(least.map_or(params.latency(class), |l| l.min(params.latency(class))));
                    neighbours[own as usize].push(other);
                }
            }
            // Deduplicated as we go, so that memory follows partitions and not channels.
            if neighbours[own as usize].len() > 4 * n_partitions as usize {
                neighbours[own as usize].sort_unstable();
                neighbours[own as usize].dedup();
            }
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        let (tile, n_tiles) = cut_tiles(graph, params, &assignment, n_partitions);
        let notice = |latency: u32| Cycle::from(latency + params.least_notice());
        let board_lag = params.board_period.and(Some(least_of_all.map_or(1, notice)));
        Self {
            assignment,
            port_base,
            tile,
            n_tiles,
            n_partitions,
            cut_channels,
            lookahead: if board_lag.is_some() && n_partitions > 1 { board_lag } else { least.map(notice) },
            depth: if board_lag.is_some() { 1 } else { diameter(&neighbours) },
            board_lag,
        }
    }

    /// Routers of a partition, ascending.
    #[must_use]
    pub fn routers(&self, partition: PartitionId) -> Vec<RouterId> {
        crate::partition::routers_of(&self.assignment, partition)
    }

    /// Partitions that share a channel with `partition`, ascending; with a board all others.
    #[must_use]
    pub fn neighbours(&self, graph: &Graph, partition: PartitionId) -> Vec<PartitionId> {
        if self.board_lag.is_some() {
            return (0..self.n_partitions).filter(|&p| p != partition).collect();
        }
        let own = self.routers(partition);
        let mut list: Vec<PartitionId> = own
            .iter()
            .flat_map(|&r| graph.peers(r).iter().map(|&peer| self.assignment[peer as usize]))
            .filter(|&other| other != partition)
            .collect();
        list.sort_unstable();
        list.dedup();
        list
    }
}

/// Groups consecutive routers of each partition into tiles. Returns the tile of each router and how many each partition has.
fn cut_tiles(graph: &Graph, params: &Params, assignment: &[PartitionId], n_partitions: u32) -> (Vec<u32>, Vec<u32>) {
    let mut n_tiles = vec![0; n_partitions as usize];
    let mut room = vec![0; n_partitions as usize];
    let tile = (0..graph.n_routers()).zip(assignment).map(|(r, &p)| {
        let (n_tiles, room) = (&mut n_tiles[p as usize], &mut room[p as usize]);
        let vcs = (graph.radix(r) * params.num_vcs) as usize;
        if *n_tiles == 0 || vcs > *room {
            *n_tiles += 1;
            *room = TILE_VCS;
        }
        *room = room.saturating_sub(vcs);
        *n_tiles - 1
    });
    (tile.collect(), n_tiles)
}

/// The largest finite distance in the graph of partitions; at least 1.
fn diameter(neighbours: &[Vec<PartitionId>]) -> usize {
    let n = neighbours.len();
    let mut largest = 1;
    for start in (0..n).filter(|&p| !neighbours[p].is_empty()) {
        if neighbours[start].len() + 1 == n {
            continue;
        }
        let mut distance = vec![usize::MAX; n];
        distance[start] = 0;
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(p) = queue.pop_front() {
            for &q in &neighbours[p] {
                if distance[q as usize] == usize::MAX {
                    distance[q as usize] = distance[p] + 1;
                    largest = largest.max(distance[p] + 1);
                    queue.push_back(q as usize);
                }
            }
        }
    }
    largest
}

/// What a port leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Far {
    /// A router of this partition.
    Local,
    /// A router of neighbour number `.0`.
    Remote(u16),
    /// An endpoint of this router.
    Endpoint,
}

/// The channel pair of one port.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Index, in the partition it lies in, of the far port; for an endpoint its local index.
    pub to: u32,
    /// Cycles on the wire.
    pub latency: u32,
    /// What is there.
    pub far: Far,
    /// The tile in which it lies, of the partition in which it lies.
    pub tile: u32,
}

/// Input VCs of a tile: with their routers and endpoints they fit a core's own cache.
pub const TILE_VCS: usize = 2048;

/// More cycles at a time than this save nothing, and make the wheels longer.
pub(super) const MAX_SPAN: Cycle = 32;

/// The fixed wiring of one partition's routers.
#[derive(Debug)]
pub struct Wiring {
    /// Local routers, ascending global ids.
    pub routers: Vec<RouterId>,
    /// First port of each local router; shape `[n_local + 1]`.
    pub port_base: Vec<u32>,
    /// Network ports of each local router.
    pub degree: Vec<Port>,
    /// By local port.
    pub links: Vec<Link>,
    /// Local router of each local port.
    pub router_of_port: Vec<u32>,
    /// First router of each tile; shape `[n_tiles + 1]`.
    pub tile_base: Vec<u32>,
    /// Cycles that a tile may run ahead of the others: the least time in which one acts on another.
    pub span: Cycle,
    /// Tile of each local router.
    pub tile_of_router: Vec<u32>,
    /// First endpoint of each local router; shape `[n_local + 1]`.
    pub endpoint_base: Vec<u32>,
    /// By local endpoint: id and local port.
    pub endpoints: Vec<(EndpointId, u32)>,
    /// By local router: its first endpoint id.
    pub first_endpoint: Vec<EndpointId>,
    /// By local port: global index of the channel that comes in, `None` from an endpoint.
    pub channel_in: Vec<Option<u32>>,
    /// Neighbouring partitions, ascending.
    pub neighbours: Vec<PartitionId>,
    /// Number of the first tile of each neighbour, where all tiles of all neighbours are numbered; shape `[n_neighbours + 1]`.
    pub remote_base: Vec<u32>,
    /// Latency of injection and ejection channels.
    pub latency_endpoint: u32,
}

impl Wiring {
    /// The wiring of `partition`.
    #[must_use]
    pub fn new(graph: &Graph, params: &Params, layout: &Layout, partition: PartitionId) -> Self {
        let neighbours = layout.neighbours(graph, partition);
        let mut remote_base = vec![0];
        remote_base.extend(neighbours.iter().scan(0, |n, &p| {
            *n += layout.n_tiles[p as usize];
            Some(*n)
        }));
        let routers = layout.routers(partition);
        let mut wiring = Self {
            port_base: vec![0],
            degree: Vec::with_capacity(routers.len()),
            links: Vec::new(),
            router_of_port: Vec::new(),
            tile_base: Vec::new(),
            span: MAX_SPAN,
            tile_of_router: routers.iter().map(|&r| layout.tile[r as usize]).collect(),
            endpoint_base: vec![0],
            endpoints: Vec::new(),
            first_endpoint: Vec::with_capacity(routers.len()),
            channel_in: Vec::new(),
            neighbours,
            remote_base,
            latency_endpoint: params.latency(ChannelClass::Endpoint),
            routers: Vec::new(),
        };
        for &r in &routers {
            wiring.add_router(graph, params, layout, partition, r);
        }
        wiring.routers = routers;
        wiring.bound_tiles(params);
        // What a tile publishes may be read by another this much later.
        wiring.span = layout.board_lag.map_or(wiring.span, |lag| lag.min(wiring.span));
        wiring
    }

    /// Says where tiles begin, and how far they may run ahead of each other.
    fn bound_tiles(&mut self, params: &Params) {
        let tiles = &self.tile_of_router;
        let firsts = (0..tiles.len()).filter(|&lr| lr == 0 || tiles[lr] != tiles[lr - 1]);
        self.tile_base = firsts.map(|lr| lr as u32).chain([tiles.len() as u32]).collect();
        for (port, link) in self.links.iter().enumerate() {
            if link.far == Far::Local && link.tile != self.tile_of_port(port) {
                self.span = self.span.min(Cycle::from(link.latency + params.least_notice()));
            }
        }
    }

    /// Where, in what is on its way, the other end of `link` is: after the routers of own tiles come the tiles of the
    /// neighbours, and then the endpoints of own tiles.
    #[must_use]
    pub(super) fn inbound(&self, link: &Link) -> u32 {
        match link.far {
            Far::Local => link.tile,
            Far::Remote(neighbour) => self.n_tiles() as u32 + self.remote_base[usize::from(neighbour)] + link.tile,
            Far::Endpoint => self.first_of_endpoints() + link.tile,
        }
    }

    /// The first of the endpoints there.
    #[must_use]
    pub(super) fn first_of_endpoints(&self) -> u32 {
        self.n_tiles() as u32 + self.remote_base.last().copied().unwrap_or(0)
    }

    /// Number of tiles.
    #[must_use]
    pub fn n_tiles(&self) -> usize {
        self.tile_base.len() - 1
    }

    /// Local routers of a tile.
    #[must_use]
    pub fn tile_routers(&self, tile: usize) -> std::ops::Range<usize> {
        self.tile_base[tile] as usize..self.tile_base[tile + 1] as usize
    }

    /// Local endpoints of a tile.
    #[inline]
    #[must_use]
    pub fn tile_endpoints(&self, tile: usize) -> std::ops::Range<usize> {
        let routers = self.tile_routers(tile);
        self.endpoint_base[routers.start] as usize..self.endpoint_base[routers.end] as usize
    }

    /// The tile of a local port.
    #[inline]
    #[must_use]
    pub fn tile_of_port(&self, port: usize) -> u32 {
        self.tile_of_router[self.router_of_port[port] as usize]
    }

    fn add_router(&mut self, graph: &Graph, params: &Params, layout: &Layout, partition: PartitionId, r: RouterId) {
        for ((&peer, &peer_port), &class) in graph.peers(r).iter().zip(graph.peer_ports(r)).zip(graph.classes(r)) {
            let owner = layout.assignment[peer as usize];
            let far = if owner == partition {
                Far::Local
            } else {
                Far::Remote(self.neighbours.binary_search(&owner).expect("a neighbour") as u16)
            };
            let to = layout.port_base[peer as usize] + u32::from(peer_port);
            self.links.push(Link { to, latency: params.latency(class), far, tile: layout.tile[peer as usize] });
            self.channel_in.push(Some(graph.channel(peer) + u32::from(peer_port)));
        }
        self.degree.push(graph.degree(r) as Port);
        self.first_endpoint.push(graph.endpoints(r).start);
        for e in graph.endpoints(r) {
            let port = self.links.len() as u32;
            let to = self.endpoints.len() as u32;
            let tile = layout.tile[r as usize];
            self.links.push(Link { to, latency: self.latency_endpoint, far: Far::Endpoint, tile });
            self.channel_in.push(None);
            self.endpoints.push((e, port));
        }
        self.router_of_port.resize(self.links.len(), self.degree.len() as u32 - 1);
        self.port_base.push(self.links.len() as u32);
        self.endpoint_base.push(self.endpoints.len() as u32);
    }

    /// Number of local routers.
    #[must_use]
    pub fn n_routers(&self) -> usize {
        self.routers.len()
    }

    /// Ports of local router `lr`.
    #[inline]
    #[must_use]
    pub fn ports(&self, lr: usize) -> std::ops::Range<usize> {
        self.port_base[lr] as usize..self.port_base[lr + 1] as usize
    }

    /// Largest number of ports of a local router.
    #[must_use]
    pub fn max_radix(&self) -> usize {
        (0..self.n_routers()).map(|lr| self.ports(lr).len()).max().unwrap_or(0)
    }
}
