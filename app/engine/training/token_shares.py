"""How the tokens of a vocabulary's data are shared by the languages."""

from collections.abc import Iterator
from itertools import islice

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.engine.report import Report
from app.engine.text.piece_counts import PieceCounter
from app.engine.text.words import split_words
from app.engine.training.files import file_stem, read_pairs
from app.engine.training.sample import SamplePlan

BLOCK_PAIRS = 20_000
STAGE = "Counting the tokens of each language"
FIRST_COLUMN = "eng"


class LanguageShare(msgspec.Struct, frozen=True):
    """What a language has of the tokens, before and after the sampling.

    Attributes:
        language: the file's name without `eng-`; `eng` is the first column of all.
        n_sentences, n_sampled: in the data, and in the sample.
        share_before: of the tokens of all data, 0…1.
        share_after: of the tokens of the sample, 0…1.
        pieces_per_word: in the sample; 0 if it has no word of the language.
        unknown_share: of the language's tokens in the sample, 0…1.
    """

    language: str
    n_sentences: int
    n_sampled: int
    share_before: float
    share_after: float
    pieces_per_word: float
    unknown_share: float


class _Count(msgspec.Struct):
    """Counts of one language; `_sampled` ones are of the sample."""

    sentences: int = 0
    tokens: int = 0
    sentences_sampled: int = 0
    tokens_sampled: int = 0
    unknown_sampled: int = 0
    words_sampled: int = 0


def measure_shares(
    plan: SamplePlan, counter: PieceCounter, report: Report
) -> tuple[LanguageShare, ...]:
    """Count the tokens of all data and of the sample with a trained vocabulary.

    Returns:
        One entry for each language, the largest share of the sample first.
    """
    counts = {FIRST_COLUMN: _Count()}
    for i, file in enumerate(plan.files):
        stem = file_stem(file)
        foreign = counts.setdefault(stem.removeprefix("eng-"), _Count())
        english = counts[FIRST_COLUMN]
        columns = list(zip((english, foreign), plan.marks(i), strict=True))
        for first, block in _blocks(read_pairs(file)):
            report.step(STAGE, i, len(plan.files), stem)
            for side, (count, marks) in enumerate(columns):
                texts = [pair[side] for pair in block]
                _add(count, texts, marks[first : first + len(block)], counter)
    return _shares(counts)


def _add(
    count: _Count, texts: list[str], marks: NDArray[np.bool_], counter: PieceCounter
) -> None:
    """Count a block of one language; `marks` bool (n,) are the sample's."""
    pieces = counter.count_pieces(texts)
    count.sentences += len(texts)
    count.tokens += int(pieces.n_pieces.sum())
    count.sentences_sampled += int(marks.sum())
    count.tokens_sampled += int(pieces.n_pieces[marks].sum())
    count.unknown_sampled += int(pieces.n_unknown[marks].sum())
    sampled = [texts[i] for i in np.flatnonzero(marks)]
    count.words_sampled += sum(len(split_words(text)) for text in sampled)


def _shares(counts: dict[str, _Count]) -> tuple[LanguageShare, ...]:
    """Turn counts into shares."""
    n_tokens = max(1, sum(count.tokens for count in counts.values()))
    n_sampled = max(1, sum(count.tokens_sampled for count in counts.values()))
    shares = [
        LanguageShare(
            language,
            count.sentences,
            count.sentences_sampled,
            count.tokens / n_tokens,
            count.tokens_sampled / n_sampled,
            count.tokens_sampled / max(1, count.words_sampled),
            count.unknown_sampled / max(1, count.tokens_sampled),
        )
        for language, count in counts.items()
    ]
    return tuple(sorted(shares, key=lambda one: (-one.share_after, one.language)))


def _blocks(
    pairs: Iterator[tuple[str, str]],
) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Cut an iterator into lists, each with the number of its first pair."""
    first = 0
    while block := list(islice(pairs, BLOCK_PAIRS)):
        yield first, block
        first += len(block)
