//! The reference of all keys as Markdown, from the same definitions that check an input.

use std::fmt::Write as _;

use super::schema::{Definition, Schema};
use super::sweep::MAX_POINTS;
use super::{Default, Kind};

const HEAD: &str = "\
# Configuration reference

Written by the program from the definitions that check an input; do not edit.

An input is one [TOML](https://toml.io) file. Each key below stands in its table:

```toml
[router]
num_vcs = 4
```

Nothing is accepted silently. An unknown key, a value of the wrong type or out of range, a key that means nothing for
the chosen value of another, a required key that is missing: all faults are reported at once, each as
`file:line:column: error: message`, nothing is run or written, and the exit code is 2.

File paths are relative to the folder of the input file.
";

const SWEEP: &str = "\
## Sweeps

Any key can be swept, except those that change no result (`[runtime]`, `[output]`): give a list of values under `[sweep]`,
in the same tables, instead of its one value.

```toml
[sweep]
traffic.injection_rate = [0.1, 0.2, 0.3]
router.num_vcs = [2, 4]
```

The points are all combinations of the lists, in the order of the file, the last key varying fastest: here
(0.1, 2), (0.1, 4), (0.2, 2) and so on. A key that is itself a list of integers is swept by a list of lists. A value may
stand in a list once.
";

const SET: &str = "\
## Values from the command line

`--set key=value`, as often as needed, replaces what the file says: `--set router.num_vcs=8`. The value is TOML; names and
paths need no quotes. A list sweeps the key: `--set router.num_vcs=[2,4,8]`. One value ends a sweep of the file. The last
`--set` of a key counts. Paths given this way are relative to the current folder.
";

impl Schema {
    /// The reference of all keys in Markdown: one section for each table, one row for each key.
    #[must_use]
    pub fn reference(&self) -> String {
        let mut text = String::from(HEAD);
        write!(text, "\n{SWEEP}A sweep has at most {MAX_POINTS} points.\n\n{SET}").expect(MEMORY);
        text.push_str(&self.key_tables());
        text
    }

    /// The part of the reference that lists the keys.
    #[must_use]
    pub fn key_tables(&self) -> String {
        let mut text = String::new();
        for table in self.tables() {
            let heading = if table.is_empty() { "Above all tables".to_string() } else { format!("`[{table}]`") };
            write!(text, "\n## {heading}\n\n{COLUMNS}").expect(MEMORY);
            for key in self.keys.iter().filter(|key| key.table() == table) {
                text.push_str(&row(key));
            }
        }
        text
    }
}

const COLUMNS: &str = "| Key | Takes | Default | Unit | Applies | Meaning |\n|---|---|---|---|---|---|\n";

const MEMORY: &str = "writing to a string does not fail";

fn row(key: &Definition) -> String {
    let cells = [format!("`{}`", key.leaf()), takes(key), default(key), key.unit.to_string(), applies(key), key.doc.clone()];
    let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn takes(key: &Definition) -> String {
    match key.kind {
        Kind::Choice(names) => names.iter().map(|name| format!("`\"{name}\"`")).collect::<Vec<_>>().join(", "),
        kind => kind.describe(),
    }
}

fn default(key: &Definition) -> String {
    match key.default {
        Default::Required => "required".to_string(),
        Default::Unset => "not set".to_string(),
        _ => key.default_value().map_or(String::new(), |value| format!("`{value}`")),
    }
}

fn applies(key: &Definition) -> String {
    if key.applies.is_empty() {
        return "always".to_string();
    }
    let conditions = key.applies.iter().map(|condition| {
        let parts = condition.parts().map(|part| {
            let values: Vec<String> = part.values.iter().map(|value| format!("`\"{value}\"`")).collect();
            format!("{} `{}` = {}", part.word(), part.key, values.join(", "))
        });
        parts.collect::<Vec<_>>().join(" and ")
    });
    conditions.collect::<Vec<_>>().join(" or ")
}

/// A cell may not end its own column or row.
fn escape(cell: &str) -> String {
    cell.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}
