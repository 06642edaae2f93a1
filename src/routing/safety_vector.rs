//! Routing by safety vectors (`safety-vector`; Wu, "Adaptive fault-tolerant routing in cube-based multicomputers using safety
//! vectors").

use super::coded::{self, choice_key, memory, Coded};
use super::{Entry, Routing};
use crate::hypercube::{Method, Model};

const NAME: &[&str; 1] = &["safety-vector"];

/// The registry's entry.
pub const ENTRY: Entry = coded::entry(
    NAME,
    "Hypercube with faults: by safety vectors, in H or H + 2 hops, refused at the source where neither is sure",
    &[choice_key(NAME)],
    |cfg, _| memory(cfg, Method::Code(Model::SafetyVector)),
    |cfg, survey, _| Coded::from_config(cfg, survey, Model::SafetyVector, super::ALGORITHM).map(Routing::SafetyVector),
);

/// Routing by safety vectors.
pub type SafetyVector = Coded;
