//! The result table on stdout: for eyes, not for programs (those read the results file or the summary).

use std::io::IsTerminal as _;

use comfy_table::presets::{ASCII_FULL_CONDENSED, UTF8_FULL_CONDENSED};
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table};

use super::results::{PointTable, TableColumn, Values};

/// What a terminal that does not tell its width is taken for.
const USUAL_WIDTH: usize = 80;

/// A column of the table on stdout.
struct Shown {
    head: String,
    cells: Vec<String>,
    /// Which columns go first when the terminal is too narrow: those with the largest number; never those with 0.
    rank: u8,
    /// Numbers stand to the right, words to the left.
    number: bool,
}

impl Shown {
    /// Characters of its widest line, with a border and a space at either side.
    fn width(&self) -> usize {
        let lines = self.cells.iter().map(String::as_str).chain(self.head.lines());
        lines.map(|line| line.chars().count()).max().unwrap_or(0) + 3
    }
}

/// Characters that fit into a line of the terminal that stdout is; `None` if it is none.
#[must_use]
pub fn stdout_width() -> Option<usize> {
    let stdout = std::io::stdout();
    let told = || rustix::termios::tcgetwinsize(&stdout).ok().map(|size| usize::from(size.ws_col)).filter(|&columns| columns > 0);
    stdout.is_terminal().then(|| told().unwrap_or(USUAL_WIDTH))
}

/// The finished points as text. A terminal of `width` characters gets as many columns as fit, the others are named below; what
/// every row needs is always there, if the lines become too long for it. Anything but a terminal (`None`) gets all columns, in
/// ASCII. No cell is ever broken. Latencies that have no steady value are in parentheses; a dash stands where nothing was measured.
#[must_use]
pub fn render(table: &PointTable, width: Option<usize>) -> String {
    if table.points.is_empty() {
        return format!("no point of {} is finished\n", table.n_points);
    }
    draw(shown(table), width) + &notes(table)
}

/// The lines below the table.
fn notes(table: &PointTable) -> String {
    let mut text = String::new();
    if (0..table.points.len()).any(|row| !table.is_steady(row)) {
        text.push_str("( ) latency is not steady there: it grows for as long as one measures\n");
    }
    let open = table.n_points - table.points.len();
    if open > 0 {
        text.push_str(&format!("{} of {} points finished\n", table.points.len(), table.n_points));
    }
    text
}

/// All columns worth showing.
fn shown(table: &PointTable) -> Vec<Shown> {
    let rows = 0..table.points.len();
    let axes = table.axes.iter().map(|axis| Shown {
        head: head(short_name(table, axis), &axis.unit),
        cells: axis_values(axis),
        rank: 0,
        number: !matches!(axis.values, Values::Text(_)),
    });
    let point = Shown {
        head: "point".into(),
        cells: table.points.iter().map(u64::to_string).collect(),
        // Without axes it is the only name that a row has.
        rank: if table.axes.is_empty() { 0 } else { 7 },
        number: true,
    };
    let measured = [
        ("offered_load", "offered", 3, 1),
        ("accepted_load", "accepted", 3, 0),
        ("delivered_share", "delivered", 4, 0),
        ("packet_latency", "latency", 2, 0),
        ("packet_latency_ci95", "+-95%", 2, 2),
        ("packet_latency_p99", "p99", 0, 3),
        ("network_latency", "network latency", 2, 6),
        ("hops", "hops", 2, 4),
        ("channel_utilization_max", "busiest channel", 2, 5),
    ];
    let measured = measured.into_iter().filter_map(|(name, title, digits, rank)| {
        let column = table.column(name)?;
        let tells = |row| column.values.number(row).is_some_and(|share| share > 0.0 && share < 1.0);
        if name == "delivered_share" && !rows.clone().any(tells) {
            return None;
        }
        let cells = rows.clone().map(|row| measured_value(table, column, row, digits)).collect();
        // Said once: the others next to it have the same.
        let unit = if name == "packet_latency" { column.unit.as_str() } else { "" };
        Some(Shown { head: head(title, unit), cells, rank, number: true })
    });
    let status = table.column("status").map(|c| Shown {
        head: "status".into(),
        cells: rows.clone().map(|row| c.values.text(row)).collect(),
        rank: 0,
        number: false,
    });
    std::iter::once(point).chain(axes).chain(status).chain(measured).collect()
}

/// What a search found, as text: the bracket of each combination, and what was accepted. `width` as for [`render`].
#[must_use]
pub fn render_search(found: &PointTable, tolerance: f64, width: Option<usize>) -> String {
    let axes = found.axes.iter().map(|axis| Shown {
        head: head(short_name(found, axis), &axis.unit),
        cells: axis_values(axis),
        rank: 0,
        number: !matches!(axis.values, Values::Text(_)),
    });
    let digits = search_decimals(found, tolerance);
    // What was measured has an accuracy of its own, which its interval tells.
    let measured = digits.max(4);
    let titles = [
        ("carried_load", "carried up to", digits, 0),
        ("refused_load", "refused from", digits, 0),
        ("accepted_load", "accepted there", measured, 0),
        ("accepted_load_ci95", "+-95%", measured, 1),
        ("accepted_load_highest", "most accepted", measured, 2),
        ("accepted_load_highest_ci95", "its +-95%", measured, 3),
        ("loads_tried", "loads tried", 0, 4),
    ];
    let rows = 0..found.points.len();
    let found_columns = titles.into_iter().filter_map(|(name, title, digits, rank)| {
        let column = found.column(name)?;
        let unit = if name == "carried_load" { column.unit.as_str() } else { "" };
        let cells = rows.clone().map(|row| format!("{:.digits$}", column.values.number(row).unwrap_or(0.0))).collect();
        Some(Shown { head: head(title, unit), cells, rank, number: true })
    });
    let mut text = draw(axes.chain(found_columns).collect(), width);
    text.push_str(&format!("the load at which the network saturates lies between the first two, {tolerance} apart at most\n"));
    if rows.clone().any(|row| found.number("carried_load", row) == found.number("refused_load", row)) {
        text.push_str("where both are the same, the highest load that was tried is carried\n");
    }
    text
}

/// Decimals of the loads that a search found: rounding is at most a twentieth of the tolerance, and ends of a bracket that differ
/// look different.
fn search_decimals(found: &PointTable, tolerance: f64) -> usize {
    let until = |step: f64| (-step.log10() - 1e-9).ceil().max(0.0) as usize;
    let width = |row| Some(found.number("refused_load", row)? - found.number("carried_load", row)?);
    let widths = (0..found.points.len()).filter_map(width).filter(|&width| width > 0.0);
    widths.map(until).fold(until(tolerance) + 1, usize::max)
}

/// A title, of two lines if it has several words, over its unit.
fn head(title: &str, unit: &str) -> String {
    let unit = unit.replace("flits/cycle/endpoint", "flits/cyc/ep").replace("flits/cycle", "flits/cyc");
    let title = title.replacen(' ', "\n", 1);
    if unit.is_empty() || unit == "1" {
        title
    } else {
        format!("{title}\n[{unit}]")
    }
}

/// The last part of a dotted key, unless two axes share it.
fn short_name<'a>(table: &PointTable, axis: &'a TableColumn) -> &'a str {
    let last = |name: &'a str| name.rsplit('.').next().unwrap_or(name);
    let short = last(&axis.name);
    let shared = table.axes.iter().filter(|a| a.name.rsplit('.').next() == Some(short)).count() > 1;
    if shared {
        &axis.name
    } else {
        short
    }
}

/// The swept values as they were typed, less digits that only binary fractions have, with as many decimals in every row.
fn axis_values(axis: &TableColumn) -> Vec<String> {
    const MOST: usize = 6;
    let Values::Float(values) = &axis.values else { return (0..axis.values.len()).map(|row| axis.values.text(row)).collect() };
    let decimals = |v: f64| (0..MOST).find(|&d| (format!("{v:.d$}").parse::<f64>().unwrap_or(v) - v).abs() < 1e-7);
    let most = values.iter().map(|&v| decimals(v).unwrap_or(MOST)).max().unwrap_or(0);
    values.iter().map(|v| format!("{v:.most$}")).collect()
}

/// A measured value with `digits` decimals.
fn measured_value(table: &PointTable, column: &TableColumn, row: usize, digits: usize) -> String {
    let per_packet = super::results::needs_packets(&column.name);
    if per_packet && !table.has_latency(row) {
        return "-".into();
    }
    let Some(value) = column.values.number(row) else { return "-".into() };
    let text = format!("{value:.digits$}");
    if per_packet && column.name != "hops" && !table.is_steady(row) {
        format!("({text})")
    } else {
        text
    }
}

/// The table, with a line that names what a terminal of `width` characters has no room for.
fn draw(mut columns: Vec<Shown>, width: Option<usize>) -> String {
    let mut left_out = Vec::new();
    while width.is_some_and(|width| 1 + columns.iter().map(Shown::width).sum::<usize>() > width) {
        let expendable = columns.iter().enumerate().filter(|(_, column)| column.rank > 0).max_by_key(|(_, column)| column.rank);
        let Some((at, _)) = expendable else { break };
        left_out.push(columns.remove(at).head.replace('\n', " "));
    }
    let mut text = format!("{}\n", build(&columns, width.is_none()));
    if !left_out.is_empty() {
        text.push_str(&format!("no room for {}: the CSV file has them\n", left_out.join(", ")));
    }
    text
}

/// The table as the crate wants it.
fn build(columns: &[Shown], ascii: bool) -> Table {
    let mut table = Table::new();
    table.load_style(if ascii { ASCII_FULL_CONDENSED } else { UTF8_FULL_CONDENSED });
    table.set_content_arrangement(ContentArrangement::Disabled);
    let align = |c: &Shown| if c.number { CellAlignment::Right } else { CellAlignment::Left };
    table.set_header(columns.iter().map(|c| Cell::new(&c.head).set_alignment(align(c))));
    for row in 0..columns[0].cells.len() {
        table.add_row(columns.iter().map(|c| Cell::new(&c.cells[row]).set_alignment(align(c))));
    }
    table
}
