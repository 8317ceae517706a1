"""Task: mine translation pairs and save them in the project."""

import hashlib
import time
from typing import NamedTuple

import msgspec
import numpy as np

from app.arrays import FloatArray, IdArray
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.registry import load_encoder
from app.engine.mining.approximate_search import Recall
from app.engine.mining.filters import BitextTexts
from app.engine.mining.neighbour_cache import CachedNeighbours, load_or_find_neighbours
from app.engine.mining.pairs import (
    Candidates,
    choose_pairs,
    find_runners_up,
    list_candidates,
)
from app.engine.mining.recipe import (
    MaskCache,
    PairSet,
    RecipeResult,
    run_recipe,
)
from app.engine.mining.scores import (
    WEAK_VALUE,
    Histogram,
    describe_scores,
    median_value,
    neighbour_means,
)
from app.engine.mining.sides import ProjectSide, check_apart, load_side
from app.engine.project.project import Project
from app.engine.runtime.blocking_calls import run_in_thread
from app.engine.runtime.report import Report
from app.engine.store.lookup import find_corpus
from app.engine.store.pairs.sets import (
    NewPairs,
    NewPairSet,
    PairSetCounts,
    write_pair_set,
)
from app.engine.store.sentences import read_integers, read_texts
from app.params.filters import Filter, format_filter, parse_recipe
from app.params.mining import IndexName, MinePairs
from app.protocol.answers.pairs import FilterStep
from app.results.task import TaskResult

READING_STAGE, CHOOSING_STAGE = "Reading sentences", "Choosing pairs"
WEAK_PAIRS = (
    " At least half of the pairs are hardly more similar than other sentences of these "
    "texts, which do not seem to be translations of each other. Check which texts you "
    "chose, or raise the threshold."
)
MASKS_FOLDER = "filters"  # in a project's arrays folder


class MiningReport(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a mining run, stored with the pairs.

    Attributes:
        n_sources, n_targets: participating sentences.
        n_duplicates: sentences represented by a sentence with the same text.
        n_unknown: sentences left out because the encoder knows none of their pieces.
        n_found: pairs before the threshold.
        n_below: pairs below the threshold.
        scores: distribution of the scores, before the threshold.
        filters: effect of each filter on the pairs above the threshold.
        are_weak: at least half of the pairs score hardly above their neighbours.
        index: index that found the neighbours.
        recall: recall of the index; None if all pairs were compared.
    """

    n_sources: int
    n_targets: int
    n_duplicates: int
    n_unknown: int
    n_found: int
    n_below: int
    scores: Histogram
    filters: list[FilterStep]
    index: IndexName
    recall: Recall | None
    are_weak: bool = False


class MinePairsResult(TaskResult, frozen=True, kw_only=True):
    """The mined pair set.

    Attributes:
        mining: id of the pair set.
        pairs: accepted pairs.
        candidates: pairs stored as further candidates.
        neighbours_known: the neighbours were cached by an earlier run.
    """

    mining: int
    name: str
    pairs: int
    candidates: int
    report: MiningReport
    encoder: str
    neighbours_known: bool
    seconds: float


class _Mined(NamedTuple):
    """Both sides, their mutual neighbours, all candidates and the accepted pairs."""

    source: ProjectSide
    target: ProjectSide
    near: CachedNeighbours
    candidates: Candidates
    taken: IdArray


def mine_pairs(project: Project, params: MinePairs, report: Report) -> MinePairsResult:
    """Mine pairs of sentences that are translations of each other.

    Raises:
        UserError: unknown corpus, encoder or filter, no vectors, or no participating
            sentences.
        Cancelled: the next run resumes the pass over the sentences.
    """
    begun = time.monotonic()
    recipe = parse_recipe(params.filters)
    encoder = load_encoder(params.encoder, project.folder)
    mined = _mine(project, encoder, params, report)
    n_above = _n_above(mined.candidates.scores[mined.taken], params.threshold)
    filtered = _filter(project, mined, n_above, recipe, report)
    kept = mined.taken[:n_above][filtered.kept]
    mining_report = _report(mined, n_above, filtered, params.index)
    places = _places(mined, kept, params)
    new = _new_mining(mined, encoder, params, recipe)
    n_pairs, n_candidates = (len(part) for part in places)
    counts = PairSetCounts(
        n_pairs, n_candidates, msgspec.json.encode(mining_report).decode()
    )
    pairs = run_in_thread(
        lambda: _new_pairs(mined, np.concatenate(places)), report, CHOOSING_STAGE
    )
    mining = write_pair_set(project.store, new, pairs, counts, report)
    return MinePairsResult(
        mining=mining,
        name=new.name,
        pairs=n_pairs,
        candidates=n_candidates,
        report=mining_report,
        encoder=encoder.name,
        neighbours_known=mined.near.is_known,
        seconds=time.monotonic() - begun,
        message=_message(mined, n_pairs, params) + WEAK_PAIRS * mining_report.are_weak,
    )


def _message(mined: _Mined, n_pairs: int, params: MinePairs) -> str:
    """Describe the number of pairs and the recall of the search."""
    sides = f"{mined.source.described} and {mined.target.described}"
    were = "1 pair was" if n_pairs == 1 else f"{n_pairs:,} pairs were"
    message = f"{were} found between {sides}"
    recall = mined.near.recall
    if recall is None:
        return f"{message}."
    return f"{message}, by an index ({params.index}) that finds {recall.text}."


def _mine(
    project: Project, encoder: Encoder, params: MinePairs, report: Report
) -> _Mined:
    """Find the neighbours, and select pairs among them."""
    source, target = run_in_thread(
        lambda: _sides(project, encoder, params), report, READING_STAGE
    )
    near = load_or_find_neighbours(
        project, source, target, (params.k, params.index), report
    )

    def choose() -> tuple[Candidates, IdArray]:
        candidates = list_candidates(near.of_sources, near.of_targets, params.margin)
        return candidates, choose_pairs(candidates, params.retrieval)

    return _Mined(source, target, near, *run_in_thread(choose, report, CHOOSING_STAGE))


def _sides(
    project: Project, encoder: Encoder, params: MinePairs
) -> tuple[ProjectSide, ProjectSide]:
    """Open both sides."""
    names = params.source, params.target or params.source
    languages = params.source_language, params.target_language
    source, target = (
        load_side(
            project,
            find_corpus(project.store, name),
            encoder,
            language=language,
            is_once=params.duplicates == "once",
        )
        for name, language in zip(names, languages, strict=True)
    )
    check_apart(source, target)
    return source, target


def _n_above(scores: FloatArray, threshold: float | None) -> int:
    """Count the scores (descending) that reach the threshold."""
    if threshold is None:
        return len(scores)
    return int((scores.astype(np.float64) >= threshold).sum())


def _filter(
    project: Project,
    mined: _Mined,
    n_above: int,
    recipe: list[Filter],
    report: Report,
) -> RecipeResult:
    """Apply the filters to the accepted pairs above the threshold."""
    if not recipe:
        return RecipeResult(np.ones(n_above, np.bool_), [])
    shelf = MaskCache(project.folder / "arrays" / MASKS_FOLDER)
    pairs = run_in_thread(
        lambda: _texts(project, mined, n_above), report, READING_STAGE
    )
    return run_recipe(pairs, recipe, shelf, report)


def _texts(project: Project, mined: _Mined, n_above: int) -> PairSet:
    """Read the texts of the accepted pairs.

    The key of the set is a hash of all accepted pairs, so that filter masks are reused
    if only the threshold changes.
    """
    digest = hashlib.sha256()
    texts: list[list[str]] = []
    sides = mined.source, mined.target
    ends = mined.candidates.sources, mined.candidates.targets
    for side, indices in zip(sides, ends, strict=True):
        corpus, rows = side.corpus, side.participants.rows[indices[mined.taken]]
        digest.update(f"{corpus.language} {side.language}\n".encode())
        digest.update(read_integers(project.store, corpus.id, "hash")[rows].tobytes())
        listed = read_texts(project.store, corpus.id, 0, corpus.n_sentences)
        texts.append([listed[row] for row in rows[:n_above].tolist()])
    languages = [side.language or side.corpus.language for side in sides]

    def read(start: int, end: int) -> BitextTexts:
        return BitextTexts(texts[0][start:end], texts[1][start:end], *languages)

    return PairSet(digest.hexdigest(), n_above, read)


def _are_weak(mined: _Mined, kept: IdArray) -> bool:
    """Return whether at least half of the pairs score hardly above their neighbours."""
    candidates, near = mined.candidates, mined.near
    means = neighbour_means(near.of_sources.scores)[candidates.sources[kept]]
    means = means + neighbour_means(near.of_targets.scores)[candidates.targets[kept]]
    return median_value(candidates.cosines[kept], means / 2) < WEAK_VALUE


def _report(
    mined: _Mined, n_above: int, filtered: RecipeResult, index: IndexName
) -> MiningReport:
    sides = mined.source.participants, mined.target.participants
    kept = mined.taken[:n_above][filtered.kept]
    return MiningReport(
        n_sources=len(sides[0].rows),
        n_targets=len(sides[1].rows),
        n_duplicates=sum(side.n_duplicates for side in sides),
        n_unknown=sum(side.n_unknown for side in sides),
        n_found=len(mined.taken),
        n_below=len(mined.taken) - n_above,
        scores=describe_scores(mined.candidates.scores[mined.taken]),
        filters=filtered.steps,
        index=index,
        recall=mined.near.recall,
        are_weak=len(kept) > 0 and _are_weak(mined, kept),
    )


def _places(mined: _Mined, kept: IdArray, params: MinePairs) -> tuple[IdArray, IdArray]:
    """Return the candidates to write: accepted pairs and further candidates."""
    if not params.candidates:
        return kept, np.empty(0, np.int64)
    n_above = _n_above(mined.candidates.scores, params.threshold)
    return kept, np.setdiff1d(np.arange(n_above), mined.taken, assume_unique=True)


def _new_mining(
    mined: _Mined, encoder: Encoder, params: MinePairs, recipe: list[Filter]
) -> NewPairSet:
    source, target = mined.source, mined.target
    return NewPairSet(
        name=params.name or f"{source.described} – {target.described}",
        kind="mined",
        source_corpus_id=source.corpus.id,
        target_corpus_id=target.corpus.id,
        source_language=source.language,
        target_language=target.language,
        encoder=encoder.name,
        fingerprint=encoder.fingerprint,
        margin=params.margin,
        k=params.k,
        retrieval=params.retrieval,
        threshold=params.threshold,
        filters=[format_filter(one) for one in recipe],
    )


def _new_pairs(mined: _Mined, indices: IdArray) -> NewPairs:
    """Combine pairs and score components into rows."""
    source, target, near, candidates, _ = mined
    sources, targets = candidates.sources[indices], candidates.targets[indices]
    of_source, of_target = find_runners_up(candidates, sources, targets)
    return NewPairs(
        source_ids=source.sentence_ids(sources),
        target_ids=target.sentence_ids(targets),
        scores=candidates.scores[indices],
        cosines=candidates.cosines[indices],
        source_means=neighbour_means(near.of_sources.scores)[sources],
        target_means=neighbour_means(near.of_targets.scores)[targets],
        runner_up_ids=target.sentence_ids(of_source.rows),
        runner_up_scores=of_source.scores,
        reverse_ids=source.sentence_ids(of_target.rows),
        reverse_scores=of_target.scores,
    )
