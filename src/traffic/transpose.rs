//! `transpose`: matrix transpose; of b address bits, b even, d_i = s_(i+b/2 mod b).

use super::bits::{self, rotate};
use super::keys::{active_endpoints, self_traffic};
use super::Entry;

const NAME: &[&str] = &["transpose"];

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "the halves of the source's address change places",
    keys: &[self_traffic(NAME), active_endpoints(NAME)],
    timed: false,
    build: |config, graph| bits::permutation(config, graph, 2, |s, b| rotate(s, b, b / 2)),
};
