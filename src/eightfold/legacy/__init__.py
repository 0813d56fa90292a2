r"""Legacy charsets at the edges: the character sets of Python's registry, as the source or the target of a conversion.

They are *foreign*: Python's codecs define them, they are not forms of the family, and nothing that eightfold guarantees
about forms holds for them. A name means what it means in Python; :attr:`Charset.web_name` says where the Encoding
standard of the web means another charset by it.
"""

from __future__ import annotations

from eightfold.legacy.charsets import Charset, charset, charsets
from eightfold.legacy.conversion import POLICIES, CharsetConverter
from eightfold.legacy.decoding import CharsetDecoder, Piece

__all__ = ["POLICIES", "Charset", "CharsetConverter", "CharsetDecoder", "Piece", "charset", "charsets"]
