"""Explain the score of a pair: its parts, the neighbours, the matching words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from app.arrays import FloatArray
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.static import StaticEncoder
from app.engine.mining.scores import MIN_MEAN
from app.engine.mining.sides import select_participants, wanted_mask
from app.engine.numeric import normalise_rows
from app.engine.project.active_sentences import active_positions
from app.engine.search.session import OpenedVectors, SearchSession
from app.engine.store.corpora import CorpusRow, list_corpora, position_of
from app.engine.store.lookup import find_corpora
from app.engine.store.pairs.sets import PairRow, PairSetRow
from app.engine.store.pairs.texts import PairTexts, read_pair_texts
from app.engine.store.runs import read_run
from app.engine.store.sentences import read_integers
from app.engine.text.word_vocabulary import word_spans
from app.errors import UserError
from app.protocol.queries.pairs import ExplainQuery

if TYPE_CHECKING:
    from torch import Tensor

MAX_WORDS = 400  # of a side
STATIC_TEXT = (
    "Each word is the sum of the vectors of its pieces, as in the sentence; its "
    "similarity is the cosine with the most alike word of the other side."
)
ALONE_TEXT = (
    "Each word was encoded alone, without the words around it; its similarity is the "
    "cosine with the most alike word of the other side."
)


def compare_words(
    encoder: Encoder, source: str, target: str
) -> tuple[dict[str, Any], str]:
    """Find the most alike word of the other side for each word.

    The cosines are matched greedily, as by Zhang et al. 2020, "BERTScore", section 3.
    Scripts without spaces are compared character by character.

    Returns:
        strip: lists "source" and "target" (see `ExplainQuery`); how it was made.
    """
    spans = [word_spans(text)[:MAX_WORDS] for text in (source, target)]
    words = [
        [text[start:end] for start, end in one]
        for text, one in zip((source, target), spans, strict=True)
    ]
    vectors = _encode(encoder, [*words[0], *words[1]])
    n = len(words[0])
    cosines = vectors[:n] @ vectors[n:].T  # (s, d) x (d, t) -> (s, t)
    strip = {
        "source": _matched(spans[0], cosines, vectors[:n]),
        "target": _matched(spans[1], cosines.T, vectors[n:]),
    }
    is_static = isinstance(encoder, StaticEncoder)
    return strip, STATIC_TEXT if is_static else ALONE_TEXT


def _encode(encoder: Encoder, words: Sequence[str]) -> FloatArray:
    """Encode each distinct word once: float32 (w, d), rows of length 1 or zero."""
    distinct = list(dict.fromkeys(words))
    if not distinct:
        return np.zeros((0, encoder.dim), np.float32)
    places = {word: i for i, word in enumerate(distinct)}
    vectors, _ = normalise_rows(encoder.encode(distinct))
    unit_vectors: FloatArray = vectors[[places[word] for word in words]]
    return unit_vectors


def _matched(
    spans: Sequence[tuple[int, int]], cosines: FloatArray, vectors: FloatArray
) -> list[dict[str, Any]]:
    """Return each word its best match: cosines (w, other words)."""
    found = []
    for place, (start, end) in enumerate(spans):
        is_known = cosines.shape[1] > 0 and bool(vectors[place].any())
        match = int(cosines[place].argmax()) if is_known else None
        similarity = None if match is None else round(float(cosines[place, match]), 4)
        found.append(
            {"start": start, "end": end, "similarity": similarity, "match": match}
        )
    return found


class _Side(NamedTuple):
    """One side of a mining.

    Attributes:
        corpus: whose sentences; None: it is gone.
        language: of those that take part; empty: all.
        opened: their vectors; None: there are none by the mining's encoder.
    """

    corpus: CorpusRow | None
    language: str
    opened: OpenedVectors | None


def explain_pair(
    desk: SearchSession, mining: PairSetRow, query: ExplainQuery
) -> dict[str, Any]:
    """Answer an `ExplainQuery`.

    The neighbours are those among the sentences that took part, found anew and exactly
    (the cosines are those of the search). They are of the pair as it was found; the
    strip and the ratio of lengths are of its texts as they are now.

    Raises:
        UserError: the pair is gone.
    """
    (texts,) = read_pair_texts(desk.project.store, [query.pair])
    if texts is None:
        raise UserError("The pair is not in the project any more.")
    if not mining.fingerprint:
        return _unexplained(texts, mining)
    notes: list[str] = []
    sides = [_side(desk, mining, side) for side in ("source", "target")]
    for side in sides:
        if side.opened is None:
            name = "The corpus" if side.corpus is None else side.corpus.name
            notes.append(f"{name} has no vectors by {mining.encoder} any more.")
    nearest = _neighbours(desk, mining, texts.pair, sides, query.k, notes)
    strip, strip_text = _strip(desk, mining, texts, notes)
    return {
        **_parts(texts.pair, mining),
        "source_neighbours": nearest[0],
        "target_neighbours": nearest[1],
        "runner_up": _scored(texts.pair.runner_up_id, texts.pair.runner_up_score),
        "reverse": _scored(texts.pair.reverse_id, texts.pair.reverse_score),
        "length_ratio": _length_ratio(texts.source.text, texts.target.text),
        "strip": strip,
        "strip_text": strip_text,
        "notes": notes,
    }


def _unexplained(texts: PairTexts, mining: PairSetRow) -> dict[str, Any]:
    """Tell what is known of a pair that came in a package: no encoder came with it."""
    is_blind = not mining.margin
    what = "scores and encoder were" if is_blind else "the encoder was"
    text = f"Of a pair that was handed over nothing is explained: {what} not with it."
    parts = _parts(texts.pair, mining)
    return {
        **parts,
        "text": text if is_blind else f"{parts['text']} {text}",
        "source_neighbours": [],
        "target_neighbours": [],
        "runner_up": _scored(texts.pair.runner_up_id, texts.pair.runner_up_score),
        "reverse": _scored(texts.pair.reverse_id, texts.pair.reverse_score),
        "length_ratio": _length_ratio(texts.source.text, texts.target.text),
        "strip": None,
        "strip_text": "",
        "notes": [],
    }


def _parts(pair: PairRow, mining: PairSetRow) -> dict[str, Any]:
    """Take the score apart (see `mining.margin`)."""
    mean = (pair.source_mean + pair.target_mean) / 2
    denominator = {"ratio": max(mean, MIN_MEAN), "distance": mean}.get(mining.margin)
    sign = {"ratio": "/", "distance": "-"}.get(mining.margin, "")
    text = f"The score {pair.score:.3f} is the cosine {pair.cosine:.3f}"
    if denominator is None:
        text += " alone."
    elif not mining.k:
        text += f" and {denominator:.3f}, the mean of those with the nearest ones."
    else:
        how = "divided by" if sign == "/" else "less"
        text += (
            f" {how} {denominator:.3f}, the mean of the cosines of source and target "
            f"with their {mining.k} nearest on the other side "
            f"({pair.source_mean:.3f} and {pair.target_mean:.3f})."
        )
    return {
        "pair": pair.id,
        "score": pair.score,
        "margin": mining.margin,
        "cosine": pair.cosine,
        "source_mean": pair.source_mean,
        "target_mean": pair.target_mean,
        "denominator": denominator,
        "text": text,
    }


def _neighbours(
    desk: SearchSession,
    mining: PairSetRow,
    pair: PairRow,
    sides: list[_Side],
    k: int,
    notes: list[str],
) -> list[list[dict[str, Any]]]:
    """Find the nearest of each sentence of the pair on the other side."""
    if max(pair.n_source, pair.n_target) > 1 or not min(pair.n_source, pair.n_target):
        notes.append("Joined sentences have no neighbours of their own.")
        return [[], []]
    is_once = _is_once(desk, mining)
    own, other = sides
    return [
        _nearest(desk, pair.source_id, own, other, (k, is_once)),
        _nearest(desk, pair.target_id, other, own, (k, is_once)),
    ]


def _nearest(
    desk: SearchSession,
    sentence: int,
    own: _Side,
    other: _Side,
    wanted: tuple[int, bool],
) -> list[dict[str, Any]]:
    """Find the k nearest of a sentence among those of the other side that take part."""
    from app.engine.search.nearest import nearest_sentences, scan_scores, select_rows

    if own.opened is None or other.opened is None:
        return []
    k, is_once = wanted
    vector = np.array(own.opened.vectors.unit[position_of(sentence)])
    if not vector.any():
        return []
    scanned = scan_scores(other.opened.vectors, vector)
    part = select_rows(scanned, _participants(desk, other, is_once))
    hits = nearest_sentences([part], vector, k)
    return [
        {"sentence": int(id_), "cosine": round(float(score), 6)}
        for id_, score in zip(hits.ids, hits.scores, strict=True)
        if score > -np.inf
    ]


class _ParticipantCache(dict[tuple[object, ...], "Tensor"]):
    """Rows that take part in mining, int64 (m,), by what selects them."""


def _participants(desk: SearchSession, side: _Side, is_once: bool) -> Any:
    """Return the rows of a side that took part, as a tensor; None: all."""
    import torch

    assert side.corpus is not None
    assert side.opened is not None
    taking = active_positions(desk.project, side.corpus)
    which = (0, 0) if taking is None else (len(taking), int(taking.sum()))
    key = (side.opened.row.id, side.language, is_once, side.corpus.subcorpus, which)
    cached = desk.cache(_ParticipantCache, _ParticipantCache)
    if key not in cached:
        norms = np.ones(side.opened.row.n_rows, np.float32)
        norms[side.opened.vectors.zero_rows.cpu().numpy()] = 0
        hashes = read_integers(desk.project.store, side.corpus.id, "hash")
        wanted = wanted_mask(desk.project, side.corpus, side.language)
        rows = select_participants(hashes, norms, wanted=wanted, is_once=is_once).rows
        cached[key] = torch.from_numpy(rows)
    rows_tensor = cached[key]
    return None if len(rows_tensor) == side.opened.row.n_rows else rows_tensor


def _side(desk: SearchSession, mining: PairSetRow, name: str) -> _Side:
    listed = list_corpora(desk.project.store, states=("ready", "deleted"))
    wanted = getattr(mining, f"{name}_corpus_id")
    corpus = next((row for row in listed if row.id == wanted), None)
    opened = None
    if corpus is not None:
        corpus = corpus._replace(subcorpus=_part(desk, mining, name, corpus.id))
    if corpus is not None and mining.fingerprint:
        opened = desk.open_corpus(corpus, mining.fingerprint)
    return _Side(corpus, getattr(mining, f"{name}_language"), opened)


def _part(desk: SearchSession, mining: PairSetRow, name: str, corpus_id: int) -> int:
    """Return the id of the sub-corpus that a side was, if it is there still; else 0."""
    params = _params(desk, mining)
    named = params.get(name) or params.get("source")
    try:
        rows = find_corpora(desk.project.store, [str(named)]) if named else []
    except UserError:
        return 0
    return next((row.subcorpus for row in rows if row.id == corpus_id), 0)


def _is_once(desk: SearchSession, mining: PairSetRow) -> bool:
    """Return whether the first of equal texts stood for all, as the run was asked."""
    return bool(_params(desk, mining).get("duplicates", "once") == "once")


def _params(desk: SearchSession, mining: PairSetRow) -> dict[str, Any]:
    """Read what the run that made a set was asked; empty where it is not there."""
    run = None
    if mining.run_id is not None:
        run = read_run(desk.project.store, mining.run_id)
    params: dict[str, Any] = msgspec.json.decode(run.params) if run is not None else {}
    return params


def _strip(
    desk: SearchSession, mining: PairSetRow, texts: PairTexts, notes: list[str]
) -> tuple[dict[str, Any] | None, str]:
    """Compare the words of both sides, if the encoder is there to encode them."""
    try:
        encoder = desk.encoder(mining.encoder)
        if encoder.fingerprint != mining.fingerprint:
            raise UserError(f"{mining.encoder} is another encoder than it was then.")
        return compare_words(encoder, texts.source.text, texts.target.text)
    except UserError as error:
        notes.append(f"The words can't be compared. {error}")
        return None, ""


def _scored(sentence: int | None, score: float | None) -> dict[str, Any] | None:
    return None if sentence is None else {"sentence": sentence, "score": score}


def _length_ratio(source: str, target: str) -> float | None:
    lengths = sorted([len(source), len(target)])
    return lengths[1] / lengths[0] if lengths[0] else None
