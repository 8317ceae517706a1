"""How the words of dictionaries are compared: NFKC, case-folded, one space between."""

import unicodedata

from app.engine.words.tokens import fold


def entry_key(text: str) -> str:
    """Give what is equal for words that are compared as one.

    Compatibility forms are one (NFKC), and so are capitals, apostrophes and hyphens.
    """
    plain = unicodedata.normalize("NFKC", " ".join(text.split()))
    return unicodedata.normalize("NFKC", fold(plain))
