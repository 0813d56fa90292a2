//! The forms that benchmarks need, from the tables that the tests read too.

use eightfold_core::{FaultRow, Form, Kind, Row, Tables};
use serde_json::Value;

/// Compile a form by its name in `forms.json`.
pub fn form(name: &str) -> Form {
    let forms: Value = serde_json::from_str(include_str!("../../tests/forms.json")).expect("JSON");
    let value = &forms[name];
    Form::new(Tables {
        unit_bytes: number(&value["unit_bytes"]) as usize,
        big_endian: value["big_endian"] == true,
        joins_pairs: value["joins_pairs"] == true,
        rows: each(&value["rows"], row),
        units: each(&value["units"], fault_row),
        names: each(&value["names"], fault_row),
    })
}

fn each<T>(value: &Value, read: fn(&Value) -> T) -> Vec<T> {
    value.as_array().expect("a list").iter().map(read).collect()
}

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().expect("a number")).expect("32 bits")
}

fn pair(value: &Value) -> (u32, u32) {
    (number(&value[0]), number(&value[1]))
}

fn row(value: &Value) -> Row {
    Row { first: number(&value["first"]), last: number(&value["last"]), ranges: each(&value["ranges"], pair) }
}

fn fault_row(value: &Value) -> FaultRow {
    FaultRow {
        kind: Kind::from_name(value["kind"].as_str().expect("a name")).expect("a kind"),
        ranges: each(&value["ranges"], pair),
        meant: Some(&value["meant"]).filter(|meant| !meant.is_null()).map(pair),
        run: each(&value["run"], pair),
    }
}
