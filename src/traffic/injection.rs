//! When packets come and how large they are: drawn from a stream of the endpoint, or listed in a file. Either way the source
//! queue takes no memory, because everything about a packet can be told again from its number or from a copy of the stream.

use std::sync::Arc;

use super::keys::ON_OFF;
use super::{Bernoulli, MessageList, OnOff, PacketSizes, Pattern, Process, TrafficPattern};
use crate::config::{Config, ConfigErrors};
use crate::ids::{Cycle, EndpointId};
use crate::rng::Stream;

/// When packets come and how large they are.
#[derive(Clone, Debug)]
pub enum Injection {
    /// Drawn from the stream of each endpoint: for each packet its size, then the gap to the next.
    Drawn {
        /// When.
        process: Process,
        /// How large.
        sizes: PacketSizes,
    },
    /// From a list.
    Listed(Arc<MessageList>),
}

/// What an endpoint generates in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Packets.
    pub packets: u32,
    /// Their flits.
    pub flits: u64,
    /// When it generates next.
    pub next: Option<Cycle>,
}

impl Injection {
    /// As an input says, for `pattern`.
    ///
    /// # Errors
    /// Sizes that do not fit together; bursts that cannot carry the load.
    pub fn new(config: &Config, pattern: &Pattern, n_endpoints: u32) -> Result<Self, ConfigErrors> {
        if let Some(list) = pattern.messages() {
            return Ok(Injection::Listed(list.clone()));
        }
        let sizes = PacketSizes::new(config)?;
        let rate = config.float("traffic.injection_rate");
        if config.text("traffic.process") != ON_OFF {
            return Ok(Injection::Drawn { process: Process::Bernoulli(Bernoulli::new(rate / sizes.mean())), sizes });
        }
        let (length, burst) = (config.float("traffic.burst_length"), config.float("traffic.burst_rate"));
        for weight in (0..n_endpoints).map(|e| pattern.weight(e)) {
            let load = rate * weight;
            let silence = OnOff::silence(length, load / burst);
            let message = if load > burst {
                format!("an endpoint would offer {load} on average but only burst_rate = {burst} in a burst")
            } else if silence > 0.0 && silence < 1.0 {
                format!(
                    "with burst_length = {length} and burst_rate = {burst} the silences of an endpoint that offers {load} would last \
                     {silence:.3} cycles; for a cycle or more it may offer {:.4} at most, or burst_rate for an endless burst",
                    burst * length / (length + 1.0)
                )
            } else {
                continue;
            };
            return Err(config.fault("traffic.injection_rate", message).into());
        }
        Ok(Injection::Drawn { process: Process::OnOff(OnOff::new(burst / sizes.mean(), length, rate / burst)), sizes })
    }

    /// The cycle of the first packet of `src`, which is active.
    pub fn first(&self, pattern: &Pattern, src: EndpointId, rng: &mut Stream) -> Option<Cycle> {
        match self {
            Injection::Drawn { process, .. } => process.first(pattern.weight(src), rng).map(|gap| gap - 1),
            Injection::Listed(list) => list.first(src),
        }
    }

    /// What `src` generates in cycle `now`, after `offered` packets.
    #[inline]
    pub fn generate(&self, pattern: &Pattern, src: EndpointId, offered: u64, now: Cycle, rng: &mut Stream) -> Generated {
        match self {
            Injection::Drawn { process, sizes } => {
                let flits = u64::from(sizes.draw(rng));
                Generated { packets: 1, flits, next: process.gap(pattern.weight(src), rng).map(|gap| now + gap) }
            }
            Injection::Listed(list) => {
                let (packets, flits, next) = list.batch(src, offered);
                Generated { packets, flits, next }
            }
        }
    }

    /// Flits of packet number `sequence` of `src`; `rng` is the stream of [`Injection::generate`] from before that packet.
    #[inline]
    pub fn size(&self, src: EndpointId, sequence: u64, rng: &mut Stream) -> u8 {
        match self {
            Injection::Drawn { sizes, .. } => sizes.draw(rng),
            Injection::Listed(list) => list.packet_flits(&list.messages()[list.of_packet(src, sequence)], sequence),
        }
    }

    /// When packet number `sequence + 1` of `src` was generated, which there is, if `sequence` was in cycle `generated`; `rng`
    /// stands where [`Injection::size`] left it.
    #[inline]
    pub fn behind(&self, pattern: &Pattern, src: EndpointId, sequence: u64, generated: Cycle, rng: &mut Stream) -> Cycle {
        match self {
            Injection::Drawn { process, .. } => {
                generated + process.gap(pattern.weight(src), rng).expect("the gap has been drawn before")
            }
            Injection::Listed(list) => Cycle::from(list.messages()[list.of_packet(src, sequence + 1)].time),
        }
    }

    /// The most flits of a packet.
    #[must_use]
    pub fn largest_packet(&self) -> u8 {
        match self {
            Injection::Drawn { sizes: PacketSizes::One(size), .. } => *size,
            Injection::Drawn { sizes: PacketSizes::Mix { sizes, .. }, .. } => sizes.iter().copied().max().unwrap_or(1),
            Injection::Listed(list) => list.packet_size(),
        }
    }
}
