"""Task: write classified sentences with their classes and probabilities."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from app.classify_questions import PredictionsQuery
from app.engine.classify.predicted import order_predictions, read_said
from app.engine.project import Project
from app.engine.report import Report
from app.engine.store.classifier_rows import ClassifierRow, find_classifier
from app.engine.store.find import find_corpora
from app.engine.store.rows import list_corpora, read_labels, read_sentences
from app.engine.text.opening import strip_compression
from app.engine.text.writers.output import OutputFiles
from app.errors import UserError
from app.params.classify import ExportPredictions

PAGE = 1_000
DELIMITERS = {".tsv": "\t", ".csv": ","}
COLUMNS = ("text", "class", "probability", "label", "language", "corpus", "line", "id")


class ExportPredictionsResult(msgspec.Struct, frozen=True):
    """What was written."""

    file: Path
    n_written: int
    message: str


def export_predictions(
    project: Project, params: ExportPredictions, report: Report
) -> ExportPredictionsResult:
    """Write classified sentences; whatever ends it early leaves nothing.

    Raises:
        UserError: there is nothing to write, or the file can't be written.
    """
    suffix = strip_compression(params.out).suffix.lower()
    if suffix not in (*DELIMITERS, ".jsonl"):
        raise UserError(
            f"{params.out.name} says no format: end the name in .tsv, .csv or .jsonl."
        )
    row = find_classifier(project.store, params.classifier)
    corpora = tuple(one.id for one in find_corpora(project.store, params.corpora))
    query = PredictionsQuery(
        classifier=row.id,
        corpora=corpora,
        classes=params.classes,
        lowest=params.lowest,
        order="position",
    )
    ids, _ = order_predictions(project, query)
    if not len(ids):
        raise UserError(f"{row.name} gave no sentence such a class and probability.")
    with OutputFiles(replace=params.replace) as files:
        stream = files.open(params.out)
        if suffix in DELIMITERS:
            stream.write(_table([list(COLUMNS)], DELIMITERS[suffix]))
        for n_done, records in _records(project, row, corpora, ids):
            report.step("Writing sentences", n_done, len(ids))
            if suffix == ".jsonl":
                stream.write(msgspec.json.Encoder().encode_lines(records))
            else:
                rows = [list(record.values()) for record in records]
                stream.write(_table(rows, DELIMITERS[suffix]))
        files.commit()
    return ExportPredictionsResult(
        params.out, len(ids), f"{len(ids):,} sentences are written to {params.out}."
    )


def _records(
    project: Project,
    row: ClassifierRow,
    corpora: tuple[int, ...],
    ids: "np.ndarray[tuple[int], np.dtype[np.int64]]",
) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Give the sentences by pages as named values, and how many were before."""
    parts = read_said(project, row.id, corpora)
    known = np.concatenate([part.ids for part in parts])
    order = np.argsort(known)
    places = order[np.searchsorted(known, ids, sorter=order)]
    classes = np.concatenate([part.classes for part in parts])[places]
    sure = np.concatenate([part.probabilities for part in parts])[places]
    names = {corpus.id: corpus.name for corpus in list_corpora(project.store)}
    for start in range(0, len(ids), PAGE):
        page = ids[start : start + PAGE].tolist()
        labels = read_labels(project.store, page)
        records = []
        for place, sentence in enumerate(read_sentences(project.store, page), start):
            if sentence is None:
                continue
            records.append(
                {
                    "text": sentence.text,
                    "class": row.classes[classes[place]] if row.classes else "",
                    "probability": round(float(sure[place]), 6),
                    "label": labels.get(sentence.id, ""),
                    "language": sentence.language,
                    "corpus": names[sentence.id >> 32],
                    "line": sentence.line,
                    "id": sentence.id,
                }
            )
        yield start, records


def _table(rows: list[list[Any]], delimiter: str) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()
