"""The page on error policies: what each does, seen by doing it, and the forms that declare or refuse one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import eightfold
from docs.generator.examples import of_form
from docs.generator.markdown import code, linked_forms, page, table
from eightfold.faults import hex_bytes
from eightfold.policy import POLICIES, STALLS_ALLOWED
from eightfold.repair import LOSSLESS
from eightfold.repair import POLICIES as REPAIRS

MEANINGS = {
    "strict": "raises at the first fault. The default.",
    "replace": "writes U+FFFD for each decoding unit; on encoding `?` for each code point, and in `convert` U+FFFD at "
    "both ends.",
    "ignore": "leaves out the decoding unit or the code point. The result does not show where.",
    "backslashreplace": "writes an escape of Python's: `\\xff` for a byte, `\\ud83d` for a code point.",
    "surrogatepass": "reads and writes surrogates as the form's own tables would have them; any other fault raises.",
    "surrogateescape": "reads each byte from 80 on of a fault as a surrogate, U+DC80 to U+DCFF, and writes these back "
    "as bytes (PEP 383), but not in a form that holds surrogates.",
    "xmlcharrefreplace": "writes `&#55357;` for a code point. Encoding only.",
    "namereplace": "writes the name of the code point as `\\N{...}`, or an escape. Encoding only.",
    "escape": "reads every byte that is not UTF-8 as one of U+EF80 to U+EFFF, and those code points byte by byte too, "
    "so that every input comes back.",
    "private-use": "maps C1 controls and surrogates, which Corrected UTF-8 cannot write, to private-use code points "
    "beyond U+10EF7F.",
    "java": "reads what `java.io.DataInputStream.readUTF` reads: raw NULs and overlong forms too. Decoding only.",
}
"""What each policy does."""
TRIED = {"surrogateescape": ("utf-8", "wtf-8")}
"""The forms in which a policy that no form declares is shown; `utf-8` for the others."""


def files() -> dict[str, str]:
    """Return the page by path."""
    return {"docs/reference/policies.md": page(*_paragraphs())}


def _paragraphs() -> Iterator[str]:
    yield "# Error policies"
    yield (
        "A policy says what happens at a fault. In Python, `encode`, `decode`, `convert`, `decode_code_points`, "
        "`scrub`, `open` and `Converter` take one as `errors`, and accept any name that you registered with "
        "`codecs.register_error` too; `scrub` refuses those that keep surrogates. `encode_code_points` takes `strict`, "
        "`replace` or `ignore`. The other verbs take none. Of the commands, `convert` takes one with `--errors`, and "
        "`repair` one of [its own](#policies-of-repair)."
    )
    yield table(("policy", "what it does"), ((f"[{code(each)}](#{each})", MEANINGS[each]) for each in POLICIES))
    yield "Handlers follow CPython's protocol. Two differences are intended:"
    yield "\n".join(
        (
            "- An unknown name is a `LookupError` even if the input is clean. CPython looks the name up at the first "
            "fault, or always in its development mode.",
            f"- A handler that makes no progress ends in a `RuntimeError`, after {STALLS_ALLOWED:,} calls in a row "
            "that return a position not beyond `start` and leave `object` as it is. CPython calls it forever.",
        )
    )
    for policy in POLICIES:
        yield from _policy(policy)
    yield "## Policies of repair"
    yield (
        "`eightfold repair` and `eightfold.repair` write UTF-8, and have policies of their own. Under a lossless "
        "policy the result alone determines the original bytes; a plan keeps them under any policy."
    )
    yield table(
        ("policy", "writes", "lossless"),
        ((code(name), meaning, "yes" if name in LOSSLESS else "no") for name, meaning in REPAIRS.items()),
    )


def _policy(policy: str) -> Iterator[str]:
    yield f"## {policy}"
    yield f"{MEANINGS[policy][0].upper()}{MEANINGS[policy][1:]}"
    declaring = [form for form in eightfold.forms() if form.variant(policy)]
    if declaring:
        yield f"Declared by {linked_forms((form.name for form in declaring), 'forms/')}; other forms do not know it."
    if refusing := {form.name: form.refuses[policy] for form in eightfold.forms() if policy in form.refuses}:
        yield from (f"{linked_forms([name], 'forms/')} refuses it: {reason}." for name, reason in refusing.items())
    if policy == "surrogateescape":
        yield from _surrogates_kept()
    lines = list(_decoded(policy)) + list(_encoded(policy))
    yield table(("direction", "form", "input", "result"), lines)


def _surrogates_kept() -> Iterator[str]:
    """Say in which forms the bytes do not come back: those that can write U+DC80 to U+DCFF, or that refuse them."""
    holding = [form.name for form in eightfold.forms() if eightfold.is_encodable("\udc80\udcff", form)]
    yield (
        f"In {linked_forms(holding, 'forms/')}, U+DC80 to U+DCFF are ordinary code points and are written as such, so "
        "the bytes do not come back. UTF-16 and UTF-32 refuse to write them, as in CPython."
    )
    yield (
        "If every byte must come back, decode and encode with [`xtf-8`](forms/xtf-8.md) and [`escape`](#escape). It "
        "reads whatever is not UTF-8 as bytes, surrogates too."
    )


def _decoded(policy: str) -> Iterator[tuple[str, str, str, str]]:
    declaring = [form.name for form in eightfold.forms() if form.variant(policy) and not form.signatures]
    for name in declaring or TRIED.get(policy, ("utf-8",)):
        form = eightfold.form(name)
        smallest = [each[-1].shown for each in of_form(form).values()]
        for shown in dict.fromkeys([*smallest, "FF", "E9"] if declaring else ["FF", "E2 82", "ED A0 BD"]):
            data = b"a" + bytes.fromhex(shown)
            result = _result(lambda data=data, name=name: ascii(eightfold.decode(data, name, policy)))
            yield "decode", code(name), code(hex_bytes(data)), result


def _encoded(policy: str) -> Iterator[tuple[str, str, str, str]]:
    declaring = [form.name for form in eightfold.forms() if form.variant(policy) and not form.signatures]
    for name in declaring or TRIED.get(policy, ("utf-8",)):
        for text in ("a\ud83d", "a\udce9", "a\x80") if declaring else ("a\ud83d", "a\udce9"):
            result = _result(lambda text=text, name=name: hex_bytes(eightfold.encode(text, name, policy)))
            yield "encode", code(name), code(ascii(text)), result


def _result(act: Callable[[], str]) -> str:
    try:
        return code(act())
    except eightfold.DecodeError as error:
        return f"`DecodeError`: {error.fault}"
    except eightfold.EncodeError as error:
        return f"`EncodeError`: {error.fault}"
    except TypeError as error:
        return f"`TypeError`: {error}"
