"""Params of the tasks that carry classifiers from one project to another."""

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from app.params.base import TaskParams
from app.params.vectors import EncoderName


class ExportClassifier(TaskParams, frozen=True, kw_only=True, tag="export-classifier"):
    """Write a classifier as one file, to be used in another project."""

    needs_project: ClassVar[bool] = True

    classifier: Annotated[
        str, Meta(min_length=1, description="Name or id of the classifier.")
    ]
    out: Annotated[
        Path, Meta(description="File to write: a .zip of weights and settings.")
    ]
    replace: Annotated[
        bool, Meta(description="Replace the file if it is there already.")
    ] = False


class ImportClassifier(TaskParams, frozen=True, kw_only=True, tag="import-classifier"):
    """Take a classifier that export-classifier wrote into a project."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    file: Annotated[Path, Meta(description="File that export-classifier wrote.")]
    name: Annotated[
        str,
        Meta(max_length=200, description="Name to give it; empty: the one it has."),
    ] = ""
    encoder: EncoderName = ""
