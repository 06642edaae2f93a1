//! A reference model of the whole network: cycle by cycle, sub-step by sub-step, one struct per flit, explicit queues for
//! everything that takes time. It is written from the timing rules alone and shares nothing with the simulator but the
//! graph, so that where the two agree, flit by flit, neither is likely to be wrong.
//!
//! Slow on purpose: it visits every VC of every router in every sub-step.

pub mod endpoint;
pub mod islip;
pub mod network;
pub mod packet;
pub mod router;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use endpoint::Endpoint;
use network::{Attachment, Network, Peer};
use packet::{Ejection, Flit, Injection, Log, Packet, PacketId, PacketSpec};
use router::{Clock, Route, Router};

/// Parameters of the routers, under their BookSim2 names. Delays are in cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    pub num_vcs: usize,
    pub vc_buf_size: usize,
    /// 0: the route is known on arrival, so a head enters VC allocation at once.
    pub routing_delay: u64,
    pub vc_alloc_delay: u64,
    pub sw_alloc_delay: u64,
    pub st_final_delay: u64,
    pub credit_delay: u64,
    /// Sub-steps per cycle, at least 1; parts of a sub-step add up over the cycles.
    pub internal_speedup: f64,
    /// Iterations of iSLIP.
    pub alloc_iters: usize,
    /// Virtual cut-through: a packet takes a VC only when it has a credit for each of its flits. Else wormhole.
    pub cut_through: bool,
}

impl Default for Params {
    /// The parameters of the reference curves, with one VC.
    fn default() -> Self {
        Self {
            num_vcs: 1,
            vc_buf_size: 16,
            routing_delay: 1,
            vc_alloc_delay: 1,
            sw_alloc_delay: 1,
            st_final_delay: 1,
            credit_delay: 2,
            internal_speedup: 2.0,
            alloc_iters: 1,
            cut_through: false,
        }
    }
}

/// For every cycle begun: by router and output port, the credits taken at its beginning.
pub type Queues = Rc<RefCell<Vec<Vec<Vec<usize>>>>>;

/// The network in motion. `F` routes: `(router, in_port, in_vc, packet, occupancy) -> (out_port, allowed VCs of that port)`.
pub struct Model<F> {
    network: Network,
    params: Params,
    route: F,
    routers: Vec<Router>,
    endpoints: Vec<Endpoint>,
    attachments: Vec<Attachment>,
    now: u64,
    sub_step: u64,
    /// The part of a sub-step left over from the cycles before.
    partial_sub_step: f64,
    log: Log,
    queues: Option<Queues>,
}

impl<F> Model<F>
where
    F: FnMut(usize, usize, usize, &Packet, &[usize]) -> Route,
{
    /// `packets[e]` are the packets of endpoint `e` in the order in which they are sent.
    ///
    /// # Panics
    /// If the parameters or packets make no sense.
    pub fn new(network: Network, params: Params, packets: &[Vec<PacketSpec>], route: F) -> Self {
        let attachments = network.attachments();
        assert_eq!(packets.len(), attachments.len(), "one list of packets per endpoint");
        assert!(params.num_vcs > 0 && params.vc_buf_size > 0 && params.alloc_iters > 0);
        assert!(params.vc_alloc_delay > 0 && params.sw_alloc_delay > 0 && params.st_final_delay > 0);
        assert!(params.internal_speedup >= 1.0);
        let routers = network.routers.iter().enumerate().map(|(r, ports)| Router::new(r, ports.len(), &params)).collect();
        let endpoints = packets.iter().enumerate().map(|(e, list)| Endpoint::new(with_ids(e, list, &params), &params));
        Self {
            endpoints: endpoints.collect(),
            network,
            params,
            route,
            routers,
            attachments,
            now: 0,
            sub_step: 0,
            partial_sub_step: 0.0,
            log: Log::default(),
            queues: None,
        }
    }

    /// Notes the lengths of all queues at the beginning of every cycle in `queues`.
    pub fn with_queues(mut self, queues: Queues) -> Self {
        self.queues = Some(queues);
        self
    }

    /// Runs `cycles` more cycles.
    pub fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// Hands out what happened since the start or since the last call.
    pub fn take_log(&mut self) -> Log {
        self.log.sort();
        std::mem::take(&mut self.log)
    }

    fn cycle(&mut self) {
        let now = self.now;
        if let Some(queues) = &self.queues {
            queues.borrow_mut().push(self.routers.iter().map(Router::occupancy).collect());
        }
        let consumed = self.endpoints_read();
        for router in &mut self.routers {
            router.begin_cycle(now, &mut self.route);
        }
        self.endpoints_inject();
        for (e, flit) in consumed {
            let Attachment { router, port, latency } = self.attachments[e];
            self.routers[router].outputs[port].credits_arriving.push_back((now + latency + 1, flit.vc));
        }
        self.partial_sub_step += self.params.internal_speedup;
        while self.partial_sub_step >= 1.0 {
            let clock = Clock { cycle: now, sub_step: self.sub_step };
            for router in &mut self.routers {
                router.sub_step(clock, &mut self.route, &mut self.log.grants);
            }
            self.partial_sub_step -= 1.0;
            self.sub_step += 1;
        }
        self.routers_send();
        self.now += 1;
    }

    fn endpoints_read(&mut self) -> Vec<(usize, Flit)> {
        let mut consumed = Vec::new();
        for (e, endpoint) in self.endpoints.iter_mut().enumerate() {
            endpoint.read_credits(self.now);
            if let Some(flit) = endpoint.read_flit(self.now) {
                assert_eq!(flit.packet.destination, e, "packet {:?} went astray", flit.packet.id);
                self.log.ejections.push(Ejection {
                    cycle: self.now,
                    endpoint: e,
                    vc: flit.vc,
                    packet: flit.packet.id,
                    flit: flit.index,
                });
                consumed.push((e, flit));
            }
        }
        consumed
    }

    fn endpoints_inject(&mut self) {
        for (e, endpoint) in self.endpoints.iter_mut().enumerate() {
            let Some(flit) = endpoint.inject(self.now, &self.params) else { continue };
            let Attachment { router, port, latency } = self.attachments[e];
            self.routers[router].inputs[port].flits_arriving.push_back((self.now + latency + 1, flit));
            self.log.injections.push(Injection {
                cycle: self.now,
                endpoint: e,
                vc: flit.vc,
                packet: flit.packet.id,
                flit: flit.index,
            });
        }
    }

    /// Every output port sends one flit, every input port one credit. What is sent now is seen after the channel's latency plus 1,
    /// so nothing that is sent here can be read in this cycle.
    fn routers_send(&mut self) {
        for r in 0..self.routers.len() {
            for (p, spec) in self.network.routers[r].iter().enumerate() {
                let seen = self.now + spec.latency + 1;
                if let Some(flit) = self.routers[r].outputs[p].queue.pop_front() {
                    match spec.peer {
                        Peer::Router { router, port } => {
                            self.routers[router].inputs[port].flits_arriving.push_back((seen, flit));
                        }
                        Peer::Endpoint(e) => self.endpoints[e].flits_arriving.push_back((seen, flit)),
                    }
                }
                if let Some(vc) = self.routers[r].inputs[p].credits_to_send.pop_front() {
                    match spec.peer {
                        Peer::Router { router, port } => {
                            self.routers[router].outputs[port].credits_arriving.push_back((seen, vc));
                        }
                        Peer::Endpoint(e) => self.endpoints[e].credits_arriving.push_back((seen, vc)),
                    }
                }
            }
        }
    }

    /// Flits inside the network: in routers and on channels.
    pub fn flits_in_network(&self) -> usize {
        let routers: usize = self.routers.iter().map(Router::flits).sum();
        let channels: usize = self.routers.iter().flat_map(|router| &router.inputs).map(|input| input.flits_arriving.len()).sum();
        let ejection: usize = self.endpoints.iter().map(|endpoint| endpoint.flits_arriving.len()).sum();
        routers + channels + ejection
    }

    /// Flits generated before the current cycle that have not entered the network.
    pub fn flits_at_sources(&self) -> usize {
        self.now.checked_sub(1).map_or(0, |last| self.endpoints.iter().map(|e| e.waiting_flits(last)).sum())
    }

    /// Checks for every channel and VC that credits, flits and credits under way add up to the depth of the buffer.
    ///
    /// # Panics
    /// If they do not.
    pub fn check_conservation(&self) {
        for (r, ports) in self.network.routers.iter().enumerate() {
            for (p, spec) in ports.iter().enumerate() {
                for vc in 0..self.params.num_vcs {
                    self.check_channel_out_of(r, p, spec.peer, vc);
                    if let Peer::Endpoint(e) = spec.peer {
                        let endpoint = &self.endpoints[e];
                        let places =
                            endpoint.credits[vc] + self.in_or_before_input(r, p, vc) + credits_on(&endpoint.credits_arriving, vc);
                        assert_eq!(places, self.params.vc_buf_size, "injection of endpoint {e}, VC {vc}");
                    }
                }
            }
        }
    }

    fn check_channel_out_of(&self, r: usize, p: usize, peer: Peer, vc: usize) {
        let output = &self.routers[r].outputs[p];
        let here = output.credits(vc) + self.routers[r].leaving(p, vc) + credits_on(&output.credits_arriving, vc);
        let there = match peer {
            Peer::Router { router, port } => self.in_or_before_input(router, port, vc),
            Peer::Endpoint(e) => flits_on(&self.endpoints[e].flits_arriving, vc),
        };
        assert_eq!(here + there, self.params.vc_buf_size, "router {r}, port {p}, VC {vc}");
    }

    /// Flits on the channel into an input, in its buffer, and freed places not yet told of.
    fn in_or_before_input(&self, router: usize, port: usize, vc: usize) -> usize {
        let input = &self.routers[router].inputs[port];
        flits_on(&input.flits_arriving, vc) + input.occupancy(vc) + input.credits_to_send.iter().filter(|&&v| v == vc).count()
    }
}

fn flits_on(channel: &VecDeque<(u64, Flit)>, vc: usize) -> usize {
    channel.iter().filter(|(_, flit)| flit.vc == vc).count()
}

fn credits_on(channel: &VecDeque<(u64, usize)>, vc: usize) -> usize {
    channel.iter().filter(|&&(_, v)| v == vc).count()
}

fn with_ids(source: usize, list: &[PacketSpec], params: &Params) -> Vec<Packet> {
    assert!(list.is_sorted_by_key(|spec| spec.generated), "packets of endpoint {source} in the order of generation");
    let identify = |(sequence, spec): (usize, &PacketSpec)| {
        assert!(spec.size > 0);
        assert!(!params.cut_through || spec.size <= params.vc_buf_size, "cut-through needs room for a whole packet");
        let &PacketSpec { generated, destination, size } = spec;
        Packet { id: PacketId { source, sequence }, generated, destination, size }
    };
    list.iter().enumerate().map(identify).collect()
}
