"""Params of the tasks that import, export and measure encoders."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import TaskParams, refers_to
from app.params.vectors import EncoderName


class AddEncoder(TaskParams, frozen=True, kw_only=True, tag="add-encoder"):
    """Add an existing encoder: LASER, or a sentence-transformers folder."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    source: Annotated[
        Path,
        Meta(
            description="LASER .pt file, sentence-transformers folder, or folder "
            "written by train-encoder."
        ),
    ]
    name: Annotated[
        str,
        Meta(
            max_length=100, description="Name of the encoder; empty: name of the file."
        ),
    ] = ""
    kind: Annotated[
        Literal["auto", "laser", "sentence-transformers", "isogloss"],
        Meta(description="Type of the source."),
    ] = "auto"
    pieces: Annotated[
        Path | None,
        Meta(
            description="LASER's sentencepiece model; default: a .spm or .model file "
            "in the same folder."
        ),
    ] = None
    dictionary: Annotated[
        Path | None,
        Meta(
            description="LASER's vocabulary file, if the .pt file has no dictionary; "
            "default: a .cvocab file in the same folder."
        ),
    ] = None
    licence: Annotated[
        str, Meta(description="Licence name, or a file with the licence text.")
    ] = ""
    languages: Annotated[
        tuple[str, ...],
        Meta(
            description="Language that it was trained on.",
            extra={"option": "language"},
        ),
    ] = ()


class ImportVectors(TaskParams, frozen=True, kw_only=True, tag="import-vectors"):
    """Import precomputed vectors of a corpus, one row per sentence."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    file: Annotated[
        Path, Meta(description=".npy file, or raw float32 as written by LASER's embed.")
    ]
    corpus: Annotated[
        str,
        Meta(
            min_length=1,
            description="The corpus that the vectors belong to.",
            extra=refers_to("corpus"),
        ),
    ]
    encoder: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=100,
            description="Name of the encoder that produced them. Corpora with vectors "
            "of the same name share a space.",
        ),
    ]
    dim: Annotated[
        int,
        Meta(
            ge=0,
            le=65_536,
            description="Dimensions of raw float32; 0: infer from the number of rows.",
        ),
    ] = 0


class MeasureCoverage(TaskParams, frozen=True, kw_only=True, tag="measure-coverage"):
    """Measure how well an encoder covers each language."""

    encoder: EncoderName = ""
    corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Corpora of the project.",
            extra=refers_to("corpus", option="corpus"),
        ),
    ] = ()
    texts: Annotated[
        tuple[Path, ...],
        Meta(
            description="Text file NAME.LANGUAGE or LANGUAGE.txt, one sentence per "
            "line, or .xz.",
            extra={"option": "text"},
        ),
    ] = ()


class ExportEncoder(TaskParams, frozen=True, kw_only=True, tag="export-encoder"):
    """Export an encoder folder with its model card and licence."""

    encoder: EncoderName = ""
    out: Annotated[Path, Meta(description="New folder to create.")]
