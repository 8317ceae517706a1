"""Classifiers of a project, saved and loaded with encoder and training rows."""

import json
import re
import secrets
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from app.engine.classify.classifier import (
    FOLDER,
    Classifier,
    check_encoder,
    load_classifier,
    save_classifier,
)
from app.engine.classify.labelled_rows import LabelledRows, read_labelled_corpora
from app.engine.encoders.folder import fingerprint_of
from app.engine.encoders.registry import find_encoder, list_encoders, load_encoder
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.classifiers import (
    add_classifier,
    find_classifier,
    list_classifiers,
)
from app.engine.store.corpora import list_corpora
from app.engine.store.schema import CORPUS_STRIDE
from app.errors import UserError
from app.results.labels import DataReport

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder


def load_project_classifier(project: Project, name: str) -> Classifier:
    """Load a classifier of the project.

    Raises:
        UserError: the classifier does not exist, or its folder is damaged.
    """
    row = find_classifier(project.store, name)
    classifier = load_classifier(project.folder / FOLDER / row.folder)
    # the name in the database may be newer than the name in the file
    config = msgspec.structs.replace(classifier.config, name=row.name)
    return classifier._replace(config=config)


def load_classifier_encoder(
    project: Project, classifier: Classifier, name: str = "", device: str = "cpu"
) -> "Encoder":
    """Load the encoder that a classifier was trained on.

    Args:
        project: project to search for encoders.
        classifier: the classifier.
        name: encoder selected by the user; empty: find the encoder.

    Raises:
        UserError: the selected encoder is another one, or the encoder no longer exists.
    """
    config = classifier.config
    if not name:
        name = _known_name(project, config.encoder, config.fingerprint)
    encoder = load_encoder(name, project.folder, device=device)
    check_encoder(config, encoder)
    return encoder


def training_rows(project: Project, classifier: Classifier) -> list[LabelledRows]:
    """Read a classifier's training rows with their current labels.

    One part for each corpus, or each two corpora of pairs; empty if the rows are from a
    file, or a corpus was removed.
    """
    ids = classifier.training_ids
    known = {row.id: row for row in list_corpora(project.store)}
    corpora = np.unique(ids // CORPUS_STRIDE, axis=0)  # (n, t) -> (corpora, t)
    parts = []
    for of_row in corpora.tolist():
        if not all(id_ in known for id_ in of_row):
            return []
        rows = read_labelled_corpora(project, [known[id_] for id_ in of_row])
        kept = np.nonzero(np.isin(rows.places[:, 0], ids[:, 0]))[0]
        parts.append(rows.part(kept))
    return parts


def _known_name(project: Project, name: str, fingerprint: str) -> str:
    """Return the current name of the encoder with a fingerprint."""
    try:
        if fingerprint_of(find_encoder(name, project.folder)) == fingerprint:
            return name
    except UserError:
        pass
    for card in list_encoders(project.folder):
        if fingerprint_of(find_encoder(card.name, project.folder)) == fingerprint:
            return card.name
    raise UserError(
        f"The encoder {name} is missing or has changed, but the classifier was "
        "trained on its vectors. Restore it from the trash, or train the classifier "
        "again."
    )


def check_name(project: Project, name: str) -> None:
    """Raise a UserError if a name is empty or taken."""
    if not name.strip():
        raise UserError("The classifier needs a name. Enter one.")
    if any(row.name == name for row in list_classifiers(project.store)):
        raise UserError(
            f"A classifier named {name!r} already exists. Enter another name."
        )


def save_to_project(
    project: Project, classifier: Classifier, data: DataReport, report: Report
) -> int:
    """Write a classifier's folder and database row, and return its id."""
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
