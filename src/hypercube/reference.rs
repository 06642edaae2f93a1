//! Published values to compare a study with: a CSV file of percentages by mix and number of faults.

use super::code::Model;
use super::error::CubeError;
use super::faults::Mix;
use super::tally::Scheme;

/// What a column of a published table counts, by criterion "table".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Its name: `op_n`, `op_3`, `sv_op`, `sv_sub`, `esv_op`, `esv_sub`, or `esv<d>_op` and `esv<d>_sub` for any d.
    pub label: String,
    /// Whose knowledge decides.
    pub scheme: Scheme,
    /// Counts suboptimal instead of optimal pairs.
    pub suboptimal: bool,
}

impl Quantity {
    /// The quantity of that name.
    #[must_use]
    pub fn from_label(label: &str) -> Option<Self> {
        let extended = |d: &str| Some(Scheme::Coded(Model::Extended(d.parse().ok()?)));
        let (scheme, suboptimal) = if label == "op_n" {
            (Scheme::Global, false)
        } else if let Some(d) = label.strip_prefix("op_") {
            (extended(d)?, false)
        } else {
            let (name, verdict) = label.split_once('_')?;
            let scheme = match name {
                "sv" => Scheme::Coded(Model::SafetyVector),
                // The paper's own parameter.
                "esv" => Scheme::Coded(Model::Extended(2)),
                _ => extended(name.strip_prefix("esv")?)?,
            };
            (scheme, ["op", "sub"].iter().position(|v| *v == verdict)? == 1)
        };
        Some(Self { label: label.to_string(), scheme, suboptimal })
    }

    /// The columns of the published tables, in their order.
    ///
    /// # Panics
    /// Never: the names are known.
    #[must_use]
    pub fn paper() -> Vec<Self> {
        ["op_n", "op_3", "sv_op", "sv_sub", "esv_op", "esv_sub"]
            .iter()
            .map(|label| Self::from_label(label).expect("a name listed above"))
            .collect()
    }
}

/// One published value.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// Percent.
    pub value: f64,
    /// The value as printed.
    pub text: String,
    /// Known not to be what the authors measured.
    pub misprint: bool,
}

impl Published {
    /// Unit of the last digit printed.
    #[must_use]
    pub fn unit(&self) -> f64 {
        let decimals = self.text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        0.1f64.powi(decimals as i32)
    }
}

/// The published values of one mix and number of faults.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceRow {
    /// What the faults are.
    pub mix: Mix,
    /// How many.
    pub faults: u32,
    /// Fault sets behind each value, which tells its sampling error; `None` if not stated: it then counts as exact.
    pub sets: Option<u32>,
    /// One per quantity; `None` where nothing is printed.
    pub values: Vec<Option<Published>>,
}

/// A published table.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Its columns.
    pub quantities: Vec<Quantity>,
    /// Its rows.
    pub rows: Vec<ReferenceRow>,
}

impl Reference {
    /// Reads a CSV text: `#` comments, then a header naming the columns `mix`, `faults`, optionally `sets` and `misprint`
    /// (names of the misprinted columns of the row, separated by spaces), and quantities, in any order.
    ///
    /// # Errors
    /// Every line that cannot be understood, with the reason; of the header alone if that is wrong.
    pub fn parse(text: &str) -> Result<Self, Vec<CubeError>> {
        let mut lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
        let wrong = |line: usize, reason: String| CubeError::Reference { line: line + 1, reason };
        let (at, header) = lines.next().ok_or_else(|| vec![wrong(0, "there is no header line".to_string())])?;
        let names: Vec<&str> = header.split(',').map(str::trim).collect();
        let (quantities, reasons) = parse_header(&names);
        if !reasons.is_empty() {
            return Err(reasons.into_iter().map(|reason| wrong(at, reason)).collect());
        }
        let (mut rows, mut errors) = (Vec::<ReferenceRow>::new(), Vec::new());
        for (at, line) in lines {
            let fields: Vec<&str> = line.split(',').map(str::trim).collect();
            let row = if fields.len() == names.len() {
                parse_row(&names, &fields)
            } else {
                Err(format!("{} fields under {} names", fields.len(), names.len()))
            };
            match row {
                Ok(row) if rows.iter().any(|r| (r.mix, r.faults) == (row.mix, row.faults)) => {
                    errors.push(wrong(at, format!("a second row of {} {}", row.mix.name(), row.faults)));
                }
                Ok(row) => rows.push(row),
                Err(reason) => errors.push(wrong(at, reason)),
            }
        }
        if errors.is_empty() {
            Ok(Self { quantities, rows })
        } else {
            Err(errors)
        }
    }

    /// The row of a mix and number of faults.
    #[must_use]
    pub fn row(&self, mix: Mix, faults: u32) -> Option<&ReferenceRow> {
        self.rows.iter().find(|row| row.mix == mix && row.faults == faults)
    }
}

/// The quantities among the column `names`, and what is wrong with these.
fn parse_header(names: &[&str]) -> (Vec<Quantity>, Vec<String>) {
    let mut reasons = Vec::new();
    for required in ["mix", "faults"].iter().filter(|required| !names.contains(required)) {
        reasons.push(format!("there is no column \"{required}\""));
    }
    for (at, name) in names.iter().enumerate().filter(|(at, name)| names[..*at].contains(name)) {
        reasons.push(format!("column {} has the name \"{name}\" of another", at + 1));
    }
    let mut quantities = Vec::new();
    for name in names.iter().filter(|name| !["mix", "faults", "sets", "misprint"].contains(name)) {
        match Quantity::from_label(name) {
            Some(quantity) => quantities.push(quantity),
            None => reasons.push(format!(
                "\"{name}\" is no quantity; there are op_n, op_<d>, sv_op, sv_sub, esv_op, esv_sub, esv<d>_op and esv<d>_sub"
            )),
        }
    }
    (quantities, reasons)
}

fn parse_row(names: &[&str], fields: &[&str]) -> Result<ReferenceRow, String> {
    let field = |name: &str| names.iter().position(|n| *n == name).map_or("", |i| fields[i]);
    let whole = |name: &str| field(name).parse::<u32>().map_err(|_| format!("{name} \"{}\" is no number", field(name)));
    let mix = Mix::from_name(field("mix")).ok_or_else(|| format!("mix \"{}\" is not node, half or link", field("mix")))?;
    let faults = whole("faults")?;
    let sets = if field("sets").is_empty() { None } else { Some(whole("sets")?) };
    let misprints: Vec<&str> = field("misprint").split_whitespace().collect();
    if let Some(unknown) = misprints.iter().find(|m| !names.contains(m)) {
        return Err(format!("misprint \"{unknown}\" is no column"));
    }
    let values = names
        .iter()
        .zip(fields)
        .filter(|(name, _)| !["mix", "faults", "sets", "misprint"].contains(name))
        .map(|(name, text)| {
            if text.is_empty() {
                return Ok(None);
            }
            match text.parse::<f64>() {
                Ok(value) if (0.0..=100.0).contains(&value) => {
                    Ok(Some(Published { value, text: (*text).to_string(), misprint: misprints.contains(name) }))
                }
                _ => Err(format!("{name} \"{text}\" is no percentage")),
            }
        })
        .collect::<Result<_, _>>()?;
    Ok(ReferenceRow { mix, faults, sets, values })
}
