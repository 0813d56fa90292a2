"""CESU-8 and Modified UTF-8 against Java's charset and streams."""

import codecs
import io

from eightfold import convert, decode, encode, faults, is_well_formed
from eightfold.mutf8 import read_utf, write_utf
from support.outcomes import Raised, outcome
from support.vector_files import Comparisons, Line, lines_agreeing, text_of_units

SURROGATE_BYTES = 3
_java_spans: list[list[int]] = []


def _as_java(error: UnicodeError) -> tuple[str, int]:
    """Answer as Java's CESU-8 decoder: an unpaired surrogate passes, everything else is noted and replaced."""
    assert isinstance(error, UnicodeDecodeError)
    sequence = error.object[error.start : error.end]
    if len(sequence) == SURROGATE_BYTES:
        return sequence.decode("utf-8", "surrogatepass"), error.end
    _java_spans.append([error.start, len(sequence)])
    return "\N{REPLACEMENT CHARACTER}", error.end


codecs.register_error("as-java-cesu-8", _as_java)


class TestCesu8:
    NAME = "cesu8_decode"

    def test_verdict(self):
        def compared(line: Line) -> Comparisons:
            data = bytes.fromhex(line["in"])
            unpaired = any(fault.kind == "unpaired-surrogate" for fault in faults(data, "cesu-8"))
            accepted = not isinstance(outcome(decode, data, "cesu-8", "surrogatepass"), Raised)
            yield accepted, line["ok"]
            # Java takes unpaired surrogates, the definition does not.
            yield is_well_formed(data, "cesu-8"), line["ok"] and not unpaired

        assert lines_agreeing(self.NAME, compared) == 1125

    def test_value(self):
        def compared(line: Line) -> Comparisons:
            if line["ok"]:
                data, value = bytes.fromhex(line["in"]), text_of_units(line["java17_replace_u16"])
                yield decode(data, "cesu-8", "surrogatepass"), value
                yield encode(value, "cesu-8", "surrogatepass"), data
                yield (
                    convert(data, "cesu-8", "wtf-16-be", "surrogatepass"),
                    bytes.fromhex(line["java17_replace_u16"]),
                )
                if is_well_formed(data, "cesu-8"):
                    yield decode(data, "cesu-8"), value
                    yield encode(value, "cesu-8"), data

        assert lines_agreeing(self.NAME, compared) == 108

    def test_every_error_and_the_replaced_text(self):
        def compared(line: Line) -> Comparisons:
            _java_spans.clear()
            yield (
                decode(bytes.fromhex(line["in"]), "cesu-8", "as-java-cesu-8"),
                text_of_units(line["java17_replace_u16"]),
            )
            yield list(_java_spans), line["errors"]

        assert lines_agreeing(self.NAME, compared) == 1125

    def test_the_first_thing_that_icu_swallows_is_a_four_byte_fault(self):
        def compared(line: Line) -> Comparisons:
            if "icu72_first_bad" in line:
                data, bad = bytes.fromhex(line["in"]), bytes.fromhex(line["icu72_first_bad"])
                yield next(faults(data, "cesu-8")).start, data.index(bad)

        assert lines_agreeing(self.NAME, compared) == 326


def java_message(data: bytes) -> int | str | None:
    """Return the byte that `readUTF` names, or "partial", as the first error of the policy `java` implies it.

    Java counts from the end of the group that it was reading, and sees the end of the data before a wrong byte.
    """
    error = outcome(decode, data, "mutf-8", "java")
    if not isinstance(error, Raised):
        return None
    lead = data[error.start]
    group = 2 if 0xC0 <= lead <= 0xDF else 3 if 0xE0 <= lead <= 0xEF else 0
    if error.start + group > len(data):
        return "partial"
    return error.start + (group if group == 2 else group and group - 1)


class TestMutf8:
    NAME = "mutf8_decode"

    def test_verdict_and_value_of_the_policy_java(self):
        def compared(line: Line) -> Comparisons:
            data = bytes.fromhex(line["in"])
            result = outcome(decode, data, "mutf-8", "java")
            yield isinstance(result, str), line["ok"]
            if line["ok"]:
                yield result, text_of_units(line["u16"])
                yield convert(data, "mutf-8", "wtf-16-be", "java"), bytes.fromhex(line["u16"])

        assert lines_agreeing(self.NAME, compared) == 1125

    def test_strict_takes_what_java_writes(self):
        def compared(line: Line) -> Comparisons:
            data = bytes.fromhex(line["in"])
            canonical = line.get("canonical", False)
            yield is_well_formed(data, "mutf-8"), canonical
            if canonical:
                yield decode(data, "mutf-8"), text_of_units(line["u16"])
            if "u16" in line:
                yield encode(text_of_units(line["u16"]), "mutf-8") == data, canonical

        assert lines_agreeing(self.NAME, compared) == 1125

    def test_the_byte_that_java_names(self):
        def compared(line: Line) -> Comparisons:
            yield java_message(bytes.fromhex(line["in"])), line.get("java_error")

        assert lines_agreeing(self.NAME, compared) == 1125

    def test_with_the_length_before_it(self):
        def compared(line: Line) -> Comparisons:
            if not line["ok"]:
                return
            data = bytes.fromhex(line["in"])
            stream = io.BytesIO(len(data).to_bytes(2, "big") + data + b"rest")
            value = text_of_units(line["u16"])
            yield read_utf(stream, errors="java"), value
            yield stream.read(), b"rest"
            write_utf(stream, value)
            yield stream.getvalue().endswith(data), line["canonical"]

        assert lines_agreeing(self.NAME, compared) == 117
