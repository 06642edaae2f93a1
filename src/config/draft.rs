//! An input while it is read: per key the values given so far, and the faults.

use std::ops::Range;
use std::sync::Arc;

use toml_edit::{Array, Value as Toml};

use super::error::{ConfigError, Faults, Place, Source};
use super::schema::{Definition, Schema};
use super::value::{depth, Checker, Flaw, Value};
use super::Kind;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub value: Value,
    pub place: Place,
}

/// What was given for one key.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// Where the key stands.
    pub place: Place,
    /// One value, or for a swept key all of them; shared by all configurations that are made from one input.
    pub values: Arc<[Given]>,
}

/// Where a key and its value are typed: in the file, or after `--set`.
pub(super) enum Site<'a> {
    File(&'a Arc<Source>),
    Set(&'a str),
}

impl Site<'_> {
    /// The place of these bytes.
    pub(super) fn place(&self, span: Option<Range<usize>>) -> Place {
        match self {
            Site::File(source) => match span {
                Some(span) => Place::Span(Arc::clone(source), span),
                None => Place::File(source.name.as_str().into()),
            },
            Site::Set(key) => Place::Set((*key).into()),
        }
    }

    /// A value as typed, on one line and not too long.
    pub(super) fn shown(&self, value: &Toml) -> String {
        let typed = match (self, value.span()) {
            (Site::File(source), Some(span)) => source.text.get(span).unwrap_or_default().to_string(),
            _ => value.clone().decorated("", "").to_string(),
        };
        shorten(&typed)
    }

    /// Paths of the file stay as typed, relative to its folder. Those of `--set` are relative to the current folder,
    /// so they are made absolute before both kinds mix.
    fn anchor(&self, kind: Kind, value: Value) -> Result<Value, String> {
        match (self, kind, value) {
            (Site::Set(_), Kind::Path, Value::Text(path)) => {
                let absolute = std::path::absolute(&path).map_err(|e| format!("no current folder: {e}"))?;
                let text = absolute.to_str().ok_or("the name of the current folder is not UTF-8")?;
                Ok(Value::Text(text.to_string()))
            }
            (_, _, value) => Ok(value),
        }
    }
}

/// Text on one line, cut after 40 characters.
pub(super) fn shorten(text: &str) -> String {
    let line: String = text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect();
    match line.char_indices().nth(40) {
        Some((cut, _)) => format!("{}...", &line[..cut]),
        None => line,
    }
}

/// An input while it is read.
pub(super) struct Draft<'a> {
    pub schema: &'a Schema,
    /// By key of the schema.
    pub slots: Vec<Option<Slot>>,
    /// The swept keys, the slowest first.
    pub axes: Vec<usize>,
    /// By key: given, but not legally, so that its value is not known.
    pub suspect: Vec<bool>,
    /// By key: an unknown name may have been meant for it, so that it may not have the value that it seems to have.
    pub doubted: Vec<bool>,
    /// Tables of the file that belong to inputs of other commands.
    pub foreign: Vec<Foreign>,
    pub faults: Faults,
}

/// A table that belongs to inputs of another command.
pub(super) struct Foreign {
    pub place: Place,
    pub table: String,
    pub command: &'static str,
}

impl<'a> Draft<'a> {
    pub(super) fn new(schema: &'a Schema) -> Self {
        let n_keys = schema.keys.len();
        let faults = Faults::default();
        let (slots, suspect, doubted) = (vec![None; n_keys], vec![false; n_keys], vec![false; n_keys]);
        Self { schema, slots, axes: Vec::new(), suspect, doubted, foreign: Vec::new(), faults }
    }

    /// Doubts the keys that are `meant`.
    pub(super) fn doubt(&mut self, meant: impl Fn(&Definition) -> bool) {
        for (doubted, key) in self.doubted.iter_mut().zip(&self.schema.keys) {
            *doubted |= meant(key);
        }
    }

    /// Doubts the keys that the unknown `path` may have been meant for.
    pub(super) fn doubt_meant_by(&mut self, path: &str) {
        let meant = self.schema.meant_by(path);
        self.doubt(|key| meant.contains(&key.path));
    }

    /// By key: whether its value is not known.
    pub(super) fn unsound(&self) -> Vec<bool> {
        let doubted = self.doubted.iter().zip(&self.slots).map(|(&doubted, slot)| doubted && slot.is_none());
        self.suspect.iter().zip(doubted).map(|(&suspect, doubted)| suspect || doubted).collect()
    }

    /// Judges the foreign tables of the file `name`. If it gives nothing but those, it is an input of another command, and that
    /// alone is worth saying; else they are faults among others.
    pub(super) fn judge_foreign(&mut self, name: &str) -> Result<(), ConfigError> {
        // Tables of how a run is done are common to all inputs.
        let own = |index: &usize| self.schema.keys[*index].sweepable();
        let is_own = (0..self.slots.len()).filter(own).any(|index| self.slots[index].is_some() || self.suspect[index]);
        if let (Some(first), false) = (self.foreign.first(), is_own) {
            let Foreign { place, table, command } = first;
            let message = format!("[{table}] makes this an input of another command; run: {command} {name}");
            return Err(ConfigError::at(place, message));
        }
        for Foreign { place, table, command } in &self.foreign {
            self.faults.add(place, format!("[{table}] belongs to inputs of `{command}`, not to this one"));
        }
        Ok(())
    }

    /// Whether nothing at all was given, rightly or wrongly.
    pub(super) fn is_untouched(&self) -> bool {
        self.slots.iter().all(Option::is_none) && self.faults.is_empty()
    }

    /// Gives key `index` one value.
    pub(super) fn give(&mut self, site: &Site, index: usize, key_place: Place, value: &Toml) {
        let given = self.check(site, index, value);
        self.suspect[index] = given.is_none();
        self.axes.retain(|&axis| axis != index);
        self.slots[index] = given.map(|given| Slot { place: key_place, values: Arc::new([given]) });
    }

    /// Sweeps key `index` over `list`.
    pub(super) fn sweep(&mut self, site: &Site, index: usize, key_place: Place, list: &Array) {
        let values = self.check_list(site, index, &key_place, list);
        self.suspect[index] = values.is_none();
        match values {
            Some(values) => {
                // A sweep that replaces another keeps its rank among the axes.
                if !self.axes.contains(&index) {
                    self.axes.push(index);
                }
                self.slots[index] = Some(Slot { place: key_place, values: values.into() });
            }
            None => {
                self.axes.retain(|&axis| axis != index);
                self.slots[index] = None;
            }
        }
    }

    /// The legal values of a swept list, or `None` if it has a fault.
    fn check_list(&mut self, site: &Site, index: usize, key_place: &Place, list: &Array) -> Option<Vec<Given>> {
        let schema = self.schema;
        let key = &schema.keys[index];
        if !key.sweepable() {
            let message = format!("`{}` cannot be swept: [{}] changes no result", key.path, key.table());
            self.faults.add(key_place, message);
            return None;
        }
        let list_place = || site.place(list.span());
        if list.is_empty() {
            self.faults.add(&list_place(), format!("the list of `{}` is empty; give at least one value", key.path));
            return None;
        }
        let whole = Toml::Array(list.clone());
        if key.kind.depth() > 0 && depth(&whole) == key.kind.depth() {
            let example = site.shown(&whole);
            let message = format!("a sweep of `{}` takes a list of lists; write [{example}]", key.path);
            self.faults.add(&list_place(), message);
            return None;
        }
        let mut values: Vec<Given> = Vec::new();
        for element in list {
            let Some(given) = self.check(site, index, element) else { continue };
            if values.iter().any(|known| known.value == given.value) {
                let message = format!("{} stands twice in the list of `{}`", site.shown(element), key.path);
                self.faults.add(&given.place, message);
                continue;
            }
            values.push(given);
        }
        (values.len() == list.len()).then_some(values)
    }

    fn check(&mut self, site: &Site, index: usize, value: &Toml) -> Option<Given> {
        let schema = self.schema;
        let key = &schema.keys[index];
        let checked = Checker { key, shown: &|v| site.shown(v) }.check(value);
        let anchored = checked
            .and_then(|checked| site.anchor(key.kind, checked).map_err(|message| vec![Flaw { span: value.span(), message }]));
        match anchored {
            Ok(checked) => Some(Given { value: checked, place: site.place(value.span()) }),
            Err(flaws) => {
                for flaw in flaws {
                    self.faults.add(&site.place(flaw.span), flaw.message);
                }
                None
            }
        }
    }
}
