"""Ill-formed TEXT in databases of SQLite: found with its row, repaired in one transaction, and nothing else touched."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import eightfold
from eightfold.columns import sqlite
from support.command_line import run as run_command


def made(folder: Path, *statements: str) -> Path:
    """Return a database in which statements were run."""
    path = folder / "a database?#%.db"
    run(path, *statements)
    return path


def run(path: Path, *statements: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        rows: list[Any] = []
        for statement in statements:
            rows = connection.execute(statement).fetchall()
        connection.commit()
        return rows


def places(found: Sequence[Any]) -> list[tuple[str, str, Any]]:
    return [(each.table, each.column, each.key) for each in found]


BAD = "CAST(x'636166E9' AS TEXT)"


def test_what_sqlite3_refuses_is_found_and_repaired(tmp_path: Path) -> None:
    path = made(
        tmp_path, "CREATE TABLE t (a TEXT, b)", f"INSERT INTO t VALUES ('ok', 1), ({BAD}, x'FF'), (NULL, {BAD})"
    )
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.OperationalError, match="decode to UTF-8"):
        connection.execute("SELECT a FROM t").fetchall()
    assert places(sqlite.audit(path)) == [("t", "a", (2,)), ("t", "b", (3,))]
    assert sqlite.audit(path)[0].fault == next(eightfold.faults(b"caf\xe9", "utf-8"))
    assert places(sqlite.audit(path, limit=1)) == [("t", "a", (2,))]
    changes = sqlite.repair(path)
    assert [(change.key, change.before, change.after) for change in changes] == [
        ((2,), b"caf\xe9", "caf\uefe9"),
        ((3,), b"caf\xe9", "caf\uefe9"),
    ]
    assert sqlite.audit(path) == []
    assert run(path, "SELECT a, b FROM t")[1] == ("caf\uefe9".encode(), b"\xff")


def test_a_limit_counts_the_faults_of_all_values(tmp_path: Path) -> None:
    bad = "CAST(x'FF61FF' AS TEXT)"
    tables = [f"CREATE TABLE {name} (a TEXT, b TEXT)" for name in "tu"]
    path = made(tmp_path, *tables, *(f"INSERT INTO {name} VALUES ({bad}, {bad})" for name in "tu"))
    whole = sqlite.audit(path)
    assert len(whole) == 8
    for limit in range(10):
        assert sqlite.audit(path, limit=limit) == whole[:limit]


def test_escapes_are_escaped_and_come_back(tmp_path: Path) -> None:
    path = made(tmp_path, "CREATE TABLE t (a)", "INSERT INTO t VALUES ('\uefff')", f"INSERT INTO t VALUES ({BAD})")
    sqlite.repair(path)
    stored = [value for (value,) in run(path, "SELECT a FROM t")]
    assert [eightfold.convert(value, "utf-8", "xtf-8") for value in stored] == ["\uefff".encode(), b"caf\xe9"]


@pytest.mark.parametrize("errors", ["replace", "latin-1", "cp1252"])
def test_policies(tmp_path: Path, errors: str) -> None:
    path = made(tmp_path, "CREATE TABLE t (a)", f"INSERT INTO t VALUES ({BAD})")
    assert sqlite.repair(path, errors)[0].after == eightfold.repair.repair(b"caf\xe9", errors=errors).decode()


def test_a_policy_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = made(tmp_path, "CREATE TABLE t (a)", f"INSERT INTO t VALUES (CAST(x'EDA0BDEDB880' AS TEXT)), ({BAD})")
    before = path.read_bytes()
    with pytest.raises(eightfold.ConversionError) as raised:
        sqlite.repair(path, "pairs")
    assert raised.value.__notes__ == ["table t, column a, row (2,)"]
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match="errors must be one of escape"):
        sqlite.repair(path, "surrogateescape")


def test_names_are_quoted(tmp_path: Path) -> None:
    path = made(
        tmp_path,
        'CREATE TABLE "select ""x"" -- ;" ("a b" TEXT, "from" TEXT, "rowid" TEXT)',
        f'INSERT INTO "select ""x"" -- ;" VALUES (\'ok\', {BAD}, {BAD})',
    )
    assert places(sqlite.repair(path)) == [('select "x" -- ;', "from", (1,)), ('select "x" -- ;', "rowid", (1,))]
    assert sqlite.audit(path) == []


def test_tables_without_rowid_and_keys_that_are_ill_formed(tmp_path: Path) -> None:
    path = made(
        tmp_path,
        "CREATE TABLE t (a TEXT, n INT, b TEXT, PRIMARY KEY (n, a)) WITHOUT ROWID",
        f"INSERT INTO t VALUES ({BAD}, 1, {BAD}), ('ok', 1, 'ok'), (x'E9', 2, {BAD}), ({BAD}, 1.5, 'ok')",
    )
    assert places(sqlite.audit(path))[0] == ("t", "a", (1, "caf\\xe9"))
    assert len(sqlite.repair(path, "latin-1")) == 4
    assert sqlite.audit(path) == []
    assert run(path, "SELECT b, a FROM t WHERE n = 1 AND a = 'café'") == [("café".encode(),) * 2]
    assert run(path, "SELECT a FROM t WHERE n = 2") == [(b"\xe9",)]


def test_keys_of_which_several_columns_are_ill_formed(tmp_path: Path) -> None:
    path = made(
        tmp_path,
        "CREATE TABLE t (a TEXT, b TEXT, c TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID",
        "INSERT INTO t VALUES (CAST(x'61FF' AS TEXT), CAST(x'62FE' AS TEXT), CAST(x'63FD' AS TEXT))",
    )
    assert [(each.column, each.key, each.after) for each in sqlite.repair(path)] == [
        ("a", ("a\\xff", "b\\xfe"), "a\uefff"),
        ("b", ("a\\xff", "b\\xfe"), "b\ueffe"),
        ("c", ("a\\xff", "b\\xfe"), "c\ueffd"),
    ]
    assert sqlite.audit(path) == []
    assert run(path, "SELECT a, b, c FROM t") == [("a\uefff".encode(), "b\ueffe".encode(), "c\ueffd".encode())]


def test_the_schema_is_audited_and_left_alone(tmp_path: Path) -> None:
    schema = b"CREATE TABLE t (a TEXT /* caf\xe9 */)".hex()
    path = made(
        tmp_path,
        "CREATE TABLE t (a TEXT)",
        f"INSERT INTO t VALUES ({BAD})",
        "PRAGMA writable_schema = ON",
        f"UPDATE sqlite_schema SET sql = CAST(x'{schema}' AS TEXT)",
    )
    assert sorted(places(sqlite.audit(path))) == [("sqlite_schema", "sql", (1,)), ("t", "a", (1,))]
    assert len(sqlite.repair(path, "latin-1")) == 1
    assert run(path, "SELECT CAST(sql AS BLOB) FROM sqlite_schema") == [(bytes.fromhex(schema),)]
    assert places(sqlite.audit(path)) == [("sqlite_schema", "sql", (1,))]


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le"])
def test_tables_of_sqlite_itself_are_repaired(encoding: str, tmp_path: Path) -> None:
    bad = "CAST(x'610000D8' AS TEXT)"
    path = made(
        tmp_path,
        f"PRAGMA encoding = '{encoding}'",
        "CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT, b)",
        "CREATE INDEX i ON t (b)",
        "INSERT INTO t (b) VALUES (1)",
        "ANALYZE",
        f"UPDATE sqlite_sequence SET name = {bad}",
        f"UPDATE sqlite_stat1 SET stat = {bad}",
    )
    found = [("sqlite_sequence", "name", (1,)), ("sqlite_stat1", "stat", (1,))]
    assert sorted(places(sqlite.audit(path))) == found
    assert sorted(places(sqlite.repair(path, "replace"))) == found
    assert sqlite.audit(path) == []


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ("BEFORE UPDATE ON t BEGIN SELECT RAISE(IGNORE); END", "ignored the repair"),
        ("AFTER UPDATE ON t BEGIN UPDATE t SET a = old.a; END", "a trigger wrote ill-formed text"),
    ],
)
def test_a_trigger_that_keeps_ill_formed_text_is_not_passed_over(tmp_path: Path, trigger: str, message: str) -> None:
    path = made(tmp_path, "CREATE TABLE t (a TEXT)", f"INSERT INTO t VALUES ({BAD})", f"CREATE TRIGGER r {trigger}")
    with pytest.raises(sqlite3.IntegrityError, match=message) as raised:
        sqlite.repair(path)
    assert raised.value.__notes__ == ["table t, column a, row (1,)"]
    assert run(path, "SELECT a FROM t") == [(b"caf\xe9",)]
    assert len(sqlite.repair(path, triggers=False)) == 1


@pytest.mark.parametrize("resolution", ["REPLACE", "IGNORE", "FAIL", "ROLLBACK", "ABORT"])
@pytest.mark.parametrize(
    "schema",
    [
        "CREATE TABLE t (a TEXT UNIQUE ON CONFLICT {})",
        "CREATE TABLE t (a TEXT PRIMARY KEY ON CONFLICT {})",
        "CREATE TABLE t (a TEXT PRIMARY KEY ON CONFLICT {}) WITHOUT ROWID",
        "CREATE TABLE t (a TEXT COLLATE NOCASE, UNIQUE (a) ON CONFLICT {})",
    ],
)
def test_no_conflict_clause_of_the_schema_deletes_or_skips_a_row(schema: str, resolution: str, tmp_path: Path) -> None:
    path = made(
        tmp_path,
        schema.format(resolution),
        "INSERT INTO t VALUES (CAST(x'FE' AS TEXT)), (CAST(x'FF' AS TEXT)), ('other')",
    )
    with pytest.raises(sqlite3.IntegrityError, match=r"UNIQUE constraint failed: t\.a") as raised:
        sqlite.repair(path, "replace")
    assert "table t, column a" in raised.value.__notes__[0]
    assert sorted(run(path, "SELECT CAST(a AS BLOB) FROM t")) == [(b"other",), (b"\xfe",), (b"\xff",)]
    assert len(sqlite.repair(path, "escape")) == 2


def test_no_conflict_clause_inside_a_trigger_deletes_a_row(tmp_path: Path) -> None:
    path = made(
        tmp_path,
        "CREATE TABLE t (a TEXT)",
        "CREATE TABLE log (a TEXT UNIQUE, source INTEGER)",
        f"INSERT INTO t VALUES ({BAD})",
        "INSERT INTO log VALUES ('caf\ufffd', 7)",
        "CREATE TRIGGER r AFTER UPDATE ON t BEGIN INSERT OR REPLACE INTO log VALUES (new.a, 1); END",
    )
    with pytest.raises(sqlite3.IntegrityError, match=r"UNIQUE constraint failed: log\.a"):
        sqlite.repair(path, "replace")
    assert run(path, "SELECT source FROM log") == [(7,)]


def test_what_a_trigger_has_changed_meanwhile_is_left(tmp_path: Path) -> None:
    path = made(
        tmp_path,
        "CREATE TABLE t (a TEXT, b TEXT)",
        f"INSERT INTO t VALUES ({BAD}, 'x'), ({BAD}, {BAD}), ({BAD}, 'x')",
        "CREATE TRIGGER r AFTER UPDATE ON t WHEN old.rowid = 1 BEGIN UPDATE t SET a = 'new' WHERE rowid = 2;"
        " DELETE FROM t WHERE rowid = 3; END",
    )
    assert places(sqlite.repair(path, "latin-1")) == [("t", "a", (1,)), ("t", "b", (2,))]
    assert run(path, "SELECT a, b FROM t") == [("café".encode(), b"x"), (b"new", "café".encode())]


def test_rows_of_one_key_are_told_apart_by_their_rowids(tmp_path: Path) -> None:
    schema = "CREATE TABLE t (k TEXT PRIMARY KEY, a TEXT)"
    path = made(tmp_path, schema, f"INSERT INTO t VALUES (NULL, {BAD}), ('x', 'ok'), (NULL, {BAD})")
    assert places(sqlite.audit(path)) == [("t", "a", (1,)), ("t", "a", (3,))]
    assert len(sqlite.repair(path)) == 2
    assert sqlite.audit(path) == []


def test_a_key_of_several_columns_is_no_rowid(tmp_path: Path) -> None:
    schema = "CREATE TABLE t (rowid TEXT, _rowid_ TEXT, oid INTEGER, x TEXT, PRIMARY KEY (oid, x))"
    path = made(tmp_path, schema, f"INSERT INTO t VALUES ({BAD}, 'a', NULL, NULL)")
    with pytest.raises(ValueError, match="its columns hide the rowid"):
        sqlite.audit(path)


def test_a_column_hides_a_name_of_the_rowid_in_any_case(tmp_path: Path) -> None:
    path = made(tmp_path, "CREATE TABLE t (RowID TEXT)", f"INSERT INTO t VALUES ('x'), ({BAD})")
    assert places(sqlite.audit(path)) == [("t", "RowID", (2,))]
    assert [change.after for change in sqlite.repair(path, "latin-1")] == ["café"]


def test_an_integer_key_that_is_no_rowid(tmp_path: Path) -> None:
    schema = "CREATE TABLE t (rowid TEXT, _rowid_ TEXT, oid TEXT, id INTEGER PRIMARY KEY DESC)"
    path = made(tmp_path, schema, f"INSERT INTO t VALUES ({BAD}, 'a', 'b', NULL), ('c', 'd', 'e', NULL)")
    for verb in (sqlite.audit, sqlite.repair):
        with pytest.raises(ValueError, match="its columns hide the rowid"):
            verb(path)


def test_rows_that_cannot_be_told_apart(tmp_path: Path) -> None:
    path = made(tmp_path, "CREATE TABLE t (rowid TEXT, oid TEXT, _rowid_ TEXT)")
    for verb in (sqlite.audit, sqlite.repair):
        with pytest.raises(ValueError, match="table t: its columns hide the rowid"):
            verb(path)
    path.unlink()
    made(tmp_path, "CREATE TABLE t (oid INTEGER PRIMARY KEY, rowid, _rowid_)", f"INSERT INTO t VALUES (7, {BAD}, 1)")
    assert places(sqlite.repair(path)) == [("t", "rowid", (7,))]


def test_views_and_generated_columns_follow(tmp_path: Path) -> None:
    path = made(
        tmp_path,
        "CREATE TABLE t (a TEXT, b TEXT AS (a || '!') STORED, c TEXT AS (a || '?'))",
        "CREATE VIEW v AS SELECT a FROM t",
        "CREATE INDEX i ON t (b, c)",
        f"INSERT INTO t VALUES ({BAD})",
    )
    assert places(sqlite.audit(path)) == [("t", "a", (1,)), ("t", "b", (1,)), ("t", "c", (1,))]
    assert places(sqlite.repair(path, "latin-1")) == [("t", "a", (1,))]
    assert sqlite.audit(path) == []
    assert run(path, "SELECT b, c FROM t WHERE b = 'café!'") == [("café!".encode(), "café?".encode())]
    assert run(path, "PRAGMA integrity_check") == [(b"ok",)]


def test_triggers_run_or_rest(tmp_path: Path) -> None:
    statements = (
        "CREATE TABLE t (a TEXT)",
        "CREATE TABLE log (n)",
        "CREATE TRIGGER r AFTER UPDATE ON t BEGIN INSERT INTO log VALUES (1); END",
        f"INSERT INTO t VALUES ({BAD})",
    )
    path = made(tmp_path, *statements)
    sqlite.repair(path)
    assert run(path, "SELECT n FROM log") == [(1,)]
    path.unlink()
    made(tmp_path, *statements)
    assert len(sqlite.repair(path, triggers=False)) == 1
    assert run(path, "SELECT n FROM log") == []
    assert run(path, "SELECT sql FROM sqlite_schema WHERE type = 'trigger'") == [(statements[2].encode(),)]


def test_a_trigger_that_refuses_rolls_everything_back(tmp_path: Path) -> None:
    path = made(
        tmp_path,
        "CREATE TABLE t (a TEXT)",
        "CREATE TRIGGER r BEFORE UPDATE ON t WHEN old.rowid = 2 BEGIN SELECT RAISE(ABORT, 'no'); END",
        f"INSERT INTO t VALUES ({BAD}), ({BAD})",
    )
    with pytest.raises(sqlite3.IntegrityError, match="no") as raised:
        sqlite.repair(path)
    assert raised.value.__notes__ == ["table t, column a, row (2,)"]
    assert len(sqlite.audit(path)) == 2
    assert len(sqlite.repair(path, triggers=False)) == 2


def test_values_that_would_become_one(tmp_path: Path) -> None:
    path = made(
        tmp_path, "CREATE TABLE t (a TEXT UNIQUE)", "INSERT INTO t VALUES (CAST(x'FE' AS TEXT)), (CAST(x'FF' AS TEXT))"
    )
    with pytest.raises(sqlite3.IntegrityError):
        sqlite.repair(path, "replace")
    assert len(sqlite.audit(path)) == 2
    assert len(sqlite.repair(path, "escape")) == 2


def test_a_full_text_index_stays_in_step(tmp_path: Path) -> None:
    try:
        path = made(
            tmp_path,
            "CREATE TABLE t (a TEXT)",
            "CREATE VIRTUAL TABLE f USING fts5(a, content='t')",
            "CREATE TRIGGER i AFTER INSERT ON t BEGIN INSERT INTO f (rowid, a) VALUES (new.rowid, new.a); END",
            "CREATE TRIGGER u AFTER UPDATE ON t BEGIN INSERT INTO f (f, rowid, a) VALUES ('delete', old.rowid, old.a);"
            " INSERT INTO f (rowid, a) VALUES (new.rowid, new.a); END",
            f"INSERT INTO t VALUES ({BAD})",
        )
    except sqlite3.OperationalError:
        pytest.skip("this SQLite has no FTS5")
    assert len(sqlite.repair(path, "latin-1")) == 1
    assert run(path, "SELECT rowid FROM f WHERE f MATCH 'café'") == [(1,)]


def test_virtual_tables_are_audited_and_not_repaired(tmp_path: Path) -> None:
    try:
        path = made(tmp_path, "CREATE VIRTUAL TABLE f USING fts5(a)", f"INSERT INTO f VALUES ('ok'), ({BAD})")
    except sqlite3.OperationalError:
        pytest.skip("this SQLite has no FTS5")
    assert places(sqlite.audit(path)) == [("f", "a", (2,))]
    assert sqlite.repair(path) == []
    assert places(sqlite.audit(path)) == [("f", "a", (2,))]


@pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
def test_databases_in_utf_16(tmp_path: Path, encoding: str) -> None:
    half = "3DD8" if encoding.endswith("le") else "D83D"
    good = "6100" if encoding.endswith("le") else "0061"
    path = made(
        tmp_path,
        f"PRAGMA encoding = '{encoding}'",
        "CREATE TABLE t (a TEXT)",
        f"INSERT INTO t VALUES (CAST(x'{good}{half}' AS TEXT)), ('ok')",
    )
    (found,) = sqlite.audit(path)
    assert (found.key, found.fault.start, found.fault.kind) == ((1,), 2, "truncated")
    with pytest.raises(ValueError, match="errors must be one of replace"):
        sqlite.repair(path)
    assert [change.after for change in sqlite.repair(path, "replace")] == ["a�"]
    assert sqlite.audit(path) == []


@pytest.mark.parametrize(
    "hiding",
    [
        "TABLE pragma_table_list (name, type, wr, schema)",
        "VIEW pragma_table_xinfo AS SELECT 'b' AS name, '' AS type, 0 AS pk, 0 AS hidden, 0 AS cid",
        "TABLE pragma_function_list (name, flags)",
    ],
)
def test_no_table_hides_the_others(hiding: str, tmp_path: Path) -> None:
    path = made(tmp_path, f"CREATE {hiding}", "CREATE TABLE t (a TEXT)", f"INSERT INTO t VALUES ({BAD})")
    assert places(sqlite.audit(path)) == [("t", "a", (1,))]
    assert [change.after for change in sqlite.repair(path, "latin-1")] == ["café"]


@pytest.mark.parametrize("triggers", [True, False])
def test_functions_of_json_in_a_schema_are_no_danger(tmp_path: Path, triggers: bool) -> None:
    path = made(
        tmp_path,
        "CREATE TABLE t (a TEXT, name AS (json_extract(a, '$.name')), size AS (json_array_length(a, '$.list')) STORED)",
        "CREATE INDEX by_name ON t (a ->> '$.name')",
        "INSERT INTO t VALUES (CAST(x'7B226E616D65223A22636166E9227D' AS TEXT))",
    )
    assert places(sqlite.audit(path)) == [("t", "a", (1,)), ("t", "name", (1,))]
    assert [change.after for change in sqlite.repair(path, "latin-1", triggers=triggers)] == ['{"name":"café"}']
    assert sqlite.audit(path) == []
    assert run(path, "SELECT count(*) FROM t WHERE a ->> '$.name' = 'café'") == [(1,)]


def test_a_function_in_a_schema_that_is_a_danger_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path, "CREATE TABLE t (a TEXT, CHECK (load_extension(a) IS NULL))")
    run(path, "PRAGMA ignore_check_constraints = ON", f"INSERT INTO t VALUES ({BAD})")
    before = path.read_bytes()
    for triggers in (True, False):
        with pytest.raises(sqlite3.Error, match=r"unsafe use of load_extension|not authorized"):
            sqlite.repair(path, triggers=triggers)
    assert path.read_bytes() == before


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_keys_are_text_in_the_encoding_of_the_database(tmp_path: Path, encoding: str) -> None:
    ill_formed = {"UTF-8": "61FF", "UTF-16le": "610000D8", "UTF-16be": "0061D800"}[encoding]
    path = made(
        tmp_path,
        f"PRAGMA encoding = '{encoding}'",
        "CREATE TABLE t (k TEXT, n INT, a TEXT, PRIMARY KEY (k, n)) WITHOUT ROWID",
        f"INSERT INTO t VALUES ('é', 1, CAST(x'{ill_formed}' AS TEXT)), (CAST(x'{ill_formed}' AS TEXT), 2, 'ok')",
    )
    changes = sqlite.repair(path, "replace")
    assert {(change.column, change.key[1]) for change in changes} == {("a", 1), ("k", 2)}
    rows = run(path, "SELECT k, n, a FROM t ORDER BY n")
    assert [(key.decode(), number, text.decode()) for key, number, text in rows] == [("é", 1, "a�"), ("a�", 2, "ok")]


def test_a_row_that_its_key_does_not_find_is_an_error(tmp_path: Path) -> None:
    path = made(
        tmp_path,
        "PRAGMA encoding = 'UTF-16le'",
        "CREATE TABLE t (k TEXT PRIMARY KEY) WITHOUT ROWID",
        "INSERT INTO t VALUES (x'51515151515151')",
    )
    whole = path.read_bytes()
    at = whole.index(b"Q" * 7)
    odd = whole[: at - 1] + bytes([13 + 2 * 7]) + whole[at:]  # the type of a value: text of 7 bytes
    path.write_bytes(odd)
    with pytest.raises(sqlite3.IntegrityError, match="a row was not found by its key during the repair") as caught:
        sqlite.repair(path, "replace")
    assert caught.value.__notes__ == ["table t, column k, row ('QQQQQQQ',)"]
    assert path.read_bytes() == odd


def test_a_file_that_is_none_is_neither_made_nor_changed(tmp_path: Path) -> None:
    for verb in (sqlite.audit, sqlite.repair):
        with pytest.raises(sqlite3.OperationalError):
            verb(tmp_path / "missing.db")
        (tmp_path / "text.db").write_bytes(b"no database, but long enough to be taken for the head of one\n" * 20)
        with pytest.raises(sqlite3.DatabaseError):
            verb(tmp_path / "text.db")
    assert not (tmp_path / "missing.db").exists()


@pytest.mark.skipif(os.name != "posix", reason="no such name elsewhere")
@pytest.mark.parametrize("name", [b"d\\people.db", b"caf\xe9.db", b"a ?#%41.db"])
def test_the_file_is_the_one_that_is_named(name: bytes, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(name)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "people.db").write_bytes(b"another file")
    try:
        path.write_bytes(made(tmp_path, "CREATE TABLE t (a TEXT)", f"INSERT INTO t VALUES ({BAD})").read_bytes())
    except OSError:
        pytest.skip("this system has no names that are not UTF-8")
    assert places(sqlite.audit(path)) == [("t", "a", (1,))]
    assert [change.after for change in sqlite.repair(path, "latin-1")] == ["café"]
    assert (tmp_path / "d" / "people.db").read_bytes() == b"another file"


def test_a_path_does_not_end_at_a_null_character(tmp_path: Path) -> None:
    path = made(tmp_path, "CREATE TABLE t (a TEXT)", f"INSERT INTO t VALUES ({BAD})")
    for verb in (sqlite.audit, sqlite.repair):
        with pytest.raises(ValueError, match="path has a null character"):
            verb(f"{path}\0.db")
    assert len(sqlite.audit(path)) == 1


def test_a_clean_database_is_not_written(tmp_path: Path) -> None:
    path = made(tmp_path, "CREATE TABLE t (a TEXT)", "INSERT INTO t VALUES ('ok')")
    before = path.read_bytes()
    assert sqlite.repair(path) == []
    assert path.read_bytes() == before


def test_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    path = made(tmp_path, "CREATE TABLE tXXt (a TEXT)")
    path.write_bytes(path.read_bytes().replace(b"tXXt", b"t\xff\xfft"))
    with pytest.raises(ValueError, match=r"a name in the schema is not UTF-8: b't\\xff\\xfft'"):
        sqlite.audit(path)


def test_a_database_whose_last_page_is_cut_short(tmp_path: Path) -> None:
    path = made(tmp_path, "CREATE TABLE t (a TEXT)", f"INSERT INTO t VALUES ({BAD}), ('{'x' * 5000}')")
    whole = path.read_bytes()
    for size in (1, 100):
        path.write_bytes(whole[:-size])
        for verb in (sqlite.audit, sqlite.repair):
            with pytest.raises(sqlite3.DatabaseError, match=rf"it ends {4096 - size} bytes into a page of 4096"):
                verb(path)
        assert path.read_bytes() == whole[:-size]
    path.write_bytes(whole + b"more")  # SQLite reads none of it
    assert len(sqlite.audit(path)) == 1


def test_pages_in_the_write_ahead_log_do_not_make_a_file_short(tmp_path: Path) -> None:
    path = made(tmp_path, "CREATE TABLE t (a TEXT)", "PRAGMA journal_mode = WAL")
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute(f"INSERT INTO t VALUES ({BAD}), ('{'x' * 50_000}')")
        writer.commit()
        assert path.stat().st_size < 50_000
        assert len(sqlite.audit(path)) == 1


def test_the_command_repairs_no_database(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE t(a TEXT)")
        database.execute("INSERT INTO t VALUES(CAST(x'61FF' AS TEXT))")
        database.commit()
    before = path.read_bytes()
    done = run_command("repair", "--in-place", str(path))
    assert (done.returncode, path.read_bytes()) == (2, before)
    hint = b"is an SQLite database, not text: eightfold.columns.sqlite audits and repairs its text"
    assert hint in done.stderr
    assert hint in run_command("check", str(path)).stderr
    assert run_command("identify", str(path)).stdout.endswith(b": SQLite, not text\n")


def test_rows_are_found_in_the_order_of_their_keys_although_an_index_has_all_that_is_read(tmp_path: Path) -> None:
    rows = ", ".join(f"({key}, CAST(x'{text}FF' AS TEXT))" for key, text in ((1, "7A"), (2, "61"), (3, "6D")))
    path = made(
        tmp_path,
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT) WITHOUT ROWID",
        "CREATE INDEX by_a ON t (a)",
        f"INSERT INTO t VALUES {rows}",
    )
    assert [found.key for found in sqlite.audit(path)] == [(1,), (2,), (3,)]
    assert [change.key for change in sqlite.repair(path)] == [(1,), (2,), (3,)]
