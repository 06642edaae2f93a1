//! The claims of the Slim Fly paper, scaled down: what is ordered which way must be so on small networks too.

mod support;

use sfpdes::error::exit;
use sfpdes::study::paper::{find, FIGURES};
use support::{finish, numbers, sfpdes, table, words, Place};

/// The most that each algorithm accepts among `sets`, on a Slim Fly of `q`; in the order of the algorithms.
fn accepted(place: &Place, q: u32, pattern: &str, algorithms: &[&str], loads: &str) -> Vec<f64> {
    let list = algorithms.iter().map(|a| format!("{a:?}")).collect::<Vec<_>>().join(",");
    let sets = [
        &format!("network.q={q}")[..],
        &format!("traffic.pattern={pattern:?}"),
        &format!("routing.algorithm=[{list}]"),
        &format!("traffic.injection_rate={loads}"),
    ];
    let results = place.run(&format!("{pattern}{q}"), &sets, 1, 1);
    let table = table(&results);
    let accepted = numbers(&table, "accepted_load");
    let axis = table.axes.iter().find(|a| a.name == "routing.algorithm").expect("it is swept");
    let of = |name: &&str| {
        let own = (0..accepted.len()).filter(|&row| axis.values.text(row) == **name);
        own.map(|row| accepted[row]).fold(0.0, f64::max)
    };
    assert_eq!(words(&table, "status").len(), accepted.len());
    algorithms.iter().map(of).collect()
}

/// Buffers of 64 flits per port and four VCs, as in the paper's evaluation.
const INPUT: &str = "
[network]
topology = 'slim-fly'
[router]
num_vcs = 4
vc_buf_size = 16
[measurement]
sample_period = 400
warmup_periods = 2
min_samples = 3
max_samples = 3
max_drain_periods = 1
";

const ALL: &[&str] = &["min", "valiant", "ugal-l", "ugal-g"];

#[test]
fn uniform_traffic_min_and_ugal_g_are_best_and_valiant_stays_below_half() {
    let place = Place::new(INPUT);
    for q in [5, 7] {
        let [min, valiant, local, global] = accepted(&place, q, "uniform", ALL, "[0.6,0.9]").try_into().unwrap();
        assert!(valiant < 0.56, "q = {q}: valiant {valiant}");
        assert!(min > local - 0.01 && global > local - 0.01, "q = {q}: min {min}, ugal-g {global}, ugal-l {local}");
        assert!(local > valiant + 0.1, "q = {q}: ugal-l {local}, valiant {valiant}");
    }
}

#[test]
fn worst_case_traffic_bounds_min_and_detours_help() {
    let place = Place::new(INPUT);
    for (q, p) in [(5u32, 4.0), (7, 6.0)] {
        for (pattern, bound) in [("worst-case-exchange", 1.0 / (2.0 * p)), ("worst-case-link", 1.0 / (p + 1.0))] {
            let [min, valiant, local] =
                accepted(&place, q, pattern, &["min", "valiant", "ugal-l"], "[0.2,0.35]").try_into().unwrap();
            assert!((min - bound).abs() < 0.1 * bound, "q = {q}, {pattern}: min accepts {min}, the bound is {bound}");
            assert!(valiant > 1.4 * min && local > 1.4 * min, "q = {q}, {pattern}: {min}, {valiant}, {local}");
        }
    }
}

#[test]
fn more_endpoints_per_router_accept_less_each() {
    let place = Place::new(INPUT);
    let mut last = 1.0;
    for p in [4, 5, 6] {
        let place = Place::new(&INPUT.replace("'slim-fly'", &format!("'slim-fly'\np = {p}")));
        let [min] = accepted(&place, 5, "uniform", &["min"], "[0.7,0.9,1.0]").try_into().unwrap();
        assert!(min < last - 0.02, "p = {p} accepts {min}, one less {last}");
        last = min;
    }
    drop(place);
}

#[test]
fn large_buffers_accept_more_and_small_ones_are_faster() {
    let place = Place::new(INPUT);
    let sets = [
        "network.q=5",
        "routing.algorithm=\"ugal-l\"",
        "traffic.pattern=\"worst-case-exchange\"",
        "traffic.injection_rate=0.6",
        "router.vc_buf_size=[2,4,8,16,32]",
    ];
    let table = table(&place.run("buffers", &sets, 1, 1));
    let (accepted, latency) = (numbers(&table, "accepted_load"), numbers(&table, "network_latency"));
    assert!(accepted[4] > accepted[0] + 0.05, "{accepted:?}");
    assert!(latency[4] > latency[0], "{latency:?}");
}

#[test]
fn a_figure_is_reproduced_by_one_command() {
    let place = Place::new("");
    let mut command = sfpdes();
    command.args(["reproduce", "fig6a", "--set", "network.q=3", "--set", "network.p=2"]);
    command.args(["--set", "measurement.sample_period=50", "--set", "traffic.injection_rate=[0.1,0.9]", "-o"]);
    command.arg(place.path("fig6a.h5"));
    let end = finish(command);
    assert_eq!(end.code(), Some(0), "{}", end.stderr);
    for claim in find("fig6a").unwrap().claims {
        assert!(end.stdout.contains(claim.says), "{}", end.stdout);
    }
    assert!(place.path("fig6a.svg").exists() && place.path("fig6a.png").exists());
}

#[test]
fn an_unknown_figure_is_refused_and_the_known_ones_are_named() {
    let mut command = sfpdes();
    command.args(["reproduce", "fig7"]);
    let end = finish(command);
    assert_eq!(end.code(), Some(exit::INPUT));
    for figure in FIGURES {
        assert!(end.stderr.contains(figure.name), "{}", end.stderr);
    }
}
