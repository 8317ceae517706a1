"""Task: train a classifier on labelled sentences and keep it in the project."""

import json
import re
import secrets

import msgspec

from app.engine.classify.classifier import FOLDER, Classifier, save_classifier
from app.engine.classify.data_report import DEVELOPMENT, DataReport, report_data
from app.engine.classify.gather import gather_data, join_labelled
from app.engine.classify.labelled import Labelled, read_labelled
from app.engine.classify.other_sets import check_set, form_of_training
from app.engine.classify.training import Data, check_training, train_classifier_on
from app.engine.encoders.checkpoint import load_encoder
from app.engine.project import Project
from app.engine.report import Report
from app.engine.store.classifier_rows import list_classifiers
from app.engine.store.classifier_writes import add_classifier
from app.errors import UserError
from app.languages import parse_language
from app.params import params_to_json
from app.params.classify import TrainClassifier


class TrainClassifierResult(msgspec.Struct, frozen=True):
    """The classifier that was trained.

    Attributes:
        development: accuracy on the development set (Pearson's r of scores), 0…1.
        majority: accuracy of always saying the most frequent training class.
        notes: what training chose: inverse_l2, epoch.
        data: what was found in the data.
    """

    id: int
    name: str
    head: str
    encoder: str
    language: str
    classes: tuple[str, ...]
    n_train: int
    n_development: int
    development: float
    majority: float
    temperature: float
    notes: dict[str, float]
    data: DataReport
    message: str


def train_classifier(
    project: Project, params: TrainClassifier, report: Report
) -> TrainClassifierResult:
    """Train a classifier on labelled sentences and keep it in the project.

    Raises:
        UserError: the name is taken, or the data do not do for the head.
    """
    _check_name(project, params.name)
    parts = [read_labelled(project, named) for named in params.train]
    rows = join_labelled(parts)
    form = form_of_training(rows, check_training(rows, params), params)
    other = [read_labelled(project, params.development)] if params.development else []
    for one in other:
        check_set(one, form)
    encoder = load_encoder(params.encoder, project.folder)
    language = params.language or _language_of(parts)
    documents = parse_language(language).code if params.documents else ""
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
    id_ = _save(project, made._replace(config=config), data, report)
    return _result(id_, made._replace(config=config), train, data)


def _save(
    project: Project, classifier: Classifier, data: DataReport, report: Report
) -> int:
    """Write the folder first, then the row."""
    config = classifier.config
    slug = re.sub(r"\W+", "-", config.name)[:40]
    folder = f"{slug}-{secrets.token_hex(4)}"
    save_classifier(project.folder / FOLDER / folder, classifier)
    values = {
        "name": config.name,
        "folder": folder,
        "head": config.head,
        "classes": json.dumps(config.classes),
        "encoder": config.encoder,
        "fingerprint": config.fingerprint,
        "language": config.language,
        "n_train": config.n_train,
        "development": config.development,
        "report": msgspec.json.encode(data).decode(),
        "run_id": report.run,
    }
    id_ = add_classifier(project.store, values)
    report.changed("classifier", id_)
    return id_


def _result(
    id_: int, classifier: Classifier, train: Data, data: DataReport
) -> TrainClassifierResult:
    config = classifier.config
    majority = max((row.n for row in data.sets[0].classes), default=0)
    measure = "Pearson's r" if classifier.gives_scores else "accuracy"
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
        message=f"{config.name} is trained on {config.n_train:,} rows: {measure} "
        f"{config.development:.3f} on {config.n_development:,} rows held out.",
    )


def _check_name(project: Project, name: str) -> None:
    if not name.strip():
        raise UserError("The name of a classifier is empty: give it one.")
    if any(row.name == name for row in list_classifiers(project.store)):
        raise UserError(
            f"There is a classifier called {name!r} already: choose another name."
        )


def _language_of(parts: list[Labelled]) -> str:
    """Give the language of the corpora; of several the first, of files English."""
    for part in parts:
        if part.corpora:
            return part.corpora[0].language
    return "en"
