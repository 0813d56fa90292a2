//! The module `eightfold._native`: the verbs as compiled functions, and the passes that streams are made of.
//!
//! What the forms mean is in `eightfold_core`. At a fault that no built-in policy answers, `ask` calls the handler,
//! with plain Python objects: no borrowed memory is held while Python code runs. The memory of a str is touched in
//! `str_object` only, which asks `header` where it is, that of bytes in `bytes_object`; the other modules with unsafe
//! code are `memory`, `buffers`, `slotted`, `made`, `borrowed`, `fastcall`, `documented` and `interpreter`, a few lines
//! each.

mod ask;
mod automaton;
mod borrowed;
mod buffers;
mod bytes_object;
mod columns;
mod convert;
mod cutting;
mod decode;
mod documented;
mod encode;
mod encoded;
mod escapes;
mod fastcall;
mod fault_object;
mod faults;
mod given;
mod handle;
mod header;
mod heard;
mod interpreter;
mod json;
mod json_position;
mod kept;
mod known;
mod located;
mod locks;
mod made;
mod measuring;
mod memory;
mod names;
mod once;
mod peeking;
mod policy_names;
mod reader;
mod released;
mod running;
mod slotted;
mod str_object;
mod stream;
mod surveyed;
mod threads;
#[cfg(unix)]
mod tree;
mod window;
mod wtf8;

use eightfold_core::Kind;
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The libraries in the core, with their versions.
fn crates() -> Vec<(&'static str, &'static str)> {
    let mut crates = vec![("eightfold-core", env!("CARGO_PKG_VERSION")), ("pyo3", "0.30")];
    if cfg!(feature = "simdutf") {
        crates.push(("simdutf", "0.7"));
    }
    crates
}

/// The compiled core. Import `eightfold`, which chooses between it and the reference.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::automaton::automaton;
    #[pymodule_export]
    use super::buffers::{decode_code_points_into, encode_into};
    #[pymodule_export]
    use super::columns::{check_offsets, cleared_bits, column_changes, column_faults, ill_formed_rows, spliced_column};
    #[pymodule_export]
    use super::convert::{convert, converted_piece};
    #[pymodule_export]
    use super::cutting::{boundary, cut_before, truncate, truncate_bytes};
    #[pymodule_export]
    use super::decode::{decode, decode_code_points};
    #[pymodule_export]
    use super::documented::documented;
    #[pymodule_export]
    use super::encode::{encode, encode_code_points, encode_faults, is_encodable};
    #[pymodule_export]
    use super::escapes::EscapesLocated;
    #[pymodule_export]
    use super::faults::{fault_at, faults, is_well_formed, sequence_at, tally, well_formed_end};
    #[pymodule_export]
    use super::json::unpaired_escapes;
    #[pymodule_export]
    use super::json_position::JsonPosition;
    #[pymodule_export]
    use super::located::{Located, checked_piece, line_feeds};
    #[pymodule_export]
    use super::measuring::{code_point_count, converted_length, encoded_length};
    #[pymodule_export]
    use super::stream::{decoded_piece, encoded_piece};
    #[cfg(unix)]
    #[pymodule_export]
    use super::tree::{FileExaminer, Tree};
    #[pymodule_export]
    use super::wtf8::joined;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        interpreter::check_main(module.py())?;
        header::check(module.py())?;
        // The classes that are not exported are made now too, while no other thread can use them: see `once`.
        let py = module.py();
        _ = (py.get_type::<crate::handle::Handle>(), py.get_type::<crate::faults::Faults>());
        _ = py.get_type::<crate::encode::EncodeFaults>();
        // What Python knows too: `eightfold._engine.compare` finds a difference.
        module.add("KINDS", PyTuple::new(module.py(), Kind::all().map(Kind::name).collect::<Vec<_>>())?)?;
        module.add("POLICIES", PyTuple::new(module.py(), crate::policy_names::POLICIES)?)?;
        module.add("UNITS_KEPT", crate::fault_object::UNITS_KEPT)?;
        module.add("STALLS_ALLOWED", crate::ask::STALLS_ALLOWED)?;
        module.add("FAULTS_AHEAD", crate::faults::FAULTS_AHEAD)?;
        module.add("DEEPEST", crate::json_position::DEEPEST)?;
        module.add("KEY_BYTES", crate::json_position::KEY_BYTES)?;
        module.add("NO_CODE_POINT", crate::columns::NO_CODE_POINT)?;
        let instruction_set = eightfold_core::kernels::instruction_set().map_err(PyImportError::new_err)?;
        module.add("INSTRUCTION_SET", instruction_set)?;
        module.add("INSTRUCTION_SETS", PyTuple::new(module.py(), eightfold_core::kernels::instruction_sets())?)?;
        module.add("CRATES", PyTuple::new(module.py(), crate::crates())?)
    }
}
