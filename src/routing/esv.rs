//! Routing by extended safety vectors (`esv`; Wu, Gao, Li, Min, "Optimal Fault-Tolerant Routing in Hypercubes Using Extended
//! Safety Vectors", 2000): every fault within a distance d is known exactly.

use super::coded::{self, choice_key, memory, Coded};
use super::{Entry, Routing, ALGORITHM};
use crate::config::{Applies, Config, Default, Key, Kind};
use crate::hypercube::{Method, Model, MAX_DIMENSION};

const NAME: &[&str; 1] = &["esv"];

/// The key of the distance within which faults are known exactly.
const DISTANCE: &str = "routing.exact_distance";

/// The registry's entry.
pub const ENTRY: Entry = coded::entry(
    NAME,
    "Hypercube with faults: by extended safety vectors, in H or H + 2 hops, refused at the source where neither is sure",
    &[
        choice_key(NAME),
        Key {
            path: DISTANCE,
            kind: Kind::Int { min: 1, max: MAX_DIMENSION as i64 },
            default: Default::Int(2),
            applies: Applies::When { key: ALGORITHM, values: NAME },
            unit: "hops",
            doc: "Within what distance d a node knows every fault exactly: at most n, which is global information. 1 is the safety \
                  vector.",
        },
    ],
    |cfg, _| memory(cfg, Method::Code(model(cfg))),
    |cfg, survey, _| Coded::from_config(cfg, survey, model(cfg), DISTANCE).map(Routing::Esv),
);

fn model(cfg: &Config) -> Model {
    Model::Extended(cfg.int(DISTANCE) as u32)
}

/// Routing by extended safety vectors.
pub type Esv = Coded;
