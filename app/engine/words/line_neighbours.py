"""Translations and nearest sentences of concordance lines."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.arrays import FloatArray, IntArray
from app.engine.project.active_sentences import active_positions
from app.engine.search.languages import matches_language
from app.engine.search.session import SearchSession
from app.engine.store.corpora import (
    CorpusRow,
    corpus_of,
    first_sentence_id,
    position_of,
)
from app.engine.store.sentences import SentenceRow, list_translations, read_sentences
from app.engine.words.cache import word_cache
from app.errors import UserError
from app.protocol.answers.words import LineNeighbour, LineNeighboursAnswer

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.search.nearest import StoredVectors

BLOCK = 65_536  # stored rows compared at once
PLACES = 6  # decimals of a cosine
N_SPARE = 4  # extra nearest sentences per language, to replace equal texts


class LineNeighbourOptions(NamedTuple):
    """Options of a neighbour search.

    Attributes:
        corpora: corpora to search.
        languages: codes; empty means all.
        k: number of neighbours per language.
        encoder: name of the encoder; empty: the current encoder.
    """

    corpora: Sequence[CorpusRow]
    languages: Sequence[str] = ()
    k: int = 1
    encoder: str = ""


class _Part(NamedTuple):
    """The rows of one language in a corpus: int64 (m,), ascending; None: all."""

    vectors: "StoredVectors"
    language: str
    rows: IntArray | None


def find_neighbours(
    session: SearchSession, ids: Sequence[int], options: LineNeighbourOptions
) -> LineNeighboursAnswer:
    """Find the linked translations and the nearest sentences of some sentences.

    Raises:
        UserError: a sentence was deleted.
    """
    sentences = _read(session, ids)
    encoder = session.encoder(options.encoder)
    queries = _vectors_of(session, sentences, encoder)
    parts, missing = _open_parts(session, options, encoder)
    best: list[dict[str, list[LineNeighbour]]] = [{} for _ in ids]
    for part in parts:
        _add_nearest(best, part, ids, queries, options.k + N_SPARE)
    linked = _translations(session, ids, options, queries, parts)
    texts = _texts_of(session, best, linked)
    lines = [
        _of_line(row, nearest, own, texts, options.k)
        for row, nearest, own in zip(sentences, best, linked, strict=True)
    ]
    return LineNeighboursAnswer(lines, missing)


def _read(session: SearchSession, ids: Sequence[int]) -> list[SentenceRow]:
    rows = read_sentences(session.project.store, ids)
    known = [row for row in rows if row is not None]
    if len(known) < len(rows):
        raise UserError("The sentence is not in the project any more.")
    return known


def _vectors_of(
    session: SearchSession, sentences: Sequence[SentenceRow], encoder: "Encoder"
) -> FloatArray:
    """Return the vector of each sentence, stored or encoded now: float32 (q, d)."""
    from app.engine.numeric import normalise_rows

    vectors = np.zeros((len(sentences), encoder.dim), np.float32)
    known = {corpus.id: corpus for corpus in session.corpora()}
    opened = {
        id_: session.open_corpus(known[id_], encoder.fingerprint)
        for id_ in {corpus_of(row.id) for row in sentences} & known.keys()
    }
    others = []
    for index, row in enumerate(sentences):
        found = opened.get(corpus_of(row.id))
        if found is None:
            others.append(index)
        else:
            vectors[index] = found.vectors.unit[position_of(row.id)]
    if others:
        texts = [sentences[index].text for index in others]
        vectors[others] = normalise_rows(encoder.encode(texts))[0]
    return vectors


def _open_parts(
    session: SearchSession, options: LineNeighbourOptions, encoder: "Encoder"
) -> tuple[list[_Part], list[int]]:
    """Open the vectors by corpus and language; return corpora without vectors."""
    parts: list[_Part] = []
    missing: list[int] = []
    for corpus in options.corpora:
        opened = session.open_corpus(corpus, encoder.fingerprint)
        if opened is None:
            is_missed = matches_language(corpus.language, options.languages)
            missing += [corpus.id] if is_missed else []
            continue
        for language, rows in _rows_of(session, corpus):
            if matches_language(language, options.languages):
                parts.append(_Part(opened.vectors, language, rows))
    return parts, missing


def _rows_of(
    session: SearchSession, corpus: CorpusRow
) -> Iterator[tuple[str, IntArray | None]]:
    """Return the active rows of each language of a corpus; None: all rows."""
    chosen = active_positions(session.project, corpus)
    languages = word_cache(session).languages(corpus)
    if languages.which is None:
        yield corpus.language, chosen
        return
    rows = np.arange(corpus.n_sentences) if chosen is None else chosen
    which = languages.which[rows]
    for number in np.unique(which).tolist():
        yield languages.codes[number], rows[which == number]


def _add_nearest(
    best: list[dict[str, list[LineNeighbour]]],
    part: _Part,
    ids: Sequence[int],
    queries: FloatArray,
    k: int,
) -> None:
    """Add the k nearest rows of a part to each line, except the line itself."""
    from app.engine.search.knn import top_k

    first, unit = first_sentence_id(part.vectors.corpus_id), part.vectors.unit
    norms = np.ones(len(unit), np.float32)
    norms[part.vectors.zero_rows.cpu().numpy()] = 0
    n_rows = len(unit) if part.rows is None else len(part.rows)
    for start in range(0, n_rows, BLOCK):
        end = min(start + BLOCK, n_rows)
        chosen = slice(start, end) if part.rows is None else part.rows[start:end]
        # k + 1, since the nearest row of a line is the line itself
        scores, rows = top_k(queries, unit[chosen], k + 1, norms=norms[chosen])
        positions = rows + start if part.rows is None else part.rows[start:end][rows]
        for line, id_ in enumerate(ids):
            if not queries[line].any():
                continue
            near = best[line].setdefault(part.language, [])
            near += [
                LineNeighbour(
                    int(first + place), round(float(score), PLACES), part.language
                )
                for place, score, row in zip(
                    positions[line], scores[line], rows[line], strict=True
                )
                if row >= 0 and first + place != id_
            ]
            near.sort(key=_rank)
            del near[k:]


def _translations(
    session: SearchSession,
    ids: Sequence[int],
    options: LineNeighbourOptions,
    queries: FloatArray,
    parts: Sequence[_Part],
) -> list[list[LineNeighbour]]:
    """Return the translations of each line in the searched corpora."""
    linked = list_translations(session.project.store, ids)
    others = sorted({other for group in linked.values() for other in group})
    corpora = {corpus.id: corpus for corpus in options.corpora}
    rows = {
        row.id: row
        for row in read_sentences(session.project.store, others)
        if row is not None
        and corpus_of(row.id) in corpora
        and matches_language(row.language, options.languages)
    }
    hidden = _left_out(session, corpora, rows)
    units = {part.vectors.corpus_id: part.vectors.unit for part in parts}
    return [
        [
            LineNeighbour(
                other,
                _cosine(queries[line], units.get(corpus_of(other)), other),
                rows[other].language,
                is_translation=True,
            )
            for other in linked.get(id_, ())
            if other in rows and other not in hidden
        ]
        for line, id_ in enumerate(ids)
    ]


def _left_out(
    session: SearchSession, corpora: dict[int, CorpusRow], ids: "dict[int, SentenceRow]"
) -> set[int]:
    """Return the inactive sentences."""
    out: set[int] = set()
    for corpus_id in {corpus_of(id_) for id_ in ids}:
        own = [id_ for id_ in ids if corpus_of(id_) == corpus_id]
        chosen = active_positions(session.project, corpora[corpus_id])
        if chosen is not None:
            positions = [position_of(id_) for id_ in own]
            is_there = np.isin(positions, chosen)
            out |= {id_ for id_, there in zip(own, is_there, strict=True) if not there}
    return out


def _cosine(query: FloatArray, unit: FloatArray | None, other: int) -> float | None:
    if unit is None:
        return None
    vector = unit[position_of(other)]
    if not query.any() or not vector.any():
        return None
    return _rounded(query.astype(np.float64) @ vector)


def _rounded(score: float) -> float:
    return round(float(score), PLACES)


def _rank(one: LineNeighbour) -> tuple[float, int]:
    """Sort neighbours by score, then by id; neighbours without a score come last."""
    return (2.0 if one.score is None else -one.score, one.sentence)


def _texts_of(
    session: SearchSession,
    best: Sequence[dict[str, list[LineNeighbour]]],
    linked: Sequence[list[LineNeighbour]],
) -> dict[int, str]:
    """Read the texts of the candidates of all lines, by sentence."""
    found = {one.sentence for line in linked for one in line}
    for nearest in best:
        found.update(one.sentence for near in nearest.values() for one in near)
    rows = read_sentences(session.project.store, sorted(found))
    return {row.id: row.text for row in rows if row is not None}


def _of_line(
    row: SentenceRow,
    nearest: dict[str, list[LineNeighbour]],
    linked: Sequence[LineNeighbour],
    texts: dict[int, str],
    k: int,
) -> list[LineNeighbour]:
    """Return the k neighbours of each language: translations, then nearest sentences.

    Each text is listed once, and the line's own text is left out in its language.
    """
    languages = dict.fromkeys([*(one.language for one in linked), *nearest])
    chosen: list[LineNeighbour] = []
    for language in sorted(languages):
        own = [one for one in linked if one.language == language]
        own.sort(key=_rank)
        known = {texts.get(one.sentence) for one in own}
        if language == row.language:
            known.add(row.text)
        for one in nearest.get(language, ()):
            if texts.get(one.sentence) not in known:
                own.append(one)
                known.add(texts.get(one.sentence))
        chosen += own[:k]
    return chosen
