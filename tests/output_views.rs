//! The summary, the table and the figure: what a person sees of a results file.

mod output_sample;

use std::fs;
use std::path::{Path, PathBuf};

use output_sample::{empty_report, network, point, report, runtime, study};
use sfpdes::output::{
    plot, read_table, render_search, render_table, summary_path, write_summary, Axis, Coordinate, PointRecord, PointTable,
    RunInfo, Store, StudyKind, TableColumn, Values,
};

/// Makes a results file with the given points of `run`, each changed by `change`.
fn results(folder: &Path, run: &RunInfo, points: &[usize], change: impl Fn(&mut PointRecord)) -> PathBuf {
    let path = folder.join("results.h5");
    let (mut store, _) = Store::create_or_resume(&path, run, &runtime("here", 1), 1 << 16).unwrap();
    for &index in points {
        let mut record = point(run, index);
        change(&mut record);
        store.add(&record, &network()).unwrap();
    }
    path
}

/// As `results`, read back.
fn table(run: &RunInfo, points: &[usize], change: impl Fn(&mut PointRecord)) -> PointTable {
    let folder = tempfile::tempdir().unwrap();
    read_table(&results(folder.path(), run, points, change)).unwrap()
}

#[test]
fn the_summary_has_a_row_per_finished_point() {
    let folder = tempfile::tempdir().unwrap();
    let run = study(&["minimal", "ugal, local"], 3);
    let path = results(folder.path(), &run, &[5, 0, 3], |r| {
        if r.index == 3 {
            r.report = empty_report();
        }
    });
    let summary = summary_path(&path);
    assert_eq!(summary, folder.path().join("results.summary.csv"));
    for _ in 0..2 {
        write_summary(&summary, &read_table(&path).unwrap()).unwrap();
    }
    let text = fs::read_to_string(&summary).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].starts_with("point,routing.algorithm,traffic.injection_rate,status,"));
    assert!(lines[1].starts_with("0,minimal,0.3333333333333333,converged,"));
    assert!(lines[2].starts_with("3,\"ugal, local\",") && lines[2].contains(",,,,"), "{}", lines[2]);
    assert!(lines[3].starts_with("5,\"ugal, local\",1.0,saturated,"));
    assert!(!text.contains("NaN"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file stays");
}

#[test]
fn the_table_flags_what_is_not_steady() {
    let run = study(&["minimal", "valiant"], 4);
    let table = table(&run, &[0, 2, 3, 7], |r| {
        if r.index == 0 {
            r.report = empty_report();
        }
    });
    let text = render_table(&table, None);
    assert!(text.is_ascii());
    let rows: Vec<_> = text.lines().filter(|l| l.contains("minimal") || l.contains("valiant")).collect();
    assert_eq!(rows.len(), 4);
    assert!(rows[0].contains(" - |"), "nothing measured: {}", rows[0]);
    assert!(rows[1].contains("0.75") && rows[1].contains("converged"));
    assert!(rows[2].contains("1.00") && rows[2].contains("(800.00)") && rows[2].contains("saturated"));
    assert!(text.contains("not steady") && text.contains("4 of 8 points finished"));
    assert!(!render_table(&table, Some(100)).is_ascii(), "a terminal gets lines");
}

/// The cells of a table that has `n` lines of heads, without those that are empty.
fn cells(text: &str, n: usize) -> Vec<Vec<&str>> {
    let rows = text.lines().filter(|l| l.starts_with(['|', '│'])).skip(n);
    rows.map(|row| row.split(['|', '│', '┆']).map(str::trim).filter(|cell| !cell.is_empty()).collect()).collect()
}

#[test]
fn no_cell_is_broken_however_many_axes_there_are() {
    const WORD: &str = "bit-complement of a long name";
    let mut run = study(&["minimal"], 2);
    for i in 0..8 {
        let name = format!("router.key_number_{i}");
        run.axes.push(Axis { name, unit: String::new(), long_name: "a key".into(), values: vec![Coordinate::Text(WORD.into())] });
        let wide = table(&run, &[1], |r| r.coordinates.extend(vec![Coordinate::Text(WORD.into()); i + 1]));
        for width in [None, Some(40), Some(80), Some(120), Some(usize::MAX)] {
            let text = render_table(&wide, width);
            let rows = cells(&text, 2);
            assert_eq!(rows.len(), 1, "one line per point: {text}");
            assert_eq!(rows[0].iter().filter(|&&cell| cell == WORD).count(), i + 1, "{text}");
            assert!(rows[0].contains(&"(800.00)") && rows[0].contains(&"saturated"), "the main columns stay: {text}");
        }
    }
}

#[test]
fn a_narrow_terminal_gets_fewer_columns_and_hears_which_are_missing() {
    let table = table(&study(&["minimal", "valiant"], 4), &[0, 3], |_| ());
    let all = render_table(&table, Some(usize::MAX));
    assert!(!all.contains("no room"), "{all}");
    let widest =
        |text: &str| text.lines().filter(|l| !l.starts_with(|c: char| c.is_ascii())).map(|l| l.chars().count()).max().unwrap();
    let names = |text: &str| -> Vec<String> {
        let line = text.lines().find_map(|l| l.strip_prefix("no room for ")?.strip_suffix(": the CSV file has them"));
        line.map_or(vec![], |names| names.split(", ").map(String::from).collect())
    };
    let mut missing = Vec::new();
    for width in (1..=widest(&all)).rev() {
        let text = render_table(&table, Some(width));
        let now = names(&text);
        assert!(now.starts_with(&missing), "at {width} something is back: {text}");
        assert_eq!(cells(&text, 2)[0].len(), cells(&all, 2)[0].len() - now.len(), "{text}");
        assert!(widest(&text) <= width || now.len() == 7, "{width}: {text}");
        missing = now;
    }
    assert_eq!(missing, ["point", "network latency", "busiest channel", "hops", "p99", "+-95%", "offered"]);
    // A log or a file has room for everything.
    assert_eq!(cells(&render_table(&table, None), 2), cells(&all, 2));
}

#[test]
fn the_table_tells_what_is_steady_and_whether_there_is_anything() {
    let run = study(&["minimal"], 2);
    assert!(!render_table(&table(&run, &[0], |_| ()), None).contains("not steady"));
    let single = RunInfo { n_points: 1, axes: vec![], ..run };
    assert_eq!(render_table(&table(&single, &[], |_| ()), None), "no point of 1 is finished\n");
}

/// What a search found, with these brackets.
fn found(brackets: &[[f64; 2]]) -> PointTable {
    let n = brackets.len();
    let column = |name: &str, values: Vec<f64>| {
        let (unit, long_name) = ("flits/cycle/endpoint".into(), String::new());
        TableColumn { name: name.into(), unit, long_name, values: Values::Float(values) }
    };
    let columns = vec![
        column("carried_load", brackets.iter().map(|b| b[0]).collect()),
        column("refused_load", brackets.iter().map(|b| b[1]).collect()),
        column("accepted_load", brackets.iter().map(|b| b[0]).collect()),
        column("accepted_load_ci95", vec![0.0004; n]),
    ];
    PointTable { kind: StudyKind::Simulation, points: (0..n as u64).collect(), n_points: n, axes: vec![], columns }
}

#[test]
fn a_search_shows_as_many_decimals_as_its_tolerance_has_meaning_for() {
    let third = 1.0 / 3.0;
    for (tolerance, bracket, shown) in [
        (0.5, [0.25, 0.75], ["0.25", "0.75"]),
        (0.05, [third, third + 0.05], ["0.333", "0.383"]),
        (0.01, [third, third + 0.01], ["0.333", "0.343"]),
        (0.001, [third, third + 0.001], ["0.3333", "0.3343"]),
        (0.000_01, [third, third + 0.000_01], ["0.333333", "0.333343"]),
        // Many loads in a round make a bracket that is much narrower than asked for.
        (0.05, [third, third + 0.000_8], ["0.3333", "0.3341"]),
        // Nothing was refused.
        (0.05, [1.0, 1.0], ["1.000", "1.000"]),
    ] {
        let text = render_search(&found(&[bracket]), tolerance, None);
        let row = &cells(&text, 3)[0];
        assert_eq!(row[..2], shown, "{tolerance}: {text}");
        // What was measured is as exact as its interval says, and no less than the ends.
        assert_eq!(row[3], format!("{:.*}", (shown[0].len() - 2).max(4), 0.0004), "{text}");
    }
}

/// Draws the figure of a results file, checks that both files are whole, and returns the SVG.
fn figure(run: &RunInfo, points: &[usize], change: impl Fn(&mut PointRecord)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = results(folder.path(), run, points, change);
    let written = plot(&path, &folder.path().join("figures/latency")).unwrap();
    assert_eq!(written, [folder.path().join("figures/latency.svg"), folder.path().join("figures/latency.png")]);
    let png = fs::read(&written[1]).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.ends_with(b"IEND\xaeB`\x82"));
    assert_eq!(fs::read_dir(folder.path().join("figures")).unwrap().count(), 2, "no temporary file stays");
    let svg = fs::read_to_string(&written[0]).unwrap();
    assert!(svg.starts_with("<svg width=\"3.500in\"") && svg.ends_with("</svg>\n"));
    svg
}

/// The texts of an SVG.
fn texts(svg: &str) -> Vec<&str> {
    let after = svg.split("<text").skip(1).filter_map(|t| t.split_once('>'));
    after.filter_map(|(_, t)| t.split_once("</text>")).map(|(t, _)| t.trim()).collect()
}

#[test]
fn the_figure_names_its_axes_and_curves() {
    let run = study(&["minimal", "valiant", "ugal_l", "ugal_g"], 10);
    let svg = figure(&run, &(0..40).collect::<Vec<_>>(), |_| ());
    let texts = texts(&svg);
    for part in ["minimal", "ugal_g", "saturated (latency not steady)", "accepted = offered", "Packet latency", "(cycles)"] {
        assert!(texts.contains(&part), "{part} is not among {texts:?}");
    }
    assert!(texts.contains(&"Offered load (flits/cycle/endpoint)"));
    assert!(svg.contains("#0072B2") && svg.contains("#D55E00"));
}

#[test]
fn latencies_that_grow_for_ever_do_not_flatten_the_others() {
    let run = study(&["minimal"], 10);
    let svg = figure(&run, &(0..10).collect::<Vec<_>>(), |_| ());
    let highest = texts(&svg).into_iter().filter_map(|t| t.parse::<f64>().ok()).fold(0.0, f64::max);
    assert!((20.0..60.0).contains(&highest), "the axis goes to {highest}; the steady latencies to some 24, the others to 800");
}

#[test]
fn a_figure_of_little_or_nothing_is_drawn() {
    let run = study(&["minimal"], 10);
    figure(&run, &[4], |_| ());
    let empty = figure(&run, &[0, 1], |r| r.report = empty_report());
    assert!(texts(&empty).contains(&"no packet measured"));
    assert!(texts(&figure(&run, &[], |_| ())).contains(&"no point finished"));
    // Only saturated points: their latencies are all there is.
    assert!(!texts(&figure(&run, &[8, 9], |_| ())).contains(&"no packet measured"));
    // Zero load everywhere.
    figure(&run, &[0, 1], |r| r.report = report(0.0, 0.5, 0));
}

#[test]
fn without_a_swept_load_another_number_is_the_axis() {
    let base = study(&["minimal", "valiant"], 5);
    let mut run = base.clone();
    run.axes[1] = Axis {
        name: "router.vc_buf_size".into(),
        unit: "flits".into(),
        long_name: "depth of a buffer".into(),
        values: (0..5).map(|i| Coordinate::Int(2 << i)).collect(),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.h5");
    let (mut store, _) = Store::create_or_resume(&path, &run, &runtime("here", 1), 1 << 16).unwrap();
    for index in 0..10 {
        let mut record = point(&base, index);
        record.coordinates[1] = run.axes[1].values[index % 5].clone();
        store.add(&record, &network()).unwrap();
    }
    let written = plot(&path, &folder.path().join("figure")).unwrap();
    let svg = fs::read_to_string(&written[0]).unwrap();
    let texts = texts(&svg);
    assert!(texts.contains(&"vc_buf_size (flits)") && texts.contains(&"valiant"), "{texts:?}");
    assert!(!texts.contains(&"accepted = offered"));
}
