"""Keep a classifier in a project: its folder first, then its row."""

import json
import re
import secrets
from typing import TYPE_CHECKING

import msgspec

from app.engine.classify.classifier import FOLDER, Classifier, save_classifier
from app.engine.classify.data_report import DataReport
from app.engine.report import Report
from app.engine.store.classifier_rows import list_classifiers
from app.engine.store.classifier_writes import add_classifier
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.project import Project


def check_name(project: "Project", name: str) -> None:
    """Refuse a name that is empty or taken.

    Raises:
        UserError: it is.
    """
    if not name.strip():
        raise UserError("The name of a classifier is empty: give it one.")
    if any(row.name == name for row in list_classifiers(project.store)):
        raise UserError(
            f"There is a classifier called {name!r} already: choose another name."
        )


def keep_classifier(
    project: "Project", classifier: Classifier, data: DataReport, report: Report
) -> int:
    """Write a classifier's folder and its row; gives its id."""
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
