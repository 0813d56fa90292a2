"""The input of a command: the files that its paths name, and their form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from eightfold.cli.options.arguments import in_files
from eightfold.cli.output.lines import say
from eightfold.files import FileError
from eightfold.files.path_text import shown
from eightfold.files.paths.addresses import is_remote
from eightfold.files.read.reading import STANDARD_INPUT, Source
from eightfold.files.read.segments import LONGEST_SIGNATURE
from eightfold.files.read.tables import kind_named
from eightfold.files.walk.walking import EVERYTHING, Found, Selection, Walking, found_under, walked
from eightfold.forms import Form, form
from eightfold.forms.utf_8 import UTF_8
from eightfold.text import opening_of

if TYPE_CHECKING:
    from eightfold.identify import Identifier


def files_of(
    paths: Iterable[str], on_error: Callable[[FileError], None], selection: Selection = EVERYTHING
) -> Iterator[str]:
    """Yield the files that paths name. Without a path that is standard input; a folder is walked.

    Args:
        paths: as they were given.
        on_error: called with each folder that cannot be listed.
        selection: which files in a folder are read.
    """
    return (found.path for found in found_files(paths, on_error, selection))


def found_files(
    paths: Iterable[str],
    on_error: Callable[[FileError], None],
    selection: Selection = EVERYTHING,
    walking: Walking = walked,
) -> Iterator[Found]:
    """Yield the selected files that paths name, as :func:`files_of` does, with where each was found.

    Paths that are not a sequence are taken as they come, and may be none. For ``walking`` see :func:`found_under`.
    """
    for path in paths or (STANDARD_INPUT,):
        if path == STANDARD_INPUT:
            yield from _standard_input(on_error, selection)
        else:
            yield from found_under(path, on_error, selection, walking)


def needing_more(found: Found, walking: Walking) -> Found | None:
    """Return a file with what is known of it; None if it was given and the walking takes care of it."""
    if found.walked or found.path == STANDARD_INPUT or is_remote(found.path):
        return found
    # A table that is given is not read as text, whatever its bytes are.
    return found if kind_named(found.path) else walking.given(found)


def _standard_input(on_error: Callable[[FileError], None], selection: Selection) -> Iterator[Found]:
    """Yield standard input, in the form that the configuration of the current folder gives to files."""
    try:
        ruled = None if selection.rules is None else selection.rules.above("")
    except FileError as error:
        on_error(error)
    else:
        yield Found(STANDARD_INPUT, b"", False, "" if ruled is None else ruled.rules.form)


def tell_foreign(*ends: Form | None) -> None:
    """Report which of these are legacy charsets whose names mean others on the web."""
    if any(each is not None and each.is_foreign for each in ends):
        from eightfold.cli.work import foreign  # Most runs need none.

        foreign.tell(ends)


class Failures:
    """Files that a command could not read or write: reported as they occur, and counted."""

    def __init__(self) -> None:
        self.count: int = 0
        self._last = ""

    def tell(self, error: FileError) -> None:
        """Report what is wrong with a file; the same problem with several files in a row is reported once."""
        said, self._last = self._last, str(error)
        if self._last != said:
            say(self._last)
        self.count += 1


@contextmanager
def byte_order_reported(source: Source, form: Form, tell: Callable[[str], object] = say) -> Iterator[None]:
    """After a source is processed, report the assumed byte order if its form has two and no mark names one."""
    try:
        yield
    finally:
        head = source.beginning
        if not head and source.seekable:
            with suppress(FileError):  # It is already being reported.
                head = source.window(0, LONGEST_SIGNATURE)
        tell_byte_order(source.path, form, head, tell)


def tell_byte_order(path: str, form: Form, head: bytes, tell: Callable[[str], object] = say) -> None:
    """Report the byte order assumed for an input that begins with these bytes, as :func:`byte_order_reported` does."""
    announced = [signature.form for signature in form.signatures]
    plain, length = opening_of(form, head)
    if head and not length and len({each.byte_order for each in announced}) > 1:
        ways = " or ".join(f"-f {each.name}" for each in announced)
        tell(
            f"{shown(path)}: no byte order mark; assuming {plain.name}, the byte order of this machine "
            f"(to choose: {ways})"
        )


def identified(source: Source, tell: Callable[[str], object] = say) -> Form:
    """Return the most likely form of a source, report it, and go back to its first byte.

    That is the best candidate if there is evidence for it; otherwise UTF-8, the default.

    Args:
        source: what is read.
        tell: receives the report, one sentence.

    Raises:
        FileError: it cannot be read, or not twice.
    """
    # Used only for `auto`, so that other runs start without it.
    from eightfold.identify import Identifier

    identifier = Identifier()
    for chunk, _ in source.pieces():
        identifier.feed(chunk)
    source.rewind()
    found, verdict = verdict_of(identifier)
    tell(f"{shown(source.path)}: {verdict}")
    return found


def verdict_of(identifier: Identifier) -> tuple[Form, str]:
    """Return the form in which ``auto`` reads what was identified, and why, in words."""
    best = identifier.finish()[0]
    if identifier.tells(best):
        found = in_files(form(best.form))
        return found, f"identified as {found.name}"
    unknown = f"not a form of the family; reads as {best.reads_as}" if best.reads_as else "cannot identify the encoding"
    return UTF_8, f"{unknown}; assuming {UTF_8.name}"
