//! Merging contributions, and refusing contradictory ones.

use super::super::{Applies, Default, Key, Kind, Schema};
use super::{key, schema, ALWAYS, KEYS};

const INT: Kind = Kind::Int { min: 1, max: 9 };
const MODE: Key = key("a.mode", Kind::Choice(&["x", "y", "z"]), Default::Text("x"), ALWAYS, "", "Mode.");

fn when(values: &'static [&'static str]) -> Applies {
    Applies::When { key: "a.mode", values }
}

fn int(path: &'static str, applies: Applies) -> Key {
    key(path, INT, Default::Unset, applies, "", "An integer.")
}

#[test]
fn equal_paths_unite_where_they_apply() {
    let schema = Schema::new([MODE, int("a.n", when(&["x", "y"])), int("a.n", when(&["y", "z"]))]);
    let merged = schema.get("a.n").expect("contributed");
    assert_eq!(merged.applies.len(), 1);
    assert_eq!(merged.applies[0].values, ["x", "y", "z"]);
    assert_eq!(merged.doc, "An integer.");
    let always = Schema::new([MODE, int("a.n", when(&["x"])), int("a.n", ALWAYS)]);
    assert!(always.get("a.n").expect("contributed").applies.is_empty());
}

#[test]
fn either_of_two_conditions_is_enough() {
    let other = key("b.kind", Kind::Choice(&["u", "v"]), Default::Text("u"), ALWAYS, "", "Kind.");
    let by_other = Applies::When { key: "b.kind", values: &["v"] };
    let schema = Schema::new([MODE, other, int("a.n", when(&["y"])), int("a.n", by_other)]);
    let check = |text: &str| super::super::Study::parse("f", text, &[], &schema).map_err(|e| e.to_string()).map(|_| ());
    assert_eq!(check("a = { mode = \"y\", n = 1 }\n"), Ok(()));
    assert_eq!(check("a.n = 1\nb.kind = \"v\"\n"), Ok(()));
    let fault = "f:1:3: error: `a.n` means nothing with a.mode = \"x\" (default) and b.kind = \"u\" (default); \
                 it applies with a.mode = y or with b.kind = v";
    assert_eq!(check("a.n = 1\n"), Err(fault.to_string()));
}

#[test]
fn a_key_can_apply_unless_another_has_a_value() {
    let unless = |values| Applies::Unless { key: "a.mode", values };
    let schema = Schema::new([MODE, int("a.n", unless(&["y", "z"]))]);
    let check = |text: &str| super::super::Study::parse("f", text, &[], &schema).map_err(|e| e.to_string());
    assert_eq!(check("a.n = 1\n").expect("x is neither").points[0].get_int("a.n"), Some(1));
    let fault = "f:2:3: error: `a.n` means nothing with a.mode = \"y\"; it applies to any other than y, z";
    assert_eq!(check("a.mode = \"y\"\na.n = 1\n").expect_err("y is one"), fault);
    // What does not apply has no say either.
    let deep = key("a.deep", Kind::Choice(&["s", "t"]), Default::Text("s"), when(&["y"]), "", "Deep.");
    let leaf = Schema::new([MODE, deep, int("a.leaf", Applies::Unless { key: "a.deep", values: &["t"] })]);
    assert!(super::super::Study::parse("f", "a.mode = \"y\"\na.leaf = 1\n", &[], &leaf).is_ok());
    assert!(super::super::Study::parse("f", "a.leaf = 1\n", &[], &leaf).is_err());
    assert!(schema.reference().contains("| unless `a.mode` = `\"y\"`, `\"z\"` |"));
}

#[test]
fn a_key_can_need_two_others() {
    const X: Applies = Applies::When { key: "a.mode", values: &["x"] };
    const NOT_V: Applies = Applies::Unless { key: "b.kind", values: &["v"] };
    let other = key("b.kind", Kind::Choice(&["u", "v"]), Default::Text("u"), ALWAYS, "", "Kind.");
    let schema = Schema::new([MODE, other, int("a.n", Applies::Both(&X, &NOT_V))]);
    let check = |text: &str| super::super::Study::parse("f", text, &[], &schema).map_err(|e| e.to_string()).map(|_| ());
    assert_eq!(check("a.n = 1\n"), Ok(()));
    let fault = "f:1:3: error: `a.n` means nothing with a.mode = \"x\" (default) and b.kind = \"v\"; it applies with a.mode = x \
                 and unless b.kind = v";
    assert_eq!(check("a.n = 1\nb.kind = \"v\"\n"), Err(fault.to_string()));
    assert!(check("a = { n = 1, mode = \"y\" }\n").is_err());
    assert!(schema.reference().contains("| with `a.mode` = `\"x\"` and unless `b.kind` = `\"v\"` |"));
}

#[test]
fn conditions_chain() {
    let deep = key("a.deep", Kind::Choice(&["s", "t"]), Default::Text("s"), when(&["y"]), "", "Deep.");
    let leaf = int("a.leaf", Applies::When { key: "a.deep", values: &["s"] });
    let schema = Schema::new([MODE, deep, leaf]);
    let study = |text: &str| super::super::Study::parse("f", text, &[], &schema);
    assert!(study("a.mode = \"y\"\na.leaf = 1\n").is_ok());
    let fault = study("a.leaf = 1\n").expect_err("a.deep does not apply").to_string();
    assert_eq!(fault, "f:1:3: error: `a.leaf` means nothing with a.deep = nothing; it applies to s");
}

#[test]
fn a_default_choice_can_require_a_key() {
    let schema = Schema::new([MODE, key("a.n", INT, Default::Required, when(&["x"]), "", "An integer.")]);
    let fault = super::super::Study::parse("f", "a.mode = \"x\"\n", &[], &schema).expect_err("a.n is missing").to_string();
    assert_eq!(fault, "f:1:10: error: `a.n` is required with a.mode = \"x\": an integer from 1 to 9");
    let fault = super::super::Study::parse("f", "a = {}\n", &[], &schema).expect_err("a.n is missing").to_string();
    assert_eq!(fault, "f: error: the input is empty; it has to give `a.n` (an integer from 1 to 9)");
    let more = Schema::new([MODE, key("a.n", INT, Default::Required, when(&["x"]), "", ""), int("b.m", ALWAYS)]);
    let fault = super::super::Study::parse("f", "b.m = 2\n", &[], &more).expect_err("a.n is missing").to_string();
    assert_eq!(fault, "f: error: `a.n` is required with a.mode = \"x\" (default): an integer from 1 to 9");
}

#[test]
fn keys_of_one_table_stand_together() {
    let schema = Schema::new([int("a.n", ALWAYS), int("b.n", ALWAYS), int("a.m", ALWAYS)]);
    let paths: Vec<_> = schema.keys.iter().map(|k| k.path).collect();
    assert_eq!(paths, ["a.n", "a.m", "b.n"]);
    assert_eq!(self::schema().keys.len(), KEYS.len() - 2);
}

#[test]
#[should_panic(expected = "two definitions of `a.n` differ in kind")]
fn contradicting_kinds_panic() {
    let _ = Schema::new([int("a.n", ALWAYS), key("a.n", Kind::Bool, Default::Unset, ALWAYS, "", "")]);
}

#[test]
#[should_panic(expected = "two definitions of `a.n` differ in default")]
fn contradicting_defaults_panic() {
    let _ = Schema::new([int("a.n", ALWAYS), key("a.n", INT, Default::Int(2), ALWAYS, "", "")]);
}

#[test]
#[should_panic(expected = "the default of `a.n` does not fit an integer from 1 to 9")]
fn defaults_out_of_range_panic() {
    let _ = Schema::new([key("a.n", INT, Default::Int(0), ALWAYS, "", "")]);
}

#[test]
#[should_panic(expected = "`a.n` depends on `a.mode`, which is no choice key")]
fn conditions_on_nothing_panic() {
    let _ = Schema::new([int("a.n", when(&["x"]))]);
}

#[test]
#[should_panic(expected = "`a.n` depends on a.mode = Some(\"w\"), which is no choice")]
fn conditions_on_illegal_values_panic() {
    let _ = Schema::new([MODE, int("a.n", when(&["w"]))]);
}

#[test]
#[should_panic(expected = "`a.mode` depends on itself")]
fn circular_conditions_panic() {
    let _ = Schema::new([Key { applies: when(&["x"]), ..MODE }]);
}

#[test]
#[should_panic(expected = "`a` is a key and a table")]
fn keys_that_are_tables_panic() {
    let _ = Schema::new([int("a", ALWAYS), int("a.n", ALWAYS)]);
}

#[test]
#[should_panic(expected = "`sweep.n`: [sweep] is reserved")]
fn reserved_tables_panic() {
    let _ = Schema::new([int("sweep.n", ALWAYS)]);
}
