//! The faults of an input, with their places, for logs (one line each) and for a terminal (with the source line).

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term::termcolor::Buffer;
use codespan_reporting::term::{self, Config as Style};

/// The text of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// The file as named by the user.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Where something was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// These bytes of the file.
    Span(Arc<Source>, Range<usize>),
    /// The file as a whole.
    File(Arc<str>),
    /// `--set` of this key.
    Set(Arc<str>),
    /// Nowhere: a key that has its default.
    Key(String),
}

impl Place {
    /// The line, counted from 1, of a place in the file.
    pub(super) fn line(&self) -> Option<usize> {
        match self {
            Place::Span(source, span) => Some(line_and_column(&source.text, span.start).0),
            _ => None,
        }
    }

    /// Sorts faults: those with a line by line, then those of the file as a whole, then those of the command line.
    fn order(&self) -> (u8, usize) {
        match self {
            Place::Span(_, span) => (0, span.start),
            Place::File(_) | Place::Key(_) => (1, 0),
            Place::Set(_) => (2, 0),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Span(source, span) => {
                let (line, column) = line_and_column(&source.text, span.start);
                write!(f, "{}:{line}:{column}", source.name)
            }
            Place::File(name) => f.write_str(name),
            Place::Set(key) => write!(f, "--set {key}"),
            Place::Key(key) => f.write_str(key),
        }
    }
}

/// Line and column, both counted from 1, the column in characters.
fn line_and_column(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// One fault of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// `file:line:column`, or `--set key`, or the file alone.
    pub place: String,
    /// What is wrong and which rule it breaks, with the nearest valid name where there is one.
    pub message: String,
    /// The bytes of the file that are at fault, for `ConfigErrors::render`.
    excerpt: Option<(Arc<Source>, Range<usize>)>,
}

impl ConfigError {
    /// A fault at a place that is no part of a file's text.
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into(), excerpt: None }
    }

    pub(super) fn at(place: &Place, message: impl Into<String>) -> Self {
        let excerpt = match place {
            Place::Span(source, span) => Some((Arc::clone(source), span.clone())),
            _ => None,
        };
        Self { place: place.to_string(), message: message.into(), excerpt }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: error: {}", self.place, self.message)
    }
}

impl std::error::Error for ConfigError {}

/// Every fault of the input, in the order of the file.
#[derive(Clone, Debug, std::default::Default, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl ConfigErrors {
    /// Adds the faults of `others` that are not here yet.
    pub fn add_new(&mut self, others: ConfigErrors) {
        for fault in others.0 {
            if !self.0.contains(&fault) {
                self.0.push(fault);
            }
        }
    }

    /// Adds the faults of `others` at places where there is none yet: where the points of a sweep fail for one reason in
    /// numbers of their own, the first stands for all.
    pub fn add_first(&mut self, others: ConfigErrors) {
        for fault in others.0 {
            if self.0.iter().all(|told| told.place != fault.place) {
                self.0.push(fault);
            }
        }
    }

    /// The faults for a terminal: each with its source line and a caret below, and their number at the end.
    #[must_use]
    pub fn render(&self, color: bool) -> String {
        let mut out = if color { Buffer::ansi() } else { Buffer::no_color() };
        for fault in &self.0 {
            fault.render(&mut out);
        }
        let text = String::from_utf8_lossy(out.as_slice()).into_owned();
        let plural = if self.0.len() == 1 { "" } else { "s" };
        format!("{text}{} fault{plural}; nothing was run or written\n", self.0.len())
    }
}

impl ConfigError {
    fn render(&self, out: &mut Buffer) {
        // A file without text stands in where there is none to show: nothing of it is printed.
        let (name, text, labels, message) = match &self.excerpt {
            Some((source, span)) => {
                let label = Label::primary((), span.clone());
                (source.name.as_str(), source.text.as_str(), vec![label], self.message.clone())
            }
            None => ("", "", Vec::new(), format!("{}: {}", self.place, self.message)),
        };
        let fault = Diagnostic::error().with_message(message).with_labels(labels);
        term::emit_to_write_style(out, &Style::default(), &SimpleFile::new(name, text), &fault)
            .expect("spans lie within the text they were parsed from, and writing to memory does not fail");
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.0.iter().enumerate() {
            let end = if i + 1 < self.0.len() { "\n" } else { "" };
            write!(f, "{fault}{end}")?;
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

/// Faults as they are found.
#[derive(Debug, std::default::Default)]
pub(super) struct Faults(Vec<((u8, usize), ConfigError)>);

impl Faults {
    /// Notes a fault.
    pub(super) fn add(&mut self, place: &Place, message: impl Into<String>) {
        self.0.push((place.order(), ConfigError::at(place, message)));
    }

    /// Notes a fault that may have been found at another point already.
    pub(super) fn add_once(&mut self, place: &Place, message: impl Into<String>) {
        let fault = (place.order(), ConfigError::at(place, message));
        if !self.0.contains(&fault) {
            self.0.push(fault);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them in the order of the file, or `Ok` if there is none.
    pub(super) fn into_result(mut self) -> Result<(), ConfigErrors> {
        self.0.sort_by_key(|&(order, _)| order);
        let faults: Vec<_> = self.0.into_iter().map(|(_, fault)| fault).collect();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(ConfigErrors(faults))
        }
    }
}
