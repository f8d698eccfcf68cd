"""Conversion of names to paths. Source: docs/platform/external.md ('Parameterize')."""

import re
import unicodedata
from typing import Final

_LETTERS: Final = {
    "\u00c6": "AE", "\u00d0": "D", "\u00d7": "x", "\u00d8": "O", "\u00de": "Th", "\u00df": "ss", "\u00e6": "ae",
    "\u00f0": "d", "\u00f8": "o", "\u00fe": "th", "\u0110": "D", "\u0111": "d", "\u0126": "H", "\u0127": "h",
    "\u0131": "i", "\u0132": "IJ", "\u0133": "ij", "\u0138": "k", "\u013f": "L", "\u0140": "l", "\u0141": "L",
    "\u0142": "l", "\u0149": "'n", "\u014a": "NG", "\u014b": "ng", "\u0152": "OE", "\u0153": "oe", "\u0166": "T",
    "\u0167": "t",
}  # fmt: skip
"""Letters of Latin-1 and Latin Extended-A that do not decompose into a base letter and an accent."""
_UNKNOWN: Final = "?"


def slugify(name: str) -> str:
    """Return the path that the platform derives from a name: lower-case letters, digits, dashes and underscores.

    Accents are removed and a sharp s becomes ``ss``; any other run of characters becomes one dash, none at the ends.
    """
    # Composed first, so that a letter with a separate accent is one character of the table.
    ascii_name = "".join(_transliterate(char) for char in unicodedata.normalize("NFC", name))
    # ``Cafe & Bar -- 2`` becomes ``cafe-bar-2``: the second step joins dashes that were in the name.
    return re.sub(r"-{2,}", "-", re.sub(r"[^a-zA-Z0-9_-]+", "-", ascii_name)).strip("-").lower()


def _transliterate(char: str) -> str:
    if char.isascii():
        return char
    if char in _LETTERS:
        return _LETTERS[char]
    # The transliteration table of Ruby's i18n ends at U+017E: later letters become ``?``, accented ones too.
    base = unicodedata.normalize("NFKD", char)[0] if "\u00c0" <= char <= "\u017e" else _UNKNOWN
    return base if base.isascii() else _UNKNOWN
