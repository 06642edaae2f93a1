//! `/points_detail/NNNN`: everything about one point that is more than a number.

use hdf5::{File, Group};

use super::array::{label, write_array, write_attribute, write_text, write_text_attribute, Label};
use super::dimension::Dimensions;
use super::layout::{self, FLITS_PER_CYCLE};
use crate::output::{NetworkInfo, PointRecord};
use crate::stats::{Bins, Messages, PointReport, Series};

/// Names in every point's group, less the time series.
pub(super) const ALWAYS: &[&str] = &[
    "toml",
    "deadlock",
    "packet_latency_bin",
    "packet_latency_bin_upper",
    "packet_latency_count",
    "network_latency_bin",
    "network_latency_bin_upper",
    "network_latency_count",
    "channel",
    "vc",
    "channel_utilization",
    "vc_occupancy",
    "endpoint",
    "endpoint_accepted",
    "endpoint_offered",
];

/// Writes the group of one point. `network` is the path of its network.
pub(super) fn write(
    file: &File,
    record: &PointRecord,
    network: &NetworkInfo,
    network_path: &str,
    n_points: usize,
) -> hdf5::Result<()> {
    let name = layout::point_name(record.index as u64, n_points);
    let group = layout::create_group(&file.group("points_detail")?, &name)?;
    write_attribute(&group, layout::POINT, &(record.index as u64))?;
    write_text_attribute(&group, "network", network_path)?;
    write_text(&group, label("toml", "", "effective configuration of the point"), &record.config_toml)?;
    write_text(&group, label("deadlock", "", "how freedom from deadlock was shown"), &record.deadlock)?;
    let mut dimensions = Dimensions::new(&group);
    write_bins(&group, &mut dimensions, "packet_latency", &record.report.packet_latency_bins)?;
    write_bins(&group, &mut dimensions, "network_latency", &record.report.network_latency_bins)?;
    write_series(&group, &mut dimensions, &record.report.series)?;
    write_channels(&group, &mut dimensions, &record.report, network.source_router.len())?;
    write_endpoints(&group, &mut dimensions, &record.report, network.endpoint_router.len())?;
    write_messages(&group, &mut dimensions, &record.report.messages)?;
    dimensions.finish()
}

/// Writes the distribution of `quantity` along its own dimension, whose coordinate is the lower bound of each bin.
fn write_bins(group: &Group, dimensions: &mut Dimensions<'_>, quantity: &str, bins: &Bins) -> hdf5::Result<()> {
    let words = quantity.replace('_', " ");
    let bin = format!("{quantity}_bin");
    let shape = [bins.lower.len()];
    let lower = format!("lower bound of each bin of {words}, inclusive; bins without entries are left out");
    let scale = write_array(group, label(&bin, "cycles", &lower), &shape, &bins.lower)?;
    dimensions.scale(&bin, scale)?;
    let (upper, count) = (format!("{quantity}_bin_upper"), format!("{quantity}_count"));
    let dataset = write_array(group, label(&upper, "cycles", "upper bound of each bin, inclusive"), &shape, &bins.upper)?;
    dimensions.attach(&upper, &dataset, &[&bin])?;
    let long_name = format!("packets of each bin of {words}, of those generated in the measured window");
    let dataset = write_array(group, label(&count, "packets", &long_name), &shape, &bins.count)?;
    dimensions.attach(&count, &dataset, &[&bin])
}

/// Writes all time series along one dimension.
fn write_series(group: &Group, dimensions: &mut Dimensions<'_>, series: &[Series]) -> hdf5::Result<()> {
    let Some(first) = series.first() else { return Ok(()) };
    let n_periods = first.values.len();
    dimensions.index("period", n_periods, "sample period, from cycle 0 on, warm-up and drain included")?;
    for s in series {
        if s.values.len() != n_periods {
            return Err(format!("series {} has {} periods, not {n_periods}", s.name, s.values.len()).into());
        }
        let shape = [n_periods];
        write_finite(group, dimensions, label(s.name, s.unit, s.long_name), &shape, &["period"], &s.values)?;
    }
    Ok(())
}

/// Writes what was measured at each channel.
fn write_channels(group: &Group, dimensions: &mut Dimensions<'_>, report: &PointReport, n_channels: usize) -> hdf5::Result<()> {
    let num_vcs = report.vc_occupancy.len().checked_div(n_channels).unwrap_or(0);
    if report.channel_utilization.len() != n_channels || report.vc_occupancy.len() != n_channels * num_vcs {
        return Err("channel data do not fit the network".into());
    }
    dimensions.index("channel", n_channels, "index of the router-to-router channel, as in the network")?;
    dimensions.index("vc", num_vcs, "virtual channel")?;
    let utilization = label("channel_utilization", FLITS_PER_CYCLE, "load of the channel in the measured window");
    write_finite(group, dimensions, utilization, &[n_channels], &["channel"], &report.channel_utilization)?;
    let long_name = "flits in the input buffer at the far end of the channel, averaged over the measured window";
    let occupancy = label("vc_occupancy", "flits", long_name);
    write_finite(group, dimensions, occupancy, &[n_channels, num_vcs], &["channel", "vc"], &report.vc_occupancy)
}

/// Writes what was counted at each endpoint.
fn write_endpoints(group: &Group, dimensions: &mut Dimensions<'_>, report: &PointReport, n_endpoints: usize) -> hdf5::Result<()> {
    dimensions.index("endpoint", n_endpoints, "index of the endpoint, as in the network")?;
    for (name, long_name, values) in [
        ("endpoint_accepted", "flits ejected at the endpoint in the measured window", &report.endpoint_accepted),
        ("endpoint_offered", "flits generated at the endpoint in the measured window", &report.endpoint_offered),
    ] {
        if values.len() != n_endpoints {
            return Err("endpoint data do not fit the network".into());
        }
        let dataset = write_array(group, label(name, "flits", long_name), &[n_endpoints], values)?;
        dimensions.attach(name, &dataset, &["endpoint"])?;
    }
    Ok(())
}

/// Writes what became of each message of a list, if there is one.
fn write_messages(group: &Group, dimensions: &mut Dimensions<'_>, messages: &Messages) -> hdf5::Result<()> {
    let n = messages.size.len();
    if n == 0 {
        return Ok(());
    }
    dimensions.index("message", n, "index of the message, in the order of the list")?;
    for (name, unit, long_name, values) in [
        ("message_time", "cycles", "cycle from which the source could send the message", &messages.time),
        ("message_source", "1", "index of the endpoint that sends the message", &messages.source),
        ("message_destination", "1", "index of the endpoint that the message is for", &messages.destination),
        ("message_size", "flits", "size of the message", &messages.size),
        ("message_completion", "cycles", "cycle in which its last flit was read, 0 if that did not happen", &messages.completion),
    ] {
        if values.len() != n {
            return Err("message data do not fit each other".into());
        }
        let dataset = write_array(group, label(name, unit, long_name), &[n], values)?;
        dimensions.attach(name, &dataset, &["message"])?;
    }
    Ok(())
}

/// Writes measured quantities, which are numbers: a NaN would spread through whatever a reader computes from it.
fn write_finite(
    group: &Group,
    dimensions: &mut Dimensions<'_>,
    label: Label<'_>,
    shape: &[usize],
    along: &[&str],
    values: &[f64],
) -> hdf5::Result<()> {
    if let Some(bad) = values.iter().find(|v| !v.is_finite()) {
        return Err(format!("{} holds {bad}", label.name).into());
    }
    let dataset = write_array(group, label, shape, values)?;
    dimensions.attach(label.name, &dataset, along)
}
