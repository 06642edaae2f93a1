//! The endpoints' side of a cycle: packets come into being, are injected, and leave the network.

use crate::ids::Cycle;
use crate::network::flit::{flag, Flit};
use crate::network::router::{clear, set};
use crate::network::trace::Event;
use crate::network::{Arrival, Network};
use crate::routing::RoutingAlgorithm;
use crate::traffic::TrafficPattern;

impl Network {
    pub(super) fn take_endpoint_credits(&mut self, tile: usize, now: Cycle) {
        let v = self.params.num_vcs;
        let first = self.wiring.tile_endpoints(tile).start;
        let list = self.wires.at_endpoints(tile).credits.take(now);
        for &index in &list {
            self.endpoint_credits[index as usize] += 1;
            let e = (index / v) as usize - first;
            let tile = &mut self.wires.tiles[tile];
            if tile.starved[e / 64] & (1 << (e % 64)) != 0 {
                clear(&mut tile.starved, e);
                set(&mut tile.ready, e);
            }
        }
        self.wires.at_endpoints(tile).credits.recycle(list);
    }

    pub(super) fn take_ejections(&mut self, tile: usize, now: Cycle) {
        // Credits are taken later in the cycle, and may have been taken long ago.
        self.wires.at_routers(tile).credits.advance(now);
        let mut list = self.wires.at_endpoints(tile).flits.take(now);
        if self.failures.is_some() {
            self.lose_ejections(tile, &mut list, now);
        }
        for Arrival { vc: index, flit } in &list {
            self.ejected += 1;
            self.period.flits_accepted += 1;
            let (e, vc) = ((index / self.params.num_vcs) as usize, index % self.params.num_vcs);
            self.window_accepted[e] += 1;
            // The endpoint consumes at once: the credit is back at the router after the channel and the credit delay.
            self.return_ejection_credit(tile, now, self.wiring.endpoints[e].1, vc);
            if flit.flags & flag::TAIL != 0 {
                self.accept_packet(now, flit);
            }
            if let Some(log) = &mut self.wires.log {
                log.push(Event::Ejected(now, self.wiring.endpoints[e].0), flit);
            }
        }
        self.wires.at_endpoints(tile).flits.recycle(list);
    }

    /// Sends the credit of a flit that an endpoint has read back to the router, for VC `vc` of local port `port`.
    #[inline]
    pub(super) fn return_ejection_credit(&mut self, tile: usize, now: Cycle, port: u32, vc: u32) {
        let usable = now + Cycle::from(self.wiring.latency_endpoint + 1 + self.params.credit_delay);
        self.wires.at_routers(tile).credits.push(usable, port * self.params.num_vcs + vc);
    }

    #[inline]
    fn accept_packet(&mut self, now: Cycle, flit: &Flit) {
        let packet_latency = (now as u32).wrapping_sub(flit.generated);
        let network_latency = (now as u32).wrapping_sub(flit.injected);
        self.period.packets_accepted += 1;
        self.period.packet_latency_sum += u64::from(packet_latency);
        self.period.network_latency_sum += u64::from(network_latency);
        if let Some(span) = self.span {
            if span.has(flit.generated) {
                let batch = ((flit.generated - span.start) / self.sample_period) as usize;
                self.measured.record(batch, packet_latency, network_latency, flit.hops);
            }
        }
        if let Some(delivery) = &mut self.delivery {
            delivery.accept(flit.src, flit.sequence, now);
        }
    }

    pub(super) fn take_generations(&mut self, tile: usize, now: Cycle) {
        let first = self.wiring.tile_endpoints(tile).start;
        let mut list = self.wires.tiles[tile].generations.take(now);
        if self.failures.is_some() {
            self.silence(&mut list, now);
        }
        let (mut packets, mut flits) = (0, 0);
        for &local in &list {
            let e = local as usize;
            let generated = self.endpoints[e].generate(self.wiring.endpoints[e].0, now, &self.load);
            if let Some(next) = generated.next {
                self.wires.tiles[tile].generations.push(next, local);
            }
            set(&mut self.wires.tiles[tile].ready, e - first);
            packets += u64::from(generated.packets);
            flits += generated.flits;
        }
        self.period.packets_offered += packets;
        self.period.flits_offered += flits;
        if self.span.is_some_and(|span| (now as u32) < span.end) {
            self.measured_generated += packets;
        }
        self.wires.tiles[tile].generations.recycle(list);
    }

    pub(super) fn inject(&mut self, tile: usize, now: Cycle) {
        let first = self.wiring.tile_endpoints(tile).start;
        for word in 0..self.wires.tiles[tile].ready.len() {
            let mut bits = self.wires.tiles[tile].ready[word];
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                let sent = self.inject_flit(tile, now, first + word * 64 + bit as usize);
                let tile = &mut self.wires.tiles[tile];
                if sent != Sent::More {
                    tile.ready[word] &= !(1 << bit);
                }
                if sent == Sent::Starved {
                    tile.starved[word] |= 1 << bit;
                }
            }
        }
    }

    /// Sends at most one flit of endpoint `e`.
    #[inline]
    fn inject_flit(&mut self, tile: usize, now: Cycle, e: usize) -> Sent {
        let v = self.params.num_vcs as usize;
        if self.choosy && self.endpoints[e].remaining == 0 && self.refuse_packets(e, now) {
            return Sent::All;
        }
        let endpoint = &mut self.endpoints[e];
        let credits = &mut self.endpoint_credits[e * v..(e + 1) * v];
        let (id, port) = self.wiring.endpoints[e];
        let mut flit = if endpoint.remaining == 0 {
            let need = if self.params.cut_through { u16::from(endpoint.head_size(id, &self.load)) } else { 1 };
            let Some(vc) = next_vc(endpoint.last_vc, credits, need) else { return Sent::Starved };
            let (sequence, generated, size) = endpoint.take(id, &self.load);
            let dst = self.load.pattern.destination(id, sequence, &mut endpoint.destinations);
            endpoint.vc = vc;
            endpoint.last_vc = vc;
            endpoint.remaining = size;
            self.period.packets_injected += 1;
            self.sent += 1;
            Flit {
                target: self.router_of[dst as usize],
                injected: now as u32,
                flags: flag::HEAD,
                ..Flit::of_packet(id, dst, sequence, generated, size)
            }
        } else {
            endpoint.sending
        };
        let vc = usize::from(endpoint.vc);
        if credits[vc] == 0 {
            return Sent::Starved;
        }
        credits[vc] -= 1;
        endpoint.remaining -= 1;
        if endpoint.remaining > 0 {
            endpoint.sending = Flit { flags: 0, ..flit };
        } else {
            flit.flags |= flag::TAIL;
        }
        let more = if endpoint.remaining > 0 || endpoint.queued() > 0 { Sent::More } else { Sent::All };
        self.injected += 1;
        self.period.flits_injected += 1;
        let at = now + Cycle::from(self.wiring.latency_endpoint) + 1;
        let event = Event::Injected(now, id, vc as u8);
        self.wires.inject(tile, at, Arrival { flit, vc: port * v as u32 + vc as u32 }, event);
        more
    }
}

impl Network {
    /// Takes packets that routing refuses from the front of the queue of endpoint `e`, which is not empty; returns whether it is
    /// then. The destination of the first packet that is admitted is drawn again when it is sent.
    fn refuse_packets(&mut self, e: usize, now: Cycle) -> bool {
        let (id, _) = self.wiring.endpoints[e];
        let router = self.router_of[id as usize];
        while self.endpoints[e].queued() > 0 {
            let endpoint = &mut self.endpoints[e];
            let before = endpoint.destinations.clone();
            let dst = self.load.pattern.destination(id, endpoint.taken, &mut endpoint.destinations);
            if self.routers.routing.admits(router, self.router_of[dst as usize], now) {
                endpoint.destinations = before;
                return false;
            }
            let (sequence, generated, size) = endpoint.take(id, &self.load);
            self.refuse(now, &Flit::of_packet(id, dst, sequence, generated, size));
        }
        true
    }
}

/// What became of an endpoint's turn to inject.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    /// It has nothing more to send.
    All,
    /// It may be able to send again in the next cycle.
    More,
    /// It waits for a credit.
    Starved,
}

/// The first VC after `last`, round-robin, with `need` credits.
#[inline]
fn next_vc(last: u8, credits: &[u16], need: u16) -> Option<u8> {
    let n = credits.len();
    let mut vc = usize::from(last);
    for _ in 0..n {
        vc = if vc + 1 == n { 0 } else { vc + 1 };
        if credits[vc] >= need {
            return Some(vc as u8);
        }
    }
    None
}
