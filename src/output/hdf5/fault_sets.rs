//! `/fault_sets/NNNN`: the integers behind one cell of a hypercube study, along its fault sets and its points. From them the
//! whole study can be made again, which is how a study is taken up.

use hdf5::{File, Group};

use super::array::{label, write_array, write_attribute};
use super::dimension::Dimensions;
use super::layout::{self, POINT};
use crate::hypercube::{Counts, SetResult};
use crate::output::{CellRecord, PointTable};

/// Name of the group.
const GROUP: &str = "fault_sets";

/// Attribute of a cell's group: its number in the study.
const CELL: &str = "cell";

/// Attribute of a cell's group: its number among those of its input, as the fault sets know it.
const CELL_OF_INPUT: &str = "cell_of_input";

/// A data set with one number per fault set: name, unit, definition, getter.
type PerSet = (&'static str, &'static str, &'static str, fn(&SetResult) -> u64);

/// The data sets of that shape.
const PER_SET: [PerSet; 4] = [
    ("pairs", "pairs", "pairs decided, 0 if fewer than two nodes are nonfaulty", |r| r.pairs),
    ("connected", "pairs", "pairs with any healthy path", |r| r.connected),
    ("faulty_nodes", "nodes", "faulty nodes", |r| r.faulty_nodes),
    ("faulty_links", "links", "faulty links, those at faulty nodes included", |r| r.faulty_links),
];

/// A data set with one number per fault set and point: name, unit, definition, getter.
type PerPoint = (&'static str, &'static str, &'static str, fn(&Counts) -> u64);

/// The data sets of that shape.
const PER_POINT: [PerPoint; 5] = [
    ("optimal", "pairs", "pairs declared optimal", |c| c.optimal),
    ("suboptimal", "pairs", "pairs declared suboptimal", |c| c.suboptimal),
    ("failed_connected", "pairs", "pairs declared failures although a healthy path exists", |c| c.failed_connected),
    ("rounds", "rounds", "rounds of neighbour exchange", |c| c.rounds),
    ("messages", "messages", "messages of these rounds", |c| c.messages),
];

/// Writes the group of a cell.
pub(super) fn write(file: &File, record: &CellRecord) -> hdf5::Result<()> {
    let (sets, n_points) = (&record.fault_sets, record.coordinates.len());
    if sets.iter().any(|r| r.counts.len() != n_points) {
        return Err("fault sets do not fit the points of their cell".into());
    }
    let group = layout::create_group(&file.group(GROUP)?, &format!("{:04}", record.cell))?;
    write_attribute(&group, CELL, &(record.cell as u64))?;
    write_attribute(&group, CELL_OF_INPUT, &u64::from(sets.first().map_or(0, |r| r.cell)))?;
    let mut dimensions = Dimensions::new(&group);
    dimensions.index("set", sets.len(), "number of the fault set")?;
    let points: Vec<u64> = (record.first_point as u64..).take(n_points).collect();
    let scale = write_array(&group, label(POINT, "1", "index of the point in the study, as in /points"), &[n_points], &points)?;
    dimensions.scale(POINT, scale)?;
    for (name, unit, long_name, get) in PER_SET {
        let values: Vec<u64> = sets.iter().map(get).collect();
        let dataset = write_array(&group, label(name, unit, long_name), &[sets.len()], &values)?;
        dimensions.attach(name, &dataset, &["set"])?;
    }
    for (name, unit, long_name, get) in PER_POINT {
        let values: Vec<u64> = sets.iter().flat_map(|r| r.counts.iter().map(get)).collect();
        let dataset = write_array(&group, label(name, unit, long_name), &[sets.len(), n_points], &values)?;
        dimensions.attach(name, &dataset, &["set", POINT])?;
    }
    dimensions.finish()
}

/// The cells in the file: number and group, ascending.
fn cells(file: &File) -> hdf5::Result<Vec<(usize, Group)>> {
    let mut cells = Vec::new();
    for group in file.group(GROUP)?.groups()? {
        let cell: u64 = group.attr(CELL)?.read_scalar()?;
        cells.push((usize::try_from(cell).map_err(|_| "cell out of range")?, group));
    }
    cells.sort_by_key(|(cell, _)| *cell);
    Ok(cells)
}

/// Checks that every finished point belongs to a cell whose fault sets are there, and the other way round.
pub(super) fn check(file: &File, table: &PointTable) -> hdf5::Result<()> {
    let mut points = Vec::new();
    for (_, group) in cells(file)? {
        points.extend(group.dataset(POINT)?.read_raw::<u64>()?);
        read(&group)?;
    }
    if points == table.points {
        Ok(())
    } else {
        Err("the points are not those of the fault sets".into())
    }
}

/// Everything in the groups of all cells, with the number of each, ascending.
pub(super) fn read_all(file: &File) -> hdf5::Result<Vec<(usize, Vec<SetResult>)>> {
    cells(file)?.into_iter().map(|(cell, group)| Ok((cell, read(&group)?))).collect()
}

/// The fault sets of one cell.
fn read(group: &Group) -> hdf5::Result<Vec<SetResult>> {
    let cell: u64 = group.attr(CELL_OF_INPUT)?.read_scalar()?;
    let cell = u32::try_from(cell).map_err(|_| "cell out of range")?;
    let n_points = group.dataset(POINT)?.size();
    let values = |name: &str| group.dataset(name)?.read_raw::<u64>();
    let [pairs, connected, faulty_nodes, faulty_links] = PER_SET.map(|(name, ..)| values(name));
    let (pairs, connected, faulty_nodes, faulty_links) = (pairs?, connected?, faulty_nodes?, faulty_links?);
    let [optimal, suboptimal, failed_connected, rounds, messages] = PER_POINT.map(|(name, ..)| values(name));
    let (optimal, suboptimal, failed_connected) = (optimal?, suboptimal?, failed_connected?);
    let (rounds, messages) = (rounds?, messages?);
    let n_sets = pairs.len();
    let all_fit = [&connected, &faulty_nodes, &faulty_links].iter().all(|v| v.len() == n_sets)
        && [&optimal, &suboptimal, &failed_connected, &rounds, &messages].iter().all(|v| v.len() == n_sets * n_points);
    if !all_fit {
        return Err(format!("{}: data sets of different sizes", group.name()).into());
    }
    let counts = |i: usize| Counts {
        optimal: optimal[i],
        suboptimal: suboptimal[i],
        failed_connected: failed_connected[i],
        rounds: rounds[i],
        messages: messages[i],
    };
    let result = |(set, at): (u32, usize)| SetResult {
        cell,
        set,
        pairs: pairs[at],
        connected: connected[at],
        faulty_nodes: faulty_nodes[at],
        faulty_links: faulty_links[at],
        counts: (at * n_points..(at + 1) * n_points).map(counts).collect(),
    };
    Ok((0u32..).zip(0..n_sets).map(result).collect())
}
