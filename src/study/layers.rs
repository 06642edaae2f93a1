//! The study of layers: how many sets of VCs make one path per pair of routers free of deadlock.

use crate::config::{Config, ConfigErrors, Flawed, Study, Value};
use crate::routing::{min, ALGORITHM};
use crate::study::prepare::sound;
use crate::study::{routing_of, Prepared, Room};

/// The columns after the swept keys.
const COLUMNS: [&str; 8] =
    ["n_routers", "n_channels", "diameter", "paths", "dependencies", "layers", "paths_beyond_layer_0", "share_beyond_layer_0"];

/// A line of names, then one of values for each point. `paths` are between routers with endpoints, `dependencies` between
/// channels, each counted once; the diameter is the number of VCs that the policy `hop` needs.
///
/// # Errors
/// Every fault of the keys, of networks, and of points whose routing has not one path per pair of routers, all at once, as far as
/// the values that they hang on are known.
pub fn layer_table(examined: Result<Study, Flawed>) -> Result<Vec<Vec<String>>, ConfigErrors> {
    let (mut faults, study) = match examined {
        Ok(study) => (ConfigErrors::default(), study),
        Err(Flawed { faults, rest: Some(study) }) => (faults, study),
        Err(Flawed { faults, rest: None }) => return Err(faults),
    };
    let axes = study.points[0].coordinates().map(|(key, _)| key.to_string());
    let mut table = vec![axes.chain(COLUMNS.map(String::from)).collect()];
    let mut prepared = Prepared::within(Room::here(), None);
    for config in &study.points {
        match row(config, &mut prepared) {
            Ok(row) => table.push(row),
            Err(e) => faults.add_new(e),
        }
    }
    if faults.0.is_empty() {
        Ok(table)
    } else {
        Err(faults)
    }
}

/// That layers are for the routing of `config`.
fn has_layers(config: &Config) -> Result<(), ConfigErrors> {
    sound(config, &["routing"])?;
    let algorithm = routing_of(config).name;
    if algorithm == min::ENTRY.name {
        return Ok(());
    }
    Err(config.fault(ALGORITHM, format!("layers are found for the paths of `min`, not of `{algorithm}`")).into())
}

fn row(config: &Config, prepared: &mut Prepared) -> Result<Vec<String>, ConfigErrors> {
    let survey = match (has_layers(config), prepared.survey(config)) {
        (Ok(()), survey) => survey?,
        (Err(mut faults), survey) => {
            faults.add_new(survey.err().unwrap_or_default());
            return Err(faults);
        }
    };
    let layers = min::layers(config, &survey)?;
    let graph = survey.graph();
    let paths: u64 = layers.paths().iter().sum();
    let beyond: u64 = layers.paths()[1..].iter().sum();
    let values = [
        graph.n_routers().to_string(),
        graph.n_channels().to_string(),
        survey.diameter().to_string(),
        paths.to_string(),
        layers.n_dependencies().to_string(),
        layers.n_layers().to_string(),
        beyond.to_string(),
        format!("{:.4}", beyond as f64 / paths.max(1) as f64),
    ];
    let plain = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        other => other.to_string(),
    };
    Ok(config.coordinates().map(|(_, value)| plain(value)).chain(values).collect())
}
