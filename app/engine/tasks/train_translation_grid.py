"""Task: train translation models with several settings, and compare the results."""

import math
import shutil
from collections.abc import Iterator
from functools import partial
from statistics import mean

import msgspec

from app.engine.evaluation.batch import parse_named_files
from app.engine.probing.sets import read_probing_set
from app.engine.project.grid_record import GridRecord, cell_folder, run_cells
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.tasks.evaluate_translation import evaluate_translation
from app.engine.tasks.probe import probe
from app.engine.tasks.train_grid import (
    CHECKING_STAGE,
    Score,
    measure_vectors,
    rounded,
    rounded_interval,
    vector_checks,
)
from app.engine.tasks.train_translation import train_translation
from app.engine.text.files import check_file
from app.engine.translation.data import read_header
from app.params.grid_cells import list_cells
from app.params.probing import Probe
from app.params.translation import (
    EvaluateTranslation,
    TrainTranslation,
    TrainTranslationGrid,
)
from app.results.measurements import GridMeasured

# 1 − the geometric mean of the probabilities of the held-out pieces
DEVELOPMENT_ERROR = "Held-out error per piece, %"


class TrainTranslationGridResult(msgspec.Struct, frozen=True):
    """What was trained and measured.

    Attributes:
        results: a row for each combination.
        notes: sentences on what makes the figures doubtful.
    """

    results: tuple[GridMeasured, ...]
    notes: tuple[str, ...] = ()


def train_translation_grid(
    project: Project, params: TrainTranslationGrid, report: Report
) -> TrainTranslationGridResult:
    """Train and measure every combination; go on with the first unfinished one.

    A run that was killed, paused or cancelled continues at the training that it was
    in, from its last checkpoint.

    Raises:
        UserError: a setting or a file is not as it should be, or a model exists.
        Paused: as the user requested; the same command continues.
    """
    cells = list_cells(params)
    _check_files(params, report)
    grid = GridRecord(project, cells, report)
    notes = run_cells(grid, partial(_run_cell, params, grid), report)
    return TrainTranslationGridResult(tuple(grid.rows), notes)


def _check_files(params: TrainTranslationGrid, report: Report) -> None:
    """Read the files of the evaluations before the first training."""
    for named in parse_named_files([*params.sts, *params.labelled], form="NAME=FILE"):
        check_file(named.file)
    checks = [*vector_checks(params)]
    checks += [partial(read_probing_set, file) for file in params.probing]
    if params.test is not None:
        checks.append(partial(read_header, params.test))
    for done, check in enumerate(checks):
        report.step(CHECKING_STAGE, done, len(checks))
        check()


def _run_cell(
    params: TrainTranslationGrid, grid: GridRecord, number: int, report: Report
) -> tuple[str, ...]:
    """Train and measure one model; return the notes of its training."""
    project, cell, row = grid.project, grid.cells[number], grid.rows[number]
    folder = cell_folder(project, cell)
    notes: tuple[str, ...] = ()
    if not row.n_steps:
        # saved before a kill, but its figures were not: names were free at the start
        shutil.rmtree(folder, ignore_errors=True)
        assert isinstance(cell.params, TrainTranslation)
        trained = train_translation(project, cell.params, report)
        losses = [one.development_loss for one in trained.directions]
        measured = [loss for loss in losses if loss is not None]
        scores: dict[str, float] = {}
        if measured:
            scores[DEVELOPMENT_ERROR] = rounded(1 - math.exp(-mean(measured)))
        row = msgspec.structs.replace(
            row,
            scores=scores,
            n_steps=trained.n_steps,
            kept_step=trained.kept_step,
            n_parameters=trained.n_parameters,
            seconds=round(trained.elapsed_s, 1),
            note=" ".join(trained.notes),
        )
        notes = trained.notes
        grid.replace(number, row)
        report.changed("encoder", 0)
    found = list(_measure(str(folder), params, report))
    row = msgspec.structs.replace(
        row,
        scores=row.scores | {one.name: one.value for one in found},
        scores_interval={one.name: one.interval for one in found if one.interval},
        is_done=True,
    )
    grid.replace(number, row)
    return notes


def _measure(
    model: str, params: TrainTranslationGrid, report: Report
) -> Iterator[Score]:
    """Measure a model by everything that the grid asks for."""
    if params.test is not None:
        yield from _measure_bleu(model, params, report)
    yield from measure_vectors(model, params, report)
    if params.probing:
        wanted = Probe(
            data=params.probing,
            encoders=(model,),
            seeds=1,
            control=False,
            baselines=False,
        )
        for row in probe(None, wanted, report).results:
            name = f"Probing {row.data}, %"
            yield Score(
                name, rounded(row.accuracy), rounded_interval(row.accuracy_interval)
            )


def _measure_bleu(
    model: str, params: TrainTranslationGrid, report: Report
) -> Iterator[Score]:
    """Measure mean BLEU of the trained, and of the zero-shot directions."""
    assert params.test is not None
    wanted = EvaluateTranslation(
        model=model,
        table=params.test,
        n_sentences=params.n_sentences,
        beam_size=params.beam_size,
        seed=params.seed,
    )
    directions = evaluate_translation(None, wanted, report).directions
    for name, is_zero_shot in (("BLEU, trained", False), ("BLEU, zero-shot", True)):
        bleus = [one.bleu for one in directions if one.zero_shot == is_zero_shot]
        if bleus:
            yield Score(name, rounded(mean(bleus) / 100))
