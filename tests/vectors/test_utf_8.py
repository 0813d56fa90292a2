"""UTF-8 and generalized UTF-8 against eight decoders, CPython's every handler, and the known test suites."""

import pytest

from eightfold import convert, decode, decode_code_points, encode, faults, is_well_formed
from eightfold.stream import Decoder
from support.outcomes import Raised, outcome, recorded
from support.vector_files import Comparisons, Line, code_points, lines_agreeing, text, text_of_units

REASONS = {"S": "invalid start byte", "C": "invalid continuation byte", "E": "unexpected end of data"}


def raised(data: bytes, errors: str = "strict", form: str = "utf-8") -> tuple[object, object, object] | None:
    result = outcome(decode, data, form, errors)
    return result.unit if isinstance(result, Raised) else None


def unit(start: int, end: int, reason: str) -> tuple[int, int, str]:
    return start, end, REASONS[reason]


class TestEightDecoders:
    """Verdicts, first errors and replaced text on which all eight agree."""

    NAME = "utf8_decode_consensus"

    def test_verdict_and_replaced_text(self):
        def compared(line: Line) -> Comparisons:
            data = bytes.fromhex(line["in"])
            yield is_well_formed(data, "utf-8"), line["ok"]
            yield decode(data, "utf-8", "replace"), text_of_units(line["replace_u16"])

        assert lines_agreeing(self.NAME, compared) == 1125

    def test_first_error(self):
        def compared(line: Line) -> Comparisons:
            error = raised(bytes.fromhex(line["in"]))
            yield error is None, line["ok"]
            if error is not None:
                yield list(error[:2]), line["first_error"]
                yield error[2] == REASONS["E"], line["incomplete_at_end"]

        assert lines_agreeing(self.NAME, compared) == 1125

    def test_where_java_takes_a_surrogate_as_one_error_its_spans_are_faults(self):
        def compared(line: Line) -> Comparisons:
            if "java17_errors" in line:
                spans = [[fault.start, fault.end] for fault in faults(bytes.fromhex(line["in"]), "utf-8")]
                javas = [(start, start + length) for start, length in line["java17_errors"]]
                # Each fault is made of whole errors of Java's: overlong forms and the like are several to it.
                for start, end in spans:
                    within = [each for each in javas if start <= each[0] and each[1] <= end]
                    yield (within[0][0], within[-1][1]), (start, end)
                yield spans[-1][1], javas[-1][1]

        assert lines_agreeing(self.NAME, compared) == 21

    def test_what_glibc_waits_for_is_a_sequence_beyond_unicode(self):
        def compared(line: Line) -> Comparisons:
            if "glibc_errno" in line:
                last = list(faults(bytes.fromhex(line["in"]), "utf-8"))[-1]
                yield last.kind in ("beyond-unicode", "too-long"), line["glibc_errno"] == "EINVAL"
                yield last.end, len(line["in"]) // 2

        assert lines_agreeing(self.NAME, compared) == 19

    def test_the_mark_that_node_strips(self):
        def compared(line: Line) -> Comparisons:
            if "node_default_bom_stripped_u16" in line:
                yield (
                    decode(bytes.fromhex(line["in"]), "utf-8-sig"),
                    text_of_units(line["node_default_bom_stripped_u16"]),
                )

        assert lines_agreeing(self.NAME, compared) == 1


class TestCPythonDecoding:
    NAME = "cpython311_utf8"

    def test_verdict_value_and_every_error(self):
        def compared(line: Line) -> Comparisons:
            data = bytes.fromhex(line["in"])
            record = recorded(decode, data, "utf-8")
            yield record.units, [unit(*error) for error in line.get("errors", [])]
            yield outcome(decode, data, "utf-8", "strict") == record.value, line["ok"]
            if line["ok"]:
                yield record.value, text(line["cps"])
            else:
                yield raised(data), unit(*line["errors"][0])

        assert lines_agreeing(self.NAME, compared) == 1125

    @pytest.mark.parametrize("errors", ["replace", "ignore", "surrogateescape"])
    def test_handler(self, errors):
        def compared(line: Line) -> Comparisons:
            yield decode(bytes.fromhex(line["in"]), "utf-8", errors), text(line["cps" if line["ok"] else errors])

        assert lines_agreeing(self.NAME, compared) == 1125

    def test_backslashreplace(self):
        def compared(line: Line) -> Comparisons:
            if "backslashreplace" in line:
                yield (
                    decode(bytes.fromhex(line["in"]), "utf-8", "backslashreplace"),
                    bytes.fromhex(line["backslashreplace"]).decode(),
                )

        assert lines_agreeing(self.NAME, compared) == 226

    def test_surrogatepass(self):
        def compared(line: Line) -> Comparisons:
            data = bytes.fromhex(line["in"])
            expected = line.get("surrogatepass", line)
            if expected["ok"]:
                yield decode(data, "utf-8", "surrogatepass"), text(expected["cps"])
            else:
                yield raised(data, "surrogatepass"), unit(expected["start"], expected["end"], expected["reason"])

        assert lines_agreeing(self.NAME, compared) == 1125

    def test_generalized_utf_8_has_the_verdicts_and_values_of_surrogatepass(self):
        def compared(line: Line) -> Comparisons:
            data = bytes.fromhex(line["in"])
            expected = line.get("surrogatepass", line)
            yield is_well_formed(data, "generalized-utf-8"), expected["ok"]
            if expected["ok"]:
                yield decode(data, "generalized-utf-8"), text(expected["cps"])
            else:
                yield raised(data, form="generalized-utf-8") is None, False

        assert lines_agreeing(self.NAME, compared) == 1125


class TestCPythonEncoding:
    NAME = "cpython311_utf8_encode"

    def test_strict(self):
        def compared(line: Line) -> Comparisons:
            result = outcome(encode, text(line["cps"]), "utf-8", "strict")
            if "strict" in line:
                yield result, bytes.fromhex(line["strict"])
            else:
                yield result.unit, tuple(line["error"])

        assert lines_agreeing(self.NAME, compared) == 260

    @pytest.mark.parametrize("errors", ["surrogatepass", "replace", "ignore", "backslashreplace"])
    def test_handler(self, errors):
        def compared(line: Line) -> Comparisons:
            yield encode(text(line["cps"]), "utf-8", errors), bytes.fromhex(line[errors])

        assert lines_agreeing(self.NAME, compared) == 260

    def test_surrogateescape(self):
        def compared(line: Line) -> Comparisons:
            result = outcome(encode, text(line["cps"]), "utf-8", "surrogateescape")
            if "surrogateescape" in line:
                yield result, bytes.fromhex(line["surrogateescape"])
            else:
                yield result.unit, tuple(line["surrogateescape_error"])

        assert lines_agreeing(self.NAME, compared) == 260

    @pytest.mark.parametrize("form", ["generalized-utf-8", "utf-8-rfc2044"])
    def test_what_surrogatepass_writes_is_generalized_utf_8(self, form):
        def compared(line: Line) -> Comparisons:
            yield encode(text(line["cps"]), form), bytes.fromhex(line["surrogatepass"])

        assert lines_agreeing(self.NAME, compared) == 260

    def test_utf_16_le_with_surrogatepass(self):
        def compared(line: Line) -> Comparisons:
            expected = bytes.fromhex(line["utf16le_surrogatepass"])
            yield encode(text(line["cps"]), "utf-16-le", "surrogatepass"), expected
            yield encode(text(line["cps"]), "wtf-16-le"), expected

        assert lines_agreeing(self.NAME, compared) == 260


class TestKnownSuites:
    NAME = "torture_known"

    def test_verdict_value_first_error_and_replaced_text(self):
        def compared(line: Line) -> Comparisons:
            if "in" not in line:
                return
            data = bytes.fromhex(line["in"])
            yield is_well_formed(data, "utf-8"), line["ok"]
            yield decode(data, "utf-8", "replace"), text(line["cps"] if line["ok"] else line["replace"])
            yield raised(data), None if line["ok"] else unit(*line["first_error"])

        assert lines_agreeing(self.NAME, compared) == 354

    def test_what_the_suites_themselves_expect(self):
        def compared(line: Line) -> Comparisons:
            expected = line.get("upstream_expected", {})
            data = bytes.fromhex(line.get("in", ""))
            if "valid" in expected:
                yield is_well_formed(data, "utf-8"), expected["valid"]
            if "fatal" in expected:
                yield is_well_formed(data, "utf-8"), False
            if "replace_cps" in expected:
                yield decode(data, "utf-8", "replace"), text(expected["replace_cps"])
            if "replace" in expected:
                yield convert(data, "utf-8", "utf-8", "replace"), bytes.fromhex(expected["replace"])
                yield convert(data, "utf-8", "utf-8", "ignore"), bytes.fromhex(expected["skip"])

        assert lines_agreeing(self.NAME, compared) == 354

    def test_streams(self):
        def compared(line: Line) -> Comparisons:
            if "chunks" not in line:
                return
            decoder = Decoder("utf-8", "replace")
            pieces = [decoder.decode(bytes.fromhex(chunk), final) for chunk, final, _ in line["chunks"]]
            expected = [emitted for _, _, emitted in line["chunks"]]
            yield "".join(pieces), "".join(map(text, expected))
            yield pieces, [text(emitted) for emitted in line.get("cpython311_incremental_emits", expected)]

        assert lines_agreeing(self.NAME, compared) == 10

    def test_utf_16_surrogates(self):
        def compared(line: Line) -> Comparisons:
            if "utf16le" in line:
                data = bytes.fromhex(line["utf16le"])
                yield is_well_formed(data, "utf-16-le"), "fatal" not in line
                yield decode(data, "utf-16-le", "replace"), text(line["replace"])

        assert lines_agreeing(self.NAME, compared) == 5

    def test_naughty_strings(self):
        def compared(line: Line) -> Comparisons:
            if "utf8" in line:
                data, units = bytes.fromhex(line["utf8"]), bytes.fromhex(line["u16"])
                yield convert(data, "utf-8", "utf-16-be"), units
                yield convert(units, "utf-16-be", "utf-8"), data

        assert lines_agreeing(self.NAME, compared) == 44


@pytest.mark.parametrize(("errors", "count"), [("strict", 437), ("replace", 563), ("surrogatepass", 431)])
def test_what_cpython_holds_back(errors, count):
    def held(data: bytes) -> int:
        decoder = Decoder("utf-8", errors)
        try:
            decoder.decode(data)
        except UnicodeDecodeError:
            return -1
        return len(decoder.getstate()[0])

    def compared(line: Line) -> Comparisons:
        data = bytes.fromhex(line["in"])
        if f"pending_{errors}" in line:
            yield [held(data[:end]) for end in range(len(data) + 1)], line[f"pending_{errors}"]

    assert lines_agreeing("cpython311_utf8_incremental", compared) == count


def test_code_points_of_well_formed_lines_as_an_array():
    def compared(line: Line) -> Comparisons:
        if line["ok"]:
            yield list(decode_code_points(bytes.fromhex(line["in"]), "utf-8")), code_points(line["cps"])

    assert lines_agreeing("cpython311_utf8", compared) == 183
