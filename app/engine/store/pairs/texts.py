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
    """The text of one side of a pair.

    Attributes:
        sentences: one sentence, or consecutive sentences of a bead; empty: no text on
            this side, or the sentences were deleted.
        text: current text, edited or as imported.
        imported: imported text, with several sentences joined.
        language: language of the first sentence; empty if there is none.
        corpus_id: corpus of the sentences.
        line: line of the first sentence in its file; 0 if there is none.
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
        pair: the paired sentences and the parts of the score.
        judgement: current judgement; None: never judged.
    """

    pair: PairRow
    judgement: JudgementRow | None
    source: SideText
    target: SideText


def read_pair_texts(store: Engine, ids: Sequence[int]) -> list[PairTexts | None]:
    """Read the current state of pairs, in the given order; None for a deleted pair."""
    found: list[PairTexts | None] = []
    for start in range(0, len(ids), MAX_VARIABLES):
        found += _read_some(store, ids[start : start + MAX_VARIABLES])
    return found


def join_sentences(texts: Sequence[str], language: str) -> str:
    """Join consecutive sentences, by a space if their script uses spaces."""
    if len(texts) == 1:
        return texts[0]
    if len(texts) == 1:  # nearly always the case
        return texts[0]
    joiner = "" if primary_language(language) in UNSPACED else " "
    return joiner.join(texts)


class _Ends(NamedTuple):
    """The sentences of a side: id of the first, and number."""

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
    """Return the sentences of both sides after a swap; a runner-up is one sentence."""
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
