"""What `check` and `convert` say about legacy charsets: what a name means on the web, and the way past a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from eightfold.cli.output.lines import say
from eightfold.faults import Fault
from eightfold.files.read.converting import Conversion
from eightfold.forms import Form
from eightfold.legacy import charset


def tell(ends: Iterable[Form | None]) -> None:
    """Report which of these are charsets whose names mean others on the web, each once."""
    for each in dict.fromkeys(ends):
        if each is not None and each.is_foreign and (warning := charset(each.name).warning):
            say(warning)


def foreign_remedies(fault: Fault, conversion: Conversion) -> str:
    """Return advice about a fault that stopped a conversion, in one line.

    >>> fault = Fault("unrepresentable", "iso-8859-1", 0, 3, b"", 0x20AC, "target")
    >>> from eightfold.forms import form
    >>> foreign_remedies(fault, Conversion(form("utf-8"), charset("latin-1"), "xmlcharrefreplace"))
    'try -t windows-1252 (has this character), --errors replace (writes ? for it)'
    """
    found = _of_source(fault, conversion) if fault.side == "source" else _of_target(fault, conversion)
    return f"try {', '.join(f'{options} ({effect})' for options, effect in found)}"


def _of_source(fault: Fault, conversion: Conversion) -> Iterator[tuple[str, str]]:
    source, target, errors = conversion
    if (web := _on_the_web(source)) and _succeeds(partial(fault.units.decode, charset(web).codec)):
        yield f"-f {web}", "reads these bytes"
    if errors != "replace":
        yield "--errors replace", f"writes {'?' if target.is_foreign else 'U+FFFD'} for it"
    yield f"eightfold check -f {source.name}", "shows all faults"


def _of_target(fault: Fault, conversion: Conversion) -> Iterator[tuple[str, str]]:
    _, target, errors = conversion
    character = chr(fault.code_point or 0)
    if (web := _on_the_web(target)) and _succeeds(partial(character.encode, charset(web).codec)):
        yield f"-t {web}", "has this character"
    if errors != "replace":
        yield "--errors replace", "writes ? for it"
    if errors != "xmlcharrefreplace":
        yield "--errors xmlcharrefreplace", f"writes &#{ord(character)}; for it"


def _on_the_web(form: Form) -> str:
    return charset(form.name).web_name if form.is_foreign else ""


def _succeeds(act: Callable[[], object]) -> bool:
    try:
        act()
    except UnicodeError:
        return False
    return True
