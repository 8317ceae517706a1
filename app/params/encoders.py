"""Params of the tasks that import, export and measure encoders."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import TaskParams
from app.params.vectors import EncoderName


class AddEncoder(TaskParams, frozen=True, kw_only=True, tag="add-encoder"):
    """Add an encoder made elsewhere: LASER, or a sentence-transformers folder."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    source: Annotated[
        Path,
        Meta(
            description="LASER's .pt file, a sentence-transformers folder, or a folder "
            "written by train-encoder."
        ),
    ]
    name: Annotated[
        str, Meta(max_length=100, description="Name to give it; empty: the file's.")
    ] = ""
    kind: Annotated[
        Literal["auto", "laser", "sentence-transformers", "isogloss"],
        Meta(description="What the source is."),
    ] = "auto"
    pieces: Annotated[
        Path | None,
        Meta(
            description="LASER's sentencepiece model; default: a .spm or .model file "
            "beside the source."
        ),
    ] = None
    dictionary: Annotated[
        Path | None,
        Meta(
            description="LASER's vocabulary file, if the .pt holds no dictionary; "
            "default: a .cvocab file beside the source."
        ),
    ] = None
    licence: Annotated[
        str, Meta(description="Its licence, or a file with the licence's text.")
    ] = ""
    languages: Annotated[
        tuple[str, ...],
        Meta(
            description="Language that it was made for.",
            extra={"option": "language"},
        ),
    ] = ()


class ImportVectors(TaskParams, frozen=True, kw_only=True, tag="import-vectors"):
    """Take vectors made elsewhere as those of a corpus: one row a line."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    file: Annotated[
        Path, Meta(description=".npy, or raw float32 as LASER's embed writes.")
    ]
    corpus: Annotated[str, Meta(min_length=1, description="Name or id of the corpus.")]
    encoder: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=100,
            description="Name of the encoder that made them: corpora with vectors of "
            "one name share a space.",
        ),
    ]
    dim: Annotated[
        int,
        Meta(
            ge=0,
            le=65_536,
            description="Dimensions of raw float32; 0: as many as the rows give.",
        ),
    ] = 0


class MeasureCoverage(TaskParams, frozen=True, kw_only=True, tag="measure-coverage"):
    """Measure how far an encoder's vocabulary and space cover each language."""

    encoder: EncoderName = ""
    corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Corpus of the project (name or id).",
            extra={"option": "corpus"},
        ),
    ] = ()
    texts: Annotated[
        tuple[Path, ...],
        Meta(
            description="Text file NAME.LANGUAGE or LANGUAGE.txt, one sentence a "
            "line; also .xz.",
            extra={"option": "text"},
        ),
    ] = ()


class ExportEncoder(TaskParams, frozen=True, kw_only=True, tag="export-encoder"):
    """Write an encoder's folder to another place, with its card and licence."""

    encoder: EncoderName = ""
    out: Annotated[Path, Meta(description="Folder to make; it must not exist.")]
