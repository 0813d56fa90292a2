"""The Wtf8 string: made, compared, cut and joined, and searched as a model over code points is."""

import copy
import pickle
from array import array
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold.wtf8 import Wtf8
from support.wtf_8 import JOINED, LEAD, PAIR, TRAIL, code_units, texts, through_code_units, wtf_8


class TestWtf8:
    @given(texts)
    def test_str_both_ways(self, text):
        string = Wtf8.from_str(text)
        assert bytes(string) == wtf_8(text)
        assert str(string) == through_code_units(text)

    @given(texts)
    def test_code_points_both_ways(self, text):
        string = Wtf8.from_code_points(map(ord, text))
        assert string.code_points() == array("I", map(ord, through_code_units(text)))
        assert string == Wtf8.from_str(text)

    @given(texts)
    def test_code_units_both_ways(self, text):
        string = Wtf8.from_code_units(code_units(text))
        assert string.to_code_units() == code_units(text)
        assert string == Wtf8.from_str(text)

    def test_str_strict_and_lossy(self):
        string = Wtf8(b"a" + LEAD)
        with pytest.raises(eightfold.ConversionError) as raised:
            string.to_str()
        assert (raised.value.start, raised.value.fault.kind) == (1, "unrepresentable")
        assert string.to_str("replace") == "a\ufffd"
        assert Wtf8(b"a" + JOINED).to_str() == "a\U0001f600"
        with pytest.raises(ValueError, match="'ignore'"):
            string.to_str("ignore")

    def test_utf_8_strict_and_lossy(self):
        assert Wtf8(b"a" + LEAD).to_utf8("replace") == b"a\xef\xbf\xbd"
        with pytest.raises(eightfold.ConversionError):
            Wtf8(b"a" + LEAD).to_utf8()

    @pytest.mark.parametrize("data", [PAIR, b"\xff", LEAD[:2]])
    def test_there_is_none_of_ill_formed_bytes(self, data):
        with pytest.raises(eightfold.DecodeError):
            Wtf8(data)

    def test_there_is_none_of_a_str(self):
        with pytest.raises(TypeError, match=r"Wtf8 takes bytes, not str: for a str use Wtf8\.from_str"):
            Wtf8("a")

    def test_a_code_point_beyond_unicode(self):
        with pytest.raises(eightfold.ConversionError) as raised:
            Wtf8.from_code_points([0x41, 0x110000])
        assert raised.value.start == 1

    def test_length_counts_bytes(self):
        assert [len(Wtf8(data)) for data in (b"", b"a", LEAD, JOINED)] == [0, 1, 3, 4]
        assert not Wtf8()
        assert Wtf8(LEAD)

    def test_addition_joins(self):
        assert Wtf8(b"a" + LEAD) + Wtf8(TRAIL) == Wtf8(b"a" + JOINED)
        assert Wtf8(LEAD) + Wtf8() + Wtf8(TRAIL) == Wtf8(JOINED)

    @pytest.mark.parametrize("other", ["a", b"a", 1, None])
    def test_addition_takes_its_own_kind_only(self, other):
        with pytest.raises(TypeError):
            Wtf8(b"a") + other
        with pytest.raises(TypeError):
            other + Wtf8(b"a")

    @given(texts, st.lists(texts, max_size=5))
    def test_join_equals_joining_in_wtf_16(self, separator, parts):
        joined = Wtf8.from_str(separator).join(map(Wtf8.from_str, parts))
        units = array("H")
        for index, part in enumerate(parts):
            units += code_units(separator) + code_units(part) if index else code_units(part)
        assert joined.to_code_units() == units

    def test_join_takes_its_own_kind_only(self):
        with pytest.raises(TypeError, match="not bytes"):
            Wtf8().join([Wtf8(b"a"), b"b"])

    @given(texts, st.data())
    def test_slices_on_boundaries_are_well_formed(self, text, data):
        points = through_code_units(text)
        start, stop = (data.draw(st.integers(0, len(points))) for _ in range(2))
        offsets = [len(wtf_8(points[:index])) for index in (start, stop)]
        cut = Wtf8.from_str(points)[offsets[0] : offsets[1]]
        assert bytes(cut) == points[start:stop].encode("utf-8", "surrogatepass")
        assert eightfold.is_well_formed(bytes(cut), "wtf-8")

    def test_a_slice_inside_a_sequence_is_an_error(self):
        whole = b"a\xc3\xa9" + LEAD + JOINED
        string = Wtf8(whole)
        boundaries = {0, 1, 3, 6, 10}
        for start, stop in product(range(len(whole) + 1), repeat=2):
            if {start, stop} <= boundaries:
                assert bytes(string[start:stop]) == whole[start:stop]
            else:
                with pytest.raises(ValueError, match="inside a sequence"):
                    string[start:stop]

    def test_slices_are_counted_as_those_of_bytes(self):
        string = Wtf8(b"a" + LEAD)
        assert bytes(string[-3:]) == LEAD
        assert bytes(string[:-3]) == b"a"
        assert string[:] == string[0:100] == string
        with pytest.raises(ValueError, match="step"):
            string[::2]
        with pytest.raises(ValueError, match="step"):
            string[::-1]
        with pytest.raises(TypeError, match="slices"):
            string[0]

    @given(texts, texts)
    def test_order_is_that_of_code_points(self, one, other):
        points = [list(map(ord, through_code_units(text))) for text in (one, other)]
        strings = [Wtf8.from_str(text) for text in (one, other)]
        assert (strings[0] < strings[1]) == (points[0] < points[1])
        assert (strings[0] <= strings[1]) == (points[0] <= points[1])
        assert (strings[0] > strings[1]) == (points[0] > points[1])
        assert (strings[0] >= strings[1]) == (points[0] >= points[1])
        assert (strings[0] == strings[1]) == (points[0] == points[1])

    def test_order_is_not_that_of_code_units(self):
        low, high = Wtf8.from_str("\uffff"), Wtf8.from_str("\U00010000")
        assert low < high
        assert low.to_code_units() > high.to_code_units()

    def test_equal_strings_hash_alike(self):
        assert hash(Wtf8(JOINED)) == hash(Wtf8(LEAD) + Wtf8(TRAIL))
        assert len({Wtf8(b"a"), Wtf8(b"a"), b"a"}) == 2

    def test_it_equals_no_bytes_and_no_str(self):
        assert Wtf8(b"a") != b"a"
        assert Wtf8(b"a") != "a"
        for other in (b"a", "a"):
            with pytest.raises(TypeError):
                Wtf8(b"a") < other  # noqa: B015

    def test_it_cannot_be_changed(self):
        string = Wtf8(b"a")
        with pytest.raises(AttributeError):
            string._data = b"b"
        with pytest.raises((AttributeError, TypeError)):
            string.more = 1
        with pytest.raises(TypeError):
            string[0:1] = Wtf8(b"b")
        assert string == Wtf8(b"a")

    def test_it_holds_its_own_bytes(self):
        buffer = bytearray(b"a")
        string = Wtf8(buffer)
        buffer[0] = 0xFF
        assert bytes(string) == b"a"

    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_pickle(self, protocol):
        string = Wtf8(b"a" + LEAD)
        assert pickle.loads(pickle.dumps(string, protocol)) == string

    def test_copies(self):
        string = Wtf8(b"a" + LEAD)
        assert copy.copy(string) == copy.deepcopy([string])[0] == string

    def test_repr_can_be_evaluated(self):
        string = Wtf8(b"a" + LEAD)
        assert repr(string) == "Wtf8(b'a\\xed\\xa0\\xbd')"
        assert eval(repr(string)) == string


# --- searching, against a model over code points ----------------------------------------------------------------------

# Sequences of each length, both halves of a pair and what the pair is, and their neighbours in bytes.
ALPHABET = (0x41, 0xE9, 0xD7FF, 0xD83D, 0xDE00, 0xE000, 0x1F600)
Model = list[int]


def models(longest: int) -> list[Model]:
    """Return all short lists of code points in which no lead is directly followed by a trail."""
    found = (list(each) for length in range(longest + 1) for each in product(ALPHABET, repeat=length))
    return [each for each in found if (0xD83D, 0xDE00) not in pairwise(each)]


def string_of(points: Model) -> Wtf8:
    return Wtf8.from_code_points(points)


def found_at(points: Model, part: Model, start: int = 0) -> int | None:
    """Return the index at which code points are found, from an index on, or None."""
    indices = range(start, len(points) - len(part) + 1)
    return next((at for at in indices if points[at : at + len(part)] == part), None)


def split_at(points: Model, separator: Model, most: int) -> list[Model]:
    parts, start = [], 0
    while most and (at := found_at(points, separator, start)) is not None:
        parts.append(points[start:at])
        start, most = at + len(separator), most - 1
    return [*parts, points[start:]]


def size(points: Model) -> int:
    return len(string_of(points))


class TestSearching:
    def test_everything_short_is_found_where_its_code_points_are(self):
        wholes, parts = models(4), models(2)
        strings = [(part, string_of(part)) for part in parts]
        for points in wholes:
            whole = string_of(points)
            for part, string in strings:
                at = found_at(points, part)
                assert whole.find(string) == (-1 if at is None else size(points[:at])), (points, part)
                assert (string in whole) == (at is not None)
                assert whole.startswith(string) == (points[: len(part)] == part)
                assert whole.endswith(string) == (points[len(points) - len(part) :] == part)

    def test_everything_short_is_split_where_its_code_points_are(self):
        separators = [(part, string_of(part)) for part in models(2) if part]
        for points in models(4):
            whole = string_of(points)
            for separator, string in separators:
                for most in (-1, 0, 1):
                    parts = whole.split(string, most)
                    assert parts == [string_of(part) for part in split_at(points, separator, most)]
                    assert string.join(parts) == whole
                    assert all(eightfold.is_well_formed(bytes(part), "wtf-8") for part in parts)

    def test_iteration_and_membership_are_of_code_points(self):
        for points in models(4):
            whole = string_of(points)
            assert list(whole) == points
            assert [point for point in ALPHABET if point in whole] == [point for point in ALPHABET if point in points]
            before, rest = whole.split_at_first_surrogate()
            at = next((at for at, point in enumerate(points) if 0xD800 <= point <= 0xDFFF), len(points))
            assert (before, rest) == (string_of(points[:at]), string_of(points[at:]))
            assert before.to_str() == "".join(map(chr, points[:at]))

    def test_finding_between_offsets(self):
        for points in models(3):
            whole = string_of(points)
            for part in models(1):
                for start, stop in product(range(len(points) + 1), repeat=2):
                    at = found_at(points[:stop], part, start) if start <= stop else None
                    found = whole.find(string_of(part), size(points[:start]), size(points[:stop]))
                    assert found == (-1 if at is None else size(points[:at]))
        assert Wtf8(b"aba").find(Wtf8(b"a"), -1) == 2
        with pytest.raises(ValueError, match="inside a sequence"):
            Wtf8(JOINED).find(Wtf8(b"a"), 1)

    @given(texts, texts)
    def test_longer_texts(self, text, part):
        points, searched = (list(map(ord, through_code_units(each))) for each in (text, part))
        whole, string = string_of(points), string_of(searched)
        at = found_at(points, searched)
        assert whole.find(string) == (-1 if at is None else size(points[:at]))
        if searched:
            assert string.join(whole.split(string)) == whole

    @pytest.mark.parametrize("other", ["a", b"a", None, ["a"]])
    def test_other_kinds_are_refused(self, other):
        string = Wtf8(b"a")
        for search in (string.find, string.startswith, string.endswith, string.split, string.__contains__):
            with pytest.raises(TypeError):
                search(other)
        with pytest.raises(TypeError):
            string.startswith((string, other))

    def test_what_cannot_be(self):
        with pytest.raises(ValueError, match="empty separator"):
            Wtf8(b"a").split(Wtf8())
        for point in (0x110000, -1):
            with pytest.raises(ValueError, match="cannot be written in wtf-8"):
                point in Wtf8(b"a")  # noqa: B015

    def test_several_beginnings_and_ends(self):
        string = Wtf8(b"a" + LEAD)
        assert string.startswith((Wtf8(b"b"), Wtf8(b"a")))
        assert string.endswith((Wtf8(TRAIL), Wtf8(LEAD)))
        assert not string.startswith(())
