r"""The verbs in pieces: an incremental decoder, encoder, converter and checker for any form.

However the input is divided, the pieces add up to the result for the whole, except for an Encoder whose registered
handler answers by the length of what it is shown, as in CPython. A coder that raises keeps the state it had before the
call. The amount of data held between calls follows from the form's tables and is bounded: for the reserved sequences of
Corrected UTF-8, whose length is unlimited, the coder holds only a flag. The exception is a foreign error handler, which
is called with a whole sequence, so the coder holds all of it.

Each piece is taken once, or the call raises. A Converter, a Checker and a text file admit one thread at a time; where
Python has no global lock, so do a Decoder and an Encoder. With a global lock these two raise a RuntimeError if their
state has changed during a call, because a lock would cost more than a small piece. An error handler may ask the coder
that called it for its state; if it changes the state, one of the two calls raises a RuntimeError.

`codec` has the classes for Python's codecs registry.
"""

from __future__ import annotations

from eightfold.stream.checker import Checker, Located
from eightfold.stream.converter import Converter
from eightfold.stream.decoder import Decoder
from eightfold.stream.encoder import Encoder

__all__ = ["Checker", "Converter", "Decoder", "Encoder", "Located"]
