"""Task: export a classifier as one file."""

import re
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from app.engine.classify.classifier import Classifier, write_archive
from app.engine.classify.repository import load_project_classifier
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.text.writers.output import OutputFiles
from app.params.classify import ExportClassifier
from app.results.task import TaskResult

STAGE = "Writing the classifier"
PLACES = ("train", "development")  # settings that contain paths on this machine


class ExportClassifierResult(TaskResult, frozen=True):
    """The exported file.

    Attributes:
        encoder: the only encoder whose vectors the classifier accepts.
        size: in bytes.
    """

    file: Path
    classifier: str
    encoder: str
    dim: int
    size: int


def export_classifier(
    project: Project, params: ExportClassifier, report: Report
) -> ExportClassifierResult:
    """Write a classifier's weights and settings; leave no file if interrupted.

    Training rows are not exported: their ids mean nothing in another project.

    Raises:
        UserError: unknown classifier, or the file can't be written.
    """
    report.step(STAGE, 0, 1)
    classifier = _apart(load_project_classifier(project, params.classifier))
    config = classifier.config
    with OutputFiles(replace=params.replace) as files:
        write_archive(files.open(params.out), classifier)
        files.commit()
    report.step(STAGE, 1, 1)
    size = params.out.stat().st_size
    return ExportClassifierResult(
        params.out,
        config.name,
        config.encoder,
        config.dim,
        size,
        message=f"Exported {config.name} to {params.out} ({size / 1e6:,.1f}\u00a0MB). "
        f"It needs the encoder {config.encoder}.",
    )


def _apart(classifier: Classifier) -> Classifier:
    """Remove settings that are specific to this project and machine."""
    settings: dict[str, Any] = dict(classifier.config.settings)
    for name in PLACES:
        value = settings.get(name)
        if isinstance(value, str):
            settings[name] = _last_part(value)
        elif isinstance(value, list | tuple):
            settings[name] = [_last_part(str(one)) for one in value]
    corpora = tuple(map(_last_part, classifier.config.corpora))
    config = msgspec.structs.replace(
        classifier.config, settings=settings, corpora=corpora
    )
    return classifier._replace(config=config, training_ids=np.empty((0, 1), np.int64))


def _last_part(place: str) -> str:
    """Return a file's name without its folders, for privacy."""
    return re.split(r"[/\\]", place)[-1]
