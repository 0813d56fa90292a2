"""The policy x form x direction table, as data: the result of each policy for one fault of each form.

Written from the vocabulary's section on error handlers, by hand, so that the tests can compare the engines with it.
A cell is a result (str or bytes), or one of the words below. Each sample stands between two letters, ``a`` and ``b``,
in the form's own bytes; results are given without them.
"""

from __future__ import annotations

STRICT = "raises what strict raises"
UNKNOWN = "LookupError: the form does not declare the policy"
REFUSED = "ValueError: the form refuses the policy"
PYTHON = "TypeError: Python's own handler has no such direction"

POLICIES = (
    "strict",
    "replace",
    "ignore",
    "surrogateescape",
    "surrogatepass",
    "backslashreplace",
    "xmlcharrefreplace",
    "namereplace",
    "escape",
    "private-use",
    "java",
)

# Direction decode: form -> (bytes of a fault, result under each of POLICIES).
_NOT_DECLARED = (UNKNOWN, UNKNOWN, UNKNOWN)
_SURROGATE_IN_UTF_8 = (
    b"\xed\xb2\x80",
    (
        STRICT,
        "\ufffd\ufffd\ufffd",
        "",
        "\udced\udcb2\udc80",
        "\udc80",
        r"\xed\xb2\x80",
        PYTHON,
        PYTHON,
        *_NOT_DECLARED,
    ),
)
_INVALID_BYTE = (
    b"\xff",
    (STRICT, "\ufffd", "", "\udcff", STRICT, r"\xff", PYTHON, PYTHON, *_NOT_DECLARED),
)
_TRAIL_16 = ("\ufffd", "", "\udc80\udcdc", "\udc80", r"\x80\xdc")
_TRAIL_16_BE = ("\ufffd", "", "\udcdc\udc80", "\udc80", r"\xdc\x80")
# surrogateescape takes two bytes, as CPython's does, and then stands inside a unit, where it meets a byte below 80.
_SURROGATE_32 = ("\ufffd", "", STRICT, "\udc80", r"\x80\xdc\x00\x00")


def _utf(data: bytes, results: tuple[str, ...]) -> tuple[bytes, tuple[str, ...]]:
    return data, (STRICT, *results, PYTHON, PYTHON, *_NOT_DECLARED)


DECODE: dict[str, list[tuple[bytes, tuple[str, ...]]]] = {
    "utf-8": [_SURROGATE_IN_UTF_8, _INVALID_BYTE],
    "utf-8-sig": [_SURROGATE_IN_UTF_8, _INVALID_BYTE],
    "generalized-utf-8": [_INVALID_BYTE],
    "utf-8-rfc2044": [
        _INVALID_BYTE,
        # Well-formed, but no str holds U+110000.
        (
            b"\xf4\x90\x80\x80",
            (
                STRICT,
                "\ufffd",
                "",
                "\udcf4\udc90\udc80\udc80",
                STRICT,
                r"\xf4\x90\x80\x80",
                PYTHON,
                PYTHON,
                *_NOT_DECLARED,
            ),
        ),
    ],
    "wtf-8": [
        _INVALID_BYTE,
        (
            b"\xed\xa0\xbd\xed\xb8\x80",
            (
                STRICT,
                "\ufffd",
                "",
                "\udced\udca0\udcbd\udced\udcb8\udc80",
                "\ud83d\ude00",
                r"\xed\xa0\xbd\xed\xb8\x80",
                PYTHON,
                PYTHON,
                *_NOT_DECLARED,
            ),
        ),
    ],
    "cesu-8": [
        _INVALID_BYTE,
        (
            b"\xed\xb2\x80",
            (STRICT, "\ufffd", "", "\udced\udcb2\udc80", "\udc80", r"\xed\xb2\x80", PYTHON, PYTHON, *_NOT_DECLARED),
        ),
    ],
    "mutf-8": [
        (b"\xff", (STRICT, "\ufffd", "", "\udcff", STRICT, r"\xff", PYTHON, PYTHON, UNKNOWN, UNKNOWN, STRICT)),
        # surrogateescape has no code point for an ASCII byte.
        (b"\x00", (STRICT, "\ufffd", "", STRICT, STRICT, r"\x00", PYTHON, PYTHON, UNKNOWN, UNKNOWN, "\0")),
        (
            b"\xc1\xbf",
            (
                STRICT,
                "\ufffd\ufffd",
                "",
                "\udcc1\udcbf",
                STRICT,
                r"\xc1\xbf",
                PYTHON,
                PYTHON,
                UNKNOWN,
                UNKNOWN,
                "\x7f",
            ),
        ),
    ],
    "xtf-8": [
        (
            b"\xee\xbf\xbf",
            (
                STRICT,
                "\ufffd",
                REFUSED,
                "\udcee\udcbf\udcbf",
                STRICT,
                r"\xee\xbf\xbf",
                PYTHON,
                PYTHON,
                "\uefee\uefbf\uefbf",
                UNKNOWN,
                UNKNOWN,
            ),
        ),
    ],
    # OPTU-8 has no faults in bytes; policies that other forms declare are unknown all the same.
    "optu-8": [(b"\xff", (*["\uefff"] * 8, *_NOT_DECLARED))],
    "corrected-utf-8": [
        (b"\x80", (STRICT, "\ufffd", "", "\udc80", STRICT, r"\x80", PYTHON, PYTHON, UNKNOWN, STRICT, UNKNOWN)),
        (
            b"\xfe\x80\xff\xbf\x80\x80",
            (
                STRICT,
                "\ufffd",
                "",
                "\udcfe\udc80\udcff\udcbf\udc80\udc80",
                STRICT,
                r"\xfe\x80\xff\xbf\x80\x80",
                PYTHON,
                PYTHON,
                UNKNOWN,
                STRICT,
                UNKNOWN,
            ),
        ),
    ],
    "utf-16-le": [_utf(b"\x80\xdc", _TRAIL_16)],
    "utf-16-be": [_utf(b"\xdc\x80", _TRAIL_16_BE)],
    # The only fault is half a unit at the end, which the letters around a sample prevent: see the UTF-16 tests.
    "wtf-16-le": [(b"\x80\xdc", (*["\udc80"] * 8, *_NOT_DECLARED))],
    "wtf-16-be": [(b"\xdc\x80", (*["\udc80"] * 8, *_NOT_DECLARED))],
    "optu-16-le": [(b"\x80\xdc", (*["\udc80"] * 8, *_NOT_DECLARED))],
    "optu-16-be": [(b"\xdc\x80", (*["\udc80"] * 8, *_NOT_DECLARED))],
    "utf-32-le": [_utf(b"\x80\xdc\x00\x00", _SURROGATE_32)],
    # surrogateescape meets a byte below 80 first.
    "utf-32-be": [_utf(b"\x00\x00\xdc\x80", ("\ufffd", "", STRICT, "\udc80", r"\x00\x00\xdc\x80"))],
}
DECODE["corrected-utf-8-sig"] = DECODE["corrected-utf-8"]

# Direction encode: form -> (text of a fault, result under each of POLICIES).
_REFERENCES = (b"&#56448;", b"\\udc80")


def _lone_trail(
    passed: bytes | str, declared: tuple[str, str, str] = _NOT_DECLARED
) -> tuple[str, tuple[bytes | str, ...]]:
    return "\udc80", (STRICT, b"?", b"", b"\x80", passed, rb"\udc80", *_REFERENCES, *declared)


def _wide(passed: bytes, width: int, order: str) -> tuple[str, tuple[bytes | str, ...]]:
    def wide(text: str) -> bytes:
        return b"".join(ord(character).to_bytes(width, order) for character in text)  # type: ignore[arg-type]

    # One byte is not a whole unit, so surrogateescape cannot restore it.
    return (
        "\udc80",
        (
            STRICT,
            wide("?"),
            b"",
            STRICT,
            passed,
            *(wide(each) for each in (r"\udc80", "&#56448;", r"\udc80")),
            *_NOT_DECLARED,
        ),
    )


def _beyond_bmp(order: str) -> tuple[str, tuple[bytes | str, ...]]:
    def written(text: str) -> bytes:
        return b"".join(ord(character).to_bytes(2, order) for character in text)  # type: ignore[arg-type]

    shown = (written(each) for each in (r"\U0001f600", "&#128512;", r"\N{GRINNING FACE}"))
    return "\U0001f600", (STRICT, written("?"), b"", STRICT, STRICT, *shown, *_NOT_DECLARED)


_ORDINARY = b"\xed\xb2\x80"
_HOLDS_SURROGATES = [("\udc80", (*[_ORDINARY] * 8, *_NOT_DECLARED))]

ENCODE: dict[str, list[tuple[str, tuple[bytes | str, ...]]]] = {
    "utf-8": [_lone_trail(_ORDINARY)],
    "utf-8-sig": [_lone_trail(_ORDINARY)],
    "generalized-utf-8": _HOLDS_SURROGATES,
    "utf-8-rfc2044": _HOLDS_SURROGATES,
    "wtf-8": _HOLDS_SURROGATES,
    "cesu-8": [_lone_trail(_ORDINARY)],
    "mutf-8": [("\udc80", (*[_ORDINARY] * 8, UNKNOWN, UNKNOWN, _ORDINARY))],
    "xtf-8": [
        (
            "\udc80",
            (STRICT, b"?", REFUSED, b"\x80", _ORDINARY, rb"\udc80", *_REFERENCES, STRICT, UNKNOWN, UNKNOWN),
        )
    ],
    "optu-8": [
        *_HOLDS_SURROGATES,
        (
            "\ufffe",
            (STRICT, b"?", b"", STRICT, STRICT, rb"\ufffe", b"&#65534;", rb"\ufffe", *_NOT_DECLARED),
        ),
    ],
    "corrected-utf-8": [
        (
            "\udc80",
            (STRICT, b"?", b"", b"\x80", STRICT, rb"\udc80", *_REFERENCES, UNKNOWN, b"\xf3\xbe\x8f\xa0", UNKNOWN),
        ),
        (
            "\x85",
            (STRICT, b"?", b"", STRICT, STRICT, rb"\x85", b"&#133;", rb"\x85", UNKNOWN, b"\xf3\xbd\xbb\xa5", UNKNOWN),
        ),
    ],
    "utf-16-le": [_wide(b"\x80\xdc", 2, "little")],
    "utf-16-be": [_wide(b"\xdc\x80", 2, "big")],
    "wtf-16-le": [("\udc80", (*[b"\x80\xdc"] * 8, *_NOT_DECLARED))],
    "wtf-16-be": [("\udc80", (*[b"\xdc\x80"] * 8, *_NOT_DECLARED))],
    "optu-16-le": [("\udc80", (*[b"\x80\xdc"] * 8, *_NOT_DECLARED)), _beyond_bmp("little")],
    "optu-16-be": [("\udc80", (*[b"\xdc\x80"] * 8, *_NOT_DECLARED)), _beyond_bmp("big")],
    "utf-32-le": [_wide(b"\x80\xdc\x00\x00", 4, "little")],
    "utf-32-be": [_wide(b"\x00\x00\xdc\x80", 4, "big")],
}
ENCODE["corrected-utf-8-sig"] = ENCODE["corrected-utf-8"]
