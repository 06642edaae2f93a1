//! The most that a network can accept, however much is offered.
//!
//! Let source s send a_s flits per cycle, at most u_s, of which channel c carries L_s(c) each. No channel carries more than one
//! flit per cycle, so what is accepted is at most the maximum of sum a_s under sum a_s L_s(c) <= 1 for each c: a linear
//! program. By weak duality any prices y_c >= 0 of the channels bound it,
//!
//! ```text
//! sum_s a_s <= sum_c y_c + sum_s u_s max(0, 1 - sum_c y_c L_s(c)),
//! ```
//!
//! so the bound holds however good the prices are. They come from the primal-dual hybrid gradient method with the diagonal
//! steps of Pock and Chambolle (2011), "Diagonal preconditioning for first order primal-dual algorithms in convex
//! optimization", started again from its averages; rates that fit the channels tell how far from the maximum it is.

use super::paths::Paths;
use crate::routing::RoutingAlgorithm;
use crate::topology::Graph;
use crate::traffic::TrafficPattern;

/// Steps along decisions that may be taken; the prices are then good enough or not.
const MOST_STEPS: usize = 3 << 29;

/// Rounds that may be run.
const MOST_ROUNDS: usize = 20_000;

/// Rounds from one look at the prices to the next.
const ROUNDS: usize = 20;

/// The bound is good enough if it is at most this much above what fits, relatively.
const GAP: f64 = 1e-4;

/// The most that can be accepted, in flits per cycle and active endpoint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ceiling {
    /// No more than this is accepted in the long run.
    pub load: f64,
    /// So much fits the channels: with ideal buffers and allocation it could be accepted. At most `load`.
    pub fits: f64,
}

impl Ceiling {
    /// At injection rate `rate`, of `pattern` under `routing`, which is built for all routers in their order and is not adaptive.
    /// `None` if nobody sends, or there are too many decisions to follow.
    #[must_use]
    pub fn new(graph: &Graph, routing: &impl RoutingAlgorithm, pattern: &impl TrafficPattern, rate: f64) -> Option<Self> {
        let offered: Vec<f64> = (0..graph.n_endpoints()).map(|src| (rate * pattern.weight(src)).min(1.0)).collect();
        let n_active = offered.iter().filter(|&&offered| offered > 0.0).count();
        if n_active == 0 {
            return None;
        }
        let paths = Paths::new(graph, routing, pattern)?;
        let mut search = Search::new(&paths, &offered);
        search.run();
        let per_endpoint = |sum: f64| sum / n_active as f64;
        Some(Self { load: per_endpoint(search.bound), fits: per_endpoint(search.fits) })
    }
}

/// Rates of sources and prices of channels.
#[derive(Clone, Debug)]
struct Pair {
    rates: Vec<f64>,
    prices: Vec<f64>,
}

impl Pair {
    fn zeros_like(other: &Self) -> Self {
        Self { rates: vec![0.0; other.rates.len()], prices: vec![0.0; other.prices.len()] }
    }

    fn add(&mut self, other: &Self) {
        self.rates.iter_mut().zip(&other.rates).for_each(|(a, b)| *a += b);
        self.prices.iter_mut().zip(&other.prices).for_each(|(a, b)| *a += b);
    }

    fn divide(&mut self, by: f64) {
        self.rates.iter_mut().chain(&mut self.prices).for_each(|x| *x /= by);
    }
}

/// The search for good prices.
struct Search<'a, P> {
    paths: &'a Paths<'a, P>,
    /// The most that each source sends.
    offered: &'a [f64],
    /// Channels that a flit of each source crosses on average, the one into its destination included.
    hops: Vec<f64>,
    /// Of each channel if all sources send one flit per cycle.
    loads: Vec<f64>,
    /// The least bound so far.
    bound: f64,
    /// The most that was found to fit.
    fits: f64,
}

impl<'a, P: TrafficPattern> Search<'a, P> {
    fn new(paths: &'a Paths<'a, P>, offered: &'a [f64]) -> Self {
        let ones: Vec<f64> = offered.iter().map(|&offered| f64::from(u8::from(offered > 0.0))).collect();
        let hops = paths.costs(&vec![1.0; paths.n_channels()]);
        Self { paths, offered, hops, loads: paths.loads(&ones), bound: offered.iter().sum(), fits: 0.0 }
    }

    fn is_good(&self) -> bool {
        self.bound <= self.fits * (1.0 + GAP)
    }

    fn run(&mut self) {
        let mut now = self.start();
        self.look(&now);
        let rounds = (MOST_STEPS / (2 * self.paths.size())).min(MOST_ROUNDS);
        // The average of many rounds comes closer to the solution than the last; from where it stands best, all begins anew.
        let (mut sum, mut summed, mut length) = (Pair::zeros_like(&now), 0, 2 * ROUNDS);
        for round in 1..=rounds {
            if self.is_good() {
                return;
            }
            self.step(&mut now);
            sum.add(&now);
            summed += 1;
            if round % ROUNDS == 0 {
                self.look(&now);
                let mut mean = sum.clone();
                mean.divide(f64::from(summed));
                self.look(&mean);
                if summed as usize >= length {
                    now = mean;
                    (sum, summed, length) = (Pair::zeros_like(&now), 0, length + ROUNDS);
                }
            }
        }
    }

    /// All sources at the rate that the busiest channels can carry. The prices are powers of the loads: from the busiest alone
    /// to all alike, whatever proves most.
    fn start(&self) -> Pair {
        let loads = self.paths.loads(self.offered);
        let most = loads.iter().copied().fold(0.0, f64::max);
        let busiest: Vec<f64> = loads.iter().map(|&load| if load >= most * (1.0 - 1e-9) { 1.0 } else { 0.0 }).collect();
        let powers = [0, 1, 2, 4, 8, 16].map(|power| loads.iter().map(|load| (load / most).powi(power)).collect());
        let mut best = (f64::INFINITY, Vec::new());
        for mut prices in powers.into_iter().chain([busiest]) {
            prices.iter_mut().zip(&loads).filter(|(_, &load)| load == 0.0).for_each(|(price, _)| *price = 0.0);
            let (bound, multiple) = self.proven(&prices);
            if bound < best.0 {
                prices.iter_mut().for_each(|price| *price *= multiple);
                best = (bound, prices);
            }
        }
        Pair { rates: self.offered.iter().map(|offered| offered / most.max(1.0)).collect(), prices: best.1 }
    }

    /// A round: sources that pay less than a flit is worth send more, channels that are overloaded become dearer.
    fn step(&self, now: &mut Pair) {
        let costs = self.paths.costs(&now.prices);
        let mut ahead = vec![0.0; now.rates.len()];
        for (src, rate) in now.rates.iter_mut().enumerate().filter(|&(src, _)| self.offered[src] > 0.0) {
            let next = (*rate + (1.0 - costs[src]) / self.hops[src]).clamp(0.0, self.offered[src]);
            ahead[src] = 2.0 * next - *rate;
            *rate = next;
        }
        let loads = self.paths.loads(&ahead);
        for (channel, price) in now.prices.iter_mut().enumerate().filter(|&(channel, _)| self.loads[channel] > 0.0) {
            *price = (*price + (loads[channel] - 1.0) / self.loads[channel]).max(0.0);
        }
    }

    /// What the prices prove and the rates show.
    fn look(&mut self, pair: &Pair) {
        self.bound = self.bound.min(self.proven(&pair.prices).0);
        let loads = self.paths.loads(&pair.rates);
        let most = loads.iter().copied().fold(1.0, f64::max);
        self.fits = self.fits.max(pair.rates.iter().sum::<f64>() / most);
    }

    /// The bound that a multiple of `prices` gives, the best of all multiples, and which that is: along them the bound is convex
    /// and piecewise linear, and bends where a source begins to pay more than a flit is worth.
    fn proven(&self, prices: &[f64]) -> (f64, f64) {
        let costs = self.paths.costs(prices);
        let mut sources: Vec<(f64, f64)> = costs.iter().copied().zip(self.offered.iter().copied()).collect();
        sources.retain(|&(cost, offered)| cost > 0.0 && offered > 0.0);
        sources.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let of_all: f64 = prices.iter().sum();
        let mut slope = of_all - sources.iter().map(|(cost, offered)| cost * offered).sum::<f64>();
        let mut multiple = 0.0;
        for (cost, offered) in sources {
            if slope >= 0.0 {
                break;
            }
            multiple = 1.0 / cost;
            slope += cost * offered;
        }
        let rest = costs.iter().zip(self.offered).map(|(cost, offered)| offered * (1.0 - multiple * cost).max(0.0));
        (multiple * of_all + rest.sum::<f64>(), multiple)
    }
}
