//! The whole way from a file and a command line to checked points.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use super::check::{check, Context};
use super::draft::Draft;
use super::effective::{Config, Input};
use super::error::{Place, Source};
use super::files::Files;
use super::schema::{Definition, Schema};
use super::{parse, set, sweep, ConfigError, ConfigErrors, Value};

/// An input with faults.
#[derive(Debug)]
pub struct Flawed {
    /// Every fault of its keys.
    pub faults: ConfigErrors,
    /// Its points, if they can be told: for finding the faults that hang on sound values only, see [`Config::is_sound`].
    pub rest: Option<Study>,
}

impl From<ConfigError> for Flawed {
    fn from(fault: ConfigError) -> Self {
        Self { faults: fault.into(), rest: None }
    }
}

/// An input with its sweep expanded.
#[derive(Clone, Debug)]
pub struct Study {
    /// One configuration per point: the Cartesian product of the lists under `[sweep]`, the last key varying fastest.
    /// Never empty.
    pub points: Vec<Config>,
    /// The swept keys in the order of the file, each with its values.
    pub axes: Vec<(&'static str, Vec<Value>)>,
}

impl Study {
    /// Reads and checks `path`, after applying `sets` (`key=value` in TOML syntax; a list makes the key swept).
    ///
    /// # Errors
    /// Every fault of the file and of `sets` at once.
    pub fn load(path: &Path, sets: &[String], schema: &Schema) -> Result<Self, ConfigErrors> {
        Self::examine_file(path, sets, schema).map_err(|flawed| flawed.faults)
    }

    /// As [`Study::load`], with what is sound of an input that has faults.
    ///
    /// # Errors
    /// Every fault of the file and of `sets` at once.
    pub fn examine_file(path: &Path, sets: &[String], schema: &Schema) -> Result<Self, Flawed> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|e| ConfigError::new(name.as_str(), unreadable(&e, "TOML file")))?;
        let text = String::from_utf8(bytes).map_err(|e| not_utf8(&name, &e, "TOML"))?;
        Self::examine(&name, &text, sets, schema)
    }

    /// Checks `text` as if read from a file of that name.
    ///
    /// # Errors
    /// As `load`.
    pub fn parse(file: &str, text: &str, sets: &[String], schema: &Schema) -> Result<Self, ConfigErrors> {
        Self::examine(file, text, sets, schema).map_err(|flawed| flawed.faults)
    }

    /// As [`Study::parse`], with what is sound of an input that has faults.
    ///
    /// # Errors
    /// As `load`.
    pub fn examine(file: &str, text: &str, sets: &[String], schema: &Schema) -> Result<Self, Flawed> {
        let source = Arc::new(Source { name: file.to_string(), text: text.to_string() });
        let mut draft = Draft::new(schema);
        let is_toml = parse::read(&source, &mut draft);
        draft.judge_foreign(file)?;
        // Faults of the values count as given: the file is not empty then.
        let empty = is_toml && draft.is_untouched();
        for argument in sets {
            set::apply(argument, &mut draft);
        }
        let is_small = sweep::check_size(&mut draft);
        let unsound = draft.unsound();
        let Draft { slots, axes, suspect, mut faults, .. } = draft;
        let folder = Path::new(file).parent().unwrap_or(Path::new("")).to_path_buf();
        let defaults = schema.keys.iter().map(Definition::default_value).collect();
        let input =
            Arc::new(Input { schema: Arc::new(schema.clone()), folder, defaults, slots, axes, unsound, files: Files::default() });
        if is_toml {
            check(&input, &Context { suspect: &suspect, file: Place::File(file.into()), empty }, &mut faults);
        }
        let study = || Self { points: sweep::points(&input), axes: axes_of(&input) };
        match faults.into_result() {
            Ok(()) => Ok(study()),
            Err(faults) => Err(Flawed { faults, rest: (is_toml && is_small).then(study) }),
        }
    }
}

fn axes_of(input: &Input) -> Vec<(&'static str, Vec<Value>)> {
    let values = |axis: usize| input.slots[axis].iter().flat_map(|slot| slot.values.iter()).map(|given| given.value.clone());
    input.axes.iter().map(|&axis| (input.schema.keys[axis].path, values(axis).collect())).collect()
}

/// Why a file of that kind cannot be read.
pub(super) fn unreadable(e: &std::io::Error, kind: &str) -> String {
    match e.kind() {
        ErrorKind::NotFound => "no such file".to_string(),
        ErrorKind::IsADirectory => format!("this is a folder; name the {kind} in it"),
        ErrorKind::PermissionDenied => "no permission to read it".to_string(),
        _ => format!("cannot be read: {e}"),
    }
}

/// Where a file of that format stops being text.
pub(super) fn not_utf8(name: &str, e: &std::string::FromUtf8Error, format: &str) -> ConfigError {
    let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
    let line = good.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let line_start = good.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let column = String::from_utf8_lossy(&good[line_start..]).chars().count() + 1;
    let byte = e.as_bytes()[good.len()];
    ConfigError::new(format!("{name}:{line}:{column}"), format!("not UTF-8 text: byte 0x{byte:02x}; a {format} file is text"))
}
