//! `bit-complement`: bit complement; of b address bits, d_i = not s_i.

use super::bits::{self, mask};
use super::keys::{active_endpoints, self_traffic};
use super::Entry;

const NAME: &[&str] = &["bit-complement"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "bit i of the destination is the opposite of that of the source",
    keys: &[self_traffic(NAME), active_endpoints(NAME)],
    timed: false,
    build: |config, graph| bits::permutation(config, graph, 1, |s, b| !s & mask(b)),
};
