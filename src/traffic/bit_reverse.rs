//! `bit-reverse`: bit reversal; of b address bits, d_i = s_(b-i-1).

use super::bits;
use super::keys::{active_endpoints, self_traffic};
use super::Entry;

const NAME: &[&str] = &["bit-reverse"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "bit i of the destination is bit b - i - 1 of the source",
    keys: &[self_traffic(NAME), active_endpoints(NAME)],
    timed: false,
    build: |config, graph| bits::permutation(config, graph, 1, |s, b| if b == 0 { s } else { s.reverse_bits() >> (32 - b) }),
};
