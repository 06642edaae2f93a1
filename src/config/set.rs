//! `--set key=value`: the checks of the file, and the right of way over it.

use toml_edit::{Array, Value as Toml};

use super::draft::{shorten, Draft, Site};
use super::error::Place;
use super::value::depth;
use super::Kind;

/// Applies one `--set`.
pub(super) fn apply(argument: &str, draft: &mut Draft) {
    let (key, text) = match argument.split_once('=') {
        Some((key, text)) if !key.trim().is_empty() => (key.trim(), text.trim()),
        _ => {
            let place = Place::Set(shorten(argument).into());
            draft.faults.add(&place, "write --set key=value, for example --set runtime.threads=2");
            return;
        }
    };
    let site = Site::Set(key);
    let place = site.place(None);
    let Some(index) = draft.schema.index(key) else {
        draft.faults.add(&place, unknown(key, draft));
        draft.doubt_meant_by(key);
        return;
    };
    match value(text, draft.schema.keys[index].kind) {
        Ok(value) => match (&value, is_sweep(&value, draft.schema.keys[index].kind)) {
            (Toml::Array(list), true) => draft.sweep(&site, index, place, list),
            _ => draft.give(&site, index, place, &value),
        },
        Err(message) => {
            draft.suspect[index] = true;
            draft.faults.add(&place, message);
        }
    }
}

fn unknown(key: &str, draft: &Draft) -> String {
    let shown = shorten(key);
    match key.strip_prefix("sweep.") {
        Some(swept) if draft.schema.index(swept).is_some() => {
            format!("leave out `sweep.`: --set {swept}=[...] sweeps a key by itself")
        }
        _ if draft.schema.is_table(key) => format!("`{shown}` is a table; name one of its keys"),
        swept => match draft.schema.foreign_command(swept.unwrap_or(key)) {
            Some(command) => format!("`{shown}` is a key of inputs of `{command}`, not of this one"),
            None => format!("unknown key `{shown}`{}", draft.schema.hint_for_path(key)),
        },
    }
}

/// A list sweeps a key, unless a list is what the key takes.
fn is_sweep(value: &Toml, kind: Kind) -> bool {
    depth(value) > kind.depth()
}

/// TOML, or for names and paths also what is left of TOML once a shell has eaten the quotes.
fn value(text: &str, kind: Kind) -> Result<Toml, String> {
    if text.is_empty() {
        return Err("no value after `=`".to_string());
    }
    let words = matches!(kind, Kind::Choice(_) | Kind::Names(_) | Kind::Path);
    match text.parse::<Toml>() {
        Ok(value) if value.is_str() || value.is_array() || !words => Ok(value),
        Err(_) if words && text.starts_with('[') && text.ends_with(']') => word_list(&text[1..text.len() - 1]),
        // A name like 2024 or true reads as another TOML type.
        Ok(_) => Ok(Toml::from(text)),
        Err(_) if words && !text.starts_with(['"', '\'', '[']) => Ok(Toml::from(text)),
        Err(_) => Err(format!("{} is no TOML value; the key takes {}", shorten(text), kind.describe())),
    }
}

/// `slim_fly, torus` as a list of strings.
fn word_list(inside: &str) -> Result<Toml, String> {
    let inside = inside.trim().trim_end_matches(',');
    let words = inside.split(',').map(|word| match word.trim() {
        "" => Err("an empty name in the list".to_string()),
        word if word.starts_with(['"', '\'']) => word.parse::<Toml>().map_err(|_| format!("{word} is no TOML string")),
        word => Ok(Toml::from(word)),
    });
    words.collect::<Result<Array, _>>().map(Toml::Array)
}
