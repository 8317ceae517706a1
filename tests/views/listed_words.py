"""Answers of a fake engine to queries about words."""

from app.protocol.answers.words import (
    CollocateRow,
    CollocatesAnswer,
    EquivalentRow,
    EquivalentsAnswer,
    FrequenciesAnswer,
    FrequencyRow,
    KeynessAnswer,
    KeywordRow,
    NeighbourRow,
    NeighboursAnswer,
    TranslationRow,
    TranslationsAnswer,
)
from app.protocol.queries.words import (
    CollocatesQuery,
    EquivalentsQuery,
    FrequenciesQuery,
    KeynessQuery,
    NeighboursQuery,
    TranslationsQuery,
)
from tests.views.stage import sentence_id

N_ITEMS = 450


def frequencies(query: FrequenciesQuery) -> FrequenciesAnswer:
    """Answer with words w0, w1 …, the first one Arabic."""
    rows = [
        FrequencyRow(
            item=f"w{index}" if index else "ريح",
            rank=index + 1,
            n=N_ITEMS - index,
            per_million=1000.0 - index,
            low=900.0 - index,
            high=1100.0 - index,
            n_documents=1,
            dispersion=None,
        )
        for index in range(N_ITEMS)
        if not query.find or index < 2
    ]
    return FrequenciesAnswer(
        rows=rows[query.offset : query.offset + query.limit],
        n_items=len(rows),
        n_tokens=9_000,
        n_documents=1,
        not_indexed=(),
        not_counted=False,
        notes=(),
    )


def collocates(query: CollocatesQuery) -> CollocatesAnswer:
    rows = [
        CollocateRow(item, n, n - 1, 1, 9, 0.5, g2, d, 1.0)
        for item, n, g2, d in (("storm", 5, 20.0, 9.0), ("the", 7, -1.5, 11.0))
    ]
    return CollocatesAnswer(rows=rows, n_hits=12, n_tokens=99, not_indexed=(), notes=())


def keyness(query: KeynessQuery) -> KeynessAnswer:
    row = KeywordRow("wind", 4, 40.0, 1, 10.0, 3.0, 2.0, -0.5, 4.5)
    return KeynessAnswer(
        rows=[row],
        n_items=900,
        n_tokens=50,
        n_tokens_against=60,
        not_indexed=(),
        notes=("Mind the gap.",),
    )


def equivalents(query: EquivalentsQuery) -> EquivalentsAnswer:
    rows = [
        EquivalentRow(
            item=item,
            form="",
            n=n,
            n_own=n * own,
            n_target=n,
            share=0.5,
            low=0.2,
            high=0.8,
            score=9.0 if own else 0.1,
            log_likelihood=9.0,
            dice=0.5,
            in_dictionary=bool(own) if query.dictionary else None,
            examples=[(sentence_id(1, index), sentence_id(2, index))],
        )
        for index, (item, n, own) in enumerate((("wind", 4, 1), ("mittag", 2, 0)))
    ]
    return EquivalentsAnswer(
        rows=rows,
        n_word=4,
        n_pairs=12,
        not_indexed=(),
        missing=("brise",) if query.dictionary else (),
        notes=(),
    )


def neighbours(query: NeighboursQuery) -> NeighboursAnswer:
    rows = [
        NeighbourRow(item=item, cosine=0.75 - index / 2, rank=index + 3)
        for index, item in enumerate(("breeze", "gale"))
    ]
    return NeighboursAnswer(rows=rows, language="en", n_words=1_000)


def translations(query: TranslationsQuery) -> TranslationsAnswer:
    rows = [
        TranslationRow(
            item=item,
            csls=0.5 - index / 4,
            csls_rank=index + 1,
            isf_rank=None if index else 1,
            nn_rank=2 - index,
            cosine=0.5 + index / 4,
            rank=7,
            n_neighbours=300 if index else 9,
            is_hub=bool(index),
            n_linked=0 if index else 3,
            agrees=not index,
        )
        for index, item in enumerate(("brise", "ding"))
    ]
    return TranslationsAnswer(
        rows=rows,
        source_language="en",
        target_language="de",
        n_pairs=12,
        missing=("sturm",),
        not_indexed=(),
        notes=("The mapping did not converge.",),
    )
