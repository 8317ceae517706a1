"""Task: export the prediction for every row of a transfer test."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from app.engine.classify.labelled_rows import LabelledRows, read_labelled, read_tests
from app.engine.classify.overlap import exclude_translations, row_hashes
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.classifiers import TransferRow, read_transfer_predictions
from app.engine.store.runs import read_run
from app.engine.store.sentences import read_sentences
from app.engine.text.writers.delimited import (
    JSON_LINES,
    find_table_format,
    format_json_lines,
    format_rows,
)
from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.tally import protects_formulas
from app.errors import UserError
from app.languages import language_name, language_of_set
from app.params import params_from_json
from app.params.classify import EvaluateTransfer, ExportTransfer
from app.plurals import count_text
from app.results.task import TaskResult
from app.results.transfer import transfer_columns


class ExportTransferResult(TaskResult, frozen=True):
    """The exported file.

    Attributes:
        n_changed: rows exported without a text, since text or label was changed or
            removed.
    """

    file: Path
    n_written: int
    n_changed: int


def export_transfer(
    project: Project, params: ExportTransfer, report: Report
) -> ExportTransferResult:
    """Write the rows of a test in their order; leave no file if interrupted.

    Raises:
        UserError: the run is not a test of classes, its texts no longer exist, or the
            file can't be written.
    """
    suffix = find_table_format(params.out)
    protects = protects_formulas(params.formulas, suffix.removeprefix("."))
    test = _read_test(project, params.run)
    found = read_transfer_predictions(project.store, params.run)
    if not found:
        raise UserError(
            f"Run {params.run} has no predictions of classes. Choose a test of a "
            "classifier."
        )
    rows = _read_rows(project, test)
    columns = transfer_columns(
        has_pairs=any(len(one.texts) > 1 for one in rows.values())
    )
    n_written = n_changed = 0
    with OutputFiles(replace=params.replace) as files:
        stream = files.open(params.out)
        if suffix != JSON_LINES:
            stream.write(format_rows([columns], suffix, protects_formulas=protects))
        for n_done, name in enumerate(rows):
            report.step("Writing predictions", n_done, len(rows), language_name(name))
            if name not in found:
                continue
            records = list(_records(project, columns, name, found[name], rows[name]))
            if suffix == JSON_LINES:
                stream.write(format_json_lines(records))
            else:
                cells = [list(record.values()) for record in records]
                stream.write(format_rows(cells, suffix, protects_formulas=protects))
            n_written += len(records)
            n_changed += sum(not record["text"] for record in records)
        files.commit()
    note = ""
    if n_changed:
        rows_changed = count_text(n_changed, "row")
        note = f" {rows_changed} changed after the test: without a text."
    done = f"Exported {count_text(n_written, 'prediction')} to {params.out}."
    return ExportTransferResult(
        params.out, n_written, n_changed, message=f"{done}{note}"
    )


def _read_test(project: Project, run: int) -> EvaluateTransfer:
    """Return the settings of a test.

    Raises:
        UserError: unknown run, or a run of another task.
    """
    row = read_run(project.store, run)
    if row is None:
        raise UserError(f"{project.folder.name} has no run {run}.")
    try:
        params = params_from_json(row.params)
    except msgspec.ValidationError:  # written by another version
        params = None
    if not isinstance(params, EvaluateTransfer):
        raise UserError(f"Run {run} is no transfer test of this version.")
    return params


def _read_rows(project: Project, test: EvaluateTransfer) -> dict[str, LabelledRows]:
    """Read the current rows of a test."""
    rows = read_tests(project, test.tests)
    if test.apart and test.train:
        _, rows = exclude_translations(
            project, read_labelled(project, test.train), rows
        )
    return rows


def _records(
    project: Project,
    columns: Sequence[str],
    name: str,
    tested: TransferRow,
    rows: LabelledRows,
) -> Iterator[dict[str, Any]]:
    """Yield the values of each tested row, by column name.

    A tested row is found by its texts; equal texts are matched in their order.
    """
    places: dict[int, list[int]] = defaultdict(list)
    for row, number in enumerate(row_hashes(rows).view(np.int64).tolist()):
        places[number].append(row)
    lines = _lines_of(project, rows)
    classes = tested.details.classes
    predictions = zip(
        tested.rows.tolist(),
        tested.gold.tolist(),
        tested.predicted.tolist(),
        strict=True,
    )
    for number, gold, predicted in predictions:
        same = places[number]
        index = same.pop(0) if same else None
        texts = ["" if index is None else column[index] for column in rows.texts]
        values = (
            *(language_of_set(name), language_name(name), rows.source),
            lines[index] if index is not None else None,
            *(classes[gold], classes[predicted], int(gold == predicted)),
            *texts,
        )
        yield dict(zip(columns, values, strict=True))


def _lines_of(project: Project, rows: LabelledRows) -> list[int | None]:
    """Return each row's line in its source file."""
    places: list[int] = rows.places[:, 0].tolist()
    if not rows.corpora:
        return list(places)
    sentences = read_sentences(project.store, places)
    return [None if one is None else one.line for one in sentences]
