//! Instances of a class of Python, made and filled without its `__init__`.

#![expect(unsafe_code, reason = "a class is asked by its functions of C")]

use std::ffi::CStr;
use std::ptr;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

/// A class of Python whose instances have `COUNT` slots.
pub struct Slotted<const COUNT: usize> {
    class: Py<PyType>,
    /// How many bytes after the start of an instance each slot is.
    offsets: [usize; COUNT],
}

impl<const COUNT: usize> Slotted<COUNT> {
    /// A class and its slots by their names.
    ///
    /// # Errors
    /// The class has no such slot.
    pub fn new(class: &Bound<'_, PyType>, names: [&str; COUNT]) -> PyResult<Self> {
        let mut offsets = [0; COUNT];
        for (offset, name) in offsets.iter_mut().zip(names) {
            *offset = slot_offset(class, name).ok_or_else(|| PyTypeError::new_err(format!("{name} is no slot")))?;
        }
        Ok(Self { class: class.clone().unbind(), offsets })
    }

    /// An instance with these values, which refer to no other objects: so it is in no circle, and the collector of
    /// circles need not look at it. Among a million instances it would take most of the time. It is made without
    /// `__init__`: where the class is frozen, that takes a call of Python and one more for each slot, 0.9 µs longer for
    /// nine of them. Setting slots by their descriptors takes 35 ns longer, a tenth of all that a fault costs.
    ///
    /// # Errors
    /// There is no memory, the class is not made without arguments, or its `__new__` returns something else.
    pub fn instance<'py>(&self, py: Python<'py>, values: [Bound<'py, PyAny>; COUNT]) -> PyResult<Bound<'py, PyAny>> {
        let (class, nothing) = (self.class.bind(py).as_type_ptr(), PyTuple::empty(py));
        // SAFETY: a class that lives and is ready; each has its `__new__` or inherits it.
        let new = unsafe { (*class).tp_new }.expect("a class of Python has a `__new__`");
        // SAFETY: this is how calling the class would begin, and returns a new reference or sets an exception.
        let object = unsafe { Bound::from_owned_ptr_or_err(py, new(class, nothing.as_ptr(), ptr::null_mut()))? };
        // Code of Python may have put another `__new__` there.
        if object.get_type_ptr() != class {
            return Err(PyTypeError::new_err("`__new__` returns an instance of another class"));
        }
        for (&offset, value) in self.offsets.iter().zip(values) {
            // SAFETY: the object has the slots of the class, each a pointer to an object or null. It is null in a new
            // instance, which nothing else can reach yet; the slot owns the value from here on.
            unsafe { object.as_ptr().byte_add(offset).cast::<*mut ffi::PyObject>().write(value.into_ptr()) };
        }
        // SAFETY: an object that lives; the class is one of Python, so its instances are the collector's.
        unsafe { ffi::PyObject_GC_UnTrack(object.as_ptr().cast()) };
        Ok(object)
    }
}

/// Where in an instance the slot with a name is, of the class itself or of one that it inherits from.
fn slot_offset(class: &Bound<'_, PyType>, name: &str) -> Option<usize> {
    let mut class = class.as_type_ptr();
    // SAFETY: a class that lives keeps those that it inherits from alive, and each its members: null, or an array that
    // ends with a member without a name. A name is a C string.
    unsafe {
        while !class.is_null() {
            let mut member = (*class).tp_members;
            while !member.is_null() && !(*member).name.is_null() {
                if CStr::from_ptr((*member).name).to_bytes() == name.as_bytes() {
                    let offset = (*member).offset.try_into().ok();
                    return offset.filter(|_| (*member).type_code == ffi::Py_T_OBJECT_EX);
                }
                member = member.add(1);
            }
            class = (*class).tp_base;
        }
    }
    None
}
