"""Task: measure mining against a gold standard, as BUCC does."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from app.engine.device import wanted_device
from app.engine.encoders.checkpoint import load_encoder
from app.engine.encoders.encoder import normalise_rows
from app.engine.encoders.kept_vectors import encode_kept
from app.engine.mining.gold import (
    CurvePoint,
    accuracy_curve,
    best_threshold,
    point_at,
    running_accuracy,
)
from app.engine.mining.neighbours import PassSettings, find_neighbours
from app.engine.mining.pairs import IdArray, choose_pairs, list_candidates
from app.engine.mining.rescoring import ExactSide
from app.engine.mining.sides import Participants, take_part
from app.engine.report import Report
from app.engine.store.arrays import FloatArray
from app.engine.text.normalise import text_hashes
from app.engine.training.files import read_lines
from app.errors import UserError
from app.params.mining import EvaluateMining

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project import Project

MAX_ERRORS = 50  # wrong and missed pairs that the result names
HEADERS = ({"id", "text"}, {"source", "target"}, {"source_id", "target_id"})


class MiningError(msgspec.Struct, frozen=True):
    """A pair that is wrong, or one that is missed (no score): ids and texts."""

    source: str
    target: str
    source_text: str
    target_text: str
    score: float | None = None


class EvaluateMiningResult(msgspec.Struct, frozen=True):
    """What was measured, at the threshold that was asked for or the best; rates 0…1.

    Attributes:
        threshold: score; the best one lies halfway to the next pair's.
        pairs: pairs that were found at or above it.
        curve: the same over thresholds, the highest first.
        gold: true pairs; those of equal texts count once.
        best_f1: at the best threshold.
        wrong: the best scored pairs that are not in the gold standard.
        missed: pairs of it that were not found at the threshold.
    """

    precision: float
    recall: float
    f1: float
    threshold: float
    pairs: int
    curve: list[CurvePoint]
    gold: int
    best_f1: float
    encoder: str
    margin: str
    wrong: list[MiningError]
    missed: list[MiningError]


class Side(NamedTuple):
    """One file: its ids, its texts, the rows that take part and all unit vectors."""

    ids: list[str]
    texts: list[str]
    participants: Participants
    unit_vectors: FloatArray


class Found(NamedTuple):
    """Mined pairs, the best first: rows int64 (p,) of the files, float32 scores."""

    sources: IdArray
    targets: IdArray
    scores: FloatArray


def evaluate_mining(
    project: "Project | None", params: EvaluateMining, report: Report
) -> EvaluateMiningResult:
    """Mine the two files and compare what is found with the gold standard.

    Raises:
        UserError: a file is not as it should be, or a gold id is in none.
    """
    files = {file: read_sentences(file) for file in (params.source, params.target)}
    gold_ids = read_gold(params.gold, files[params.source], files[params.target])
    encoder = load_encoder(params.encoder, project.folder if project else None)
    source, target = (
        _encode_side(project, encoder, files[file], report)
        for file in (params.source, params.target)
    )
    found = _mine(source, target, params, report)
    return _measure(source, target, found, gold_ids, params, encoder.name)


def read_sentences(file: Path) -> dict[str, str]:
    """Read the lines id⇥text of a file as a dictionary.

    Raises:
        UserError: a line has no tab, or an id stands twice.
    """
    texts: dict[str, str] = {}
    for number, line in enumerate(read_lines(file), 1):
        id_, tab, text = line.partition("\t")
        if number == 1 and {id_.lower(), text.lower()} in HEADERS:
            continue
        if not tab:
            raise UserError(
                f"{file}, line {number}: there is no tab between an id and a text."
            )
        if id_ in texts:
            raise UserError(f"{file}, line {number}: the id {id_!r} stands twice.")
        texts[id_] = text
    return texts


def read_gold(
    file: Path, sources: dict[str, str], targets: dict[str, str]
) -> list[tuple[str, str]]:
    """Read the lines id⇥id of a gold standard.

    Raises:
        UserError: a line is no pair, an id is in neither file, or there is no pair.
    """
    pairs = []
    for number, line in enumerate(read_lines(file), 1):
        cells = line.split("\t")
        if number == 1 and {cell.lower() for cell in cells} in HEADERS:
            continue
        if len(cells) != 2:
            raise UserError(
                f"{file}, line {number}: a gold pair is a source id, a tab and a "
                "target id."
            )
        for id_, texts, side in (
            (cells[0], sources, "source"),
            (cells[1], targets, "target"),
        ):
            if id_ not in texts:
                raise UserError(
                    f"{file}, line {number}: the {side} file has no id {id_!r}."
                )
        pairs.append((cells[0], cells[1]))
    if not pairs:
        raise UserError(f"{file} holds no pair.")
    return pairs


def _encode_side(
    project: "Project | None", encoder: "Encoder", texts: dict[str, str], report: Report
) -> Side:
    """Encode a file; of equal texts the first takes part."""
    listed = list(texts.values())
    unit_vectors, norms = normalise_rows(encode_kept(project, encoder, listed, report))
    participants = take_part(text_hashes(listed), norms)
    return Side(list(texts), listed, participants, unit_vectors)


def _mine(source: Side, target: Side, params: EvaluateMining, report: Report) -> Found:
    """Find pairs, the best first."""
    sources, targets = (
        ExactSide(side.unit_vectors, side.participants.rows)
        for side in (source, target)
    )
    settings = PassSettings(params.k, device=wanted_device())
    neighbours = find_neighbours(sources, targets, settings, report)
    candidates = list_candidates(*neighbours, params.margin)
    taken = choose_pairs(candidates, params.retrieval)
    return Found(
        source.participants.rows[candidates.sources[taken]],
        target.participants.rows[candidates.targets[taken]],
        candidates.scores[taken],
    )


def _measure(
    source: Side,
    target: Side,
    found: Found,
    gold_ids: list[tuple[str, str]],
    params: EvaluateMining,
    encoder: str,
) -> EvaluateMiningResult:
    """Compare what was found with the gold standard."""
    gold = _gold_keys(source, target, gold_ids)
    keys = found.sources * len(target.ids) + found.targets
    is_true = np.isin(keys, gold)
    accuracy = running_accuracy(is_true, len(gold))
    best = point_at(found.scores, accuracy, best_threshold(found.scores, accuracy))
    here = best
    if params.threshold is not None:
        here = point_at(found.scores, accuracy, params.threshold)
    wrong = np.nonzero(~is_true[: here.pairs])[0][:MAX_ERRORS]
    missed = np.setdiff1d(gold, keys[: here.pairs])[:MAX_ERRORS]
    return EvaluateMiningResult(
        precision=here.precision,
        recall=here.recall,
        f1=here.f1,
        threshold=here.threshold,
        pairs=here.pairs,
        curve=accuracy_curve(found.scores, accuracy),
        gold=len(gold),
        best_f1=best.f1,
        encoder=encoder,
        margin=params.margin,
        wrong=[
            _named(source, target, int(keys[one]), float(found.scores[one]))
            for one in wrong
        ],
        missed=[_named(source, target, int(key)) for key in missed],
    )


def _gold_keys(source: Side, target: Side, gold_ids: list[tuple[str, str]]) -> IdArray:
    """Give each gold pair as source row * targets + target row, equal texts once.

    A row that does not take part stands for itself: its pairs cannot be found.
    """
    source_rows = {id_: row for row, id_ in enumerate(source.ids)}
    target_rows = {id_: row for row, id_ in enumerate(target.ids)}
    columns = [
        _standing(side.participants, np.array([rows[pair[place]] for pair in gold_ids]))
        for place, (side, rows) in enumerate(
            ((source, source_rows), (target, target_rows))
        )
    ]
    return np.unique(columns[0] * len(target.ids) + columns[1])


def _standing(participants: Participants, rows: IdArray) -> IdArray:
    standing = participants.stands_for[rows]
    return np.where(standing < 0, rows, standing)


def _named(
    source: Side, target: Side, key: int, score: float | None = None
) -> MiningError:
    row, other = divmod(key, len(target.ids))
    return MiningError(
        source.ids[row],
        target.ids[other],
        source.texts[row],
        target.texts[other],
        score,
    )
