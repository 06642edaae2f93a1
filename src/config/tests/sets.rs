//! `--set key=value`.

use super::super::{Study, Value};
use super::{faults_with, parse, LEGAL};

fn study(sets: &[&str]) -> Study {
    study_of("", sets)
}

fn study_of(text: &str, sets: &[&str]) -> Study {
    parse(&format!("{LEGAL}{text}"), sets).unwrap_or_else(|e| panic!("{e}"))
}

#[track_caller]
fn one(set: &str, expected: &str) {
    assert_eq!(faults_with(LEGAL, &[set]), [expected]);
}

#[test]
fn sets_win_over_the_file_and_later_ones_over_earlier() {
    let study = study_of("router.num_vcs = 2\n", &["router.num_vcs = 3", "router.num_vcs=5", "traffic.injection_rate=0.25"]);
    assert_eq!(study.points[0].int("router.num_vcs"), 5);
    assert_eq!(study.points[0].float("traffic.injection_rate"), 0.25);
    assert!(study.points[0].given("router.num_vcs"));
}

#[test]
fn sets_alone_make_an_input() {
    let study = parse("", &["network.topology=mesh", "network.dims=[2, 3]"]).expect("complete");
    assert_eq!(study.points[0].get_ints("network.dims"), Some([2, 3].as_slice()));
}

#[test]
fn names_and_paths_need_no_quotes() {
    let study = study(&["routing.algorithm=ugal_l", "traffic.label=/2024", "output.file='a b'"]);
    assert_eq!(study.points[0].text("routing.algorithm"), "ugal_l");
    assert_eq!(study.points[0].text("traffic.label"), "/2024");
    assert!(study.points[0].text("output.file").ends_with("/a b"));
    assert!(self::study(&["traffic.label=2024"]).points[0].text("traffic.label").ends_with("/2024"));
    assert!(self::study(&["traffic.label=true"]).points[0].text("traffic.label").ends_with("/true"));
}

#[test]
fn lists_sweep() {
    for list in ["[minimal, ugal_l]", "[\"minimal\", 'ugal_l']", "[ minimal,'ugal_l', ]"] {
        let study = study(&[&format!("routing.algorithm={list}")]);
        let names: Vec<_> = study.points.iter().map(|c| c.text("routing.algorithm")).collect();
        assert_eq!(names, ["minimal", "ugal_l"], "{list}");
    }
    let study = parse("network.topology = \"mesh\"\n", &["network.dims=[[2], [3]]"]).expect("complete");
    assert_eq!(study.axes, [("network.dims", vec![Value::Ints(vec![2]), Value::Ints(vec![3])])]);
}

#[test]
fn a_set_list_replaces_a_fixed_value_and_a_sweep() {
    let text = "router.num_vcs = 2\nsweep.seed = [1, 2, 3]\nsweep.traffic.injection_rate = [0.1, 0.2]\n";
    let study = study_of(text, &["router.num_vcs=[4, 8]", "seed=[9]"]);
    let axes: Vec<_> = study.axes.iter().map(|(path, values)| (*path, values.len())).collect();
    assert_eq!(axes, [("seed", 1), ("traffic.injection_rate", 2), ("router.num_vcs", 2)]);
}

#[test]
fn a_set_value_replaces_a_sweep() {
    let study = study_of("sweep.seed = [1, 2, 3]\n", &["seed=4"]);
    assert_eq!(study.axes, []);
    assert_eq!(study.points.len(), 1);
    assert_eq!(study.points[0].int("seed"), 4);
    assert_eq!(study_of("", &["seed=[1, 2]", "seed=4"]).points.len(), 1);
}

#[test]
fn sets_are_checked_like_the_file() {
    one("router.num_vc=4", "--set router.num_vc: unknown key `router.num_vc`; did you mean `router.num_vcs`?");
    one("num_vcs=4", "--set num_vcs: unknown key `num_vcs`; did you mean `router.num_vcs`?");
    one("router.num_vcs=0", "--set router.num_vcs: `router.num_vcs` takes an integer from 1 to 32; 0 is out of range");
    one("router.num_vcs=2.0", "--set router.num_vcs: `router.num_vcs` takes an integer from 1 to 32, not the float 2.0; write 2");
    one("router.num_vcs=[2, 0]", "--set router.num_vcs: `router.num_vcs` takes an integer from 1 to 32; 0 is out of range");
    one("router.num_vcs=[]", "--set router.num_vcs: the list of `router.num_vcs` is empty; give at least one value");
    one("runtime.threads=[1, 2]", "--set runtime.threads: `runtime.threads` cannot be swept: [runtime] changes no result");
    one(
        "routing.algorithm=minmal",
        "--set routing.algorithm: `routing.algorithm` takes one of minimal, ugal_l, not \"minmal\"; did you mean \"minimal\"?",
    );
    one(
        "network.dims=[8, 8]",
        "--set network.dims: `network.dims` means nothing with network.topology = \"slim_fly\"; it applies to mesh, torus",
    );
    assert_eq!(
        faults_with("network.topology = \"mesh\"\n", &["network.dims=[]"]),
        ["--set network.dims: `network.dims` takes a list of integers from 1 to 4096; the list is empty"]
    );
    assert_eq!(
        faults_with(LEGAL, &["network.topology=torus"]),
        [
            "2:9: `network.q` means nothing with network.topology = \"torus\"; it applies to slim_fly",
            "--set network.topology: `network.dims` is required with network.topology = \"torus\": \
             a list of integers from 1 to 4096",
        ]
    );
}

#[test]
fn malformed_sets_are_reported() {
    let how = "write --set key=value, for example --set runtime.threads=2";
    one("seed", &format!("--set seed: {how}"));
    one("=3", &format!("--set =3: {how}"));
    one("seed=", "--set seed: no value after `=`");
    one("seed=4 5", "--set seed: 4 5 is no TOML value; the key takes an integer of at least 0");
    one("traffic.label=\"a", "--set traffic.label: \"a is no TOML value; the key takes a file path");
    one("routing.algorithm=[a,,b]", "--set routing.algorithm: an empty name in the list");
    one("router=4", "--set router: `router` is a table; name one of its keys");
    one("sweep.seed=[1]", "--set sweep.seed: leave out `sweep.`: --set seed=[...] sweeps a key by itself");
    one("seed=1\nrouter.num_vcs=2", "--set seed: 1\\nrouter.num_vcs=2 is no TOML value; the key takes an integer of at least 0");
}

#[test]
fn faults_of_the_file_stay_although_a_set_replaces_the_value() {
    let text = format!("{LEGAL}router.num_vcs = 0\n");
    assert_eq!(
        faults_with(&text, &["router.num_vcs=4"]),
        ["3:18: `router.num_vcs` takes an integer from 1 to 32; 0 is out of range"]
    );
}

#[test]
fn a_text_that_is_no_toml_does_not_hide_faults_of_sets() {
    assert_eq!(faults_with("[", &["seed=-1"]).len(), 2);
}
