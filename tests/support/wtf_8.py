"""WTF-8 as CPython makes it, through UTF-16 and `surrogatepass`, and texts that touch its rules."""

import sys
from array import array

from hypothesis import strategies as st

NATIVE = "le" if sys.byteorder == "little" else "be"
LEAD, TRAIL = b"\xed\xa0\xbd", b"\xed\xb8\x80"
PAIR = LEAD + TRAIL
JOINED = b"\xf0\x9f\x98\x80"
BOUNDARIES = "\0\x7f\x80\u07ff\u0800\ud7ff\ud800\udbff\udc00\udfff\ue000\ufffd\uffff\U00010000\U0010ffff"
SURROGATES = "\ud800\ud83d\udbff\udc00\ude00\udfff"
texts = st.text(
    st.one_of(st.sampled_from(BOUNDARIES), st.sampled_from(SURROGATES), st.characters(exclude_categories=()))
)


def code_units(text: str) -> array:
    """Return 16-bit code units as CPython makes them."""
    return array("H", text.encode(f"utf-16-{NATIVE}", "surrogatepass"))


def through_code_units(text: str) -> str:
    """Return the text in which every pair is joined, as CPython makes it."""
    return code_units(text).tobytes().decode(f"utf-16-{NATIVE}", "surrogatepass")


def wtf_8(text: str) -> bytes:
    """Return WTF-8 as CPython makes it: of text without pairs, generalized UTF-8."""
    return through_code_units(text).encode("utf-8", "surrogatepass")
