//! A configuration or a study back as TOML.

use std::fmt::Write as _;

use super::schema::Schema;
use super::{Config, Study, Value};

impl Config {
    /// The effective configuration as TOML: every key that applies, in schema order, grouped in tables, less the tables
    /// named in `without`. Parsing it gives the same configuration.
    #[must_use]
    pub fn to_toml(&self, without: &[&str]) -> String {
        tables(&self.input.schema, without, |index| self.value_of(index))
    }
}

impl Study {
    /// The whole study as TOML: as `Config::to_toml`, with the swept keys under `[sweep]`. Parsing it gives the same study.
    #[must_use]
    pub fn to_toml(&self, without: &[&str]) -> String {
        let first = &self.points[0];
        let swept = |index: usize| first.input.axes.contains(&index);
        // A key may apply in some points only; a fixed key has the same value in all of those.
        let fixed = |index: usize| self.points.iter().find_map(|point| point.value_of(index));
        let mut text = tables(&first.input.schema, without, |index| if swept(index) { None } else { fixed(index) });
        if !self.axes.is_empty() {
            text.push_str(if text.is_empty() { "[sweep]\n" } else { "\n[sweep]\n" });
        }
        for (path, values) in &self.axes {
            let list: Vec<String> = values.iter().map(Value::to_string).collect();
            line(&mut text, path, &format!("[{}]", list.join(", ")));
        }
        text
    }
}

/// The keys for which `value` has one, table by table.
fn tables<'v>(schema: &Schema, without: &[&str], value: impl Fn(usize) -> Option<&'v Value>) -> String {
    let mut text = String::new();
    let mut tables = schema.tables();
    // TOML has no way back out of a table: keys above all tables come first.
    tables.sort_by_key(|table| !table.is_empty());
    for table in tables.into_iter().filter(|table| !without.contains(table)) {
        let mut body = String::new();
        for (index, key) in schema.keys.iter().enumerate().filter(|(_, key)| key.table() == table) {
            if let Some(value) = value(index) {
                line(&mut body, key.leaf(), &value.to_string());
            }
        }
        if body.is_empty() {
            continue;
        }
        let gap = if text.is_empty() { "" } else { "\n" };
        if table.is_empty() {
            text.push_str(&body);
        } else {
            write!(text, "{gap}[{table}]\n{body}").expect("writing to a string does not fail");
        }
    }
    text
}

fn line(text: &mut String, key: &str, value: &str) {
    writeln!(text, "{key} = {value}").expect("writing to a string does not fail");
}
