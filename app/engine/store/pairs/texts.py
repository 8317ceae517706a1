"""Current texts of pairs: as imported, swapped or edited."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from sqlalchemy import Engine

from app.engine.store.corpora import corpus_of
from app.engine.store.pairs.sets import (
    JudgementRow,
    PairRow,
    read_current_judgements,
    read_pairs,
)
from app.engine.store.rows import MAX_VARIABLES
from app.engine.store.sentences import SentenceRow, read_sentences
from app.languages import primary_language

# Written without spaces between sentences: Chinese, Japanese, Thai, Lao, Burmese, Khmer
# and Tibetan.
UNSPACED = frozenset(
    ["zh", "ja", "yue", "lzh", "wuu", "th", "lo", "my", "km", "bo", "dz"]
)


class SideText(NamedTuple):
    """One side of a pair.

    Attributes:
        sentences: one, or several in a row of an aligned pair; none: no text
            on this side, or its sentences are gone.
        text: as edited, or as imported.
        imported: as imported: several sentences joined.
        language: of the first sentence; empty if there is none.
        corpus_id: whose sentences they are.
        line: of the file the first comes from; 0 if there is none.
        is_swapped: the runner-up has been swapped in.
    """

    sentences: tuple[SentenceRow, ...]
    text: str
    imported: str
    language: str
    corpus_id: int
    line: int
    is_swapped: bool

    @property
    def is_edited(self) -> bool:
        """Return whether the text was edited."""
        return self.text != self.imported


class PairTexts(NamedTuple):
    """A pair in its current state.

    Attributes:
        pair: who was paired, and the parts of the score.
        judgement: what holds; None: it was never judged.
    """

    pair: PairRow
    judgement: JudgementRow | None
    source: SideText
    target: SideText


def read_pair_texts(store: Engine, ids: Sequence[int]) -> list[PairTexts | None]:
    """Read what pairs look like now, in the order asked; None for one that is gone."""
    found: list[PairTexts | None] = []
    for start in range(0, len(ids), MAX_VARIABLES):
        found += _read_some(store, ids[start : start + MAX_VARIABLES])
    return found


def join_sentences(texts: Sequence[str], language: str) -> str:
    """Join sentences in a row: by a space, or by none where scripts have none."""
    if len(texts) == 1:
        return texts[0]
    if len(texts) == 1:  # as nearly always
        return texts[0]
    joiner = "" if primary_language(language) in UNSPACED else " "
    return joiner.join(texts)


class _Ends(NamedTuple):
    """The sentences of a side: the first one's id, and how many."""

    first: int
    n: int
    is_swapped: bool


def _read_some(store: Engine, ids: Sequence[int]) -> list[PairTexts | None]:
    pairs = read_pairs(store, ids)
    judged = read_current_judgements(store, ids)
    ends = [
        end
        for pair in pairs
        if pair is not None
        for end in _ends(pair, judged.get(pair.id))
    ]
    wanted = [end.first + i for end in ends for i in range(end.n)]
    rows = iter(read_sentences(store, wanted))
    sides = iter([(end, [*islice(rows, end.n)]) for end in ends])
    return [
        None if pair is None else _texts(pair, judged.get(pair.id), sides)
        for pair in pairs
    ]


def _ends(pair: PairRow, judgement: JudgementRow | None) -> tuple[_Ends, _Ends]:
    """Name the sentences of both sides after a swap: a runner-up is one sentence."""
    source, target = pair.source_id, pair.target_id
    if judgement is not None:
        source, target = judgement.source_id, judgement.target_id
    is_other = source != pair.source_id, target != pair.target_id
    return (
        _Ends(source, 1 if is_other[0] else pair.n_source, is_other[0]),
        _Ends(target, 1 if is_other[1] else pair.n_target, is_other[1]),
    )


def _texts(
    pair: PairRow,
    judgement: JudgementRow | None,
    sides: Iterator[tuple[_Ends, list[SentenceRow | None]]],
) -> PairTexts:
    edited = (
        (None, None)
        if judgement is None
        else (judgement.source_text, judgement.target_text)
    )
    source, target = (_side(*next(sides), text) for text in edited)
    return PairTexts(pair, judgement, source, target)


def _side(
    end: _Ends, rows: Sequence[SentenceRow | None], edited: str | None
) -> SideText:
    sentences = tuple(row for row in rows if row is not None)
    language = sentences[0].language if sentences else ""
    imported = join_sentences([row.text for row in sentences], language)
    return SideText(
        sentences=sentences,
        text=imported if edited is None else edited,
        imported=imported,
        language=language,
        corpus_id=corpus_of(end.first),
        line=sentences[0].line if sentences else 0,
        is_swapped=end.is_swapped,
    )
