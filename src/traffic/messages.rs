//! `messages`: a list of messages from a file, each with the time at which its source has it. The CSV file has the columns
//! `time,source,destination,size` (cycles, endpoints, flits). A source sends its messages in the order of their times, those
//! of one time in the order of the file, each cut into packets. A point ends when every message has been delivered.

use std::ops::Range;
use std::sync::Arc;

use super::csv::Reader;
use super::sizes::packet_size;
use super::{keys, Entry, Pattern, TrafficPattern};
use crate::config::{Config, ConfigErrors};
use crate::ids::{Cycle, EndpointId};
use crate::rng::Stream;
use crate::topology::Graph;

const NAME: &[&str] = &["messages"];
const FILE: &str = "traffic.message_file";

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "a list of messages from a file; the point ends when all are delivered",
    keys: &[keys::csv(
        FILE,
        NAME,
        "CSV file with the header time,source,destination,size: cycle in which the source has the message, endpoints, flits.",
    )],
    timed: true,
    build,
};

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Cycle from which the source can send it.
    pub time: u32,
    /// Where it comes from.
    pub source: EndpointId,
    /// Where it goes to.
    pub destination: EndpointId,
    /// Flits.
    pub size: u32,
    /// Its place in the file, from 0.
    pub index: u32,
    /// Number of its first packet at its source.
    first_packet: u32,
}

impl Message {
    /// Packets it is cut into, of at most `packet_size` flits.
    #[must_use]
    pub fn n_packets(&self, packet_size: u8) -> u32 {
        self.size.div_ceil(u32::from(packet_size))
    }
}

/// Messages in the order in which their sources send them.
#[derive(Debug)]
pub struct MessageList {
    /// By source, time and place in the file.
    messages: Vec<Message>,
    /// Where the messages of each endpoint begin; shape `[n_endpoints + 1]`.
    row: Vec<u32>,
    packet_size: u8,
}

impl MessageList {
    /// All messages, by source.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Most flits of a packet.
    #[must_use]
    pub fn packet_size(&self) -> u8 {
        self.packet_size
    }

    /// Packets of all messages.
    #[must_use]
    pub fn n_packets(&self) -> u64 {
        self.messages.iter().map(|m| u64::from(m.n_packets(self.packet_size))).sum()
    }

    /// Flits of all messages.
    #[must_use]
    pub fn n_flits(&self) -> u64 {
        self.messages.iter().map(|m| u64::from(m.size)).sum()
    }

    fn row(&self, src: EndpointId) -> Range<usize> {
        self.row[src as usize] as usize..self.row[src as usize + 1] as usize
    }

    /// The place in [`MessageList::messages`] of the message that packet number `sequence` of `src` belongs to; the end of
    /// the messages of `src` if it has fewer packets. O(log of its messages).
    #[must_use]
    pub fn of_packet(&self, src: EndpointId, sequence: u64) -> usize {
        let row = self.row(src);
        let begins = |m: &Message| u64::from(m.first_packet) <= sequence;
        let next = row.start + self.messages[row.clone()].partition_point(begins);
        match next.checked_sub(1).filter(|at| row.contains(at)) {
            Some(at) if sequence < u64::from(self.messages[at].first_packet + self.messages[at].n_packets(self.packet_size)) => {
                at
            }
            _ => row.end,
        }
    }

    /// Flits of packet number `sequence` of the source of `message`, to which it belongs.
    #[must_use]
    pub fn packet_flits(&self, message: &Message, sequence: u64) -> u8 {
        let sent = (sequence as u32 - message.first_packet) * u32::from(self.packet_size);
        (message.size - sent).min(u32::from(self.packet_size)) as u8
    }

    /// The messages of `src` that come after its first `offered` packets and have the same time as the first of them: their
    /// packets, their flits, and the time of the next.
    #[must_use]
    pub fn batch(&self, src: EndpointId, offered: u64) -> (u32, u64, Option<Cycle>) {
        let row = self.row(src);
        let first = self.of_packet(src, offered);
        let Some(time) = self.messages[first..row.end].first().map(|m| m.time) else { return (0, 0, None) };
        let due = self.messages[first..row.end].iter().take_while(|m| m.time == time);
        let (n, packets, flits) = due.fold((0, 0, 0), |(n, packets, flits), m| {
            (n + 1, packets + m.n_packets(self.packet_size), flits + u64::from(m.size))
        });
        (packets, flits, self.messages[first + n..row.end].first().map(|m| Cycle::from(m.time)))
    }

    /// When `src` has its first message.
    #[must_use]
    pub fn first(&self, src: EndpointId) -> Option<Cycle> {
        self.messages[self.row(src)].first().map(|m| Cycle::from(m.time))
    }

    /// The time of the last message.
    #[must_use]
    pub fn last_time(&self) -> Cycle {
        self.messages.iter().map(|m| Cycle::from(m.time)).max().unwrap_or(0)
    }
}

fn build(config: &Config, graph: &Graph) -> Result<Pattern, ConfigErrors> {
    let n = graph.n_endpoints();
    let packet_size = packet_size(config) as u8;
    let file = config.file(FILE)?;
    let (mut reader, records) = Reader::new(&file, ["time", "source", "destination", "size"]);
    let mut messages = Vec::with_capacity(records.len());
    for (index, record) in (0u32..).zip(&records) {
        let time = reader.number(record, 0, 0..=u32::MAX - 1, "a cycle");
        let source = reader.endpoint(record, 1, n);
        let destination = reader.endpoint(record, 2, n);
        let size = reader.number(record, 3, 1..=u32::MAX, "flits");
        if let (Some(time), Some(source), Some(destination), Some(size)) = (time, source, destination, size) {
            messages.push(Message { time, source, destination, size, index, first_packet: 0 });
        }
    }
    messages.sort_by_key(|m| (m.source, m.time, m.index));
    let mut row = vec![0u32; n as usize + 1];
    let mut sent = 0u32;
    for at in 0..messages.len() {
        let source = messages[at].source;
        if at == 0 || messages[at - 1].source != source {
            sent = 0;
        }
        row[source as usize + 1] += 1;
        messages[at].first_packet = sent;
        match sent.checked_add(messages[at].n_packets(packet_size)) {
            Some(sum) => sent = sum,
            None => {
                let line = records[messages[at].index as usize].line;
                reader.fault(line, format!("with this message endpoint {source} has 2^32 packets or more"));
            }
        }
    }
    reader.finish()?;
    if messages.is_empty() {
        return Err(config.fault(FILE, format!("{}: no message", file.name)).into());
    }
    (0..n as usize).for_each(|e| row[e + 1] += row[e]);
    Ok(Pattern::Messages(Messages { list: Arc::new(MessageList { messages, row, packet_size }) }))
}

/// Traffic by a list of messages.
#[derive(Debug)]
pub struct Messages {
    pub(super) list: Arc<MessageList>,
}

impl TrafficPattern for Messages {
    fn destination(&self, src: EndpointId, sequence: u64, _rng: &mut Stream) -> EndpointId {
        self.list.messages[self.list.of_packet(src, sequence)].destination
    }

    fn active(&self, src: EndpointId) -> bool {
        !self.list.row(src).is_empty()
    }

    fn shares(&self, src: EndpointId, visit: &mut dyn FnMut(Range<EndpointId>, f64)) {
        let messages = &self.list.messages[self.list.row(src)];
        let packets = |m: &Message| f64::from(m.n_packets(self.list.packet_size));
        let whole: f64 = messages.iter().map(packets).sum();
        for m in messages {
            visit(m.destination..m.destination + 1, packets(m) / whole);
        }
    }
}
