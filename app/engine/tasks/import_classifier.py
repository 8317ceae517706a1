"""Task: import a classifier that export-classifier wrote."""

import tempfile
import zipfile
import zlib
from pathlib import Path

import msgspec
import numpy as np

from app.engine.classify.classifier import (
    CONFIG_FILE,
    WEIGHTS_FILE,
    Classifier,
    check_encoder,
    load_classifier,
)
from app.engine.classify.repository import (
    check_name,
    load_classifier_encoder,
    save_to_project,
)
from app.engine.encoders.registry import load_encoder
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.errors import ResourceError, UserError
from app.params.classify import ImportClassifier
from app.results.labels import DataReport
from app.results.task import SavedClassifier

STAGE = "Reading the classifier"
# Of a part: an archive may claim anything. Weights hardly get smaller when packed.
MAX_BYTES, MAX_GROWTH, SMALL_BYTES = 4 << 30, 20, 16 << 20
BLOCK_BYTES = 4 << 20


class ImportClassifierResult(SavedClassifier, frozen=True):
    """The classifier that was imported; n_development: rows that measured it."""

    n_development: int


def import_classifier(
    project: Project, params: ImportClassifier, report: Report
) -> ImportClassifierResult:
    """Take a classifier into a project whose encoders include its own.

    Raises:
        UserError: the file is no classifier or damaged, its name is taken, or its
            encoder is not there: both are named.
        ResourceError: the file is missing or cannot be read.
    """
    report.step(STAGE, 0, 1)
    classifier = _read(params.file, report)
    name = params.name or classifier.config.name
    check_name(project, name)
    _check_encoder(project, classifier, params.encoder)
    config = msgspec.structs.replace(classifier.config, name=name)
    nobodys = np.empty((0, 1), np.int64)  # ids of the other project's sentences
    kept = classifier._replace(config=config, training_ids=nobodys)
    id_ = save_to_project(project, kept, DataReport((), ()), report)
    return ImportClassifierResult(
        id_,
        name,
        config.head,
        config.encoder,
        config.language,
        config.classes,
        n_development=config.n_development,
        message=f"Imported {name}, a classifier with the head {config.head} for "
        f"vectors of {config.encoder}.",
    )


def _read(file: Path, report: Report) -> Classifier:
    """Unpack the two parts into a folder of their own and load it."""
    try:
        with (
            zipfile.ZipFile(file) as archive,
            tempfile.TemporaryDirectory() as name,
        ):
            for part in (CONFIG_FILE, WEIGHTS_FILE):
                _unpack(archive, part, Path(name), report)
            return load_classifier(Path(name))
    # NotImplementedError: what zipfile raises for a packing that it does not know
    except (zipfile.BadZipFile, KeyError, zlib.error, NotImplementedError) as error:
        raise UserError(
            f"{file} is damaged, or not a classifier written by export-classifier."
        ) from error
    except IsADirectoryError as error:
        raise UserError(f"{file} is a folder. Choose a file.") from error
    except OSError as error:
        raise ResourceError(f"{file} cannot be read: {error.strerror}.") from error


def _unpack(archive: zipfile.ZipFile, part: str, folder: Path, report: Report) -> None:
    """Write a part of an archive, block by block and not without end."""
    facts = archive.getinfo(part)
    most = min(MAX_BYTES, max(SMALL_BYTES, MAX_GROWTH * facts.compress_size))
    with archive.open(part) as source, (folder / part).open("wb") as target:
        n_read = 0
        while block := source.read(BLOCK_BYTES):
            report.step(STAGE, 0, 1)
            n_read += len(block)
            if n_read > most:
                raise UserError(
                    f"{archive.filename}: {part} is larger than {most >> 20:,}\u00a0MB "
                    "when it is unpacked, so this is not a classifier."
                )
            target.write(block)


def _check_encoder(project: Project, classifier: Classifier, name: str) -> None:
    """Refuse a classifier whose encoder is not there, with both names."""
    try:
        load_classifier_encoder(project, classifier, name)
    except UserError:
        if not name:  # say which one is there instead
            check_encoder(classifier.config, load_encoder("", project.folder))
        raise
