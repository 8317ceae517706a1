"""Params of the tasks that import, export and measure encoders."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams, refers_to
from app.params.vectors import EncoderName


class AddEncoder(TaskParams, frozen=True, kw_only=True, tag="add-encoder"):
    """Add an existing encoder: LASER, or a sentence-transformers folder."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    source: Annotated[
        Path,
        Meta(
            description="LASER .pt file, sentence-transformers folder, folder "
            "written by train-encoder, file of word vectors (.vec, .txt or .bin), or "
            "the name of word vectors of the project."
        ),
    ]
    name: Annotated[
        str,
        Meta(
            max_length=100, description="Name of the encoder; empty: name of the file."
        ),
    ] = ""
    kind: Annotated[
        Literal["auto", "laser", "sentence-transformers", "isogloss", "word-vectors"],
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
    weighting: Annotated[
        Literal["mean", "idf", "sif"],
        Meta(
            description="How word vectors are averaged: equally, by inverse document "
            "frequency, or by smooth inverse frequency (SIF)."
        ),
    ] = "mean"
    removes_component: Annotated[
        bool,
        Meta(
            description="Remove the first component of the sentences that the weights "
            "are made of, as SIF does (word vectors)."
        ),
    ] = False
    text: Annotated[
        Path | None,
        Meta(
            description="Text file, one sentence per line, whose word frequencies make "
            "the weights (word vectors)."
        ),
    ] = None
    corpus: Annotated[
        str,
        Meta(
            description="Corpus whose word frequencies make the weights, if there is "
            "no text file (word vectors).",
            extra=refers_to("corpus"),
        ),
    ] = ""
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


class AlignEncoder(TaskParams, frozen=True, kw_only=True, tag="align-encoder"):
    """Add a language to an encoder: train on translations of English sentences."""

    needs_project: ClassVar[bool] = False
    writes_project: ClassVar[bool] = True

    # --- data ---
    english: Annotated[
        str,
        Meta(
            description="Encoder of English to add the language to: a folder, or the "
            "name of an encoder; empty: the one in use. It is not changed.",
            extra=refers_to("encoder"),
        ),
    ] = ""
    pairs: Annotated[
        Path,
        Meta(description="TSV file of english⇥other, or .xz."),
    ]
    language: Annotated[
        str,
        Meta(
            max_length=35,
            description="Code of the added language; empty: from the file name, such "
            "as eng-wol.tsv, or detected.",
        ),
    ] = ""
    name: Annotated[
        str,
        Meta(
            max_length=100,
            description="Name of the new encoder; empty: name of its folder.",
        ),
    ] = ""
    out: Annotated[
        Path | None,
        Meta(description="Folder to write to; default: the project's encoders."),
    ] = None
    kept_out: Annotated[
        tuple[Path, ...],
        Meta(
            description="File of a development or test set (one sentence per line, or "
            "columns). Pairs that contain one of its sentences are excluded.",
        ),
    ] = ()

    # --- encoder and loss ---
    architecture: Annotated[
        Literal["cbow", "bilstm"],
        Meta(
            description="Mean of learned vectors of pieces and character n-grams "
            "(fast), or a BiLSTM with max pooling, which takes word order into account."
        ),
    ] = "bilstm"
    negatives: Annotated[
        float,
        Meta(
            ge=0,
            lt=0.5,
            description="Weight λ of random sentences that are not translations; "
            "0: only copy the English vectors.",
        ),
    ] = 0.25
    loss: Annotated[
        Literal["align", "rank"],
        Meta(
            description="Match the English vectors, or only rank translations first "
            "(a control)."
        ),
    ] = "align"
    margin: Annotated[
        float, Meta(ge=0, le=2, description="Margin α of the ranking loss.")
    ] = 0.5
    n_pieces: Annotated[
        int, Meta(ge=300, le=256_000, description="Pieces of the new vocabulary.")
    ] = 12_000
    n_ngrams: Annotated[
        int,
        Meta(
            ge=0,
            le=1_048_576,
            description="Table rows for hashed character n-grams of words (cbow).",
        ),
    ] = 16_384
    embed_dim: Annotated[
        int,
        Meta(ge=8, le=2048, description="Dimensions of a piece embedding (bilstm)."),
    ] = 192
    hidden_dim: Annotated[
        int,
        Meta(ge=4, le=2048, description="Units in each direction (bilstm)."),
    ] = 128
    dropout: Annotated[
        float,
        Meta(ge=0, lt=1, description="Share of values dropped during training."),
    ] = 0.1
    max_tokens: Annotated[
        int,
        Meta(
            ge=4,
            le=4096,
            description="Tokens per sentence; longer sentences are truncated.",
        ),
    ] = 128

    # --- steps ---
    n_steps: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000_000,
            description="Number of steps; 0: five passes over the pairs, at least 400 "
            "steps.",
        ),
    ] = 0
    batch_size: Annotated[
        int, Meta(ge=2, le=65_536, description="Pairs per batch.")
    ] = 64
    lr: Annotated[float, Meta(gt=0, le=1, description="Peak learning rate.")] = 0.002
    precision: Annotated[
        Literal["auto", "float32", "bfloat16", "float16"],
        Meta(description="Arithmetic precision; auto: the fastest that is safe."),
    ] = "auto"
    checkpoint_every_s: Annotated[
        float, Meta(gt=0, le=3600, description="Seconds between checkpoints.")
    ] = 20.0

    # --- measurement ---
    n_development: Annotated[
        int,
        Meta(
            ge=0,
            le=100_000,
            description="Pairs held out to choose the best weights (at most a tenth); "
            "0 = none.",
        ),
    ] = 1_000
    evaluate_every: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000_000,
            description="Steps between measurements; 0: a twentieth of all steps.",
        ),
    ] = 0
    nli: Annotated[
        tuple[Path, ...],
        Meta(
            description="TSV file of label⇥premise⇥hypothesis in English, to train a "
            "classifier that is then tested in the new language."
        ),
    ] = ()
    nli_test: Annotated[
        Path | None,
        Meta(
            description="TSV file of label⇥premise⇥hypothesis in the new language: "
            "the zero-shot accuracy is measured on it."
        ),
    ] = None
    seed: Seed = 1


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
