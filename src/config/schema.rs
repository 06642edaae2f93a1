//! Every legal key in one place. Several modules may contribute the same key (two topologies that both have a
//! concentration); the schema merges them, and refuses definitions that disagree.

use super::{Applies, Default, Key, Kind, Value};

/// Tables that say how a run is done and where its results go, not what is simulated: sweeping them means nothing.
const UNSWEPT_TABLES: [&str; 3] = ["study", "runtime", "output"];

/// A key means something if the choice key `key` has one of `values`, or if it has another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Dotted path of a `Choice` key.
    pub key: &'static str,
    /// The values for which the conditioned key applies.
    pub values: Vec<&'static str>,
    /// Whether it is the other way round: the values for which it does not apply.
    pub unless: bool,
    /// What has to hold besides.
    pub also: Option<Box<Condition>>,
}

impl Condition {
    fn of(applies: Applies) -> Option<Self> {
        let (key, values, unless) = match applies {
            Applies::Always => return None,
            Applies::When { key, values } => (key, values, false),
            Applies::Unless { key, values } => (key, values, true),
            Applies::Both(first, second) => {
                return Self::of(*first).map(|first| Self { also: Self::of(*second).map(Box::new), ..first });
            }
        };
        Some(Self { key, values: values.to_vec(), unless, also: None })
    }

    /// Whether one with the values of both means the same as either of them.
    fn unites(&self, other: &Self) -> bool {
        self.key == other.key && !self.unless && !other.unless && self.also == other.also
    }

    /// It and everything that has to hold besides.
    pub fn parts(&self) -> impl Iterator<Item = &Condition> {
        std::iter::successors(Some(self), |condition| condition.also.as_deref())
    }

    /// `with`, or `unless` it is the other way round.
    #[must_use]
    pub fn word(&self) -> &'static str {
        if self.unless {
            "unless"
        } else {
            "with"
        }
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, part) in self.parts().enumerate() {
            let and = if i > 0 { " and " } else { "" };
            write!(f, "{and}{} {} = {}", part.word(), part.key, part.values.join(", "))?;
        }
        Ok(())
    }
}

/// A key as merged from everyone who contributes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Dotted path, for example `router.num_vcs`.
    pub path: &'static str,
    /// Type and range.
    pub kind: Kind,
    /// Default.
    pub default: Default,
    /// The key applies if one of these holds; always if there are none.
    pub applies: Vec<Condition>,
    /// Unit, empty for a pure number or a name.
    pub unit: &'static str,
    /// What it means; the texts of the contributors in their order where they differ.
    pub doc: String,
}

impl Definition {
    /// The table it stands in, for example `router`; empty for a key above all tables.
    #[must_use]
    pub fn table(&self) -> &'static str {
        self.path.rsplit_once('.').map_or("", |(table, _)| table)
    }

    /// Its name within the table, for example `num_vcs`.
    #[must_use]
    pub fn leaf(&self) -> &'static str {
        self.path.rsplit_once('.').map_or(self.path, |(_, leaf)| leaf)
    }

    /// Whether `[sweep]` may vary it.
    #[must_use]
    pub fn sweepable(&self) -> bool {
        let top = self.path.split('.').next().unwrap_or_default();
        !UNSWEPT_TABLES.contains(&top)
    }

    /// The default as a value, if there is one.
    #[must_use]
    pub fn default_value(&self) -> Option<Value> {
        match self.default {
            Default::Required | Default::Unset => None,
            Default::Int(v) => Some(Value::Int(v)),
            Default::Float(v) => Some(Value::Float(v)),
            Default::Bool(v) => Some(Value::Bool(v)),
            Default::Text(v) => Some(Value::Text(v.to_string())),
        }
    }

    fn of(key: &Key) -> Self {
        let applies = Condition::of(key.applies).into_iter().collect();
        Self { path: key.path, kind: key.kind, default: key.default, applies, unit: key.unit, doc: key.doc.to_string() }
    }

    /// Takes in another contribution of the same path.
    fn merge(&mut self, other: Self) {
        let path = self.path;
        assert!(self.kind == other.kind, "two definitions of `{path}` differ in kind");
        assert!(self.default == other.default, "two definitions of `{path}` differ in default");
        assert!(self.unit == other.unit, "two definitions of `{path}` differ in unit");
        if !self.doc.contains(&other.doc) {
            self.doc = format!("{} {}", self.doc, other.doc);
        }
        if self.applies.is_empty() || other.applies.is_empty() {
            self.applies.clear();
            return;
        }
        for condition in other.applies {
            match self.applies.iter_mut().find(|c| c.unites(&condition)) {
                Some(known) => {
                    let new: Vec<_> = condition.values.into_iter().filter(|v| !known.values.contains(v)).collect();
                    known.values.extend(new);
                }
                None => self.applies.push(condition),
            }
        }
    }
}

/// Every legal key.
#[derive(Clone, Debug)]
pub struct Schema {
    /// All keys, in the order of the reference.
    pub keys: Vec<Definition>,
    /// Tables of the inputs of other commands, each with its command.
    foreign: Vec<(&'static str, &'static str)>,
}

impl Schema {
    /// Merges contributions; keys of one table stand together, in the order in which they first come.
    ///
    /// # Panics
    /// If definitions contradict each other or themselves (a default out of range, a condition on no choice key): a
    /// defect of the program, which every test that builds the schema shows.
    #[must_use]
    pub fn new(contributions: impl IntoIterator<Item = Key>) -> Self {
        let mut keys: Vec<Definition> = Vec::new();
        for key in contributions {
            let new = Definition::of(&key);
            if let Some(known) = keys.iter_mut().find(|k| k.path == new.path) {
                known.merge(new);
                continue;
            }
            let after_table = keys.iter().rposition(|k| k.table() == new.table()).map_or(keys.len(), |last| last + 1);
            keys.insert(after_table, new);
        }
        let schema = Self { keys, foreign: Vec::new() };
        schema.keys.iter().for_each(|key| schema.verify(key));
        schema
    }

    /// The same, knowing that an input with one of `tables` is meant for `command`.
    ///
    /// # Panics
    /// If one of `tables` is a table of this schema: a defect of the program.
    #[must_use]
    pub fn with_foreign(mut self, tables: &[&'static str], command: &'static str) -> Self {
        for table in tables {
            assert!(!self.is_table(table), "[{table}] is a table of this schema");
            self.foreign.push((table, command));
        }
        self
    }

    /// The command whose inputs have the table that `path` is or stands in, if it is not of this schema.
    pub(super) fn foreign_command(&self, path: &str) -> Option<&'static str> {
        let table = path.split('.').next().unwrap_or_default();
        self.foreign.iter().find(|(foreign, _)| *foreign == table).map(|&(_, command)| command)
    }

    /// The definition of `path`.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Definition> {
        self.keys.iter().find(|k| k.path == path)
    }

    /// The tables, in the order of the reference; the empty name if keys stand above all tables.
    #[must_use]
    pub fn tables(&self) -> Vec<&'static str> {
        let mut tables: Vec<&'static str> = Vec::new();
        for table in self.keys.iter().map(Definition::table) {
            if !tables.contains(&table) {
                tables.push(table);
            }
        }
        tables
    }

    pub(super) fn index(&self, path: &str) -> Option<usize> {
        self.keys.iter().position(|k| k.path == path)
    }

    /// Whether keys stand in `path` or in a table within it.
    pub(super) fn is_table(&self, path: &str) -> bool {
        self.keys.iter().any(|k| k.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
    }

    fn verify(&self, key: &Definition) {
        let path = key.path;
        let bare = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        assert!(path.split('.').all(bare), "`{path}` is no path of bare TOML keys");
        assert!(path.split('.').next() != Some("sweep"), "`{path}`: [sweep] is reserved");
        assert!(!self.is_table(path), "`{path}` is a key and a table");
        assert!(default_fits(key.kind, key.default), "the default of `{path}` does not fit {}", key.kind.describe());
        for condition in key.applies.iter().flat_map(Condition::parts) {
            let Some(Definition { kind: Kind::Choice(names), .. }) = self.get(condition.key) else {
                panic!("`{path}` depends on `{}`, which is no choice key", condition.key);
            };
            let unknown = condition.values.iter().find(|v| !names.contains(v));
            assert!(unknown.is_none(), "`{path}` depends on {} = {unknown:?}, which is no choice", condition.key);
        }
        assert!(!self.depends_on(key, path, self.keys.len()), "`{path}` depends on itself");
    }

    /// Whether `path` decides, through at most `depth` conditions, if `key` applies.
    fn depends_on(&self, key: &Definition, path: &str, depth: usize) -> bool {
        depth > 0
            && key
                .applies
                .iter()
                .flat_map(Condition::parts)
                .any(|c| c.key == path || self.get(c.key).is_some_and(|controller| self.depends_on(controller, path, depth - 1)))
    }
}

fn default_fits(kind: Kind, default: Default) -> bool {
    match (kind, default) {
        (_, Default::Required | Default::Unset) | (Kind::Bool, Default::Bool(_)) | (Kind::Path, Default::Text(_)) => true,
        (Kind::Int { min, max }, Default::Int(v)) => (min..=max).contains(&v),
        (Kind::Float { min, max }, Default::Float(v)) => v.is_finite() && (min..=max).contains(&v),
        (Kind::Choice(names), Default::Text(v)) => names.contains(&v),
        _ => false,
    }
}
