//! `matrix`: who talks to whom, and how much, from a file. The CSV file has the columns `source,destination,weight`; a pair
//! that does not stand in it has weight 0. Rows are not normalised: an endpoint with twice the weights sends twice as much,
//! and `injection_rate` is the mean over the endpoints that send.

use std::ops::Range;

use super::csv::Reader;
use super::{keys, Entry, Pattern, TrafficPattern};
use crate::config::{Config, ConfigErrors};
use crate::ids::EndpointId;
use crate::rng::Stream;
use crate::topology::Graph;

const NAME: &[&str] = &["matrix"];
const FILE: &str = "traffic.matrix_file";

/// The registry's entry.
pub const ENTRY: Entry = Entry {
    name: NAME[0],
    summary: "a traffic matrix from a file",
    keys: &[keys::csv(
        FILE,
        NAME,
        "CSV file with the header source,destination,weight: how much of the traffic goes from one endpoint to another, in \
         proportion. An endpoint sends in proportion to the sum of its weights.",
    )],
    timed: false,
    build,
};

/// One record.
#[derive(Clone, Copy)]
struct Flow {
    source: EndpointId,
    destination: EndpointId,
    weight: f64,
    line: usize,
}

fn build(config: &Config, graph: &Graph) -> Result<Pattern, ConfigErrors> {
    let n = graph.n_endpoints();
    let file = config.file(FILE)?;
    let (mut reader, records) = Reader::new(&file, ["source", "destination", "weight"]);
    let mut flows = Vec::with_capacity(records.len());
    for record in &records {
        let source = reader.endpoint(record, 0, n);
        let destination = reader.endpoint(record, 1, n);
        let weight = reader.number(record, 2, 0.0..=1e12, "a number");
        if let (Some(source), Some(destination), Some(weight)) = (source, destination, weight) {
            flows.push(Flow { source, destination, weight, line: record.line });
        }
    }
    flows.sort_by_key(|f| (f.source, f.destination, f.line));
    for pair in flows.windows(2).filter(|pair| (pair[0].source, pair[0].destination) == (pair[1].source, pair[1].destination)) {
        let (Flow { source, destination, line, .. }, first) = (pair[1], pair[0].line);
        reader.fault(line, format!("the pair {source},{destination} stands on line {first} already"));
    }
    reader.finish()?;
    flows.retain(|f| f.weight > 0.0);
    if flows.is_empty() {
        return Err(config.fault(FILE, format!("{}: no pair has a weight above 0", file.name)).into());
    }
    let matrix = Matrix::new(n, &flows);
    let (busiest, most) = (0..n).map(|e| (e, matrix.weight(e))).fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
    let rate = config.float("traffic.injection_rate");
    if rate * most > 1.0 {
        let fault = format!(
            "endpoint {busiest} sends {most:.4} times the mean of the active ones and would offer {:.4} flits per cycle; with this \
             matrix injection_rate can be at most {:.4}",
            rate * most,
            (1e4 / most).floor() / 1e4
        );
        return Err(config.fault("traffic.injection_rate", fault).into());
    }
    Ok(Pattern::Matrix(matrix))
}

/// Traffic by a matrix, in compressed rows.
#[derive(Debug)]
pub struct Matrix {
    /// Where the row of each endpoint begins; shape `[n_endpoints + 1]`.
    row: Vec<u32>,
    destination: Vec<EndpointId>,
    /// Sum of the weights of the row up to and with this one; ascending within a row.
    cumulative: Vec<f64>,
    /// Load of each endpoint in units of the mean over active ones; shape `[n_endpoints]`.
    load: Vec<f64>,
}

impl Matrix {
    /// Of `flows` with weights above 0, by source.
    fn new(n: u32, flows: &[Flow]) -> Self {
        let mut row = vec![0u32; n as usize + 1];
        let mut load = vec![0.0; n as usize];
        let mut cumulative = Vec::with_capacity(flows.len());
        for flow in flows {
            row[flow.source as usize + 1] += 1;
            load[flow.source as usize] += flow.weight;
            cumulative.push(load[flow.source as usize]);
        }
        (0..n as usize).for_each(|e| row[e + 1] += row[e]);
        let active = load.iter().filter(|&&l| l > 0.0).count() as f64;
        let mean = load.iter().sum::<f64>() / active;
        load.iter_mut().for_each(|l| *l /= mean);
        Self { row, destination: flows.iter().map(|f| f.destination).collect(), cumulative, load }
    }

    fn row(&self, src: EndpointId) -> Range<usize> {
        self.row[src as usize] as usize..self.row[src as usize + 1] as usize
    }
}

impl TrafficPattern for Matrix {
    fn destination(&self, src: EndpointId, _sequence: u64, rng: &mut Stream) -> EndpointId {
        let row = self.row(src);
        let cumulative = &self.cumulative[row.clone()];
        // u is in (0, 1]: the first sum that reaches its share of the whole exists.
        let wanted = rng.open01() * cumulative[cumulative.len() - 1];
        self.destination[row.start + cumulative.partition_point(|&sum| sum < wanted)]
    }

    fn active(&self, src: EndpointId) -> bool {
        !self.row(src).is_empty()
    }

    fn shares(&self, src: EndpointId, visit: &mut dyn FnMut(Range<EndpointId>, f64)) {
        let row = self.row(src);
        let whole = self.cumulative[row.end - 1];
        let mut before = 0.0;
        for at in row {
            let dst = self.destination[at];
            visit(dst..dst + 1, (self.cumulative[at] - before) / whole);
            before = self.cumulative[at];
        }
    }

    fn weight(&self, src: EndpointId) -> f64 {
        self.load[src as usize]
    }
}
