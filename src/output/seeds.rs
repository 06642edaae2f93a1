//! Points that differ in nothing but the seed, taken together.

use super::{PointTable, StudyKind, TableColumn, Values};
use crate::stats::interval;

/// The key of the seed.
const SEED: &str = "simulation.seed";

/// What the columns of half widths end in.
const INTERVAL: &str = "_ci95";

impl PointTable {
    /// The same study with one row for all seeds of a point, the swept seed being gone: of each number the mean over seeds, of
    /// each half width that of the interval over seeds (Student's t, 0 for one seed), of words those of the first seed that
    /// has no steady latency, or of the first. The row of a point without seeds of its own is unchanged.
    #[must_use]
    pub fn over_seeds(&self) -> PointTable {
        let seeded = self.axes.iter().any(|axis| axis.name == SEED);
        if !seeded || self.kind != StudyKind::Simulation {
            return self.clone();
        }
        let axes: Vec<&TableColumn> = self.axes.iter().filter(|axis| axis.name != SEED).collect();
        let mut groups: Vec<(Vec<String>, Vec<usize>)> = Vec::new();
        for row in 0..self.points.len() {
            let place: Vec<String> = axes.iter().map(|axis| axis.values.text(row)).collect();
            match groups.iter_mut().find(|(known, _)| *known == place) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((place, vec![row])),
            }
        }
        let groups: Vec<Vec<usize>> = groups.into_iter().map(|(_, rows)| rows).collect();
        let first: Vec<usize> = groups.iter().map(|rows| rows[0]).collect();
        let axes = axes.into_iter().map(|axis| TableColumn { values: axis.values.pick(&first), ..axis.clone() });
        let columns = self.columns.iter().map(|column| TableColumn { values: self.joined(column, &groups), ..column.clone() });
        Self {
            kind: self.kind,
            points: first.iter().map(|&row| self.points[row]).collect(),
            n_points: self.n_points,
            axes: axes.collect(),
            columns: columns.collect(),
        }
    }

    /// The values of `column` for `groups` of rows.
    fn joined(&self, column: &TableColumn, groups: &[Vec<usize>]) -> Values {
        let spread_of = column.name.strip_suffix(INTERVAL).and_then(|name| self.column(name));
        let over = |of: &TableColumn, rows: &[usize]| -> (f64, f64) {
            interval(&rows.iter().filter_map(|&row| of.values.number(row)).collect::<Vec<_>>())
        };
        match (&column.values, spread_of) {
            (Values::Text(words), _) => {
                let telling = |rows: &Vec<usize>| rows.iter().copied().find(|&row| !self.is_steady(row)).unwrap_or(rows[0]);
                Values::Text(groups.iter().map(|rows| words[telling(rows)].clone()).collect())
            }
            // Steady is only what every seed calls so: a mean below 1 is not.
            (_, None) => Values::Float(groups.iter().map(|rows| over(column, rows).0).collect()),
            (_, Some(of)) => {
                let of_group = |rows: &Vec<usize>| match rows[..] {
                    [row] => column.values.number(row).unwrap_or(0.0),
                    _ => over(of, rows).1,
                };
                Values::Float(groups.iter().map(of_group).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, values: Values) -> TableColumn {
        TableColumn { name: name.into(), unit: "1".into(), long_name: String::new(), values }
    }

    fn table(seeds: Vec<i64>, loads: Vec<f64>, accepted: Vec<f64>, steady: Vec<u64>, status: [&str; 5]) -> PointTable {
        PointTable {
            kind: StudyKind::Simulation,
            points: (0..5).collect(),
            n_points: 6,
            axes: vec![column(SEED, Values::Int(seeds)), column("traffic.injection_rate", Values::Float(loads))],
            columns: vec![
                column("status", Values::Text(status.map(String::from).to_vec())),
                column("latency_steady", Values::Count(steady)),
                column("accepted_load", Values::Float(accepted)),
                column("accepted_load_ci95", Values::Float(vec![9.0; 5])),
            ],
        }
    }

    #[test]
    fn seeds_of_a_load_become_its_mean_and_their_spread() {
        // The last point of the second load is not finished.
        let table = table(
            vec![1, 1, 2, 2, 3],
            vec![0.1, 0.5, 0.1, 0.5, 0.1],
            vec![0.09, 0.40, 0.11, 0.44, 0.10],
            vec![1, 1, 1, 0, 1],
            ["converged", "converged", "max_time", "saturated", "converged"],
        );
        let joined = table.over_seeds();
        assert_eq!((joined.points.as_slice(), joined.n_points), ([0, 1].as_slice(), 6));
        assert_eq!(joined.axes.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(), ["traffic.injection_rate"]);
        assert_eq!(joined.axes[0].values, Values::Float(vec![0.1, 0.5]));
        assert_eq!(joined.column("status").unwrap().values, Values::Text(vec!["converged".into(), "saturated".into()]));
        assert_eq!([0, 1].map(|row| joined.is_steady(row)), [true, false]);
        let number = |name, row| joined.number(name, row).unwrap();
        assert!((number("accepted_load", 0) - 0.10).abs() < 1e-12 && (number("accepted_load", 1) - 0.42).abs() < 1e-12);
        // t(2, .975) = 4.3027 on a standard error of .01 / sqrt(3); t(1, .975) = 12.7062 on .02.
        assert!((number("accepted_load_ci95", 0) - 4.3027 * 0.01 / 3f64.sqrt()).abs() < 1e-5);
        assert!((number("accepted_load_ci95", 1) - 12.7062 * 0.02).abs() < 1e-4);
    }

    #[test]
    fn without_a_swept_seed_nothing_changes() {
        let mut table = table(vec![1; 5], vec![0.1; 5], vec![0.1; 5], vec![1; 5], ["converged"; 5]);
        table.axes.remove(0);
        assert_eq!(table.over_seeds(), table);
    }
}
