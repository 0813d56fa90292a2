r"""A column type for SQLAlchemy 2 that stores text the database's own UTF-8 cannot hold.

>>> import sqlalchemy as sa
>>> posts = sa.Table("posts", sa.MetaData(), sa.Column("text", EncodedText("wtf-8")))
>>> engine = sa.create_engine("sqlite://")
>>> with engine.connect() as connection:
...     posts.create(connection)
...     _ = connection.execute(posts.insert().values(text="well done \ud83d"))
...     connection.scalar(sa.select(posts.c.text).where(posts.c.text == "well done \ud83d"))
'well done \ud83d'
>>> engine.dispose()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eightfold.arguments import AnyForm
from eightfold.extras import needed_by
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.text import decode, encode

with needed_by("eightfold.integrations.sqlalchemy", "sqlalchemy", "sqlalchemy"):
    from sqlalchemy import Dialect, LargeBinary
    from sqlalchemy.types import TypeDecorator, TypeEngine

_LITERALS = {"mssql": "0x{}", "oracle": "HEXTORAW('{}')", "postgresql": "DECODE('{}', 'hex')"}
_LITERAL = "X'{}'"


class EncodedText(TypeDecorator[str]):
    r"""Text stored as the bytes of a form. A str is read back unchanged, or is refused when it is stored.

    The default, ``wtf-8``, stores any str except one with both halves of a surrogate pair side by side, which would be
    read back as one code point; ``generalized-utf-8`` stores that too. ``xtf-8`` stores text with embedded binary
    bytes, which are U+EF80 to U+EFFF in the str.

    ``=``, ``<>``, ``IN``, ``<`` and ``ORDER BY`` compare bytes, whatever the collation of the database; in ``wtf-8``
    and ``generalized-utf-8`` this is code point order. Do not use ``LIKE`` and text functions with this type.

    For another column type, such as one with a length that MySQL can index, derive a class with its own ``impl``.

    Args:
        form: a Form or its name.

    Raises:
        LookupError: unknown form.
        sqlalchemy.exc.StatementError: when a statement runs; its cause is an EncodeError for a code point that the form
            cannot write, or a ValueError for text that would be read back differently. Reading bytes that are
            ill-formed in the form, written by another program, raises DecodeError.

    >>> kept = EncodedText("xtf-8").process_bind_param("caf\uefe9", None)
    >>> kept, EncodedText("xtf-8").process_result_value(kept, None)
    (b'caf\xe9', 'caf\uefe9')
    """

    impl: TypeEngine[Any] | type[TypeEngine[Any]] = LargeBinary
    cache_ok: bool | None = True

    def __init__(self, form: AnyForm = "wtf-8") -> None:
        super().__init__()
        self.form: AnyForm = form if isinstance(form, Form) else form_named(form).name

    def __repr__(self) -> str:  # as a migration writes it
        return f"{type(self).__name__}(form={self.form!r})"

    @property
    def python_type(self) -> type[str]:
        """The type of the values: str."""
        return str

    def process_bind_param(self, value: str | None, dialect: Dialect | None) -> bytes | None:
        r"""Return the bytes to store.

        >>> EncodedText().process_bind_param("\ud83d\ude00", None)
        Traceback (most recent call last):
        ValueError: '\ud83d\ude00' would come back from wtf-8 as '\U0001f600' (at offset 0)
        """
        if value is None:
            return None
        stored = encode(value, self.form)
        if (back := decode(stored, self.form)) != value:
            raise _altered(value, back, self.form)
        return stored

    def process_result_value(self, value: bytes | None, dialect: Dialect | None) -> str | None:
        r"""Return the text of stored bytes.

        >>> EncodedText().process_result_value(b"\xed\xa0\xbd", None)
        '\ud83d'
        """
        return None if value is None else decode(value, self.form)

    def literal_processor(self, dialect: Dialect) -> Callable[[Any], str]:
        """Return a function that writes a value as a SQL literal, in hex: the literals of LargeBinary are UTF-8.

        >>> from sqlalchemy.dialects import sqlite
        >>> EncodedText().literal_processor(sqlite.dialect())("é")
        "X'c3a9'"
        """
        literal = _LITERALS.get(dialect.name, _LITERAL)

        def written(value: Any) -> str:
            return literal.format((self.process_bind_param(value, dialect) or b"").hex())

        return written


def _altered(value: str, back: str, form: AnyForm) -> ValueError:
    at = next((index for index, (old, new) in enumerate(zip(value, back, strict=False)) if old != new), len(back))
    shown = f"{value[at : at + 2]!a} would come back from {form} as {back[at : at + 1]!a}"
    return ValueError(f"{shown} (at offset {at})")


__all__ = ["EncodedText"]
