//! What a checked input is worth: getters, defaults, sweeps, places of later faults.

use std::path::PathBuf;

use super::super::{Study, Value};
use super::{parse, schema, LEGAL};

fn study(text: &str) -> Study {
    parse(text, &[]).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn getters_give_values_and_defaults() {
    let study =
        study("seed = 7\n[network]\ntopology = \"torus\"\ndims = [4, 8]\n[traffic]\ninjection_rate = 1\nlabel = \"a/b\"\n");
    let config = &study.points[0];
    assert_eq!(config.int("seed"), 7);
    assert_eq!(config.text("network.topology"), "torus");
    assert_eq!(config.get_ints("network.dims"), Some([4, 8].as_slice()));
    assert_eq!(config.float("traffic.injection_rate"), 1.0);
    assert_eq!(config.get_path("traffic.label"), Some(PathBuf::from("in/a/b")));
    assert_eq!(config.get_path("output.file"), Some(PathBuf::from("in/results.h5")));
    assert_eq!(config.int("router.num_vcs"), 4);
    assert!(!config.bool("router.speculative"));
    assert_eq!(config.get_int("network.p"), None);
    assert_eq!(config.get_int("network.q"), None);
    assert_eq!(config.value("seed"), Some(&Value::Int(7)));
    assert!(config.given("seed") && !config.given("router.num_vcs") && !config.given("network.q"));
    assert!(config.applies("network.dims") && !config.applies("network.q"));
}

#[test]
#[should_panic(expected = "the schema has no key `router.num_vc`")]
fn unknown_keys_of_the_caller_panic() {
    let _ = study(LEGAL).points[0].int("router.num_vc");
}

#[test]
#[should_panic(expected = "`network.p` is not set")]
fn unset_keys_panic() {
    let _ = study(LEGAL).points[0].int("network.p");
}

#[test]
#[should_panic(expected = "`seed` is no float")]
fn wrong_getters_panic() {
    let _ = study(LEGAL).points[0].float("seed");
}

#[test]
fn inline_tables_and_dotted_keys_are_the_same_as_tables() {
    let table = study("[network]\ntopology = \"slim_fly\"\nq = 5\n[router]\nnum_vcs = 2\n");
    let inline = study("network = { topology = \"slim_fly\", q = 5 }\nrouter.num_vcs = 2\n");
    assert_eq!(table.points, inline.points);
}

#[test]
fn sweeps_are_products_with_the_last_key_fastest() {
    let study = study(&format!("{LEGAL}[sweep.traffic]\ninjection_rate = [0.1, 0.5]\n[sweep]\nrouter.num_vcs = [2, 4, 8]\n"));
    let points: Vec<_> = study.points.iter().map(|c| (c.float("traffic.injection_rate"), c.int("router.num_vcs"))).collect();
    assert_eq!(points, [(0.1, 2), (0.1, 4), (0.1, 8), (0.5, 2), (0.5, 4), (0.5, 8)]);
    assert_eq!(study.axes[0], ("traffic.injection_rate", vec![Value::Float(0.1), Value::Float(0.5)]));
    assert_eq!(study.axes[1].0, "router.num_vcs");
    let coordinates: Vec<_> = study.points[1].coordinates().collect();
    assert_eq!(coordinates, [("traffic.injection_rate", &Value::Float(0.1)), ("router.num_vcs", &Value::Int(4))]);
}

#[test]
fn axes_come_in_the_order_of_the_file() {
    // The table is reopened, so that its tree has another order than the text.
    let study =
        study(&format!("{LEGAL}[sweep.router]\nnum_vcs = [2]\n[sweep.traffic]\ninjection_rate = [0.1]\n[sweep]\nseed = [1]\n"));
    let order: Vec<_> = study.axes.iter().map(|(path, _)| *path).collect();
    assert_eq!(order, ["router.num_vcs", "traffic.injection_rate", "seed"]);
}

#[test]
fn lists_of_integers_are_swept_by_lists_of_lists() {
    let study = study("network.topology = \"mesh\"\nsweep.network.dims = [[8, 8], [4, 4, 4]]\n");
    let dims: Vec<_> = study.points.iter().map(|c| c.get_ints("network.dims").expect("given").to_vec()).collect();
    assert_eq!(dims, [vec![8, 8], vec![4, 4, 4]]);
}

#[test]
fn swept_choices_decide_point_by_point() {
    let text = "network = { q = 5, dims = [4, 4] }\nsweep.network.topology = [\"slim_fly\", \"torus\"]\n";
    let study = study(text);
    assert_eq!(study.points[0].get_int("network.q"), Some(5));
    assert_eq!(study.points[0].get_ints("network.dims"), None);
    assert_eq!(study.points[1].get_int("network.q"), None);
    assert!(study.points[1].given("network.dims"));
}

#[test]
fn swept_choices_miss_keys_point_by_point() {
    let text = "network.q = 5\nnetwork.graph = \"g\"\nsweep.seed = [1, 2]\nsweep.network.topology = [\"slim_fly\", \"torus\", \"mesh\"]\n";
    let wants =
        |name: &str| format!("`network.dims` is required with network.topology = \"{name}\": a list of integers from 1 to 4096");
    let means_nothing =
        "`network.graph` means nothing with network.topology = \"slim_fly\", \"torus\", \"mesh\"; it applies to file";
    assert_eq!(
        super::faults(text),
        [format!("2:9: {means_nothing}"), format!("4:39: {}", wants("torus")), format!("4:48: {}", wants("mesh"))]
    );
}

#[test]
fn later_faults_point_to_where_a_value_was_given() {
    let text = format!("{LEGAL}sweep.router.num_vcs = [2, 4]\n");
    let study = parse(&text, &["traffic.injection_rate=0.3"]).expect("legal");
    let place = |point: usize, path: &str| study.points[point].fault(path, "no").place;
    assert_eq!(place(0, "network.q"), "in/study.toml:2:13");
    assert_eq!(place(0, "router.num_vcs"), "in/study.toml:3:25");
    assert_eq!(place(1, "router.num_vcs"), "in/study.toml:3:28");
    assert_eq!(place(0, "traffic.injection_rate"), "--set traffic.injection_rate");
    assert_eq!(place(0, "seed"), "seed (default)");
    assert_eq!(place(0, "network.p"), "network.p (not given)");
    let fault = study.points[1].fault("router.num_vcs", "needs 5");
    assert_eq!(fault.to_string(), "in/study.toml:3:28: error: needs 5");
    assert!(super::super::ConfigErrors::from(fault).render(false).contains("\n3 │ sweep.router.num_vcs = [2, 4]\n"));
}

#[test]
fn paths_start_from_the_folder_of_the_input() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("study.toml");
    std::fs::write(&file, "network.topology = \"file\"\nnetwork.graph = \"g/edges.txt\"\n").expect("a small file");
    let sets = ["traffic.label=here.txt".to_string(), "output.file=/abs/r.h5".to_string()];
    let study = Study::load(&file, &sets, &schema()).unwrap_or_else(|e| panic!("{e}"));
    let config = &study.points[0];
    assert_eq!(config.get_path("network.graph"), Some(folder.path().join("g/edges.txt")));
    assert_eq!(config.get_path("traffic.label"), Some(std::env::current_dir().expect("a current folder").join("here.txt")));
    assert_eq!(config.get_path("output.file"), Some(PathBuf::from("/abs/r.h5")));
}
