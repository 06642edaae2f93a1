//! Every kind of fault, with its place and the words that help.

use std::path::Path;

use super::super::{Default, Key, Kind, Schema, Study};
use super::{faults, faults_after_legal, key, parse, schema, ALWAYS, LEGAL};

#[track_caller]
fn one(text: &str, expected: &str) {
    assert_eq!(faults_after_legal(text), [expected]);
}

#[test]
fn a_legal_input_has_no_fault() {
    assert!(parse(LEGAL, &[]).is_ok());
}

#[test]
fn syntax_errors_are_placed() {
    one("[router\nnum_vcs = 3\n", "3:8: not TOML: unclosed table, expected `]`");
    one("[router]\nnum_vcs = \n", "4:11: not TOML: a value is missing");
}

#[test]
fn names_without_quotes_are_quoted() {
    one("routing.algorithm = minimal\n", "3:21: not TOML: minimal needs quotes, as in \"minimal\", if it is a name");
    one("traffic.label = a b # c\n", "3:17: not TOML: a b needs quotes, as in \"a b\", if it is a name");
}

#[test]
fn huge_integers_are_refused() {
    one("seed = 99999999999999999999999999\n", "3:8: 99999999999999999999999999 does not fit in a 64-bit integer");
    one("[traffic]\ninjection_rate = 1e999\n", "4:18: 1e999 is too large for a float");
}

#[test]
fn unknown_keys_name_the_nearest() {
    one("[router]\nnum_vc = 4\n", "4:1: unknown key `router.num_vc`; did you mean `router.num_vcs`?");
    one("[router]\nNum-VCs = 4\n", "4:1: unknown key `router.Num-VCs`; did you mean `router.num_vcs`?");
    one("network.colour = 4\n", "3:9: unknown key `network.colour`");
    one(&format!("router.{} = 4\n", "z".repeat(999)), &format!("3:8: unknown key `router.{}...`", "z".repeat(33)));
    one("\"router.num_vcs\" = 4\n", "3:1: unknown key `\"router.num_vcs\"`; did you mean `router.num_vcs`?");
}

#[test]
fn keys_in_the_wrong_table_are_sent_home() {
    one("[traffic]\nnum_vcs = 4\n", "4:1: unknown key `traffic.num_vcs`; `num_vcs` belongs under [router]");
    one("num_vcs = 4\n", "3:1: unknown key `num_vcs`; `num_vcs` belongs under [router]");
    one("[sweep]\nnum_vcs = [4]\n", "4:1: unknown key `num_vcs` under [sweep]; `num_vcs` belongs under [sweep.router]");
    one("[sweep.router]\nseed = [4]\n", "4:1: unknown key `router.seed` under [sweep]; `seed` belongs directly under [sweep]");
    one("[router]\nseed = 4\n", "4:1: unknown key `router.seed`; `seed` belongs at the top, above all tables");
}

#[test]
fn unknown_tables_name_the_nearest() {
    one("[rooter]\nnum_vcs = 4\n", "3:2: unknown table [rooter]; did you mean [router]?");
    one("[vc]\nnum_vcs = 4\n", "3:2: unknown table [vc]; did you mean [router]?");
    one("[zzz]\nyyy = 4\n", "3:2: unknown table [zzz]");
    one("[swep.router]\nnum_vcs = [4]\n", "3:2: unknown table [swep]; did you mean [sweep]?");
    one("[sweep.rooter]\nnum_vcs = [4]\n", "3:8: unknown table [sweep.rooter]; did you mean [sweep.router]?");
    one("[[zzz]]\n", "3:3: unknown table [[zzz]]");
}

#[test]
fn tables_and_keys_are_told_apart() {
    one("router = 4\n", "3:1: `router` is a table of keys, not an integer");
    one("[[router]]\nnum_vcs = 4\n", "3:3: `router` is one table; write [router] once, not [[router]]");
    one("[router.num_vcs]\n", "3:9: `router.num_vcs` takes an integer from 1 to 32, not a table");
    one("router.num_vcs = {a = 1}\n", "3:18: `router.num_vcs` takes an integer from 1 to 32, not a table");
    one("[[seed]]\n", "3:3: `seed` takes an integer of at least 0, not a list of tables");
    one("sweep = 3\n", "3:1: `sweep` is a table of lists, not an integer");
}

#[test]
fn wrong_types_say_what_is_given_and_wanted() {
    one("[router]\nnum_vcs = \"x\"\n", "4:11: `router.num_vcs` takes an integer from 1 to 32, not the string \"x\"");
    one("router.num_vcs = true\n", "3:18: `router.num_vcs` takes an integer from 1 to 32, not the boolean true");
    one("router.num_vcs = 2020-01-02\n", "3:18: `router.num_vcs` takes an integer from 1 to 32, not the datetime 2020-01-02");
    one("router.speculative = 7\n", "3:22: `router.speculative` takes true or false, not the integer 7");
    one("router.speculative = 1\n", "3:22: `router.speculative` takes true or false, not the integer 1; write true");
    one("traffic.label = 7\n", "3:17: `traffic.label` takes a file path, not the integer 7");
    one("traffic.label = ''\n", "3:17: `traffic.label` takes a file path; '' names no file");
    one("routing.algorithm = 7\n", "3:21: `routing.algorithm` takes one of minimal, ugal_l, not the integer 7");
}

#[test]
fn quoted_numbers_are_sent_back_without_quotes() {
    let text = "router.num_vcs = \"4\"\nrouter.speculative = 'true'\n";
    assert_eq!(
        faults_after_legal(text),
        [
            "3:18: `router.num_vcs` takes an integer from 1 to 32, not the string \"4\"; write 4 without quotes",
            "4:22: `router.speculative` takes true or false, not the string 'true'; write true without quotes",
        ]
    );
}

#[test]
fn floats_are_no_integers() {
    one("router.num_vcs = 2.0\n", "3:18: `router.num_vcs` takes an integer from 1 to 32, not the float 2.0; write 2");
    one("router.num_vcs = 2.5\n", "3:18: `router.num_vcs` takes an integer from 1 to 32, not the float 2.5");
}

#[test]
fn ranges_are_said() {
    one("router.num_vcs = 0\n", "3:18: `router.num_vcs` takes an integer from 1 to 32; 0 is out of range");
    one("router.num_vcs = 0x21\n", "3:18: `router.num_vcs` takes an integer from 1 to 32; 0x21 is out of range");
    one("seed = -1\n", "3:8: `seed` takes an integer of at least 0; -1 is out of range");
    one("traffic.injection_rate = -0.1\n", "3:26: `traffic.injection_rate` takes a number from 0 to 1; -0.1 is out of range");
    one("traffic.injection_rate = 2\n", "3:26: `traffic.injection_rate` takes a number from 0 to 1; 2 is out of range");
    one("router.speedup = 0\n", "3:18: `router.speedup` takes a number above 0 and at most 8; 0 is out of range");
}

#[test]
fn floats_are_finite() {
    for value in ["nan", "inf", "-inf"] {
        let fault = format!("3:26: `traffic.injection_rate` takes a number from 0 to 1; {value} is not a finite number");
        one(&format!("traffic.injection_rate = {value}\n"), &fault);
    }
}

#[test]
fn unknown_choices_list_the_legal_ones_nearest_first() {
    assert_eq!(
        faults("network.topology = \"torrus\"\n"),
        ["1:20: `network.topology` takes one of torus, mesh, file, slim_fly, not \"torrus\"; did you mean \"torus\"?"]
    );
    one("routing.algorithm = \"xyz\"\n", "3:21: `routing.algorithm` takes one of ugal_l, minimal, not \"xyz\"");
}

#[test]
fn duplicate_keys_are_refused() {
    one("[router]\nnum_vcs = 4\nnum_vcs = 5\n", "5:1: duplicate key `num_vcs`: it is given above already");
    one("[router]\n[traffic]\n[router]\n", "5:2: duplicate key `router`: it is given above already");
}

#[test]
fn keys_that_mean_nothing_are_refused() {
    one(
        "network.dims = [8, 8]\n",
        "3:9: `network.dims` means nothing with network.topology = \"slim_fly\"; it applies to mesh, torus",
    );
    one(
        "routing.ugal_threshold = 3\n",
        "3:9: `routing.ugal_threshold` means nothing with routing.algorithm = \"minimal\" (default); it applies to ugal_l",
    );
}

#[test]
fn required_keys_are_missed_where_they_apply() {
    assert_eq!(faults("seed = 3\n"), ["`network.topology` is required: one of slim_fly, mesh, torus, file"]);
    assert_eq!(
        faults("[network]\ntopology = \"torus\"\n"),
        ["2:12: `network.dims` is required with network.topology = \"torus\": a list of integers from 1 to 4096"]
    );
}

#[test]
fn an_illegal_choice_hides_what_depends_on_it() {
    let text = "network.topology = \"torrus\"\nnetwork.q = 5\nnetwork.dims = [4]\n";
    assert_eq!(faults(text).len(), 1);
}

#[test]
fn an_illegal_value_is_not_missing_too() {
    assert_eq!(faults("network.topology = \"slim_fly\"\nnetwork.q = 1\n").len(), 1);
    assert_eq!(faults("network.topology = \"slim_fly\"\n[network.q]\n").len(), 1);
}

#[test]
fn an_empty_file_lists_what_is_required() {
    for text in ["", "\n\n", "# nothing\n", "[router]\n"] {
        let expected = "the input is empty; it has to give \
                        `network.topology` (one of slim_fly, mesh, torus, file)";
        assert_eq!(faults(text), [expected]);
    }
}

#[test]
fn lists_belong_under_sweep() {
    one(
        "router.num_vcs = [2, 4]\n",
        "3:18: `router.num_vcs` takes an integer from 1 to 32, not a list; a list belongs under [sweep]",
    );
    one("runtime.threads = [2, 4]\n", "3:19: `runtime.threads` takes an integer from 1 to 1024, not a list");
}

#[test]
fn integer_lists_are_checked_by_element() {
    let torus = |dims: &str| faults(&format!("network.topology = \"torus\"\nnetwork.dims = {dims}\n"));
    let takes = "`network.dims` takes a list of integers from 1 to 4096";
    assert_eq!(torus("[]"), [format!("2:16: {takes}; the list is empty")]);
    assert_eq!(torus("8"), [format!("2:16: {takes}, not the integer 8; write [8]")]);
    assert_eq!(torus("[[8, 8]]"), [format!("2:16: {takes}; a list of lists belongs under [sweep]")]);
    assert_eq!(torus("[8, 0, 2.0]"), [format!("2:20: {takes}; 0 is out of range"), format!("2:23: {takes}; 2.0 is no integer"),]);
}

#[test]
fn sweeps_are_checked() {
    one("sweep.router.num_vcs = []\n", "3:24: the list of `router.num_vcs` is empty; give at least one value");
    one("sweep.router.num_vcs = 3\n", "3:14: under [sweep], `router.num_vcs` takes a list of values; write [3]");
    one("sweep.router.num_vc = [3]\n", "3:14: unknown key `router.num_vc` under [sweep]; did you mean `router.num_vcs`?");
    one("[sweep]\nrouter.num_vcs = [3, 4, 3]\n", "4:25: 3 stands twice in the list of `router.num_vcs`");
    one("[sweep.runtime]\nthreads = [1, 2]\n", "4:1: `runtime.threads` cannot be swept: [runtime] changes no result");
    one("[sweep.output]\nfile = [\"a\"]\n", "4:1: `output.file` cannot be swept: [output] changes no result");
    assert_eq!(
        faults_after_legal("[sweep.router]\nnum_vcs = [0, 1, 2.0]\n"),
        [
            "4:12: `router.num_vcs` takes an integer from 1 to 32; 0 is out of range",
            "4:18: `router.num_vcs` takes an integer from 1 to 32, not the float 2.0; write 2",
        ]
    );
}

#[test]
fn a_key_is_swept_or_fixed() {
    let fault = "`network.q` is swept here and has one value in line 2; remove one of them";
    one("sweep.network.q = [5, 7]\n", &format!("3:15: {fault}"));
    let sweep_first = "sweep.network.q = [5, 7]\nnetwork.topology = \"slim_fly\"\nnetwork.q = 5\n";
    assert_eq!(faults(sweep_first), ["1:15: `network.q` is swept here and has one value in line 3; remove one of them"]);
}

#[test]
fn sweeping_integer_lists_takes_lists_of_lists() {
    let text = "network.topology = \"torus\"\nsweep.network.dims = [8, 8]\n";
    assert_eq!(faults(text), ["2:22: a sweep of `network.dims` takes a list of lists; write [[8, 8]]"]);
}

#[test]
fn sweeps_of_too_many_points_are_refused() {
    let list = |n: usize| (1..=n).map(|i| i.to_string()).collect::<Vec<_>>().join(", ");
    let text = |n: usize| format!("[sweep]\nseed = [{}]\nrouter.vc_buf_size = [{}]\n", list(n), list(1000));
    one(&text(101), "4:1: the sweep has 101 x 1000 = 101000 points, more than 100000");
    assert_eq!(parse(&format!("{LEGAL}{}", text(100)), &[]).expect("just small enough").points.len(), 100_000);
}

#[test]
fn every_fault_is_reported_at_once_in_the_order_of_the_file() {
    let text = "\
[network]
topology = \"torus\"
q = 5

[router]
num_vc = 4
vc_buf_size = 0

[trafic]
injection_rate = 0.5

[sweep]
traffic.injection_rate = [0.1, nan]
";
    assert_eq!(
        faults(text),
        [
            "2:12: `network.dims` is required with network.topology = \"torus\": a list of integers from 1 to 4096",
            "3:1: `network.q` means nothing with network.topology = \"torus\"; it applies to slim_fly",
            "6:1: unknown key `router.num_vc`; did you mean `router.num_vcs`?",
            "7:15: `router.vc_buf_size` takes an integer from 1 to 65536; 0 is out of range",
            "9:2: unknown table [trafic]; did you mean [traffic]?",
            "13:32: `traffic.injection_rate` takes a number from 0 to 1; nan is not a finite number",
        ]
    );
}

#[test]
fn columns_count_characters_and_messages_stay_on_one_line() {
    one("\"\\n\" = 1\n", "3:1: unknown key `\"\\n\"`");
    one("traffic.label = \"aé\" # é\nsweep = {é = [1]}\n".replace('é', "e").as_str(), "4:10: unknown key `e` under [sweep]");
    let text = format!("routing.algorithm = \"\"\"{}\n\"\"\"\n", "é".repeat(80));
    let fault = &faults_after_legal(&text)[0];
    assert!(fault.ends_with("...") && fault.chars().count() < 130, "{fault}");
    one("\"é\".a = 1\n", "3:1: unknown table [\"é\"]");
    one("router = { \"é\" = 1 }\n", "3:12: unknown key `router.\"é\"`");
    one("traffic = { label = \"é\", zzz = 2 }\n", "3:26: unknown key `traffic.zzz`");
}

#[test]
fn crlf_and_byte_order_marks_do_not_matter() {
    let text = format!("\u{feff}{LEGAL}").replace('\n', "\r\n");
    assert!(parse(&text, &[]).is_ok());
    assert_eq!(faults(&format!("{text}zz = 1\r\n")), ["3:1: unknown key `zz`"]);
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let load = |path: &Path| Study::load(path, &[], &schema()).expect_err("no input").to_string();
    let missing = folder.path().join("no.toml");
    assert_eq!(load(&missing), format!("{}: error: no such file", missing.display()));
    let name = folder.path().display();
    assert_eq!(load(folder.path()), format!("{name}: error: this is a folder; name the TOML file in it"));
    let binary = folder.path().join("results.h5");
    std::fs::write(&binary, b"a = 1\n\x89HDF").expect("a small file");
    let fault = format!("{}:2:1: error: not UTF-8 text: byte 0x89; a TOML file is text", binary.display());
    assert_eq!(load(&binary), fault);
    let beneath = binary.join("x");
    assert!(load(&beneath).contains("cannot be read"), "{}", load(&beneath));
}

#[test]
fn terminals_show_the_line_with_a_caret() {
    let errors = parse(&format!("{LEGAL}[router]\nnum_vc = 4\n"), &["seed=x"]).expect_err("two faults");
    let expected = "\
error: unknown key `router.num_vc`; did you mean `router.num_vcs`?
  ┌─ in/study.toml:4:1
  │
4 │ num_vc = 4
  │ ^^^^^^

error: --set seed: x is no TOML value; the key takes an integer of at least 0

2 faults; nothing was run or written
";
    assert_eq!(errors.render(false), expected);
    assert!(errors.render(true).contains("\u{1b}["));
}

#[test]
fn lists_of_names_pairs_and_triples_are_checked_item_by_item() {
    const KEYS: &[Key] = &[
        key("cube.models", Kind::Names(&["sv", "esv2", "esv3"]), Default::Unset, ALWAYS, "", "Models."),
        key("cube.links", Kind::Pairs { max: [7, 2] }, Default::Unset, ALWAYS, "", "Links."),
        key("cube.ends", Kind::Triples { max: [9, 7, 2] }, Default::Unset, ALWAYS, "", "Ends."),
    ];
    let schema = Schema::new(KEYS.iter().copied());
    let parse = |text: &str, sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
        Study::parse("f", text, &sets, &schema)
    };
    let good = parse("cube = { models = [\"sv\", \"esv3\"], links = [[0, 2], [7, 0]], ends = [[9, 1, 2]] }\n", &[]).unwrap();
    assert_eq!(good.points[0].get_names("cube.models").unwrap(), ["sv", "esv3"]);
    assert_eq!(good.points[0].get_pairs("cube.links").unwrap(), [[0, 2], [7, 0]]);
    assert_eq!(good.points[0].get_triples("cube.ends").unwrap(), [[9, 1, 2]]);
    let again = parse(&good.to_toml(&[]), &[]).unwrap();
    assert_eq!(again.points, good.points);
    // What a shell leaves of quotes, and sweeps of lists.
    let set = parse("", &["cube.models=[sv,esv2]", "cube.links=[[[1,1]],[[2,2],[3,0]]]"]).unwrap();
    assert_eq!((set.points.len(), set.points[1].get_pairs("cube.links").unwrap()), (2, &[[2, 2], [3, 0]][..]));
    assert_eq!(set.points[0].get_names("cube.models").unwrap(), ["sv", "esv2"]);
    let swept = parse("[sweep]\ncube.models = [[\"sv\"], [\"sv\", \"esv2\"]]\n", &[]).unwrap();
    assert_eq!(swept.points[1].get_names("cube.models").unwrap(), ["sv", "esv2"]);
    for (text, says) in [
        ("cube.models = [\"sv\", \"sv\"]", "\"sv\" stands twice in the list of `cube.models`"),
        ("cube.models = [\"esv\"]", "takes a list of some of"),
        ("cube.models = [3]", "3 is no name"),
        ("cube.models = []", "the list is empty"),
        ("cube.models = \"sv\"", "write [\"sv\"]"),
        ("cube.links = [[8, 0]]", "a from 0 to 7 and b from 0 to 2; 8 is out of range"),
        ("cube.links = [[0, -1]]", "-1 is out of range"),
        ("cube.links = [[0]]", "[0] is no pair"),
        ("cube.links = [0, 1]", "0 is no pair"),
        ("cube.ends = [[0, 1]]", "[0, 1] is no triple"),
        ("cube.ends = [[0, 8, 1]]", "a from 0 to 9, b from 0 to 7 and c from 0 to 2; 8 is out of range"),
        ("cube.links = [[[0, 1]]]", "a list of lists belongs under [sweep]"),
        ("sweep.cube.links = [[0, 1]]", "a sweep of `cube.links` takes a list of lists; write [[[0, 1]]]"),
    ] {
        let errors = parse(&format!("{text}\n"), &[]).unwrap_err();
        assert!(errors.to_string().contains(says), "{text}: {errors}");
    }
}

#[test]
fn tables_of_other_commands_are_known() {
    let schema = Schema::new([key("cube.n", Kind::Int { min: 1, max: 20 }, Default::Required, ALWAYS, "", "Dimension.")])
        .with_foreign(&["network"], "sfpdes run");
    let told = |text: &str| Study::parse("f", text, &[], &schema).unwrap_err().to_string();
    assert_eq!(told("[network]\nq = 5\n"), "f:1:2: error: [network] makes this an input of another command; run: sfpdes run f");
    assert!(told("sweep.network.q = [5]\n").contains("another command; run: sfpdes run f"));
    let both = told("[cube]\nn = 3\n[network]\nq = 5\n");
    assert_eq!(both, "f:3:2: error: [network] belongs to inputs of `sfpdes run`, not to this one");
    let wrong = told("[cube]\nn = 0\n[network]\nq = 5\n");
    assert!(wrong.contains("out of range") && wrong.contains("[network] belongs"), "{wrong}");
    let set = Study::parse("f", "cube.n = 3\n", &["network.q=5".to_string()], &schema).unwrap_err().to_string();
    assert!(set.contains("`network.q` is a key of inputs of `sfpdes run`"), "{set}");
}
