"""The column type of SQLAlchemy, in SQLite: what is stored comes back as the same str, or is refused."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

sa = pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed: pip install 'eightfold[sqlalchemy]'")

from sqlalchemy import orm  # noqa: E402

import eightfold  # noqa: E402
from eightfold.integrations.sqlalchemy import EncodedText  # noqa: E402

UNFIT = "well done \ud83d"


class Base(orm.DeclarativeBase):
    pass


class Post(Base):
    __tablename__ = "posts"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    text: orm.Mapped[str | None] = orm.mapped_column(EncodedText())
    hybrid: orm.Mapped[str | None] = orm.mapped_column(EncodedText("xtf-8"))


@pytest.fixture
def session() -> Iterator[Any]:
    engine = sa.create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with orm.Session(engine) as session:
        yield session
    engine.dispose()


def raw(session: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.execute(sa.text("SELECT text, hybrid FROM posts ORDER BY id"))]


def test_what_is_stored_comes_back_and_is_bytes_of_the_form(session: Any) -> None:
    session.add_all([Post(text=UNFIT, hybrid="caf\uefe9"), Post(text="", hybrid="😀"), Post()])
    session.commit()
    session.expire_all()
    posts = session.scalars(sa.select(Post).order_by(Post.id)).all()
    assert [(post.text, post.hybrid) for post in posts] == [(UNFIT, "caf\uefe9"), ("", "😀"), (None, None)]
    assert raw(session) == [(b"well done \xed\xa0\xbd", b"caf\xe9"), (b"", b"\xf0\x9f\x98\x80"), (None, None)]


def test_without_it_the_database_refuses_or_harms_the_text() -> None:
    engine = sa.create_engine("sqlite://")
    with engine.connect() as connection, pytest.raises(UnicodeEncodeError):
        connection.execute(sa.text("SELECT :text"), {"text": UNFIT})
    engine.dispose()


@given(st.text(st.characters(exclude_categories=()), max_size=20), st.sampled_from(["wtf-8", "generalized-utf-8"]))
def test_any_text_comes_back_or_is_refused(text: str, form: str) -> None:
    kind = EncodedText(form)
    try:
        stored = kind.process_bind_param(text, None)
    except ValueError as error:
        assert "would come back from wtf-8 as" in str(error)
        assert eightfold.decode(eightfold.encode(text, form), form) != text
    else:
        assert kind.process_result_value(stored, None) == text


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        ("wtf-8", "ab\ud83d\ude00", r"'\ud83d\ude00' would come back from wtf-8 as '\U0001f600' (at offset 2)"),
        ("xtf-8", "\uefc3\uefa9", r"'\uefc3\uefa9' would come back from xtf-8 as '\xe9' (at offset 0)"),
        ("xtf-8", UNFIT, "U+D83D cannot be written in xtf-8"),
        ("cesu-8", UNFIT, "U+D83D cannot be written in cesu-8"),
    ],
)
def test_what_would_be_harmed_is_refused(form: str, text: str, message: str) -> None:
    table = sa.Table("t", sa.MetaData(), sa.Column("x", EncodedText(form)))
    engine = sa.create_engine("sqlite://")
    with engine.connect() as connection:
        table.create(connection)
        with pytest.raises((sa.exc.StatementError, UnicodeError)) as caught:
            connection.execute(table.insert().values(x=text))
        fault = eightfold.fault_of(caught.value)
        assert message in (str(fault) if fault else str(caught.value))
    engine.dispose()


def test_a_pair_of_halves_has_a_form_that_keeps_it() -> None:
    kind = EncodedText("generalized-utf-8")
    stored = kind.process_bind_param("\ud83d\ude00", None)
    assert (stored, kind.process_result_value(stored, None)) == (b"\xed\xa0\xbd\xed\xb8\x80", "\ud83d\ude00")


def test_comparisons(session: Any) -> None:
    texts = ["\ud83d", "😀", "z", "\uffff", None]
    session.add_all([Post(text=text) for text in texts])
    session.commit()

    def found(*clauses: Any) -> list[str | None]:
        return list(session.scalars(sa.select(Post.text).where(*clauses).order_by(Post.text)))

    assert found(Post.text == "\ud83d") == ["\ud83d"]
    assert found(Post.text != "\ud83d") == ["z", "\uffff", "😀"]
    assert found(Post.text.in_(["😀", "\ud83d", "none"])) == ["\ud83d", "😀"]
    assert found(Post.text.between("a", "\udfff")) == ["z", "\ud83d"]
    assert found(Post.text > "\uffff") == ["😀"]
    assert found(Post.text.is_(None)) == found(Post.text == None) == [None]  # noqa: E711
    assert found() == [None, "z", "\ud83d", "\uffff", "😀"]
    assert session.scalar(sa.select(sa.func.count()).where(sa.literal(UNFIT, EncodedText()) == UNFIT)) == 1


def test_literals_are_written_into_sql_as_bytes(session: Any) -> None:
    session.add(Post(text=UNFIT))
    session.commit()
    query = sa.select(Post.text).where(Post.text == UNFIT, Post.text.in_([UNFIT, "'; --"]), Post.text.is_not(None))
    written = query.compile(session.get_bind(), compile_kwargs={"literal_binds": True})
    assert "X'77656c6c20646f6e6520eda0bd'" in str(written)
    assert session.execute(sa.text(str(written))).scalar_one() == UNFIT.encode("utf-8", "surrogatepass")
    statement = sa.insert(Post).values(text=None, hybrid="")
    session.execute(sa.text(str(statement.compile(session.get_bind(), compile_kwargs={"literal_binds": True}))))
    assert raw(session)[-1] == (None, b"")


@pytest.mark.parametrize(
    ("dialect", "literal"),
    [
        ("sqlite", "X'c3a9'"),
        ("mysql", "X'c3a9'"),
        ("postgresql", "DECODE('c3a9', 'hex')"),
        ("oracle", "HEXTORAW('c3a9')"),
        ("mssql", "0xc3a9"),
    ],
)
def test_each_database_has_its_own_literals(dialect: str, literal: str) -> None:
    kind = import_module(f"sqlalchemy.dialects.{dialect}").dialect()
    query = sa.select(sa.literal("é", EncodedText())).compile(dialect=kind, compile_kwargs={"literal_binds": True})
    assert literal in str(query)


def test_a_form_of_ones_own_is_one() -> None:
    form = eightfold.Form("shifted", [eightfold.Row(0, 0x7F, (0x80, 0xFF))])
    kept = EncodedText(form).process_bind_param("ab", None)
    assert kept == b"\xe1\xe2"
    assert EncodedText(form).process_result_value(kept, None) == "ab"


def test_statements_are_cached_and_forms_are_kept_apart() -> None:
    keys = {
        form: sa.select(sa.column("x", EncodedText(form)))._generate_cache_key().key
        for form in ("wtf-8", "xtf-8", eightfold.form("cesu-8"))
    }
    assert len(set(keys.values())) == 3
    assert sa.select(sa.column("x", EncodedText("WTF_8")))._generate_cache_key().key == keys["wtf-8"]


def test_what_the_type_says_of_itself() -> None:
    assert repr(EncodedText("xtf8")) == "EncodedText(form='xtf-8')"
    assert EncodedText().python_type is str
    assert (EncodedText("WTF_8").form, EncodedText().copy().form) == ("wtf-8", "wtf-8")
    with pytest.raises(LookupError, match="wtf-9"):
        EncodedText("wtf-9")


def test_bytes_that_others_wrote_are_not_passed_over(session: Any) -> None:
    session.execute(sa.text("INSERT INTO posts (text) VALUES (X'FF')"))
    with pytest.raises(eightfold.DecodeError):
        session.scalars(sa.select(Post.text)).all()


def test_another_column_type() -> None:
    class Short(EncodedText):
        impl = sa.VARBINARY(40)
        cache_ok = True

    table = sa.Table("t", sa.MetaData(), sa.Column("x", Short("xtf-8")))
    assert "x VARBINARY(40)" in str(sa.schema.CreateTable(table))


# --- scrubbing --------------------------------------------------------------------------------------------------------


class Mapped(orm.MappedAsDataclass, orm.DeclarativeBase):
    pass


class Note(Mapped):
    __tablename__ = "notes"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    text: orm.Mapped[str]
    folder: orm.Mapped[int | None] = orm.mapped_column(sa.ForeignKey("folders.id"), default=None)


class Folder(Mapped):
    __tablename__ = "folders"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str]
    notes: orm.Mapped[list[Note]] = orm.relationship(default_factory=list)


def test_a_scrubbed_object_is_in_no_session() -> None:
    note = Note(1, UNFIT)
    scrubbed = eightfold.scrub(note)
    assert (scrubbed.text, note.text) == ("well done \ufffd", UNFIT)
    assert (sa.inspect(scrubbed).object, sa.inspect(note).object) == (scrubbed, note)
    assert sa.inspect(scrubbed).transient
    engine = sa.create_engine("sqlite://")
    Mapped.metadata.create_all(engine)
    with orm.Session(engine) as session:
        session.add(scrubbed)
        session.commit()
        assert session.scalars(sa.select(Note.text)).all() == ["well done \ufffd"]
    engine.dispose()


@pytest.mark.parametrize("name", ["clean", UNFIT])
def test_an_object_with_relationships_is_refused_and_keeps_them(name: str) -> None:
    folder = Folder(1, name, notes=[Note(1, "clean"), Note(2, UNFIT)])
    with pytest.raises(TypeError, match=r"^\$: a Folder cannot be copied"):
        eightfold.scrub(folder)
    assert [note.text for note in folder.notes] == ["clean", UNFIT]


def test_the_scrubbed_copy_of_a_collection_belongs_to_no_object() -> None:
    folder = Folder(1, "clean", notes=[Note(1, "clean"), Note(2, UNFIT)])
    events: list[Any] = []
    sa.event.listen(Folder.notes, "append", lambda *event: events.append(event))
    sa.event.listen(Folder.notes, "remove", lambda *event: events.append(event))
    scrubbed = eightfold.scrub(folder.notes)
    assert [note.text for note in scrubbed] == ["clean", "well done \ufffd"]
    assert [note.text for note in folder.notes] == ["clean", UNFIT]
    scrubbed.clear()
    assert events == []
