//! Flits, and the slab that holds those of one partition that wait behind others. A flit travels by value: in the wheel
//! while on a channel, in its input VC while at the front; only where a queue forms does it take a slot of the slab. So
//! below saturation a hop touches one line of random memory, and the rest is read and written in order. It is copied from where it
//! lies to where it goes: on its way over the stack it would be written in parts and read whole, which the processor waits for.

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

/// One flit, also on the wire between partitions.
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
    /// Router-to-router channels crossed.
    pub hops: u8,
    /// Scratch of the routing algorithm.
    pub state: u8,
    /// `flag` bits.
    pub flags: u8,
    /// Flits in the packet.
    pub size: u8,
}

impl Flit {
    /// What stands where no flit is.
    pub const NOTHING: Flit =
        Flit { src: 0, dst: 0, target: 0, generated: 0, injected: 0, sequence: 0, hops: 0, state: 0, flags: 0, size: 0 };
}

/// A waiting flit and the slot of the next in its queue.
#[derive(Clone, Copy, Debug)]
struct Node {
    flit: Flit,
    next: u32,
}

/// Slots for waiting flits, reused last-in first-out so that the memory touched follows their number.
#[derive(Debug, Default)]
pub struct Slab {
    slots: Vec<Node>,
    free: Vec<u32>,
}

impl Slab {
    /// Puts a flit into a free slot, the end of its queue.
    #[inline]
    pub fn insert(&mut self, flit: &Flit) -> u32 {
        if let Some(slot) = self.free.pop() {
            let node = &mut self.slots[slot as usize];
            node.flit = *flit;
            node.next = NONE;
            slot
        } else {
            self.slots.push(Node { flit: *flit, next: NONE });
            (self.slots.len() - 1) as u32
        }
    }

    /// Makes `next` the slot behind `slot` in its queue.
    #[inline]
    pub fn link(&mut self, slot: u32, next: u32) {
        self.slots[slot as usize].next = next;
    }

    /// Takes a flit out, `into` its place, and frees its slot; returns the slot behind it.
    #[inline]
    pub fn remove(&mut self, slot: u32, into: &mut Flit) -> u32 {
        self.free.push(slot);
        let node = &self.slots[slot as usize];
        *into = node.flit;
        node.next
    }

    /// Number of flits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
