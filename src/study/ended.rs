//! What partition 0 knows when a point has ended, as bytes for the rank that keeps the results, and the outcome made of it.

use crate::error::Error;
use crate::network::Blocked;
use crate::routing::{deadlock, RoutingAlgorithm};
use crate::stats::{report, Listed, Period, Phases, Sizes, Status, Totals};
use crate::study::{Outcome, Point};
use crate::topology::Graph;
use crate::traffic::MessageList;

/// The counts of a point that has ended. They are integers, so the outcome is the same wherever it is made of them.
#[derive(Debug)]
pub struct Ended {
    /// Its course.
    pub phases: Phases,
    /// What all partitions counted.
    pub totals: Totals,
    /// The packets of each partition that have waited longest: cycle, tab, text, a line each.
    pub oldest: Vec<u8>,
    /// After a stall, what the heads of all partitions wait for: [`Blocked`] after [`Blocked`].
    pub waits: Vec<u8>,
    /// Windows exchanged by partition 0.
    pub windows: u64,
}

impl Ended {
    /// As bytes, for [`Ended::decode`] in another process of the same program.
    ///
    /// # Errors
    /// A point that has not ended.
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        let (status, _) = self.phases.outcome.ok_or_else(|| Error::Internal("the point has not ended".into()))?;
        let head = [self.phases.first as u64, self.phases.last as u64, status as u64, self.windows];
        let totals = self.totals.encode();
        let periods = bytemuck::cast_slice(&self.phases.periods);
        Ok(join(&[bytemuck::cast_slice(&head), periods, &totals, &self.oldest, &self.waits]))
    }

    /// Reads what `encode` wrote of `point`.
    ///
    /// # Errors
    /// Bytes that are cut short.
    pub fn decode(point: &Point, bytes: &[u8]) -> Result<Self, Error> {
        let cut = || Error::Internal("what a point counted came cut short".into());
        let [head, periods, totals, oldest, waits] = split(bytes)?.try_into().map_err(|_| cut())?;
        let [first, last, status, windows] = pods::<u64>(&head).ok_or_else(cut)?.try_into().map_err(|_| cut())?;
        let status = Status::ALL.into_iter().find(|s| *s as u64 == status).ok_or_else(cut)?;
        let mut phases = Phases::new(point.rules.clone());
        phases.periods = pods::<Period>(&periods).ok_or_else(cut)?;
        (phases.first, phases.last) = (first as usize, last as usize);
        // What ended a point is told by the word of its status.
        phases.outcome = Some((status, status.name()));
        Ok(Self { phases, totals: Totals::decode(&totals).ok_or_else(cut)?, oldest, waits, windows })
    }

    /// The outcome of `point`.
    ///
    /// # Errors
    /// Bytes of a partition that are cut short.
    pub fn outcome(self, point: &Point) -> Result<Outcome, Error> {
        let graph = &point.graph;
        let update = point.build_routing(&[])?.changes().unwrap_or_default();
        let parties = point.load.pattern.parties(graph.n_endpoints());
        let sizes = Sizes {
            active: parties.active,
            receiving: parties.receiving,
            messages: point.load.pattern.messages().map_or(Vec::new(), |list| listed(list)),
            n_channels: graph.n_channels(),
            num_vcs: point.params.num_vcs as usize,
            sample_period: point.rules.sample_period,
            update: (update.messages, update.rounds.into()),
        };
        let report = report(&self.phases, &self.totals, &sizes);
        let stuck = if report.status == Status::Stalled { oldest_of(&self.oldest) } else { Vec::new() };
        let cycle = cycle_of(&self.waits, graph, point.params.num_vcs)?;
        Ok(Outcome { report, stuck, cycle, windows: self.windows })
    }
}

/// Pieces as bytes, for [`split`].
pub(super) fn join(pieces: &[&[u8]]) -> Vec<u8> {
    pieces.iter().flat_map(|piece| [&(piece.len() as u64).to_le_bytes()[..], piece].concat()).collect()
}

/// The pieces that [`join`] joined.
pub(super) fn split(mut bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let mut pieces = Vec::new();
    let cut = || Error::Internal("pieces came cut short".into());
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(cut)?;
        let (piece, rest) = rest.split_at_checked(u64::from_le_bytes(*length) as usize).ok_or_else(cut)?;
        pieces.push(piece.to_vec());
        bytes = rest;
    }
    Ok(pieces)
}

/// The values that `bytes` are; `None` if the last is cut short.
fn pods<T: bytemuck::AnyBitPattern>(bytes: &[u8]) -> Option<Vec<T>> {
    let chunks = bytes.chunks_exact(size_of::<T>());
    chunks.remainder().is_empty().then(|| chunks.map(bytemuck::pod_read_unaligned).collect())
}

/// The messages in the order of their file.
fn listed(list: &MessageList) -> Vec<Listed> {
    let mut messages: Vec<_> = list.messages().to_vec();
    messages.sort_unstable_by_key(|m| m.index);
    let listed = messages.iter().map(|m| Listed {
        time: u64::from(m.time),
        source: u64::from(m.source),
        destination: u64::from(m.destination),
        size: u64::from(m.size),
        packets: u64::from(m.n_packets(list.packet_size())),
    });
    listed.collect()
}

/// A cycle among what the heads of all partitions wait for.
fn cycle_of(waits: &[u8], graph: &Graph, num_vcs: u32) -> Result<Option<deadlock::Cycle>, Error> {
    let waits: Vec<Blocked> = pods(waits).ok_or_else(|| Error::Internal("what waits in a partition is cut short".into()))?;
    let waits: Vec<[u32; 4]> = waits.iter().map(|w| [w.channel, w.vc, graph.channel(w.router) + w.port, w.vcs]).collect();
    Ok(deadlock::cycle_of_waits(graph, &waits, num_vcs))
}

fn oldest_of(all: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(all);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.truncate(10);
    lines.into_iter().filter_map(|line| line.split_once('\t').map(|(_, text)| text.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_split_where_they_were_joined() {
        let pieces: [&[u8]; 4] = [b"", b"one\n", "Fly \u{e9}".as_bytes(), b""];
        assert_eq!(split(&join(&pieces)).expect("whole"), pieces);
        let whole = join(&pieces);
        for length in [5, 17, 30] {
            assert!(matches!(split(&whole[..length]), Err(Error::Internal(_))), "cut after {length} bytes");
        }
    }

    #[test]
    fn values_are_read_whole_or_not_at_all() {
        assert_eq!(pods::<u64>(&[1, 0, 0, 0, 0, 0, 0, 0]), Some(vec![1u64.to_le()]));
        assert_eq!(pods::<u64>(&[1, 0, 0]), None);
    }

    #[test]
    fn the_packets_that_waited_longest_come_first() {
        assert_eq!(oldest_of(b"        12\tb\n         3\ta\n\n       100\tc"), ["a", "b", "c"]);
    }
}
