//! Routing by safety levels (`safety-level`; Wu, "Unicasting in faulty hypercubes using safety levels").

use super::coded::{choice_key, max_hops, memory, Coded, TOPOLOGIES};
use super::{Entry, Routing};
use crate::hypercube::{Method, Model};

const NAME: &[&str] = &["safety-level"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "Hypercube with faults: by safety levels, in H or H + 2 hops, refused at the source where neither is sure",
    topologies: TOPOLOGIES,
    keys: &[choice_key(NAME)],
    adaptive: false,
    tolerates_faults: true,
    max_hops: |cfg, _| max_hops(cfg),
    vcs_required: |cfg, _| max_hops(cfg),
    memory: |cfg, _| memory(cfg, Method::Code(Model::SafetyLevel)),
    build: |cfg, survey, _| Coded::from_config(cfg, survey, Model::SafetyLevel, super::ALGORITHM).map(Routing::SafetyLevel),
};

/// Routing by safety levels.
pub type SafetyLevel = Coded;
