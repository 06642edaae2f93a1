//! What is written reads back the same, and no text at all makes the parser panic.

use proptest::prelude::*;

use super::super::{Study, Value};
use super::{parse, schema};

fn dims() -> impl Strategy<Value = Value> {
    prop::collection::vec(1i64..=4096, 1..5).prop_map(Value::Ints)
}

/// Any text that can name a file: quotes, control characters and line breaks included.
fn file() -> impl Strategy<Value = Value> {
    any::<String>().prop_filter("a path", |s| !s.is_empty() && !s.contains('\0')).prop_map(Value::Text)
}

fn network() -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let topology = |name: &str| ("network.topology", Value::Text(name.to_string()));
    prop_oneof![
        (2i64..=200).prop_map(move |q| vec![topology("slim_fly"), ("network.q", Value::Int(q))]),
        dims().prop_map(move |dims| vec![topology("torus"), ("network.dims", dims)]),
        file().prop_map(move |file| vec![topology("file"), ("network.graph", file)]),
    ]
}

/// Random legal values for some of the keys that always apply.
fn others() -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let seed = prop::option::of((0i64..).prop_map(Value::Int));
    let speedup = prop::option::of((f64::MIN_POSITIVE..=8.0).prop_map(Value::Float));
    let rate = prop::option::of(prop_oneof![0.0..=1.0f64, Just(f64::from_bits(1)), Just(0.1 + 0.2)].prop_map(Value::Float));
    let speculative = prop::option::of(any::<bool>().prop_map(Value::Bool));
    (seed, speedup, rate, speculative, prop::option::of(file())).prop_map(|(seed, speedup, rate, speculative, file)| {
        let given = [
            ("seed", seed),
            ("router.speedup", speedup),
            ("traffic.injection_rate", rate),
            ("router.speculative", speculative),
            ("traffic.label", file),
        ];
        given.into_iter().filter_map(|(path, value)| value.map(|value| (path, value))).collect()
    })
}

fn input() -> impl Strategy<Value = String> {
    (network(), others()).prop_map(|(network, others)| {
        network.into_iter().chain(others).map(|(path, value)| format!("{path} = {value}\n")).collect()
    })
}

fn study(text: &str) -> Study {
    parse(text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

proptest! {
    #[test]
    fn configurations_read_back_equal(text in input()) {
        let config = &study(&text).points[0];
        let written = config.to_toml(&[]);
        let again = study(&written);
        prop_assert_eq!(&again.points[0], config);
        prop_assert_eq!(again.points[0].to_toml(&[]), written);
    }

    #[test]
    fn studies_read_back_equal(text in input(), rates in prop::collection::hash_set(0u64..1_000_000, 1..5)) {
        let list: Vec<String> = rates.iter().map(|rate| format!("{}", *rate as f64 / 1e6)).collect();
        let swept = text.replace("router.speedup", "#").replace("traffic.injection_rate", "#");
        let first = study(&format!("{swept}[sweep]\ntraffic.injection_rate = [{}]\nrouter.num_vcs = [3, 2]\n", list.join(", ")));
        let again = study(&first.to_toml(&[]));
        prop_assert_eq!(&again.points, &first.points);
        prop_assert_eq!(&again.axes, &first.axes);
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), set in any::<String>()) {
        if let Err(errors) = Study::parse("f", &text, &[set], &schema()) {
            prop_assert!(!errors.render(false).is_empty());
        }
    }

    #[test]
    fn no_near_toml_makes_it_panic(text in near_toml(), sets in prop::collection::vec(near_set(), 0..3)) {
        match Study::parse("f", &text, &sets, &schema()) {
            Ok(study) => {
                let again = Study::parse("f", &study.to_toml(&[]), &[], &schema()).unwrap_or_else(|e| panic!("{e}"));
                prop_assert_eq!(again.points, study.points);
            }
            Err(errors) => {
                let n_lines = errors.to_string().lines().count();
                prop_assert_eq!(n_lines, errors.0.len(), "one line for each fault");
                prop_assert!(errors.render(true).ends_with("nothing was run or written\n"));
            }
        }
    }
}

const PIECES: &[&str] = &[
    "network",
    "router",
    "sweep",
    "traffic",
    "topology",
    "num_vcs",
    "dims",
    "q",
    "seed",
    ".",
    " = ",
    "\n",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    ",",
    "\"",
    "'",
    "\"\"\"",
    "#",
    "5",
    "0.5",
    "nan",
    "-1",
    "true",
    "\"mesh\"",
    "\"slim_fly\"",
    "é",
    "\u{feff}",
    "\r",
    "\r\n",
    "\t",
    "\\",
    "9e99",
    "2020-01-01",
    "network.topology = \"mesh\"\n",
    "network.dims = [2]\n",
    "[sweep]\n",
    "router.num_vcs = [1, 2]\n",
];

fn near_toml() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..30).prop_map(|pieces| pieces.concat())
}

fn near_set() -> impl Strategy<Value = String> {
    (prop::sample::select(PIECES), near_toml()).prop_map(|(key, value)| format!("{key}={value}"))
}

#[test]
fn effective_configurations_are_grouped_and_can_leave_tables_out() {
    let study = study("network = { topology = \"mesh\", dims = [4, 4] }\ntraffic.label = \"a\\\"b\"\n");
    let expected = "\
seed = 1

[network]
topology = \"mesh\"
dims = [4, 4]

[router]
num_vcs = 4
vc_buf_size = 8
speedup = 1.0
speculative = false

[traffic]
injection_rate = 0.1
label = 'a\"b'
";
    assert_eq!(study.points[0].to_toml(&["routing", "runtime", "output"]), expected);
}

#[test]
fn a_swept_point_is_written_with_its_values() {
    let study = study("network = { topology = \"mesh\", dims = [4, 4] }\nsweep.seed = [3, 4]\n");
    assert!(study.points[1].to_toml(&[]).starts_with("seed = 4\n"));
    assert!(study.to_toml(&[]).ends_with("\n[sweep]\nseed = [3, 4]\n"));
}
