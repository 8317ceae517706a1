"""Task: measure retrieval error between line-aligned files or columns of a table."""

import operator
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from app.engine.encoders.checkpoint import load_encoder
from app.engine.encoders.kept_vectors import encode_kept
from app.engine.report import Report
from app.engine.training.files import read_lines
from app.engine.training.pair_counts import WARNED_COPIES
from app.engine.training.retrieval import RetrievalError, retrieval_error
from app.errors import UserError
from app.params.evaluation import EvaluateRetrieval

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project import Project

FEWEST = 2  # pairs that a retrieval error means anything for


class ColumnError(msgspec.Struct, frozen=True):
    """The retrieval error of one column; rates 0…1; target = the compared column."""

    error_source_to_target: float
    error_target_to_source: float


class EvaluateRetrievalResult(msgspec.Struct, frozen=True):
    """What was measured; rates 0…1.

    Attributes:
        n: pairs (of each column).
        error_source_to_target: share of sources whose nearest target is another's;
            over a table the mean of its columns.
        error_target_to_source: the same the other way.
        mean_error: mean of both directions.
        columns: each column's figures; empty for two files.
        notes: sentences on what makes the figures doubtful.
    """

    n: int
    error_source_to_target: float
    error_target_to_source: float
    mean_error: float
    columns: dict[str, ColumnError]
    notes: tuple[str, ...] = ()


def evaluate_retrieval(
    project: "Project | None", params: EvaluateRetrieval, report: Report
) -> EvaluateRetrievalResult:
    """Encode both sides and count how often the nearest sentence is the aligned one.

    Raises:
        UserError: a file cannot be read, or its sides are not aligned.
    """
    has_files = params.source is not None or params.target is not None
    if has_files == (params.table is not None):
        raise UserError("Name a source and a target file, or a table.")
    folder = project.folder if project else None
    if params.table is not None:
        columns = read_columns(params.table)
        encoder = load_encoder(params.encoder, folder)
        return _measure_table(project, encoder, columns, params, report)
    if params.source is None or params.target is None:
        raise UserError("Name a target file beside the source, and the other way.")
    sides = _read_sides(params.source, params.target)
    encoder = load_encoder(params.encoder, folder)
    error = _measure_sides(project, encoder, sides, report)
    notes = tuple(_note_copies(params.source.name, *sides))
    return EvaluateRetrievalResult(
        error.n, error.source_to_target, error.target_to_source, error.mean, {}, notes
    )


def _measure_table(
    project: "Project | None",
    encoder: "Encoder",
    columns: dict[str, list[str]],
    params: EvaluateRetrieval,
    report: Report,
) -> EvaluateRetrievalResult:
    """Measure every column of a table against one of them."""
    target_name = params.columns[0] if params.columns else next(iter(columns))
    if target_name not in columns:
        raise UserError(f"{params.table} has no column {target_name!r}.")
    target_texts = columns.pop(target_name)
    targets = encode_kept(project, encoder, target_texts, report)
    errors: dict[str, ColumnError] = {}
    notes: list[str] = []
    for done, (name, texts) in enumerate(columns.items()):
        report.step("Measuring retrieval", done, len(columns), name)
        sources = encode_kept(project, encoder, texts, Report())
        error = retrieval_error(sources, targets, Report())
        errors[name] = ColumnError(error.source_to_target, error.target_to_source)
        notes += _note_copies(name, texts, target_texts)
    forward = float(np.mean([e.error_source_to_target for e in errors.values()]))
    backward = float(np.mean([e.error_target_to_source for e in errors.values()]))
    return EvaluateRetrievalResult(
        len(targets), forward, backward, (forward + backward) / 2, errors, tuple(notes)
    )


def measure_files(
    project: "Project | None",
    encoder: "Encoder",
    files: tuple[Path, Path],
    report: Report,
) -> RetrievalError:
    """Encode two aligned files and measure their retrieval.

    Raises:
        UserError: a file is empty, their line counts differ, or it is one pair.
    """
    return _measure_sides(project, encoder, _read_sides(*files), report)


def _measure_sides(
    project: "Project | None",
    encoder: "Encoder",
    sides: tuple[list[str], list[str]],
    report: Report,
) -> RetrievalError:
    source_vectors, target_vectors = (
        encode_kept(project, encoder, texts, report) for texts in sides
    )
    return retrieval_error(source_vectors, target_vectors, report)


def _read_sides(source: Path, target: Path) -> tuple[list[str], list[str]]:
    """Read two files with at least two pairs: one alone always finds itself."""
    sides = read_aligned(source, target)
    if len(sides[0]) < FEWEST:
        raise UserError(
            f"{source} and {target} hold {len(sides[0])} pair: it takes at least "
            f"{FEWEST} to measure retrieval."
        )
    return sides


def _note_copies(name: str, sources: list[str], targets: list[str]) -> Iterator[str]:
    """Warn of sources that equal their targets."""
    n_equal = sum(map(operator.eq, sources, targets))
    if n_equal >= WARNED_COPIES * len(sources):
        yield (
            f"{name}: {n_equal:,} of {len(sources):,} sentences equal their "
            "translation, perhaps copies: the error is too low."
        )


def read_aligned(source: Path, target: Path) -> tuple[list[str], list[str]]:
    """Read two files line by line.

    Raises:
        UserError: one is empty, or their line counts differ.
    """
    sources, targets = list(read_lines(source)), list(read_lines(target))
    if len(sources) != len(targets):
        raise UserError(
            f"{source} has {len(sources):,} lines, but {target} has "
            f"{len(targets):,}: they must be aligned line by line."
        )
    return sources, targets


def read_columns(table: Path) -> dict[str, list[str]]:
    """Read a TSV with a header as its columns.

    Raises:
        UserError: it has fewer than two columns or rows, or a row has not as many
            cells as the header.
    """
    lines = read_lines(table)
    names = next(lines).split("\t")
    if len(set(names)) < max(2, len(names)):
        raise UserError(f"{table}: the header needs at least two names, all different.")
    rows = []
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        if len(cells) != len(names):
            raise UserError(
                f"{table}, line {number}: there are {len(cells)} cells, but "
                f"{len(names)} columns."
            )
        rows.append(cells)
    if len(rows) < FEWEST:
        raise UserError(
            f"{table}: below the header there are {len(rows)} rows, but it takes at "
            f"least {FEWEST} to measure retrieval."
        )
    return {
        name: list(column)
        for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }
