//! `shuffle`: perfect shuffle; of b address bits, d_i = s_(i-1 mod b).

use super::bits::{self, rotate};
use super::keys::{active_endpoints, self_traffic};
use super::Entry;

const NAME: &[&str] = &["shuffle"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "bit i of the destination is bit i - 1 of the source, around",
    keys: &[self_traffic(NAME), active_endpoints(NAME)],
    timed: false,
    build: |config, graph| bits::permutation(config, graph, 1, |s, b| rotate(s, b, 1)),
};
