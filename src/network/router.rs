//! Routers: input-queued, with virtual channels and credits, in the four stages RC, VA, SA, ST of BookSim2's router, and
//! with its timing. State is kept in arrays over the partition; a set bit per input VC and stage says who has work.
//!
//! Two queues of the modelled router are not stored. The output queue behind ST sends one flit per cycle in order, so
//! the departure of a flit is known when it wins the switch; likewise for credits. Both go to the wheel at once.

use std::ops::Range;

use crate::engine::prefetch;
use crate::ids::{Cycle, EndpointId, Port, RouterId};
use crate::network::flit::{flag, Flit, Slab, NONE};
use crate::network::pipeline::Pipeline;
use crate::network::trace::Event;
use crate::network::wires::{Tile, Wires, ROUTER};
use crate::network::{Arrival, Link, Network, Params, Wiring};
use crate::rng::{Purpose, Stream};
use crate::routing::{Head, Here, Routing, RoutingAlgorithm, View};

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
    occupied: i64,
    /// Flits that arrived in the measured window.
    arrived: u32,
    len: u16,
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
    fn push(&mut self, flit: Flit, slab: &mut Slab) -> bool {
        self.len += 1;
        if self.len == 1 {
            self.front = flit;
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

    /// Takes the flit at the front, which is there.
    #[inline]
    fn pop(&mut self, slab: &mut Slab) -> Flit {
        let flit = self.front;
        self.len -= 1;
        if self.len > 0 {
            (self.front, self.second) = slab.remove(self.second);
        }
        flit
    }
}

/// What belongs to a port, input and output, whatever the VC: half a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct PortState {
    /// Where its channel leads.
    link: Link,
    /// First cycle in which its output queue can send.
    flit_slot: u32,
    /// First cycle in which its queue of credits can send.
    credit_slot: u32,
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
    va_grant: Vec<u16>,
    va_accept: Vec<u16>,
    sa_grant: Vec<u16>,
    sa_accept: Vec<u16>,
    /// Input VCs in RC, in VA, and in SA with a flit: one bit each, every router beginning a new word.
    pub(super) rc: Vec<u64>,
    pub(super) va: Vec<u64>,
    pub(super) sa: Vec<u64>,
    word_base: Vec<u32>,
    /// Router of each word.
    router_of_word: Vec<u32>,
    pub(super) pipelines: Vec<Pipeline>,
    rng: Vec<Stream>,
    /// Port of a VC within its router.
    port_of: Vec<u16>,
    allocation: Allocation,
}

/// The part of the arrays that belongs to one router, for the time of one cycle.
pub(super) struct Router<'a> {
    pub(super) num_vcs: usize,
    pub(super) inputs: &'a mut [InputVc],
    pub(super) credits: &'a mut [u16],
    pub(super) ports: &'a mut [PortState],
    pub(super) va_grant: &'a mut [u16],
    pub(super) va_accept: &'a mut [u16],
    pub(super) sa_grant: &'a mut [u16],
    pub(super) sa_accept: &'a mut [u16],
    pub(super) rc: &'a mut [u64],
    pub(super) va: &'a mut [u64],
    pub(super) sa: &'a mut [u64],
    pub(super) port_of: &'a [u16],
    routing: &'a Routing,
    rng: &'a mut Stream,
    /// What the board of queue lengths shows now.
    board: &'a [u16],
    router_of_endpoint: &'a [RouterId],
    pub(super) id: RouterId,
    row: u32,
    degree: Port,
    first_endpoint: EndpointId,
    now: Cycle,
}

/// What a router can see of its outputs.
struct Outputs<'a> {
    credits: &'a [u16],
    num_vcs: usize,
    depth: u16,
    board: &'a [u16],
    now: Cycle,
}

/// Credits of `port` that are taken, over its VCs: flits at or beyond it that hold its downstream buffers of `depth` flits.
#[inline]
fn taken(credits: &[u16], port: usize, num_vcs: usize, depth: u16) -> u32 {
    credits[port * num_vcs..][..num_vcs].iter().map(|&c| u32::from(depth - c)).sum()
}

impl View for Outputs<'_> {
    fn occupancy(&self, port: Port) -> u32 {
        taken(self.credits, usize::from(port), self.num_vcs, self.depth)
    }

    #[inline]
    fn published(&self, channel: u32) -> u32 {
        self.board.get(channel as usize).map_or(0, |&flits| flits.into())
    }

    #[inline]
    fn now(&self) -> Cycle {
        self.now
    }
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
                .map(|&link| PortState { link, flit_slot: 0, credit_slot: 0, busy: 0, first_vc: 0 })
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
            input.pop(slab)
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
fn next_slot(slot: &mut u32, now: u32) -> u32 {
    let departs = now.max(*slot);
    *slot = departs + 1;
    departs
}

/// How many arrivals ahead the lines are asked for.
const AHEAD: usize = 8;

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
    fn fetch(&self, lr: usize, ports: Range<usize>) {
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

impl Network {
    /// Brings the state of a busy tile into the cache before it is worked on. Every line of it is far away at first, and
    /// what follows branches on what it finds; asked for at once, the lines come side by side.
    pub(super) fn warm(&self, tile: usize, span: Range<Cycle>) {
        let Tile { flits: [arrivals, _], generations, .. } = &self.wires.tiles[tile];
        let own = self.wiring.tile_routers(tile);
        // In a tile with little to do most lines will not be needed.
        if arrivals.at(span.start).len() < own.len() {
            return;
        }
        for now in span {
            arrivals.at(now).iter().for_each(|a| prefetch::line(&self.routers.inputs, a.vc as usize));
            for &e in generations.at(now) {
                self.endpoints[e as usize].fetch();
            }
        }
        for lr in own {
            self.routers.fetch(lr, self.wiring.ports(lr));
        }
    }

    /// Flits that reach routers of a tile in cycle `now`.
    pub(super) fn take_arrivals(&mut self, tile: usize, now: Cycle) {
        let mut list = self.wires.tiles[tile].flits[ROUTER].take(now);
        if self.failures.is_some() {
            self.lose_arrivals(&mut list, now);
        }
        let Network { routers, wires, wiring, .. } = self;
        let Wires { tiles, slab, log, .. } = wires;
        let mut log = log.as_mut().filter(|log| log.every_event());
        let first = wiring.tile_base[tile];
        let tile = &mut tiles[tile];
        for (k, Arrival { vc, flit }) in list.iter().enumerate() {
            if let Some(ahead) = list.get(k + AHEAD) {
                prefetch::line(&routers.inputs, ahead.vc as usize);
            }
            let input = &mut routers.inputs[*vc as usize];
            input.arrived += 1;
            input.occupied -= now as i64;
            if let Some(log) = &mut log {
                let port = *vc as usize / routers.num_vcs;
                let lr = wiring.router_of_port[port] as usize;
                let place = [port - wiring.port_base[lr] as usize, *vc as usize % routers.num_vcs];
                log.push(Event::Arrived(now, wiring.routers[lr], place.map(|i| i as u16)), flit);
            }
            if !input.push(*flit, slab) {
                continue;
            }
            let bit = input.bit as usize;
            if input.state == State::Active {
                set(&mut routers.sa, bit);
            } else {
                input.state = State::Waiting;
                set(&mut routers.rc, bit);
            }
            set(&mut tile.active, (routers.router_of_word[bit / 64] - first) as usize);
        }
        tile.flits[ROUTER].recycle(list);
    }

    /// Credits that come into force in cycle `now` in a tile.
    pub(super) fn take_credits(&mut self, tile: usize, now: Cycle) {
        let list = self.wires.tiles[tile].credits[ROUTER].take(now);
        for &vc in &list {
            let credits = &mut self.routers.credits[vc as usize];
            *credits += 1;
            assert!(*credits <= self.params.vc_buf_size, "cycle {now}: more credits than buffer at output VC {vc}");
        }
        self.wires.tiles[tile].credits[ROUTER].recycle(list);
    }

    /// One cycle of every router of a tile that has work.
    pub(super) fn run_routers(&mut self, tile: usize, now: Cycle) {
        let substeps = self.params.substeps(now);
        let first = self.wiring.tile_base[tile] as usize;
        for word in 0..self.wires.tiles[tile].active.len() {
            let mut bits = self.wires.tiles[tile].active[word];
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                if !self.run_router(first + word * 64 + bit as usize, now, substeps) {
                    self.wires.tiles[tile].active[word] &= !(1 << bit);
                }
            }
        }
    }

    /// One cycle of local router `lr`; returns whether it has work in the next.
    fn run_router(&mut self, lr: usize, now: Cycle, substeps: u32) -> bool {
        let Network { routers, wires, wiring, params, router_of, board, .. } = self;
        let ports = wiring.ports(lr);
        let vcs = ports.start * routers.num_vcs..ports.end * routers.num_vcs;
        let words = routers.word_base[lr] as usize..routers.word_base[lr + 1] as usize;
        let mut router = Router {
            num_vcs: routers.num_vcs,
            inputs: &mut routers.inputs[vcs.clone()],
            credits: &mut routers.credits[vcs.clone()],
            ports: &mut routers.ports[ports.clone()],
            va_grant: &mut routers.va_grant[vcs.clone()],
            va_accept: &mut routers.va_accept[vcs.clone()],
            sa_grant: &mut routers.sa_grant[ports.clone()],
            sa_accept: &mut routers.sa_accept[ports],
            rc: &mut routers.rc[words.clone()],
            va: &mut routers.va[words.clone()],
            sa: &mut routers.sa[words],
            port_of: &routers.port_of[..vcs.len()],
            routing: &routers.routing,
            rng: &mut routers.rng[lr],
            board: board.as_ref().map_or(&[], |board| board.read(now)),
            router_of_endpoint: router_of,
            id: wiring.routers[lr],
            row: lr as u32,
            degree: wiring.degree[lr],
            first_endpoint: wiring.first_endpoint[lr],
            now,
        };
        let pipeline = routers.pipelines.get_mut(lr);
        let waits = |pipeline: &Option<&mut Pipeline>| pipeline.as_ref().is_some_and(|p| !p.is_empty());
        let mut pipeline = pipeline;
        for step in 0..substeps {
            // A winner of SA crosses the switch in the next sub-step.
            let crossing = now + Cycle::from(step + 1 == substeps);
            let clock = Clock { now: now as u32, crossing: crossing as u32 };
            match &mut pipeline {
                None => router.substep(&mut routers.allocation, wires, params, clock),
                Some(pipeline) => router.pipelined_substep(pipeline, &mut routers.allocation, wires, params, clock),
            }
        }
        router.has_work() || waits(&pipeline)
    }
}

/// The present cycle, and that in which a flit that wins SA now crosses the switch. Runs end before 2^32 cycles.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    pub(super) now: u32,
    crossing: u32,
}

impl Router<'_> {
    fn has_work(&self) -> bool {
        self.rc.iter().chain(&*self.va).chain(&*self.sa).any(|&word| word != 0)
    }

    /// One pipeline step: every stage acts on the state that the step before left.
    fn substep(&mut self, allocation: &mut Allocation, wires: &mut Wires, params: &Params, clock: Clock) {
        self.route_waiting(allocation, params);
        self.drop_stranded(allocation, wires, clock);
        self.note_routed(allocation, wires, clock.now);
        if params.routing_delay == 0 {
            allocation.move_routed(self.va);
        }
        allocation.allocate_vcs(self, params);
        self.note_vcs(allocation, wires, clock.now);
        // The winners hold their VC from here on, which nobody else in this step looks at; they enter SA at its end.
        for k in 0..allocation.vcs_won.len() {
            let (input, port, vc) = allocation.vcs_won[k];
            self.take_vc(usize::from(input), usize::from(port), vc);
            clear(self.va, usize::from(input));
        }
        allocation.allocate_switch(self, params);
        self.note_switch(allocation, wires, clock.now);
        for k in 0..allocation.switch_won.len() {
            self.traverse(usize::from(allocation.switch_won[k]), wires, params, clock);
        }
        for &(input, _, _) in &*allocation.vcs_won {
            set(self.sa, usize::from(input));
        }
        allocation.move_routed(self.va);
    }

    /// RC: routes the heads that wait for it and remembers them in `routed`, to enter VA in the next step.
    pub(super) fn route_waiting(&mut self, allocation: &mut Allocation, params: &Params) {
        for w in 0..self.rc.len() {
            let bits = std::mem::take(&mut self.rc[w]);
            allocation.routed[w] = bits;
            let mut rest = bits;
            while rest != 0 {
                let input = w * 64 + rest.trailing_zeros() as usize;
                self.route(input, params);
                if self.inputs[input].vcs == 0 {
                    allocation.stranded.push(input as u16);
                }
                rest &= rest - 1;
            }
        }
    }

    /// Drops the heads just routed for which there is no way on.
    #[inline]
    pub(super) fn drop_stranded(&mut self, allocation: &mut Allocation, wires: &mut Wires, clock: Clock) {
        while let Some(input) = allocation.stranded.pop() {
            clear(&mut allocation.routed, usize::from(input));
            self.drop_packet(usize::from(input), wires, clock);
        }
    }

    /// Takes the packet at the head of `input`, of one flit, out of the network.
    #[cold]
    pub(super) fn drop_packet(&mut self, input: usize, wires: &mut Wires, clock: Clock) {
        let queue = &mut self.inputs[input];
        let flit = queue.pop(&mut wires.slab);
        queue.occupied += i64::from(clock.now);
        let more = queue.len > 0;
        self.end_packet(input, more);
        wires.dropped.push((self.id, flit));
        self.return_credit(input, wires, clock);
    }

    /// Turns to the packet behind the one that has left `input`, if there is `more`.
    #[inline]
    fn end_packet(&mut self, input: usize, more: bool) {
        self.inputs[input].state = if more { State::Waiting } else { State::Idle };
        if more {
            set(self.rc, input);
        }
    }

    /// Sends the credit of a flit that has left `input` upstream.
    #[inline]
    fn return_credit(&mut self, input: usize, wires: &mut Wires, clock: Clock) {
        let in_port = usize::from(self.inputs[input].port);
        let port = &mut self.ports[in_port];
        let departs = next_slot(&mut port.credit_slot, clock.now);
        wires.send_credit(&port.link, departs, input - in_port * self.num_vcs);
    }

    /// Decides where the packet at the head of `input` goes next.
    #[inline]
    pub(super) fn route(&mut self, input: usize, params: &Params) {
        let input = &mut self.inputs[input];
        let in_port = input.port;
        let flit = &mut input.front;
        if flit.target == self.id {
            let local = flit.dst.wrapping_sub(self.first_endpoint);
            let n_endpoints = self.ports.len() as u32 - u32::from(self.degree);
            if local < n_endpoints {
                input.out_port = self.degree + local as Port;
                // An endpoint always consumes, so its channel cannot be part of a cycle of waiting: any VC will do.
                input.vcs = u32::MAX >> (32 - self.num_vcs);
                return;
            }
            // An intermediate router is reached: from here on to the destination.
            flit.target = self.router_of_endpoint[flit.dst as usize];
        }
        let mut head = Head { src: flit.src, dst: flit.dst, target: flit.target, hops: flit.hops, state: flit.state };
        let here = Here { router: self.id, row: self.row, in_port };
        let view =
            Outputs { credits: self.credits, num_vcs: self.num_vcs, depth: params.vc_buf_size, board: self.board, now: self.now };
        let choice = self.routing.route(here, &mut head, &view, self.rng);
        flit.target = head.target;
        flit.state = head.state;
        input.out_port = choice.port;
        input.vcs = choice.vcs;
    }

    /// Gives output VC `vc` of `port` to the packet at the head of `input`.
    #[inline]
    pub(super) fn take_vc(&mut self, input: usize, port: usize, vc: u8) {
        self.ports[port].busy |= 1 << vc;
        let input = &mut self.inputs[input];
        input.out_vc = vc;
        input.state = State::Active;
    }

    /// Credits of the output VC that the packet in `input` holds.
    #[inline]
    pub(super) fn credits_of(&self, input: &InputVc) -> u16 {
        self.credits[usize::from(input.out_port) * self.num_vcs + usize::from(input.out_vc)]
    }

    /// A flit that won SA leaves `input`: through the switch, then behind those that wait at its output; its credit goes
    /// back at once.
    #[inline]
    pub(super) fn traverse(&mut self, input: usize, wires: &mut Wires, params: &Params, clock: Clock) {
        let queue = &mut self.inputs[input];
        let (port, vc) = (usize::from(queue.out_port), usize::from(queue.out_vc));
        let in_port = usize::from(queue.port);
        let flit = queue.pop(&mut wires.slab);
        let tail = flit.flags & flag::TAIL != 0;
        queue.occupied += i64::from(clock.now);
        let more = queue.len > 0;
        if tail {
            self.end_packet(input, more);
        }
        if tail || !more {
            clear(self.sa, input);
        }
        self.credits[port * self.num_vcs + vc] -= 1;
        let in_vc = input - in_port * self.num_vcs;
        wires.switched(Cycle::from(clock.now), self.id, &flit, [in_port, in_vc], [port, vc]);
        let out = &mut self.ports[port];
        if tail {
            out.busy &= !(1 << vc);
        }
        let departs = next_slot(&mut out.flit_slot, clock.crossing + params.st_final_delay - 1);
        wires.departs(departs, self.id, &flit, [port, vc]);
        wires.send_flit(&out.link, departs, vc, flit);
        self.return_credit(input, wires, clock);
    }
}
