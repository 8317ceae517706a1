"""Save an encoder's head of natural language inference as a classifier.

Chidambaram et al. 2019, section 4.4: premises and hypotheses in other languages go
through the head that was trained on English pairs.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from torch import Tensor

from app.engine.classify.classifier import (
    RAW_FORMAT,
    Classifier,
    ClassifierConfig,
    write_archive,
)
from app.engine.classify.repository import save_to_project
from app.engine.encoders.configs import EncoderConfig
from app.engine.encoders.folder import fingerprint_of, read_config
from app.engine.heads.base import Layers
from app.engine.runtime.report import Report
from app.engine.store.classifiers import list_classifiers
from app.engine.text.writers.output import OutputFiles
from app.engine.training.data.tables import CLASSES
from app.results.labels import DataReport

if TYPE_CHECKING:
    from app.engine.project.project import Project

OBJECTIVE = "nli"
LANGUAGE = "en"  # language of the pairs, which their files do not specify


class InferenceCounts(NamedTuple):
    """Training and held-out pairs of a head, and the accuracy, 0…1."""

    n_train: int
    n_held: int
    accuracy: float


def make_inference_classifier(
    heads: Mapping[str, Tensor], folder: Path, counts: InferenceCounts
) -> Classifier | None:
    """Make a classifier from the head that was trained with an encoder.

    Args:
        heads: weights by name: nli.0.weight (512, 4 d) over u, v, |u - v|, u * v, and
            nli.2.weight (3, 512), with their biases.
        folder: folder of the saved encoder.

    Returns:
        None if there is no such head.
    """
    arrays = {
        name.removeprefix(f"{OBJECTIVE}."): tensor.float().cpu().numpy()
        for name, tensor in heads.items()
        if name.startswith(f"{OBJECTIVE}.")
    }
    if not arrays:
        return None
    config: EncoderConfig = read_config(folder)
    u, v, difference, product = np.split(arrays["0.weight"], 4, axis=1)
    # classifiers order the features differently: u, v, u * v, |u - v|
    weights = [np.concatenate([u, v, product, difference], axis=1), arrays["2.weight"]]
    settings = ClassifierConfig(
        name=f"{config.name} NLI",
        head="nli",
        kind=Layers.kind,
        features="pair",
        classes=CLASSES,
        encoder=config.name,
        fingerprint=fingerprint_of(folder),
        dim=config.dim,
        temperature=1.0,
        language=LANGUAGE,
        n_train=counts.n_train,
        n_development=counts.n_held,
        development=counts.accuracy,
        normalised=False,
        format=RAW_FORMAT,
    )
    head = Layers(weights, [arrays["0.bias"], arrays["2.bias"]])
    return Classifier(settings, head, np.empty((0, 1), np.int64))


def keep_classifier(
    project: "Project | None", classifier: Classifier, folder: Path, report: Report
) -> str:
    """Save a classifier in the project that has its encoder, else next to the encoder.

    Returns:
        A sentence with its location.
    """
    config = classifier.config
    if project is None or folder.parent != project.folder / "encoders":
        file = folder.with_name(f"{folder.name}.nli.zip")
        with OutputFiles(replace=True) as files:
            write_archive(files.open(file), classifier)
            files.commit()
        return f"The trained NLI head is in {file.name}, to import as a classifier."
    rows = list_classifiers(project.store)
    if not any(row.fingerprint == config.fingerprint for row in rows):
        taken = {row.name for row in rows}
        names = [config.name, *(f"{config.name} {n}" for n in range(2, len(rows) + 3))]
        name = next(name for name in names if name not in taken)
        named = classifier._replace(config=msgspec.structs.replace(config, name=name))
        save_to_project(project, named, DataReport((), ()), report)
        config = named.config
    return f"The trained NLI head is kept as the classifier {config.name}."
