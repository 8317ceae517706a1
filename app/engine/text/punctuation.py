"""Punctuation as Moses normalises it: what LASER's pieces were made from.

The rules are those of Moses's normalize-punctuation.perl for English, which LASER uses
for every language; those that Unicode makes redundant are merged.
"""

import re
from collections.abc import Sequence

_SPACES = re.compile(" +")
_AFTER_BRACKET = re.compile(r"\) ([.!:?;,])")
_BEFORE_PERCENT = re.compile(r"(\d) %")
_CHARACTERS = str.maketrans(
    {"„": '"', "“": '"', "”": '"', "–": "-", "—": " - ", "…": "..."}
    | dict.fromkeys("´‘’‚", "'")
)
_QUOTES = re.compile("\xa0«\xa0|«\xa0?|\xa0»\xa0|\xa0?»")
_NUMBER_SPACE = re.compile("nº\xa0")
_SPACE_BEFORE = re.compile("\xa0([:?!;])")
_SPACE_BEFORE_UNIT = re.compile("\xa0(ºC|cm)")
_QUOTE_BEFORE_STOP = re.compile('"([,.]+)')
_SPACE_IN_NUMBER = re.compile("(\\d)\xa0(\\d)")


def normalise_punctuation(texts: Sequence[str]) -> list[str]:
    """Normalise the punctuation of texts: quotes, dashes, brackets, spaces.

    Line feeds within a text are read as spaces, since all texts pass together.
    """
    joined = "\n".join(text.replace("\n", " ") for text in texts)
    joined = _space_brackets(joined.replace("\r", ""))
    joined = joined.replace("`", "'").replace("''", ' " ')
    joined = _SPACES.sub(" ", joined.translate(_CHARACTERS)).replace("''", '"')
    if "\xa0" in joined or "«" in joined or "»" in joined:
        joined = _replace_hard_spaces(joined)
    joined = _QUOTE_BEFORE_STOP.sub(r'\1"', joined)
    joined = _SPACE_IN_NUMBER.sub(r"\1.\2", joined)
    return [text.strip() for text in joined.split("\n")] if texts else []


def _space_brackets(text: str) -> str:
    """Put spaces outside of brackets, none within; none before : ; and %."""
    text = _SPACES.sub(" ", text.replace("(", " (").replace(")", ") "))
    text = _AFTER_BRACKET.sub(r")\1", text)
    text = text.replace("( ", "(").replace(" )", ")")
    return _BEFORE_PERCENT.sub(r"\1%", text).replace(" :", ":").replace(" ;", ";")


def _replace_hard_spaces(text: str) -> str:
    """Replace French quotes and the no-break spaces before marks and units."""
    text = _QUOTES.sub('"', text).replace("\xa0%", "%")
    text = _NUMBER_SPACE.sub("nº ", text)
    text = _SPACE_BEFORE_UNIT.sub(r" \1", _SPACE_BEFORE.sub(r"\1", text))
    return _SPACES.sub(" ", text.replace(",\xa0", ", "))
