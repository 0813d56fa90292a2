"""The beginning of a stream: its first bytes may be a signature, which names the form of the rest."""

from __future__ import annotations

from eightfold import reference
from eightfold.forms import Form


class Opening:
    """The form of a stream, which is known at once, or after the first bytes if they may be a signature.

    Attributes:
        asked: the form that the caller gave.
        chosen: 0 until the first bytes arrive, then 1 plus the index of the signature whose form applies.
        plain: the form that applies, or None until it is known.
    """

    def __init__(self, asked: Form, chosen: int = 0) -> None:
        if not 0 <= chosen <= len(asked.signatures):
            raise ValueError(f"the state is not of {asked.name}, which has {len(asked.signatures)} signatures")
        self.asked: Form = asked
        self.chosen: int = chosen
        announced = [None, *(signature.form for signature in asked.signatures)]
        self.plain: Form | None = announced[chosen] if asked.signatures else asked

    def after(self, data: bytes, *, final: bool) -> tuple[Opening, int] | None:
        """Return the opening after these bytes and the length of the signature; None if more bytes are needed.

        An empty input has not begun, even if it is final: the file may grow, and then begin with a signature.
        """
        if self.plain is not None:
            return self, 0
        opening = reference.opening(self.asked, data, final=final) if data else None
        if opening is None:
            return None
        announced = [signature.form for signature in self.asked.signatures]
        return Opening(self.asked, announced.index(opening[0]) + 1), opening[1]
