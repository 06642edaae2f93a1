//! VC allocation and switch allocation of a router: who asks for what. Both are matchings by [`Matcher`]; requests that
//! meet no rival, the most at loads below saturation, are settled without it, with the same outcome and pointers.

use crate::network::matching::{after, Matcher, Request};
use crate::network::router::{for_each_bit, Router};
use crate::network::Params;

/// The end of a chain.
const END: u16 = u16::MAX;

/// A head that waits for an output VC.
#[derive(Clone, Copy)]
struct Waiting {
    input: u16,
    /// The next head that waits for the same port.
    next: u16,
    /// Output VCs of the port that it may take and that are free.
    free: u32,
}

/// Scratch space for the routers of one partition, one at a time.
pub(super) struct Allocation {
    matcher: Matcher,
    requests: Vec<Request>,
    /// Of the last VC allocation: input VC, output port, output VC.
    pub(super) vcs_won: Vec<(u16, u16, u8)>,
    /// Of the last switch allocation: input VCs.
    pub(super) switch_won: Vec<u16>,
    /// Bits of the heads just routed.
    pub(super) routed: Vec<u64>,
    /// Heads just routed for which there was no way on.
    pub(super) stranded: Vec<u16>,
    waiting: Vec<Waiting>,
    /// By output port: the last head in `waiting`, and the number of input ports that ask for it.
    last: Vec<u16>,
    rivals: Vec<u16>,
    touched: Vec<u16>,
    /// Candidates of switch allocation: input port, output port, input VC.
    candidates: Vec<(u16, u16, u16)>,
    contested: Vec<u16>,
}

impl Allocation {
    /// Scratch for routers of up to `radix` ports.
    pub(super) fn new(radix: usize, num_vcs: usize) -> Self {
        let n = radix * num_vcs;
        Self {
            matcher: Matcher::new(n),
            requests: Vec::with_capacity(n),
            vcs_won: Vec::with_capacity(n),
            switch_won: Vec::with_capacity(radix),
            routed: vec![0; n.div_ceil(64)],
            stranded: Vec::new(),
            waiting: Vec::with_capacity(n),
            last: vec![END; radix],
            rivals: vec![0; radix],
            touched: Vec::with_capacity(radix),
            candidates: Vec::with_capacity(n),
            contested: Vec::with_capacity(n),
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
        self.waiting.clear();
        self.touched.clear();
        self.requests.clear();
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
                if self.last[port] == END {
                    self.touched.push(port as u16);
                }
                let next = std::mem::replace(&mut self.last[port], self.waiting.len() as u16);
                self.waiting.push(Waiting { input: input as u16, next, free });
            }
        });
        for k in 0..self.touched.len() {
            let port = usize::from(self.touched[k]);
            let first = self.waiting[usize::from(std::mem::replace(&mut self.last[port], END))];
            if first.next == END {
                let vc = take_alone(router, usize::from(first.input), port, first.free);
                self.vcs_won.push((first.input, port as u16, vc));
            } else {
                self.contend(first, port, router.num_vcs);
            }
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

    /// Lists the requests of all heads that wait for `port`.
    fn contend(&mut self, first: Waiting, port: usize, num_vcs: usize) {
        let mut head = first;
        loop {
            let mut free = head.free;
            while free != 0 {
                self.requests.push((head.input, (port * num_vcs) as u16 + free.trailing_zeros() as u16));
                free &= free - 1;
            }
            if head.next == END {
                return;
            }
            head = self.waiting[usize::from(head.next)];
        }
    }

    /// SA: matches the input VCs that have a flit and a credit to output ports, leaving the winners in `switch_won`.
    /// Pointers move, nothing else.
    pub(super) fn allocate_switch(&mut self, router: &mut Router<'_>, params: &Params) {
        self.switch_won.clear();
        self.find_candidates(router);
        self.requests.clear();
        self.contested.clear();
        let n = self.candidates.len();
        for k in 0..n {
            let (port, out, vc) = self.candidates[k];
            let alone = self.rivals[usize::from(out)] == 1
                && (k == 0 || self.candidates[k - 1].0 != port)
                && (k + 1 == n || self.candidates[k + 1].0 != port);
            if alone {
                router.sa_grant[usize::from(out)] = after(port, router.sa_accept.len());
                router.sa_accept[usize::from(port)] = after(out, router.sa_grant.len());
                self.win_switch(router, port, vc);
            } else {
                self.requests.push((port, out));
                self.contested.push(k as u16);
            }
        }
        for &(_, out, _) in &self.candidates {
            self.rivals[usize::from(out)] = 0;
        }
        if self.requests.is_empty() {
            return;
        }
        let iterations = params.alloc_iters;
        self.matcher.allocate(params.sw_matching, &self.requests, router.sa_grant, router.sa_accept, iterations);
        for m in 0..self.matcher.matched.len() {
            let k = self.contested[usize::from(self.matcher.matched[m])];
            let (port, _, vc) = self.candidates[usize::from(k)];
            self.win_switch(router, port, vc);
        }
    }

    fn win_switch(&mut self, router: &mut Router<'_>, port: u16, vc: u16) {
        router.ports[usize::from(port)].first_vc = after(vc, router.num_vcs) as u8;
        self.switch_won.push(port * router.num_vcs as u16 + vc);
    }

    /// One candidate for each pair of ports: the first VC at or after the pointer of the input port. Those of one input
    /// port are adjacent.
    #[inline]
    fn find_candidates(&mut self, router: &Router<'_>) {
        self.candidates.clear();
        let (mut port, mut of_port) = (u16::MAX, 0);
        for_each_bit(router.sa, |input| {
            let queue = &router.inputs[input];
            if router.credits_of(queue) == 0 {
                return;
            }
            let own = queue.port;
            if own != port {
                port = own;
                of_port = self.candidates.len();
            }
            let vc = (input - usize::from(own) * router.num_vcs) as u16;
            let out = queue.out_port;
            if let Some(held) = self.candidates[of_port..].iter_mut().find(|c| c.1 == out) {
                let first = u16::from(router.ports[usize::from(own)].first_vc);
                let turn = |vc: u16| if vc >= first { vc - first } else { vc + router.num_vcs as u16 - first };
                if turn(vc) < turn(held.2) {
                    held.2 = vc;
                }
            } else {
                self.candidates.push((own, out, vc));
                self.rivals[usize::from(out)] += 1;
            }
        });
    }
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
