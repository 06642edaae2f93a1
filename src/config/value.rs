//! Checked values, and the one place where a TOML value is held against a key's type and range.

use std::fmt;
use std::ops::Range;

use toml_edit::{Array, Value as Toml};

use super::nearest::{closest, nearest_first};
use super::schema::Definition;
use super::Kind;

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

/// The value in TOML syntax; floats with as many digits as it takes to read the same float back.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let toml = match self {
            Value::Int(v) => Toml::from(*v),
            Value::Float(v) => Toml::from(*v),
            Value::Bool(v) => Toml::from(*v),
            Value::Text(v) => Toml::from(v.as_str()),
            Value::Ints(v) => Toml::Array(v.iter().copied().collect()),
        };
        write!(f, "{}", toml.decorated("", ""))
    }
}

/// What is wrong with a value, and with which part of it.
#[derive(Debug)]
pub(super) struct Flaw {
    pub span: Option<Range<usize>>,
    pub message: String,
}

/// Holds TOML values against one key. `shown` gives a value as the user typed it.
pub(super) struct Checker<'a> {
    pub key: &'a Definition,
    pub shown: &'a dyn Fn(&Toml) -> String,
}

impl Checker<'_> {
    /// The checked value, or every flaw of it.
    pub(super) fn check(&self, given: &Toml) -> Result<Value, Vec<Flaw>> {
        let one = |flaw: Flaw| vec![flaw];
        match (self.key.kind, given) {
            (Kind::Int { min, max }, Toml::Integer(v)) => self.int(given, *v.value(), min, max).map(Value::Int).map_err(one),
            (Kind::Float { min, max }, Toml::Float(v)) => self.float(given, *v.value(), min, max).map_err(one),
            (Kind::Float { min, max }, Toml::Integer(v)) => self.float_of_int(given, *v.value(), min, max).map_err(one),
            (Kind::Bool, Toml::Boolean(v)) => Ok(Value::Bool(*v.value())),
            (Kind::Choice(names), Toml::String(v)) => self.choice(given, v.value(), names).map_err(one),
            (Kind::Path, Toml::String(v)) => self.file(given, v.value()).map_err(one),
            (Kind::Ints { min, max }, Toml::Array(list)) => self.ints(given, list, min, max),
            _ => Err(one(self.flaw(given, format!("{}, not {}{}", self.takes(), self.typed(given), self.cure(given))))),
        }
    }

    fn int(&self, given: &Toml, v: i64, min: i64, max: i64) -> Result<i64, Flaw> {
        if (min..=max).contains(&v) {
            return Ok(v);
        }
        Err(self.out_of_range(given))
    }

    fn float(&self, given: &Toml, v: f64, min: f64, max: f64) -> Result<Value, Flaw> {
        if !v.is_finite() {
            return Err(self.flaw(given, format!("{}; {} is not a finite number", self.takes(), (self.shown)(given))));
        }
        if (min..=max).contains(&v) {
            // Adding zero turns -0.0 into 0.0: one configuration, one spelling.
            return Ok(Value::Float(v + 0.0));
        }
        Err(self.out_of_range(given))
    }

    fn float_of_int(&self, given: &Toml, v: i64, min: f64, max: f64) -> Result<Value, Flaw> {
        let float = v as f64;
        if float as i128 != i128::from(v) {
            let message = format!("{}; {} has more digits than a float holds", self.takes(), (self.shown)(given));
            return Err(self.flaw(given, message));
        }
        self.float(given, float, min, max)
    }

    fn choice(&self, given: &Toml, v: &str, names: &[&'static str]) -> Result<Value, Flaw> {
        if names.contains(&v) {
            return Ok(Value::Text(v.to_string()));
        }
        let hint = closest(v, names.iter().copied()).map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
        let legal = nearest_first(v, names).join(", ");
        let shown = (self.shown)(given);
        Err(self.flaw(given, format!("`{}` takes one of {legal}, not {shown}{hint}", self.key.path)))
    }

    fn file(&self, given: &Toml, v: &str) -> Result<Value, Flaw> {
        if v.is_empty() || v.contains('\0') {
            return Err(self.flaw(given, format!("{}; {} names no file", self.takes(), (self.shown)(given))));
        }
        Ok(Value::Text(v.to_string()))
    }

    fn ints(&self, given: &Toml, list: &Array, min: i64, max: i64) -> Result<Value, Vec<Flaw>> {
        if list.is_empty() {
            return Err(vec![self.flaw(given, format!("{}; the list is empty", self.takes()))]);
        }
        if list.iter().all(Toml::is_array) {
            let message = format!("{}; a list of lists belongs under [sweep]", self.takes());
            return Err(vec![self.flaw(given, message)]);
        }
        let mut ints = Vec::new();
        let mut flaws = Vec::new();
        for element in list {
            let checked = match element {
                Toml::Integer(v) => self.int(element, *v.value(), min, max),
                _ => Err(self.flaw(element, format!("{}; {} is no integer", self.takes(), (self.shown)(element)))),
            };
            match checked {
                Ok(v) => ints.push(v),
                Err(flaw) => flaws.push(flaw),
            }
        }
        if flaws.is_empty() {
            Ok(Value::Ints(ints))
        } else {
            Err(flaws)
        }
    }

    /// How to say what was meant, where that is plain.
    fn cure(&self, given: &Toml) -> String {
        match (self.key.kind, given) {
            (Kind::Int { .. }, Toml::Float(v)) if v.value().fract() == 0.0 && v.value().abs() < 1e15 => {
                format!("; write {}", *v.value() as i64)
            }
            (Kind::Int { .. } | Kind::Float { .. } | Kind::Bool, Toml::String(v)) => match v.value().parse::<Toml>() {
                Ok(bare) if self.check(&bare).is_ok() => format!("; write {} without quotes", v.value()),
                _ => String::new(),
            },
            (Kind::Bool, Toml::Integer(v)) if (0..=1).contains(v.value()) => format!("; write {}", *v.value() == 1),
            (Kind::Ints { .. }, Toml::Integer(_)) => format!("; write [{}]", (self.shown)(given)),
            (_, Toml::Array(_)) if self.key.sweepable() => "; a list belongs under [sweep]".to_string(),
            _ => String::new(),
        }
    }

    fn out_of_range(&self, given: &Toml) -> Flaw {
        self.flaw(given, format!("{}; {} is out of range", self.takes(), (self.shown)(given)))
    }

    fn takes(&self) -> String {
        format!("`{}` takes {}", self.key.path, self.key.kind.describe())
    }

    fn typed(&self, given: &Toml) -> String {
        match given {
            Toml::Array(_) => "a list".to_string(),
            Toml::InlineTable(_) => "a table".to_string(),
            _ => format!("the {} {}", given.type_name(), (self.shown)(given)),
        }
    }

    fn flaw(&self, given: &Toml, message: String) -> Flaw {
        Flaw { span: given.span(), message }
    }
}
