//! Routers: input-queued, with virtual channels and credits, in the four stages RC, VA, SA, ST of BookSim2's router, and
//! with its timing. State is kept in arrays over the partition; a set bit per input VC and stage says who has work.
//!
//! Two queues of the modelled router are not stored. The output queue behind ST sends one flit per cycle in order, so
//! the departure of a flit is known when it wins the switch; likewise for credits. Both go to the wheel at once.

use crate::ids::{Cycle, Port};
use crate::network::flit::{flag, NONE};
use crate::network::matching::Request;
use crate::network::pipeline::Pipeline;
use crate::network::{wire, Arrival, Event, Far, Matcher, Network, Params, Wiring};
use crate::rng::{Purpose, Stream};
use crate::routing::{Head, Here, Routing, RoutingAlgorithm, View};

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

/// An input virtual channel: a list of flits in the slab, and the state of the packet at its head.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputVc {
    pub(super) head: u32,
    tail: u32,
    /// Output VCs that routing allows.
    vcs: u32,
    /// Flits that arrived in the measured window.
    arrived: u32,
    /// Sum of the cycles of departures minus that of arrivals: the time integral of the occupancy.
    occupied: i64,
    len: u16,
    pub(super) out_port: Port,
    pub(super) out_vc: u8,
    pub(super) state: State,
}

/// The stages in which an input VC can have work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Route computation.
    Rc = 0,
    /// Virtual-channel allocation.
    Va = 1,
    /// Switch allocation, with a flit to send.
    Sa = 2,
}

/// The routers of one partition.
pub struct Routers {
    pub(super) num_vcs: usize,
    routing: Routing,
    pub(super) inputs: Vec<InputVc>,
    /// Credits of each output VC: free slots at the far end.
    pub(super) credits: Vec<u16>,
    /// Per port, one bit for each output VC that a packet holds.
    pub(super) busy: Vec<u32>,
    /// Round-robin pointers: VA by output VC and by input VC, SA by output port and by input port, and the first VC to
    /// be considered at each input port.
    va_grant: Vec<u16>,
    va_accept: Vec<u16>,
    sa_grant: Vec<u16>,
    sa_accept: Vec<u16>,
    first_vc: Vec<u8>,
    /// Per port, the first cycle in which its output queue, and its queue of credits, can send.
    flit_slot: Vec<u32>,
    credit_slot: Vec<u32>,
    /// Per router, `words` words for each stage: input VCs in RC, in VA, and in SA with a flit.
    pub(super) stages: Vec<u64>,
    stage_base: Vec<u32>,
    active: Vec<u64>,
    pub(super) pipelines: Vec<Pipeline>,
    rng: Vec<Stream>,
    /// Port of an input VC within its router.
    port_of: Vec<u16>,
    pub(super) matcher: Matcher,
    pub(super) requests: Vec<Request>,
    pub(super) request_vc: Vec<u8>,
    scratch: Vec<u64>,
    won_va: Vec<u16>,
}

/// What a router can see of its outputs.
struct Outputs<'a> {
    credits: &'a [u16],
    num_vcs: usize,
    depth: u16,
}

impl View for Outputs<'_> {
    fn occupancy(&self, port: Port) -> u32 {
        let own = &self.credits[usize::from(port) * self.num_vcs..][..self.num_vcs];
        own.iter().map(|&c| u32::from(self.depth - c)).sum()
    }
}

impl Routers {
    /// Empty routers.
    pub fn new(params: &Params, wiring: &Wiring, routing: Routing, seed: u64) -> Self {
        let num_vcs = params.num_vcs as usize;
        let n_ports = wiring.links.len();
        let n_vcs = n_ports * num_vcs;
        let largest = wiring.max_radix() * num_vcs;
        let mut stage_base = vec![0u32];
        for lr in 0..wiring.n_routers() {
            let words = (wiring.ports(lr).len() * num_vcs).div_ceil(64);
            stage_base.push(stage_base[lr] + 3 * words as u32);
        }
        let pipelined = params.routing_delay > 1 || params.vc_alloc_delay > 1 || params.sw_alloc_delay > 1;
        let idle = InputVc {
            head: NONE,
            tail: NONE,
            vcs: 0,
            arrived: 0,
            occupied: 0,
            len: 0,
            out_port: 0,
            out_vc: 0,
            state: State::Idle,
        };
        Self {
            num_vcs,
            routing,
            inputs: vec![idle; n_vcs],
            credits: vec![params.vc_buf_size; n_vcs],
            busy: vec![0; n_ports],
            va_grant: vec![0; n_vcs],
            va_accept: vec![0; n_vcs],
            sa_grant: vec![0; n_ports],
            sa_accept: vec![0; n_ports],
            first_vc: vec![0; n_ports],
            flit_slot: vec![0; n_ports],
            credit_slot: vec![0; n_ports],
            stages: vec![0; stage_base[wiring.n_routers()] as usize],
            stage_base,
            active: vec![0; wiring.n_routers().div_ceil(64)],
            pipelines: if pipelined { vec![Pipeline::default(); wiring.n_routers()] } else { Vec::new() },
            rng: wiring.routers.iter().map(|&r| Stream::new(seed, Purpose::Routing, u64::from(r))).collect(),
            port_of: (0..largest).map(|i| (i / num_vcs) as u16).collect(),
            matcher: Matcher::new(largest),
            requests: Vec::with_capacity(largest),
            request_vc: Vec::with_capacity(largest),
            scratch: vec![0; largest.div_ceil(64)],
            won_va: Vec::with_capacity(largest),
        }
    }

    /// Whether any router has work in the next cycle.
    #[inline]
    pub fn any_active(&self) -> bool {
        self.active.iter().any(|&word| word != 0)
    }

    /// Flits in the buffer of input VC `vc`.
    pub(super) fn occupancy(&self, vc: usize) -> u16 {
        self.inputs[vc].len
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

    /// The slots of the flits in input VC `vc`, oldest first.
    pub(super) fn head(&self, vc: usize) -> Option<u32> {
        (self.inputs[vc].len > 0).then_some(self.inputs[vc].head)
    }

    /// Where the packet at the head of `vc` wants to go, for the report of a stall: output port, and VC if it holds one.
    pub(super) fn wants(&self, vc: usize) -> (Port, Option<u8>) {
        let input = &self.inputs[vc];
        (input.out_port, (input.state == State::Active).then_some(input.out_vc))
    }

    /// Indices into `stages` of the words of one stage of router `lr`.
    #[inline]
    pub(super) fn stage(&self, lr: usize, stage: Stage) -> std::ops::Range<usize> {
        let base = self.stage_base[lr] as usize;
        let words = (self.stage_base[lr + 1] as usize - base) / 3;
        base + stage as usize * words..base + (stage as usize + 1) * words
    }
}

impl Network {
    /// Flits that reach routers in cycle `now`.
    pub(super) fn take_arrivals(&mut self, now: Cycle) {
        let list = self.arrivals.take(now);
        let routers = &mut self.routers;
        for &Arrival { vc, flit } in &list {
            let input = &mut routers.inputs[vc as usize];
            input.arrived += 1;
            input.occupied -= now as i64;
            input.len += 1;
            if input.len > 1 {
                let tail = input.tail;
                input.tail = flit;
                self.flits[tail].next = flit;
                continue;
            }
            input.head = flit;
            input.tail = flit;
            let state = input.state;
            if state == State::Idle {
                input.state = State::Waiting;
            }
            let lr = self.wiring.router_of_port[vc as usize / routers.num_vcs] as usize;
            let local = vc as usize - self.wiring.port_base[lr] as usize * routers.num_vcs;
            let stage = routers.stage(lr, if state == State::Active { Stage::Sa } else { Stage::Rc });
            routers.stages[stage.start + local / 64] |= 1 << (local % 64);
            routers.active[lr / 64] |= 1 << (lr % 64);
        }
        self.arrivals.recycle(list);
    }

    /// Credits that come into force in cycle `now`.
    pub(super) fn take_credits(&mut self, now: Cycle) {
        let list = self.credits.take(now);
        for &vc in &list {
            let credits = &mut self.routers.credits[vc as usize];
            *credits += 1;
            assert!(*credits <= self.params.vc_buf_size, "cycle {now}: more credits than buffer at output VC {vc}");
        }
        self.credits.recycle(list);
    }

    /// One cycle of every router that has work.
    pub(super) fn run_routers(&mut self, now: Cycle) {
        let substeps = self.params.substeps(now);
        for word in 0..self.routers.active.len() {
            let mut bits = self.routers.active[word];
            while bits != 0 {
                let lr = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                for step in 0..substeps {
                    // A winner of SA crosses the switch in the next sub-step.
                    let crossing = now + Cycle::from(step + 1 == substeps);
                    self.substep(lr, now, crossing);
                }
                let all = self.routers.stage_base[lr] as usize..self.routers.stage_base[lr + 1] as usize;
                let idle = self.routers.stages[all].iter().all(|&w| w == 0);
                if idle && self.routers.pipelines.get(lr).is_none_or(Pipeline::is_empty) {
                    self.routers.active[word] &= !(1 << (lr % 64));
                }
            }
        }
    }

    /// One pipeline step: every stage acts on the state that the step before left.
    fn substep(&mut self, lr: usize, now: Cycle, crossing: Cycle) {
        if !self.routers.pipelines.is_empty() {
            return self.pipelined_substep(lr, now, crossing);
        }
        self.route_all(lr);
        if self.params.routing_delay == 0 {
            self.merge_scratch(lr, Stage::Va);
        }
        self.match_vcs(lr);
        self.take_vcs(lr);
        self.match_switch(lr);
        for k in 0..self.routers.matcher.matched.len() {
            let request = self.routers.matcher.matched[k] as usize;
            let vc = self.routers.request_vc[request];
            let input = usize::from(self.routers.requests[request].0) * self.routers.num_vcs + usize::from(vc);
            self.traverse(lr, input, now, crossing);
        }
        for k in 0..self.routers.won_va.len() {
            let winner = self.routers.won_va[k];
            self.enter(lr, Stage::Sa, winner);
        }
        if self.params.routing_delay > 0 {
            self.merge_scratch(lr, Stage::Va);
        }
    }

    /// Sets the bit of an input VC in a stage.
    #[inline]
    pub(super) fn enter(&mut self, lr: usize, stage: Stage, vc: u16) {
        let words = self.routers.stage(lr, stage);
        self.routers.stages[words.start + usize::from(vc) / 64] |= 1 << (vc % 64);
    }

    /// RC: routes the heads that wait for it; leaves their bits in `scratch`, to enter VA in the next step.
    pub(super) fn route_all(&mut self, lr: usize) {
        for (w, index) in self.routers.stage(lr, Stage::Rc).enumerate() {
            let bits = std::mem::take(&mut self.routers.stages[index]);
            self.routers.scratch[w] = bits;
            let mut rest = bits;
            while rest != 0 {
                self.route(lr, w * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }

    pub(super) fn merge_scratch(&mut self, lr: usize, stage: Stage) {
        for (w, index) in self.routers.stage(lr, stage).enumerate() {
            self.routers.stages[index] |= self.routers.scratch[w];
        }
    }

    #[inline]
    pub(super) fn route(&mut self, lr: usize, local: usize) {
        let routers = &mut self.routers;
        let first_port = self.wiring.port_base[lr] as usize;
        let first_vc = first_port * routers.num_vcs;
        let input = &mut routers.inputs[first_vc + local];
        let flit = &mut self.flits[input.head];
        let router = self.wiring.routers[lr];
        if flit.target == router {
            input.out_port = self.wiring.degree[lr] + (flit.dst - self.wiring.first_endpoint[lr]) as Port;
            // An endpoint always consumes, so its channel cannot be part of a cycle of waiting: any VC will do.
            input.vcs = u32::MAX >> (32 - routers.num_vcs);
            return;
        }
        let mut head = Head { src: flit.src, dst: flit.dst, target: flit.target, hops: flit.hops, state: flit.state };
        let here = Here { router, row: lr as u32, in_port: routers.port_of[local] };
        let end = self.wiring.port_base[lr + 1] as usize * routers.num_vcs;
        let view = Outputs { credits: &routers.credits[first_vc..end], num_vcs: routers.num_vcs, depth: self.params.vc_buf_size };
        let choice = routers.routing.route(here, &mut head, &view, &mut routers.rng[lr]);
        flit.target = head.target;
        flit.state = head.state;
        input.out_port = choice.port;
        input.vcs = choice.vcs;
    }

    /// The winners of VA take their VC, which nobody else in this step looks at; they enter SA at its end.
    fn take_vcs(&mut self, lr: usize) {
        let routers = &mut self.routers;
        let first_vc = self.wiring.port_base[lr] as usize * routers.num_vcs;
        let stage = routers.stage(lr, Stage::Va).start;
        routers.won_va.clear();
        for &k in &routers.matcher.matched {
            let (input, output) = routers.requests[usize::from(k)];
            routers.stages[stage + usize::from(input) / 64] &= !(1 << (input % 64));
            routers.won_va.push(input);
            let port = routers.port_of[usize::from(output)];
            let vc = usize::from(output) - usize::from(port) * routers.num_vcs;
            routers.busy[self.wiring.port_base[lr] as usize + usize::from(port)] |= 1 << vc;
            let input = &mut routers.inputs[first_vc + usize::from(input)];
            input.out_vc = vc as u8;
            input.state = State::Active;
        }
    }

    /// The matching of VA, left in `matcher.matched` as indices into `requests`.
    #[inline]
    pub(super) fn match_vcs(&mut self, lr: usize) {
        let ports = self.wiring.ports(lr);
        let stage = self.routers.stage(lr, Stage::Va);
        let routers = &mut self.routers;
        let v = routers.num_vcs;
        let vcs = ports.start * v..ports.end * v;
        routers.requests.clear();
        for (w, index) in stage.enumerate() {
            let mut bits = routers.stages[index];
            while bits != 0 {
                let local = w * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let input = &routers.inputs[vcs.start + local];
                let mut free = input.vcs & !routers.busy[ports.start + usize::from(input.out_port)];
                let need = if self.params.cut_through { u16::from(self.flits[input.head].size) } else { 0 };
                while free != 0 {
                    let output = usize::from(input.out_port) * v + free.trailing_zeros() as usize;
                    free &= free - 1;
                    // Wormhole takes a free VC whether or not it has credits, as BookSim2 does.
                    if need == 0 || routers.credits[vcs.start + output] >= need {
                        routers.requests.push((local as u16, output as u16));
                    }
                }
            }
        }
        let (grant, accept) = (&mut routers.va_grant[vcs.clone()], &mut routers.va_accept[vcs]);
        let iterations = self.params.alloc_iters;
        routers.matcher.allocate(self.params.vc_matching, &routers.requests, grant, accept, iterations);
    }

    /// SA: matches the input VCs that have a flit and a credit to output ports; `matcher.matched` then indexes `requests`
    /// (input port, output port) and `request_vc`. Pointers move, nothing else.
    #[inline]
    pub(super) fn match_switch(&mut self, lr: usize) {
        let ports = self.wiring.ports(lr);
        let stage = self.routers.stage(lr, Stage::Sa);
        let routers = &mut self.routers;
        let v = routers.num_vcs;
        let first_vc = ports.start * v;
        routers.requests.clear();
        routers.request_vc.clear();
        let mut port = usize::MAX;
        let mut of_port = 0;
        for (w, index) in stage.enumerate() {
            let mut bits = routers.stages[index];
            while bits != 0 {
                let local = w * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let input = &routers.inputs[first_vc + local];
                let out_port = usize::from(input.out_port);
                if routers.credits[first_vc + out_port * v + usize::from(input.out_vc)] == 0 {
                    continue;
                }
                let own = usize::from(routers.port_of[local]);
                if own != port {
                    port = own;
                    of_port = routers.requests.len();
                }
                let vc = (local - own * v) as u8;
                let rival = routers.requests[of_port..].iter().position(|&(_, o)| usize::from(o) == out_port);
                if let Some(k) = rival {
                    // One candidate per pair of ports: the first VC at or after the pointer of the input port.
                    let first = routers.first_vc[ports.start + own];
                    let turn = |vc: u8| if vc >= first { vc - first } else { vc + v as u8 - first };
                    let held = &mut routers.request_vc[of_port + k];
                    if turn(vc) < turn(*held) {
                        *held = vc;
                    }
                } else {
                    routers.requests.push((own as u16, out_port as u16));
                    routers.request_vc.push(vc);
                }
            }
        }
        let (grant, accept) = (&mut routers.sa_grant[ports.clone()], &mut routers.sa_accept[ports.clone()]);
        routers.matcher.allocate(self.params.sw_matching, &routers.requests, grant, accept, self.params.alloc_iters);
        for &k in &routers.matcher.matched {
            let own = usize::from(routers.requests[usize::from(k)].0);
            let next = routers.request_vc[usize::from(k)] + 1;
            routers.first_vc[ports.start + own] = if usize::from(next) == v { 0 } else { next };
        }
    }

    /// A flit that won SA leaves input VC `local`: through the switch in cycle `crossing`, then behind those that wait at
    /// its output; its credit goes back at once.
    #[inline]
    pub(super) fn traverse(&mut self, lr: usize, local: usize, now: Cycle, crossing: Cycle) {
        let (in_rc, in_sa) = (self.routers.stage(lr, Stage::Rc).start, self.routers.stage(lr, Stage::Sa).start);
        let first_port = self.wiring.port_base[lr] as usize;
        let routers = &mut self.routers;
        let v = routers.num_vcs;
        let input = &mut routers.inputs[first_port * v + local];
        let slot = input.head;
        let (out_port, out_vc) = (first_port + usize::from(input.out_port), usize::from(input.out_vc));
        let flit = &mut self.flits[slot];
        let tail = flit.flags & flag::TAIL != 0;
        routers.credits[out_port * v + out_vc] -= 1;
        input.len -= 1;
        input.occupied += now as i64;
        let bit = 1u64 << (local % 64);
        let in_sa = &mut routers.stages[in_sa + local / 64];
        if tail {
            routers.busy[out_port] &= !(1 << out_vc);
            *in_sa &= !bit;
            input.state = State::Idle;
        } else if input.len == 0 {
            *in_sa &= !bit;
        }
        if input.len > 0 {
            input.head = flit.next;
            if tail {
                input.state = State::Waiting;
                routers.stages[in_rc + local / 64] |= bit;
            }
        }
        let in_port = first_port + usize::from(routers.port_of[local]);
        let in_vc = local - usize::from(routers.port_of[local]) * v;
        self.period.flit_hops += 1;
        if let Some(log) = &mut self.log {
            let (i, o) = ((in_port - first_port) as u16, (out_port - first_port) as u16);
            log.push((Event::Switched(now, self.wiring.routers[lr], [i, in_vc as u16], [o, out_vc as u16]), *flit));
        }
        self.send_flit(out_port, out_vc, slot, crossing);
        self.send_credit(in_port, in_vc, now);
    }

    #[inline]
    fn send_flit(&mut self, port: usize, vc: usize, slot: u32, crossing: Cycle) {
        let link = self.wiring.links[port];
        let v = self.routers.num_vcs as u32;
        let queued = crossing as u32 + self.params.st_final_delay - 1;
        let departs = queued.max(self.routers.flit_slot[port]);
        self.routers.flit_slot[port] = departs + 1;
        let at = Cycle::from(departs + link.latency + 1);
        let vc = link.to * v + vc as u32;
        match link.far {
            Far::Local => {
                self.flits[slot].hops += 1;
                self.arrivals.push(at, Arrival { vc, flit: slot });
            }
            Far::Endpoint => self.ejections.push(at, Arrival { vc, flit: slot }),
            Far::Remote(neighbour) => {
                let mut flit = self.flits.remove(slot);
                flit.hops += 1;
                self.exported += 1;
                self.earliest_sent = self.earliest_sent.min(at);
                wire::put_flit(&mut self.outboxes[usize::from(neighbour)], at as u32, vc, &flit);
            }
        }
    }

    #[inline]
    fn send_credit(&mut self, port: usize, vc: usize, now: Cycle) {
        let link = self.wiring.links[port];
        let departs = (now as u32).max(self.routers.credit_slot[port]);
        self.routers.credit_slot[port] = departs + 1;
        let seen = Cycle::from(departs + link.latency + 1);
        let usable = seen + Cycle::from(self.params.credit_delay);
        let vc = link.to * self.routers.num_vcs as u32 + vc as u32;
        match link.far {
            Far::Local => self.credits.push(usable, vc),
            // An endpoint uses a credit in the cycle in which it reads it.
            Far::Endpoint => self.endpoint_credit_wheel.push(seen, vc),
            Far::Remote(neighbour) => {
                self.earliest_sent = self.earliest_sent.min(usable);
                wire::put_credit(&mut self.outboxes[usize::from(neighbour)], usable as u32, vc);
            }
        }
    }
}
