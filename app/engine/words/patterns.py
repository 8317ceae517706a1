"""Parse word queries and match them: words, wildcards, lemmas, tags, phrases."""

import re
import time
from collections.abc import Callable
from itertools import islice, product
from typing import NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from app.engine.text.regex_size import check_expression_size
from app.engine.words.index import NAMES_OF_GIVEN, LayerTokens, WordIndex
from app.engine.words.lexicon import IdArray, Lexicon
from app.engine.words.tokenizer import UNSPACED, fold_word, kind_table, tokenize
from app.errors import UserError
from app.params.words import Layer, MatchMode

ANY = "*"
SEARCH_S, SEARCH_ALL_S = 0.1, 10.0  # for one item, for all items
MAX_CUTS = 64  # maximum number of segmentations of a text without spaces
FEW_IDS = 1_000  # below, the places of ids are collected, not scanned for
_LAYERS: dict[str, Layer] = {"lemma": "lemma", "pos": "pos", "form": "form"}


class TokenPattern(NamedTuple):
    """The condition for one word of a pattern.

    Attributes:
        layer: layer that is searched.
        text: text with * for any characters, or a regular expression if `is_regex`.
        case: match case.
        is_joined: the word follows the previous word without a space.
    """

    layer: Layer
    text: str
    case: bool = False
    is_regex: bool = False
    is_joined: bool = False


class WordPattern(NamedTuple):
    """A sequence of token patterns."""

    slots: tuple[TokenPattern, ...]

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Return the layers that the pattern searches."""
        return tuple(dict.fromkeys(slot.layer for slot in self.slots))


def parse_pattern(
    text: str, mode: MatchMode = "words", case: bool = False
) -> WordPattern:
    """Parse a query: haus, haus*, *ung, *haus*, lemma:go, pos:VERB, or several.

    In mode regex, the query is an expression to find in one word (^ and $ anchor it).

    Raises:
        UserError: the query is empty, matches every word, or is an invalid expression.
    """
    if mode == "regex":
        _compile(text)
        return WordPattern((TokenPattern("form", text, case, is_regex=True),))
    slots = tuple(_slot(part, case) for part in text.split())
    if not any(_has_letter(slot.text) for slot in slots):
        problem = "matches every word" if ANY in text else "contains no letter or digit"
        raise UserError(
            f"{text.strip()!r} {problem}. Enter a word, haus*, *ung, lemma:go or "
            "pos:VERB."
            if text.strip()
            else "The query is empty. Enter a word."
        )
    slots = tuple(slot for slot in slots if _has_letter(slot.text) or ANY in slot.text)
    return WordPattern(slots)


def find_places(index: WordIndex, pattern: WordPattern) -> tuple[IdArray, IdArray]:
    """Find the occurrences of words in a corpus.

    Returns:
        The first and the last token of each occurrence: int32 (m,) each, in text order.

    Raises:
        UserError: the corpus has no lemmas or parts of speech, or a regular expression
            takes too long.
    """
    for layer in pattern.layers:
        if not index.has(layer):
            raise UserError(
                f"{index.name} has no {NAMES_OF_GIVEN[layer]} (only CoNLL-U files "
                f"contain them). Search for words without {layer}:, or in other "
                "corpora."
            )
    found: list[tuple[IdArray, IdArray]] = []
    for slots in _ways(index, pattern):
        firsts = _places_of_row(index, slots)
        found.append((firsts, firsts + np.int32(len(slots) - 1)))
    if len(found) == 1:
        return found[0]
    firsts = np.concatenate([first for first, _ in found] or [np.empty(0, np.int32)])
    lasts = np.concatenate([last for _, last in found] or [np.empty(0, np.int32)])
    order = np.lexsort((lasts, firsts))
    return firsts[order], lasts[order]


def matching_ids(lexicon: Lexicon, slot: TokenPattern) -> IdArray:
    """Return the ids of the items that match a token pattern: int32 (m,), ascending.

    Raises:
        UserError: a regular expression takes too long.
    """
    if slot.is_regex:
        return _regex_ids(lexicon, slot.text)
    head, star, _ = slot.text.partition(ANY)
    low, high = 0, len(lexicon)
    if head:
        low, high = (lexicon.range_of_prefix if star else lexicon.range_of)(head)
    ids = np.arange(low, high, dtype=np.int32)
    if slot.text == ANY or (not slot.case and slot.text == head + star):
        return ids
    is_wanted = _test(slot)
    if not head:
        return lexicon.ids_where(is_wanted)
    kept: NDArray[np.bool_] = np.array([*map(is_wanted, lexicon.items(ids))], bool)
    return ids[kept]


def _slot(part: str, case: bool) -> TokenPattern:
    name, colon, text = part.partition(":")
    if colon and text and name.lower() in _LAYERS:
        return TokenPattern(_LAYERS[name.lower()], text, case)
    return TokenPattern("form" if case else "word", part, case)


def _has_letter(text: str) -> bool:
    return any(map(str.isalnum, text))


def _test(slot: TokenPattern) -> Callable[[str], bool]:
    """Return a test of whether an item matches a token pattern."""
    if slot.case:
        pattern = re.compile(_expression(slot.text), re.DOTALL)
        return lambda item: pattern.fullmatch(item) is not None
    if slot.text.count(ANY) == 1 and slot.text[0] == ANY:
        ending = fold_word(slot.text[1:])
        return lambda item: fold_word(item).endswith(ending)
    pattern = re.compile(_expression(fold_word(slot.text)), re.DOTALL)
    return lambda item: pattern.fullmatch(fold_word(item)) is not None


def _expression(text: str) -> str:
    return ".*".join(map(re.escape, text.split(ANY)))


def _compile(text: str) -> "regex.WordPattern[str]":
    check_expression_size(text)
    try:
        return regex.compile(text)
    except (regex.error, RecursionError, OverflowError) as error:
        raise UserError(f"Invalid regular expression {text!r}: {error}.") from error


def _regex_ids(lexicon: Lexicon, text: str) -> IdArray:
    pattern = _compile(text)
    end = time.monotonic() + SEARCH_ALL_S

    def is_found(item: str) -> bool:
        if time.monotonic() > end:
            raise TimeoutError
        return pattern.search(item, timeout=SEARCH_S) is not None

    try:
        return lexicon.ids_where(is_found)
    except TimeoutError as error:
        raise UserError(
            f"The regular expression {text!r} takes too long. Avoid nested repetitions."
        ) from error


def _ways(index: WordIndex, pattern: WordPattern) -> list[tuple[TokenPattern, ...]]:
    """Return the word sequences that a pattern may be in a corpus, at least one.

    One typed word may be several words in the corpus: l'eau, or a text without spaces,
    which may be segmented differently.
    """
    choices = [_choices(index, slot) for slot in pattern.slots]
    ways = islice(product(*choices), MAX_CUTS)
    return [tuple(slot for part in way for slot in part) for way in ways]


def _choices(index: WordIndex, slot: TokenPattern) -> list[tuple[TokenPattern, ...]]:
    if slot.is_regex or ANY in slot.text or slot.layer in ("lemma", "pos"):
        return [(slot,)]
    lexicon = index.layer("word").lexicon
    kinds = kind_table()[[ord(character) for character in slot.text]]
    low, high = lexicon.range_of(slot.text)
    is_unspaced = bool((kinds == UNSPACED).any())
    if not is_unspaced and low < high:
        return [(slot,)]
    spans = tokenize(slot.text, index.language)
    if is_unspaced or (index.has_lemmas and len(spans) == 1):
        text = "".join(slot.text[begin:end] for begin, end in spans)
        ways = _segmentations(lexicon, text)
        return [_joined(slot, words) for words in ways] or [(slot,)]
    words = [slot.text[begin:end] for begin, end in spans]
    return [tuple(slot._replace(text=word) for word in words)]


def _joined(slot: TokenPattern, words: list[str]) -> tuple[TokenPattern, ...]:
    return tuple(
        slot._replace(text=word, is_joined=index > 0)
        for index, word in enumerate(words)
    )


def _segmentations(lexicon: Lexicon, text: str) -> list[list[str]]:
    """Return all segmentations of a text into words of a corpus, fewest words first."""
    ways: list[list[list[str]]] = [[[]]]  # by length of the segmented prefix
    for end in range(1, len(text) + 1):
        found: list[list[str]] = []
        for begin in range(end):
            if not ways[begin]:
                continue
            low, high = lexicon.range_of(text[begin:end])
            if low < high:
                found += [[*way, text[begin:end]] for way in ways[begin]]
        ways.append(sorted(found, key=len)[:MAX_CUTS])
    return ways[-1]


def _places_of_row(index: WordIndex, slots: tuple[TokenPattern, ...]) -> IdArray:
    """Find the first tokens of a sequence of words: int32 (m,), ascending."""
    none = np.empty(0, np.int32)
    if not slots:
        return none
    layers = [index.layer(slot.layer) for slot in slots]
    ids = [
        matching_ids(layer.lexicon, slot)
        for layer, slot in zip(layers, slots, strict=True)
    ]
    counts = [
        int((layer.firsts[i + 1] - layer.firsts[i]).sum())
        for layer, i in zip(layers, ids, strict=True)
    ]
    rarest = int(np.argmin(counts))
    if not counts[rarest]:
        return none
    firsts = _places_of_ids(layers[rarest], ids[rarest]) - np.int32(rarest)
    if len(slots) == 1:
        return firsts
    firsts = firsts[(firsts >= 0) & (firsts + len(slots) <= index.n_tokens)]
    ends = index.starts[index.sentence_of(firsts) + 1]
    firsts = firsts[firsts + len(slots) <= ends]
    for place, slot in enumerate(slots):
        if place != rarest and slot.text != ANY:
            is_wanted = _table(layers[place], ids[place])
            firsts = firsts[is_wanted[layers[place].tokens[firsts + place]]]
        if slot.is_joined:
            here, before = firsts + place, firsts + place - 1
            firsts = firsts[index.begins[here] == index.ends[before]]
    return firsts


def _places_of_ids(layer: LayerTokens, ids: IdArray) -> IdArray:
    """Return the places of items: int32 (m,), ascending."""
    low, high = int(ids[0]), int(ids[-1]) + 1
    if high - low == len(ids):
        found = np.array(layer.order[layer.firsts[low] : layer.firsts[high]])
        return found if len(ids) == 1 else np.sort(found)
    if len(ids) > FEW_IDS:
        return np.flatnonzero(_table(layer, ids)[layer.tokens]).astype(np.int32)
    parts = [layer.order[layer.firsts[i] : layer.firsts[i + 1]] for i in ids]
    return np.sort(np.concatenate(parts))


def _table(layer: LayerTokens, ids: IdArray) -> NDArray[np.bool_]:
    table = np.zeros(len(layer.lexicon), bool)
    table[ids] = True
    return table
