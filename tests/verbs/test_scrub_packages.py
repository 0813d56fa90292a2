"""Objects of pydantic, attrs, NumPy, pandas and polars are looked into, and copied where they hold what is unfit.

They are peers, not dependencies: ``pip install 'eightfold[peers]'``.
"""

from __future__ import annotations

import copy
import importlib
import json
import subprocess
import sys
from typing import Any

import pytest

import eightfold
from eightfold import scrub, scrub_report
from support.needed import peer

UNFIT, FIT = "a\ud800", "a�"


def paths(obj: object) -> list[str]:
    assert all(fault.kind == "unrepresentable" for _, fault in scrub_report(obj))
    return [path for path, _ in scrub_report(obj)]


def check_scrubbed(obj: Any, *, errors: str = "replace") -> Any:
    """Return what is scrubbed, of the same type and with nothing left to do."""
    scrubbed = scrub(obj, errors, unknown="error")
    assert type(scrubbed) is type(obj)
    assert scrub_report(scrubbed) == []
    assert scrub(scrubbed, unknown="error") is scrubbed
    assert scrub_report(obj) != []
    return scrubbed


def test_no_package_is_imported() -> None:
    program = (
        "import sys, eightfold; eightfold.scrub([{'a': object(), 'b': b''}, type('Own', (), {})()], unknown='ignore');"
        "print(*sorted({'numpy', 'pandas', 'polars', 'pydantic', 'attr', 'pathlib', 'decimal'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


# --- pydantic ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def models() -> Any:
    pydantic = peer("pydantic")

    class Part(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(frozen=True, extra="allow")
        text: str
        more: Any = None
        _seen: Any = pydantic.PrivateAttr(default=None)

    class Message(pydantic.BaseModel):
        parts: list[Part]
        first: Part

    class Rows(pydantic.RootModel[list[Any]]):
        pass

    class Models:
        part, message, rows = Part, Message, Rows

    return Models


def test_a_scrubbed_model_can_be_written(models: Any) -> None:
    part = models.part.model_construct({"text", "k\ud800"}, text=UNFIT, **{"k\ud800": "\ud83d\ude00"})
    part._seen = [UNFIT]
    message = models.message(parts=[models.part(text="fine"), part], first=part)
    assert paths(message) == [
        *("parts[1].text", "parts[1]._seen[0]", r'parts[1]["k\ud800"] (key)', r'parts[1]["k\ud800"]'),
    ]
    with pytest.raises(ValueError, match="surrogates not allowed"):
        message.model_dump_json()
    scrubbed = check_scrubbed(message)
    written = {"text": FIT, "more": None, "k�": "😀"}
    assert json.loads(scrubbed.model_dump_json()) == {
        "parts": [{"text": "fine", "more": None}, written],
        "first": written,
    }
    assert scrubbed.parts[0] is message.parts[0]
    assert scrubbed.parts[1] is scrubbed.first
    assert scrubbed.first._seen == [FIT]
    assert scrubbed.first.model_fields_set == {"text", "k�"}
    assert (part.text, part._seen, part.model_fields_set) == (UNFIT, [UNFIT], {"text", "k\ud800"})
    with pytest.raises(ValueError, match="frozen"):
        scrubbed.first.text = "other"


def test_a_model_without_fault_is_the_very_same_object(models: Any) -> None:
    message = models.message(parts=[models.part(text="é")], first=models.part(text="漢"))
    assert scrub(message, unknown="error") is message


def test_a_root_model_and_a_dataclass_of_pydantic(models: Any) -> None:
    rows = models.rows([UNFIT, {"a": [UNFIT]}])
    assert paths(rows) == ["root[0]", "root[1].a[0]"]
    assert json.loads(check_scrubbed(rows).model_dump_json()) == [FIT, {"a": [FIT]}]
    assert rows.root[0] == UNFIT
    made = peer("pydantic.dataclasses").dataclass(type("Made", (), {"__annotations__": {"text": str}}))
    assert check_scrubbed(made(UNFIT)).text == FIT


def test_a_model_inside_of_plain_data_and_orjson(models: Any) -> None:
    orjson = peer("orjson")
    data = {"messages": [models.part(text=UNFIT), "\udcff"], "n": 1}
    scrubbed = scrub(data, unknown="error")
    written = orjson.dumps(scrubbed, default=lambda model: model.model_dump())
    assert orjson.loads(written) == {"messages": [{"text": FIT, "more": None}, "�"], "n": 1}


# --- attrs ------------------------------------------------------------------------------------------------------------


def attrs_class(**options: Any) -> Any:
    attrs = peer("attrs")
    return attrs.make_class("Made", {"text": attrs.field(), "_own": attrs.field(default=None)}, **options)


ATTRS = [
    *({}, {"slots": True}, {"frozen": True}, {"frozen": True, "slots": True}),
    {"frozen": True, "slots": True, "cache_hash": True},
    {"frozen": True, "slots": False, "cache_hash": True},
]


@pytest.mark.parametrize("options", ATTRS, ids=lambda options: " ".join(options) or "plain")
def test_objects_of_attrs(options: dict[str, Any]) -> None:
    cls = attrs_class(**options)
    inner, fine = cls(UNFIT), cls("fine")
    obj = cls(inner, (fine, UNFIT))
    if options.get("frozen"):
        hash(obj)
    assert paths(obj) == ["text.text", "_own[1]"]
    scrubbed = check_scrubbed(obj)
    assert scrubbed == cls(cls(FIT), (fine, FIT))
    assert not options.get("frozen") or hash(scrubbed) == hash(cls(cls(FIT), (fine, FIT)))
    assert scrubbed._own[0] is fine
    assert (obj.text.text, obj._own) == (UNFIT, (fine, UNFIT))


# --- NumPy ------------------------------------------------------------------------------------------------------------


def array_of(*values: Any) -> Any:
    numpy = peer("numpy")
    array = numpy.empty(len(values), dtype=object)
    array[:] = values
    return array


def test_an_array_of_objects() -> None:
    inner = ["fine"]
    array = array_of(UNFIT, None, float("nan"), [1, UNFIT], inner, "fine")
    before = array.copy()
    assert paths(array) == ["[0]", "[3][1]"]
    scrubbed = check_scrubbed(array)
    assert scrubbed[[0, 1, 3, 5]].tolist() == [FIT, None, [1, FIT], "fine"]
    assert scrubbed[4] is inner
    assert all(new is old for new, old in zip(array, before, strict=True))


def test_arrays_of_several_dimensions_and_of_none() -> None:
    numpy = peer("numpy")
    table = array_of("x", "y", {"a": UNFIT}, UNFIT).reshape(2, 2)
    assert paths(table) == ["[1, 0].a", "[1, 1]"]
    assert check_scrubbed(table).tolist() == [["x", "y"], [{"a": FIT}, FIT]]
    assert paths(table.T) == ["[0, 1].a", "[1, 1]"]
    assert check_scrubbed(table.T).tolist() == [["x", {"a": FIT}], ["y", FIT]]
    alone = numpy.empty((), dtype=object)
    alone[()] = [UNFIT, "b"]
    assert paths(alone) == ["[()][0]"]
    assert check_scrubbed(alone).item() == [FIT, "b"]


def test_an_array_that_holds_itself() -> None:
    array = array_of(UNFIT, None)
    array[1] = [array]
    scrubbed = scrub(array)
    assert scrubbed[0] == FIT
    assert scrubbed[1][0] is scrubbed


@pytest.mark.parametrize("order", ["<", ">"])
def test_an_array_of_text_gets_the_room_that_a_policy_needs(order: str) -> None:
    numpy = peer("numpy")
    array = numpy.array([["x", UNFIT], ["\ud83d\ude00", "z"]]).astype(f"{order}U2")
    assert paths(array) == ["[0, 1]", "[1, 0]"]
    assert check_scrubbed(array).tolist() == [["x", FIT], ["😀", "z"]]
    wide = check_scrubbed(array, errors="backslashreplace")
    assert wide.tolist() == [["x", r"a\ud800"], ["😀", "z"]]
    assert wide.dtype.byteorder in (order, "=")
    assert array[0, 1] == UNFIT
    clean = numpy.array(["é", "漢😀"]).astype(f"{order}U4")
    assert scrub(clean, unknown="error") is clean


def test_masked_arrays_are_read_below_their_mask() -> None:
    numpy = peer("numpy")
    for dtype in (object, "U2"):
        masked = numpy.ma.array([UNFIT, "b", UNFIT], mask=[0, 0, 1], dtype=dtype)
        assert paths(masked) == ["[0]", "[2]"]
        scrubbed = check_scrubbed(masked)
        assert scrubbed.data.tolist() == [FIT, "b", FIT]
        assert scrubbed.mask.tolist() == [False, False, True]


def test_arrays_of_records_are_not_examined_if_they_have_room_for_text() -> None:
    numpy = peer("numpy")
    records = numpy.zeros(2, dtype=[("name", "U3"), ("n", [("x", int)])])
    for obj in (records, records[0], numpy.zeros(1, dtype=[("o", [("p", object)])])):
        assert [fault.kind for _, fault in scrub_report(obj)] == ["unexamined"]
    numbers = [numpy.zeros(2, dtype=[("n", int)]), numpy.arange(3), numpy.array([b"\xff"]), numpy.float32(1)]
    numbers += [numpy.zeros(1, dtype=[("n", int)])[0], numpy.datetime64("2020"), numpy.bool_(1)]
    assert scrub(numbers, unknown="error") is numbers


def test_a_str_of_numpy_keeps_its_type() -> None:
    numpy = peer("numpy")
    assert check_scrubbed(numpy.str_(UNFIT)) == FIT


# --- pandas -----------------------------------------------------------------------------------------------------------


def labels(*values: Any, name: Any = None) -> Any:
    return peer("pandas").Index(array_of(*values), dtype=object, name=name, tupleize_cols=False)


def objects(*values: Any, **options: Any) -> Any:
    return peer("pandas").Series(array_of(*values), dtype=object, **options)


def categories(*values: Any) -> Any:
    pandas = peer("pandas")
    return pandas.Categorical.from_codes([0, 1, 0, -1], categories=labels(*values), ordered=True)


def test_a_series_of_objects_and_all_that_names_it() -> None:
    index = labels(UNFIT, "b", "b", 1, name="i\ud800")
    series = objects(UNFIT, None, float("nan"), ["z\ud800"], name="n\ud800", index=index)
    series.attrs = {"unit": UNFIT}
    assert paths(series) == ["name", "index.name", "index[0]", "array[0]", "array[3][0]", "attrs.unit"]
    scrubbed = check_scrubbed(series)
    assert scrubbed.tolist()[:2] == [FIT, None]
    assert scrubbed.isna().tolist() == [False, True, True, False]
    assert scrubbed.iloc[3] == ["z�"]
    assert (scrubbed.name, scrubbed.index.name, scrubbed.index.tolist()) == ("n�", "i�", [FIT, "b", "b", 1])
    assert (scrubbed.attrs, scrubbed.dtype) == ({"unit": FIT}, series.dtype)
    assert (series.name, series.iloc[0], series.index[0], series.attrs) == ("n\ud800", UNFIT, UNFIT, {"unit": UNFIT})
    assert series.iloc[3] == ["z\ud800"]


def test_a_series_of_strings_as_python_keeps_them() -> None:
    pandas = peer("pandas")
    series = pandas.Series(array_of(UNFIT, None, "é"), dtype=pandas.StringDtype("python"))
    assert paths(series) == ["array[0]"]
    scrubbed = check_scrubbed(series)
    assert scrubbed.dtype == series.dtype
    assert (scrubbed[0], scrubbed[1], scrubbed[2]) == (FIT, pandas.NA, "é")
    assert series[0] == UNFIT


def test_categories_are_read_once_and_renamed() -> None:
    pandas = peer("pandas")
    series = pandas.Series(categories(UNFIT, "q"))
    assert paths(series) == ["array.categories[0]"]
    scrubbed = check_scrubbed(series)
    assert scrubbed.tolist()[:3] == [FIT, "q", FIT]
    assert (list(scrubbed.cat.categories), scrubbed.cat.ordered) == ([FIT, "q"], True)
    index = pandas.CategoricalIndex(categories(UNFIT, "q"), name=UNFIT)
    assert paths(index) == ["name", "categories[0]"]
    assert (check_scrubbed(index).name, list(check_scrubbed(index).categories)) == (FIT, [FIT, "q"])
    assert series.cat.categories[0] == UNFIT


def test_an_index_of_several_levels() -> None:
    pandas = peer("pandas")
    index = pandas.MultiIndex(levels=[labels(UNFIT, "k"), [1, 2]], codes=[[0, 1], [0, 1]], names=["n\ud800", "m"])
    assert paths(index) == ["names[0]", "levels[0][0]"]
    scrubbed = check_scrubbed(index)
    assert (scrubbed.tolist(), list(scrubbed.names)) == ([(FIT, 1), ("k", 2)], ["n�", "m"])
    assert index.tolist()[0] == (UNFIT, 1)


@pytest.fixture
def frame() -> Any:
    pandas = peer("pandas")
    columns = {0: objects(UNFIT, {"k": UNFIT}, "é", None), 1: [1, 2, 3, 4], 2: categories("p", UNFIT), 3: list("abcd")}
    frame = pandas.DataFrame(columns)
    frame.columns = labels("text", "n\ud800", "text", "plain", name=UNFIT)
    frame.index = labels("r\ud800", "r\ud800", 1, 2)
    frame.attrs = {"title": [UNFIT]}
    return frame


def test_a_frame_with_columns_of_the_same_name(frame: Any) -> None:
    before = copy.deepcopy(frame)
    assert paths(frame) == [
        *("columns.name", "columns[1]", "index[0]", "index[1]", "attrs.title[0]"),
        *('["text"].array[0]', '["text"].array[1].k', '["text"].array.categories[1]'),
    ]
    scrubbed = check_scrubbed(frame)
    assert scrubbed.iloc[:, 0].tolist()[:3] == [FIT, {"k": FIT}, "é"]
    assert scrubbed.iloc[:, 2].tolist()[:3] == ["p", FIT, "p"]
    assert (scrubbed.columns.tolist(), scrubbed.columns.name) == (["text", "n�", "text", "plain"], FIT)
    assert (scrubbed.index.tolist(), scrubbed.attrs) == (["r�", "r�", 1, 2], {"title": [FIT]})
    assert [str(dtype) for dtype in scrubbed.dtypes][1:] == [str(dtype) for dtype in frame.dtypes][1:]
    assert scrubbed.iloc[:, 0].dtype == object
    peer("pandas").testing.assert_frame_equal(frame, before)


def test_records_of_a_scrubbed_frame_can_be_written(frame: Any) -> None:
    orjson = peer("orjson")
    frame = frame.iloc[:, [0, 1, 3]].reset_index(drop=True)
    records = scrub(frame, unknown="error").to_dict("records")
    assert orjson.loads(orjson.dumps(records))[:2] == [
        {"text": FIT, "n�": 1, "plain": "a"},
        {"text": {"k": FIT}, "n�": 2, "plain": "b"},
    ]


def test_a_frame_without_fault_is_the_very_same_object() -> None:
    pandas = peer("pandas")
    days = pandas.to_datetime(["2020-01-01", "2021-01-01"])
    frame = pandas.DataFrame(
        {"a": ["é", None], "n": [1, 2], "d": days, "p": days.to_period("D"), "c": pandas.Categorical(["x", "y"])}
    )
    frame["i"] = pandas.arrays.IntervalArray.from_breaks([0, 1, 2])
    frame["s"] = pandas.arrays.SparseArray([0, 1])
    frame["o"] = objects("漢", [1.5])
    assert scrub(frame, unknown="error") is frame
    scalars = [pandas.NA, pandas.NaT, days[0], pandas.Timedelta(1), days.to_period("D")[0], pandas.Interval(0, 1)]
    assert scrub(scalars, unknown="error") is scalars


@pytest.mark.parametrize("make", [labels, lambda *values: labels("k", *values)], ids=["all", "some"])
def test_labels_that_would_become_one_are_an_error_that_names_both(make: Any) -> None:
    obj = make(UNFIT, "x", "a\ud801")
    at = list(obj).index(UNFIT)
    with pytest.raises(ValueError, match=rf"^\[0\]\[{at}\] and \[0\]\[{at + 2}\] would become equal$"):
        scrub([obj])
    assert scrub(labels(UNFIT, UNFIT)).tolist() == [FIT, FIT]
    assert check_scrubbed(obj, errors="backslashreplace").tolist()[at] == r"a\ud800"


def test_labels_of_any_type_that_would_become_one_are_an_error() -> None:
    pandas = peer("pandas")
    tuples = pandas.Index([("k", UNFIT), ("k", "a\ud801"), pandas.NA, [UNFIT]], dtype=object, tupleize_cols=False)
    with pytest.raises(ValueError, match=r"^\[0\] and \[1\] would become equal$"):
        scrub(tuples)
    categorical = pandas.Categorical.from_codes([0, 1], tuples[:2])
    with pytest.raises(ValueError, match=r"^categories\[0\] and categories\[1\] would become equal$"):
        scrub(categorical)
    assert check_scrubbed(tuples[1:]).tolist() == [("k", FIT), pandas.NA, [FIT]]
    assert scrub(tuples[[0, 0]]).tolist() == [("k", FIT)] * 2


def test_categories_that_would_become_one_are_an_error() -> None:
    with pytest.raises(ValueError, match="would become equal"):
        scrub(categories(UNFIT, "a\ud801"))


# --- polars -----------------------------------------------------------------------------------------------------------


def test_objects_in_polars() -> None:
    polars = peer("polars")
    series = polars.Series("o", [UNFIT, {"k": UNFIT}, None, 3], dtype=polars.Object)
    assert paths(series) == ["[0]", "[1].k"]
    assert check_scrubbed(series).to_list() == [FIT, {"k": FIT}, None, 3]
    frame = polars.DataFrame([series, polars.Series("t", ["é"] * 4)])
    assert paths(frame) == ['["o"][0]', '["o"][1].k']
    scrubbed = check_scrubbed(frame)
    assert scrubbed["o"].to_list() == [FIT, {"k": FIT}, None, 3]
    assert (scrubbed["t"].to_list(), scrubbed.columns) == (["é"] * 4, ["o", "t"])
    assert series.to_list()[0] == UNFIT


def test_text_in_polars_is_utf_8_already() -> None:
    polars = peer("polars")
    frame = polars.DataFrame({"t": ["é"], "l": [["a"]], "s": [{"a": "b"}], "n": [1]})
    assert scrub(frame, unknown="error") is frame
    assert [fault.kind for _, fault in scrub_report(frame.lazy())] == ["unexamined"]


def test_arrow_is_not_examined_and_that_is_said() -> None:
    peer("pyarrow")
    array = importlib.import_module("pyarrow").array(["a"])
    ((_, fault),) = scrub_report(array)
    assert (fault.kind, str(fault)) == ("unexamined", "$ (pyarrow.lib.StringArray) was not examined and may hold text")
    assert eightfold.scrub_report(array.to_pylist()) == []
