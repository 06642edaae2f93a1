//! The results file beside other processes: killed writers, foreign readers, a full disk.

mod output_sample;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use output_sample::{empty_report, network, point, runtime, study};
use sfpdes::error::{exit, Error};
use sfpdes::output::{read_table, RunInfo, Store};

/// Set in the process that `a_kill_loses_no_finished_point` kills: the file to write.
const WRITER: &str = "SFPDES_TEST_WRITER";

/// Lets one test run at a time: the HDF5 library does not close its files in a process that another test starts meanwhile, which
/// then holds their locks.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder that goes with the test, and a file name in it.
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.h5");
    (folder, path)
}

/// Opens the store of `run` at `path`.
fn open(path: &Path, run: &RunInfo) -> Result<(Store, Vec<usize>), Error> {
    Store::create_or_resume(path, run, &runtime("here", 1), 1 << 16)
}

/// The names in the folder of `path`, hidden ones included.
fn names_beside(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path.parent().unwrap()).unwrap();
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Not a test by itself: the process that is killed. It says each point that is on disk.
#[test]
fn writer_that_is_killed() {
    let Some(path) = std::env::var_os(WRITER).map(PathBuf::from) else { return };
    let run = study(&["minimal"], 100);
    let (mut store, finished) = open(&path, &run).unwrap();
    for index in (0..100).rev().filter(|i| !finished.contains(i)) {
        store.add(&point(&run, index), &network()).unwrap();
        println!("\nadded {index}");
    }
}

#[test]
fn a_kill_loses_no_finished_point() {
    let _alone = alone();
    let (_folder, path) = place();
    let run = study(&["minimal"], 100);
    let mut said: Vec<usize> = Vec::new();
    for kill in 0..20u64 {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "writer_that_is_killed", "--nocapture"])
            .env(WRITER, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut added = BufReader::new(writer.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok)
            .filter_map(|l| l.strip_prefix("added ").and_then(|i| i.parse::<usize>().ok()));
        // From before the first write to the middle of the fourth: a point takes some 20 ms.
        said.extend(added.by_ref().take(kill as usize % 4));
        std::thread::sleep(Duration::from_millis(kill * 7 % 29));
        writer.kill().unwrap();
        said.extend(added);
        writer.wait().unwrap();
        if path.exists() {
            let points = read_table(&path).unwrap().points;
            assert!(said.iter().all(|&i| points.contains(&(i as u64))), "{said:?} were finished, {points:?} are there");
        }
    }
    assert!(said.len() >= 30, "{} points are too few to show anything", said.len());
    // Every point of the killed runs is whole, and a last run takes them up.
    let finished = open(&path, &run).unwrap().1;
    assert!(finished.len() >= said.len());
    assert_eq!(names_beside(&path), ["results.h5"]);
}

#[test]
fn a_full_disk_is_an_error_and_loses_nothing() {
    let _alone = alone();
    let (folder, _) = place();
    let size = 2 << 20;
    let options = format!("size={size}");
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(folder.path()).output();
    if !mounted.is_ok_and(|o| o.status.success()) {
        eprintln!("SKIPPED: a small disk to fill can only be made by root");
        return;
    }
    let path = folder.path().join("results.h5");
    let run = study(&["minimal"], 4);
    let (mut store, _) = open(&path, &run).unwrap();
    store.add(&point(&run, 0), &network()).unwrap();
    let before = fs::read(&path).unwrap();
    let filler = folder.path().join("filler");
    // Ever less filled, so that the disk is full at every stage of adding a point.
    let mut failures = 0;
    for filled in (0..size / 4096).rev().map(|pages| pages * 4096) {
        if fs::write(&filler, vec![0u8; filled]).is_err() {
            continue;
        }
        let Err(error) = store.add(&point(&run, 1), &network()) else { break };
        assert_eq!(error.exit_code(), exit::IO);
        assert!(error.to_string().contains("No space left"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
        failures += 1;
    }
    assert!(failures > 20, "the disk was full only {failures} times");
    fs::remove_file(&filler).unwrap();
    store.add(&point(&run, 2), &network()).unwrap();
    assert_eq!(read_table(&path).unwrap().points, [0, 1, 2]);
    drop(store);
    assert_eq!(names_beside(&path), ["results.h5"]);
    assert!(Command::new("umount").arg(folder.path()).status().unwrap().success());
}

#[test]
fn h5dump_reads_everything() {
    let _alone = alone();
    let (_folder, path) = place();
    let run = study(&["minimal", "valiant"], 3);
    let (mut store, _) = open(&path, &run).unwrap();
    for index in [5, 1, 0] {
        store.add(&point(&run, index), &network()).unwrap();
    }
    let Ok(output) = Command::new("h5dump").arg(&path).output() else {
        eprintln!("SKIPPED: h5dump is not installed");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    for part in ["\"traffic.injection_rate\"", "\"DIMENSION_SCALE\"", "H5T_CSET_UTF8", "\"endpoint_accepted\""] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn python_readers_need_no_glue() {
    let _alone = alone();
    let (_folder, path) = place();
    let run = study(&["minimal", "valiant"], 3);
    let (mut store, _) = open(&path, &run).unwrap();
    for index in 0..6 {
        let mut record = point(&run, index);
        if index == 2 {
            record.report = empty_report();
        }
        store.add(&record, &network()).unwrap();
    }
    let modules = Command::new("python3").args(["-c", "import h5py, pandas, xarray, h5netcdf"]).output();
    if !modules.is_ok_and(|o| o.status.success()) {
        eprintln!("SKIPPED: python3 with h5py, pandas, xarray and h5netcdf is not installed");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/check_results.py");
    let output = Command::new("python3").arg(script).arg(&path).arg("6").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
