//! `/network`: each distinct network once, however many points use it.

use hdf5::{File, Group};
use sha2::{Digest, Sha256};

use super::array::{label, write_array, write_attribute, write_text_attribute};
use super::dimension::Dimensions;
use super::layout;
use crate::output::NetworkInfo;

/// The name of a network, from its content: the same whichever point brings it first.
pub(super) fn name(network: &NetworkInfo) -> String {
    let mut hash = Sha256::new();
    let mut add = |values: &[u32]| {
        hash.update((values.len() as u64).to_le_bytes());
        values.iter().for_each(|v| hash.update(v.to_le_bytes()));
    };
    for values in
        [&network.source_router, &network.source_port, &network.destination_router, &network.endpoint_router, &network.rack]
    {
        add(values);
    }
    hash.update(&network.class);
    let bytes = hash.finalize();
    format!("{}-{:02x}{:02x}{:02x}{:02x}", network.topology, bytes[0], bytes[1], bytes[2], bytes[3])
}

/// Writes `network` into the file unless it is there; returns the path of its group.
pub(super) fn write(file: &File, network: &NetworkInfo) -> hdf5::Result<String> {
    let parent = file.group("network")?;
    let name = name(network);
    if !parent.link_exists(&name) {
        write_group(&layout::create_group(&parent, &name)?, network)?;
    }
    Ok(format!("/network/{name}"))
}

/// Writes the content of one network.
fn write_group(group: &Group, network: &NetworkInfo) -> hdf5::Result<()> {
    let (n_channels, n_endpoints, n_routers) = (network.source_router.len(), network.endpoint_router.len(), network.rack.len());
    write_text_attribute(group, "topology", &network.topology)?;
    write_attribute(group, "n_routers", &(n_routers as u64))?;
    write_attribute(group, "n_endpoints", &(n_endpoints as u64))?;
    write_attribute(group, "n_channels", &(n_channels as u64))?;

    let mut dimensions = Dimensions::new(group);
    for (name, size, long_name) in [
        ("channel", n_channels, "index of the router-to-router channel"),
        ("endpoint", n_endpoints, "index of the endpoint"),
        ("router", n_routers, "index of the router"),
    ] {
        dimensions.index(name, size, long_name)?;
    }
    for (name, along, long_name, values) in [
        ("source_router", "channel", "router from which the channel leads", &network.source_router),
        ("source_port", "channel", "output port at the source router", &network.source_port),
        ("destination_router", "channel", "router to which the channel leads", &network.destination_router),
        ("endpoint_router", "endpoint", "router of the endpoint", &network.endpoint_router),
        ("rack", "router", "rack of the router", &network.rack),
    ] {
        let dataset = write_array(group, label(name, "1", long_name), &[values.len()], values)?;
        dimensions.attach(name, &dataset, &[along])?;
    }
    let class = write_array(group, label("class", "1", "where the channel runs"), &[n_channels], &network.class)?;
    // The way of the CF conventions to name the values of a small integer.
    let values = class.new_attr::<u8>().shape(3).create("flag_values")?;
    values.write_raw(&[0u8, 1, 2])?;
    write_text_attribute(&class, "flag_meanings", "endpoint local global")?;
    dimensions.attach("class", &class, &["channel"])?;
    dimensions.finish()
}
