"""Task: train an encoder for each combination of settings, and compare the results."""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from app.engine.classify.labelled_rows import read_tests
from app.engine.classify.transfer import check_transfer, read_training
from app.engine.evaluation.aligned_texts import (
    find_sets,
    read_aligned_texts,
    read_sides,
)
from app.engine.evaluation.batch import FaultTolerantBatch, parse_named_files
from app.engine.evaluation.downstream_sets import read_sets
from app.engine.evaluation.recording import DIGITS
from app.engine.evaluation.sts import read_sts
from app.engine.mining.gold_standard import read_gold, read_sentences
from app.engine.project.grid_record import GridRecord, cell_folder, run_cells
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.statistics import wilson_interval
from app.engine.tasks.evaluate_downstream import evaluate_downstream
from app.engine.tasks.evaluate_mining import evaluate_mining
from app.engine.tasks.evaluate_retrieval import evaluate_retrieval
from app.engine.tasks.evaluate_sts import evaluate_sts
from app.engine.tasks.evaluate_tatoeba import evaluate_tatoeba
from app.engine.tasks.evaluate_transfer import evaluate_transfer
from app.engine.tasks.train_encoder import TrainEncoderResult, train_encoder
from app.engine.tasks.train_translation import TrainTranslationResult
from app.engine.text.files import check_file
from app.engine.text.line_files import file_stem
from app.engine.training.data.texts import read_texts
from app.errors import UserError
from app.params.classify import EvaluateTransfer
from app.params.evaluation import EvaluateDownstream, EvaluateRetrieval, EvaluateSts
from app.params.grid_cells import GridCell, Trainable, list_cells
from app.params.mining import EvaluateMining
from app.params.training.encoder import TrainEncoder
from app.params.training.grid import TrainGrid
from app.params.translation import TrainTranslationGrid
from app.params.vectors import EvaluateTatoeba
from app.paths import COMPRESSION_SUFFIXES
from app.results.measurements import GridMeasured, Interval
from app.results.training import pairs_of_mean
from app.results.transfer import LanguageScore

DEVELOPMENT_ERROR = "Development error, %"
CHECKING_STAGE = "Checking the files"
NLI_ACCURACY = "NLI accuracy of the training, %"  # on held-out pairs
MINING_FILES = ("source.tsv", "target.tsv", "gold.tsv")


class TrainGridResult(msgspec.Struct, frozen=True):
    """Encoders and scores of a grid.

    Attributes:
        results: a row for each combination.
        notes: sentences on limitations of the figures.
    """

    results: tuple[GridMeasured, ...]
    notes: tuple[str, ...] = ()


class GridScore(NamedTuple):
    """A score of a grid, whose name contains its unit."""

    name: str
    value: float
    interval: Interval | None = None


def train_grid(project: Project, params: TrainGrid, report: Report) -> TrainGridResult:
    """Train and measure every combination, resuming at the first unfinished one.

    Each finished encoder is recorded with its scores. A run that was killed, paused or
    cancelled resumes the interrupted training from its last checkpoint.

    Raises:
        UserError: a setting or a file is invalid, or an encoder exists.
        Paused: the user paused the run; the same command resumes it.
    """
    cells = list_cells(params)
    _check_files(params, cells, report)
    return run_grid(project, cells, report, _train, partial(_measure, params=params))


TrainedModel = TrainEncoderResult | TrainTranslationResult
Train = Callable[[Project, Trainable, Report], tuple[TrainedModel, dict[str, float]]]
Measure = Callable[[str, Report], Iterable["GridScore"]]


def run_grid(
    project: Project,
    cells: Sequence[GridCell],
    report: Report,
    train: Train,
    measure: Measure,
) -> TrainGridResult:
    """Train and measure every unfinished combination.

    Args:
        project: project that stores the encoders.
        train: trains a cell; also returns scores of the training by name.
        measure: measures a trained encoder's folder.
    """
    grid = GridRecord(project, cells, report)
    notes = run_cells(grid, partial(_run_cell, grid, train, measure), report)
    return TrainGridResult(tuple(grid.rows), notes)


def _run_cell(
    grid: GridRecord, train: Train, measure: Measure, number: int, report: Report
) -> tuple[str, ...]:
    """Train and measure one encoder; return the notes of its training."""
    project, cell, row = grid.project, grid.cells[number], grid.rows[number]
    folder = cell_folder(project, cell)
    notes: tuple[str, ...] = ()
    if not row.n_steps:
        # the folder was saved by a killed run without its scores: names were free at
        # the start
        shutil.rmtree(folder, ignore_errors=True)
        trained, scores = train(project, cell.params, report)
        row = msgspec.structs.replace(
            row,
            scores=scores,
            scores_interval=_development_interval(trained),
            n_steps=trained.n_steps,
            kept_step=trained.kept_step,
            n_parameters=trained.n_parameters,
            seconds=round(trained.elapsed_s, 1),
            note=" ".join(trained.notes),
        )
        notes = trained.notes
        grid.replace(number, row)
        report.changed("encoder", 0)
    measured = list(measure(str(folder), report))
    row = msgspec.structs.replace(
        row,
        scores=row.scores | {one.name: one.value for one in measured},
        scores_interval=row.scores_interval
        | {one.name: one.interval for one in measured if one.interval},
        is_done=True,
    )
    grid.replace(number, row)
    return notes


def _development_interval(trained: TrainedModel) -> dict[str, Interval]:
    """Return the 95 % interval of the development error by name, if known."""
    if not isinstance(trained, TrainEncoderResult):
        return {}
    counts = [one.n_development for one in trained.counts if one.n_development]
    n, error = pairs_of_mean(counts), trained.development_error
    if error is None or not n:
        return {}
    found = wilson_interval(error * n, n)
    return {DEVELOPMENT_ERROR: (rounded(found.low), rounded(found.high))}


def _train(
    project: Project, params: Trainable, report: Report
) -> tuple[TrainedModel, dict[str, float]]:
    """Train an encoder, and return the scores measured during training."""
    assert isinstance(params, TrainEncoder)
    trained = train_encoder(project, params, report)
    rates = {
        DEVELOPMENT_ERROR: trained.development_error,
        NLI_ACCURACY: trained.nli_accuracy,
    }
    return trained, {n: rounded(rate) for n, rate in rates.items() if rate is not None}


def _measure(encoder: str, report: Report, *, params: TrainGrid) -> Iterator[GridScore]:
    """Measure an encoder with all evaluations of the grid."""
    if params.tatoeba is not None:
        tatoeba = EvaluateTatoeba(directory=params.tatoeba, encoder=encoder)
        error = evaluate_tatoeba(None, tatoeba, report).mean_error
        yield GridScore("Tatoeba error, %", rounded(error))
    for table in params.tables:
        retrieval = EvaluateRetrieval(table=table, encoder=encoder)
        error = evaluate_retrieval(None, retrieval, report).mean_error
        yield GridScore(f"Retrieval error {file_stem(table)}, %", rounded(error))
    for mining in params.mining:
        source, target, gold = _mining_files(mining)
        mined = EvaluateMining(source=source, target=target, gold=gold, encoder=encoder)
        f1 = evaluate_mining(None, mined, report).best_f1
        yield GridScore(f"Mining F1 {gold.parent.name}, %", rounded(f1))
    yield from measure_vectors(encoder, params, report)
    if params.transfer_tests:
        yield from _measure_transfer(encoder, params, report)


def measure_vectors(
    encoder: str, params: TrainGrid | TrainTranslationGrid, report: Report
) -> Iterator[GridScore]:
    """Measure an encoder on the similarity and classification files of a grid.

    Args:
        params: params with the files.
    """
    if params.sts:
        sts = EvaluateSts(data=params.sts, encoder=encoder, seed=params.seed)
        for row in evaluate_sts(None, sts, report).results:
            if row.similarity == "cosine":
                ends = row.pearson_interval
                interval = rounded_interval(ends) if ends else None
                name = f"STS {row.first}, r × 100"
                yield GridScore(name, rounded(row.pearson), interval)
    if params.labelled:
        downstream = EvaluateDownstream(data=params.labelled, encoder=encoder)
        for result in evaluate_downstream(None, downstream, report).results:
            name = f"{result.data} {result.metric}, %"
            interval = rounded_interval(result.score_interval)
            yield GridScore(name, rounded(result.score), interval)


def _measure_transfer(
    encoder: str, params: TrainGrid, report: Report
) -> Iterator[GridScore]:
    """Measure the training language and the mean of the others, as LASER does."""
    transfer = msgspec.structs.replace(_transfer_of(params), encoder=encoder)
    found = evaluate_transfer(None, transfer, report)
    for name, score in found.languages.items():
        if name == params.transfer_language and isinstance(score, LanguageScore):
            interval = rounded_interval(score.accuracy_interval)
            yield GridScore(f"Transfer {name}, %", rounded(score.accuracy), interval)
    if found.others_mean is not None:
        ends = found.others_mean_interval
        yield GridScore(
            "Transfer, other languages, %",
            rounded(found.others_mean),
            rounded_interval(ends) if ends else None,
        )


def _transfer_of(params: TrainGrid) -> EvaluateTransfer:
    return EvaluateTransfer(
        train=str(params.transfer_train),
        tests=params.transfer_tests,
        language=params.transfer_language,
        head=params.transfer_head,
        seed=params.seed,
    )


def _check_files(params: TrainGrid, cells: Sequence[GridCell], report: Report) -> None:
    """Read all files of trainings and evaluations before the first training.

    Raises:
        UserError: a file name is used twice, a file of a folder is missing, or a line
            is invalid.
        ResourceError: a file doesn't exist.
    """
    if bool(params.transfer_train) != bool(params.transfer_tests):
        raise UserError(
            "Transfer needs both a file to train on and files to test on. Add the "
            "other, or remove the first."
        )
    for file in _named_files(params):
        check_file(file)
    if params.tatoeba is not None and not params.tatoeba.is_dir():
        raise UserError(f"{params.tatoeba} is not a folder. Choose an existing folder.")
    checks = [*_evaluation_checks(params), *_text_checks(cells)]
    for done, check in enumerate(checks):
        report.step(CHECKING_STAGE, done, len(checks))
        check()


def _named_files(params: TrainGrid) -> Iterator[Path]:
    for one in (*params.sts, *params.labelled, *params.transfer_tests):
        yield parse_named_files([one], form="NAME=FILE")[0].file
    yield from params.tables
    if params.transfer_train:
        yield params.transfer_train
    for gold in params.mining:
        yield from _mining_files(gold)


def _evaluation_checks(params: TrainGrid) -> Iterator[Callable[[], object]]:
    """Return functions that read the files of each evaluation."""
    if params.tatoeba is not None:
        for files in find_sets(params.tatoeba).values():
            yield partial(read_sides, *files)
    for table in params.tables:
        yield partial(read_aligned_texts, EvaluateRetrieval(table=table))
    for gold in params.mining:
        yield partial(_read_mining, *_mining_files(gold))
    yield from vector_checks(params)
    if params.transfer_tests:
        yield partial(_read_transfer, _transfer_of(params))


def vector_checks(
    params: TrainGrid | TrainTranslationGrid,
) -> Iterator[Callable[[], object]]:
    """Return functions that read the files of `measure_vectors`."""
    sts = EvaluateSts(data=params.sts)
    for named in parse_named_files(params.sts, form="LANGUAGE=FILE"):
        yield partial(read_sts, named, sts.lowest, sts.highest)
    for one in params.labelled:
        yield partial(_read_labelled, EvaluateDownstream(data=(one,)))


def _text_checks(cells: Sequence[GridCell]) -> Iterator[Callable[[], object]]:
    """Return functions that read monolingual text, once for all trainings."""
    known = set()
    for params in (cell.params for cell in cells):
        assert isinstance(params, TrainEncoder)
        files = params.nli, params.conversations, params.documents
        if files not in known:
            known.add(files)
            yield partial(_read_all_texts, params)


def _read_mining(source: Path, target: Path, gold: Path) -> None:
    read_gold(gold, read_sentences(source), read_sentences(target))


def _read_labelled(params: EvaluateDownstream) -> None:
    batch = FaultTolerantBatch(CHECKING_STAGE, 1, Report())
    batch.check_any(read_sets(params, batch))


def _read_transfer(params: EvaluateTransfer) -> None:
    tests = read_tests(None, params.tests)
    if (rows := read_training(None, params)) is not None:
        check_transfer(rows, tests.values(), params)


def _read_all_texts(params: TrainEncoder) -> None:
    for _, texts in read_texts(params):
        for _ in texts:
            pass


def _mining_files(gold: Path) -> list[Path]:
    """Return source, target and gold standard of a folder, compressed or not.

    Args:
        gold: the folder, or a file in it.

    Raises:
        UserError: a file is missing.
    """
    folder = gold if gold.is_dir() else gold.parent
    return [*map(partial(_find_file, folder), MINING_FILES)]


def _find_file(folder: Path, name: str) -> Path:
    for suffix in ("", *COMPRESSION_SUFFIXES):
        if (file := folder / f"{name}{suffix}").is_file():
            return file
    raise UserError(
        f"{folder} has no file {name}. A folder for mining needs "
        f"{', '.join(MINING_FILES)}."
    )


def rounded(rate: float) -> float:
    """Return a rate in per cent, or a correlation × 100, rounded."""
    return round(100 * rate, DIGITS - 2)


def rounded_interval(interval: Interval) -> Interval:
    """Return both ends of an interval, rounded."""
    return rounded(interval[0]), rounded(interval[1])
