//! Contract 2, conservation, checked at every sample boundary: flits counted one by one against what went in and out, and,
//! for every channel and VC, credits + flits buffered + flits and credits on the way against the buffer depth.

use std::collections::HashMap;

use crate::error::Error;
use crate::ids::Cycle;
use crate::network::delivery::Delivery;
use crate::network::{Far, Network, Span};
use crate::stats::{Arrived, Measured, Period, Window};

/// For each output VC of a cut channel, the part of its buffer that its own partition can see.
pub type CutHalves = Vec<Vec<u8>>;

/// A head that waits: the channel and VC by which it came to `router`, and the VCs one of which it needs at `port` there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Blocked {
    /// Channel between routers, as numbered by the graph.
    pub channel: u32,
    /// VC there.
    pub vc: u32,
    /// The router it stands at.
    pub router: u32,
    /// The network port it wants.
    pub port: u32,
    /// Bit v: VC v would do.
    pub vcs: u32,
}

impl Network {
    /// Closes the sample period that ends at cycle `now` (exclusive): its counts, after checking that no flit was lost.
    ///
    /// # Errors
    /// If the flits in buffers and channels are not those that came in and did not leave.
    pub fn close_period(&mut self, now: Cycle) -> Result<Period, Error> {
        let buffered: u64 = (0..self.n_vcs()).map(|vc| u64::from(self.routers.occupancy(vc))).sum();
        let ejecting: usize = self.wires.at_all_endpoints().map(|end| end.flits.len()).sum();
        let counted = buffered + (self.wires.flits_to_routers().count() + ejecting) as u64;
        let expected = (self.injected + self.imported) - (self.ejected + self.wires.exported + self.lost);
        let behind: u64 = (0..self.n_vcs()).map(|vc| u64::from(self.routers.occupancy(vc).saturating_sub(1))).sum();
        if counted != expected || behind != self.wires.slab.len() as u64 {
            return Err(Error::Internal(format!(
                "cycle {now}: {counted} flits in buffers and channels, {expected} came in and did not leave; {behind} wait \
                 behind others, {} are held",
                self.wires.slab.len()
            )));
        }
        let (offered, taken) = self.endpoints.iter().fold((0, 0), |(o, t), e| (o + e.offered, t + e.taken));
        if taken != self.sent + self.refused {
            return Err(Error::Internal(format!(
                "cycle {now}: {taken} packets left their source queues, {} were sent and {} refused",
                self.sent, self.refused
            )));
        }
        let mut period = std::mem::take(&mut self.period);
        period.flit_hops = std::mem::take(&mut self.wires.flit_hops);
        period.flits_in_network = counted;
        period.flits_buffered = buffered;
        period.packets_queued = offered - taken;
        period.measured_generated = self.measured_generated;
        period.measured_accepted = self.measured.packet_latency.count();
        period.measured_failed = self.measured.failed.iter().sum();
        Ok(period)
    }

    fn n_vcs(&self) -> usize {
        self.wiring.links.len() * self.params.num_vcs as usize
    }

    /// Checks the credits of all channels inside the partition and to its endpoints. Returns, for each neighbour, what
    /// this partition holds of each cut channel's buffers, for [`Network::check_cut`] of the neighbour: per channel and VC
    /// the credits at the sending end and on the way to it.
    ///
    /// # Errors
    /// If a buffer's slots do not add up.
    pub fn check_credits(&self, now: Cycle) -> Result<CutHalves, Error> {
        let v = self.params.num_vcs as usize;
        let mut sender: Vec<u32> = self.routers.credits.iter().map(|&c| u32::from(c)).collect();
        let mut receiver: Vec<u32> = (0..self.n_vcs()).map(|vc| u32::from(self.routers.occupancy(vc))).collect();
        let mut endpoint: Vec<u32> = self.endpoint_credits.iter().map(|&c| u32::from(c)).collect();
        let mut ejecting = vec![0u32; endpoint.len()];
        self.wires.credits_to_routers().for_each(|&vc| sender[vc as usize] += 1);
        self.wires.flits_to_routers().for_each(|a| receiver[a.vc as usize] += 1);
        for end in self.wires.at_all_endpoints() {
            end.credits.iter().for_each(|&i| endpoint[i as usize] += 1);
            end.flits.iter().for_each(|a| ejecting[a.vc as usize] += 1);
        }
        let mut halves: CutHalves = self.wiring.neighbours.iter().map(|_| Vec::new()).collect();
        for (port, link) in self.wiring.links.iter().enumerate() {
            for vc in 0..v {
                let (own, far) = (port * v + vc, link.to as usize * v + vc);
                let slots = match link.far {
                    Far::Local => sender[own] + receiver[far],
                    Far::Endpoint => {
                        self.expect_depth(now, endpoint[far] + receiver[own], port, vc, "from an endpoint")?;
                        sender[own] + ejecting[far]
                    }
                    Far::Remote(neighbour) => {
                        let half = &mut halves[usize::from(neighbour)];
                        half.extend_from_slice(&(far as u32).to_le_bytes());
                        half.extend_from_slice(&sender[own].to_le_bytes());
                        continue;
                    }
                };
                self.expect_depth(now, slots, port, vc, "out of port")?;
            }
        }
        Ok(halves)
    }

    fn expect_depth(&self, now: Cycle, slots: u32, port: usize, vc: usize, what: &str) -> Result<(), Error> {
        if slots == u32::from(self.params.vc_buf_size) {
            return Ok(());
        }
        let lr = self.wiring.router_of_port[port] as usize;
        let (router, port) = (self.wiring.routers[lr], port - self.wiring.port_base[lr] as usize);
        Err(Error::Internal(format!(
            "cycle {now}, router {router}, channel {what} {port}, VC {vc}: credits, buffered flits and what is on the way make \
             {slots} slots, the buffer has {}",
            self.params.vc_buf_size
        )))
    }

    /// Checks the channels that come in from one neighbour against its half, of [`Network::check_credits`].
    ///
    /// # Errors
    /// If a buffer's slots do not add up.
    pub fn check_cut<'a>(&self, now: Cycle, halves: impl Iterator<Item = &'a [u8]>) -> Result<(), Error> {
        let mut receiver: HashMap<u32, u32> = HashMap::new();
        self.wires.flits_to_routers().for_each(|a| *receiver.entry(a.vc).or_default() += 1);
        for pair in halves.flat_map(|half| half.chunks_exact(8)) {
            let word = |i: usize| u32::from_le_bytes(pair[4 * i..4 * i + 4].try_into().expect("four bytes"));
            let (vc, theirs) = (word(0), word(1));
            let ours = u32::from(self.routers.occupancy(vc as usize)) + receiver.get(&vc).copied().unwrap_or(0);
            let v = self.params.num_vcs;
            self.expect_depth(now, theirs + ours, (vc / v) as usize, (vc % v) as usize, "into port")?;
        }
        Ok(())
    }

    /// Opens the measured window at cycle `now`: packets generated from now on are measured.
    pub fn open_window(&mut self, now: Cycle) {
        self.span = Some(Span { start: now as u32, end: u32::MAX });
        for endpoint in &mut self.endpoints {
            endpoint.window_offered = 0;
        }
        self.window_accepted.fill(0);
        (0..self.n_vcs()).for_each(|vc| self.routers.open_window(vc, now));
    }

    /// Closes the measured window before cycle `now`; returns what was counted in it by endpoint and channel. Packets
    /// generated in it are still measured when they arrive.
    pub fn close_window(&mut self, now: Cycle) -> Window {
        if let Some(span) = &mut self.span {
            span.end = now as u32;
        }
        let endpoints = self.endpoints.iter().zip(&self.window_accepted).zip(&self.wiring.endpoints);
        let v = self.params.num_vcs as usize;
        let channels = self.wiring.channel_in.iter().enumerate().filter_map(|(port, &c)| c.map(|c| (port, u64::from(c))));
        Window {
            endpoints: endpoints.map(|((e, &accepted), &(id, _))| [u64::from(id), e.window_offered, accepted]).collect(),
            vcs: channels
                .flat_map(|(port, channel)| (0..v).map(move |vc| (port * v + vc, channel * v as u64 + vc as u64)))
                .map(|(vc, index)| {
                    let (arrived, occupied) = self.routers.window(vc, now);
                    [index, arrived, occupied]
                })
                .collect(),
        }
    }

    /// What was measured of the packets of the window so far.
    #[must_use]
    pub fn measured(&self) -> Measured {
        self.measured.clone()
    }

    /// What the flits at the heads of buffers between routers wait for, ejection aside.
    #[must_use]
    pub fn blocked(&self) -> Vec<Blocked> {
        let v = self.params.num_vcs as usize;
        let blocked = |vc: usize| {
            let channel = self.wiring.channel_in[vc / v]?;
            self.routers.front(vc)?;
            let lr = self.wiring.router_of_port[vc / v] as usize;
            let (port, _) = self.routers.wants(vc);
            let vcs = self.routers.wanted_vcs(vc);
            let router = self.wiring.routers[lr];
            let onward = port < self.wiring.degree[lr] && vcs != 0;
            onward.then_some(Blocked { channel, vc: (vc % v) as u32, router, port: port.into(), vcs })
        };
        (0..self.n_vcs()).filter_map(blocked).collect()
    }

    /// What has arrived of each message, if the traffic is a list of them.
    #[must_use]
    pub fn arrived(&self) -> Vec<Arrived> {
        self.delivery.as_ref().map_or(Vec::new(), Delivery::arrived)
    }

    /// The flits that have waited longest at the head of a buffer, oldest first, as text: for the report of a stall.
    #[must_use]
    pub fn oldest(&self, n: usize) -> Vec<(u32, String)> {
        let v = self.params.num_vcs as usize;
        let mut heads: Vec<(u32, String)> = (0..self.n_vcs())
            .filter_map(|vc| {
                let flit = self.routers.front(vc)?;
                let lr = self.wiring.router_of_port[vc / v] as usize;
                let (out_port, out_vc) = self.routers.wants(vc);
                let port = vc / v - self.wiring.port_base[lr] as usize;
                let goal = out_vc.map_or_else(|| "a free VC".to_string(), |vc| format!("credit on VC {vc}"));
                Some((
                    flit.generated,
                    format!(
                        "packet {} of endpoint {} to {}, generated in cycle {}: at router {} port {port} VC {}, waits for {goal} of port {out_port}",
                        flit.sequence, flit.src, flit.dst, flit.generated, self.wiring.routers[lr], vc % v
                    ),
                ))
            })
            .collect();
        heads.sort_unstable();
        heads.truncate(n);
        heads
    }
}
