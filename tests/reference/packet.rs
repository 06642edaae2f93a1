//! Packets, flits and the events that a run records.

/// Source endpoint and sequence number at that source: the order of the packets in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketId {
    pub source: usize,
    pub sequence: usize,
}

/// What a source is asked to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketSpec {
    /// Cycle from which the packet may enter the network.
    pub generated: u64,
    pub destination: usize,
    /// Number of flits, at least 1.
    pub size: usize,
}

/// A packet under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    pub id: PacketId,
    pub generated: u64,
    pub destination: usize,
    pub size: usize,
}

/// One flit; flit 0 is the head, flit `size - 1` the tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flit {
    pub packet: Packet,
    pub index: usize,
    /// VC of the channel that the flit is on, or of the channel that it waits for.
    pub vc: usize,
}

impl Flit {
    pub fn is_head(&self) -> bool {
        self.index == 0
    }

    pub fn is_tail(&self) -> bool {
        self.index == self.packet.size - 1
    }
}

/// A flit leaves its endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Injection {
    pub cycle: u64,
    pub endpoint: usize,
    pub vc: usize,
    pub packet: PacketId,
    pub flit: usize,
}

/// A flit wins switch allocation and leaves its input buffer (with `sw_alloc_delay > 1`: the completion).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grant {
    pub cycle: u64,
    pub router: usize,
    pub in_port: usize,
    pub in_vc: usize,
    pub out_port: usize,
    pub out_vc: usize,
    pub packet: PacketId,
    pub flit: usize,
}

/// An endpoint reads a flit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ejection {
    pub cycle: u64,
    pub endpoint: usize,
    pub vc: usize,
    pub packet: PacketId,
    pub flit: usize,
}

/// Everything that happened, each vector sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    pub injections: Vec<Injection>,
    pub grants: Vec<Grant>,
    pub ejections: Vec<Ejection>,
}

impl Log {
    /// Routers and endpoints are visited in ascending order, but two sub-steps of one cycle may record in any order.
    pub fn sort(&mut self) {
        self.injections.sort_unstable();
        self.grants.sort_unstable();
        self.ejections.sort_unstable();
    }
}
