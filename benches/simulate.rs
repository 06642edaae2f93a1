//! The hot paths: the timing wheel, a cycle of the network at the sizes that matter, table and graph building.
//! benches/README.md says how the figures of record are taken.

#![allow(missing_docs, reason = "criterion's macros make functions without")]

use criterion::{criterion_group, criterion_main, BatchSize, Criterion, Throughput};
use sfpdes::config::Study;
use sfpdes::engine::{Wheel, Windows};
use sfpdes::network::Network;
use sfpdes::routing::table::{Table, Tie};
use sfpdes::study::{schema, Point, Prepared};
use sfpdes::topology::slim_fly;
use sfpdes::transport::Local;

/// Cycles before anything is timed: the network is in its steady state by then.
const WARM_UP: u64 = 300;

/// The router of the work of record: 3 VCs of 21 flits.
const RECORD: [u32; 2] = [3, 21];

fn point(q: u32, p: u32, load: f64, [num_vcs, vc_buf_size]: [u32; 2], routing: &str) -> Point {
    let text = format!(
        "[network]\ntopology = \"slim-fly\"\nq = {q}\np = {p}\n[router]\nnum_vcs = {num_vcs}\nvc_buf_size = {vc_buf_size}\n\
         [routing]\nalgorithm = \"{routing}\"\n[traffic]\ninjection_rate = {load}\n"
    );
    let study = Study::parse("bench.toml", &text, &[], schema()).expect("a valid input");
    Prepared::default().point(&study.points[0], 1).expect("a valid point")
}

/// A network that has run `WARM_UP` cycles.
fn network(point: &Point) -> (Network, Windows) {
    let (mut network, mut windows) = point.network(0).expect("it was checked");
    windows.run(&mut network, &mut Local, WARM_UP).expect("nothing is cut");
    network.close_period(WARM_UP).expect("nothing is lost");
    (network, windows)
}

/// Times `n` cycles of `point`: flit hops per second is what criterion prints as elements.
fn time(c: &mut Criterion, group: &str, name: String, point: &Point, n: u64) {
    let (mut network, mut windows) = network(point);
    let mut run = |n: u64| {
        let until = windows.now() + n;
        windows.run(&mut network, &mut Local, until).expect("nothing is cut");
        network.close_period(until).expect("nothing is lost").flit_hops
    };
    let hops = run(n);
    let mut group = c.benchmark_group(group);
    group.throughput(Throughput::Elements(hops)).sample_size(10);
    group.bench_function(name, |b| b.iter(|| run(n)));
    group.finish();
}

fn cycles(c: &mut Criterion) {
    for (q, p, load, n) in [(5, 4, 0.5, 1000), (19, 15, 0.5, 50), (19, 15, 0.1, 100)] {
        time(c, "cycles", format!("slim-fly q={q} load={load}, {n} cycles"), &point(q, p, load, RECORD, "min"), n);
    }
}

/// What a flit hop costs under each routing, with the VCs that four hops need; `valiant` at a load that it carries.
fn routings(c: &mut Criterion) {
    for (routing, load) in [("min", 0.5), ("ugal-l", 0.5), ("ugal-g", 0.5), ("valiant", 0.3)] {
        time(c, "routings", format!("slim-fly q=19 load={load}, {routing}"), &point(19, 15, load, [4, 16], routing), 50);
    }
}

fn wheel(c: &mut Criterion) {
    let mut group = c.benchmark_group("wheel");
    group.throughput(Throughput::Elements(10_000));
    group.bench_function("push and take 10,000 events", |b| {
        let mut wheel = Wheel::new(60);
        let mut now = 0u64;
        b.iter(|| {
            for event in 0..10_000u32 {
                wheel.push(now + 1 + u64::from(event) % 60, event);
            }
            let mut sum = 0u64;
            for _ in 0..61 {
                let list = wheel.take(now);
                sum += list.iter().map(|&e| u64::from(e)).sum::<u64>();
                wheel.recycle(list);
                now += 1;
            }
            sum
        });
    });
    group.finish();
}

fn build(c: &mut Criterion) {
    c.bench_function("slim-fly q=19 graph", |b| b.iter(|| slim_fly::graph(19, 15)));
    let graph = slim_fly::graph(19, 15);
    let routers: Vec<u32> = (0..graph.n_routers()).collect();
    c.bench_function("slim-fly q=19 table, all rows", |b| b.iter(|| Table::build(&graph, &routers, Tie::LowestId)));
    c.bench_function("slim-fly q=19 network from its configuration", |b| {
        b.iter_batched(|| (), |()| point(19, 15, 0.5, RECORD, "min"), BatchSize::PerIteration);
    });
}

criterion_group!(benches, wheel, cycles, routings, build);
criterion_main!(benches);
