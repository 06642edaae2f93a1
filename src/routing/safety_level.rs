//! Routing by safety levels (`safety-level`; Wu, "Unicasting in faulty hypercubes using safety levels").

use super::coded::{self, choice_key, memory, Coded};
use super::{Entry, Routing};
use crate::hypercube::{Method, Model};

const NAME: &[&str; 1] = &["safety-level"];

/// The registry's entry.
pub const ENTRY: Entry = coded::entry(
    NAME,
    "Hypercube with faults: by safety levels, in H or H + 2 hops, refused at the source where neither is sure",
    &[choice_key(NAME)],
    |cfg, _| memory(cfg, Method::Code(Model::SafetyLevel)),
    |cfg, survey, _| Coded::from_config(cfg, survey, Model::SafetyLevel, super::ALGORITHM).map(Routing::SafetyLevel),
);

/// Routing by safety levels.
pub type SafetyLevel = Coded;
