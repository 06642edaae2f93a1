//! One definition per configuration key: its type, range, default, unit and explanation. Parser, error messages,
//! reference documentation and the sensitivity test all read these.

/// The type and range of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// An integer in `min..=max`.
    Int {
        /// Smallest legal value.
        min: i64,
        /// Largest legal value.
        max: i64,
    },
    /// A finite float in `min..=max`; integers are accepted.
    Float {
        /// Smallest legal value: `f64::MIN_POSITIVE` for "above 0", `f64::NEG_INFINITY` for no bound.
        min: f64,
        /// Largest legal value: `f64::INFINITY` for no bound.
        max: f64,
    },
    /// `true` or `false`.
    Bool,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// A non-empty list of integers in `min..=max`.
    Ints {
        /// Smallest legal element.
        min: i64,
        /// Largest legal element.
        max: i64,
    },
    /// A non-empty list of some of these names, each once.
    Names(&'static [&'static str]),
    /// A non-empty list of pairs `[a, b]` of integers.
    Pairs {
        /// Largest legal first and second element; the smallest is 0.
        max: [i64; 2],
    },
    /// A non-empty list of triples `[a, b, c]` of integers.
    Triples {
        /// Largest legal first, second and third element; the smallest is 0.
        max: [i64; 3],
    },
    /// A file path, relative to the input file.
    Path,
}

impl Kind {
    /// How many lists a value is nested in: a list of such values, one deeper, is a sweep.
    pub(super) fn depth(&self) -> usize {
        match self {
            Kind::Ints { .. } | Kind::Names(_) => 1,
            Kind::Pairs { .. } | Kind::Triples { .. } => 2,
            _ => 0,
        }
    }

    /// Type and range in words, for example `an integer from 1 to 32`.
    #[must_use]
    pub fn describe(&self) -> String {
        match *self {
            Kind::Int { min, max } => format!("an integer{}", int_range(min, max)),
            Kind::Float { min, max } => format!("a number{}", float_range(min, max)),
            Kind::Bool => "true or false".to_string(),
            Kind::Choice(names) => format!("one of {}", names.join(", ")),
            Kind::Ints { min, max } => format!("a list of integers{}", int_range(min, max)),
            Kind::Names(names) => format!("a list of some of {}", names.join(", ")),
            Kind::Pairs { max: [a, b] } => {
                format!("a list of pairs [a, b] of integers, a{} and b{}", int_range(0, a), int_range(0, b))
            }
            Kind::Triples { max: [a, b, c] } => {
                let [a, b, c] = [a, b, c].map(|max| int_range(0, max));
                format!("a list of triples [a, b, c] of integers, a{a}, b{b} and c{c}")
            }
            Kind::Path => "a file path".to_string(),
        }
    }
}

fn int_range(min: i64, max: i64) -> String {
    match (min, max) {
        (i64::MIN, i64::MAX) => String::new(),
        (_, i64::MAX) => format!(" of at least {min}"),
        (i64::MIN, _) => format!(" of at most {max}"),
        _ => format!(" from {min} to {max}"),
    }
}

fn float_range(min: f64, max: f64) -> String {
    let above_zero = min == f64::MIN_POSITIVE;
    match (min == f64::NEG_INFINITY, max == f64::INFINITY) {
        (true, true) => String::new(),
        (false, true) if above_zero => " above 0".to_string(),
        (false, true) => format!(" of at least {min}"),
        (true, false) => format!(" of at most {max}"),
        (false, false) if above_zero => format!(" above 0 and at most {max}"),
        (false, false) => format!(" from {min} to {max}"),
    }
}

/// The value a key has when the input does not give it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// No default: the input must give it (where the key applies).
    Required,
    /// Absent unless given; the meaning of absence is in the key's text (for example "balanced").
    Unset,
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A boolean.
    Bool(bool),
    /// A name or path.
    Text(&'static str),
}

/// When a key means anything; a key that is given where it does not apply is refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Applies {
    /// Always.
    Always,
    /// Only if the choice key `key` has one of `values`.
    When {
        /// Dotted path of a `Choice` key.
        key: &'static str,
        /// The values for which this key applies.
        values: &'static [&'static str],
    },
    /// Only if the choice key `key` applies and has none of `values`.
    Unless {
        /// Dotted path of a `Choice` key.
        key: &'static str,
        /// The values for which this key does not apply.
        values: &'static [&'static str],
    },
    /// Only if both hold, the first of which is no `Both`.
    Both(&'static Applies, &'static Applies),
}

/// One key of the input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Dotted path, for example `router.num_vcs`.
    pub path: &'static str,
    /// Type and range.
    pub kind: Kind,
    /// Default.
    pub default: Default,
    /// When it applies.
    pub applies: Applies,
    /// Unit, empty for a pure number or a name.
    pub unit: &'static str,
    /// One or two sentences: what it means, and where it comes from.
    pub doc: &'static str,
}
