//! CSV files of numbers: a header line that names the columns, then one record per line. Blank lines and lines that begin
//! with `#` are skipped. Every fault of a file is found at once, each with file and line.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::config::{ConfigError, ConfigErrors, TextFile};

/// Faults shown of one file; a file of another format would fill the screen.
const SHOWN: usize = 50;

/// A file while it is read.
pub(super) struct Reader<'a, const K: usize> {
    file: &'a TextFile,
    columns: [&'static str; K],
    faults: Vec<ConfigError>,
    n_faults: usize,
}

/// One record: its fields, less spaces around them, and the line it stands on.
#[derive(Clone, Copy)]
pub(super) struct Record<'a, const K: usize> {
    pub line: usize,
    pub fields: [&'a str; K],
}

impl<'a, const K: usize> Reader<'a, K> {
    /// Reads the records of `file`, whose header has to be `columns`. Records with another number of fields are faults.
    pub(super) fn new(file: &'a TextFile, columns: [&'static str; K]) -> (Self, Vec<Record<'a, K>>) {
        let mut reader = Self { file, columns, faults: Vec::new(), n_faults: 0 };
        let mut lines = (1..).zip(file.text.lines()).filter(|(_, line)| {
            let line = line.trim_start();
            !line.is_empty() && !line.starts_with('#')
        });
        let mut records = Vec::new();
        let header = columns.join(",");
        match lines.next() {
            Some((_, line)) if line.split(',').map(str::trim).eq(columns) => {}
            Some((line, found)) => {
                reader.fault(line, format!("the first line has to be the header `{header}`, not `{}`", shorten(found)));
                return (reader, records);
            }
            None => {
                reader.fault(1, format!("the file is empty; it begins with the header `{header}`"));
                return (reader, records);
            }
        }
        for (line, text) in lines {
            let fields: Vec<&str> = text.split(',').map(str::trim).collect();
            let found = fields.len();
            match fields.try_into() {
                Ok(fields) => records.push(Record { line, fields }),
                Err(_) => reader.fault(line, format!("{found} fields; a record has {K}: {header}")),
            }
        }
        (reader, records)
    }

    /// Notes a fault.
    pub(super) fn fault(&mut self, line: usize, message: impl Into<String>) {
        self.n_faults += 1;
        if self.n_faults <= SHOWN {
            self.faults.push(ConfigError::new(format!("{}:{line}", self.file.name), message));
        }
    }

    /// Field `column` as a number in `range`; `None` after noting the fault that it is none.
    pub(super) fn number<T>(&mut self, record: &Record<'_, K>, column: usize, range: RangeInclusive<T>, kind: &str) -> Option<T>
    where
        T: FromStr + PartialOrd + Display,
    {
        let (name, field) = (self.columns[column], record.fields[column]);
        let value = field.parse::<T>().ok().filter(|value| range.contains(value));
        if value.is_none() {
            let (low, high) = (range.start(), range.end());
            self.fault(record.line, format!("`{name}` takes {kind} from {low} to {high}, not `{}`", shorten(field)));
        }
        value
    }

    /// Field `column` as the id of one of `n` endpoints.
    pub(super) fn endpoint(&mut self, record: &Record<'_, K>, column: usize, n: u32) -> Option<u32> {
        self.number(record, column, 0..=n - 1, "an endpoint")
    }

    /// All faults, or `Ok` if there is none.
    pub(super) fn finish(mut self) -> Result<(), ConfigErrors> {
        let more = self.n_faults - self.faults.len();
        if more > 0 {
            self.faults.push(ConfigError::new(self.file.name.as_str(), format!("{more} more faults of this kind of file")));
        }
        if self.faults.is_empty() {
            Ok(())
        } else {
            Err(ConfigErrors(self.faults))
        }
    }
}

/// At most 40 characters, control characters escaped.
fn shorten(text: &str) -> String {
    let shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        format!("{shown}...")
    } else {
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let file = TextFile { name: "t.csv".into(), text: text.into() };
        let (mut reader, records) = Reader::new(&file, ["a", "b"]);
        for record in &records {
            let _ = reader.endpoint(record, 0, 5);
            let _ = reader.number(record, 1, 0.0..=f64::MAX, "a number");
        }
        reader.finish().err().map_or(Vec::new(), |e| e.0.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn comments_blank_lines_and_spaces_are_no_faults() {
        assert_eq!(faults("# a table\n\n a , b \r\n 1, 2.5\n\n# more\n4 ,1e3\n"), Vec::<String>::new());
    }

    #[test]
    fn every_fault_has_its_line() {
        let found = faults("a,b\n1,2\n5,2\n1\n-1,x\n1,2,3\n1,inf\n");
        assert_eq!(
            found,
            [
                "t.csv:4: error: 1 fields; a record has 2: a,b",
                "t.csv:6: error: 3 fields; a record has 2: a,b",
                "t.csv:3: error: `a` takes an endpoint from 0 to 4, not `5`",
                "t.csv:5: error: `a` takes an endpoint from 0 to 4, not `-1`",
                &format!("t.csv:5: error: `b` takes a number from 0 to {}, not `x`", f64::MAX),
                &format!("t.csv:7: error: `b` takes a number from 0 to {}, not `inf`", f64::MAX),
            ]
        );
    }

    #[test]
    fn a_file_of_another_kind_is_refused_in_few_words() {
        assert_eq!(faults(""), ["t.csv:1: error: the file is empty; it begins with the header `a,b`"]);
        assert_eq!(faults("x,b\n1,2"), ["t.csv:1: error: the first line has to be the header `a,b`, not `x,b`"]);
        let many = faults(&format!("a,b\n{}", "9,9\n".repeat(100)));
        assert_eq!((many.len(), many[50].as_str()), (51, "t.csv: error: 50 more faults of this kind of file"));
    }
}
