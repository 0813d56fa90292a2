"""What only the compiled core has: that it ran, its words, its generated tables, and its short ways in."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import eightfold
from eightfold import buffers, cutting, jsonescapes, measuring, pieces, text
from eightfold._engine import CORE, twins_of
from eightfold.text import TWINS
from support.command_line import ENVIRONMENT
from support.needed import needs_core

ROOT = Path(__file__).parents[2]


def python(program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)


def test_the_engine_that_was_asked_for_is_at_work() -> None:
    asked = os.environ.get("EIGHTFOLD_ENGINE")
    assert asked in (None, "", eightfold.ENGINE)
    if os.environ.get("EIGHTFOLD_BUILD") == "native" and not asked:
        assert eightfold.ENGINE == "native"


def test_python_may_leave_out_docstrings() -> None:
    line = [sys.executable, "-OO", "-m", "eightfold", "convert", "-t", "utf-16-be"]
    done = subprocess.run(line, input=b"a", capture_output=True, env=ENVIRONMENT, check=False)
    assert (done.returncode, done.stdout) == (0, b"\0a"), done.stderr


REGISTERING = r"""
import codecs, eightfold
from eightfold.policy import POLICIES

BYTES, TEXT = b"a\xff\xed\xa0\x80b\xc3\xa9\xfe" * 3, "a\ud800b\U0010ffff\xe9" * 3


def outcome(verb, *given):
    try:
        result = verb(*given)
        return result if isinstance(result, (bool, bytes, str)) else list(result)
    except (TypeError, LookupError, ValueError) as error:
        return type(error), str(error)


def outcomes():
    for form in eightfold.forms():
        yield outcome(eightfold.is_well_formed, BYTES, form), outcome(eightfold.is_encodable, TEXT, form)
        yield outcome(eightfold.faults, BYTES, form), outcome(eightfold.encode_faults, TEXT, form)
        for errors in POLICIES:
            yield outcome(eightfold.decode, BYTES, form, errors), outcome(eightfold.encode, TEXT, form, errors)
            yield outcome(eightfold.convert, BYTES, form, "cesu-8", errors)


before = list(outcomes())
for errors in POLICIES:
    codecs.register_error(errors, lambda error: ("!", error.end))
print(list(outcomes()) == before)
"""


@pytest.mark.parametrize("engine", ["python", "reference", pytest.param("native", marks=needs_core)])
def test_what_a_program_registers_under_the_name_of_a_policy_changes_nothing(engine: str) -> None:
    done = python(REGISTERING, EIGHTFOLD_ENGINE=engine)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


@pytest.mark.parametrize("engine", ["python", "reference"])
def test_an_engine_without_the_core_can_be_forced(engine: str) -> None:
    program = "import eightfold; print(eightfold.ENGINE, eightfold.lane.on, eightfold.decode.__class__)"
    done = python(program, EIGHTFOLD_ENGINE=engine)
    assert done.stdout.split(maxsplit=2) == [engine, str(engine == "python"), "<class 'function'>\n"]


def test_another_engine_there_is_not() -> None:
    done = python("import eightfold", EIGHTFOLD_ENGINE="fast")
    assert "EIGHTFOLD_ENGINE is 'native', 'python' or 'reference', not 'fast'" in done.stderr


FACTS = {
    "KINDS": "eightfold.policy",
    "POLICIES": "eightfold.policy",
    "UNITS_KEPT": "eightfold.policy",
    "STALLS_ALLOWED": "eightfold.policy",
    "FAULTS_AHEAD": "eightfold.files.read.scanning",
}
"""What both languages know, and which module compares it."""
PLANTED = """
import sys
from importlib import import_module, reload
from eightfold._engine import CORE
name, module = sys.argv[1:]
fact = getattr(CORE, name)
setattr(CORE, name, fact[::-1] if isinstance(fact, tuple) else fact + 1)
try:
    reload(import_module(module))
except ImportError as error:
    print(error)
"""


@needs_core
@pytest.mark.parametrize("name", FACTS)
def test_a_planted_difference_between_the_core_and_the_package_is_found(name: str) -> None:
    command = [sys.executable, "-c", PLANTED, name, FACTS[name]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"the compiled core is from another version: its {name} is ")
    assert done.stdout.count("EIGHTFOLD_ENGINE=python") == 1


@needs_core
def test_the_verbs_are_the_cores_functions_with_the_words_of_their_twins() -> None:
    for name, twin in TWINS.items():
        verb = getattr(eightfold, name)
        assert inspect.isbuiltin(verb)
        assert inspect.getdoc(verb) == inspect.getdoc(twin)
        assert list(inspect.signature(verb).parameters) == list(inspect.signature(twin).parameters)
        assert verb.__module__ == "eightfold.text"


@needs_core
@pytest.mark.parametrize(
    "module", [text, cutting, buffers, measuring, pieces, jsonescapes], ids=lambda each: each.__name__
)
def test_every_argument_is_that_of_the_twin(module: ModuleType) -> None:
    for name, twin in twins_of(module.__name__).items():
        ours, theirs = (inspect.signature(each).parameters.values() for each in (getattr(CORE, name), twin))
        assert [(each.name, each.kind, each.default) for each in ours] == [
            (each.name, each.kind, each.default) for each in theirs
        ], name


@needs_core
def test_the_tables_for_tests_without_python_are_what_the_forms_give() -> None:
    script = ROOT / "rust" / "core" / "tests" / "make_forms.py"
    subprocess.run([sys.executable, str(script), "--check"], check=True)


IN_SUB_INTERPRETERS = """
import sys
import eightfold
interpreters = __import__("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")
for kind in ("isolated", "legacy") if sys.version_info >= (3, 13) else (None,):
    made = interpreters.create(*filter(None, [kind]))
    try:
        # From 3.13 on what was raised is returned.
        print(interpreters.run_string(made, "import eightfold; assert eightfold.is_well_formed(b'a', 'utf-8')"))
    except Exception as error:
        print(error)
    interpreters.destroy(made)
"""


@needs_core
def test_a_sub_interpreter_is_told_what_to_do() -> None:
    done = python(IN_SUB_INTERPRETERS)
    assert done.returncode == 0, done.stderr
    outcomes = [
        line for line in done.stdout.splitlines() if "ImportError" in line and "EIGHTFOLD_ENGINE=python" in line
    ]
    assert len(outcomes) == (2 if sys.version_info >= (3, 13) else 1)


def test_the_reference_runs_in_sub_interpreters() -> None:
    done = python(IN_SUB_INTERPRETERS, EIGHTFOLD_ENGINE="reference")
    assert (done.returncode, set(done.stdout.split())) == (0, {"None"}), done.stderr


# --- the short ways in ------------------------------------------------------------------------------------------------

CALLS = {
    "decode": (b"caf\xc3\xa9", "utf-8"),
    "encode": ("café", "utf-8"),
    "convert": (b"caf\xc3\xa9", "utf-8", "wtf-8"),
    "is_well_formed": (b"caf\xc3\xa9", "utf-8"),
    "is_encodable": ("café", "utf-8"),
}


@needs_core
@pytest.mark.parametrize("name", CALLS)
def test_the_short_way_and_the_general_one_take_the_same_arguments(name: str) -> None:
    verb, general = getattr(eightfold, name), getattr(CORE, name)
    given, names = CALLS[name], list(inspect.signature(verb).parameters)
    expected = TWINS[name](*given)
    assert verb(*given) == general(*given) == expected
    assert verb(**dict(zip(names, given, strict=False))) == expected
    assert verb(given[0], **dict(zip(names[1:], given[1:], strict=False))) == expected
    if "errors" in names:
        strict = "".join(["st", "rict"])
        assert verb(*given, strict) == verb(*given, errors=strict) == expected
        for policy in (
            "replace",
            "ignore",
            "surrogatepass",
            "surrogateescape",
            "backslashreplace",
            "xmlcharrefreplace",
        ):
            assert verb(*given, policy) == general(*given, policy) == expected
    wrong: list[tuple[tuple[object, ...], dict[str, object]]] = [
        ((), {}),
        (given[:1], {}),
        ((*given, "strict", 1), {}),
        (given, {"unknown": 1}),
        ((3, *given[1:]), {}),
        ((given[0], 3, *given[2:]), {}),
        ((*given[:-1], "no such form"), {}),
        ((*given, None), {}),
    ]
    for positional, keywords in wrong:
        outcomes = []
        for function in (verb, general):
            with pytest.raises((TypeError, LookupError)) as raised:
                function(*positional, **keywords)
            outcomes.append((raised.type, str(raised.value)))
        assert outcomes[0] == outcomes[1]


@needs_core
def test_no_short_way_leads_past_a_refusal() -> None:
    calls = [(eightfold.decode, (b"a", "xtf-8")), (eightfold.encode, ("a", "xtf-8"))]
    calls += [(eightfold.convert, (b"a", *ends)) for ends in (("xtf-8", "utf-8"), ("utf-8", "xtf-8"))]
    for verb, given in calls:
        verb(*given)  # Now the form is known.
        with pytest.raises(ValueError, match="refuses errors='ignore'"):
            verb(*given, "ignore")


class Name(str):
    """A name that is not what it seems."""

    def lower(self) -> str:
        return "wtf-8"


@needs_core
def test_a_name_is_known_by_its_characters_and_other_objects_by_themselves() -> None:
    for form in eightfold.forms():
        for name in (form.name, form.name.upper(), "".join(form.name)):
            assert eightfold.encode("", name) == eightfold.encode("", form)
    surrogate = b"\xed\xa0\x80"
    assert not eightfold.is_well_formed(surrogate, "utf-8")
    assert eightfold.is_well_formed(surrogate, Name("utf-8"))
    assert not eightfold.is_well_formed(surrogate, "utf-8")


@needs_core
def test_an_address_that_another_form_had_is_no_form() -> None:
    rows = eightfold.form("utf-8").rows
    for count in range(400):
        form = eightfold.Form(f"own-{count}", [rows[0]] if count % 2 else rows)
        assert eightfold.is_well_formed("é".encode(), form) == (count % 2 == 0)
        for name in (Name("utf-8"), Name("utf-8")):
            assert eightfold.is_well_formed(b"\xed\xa0\x80", name)


class SameName(str):
    """A str of the size of :class:`Name`, which means what it reads."""


@needs_core
def test_an_address_that_a_name_had_is_no_form() -> None:
    surrogate = b"\xed\xa0\x80"
    met = 0
    for _ in range(100):
        name: str = Name("utf-8")
        assert eightfold.is_well_formed(surrogate, name)
        address = id(name)
        del name
        names = [SameName("utf-8") for _ in range(4)]
        assert not any(eightfold.is_well_formed(surrogate, name) for name in names)
        met += address in map(id, names)
    assert met, "no str was put where another had been: this test saw nothing"


@needs_core
@pytest.mark.parametrize("form", ["utf-8", "wtf-8", "mutf-8", "cesu-8", "xtf-8", "corrected-utf-8", "utf-16-le"])
def test_what_is_short_is_what_is_long(form: str) -> None:
    for character in ("a", "\0", "é", "ÿ", "漢", "😀", "\ud800", "\uef80"):
        for length in range(140):
            text = "a" * (length // 2) + character + "ß" * (length % 3) + "b" * (length - length // 2)
            if not eightfold.is_encodable(text, form):
                assert next(TWINS["encode_faults"](text, form), None) is not None
                continue
            data = eightfold.encode(text, form)
            assert data == TWINS["encode"](text, form)
            assert eightfold.is_well_formed(data, form)
            decoded = eightfold.decode(data, form)
            assert decoded == TWINS["decode"](data, form)
            assert sys.getsizeof(decoded) == sys.getsizeof("".join(list(decoded)))
            assert hash(decoded) == hash("".join(list(decoded)))


@needs_core
@pytest.mark.parametrize("length", [1, 31, 32, 33, 255, 256, 257, 600, 70_000])
def test_nul_is_found_wherever_it_is_in_ascii(length: int) -> None:
    for place in {0, 1, 30, 32, 255, 256, length // 2, length - 2, length - 1, length}:
        text = ("a" * max(place, 0) + "\0" + "b" * length)[:length]
        expected = text.encode().replace(b"\0", b"\xc0\x80")
        assert eightfold.encode(text, "mutf-8") == expected
        assert eightfold.encode(text, "mutf-8", "replace") == expected


@needs_core
def test_a_policy_that_a_form_refuses_or_varies_has_no_short_way() -> None:
    rows, latin = eightfold.form("utf-8").rows, eightfold.Form("latin-1", [eightfold.Row(0, 0xFF, (0, 0xFF))])
    refusing = eightfold.Form("refusing", rows, refuses={"replace": "of its own reasons"})
    varying = eightfold.Form("varying", rows, variants=[eightfold.Variant("surrogatepass", latin)])
    for _ in range(2):
        assert eightfold.decode(b"\xc3\xa9", refusing) == eightfold.decode(b"\xc3\xa9", varying) == "é"
        with pytest.raises(ValueError, match="of its own reasons"):
            eightfold.decode(b"\xc3\xa9", refusing, "replace")
        assert eightfold.decode(b"\xc3\xa9", varying, "surrogatepass") == "Ã©"
        assert eightfold.encode("é", varying, "surrogatepass") == b"\xe9"


@needs_core
def test_one_character_is_the_interpreters_own() -> None:
    for point in range(0x100):
        character = chr(point)
        assert eightfold.decode(character.encode(), "utf-8") is character


@needs_core
def test_what_was_measured_in_a_block_is_written_where_the_block_has_not_ended() -> None:
    """A form may mean by a sequence what UTF-8 does, and its layout part there: ED begins longer ones, too."""
    program = """
import eightfold
from eightfold import Form, Row
more, lead = (0x80, 0xBF), (0xED, 0xED)
rows = [Row(0, 0x7F, (0, 0x7F)), Row(0, 0x7FF, (0xC0, 0xDF), more), Row(0, 0xFFFF, (0xE0, 0xEF), more, more)]
rows.append(Row(0x10020, 0x11001F, lead, (0xA0, 0xAF), more, lead, (0xB0, 0xBF), more))
form = Form("own", rows, decode_only=True, longest_match=True)
for end in (b"", b"\\xEF", b"\\xEF\\x80", b"a", b"\\xFF"):
    for count in range(60):
        print(ascii(eightfold.decode(b"\\xED\\x9F\\x80" * count + end, form, "replace")))
"""
    results = set()
    for setting in ({"EIGHTFOLD_SIMD": "portable"}, {}, {"EIGHTFOLD_ENGINE": "reference"}):
        line = [sys.executable, "-c", program]
        done = subprocess.run(line, env={**ENVIRONMENT, **setting}, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), setting
        results.add(done.stdout)
    assert len(results) == 1


@needs_core
@pytest.mark.parametrize("asked", ["avx-512", "AVX2", "fallback", "port\udcffable"])
def test_an_instruction_set_of_an_unknown_name_is_refused(asked: str) -> None:
    line = [sys.executable, "-c", "import eightfold"]
    done = subprocess.run(line, env={**ENVIRONMENT, "EIGHTFOLD_SIMD": asked}, capture_output=True, text=True)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: the compiled core cannot be loaded (EIGHTFOLD_SIMD is 'portable'"), last
    assert f"on this processor, not '{asked[:4]}" in last
    unset = subprocess.run(line, env={**ENVIRONMENT, "EIGHTFOLD_SIMD": ""}, capture_output=True, text=True)
    assert (unset.returncode, unset.stderr) == (0, "")


@needs_core
def test_a_fault_is_not_filled_where_another_object_was_made() -> None:
    program = """
import eightfold
eightfold.Fault.__new__ = staticmethod(lambda *given: object())
try:
    list(eightfold.faults(b"\\xff", "utf-8"))
except TypeError as error:
    print(error)
"""
    done = python(program)
    assert (done.returncode, done.stdout) == (0, "`__new__` returns an instance of another class\n"), done.stderr


@needs_core
@pytest.mark.parametrize(
    "found",
    [
        'eightfold.faults(b"\\xff\\xfe", "utf-8", 2)',
        'eightfold._native.Scan(eightfold.form("utf-8"), b"\\xff\\xfe")',
    ],
)
def test_a_fault_of_which_no_object_could_be_made_comes_next(found: str) -> None:
    program = f"""
import eightfold, eightfold._native
made = eightfold.Fault.__new__
found = {found}
eightfold.Fault.__new__ = staticmethod(lambda *given: object())
try:
    next(found)
except TypeError:
    eightfold.Fault.__new__ = made
print([getattr(fault, "fault", fault).start for fault in found])
"""
    done = python(program)
    assert (done.returncode, done.stdout) == (0, "[0, 1]\n"), done.stderr
