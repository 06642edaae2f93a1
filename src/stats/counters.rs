//! What a partition counts: integers that add up exactly over partitions.

use crate::stats::Histogram;

/// Counts of one sample period, and the state at its end. Adding the periods of all partitions gives that of the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Period {
    /// Packets generated.
    pub packets_offered: u64,
    /// Flits generated.
    pub flits_offered: u64,
    /// Packets whose head entered the network.
    pub packets_injected: u64,
    /// Flits that entered the network.
    pub flits_injected: u64,
    /// Packets whose tail was ejected.
    pub packets_accepted: u64,
    /// Flits ejected.
    pub flits_accepted: u64,
    /// Sum of packet latencies of the packets accepted, cycles.
    pub packet_latency_sum: u64,
    /// Sum of their network latencies, cycles.
    pub network_latency_sum: u64,
    /// Flits moved through a switch: flits times routers visited.
    pub flit_hops: u64,
    /// At the end of the period: flits in buffers and channels, counted one by one.
    pub flits_in_network: u64,
    /// At the end of the period: packets in source queues.
    pub packets_queued: u64,
    /// Up to the end of the period: packets generated in the measured window.
    pub measured_generated: u64,
    /// Up to the end of the period: those of them that were accepted.
    pub measured_accepted: u64,
    /// At the end of the period: flits in router buffers.
    pub flits_buffered: u64,
    /// Packets that their source refused to send.
    pub packets_refused: u64,
    /// Packets that were lost with a channel or router that failed.
    pub packets_lost: u64,
    /// Packets that were dropped where a failure left them no way on.
    pub packets_dropped: u64,
    /// Flits of all these.
    pub flits_failed: u64,
    /// Up to the end of the period: those of them that were generated in the measured window, in packets.
    pub measured_failed: u64,
}

impl Period {
    /// Adds another partition's counts of the same period.
    pub fn add(&mut self, other: &Period) {
        let own: &mut [u64] = bytemuck::cast_slice_mut(std::slice::from_mut(self));
        let theirs: &[u64] = bytemuck::cast_slice(std::slice::from_ref(other));
        for (a, b) in own.iter_mut().zip(theirs) {
            *a += b;
        }
    }
}

/// Sums of one batch: the packets generated in one sample period of the measured window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Packets accepted.
    pub packets: u64,
    /// Sum of their packet latencies, cycles.
    pub packet_latency: u64,
    /// Sum of their network latencies, cycles.
    pub network_latency: u64,
}

/// Why a packet is not delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// Its source did not send it.
    Refused,
    /// It was on a channel or in a router that failed.
    Lost,
    /// A failure left it no way on.
    Dropped,
}

impl Period {
    /// Counts a packet that is not delivered.
    pub fn fail(&mut self, why: Failed, flits: u64) {
        match why {
            Failed::Refused => self.packets_refused += 1,
            Failed::Lost => self.packets_lost += 1,
            Failed::Dropped => self.packets_dropped += 1,
        }
        self.flits_failed += flits;
    }
}

/// What was measured of the packets generated in the measured window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Packet latency.
    pub packet_latency: Histogram,
    /// Network latency.
    pub network_latency: Histogram,
    /// Sum over packets of router-to-router channels crossed.
    pub hops: u64,
    /// Packets that were not delivered, by [`Failed`].
    pub failed: [u64; 3],
    /// By sample period of generation.
    pub batches: Vec<Batch>,
}

impl Measured {
    /// Counts an accepted packet.
    #[inline]
    pub fn record(&mut self, batch: usize, packet_latency: u32, network_latency: u32, hops: u8) {
        self.packet_latency.record(packet_latency);
        self.network_latency.record(network_latency);
        self.hops += u64::from(hops);
        if batch >= self.batches.len() {
            self.batches.resize(batch + 1, Batch::default());
        }
        let batch = &mut self.batches[batch];
        batch.packets += 1;
        batch.packet_latency += u64::from(packet_latency);
        batch.network_latency += u64::from(network_latency);
    }

    fn merge(&mut self, other: &Measured) {
        self.packet_latency.merge(&other.packet_latency);
        self.network_latency.merge(&other.network_latency);
        self.hops += other.hops;
        self.failed.iter_mut().zip(other.failed).for_each(|(a, b)| *a += b);
        if other.batches.len() > self.batches.len() {
            self.batches.resize(other.batches.len(), Batch::default());
        }
        for (a, b) in self.batches.iter_mut().zip(&other.batches) {
            a.packets += b.packets;
            a.packet_latency += b.packet_latency;
            a.network_latency += b.network_latency;
        }
    }
}

/// Counts of the measured window by entity: (global index, value) so that partitions merge without order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Of every local endpoint: id, flits generated, flits ejected.
    pub endpoints: Vec<[u64; 3]>,
    /// Of every local input VC of a router-to-router channel: the index of channel and VC
    /// (`channel * num_vcs + vc`), flits that arrived, time integral of the occupancy in flit cycles.
    pub vcs: Vec<[u64; 3]>,
}

/// What has arrived of a message at its destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrived {
    /// Its place in the list.
    pub message: u64,
    /// Packets read to the tail.
    pub packets: u64,
    /// Cycle in which the last of them was.
    pub last: u64,
}

/// Everything a partition hands over at the end of a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Latencies.
    pub measured: Measured,
    /// By entity.
    pub window: Window,
    /// Of every message of which anything has arrived.
    pub arrived: Vec<Arrived>,
}

impl Totals {
    /// Adds another partition's totals.
    pub fn merge(&mut self, other: Totals) {
        self.measured.merge(&other.measured);
        self.window.endpoints.extend(other.window.endpoints);
        self.window.vcs.extend(other.window.vcs);
        self.arrived.extend(other.arrived);
    }

    /// As bytes, for [`Totals::decode`] in another partition of the same program.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let lists = self.window.endpoints.len() + self.window.vcs.len() + self.arrived.len();
        let mut words = Vec::with_capacity(3 * lists + 4096);
        let m = &self.measured;
        m.packet_latency.encode(&mut words);
        m.network_latency.encode(&mut words);
        words.push(m.hops);
        words.extend(m.failed);
        words.push(m.batches.len() as u64);
        words.extend(m.batches.iter().flat_map(|b| [b.packets, b.packet_latency, b.network_latency]));
        let arrived: Vec<[u64; 3]> = self.arrived.iter().map(|a| [a.message, a.packets, a.last]).collect();
        for list in [&self.window.endpoints, &self.window.vcs, &arrived] {
            words.push(list.len() as u64);
            words.extend(list.iter().flatten());
        }
        bytemuck::cast_slice(&words).to_vec()
    }

    /// Reads what `encode` wrote; `None` if it is cut short.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let words = &mut bytes.chunks_exact(8).map(|w| u64::from_ne_bytes(w.try_into().expect("8 bytes")));
        let packet_latency = Histogram::decode(words)?;
        let network_latency = Histogram::decode(words)?;
        let hops = words.next()?;
        let failed = [words.next()?, words.next()?, words.next()?];
        let batches = triples(words)?
            .into_iter()
            .map(|[packets, packet_latency, network_latency]| Batch { packets, packet_latency, network_latency })
            .collect();
        let window = Window { endpoints: triples(words)?, vcs: triples(words)? };
        let arrived = triples(words)?.into_iter().map(|[message, packets, last]| Arrived { message, packets, last }).collect();
        Some(Self { measured: Measured { packet_latency, network_latency, hops, failed, batches }, window, arrived })
    }
}

fn triples(words: &mut impl Iterator<Item = u64>) -> Option<Vec<[u64; 3]>> {
    (0..words.next()?).map(|_| Some([words.next()?, words.next()?, words.next()?])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_round_trip_and_merge() {
        let mut a = Totals::default();
        a.measured.record(2, 100, 90, 2);
        a.window.endpoints.push([7, 5, 4]);
        a.window.vcs.push([3, 2, 1]);
        a.arrived.push(Arrived { message: 6, packets: 2, last: 70 });
        let mut b = Totals::default();
        b.measured.record(0, 50, 40, 1);
        let back = Totals::decode(&a.encode()).expect("complete");
        assert_eq!((&back.window, &back.arrived), (&a.window, &a.arrived));
        assert_eq!(back.measured.batches, a.measured.batches);
        b.merge(back);
        assert_eq!((b.measured.packet_latency.count(), b.measured.hops, b.measured.batches.len()), (2, 3, 3));
        assert!(Totals::decode(&a.encode()[..40]).is_none());
    }
}
