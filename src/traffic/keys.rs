//! The keys of `[traffic]` that do not belong to one pattern.

use std::sync::OnceLock;

use super::{Entry, PATTERN, REGISTRY};
use crate::config::{Applies, Default, Key, Kind};

/// A key that applies for the patterns named in `values`.
pub(super) const fn applies(values: &'static [&'static str]) -> Applies {
    Applies::When { key: PATTERN, values }
}

/// `traffic.self_traffic` for patterns in which it depends on the endpoint alone.
pub(super) const fn self_traffic(values: &'static [&'static str]) -> Key {
    Key {
        path: "traffic.self_traffic",
        kind: Kind::Bool,
        default: Default::Bool(false),
        applies: applies(values),
        unit: "",
        doc:
            "Whether an endpoint also sends to itself, as in BookSim2. Such a packet passes through the router once and takes an \
              ejection channel. In a permutation: whether endpoints that it leaves in place send at all.",
    }
}

/// `traffic.active_endpoints`.
pub(super) const fn active_endpoints(values: &'static [&'static str]) -> Key {
    Key {
        path: "traffic.active_endpoints",
        kind: Kind::Int { min: 1, max: u32::MAX as i64 },
        default: Default::Unset,
        applies: applies(values),
        unit: "endpoints",
        doc: "The endpoints 0 up to this take part, the others neither send nor receive: a power of two for permutations of \
              address bits, one of four for transpose, an even number for shift. Unset: the largest that the network has.",
    }
}

/// `traffic.grid`.
pub(super) const fn grid(values: &'static [&'static str], doc: &'static str) -> Key {
    Key {
        path: "traffic.grid",
        kind: Kind::Ints { min: 1, max: u32::MAX as i64 },
        default: Default::Unset,
        applies: applies(values),
        unit: "endpoints",
        doc,
    }
}

/// `traffic.phase_packets`.
pub(super) const fn phase_packets(values: &'static [&'static str]) -> Key {
    Key {
        path: "traffic.phase_packets",
        kind: Kind::Int { min: 1, max: u32::MAX as i64 },
        default: Default::Int(1),
        applies: applies(values),
        unit: "packets",
        doc: "Packets that an endpoint sends to one partner before it turns to the next.",
    }
}

/// A CSV file.
pub(super) const fn csv(path: &'static str, values: &'static [&'static str], doc: &'static str) -> Key {
    Key { path, kind: Kind::Path, default: Default::Required, applies: applies(values), unit: "", doc }
}

/// The values of `traffic.process`.
pub(super) const BERNOULLI: &str = "bernoulli";
/// See [`BERNOULLI`].
pub(super) const ON_OFF: &str = "on-off";

/// Keys of `[traffic]`: those of injection, and those of every pattern.
#[must_use]
pub fn keys() -> &'static [Key] {
    static KEYS: OnceLock<Vec<Key>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let names = |of: &mut dyn Iterator<Item = &'static Entry>| {
            &*Box::leak(of.map(|e| e.name).collect::<Vec<&'static str>>().into_boxed_slice())
        };
        let drawn = Applies::Unless { key: PATTERN, values: names(&mut REGISTRY.iter().filter(|e| e.timed)) };
        let mut keys = vec![
            Key {
                path: PATTERN,
                kind: Kind::Choice(names(&mut REGISTRY.iter())),
                default: Default::Text("uniform"),
                applies: Applies::Always,
                unit: "",
                doc: "Who talks to whom.",
            },
            Key {
                path: "traffic.injection_rate",
                kind: Kind::Float { min: 0.0, max: 1.0 },
                default: Default::Required,
                applies: Applies::Both(&Applies::When { key: "study.kind", values: &["sweep"] }, Box::leak(Box::new(drawn))),
                unit: "flits/cycle/endpoint",
                doc: "Load offered by each active endpoint, as flits; the mean over them where a pattern gives them different loads.",
            },
            Key {
                path: "traffic.process",
                kind: Kind::Choice(&[BERNOULLI, ON_OFF]),
                default: Default::Text(BERNOULLI),
                applies: drawn,
                unit: "",
                doc: "When packets are generated. bernoulli: in every cycle with probability injection_rate / mean packet size. \
                      on-off: the same during bursts, at burst_rate, and never between them; bursts and silences last a \
                      geometric number of cycles (a two-state Markov chain), and the mean load is injection_rate.",
            },
            Key {
                path: "traffic.burst_length",
                kind: Kind::Float { min: 1.0, max: 1e9 },
                default: Default::Required,
                applies: Applies::When { key: "traffic.process", values: &[ON_OFF] },
                unit: "cycles",
                doc: "Mean length of a burst.",
            },
            Key {
                path: "traffic.burst_rate",
                kind: Kind::Float { min: 0.01, max: 1.0 },
                default: Default::Float(1.0),
                applies: Applies::When { key: "traffic.process", values: &[ON_OFF] },
                unit: "flits/cycle/endpoint",
                doc: "Load offered by an endpoint during a burst; at least injection_rate.",
            },
            Key {
                path: "traffic.packet_size",
                kind: Kind::Int { min: 1, max: 255 },
                default: Default::Unset,
                applies: Applies::Always,
                unit: "flits",
                doc: "Flits per packet. Unset: 1, or packet_sizes. With pattern = messages: the most; \
                      a message is cut into packets of this size and a rest.",
            },
            Key {
                path: "traffic.packet_sizes",
                kind: Kind::Ints { min: 1, max: 255 },
                default: Default::Unset,
                applies: drawn,
                unit: "flits",
                doc: "Sizes of packets, if they differ: each packet has one of these, drawn by packet_size_weights. Takes the place \
                      of packet_size.",
            },
            Key {
                path: "traffic.packet_size_weights",
                kind: Kind::Ints { min: 1, max: 1_000_000 },
                default: Default::Unset,
                applies: drawn,
                unit: "1",
                doc: "How many packets have each of packet_sizes, in proportion. Unset: equally many.",
            },
        ];
        keys.extend(REGISTRY.iter().flat_map(|e| e.keys));
        keys
    })
}
