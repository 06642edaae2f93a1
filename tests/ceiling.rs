//! The most that a network can accept: against the linear program solved exactly, written apart from it.

mod support;

use sfpdes::rng::{Purpose, Stream};
use sfpdes::routing::{Head, Here, Routing, RoutingAlgorithm, View};
use sfpdes::study::{static_bound, static_ceiling, Point};
use sfpdes::traffic::TrafficPattern;
use support::{follow, point, routing_of, Decisions, Place};

struct Empty;

impl View for Empty {
    fn occupancy(&self, _port: u16) -> u32 {
        panic!("the routing is not adaptive")
    }
}

/// What may be decided; by `ecmp`, which hashes the two endpoints, as it routes, by all others as they tell.
fn decide(routing: &Routing, here: Here, head: &Head) -> Decisions {
    let mut decisions = Decisions::new();
    if matches!(routing, Routing::Ecmp(_)) {
        let mut after = *head;
        let choice = routing.route(here, &mut after, &Empty, &mut Stream::new(0, Purpose::Routing, 0));
        decisions.push((1.0, choice, after));
    } else {
        routing.choices(here, head, &mut decisions);
    }
    decisions
}

/// What each channel, those into endpoints last, carries of a flit of each source; shape `[n_endpoints][channels]`.
fn per_source(point: &Point) -> Vec<Vec<f64>> {
    let (graph, pattern) = (&point.graph, &point.load.pattern);
    let routing = routing_of(point);
    let n = graph.n_endpoints();
    let of = |src: u32| {
        let mut load = vec![0.0; graph.n_channels() + n as usize];
        for dst in 0..n {
            let share = pattern.share(src, dst);
            if share > 0.0 {
                load[graph.n_channels() + dst as usize] += share;
                let target = graph.router_of(dst);
                if graph.router_of(src) != target {
                    let head = Head { src, dst, target, hops: 0, state: 0 };
                    follow(graph, &|here, head: &Head| decide(&routing, here, head), head, share, &mut load);
                }
            }
        }
        load
    };
    (0..n).map(of).collect()
}

/// The maximum of the sum of x >= 0 under `rows` x <= `limits`, which are not negative: the simplex method with Bland's rule.
fn maximum(rows: &[Vec<f64>], limits: &[f64]) -> f64 {
    let (m, n) = (rows.len(), rows[0].len());
    let mut tableau: Vec<Vec<f64>> = (0..m)
        .map(|i| rows[i].iter().copied().chain((0..m).map(|j| f64::from(u8::from(i == j)))).chain([limits[i]]).collect())
        .collect();
    let mut basis: Vec<usize> = (n..n + m).collect();
    let mut gain: Vec<f64> = (0..=n + m).map(|j| if j < n { 1.0 } else { 0.0 }).collect();
    while let Some(enter) = (0..n + m).find(|&j| gain[j] > 1e-9) {
        let ratio = |i: usize| tableau[i][n + m] / tableau[i][enter];
        let may_leave = (0..m).filter(|&i| tableau[i][enter] > 1e-9);
        let leave = may_leave.min_by(|&a, &b| ratio(a).total_cmp(&ratio(b)).then(basis[a].cmp(&basis[b])));
        let leave = leave.expect("every rate is limited");
        let pivot = tableau[leave][enter];
        tableau[leave].iter_mut().for_each(|x| *x /= pivot);
        let row = tableau[leave].clone();
        let others = tableau.iter_mut().enumerate().filter(|&(i, _)| i != leave).map(|(_, other)| other);
        for other in others.chain([&mut gain]) {
            let factor = other[enter];
            other.iter_mut().zip(&row).for_each(|(x, r)| *x -= factor * r);
        }
        basis[leave] = enter;
    }
    -gain[n + m]
}

/// The most flits per cycle and active endpoint at `rate`, exactly.
fn exact(point: &Point, rate: f64) -> f64 {
    let of_sources = per_source(point);
    let pattern = &point.load.pattern;
    let (n, n_channels) = (of_sources.len(), of_sources[0].len());
    let channels = (0..n_channels).map(|channel| of_sources.iter().map(|load| load[channel]).collect::<Vec<f64>>());
    let sources = (0..n).map(|src| (0..n).map(|other| f64::from(u8::from(src == other))).collect());
    let rows: Vec<Vec<f64>> = channels.filter(|row| row.iter().any(|&x| x > 0.0)).chain(sources).collect();
    let offered = (0..n as u32).map(|src| (rate * pattern.weight(src)).min(1.0));
    let limits: Vec<f64> = vec![1.0; rows.len() - n].into_iter().chain(offered).collect();
    let active = (0..n as u32).filter(|&src| pattern.active(src)).count();
    maximum(&rows, &limits) / active as f64
}

fn toml(network: &str, pattern: &str) -> String {
    format!("[network]\n{network}\n[router]\nnum_vcs = 8\n[traffic]\ninjection_rate = 0.1\npattern = '{pattern}'\n")
}

fn between(point: &Point, rate: Option<f64>, what: &str) -> f64 {
    let ceiling = static_ceiling(point, rate).unwrap().unwrap();
    let expected = exact(point, rate.unwrap_or(1.0));
    assert!(ceiling.fits <= expected + 1e-6 && expected <= ceiling.load + 1e-6, "{what}: {expected}, {ceiling:?}");
    assert!(ceiling.load <= 1.001 * expected, "{what}: {expected}, {ceiling:?}");
    expected
}

#[test]
fn the_ceiling_is_the_maximum_of_the_linear_program() {
    let networks = [
        "topology = 'slim-fly'\nq = 3\np = 2",
        "topology = 'torus'\ndims = [4, 3]\np = 2",
        "topology = 'mesh'\ndims = [5]\np = 3",
        "topology = 'mesh'\ndims = [2]\np = 3",
    ];
    let routings: [&[&str]; 7] = [
        &["routing.algorithm=min"],
        &["routing.algorithm=min", "routing.tie=per_packet"],
        &["routing.algorithm=ecmp"],
        &["routing.algorithm=ecmp", "simulation.seed=7"],
        &["routing.algorithm=valiant"],
        &["routing.algorithm=valiant", "routing.max_hops=5", "routing.tie=per_packet"],
        &["routing.algorithm=dimension-order"],
    ];
    let (mut n, mut above_the_bound) = (0, 0);
    for network in networks {
        for sets in routings {
            if network.contains("slim") && sets[0].contains("dimension") {
                continue;
            }
            for pattern in ["uniform", "shuffle", "tornado", "random-permutation", "nearest-neighbour", "hotspot"] {
                let hot = if pattern == "hotspot" { "hot_endpoints = [1, 4]\nhot_share = 0.3\n" } else { "" };
                let what = format!("{pattern} by {sets:?} on {network}");
                let point = point(&(toml(network, pattern) + hot), sets, 1);
                let most = between(&point, None, &what);
                let bound = static_bound(&point).unwrap().unwrap().load;
                assert!(most > bound.min(1.0) - 1e-9, "{what}: what all can send fits");
                above_the_bound += u32::from(most > bound.min(1.0) + 1e-6);
                // Where little is offered, that is the most; where more is than fits, some of it.
                assert!((between(&point, Some(0.5 * bound.min(1.0)), &what) - 0.5 * bound.min(1.0)).abs() < 1e-9, "{what}");
                between(&point, Some((1.5 * bound).min(1.0)), &what);
                n += 1;
            }
        }
    }
    assert!(n > 100 && above_the_bound > 50, "{n}, {above_the_bound}");
}

#[test]
fn sources_of_unlike_weights_have_their_own_limits() {
    let place = Place::new("");
    place.write("matrix.csv", "source,destination,weight\n0,1,1\n0,2,2\n3,4,1\n5,2,3\n6,2,1\n1,0,2\n");
    let input = toml("topology = 'mesh'\ndims = [4]\np = 2", "matrix") + "matrix_file = 'matrix.csv'\n";
    let config = sfpdes::config::Study::parse(place.input().to_str().unwrap(), &input, &[], sfpdes::study::schema());
    let point = sfpdes::study::Prepared::default().point(&config.unwrap().points[0], 1).unwrap();
    // Five sources of weights 3, 1, 3, 1 and 2: at a rate of 2/3 those of weight 3 send a flit in every cycle.
    for rate in [0.1, 0.4, 0.6] {
        between(&point, Some(rate), "matrix");
    }
    let highest = static_ceiling(&point, None).unwrap().unwrap();
    let at_it = static_ceiling(&point, Some(2.0 / 3.0)).unwrap().unwrap();
    assert!((highest.load - at_it.load).abs() < 1e-12, "{highest:?}, {at_it:?}");
    assert!((at_it.load - exact(&point, 2.0 / 3.0)).abs() < 1e-3);
}
