//! One input-queued router: every stage of a sub-step is first evaluated on the state left by the sub-step before
//! and only then takes effect, so that neither the order of the stages nor that of the VCs can matter.

use std::collections::VecDeque;

use super::islip::{round_robin_distance, Islip};
use super::packet::{Flit, Grant, Packet};
use super::Params;

/// Time within a run: the cycle, and the sub-steps counted from the start of the run.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    pub cycle: u64,
    pub sub_step: u64,
}

/// What a stage came to, known inside but in effect only from the first sub-step of cycle `done`.
#[derive(Clone, Debug)]
struct Pending<T> {
    done: u64,
    /// Sub-step of the evaluation: when several complete together, the older comes first.
    evaluated: u64,
    outcome: T,
}

/// Output port and the VCs of it that a packet may take.
pub type Route = (usize, Vec<usize>);

/// The routing function: `(router, in_port, in_vc, packet, occupancy)` to a route. The occupancy of an output port is the
/// number of credits of its VCs that are taken.
pub type RouteFn<'a> = dyn FnMut(usize, usize, usize, &Packet, &[usize]) -> Route + 'a;

/// Where the packet at the head of an input VC stands. A stage with `None` waits to be evaluated.
#[derive(Clone, Debug)]
enum State {
    /// No packet.
    Idle,
    Routing(Option<Pending<()>>),
    /// The outcome is the output VC that was won, if one was.
    VcAlloc(Route, Option<Pending<Option<usize>>>),
    /// An output VC is held. The outcome is whether the flit in front won the switch.
    Active {
        out_port: usize,
        out_vc: usize,
        switch: Option<Pending<bool>>,
    },
}

#[derive(Clone, Debug)]
struct InputVc {
    queue: VecDeque<Flit>,
    state: State,
}

#[derive(Clone, Debug)]
pub struct Input {
    vcs: Vec<InputVc>,
    /// First VC to be considered in switch allocation.
    next_vc: usize,
    /// Flits on the channel with the cycle in which they are seen.
    pub flits_arriving: VecDeque<(u64, Flit)>,
    /// Freed places, by VC, that the upstream side has not been told of; one leaves per cycle.
    pub credits_to_send: VecDeque<usize>,
}

impl Input {
    /// Flits of `vc` in the buffer.
    pub fn occupancy(&self, vc: usize) -> usize {
        self.vcs[vc].queue.len()
    }
}

#[derive(Clone, Debug)]
struct OutputVc {
    /// Held by a packet whose tail has not left its input buffer.
    busy: bool,
    credits: usize,
}

#[derive(Clone, Debug)]
pub struct Output {
    vcs: Vec<OutputVc>,
    /// Flits that crossed the switch; one leaves per cycle.
    pub queue: VecDeque<Flit>,
    /// Credits on the channel with the cycle in which they are seen.
    pub credits_arriving: VecDeque<(u64, usize)>,
    /// Credits that were read, with the cycle in which they take effect.
    credits_in_processing: VecDeque<(u64, usize)>,
}

/// A flit on its way through the switch to `out_port`; `done` is `None` until its traversal is evaluated.
#[derive(Clone, Debug)]
struct Crossing {
    flit: Flit,
    out_port: usize,
    done: Option<u64>,
}

/// State of one router.
#[derive(Clone, Debug)]
pub struct Router {
    id: usize,
    params: Params,
    pub inputs: Vec<Input>,
    pub outputs: Vec<Output>,
    /// Input VCs against output VCs, both numbered port * num_vcs + vc.
    vc_allocator: Islip,
    /// Input ports against output ports.
    switch_allocator: Islip,
    /// In the order in which the flits won the switch.
    crossing: Vec<Crossing>,
}

impl Router {
    pub fn new(id: usize, n_ports: usize, params: &Params) -> Self {
        let vcs = params.num_vcs;
        let input = Input {
            vcs: vec![InputVc { queue: VecDeque::new(), state: State::Idle }; vcs],
            next_vc: 0,
            flits_arriving: VecDeque::new(),
            credits_to_send: VecDeque::new(),
        };
        let output = Output {
            vcs: vec![OutputVc { busy: false, credits: params.vc_buf_size }; vcs],
            queue: VecDeque::new(),
            credits_arriving: VecDeque::new(),
            credits_in_processing: VecDeque::new(),
        };
        Self {
            id,
            params: params.clone(),
            inputs: vec![input; n_ports],
            outputs: vec![output; n_ports],
            vc_allocator: Islip::new(n_ports * vcs, n_ports * vcs, params.alloc_iters),
            switch_allocator: Islip::new(n_ports, n_ports, params.alloc_iters),
            crossing: Vec::new(),
        }
    }

    /// Reads the channels: flits enter their buffers, credits start or end their processing.
    pub fn begin_cycle(&mut self, now: u64, route: &mut RouteFn<'_>) {
        for in_port in 0..self.inputs.len() {
            while self.inputs[in_port].flits_arriving.front().is_some_and(|&(seen, _)| seen <= now) {
                let (_, flit) = self.inputs[in_port].flits_arriving.pop_front().expect("a front was seen");
                let vc = &mut self.inputs[in_port].vcs[flit.vc];
                vc.queue.push_back(flit);
                assert!(vc.queue.len() <= self.params.vc_buf_size, "buffer overflow at router {}", self.id);
                if matches!(vc.state, State::Idle) {
                    assert!(flit.is_head(), "a packet must start with its head");
                    self.start_packet(in_port, flit.vc, route);
                }
            }
        }
        for output in &mut self.outputs {
            while output.credits_arriving.front().is_some_and(|&(seen, _)| seen <= now) {
                let (seen, vc) = output.credits_arriving.pop_front().expect("a front was seen");
                output.credits_in_processing.push_back((seen + self.params.credit_delay, vc));
            }
            while output.credits_in_processing.front().is_some_and(|&(due, _)| due <= now) {
                let (_, vc) = output.credits_in_processing.pop_front().expect("a front was seen");
                output.vcs[vc].credits += 1;
                assert!(output.vcs[vc].credits <= self.params.vc_buf_size, "too many credits at router {}", self.id);
            }
        }
    }

    /// One sub-step. Grants go to `log`.
    pub fn sub_step(&mut self, clock: Clock, route: &mut RouteFn<'_>, log: &mut Vec<Grant>) {
        self.evaluate_routing(clock);
        self.evaluate_vc_allocation(clock);
        self.evaluate_switch_allocation(clock);
        self.evaluate_traversal(clock);

        self.complete_routing(clock, route);
        self.complete_vc_allocation(clock);
        self.complete_switch_allocation(clock, route, log);
        self.complete_traversal(clock);
    }

    /// The packet whose head is now in front of an input VC enters the first stage.
    fn start_packet(&mut self, in_port: usize, in_vc: usize, route: &mut RouteFn<'_>) {
        self.inputs[in_port].vcs[in_vc].state = if self.params.routing_delay > 0 {
            State::Routing(None)
        } else {
            // The router before has already looked up the route of this one.
            State::VcAlloc(self.route(in_port, in_vc, route), None)
        };
    }

    fn route(&self, in_port: usize, in_vc: usize, route: &mut RouteFn<'_>) -> Route {
        let head = self.inputs[in_port].vcs[in_vc].queue.front().expect("routing needs a head flit");
        route(self.id, in_port, in_vc, &head.packet, &self.occupancy())
    }

    /// Credits taken at every output port.
    pub fn occupancy(&self) -> Vec<usize> {
        let taken = |output: &Output| output.vcs.iter().map(|vc| self.params.vc_buf_size - vc.credits).sum();
        self.outputs.iter().map(taken).collect()
    }

    fn evaluate_routing(&mut self, clock: Clock) {
        for vc in self.inputs.iter_mut().flat_map(|input| &mut input.vcs) {
            if let State::Routing(pending @ None) = &mut vc.state {
                let done = clock.cycle + self.params.routing_delay - 1;
                *pending = Some(Pending { done, evaluated: clock.sub_step, outcome: () });
            }
        }
    }

    fn evaluate_vc_allocation(&mut self, clock: Clock) {
        let vcs = self.params.num_vcs;
        let mut requests = Vec::new();
        for (in_port, input) in self.inputs.iter().enumerate() {
            for (in_vc, vc) in input.vcs.iter().enumerate() {
                let State::VcAlloc((out_port, allowed), None) = &vc.state else { continue };
                let needed = if self.params.cut_through { vc.queue[0].packet.size } else { 0 };
                for &out_vc in allowed {
                    if self.outputs[*out_port].may_be_taken(out_vc, needed) {
                        requests.push((in_port * vcs + in_vc, out_port * vcs + out_vc));
                    }
                }
            }
        }
        let won = self.vc_allocator.allocate(&requests);
        let done = clock.cycle + self.params.vc_alloc_delay - 1;
        for (i, vc) in self.inputs.iter_mut().flat_map(|input| &mut input.vcs).enumerate() {
            if let State::VcAlloc(_, pending @ None) = &mut vc.state {
                let outcome = won[i].map(|output| output % vcs);
                *pending = Some(Pending { done, evaluated: clock.sub_step, outcome });
            }
        }
    }

    fn evaluate_switch_allocation(&mut self, clock: Clock) {
        let vcs = self.params.num_vcs;
        let ports = self.outputs.len();
        // The candidate VC of each (input port, output port): the first at or after the input port's VC pointer.
        let mut candidate: Vec<Option<usize>> = vec![None; ports * ports];
        for (in_port, input) in self.inputs.iter().enumerate() {
            for (in_vc, vc) in input.vcs.iter().enumerate() {
                let State::Active { out_port, out_vc, switch: None } = vc.state else { continue };
                if vc.queue.is_empty() || self.outputs[out_port].vcs[out_vc].credits == 0 {
                    continue;
                }
                let distance = |v| round_robin_distance(input.next_vc, v, vcs);
                let place = &mut candidate[in_port * ports + out_port];
                if place.is_none_or(|other| distance(in_vc) < distance(other)) {
                    *place = Some(in_vc);
                }
            }
        }
        let pairs = (0..ports).flat_map(|in_port| (0..ports).map(move |out_port| (in_port, out_port)));
        let requests: Vec<_> = pairs.filter(|&(in_port, out_port)| candidate[in_port * ports + out_port].is_some()).collect();
        let won = self.switch_allocator.allocate(&requests);
        let done = clock.cycle + self.params.sw_alloc_delay - 1;
        for (in_port, input) in self.inputs.iter_mut().enumerate() {
            let winner = won[in_port].and_then(|out_port| candidate[in_port * ports + out_port]);
            if let Some(in_vc) = winner {
                input.next_vc = (in_vc + 1) % vcs;
            }
            for (in_vc, vc) in input.vcs.iter_mut().enumerate() {
                if let State::Active { switch: switch @ None, .. } = &mut vc.state {
                    // A VC without a flit takes no part: the flit may come in time for the next sub-step.
                    if !vc.queue.is_empty() {
                        let outcome = winner == Some(in_vc);
                        *switch = Some(Pending { done, evaluated: clock.sub_step, outcome });
                    }
                }
            }
        }
    }

    fn evaluate_traversal(&mut self, clock: Clock) {
        for crossing in self.crossing.iter_mut().filter(|crossing| crossing.done.is_none()) {
            crossing.done = Some(clock.cycle + self.params.st_final_delay - 1);
        }
    }

    fn complete_routing(&mut self, clock: Clock, route: &mut RouteFn<'_>) {
        for in_port in 0..self.inputs.len() {
            for in_vc in 0..self.params.num_vcs {
                if let State::Routing(Some(Pending { done, .. })) = self.inputs[in_port].vcs[in_vc].state {
                    if done <= clock.cycle {
                        let found = self.route(in_port, in_vc, route);
                        self.inputs[in_port].vcs[in_vc].state = State::VcAlloc(found, None);
                    }
                }
            }
        }
    }

    fn complete_vc_allocation(&mut self, clock: Clock) {
        let mut completing = Vec::new();
        for (in_port, input) in self.inputs.iter().enumerate() {
            for (in_vc, vc) in input.vcs.iter().enumerate() {
                if let State::VcAlloc(_, Some(pending)) = &vc.state {
                    if pending.done <= clock.cycle {
                        completing.push((pending.evaluated, in_port, in_vc));
                    }
                }
            }
        }
        completing.sort_unstable();
        for (_, in_port, in_vc) in completing {
            let vc = &mut self.inputs[in_port].vcs[in_vc];
            let State::VcAlloc((out_port, _), pending) = &mut vc.state else { unreachable!("collected above") };
            let out_port = *out_port;
            let won = pending.take().and_then(|pending| pending.outcome);
            let needed = if self.params.cut_through { vc.queue[0].packet.size } else { 0 };
            // With vc_alloc_delay > 1 another packet may have taken the VC since the evaluation: then try again.
            if let Some(out_vc) = won.filter(|&out_vc| self.outputs[out_port].may_be_taken(out_vc, needed)) {
                self.outputs[out_port].vcs[out_vc].busy = true;
                vc.state = State::Active { out_port, out_vc, switch: None };
            }
        }
    }

    fn complete_switch_allocation(&mut self, clock: Clock, route: &mut RouteFn<'_>, log: &mut Vec<Grant>) {
        let mut completing = Vec::new();
        for (in_port, input) in self.inputs.iter().enumerate() {
            for (in_vc, vc) in input.vcs.iter().enumerate() {
                if let State::Active { switch: Some(pending), .. } = &vc.state {
                    if pending.done <= clock.cycle {
                        completing.push((pending.evaluated, in_port, in_vc));
                    }
                }
            }
        }
        completing.sort_unstable();
        for (_, in_port, in_vc) in completing {
            let input = &mut self.inputs[in_port];
            let vc = &mut input.vcs[in_vc];
            let State::Active { out_port, out_vc, switch } = &mut vc.state else { unreachable!("collected above") };
            let (out_port, out_vc) = (*out_port, *out_vc);
            if !switch.take().is_some_and(|pending| pending.outcome) {
                continue;
            }
            let mut flit = vc.queue.pop_front().expect("only a VC with a flit takes part");
            let output = &mut self.outputs[out_port].vcs[out_vc];
            // No one but the holder of an output VC uses its credits, and the holder has one flit in allocation at a time.
            assert!(output.credits > 0, "the credit seen at the evaluation must still be there");
            output.credits -= 1;
            flit.vc = out_vc;
            self.crossing.push(Crossing { flit, out_port, done: None });
            input.credits_to_send.push_back(in_vc);
            log.push(Grant {
                cycle: clock.cycle,
                router: self.id,
                in_port,
                in_vc,
                out_port,
                out_vc,
                packet: flit.packet.id,
                flit: flit.index,
            });
            if flit.is_tail() {
                output.busy = false;
                vc.state = State::Idle;
                if !vc.queue.is_empty() {
                    self.start_packet(in_port, in_vc, route);
                }
            }
        }
    }

    fn complete_traversal(&mut self, clock: Clock) {
        for crossing in std::mem::take(&mut self.crossing) {
            if crossing.done.is_some_and(|done| done <= clock.cycle) {
                self.outputs[crossing.out_port].queue.push_back(crossing.flit);
            } else {
                self.crossing.push(crossing);
            }
        }
    }

    /// Flits of (`out_port`, `vc`) that took a credit and have not left the router.
    pub fn leaving(&self, out_port: usize, vc: usize) -> usize {
        let crossing = self.crossing.iter().filter(|c| c.out_port == out_port && c.flit.vc == vc).count();
        crossing + self.outputs[out_port].queue.iter().filter(|flit| flit.vc == vc).count()
    }

    /// Flits in the router, wherever they are.
    pub fn flits(&self) -> usize {
        let buffered: usize = self.inputs.iter().flat_map(|input| &input.vcs).map(|vc| vc.queue.len()).sum();
        let queued: usize = self.outputs.iter().map(|output| output.queue.len()).sum();
        buffered + queued + self.crossing.len()
    }
}

impl Output {
    /// Whether VC allocation may hand out `vc` to a packet that needs `needed` credits at once.
    fn may_be_taken(&self, vc: usize, needed: usize) -> bool {
        !self.vcs[vc].busy && self.vcs[vc].credits >= needed
    }

    /// Credits of `vc` here, and those read but not yet in effect.
    pub fn credits(&self, vc: usize) -> usize {
        self.vcs[vc].credits + self.credits_in_processing.iter().filter(|&&(_, v)| v == vc).count()
    }
}
