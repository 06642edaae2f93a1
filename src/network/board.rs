//! The board of queue lengths: what every router knows of the queues of all others, for routing by global knowledge.
//!
//! Every `period` cycles each router publishes the lengths of its output queues as they are at the beginning of the cycle;
//! they can be read everywhere, at the router itself too, from `lag` cycles later on. The lag is the least time in which
//! anything can act at the far end of a channel, so it is the same for near and far routers, on any number of partitions.

use crate::engine::Batch;
use crate::ids::{Cycle, PartitionId};
use crate::network::{Layout, Wiring};
use crate::topology::Graph;

/// Channels of one router on the board.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Global index of its first channel.
    channel: u32,
    /// Its first port in the partition; of no meaning for another partition.
    port: u32,
    degree: u32,
}

/// The routers of another partition.
#[derive(Debug)]
struct Remote {
    rows: Vec<Row>,
    /// First edition that has not come yet.
    next: u64,
}

/// The board, as one partition keeps it. An edition is what was published in one cycle.
#[derive(Debug)]
pub(super) struct Board {
    period: Cycle,
    lag: Cycle,
    n_channels: usize,
    /// Lengths in flits by edition and channel, the last editions only; shape `[n_slots * n_channels]`.
    lengths: Vec<u16>,
    n_slots: u64,
    own: Vec<Row>,
    /// By tile, the first edition that it has not published.
    next: Vec<u64>,
    remotes: Vec<Remote>,
    /// First edition that was not sent to the others.
    unsent: u64,
}

impl Board {
    /// An empty board. `window` is the most cycles that a partition or a tile runs ahead.
    pub(super) fn new(graph: &Graph, layout: &Layout, wiring: &Wiring, period: Cycle, lag: Cycle, window: Cycle) -> Self {
        let row = |r, port| Row { channel: graph.channel(r), port, degree: graph.degree(r) };
        let own = wiring.routers.iter().zip(&wiring.port_base).map(|(&r, &port)| row(r, port)).collect();
        let remote = |&p: &PartitionId| Remote { rows: layout.routers(p).into_iter().map(|r| row(r, 0)).collect(), next: 0 };
        let n_slots = (lag + window) / period + 3;
        Self {
            period,
            lag,
            n_channels: graph.n_channels(),
            lengths: vec![0; n_slots as usize * graph.n_channels()],
            n_slots,
            own,
            next: vec![0; wiring.n_tiles()],
            remotes: wiring.neighbours.iter().map(remote).collect(),
            unsent: 0,
        }
    }

    /// The lengths that can be read in cycle `now`, by channel; empty before there are any.
    #[inline]
    pub(super) fn read(&self, now: Cycle) -> &[u16] {
        match now.checked_sub(self.lag) {
            Some(published) => self.slot(published / self.period),
            None => &[],
        }
    }

    fn slot(&self, edition: u64) -> &[u16] {
        let first = (edition % self.n_slots) as usize * self.n_channels;
        &self.lengths[first..first + self.n_channels]
    }

    fn slot_mut(&mut self, edition: u64) -> &mut [u16] {
        let first = (edition % self.n_slots) as usize * self.n_channels;
        &mut self.lengths[first..first + self.n_channels]
    }

    /// Publishes, for local routers `routers` of `tile`, every edition up to cycle `now`; `length` gives that of a local
    /// port. Nothing of the tile has changed since the last call but in cycles before `now`.
    #[inline]
    pub(super) fn publish(&mut self, tile: usize, routers: std::ops::Range<usize>, now: Cycle, length: impl Fn(usize) -> u32) {
        let last = now / self.period;
        if self.next[tile] > last {
            return;
        }
        let first = self.next[tile].max((last + 1).saturating_sub(self.n_slots));
        self.next[tile] = last + 1;
        for edition in first..=last {
            let base = (edition % self.n_slots) as usize * self.n_channels;
            for &Row { channel, port, degree } in &self.own[routers.clone()] {
                let start = base + channel as usize;
                for (i, place) in self.lengths[start..start + degree as usize].iter_mut().enumerate() {
                    *place = length(port as usize + i).min(u16::MAX.into()) as u16;
                }
            }
        }
    }

    /// Puts into every batch, as its bytes, what the other partitions do not have yet, at the end of a window, when everything up to
    /// cycle `end` is published here; `length` is as it is then. An edition of a later cycle is sent in advance: it
    /// holds if nothing happens until then, and is sent again otherwise.
    pub(super) fn send(&mut self, end: Cycle, batches: &mut [Batch], length: impl Fn(usize) -> u32) {
        if batches.is_empty() {
            return;
        }
        let last = end.div_ceil(self.period);
        let first = self.unsent.max((last + 1).saturating_sub(self.n_slots));
        let mut part = Vec::new();
        for edition in first..=last {
            let published = edition * self.period <= end;
            for &Row { channel, port, degree } in &self.own {
                for i in 0..degree {
                    let value = if published {
                        self.slot(edition)[(channel + i) as usize]
                    } else {
                        length((port + i) as usize).min(u16::MAX.into()) as u16
                    };
                    part.extend_from_slice(&value.to_le_bytes());
                }
            }
        }
        self.unsent = end / self.period + 1;
        for batch in batches {
            let head = [(first >> 32) as u32, first as u32, (last - first + 1) as u32];
            head.iter().for_each(|word| batch.bytes.extend_from_slice(&word.to_le_bytes()));
            batch.bytes.extend_from_slice(&part);
        }
    }

    /// Takes over the bytes that neighbour `neighbour` sent. `None` if they are malformed.
    pub(super) fn receive(&mut self, neighbour: usize, bytes: &[u8]) -> Option<()> {
        let word = |i: usize| bytes.get(4 * i..4 * i + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let first = u64::from(word(0)?) << 32 | u64::from(word(1)?);
        let n = u64::from(word(2)?);
        let rows = std::mem::take(&mut self.remotes[neighbour].rows);
        let mut values = bytes.get(12..)?.chunks_exact(2);
        for edition in first..first + n {
            let slot = self.slot_mut(edition);
            for &Row { channel, degree, .. } in &rows {
                for place in &mut slot[channel as usize..(channel + degree) as usize] {
                    let value = values.next()?;
                    *place = u16::from_le_bytes([value[0], value[1]]);
                }
            }
        }
        self.remotes[neighbour] = Remote { rows, next: first + n };
        values.next().is_none().then_some(())
    }

    /// Before a window that ends at `end`: what did not come has not changed, since nothing happened in between.
    pub(super) fn carry_on(&mut self, end: Cycle) {
        let last = end / self.period;
        let (n_slots, n_channels) = (self.n_slots, self.n_channels);
        for remote in &mut self.remotes {
            if remote.next == 0 || remote.next > last {
                continue;
            }
            let from = ((remote.next - 1) % n_slots) as usize * n_channels;
            for edition in remote.next.max((last + 1).saturating_sub(n_slots))..=last {
                let to = (edition % n_slots) as usize * n_channels;
                for &Row { channel, degree, .. } in &remote.rows {
                    let own = channel as usize..(channel + degree) as usize;
                    self.lengths.copy_within(from + own.start..from + own.end, to + own.start);
                }
            }
            remote.next = last + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    /// Two partitions of two routers with three ports each, all to channels, one router a tile.
    fn board(own: u32, period: Cycle, lag: Cycle) -> Board {
        let row = |router: u32, port| Row { channel: 3 * router, port, degree: 3 };
        let n_slots = 2 * lag / period + 3;
        Board {
            period,
            lag,
            n_channels: 12,
            lengths: vec![0; n_slots as usize * 12],
            n_slots,
            own: vec![row(2 * own, 0), row(2 * own + 1, 3)],
            next: vec![0; 2],
            remotes: vec![Remote { rows: vec![row(2 - 2 * own, 0), row(3 - 2 * own, 0)], next: 0 }],
            unsent: 0,
        }
    }

    #[test]
    fn everyone_reads_what_every_queue_was_at_the_last_edition_that_is_old_enough() {
        for (period, lag) in [(1, 2), (1, 5), (3, 2), (4, 9), (50, 7)] {
            let mut rng = Stream::new(7, Purpose::Pairs, period);
            let mut boards = [board(0, period, lag), board(1, period, lag)];
            let mut lengths = [0u32; 12];
            let mut history: Vec<[u32; 12]> = Vec::new();
            let mut now = 0;
            while now < 4_000 {
                // A window in which most routers do nothing in most cycles, and now and then a long time without events.
                let end = now + 1 + Cycle::from(rng.below(lag as u32));
                boards.iter_mut().for_each(|b| b.carry_on(now));
                for (p, board) in boards.iter_mut().enumerate() {
                    for tile in 0..2 {
                        board.publish(tile, tile..tile + 1, now, |port| lengths[6 * p + port]);
                    }
                }
                for at in now..end {
                    history.push(lengths);
                    for router in 0..4 {
                        if rng.below(3) > 0 {
                            continue;
                        }
                        let (p, tile) = (router / 2, router % 2);
                        boards[p].publish(tile, tile..tile + 1, at, |port| lengths[6 * p + port]);
                        let seen = boards[p].read(at);
                        match at.checked_sub(lag) {
                            None => assert!(seen.is_empty()),
                            Some(old) => {
                                let edition = history[(old / period * period) as usize];
                                assert!(seen.iter().map(|&l| u32::from(l)).eq(edition), "cycle {at}: {seen:?}, not {edition:?}");
                            }
                        }
                        lengths[3 * router + rng.below(3) as usize] = rng.below(20);
                    }
                }
                let mut batches = [[Batch::default()], [Batch::default()]];
                for p in 0..2 {
                    for tile in 0..2 {
                        boards[p].publish(tile, tile..tile + 1, end, |port| lengths[6 * p + port]);
                    }
                    boards[p].send(end, &mut batches[p], |port| lengths[6 * p + port]);
                }
                for p in 0..2 {
                    boards[p].receive(0, &batches[1 - p][0].bytes).expect("whole");
                }
                now = end;
                if rng.below(10) == 0 {
                    let idle = Cycle::from(rng.below(100));
                    (0..idle).for_each(|_| history.push(lengths));
                    now += idle;
                }
            }
        }
    }

    #[test]
    fn a_part_that_is_cut_short_is_found() {
        let (mut from, mut to) = (board(0, 1, 2), board(1, 1, 2));
        let mut batch = [Batch::default()];
        from.send(2, &mut batch, |_| 5);
        let whole = &batch[0].bytes;
        assert!(to.receive(0, whole).is_some());
        for cut in [0, 5, 12, whole.len() - 1] {
            assert!(to.receive(0, &whole[..cut]).is_none(), "{cut} bytes");
        }
    }
}
