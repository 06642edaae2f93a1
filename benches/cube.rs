//! Speed of the hypercube study in pairs per second, and of its parts. One thread, so that numbers compare between machines.

// `criterion_group!` makes a function without documentation.
#![allow(missing_docs)]

use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion as Bench, Throughput};
use sfpdes::hypercube::{all_columns, AllPairs, Cell, Code, Criterion, Faults, Mix, Model, Pairs, Study, StudyParams};

/// Fault sets as in the heaviest rows of the published tables.
fn loads() -> [(u32, u32); 2] {
    [(8, 30), (10, 75)]
}

fn pairs_per_second(bench: &mut Bench) {
    let serial = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    let mut group = bench.benchmark_group("study");
    group.sample_size(20);
    for (n, faults) in loads() {
        let paper = StudyParams::paper(n, &[faults], 1);
        let cells = vec![Cell { n, faults: Faults::count(faults, Mix::Half) }];
        let all = all_columns(&[1, 2, 3, 4], &[Criterion::Text, Criterion::Table]);
        for (name, columns) in [("paper", paper.columns), ("everything", all)] {
            let params = StudyParams { cells: cells.clone(), columns, sets: 4, pairs: Pairs::Sample(200_000), seed: 1 };
            let study = Study::new(params).expect("a valid study");
            group.throughput(Throughput::Elements(200_000 * study.n_sets()));
            group.bench_function(BenchmarkId::new(name, format!("{n}-cube")), |b| {
                b.iter(|| serial.install(|| study.run_sets(0..study.n_sets())));
            });
        }
    }
    group.finish();
}

fn all_pairs(bench: &mut Bench) {
    let mut group = bench.benchmark_group("all pairs");
    for (n, faults) in loads() {
        let cube = Faults::count(faults, Mix::Half).place(n, 1, 0).expect("enough links");
        group.throughput(Throughput::Elements(1 << (2 * n)));
        group.bench_function(format!("{n}-cube"), |b| b.iter(|| AllPairs::new(&cube)));
    }
    group.finish();
}

fn codes(bench: &mut Bench) {
    let mut group = bench.benchmark_group("code");
    group.sample_size(10);
    for (n, faults) in [(10, 75), (16, 1000)] {
        let cube = Faults::count(faults, Mix::Half).place(n, 1, 0).expect("enough links");
        group.throughput(Throughput::Elements(1 << n));
        for model in Model::FIXED.into_iter().chain([2, 3, 4].map(Model::Extended)) {
            group.bench_function(BenchmarkId::new(model.name(), format!("{n}-cube")), |b| b.iter(|| Code::new(&cube, model)));
        }
    }
    group.finish();
}

criterion_group!(benches, pairs_per_second, all_pairs, codes);
criterion_main!(benches);
