"""Task: import a classifier written by export-classifier."""

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
# Limit for a part, since an archive may claim any size. Weights hardly compress.
MAX_BYTES, MAX_GROWTH, SMALL_BYTES = 4 << 30, 20, 16 << 20
BLOCK_BYTES = 4 << 20


class ImportClassifierResult(SavedClassifier, frozen=True):
    """The imported classifier; n_development: rows that it was measured on."""

    n_development: int


def import_classifier(
    project: Project, params: ImportClassifier, report: Report
) -> ImportClassifierResult:
    """Import a classifier into a project that has its encoder.

    Raises:
        UserError: the file is damaged or not a classifier, its name is taken, or its
            encoder is missing.
        ResourceError: the file is missing or can't be read.
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
    """Unpack the two parts into a separate folder and load the classifier."""
    try:
        with (
            zipfile.ZipFile(file) as archive,
            tempfile.TemporaryDirectory() as name,
        ):
            for part in (CONFIG_FILE, WEIGHTS_FILE):
                _unpack(archive, part, Path(name), report)
            return load_classifier(Path(name))
    # zipfile raises NotImplementedError for an unknown compression method
    except (zipfile.BadZipFile, KeyError, zlib.error, NotImplementedError) as error:
        raise UserError(
            f"{file} is damaged, or not a classifier written by export-classifier."
        ) from error
    except IsADirectoryError as error:
        raise UserError(f"{file} is a folder. Choose a file.") from error
    except OSError as error:
        raise ResourceError(f"{file} cannot be read: {error.strerror}.") from error


def _unpack(archive: zipfile.ZipFile, part: str, folder: Path, report: Report) -> None:
    """Extract a part of an archive in blocks, up to a size limit."""
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
    """Reject a classifier whose encoder is missing, naming both."""
    try:
        load_classifier_encoder(project, classifier, name)
    except UserError:
        if not name:  # name the encoder that exists instead
            check_encoder(classifier.config, load_encoder("", project.folder))
        raise
