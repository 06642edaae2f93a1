//! Routing by safety vectors (`safety-vector`; Wu, "Adaptive fault-tolerant routing in cube-based multicomputers using safety
//! vectors").

use super::coded::{choice_key, max_hops, memory, Coded, TOPOLOGIES};
use super::{Entry, Routing};
use crate::hypercube::{Method, Model};

const NAME: &[&str] = &["safety-vector"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "Hypercube with faults: by safety vectors, in H or H + 2 hops, refused at the source where neither is sure",
    topologies: TOPOLOGIES,
    keys: &[choice_key(NAME)],
    adaptive: false,
    tolerates_faults: true,
    max_hops: |cfg, _| max_hops(cfg),
    vcs_required: |cfg, _| max_hops(cfg),
    memory: |cfg, _| memory(cfg, Method::Code(Model::SafetyVector)),
    build: |cfg, survey, _| Coded::from_config(cfg, survey, Model::SafetyVector, super::ALGORITHM).map(Routing::SafetyVector),
};

/// Routing by safety vectors.
pub type SafetyVector = Coded;
