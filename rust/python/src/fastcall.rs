//! The short way into a verb, for the arguments that nearly all calls have.
//!
//! PyO3's wrapper of a function was measured at 7 ns for two arguments, where a function of C that does nothing takes
//! 14 and `"text".encode()` 24 in all. So a verb may have a second entrance: it takes positional arguments, does what
//! needs no exception and no handler, and leaves everything else to PyO3's wrapper, which sees the same arguments.
//! Nothing outside this file is called by the interpreter without that wrapper.

#![expect(unsafe_code, reason = "the interpreter calls these functions with addresses")]

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use pyo3::ffi::{self, PyCFunctionFastWithKeywords as Code, PyObject};
use pyo3::prelude::*;

use crate::policy_names::PolicyName;
use crate::{convert, decode, encode, faults, stream};

/// How the interpreter calls a function that has an entrance.
pub const FLAGS: c_int = ffi::METH_FASTCALL | ffi::METH_KEYWORDS;

/// The answer of the short way, if these are arguments for it; None is no error, but leaves all to PyO3's wrapper.
///
/// # Safety
/// The thread is attached, and `count` live objects are at `given`; `names` is null or the names of more.
#[inline(always)]
unsafe fn answered<'py, const COUNT: usize>(
    given: *const *mut PyObject,
    count: ffi::Py_ssize_t,
    names: *mut PyObject,
    takes_errors: bool,
    short: impl Fn([&Bound<'py, PyAny>; COUNT], Option<PolicyName>) -> Option<Bound<'py, PyAny>>,
) -> Option<*mut PyObject> {
    let errors = (count as usize).wrapping_sub(COUNT);
    if !names.is_null() || errors > usize::from(takes_errors) {
        return None;
    }
    // SAFETY: so says the caller; nothing of it outlives the call.
    let argument = |at: usize| unsafe { Bound::ref_from_ptr(Python::assume_attached(), &*given.add(at)) };
    let mut policy = None;
    if errors == 1 {
        policy = Some(PolicyName::of(argument(COUNT)).filter(|policy| policy.is_plain() || policy.is_ignore())?);
    }
    // A panic comes again on the general way, which makes an exception of it.
    let answer = catch_unwind(AssertUnwindSafe(|| short(std::array::from_fn(argument), policy)));
    answer.ok().flatten().map(Bound::into_ptr)
}

macro_rules! entrances {
    ($($verb:ident($takes_errors:literal) = $short:expr;)*) => {
        /// The entrance of a verb that has one, which leads on to the general way.
        ///
        /// # Safety
        /// The general way can be called as the interpreter calls a function with [`FLAGS`], whoever owns it.
        pub unsafe fn entrance(verb: &str, general: Code) -> Option<Code> {
            match verb {
                $(stringify!($verb) => {
                    static GENERAL: OnceLock<Code> = OnceLock::new();
                    /// The entrance.
                    ///
                    /// # Safety
                    /// The interpreter calls it, as [`FLAGS`] say.
                    unsafe extern "C" fn enter(
                        owner: *mut PyObject,
                        given: *const *mut PyObject,
                        count: ffi::Py_ssize_t,
                        names: *mut PyObject,
                    ) -> *mut PyObject {
                        // SAFETY: the contract of this function, and the general way has been set.
                        unsafe {
                            match answered(given, count, names, $takes_errors, $short) {
                                Some(answer) => answer,
                                None => GENERAL.get().unwrap_unchecked()(owner, given, count, names),
                            }
                        }
                    }
                    GENERAL.get_or_init(|| general);
                    Some(enter)
                })*
                _ => None,
            }
        }
    };
}

entrances! {
    convert(true) = convert::short;
    decode(true) = decode::short;
    decoded_piece(false) = |given, _| stream::short_decoded(given);
    encode(true) = encode::short;
    encoded_piece(false) = |given, _| stream::short_encoded(given);
    is_encodable(false) = |given, _| encode::short_is_encodable(given);
    is_well_formed(false) = |given, _| faults::short_is_well_formed(given);
}
