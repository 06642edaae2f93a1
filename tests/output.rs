//! The results file: what goes in comes out, nothing finished is lost, nothing foreign is touched.

mod output_sample;

use std::fs;
use std::path::{Path, PathBuf};

use output_sample::{empty_report, network, point, runtime, study};
use sfpdes::error::{exit, Error};
use sfpdes::output::{compare, digest, estimate_bytes, read_table, seal, unseal, PointRecord, RunInfo, Store, Values};

/// Space that every disk has.
const LITTLE: u64 = 1 << 16;

/// A folder that goes with the test, and a file name in it.
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.h5");
    (folder, path)
}

/// Opens the store of `run` at `path`.
fn open(path: &Path, run: &RunInfo) -> Result<(Store, Vec<usize>), Error> {
    Store::create_or_resume(path, run, &runtime("here", 1), LITTLE)
}

/// Opens the store of `run` at `path`, adds the points in `order` and returns those that were there before.
fn add_points(path: &Path, run: &RunInfo, order: &[usize]) -> Vec<usize> {
    let (mut store, finished) = open(path, run).unwrap();
    for &index in order {
        store.add(&point(run, index), &network()).unwrap();
    }
    finished
}

/// The error of opening `path`, after checking its exit code and that the file is as it was.
fn refusal(path: &Path, run: &RunInfo, code: i32) -> String {
    let before = fs::read(path).ok();
    let error = open(path, run).expect_err("must be refused");
    assert_eq!(error.exit_code(), code, "{error}");
    assert_eq!(fs::read(path).ok(), before, "a refused file must stay as it is");
    error.to_string()
}

/// The names in the folder of `path`, hidden ones included.
fn names_beside(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path.parent().unwrap()).unwrap();
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_finished_study_reads_back() {
    let (_folder, path) = place();
    let run = study(&["minimal", "valiant"], 5);
    add_points(&path, &run, &(0..10).collect::<Vec<_>>());
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

#[test]
fn a_study_is_taken_up_where_it_was_left() {
    let (_folder, path) = place();
    let run = study(&["minimal"], 6);
    assert!(add_points(&path, &run, &[4, 0]).is_empty());
    assert_eq!(add_points(&path, &run, &[5]), [0, 4]);
    assert_eq!(add_points(&path, &run, &[2, 3, 1]), [0, 4, 5]);
    assert_eq!(add_points(&path, &run, &[]), [0, 1, 2, 3, 4, 5]);
    let (_folder, other) = place();
    add_points(&other, &run, &[0, 1, 2, 3, 4, 5]);
    assert_eq!(compare(&path, &other).unwrap(), Vec::<String>::new());
    assert_eq!(digest(&path).unwrap(), digest(&other).unwrap());
}

#[test]
fn a_point_is_not_added_twice() {
    let (_folder, path) = place();
    let run = study(&["minimal"], 3);
    let (mut store, _) = open(&path, &run).unwrap();
    store.add(&point(&run, 1), &network()).unwrap();
    let before = fs::read(&path).unwrap();
    assert!(store.add(&point(&run, 1), &network()).is_err());
    assert_eq!(fs::read(&path).unwrap(), before);
    store.add(&point(&run, 2), &network()).unwrap();
    assert_eq!(read_table(&path).unwrap().points, [1, 2]);
}

#[test]
fn a_number_that_is_none_is_never_written() {
    let (_folder, path) = place();
    let run = study(&["minimal"], 3);
    let (mut store, _) = open(&path, &run).unwrap();
    let before = fs::read(&path).unwrap();
    let spoils: [fn(&mut PointRecord); 3] = [
        |r| r.report.packet_latency.mean = f64::NAN,
        |r| r.report.channel_utilization[3] = f64::INFINITY,
        |r| r.report.series[1].values[0] = f64::NAN,
    ];
    for spoil in spoils {
        let mut record = point(&run, 0);
        spoil(&mut record);
        let error = store.add(&record, &network()).unwrap_err();
        assert_eq!(error.exit_code(), exit::INTERNAL, "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    let mut record = point(&run, 0);
    record.report = empty_report();
    store.add(&record, &network()).unwrap();
    assert!(!read_table(&path).unwrap().has_latency(0));
}

#[test]
fn a_changed_study_is_refused_with_the_lines_that_differ() {
    let (_folder, path) = place();
    let run = study(&["minimal"], 4);
    add_points(&path, &run, &[0, 1]);
    let mut changed = run.clone();
    changed.config_toml = run.config_toml.replace("ring", "torus");
    let message = refusal(&path, &changed, exit::INPUT);
    for part in ["[network]", "- topology = \"ring\"", "+ topology = \"torus\""] {
        assert!(message.contains(part), "{message}");
    }
    assert!(!message.contains("injection_rate"), "only what differs: {message}");
    assert!(refusal(&path, &RunInfo { seed: 8, ..run.clone() }, exit::INPUT).contains("seed 7, not 8"));
    assert!(refusal(&path, &RunInfo { version: "0.2.0".into(), ..run.clone() }, exit::INPUT).contains("0.2.0"));
    assert_eq!(open(&path, &run).unwrap().1, [0, 1]);
}

#[test]
fn a_file_of_somebody_else_is_refused() {
    let (_folder, path) = place();
    let run = study(&["minimal"], 4);
    fs::write(&path, "my notes\n").unwrap();
    assert!(refusal(&path, &run, exit::IO).contains("not a readable HDF5 file"));
    fs::write(&path, "").unwrap();
    refusal(&path, &run, exit::IO);
    fs::remove_file(&path).unwrap();
    hdf5::File::create(&path).unwrap().create_group("data").unwrap();
    assert!(refusal(&path, &run, exit::INPUT).contains("no results file of sfpdes"));
    assert!(read_table(&path).is_err());
    // Not even a look at it: the library may crash or hang on a file that is damaged.
    fs::write(&path, b"\x89HDF\r\n\x1a\n and nothing that fits it").unwrap();
    assert!(refusal(&path, &run, exit::INPUT).contains("no results file of sfpdes"));
    // Sealed, but none of ours.
    fs::remove_file(&path).unwrap();
    hdf5::File::create(&path).unwrap().create_group("data").unwrap();
    seal(&path).unwrap();
    assert!(refusal(&path, &run, exit::INPUT).contains("no results file of sfpdes"));
}

#[test]
fn a_damaged_file_is_an_error_and_stays_as_it_is() {
    let (_folder, path) = place();
    let run = study(&["minimal"], 4);
    add_points(&path, &run, &[0, 1, 2]);
    let whole = fs::read(&path).unwrap();
    for keep in [1, 100, 4000, whole.len() / 3, whole.len() - 4000, whole.len() - 160, whole.len() - 1] {
        fs::write(&path, &whole[..keep]).unwrap();
        refusal(&path, &run, exit::IO);
    }
    // One wrong bit, wherever it is, and the library is not even asked: it would not survive some of them.
    for at in (0..whole.len()).step_by(whole.len() / 300).chain([whole.len() - 161, whole.len() - 160, whole.len() - 1]) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&path, &bytes).unwrap();
        let reason = refusal(&path, &run, exit::IO);
        assert!(reason.contains("damaged") && reason.contains("move it away"), "byte {at}: {reason}");
        assert_eq!(read_table(&path).unwrap_err().exit_code(), exit::IO, "byte {at}");
        assert_eq!(fs::read(&path).unwrap(), bytes, "the file stays as it is");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(open(&path, &run).unwrap().1, [0, 1, 2]);
}

#[test]
fn a_damaged_array_is_found() {
    let (_folder, path) = place();
    let run = study(&["minimal"], 2);
    let mut record = point(&run, 0);
    record.report.series.iter_mut().for_each(|s| s.values = (0..20_000).map(f64::from).collect());
    let (mut store, _) = open(&path, &run).unwrap();
    store.add(&record, &network()).unwrap();
    drop(store);
    let offset = {
        let file = hdf5::File::open(&path).unwrap();
        let dataset = file.dataset("points_detail/0000/accepted_load").unwrap();
        assert!(dataset.is_chunked());
        dataset.chunk_info(0).unwrap().addr as usize
    };
    let mut bytes = fs::read(&path).unwrap();
    bytes[offset + 50] ^= 0x40;
    fs::write(&path, &bytes).unwrap();
    refusal(&path, &run, exit::IO);
}

#[test]
fn a_missing_part_of_a_point_is_found() {
    let (_folder, path) = place();
    let run = study(&["minimal"], 3);
    let damages: [fn(&hdf5::File); 4] = [
        |f| f.unlink("points_detail/0001/vc_occupancy").unwrap(),
        |f| f.unlink("points_detail/0001").unwrap(),
        |f| f.dataset("points/hops").unwrap().resize(1).unwrap(),
        |f| f.dataset("points/point").unwrap().write_raw(&[1u64, 1]).unwrap(),
    ];
    for damage in damages {
        let _ = fs::remove_file(&path);
        add_points(&path, &run, &[0, 1]);
        let file = hdf5::File::open_rw(&path).unwrap();
        damage(&file);
        file.close().unwrap();
        assert!(refusal(&path, &run, exit::IO).contains("not those that were written"));
        // What is missing is found, too, if the bytes are as they were meant to be.
        unseal(&path).unwrap();
        seal(&path).unwrap();
        refusal(&path, &run, exit::IO);
    }
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_simulation() {
    let (folder, path) = place();
    let run = study(&["minimal"], 4);
    // Not by permission bits, which do not hold for root.
    fs::write(folder.path().join("plain"), "").unwrap();
    refusal(&folder.path().join("plain/results.h5"), &run, exit::IO);
    refusal(Path::new("/proc/results.h5"), &run, exit::IO);
    refusal(Path::new("/dev/null"), &run, exit::IO);
    assert!(refusal(folder.path(), &run, exit::IO).contains("is a folder"));
    let error = Store::create_or_resume(&path, &run, &runtime("here", 1), u64::MAX / 2).unwrap_err();
    assert!(error.exit_code() == exit::IO && error.to_string().contains("free on its disk"), "{error}");
    assert_eq!(names_beside(&path), ["plain"]);
    // A folder that does not exist is made.
    add_points(&folder.path().join("new/deep/results.h5"), &run, &[0]);
}

#[test]
fn one_run_at_a_time_writes_a_file_and_stale_files_go() {
    let (folder, path) = place();
    let run = study(&["minimal"], 4);
    fs::write(folder.path().join(".results.h5.123.partial"), "left by a killed run").unwrap();
    fs::write(folder.path().join(".results.h5.lock"), "").unwrap();
    fs::write(folder.path().join(".other.h5.123.partial"), "of another file").unwrap();
    let (store, _) = open(&path, &run).unwrap();
    assert!(refusal(&path, &run, exit::IO).contains("another run"));
    drop(store);
    drop(open(&path, &run).unwrap());
    assert_eq!(names_beside(&path), [".other.h5.123.partial", "results.h5"]);
}

#[test]
fn a_link_stays_a_link() {
    let (folder, path) = place();
    let run = study(&["minimal"], 4);
    let target = folder.path().join("elsewhere.h5");
    add_points(&target, &run, &[0]);
    std::os::unix::fs::symlink(&target, &path).unwrap();
    assert_eq!(add_points(&path, &run, &[1]), [0]);
    assert!(path.is_symlink());
    assert_eq!(read_table(&target).unwrap().points, [0, 1]);
}

#[test]
fn the_digest_ignores_the_run_and_nothing_else() {
    let run = study(&["minimal"], 2);
    let write = |host: &str, change: &dyn Fn(&mut PointRecord)| {
        let (folder, path) = place();
        let (mut store, _) = Store::create_or_resume(&path, &run, &runtime(host, 3), LITTLE).unwrap();
        let mut record = point(&run, 1);
        change(&mut record);
        store.add(&record, &network()).unwrap();
        drop(store);
        (folder, path)
    };
    let (_a, base) = write("here", &|_| ());
    let (_b, elsewhere) = write("elsewhere", &|r| r.runtime.wall_seconds = 99.0);
    assert_eq!(digest(&base).unwrap(), digest(&elsewhere).unwrap());
    assert!(fs::read(&base).unwrap() != fs::read(&elsewhere).unwrap(), "or the test shows nothing");
    type Change = fn(&mut PointRecord);
    let changes: [(&str, Change); 9] = [
        ("/points/packet_latency", |r| r.report.packet_latency.mean += 1e-12),
        ("/points/flit_hops", |r| r.report.flit_hops += 1),
        ("/points/stop_reason", |r| r.report.stop_reason = "drained"),
        ("/points/point", |r| r.index = 0),
        ("/points_detail/0001/toml", |r| r.config_toml.push(' ')),
        ("/points_detail/0001/deadlock", |r| r.deadlock.push(' ')),
        ("/points_detail/0001/channel_utilization", |r| r.report.channel_utilization[2] += 1e-12),
        ("/points_detail/0001/endpoint_offered", |r| r.report.endpoint_offered[5] += 1),
        ("/points_detail/0001/packet_latency@units", |r| r.report.series[1].unit = "s"),
    ];
    for (place, change) in changes {
        let (_c, other) = write("here", &change);
        assert_ne!(digest(&base).unwrap(), digest(&other).unwrap(), "{place}");
        let differing = compare(&base, &other).unwrap();
        assert!(differing.iter().any(|d| d == place), "{place} is not among {differing:?}");
    }
}

#[test]
fn networks_are_stored_once_whatever_the_order() {
    let (_folder, path) = place();
    let run = study(&["minimal"], 3);
    add_points(&path, &run, &[2, 0, 1]);
    let file = hdf5::File::open(&path).unwrap();
    assert_eq!(file.group("network").unwrap().len(), 1);
    let name = file.group("network").unwrap().member_names().unwrap().remove(0);
    assert!(name.starts_with("ring-"), "{name}");
    let peers = file.dataset(&format!("network/{name}/destination_router")).unwrap().read_raw::<u32>().unwrap();
    assert_eq!(peers, network().destination_router);
}

#[test]
fn the_estimate_of_space_holds() {
    let (_folder, path) = place();
    let run = study(&["minimal"], 8);
    add_points(&path, &run, &(0..8).collect::<Vec<_>>());
    let network = network();
    let estimate = estimate_bytes(8, network.source_router.len(), output_sample::NUM_VCS, network.endpoint_router.len(), 0);
    let size = fs::metadata(&path).unwrap().len();
    assert!(2 * size <= estimate && estimate < 20 * size, "{size} bytes, estimated {estimate} with a copy");
}
