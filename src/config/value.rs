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
    /// Of `Kind::Names`.
    Names(Vec<String>),
    /// Of `Kind::Pairs`.
    Pairs(Vec<[i64; 2]>),
    /// Of `Kind::Triples`.
    Triples(Vec<[i64; 3]>),
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
            Value::Names(v) => Toml::Array(v.iter().map(String::as_str).collect()),
            Value::Pairs(v) => nested(v),
            Value::Triples(v) => nested(v),
        };
        write!(f, "{}", toml.decorated("", ""))
    }
}

/// A list of lists.
fn nested<const N: usize>(lists: &[[i64; N]]) -> Toml {
    Toml::Array(lists.iter().map(|list| list.iter().copied().collect::<Array>()).collect())
}

/// How many lists a value is nested in: a list counts one more than the shallowest of its elements.
pub(super) fn depth(value: &Toml) -> usize {
    value.as_array().map_or(0, |list| 1 + list.iter().map(depth).min().unwrap_or(0))
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
            (Kind::Ints { min, max }, Toml::Array(list)) => {
                self.list(given, list, |element| self.element(element, min, max).map_err(one)).map(Value::Ints)
            }
            (Kind::Names(names), Toml::Array(list)) => {
                let checked = self.list(given, list, |element| self.name(element, names).map_err(one))?;
                self.distinct(list, &checked)?;
                Ok(Value::Names(checked))
            }
            (Kind::Pairs { max }, Toml::Array(list)) => {
                self.list(given, list, |element| self.tuple(element, max, "pair")).map(Value::Pairs)
            }
            (Kind::Triples { max }, Toml::Array(list)) => {
                self.list(given, list, |element| self.tuple(element, max, "triple")).map(Value::Triples)
            }
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
        self.known_name(given, v, names).map(Value::Text)
    }

    fn known_name(&self, given: &Toml, v: &str, names: &[&'static str]) -> Result<String, Flaw> {
        if names.contains(&v) {
            return Ok(v.to_string());
        }
        let hint = closest(v, names.iter().copied()).map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
        let legal = nearest_first(v, names).join(", ");
        let shown = (self.shown)(given);
        let what = if self.key.kind.depth() == 0 { "one of" } else { "a list of some of" };
        Err(self.flaw(given, format!("`{}` takes {what} {legal}, not {shown}{hint}", self.key.path)))
    }

    fn file(&self, given: &Toml, v: &str) -> Result<Value, Flaw> {
        if v.is_empty() || v.contains('\0') {
            return Err(self.flaw(given, format!("{}; {} names no file", self.takes(), (self.shown)(given))));
        }
        Ok(Value::Text(v.to_string()))
    }

    /// A list whose elements `check` holds against the key.
    fn list<T>(&self, given: &Toml, list: &Array, check: impl Fn(&Toml) -> Result<T, Vec<Flaw>>) -> Result<Vec<T>, Vec<Flaw>> {
        if list.is_empty() {
            return Err(vec![self.flaw(given, format!("{}; the list is empty", self.takes()))]);
        }
        if depth(given) > self.key.kind.depth() {
            let message = format!("{}; a list of lists belongs under [sweep]", self.takes());
            return Err(vec![self.flaw(given, message)]);
        }
        let mut values = Vec::new();
        let mut flaws = Vec::new();
        for element in list {
            match check(element) {
                Ok(v) => values.push(v),
                Err(more) => flaws.extend(more),
            }
        }
        if flaws.is_empty() {
            Ok(values)
        } else {
            Err(flaws)
        }
    }

    fn element(&self, element: &Toml, min: i64, max: i64) -> Result<i64, Flaw> {
        match element {
            Toml::Integer(v) => self.int(element, *v.value(), min, max),
            _ => Err(self.flaw(element, format!("{}; {} is no integer", self.takes(), (self.shown)(element)))),
        }
    }

    fn name(&self, element: &Toml, names: &[&'static str]) -> Result<String, Flaw> {
        match element {
            Toml::String(v) => self.known_name(element, v.value(), names),
            _ => Err(self.flaw(element, format!("{}; {} is no name", self.takes(), (self.shown)(element)))),
        }
    }

    /// A list of as many integers as `max` has; `name` is what that is called.
    fn tuple<const N: usize>(&self, element: &Toml, max: [i64; N], name: &str) -> Result<[i64; N], Vec<Flaw>> {
        let items: Vec<&Toml> = element.as_array().map(|items| items.iter().collect()).unwrap_or_default();
        if items.len() != N {
            return Err(vec![self.flaw(element, format!("{}; {} is no {name}", self.takes(), (self.shown)(element)))]);
        }
        let (mut tuple, mut flaws) = ([0; N], Vec::new());
        for ((place, item), max) in tuple.iter_mut().zip(items).zip(max) {
            match self.element(item, 0, max) {
                Ok(v) => *place = v,
                Err(flaw) => flaws.push(flaw),
            }
        }
        if flaws.is_empty() {
            Ok(tuple)
        } else {
            Err(flaws)
        }
    }

    /// Refuses a name that stands twice in a list.
    fn distinct(&self, list: &Array, names: &[String]) -> Result<(), Vec<Flaw>> {
        let again = list.iter().zip(names).enumerate().filter(|(at, (_, name))| names[..*at].contains(name));
        let flaws: Vec<Flaw> = again
            .map(|(_, (element, _))| {
                self.flaw(element, format!("{} stands twice in the list of `{}`", (self.shown)(element), self.key.path))
            })
            .collect();
        if flaws.is_empty() {
            Ok(())
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
            (Kind::Names(names), Toml::String(v)) if names.contains(&v.value().as_str()) => format!("; write [{:?}]", v.value()),
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
