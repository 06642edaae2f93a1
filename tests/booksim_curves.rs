//! The curves of BookSim2 (commit 28f4329): mean packet latency within 1 % up to 90 % of the saturation load, accepted load
//! within 1 % everywhere, in the mean over seeds.
//!
//! BookSim2's rows were taken over 3 warm-up and 3 measured periods of 2,000 cycles. Where it gave up as unstable it did so
//! after the third period, and its counters had last been cleared after the second: those rows are the accepted load of
//! cycles 4,000 to 6,000, and have no latency to compare.

mod support;

use sfpdes::stats::interval;

/// Load, mean packet latency (absent where unstable), accepted load.
type Row = (f64, Option<f64>, f64);

const SF_Q5: &[Row] = &[
    (0.05, Some(10.5949), 0.05017),
    (0.3, Some(11.3905), 0.30031),
    (0.5, Some(12.4909), 0.50025),
    (0.7, Some(15.1800), 0.69996),
    (0.8, Some(18.9740), 0.79992),
    (0.95, None, 0.92016),
];

const MESH88: &[Row] = &[
    (0.05, Some(21.0065), 0.05013),
    (0.1, Some(21.3253), 0.10030),
    (0.2, Some(22.1524), 0.20013),
    (0.3, Some(23.3852), 0.29990),
    (0.4, Some(25.8416), 0.39968),
    (0.45, Some(29.3669), 0.44937),
];

const TORUS88: &[Row] = &[(0.1, Some(17.4878), 0.10028), (0.3, Some(18.9210), 0.29990), (0.5, Some(23.8730), 0.49965)];

const TORUS88_UNSTABLE: &[Row] = &[(0.7, None, 0.44340), (0.8, None, 0.43329), (0.9, None, 0.42952)];

const MEASUREMENT: &str = "[measurement]\nsample_period = 2000\nconfidence_width = 0\nlatency_thres = 1e9\n";

fn check(toml: &str, warmup: u64, samples: u64, rows: &[Row], seeds: u64) {
    let toml = format!(
        "{toml}\n[traffic]\nself_traffic = true\ninjection_rate = 0\n{MEASUREMENT}warmup_periods = {warmup}\n\
         min_samples = {samples}\nmax_samples = {samples}\n"
    );
    for &(load, latency, accepted) in rows {
        let runs: Vec<_> = (1..=seeds)
            .map(|seed| {
                let sets = [format!("traffic.injection_rate={load:?}"), format!("simulation.seed={seed}")];
                support::simulate(&toml, &[&sets[0], &sets[1]]).report
            })
            .collect();
        let (own, spread) = interval(&runs.iter().map(|r| r.accepted.mean).collect::<Vec<_>>());
        println!("load {load}: accepted {own:.5} +- {spread:.5}, BookSim2 {accepted}");
        assert!((own / accepted - 1.0).abs() < 0.01, "load {load}: accepted {own}, BookSim2 {accepted}");
        if let Some(latency) = latency {
            let (own, spread) = interval(&runs.iter().map(|r| r.packet_latency.mean).collect::<Vec<_>>());
            println!("load {load}: latency {own:.4} +- {spread:.4}, BookSim2 {latency}");
            assert!((own / latency - 1.0).abs() < 0.01, "load {load}: latency {own}, BookSim2 {latency}");
        }
    }
}

#[test]
fn slim_fly_q5_minimal_over_any_vc() {
    let toml = "[network]\ntopology = \"slim-fly\"\nq = 5\np = 4\n[router]\nnum_vcs = 3\nvc_buf_size = 21\n\
                [routing]\nalgorithm = \"min\"\nvc_policy = \"any\"\nallow_deadlock = true\n";
    check(toml, 3, 3, SF_Q5, 2);
}

#[test]
fn mesh_8x8_dimension_order() {
    let toml = "[network]\ntopology = \"mesh\"\ndims = [8, 8]\n[router]\nnum_vcs = 2\nvc_buf_size = 16\n\
                [routing]\nalgorithm = \"dimension-order\"\n";
    check(toml, 3, 3, MESH88, 6);
}

#[test]
fn torus_8x8_dimension_order() {
    let toml = "[network]\ntopology = \"torus\"\ndims = [8, 8]\n[router]\nnum_vcs = 2\nvc_buf_size = 16\n\
                [routing]\nalgorithm = \"dimension-order\"\n";
    check(toml, 3, 3, TORUS88, 6);
    check(toml, 2, 1, TORUS88_UNSTABLE, 6);
}
