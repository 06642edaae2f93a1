//! The input: TOML as typed, then checked against one definition per key. Every fault is reported at once, with its
//! place, the rule and the nearest valid name. Knows nothing of networks; modules above contribute their keys.

mod key;

use std::path::{Path, PathBuf};

pub use key::{Applies, Default, Key, Kind};

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of `Kind::Int`.
    Int(i64),
    /// Of `Kind::Float`.
    Float(f64),
    /// Of `Kind::Bool`.
    Bool(bool),
    /// Of `Kind::Choice` and `Kind::Path`.
    Text(String),
    /// Of `Kind::Ints`.
    Ints(Vec<i64>),
}

/// One fault of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// `file:line:column`, or `--set key`, or the file alone.
    pub place: String,
    /// What is wrong and which rule it breaks, with the nearest valid name where there is one.
    pub message: String,
}

/// Every fault of the input, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl std::fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, e) in self.0.iter().enumerate() {
            let end = if i + 1 < self.0.len() { "\n" } else { "" };
            write!(f, "{}: {}{end}", e.place, e.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

impl From<ConfigError> for ConfigErrors {
    fn from(e: ConfigError) -> Self {
        Self(vec![e])
    }
}

/// Every legal key.
#[derive(Clone, Debug)]
pub struct Schema {
    /// All keys, in the order of the reference.
    pub keys: Vec<Key>,
}

/// One effective configuration: every key of the schema that applies has a value (or is `Unset`).
#[derive(Clone, Debug)]
pub struct Config;

/// An input with its sweep expanded.
#[derive(Clone, Debug)]
pub struct Study {
    /// One configuration per point: the Cartesian product of the lists under `[sweep]`, the last key varying fastest.
    pub points: Vec<Config>,
    /// The swept keys in the order of the file, each with its values.
    pub axes: Vec<(&'static str, Vec<Value>)>,
}

impl Study {
    /// Reads and checks `path`, after applying `sets` (`key=value` in TOML syntax; a list makes the key swept).
    ///
    /// # Errors
    /// Every fault of the file and of `sets` at once.
    pub fn load(_path: &Path, _sets: &[String], _schema: &Schema) -> Result<Self, ConfigErrors> {
        unimplemented!()
    }

    /// Checks `text` as if read from a file of that name.
    ///
    /// # Errors
    /// As `load`.
    pub fn parse(_file: &str, _text: &str, _sets: &[String], _schema: &Schema) -> Result<Self, ConfigErrors> {
        unimplemented!()
    }
}

impl Config {
    /// The integer at `path`.
    ///
    /// # Panics
    /// If `path` is no integer key of the schema or is unset: a defect of the caller. The same holds for the other getters.
    #[must_use]
    pub fn int(&self, _path: &str) -> i64 {
        unimplemented!()
    }

    /// The integer at `path`, if set.
    #[must_use]
    pub fn get_int(&self, _path: &str) -> Option<i64> {
        unimplemented!()
    }

    /// The float at `path`.
    #[must_use]
    pub fn float(&self, _path: &str) -> f64 {
        unimplemented!()
    }

    /// The boolean at `path`.
    #[must_use]
    pub fn bool(&self, _path: &str) -> bool {
        unimplemented!()
    }

    /// The name at `path`.
    #[must_use]
    pub fn text(&self, _path: &str) -> &str {
        unimplemented!()
    }

    /// The integers at `path`, if set.
    #[must_use]
    pub fn get_ints(&self, _path: &str) -> Option<&[i64]> {
        unimplemented!()
    }

    /// The file at `path`, resolved against the folder of the input, if set.
    #[must_use]
    pub fn get_path(&self, _path: &str) -> Option<PathBuf> {
        unimplemented!()
    }

    /// An error that points to where the value of `path` was given (or says that it is the default).
    #[must_use]
    pub fn fault(&self, path: &str, message: impl Into<String>) -> ConfigError {
        ConfigError { place: path.to_string(), message: message.into() }
    }

    /// The effective configuration as TOML: every key that applies, in schema order, grouped in tables, less the tables
    /// named in `without`. Parsing it gives the same configuration.
    #[must_use]
    pub fn to_toml(&self, _without: &[&str]) -> String {
        unimplemented!()
    }
}
