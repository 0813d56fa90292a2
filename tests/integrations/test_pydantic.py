"""Types for models of pydantic: what is refused, what is scrubbed, and what is left to pydantic."""

from __future__ import annotations

import json
from enum import Enum
from typing import Annotated, Any

import pytest

pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed: pip install 'eightfold[pydantic]'")

from pydantic import BaseModel, BeforeValidator, Field, TypeAdapter, ValidationError  # noqa: E402
from pydantic_core import PydanticSerializationError  # noqa: E402

from eightfold import jsontext  # noqa: E402
from eightfold.integrations.pydantic import ScrubbedStr, WellFormedStr, scrubbed  # noqa: E402

UNFIT = "Zo\ud83d"


class Message(BaseModel):
    user: WellFormedStr = ""
    texts: list[ScrubbedStr] = Field(default_factory=list)


def refused(kind: Any, value: Any) -> dict[str, Any]:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value)
    (error,) = caught.value.errors()
    return dict(error)


def test_an_error_names_the_place_the_offset_and_the_code_point() -> None:
    with pytest.raises(ValidationError) as caught:
        Message(user=UNFIT)
    (error,) = caught.value.errors()
    assert (error["type"], error["loc"]) == ("ill_formed_text", ("user",))
    assert error["msg"] == "U+D83D cannot be written in utf-8, at offset 2"
    assert error["ctx"] == {"fault": "U+D83D cannot be written in utf-8", "offset": 2, "code_point": "U+D83D"}


def test_the_errors_can_be_written_as_json() -> None:
    with pytest.raises(ValidationError) as caught:
        Message(user=UNFIT)
    assert json.loads(caught.value.json())[0]["input"] == r"Zo\ud83d"
    json.dumps(caught.value.errors(), ensure_ascii=False).encode()
    str(caught.value).encode()


def test_what_is_scrubbed_can_be_written_as_json() -> None:
    message = Message(texts=[UNFIT, "\ud83d\ude00", "fine"])
    assert message.texts == ["Zo�", "😀", "fine"]
    assert json.loads(message.model_dump_json())["texts"] == message.texts
    with pytest.raises(PydanticSerializationError, match="surrogates not allowed"):
        TypeAdapter(str).dump_json(UNFIT)  # as it is without


@pytest.mark.parametrize("kind", [WellFormedStr, ScrubbedStr])
def test_the_schema_stays_a_string(kind: Any) -> None:
    for mode in ("validation", "serialization"):
        assert TypeAdapter(kind).json_schema(mode=mode) == {"type": "string"}


@pytest.mark.parametrize("kind", [WellFormedStr, ScrubbedStr])
@pytest.mark.parametrize("value", [3, None, b"\xff", ["x"], object()])
def test_what_is_no_text_is_left_to_pydantic(kind: Any, value: Any) -> None:
    assert refused(kind, value)["type"] == refused(str, value)["type"]


@pytest.mark.parametrize("kind", [WellFormedStr, ScrubbedStr])
def test_what_is_fit_is_as_pydantic_has_it(kind: Any) -> None:
    text = "Zoë 😀"
    assert TypeAdapter(kind).validate_python(text) is text
    assert TypeAdapter(kind).validate_python(b"Zo\xc3\xab") == "Zoë"
    assert TypeAdapter(kind).validate_json('"\\ud83d\\ude00"') == "😀"


def test_constraints_are_looked_at_after_the_surrogates() -> None:
    short = Field(max_length=3, pattern=r"^\w")
    assert refused(Annotated[str, short], UNFIT)["type"] == "string_unicode"  # as it is without
    assert refused(Annotated[WellFormedStr, short], UNFIT)["type"] == "ill_formed_text"
    assert TypeAdapter(Annotated[ScrubbedStr, short]).validate_python(UNFIT) == "Zo�"
    assert "too_long" in refused(Annotated[ScrubbedStr, short], "four")["type"]


def test_the_validators_stand_behind_what_the_schema_must_show() -> None:
    kind = Annotated[str, Field(pattern=r"^\w", max_length=3), BeforeValidator(scrubbed)]
    assert TypeAdapter(kind).json_schema() == {"type": "string", "pattern": r"^\w", "maxLength": 3}
    assert TypeAdapter(kind).validate_python(UNFIT) == "Zo�"


class Shade(str, Enum):  # noqa: UP042 - a StrEnum writes itself otherwise
    CUT = UNFIT


def test_an_enumeration_of_strs_gives_its_value() -> None:
    assert TypeAdapter(ScrubbedStr).validate_python(Shade.CUT) == "Zo�"
    assert refused(WellFormedStr, Shade.CUT)["input"] == r"Zo\ud83d"


def test_what_says_that_it_is_a_str_and_is_none_is_left_to_pydantic() -> None:
    class Proxy:
        @property
        def __class__(self) -> type:  # type: ignore[override]
            return str

    assert refused(WellFormedStr, Proxy())["type"] == "string_type"
    assert refused(ScrubbedStr, Proxy())["type"] == "string_type"


def test_strict_mode_is_kept() -> None:
    strict = Annotated[ScrubbedStr, Field(strict=True)]
    assert refused(strict, b"bytes")["type"] == "string_type"
    assert TypeAdapter(strict).validate_python(UNFIT) == "Zo�"


def test_json_text_is_made_fit_before_it_is_parsed() -> None:
    text = rb'{"texts": ["cut: \ud83d"]}'
    with pytest.raises(ValidationError, match="json_invalid"):
        Message.model_validate_json(text)
    assert Message.model_validate_json(jsontext.scrub(text)).texts == ["cut: �"]
    assert Message.model_validate(json.loads(text)).texts == ["cut: �"]
