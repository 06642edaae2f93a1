//! Routers: input-queued, with virtual channels and credits. State is kept in arrays over the partition; a set bit per input
//! VC and stage says who has work.

use std::ops::Range;

use crate::engine::prefetch;
use crate::ids::{Cycle, Port};
use crate::network::flit::{Flit, Slab, NONE};
use crate::network::pipeline::Pipeline;
use crate::network::wires::Lane;
use crate::network::{Params, Wiring};
use crate::rng::{Purpose, Stream};
use crate::routing::Routing;

use super::allocation::Allocation;

/// What the packet at the head of an input VC waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum State {
    /// Nothing: the queue is empty and no packet is under way.
    Idle,
    /// Its route or its output VC.
    Waiting,
    /// It holds an output VC and moves flit by flit.
    Active,
}

/// An input virtual channel: the flit at its front, the list of those behind it, and the state of the packet at its head.
/// One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct InputVc {
    /// The flit at the front, if `len` is not 0.
    pub(super) front: Flit,
    /// Slots of the second and of the last flit, if there are so many.
    second: u32,
    last: u32,
    /// Output VCs that routing allows.
    pub(super) vcs: u32,
    /// Sum of the cycles of departures minus that of arrivals: the time integral of the occupancy.
    pub(super) occupied: i64,
    /// Flits that arrived in the measured window.
    pub(super) arrived: u32,
    pub(super) len: u16,
    /// Its port, within its router.
    pub(super) port: Port,
    pub(super) out_port: Port,
    pub(super) out_vc: u8,
    pub(super) state: State,
    /// Its bit in the stages.
    pub(super) bit: u32,
}

const IDLE: InputVc = InputVc {
    front: Flit::NOTHING,
    second: NONE,
    last: NONE,
    vcs: 0,
    arrived: 0,
    occupied: 0,
    len: 0,
    port: 0,
    out_port: 0,
    out_vc: 0,
    state: State::Idle,
    bit: 0,
};

impl InputVc {
    /// Adds a flit at the end; returns whether it is the front.
    #[inline]
    pub(super) fn push(&mut self, flit: &Flit, slab: &mut Slab) -> bool {
        self.len += 1;
        if self.len == 1 {
            self.front = *flit;
            return true;
        }
        let slot = slab.insert(flit);
        if self.len == 2 {
            self.second = slot;
        } else {
            slab.link(self.last, slot);
        }
        self.last = slot;
        false
    }

    /// Drops the flit at the front, which is there; returns whether there is another.
    #[inline]
    pub(super) fn advance(&mut self, slab: &mut Slab) -> bool {
        self.len -= 1;
        if self.len > 0 {
            self.second = slab.remove(self.second, &mut self.front);
        }
        self.len > 0
    }
}

/// What belongs to a port, input and output, whatever the VC: half a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct PortState {
    /// Where its channels lead.
    pub(super) lane: Lane,
    /// First cycle in which its output queue can send.
    pub(super) flit_slot: u32,
    /// First cycle in which its queue of credits can send.
    pub(super) credit_slot: u32,
    /// One bit for each output VC that a packet holds.
    pub(super) busy: u32,
    /// The first input VC to be considered by SA.
    pub(super) first_vc: u8,
}

/// The routers of one partition: every array runs over all of them, router after router.
pub struct Routers {
    pub(super) num_vcs: usize,
    pub(super) routing: Routing,
    pub(super) inputs: Vec<InputVc>,
    /// Credits of each output VC: free slots at the far end.
    pub(super) credits: Vec<u16>,
    pub(super) ports: Vec<PortState>,
    /// Round-robin pointers: VA by output VC and by input VC, SA by output port and by input port.
    pub(super) va_grant: Vec<u16>,
    pub(super) va_accept: Vec<u16>,
    pub(super) sa_grant: Vec<u16>,
    pub(super) sa_accept: Vec<u16>,
    /// Input VCs in RC, in VA, and in SA with a flit: one bit each, every router beginning a new word.
    pub(super) rc: Vec<u64>,
    pub(super) va: Vec<u64>,
    pub(super) sa: Vec<u64>,
    pub(super) word_base: Vec<u32>,
    /// Router of each word.
    pub(super) router_of_word: Vec<u32>,
    pub(super) pipelines: Vec<Pipeline>,
    pub(super) rng: Vec<Stream>,
    /// Port of a VC within its router.
    pub(super) port_of: Vec<u16>,
    pub(super) allocation: Allocation,
}

/// Credits of `port` that are taken, over its VCs: flits at or beyond it that hold its downstream buffers of `depth` flits.
#[inline]
pub(super) fn taken(credits: &[u16], port: usize, num_vcs: usize, depth: u16) -> u32 {
    credits[port * num_vcs..][..num_vcs].iter().map(|&c| u32::from(depth - c)).sum()
}

/// Calls `each` with the index of every set bit, ascending.
#[inline]
pub(super) fn for_each_bit(words: &[u64], mut each: impl FnMut(usize)) {
    for (w, &word) in words.iter().enumerate() {
        let mut bits = word;
        while bits != 0 {
            each(w * 64 + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}

#[inline]
pub(super) fn set(words: &mut [u64], bit: usize) {
    words[bit / 64] |= 1 << (bit % 64);
}

#[inline]
pub(super) fn clear(words: &mut [u64], bit: usize) {
    words[bit / 64] &= !(1 << (bit % 64));
}

impl Routers {
    /// Empty routers.
    pub fn new(params: &Params, wiring: &Wiring, routing: Routing, seed: u64) -> Self {
        let num_vcs = params.num_vcs as usize;
        let n_ports = wiring.links.len();
        let n_vcs = n_ports * num_vcs;
        let largest = wiring.max_radix() * num_vcs;
        let (mut word_base, mut router_of_word, mut inputs) = (vec![0u32], Vec::new(), Vec::with_capacity(n_vcs));
        for lr in 0..wiring.n_routers() {
            let own_vcs = wiring.ports(lr).len() * num_vcs;
            let first_bit = word_base[lr] * 64;
            inputs.extend((0..own_vcs).map(|i| InputVc { bit: first_bit + i as u32, port: (i / num_vcs) as Port, ..IDLE }));
            router_of_word.resize(router_of_word.len() + own_vcs.div_ceil(64), lr as u32);
            word_base.push(router_of_word.len() as u32);
        }
        let n_words = router_of_word.len();
        let pipelined = params.routing_delay > 1 || params.vc_alloc_delay > 1 || params.sw_alloc_delay > 1;
        Self {
            num_vcs,
            routing,
            inputs,
            credits: vec![params.vc_buf_size; n_vcs],
            ports: wiring
                .links
                .iter()
                .map(|link| PortState {
                    lane: Lane::new(link, wiring, params),
                    flit_slot: 0,
                    credit_slot: 0,
                    busy: 0,
                    first_vc: 0,
                })
                .collect(),
            va_grant: vec![0; n_vcs],
            va_accept: vec![0; n_vcs],
            sa_grant: vec![0; n_ports],
            sa_accept: vec![0; n_ports],
            rc: vec![0; n_words],
            va: vec![0; n_words],
            sa: vec![0; n_words],
            word_base,
            router_of_word,
            pipelines: if pipelined { vec![Pipeline::default(); wiring.n_routers()] } else { Vec::new() },
            rng: wiring.routers.iter().map(|&r| Stream::new(seed, Purpose::Routing, u64::from(r))).collect(),
            port_of: (0..largest).map(|i| (i / num_vcs) as u16).collect(),
            allocation: Allocation::new(wiring.max_radix(), num_vcs),
        }
    }

    /// Flits at or beyond output port `port` that hold its downstream buffers of `depth` flits.
    #[inline]
    pub(super) fn occupancy_out(&self, port: usize, depth: u16) -> u32 {
        taken(&self.credits, port, self.num_vcs, depth)
    }

    /// Flits in the buffer of input VC `vc`.
    pub(super) fn occupancy(&self, vc: usize) -> u16 {
        self.inputs[vc].len
    }

    /// Takes the flit at the front of input VC `vc` out of it, if there is one.
    pub(super) fn take_front(&mut self, vc: usize, now: Cycle, slab: &mut Slab) -> Option<Flit> {
        let input = &mut self.inputs[vc];
        (input.len > 0).then(|| {
            input.occupied += now as i64;
            let flit = input.front;
            input.advance(slab);
            flit
        })
    }

    /// Makes input VC `vc`, which is empty, as it was at the start.
    pub(super) fn forget(&mut self, vc: usize) {
        let input = &mut self.inputs[vc];
        input.state = State::Idle;
        let bit = input.bit as usize;
        [&mut self.rc, &mut self.va, &mut self.sa].into_iter().for_each(|stage| clear(stage, bit));
    }

    /// The cycle in which a credit that is due in cycle `now` leaves local port `port`, which carries one per cycle.
    pub(super) fn credit_departs(&mut self, port: usize, now: Cycle) -> u32 {
        next_slot(&mut self.ports[port].credit_slot, now as u32)
    }

    /// Starts the measured window at cycle `now` for input VC `vc`.
    pub(super) fn open_window(&mut self, vc: usize, now: Cycle) {
        let input = &mut self.inputs[vc];
        input.arrived = 0;
        input.occupied = -(i64::from(input.len) * now as i64);
    }

    /// Flits that arrived, and the time integral of the occupancy, since the window was opened.
    pub(super) fn window(&self, vc: usize, now: Cycle) -> (u64, u64) {
        let input = &self.inputs[vc];
        let integral = input.occupied + i64::from(input.len) * now as i64;
        (u64::from(input.arrived), u64::try_from(integral).expect("occupancy is not negative"))
    }

    /// The oldest flit in input VC `vc`.
    pub(super) fn front(&self, vc: usize) -> Option<&Flit> {
        (self.inputs[vc].len > 0).then_some(&self.inputs[vc].front)
    }

    /// The VCs that the packet at the head of `vc` may wait for at its output port: the one it holds, or those that routing
    /// allows it; none before it was routed.
    pub(super) fn wanted_vcs(&self, vc: usize) -> u32 {
        let input = &self.inputs[vc];
        let unrouted = self.rc[input.bit as usize / 64] >> (input.bit % 64) & 1 == 1;
        match input.state {
            State::Active => 1 << input.out_vc,
            State::Waiting if !unrouted => input.vcs,
            _ => 0,
        }
    }

    /// Where the packet at the head of `vc` wants to go, for the report of a stall: output port, and VC if it holds one.
    pub(super) fn wants(&self, vc: usize) -> (Port, Option<u8>) {
        let input = &self.inputs[vc];
        (input.out_port, (input.state == State::Active).then_some(input.out_vc))
    }
}

/// The first cycle from `now` on in which a queue that can send from cycle `slot` on sends; it is taken.
#[inline]
pub(super) fn next_slot(slot: &mut u32, now: u32) -> u32 {
    let departs = now.max(*slot);
    *slot = departs + 1;
    departs
}

/// Asks for every cache line of `slice[range]`.
#[inline]
fn fetch<T>(slice: &[T], range: Range<usize>) {
    for index in range.step_by((64 / size_of::<T>()).max(1)) {
        prefetch::line(slice, index);
    }
}

impl Routers {
    /// Asks for the state of local router `lr` with ports `ports` that its next cycle will need.
    #[inline]
    pub(super) fn fetch(&self, lr: usize, ports: Range<usize>) {
        let vcs = ports.start * self.num_vcs..ports.end * self.num_vcs;
        let words = self.word_base[lr] as usize..self.word_base[lr + 1] as usize;
        for (k, word) in words.enumerate() {
            let mut bits = self.rc[word] | self.va[word] | self.sa[word];
            while bits != 0 {
                prefetch::line(&self.inputs, vcs.start + k * 64 + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
        fetch(&self.ports, ports.clone());
        fetch(&self.sa_grant, ports.clone());
        fetch(&self.sa_accept, ports);
        fetch(&self.credits, vcs.clone());
        fetch(&self.va_grant, vcs.clone());
        fetch(&self.va_accept, vcs);
    }
}
