//! The reference of the keys.

use super::super::{Default, Kind, Schema};
use super::{key, schema, ALWAYS};

#[test]
fn every_key_has_one_row_in_the_section_of_its_table() {
    let reference = schema().reference();
    let row = "| `num_vcs` | an integer from 1 to 32 | `4` |  | always | Virtual channels per port. |\n";
    let section = reference.split("\n## ").find(|section| section.starts_with("`[router]`")).expect("a section");
    assert!(section.contains(row), "{section}");
    assert_eq!(section.lines().filter(|line| line.starts_with("| `")).count(), 4);
    let rows = reference.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, schema().keys.len());
}

#[test]
fn rows_say_when_a_key_applies_and_what_its_absence_means() {
    let reference = schema().reference();
    let p = "| `p` | an integer from 1 to 1000 | not set | endpoints | \
             with `network.topology` = `\"slim_fly\"`, `\"mesh\"`, `\"torus\"` | Endpoints per router. |\n";
    assert!(reference.contains(p), "{reference}");
    assert!(reference.contains("| `topology` | `\"slim_fly\"`, `\"mesh\"`, `\"torus\"`, `\"file\"` | required |"));
    assert!(reference.contains("\n## Above all tables\n"));
}

#[test]
fn texts_do_not_break_the_table() {
    let odd = key("a.n", Kind::Bool, Default::Unset, ALWAYS, "", "One | two\nthree.");
    assert!(Schema::new([odd]).reference().contains("| One \\| two three. |\n"));
}

#[test]
fn the_head_tells_of_sweeps_sets_and_the_exit_code() {
    let reference = schema().reference();
    for text in ["[sweep]", "--set router.num_vcs=8", "exit code is 2", "at most 100000 points"] {
        assert!(reference.contains(text), "{text}");
    }
}
