"""Task: report label counts, duplicates and doubtful labels before training."""

from app.engine.classify.cross_validation import (
    cross_probabilities,
    find_suspect_labels,
    make_examples,
)
from app.engine.classify.data_checks import report_data
from app.engine.classify.features import document_language
from app.engine.classify.labelled_rows import LabelledRows, read_labelled, read_tests
from app.engine.classify.training import EncodedRows, gather_data
from app.engine.encoders.registry import load_encoder
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.errors import UserError
from app.params.classify import CheckLabels
from app.plurals import count_text
from app.results.labels import CheckLabelsResult, DoubtfulLabel

MAX_TEXT = 300  # characters of a text in the result


def check_labels(
    project: Project | None, params: CheckLabels, report: Report
) -> CheckLabelsResult:
    """Check labelled data for class balance, test-set leakage and doubtful labels.

    A fault that training would reject is only a warning here.

    Raises:
        UserError: the rows do not exist.
    """
    parts = [read_labelled(project, named) for named in params.train]
    tests = read_tests(project, params.tests)
    encoder = load_encoder(params.encoder, project.folder if project else None)

    def gather(sets: list[LabelledRows]) -> EncodedRows:
        language = document_language(sets[0], documents=params.documents)
        return gather_data(project, encoder, sets, report, document_language=language)

    train = gather(parts)
    others = {name: gather([rows]) for name, rows in tests.items()}
    for name, other in others.items():
        if len(other.vectors) != len(train.vectors):
            raise UserError(
                f"{name} and the training rows can't be combined: one has single "
                "texts and the other pairs."
            )
    is_scored = params.head == "relatedness"
    store = project.store if project else None
    data = report_data(train, others, is_scored=is_scored, store=store)
    doubtful, note = _doubtful(train, params, report)
    message = count_text(len(data.warnings), "warning")
    if not note:
        message += f", {count_text(len(doubtful), 'doubtful label')}"
    return CheckLabelsResult(
        data, len(doubtful), tuple(doubtful[: params.suspects]), note, f"{message}."
    )


def _doubtful(
    train: EncodedRows, params: CheckLabels, report: Report
) -> tuple[list[DoubtfulLabel], str]:
    """Return doubtful labels, or the reason why they can't be found."""
    if not params.suspects or params.head == "relatedness":
        return [], "Doubtful labels were not searched for."
    rows = train.rows
    try:
        examples, classes = make_examples(train, params)
    except UserError as error:
        return [], str(error)
    shares = cross_probabilities(examples, params, report)
    doubts = find_suspect_labels(shares, examples.classes)
    found = zip(*(column.tolist() for column in doubts), strict=True)
    return [
        DoubtfulLabel(
            texts=tuple(column[row][:MAX_TEXT] for column in rows.texts),
            place=int(rows.places[row, 0]),
            label=rows.labels[row],
            suggested=classes[suggested],
            probability=round(probability, 4),
            label_probability=round(own, 4),
        )
        for row, suggested, own, probability in found
    ], ""
