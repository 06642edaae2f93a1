//! The study of layers: how many sets of VCs make one path per pair of routers free of deadlock.

use crate::config::{Config, ConfigErrors, Study, Value};
use crate::routing::{min, ALGORITHM};
use crate::study::{routing_of, Prepared, Room};

/// The columns after the swept keys.
const COLUMNS: [&str; 8] =
    ["n_routers", "n_channels", "diameter", "paths", "dependencies", "layers", "paths_beyond_layer_0", "share_beyond_layer_0"];

/// A line of names, then one of values for each point. `paths` are between routers with endpoints, `dependencies` between
/// channels, each counted once; the diameter is the number of VCs that the policy `hop` needs.
///
/// # Errors
/// Faults of networks, and points whose routing has not one path per pair of routers, all at once.
pub fn layer_table(study: &Study) -> Result<Vec<Vec<String>>, ConfigErrors> {
    let axes = study.points[0].coordinates().map(|(key, _)| key.to_string());
    let mut table = vec![axes.chain(COLUMNS.map(String::from)).collect()];
    let mut prepared = Prepared::within(Room::here(), None);
    let mut faults = ConfigErrors::default();
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

fn row(config: &Config, prepared: &mut Prepared) -> Result<Vec<String>, ConfigErrors> {
    let algorithm = routing_of(config).name;
    if algorithm != min::ENTRY.name {
        return Err(config.fault(ALGORITHM, format!("layers are found for the paths of `min`, not of `{algorithm}`")).into());
    }
    let survey = prepared.survey(config)?;
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
