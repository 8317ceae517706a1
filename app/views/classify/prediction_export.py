"""Preview of exported predictions: the first rows of the file, and their count."""

from collections.abc import Sequence
from functools import partial
from itertools import chain

import msgspec
import numpy as np
import shiboken6
from PySide6.QtCore import QCoreApplication

from app.engine.store.arrays import map_array
from app.engine.store.classifiers import find_edited, read_predictions
from app.engine.store.corpora import corpus_of
from app.engine.store.labels import read_labels
from app.engine.store.sentences import read_sentences
from app.errors import ErrorInfo, ResourceError
from app.protocol.answers.classify import PredictionsAnswer
from app.protocol.queries.classify import PredictionsQuery
from app.results.predictions import predicted_columns
from app.views.classify.sources import read_second_texts
from app.views.client.state import AppState
from app.views.widgets.classifiers import TrainedClassifier
from app.views.widgets.export_dialog import N_PREVIEWED, ExportPreview
from app.views.widgets.number_format import pluralize

_tr = partial(QCoreApplication.translate, "prediction_export")

UNREAD = "…"  # a probability that only the export computes


def preview_predictions(
    state: AppState,
    preview: ExportPreview,
    one: TrainedClassifier,
    query: PredictionsQuery,
) -> None:
    """Preview an export with these filters: all sentences, in order."""
    preview.clear(_tr("Counting the sentences…"))
    wanted = msgspec.structs.replace(
        query, which="all", order="position", requester="export"
    )
    state.ask(wanted, partial(_on_answer, state, preview, one))


def _on_answer(
    state: AppState,
    preview: ExportPreview,
    one: TrainedClassifier,
    answer: PredictionsAnswer | ErrorInfo,
) -> None:
    project = state.project
    if project is None or not shiboken6.isValid(preview):
        return
    if isinstance(answer, ErrorInfo):
        preview.clear(answer.message)
        return
    ids = map_array(project.folder / answer.file)
    edited = find_edited(project.store, one.predictions).values()
    kept = ids[~np.isin(ids, list(chain.from_iterable(edited)))]
    text = pluralize(len(kept), _tr("1 row."), _tr("{n} rows."))
    if len(kept) < len(ids):
        left_out = pluralize(
            len(ids) - len(kept),
            _tr("1 sentence edited after the predictions is left out."),
            _tr("{n} sentences edited after the predictions are left out."),
        )
        text = f"{text} {left_out}"
    classes = one.row.classes
    header = predicted_columns(classes, has_pairs=one.is_of_pairs)
    preview.show_rows(header, _read_rows(state, one, kept[:N_PREVIEWED].tolist()), text)


def _read_rows(
    state: AppState, one: TrainedClassifier, ids: Sequence[int]
) -> list[Sequence[str]]:
    """Read the rows of sentences in the export format."""
    project = state.project
    if project is None:
        return []
    try:
        found = read_predictions(project.folder, one.predictions, ids)
    except ResourceError:  # the prediction is being replaced
        return []
    names = {corpus.id: corpus.name for corpus in project.corpora}
    labels = read_labels(project.store, ids)
    others = {row.corpus_id: row.other_id for row in one.predictions}
    seconds = read_second_texts(project.store, ids, others)
    rows: list[Sequence[str]] = []
    for sentence in read_sentences(project.store, ids):
        if sentence is None or sentence.id not in found:
            continue
        index, value = found[sentence.id]
        classes = one.row.classes
        rows.append(
            (
                sentence.text,
                *([seconds.get(sentence.id, "")] if one.is_of_pairs else []),
                classes[index] if classes else "",
                str(round(value, 6)),
                labels.get(sentence.id, ""),
                sentence.language,
                names.get(corpus_of(sentence.id), ""),
                str(sentence.line),
                str(sentence.id),
                *[UNREAD] * len(classes),
            )
        )
    return rows
