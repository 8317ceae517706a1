"""Task: train a classifier on labelled sentences and save it in the project."""

import json

import msgspec

from app.engine.classify.classifier import Classifier
from app.engine.classify.data_checks import (
    DEVELOPMENT,
    check_set,
    form_of_training,
    report_data,
)
from app.engine.classify.labelled_rows import LabelledRows, read_labelled
from app.engine.classify.repository import check_name, save_to_project
from app.engine.classify.training import (
    EncodedRows,
    check_training,
    gather_data,
    join_labelled,
    train_classifier_on,
)
from app.engine.encoders.registry import load_encoder
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.languages import parse_language
from app.number_format import format_percent, format_score
from app.params import params_to_json
from app.params.classify import TrainClassifier
from app.plurals import count_text
from app.results.labels import DataReport
from app.results.task import SavedClassifier


class TrainClassifierResult(SavedClassifier, frozen=True):
    """The trained classifier.

    Attributes:
        development: accuracy on the development set (Pearson's r of scores), 0…1.
        majority: accuracy of always predicting the most frequent training class.
        notes: values selected by training: inverse_l2, epoch.
        data: sentences on the data.
    """

    n_train: int
    n_development: int
    development: float
    majority: float
    temperature: float
    notes: dict[str, float]
    data: DataReport


def train_classifier(
    project: Project, params: TrainClassifier, report: Report
) -> TrainClassifierResult:
    """Train a classifier on labelled sentences and save it in the project.

    Raises:
        UserError: the name is taken, or the data do not suit the head.
    """
    check_name(project, params.name)
    parts = [read_labelled(project, named) for named in params.train]
    rows = join_labelled(parts)
    form = form_of_training(rows, check_training(rows, params), params)
    other = [read_labelled(project, params.development)] if params.development else []
    for one in other:
        check_set(one, form)
    encoder = load_encoder(params.encoder, project.folder)
    language = params.language or _language_of(parts)
    documents = parse_language(language).code if params.documents else ""
    code = parse_language(params.language).code if params.language else ""
    parts = [part._replace(file_language=code) for part in parts]
    other = [part._replace(file_language=code) for part in other]
    train, development = (
        gather_data(project, encoder, sets, report, document_language=documents)
        if sets
        else None
        for sets in (parts, other)
    )
    assert train is not None, "there is at least one place"
    tests = {DEVELOPMENT: development} if development else {}
    is_scored = params.head == "relatedness"
    data = report_data(train, tests, is_scored=is_scored, store=project.store)
    made = train_classifier_on(train, development, encoder, params, report)
    config = msgspec.structs.replace(
        made.config,
        name=params.name,
        language=language,
        settings=json.loads(params_to_json(params)),
        corpora=tuple(part.source for part in parts),
    )
    report.step("Saving the classifier", 0, 0)
    id_ = save_to_project(project, made._replace(config=config), data, report)
    return _result(id_, made._replace(config=config), train, data)


def _result(
    id_: int, classifier: Classifier, train: EncodedRows, data: DataReport
) -> TrainClassifierResult:
    config = classifier.config
    majority = max((row.n for row in data.sets[0].classes), default=0)
    measure = f"accuracy {format_percent(config.development, 1)}"
    if classifier.gives_scores:
        measure = f"Pearson's r {format_score(config.development, 2)}"
    unit = "sentence" if len(train.vectors) == 1 else "pair"
    return TrainClassifierResult(
        id=id_,
        name=config.name,
        head=config.head,
        encoder=config.encoder,
        language=config.language,
        classes=config.classes,
        n_train=config.n_train,
        n_development=config.n_development,
        development=config.development,
        majority=majority / len(train.rows.labels),
        temperature=config.temperature,
        notes=config.notes,
        data=data,
        message=f"Trained {config.name} on {count_text(config.n_train, unit)}: "
        f"{measure} on {count_text(config.n_development, f'held-out {unit}')}.",
    )


def _language_of(parts: list[LabelledRows]) -> str:
    """Return the language of the first corpus, or English for files."""
    for part in parts:
        if part.corpora:
            return part.corpora[0].language
    return "en"
