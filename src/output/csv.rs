//! `<stem>.summary.csv` beside the results file: one row per finished point, for spreadsheets and `cut`.

use std::path::{Path, PathBuf};

use super::disk;
use super::results::{PointTable, TableColumn};
use crate::error::Error;

/// The summary that goes with the results file `results`.
#[must_use]
pub fn summary_path(results: &Path) -> PathBuf {
    results.with_extension("summary.csv")
}

/// Writes the summary of `table` to `path`, whole or not at all.
///
/// # Errors
/// `Error::Io` if it cannot be written.
pub fn write_summary(path: &Path, table: &PointTable) -> Result<(), Error> {
    disk::write_whole(path, to_csv(table).as_bytes())
}

/// Writes what a search found beside the results file `results`, as `<stem>.saturation.csv`.
///
/// # Errors
/// `Error::Io` if it cannot be written.
pub fn write_search_summary(results: &Path, found: &PointTable) -> Result<(), Error> {
    disk::write_whole(&results.with_extension("saturation.csv"), to_csv(found).as_bytes())
}

/// The table as comma-separated values after RFC 4180, with a line of names. A cell is empty where nothing was measured.
#[must_use]
pub fn to_csv(table: &PointTable) -> String {
    let columns: Vec<&TableColumn> = table.axes.iter().chain(&table.columns).collect();
    let names = std::iter::once("point".to_string()).chain(columns.iter().map(|c| quoted(&c.name)));
    let mut text = names.collect::<Vec<_>>().join(",");
    text.push('\n');
    for (row, point) in table.points.iter().enumerate() {
        text.push_str(&point.to_string());
        for column in &columns {
            text.push(',');
            if table.is_measured(&column.name, row) {
                text.push_str(&quoted(&column.values.text(row)));
            }
        }
        text.push('\n');
    }
    text
}

/// Cells as one line, without its end.
#[must_use]
pub fn csv_line(cells: &[String]) -> String {
    cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",")
}

/// `text` as one cell.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{StudyKind, Values};

    #[test]
    fn cells_are_quoted_only_where_needed_and_empty_where_nothing_was_measured() {
        let column =
            |name: &str, values| TableColumn { name: name.into(), unit: String::new(), long_name: String::new(), values };
        let table = PointTable {
            kind: StudyKind::Simulation,
            points: vec![0, 3],
            n_points: 4,
            axes: vec![column("traffic.pattern", Values::Text(vec!["a,b".into(), "say \"hi\"".into()]))],
            columns: vec![
                column("packet_latency", Values::Float(vec![12.5, 0.0])),
                column("accepted_load", Values::Float(vec![1e-9, 1.0])),
                column("packets_measured", Values::Count(vec![7, 0])),
            ],
        };
        let expected = "point,traffic.pattern,packet_latency,accepted_load,packets_measured\n\
                        0,\"a,b\",12.5,1e-9,7\n\
                        3,\"say \"\"hi\"\"\",,1.0,0\n";
        assert_eq!(to_csv(&table), expected);
    }
}
