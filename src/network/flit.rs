//! Flits and the slab that holds those of one partition. A flit stays in its slot from injection to ejection, or to the
//! edge of the partition; queues are lists of slots, so moving a flit writes one link.

use crate::ids::{EndpointId, RouterId};

/// The end of a list of slots.
pub const NONE: u32 = u32::MAX;

/// Bits of `Flit::flags`.
pub mod flag {
    /// First flit of its packet.
    pub const HEAD: u8 = 1;
    /// Last flit of its packet.
    pub const TAIL: u8 = 2;
}

/// One flit; half a cache line, also on the wire between partitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Flit {
    /// Source endpoint.
    pub src: EndpointId,
    /// Destination endpoint.
    pub dst: EndpointId,
    /// The router to reach next.
    pub target: RouterId,
    /// Cycle of generation of the packet. Runs end before 2^32 cycles.
    pub generated: u32,
    /// Cycle in which the head left the source queue.
    pub injected: u32,
    /// Number of the packet at its source.
    pub sequence: u32,
    /// Next flit in the same queue.
    pub next: u32,
    /// Router-to-router channels crossed.
    pub hops: u8,
    /// Scratch of the routing algorithm.
    pub state: u8,
    /// `flag` bits.
    pub flags: u8,
    /// Flits in the packet.
    pub size: u8,
}

/// Slots for flits, reused last-in first-out so that the memory touched follows the flits in flight.
#[derive(Debug, Default)]
pub struct Slab {
    slots: Vec<Flit>,
    free: Vec<u32>,
}

impl Slab {
    /// Puts a flit into a free slot.
    #[inline]
    pub fn insert(&mut self, flit: Flit) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = flit;
            slot
        } else {
            self.slots.push(flit);
            (self.slots.len() - 1) as u32
        }
    }

    /// Takes a flit out and frees its slot.
    #[inline]
    pub fn remove(&mut self, slot: u32) -> Flit {
        self.free.push(slot);
        self.slots[slot as usize]
    }

    /// Number of flits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

impl std::ops::Index<u32> for Slab {
    type Output = Flit;

    #[inline]
    fn index(&self, slot: u32) -> &Flit {
        &self.slots[slot as usize]
    }
}

impl std::ops::IndexMut<u32> for Slab {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut Flit {
        &mut self.slots[slot as usize]
    }
}
