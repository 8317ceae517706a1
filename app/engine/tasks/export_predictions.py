"""Task: export classified sentences with their classes and probabilities."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from app.arrays import IdArray
from app.engine.classify.inference import ClassProbabilities
from app.engine.classify.predictions import (
    PredictedSentences,
    order_predictions,
    read_predictions,
)
from app.engine.classify.repository import (
    load_classifier_encoder,
    load_project_classifier,
)
from app.engine.project.project import Project
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.store.classifiers import (
    ClassifierRow,
    find_classifier,
    find_edited,
    list_predictions,
)
from app.engine.store.corpora import (
    CorpusRow,
    corpus_of,
    first_sentence_id,
    list_corpora,
    position_of,
)
from app.engine.store.labels import read_labels
from app.engine.store.lookup import find_corpora, find_corpus
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
from app.languages import parse_language
from app.params.classify import PAIR_SIGN, ExportPredictions
from app.plurals import count_text
from app.protocol.queries.classify import PredictionsQuery
from app.results.predictions import SECOND, SHARE, predicted_columns
from app.results.task import TaskResult

PAGE = 1_000
ALL_SHARES = "probabilities"  # probability of each class, by name


class ExportPredictionsResult(TaskResult, frozen=True):
    """The exported file."""

    file: Path
    n_written: int


def export_predictions(
    project: Project, params: ExportPredictions, report: Report
) -> ExportPredictionsResult:
    """Write classified sentences; leave no file if interrupted.

    Raises:
        UserError: there are no sentences to write, or the file can't be written.
    """
    suffix = find_table_format(params.out)
    protects = protects_formulas(params.formulas, suffix.removeprefix("."))
    row = find_classifier(project.store, params.classifier)
    corpora, subcorpora, others, named = _find_sides(project, params.corpora)
    query = PredictionsQuery(
        classifier=row.id,
        corpora=corpora,
        subcorpora=subcorpora,
        others=others,
        classes=params.classes,
        languages=tuple(parse_language(one).code for one in params.languages),
        lowest=params.lowest,
        highest=params.highest,
        order="position",
    )
    ids = order_predictions(project, query).ids
    if not len(ids):
        raise UserError(
            f"No prediction of {row.name} has these classes and probabilities. Change "
            "the filters."
        )
    predictions = list_predictions(project.store, classifier_id=row.id)
    edited = chain.from_iterable(find_edited(project.store, predictions).values())
    is_edited = np.isin(ids, list(edited))
    ids, n_edited = ids[~is_edited], int(is_edited.sum())
    shares = _all_shares(project, row, report, said_only=params.said_only)
    parts = read_predictions(project, row.id, corpora, subcorpora, others)
    with OutputFiles(replace=params.replace) as files:
        stream = files.open(params.out)
        if suffix != JSON_LINES:
            header = [_columns(parts, row.classes if shares else ())]
            stream.write(format_rows(header, suffix, protects_formulas=protects))
        for n_done, records in _records(project, row, parts, ids, shares):
            report.step("Writing sentences", n_done, len(ids))
            if suffix == JSON_LINES:
                stream.write(format_json_lines(records))
            else:
                rows = [_flat(record) for record in records]
                stream.write(format_rows(rows, suffix, protects_formulas=protects))
        files.commit()
    n = count_text(len(ids), "sentence")
    done = {part.corpus.id for part in parts}
    missing = [name for id_, name in named.items() if id_ not in done]
    names_missing = ", ".join(missing)
    note = f" {row.name} has not classified {names_missing} yet." if missing else ""
    if n_edited:
        note += (
            f" Left out {count_text(n_edited, 'sentence')} edited after the "
            "predictions: classify again to export all."
        )
    return ExportPredictionsResult(
        params.out, len(ids), message=f"Exported {n} to {params.out}.{note}"
    )


def _find_sides(
    project: Project, names: tuple[str, ...]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], dict[int, str]]:
    """Return ids of first and second corpora, and names of first corpora by id."""
    found: list[CorpusRow] = []
    others: list[int] = []
    for name in names:
        try:
            found += find_corpora(project.store, [name])
        except UserError:
            sides = name.split(PAIR_SIGN)
            if len(sides) != 2:
                raise
            found.append(find_corpus(project.store, sides[0]))
            others.append(find_corpus(project.store, sides[1]).id)
    wholes = tuple(one.id for one in found if not one.subcorpus)
    parts = tuple(dict.fromkeys(one.subcorpus for one in found if one.subcorpus))
    return wholes, parts, tuple(others), {one.id: one.name for one in found}


def _all_shares(
    project: Project, row: ClassifierRow, report: Report, *, said_only: bool
) -> ClassProbabilities | None:
    """Load the classifier that computes all classes' probabilities; None: not needed.

    Raises:
        UserError: the classifier is damaged, or its encoder no longer exists.
    """
    if said_only or not row.classes:
        return None
    report.step("Loading the encoder", 0, 1)
    try:
        classifier = load_project_classifier(project, row.name)
        encoder = load_classifier_encoder(project, classifier, "", preferred_device())
    except UserError as error:
        raise UserError(
            f"{error} Without it only the probability of the predicted class can be "
            "exported (said only)."
        ) from error
    return ClassProbabilities(project, classifier, encoder)


def _columns(
    parts: Sequence[PredictedSentences], classes: Sequence[str] = ()
) -> list[str]:
    has_pairs = any(part.other for part in parts)
    return predicted_columns(classes, has_pairs=has_pairs)


def _records(
    project: Project,
    row: ClassifierRow,
    parts: Sequence[PredictedSentences],
    ids: IdArray,
    shares: ClassProbabilities | None,
) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Yield pages of sentences as named values, each with its start index."""
    known = np.concatenate([part.ids for part in parts])
    order = np.argsort(known)
    indices = order[np.searchsorted(known, ids, sorter=order)]
    classes = np.concatenate([part.classes for part in parts])[indices]
    sure = np.concatenate([part.probabilities for part in parts])[indices]
    names = {corpus.id: corpus.name for corpus in list_corpora(project.store)}
    seconds = {part.corpus.id: part.other.id for part in parts if part.other}
    columns = _columns(parts)
    for start in range(0, len(ids), PAGE):
        page = ids[start : start + PAGE].tolist()
        labels = read_labels(project.store, page)
        second_texts = _second_texts(project, seconds, page)
        sentences = read_sentences(project.store, page)
        texts = {one.id: one.text for one in sentences if one is not None}
        all_shares = shares.of(parts, texts, second_texts) if shares else {}
        records = []
        for index, sentence in enumerate(sentences, start):
            if sentence is None:
                continue
            values = {
                "text": sentence.text,
                SECOND: second_texts.get(sentence.id, ""),
                "class": row.classes[classes[index]] if row.classes else "",
                SHARE: round(float(sure[index]), 6),
                "label": labels.get(sentence.id, ""),
                "language": sentence.language,
                "corpus": names[corpus_of(sentence.id)],
                "line": sentence.line,
                "id": sentence.id,
            }
            record = {name: values[name] for name in columns}
            if shares:
                of_classes = all_shares[sentence.id].tolist()
                rounded = (round(share, 6) for share in of_classes)
                record[ALL_SHARES] = dict(zip(row.classes, rounded, strict=True))
            records.append(record)
        yield start, records


def _flat(record: dict[str, Any]) -> list[Any]:
    """Return the cells of a row, with one cell for each class."""
    cells = dict(record)
    shares = cells.pop(ALL_SHARES, {})
    return [*cells.values(), *shares.values()]


def _second_texts(
    project: Project, seconds: dict[int, int], ids: list[int]
) -> dict[int, str]:
    """Read the second texts of pairs, at the same positions in the other corpus."""
    firsts = [id_ for id_ in ids if corpus_of(id_) in seconds]
    others = [
        first_sentence_id(seconds[corpus_of(id_)]) + position_of(id_) for id_ in firsts
    ]
    found = read_sentences(project.store, others)
    return {
        id_: sentence.text
        for id_, sentence in zip(firsts, found, strict=True)
        if sentence is not None
    }
