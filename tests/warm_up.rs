//! A network that is slower than a warm-up: what is carried must not count as saturated, whatever the length of its wires.

mod support;

use sfpdes::stats::{Goal, Status};
use sfpdes::study::{simulate as simulate_point, Unwatched};
use support::{finish, point, sfpdes, simulate, Place};

const NETWORK: &str = "
[network]
topology = 'slim-fly'
q = 5
p = 2
[traffic]
injection_rate = 0.002
";

#[test]
fn what_is_carried_is_not_saturated_however_long_the_wires_are() {
    for latency in [1, 300, 2000, 7000] {
        for (size, algorithm) in [(1, "min"), (20, "min"), (1, "valiant")] {
            let sets = [
                format!("network.channel_latency={latency}"),
                format!("traffic.packet_size={size}"),
                format!("routing.algorithm={algorithm}"),
                "router.vc_buf_size=64".into(),
            ];
            let point = point(NETWORK, &sets.each_ref().map(String::as_str), 1);
            let report = simulate_point(&point, &Unwatched).unwrap().report;
            assert!(matches!(report.status, Status::Converged | Status::MaxTime), "{sets:?}: {:?}", report.status);
            assert!(report.window_start >= 3000 && report.window_start >= point.rules.fill, "{sets:?}: {}", report.window_start);
            assert_eq!(report.window_start % 1000, 0, "decided at the end of a sample");
            assert_eq!(report.packet_latency.count, report.packets_offered, "{sets:?}");
            // Three standard deviations of what the window holds at its beginning and end.
            let flits = report.offered.mean * 100.0 * (report.window_end - report.window_start) as f64;
            let noise = 3.0 * (2.0 * flits * f64::from(size)).sqrt() / flits;
            assert!((report.accepted.mean / report.offered.mean - 1.0).abs() < noise, "{sets:?}: {:?}", report.accepted);
        }
    }
}

#[test]
fn what_is_not_carried_is_saturated_on_long_wires_too() {
    // Four VCs of 16 flits for a round trip of 4,000 cycles carry a hundredth of what is offered.
    let sets = ["network.channel_latency=2000", "traffic.injection_rate=0.5"];
    let report = simulate(NETWORK, &sets).report;
    assert_eq!(report.status, Status::Saturated);
    assert!(report.accepted.mean < 0.1, "{:?}", report.accepted);
    // A threshold that is given holds as it is.
    assert_eq!(
        simulate(NETWORK, &["network.channel_latency=2000", "measurement.latency_thres=5000.0"]).report.status,
        Status::Saturated
    );
}

#[test]
fn a_window_that_opens_at_once_fills_the_network_without_being_saturated() {
    for latency in [1, 100, 900] {
        let sets = [
            &format!("network.channel_latency={latency}"),
            "measurement.warmup_periods=0",
            "measurement.confidence_width=0.0",
            "measurement.max_samples=5",
        ];
        let report = simulate(NETWORK, &sets).report;
        assert_eq!((report.status, report.window_start, report.window_end), (Status::MaxTime, 0, 5000), "{latency}");
        // Nothing arrives in the first cycles, which are in the window.
        assert!(latency == 1 || report.accepted.mean < report.offered.mean, "{latency}: {:?}", report.accepted);
    }
    let full = simulate(NETWORK, &["measurement.warmup_periods=0", "traffic.injection_rate=1.0", "network.p=6"]).report;
    assert_eq!(full.status, Status::Saturated);
}

#[test]
fn no_lone_packet_takes_longer_than_the_bound() {
    let diameters = [("slim-fly\"\nq = 5\np = 1", 2), ("torus\"\ndims = [6, 2]\np = 4", 4), ("mesh\"\ndims = [4]\np = 8", 3)];
    for (network, diameter) in diameters {
        for more in [
            &[][..],
            &["router.vc_buf_size=1"],
            &["router.vc_buf_size=3", "router.credit_delay=7", "router.internal_speedup=1"],
            &["router.routing_delay=0", "router.sw_alloc_delay=3", "router.internal_speedup=1.5"],
            &["router.routing_delay=4", "router.vc_alloc_delay=2", "router.st_final_delay=5", "router.internal_speedup=1"],
            &["network.channel_latency_global=40", "network.channel_latency_endpoint=9", "router.vc_buf_size=2"],
        ] {
            for flits in [1, 2, 7, 16] {
                let toml = format!("[network]\ntopology = \"{network}\n[traffic]\ninjection_rate = 0.001\n");
                let size = format!("traffic.packet_size={flits}");
                let rate = format!("traffic.injection_rate={}", f64::from(flits) * 1e-6);
                let sets: Vec<&str> = more
                    .iter()
                    .copied()
                    .chain([&size, &rate, "measurement.sample_period=100000", "measurement.confidence_width=0.0"])
                    .collect();
                let point = point(&toml, &sets, 1);
                let report = simulate_point(&point, &Unwatched).unwrap().report;
                let bound = point.rules.fill;
                assert!(report.packet_latency.count > 4, "{network} {sets:?}");
                assert!(report.packet_latency.max <= bound, "{network} {sets:?}: {} > {bound}", report.packet_latency.max);
                // And it is no wild guess: with one step per cycle and room for the packet it is the longest path's latency.
                if sets.contains(&"router.internal_speedup=1") && flits == 1 {
                    assert_eq!(report.packet_latency.max, bound, "{network} {sets:?} over {diameter} hops");
                }
            }
        }
    }
}

#[test]
fn a_list_of_messages_has_no_warm_up_and_a_steady_load_tells_its_own() {
    let place = Place::new(NETWORK);
    let said = |sets: &[&str]| {
        let mut command = sfpdes();
        command.arg("check").arg(place.input());
        sets.iter().for_each(|set| {
            command.args(["--set", set]);
        });
        let end = finish(command);
        assert_eq!(end.code(), Some(0), "{}", end.stderr);
        end.stdout
    };
    assert!(said(&[]).contains("warm-up                     3000 cycles (3 samples)\n"));
    // Four channels of 2,001 cycles, three routers of 3.
    let text = said(&["network.channel_latency=2000"]);
    assert!(text.contains("zero-load latency           at most 8013 cycles"), "{text}");
    assert!(text.contains("9000 cycles (9 samples, more than warmup_periods = 3"), "{text}");
    assert!(said(&["network.channel_latency=2000", "measurement.warmup_periods=0"]).contains(" 0 cycles (0 samples)\n"));
    let messages = place.write("m.csv", "time,source,destination,size\n0,0,1,1\n");
    let toml = NETWORK.replace("injection_rate = 0.002", &format!("pattern = 'messages'\nmessage_file = {messages:?}"));
    place.write("input.toml", &toml);
    assert!(!said(&[]).contains("warm-up"));
    assert!(matches!(point(&toml, &[], 1).rules.goal, Goal::Delivery { .. }));
}
