//! Trees and files for Python: the core walks and examines them without the global lock, trees in threads.

use std::sync::Mutex;
use std::time::Duration;

use eightfold_tree::{Batch, Batches, Examination, Examiner, Finding, Rules, Selection, Taken, Verdict, Walk, What};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bytes_object::bytes_of_slice;
use crate::given::Optional;
use crate::handle::Handle;
use crate::locks::locked;
use crate::made::Made;
use crate::threads::threads_of;

/// How long a batch is waited for before Ctrl-C is listened to.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
const ELSEWHERE: &str = "the threads that walk this tree are in the process that this one was forked from";
/// What was found at a place, beside an errno: see `eightfold.files.walk.trees`.
const FILE: i32 = 0;
const FOLDER: i32 = -1;
const IRREGULAR: i32 = -2;
const TEXT: i32 = -3;

/// The way from the folder of patterns to the top, and the patterns as they were written.
type Patterns = (Vec<u8>, Vec<Vec<u8>>);

/// `eightfold.files.walk.trees._Selected`.
#[derive(FromPyObject)]
struct Selected {
    include: Option<Patterns>,
    exclude: Option<Patterns>,
    configured_include: Option<Patterns>,
    configured_exclude: Option<Patterns>,
    ignored: Option<Vec<Patterns>>,
    handed_back: Vec<Vec<u8>>,
    temporary: Vec<u8>,
}

/// `eightfold.files.walk.trees.Examination`.
#[derive(FromPyObject)]
struct Examined {
    marks: Vec<Vec<u8>>,
    may_differ: bool,
    skips_binary: bool,
    escapes: bool,
    suspects: Vec<Vec<(u8, u8)>>,
    lists: bool,
    output: Option<(i128, i128)>,
}

fn rules((way, lines): Patterns) -> Rules {
    Rules::at_top(way, lines.iter().map(Vec::as_slice))
}

/// The batches of a tree: see `eightfold.files.walk.trees`.
#[pyclass(frozen, module = "eightfold._native")]
pub struct Tree {
    batches: Batches,
}

/// What came of a batch: how many files are clean, how many binary, the bytes of both, what a configuration has left
/// out, and what was found.
type Counted<'py> = Made<(usize, usize, u64, usize, Vec<Found<'py>>)>;
/// What was found: path, way from the top, what it is, and of clean text the bytes, and those beyond ASCII.
type Found<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, i32, Option<(u64, u64)>);

#[pymethods]
impl Tree {
    #[new]
    fn new(
        top: Vec<u8>,
        form: &Bound<'_, PyAny>,
        selected: Selected,
        examined: Examined,
        special: Vec<Patterns>,
        threads: Optional<'_>,
    ) -> PyResult<Self> {
        let walk = Walk::new(top, selection(selected));
        let batches = Batches::new(walk, examination(form, examined, special)?, threads_of(&threads)?)?;
        Ok(Tree { batches })
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Counted<'py>>> {
        loop {
            match py.detach(|| self.batches.take(LONGEST_WAIT)) {
                Taken::Batch(batch) => return as_python(py, batch).map(Some),
                Taken::Later => py.check_signals()?,
                Taken::End => return Ok(None),
                Taken::Elsewhere => return Err(PyRuntimeError::new_err(ELSEWHERE)),
            }
        }
    }
}

/// Examines files that are given: see `eightfold.files.walk.trees`.
#[pyclass(frozen, module = "eightfold._native")]
pub struct FileExaminer {
    examiner: Mutex<Examiner<Examination>>,
}

#[pymethods]
impl FileExaminer {
    #[new]
    fn new(form: &Bound<'_, PyAny>, examined: Examined) -> PyResult<Self> {
        Ok(FileExaminer { examiner: Mutex::new(Examiner::new(examination(form, examined, vec![])?)) })
    }

    /// How many bytes a file has if it is clean, and where such files are listed, how many of them lie beyond ASCII.
    fn clean_text(&self, py: Python<'_>, path: Vec<u8>) -> Option<(u64, u64)> {
        match py.detach(|| locked(&self.examiner).verdict_of_path(&path)) {
            Verdict::Clean(bytes) => Some((bytes, 0)),
            Verdict::Text(bytes, beyond) => Some((bytes, beyond)),
            _ => None,
        }
    }
}

fn examination(form: &Bound<'_, PyAny>, examined: Examined, special: Vec<Patterns>) -> PyResult<Examination> {
    Ok(Examination {
        form: Handle::of(form)?.get().form.clone(),
        marks: examined.marks,
        may_differ: examined.may_differ,
        skips_binary: examined.skips_binary,
        escapes: examined.escapes,
        suspects: examined.suspects,
        lists: examined.lists,
        output: examined.output,
        special: special.into_iter().map(rules).collect(),
    })
}

fn selection(given: Selected) -> Selection {
    Selection {
        include: given.include.map(rules),
        exclude: given.exclude.map(rules),
        configured_include: given.configured_include.map(rules),
        configured_exclude: given.configured_exclude.map(rules),
        ignored: given.ignored.map(|all| all.into_iter().map(rules).collect()),
        handed_back: given.handed_back,
        temporary: given.temporary,
    }
}

fn as_python(py: Python<'_>, batch: Batch) -> PyResult<Counted<'_>> {
    let bytes = |content: &[u8]| bytes_of_slice(py, content);
    let shown = |each: &Finding| {
        PyResult::Ok((bytes(&each.path)?, bytes(&each.inside)?, code_of(each.what), text_of(each.what)))
    };
    let found = batch.findings.iter().map(shown).collect::<PyResult<_>>()?;
    Ok(Made((batch.clean, batch.binary, batch.bytes, batch.left_out, found)))
}

fn code_of(what: What) -> i32 {
    match what {
        What::File => FILE,
        What::Text(..) => TEXT,
        What::Folder => FOLDER,
        What::Irregular => IRREGULAR,
        What::Unreadable(error) => error.raw_os_error(),
    }
}

fn text_of(what: What) -> Option<(u64, u64)> {
    match what {
        What::Text(bytes, beyond) => Some((bytes, beyond)),
        _ => None,
    }
}
