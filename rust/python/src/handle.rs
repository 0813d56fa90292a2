//! A Form from Python with what is compiled from it, and the policies that it takes, each made once.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use eightfold_core::{FaultRow, Form, Kind, Missing, OnFault, Range, Row, Tables};
use pyo3::Borrowed;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::bytes_object::bytes_of_slice;
use crate::kept::Policies;
use crate::known::{Key, Known};
use crate::names;
use crate::once::intern;
use crate::policy_names::{PLAIN_POLICIES, POLICIES, PolicyName};
use crate::running::Run;
use crate::str_object::{beginning, text_length};

/// The handles of names, and of the forms of the family.
static KNOWN: Known<Py<Handle>> = Known::new();
/// The slot of a Form in which its handle is kept.
const SLOT: &str = "native";
/// The name of a policy as it was given.
pub enum Errors<'py> {
    /// `strict`, or nothing.
    Strict,
    /// Anything else, which may be no str. One of a subclass is copied: its methods may say something else than it
    /// holds, and what a policy does is kept for all who name it.
    Named(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Errors<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if PolicyName::of(&given).is_some_and(PolicyName::is_strict) {
            return Ok(Errors::Strict);
        }
        Ok(Errors::Named(match given.cast::<PyString>() {
            Ok(name) if !name.is_exact_instance_of::<PyString>() => beginning(&name, text_length(&name))?.into_any(),
            _ => given.to_owned(),
        }))
    }
}

impl<'py> Errors<'py> {
    /// The name as an object.
    pub fn object(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match self {
            Errors::Strict => intern!(py, "strict").clone().into_any(),
            Errors::Named(name) => name.clone(),
        }
    }

    /// Whether this is the name.
    pub fn is(&self, name: &str) -> bool {
        match self {
            Errors::Strict => name == "strict",
            Errors::Named(given) => {
                given.cast::<PyString>().is_ok_and(|given| given.to_str().is_ok_and(|given| given == name))
            }
        }
    }

    /// Its index, where the policy means the same whenever it is asked for; what others do is looked up at each call.
    fn lasting(&self) -> Option<usize> {
        POLICIES.iter().position(|name| self.is(name))
    }
}

/// How faults are met on decoding: `eightfold.policy.Reading`, and what of it the core does itself.
pub struct Reading {
    /// The Python object.
    pub object: Py<PyAny>,
    /// The form whose rows hold.
    pub form: Arc<Form>,
    /// What the core does.
    pub on_fault: OnFault,
    /// The name that errors give the form.
    pub name: Py<PyString>,
    /// What is called with an exception.
    pub handler: Py<PyAny>,
    /// CPython's words for faults, where the form behaves as CPython's codec.
    pub reasons: Option<Py<PyAny>>,
    /// Whether the policy sees a sequence without a fixed length as byte after byte; asked only where there are some.
    pub is_built_in: bool,
}

impl Reading {
    /// Show the collector what this keeps.
    fn visited(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.object)?;
        visit.call(&self.name)?;
        visit.call(&self.handler)?;
        visit.call(&self.reasons)
    }

    /// Whether a unit gives the same text however long it is.
    pub fn answers_once(&self) -> bool {
        self.is_built_in && matches!(self.on_fault, OnFault::Replace | OnFault::Ignore)
    }

    /// Read the Python object.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let handler = object.getattr(intern!(py, "handler"))?;
        let errors = object.getattr(intern!(py, "errors"))?;
        let is = |function: &Bound<'_, PyAny>| handler.is(function);
        let on_fault = if is(names::strict_errors(py)?) {
            OnFault::Stop
        } else if is(names::replace_errors(py)?) {
            OnFault::Replace
        } else if is(names::ignore_errors(py)?) {
            OnFault::Ignore
        } else if is(names::backslashreplace_errors(py)?) {
            OnFault::BackslashReplace
        } else if errors.eq(intern!(py, "surrogatepass"))? {
            OnFault::SurrogatePass
        } else if errors.eq(intern!(py, "surrogateescape"))? {
            OnFault::SurrogateEscape
        } else {
            OnFault::Stop
        };
        let form = object.getattr(intern!(py, "form"))?;
        let reasons = form.getattr(intern!(py, "cpython_reasons"))?;
        let form = Handle::of(&form)?.get().form.clone();
        let is_built_in = form.has_run() && names::is_built_in(py)?.run((&errors,))?.is_truthy()?;
        Ok(Reading {
            form,
            on_fault,
            is_built_in,
            name: object.getattr(intern!(py, "name"))?.extract()?,
            handler: handler.unbind(),
            reasons: if reasons.is_truthy()? { Some(reasons.unbind()) } else { None },
            object: object.clone().unbind(),
        })
    }
}

/// How code points without a place are met on encoding: `eightfold.policy.Writing`, which has what a [`Reading`] has.
pub struct Writing {
    shared: Reading,
    /// What the core does.
    pub missing: Missing,
}

impl Deref for Writing {
    type Target = Reading;

    fn deref(&self) -> &Reading {
        &self.shared
    }
}

impl Writing {
    /// Read the Python object.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let shared = Reading::of(object)?;
        let missing = match shared.on_fault {
            OnFault::Stop => Missing::Stop,
            OnFault::Replace => Missing::Replace,
            OnFault::Ignore => Missing::Ignore,
            OnFault::SurrogateEscape => Missing::SurrogateEscape,
            OnFault::SurrogatePass => Missing::SurrogatePass,
            OnFault::BackslashReplace => Missing::BackslashReplace,
        };
        Ok(Writing { shared, missing })
    }
}

/// A mark that may begin an input.
struct Signature {
    mark: Vec<u8>,
    form: Py<Handle>,
    counted: bool,
}

/// A compiled form: what is kept in the slot of a Form.
#[pyclass(frozen, module = "eightfold._native")]
pub struct Handle {
    /// The compiled tables.
    pub form: Arc<Form>,
    /// The name.
    pub name: Py<PyString>,
    object: Py<PyAny>,
    is_of_family: bool,
    signatures: Vec<Signature>,
    refuses_strict: bool,
    takes_ignore: bool,
    varies_strict: bool,
    /// Whether bytes of the form begin with no mark, and [`PLAIN_POLICIES`] mean nothing of its own: the short ways are
    /// for such forms.
    pub is_plain: bool,
    /// Whether it is such a form, and ASCII is the same text in it.
    pub shares_ascii: bool,
    /// Whether it is such a form, and all of UTF-8 is the same text in it.
    pub shares_utf8: bool,
    /// Whether it has nothing else.
    pub is_utf8: bool,
    /// Which of [`POLICIES`] have been checked.
    checked: [AtomicBool; POLICIES.len()],
    readings: Policies<Reading>,
    writings: Policies<Writing>,
}

/// A Form keeps its handle and a handle its Form: the collector must see what a handle keeps, and clears the Form.
#[pymethods]
impl Handle {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.name)?;
        visit.call(&self.object)?;
        self.signatures.iter().try_for_each(|signature| visit.call(&signature.form))?;
        self.readings.visit_each(|reading| reading.visited(&visit))?;
        self.writings.visit_each(|writing| writing.visited(&visit))
    }
}

/// Where an input begins.
pub struct Opened<'py> {
    /// Which form holds: 0 for the form itself, else one more than the index of a signature.
    pub plain: usize,
    /// The bytes that offsets count in.
    pub content: Bound<'py, PyBytes>,
    /// Where the text begins in them.
    pub skipped: usize,
}

impl Handle {
    /// The handle of a Form or of the name of one.
    pub fn of<'py>(form: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Handle>> {
        let key = Key::of(form);
        if let Some(known) = key.and_then(|key| KNOWN.get(key)) {
            return Ok(known.bind(form.py()).clone());
        }
        let named = names::form_named(form.py())?.run((form,))?;
        let handle = Handle::of_form(&named)?;
        // What is remembered is kept for ever: names by their characters, and the forms of the family. Any other
        // object, a form that a user built or a str of a subclass, goes when its last user does, and its address may
        // then be another object's.
        let lasts = form.is_exact_instance_of::<PyString>() || named.is(form) && handle.get().is_of_family;
        if let Some(key) = key.filter(|_| lasts) {
            KNOWN.remember(key, handle.clone().unbind());
        }
        Ok(handle)
    }

    /// The handle of a Form or of a name that has been used before.
    #[inline(always)]
    pub fn known(form: &Bound<'_, PyAny>) -> Option<&'static Handle> {
        KNOWN.get(Key::of(form)?).map(Py::get)
    }

    fn of_form<'py>(form: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Handle>> {
        let py = form.py();
        let derived = form.getattr(intern!(py, "derived"))?.cast_into::<PyDict>()?;
        if let Some(known) = derived.get_item(intern!(py, SLOT))? {
            return Ok(known.cast_into::<Handle>()?);
        }
        let handle = Bound::new(py, Handle::compiled(form)?)?;
        derived.set_item(intern!(py, SLOT), &handle)?;
        Ok(handle)
    }

    fn compiled(form: &Bound<'_, PyAny>) -> PyResult<Handle> {
        let tables = Tables {
            unit_bytes: form.getattr("unit_bytes")?.extract()?,
            big_endian: form.getattr("byte_order")?.eq("big")?,
            joins_pairs: form.getattr("joins_pairs")?.is_truthy()?,
            rows: each(form, "rows", row)?,
            units: each(form, "units", fault_row)?,
            names: each(form, "names", fault_row)?,
        };
        let signatures = each(form, "signatures", signature)?;
        let compiled = Form::new(tables).map_err(|_| too_large(form))?;
        let mut is_plain = signatures.is_empty();
        for policy in PLAIN_POLICIES {
            is_plain &= !refuses(form, policy)? && !varies(form, policy)?;
        }
        Ok(Handle {
            is_plain,
            shares_ascii: is_plain && shares_ascii(&compiled),
            shares_utf8: is_plain && compiled.agreement.is_total(),
            is_utf8: is_plain && compiled.is_utf_8(),
            form: Arc::new(compiled),
            name: form.getattr("name")?.extract()?,
            object: form.clone().unbind(),
            is_of_family: is_of_family(form)?,
            signatures,
            refuses_strict: refuses(form, "strict")?,
            takes_ignore: !refuses(form, "ignore")? && !varies(form, "ignore")?,
            varies_strict: varies(form, "strict")?,
            checked: [const { AtomicBool::new(false) }; _],
            readings: Policies::default(),
            writings: Policies::default(),
        })
    }

    /// The Form.
    pub fn object<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.object.bind(py).clone()
    }

    /// Whether the policy is `strict` and the form's own rows hold under it.
    pub fn is_plainly_strict(&self, errors: &Errors<'_>) -> bool {
        matches!(errors, Errors::Strict) && !self.varies_strict
    }

    /// The form that `strict` writes behind the signature.
    pub fn strictly_written(&self, py: Python<'_>) -> PyResult<Arc<Form>> {
        if self.varies_strict {
            return Ok(self.writing(py, &Errors::Strict)?.form.clone());
        }
        Ok(self.written_form().form.clone())
    }

    /// Check the name of a policy before any work is done.
    pub fn check<'py>(&self, py: Python<'py>, errors: &Errors<'py>) -> PyResult<()> {
        if matches!(errors, Errors::Strict) && !self.refuses_strict {
            return Ok(());
        }
        let checked = errors.lasting().map(|index| &self.checked[index]);
        if checked.is_some_and(|checked| checked.load(Ordering::Relaxed)) {
            return Ok(());
        }
        names::check_policy(py)?.run((errors.object(py), self.object(py)))?;
        if let Some(checked) = checked {
            checked.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Check the name of a policy for the two ends of a conversion.
    pub fn check_both<'py>(&self, target: &Handle, py: Python<'py>, errors: &Errors<'py>) -> PyResult<()> {
        if matches!(errors, Errors::Strict) && !self.refuses_strict && !target.refuses_strict {
            return Ok(());
        }
        names::check_policy(py)?.run((errors.object(py), self.object(py), target.object(py)))?;
        Ok(())
    }

    /// The form that holds after the signature, and where its text begins.
    pub fn opened<'py>(&self, data: Bound<'py, PyBytes>) -> PyResult<Opened<'py>> {
        if !self.is_signed() {
            return Ok(Opened { plain: 0, content: data, skipped: 0 });
        }
        let (plain, length) = self.announced(data.as_bytes());
        if length > 0 && !self.signatures[plain - 1].counted {
            let content = bytes_of_slice(data.py(), &data.as_bytes()[length..])?;
            return Ok(Opened { plain, content, skipped: 0 });
        }
        Ok(Opened { plain, content: data, skipped: length })
    }

    /// Which form a signature announces, as [`Opened::plain`], and how long it is.
    pub fn announced(&self, data: &[u8]) -> (usize, usize) {
        let found = self.signatures.iter().position(|signature| data.starts_with(&signature.mark));
        match found {
            Some(at) => (at + 1, self.signatures[at].mark.len()),
            None => (usize::from(self.is_signed()), 0),
        }
    }

    /// Whether an input may begin with a signature.
    pub fn is_signed(&self) -> bool {
        !self.signatures.is_empty()
    }

    /// The form that text is written in: that of the first signature, if there is one.
    pub fn written_form(&self) -> &Handle {
        self.plain(usize::from(self.is_signed()))
    }

    /// The signature that is written before the text; empty where there is none.
    pub fn mark(&self) -> &[u8] {
        self.signatures.first().map_or(&[], |signature| &signature.mark)
    }

    /// The length of the longest signature.
    pub fn longest_mark(&self) -> usize {
        self.signatures.iter().map(|signature| signature.mark.len()).max().unwrap_or(0)
    }

    /// The compiled form behind [`Opened::plain`].
    pub fn plain(&self, plain: usize) -> &Handle {
        if plain == 0 { self } else { self.signatures[plain - 1].form.get() }
    }

    /// How faults are met on decoding, or at the source of a conversion.
    pub fn reading<'py>(
        &self,
        py: Python<'py>,
        plain: usize,
        errors: &Errors<'py>,
        converting: bool,
    ) -> PyResult<Arc<Reading>> {
        if plain > self.signatures.len() {
            return Err(PyIndexError::new_err(format!("the form has no signature {plain}")));
        }
        self.readings.kept(errors.lasting(), (plain, converting), || {
            let options = PyDict::new(py);
            options.set_item("converting", converting)?;
            let given = (self.plain(plain).object(py), errors.object(py), &self.name);
            Reading::of(&names::reading(py)?.run_with(given, Some(&options))?)
        })
    }

    /// Whether a policy means nothing of its own in the form, as far as that may be: if it is plain, or `ignore`.
    #[inline]
    pub fn takes(&self, policy: Option<PolicyName>) -> bool {
        self.takes_ignore || !policy.is_some_and(PolicyName::is_ignore)
    }

    /// What the core does at faults of the form's own bytes under a policy that has been asked for before.
    pub fn answer(&self, policy: PolicyName) -> Option<OnFault> {
        self.readings.known(policy).map(|reading| reading.on_fault)
    }

    /// What the core does at code points that the form lacks under a policy that has been asked for before.
    pub fn missing(&self, policy: PolicyName) -> Option<Missing> {
        self.writings.known(policy).map(|writing| writing.missing)
    }

    /// How code points that the form lacks are met.
    pub fn writing<'py>(&self, py: Python<'py>, errors: &Errors<'py>) -> PyResult<Arc<Writing>> {
        let plain = usize::from(!self.signatures.is_empty());
        self.writings.kept(errors.lasting(), (plain, false), || {
            Writing::of(&names::writing(py)?.run((self.plain(plain).object(py), errors.object(py), &self.name))?)
        })
    }
}

/// Whether a form is one of those that are there for ever.
fn is_of_family(form: &Bound<'_, PyAny>) -> PyResult<bool> {
    let family = names::forms(form.py())?.call0()?.cast_into::<PyTuple>()?;
    Ok(family.iter().any(|each| each.is(form)))
}

fn refuses(form: &Bound<'_, PyAny>, policy: &str) -> PyResult<bool> {
    form.getattr("refuses")?.contains(policy)
}

fn varies(form: &Bound<'_, PyAny>, policy: &str) -> PyResult<bool> {
    Ok(!form.call_method1("variant", (policy,))?.is_none())
}

/// Whether ASCII is the same text in a form.
#[inline]
pub fn shares_ascii(form: &Form) -> bool {
    form.agreement.apart().first().is_some_and(|&(lowest, _)| lowest > 0x7F)
}

/// Whether ASCII is the same text in a form, but for U+0000, which the form writes in another way.
#[inline]
pub fn shares_ascii_but_nul(form: &Form) -> bool {
    matches!(form.agreement.apart(), [(0, 0), (0x80.., _), ..])
}

fn each<T>(form: &Bound<'_, PyAny>, name: &str, of: impl Fn(&Bound<'_, PyAny>) -> PyResult<T>) -> PyResult<Vec<T>> {
    form.getattr(name)?.try_iter()?.map(|item| of(&item?)).collect()
}

fn row(row: &Bound<'_, PyAny>) -> PyResult<Row> {
    let ranges: Vec<Range> = row.getattr("unit_ranges")?.extract()?;
    Ok(Row { first: row.getattr("first")?.extract()?, last: row.getattr("last")?.extract()?, ranges })
}

fn fault_row(row: &Bound<'_, PyAny>) -> PyResult<FaultRow> {
    let kind: String = row.getattr("kind")?.extract()?;
    let first: Option<u32> = row.getattr("first")?.extract()?;
    let last: Option<u32> = row.getattr("last")?.extract()?;
    Ok(FaultRow {
        kind: Kind::from_name(&kind).ok_or_else(|| PyValueError::new_err(format!("unknown kind of fault: {kind}")))?,
        ranges: row.getattr("unit_ranges")?.extract()?,
        meant: first.zip(last),
        run: row.getattr("run")?.extract()?,
    })
}

fn too_large(form: &Bound<'_, PyAny>) -> PyErr {
    let name = form.getattr("name").map_or_else(|_| String::from("this form"), |name| name.to_string());
    PyValueError::new_err(format!(
        "{name}: its tables are too large for the compiled core, which takes some tens of thousands of units in all; \
         set EIGHTFOLD_ENGINE=python to run without the core"
    ))
}

fn signature(signature: &Bound<'_, PyAny>) -> PyResult<Signature> {
    let form = signature.getattr("form")?;
    if form.getattr("signatures")?.is_truthy()? {
        return Err(PyValueError::new_err("a form that a signature announces has no signatures itself"));
    }
    Ok(Signature {
        mark: signature.getattr("mark")?.extract()?,
        form: Handle::of_form(&form)?.unbind(),
        counted: signature.getattr("counted")?.is_truthy()?,
    })
}
