"""Text normalisation and query syntax of the keyword search.

The tokenizer (see schema.FTS_SQL) treats runs of letters, digits and marks as words. In
scripts without spaces a run is a complete clause, so each character is indexed
separately, and a query in such a script is a phrase of its characters, which matches
any part of a clause.
"""

import re
import unicodedata

from app.errors import UserError

# Scripts written without spaces between words: Thai, Lao, Tibetan, Myanmar, Khmer, Tai
# scripts, Javanese and Balinese, Kana, Bopomofo, Yi and Han. (Korean has spaces.)
_UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u1950-\u19df\u19e0-\u19ff\u1a20-\u1aaf"
    "\u1b00-\u1b7f\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b"
    "\u3041-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf"
    "\ua980-\ua9df\ua9e0-\ua9ff\uaa60-\uaadf\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_TERM = re.compile(r'"([^"]*)"?(\*?)|([^\s"]+)')
_JOINED = re.compile(r"\w+(?:['’-]\w+)+")
MAX_QUERY_CHARACTERS = 1_000  # characters
_TOKEN_CATEGORIES = ("L", "N", "Co", "Mn", "Mc")


def keyword_text(text: str) -> str:
    """Return a text as indexed, with spaces between characters of unspaced scripts."""
    if text.isascii() or not _UNSPACED_RUN.search(text):
        return text
    # A function is called per run; a template would be expanded for each character.
    return _UNSPACED_RUN.sub(lambda run: f" {' '.join(run.group())} ", text)


def keyword_query(user_text: str) -> str:
    """Convert a typed query to a MATCH expression that is always valid.

    `haus*` is a prefix, `"sit down"` a phrase; the sentence must contain all terms.

    Returns:
        The expression; empty if no term can be in the index.

    Raises:
        UserError: the query is so long that the search would take seconds.
    """
    if len(user_text) > MAX_QUERY_CHARACTERS:
        raise UserError(
            f"{len(user_text):,} characters are too many to search for. Type at most "
            f"{MAX_QUERY_CHARACTERS:,}, or search by meaning."
        )
    return " AND ".join(
        f'"{" ".join(tokens)}"' + (" *" if is_prefix else "")
        for tokens, is_prefix in _terms(user_text)
    )


def keyword_spans(text: str, user_text: str) -> list[tuple[int, int]]:
    """Return the spans of the words, prefixes and phrases of a query in a sentence.

    Returns:
        Start and end of each occurrence in code points, ascending, without overlaps.
    """
    spaced = "".join(c if _is_token(c) else " " for c in text)
    places = [found.span() for found in _TOKEN.finditer(spaced)]
    words = [text[start:end].casefold() for start, end in places]
    spans = []
    for tokens, is_prefix in _terms(user_text):
        wanted, n = [token.casefold() for token in tokens], len(tokens)
        for first in range(len(words) - n + 1):
            found = words[first : first + n]
            is_last = found[-1] == wanted[-1] or (
                is_prefix and found[-1].startswith(wanted[-1])
            )
            if is_last and found[:-1] == wanted[:-1]:
                spans.append((places[first][0], places[first + n - 1][1]))
    apart: list[tuple[int, int]] = []
    for span in sorted(spans):
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return apart


def find_partly_matched(text: str, user_text: str) -> str:
    """Return a joined word, such as Tom's, that a query matches in part; else empty.

    Prefixes are left out, since they match the start of such a word on purpose.
    """
    if "*" in user_text:
        return ""
    spans = keyword_spans(text, user_text)
    for joined in _JOINED.finditer(text):
        begin, end = joined.span()
        if any(begin <= a and b <= end and b - a < end - begin for a, b in spans):
            return joined.group()
    return ""


def is_at_word_start(text: str, wanted: str) -> bool:
    """Return whether a text contains another text at the start of a word.

    In scripts without spaces any position counts.
    """
    at = text.find(wanted)
    while wanted and at >= 0:
        joint = text[max(at - 1, 0) : at + 1]
        if at == 0 or not all(map(_is_token, joint)) or _UNSPACED_RUN.search(joint):
            return True
        at = text.find(wanted, at + 1)
    return False


def _terms(user_text: str) -> list[tuple[list[str], bool]]:
    """Return the tokens of each term of a query, and whether it is a prefix."""
    terms = []
    for phrase, phrase_star, word in _TERM.findall(
        unicodedata.normalize("NFC", user_text)
    ):
        characters = [c if _is_token(c) else " " for c in phrase or word]
        tokens = keyword_text("".join(characters)).split()
        if tokens:
            terms.append((tokens, bool(phrase_star) or word.endswith("*")))
    return terms


def _is_token(character: str) -> bool:
    return unicodedata.category(character).startswith(_TOKEN_CATEGORIES)
