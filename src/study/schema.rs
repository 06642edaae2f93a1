//! Every key of the input: those of the modules and those that the registries contribute.

use std::sync::OnceLock;

use crate::config::{Applies, Default, Key, Kind, Schema};
use crate::study::search;
use crate::{network, routing, stats, topology, traffic};

/// Names of a registry as choices of a key; made once per process.
fn names(of: impl Iterator<Item = &'static str>) -> &'static [&'static str] {
    Box::leak(of.collect::<Vec<_>>().into_boxed_slice())
}

fn choice(path: &'static str, names: &'static [&'static str], default: Default, doc: &'static str) -> Key {
    Key { path, kind: Kind::Choice(names), default, applies: Applies::Always, unit: "", doc }
}

/// Values of `runtime.partitioner`.
pub const PARTITIONERS: &[&str] = &["racks", "contiguous", "round-robin"];

fn runtime_keys() -> Vec<Key> {
    let int = |path, min, max, default, unit, doc| Key {
        path,
        kind: Kind::Int { min, max },
        default: Default::Int(default),
        applies: Applies::Always,
        unit,
        doc,
    };
    vec![
        int("runtime.threads", 1, 1024, 1, "threads", "Threads of each rank, one partition each; --threads sets the same."),
        int(
            "runtime.side_by_side",
            1,
            1024,
            1,
            "points",
            "Points simulated at the same time, each by `threads` threads; in one process only. Where there are several points \
             this is the best use of cores. --side-by-side sets the same.",
        ),
        choice(
            "runtime.partitioner",
            PARTITIONERS,
            Default::Text("racks"),
            "How routers are dealt to partitions. No result depends on it; speed does.",
        ),
        choice(
            "runtime.progress",
            &["auto", "lines", "off"],
            Default::Text("auto"),
            "Progress on stderr: auto draws a bar on a terminal and prints lines elsewhere.",
        ),
        int("runtime.progress_seconds", 1, 86_400, 10, "s", "Time between two lines of progress."),
        Key {
            path: "output.file",
            kind: Kind::Path,
            default: Default::Unset,
            applies: Applies::Always,
            unit: "",
            doc: "The results file; --output sets the same. Unset: results/NAME.h5 in the current folder for an input NAME.toml.",
        },
    ]
}

/// The schema of a simulation input.
#[must_use]
pub fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut keys = search::KEYS.to_vec();
        keys.push(choice(
            "network.topology",
            names(topology::REGISTRY.iter().map(|e| e.name)),
            Default::Required,
            "The network.",
        ));
        keys.extend(topology::REGISTRY.iter().flat_map(|e| e.keys));
        keys.extend(network::KEYS);
        keys.push(choice(
            routing::ALGORITHM,
            names(routing::REGISTRY.iter().map(|e| e.name)),
            Default::Text("min"),
            "How packets find their way.",
        ));
        keys.extend(routing::REGISTRY.iter().flat_map(|e| e.keys));
        keys.push(routing::deadlock::KEY);
        keys.extend(traffic::keys());
        keys.extend(stats::KEYS);
        keys.push(Key {
            path: "simulation.seed",
            kind: Kind::Int { min: 0, max: i64::MAX },
            default: Default::Int(1),
            applies: Applies::Always,
            unit: "",
            doc: "Seed of every random stream. The same seed gives the same results on any number of ranks and threads.",
        });
        keys.extend(runtime_keys());
        Schema::new(keys)
    })
}
