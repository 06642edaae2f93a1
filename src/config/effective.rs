//! One point of the study: what a key is worth there, and where that was given.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::draft::{Given, Slot};
use super::error::Place;
use super::files::Files;
use super::schema::{Condition, Definition, Schema};
use super::{ConfigError, Default, Value};

/// A checked input, shared by its points. What no configuration changes is shared with its variants too ([`Config::with`]).
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub schema: Arc<Schema>,
    /// The folder that relative paths start from.
    pub folder: PathBuf,
    /// By key of the schema.
    pub defaults: Arc<[Option<Value>]>,
    /// By key of the schema.
    pub slots: Vec<Option<Slot>>,
    /// The swept keys, the slowest first.
    pub axes: Vec<usize>,
    /// By key: its value is not known, because the input has a fault there.
    pub unsound: Vec<bool>,
    /// Files that keys name, as far as they have been read.
    pub files: Files,
}

/// One effective configuration: every key of the schema that applies has a value (or is `Unset`).
///
/// Two configurations are equal if every key has the same value, wherever it was given.
#[derive(Clone)]
pub struct Config {
    pub(super) input: Arc<Input>,
    /// Which value of each axis.
    pub(super) point: Box<[u32]>,
}

impl Config {
    /// The value at `path`: as given, or the default; `None` if it is unset or does not apply.
    ///
    /// # Panics
    /// If the schema has no such key: a defect of the caller. The same holds for `given`, `applies` and all getters.
    #[must_use]
    #[track_caller]
    pub fn value(&self, path: &str) -> Option<&Value> {
        self.value_of(self.index(path))
    }

    /// Whether `path` applies and was given by the input, not taken from its default.
    #[must_use]
    #[track_caller]
    pub fn given(&self, path: &str) -> bool {
        let index = self.index(path);
        self.applies_to(index) && self.given_to(index).is_some()
    }

    /// Whether `path` means anything here.
    #[must_use]
    #[track_caller]
    pub fn applies(&self, path: &str) -> bool {
        self.applies_to(self.index(path))
    }

    /// Whether every key of `tables` that applies has the value that was meant: only then may a configuration of a
    /// [`Flawed`](super::Flawed) input be asked for them.
    #[must_use]
    pub fn is_sound(&self, tables: &[&str]) -> bool {
        let mut keys = self.input.schema.keys.iter().enumerate().filter(|(_, key)| tables.contains(&key.table()));
        let missing = |index, key: &Definition| key.default == Default::Required && self.given_to(index).is_none();
        !keys.any(|(index, key)| self.input.unsound[index] || missing(index, key) && self.applies_to(index))
    }

    /// The integer at `path`.
    ///
    /// # Panics
    /// If `path` is no integer key of the schema or is unset: a defect of the caller. The same holds for the other getters.
    #[must_use]
    #[track_caller]
    pub fn int(&self, path: &str) -> i64 {
        set(path, self.get_int(path))
    }

    /// The integer at `path`, if set.
    #[must_use]
    #[track_caller]
    pub fn get_int(&self, path: &str) -> Option<i64> {
        self.value(path).map(|value| match value {
            Value::Int(v) => *v,
            _ => panic!("`{path}` is no integer"),
        })
    }

    /// The float at `path`.
    #[must_use]
    #[track_caller]
    pub fn float(&self, path: &str) -> f64 {
        set(path, self.get_float(path))
    }

    /// The float at `path`, if set.
    #[must_use]
    #[track_caller]
    pub fn get_float(&self, path: &str) -> Option<f64> {
        self.value(path).map(|value| match value {
            Value::Float(v) => *v,
            _ => panic!("`{path}` is no float"),
        })
    }

    /// The boolean at `path`.
    #[must_use]
    #[track_caller]
    pub fn bool(&self, path: &str) -> bool {
        match set(path, self.value(path)) {
            Value::Bool(v) => *v,
            _ => panic!("`{path}` is no boolean"),
        }
    }

    /// The name at `path`.
    #[must_use]
    #[track_caller]
    pub fn text(&self, path: &str) -> &str {
        set(path, self.get_text(path))
    }

    /// The name at `path`, if set.
    #[must_use]
    #[track_caller]
    pub fn get_text(&self, path: &str) -> Option<&str> {
        self.value(path).map(|value| match value {
            Value::Text(v) => v.as_str(),
            _ => panic!("`{path}` is no name"),
        })
    }

    /// The integers at `path`, if set.
    #[must_use]
    #[track_caller]
    pub fn get_ints(&self, path: &str) -> Option<&[i64]> {
        self.value(path).map(|value| match value {
            Value::Ints(v) => v.as_slice(),
            _ => panic!("`{path}` is no list of integers"),
        })
    }

    /// The names at `path`, if set.
    #[must_use]
    #[track_caller]
    pub fn get_names(&self, path: &str) -> Option<&[String]> {
        self.value(path).map(|value| match value {
            Value::Names(v) => v.as_slice(),
            _ => panic!("`{path}` is no list of names"),
        })
    }

    /// The pairs of integers at `path`, if set.
    #[must_use]
    #[track_caller]
    pub fn get_pairs(&self, path: &str) -> Option<&[[i64; 2]]> {
        self.value(path).map(|value| match value {
            Value::Pairs(v) => v.as_slice(),
            _ => panic!("`{path}` is no list of pairs"),
        })
    }

    /// The triples of integers at `path`, if set.
    #[must_use]
    #[track_caller]
    pub fn get_triples(&self, path: &str) -> Option<&[[i64; 3]]> {
        self.value(path).map(|value| match value {
            Value::Triples(v) => v.as_slice(),
            _ => panic!("`{path}` is no list of triples"),
        })
    }

    /// The file at `path`, resolved against the folder of the input, if set.
    #[must_use]
    #[track_caller]
    pub fn get_path(&self, path: &str) -> Option<PathBuf> {
        self.get_text(path).map(|file| self.input.folder.join(file))
    }

    /// An error that points to where the value of `path` was given (or says that it is the default).
    #[must_use]
    pub fn fault(&self, path: &str, message: impl Into<String>) -> ConfigError {
        let place = self.input.schema.index(path).map_or(Place::Key(path.to_string()), |index| self.place_of(index));
        ConfigError::at(&place, message)
    }

    /// This configuration with other values for some keys, none of which is swept in it any more. The values must be
    /// those that the schema allows.
    #[must_use]
    #[track_caller]
    pub fn with(&self, values: &[(&str, Value)]) -> Self {
        let mut input = (*self.input).clone();
        let mut point = self.point.to_vec();
        for (path, value) in values {
            let index = self.index(path);
            if let Some(axis) = input.axes.iter().position(|&axis| axis == index) {
                input.axes.remove(axis);
                point.remove(axis);
            }
            let place = Place::Key((*path).to_string());
            let given = Given { value: value.clone(), place: place.clone() };
            input.slots[index] = Some(Slot { place, values: Arc::new([given]) });
            input.unsound[index] = false;
        }
        Self { input: Arc::new(input), point: point.into() }
    }

    /// The same, with faults of `path` placed where `other` was given in `from`.
    #[must_use]
    #[track_caller]
    pub fn placed_as(&self, path: &str, from: &Self, other: &str) -> Self {
        let place = from.place_of(from.index(other));
        let mut input = (*self.input).clone();
        if let Some(slot) = &mut input.slots[self.index(path)] {
            slot.place = place.clone();
            Arc::make_mut(&mut slot.values).iter_mut().for_each(|given| given.place = place.clone());
        }
        Self { input: Arc::new(input), point: self.point.clone() }
    }

    /// The swept keys of the study with their values here, the slowest first.
    pub fn coordinates(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        let coordinate = |(&axis, &at): (&usize, &u32)| {
            let slot = self.input.slots[axis].as_ref().expect("a swept key has values");
            (self.input.schema.keys[axis].path, &slot.values[at as usize].value)
        };
        self.input.axes.iter().zip(&self.point).map(coordinate)
    }

    /// What was given for key `index`, whether or not it applies.
    pub(super) fn given_to(&self, index: usize) -> Option<&Given> {
        let slot = self.input.slots[index].as_ref()?;
        let at = self.input.axes.iter().position(|&axis| axis == index).map_or(0, |axis| self.point[axis] as usize);
        Some(&slot.values[at])
    }

    pub(super) fn value_of(&self, index: usize) -> Option<&Value> {
        if !self.applies_to(index) {
            return None;
        }
        self.given_to(index).map(|given| &given.value).or(self.input.defaults[index].as_ref())
    }

    pub(super) fn applies_to(&self, index: usize) -> bool {
        let conditions = &self.input.schema.keys[index].applies;
        conditions.is_empty() || conditions.iter().any(|condition| self.holds(condition))
    }

    pub(super) fn holds(&self, condition: &Condition) -> bool {
        condition.parts().all(|part| match self.value(part.key) {
            Some(Value::Text(name)) => part.values.contains(&name.as_str()) != part.unless,
            _ => false,
        })
    }

    /// Where the value of key `index` was given, or that it was not.
    pub(super) fn place_of(&self, index: usize) -> Place {
        let path = self.input.schema.keys[index].path;
        match self.given_to(index) {
            Some(given) => given.place.clone(),
            None if self.input.defaults[index].is_some() => Place::Key(format!("{path} (default)")),
            None => Place::Key(format!("{path} (not given)")),
        }
    }

    #[track_caller]
    fn index(&self, path: &str) -> usize {
        self.input.schema.index(path).unwrap_or_else(|| panic!("the schema has no key `{path}`"))
    }

    fn effective(&self) -> impl Iterator<Item = (&'static str, Option<&Value>)> {
        self.input.schema.keys.iter().enumerate().map(|(index, key)| (key.path, self.value_of(index)))
    }
}

#[track_caller]
fn set<T>(path: &str, value: Option<T>) -> T {
    value.unwrap_or_else(|| panic!("`{path}` is not set"))
}

impl PartialEq for Config {
    fn eq(&self, other: &Self) -> bool {
        self.effective().eq(other.effective())
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.effective().filter_map(|(path, value)| value.map(|v| (path, v)))).finish()
    }
}
