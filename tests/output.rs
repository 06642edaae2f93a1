//! The results file: what goes in comes out, nothing finished is lost, nothing foreign is touched.

mod output_sample;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use output_sample::{network, point, runtime, study};
use sfpdes::error::{exit, Error};
use sfpdes::output::{compare, digest, read_table, RunInfo, Store, Values};

/// Space that every disk has.
const LITTLE: u64 = 1 << 16;

/// Opens the store of `run` at `path` and adds the points in `order`.
fn add_points(path: &Path, run: &RunInfo, host: &str, order: &[usize]) -> Vec<usize> {
    let (mut store, finished) = Store::create_or_resume(path, run, &runtime(host, 1), LITTLE).unwrap();
    for &index in order {
        store.add(&point(run, index), &network()).unwrap();
    }
    finished
}

/// A folder that goes with the test, and a file name in it.
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.h5");
    (folder, path)
}

/// The names in the folder of `path`, hidden ones included.
fn names_beside(path: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(path.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_finished_study_reads_back() {
    let (_folder, path) = place();
    let run = study(&["minimal", "valiant"], 5);
    add_points(&path, &run, "a", &(0..10).collect::<Vec<_>>());
    let table = read_table(&path).unwrap();
    assert_eq!(table.points, (0..10).collect::<Vec<_>>());
    assert_eq!(table.n_points, 10);
    assert_eq!(table.axes[1].name, "traffic.injection_rate");
    assert_eq!(table.axes[1].values.number(3), Some(0.8));
    assert_eq!(table.axes[0].values.text(7), "valiant");
    for row in 0..10 {
        let report = point(&run, row).report;
        assert_eq!(table.number("packet_latency", row), Some(report.packet_latency.mean));
        assert_eq!(table.is_steady(row), report.latency_steady);
    }
    let Values::Text(status) = &table.column("status").unwrap().values else { panic!("status is a word") };
    assert_eq!((status[0].as_str(), status[4].as_str()), ("converged", "saturated"));
    assert_eq!(names_beside(&path), ["results.h5"]);
}
