//! Inputs with faults: all are told at once, those of keys and those that take a network to find, by `check` and by `run`.

mod support;

use sfpdes::error::exit;
use support::{refusal, sfpdes_with, Place, THREE_LOADS as INPUT};

#[test]
fn check_and_run_refuse_the_same() {
    for (toml, says) in [
        (INPUT.replace("num_vcs = 2", "num_vcs = 1"), "needs 2 VCs"),
        (INPUT.replace("num_vcs = 2", "num_vcs = 2\n[routing]\nvc_policy = 'any'"), "allow_deadlock"),
        (INPUT.replace("q = 3", "q = 6"), "6"),
        (INPUT.replace("num_vcs = 2", "num_vcs = 2\n[routing]\nalgorithm = 'dimension-order'"), "mesh"),
    ] {
        let text = refusal(&toml, &[]);
        assert!(text.contains(says) && text.contains("input.toml"), "{text}");
        let place = Place::new(&toml);
        let check = sfpdes_with(&["check", place.input().to_str().unwrap()]);
        assert_eq!((check.code(), check.stdout.as_str()), (Some(exit::INPUT), ""));
        assert!(check.stderr.contains(says), "{}", check.stderr);
    }
}

#[test]
fn all_faults_are_told_at_once_with_their_places() {
    let text = refusal(
        "[network]\ntopology = 'slim-fly'\nq = 5\n[router]\nnum_vc = 2\nvc_buf_size = -3\n[traffic]\ninjection_rate = nan\n\
         packet_size = 'two'\n[measurment]\nsample_period = 10\n",
        &["router.credit_delay=lots"],
    );
    for (place, says) in [
        ("input.toml:5:1", "num_vcs"),
        ("input.toml:6:15", "vc_buf_size"),
        ("input.toml:8:18", "injection_rate"),
        ("input.toml:9:15", "packet_size"),
        ("input.toml:10", "measurement"),
        ("credit_delay", "lots"),
    ] {
        assert!(text.contains(place) && text.contains(says), "{place} {says}:\n{text}");
    }
    assert!(text.contains("6 faults"), "{text}");
}

#[test]
fn faults_that_take_a_network_to_find_are_told_at_once_too() {
    // A network that cannot be, a buffer without room for a packet, a window that ends before it begins, and VCs that one of
    // the points lacks.
    let router = "[router]\nflow_control = 'virtual-cut-through'\nvc_buf_size = 2\n";
    let rest = "[traffic]\ninjection_rate = 0.1\npacket_size = 4\n[measurement]\nmin_samples = 5\nmax_samples = 2\n";
    let sweep = "[sweep]\nrouter.num_vcs = [1, 2]\n";
    let text = refusal(&format!("[network]\ntopology = 'slim-fly'\nq = 6\n{router}{rest}{sweep}"), &[]);
    for says in ["q = 6", "whole packet", "max_samples 2", "3 faults"] {
        assert!(text.contains(says), "{says}: {text}");
    }
    let text = refusal(&format!("[network]\ntopology = 'slim-fly'\nq = 5\n{router}{rest}{sweep}"), &[]);
    for says in ["needs 2 VCs", "whole packet", "max_samples 2", "3 faults"] {
        assert!(text.contains(says), "{says}: {text}");
    }
}

#[test]
fn a_fault_of_a_key_hides_none_that_takes_a_network_to_find() {
    let toml = |more: &str, q: &str| {
        format!("[network]\ntopology = 'slim-fly'\n{q}\n[traffic]\ninjection_rate = 0.1\npacket_size = 4\n[router]\n{more}\n")
    };
    let tight = "flow_control = 'virtual-cut-through'\nvc_buf_size = 2";
    let end = "[measurement]\nmin_samples = 5\nmax_samples = 2";
    for (input, all) in [
        // An unknown key that nothing is like.
        (toml("wombats = 2", "q = 6"), &["unknown key `router.wombats`", "q = 6"][..]),
        (toml(&format!("wombats = 2\n{tight}\n{end}"), "q = 6"), &["wombats", "q = 6", "whole packet", "max_samples 2"]),
        (toml("wombats = 2\nnum_vcs = 1", "q = 5"), &["wombats", "needs 2 VCs"]),
        // A value that is not known keeps silent what hangs on it, and nothing else.
        (toml(&format!("{tight}\n{end}"), "q = 'x'"), &["`network.q` takes", "max_samples 2"]),
        (toml(&format!("num_vcs = 99\n{end}"), "q = 6"), &["num_vcs", "q = 6", "max_samples 2"]),
        // So does one that a slip of the pen was meant for: 4 VCs were not asked for, and neither was a buffer of 16.
        (toml("num_vc = 1", "q = 5"), &["did you mean `router.num_vcs`"]),
        (toml("num_vc = 1", "q = 6"), &["did you mean `router.num_vcs`", "q = 6"]),
        (toml(&format!("[measurment]\nmin_samples = 5\n{end}"), "q = 6"), &["did you mean [measurement]", "q = 6"]),
        // Too many points to look at, no TOML at all, no network.
        (toml("[[", "q = 6"), &["not TOML"]),
        (
            "[traffic]\ninjection_rate = 0.1\nwombats = 1\n[router]\nnum_vcs = 1\n".into(),
            &["wombats", "network.topology` is required"],
        ),
    ] {
        let (run, place) = (refusal(&input, &[]), Place::new(&input));
        let check = sfpdes_with(&["check", place.input().to_str().unwrap()]);
        for (name, text) in [("run", run), ("check", check.stderr)] {
            assert!(all.iter().all(|says| text.contains(says)), "{name} {all:?}:\n{text}");
            assert!(text.contains(&format!("{} fault", all.len())), "{name} {all:?}:\n{text}");
        }
    }
    let text = refusal(&toml("num_vcs = 1", "q = 6"), &["router.wombats=3", "measurement.max_samples=1"]);
    assert!(text.contains("wombats") && text.contains("q = 6") && text.contains("max_samples 1"), "{text}");
}
