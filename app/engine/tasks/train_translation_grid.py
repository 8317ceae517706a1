"""Task: train translation models with several settings, and compare the results."""

from collections.abc import Iterator
from functools import partial
from statistics import mean

from app.engine.evaluation.batch import parse_named_files
from app.engine.probing.sets import read_probing_set
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.tasks.evaluate_translation import evaluate_translation
from app.engine.tasks.probe import probe
from app.engine.tasks.train_grid import (
    CHECKING_STAGE,
    GridScore,
    TrainedModel,
    TrainGridResult,
    measure_vectors,
    rounded,
    rounded_interval,
    run_grid,
    vector_checks,
)
from app.engine.tasks.train_translation import train_translation
from app.engine.text.files import check_file
from app.engine.translation.data import read_header
from app.params.grid_cells import Trainable, list_cells
from app.params.probing import Probe
from app.params.translation import (
    EvaluateTranslation,
    TrainTranslation,
    TrainTranslationGrid,
)

CROSS_ENTROPY = "Development cross-entropy per piece"


def train_translation_grid(
    project: Project, params: TrainTranslationGrid, report: Report
) -> TrainGridResult:
    """Train and measure every combination, resuming at the first unfinished one.

    A run that was killed, paused or cancelled resumes the interrupted training from its
    last checkpoint.

    Raises:
        UserError: a setting or a file is invalid, or a model exists.
        Paused: the user paused the run; the same command resumes it.
    """
    cells = list_cells(params)
    _check_files(params, report)
    return run_grid(project, cells, report, _train, partial(_measure, params=params))


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


def _train(
    project: Project, params: Trainable, report: Report
) -> tuple[TrainedModel, dict[str, float]]:
    """Train a model, and return the cross-entropy on its development pairs."""
    assert isinstance(params, TrainTranslation)
    trained = train_translation(project, params, report)
    losses = [one.development_loss for one in trained.directions]
    measured = [loss for loss in losses if loss is not None]
    return trained, {CROSS_ENTROPY: round(mean(measured), 3)} if measured else {}


def _measure(
    model: str, report: Report, *, params: TrainTranslationGrid
) -> Iterator[GridScore]:
    """Measure a model with all evaluations of the grid."""
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
            yield GridScore(
                name, rounded(row.accuracy), rounded_interval(row.accuracy_interval)
            )


def _measure_bleu(
    model: str, params: TrainTranslationGrid, report: Report
) -> Iterator[GridScore]:
    """Measure mean BLEU of the trained directions and of the zero-shot directions."""
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
            yield GridScore(name, rounded(mean(bleus) / 100))
