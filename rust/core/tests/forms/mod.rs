//! The forms of `forms.json`, compiled.

use std::collections::BTreeMap;
use std::env;

use eightfold_core::{FaultRow, Form, Kind, Row, Tables};
use serde_json::Value;

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().expect("a number")).expect("32 bits")
}

fn range(value: &Value) -> (u32, u32) {
    (number(&value[0]), number(&value[1]))
}

fn ranges(value: &Value) -> Vec<(u32, u32)> {
    value.as_array().expect("a list").iter().map(range).collect()
}

fn fault_rows(value: &Value) -> Vec<FaultRow> {
    let row = |row: &Value| FaultRow {
        kind: Kind::from_name(row["kind"].as_str().expect("a name")).expect("a kind"),
        ranges: ranges(&row["ranges"]),
        meant: Some(&row["meant"]).filter(|meant| !meant.is_null()).map(range),
        run: ranges(&row["run"]),
    };
    value.as_array().expect("a list").iter().map(row).collect()
}

fn tables(value: &Value) -> Tables {
    let row =
        |row: &Value| Row { first: number(&row["first"]), last: number(&row["last"]), ranges: ranges(&row["ranges"]) };
    Tables {
        unit_bytes: number(&value["unit_bytes"]) as usize,
        big_endian: value["big_endian"].as_bool().expect("a bool"),
        joins_pairs: value["joins_pairs"].as_bool().expect("a bool"),
        rows: value["rows"].as_array().expect("a list").iter().map(row).collect(),
        units: fault_rows(&value["units"]),
        names: fault_rows(&value["names"]),
    }
}

pub fn family() -> BTreeMap<String, Form> {
    let json: Value = serde_json::from_str(include_str!("../forms.json")).expect("JSON");
    json.as_object()
        .expect("a map")
        .iter()
        .map(|(name, value)| (name.clone(), Form::new(tables(value)).expect("a small form")))
        .collect()
}

/// One of them.
#[expect(clippy::allow_attributes, reason = "what is not needed depends on who includes this file")]
#[allow(dead_code, reason = "not all who include this file name one")]
pub fn form(name: &str) -> Form {
    family().remove(name).expect("a form of the family")
}

/// Of so many cases one is tried: where all take minutes, as in an emulator, not all.
#[expect(clippy::allow_attributes, reason = "what is not needed depends on who includes this file")]
#[allow(dead_code, reason = "few who include this file take minutes")]
pub fn one_in() -> usize {
    env::var("EIGHTFOLD_ONE_IN").map_or(1, |given| given.parse().expect("a number"))
}

/// Each form that has a layout: its name, the form without that, and the form.
#[expect(clippy::allow_attributes, reason = "what is not needed depends on who includes this file")]
#[allow(dead_code, reason = "not all who include this file compare the two")]
pub fn with_layouts() -> impl Iterator<Item = (String, [Form; 2])> {
    let mut bare_family = family();
    family().into_iter().filter(|(_, form)| form.layout.is_some()).map(move |(name, form)| {
        let mut bare = bare_family.remove(&name).expect("the same family");
        bare.layout = None;
        (name, [bare, form])
    })
}
