//! Every key of the input: those of the modules and those that the registries contribute.

use std::sync::OnceLock;

use crate::config::{Applies, Default, Key, Kind, Schema};
use crate::study::search;
use crate::{hypercube, network, routing, stats, topology, traffic};

/// Names of a registry as choices of a key; made once per process.
fn names(of: impl Iterator<Item = &'static str>) -> &'static [&'static str] {
    Box::leak(of.collect::<Vec<_>>().into_boxed_slice())
}

fn choice(path: &'static str, names: &'static [&'static str], default: Default, doc: &'static str) -> Key {
    Key { path, kind: Kind::Choice(names), default, applies: Applies::Always, unit: "", doc }
}

/// Values of `runtime.partitioner`.
pub const PARTITIONERS: &[&str] = &["auto", "racks", "subgroups", "contiguous", "round-robin"];

const SIDE_BY_SIDE: Key = Key {
    path: "runtime.side_by_side",
    kind: Kind::Int { min: 1, max: 1024 },
    default: Default::Int(1),
    applies: Applies::Always,
    unit: "points",
    doc:
        "Points simulated at the same time, each by `threads` threads; several ranks share equally among them, so their number \
          has to be a multiple of it. Where there are several points this is the best use of cores. --side-by-side sets the same.",
};

const PARTITIONER: Key = Key {
    path: "runtime.partitioner",
    kind: Kind::Choice(PARTITIONERS),
    default: Default::Text("auto"),
    applies: Applies::Always,
    unit: "",
    doc: "How routers are dealt to partitions: whole racks, whole subgroups of racks, equal runs of router numbers, or one by one. \
          `auto` takes racks where channels within them are faster than those between, for the longer lookahead, and subgroups \
          elsewhere, for the better balance. No result depends on it; speed does.",
};

/// Keys of how a run is done and where its results go; `threads` is what the threads of a rank do.
fn runtime_keys(threads: &'static str) -> Vec<Key> {
    let int = |path, min, max, default, unit, doc| Key {
        path,
        kind: Kind::Int { min, max },
        default: Default::Int(default),
        applies: Applies::Always,
        unit,
        doc,
    };
    vec![
        int("runtime.threads", 1, 1024, 1, "threads", threads),
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
        keys.extend(hypercube::FAULT_KEYS);
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
        keys.extend(runtime_keys("Threads of each rank, one partition each; --threads sets the same."));
        keys.push(SIDE_BY_SIDE);
        keys.push(PARTITIONER);
        Schema::new(keys).with_foreign(&["cube"], "sfpdes cube")
    })
}

/// The schema of an input of `sfpdes cube`.
#[must_use]
pub fn cube_schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut keys = hypercube::KEYS.to_vec();
        keys.extend(runtime_keys("Threads of each rank, which share its fault sets; --threads sets the same."));
        keys.push(hypercube::REFERENCE);
        let cube = Schema::new(keys);
        let shared = cube.tables();
        let foreign: Vec<_> = schema().tables().into_iter().filter(|table| !shared.contains(table)).collect();
        cube.with_foreign(&foreign, "sfpdes run")
    })
}

/// The reference of all keys of all inputs, in Markdown.
#[must_use]
pub fn reference() -> String {
    format!("{}\n{CUBE}{}", schema().reference(), cube_schema().key_tables())
}

const CUBE: &str = "\
# Inputs of `sfpdes cube`

An input with a table `[cube]` is for `sfpdes cube`, every other one for `sfpdes run`. All that is said above holds for it
too, sweeps and `--set` included; these are its keys. [hypercube.md](hypercube.md) explains what they mean.
";
