//! One small schema with every kind of key, and the helper that all fault tests go through.

mod faults;
mod points;
mod reference;
mod round_trip;
mod schema;
mod sets;

use super::{Applies, Default, Key, Kind, Schema, Study};

const TOPOLOGY: Kind = Kind::Choice(&["slim_fly", "mesh", "torus", "file"]);
const ALWAYS: Applies = Applies::Always;

const fn when(values: &'static [&'static str]) -> Applies {
    Applies::When { key: "network.topology", values }
}

const fn key(path: &'static str, kind: Kind, default: Default, applies: Applies, unit: &'static str, doc: &'static str) -> Key {
    Key { path, kind, default, applies, unit, doc }
}

const DIM: Kind = Kind::Ints { min: 1, max: 4096 };

/// As the modules of the program contribute them: `network.p` and `network.dims` come twice.
const KEYS: &[Key] = &[
    key("seed", Kind::Int { min: 0, max: i64::MAX }, Default::Int(1), ALWAYS, "", "Start of every random stream."),
    key("network.topology", TOPOLOGY, Default::Required, ALWAYS, "", "The network."),
    key("network.q", Kind::Int { min: 2, max: 200 }, Default::Required, when(&["slim_fly"]), "", "A prime power."),
    key("network.p", Kind::Int { min: 1, max: 1000 }, Default::Unset, when(&["slim_fly"]), "endpoints", "Endpoints per router."),
    key(
        "network.p",
        Kind::Int { min: 1, max: 1000 },
        Default::Unset,
        when(&["mesh", "torus"]),
        "endpoints",
        "Endpoints per router.",
    ),
    key("network.dims", DIM, Default::Required, when(&["mesh"]), "routers", "Size in each dimension."),
    key("network.dims", DIM, Default::Required, when(&["torus"]), "routers", "Size in each dimension."),
    key("network.graph", Kind::Path, Default::Required, when(&["file"]), "", "An edge list."),
    key("router.num_vcs", Kind::Int { min: 1, max: 32 }, Default::Int(4), ALWAYS, "", "Virtual channels per port."),
    key("router.vc_buf_size", Kind::Int { min: 1, max: 65_536 }, Default::Int(8), ALWAYS, "flits", "Buffer of a VC."),
    key("router.speedup", Kind::Float { min: f64::MIN_POSITIVE, max: 8.0 }, Default::Float(1.0), ALWAYS, "", "Internal speedup."),
    key("router.speculative", Kind::Bool, Default::Bool(false), ALWAYS, "", "Speculative switch allocation."),
    key("routing.algorithm", Kind::Choice(&["minimal", "ugal_l"]), Default::Text("minimal"), ALWAYS, "", "The routing."),
    key(
        "routing.ugal_threshold",
        Kind::Int { min: i64::MIN, max: i64::MAX },
        Default::Int(0),
        Applies::When { key: "routing.algorithm", values: &["ugal_l"] },
        "flits",
        "Bias to the minimal path.",
    ),
    key(
        "traffic.injection_rate",
        Kind::Float { min: 0.0, max: 1.0 },
        Default::Float(0.1),
        ALWAYS,
        "flits/cycle",
        "Offered load.",
    ),
    key("traffic.label", Kind::Path, Default::Unset, ALWAYS, "", "Any file."),
    key("runtime.threads", Kind::Int { min: 1, max: 1024 }, Default::Int(1), ALWAYS, "", "Threads per rank."),
    key("output.file", Kind::Path, Default::Text("results.h5"), ALWAYS, "", "The results."),
];

fn schema() -> Schema {
    Schema::new(KEYS.iter().copied())
}

fn parse(text: &str, sets: &[&str]) -> Result<Study, super::ConfigErrors> {
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    Study::parse("in/study.toml", text, &sets, &schema())
}

/// A legal input with `text` after it; what `text` gives comes in lines 3 and later.
const LEGAL: &str = "network.topology = \"slim_fly\"\nnetwork.q = 5\n";

/// The faults of an input, one line each, without the name of the file.
fn faults(text: &str) -> Vec<String> {
    faults_with(text, &[])
}

fn faults_with(text: &str, sets: &[&str]) -> Vec<String> {
    let errors = parse(text, sets).expect_err("the input has faults");
    // Every fault can be shown with its source line, whatever the input.
    assert!(errors.render(true).ends_with("nothing was run or written\n"));
    let short = |line: &str| line.trim_start_matches("in/study.toml:").trim_start().replace("error: ", "");
    errors.to_string().lines().map(short).collect()
}

/// The faults of `text` behind a legal input.
fn faults_after_legal(text: &str) -> Vec<String> {
    faults(&format!("{LEGAL}{text}"))
}
