//! VC allocation and switch allocation of a router: who asks for what. Both are matchings by [`Matcher`]; requests that
//! meet no rival, the most at loads below saturation, are settled without it, with the same outcome and pointers.

use crate::network::matching::{after, distance, Matcher, Request};
use crate::network::router::for_each_bit;
use crate::network::stages::Router;
use crate::network::Params;

/// No request for an output yet: worse than any.
const NOBODY: u32 = u32::MAX;

/// A head that waits for an output VC.
#[derive(Clone, Copy, Default)]
struct Waiting {
    input: u16,
    port: u16,
    /// Output VCs of the port that it may take and that are free.
    free: u32,
}

/// The heads that wait for an output port.
#[derive(Clone, Copy, Default)]
struct Heads {
    n: u16,
    /// Whether one of them may take several VCs.
    choosy: bool,
}

/// A list of bounded length, which never moves.
pub(super) struct List<T> {
    items: Box<[T]>,
    len: usize,
}

impl<T: Copy + Default> List<T> {
    fn new(room: usize) -> Self {
        Self { items: vec![T::default(); room].into_boxed_slice(), len: 0 }
    }

    #[inline]
    fn push(&mut self, item: T) {
        self.items[self.len] = item;
        self.len += 1;
    }

    #[inline]
    fn clear(&mut self) {
        self.len = 0;
    }
}

impl<T> std::ops::Deref for List<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.items[..self.len]
    }
}

/// Scratch space for the routers of one partition, one at a time.
pub(super) struct Allocation {
    matcher: Matcher,
    requests: Vec<Request>,
    /// Of the last VC allocation: input VC, output port, output VC.
    pub(super) vcs_won: List<(u16, u16, u8)>,
    /// Of the last switch allocation: input VCs.
    pub(super) switch_won: List<u16>,
    /// Bits of the heads just routed.
    pub(super) routed: Vec<u64>,
    /// Heads just routed for which there was no way on.
    pub(super) stranded: Vec<u16>,
    waiting: List<Waiting>,
    /// Of `waiting`: those that have rivals for the one VC that each of them may take.
    rivals: List<u16>,
    /// By output port.
    heads: Vec<Heads>,
    /// Candidates of switch allocation: input port, output port, input VC.
    candidates: List<(u16, u16, u16)>,
    /// Of `candidates`: those left to the matcher.
    contested: Vec<u16>,
    /// By output VC or output port, its best request: distance from its pointer and index, or [`NOBODY`].
    best: Vec<u32>,
    /// By output port: whether an input port asks for it and for others.
    entangled: Vec<bool>,
    /// Output ports that are asked for.
    asked: List<u16>,
}

/// The order in which an output takes requests: the first at or after its pointer is the least.
#[inline]
fn priority(distance: u16, index: usize) -> u32 {
    u32::from(distance) << 16 | index as u32
}

impl Allocation {
    /// Scratch for routers of up to `radix` ports.
    pub(super) fn new(radix: usize, num_vcs: usize) -> Self {
        let n = radix * num_vcs;
        Self {
            matcher: Matcher::new(n),
            requests: Vec::with_capacity(n),
            vcs_won: List::new(n),
            switch_won: List::new(radix),
            routed: vec![0; n.div_ceil(64)],
            stranded: Vec::new(),
            waiting: List::new(n),
            rivals: List::new(n),
            heads: vec![Heads::default(); radix],
            candidates: List::new(n),
            contested: Vec::with_capacity(n),
            best: vec![NOBODY; n],
            entangled: vec![false; radix],
            asked: List::new(radix),
        }
    }

    /// Adds the heads just routed to `stage`, and forgets them.
    pub(super) fn move_routed(&mut self, stage: &mut [u64]) {
        for (word, routed) in stage.iter_mut().zip(&mut self.routed) {
            *word |= std::mem::take(routed);
        }
    }

    /// VA: matches the heads in VA to free output VCs, leaving the winners in `vcs_won`. Pointers move, nothing else.
    /// A head asks for VCs of one port only, so every port is a matching of its own.
    pub(super) fn allocate_vcs(&mut self, router: &mut Router<'_>, params: &Params) {
        self.vcs_won.clear();
        self.find_heads(router, params);
        self.requests.clear();
        self.rivals.clear();
        for k in 0..self.waiting.len() {
            let Waiting { input, port, free } = self.waiting[k];
            let heads = self.heads[usize::from(port)];
            if heads.n == 1 {
                let vc = take_alone(router, usize::from(input), usize::from(port), free);
                self.vcs_won.push((input, port, vc));
            } else if heads.choosy {
                for_each_bit(&[free.into()], |vc| self.requests.push((input, port * router.num_vcs as u16 + vc as u16)));
            } else {
                let output = only_vc(port, free, router.num_vcs);
                let distance = distance(input, router.va_grant[output], router.va_accept.len() as u16);
                self.best[output] = self.best[output].min(priority(distance, k));
                self.rivals.push(k as u16);
            }
        }
        // Where nobody has a choice, each output grants the first at or after its pointer, and that one accepts.
        for r in 0..self.rivals.len() {
            let k = self.rivals[r];
            let Waiting { input, port, free } = self.waiting[usize::from(k)];
            let output = only_vc(port, free, router.num_vcs);
            if self.best[output] as u16 == k {
                router.va_grant[output] = after(input, router.va_accept.len());
                router.va_accept[usize::from(input)] = after(output as u16, router.va_grant.len());
                self.vcs_won.push((input, port, free.trailing_zeros() as u8));
            }
        }
        for &k in &*self.rivals {
            let Waiting { port, free, .. } = self.waiting[usize::from(k)];
            self.best[only_vc(port, free, router.num_vcs)] = NOBODY;
        }
        for head in &*self.waiting {
            self.heads[usize::from(head.port)] = Heads::default();
        }
        if self.requests.is_empty() {
            return;
        }
        let iterations = params.alloc_iters;
        self.matcher.allocate(params.vc_matching, &self.requests, router.va_grant, router.va_accept, iterations);
        for &k in &self.matcher.matched {
            let (input, output) = self.requests[usize::from(k)];
            let port = router.port_of[usize::from(output)];
            self.vcs_won.push((input, port, (usize::from(output) - usize::from(port) * router.num_vcs) as u8));
        }
    }

    /// Lists the heads in VA for which a VC is free, and counts them by port.
    #[inline]
    fn find_heads(&mut self, router: &Router<'_>, params: &Params) {
        self.waiting.clear();
        for_each_bit(router.va, |input| {
            let head = &router.inputs[input];
            let port = usize::from(head.out_port);
            let mut free = head.vcs & !router.ports[port].busy;
            // Wormhole takes a free VC whether or not it has credits, as BookSim2 does.
            if params.cut_through {
                let size = u16::from(head.front.size);
                let credits = &router.credits[port * router.num_vcs..][..router.num_vcs];
                let room = credits.iter().enumerate().fold(0, |bits, (vc, &c)| bits | u32::from(c >= size) << vc);
                free &= room;
            }
            if free != 0 {
                let heads = &mut self.heads[port];
                heads.n += 1;
                heads.choosy |= free & (free - 1) != 0;
                self.waiting.push(Waiting { input: input as u16, port: port as u16, free });
            }
        });
    }

    /// SA: matches the input VCs that have a flit and a credit to output ports, leaving the winners in `switch_won`.
    /// Pointers move, nothing else.
    pub(super) fn allocate_switch(&mut self, router: &mut Router<'_>, params: &Params) {
        self.switch_won.clear();
        let is_entangled = self.find_candidates(router);
        // Where no input port asks for several outputs, each output grants the first at or after its pointer, and that one
        // accepts.
        for k in 0..self.asked.len() {
            let out = usize::from(self.asked[k]);
            let best = std::mem::replace(&mut self.best[out], NOBODY);
            if !self.entangled[out] {
                let (port, out, vc) = self.candidates[usize::from(best as u16)];
                router.sa_grant[usize::from(out)] = after(port, router.sa_accept.len());
                router.sa_accept[usize::from(port)] = after(out, router.sa_grant.len());
                self.win_switch(router, port, vc);
            }
        }
        if !is_entangled {
            return;
        }
        self.requests.clear();
        self.contested.clear();
        for (k, &(port, out, _)) in self.candidates.iter().enumerate() {
            if self.entangled[usize::from(out)] {
                self.requests.push((port, out));
                self.contested.push(k as u16);
            }
        }
        for &out in &*self.asked {
            self.entangled[usize::from(out)] = false;
        }
        let iterations = params.alloc_iters;
        self.matcher.allocate(params.sw_matching, &self.requests, router.sa_grant, router.sa_accept, iterations);
        for m in 0..self.matcher.matched.len() {
            let k = self.contested[usize::from(self.matcher.matched[m])];
            let (port, _, vc) = self.candidates[usize::from(k)];
            self.win_switch(router, port, vc);
        }
    }

    #[inline]
    fn win_switch(&mut self, router: &mut Router<'_>, port: u16, vc: u16) {
        router.ports[usize::from(port)].first_vc = after(vc, router.num_vcs) as u8;
        self.switch_won.push(port * router.num_vcs as u16 + vc);
    }

    /// One candidate for each pair of ports: the first VC at or after the pointer of the input port. Those of one input
    /// port are adjacent. Returns whether some input port has several.
    #[inline]
    fn find_candidates(&mut self, router: &Router<'_>) -> bool {
        self.candidates.clear();
        self.asked.clear();
        let mut is_entangled = false;
        let (mut port, mut of_port) = (u16::MAX, 0);
        for_each_bit(router.sa, |input| {
            let queue = &router.inputs[input];
            if router.credits_of(queue) == 0 {
                return;
            }
            let own = queue.port;
            let vc = (input - usize::from(own) * router.num_vcs) as u16;
            let out = queue.out_port;
            if own != port {
                port = own;
                of_port = self.candidates.len();
            } else if let Some(held) = self.candidates.items[of_port..self.candidates.len].iter_mut().find(|c| c.1 == out) {
                let first = u16::from(router.ports[usize::from(own)].first_vc);
                if distance(vc, first, router.num_vcs as u16) < distance(held.2, first, router.num_vcs as u16) {
                    held.2 = vc;
                }
                return;
            } else {
                is_entangled = true;
                self.entangled[usize::from(out)] = true;
                // Of the others of this port each but the first has been noted.
                self.entangled[usize::from(self.candidates[of_port].1)] = true;
            }
            let distance = distance(own, router.sa_grant[usize::from(out)], router.sa_accept.len() as u16);
            let best = &mut self.best[usize::from(out)];
            if *best == NOBODY {
                self.asked.push(out);
            }
            *best = (*best).min(priority(distance, self.candidates.len()));
            self.candidates.push((own, out, vc));
        });
        is_entangled
    }
}

/// Index of the one output VC of `port` in `free`.
#[inline]
fn only_vc(port: u16, free: u32, num_vcs: usize) -> usize {
    usize::from(port) * num_vcs + free.trailing_zeros() as usize
}

/// The matching of a head that alone asks for VCs of `port`: all grant, and it accepts the first at or after its pointer.
#[inline]
fn take_alone(router: &mut Router<'_>, input: usize, port: usize, free: u32) -> u8 {
    let base = port * router.num_vcs;
    let pointer = usize::from(router.va_accept[input]);
    let from = pointer.wrapping_sub(base);
    let later = if from < router.num_vcs { free & (u32::MAX << from) } else { 0 };
    let vc = if later != 0 { later.trailing_zeros() } else { free.trailing_zeros() };
    let output = base + vc as usize;
    router.va_grant[output] = after(input as u16, router.va_accept.len());
    router.va_accept[input] = after(output as u16, router.va_grant.len());
    vc as u8
}
