"""UTF-16, UTF-32 and WTF-16 against Node, simdutf, glibc, ICU, Java, Rust and CPython."""

from eightfold import convert, decode, encode, is_well_formed
from support.outcomes import Raised, outcome, recorded
from support.vector_files import Comparisons, Line, lines_agreeing, text, text_of_units

UNITS = "utf16_units_all"


def little_endian(line: Line) -> bytes:
    units = bytes.fromhex(line["u16"])
    return b"".join(units[at : at + 2][::-1] for at in range(0, len(units), 2))


def converted(line: Line, target: str, errors: str = "strict") -> bytes:
    return convert(bytes.fromhex(line["u16"]), "wtf-16-be", target, errors)


class TestSixteenBitUnits:
    def test_wtf_8_and_back(self):
        def compared(line: Line) -> Comparisons:
            wtf8 = bytes.fromhex(line["wtf8"])
            yield converted(line, "wtf-8"), wtf8
            yield convert(little_endian(line), "wtf-16-le", "wtf-8"), wtf8
            yield convert(wtf8, "wtf-8", "wtf-16-be"), bytes.fromhex(line["u16"])

        assert lines_agreeing(UNITS, compared) == 515

    def test_wtf_16_decoded(self):
        def compared(line: Line) -> Comparisons:
            expected = text_of_units(line["u16"])
            yield decode(bytes.fromhex(line["u16"]), "wtf-16-be"), expected
            yield decode(little_endian(line), "wtf-16-le"), expected
            yield encode(expected, "wtf-16-le"), little_endian(line)

        assert lines_agreeing(UNITS, compared) == 515

    def test_utf_16_is_the_well_formed_part(self):
        def compared(line: Line) -> Comparisons:
            units = bytes.fromhex(line["u16"])
            yield is_well_formed(units, "utf-16-be"), line["well_formed"]
            yield is_well_formed(little_endian(line), "utf-16-le"), line["well_formed"]
            result = outcome(decode, units, "utf-16-be", "strict")
            if line["well_formed"]:
                yield result, text_of_units(line["u16"])
                yield line.get("first_bad_unit"), None
            else:
                yield result.start, 2 * line["first_bad_unit"]
                yield result.reason == "unexpected end of data", line["glibc_errno"] == "EINVAL"

        assert lines_agreeing(UNITS, compared) == 515

    def test_to_well_formed_and_lossy_utf_8(self):
        def compared(line: Line) -> Comparisons:
            well_formed = bytes.fromhex(line.get("to_well_formed", line["u16"]))
            yield converted(line, "utf-16-be", "replace"), well_formed
            yield convert(bytes.fromhex(line["u16"]), "utf-16-be", "utf-16-be", "replace"), well_formed
            yield converted(line, "utf-8", "replace"), bytes.fromhex(line.get("utf8_lossy", line["wtf8"]))

        assert lines_agreeing(UNITS, compared) == 515

    def test_mutf_8_and_back(self):
        def compared(line: Line) -> Comparisons:
            mutf8 = bytes.fromhex(line["mutf8"])
            yield converted(line, "mutf-8"), mutf8
            yield encode(text_of_units(line["u16"]), "mutf-8"), mutf8
            yield convert(mutf8, "mutf-8", "wtf-16-be"), bytes.fromhex(line["u16"])

        assert lines_agreeing(UNITS, compared) == 515

    def test_cesu_8_with_surrogatepass_is_icus(self):
        def compared(line: Line) -> Comparisons:
            cesu8 = bytes.fromhex(line["cesu8_lenient_icu72"])
            yield converted(line, "cesu-8", "surrogatepass"), cesu8
            yield encode(text_of_units(line["u16"]), "cesu-8", "surrogatepass"), cesu8
            yield decode(cesu8, "cesu-8", "surrogatepass"), text_of_units(line["u16"])
            yield is_well_formed(cesu8, "cesu-8"), line["well_formed"]

        assert lines_agreeing(UNITS, compared) == 515

    def test_cesu_8_refuses_what_java_refuses(self):
        def compared(line: Line) -> Comparisons:
            value = text_of_units(line["u16"])
            # Java tells of each 16-bit code unit, here a run of code points is one unit of error.
            refused = [
                [_units_before(value, at), 1]
                for each in recorded(encode, value, "cesu-8").told
                for at in range(each.start, each.end)
            ]
            yield refused, line.get("cesu8_java17_errors", [])
            yield (
                encode(value, "cesu-8", "replace"),
                bytes.fromhex(line.get("cesu8_java17_replace", line["cesu8_lenient_icu72"])),
            )

        assert lines_agreeing(UNITS, compared) == 515

    def test_utf_8_of_a_str_with_question_marks_is_javas(self):
        def compared(line: Line) -> Comparisons:
            value = text_of_units(line["u16"])
            yield encode(value, "utf-8", "replace"), bytes.fromhex(line.get("utf8_java17_getbytes", line["wtf8"]))

        assert lines_agreeing(UNITS, compared) == 515

    def test_every_error_is_cpythons(self):
        def compared(line: Line) -> Comparisons:
            record = recorded(decode, little_endian(line), "utf-16-le")
            yield record.units, [tuple(error) for error in line.get("cpython311_errors", [])]
            yield record.value, text_of_units(line.get("to_well_formed", line["u16"]))

        assert lines_agreeing(UNITS, compared) == 515

    def test_one_byte_less(self):
        def compared(line: Line) -> Comparisons:
            if "cpython_trunc1_strict" not in line:
                return
            data = little_endian(line)[:-1]
            yield decode(data, "utf-16-le", "replace"), text(line["cpython_trunc1_replace"])
            for errors in ("strict", "surrogatepass"):
                yield _as_vector(outcome(decode, data, "utf-16-le", errors)), line[f"cpython_trunc1_{errors}"]

        assert lines_agreeing(UNITS, compared) == 129


def _units_before(value: str, end: int) -> int:
    return len(value[:end].encode("utf-16-be", "surrogatepass")) // 2


def _as_vector(result: object) -> dict[str, object]:
    if isinstance(result, Raised):
        return {"ok": False, "start": result.start, "end": result.end, "reason": result.reason}
    return {"ok": True, "cps": " ".join(f"{ord(character):x}" for character in str(result))}


def test_utf_32_is_cpythons():
    def compared(line: Line) -> Comparisons:
        data = bytes.fromhex(line["in_le"])
        record = recorded(decode, data, "utf-32-le")
        yield record.units, [tuple(error) for error in line["errors"]]
        yield record.value, text(line["replace"])
        yield decode(data, "utf-32-le", "replace"), text(line["replace"])
        yield is_well_formed(data, "utf-32-le"), line["strict"]["ok"]
        for errors in ("strict", "surrogatepass"):
            yield _as_vector(outcome(decode, data, "utf-32-le", errors)), line[errors]

    assert lines_agreeing("cpython311_utf32", compared) == 150
