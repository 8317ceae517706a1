"""Task: evaluate mining against a gold standard, as in the BUCC shared task."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, get_args

import msgspec
import numpy as np

from app.arrays import FloatArray, IdArray
from app.engine.encoders.registry import load_encoder
from app.engine.encoders.vector_cache import encode_cached
from app.engine.evaluation.recording import rounded_interval
from app.engine.mining.bitext import Bitext, places_of, score_bitext
from app.engine.mining.exact_search import ExactSide, Neighbours
from app.engine.mining.gold_standard import (
    accuracy_curve,
    best_threshold,
    f1_estimate,
    point_at,
    read_gold,
    read_sentences,
    running_accuracy,
)
from app.engine.mining.neighbours import PassSettings, find_neighbours
from app.engine.mining.pairs import choose_pairs, list_candidates
from app.engine.mining.result_limits import truncate_list, truncate_text
from app.engine.mining.sides import Participants, select_participants
from app.engine.numeric import normalise_rows
from app.engine.runtime.blocking_calls import run_in_thread
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.text.normalisation import text_hashes
from app.errors import UserError
from app.params.mining import EvaluateMining, MarginName
from app.results.mining import (
    EvaluateMiningResult,
    MarginFigures,
    MiningError,
    ThresholdChoice,
)

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project.project import Project

CHOOSING_STAGE, MEASURING_STAGE = "Choosing pairs", "Measuring"
MARGINS_STAGE = "Comparing margins"


class MiningSide(NamedTuple):
    """One file: ids, texts, participating rows, and unit vectors of all rows."""

    ids: list[str]
    texts: list[str]
    participants: Participants
    unit_vectors: FloatArray

    @property
    def exact(self) -> ExactSide:
        """Return the vectors of the participating rows."""
        return ExactSide(self.unit_vectors, self.participants.rows)

    def standing(self, rows: IdArray) -> IdArray:
        """Return the participating row for each row, or else the row itself.

        Pairs of a row without a representative cannot be found.
        """
        standing = self.participants.stands_for[rows]
        return np.where(standing < 0, rows, standing)


class Found(NamedTuple):
    """Mined pairs, best first.

    Attributes:
        sources, targets: int64 (p,), rows of the files.
        scores: float32 (p,).
        near: neighbours of the participating sources and targets.
    """

    sources: IdArray
    targets: IdArray
    scores: FloatArray
    near: tuple[Neighbours, Neighbours]

    def keys(self, target: MiningSide) -> IdArray:
        """Return each pair as source row * targets + target row."""
        return self.sources * len(target.ids) + self.targets


def evaluate_mining(
    project: "Project | None", params: EvaluateMining, report: Report
) -> EvaluateMiningResult:
    """Mine two files and compare the pairs with the gold standard.

    With a training set, use the threshold with the best F1 on that set (Zweigenbaum et
    al. 2018, BUCC; Artetxe and Schwenk 2019).

    Raises:
        UserError: a file is invalid, or a gold id occurs in no file.
    """
    training = _training_files(params)
    test = _read_files(_Files(params.source, params.target, params.gold))
    train = _read_files(training) if training else None
    encoder = load_encoder(params.encoder, project.folder if project else None)
    choice: ThresholdChoice | None = None
    margins: list[MarginFigures] = []
    if train is not None:
        mined = _mine_files(project, encoder, train, params, report)
        choice = _choose_threshold(mined, train.gold_ids)
        margins = _compare_margins(mined, train.gold_ids, params, report)
        params = msgspec.structs.replace(params, threshold=choice.threshold)
    mined = _mine_files(project, encoder, test, params, report)
    margins = margins or _compare_margins(mined, test.gold_ids, params, report)
    source, target, found = mined
    result = run_in_thread(
        lambda: _measure(source, target, found, test.gold_ids, params, encoder.name),
        report,
        MEASURING_STAGE,
    )
    return msgspec.structs.replace(
        result, training=choice, margins=margins, recommended=margins[0].margin
    )


class _Files(NamedTuple):
    """The files of a set."""

    source: Path
    target: Path
    gold: Path


class _Texts(NamedTuple):
    """The sentences of a set by their ids, and its true pairs."""

    source: dict[str, str]
    target: dict[str, str]
    gold_ids: list[tuple[str, str]]


def _training_files(params: EvaluateMining) -> _Files | None:
    """Return the files of the training set, or None without one.

    Raises:
        UserError: one of the three files is missing, or a threshold is also set.
    """
    files = (params.train_source, params.train_target, params.train_gold)
    if not any(files):
        return None
    if not (params.train_source and params.train_target and params.train_gold):
        raise UserError(
            "A training set needs three files: source, target and gold standard. Add "
            "the missing ones, or remove the others."
        )
    if params.threshold is not None:
        raise UserError(
            "The training set chooses the threshold. Remove the threshold, or the "
            "training set."
        )
    return _Files(params.train_source, params.train_target, params.train_gold)


def _read_files(files: _Files) -> _Texts:
    source, target = (read_sentences(file) for file in files[:2])
    return _Texts(source, target, read_gold(files.gold, source, target))


def _mine_files(
    project: "Project | None",
    encoder: "Encoder",
    texts: _Texts,
    params: EvaluateMining,
    report: Report,
) -> "tuple[MiningSide, MiningSide, Found]":
    source, target = (
        _encode_side(project, encoder, side, report) for side in texts[:2]
    )
    return source, target, _mine(source, target, params, report)


def _choose_threshold(
    mined: "tuple[MiningSide, MiningSide, Found]", gold_ids: list[tuple[str, str]]
) -> ThresholdChoice:
    """Choose the threshold with the best F1."""
    source, target, found = mined
    gold = _gold_keys(source, target, gold_ids)
    accuracy = running_accuracy(np.isin(found.keys(target), gold), len(gold))
    threshold = best_threshold(found.scores, accuracy)
    best = point_at(found.scores, accuracy, threshold)
    return ThresholdChoice(**msgspec.structs.asdict(best), gold=len(gold))


def _compare_margins(
    mined: "tuple[MiningSide, MiningSide, Found]",
    gold_ids: list[tuple[str, str]],
    params: EvaluateMining,
    report: Report,
) -> list[MarginFigures]:
    """Score the same neighbours with each margin, sorted by F1, then as requested."""
    source, target, found = mined
    gold = _gold_keys(source, target, gold_ids)

    def measure(margin: MarginName) -> MarginFigures:
        other = _choose(source, target, found.near, margin, params)
        accuracy = running_accuracy(np.isin(other.keys(target), gold), len(gold))
        threshold = best_threshold(other.scores, accuracy)
        best = point_at(other.scores, accuracy, threshold)
        return MarginFigures(**msgspec.structs.asdict(best), margin=margin)

    def compare() -> list[MarginFigures]:
        measured = [measure(margin) for margin in get_args(MarginName)]
        return sorted(measured, key=lambda one: (-one.f1, one.margin != params.margin))

    return run_in_thread(compare, report, MARGINS_STAGE)


def _encode_side(
    project: "Project | None", encoder: "Encoder", texts: dict[str, str], report: Report
) -> MiningSide:
    """Encode a file; of equal texts, only the first participates."""
    listed = list(texts.values())
    unit_vectors, norms = normalise_rows(
        encode_cached(project, encoder, listed, report)
    )
    participants = select_participants(text_hashes(listed), norms)
    return MiningSide(list(texts), listed, participants, unit_vectors)


def _mine(
    source: MiningSide, target: MiningSide, params: EvaluateMining, report: Report
) -> Found:
    """Find pairs, the best first."""
    settings = PassSettings(params.k, device=preferred_device())
    near = find_neighbours(source.exact, target.exact, settings, report)

    return run_in_thread(
        lambda: _choose(source, target, near, params.margin, params),
        report,
        CHOOSING_STAGE,
    )


def _choose(
    source: MiningSide,
    target: MiningSide,
    near: tuple[Neighbours, Neighbours],
    margin: MarginName,
    params: EvaluateMining,
) -> Found:
    """Select pairs among neighbours by a margin."""
    candidates = list_candidates(*near, margin)
    taken = choose_pairs(candidates, params.retrieval)
    return Found(
        source.participants.rows[candidates.sources[taken]],
        target.participants.rows[candidates.targets[taken]],
        candidates.scores[taken],
        near,
    )


def _measure(
    source: MiningSide,
    target: MiningSide,
    found: Found,
    gold_ids: list[tuple[str, str]],
    params: EvaluateMining,
    encoder: str,
) -> EvaluateMiningResult:
    """Compare the found pairs with the gold standard."""
    gold = _gold_keys(source, target, gold_ids)
    keys = found.keys(target)
    is_true = np.isin(keys, gold)
    accuracy = running_accuracy(is_true, len(gold))
    best = point_at(found.scores, accuracy, best_threshold(found.scores, accuracy))
    here = best
    if params.threshold is not None:
        here = point_at(found.scores, accuracy, params.threshold)
    kept, scores = keys[: here.pairs], found.scores[: here.pairs]
    is_wrong = ~is_true[: here.pairs]
    missed = np.setdiff1d(gold, kept)
    missed_scores = _scores_of(source, target, found.near, missed, params.margin)
    order = np.argsort(missed_scores, kind="stable")  # nan last
    listed = _Lister(source, target)
    return EvaluateMiningResult(
        **msgspec.structs.asdict(here),
        curve=accuracy_curve(found.scores, accuracy),
        f1_interval=rounded_interval(
            f1_estimate(int(is_true[: here.pairs].sum()), here.pairs, len(gold))
        ),
        gold=len(gold),
        best_f1=best.f1,
        encoder=encoder,
        margin=params.margin,
        wrong=listed.errors(kept[is_wrong], scores[is_wrong], instead=gold),
        missed=listed.errors(missed[order], missed_scores[order], instead=kept),
    )


def _gold_keys(
    source: MiningSide, target: MiningSide, gold_ids: list[tuple[str, str]]
) -> IdArray:
    """Return each distinct gold pair as source row * targets + target row."""
    columns = []
    for index, side in enumerate((source, target)):
        rows = {id_: row for row, id_ in enumerate(side.ids)}
        columns.append(
            side.standing(np.array([rows[pair[index]] for pair in gold_ids]))
        )
    return np.unique(columns[0] * len(target.ids) + columns[1])


def _scores_of(
    source: MiningSide,
    target: MiningSide,
    near: tuple[Neighbours, Neighbours],
    keys: IdArray,
    margin: MarginName,
) -> FloatArray:
    """Score any pairs: float32 (p,), nan if a side is unknown."""
    indices = [
        places_of(side.participants, rows)
        for side, rows in zip(
            (source, target), np.divmod(keys, len(target.ids)), strict=True
        )
    ]
    is_known = (indices[0] >= 0) & (indices[1] >= 0)
    ends = indices[0][is_known], indices[1][is_known]
    bitext = Bitext(*ends, source.exact, target.exact, *near)
    scores = np.full(len(keys), np.nan, np.float32)
    scores[is_known] = score_bitext(bitext, margin).scores
    return scores


class _Lister:
    """Lists pairs with their ids and texts."""

    def __init__(self, source: MiningSide, target: MiningSide):
        self._source, self._target = source, target

    def errors(
        self, keys: IdArray, scores: FloatArray, *, instead: IdArray
    ) -> list[MiningError]:
        """List the first pairs, and the pairs in `instead` with the same sources."""
        n = len(self._target.ids)
        others = {int(key) // n: int(key) % n for key in instead[::-1]}
        pairs = zip(keys.tolist(), scores.tolist(), strict=True)
        return truncate_list(
            self._error(divmod(key, n), score, others.get(key // n))
            for key, score in pairs
        )

    def _error(
        self, pair: tuple[int, int], score: float, instead: int | None
    ) -> MiningError:
        row, other = pair
        ids, texts = self._target.ids, self._target.texts
        return MiningError(
            source=self._source.ids[row],
            target=ids[other],
            source_text=truncate_text(self._source.texts[row]),
            target_text=truncate_text(texts[other]),
            score=None if math.isnan(score) else score,
            instead="" if instead is None else ids[instead],
            instead_text="" if instead is None else truncate_text(texts[instead]),
        )
