"""Explain the score of a pair: its parts, neighbours and matched words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from app.arrays import FloatArray
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.static.encoder import StaticEncoder
from app.engine.mining.scores import MIN_MEAN, margin_scores
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
from app.number_format import format_score
from app.protocol.answers.pairs import (
    MatchedWord,
    MatchedWords,
    PairExplanation,
    PairNeighbour,
    RunnerUp,
)
from app.protocol.queries.pairs import ExplainQuery

if TYPE_CHECKING:
    from torch import Tensor

MAX_WORDS = 400  # per text
STATIC_TEXT = (
    "The vector of a word is the sum of the vectors of its subwords, as in the "
    "sentence. Its similarity is the cosine with the most similar word of the other "
    "side."
)
NO_CONTEXT_TEXT = (
    "Each word was encoded without its context. Its similarity is the cosine with the "
    "most similar word of the other side."
)


def compare_words(
    encoder: Encoder, source: str, target: str
) -> tuple[MatchedWords, str]:
    """Find the most similar word of the other side for each word.

    The cosines are matched greedily, as by Zhang et al. 2020, "BERTScore", section 3.
    Scripts without spaces are compared character by character.

    Returns:
        The matched words of both texts, and how they were compared.
    """
    spans = [word_spans(text)[:MAX_WORDS] for text in (source, target)]
    words = [
        [text[start:end] for start, end in one]
        for text, one in zip((source, target), spans, strict=True)
    ]
    vectors = _encode(encoder, [*words[0], *words[1]])
    n = len(words[0])
    cosines = vectors[:n] @ vectors[n:].T  # (s, d) x (d, t) -> (s, t)
    matched = MatchedWords(
        _match_words(spans[0], cosines, vectors[:n]),
        _match_words(spans[1], cosines.T, vectors[n:]),
    )
    is_static = isinstance(encoder, StaticEncoder)
    return matched, STATIC_TEXT if is_static else NO_CONTEXT_TEXT


def _encode(encoder: Encoder, words: Sequence[str]) -> FloatArray:
    """Encode each distinct word once: float32 (w, d), rows of length 1 or zero."""
    distinct = list(dict.fromkeys(words))
    if not distinct:
        return np.zeros((0, encoder.dim), np.float32)
    indices = {word: i for i, word in enumerate(distinct)}
    vectors, _ = normalise_rows(encoder.encode(distinct))
    unit_vectors: FloatArray = vectors[[indices[word] for word in words]]
    return unit_vectors


def _match_words(
    spans: Sequence[tuple[int, int]], cosines: FloatArray, vectors: FloatArray
) -> list[MatchedWord]:
    """Find the best match of each word: cosines (w, other words)."""
    found = []
    for index, (start, end) in enumerate(spans):
        is_known = cosines.shape[1] > 0 and bool(vectors[index].any())
        match = int(cosines[index].argmax()) if is_known else None
        similarity = None if match is None else round(float(cosines[index, match]), 4)
        found.append(MatchedWord(start, end, similarity, match))
    return found


class _Side(NamedTuple):
    """One side of a pair set.

    Attributes:
        corpus: corpus of the side; None: deleted.
        language: language of the mined sentences; empty: all.
        opened: vectors of the pair set's encoder; None: no vectors.
    """

    corpus: CorpusRow | None
    language: str
    opened: OpenedVectors | None


def explain_pair(
    session: SearchSession, mining: PairSetRow, query: ExplainQuery
) -> PairExplanation:
    """Explain the score of a pair.

    The neighbours are searched again, exactly, among the mined sentences. They belong
    to the current sentences, as does the score: a runner-up that was swapped in is
    scored again. The matched words and the length ratio belong to the current texts.

    Raises:
        UserError: the pair does not exist.
    """
    (texts,) = read_pair_texts(session.project.store, [query.pair])
    if texts is None:
        raise UserError("The pair is not in the project any more.")
    if not mining.fingerprint:
        return _explain_score(texts, mining)
    notes: list[str] = []
    sides = [_side(session, mining, side) for side in ("source", "target")]
    for side in sides:
        if side.opened is None:
            name = "The deleted corpus" if side.corpus is None else side.corpus.name
            notes.append(f"{name} has no vectors by {mining.encoder} any more.")
    k = max(query.k, mining.k)  # the means need k of the mining
    current = _current_pair(texts)
    nearest = _neighbours(session, mining, current, sides, k, notes)
    words, words_text = _compare_texts(session, mining, texts, notes)
    if (current.source_id, current.target_id) != _ends(texts.pair):
        current = _score_again(current, texts.pair, mining, sides, nearest)
        texts = texts._replace(pair=current)
    return msgspec.structs.replace(
        _explain_score(texts, mining),
        source_neighbours=nearest[0][: query.k],
        target_neighbours=nearest[1][: query.k],
        words=words,
        words_text=words_text,
        notes=notes,
    )


def _ends(pair: PairRow) -> tuple[int, int]:
    """Return the first sentences of both sides."""
    return pair.source_id, pair.target_id


def _current_pair(texts: PairTexts) -> PairRow:
    """Return the pair of the current sentences, with the score of the mined ones."""
    pair, judgement = texts.pair, texts.judgement
    if judgement is None:
        return pair
    return pair._replace(
        source_id=judgement.source_id,
        n_source=len(texts.source.sentences),
        target_id=judgement.target_id,
        n_target=len(texts.target.sentences),
    )


def _score_again(
    current: PairRow,
    mined: PairRow,
    mining: PairSetRow,
    sides: list[_Side],
    nearest: list[list[PairNeighbour]],
) -> PairRow:
    """Score the current sentences like mining; return the mined pair if this fails.

    The mean of a sentence that was not swapped is kept.
    """
    own, other = (side.opened for side in sides)
    if own is None or other is None or not mining.k or not mining.margin:
        return mined
    if not all(nearest):
        return mined
    cosine = np.float32(
        own.vectors.unit[position_of(current.source_id)]
        @ other.vectors.unit[position_of(current.target_id)]
    )
    means = [mined.source_mean, mined.target_mean]
    for index, is_swapped in enumerate(
        (current.source_id != mined.source_id, current.target_id != mined.target_id)
    ):
        if is_swapped:
            found = [one.cosine for one in nearest[index][: mining.k]]
            means[index] = float(np.mean(found))
    source_mean, target_mean = (np.array([mean], np.float32) for mean in means)
    (score,) = margin_scores(
        np.array([cosine]), source_mean, target_mean, mining.margin
    ).tolist()
    return current._replace(
        score=score, cosine=float(cosine), source_mean=means[0], target_mean=means[1]
    )


def _explain_score(texts: PairTexts, mining: PairSetRow) -> PairExplanation:
    """Explain the parts of the score, without neighbours and words."""
    pair = texts.pair
    mean = (pair.source_mean + pair.target_mean) / 2
    denominators = {"ratio": max(mean, MIN_MEAN), "distance": mean}
    denominator = denominators.get(mining.margin)
    return PairExplanation(
        pair=pair.id,
        score=pair.score,
        margin=mining.margin,
        cosine=pair.cosine,
        source_mean=pair.source_mean,
        target_mean=pair.target_mean,
        denominator=denominator,
        text=_score_sentence(pair, mining, denominator),
        source_neighbours=[],
        target_neighbours=[],
        runner_up=_to_runner_up(pair.runner_up_id, pair.runner_up_score),
        reverse=_to_runner_up(pair.reverse_id, pair.reverse_score),
        length_ratio=_length_ratio(texts.source.text, texts.target.text),
        scored=_ends(pair),
    )


def _score_sentence(
    pair: PairRow, mining: PairSetRow, denominator: float | None
) -> str:
    if not mining.margin:
        return "The package has neither scores nor an encoder."
    score, cosine = format_score(pair.score), format_score(pair.cosine)
    text = f"The score {score} is the cosine {cosine}"
    if denominator is None:
        text += " alone."
    elif not mining.k:
        mean = format_score(denominator)
        text += f" and {mean}, the mean cosine with the nearest sentences."
    else:
        how = "divided by" if mining.margin == "ratio" else "minus"
        text += (
            f" {how} {format_score(denominator)}, the mean cosine of source and target "
            f"with their {mining.k} nearest sentences on the other side "
            f"({format_score(pair.source_mean)} and {format_score(pair.target_mean)})."
        )
    if not mining.fingerprint:
        text += " The package has no encoder to explain more."
    return text


def _neighbours(
    session: SearchSession,
    mining: PairSetRow,
    pair: PairRow,
    sides: list[_Side],
    k: int,
    notes: list[str],
) -> list[list[PairNeighbour]]:
    """Find the nearest sentences of both sides of the pair on the other side."""
    if max(pair.n_source, pair.n_target) > 1 or not min(pair.n_source, pair.n_target):
        notes.append("Joined sentences have no neighbours.")
        return [[], []]
    is_once = _is_once(session, mining)
    own, other = sides
    return [
        _nearest(session, pair.source_id, own, other, (k, is_once)),
        _nearest(session, pair.target_id, other, own, (k, is_once)),
    ]


def _nearest(
    session: SearchSession,
    sentence: int,
    own: _Side,
    other: _Side,
    settings: tuple[int, bool],
) -> list[PairNeighbour]:
    """Find the k nearest mined sentences of the other side."""
    from app.engine.search.nearest import nearest_sentences, scan_scores, select_rows

    if own.opened is None or other.opened is None:
        return []
    k, is_once = settings
    vector = np.array(own.opened.vectors.unit[position_of(sentence)])
    if not vector.any():
        return []
    scanned = scan_scores(other.opened.vectors, vector)
    part = select_rows(scanned, _participants(session, other, is_once))
    hits = nearest_sentences([part], vector, k)
    return [
        PairNeighbour(int(id_), round(float(score), 6))
        for id_, score in zip(hits.ids, hits.scores, strict=True)
        if score > -np.inf
    ]


class _ParticipantCache(dict[tuple[object, ...], "Tensor"]):
    """Cache of the rows of mined sentences, int64 (m,), by selection."""


def _participants(
    session: SearchSession, side: _Side, is_once: bool
) -> "Tensor | None":
    """Return the rows of the mined sentences of a side; None: all."""
    import torch

    assert side.corpus is not None
    assert side.opened is not None
    active = active_positions(session.project, side.corpus)
    which = (0, 0) if active is None else (len(active), int(active.sum()))
    key = (side.opened.row.id, side.language, is_once, side.corpus.subcorpus, which)
    cached = session.cache(_ParticipantCache, _ParticipantCache)
    if key not in cached:
        norms = np.ones(side.opened.row.n_rows, np.float32)
        norms[side.opened.vectors.zero_rows.cpu().numpy()] = 0
        hashes = read_integers(session.project.store, side.corpus.id, "hash")
        wanted = wanted_mask(session.project, side.corpus, side.language)
        rows = select_participants(hashes, norms, wanted=wanted, is_once=is_once).rows
        cached[key] = torch.from_numpy(rows)
    rows_tensor = cached[key]
    return None if len(rows_tensor) == side.opened.row.n_rows else rows_tensor


def _side(session: SearchSession, mining: PairSetRow, name: str) -> _Side:
    listed = list_corpora(session.project.store, states=("ready", "deleted"))
    wanted = getattr(mining, f"{name}_corpus_id")
    corpus = next((row for row in listed if row.id == wanted), None)
    opened = None
    if corpus is not None:
        corpus = corpus._replace(subcorpus=_part(session, mining, name, corpus.id))
    if corpus is not None and mining.fingerprint:
        opened = session.open_corpus(corpus, mining.fingerprint)
    return _Side(corpus, getattr(mining, f"{name}_language"), opened)


def _part(session: SearchSession, mining: PairSetRow, name: str, corpus_id: int) -> int:
    """Return the id of the sub-corpus that was mined, if it still exists; else 0."""
    params = _params(session, mining)
    named = params.get(name) or params.get("source")
    try:
        rows = find_corpora(session.project.store, [str(named)]) if named else []
    except UserError:
        return 0
    return next((row.subcorpus for row in rows if row.id == corpus_id), 0)


def _is_once(session: SearchSession, mining: PairSetRow) -> bool:
    """Return whether the run mined equal texts only once."""
    return bool(_params(session, mining).get("duplicates", "once") == "once")


def _params(session: SearchSession, mining: PairSetRow) -> dict[str, Any]:
    """Read the params of the run that created a set; empty if there is none."""
    run = None
    if mining.run_id is not None:
        run = read_run(session.project.store, mining.run_id)
    params: dict[str, Any] = msgspec.json.decode(run.params) if run is not None else {}
    return params


def _compare_texts(
    session: SearchSession, mining: PairSetRow, texts: PairTexts, notes: list[str]
) -> tuple[MatchedWords | None, str]:
    """Compare the words of both sides, if the encoder is available."""
    try:
        encoder = session.encoder(mining.encoder)
        if encoder.fingerprint != mining.fingerprint:
            raise UserError(f"The encoder {mining.encoder} has changed since.")
        return compare_words(encoder, texts.source.text, texts.target.text)
    except UserError as error:
        notes.append(f"The words can't be compared. {error}")
        return None, ""


def _to_runner_up(sentence: int | None, score: float | None) -> RunnerUp | None:
    return None if sentence is None else RunnerUp(sentence, score)


def _length_ratio(source: str, target: str) -> float | None:
    lengths = sorted([len(source), len(target)])
    return lengths[1] / lengths[0] if lengths[0] else None
