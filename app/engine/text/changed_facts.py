"""English sentences with one fact changed, as hard candidates for retrieval.

After xsim++ (Chen et al. 2023, "xsim++: An Improved Proxy to Bitext Mining Performance
for Low-Resource Languages", section 3): causality (negations and antonyms), entities
and numbers. The paper finds antonyms in WordNet and entities by a tagger; here
antonyms are a short list, and entities are words with a capital inside a sentence, so
the figures are not comparable with published ones.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np

from app.params.evaluation import VariantKind

N_EACH = 3  # variants of each entity or number
_Change = tuple[int, int, str]  # the span from start to end becomes the text

_AUXILIARIES = (
    *("is", "are", "was", "were", "can", "could", "will", "would", "should", "must"),
    *("may", "might", "has", "have", "had", "does", "do", "did"),
)
_NEGATABLE = re.compile(rf"\b(?:{'|'.join(_AUXILIARIES)})\b(?!['’]t)( not\b)?", re.I)
_CONTRACTED = re.compile(r"\b(\w+?)n['’]t\b")
_IRREGULAR = {"ca": "can", "wo": "will", "sha": "shall"}  # can't, won't, shan't
_ANTONYMS = {
    one: other
    for pair in (
        *("good bad", "high low", "large small", "big little", "old new", "long short"),
        *(
            "early late",
            "fast slow",
            "strong weak",
            "rich poor",
            "hot cold",
            "hard soft",
        ),
        *("easy difficult", "safe dangerous", "first last", "more less", "many few"),
        *("most least", "best worst", "better worse", "higher lower", "larger smaller"),
        *("longer shorter", "older newer", "earlier later", "increase decrease"),
        *("increased decreased", "rise fall", "rose fell", "won lost", "win lose"),
        *("open closed", "public private", "common rare", "full empty", "heavy light"),
        *("north south", "east west", "northern southern", "eastern western"),
        *("before after", "above below", "inside outside", "always never"),
        *("all none", "begin end", "began ended", "success failure", "male female"),
        *("possible impossible", "legal illegal", "happy sad", "true false"),
        *("positive negative", "major minor", "young elderly", "alive dead"),
    )
    for one, other in (pair.split(), pair.split()[::-1])
}
_WORD = re.compile(r"\b[A-Za-z]+\b(?!['’])")
_ENTITY = re.compile(r"(?<=[a-z0-9,;:–—-] )[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NUMBER_WORDS = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "twenty", "thirty", "forty", "fifty", "sixty"),
)
_SPELLED = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b", re.I)


def change_facts(texts: Sequence[str], generator: np.random.Generator) -> list[str]:
    """Change one fact of each text, or exchange two of its entities.

    The kind of change is drawn among those that the text allows, then the change.

    Args:
        texts: English sentences; entities are replaced by those of other sentences.
        generator: draws kinds and changes.

    Returns:
        A changed sentence for each text; empty where nothing can be changed.
    """
    entities = _find_entities(texts)
    changed = []
    for text in texts:
        kinds = (
            _change_causality(text),
            _change_entities(text, _choose(entities, generator), generator),
            _change_numbers(text, generator),
            _exchange_entities(text),
        )
        possible = [changes for changes in kinds if changes]
        new_text = ""
        if possible:
            changes = possible[generator.integers(len(possible))]
            start, end, new = changes[generator.integers(len(changes))]
            new_text = text[:start] + new + text[end:]
        changed.append(new_text if new_text != text else "")
    return changed


def make_variants(
    texts: Sequence[str], kinds: Sequence[VariantKind], *, seed: int = 1
) -> list[str]:
    """Return distinct sentences that each differ from one text in one fact.

    Args:
        texts: English sentences.
        kinds: kinds of facts to change.
        seed: chooses other entities and numbers.
    """
    generator = np.random.default_rng(seed)
    entities = _find_entities(texts)
    change: dict[VariantKind, Callable[[str], list[_Change]]] = {
        "causality": _change_causality,
        "entities": lambda text: _change_entities(text, entities, generator),
        "numbers": lambda text: _change_numbers(text, generator),
    }
    found = {
        text[:start] + new + text[end:]: None
        for kind in dict.fromkeys(kinds)
        for text in texts
        for start, end, new in change[kind](text)
    }
    known = set(texts)
    return [text for text in found if text not in known]


def _find_entities(texts: Sequence[str]) -> list[str]:
    """Return the distinct entities of texts, in order."""
    return sorted({found[0] for text in texts for found in _ENTITY.finditer(text)})


def _change_causality(text: str) -> list[_Change]:
    """Add or remove a negation, and replace words by their antonyms."""
    changes: list[_Change] = []
    for found in _CONTRACTED.finditer(text):
        verb = _IRREGULAR.get(found[1].lower(), found[1])
        changes.append((*found.span(), _with_case_of(found[1], verb)))
    for found in _NEGATABLE.finditer(text):
        if found[1]:
            changes.append((*found.span(1), ""))
        else:
            changes.append((found.end(), found.end(), " not"))
    for found in _WORD.finditer(text):
        other = _ANTONYMS.get(found[0].lower())
        if other is not None:
            changes.append((*found.span(), _with_case_of(found[0], other)))
    return changes


def _change_entities(
    text: str, entities: Sequence[str], generator: np.random.Generator
) -> list[_Change]:
    """Replace entities by other entities of the texts."""
    return [
        (*found.span(), str(other))
        for found in _ENTITY.finditer(text)
        for other in _choose([e for e in entities if e != found[0]], generator)
    ]


def _exchange_entities(text: str) -> list[_Change]:
    """Exchange the first two entities of a text."""
    found = [*_ENTITY.finditer(text)][:2]
    if len(found) < 2 or found[0][0] == found[1][0]:
        return []
    first, second = found
    between = text[first.end() : second.start()]
    return [(first.start(), second.end(), f"{second[0]}{between}{first[0]}")]


def _change_numbers(text: str, generator: np.random.Generator) -> list[_Change]:
    """Replace numbers in digits, keeping the number of digits, and numbers in words."""
    changes: list[_Change] = []
    for found in _NUMBER.finditer(text):
        for _ in range(N_EACH):
            new = re.sub(r"\d", lambda _: str(generator.integers(10)), found[0])
            if new[0] == "0" != found[0][0]:
                new = f"{generator.integers(1, 10)}{new[1:]}"
            if new != found[0]:
                changes.append((*found.span(), new))
    for found in _SPELLED.finditer(text):
        others = [word for word in _NUMBER_WORDS if word != found[0].lower()]
        changes += [
            (*found.span(), _with_case_of(found[0], word))
            for word in _choose(others, generator)
        ]
    return changes


def _choose(values: Sequence[str], generator: np.random.Generator) -> list[str]:
    """Choose a few distinct values."""
    if len(values) <= N_EACH:
        return list(values)
    return [values[i] for i in generator.choice(len(values), N_EACH, replace=False)]


def _with_case_of(model: str, word: str) -> str:
    return word.capitalize() if model[0].isupper() else word
