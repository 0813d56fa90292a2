"""The doors to polars, pandas and DuckDB, with the real packages and with text that these cannot show."""

from __future__ import annotations

import importlib
import pickle
import sys
from types import SimpleNamespace
from typing import Any

import pytest

import eightfold
from eightfold import columns
from support.arrow_arrays import array_of, bytes_of

pa: Any = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'eightfold[arrow]'")

BAD = [b"ok", b"caf\xe9", None, b"\xed\xa0\xbd in something longer", b"ok"]
ESCAPED = ["ok", "caf\uefe9", None, "\uefed\uefa0\uefbd in something longer", "ok"]
VERDICTS = [True, False, None, False, True]


# --- polars -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def polars() -> Any:
    found = pytest.importorskip("polars", reason="polars is not installed: pip install 'eightfold[dev]'")
    importlib.import_module("eightfold.columns.polars")

    return found


@pytest.mark.parametrize("dtype", ["String", "Binary"])
def test_polars_expressions(polars: Any, dtype: str) -> None:
    series = polars.from_arrow(array_of(pa, pa.string(), BAD)).alias("x")
    frame = polars.DataFrame([series]).with_columns(polars.col("x").cast(getattr(polars, dtype)))
    name = polars.col("x").eightfold
    for given in (frame, frame.lazy()):
        chosen = given.select(ok=name.is_well_formed(), x=name.repair())
        found = chosen.collect() if isinstance(chosen, polars.LazyFrame) else chosen
        assert found.schema == {"ok": polars.Boolean, "x": getattr(polars, dtype)}
        assert found["ok"].to_list() == VERDICTS
        assert found["x"].cast(polars.String).to_list() == ESCAPED
    streamed = frame.lazy().select(name.repair("replace")).collect(engine="streaming")
    assert streamed["x"].cast(polars.String).to_list()[1] == "caf�"
    cut = polars.DataFrame({"x": [b"\xed\xa0\xbd\xed\xb8\x80"]}).select(name.convert("cesu-8", "utf-8"))
    assert cut["x"].to_list() == ["😀".encode()]


def test_polars_frames(polars: Any) -> None:
    from eightfold.columns import polars as door

    nested = pa.array([["ok"], [], None, ["x"], ["y"]])
    table = pa.table({"x": array_of(pa, pa.large_string(), BAD), "n": range(5), "l": nested})
    frame = polars.DataFrame(table)
    fixed = door.repair(frame)
    assert fixed.schema == frame.schema
    assert (fixed["x"].to_list(), fixed["n"].to_list(), fixed["l"].to_list()) == (
        ESCAPED,
        [0, 1, 2, 3, 4],
        nested.to_pylist(),
    )
    assert door.repair(frame.lazy()).collect().equals(fixed)
    assert door.repair(frame.lazy().filter(polars.col("n") > 1)).collect()["x"].to_list() == ESCAPED[2:]
    for given in (frame, frame.lazy()):
        assert door.audit(given)["row"].to_list() == [1, 3]
    assert door.audit(frame, limit=1).height == 1
    assert frame["x"].eightfold.audit()["column"].to_list() == ["x", "x"]
    with pytest.raises(eightfold.ConversionError):
        door.repair(frame, "strict")


def test_polars_integers_of_128_bits_have_no_text(polars: Any) -> None:
    module = importlib.import_module("eightfold.columns.polars")
    wide = polars.Series("n", [1, None], dtype=polars.Int128)
    frame = polars.DataFrame([wide, polars.Series("t", [b"ok", b"\xff"])])
    assert module.audit(frame)["column"].to_list() == ["t"]
    assert module.repair(frame, "latin-1").rows() == [(1, b"ok"), (None, b"\xc3\xbf")]
    inside = polars.DataFrame(
        {"s": [{"n": 1, "t": "x"}]}, schema={"s": polars.Struct({"n": polars.Int128, "t": polars.String})}
    )
    for verb in (module.audit, module.repair):
        with pytest.raises(TypeError, match=r"column s, Struct.*Int128"):
            verb(inside)


def test_polars_objects_are_not_read_by_their_addresses(polars: Any) -> None:
    objects = polars.Series("o", [object(), b"caf\xe9"], dtype=polars.Object)
    for verb in (columns.audit, columns.repair, columns.is_well_formed):
        with pytest.raises(TypeError, match="column 'o' holds Python objects"):
            verb(objects)
    with pytest.raises(TypeError, match="column 'o' holds Python objects"):
        columns.audit(polars.DataFrame([objects, polars.Series("t", ["ok", ""])]))


def test_polars_names_with_a_null_character_do_not_end_the_process(polars: Any) -> None:
    door = importlib.import_module("eightfold.columns.polars")
    frame = polars.DataFrame({"a\0b": [b"\xff"]})
    (fault,) = door.audit(frame).rows(named=True)
    assert (fault["column"], fault["row"]) == ('"a\\u0000b"', 0)
    assert door.repair(frame, "replace").rows(named=True) == [{"a\0b": "�".encode()}]
    series = frame["a\0b"]
    assert series.eightfold.is_well_formed().to_list() == [False]
    with pytest.raises(TypeError, match=r"^column wide, Int128: "):
        polars.Series("wide", [1], dtype=polars.Int128).eightfold.is_well_formed()
    assert series.eightfold.convert("utf-8", "utf-16-be", "replace").rename("").equals(polars.Series([b"\xff\xfd"]))
    inside = polars.DataFrame({"s": [[{"a\0b": "x"}]]})
    for given in (frame, series, inside):
        for verb in (columns.audit, columns.repair):
            with pytest.raises(ValueError, match=r"the name 'a\\x00b' has a null character"):
                verb(given)
    for verb in (door.audit, door.repair):
        with pytest.raises(ValueError, match=r"the name 'a\\x00b' has a null character"):
            verb(inside)


def test_polars_names_the_column_that_cannot_be_repaired(polars: Any) -> None:
    frame = polars.DataFrame({"a.b": [b"ok", b"\xff"]})
    for repair in (
        lambda: importlib.import_module("eightfold.columns.polars").repair(frame, "strict"),
        lambda: frame["a.b"].eightfold.repair("strict"),
    ):
        with pytest.raises(eightfold.ConversionError) as caught:
            repair()
        assert caught.value.__notes__ == ['column "a.b", row 1']


def test_a_key_may_not_be_called_like_a_column_of_the_report() -> None:
    from eightfold.columns.batches import audit_of

    for key in ("row", "Row"):
        with pytest.raises(ValueError, match=f"the report has a column '{key}' of its own"):
            audit_of("utf-8", [key], [key, "name"], binary=False)


def test_polars_objects_are_left_alone(polars: Any) -> None:
    module = importlib.import_module("eightfold.columns.polars")
    objects = [object(), b"caf\xe9", None]
    frame = polars.DataFrame({"a": polars.Series(objects, dtype=polars.Object), "b": [b"ok", b"caf\xe9", None]})
    assert module.audit(frame)["column"].to_list() == ["b"]
    assert module.audit(frame.select("a")).height == 0
    repaired = module.repair(frame, "latin-1")
    assert repaired["a"].to_list() == objects
    assert repaired["b"].to_list() == [b"ok", b"caf\xc3\xa9", None]
    namespace = frame["a"].eightfold
    for work in (namespace.is_well_formed, lambda: namespace.convert("utf-8", "wtf-8")):
        with pytest.raises(TypeError, match="not of Python objects"):
            work()


def test_polars_enums_get_other_categories(polars: Any) -> None:
    from eightfold.columns import polars as door

    before, after = polars.Enum(["caf\uefe9", "b"]), polars.Enum(["caf\uefee\uefbf\uefa9", "b"])
    values = {"e": "caf\uefe9", "l": ["caf\uefe9", None], "s": {"x": "caf\uefe9"}, "a": ["b", "caf\uefe9"]}

    def types(enum: Any) -> dict[str, Any]:
        return {"e": enum, "l": polars.List(enum), "s": polars.Struct({"x": enum}), "a": polars.Array(enum, 2)}

    frame = polars.DataFrame([values, dict.fromkeys(values)], schema=types(before))
    repaired, new = door.repair(frame), after.categories[0]
    assert repaired.schema == types(after)
    assert repaired.row(0) == (new, [new, None], {"x": new}, ["b", new])
    assert door.repair(frame, "replace").equals(frame)
    with pytest.raises(polars.exceptions.PolarsError):
        door.repair(frame.lazy()).collect()


def test_polars_enums_stay_if_only_categories_would_change_that_no_value_has(polars: Any) -> None:
    from eightfold.columns import polars as door

    enum = polars.Enum(["caf\uefe9", "b"])
    frame = polars.DataFrame([["b", ["b", None]]], schema={"e": enum, "l": polars.List(enum)}, orient="row")
    for repaired in (door.repair(frame), door.repair(frame.lazy()).collect()):
        assert repaired.schema == frame.schema
        assert repaired.equals(frame)


def test_polars_categories_and_structs(polars: Any) -> None:
    from eightfold.columns import polars as door

    dictionary = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 0], pa.uint32()), array_of(pa, pa.string(), [b"ok", b"fine"])
    )
    struct = pa.StructArray.from_arrays([array_of(pa, pa.string(), [b"a", b"\xff", b"b"])], ["s"])
    frame = polars.DataFrame(pa.table({"d": dictionary, "s": struct}))
    fixed = door.repair(frame)
    assert fixed.schema == frame.schema
    assert fixed["s"].to_list() == [{"s": "a"}, {"s": "\uefff"}, {"s": "b"}]
    assert fixed["d"].to_list() == ["ok", "fine", "ok"]


# --- pandas -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def pandas() -> Any:
    found = pytest.importorskip("pandas", reason="pandas is not installed: pip install 'eightfold[dev]'")
    importlib.import_module("eightfold.columns.pandas")

    return found


def of_arrow(pandas: Any, kind: str) -> Any:
    """Return ill-formed text as a series of a type that Arrow stores."""
    array = array_of(pa, pa.large_string(), BAD)
    if kind == "str":
        if not hasattr(pandas.Series, "from_arrow"):
            pytest.skip("this pandas has no Series.from_arrow")
        series = pandas.Series.from_arrow(array)
    else:
        series = pandas.Series(pandas.arrays.ArrowExtensionArray(pa.chunked_array([array])))
    series.index, series.name = [10, 20, 30, 40, 50], "x"
    return series


@pytest.mark.parametrize("kind", ["str", "arrow"])
def test_pandas_types_of_arrow(pandas: Any, kind: str) -> None:
    series = of_arrow(pandas, kind)
    with pytest.raises((UnicodeDecodeError, pa.ArrowException)):
        series.tolist()
    verdicts = series.eightfold.is_well_formed()
    assert [None if verdict is pandas.NA else verdict for verdict in verdicts.tolist()] == VERDICTS
    fixed = series.eightfold.repair()
    assert (fixed.dtype, list(fixed.index), fixed.name) == (series.dtype, list(series.index), "x")
    assert [None if pandas.isna(value) else value for value in fixed.tolist()] == ESCAPED
    assert series.eightfold.audit()[["column", "row"]].values.tolist() == [["x", 1], ["x", 3]]
    assert fixed.eightfold.repair("replace") is fixed


@pytest.mark.parametrize("kind", ["str", "arrow"])
def test_pandas_is_read_by_buffers_before_its_series_give_streams(
    pandas: Any, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in pandas 2.2 and 2.3; pyarrow then asks a series for each value.
    monkeypatch.delattr(pandas.Series, "__arrow_c_stream__", raising=False)
    series = of_arrow(pandas, kind)
    assert series.eightfold.audit()["row"].tolist() == [1, 3]
    assert series.eightfold.is_well_formed().isna().tolist() == [False, False, True, False, False]
    fixed = series.eightfold.repair()
    assert (fixed.dtype, fixed.dropna().tolist()) == (series.dtype, list(filter(None, ESCAPED)))
    categories = pandas.Index([b"ok", b"caf\xff"], dtype=pandas.ArrowDtype(pa.binary()))
    assert categorical(pandas, categories).eightfold.audit()["row"].tolist() == [1, 3]


def test_pandas_text_of_arrow_keeps_its_type(pandas: Any) -> None:
    for dtype in ("string[pyarrow]", "str", pandas.ArrowDtype(pa.string())):
        series = pandas.Series(["ok", "\uef80", None], dtype=dtype)
        fixed = series.eightfold.repair()
        assert (fixed.dtype, fixed.dropna().tolist()[:2]) == (series.dtype, ["ok", "\uefee\uefbe\uef80"])


def test_pandas_surrogates_that_arrow_cannot_hold_are_blamed_on_their_column(pandas: Any) -> None:
    text = pandas.Series(["ok", "cut \ud83d"], dtype=object, name="s")
    frame = pandas.DataFrame({"id": [1, 2], "ok": ["a", "b"], "s": text})
    for verb in (columns.audit, columns.repair):
        with pytest.raises(
            ValueError, match=r"column 's' has a surrogate, U\+D83D, .* use \.eightfold of eightfold"
        ) as it:
            verb(frame)
        assert type(it.value) is ValueError
    with pytest.raises(ValueError, match="the index or the name of a column has a surrogate"):
        columns.audit(frame[["id"]].set_axis(pandas.Index(["\ud83d"], dtype=object), axis=1))
    if hasattr(text, "__arrow_c_stream__"):
        for verb in (columns.audit, columns.repair, columns.is_well_formed):
            with pytest.raises(ValueError, match="column 's' has a surrogate"):
                verb(text)


def test_pandas_objects(pandas: Any) -> None:
    values = ["ok", "cut \ud83d", b"caf\xe9", None, 3, "\ud83d\ude00", float("nan"), "\uefff"]
    series = pandas.Series(values, dtype=object, index=list("abcdefgh"))
    assert series.eightfold.is_well_formed().fillna(True).tolist() == [
        True,
        False,
        False,
        True,
        True,
        False,
        True,
        True,
    ]
    replaced = series.eightfold.repair("replace")
    assert replaced.tolist()[:6] == ["ok", "cut �", "caf�".encode(), None, 3, "😀"]
    assert replaced.iloc[0] is values[0]
    assert series.eightfold.repair().iloc[7] == "\uefee\uefbf\uefbf"
    report = series.eightfold.audit()
    assert report[["row", "start", "kind"]].values.tolist() == [
        [1, 4, "surrogate"],
        [2, 3, "truncated"],
        [5, 0, "surrogate"],
        [5, 3, "surrogate"],
    ]
    clean = pandas.Series(["ok", None], dtype=object)
    assert clean.eightfold.repair() is clean


def test_pandas_frames(pandas: Any) -> None:
    series = of_arrow(pandas, "arrow")
    frame = pandas.DataFrame({"n": range(5)})
    frame.index = series.index
    frame["text"], frame["day"] = series, pandas.date_range("2026-01-01", periods=5)
    frame["o"] = pandas.Series(["a", "b\ud800", "c", None, "d"], dtype=object, index=series.index)
    frame[("tuple", 1)] = pandas.Series([b"\xff"] * 5, dtype=object, index=series.index)
    report = frame.eightfold.audit()
    assert list(dict.fromkeys(report["column"])) == ["text", "o", "\"('tuple', 1)\""]
    fixed = frame.eightfold.repair("replace")
    assert list(fixed.dtypes) == list(frame.dtypes)
    assert fixed["o"].tolist() == ["a", "b�", "c", None, "d"]
    assert fixed["text"].tolist()[1] == "caf�"
    assert len(fixed.eightfold.audit()) == 0
    assert pandas.DataFrame({"n": [1]}).eightfold.audit().empty
    assert list(pandas.DataFrame().eightfold.repair().columns) == []


def test_pandas_objects_are_audited_in_the_order_of_rows(pandas: Any) -> None:
    found = pandas.Series([b"\xff", "\ud800\ud801", b"\xfe", "\udfff"], dtype=object).eightfold.audit()
    assert list(zip(found["row"], found["start"], strict=True)) == [(0, 0), (1, 0), (1, 3), (2, 0), (3, 0)]


def test_pandas_sparse_objects_are_read(pandas: Any) -> None:
    given = pandas.Series(["a\ud83d", b"\xff", "", "ok"], dtype=pandas.SparseDtype(object, fill_value=""), name="s")
    assert given.eightfold.is_well_formed().tolist() == [False, False, True, True]
    assert given.eightfold.audit()[["column", "row"]].values.tolist() == [["s", 0], ["s", 1]]
    repaired = given.eightfold.repair("replace")
    assert (repaired.dtype, repaired.tolist()) == (given.dtype, ["a\ufffd", b"\xef\xbf\xbd", "", "ok"])


@pytest.mark.parametrize("values", [["ok", "\ud800"], [b"ok", b"\xff"]], ids=["text", "bytes"])
def test_pandas_names_the_column_that_cannot_be_repaired(pandas: Any, values: list[Any]) -> None:
    frame = pandas.DataFrame({"a.b": pandas.Series(values, dtype=object)})
    for given in (frame, frame["a.b"]):
        with pytest.raises(eightfold.ConversionError) as caught:
            given.eightfold.repair("strict")
        assert caught.value.__notes__ == ['column "a.b", row 1']
    made = pandas.Categorical.from_codes([1], categories=pandas.Index(values, dtype=object))
    with pytest.raises(eightfold.ConversionError) as caught:
        pandas.DataFrame({"a.b": made}).eightfold.repair("strict")
    assert caught.value.__notes__ == ['column "a.b", row 1', "the rows are those of the categories"]
    arrow = frame["a.b"].rename(None)
    with pytest.raises(eightfold.ConversionError) as caught:
        arrow.eightfold.repair("strict")
    assert caught.value.__notes__ == ["row 1"]
    assert arrow.eightfold.audit()["column"].unique().tolist() == ['""']


def test_pandas_columns_without_text(pandas: Any) -> None:
    for values in (
        [1, None],
        [True, None],
        pandas.period_range("2020", periods=2),
        pandas.date_range("2020", periods=2),
    ):
        given = pandas.Series(values).convert_dtypes()
        assert given.eightfold.is_well_formed().isna().tolist() == [True, True]
        assert given.eightfold.repair() is given
        assert given.eightfold.audit().empty


def test_pandas_attributes_are_kept(pandas: Any) -> None:
    for values, dtype in ((["cut \ud83d"], object), ([b"\xff"], object), ([b"\xff"], "category")):
        given = pandas.Series(values, dtype=dtype, name="n").set_flags(allows_duplicate_labels=False)
        given.attrs["unit"] = "m"
        repaired = given.eightfold.repair("replace")
        assert repaired is not given
        assert (repaired.attrs, repaired.flags, repaired.name) == ({"unit": "m"}, given.flags, "n")


def test_pandas_refuses_a_wrong_policy_whatever_the_columns_hold(pandas: Any) -> None:
    frame = pandas.DataFrame({"n": [1]})
    for given in (frame, frame["n"], frame.iloc[:, :0]):
        with pytest.raises(ValueError, match="errors must be one of"):
            given.eightfold.repair("nonsense")


def test_pandas_categories(pandas: Any) -> None:
    series = pandas.Series(["a", "b", "a"], dtype="category")
    frame = pandas.DataFrame({"c": series})
    assert frame.eightfold.audit().empty
    assert frame.eightfold.repair()["c"].tolist() == ["a", "b", "a"]


def categorical(pandas: Any, categories: Any, **options: Any) -> Any:
    """Return a categorical series of the categories 0, 1, none, 1; others are unused."""
    made = pandas.Categorical.from_codes([0, 1, -1, 1], categories=categories, **options)
    return pandas.Series(made, index=list("abcd"), name="c")


@pytest.mark.parametrize("kind", ["bytes", "surrogates", "arrow"])
def test_pandas_categories_are_examined_and_repaired(pandas: Any, kind: str) -> None:
    values = ["ok", "caf\ud800"] if kind == "surrogates" else [b"ok", b"caf\xff"]
    categories = pandas.Index(values, dtype=pandas.ArrowDtype(pa.binary()) if kind == "arrow" else object)
    series = categorical(pandas, categories, ordered=True)
    verdicts = series.eightfold.is_well_formed()
    assert [None if verdict is pandas.NA else verdict for verdict in verdicts.tolist()] == [True, False, None, False]
    assert list(verdicts.index) == list("abcd")
    report = series.eightfold.audit()[["column", "row", "start"]].drop_duplicates(["row"]).values.tolist()
    assert report == [["c", 1, 3], ["c", 3, 3]]
    fixed = series.eightfold.repair("replace")
    assert fixed.isna().tolist() == [False, False, True, False]
    assert [each if isinstance(each, str) else each.decode() for each in fixed.dropna()] == ["ok", "caf�", "caf�"]
    assert (fixed.dtype.ordered, fixed.dtype.categories.dtype) == (True, categories.dtype)
    assert (list(fixed.index), fixed.name) == (list("abcd"), "c")
    assert series.cat.codes.tolist() == fixed.cat.codes.tolist()
    frame = pandas.DataFrame({"c": series, "n": range(4)})
    assert frame.eightfold.audit()["row"].drop_duplicates().tolist() == [1, 3]
    assert frame.eightfold.repair("replace")["c"].equals(fixed)
    assert fixed.eightfold.repair("replace") is fixed
    with pytest.raises(eightfold.ConversionError) as caught:
        series.eightfold.repair("strict")
    assert "the rows are those of the categories" in caught.value.__notes__


def test_pandas_categories_that_become_equal_become_one(pandas: Any) -> None:
    values = [b"\xff", b"\xfe", "a\ud800", b"b", 7]
    categories = pandas.Index(values, dtype=object)
    made = pandas.Categorical.from_codes([4, 1, 0, -1, 3, 2, 1], categories=categories, ordered=True)
    fixed = pandas.Series(made).eightfold.repair("replace")
    assert list(fixed.dtype.categories) == ["�".encode(), "a�", b"b", 7]
    assert (fixed.cat.codes.tolist(), fixed.dtype.ordered) == ([3, 0, 0, -1, 2, 1, 0], True)


def test_pandas_categories_that_are_unused_are_repaired_but_no_fault(pandas: Any) -> None:
    series = categorical(pandas, pandas.Index([b"a", b"b", b"\xff"], dtype=object))
    assert series.eightfold.audit().empty
    assert series.eightfold.is_well_formed().dropna().all()
    assert list(series.eightfold.repair("replace").dtype.categories) == [b"a", b"b", "�".encode()]


def test_pandas_categories_that_look_like_escapes(pandas: Any) -> None:
    series = categorical(pandas, pandas.Index(["a", "\uef80"], dtype="str"))
    assert series.eightfold.audit().empty
    assert series.eightfold.is_well_formed().dropna().all()
    fixed = series.eightfold.repair()
    assert fixed.dropna().tolist() == ["a", "\uefee\uefbe\uef80", "\uefee\uefbe\uef80"]
    assert fixed.dtype.categories.dtype == series.dtype.categories.dtype


def test_pandas_categories_that_are_no_text_or_none_at_all(pandas: Any) -> None:
    for series in (
        categorical(pandas, [10, 20]),
        categorical(pandas, pandas.to_datetime(["2026-01-01", "2026-01-02"])),
        pandas.Series([None, None], dtype=pandas.CategoricalDtype(pandas.Index([], dtype=object))),
        pandas.Series([None, None], dtype=pandas.CategoricalDtype(pandas.Index([], dtype="str"))),
        pandas.Series([], dtype="category"),
    ):
        assert series.eightfold.is_well_formed().isna().all()
        assert series.eightfold.audit().empty
        assert series.eightfold.repair() is series
        assert pandas.DataFrame({"c": series}).eightfold.repair()["c"].equals(series)


# --- Ray --------------------------------------------------------------------------------------------------------------


class PickledType(pa.ExtensionType):  # type: ignore[misc]
    """Objects as Ray stores those that Arrow cannot hold, for instance a str with a surrogate."""

    def __init__(self) -> None:
        super().__init__(pa.large_binary(), "ray.data.arrow_pickled_object")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: Any, serialized: bytes) -> Any:
        return cls()


def test_objects_that_ray_has_pickled_are_refused_and_named() -> None:
    from eightfold.columns.batches import Audit, Repair

    stored = pa.array([pickle.dumps("caf\ud83d"), pickle.dumps("ok")], pa.large_binary())
    pickled = pa.ExtensionArray.from_storage(PickledType(), stored)
    table = pa.table({"id": [1, 2], "s": pickled})
    for binary in (True, False):
        for work in (
            lambda: columns.audit(table, binary=binary),
            lambda: columns.repair(table, "strict", binary=binary),
            lambda: Audit(binary=binary, keys=("id",)).report(table),
            lambda: Repair("strict", binary=binary).repaired(table),
        ):
            with pytest.raises(TypeError, match=r"^column s: .*ray\.data\.arrow_pickled_object.* encode or scrub them"):
                work()
    for verb in (columns.is_well_formed, lambda array: columns.convert(array, "utf-8", "wtf-8")):
        with pytest.raises(TypeError, match="pickled Python objects"):
            verb(pickled)
    inside = pa.StructArray.from_arrays([pickled], ["o"])
    with pytest.raises(TypeError, match=r"^column t: .* encode or scrub them"):
        columns.audit(pa.table({"t": inside}))


def test_ray_datasets_without_rows_and_schema_have_an_empty_report() -> None:
    from eightfold.columns import ray as door

    class Dataset:
        def columns(self) -> None:
            return None

        def map_batches(self, work: Any, **options: Any) -> Any:
            return work.__self__

    assert door.audit(Dataset(), keys=["id"]).keys == ("id",)
    with pytest.raises(ValueError, match="a key is given twice"):
        door.audit(Dataset(), keys=["id", "id"])


class StructType(list[Any]):
    """What stands for Spark's type: the fields as they are written."""

    fromDDL = staticmethod(lambda ddl: SimpleNamespace(fields=ddl.split(", ")))  # noqa: N815


def test_the_report_in_spark_has_the_columns_of_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    from eightfold.columns import spark as door

    types = SimpleNamespace(StructType=StructType)
    monkeypatch.setitem(sys.modules, "pyspark.sql.types", types)
    frame = SimpleNamespace(columns=[], schema=SimpleNamespace(fields=[]), mapInArrow=lambda *given: given)
    work, declared = door.audit(frame)
    (batch,) = work([pa.record_batch({"x": array_of(pa, pa.string(), BAD)})])
    names = {pa.string(): "string", pa.int64(): "bigint", pa.binary(): "binary", pa.bool_(): "boolean"}
    assert declared == [
        f"{field.name} {names[field.type]}{'' if field.nullable else ' not null'}" for field in batch.schema
    ]


# --- DuckDB -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def connection() -> Any:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install 'eightfold[dev]'")
    from eightfold.columns.duckdb import register

    with duckdb.connect() as opened:
        yield register(opened)


def test_duckdb_functions(connection: Any) -> None:
    connection.register("given", pa.table({"x": array_of(pa, pa.string(), BAD), "n": range(5)}))
    query = "SELECT ef_is_well_formed(encode(x)), decode(ef_repair(encode(x))) FROM given ORDER BY n"
    assert connection.sql(query).fetchall() == list(zip(VERDICTS, ESCAPED, strict=True))
    assert connection.sql("SELECT n FROM given WHERE NOT ef_is_well_formed(encode(x))").fetchall() == [(1,), (3,)]


def test_duckdb_gives_what_it_read_to_the_verbs(connection: Any) -> None:
    connection.register("given", pa.table({"x": array_of(pa, pa.string(), BAD)}))
    relation = connection.sql("SELECT x FROM given")
    assert columns.audit(relation)["row"].to_pylist() == [1, 3]
    assert columns.repair(connection.sql("SELECT x FROM given"))["x"].to_pylist() == ESCAPED


def test_duckdb_functions_on_many_rows(connection: Any) -> None:
    query = (
        "SELECT count(*), count(*) FILTER (ef_is_well_formed(b)) FROM (SELECT CASE WHEN i % 500 = 0 THEN '\\xFF'::BLOB"
    )
    assert connection.sql(f"{query} ELSE 'abc'::BLOB END AS b FROM range(10000) t(i))").fetchall() == [(10000, 9980)]


def test_duckdb_registers_again(connection: Any) -> None:
    from eightfold.columns.duckdb import register

    assert register(connection, "replace") is connection
    assert connection.sql("SELECT ef_repair('\\xFF'::BLOB)").fetchall() == [("�".encode(),)]
    with pytest.raises(ValueError, match="errors must be one of"):
        register(connection, "no")


def test_duckdb_functions_come_back_with_a_transaction_that_is_rolled_back(connection: Any) -> None:
    from eightfold.columns.duckdb import register

    for _ in range(20):
        connection.begin()
        register(connection, "replace")
        connection.rollback()
        found = connection.sql("SELECT ef_repair(x'FF'::BLOB), ef_is_well_formed(x'FF'::BLOB)").fetchall()
        assert found == [("\uefff".encode(), False)]


# --- others -----------------------------------------------------------------------------------------------------------


def test_other_libraries_with_capsules() -> None:
    nanoarrow = pytest.importorskip("nanoarrow", reason="nanoarrow is not installed: pip install 'eightfold[dev]'")
    array = nanoarrow.c_array(array_of(pa, pa.string(), BAD))
    assert columns.is_well_formed(array).to_pylist() == VERDICTS
    assert bytes_of(pa, columns.repair(array)) == [None if value is None else value.encode() for value in ESCAPED]


def test_reports_are_plain_tables() -> None:
    report = columns.audit(pa.table({"x": array_of(pa, pa.string(), BAD)}))
    assert pickle.loads(pickle.dumps(report)).equals(report)
    assert [str(placed.fault) for placed in columns.faults_of(report)] == [
        "sequence E9 is cut short by the end of the input",
        "surrogate U+D83D (ED A0 BD), which utf-8 cannot hold",
    ]
