//! One cycle of a router: the four stages RC, VA, SA, ST of BookSim2's router, with its timing.
//!
//! Two queues of the modelled router are not stored. The output queue behind ST sends one flit per cycle in order, so
//! the departure of a flit is known when it wins the switch; likewise for credits. Both go to the wheel at once.

use crate::ids::{Cycle, EndpointId, Port, RouterId};
use crate::network::allocation::Allocation;
use crate::network::flit::flag;
use crate::network::router::{clear, next_slot, set, taken, InputVc, PortState, State};
use crate::network::wires::Wires;
use crate::network::Params;
use crate::rng::Stream;
use crate::routing::{Head, Here, Routing, RoutingAlgorithm, View};

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
    pub(super) routing: &'a Routing,
    pub(super) rng: &'a mut Stream,
    /// What the board of queue lengths shows now.
    pub(super) board: &'a [u16],
    pub(super) router_of_endpoint: &'a [RouterId],
    pub(super) id: RouterId,
    pub(super) row: u32,
    pub(super) degree: Port,
    pub(super) first_endpoint: EndpointId,
    pub(super) now: Cycle,
}

/// What a router can see of its outputs.
struct Outputs<'a> {
    credits: &'a [u16],
    num_vcs: usize,
    depth: u16,
    board: &'a [u16],
    now: Cycle,
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

/// The present cycle, and that in which a flit that wins SA now crosses the switch. Runs end before 2^32 cycles.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    pub(super) now: u32,
    pub(super) crossing: u32,
}

impl Router<'_> {
    pub(super) fn has_work(&self) -> bool {
        self.rc.iter().chain(&*self.va).chain(&*self.sa).any(|&word| word != 0)
    }

    /// One pipeline step: every stage acts on the state that the step before left.
    pub(super) fn substep(&mut self, allocation: &mut Allocation, wires: &mut Wires, params: &Params, clock: Clock) {
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
        wires.dropped.push((self.id, queue.front));
        queue.occupied += i64::from(clock.now);
        let more = queue.advance(&mut wires.slab);
        self.end_packet(input, more);
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
        wires.send_credit(&port.lane, departs, input - in_port * self.num_vcs);
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
        let in_vc = input - in_port * self.num_vcs;
        self.credits[port * self.num_vcs + vc] -= 1;
        let out = &mut self.ports[port];
        let departs = next_slot(&mut out.flit_slot, clock.crossing + params.st_final_delay - 1);
        wires.switched(Cycle::from(clock.now), self.id, &queue.front, [in_port, in_vc], [port, vc]);
        wires.departs(departs, self.id, &queue.front, [port, vc]);
        wires.send_flit(&out.lane, departs, vc, &queue.front);
        let tail = queue.front.flags & flag::TAIL != 0;
        queue.occupied += i64::from(clock.now);
        let more = queue.advance(&mut wires.slab);
        if tail {
            out.busy &= !(1 << vc);
            self.end_packet(input, more);
        }
        if tail || !more {
            clear(self.sa, input);
        }
        self.return_credit(input, wires, clock);
    }
}
