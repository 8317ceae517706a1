"""Pairs with context for the review view, cached by page."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Engine

from app.engine.store.corpora import corpus_of, find_word_lists
from app.engine.store.documents import read_document_names
from app.engine.store.pairs.history import (
    Authors,
    OpinionRow,
    read_authors,
    read_opinions,
)
from app.engine.store.pairs.judgements import find_conflicts
from app.engine.store.pairs.sets import JudgementRow, PairRow
from app.engine.store.pairs.texts import PairTexts, SideText, read_pair_texts
from app.engine.store.sentences import SentenceRow, read_notes, read_sentences
from app.errors import ErrorInfo
from app.protocol.answers.pairs import PairExplanation
from app.protocol.edits.pairs import JudgePairs, SwapRunnerUp
from app.views.widgets.pair_differences import PairDifferences, find_differences

N_CONTEXT = 2  # sentences before and after
N_CACHED = 64  # pairs
PENDING_ID = 2**62  # id of an unsaved judgement, higher than all others

Rows = dict[int, SentenceRow]  # by id
Names = tuple[dict[int, str], dict[int, str]]  # corpora by id, documents by sentence


class PairSide(NamedTuple):
    """One side of a pair with its context.

    Attributes:
        text: the text as edited or imported.
        imported: the text as imported.
        language: code of the language.
        corpus: name of the corpus.
        document: name of the document; empty: none.
        line: line number in the file; 0: there is no sentence.
        before, after: the surrounding sentences, in corpus order; for a word of a
            learned dictionary, `after` is its example.
        is_swapped: whether the runner-up was swapped in.
        sentences: ids of the sentences.
    """

    text: str
    imported: str
    language: str
    corpus: str
    document: str
    line: int
    before: list[SentenceRow]
    after: list[SentenceRow]
    is_swapped: bool
    sentences: tuple[int, ...]

    @property
    def is_edited(self) -> bool:
        """Return whether the text differs from the imported text."""
        return self.text != self.imported


class ShownPair(NamedTuple):
    """A pair with all data that the page needs immediately.

    Attributes:
        texts: row, texts and current judgement.
        source, target: both sides.
        marks: differences between the sides.
        runner_up: second-best target, or the target that the runner-up replaced.
        opinions: the judgements of other annotators.
        was_conflict: whether the store has an unresolved disagreement.
        authors: authors of the verdict and of text edits, in the store.
    """

    texts: PairTexts
    source: PairSide
    target: PairSide
    marks: PairDifferences
    runner_up: SentenceRow | None
    opinions: list[OpinionRow]
    was_conflict: bool = False
    authors: Authors = Authors()

    @property
    def id(self) -> int:
        """The id of the pair."""
        return self.texts.pair.id

    @property
    def sentences(self) -> tuple[int, int]:
        """Ids of the first sentence of each side; 0: none."""
        source, target = self.source.sentences, self.target.sentences
        return source[0] if source else 0, target[0] if target else 0

    @property
    def is_swapped(self) -> bool:
        """Return whether a runner-up was swapped in."""
        return self.source.is_swapped or self.target.is_swapped

    @property
    def is_edited(self) -> bool:
        """Return whether a text was edited."""
        return self.source.is_edited or self.target.is_edited

    def score_row(self, known: PairExplanation | ErrorInfo | None) -> PairRow | None:
        """Return the pair with the score of its current sentences, or None.

        Args:
            known: the explanation of the pair; None while unknown.
        """
        row = self.texts.pair
        if not self.is_swapped:
            return row
        if not isinstance(known, PairExplanation) or known.scored != self.sentences:
            return None
        return row._replace(
            score=known.score,
            cosine=known.cosine,
            source_mean=known.source_mean,
            target_mean=known.target_mean,
        )

    @property
    def judgement(self) -> JudgementRow | None:
        """The current judgement; None if never judged."""
        return self.texts.judgement

    @property
    def verdict(self) -> str:
        """The current verdict; empty if not judged."""
        return self.texts.judgement.verdict if self.texts.judgement else ""

    @property
    def is_conflict(self) -> bool:
        """Return whether another annotator disagrees and the conflict is unresolved."""
        own = self.texts.judgement
        return self.was_conflict and own is not None and own.given_id != PENDING_ID


class PairCache:
    """A cache of the pairs around the current position."""

    def __init__(self) -> None:
        self._pairs: OrderedDict[int, ShownPair | None] = OrderedDict()

    def has(self, pair_id: int) -> bool:
        """Return whether a pair is cached."""
        return pair_id in self._pairs

    def get(
        self, store: Engine, names: dict[int, str], pair_id: int
    ) -> ShownPair | None:
        """Return a pair, reading it if it is not cached; None if it was deleted."""
        self.load(store, names, [pair_id])
        self._pairs.move_to_end(pair_id)
        return self._pairs[pair_id]

    def load(self, store: Engine, names: dict[int, str], ids: Sequence[int]) -> None:
        """Read all pairs that are not cached, in one batch."""
        missing = [id_ for id_ in ids if id_ not in self._pairs]
        if not missing:
            return
        for id_, pair in zip(
            missing, read_shown_pairs(store, names, missing), strict=True
        ):
            self._pairs[id_] = pair
        while len(self._pairs) > max(N_CACHED, len(ids)):
            self._pairs.popitem(last=False)

    def discard(self, pair_id: int | None = None) -> None:
        """Remove a pair from the cache, or all pairs if None."""
        if pair_id is None:
            self._pairs.clear()
        else:
            self._pairs.pop(pair_id, None)


def read_shown_pairs(
    store: Engine, names: dict[int, str], ids: Sequence[int]
) -> list[ShownPair | None]:
    """Read pairs with their context in a few SQL statements.

    Args:
        names: names of the corpora, by id.
    """
    found = read_pair_texts(store, ids)
    there = [texts for texts in found if texts is not None]
    opinions, conflicts = read_opinions(store, ids), find_conflicts(store, ids)
    authors = read_authors(store, ids)
    around, documents = _read_around(store, there), _read_documents(store, there)
    examples = _read_examples(store, there)
    return [
        None
        if texts is None
        else _shown(texts, (names, documents), (around, examples), opinions)._replace(
            was_conflict=texts.pair.id in conflicts,
            authors=authors.get(texts.pair.id, Authors()),
        )
        for texts in found
    ]


def with_pending(
    pair: ShownPair, changes: Sequence[JudgePairs | SwapRunnerUp]
) -> ShownPair:
    """Return a pair with unsaved changes applied.

    A swapped-in sentence is shown only after saving, because its text must be read.
    """
    for change in changes:
        if isinstance(change, SwapRunnerUp):
            change = JudgePairs(pairs=(change.pair,), verdict="")
        texts = _with_texts(pair, change)
        judgement = pair.texts.judgement or _unjudged(pair)
        tags = [tag for tag in judgement.tags if tag not in change.remove_tags]
        tags += [tag for tag in change.add_tags if tag not in tags]
        if change.verdict is not None:
            judgement = judgement._replace(id=PENDING_ID, verdict_id=None)
        judgement = judgement._replace(
            verdict=judgement.verdict if change.verdict is None else change.verdict,
            note=judgement.note if change.note is None else change.note,
            tags=tags,
        )
        pair = pair._replace(
            texts=pair.texts._replace(judgement=judgement),
            source=pair.source._replace(text=texts[0]),
            target=pair.target._replace(text=texts[1]),
        )
        if texts != (pair.texts.source.text, pair.texts.target.text):
            languages = (pair.source.language, pair.target.language)
            pair = pair._replace(marks=find_differences(*texts, languages))
    return pair


def _with_texts(pair: ShownPair, change: JudgePairs) -> tuple[str, str]:
    """Return both texts after a change; an empty text restores the imported one."""
    source, target = pair.source.text, pair.target.text
    if change.source_text is not None:
        source = change.source_text or pair.source.imported
    if change.target_text is not None:
        target = change.target_text or pair.target.imported
    return source, target


def _unjudged(pair: ShownPair) -> JudgementRow:
    """Return an empty judgement."""
    row = pair.texts.pair
    return JudgementRow(
        id=0,
        step=0,
        undoes=None,
        pair_id=row.id,
        source_id=row.source_id,
        target_id=row.target_id,
        verdict="",
        source_text=None,
        target_text=None,
        note="",
        tags=[],
        who="",
        origin="",
        created_at=0.0,
    )


def _read_around(store: Engine, there: Sequence[PairTexts]) -> Rows:
    """Read the context of both sides of pairs, and their runners-up."""
    wanted: set[int] = set()
    for texts in there:
        for side in (texts.source, texts.target):
            ids = [row.id for row in side.sentences]
            if ids:
                wanted.update(range(max(ids[0] - N_CONTEXT, 0), ids[0]))
                wanted.update(range(ids[-1] + 1, ids[-1] + 1 + N_CONTEXT))
        other = _other_target(texts)
        if other is not None:
            wanted.add(other)
    rows = read_sentences(store, sorted(wanted))
    return {row.id: row for row in rows if row is not None}


def _read_examples(store: Engine, there: Sequence[PairTexts]) -> Rows:
    """Read the examples of dictionary words, which are stored as notes."""
    sides = [side for texts in there for side in (texts.source, texts.target)]
    lists = find_word_lists(store)
    words = [
        row for side in sides for row in side.sentences if corpus_of(row.id) in lists
    ]
    notes = read_notes(store, [row.id for row in words]) if words else {}
    return {row.id: row._replace(text=notes.get(row.id, "")) for row in words}


def _read_documents(store: Engine, there: Sequence[PairTexts]) -> dict[int, str]:
    """Return the names of the documents in which pairs begin, by sentence."""
    sides = [side for texts in there for side in (texts.source, texts.target)]
    return read_document_names(store, [s.sentences[0].id for s in sides if s.sentences])


def _other_target(texts: PairTexts) -> int | None:
    """Return the runner-up, or the target that the runner-up replaced."""
    pair, judgement = texts.pair, texts.judgement
    if judgement is not None and judgement.target_id != pair.target_id:
        return pair.target_id
    return pair.runner_up_id


def _shown(
    texts: PairTexts,
    names: Names,
    context: tuple[Rows, Rows],
    opinions: dict[int, list[OpinionRow]],
) -> ShownPair:
    source, target = (
        _side(side, names, context) for side in (texts.source, texts.target)
    )
    languages = (source.language, target.language)
    other = _other_target(texts)
    return ShownPair(
        texts,
        source,
        target,
        find_differences(source.text, target.text, languages),
        context[0].get(other) if other is not None else None,
        opinions.get(texts.pair.id, []),
    )


def _side(side: SideText, names: Names, context: tuple[Rows, Rows]) -> PairSide:
    around, examples = context
    ids = [row.id for row in side.sentences]
    before: list[SentenceRow] = []
    after: list[SentenceRow] = []
    if ids and ids[0] in examples:
        after = [examples[id_] for id_ in ids]  # adjacent words are not context
    elif ids:
        corpus = corpus_of(ids[0])
        near = [
            (id_, around[id_])
            for id_ in (
                *range(ids[0] - N_CONTEXT, ids[0]),
                *range(ids[-1] + 1, ids[-1] + 1 + N_CONTEXT),
            )
            if id_ in around and corpus_of(id_) == corpus
        ]
        before = [row for id_, row in near if id_ < ids[0]]
        after = [row for id_, row in near if id_ > ids[-1]]
    return PairSide(
        side.text,
        side.imported,
        side.language,
        names[0].get(side.corpus_id, ""),
        names[1].get(ids[0], "") if ids else "",
        side.line,
        before,
        after,
        side.is_swapped,
        tuple(ids),
    )
