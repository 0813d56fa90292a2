"""WTF-8 against Simon Sapin's rust-wtf8 and the two npm packages."""

from collections.abc import Callable

import pytest

from eightfold import convert, decode, encode, encode_code_points, faults, is_well_formed
from eightfold.wtf8 import Wtf8, concat, from_code_units, replace_surrogates_in_place, to_code_units, to_utf8
from support.outcomes import recorded
from support.vector_files import Comparisons, Line, code_points, lines, lines_agreeing, text, text_of_units, units


class TestDecoding:
    """CPython's and npm's verdicts, and the values of @cto.af/wtf8 where it does not let too much through."""

    NAME = "wtf8_decode"

    def test_verdict(self):
        def compared(line: Line) -> Comparisons:
            data = bytes.fromhex(line["in"])
            pair = line.get("ill_formed_wtf8_pair", False)
            yield is_well_formed(data, "generalized-utf-8"), line["generalized_ok"]
            yield is_well_formed(data, "wtf-8"), line["generalized_ok"] and not pair
            yield any(fault.kind == "surrogate-pair" for fault in faults(data, "wtf-8")), pair

        assert lines_agreeing(self.NAME, compared) == 1125

    def test_value(self):
        def compared(line: Line) -> Comparisons:
            if not line["generalized_ok"]:
                return
            data = bytes.fromhex(line["in"])
            expected = text_of_units(line["cto_u16"])
            yield convert(data, "generalized-utf-8", "wtf-16-be"), bytes.fromhex(line["cto_u16"])
            if "ill_formed_wtf8_pair" in line:
                yield decode(data, "wtf-8", "surrogatepass"), "".join(map(chr, units(line["cto_u16"])))
            else:
                yield decode(data, "wtf-8"), expected
                yield encode(expected, "wtf-8"), data

        assert lines_agreeing(self.NAME, compared) == 195

    def test_units_of_error_have_the_bytes_that_npm_replaces(self):
        def compared(line: Line) -> Comparisons:
            if line["generalized_ok"] or "upstream_defect" in line:
                return
            # @cto.af/wtf8 writes one U+FFFD for each byte of a unit.
            yield replaced_per_byte(bytes.fromhex(line["in"])).hex(), line["cto_replace_u16"]

        assert lines_agreeing(self.NAME, compared) == 916


def replaced_per_byte(data: bytes) -> bytes:
    replaced, at = b"", 0
    for each in recorded(decode, data, "wtf-8").told:
        replaced += convert(data[at : each.start], "wtf-8", "wtf-16-be") + b"\xff\xfd" * (each.end - each.start)
        at = each.end
    return replaced + convert(data[at:], "wtf-8", "wtf-16-be")


class TestRust:
    def test_to_utf_16_and_back(self):
        def compared(line: Line) -> Comparisons:
            wtf8, utf16 = bytes.fromhex(line["wtf8"]), bytes.fromhex(line["u16"])
            yield is_well_formed(wtf8, "wtf-8"), True
            yield convert(wtf8, "wtf-8", "wtf-16-be"), utf16
            yield convert(utf16, "wtf-16-be", "wtf-8") == wtf8, line["roundtrip"]
            yield list(to_code_units(wtf8)), units(line["u16"])
            yield from_code_units(units(line["u16"])), wtf8

        assert lines_agreeing("rustwtf8_to_utf16", compared) == 194

    def test_code_points(self):
        def compared(line: Line) -> Comparisons:
            wtf8, points = bytes.fromhex(line["wtf8"]), code_points(line["cps"])
            yield list(map(ord, decode(wtf8, "wtf-8"))), points
            yield list(Wtf8(wtf8).code_points()), points
            yield encode_code_points(points, "wtf-8"), wtf8

        assert lines_agreeing("rustwtf8_to_utf16", compared) == 194

    def test_utf_8_lossy_and_strict(self):
        def compared(line: Line) -> Comparisons:
            wtf8, lossy = bytes.fromhex(line["wtf8"]), bytes.fromhex(line["lossy_utf8"])
            yield to_utf8(wtf8, "replace"), lossy
            yield convert(wtf8, "wtf-8", "utf-8", "replace"), lossy
            yield is_well_formed(wtf8, "utf-8"), line["as_str_ok"]
            yield fails(lambda: to_utf8(wtf8)), not line["as_str_ok"]
            buffer = bytearray(wtf8)
            replace_surrogates_in_place(buffer)
            yield bytes(buffer), lossy

        assert lines_agreeing("rustwtf8_to_utf16", compared) == 194

    def test_concatenation(self):
        def compared(line: Line) -> Comparisons:
            left, right = from_code_units(units(line["a_u16"])), from_code_units(units(line["b_u16"]))
            expected = bytes.fromhex(line["concat_wtf8"])
            yield concat([left, right]), expected
            yield bytes(Wtf8(left) + Wtf8(right)), expected
            yield from_code_units(units(line["a_u16"] + line["b_u16"])), expected

        assert lines_agreeing("wtf8_concat", compared) == 258


def fails(operation: Callable[[], object]) -> bool:
    try:
        operation()
    except (UnicodeError, ValueError):
        return True
    return False


OPERATIONS: dict[str, Callable[[Line], Comparisons]] = {
    "from_utf16": lambda line: [(from_code_units(units(line["u16"])).hex(), line["wtf8"])],
    "to_utf16": lambda line: [(list(to_code_units(bytes.fromhex(line["wtf8"]))), units(line["u16"]))],
    "from_code_points": lambda line: [
        (Wtf8.from_code_points(code_points(line["cps"])), Wtf8(bytes.fromhex(line["wtf8"]))),
        (encode(text(line["cps"]), "wtf-8").hex(), line["wtf8"]),
    ],
    "concat": lambda line: [(concat([bytes.fromhex(line["a"]), bytes.fromhex(line["b"])]).hex(), line["wtf8"])],
    "to_utf8_lossy": lambda line: [(to_utf8(bytes.fromhex(line["wtf8"]), "replace").hex(), line["utf8"])],
    "as_utf8_strict": lambda line: [(not fails(lambda: to_utf8(bytes.fromhex(line["wtf8"]))), line["ok"])],
    "slice": lambda line: [
        (fails(lambda: _slice(line)), line.get("panics", False)),
        *([(_slice(line).hex(), line["out"])] if "out" in line else []),
    ],
    "is_code_point": lambda line: [(not fails(lambda: encode_code_points([int(line["cp"], 16)], "wtf-8")), line["ok"])],
}


def _slice(line: Line) -> bytes:
    return bytes(Wtf8(bytes.fromhex(line["wtf8"]))[line["begin"] : line["end"]])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_unit_tests_of_rust_wtf8(operation):
    def compared(line: Line) -> Comparisons:
        return OPERATIONS[operation](line) if line["op"] == operation else []

    name = "rustwtf8_own_tests"
    assert lines_agreeing(name, compared) == sum(line["op"] == operation for line in lines(name)) > 0


def test_every_operation_of_rust_wtf8_is_compared():
    assert {line["op"] for line in lines("rustwtf8_own_tests")} == set(OPERATIONS)
