//! Instances of a class of Python, made and filled without its `__init__`.

#![expect(unsafe_code, reason = "a class is asked by its functions of C")]

use std::ptr;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

/// A class of Python whose instances have `COUNT` slots.
pub struct Slotted<const COUNT: usize> {
    class: Py<PyType>,
    /// The descriptors of the slots.
    slots: [Py<PyAny>; COUNT],
}

impl<const COUNT: usize> Slotted<COUNT> {
    /// A class and its slots by their names.
    ///
    /// # Errors
    /// The class has no such slot, or what has its name cannot be set.
    pub fn new(class: &Bound<'_, PyType>, names: [&str; COUNT]) -> PyResult<Self> {
        let mut slots = [const { None }; COUNT];
        for (slot, name) in slots.iter_mut().zip(names) {
            let found = class.getattr(name)?;
            // SAFETY: the type of an object that lives.
            if unsafe { (*found.get_type_ptr()).tp_descr_set }.is_none() {
                return Err(PyTypeError::new_err(format!("{name} is no slot")));
            }
            *slot = Some(found.unbind());
        }
        Ok(Self { class: class.clone().unbind(), slots: slots.map(|slot| slot.expect("one for each name")) })
    }

    /// An instance with these values, which refer to no other objects: so it is in no circle, and the collector of
    /// circles need not look at it. Among a million instances it would take most of the time. It is made without
    /// `__init__`: where the class is frozen, that takes a call of Python and one more for each slot, 1.0 µs for nine
    /// of them, and this 0.15.
    ///
    /// # Errors
    /// There is no memory, or the class is not made without arguments.
    pub fn instance<'py>(&self, py: Python<'py>, values: [Bound<'py, PyAny>; COUNT]) -> PyResult<Bound<'py, PyAny>> {
        let (class, nothing) = (self.class.bind(py).as_type_ptr(), PyTuple::empty(py));
        // SAFETY: a class that lives and is ready; each has its `__new__` or inherits it.
        let new = unsafe { (*class).tp_new }.expect("a class of Python has a `__new__`");
        // SAFETY: this is how calling the class would begin, and returns a new reference or sets an exception.
        let object = unsafe { Bound::from_owned_ptr_or_err(py, new(class, nothing.as_ptr(), ptr::null_mut()))? };
        for (slot, value) in self.slots.iter().zip(values) {
            // SAFETY: `new` has seen that the descriptor's type has it; it gets three objects that live, and the lock
            // of the interpreter is held. It checks that the object is of the class.
            let is_set = unsafe {
                let set = (*ffi::Py_TYPE(slot.as_ptr())).tp_descr_set.expect("a slot");
                set(slot.as_ptr(), object.as_ptr(), value.as_ptr()) == 0
            };
            if !is_set {
                return Err(PyErr::fetch(py));
            }
        }
        // SAFETY: an object that lives; the class is one of Python, so its instances are the collector's.
        unsafe { ffi::PyObject_GC_UnTrack(object.as_ptr().cast()) };
        Ok(object)
    }
}
