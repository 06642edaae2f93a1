//! Files that an input names and that belong to what is simulated. Each is read once per study: every point sees the same
//! text whatever happens to the file in between, and so does every process of a job, which gets the text from the one
//! that read it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::study::{not_utf8, unreadable};
use super::{Config, ConfigError, Study};

/// The text of a file and the name it goes by in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// The path, resolved against the folder of the input.
    pub name: String,
    /// What is in it.
    pub text: Arc<str>,
}

/// Files by path, shared by all that was made from one input.
#[derive(Clone, Debug, Default)]
pub(super) struct Files(Arc<Mutex<BTreeMap<PathBuf, TextFile>>>);

impl Files {
    /// The text of `path`; what cannot be read is told by `fault`, what is no text with its own place.
    fn read(&self, path: PathBuf, fault: impl Fn(String) -> ConfigError) -> Result<TextFile, ConfigError> {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = files.get(&path) {
            return Ok(file.clone());
        }
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).map_err(|e| fault(format!("{name}: {}", unreadable(&e, "file"))))?;
        let text = String::from_utf8(bytes).map_err(|e| not_utf8(&name, &e, "CSV"))?;
        // Spreadsheets put a byte order mark before what they save as CSV.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).into();
        let file = TextFile { name, text };
        files.insert(path, file.clone());
        Ok(file)
    }
}

impl Config {
    /// The text of the file that the path key `path` names.
    ///
    /// # Errors
    /// If it cannot be read or is no text; the fault is placed where the path was given.
    pub fn file(&self, path: &str) -> Result<TextFile, ConfigError> {
        let resolved = self.get_path(path).expect("the caller asks for a path that is set");
        self.input.files.read(resolved, |message| self.fault(path, message))
    }
}

impl Study {
    /// The files read so far by [`Config::file`], by path.
    #[must_use]
    pub fn files(&self) -> Vec<(PathBuf, TextFile)> {
        let files = self.points[0].input.files.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.iter().map(|(path, file)| (path.clone(), file.clone())).collect()
    }

    /// Gives the study files that another process has read: they are not read here.
    pub fn provide(&self, given: impl IntoIterator<Item = (PathBuf, TextFile)>) {
        self.points[0].input.files.0.lock().unwrap_or_else(PoisonError::into_inner).extend(given);
    }

    /// One TOML comment for each file read so far, with its digest: two studies whose files differ are not the same study.
    #[must_use]
    pub fn file_notes(&self) -> String {
        let mut notes = String::new();
        for (_, file) in self.files() {
            let base = std::path::Path::new(&file.name).file_name().unwrap_or_default().to_string_lossy().into_owned();
            let digest = Sha256::digest(file.text.as_bytes());
            writeln!(notes, "# {base}: {} bytes, SHA-256 {digest:x}", file.text.len()).expect("writing to memory does not fail");
        }
        notes
    }
}
