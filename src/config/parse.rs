//! From the text of the file to a draft: which key stands where, with or without `[sweep]` in front.

use std::ops::Range;
use std::sync::Arc;

use toml_edit::{Document, Item, Key as TomlKey, TableLike, Value as Toml};

use super::draft::{shorten, Draft, Foreign, Site};
use super::error::{Place, Source};

/// A legal key of the file with its value.
struct Entry<'d> {
    index: usize,
    swept: bool,
    /// The bytes of the key.
    span: Range<usize>,
    value: &'d Toml,
}

/// Reads `source` into `draft`. False if the text is no TOML, so that nothing is known of its keys.
pub(super) fn read(source: &Arc<Source>, draft: &mut Draft) -> bool {
    let document = match Document::parse(source.text.as_str()) {
        Ok(document) => document,
        Err(e) => {
            let span = e.span().map(|span| within(span, source.text.len()));
            draft.faults.add(&Site::File(source).place(span.clone()), syntax_message(e.message(), source, span));
            return false;
        }
    };
    let mut walk = Walk { source, draft, entries: Vec::new() };
    walk.table(document.as_table(), "", false);
    let Walk { mut entries, .. } = walk;
    // Tables may be reopened in dotted form, so the order of the tree is not that of the file.
    entries.sort_by_key(|entry| entry.span.start);
    fill(source, draft, &entries);
    true
}

/// A span of the parser as one that lies in the text: at the end of the file it may point beyond it.
fn within(span: Range<usize>, len: usize) -> Range<usize> {
    span.start.min(len)..span.end.min(len)
}

/// The parser's message, or a plainer one where it is about what people do type.
fn syntax_message(message: &str, source: &Source, span: Option<Range<usize>>) -> String {
    let at = span.and_then(|span| source.text.get(span)).map(str::trim).unwrap_or_default();
    let typed = shorten(at);
    match message.split(',').next().unwrap_or_default() {
        "duplicate key" if !at.is_empty() => format!("duplicate key `{typed}`: it is given above already"),
        "integer number overflowed" => format!("{typed} does not fit in a 64-bit integer"),
        "floating-point number overflowed" => format!("{typed} is too large for a float"),
        "string values must be quoted" if at.is_empty() => "not TOML: a value is missing".to_string(),
        "string values must be quoted" => format!("not TOML: {typed} needs quotes, as in \"{typed}\", if it is a name"),
        _ => format!("not TOML: {}", message.split_whitespace().collect::<Vec<_>>().join(" ")),
    }
}

/// Fixed values first, whatever the order in the file: a sweep of a key that has one is refused.
fn fill(source: &Arc<Source>, draft: &mut Draft, entries: &[Entry]) {
    let site = Site::File(source);
    for entry in entries.iter().filter(|e| !e.swept) {
        draft.give(&site, entry.index, site.place(Some(entry.span.clone())), entry.value);
    }
    for entry in entries.iter().filter(|e| e.swept) {
        let place = site.place(Some(entry.span.clone()));
        let path = draft.schema.keys[entry.index].path;
        let fixed = entries.iter().find(|e| !e.swept && e.index == entry.index);
        if let Some(line) = fixed.and_then(|e| site.place(Some(e.span.clone())).line()) {
            draft.faults.add(&place, format!("`{path}` is swept here and has one value in line {line}; remove one of them"));
        } else if let Toml::Array(list) = entry.value {
            draft.sweep(&site, entry.index, place, list);
        } else {
            let shown = site.shown(entry.value);
            draft.suspect[entry.index] = true;
            draft.faults.add(&place, format!("under [sweep], `{path}` takes a list of values; write [{shown}]"));
        }
    }
}

struct Walk<'a, 'd, 's> {
    source: &'a Arc<Source>,
    draft: &'a mut Draft<'s>,
    entries: Vec<Entry<'d>>,
}

impl<'d> Walk<'_, 'd, '_> {
    /// Collects the entries of a table with dotted path `path` (without `sweep.`; empty for the root).
    fn table(&mut self, table: &'d dyn TableLike, path: &str, swept: bool) {
        for (name, item) in table.iter() {
            let key = table.key(name).expect("a name that was iterated over has a key");
            let child = if path.is_empty() { bare(key) } else { format!("{path}.{}", bare(key)) };
            self.item(key, item, &child, swept);
        }
    }

    fn item(&mut self, key: &TomlKey, item: &'d Item, path: &str, swept: bool) {
        if path == "sweep" && !swept {
            match item.as_table_like() {
                Some(lists) => self.table(lists, "", true),
                None => self.fault(key, format!("`sweep` is a table of lists, not {}", named(item))),
            }
        } else if let Some(index) = self.draft.schema.index(path) {
            self.entry(key, item, index, swept);
        } else if self.draft.schema.is_table(path) {
            match item.as_table_like() {
                Some(table) => self.table(table, path, swept),
                None if item.is_array_of_tables() => {
                    self.fault(key, format!("`{path}` is one table; write [{path}] once, not [[{path}]]"));
                }
                None => self.fault(key, format!("`{path}` is a table of keys, not {}", named(item))),
            }
        } else {
            self.unknown(key, item, path, swept);
        }
    }

    fn entry(&mut self, key: &TomlKey, item: &'d Item, index: usize, swept: bool) {
        match item.as_value() {
            Some(value) => self.entries.push(Entry { index, swept, span: self.span(key), value }),
            None => {
                let definition = &self.draft.schema.keys[index];
                let message = format!("`{}` takes {}, not {}", definition.path, definition.kind.describe(), named(item));
                self.draft.suspect[index] = true;
                self.fault(key, message);
            }
        }
    }

    fn unknown(&mut self, key: &TomlKey, item: &Item, path: &str, swept: bool) {
        if let Some(command) = self.draft.schema.foreign_command(path) {
            let place = self.place(key);
            self.draft.foreign.push(Foreign { place, table: path.to_string(), command });
            return;
        }
        let (prefix, under) = if swept { ("sweep.", " under [sweep]") } else { ("", "") };
        let shown = shorten(path);
        let message = match item.as_table_like() {
            Some(table) => {
                let meant = self.draft.schema.table_meant_by(path, table.iter().map(|(name, _)| name), prefix);
                self.draft.doubt(|key| meant.is_some_and(|table| table == "sweep" || key.table() == table));
                let hint = meant.map_or(String::new(), |table| format!("; did you mean [{prefix}{table}]?"));
                format!("unknown table [{prefix}{shown}]{hint}")
            }
            None if item.is_array_of_tables() => format!("unknown table [[{prefix}{shown}]]"),
            None => {
                self.draft.doubt_meant_by(path);
                format!("unknown key `{shown}`{under}{}", self.draft.schema.hint_for_key(path, prefix))
            }
        };
        self.fault(key, message);
    }

    fn fault(&mut self, key: &TomlKey, message: String) {
        let place = self.place(key);
        self.draft.faults.add(&place, message);
    }

    fn place(&self, key: &TomlKey) -> Place {
        Place::Span(Arc::clone(self.source), self.span(key))
    }

    fn span(&self, key: &TomlKey) -> Range<usize> {
        key.span().map_or(0..0, |span| within(span, self.source.text.len()))
    }
}

/// A key as it has to be written: in quotes if it is not bare, so that `"a.b"` is not taken for `a.b`.
fn bare(key: &TomlKey) -> String {
    TomlKey::new(key.get()).display_repr().into_owned()
}

fn named(item: &Item) -> &'static str {
    match item {
        Item::ArrayOfTables(_) => "a list of tables",
        Item::Value(Toml::Array(_)) => "a list",
        Item::Value(Toml::Integer(_)) => "an integer",
        Item::Value(Toml::Float(_)) => "a float",
        Item::Value(Toml::Boolean(_)) => "a boolean",
        Item::Value(Toml::Datetime(_)) => "a datetime",
        Item::Value(Toml::String(_)) => "a string",
        Item::Table(_) | Item::Value(Toml::InlineTable(_)) | Item::None => "a table",
    }
}
