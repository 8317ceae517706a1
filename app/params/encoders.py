"""Params of the tasks that import, export and measure encoders."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from app.params.base import CorpusNames, Seed, TaskParams, WritingTask, option
from app.params.training.options import (
    CheckpointInterval,
    Dropout,
    KeptOutFiles,
    LearningRate,
    MaxTokens,
    OutFolder,
    Precision,
)
from app.params.vectors import EncoderName


class AddEncoder(WritingTask, frozen=True, kw_only=True, tag="add-encoder"):
    """Add an existing encoder: LASER, a folder, or averaged word vectors."""

    source: Annotated[
        Path,
        option(
            "LASER .pt file, sentence-transformers folder, folder of a trained "
            "encoder, file of word vectors (.vec, .txt or .bin), or the name of word "
            "vectors of the project.",
            window="LASER .pt file, sentence-transformers folder, folder of a trained "
            "encoder, or file of word vectors (.vec, .txt or .bin).",
        ),
    ]
    name: Annotated[
        str, option("Name of the encoder; empty: name of the file.", max_length=100)
    ] = ""
    kind: Annotated[
        Literal["auto", "laser", "sentence-transformers", "isogloss", "word-vectors"],
        option("What the source is; auto: it is recognised."),
    ] = "auto"
    pieces: Annotated[
        Path | None,
        option(
            "LASER's sentencepiece model; default: a .spm or .model file in the same "
            "folder.",
            title="Sentencepiece model",
        ),
    ] = None
    dictionary: Annotated[
        Path | None,
        option(
            "LASER's vocabulary file, if the .pt file has no dictionary; default: a "
            ".cvocab file in the same folder.",
            title="Vocabulary file",
        ),
    ] = None
    weighting: Annotated[
        Literal["mean", "idf", "sif"],
        option(
            "How word vectors are averaged: equally, by inverse document frequency, or "
            "by smooth inverse frequency (SIF)."
        ),
    ] = "mean"
    removes_component: Annotated[
        bool,
        option(
            "Remove the first component of the sentences from which the weights are "
            "computed, as SIF does (word vectors)."
        ),
    ] = False
    text: Annotated[
        Path | None,
        option(
            "Text file, one sentence per line, whose word frequencies determine the "
            "weights (word vectors)."
        ),
    ] = None
    corpus: Annotated[
        str,
        option(
            "Corpus whose word frequencies determine the weights, if there is no "
            "text file (word vectors).",
            refers_to="corpus",
        ),
    ] = ""
    licence: Annotated[
        str, option("Licence name, or a file with the licence text.")
    ] = ""
    languages: Annotated[
        tuple[str, ...],
        option(
            "Language that the encoder was trained on.",
            name="language",
            window="Languages that the encoder was trained on.",
        ),
    ] = ()


class AlignEncoder(TaskParams, frozen=True, kw_only=True, tag="align-encoder"):
    """Add a language to an encoder: train on translations of English sentences."""

    writes_project: ClassVar[bool] = True

    # --- data ---
    english: Annotated[
        str,
        option(
            "Encoder of English to add the language to: a folder, or the name of an "
            "encoder; empty: the one in use. It is not changed.",
            refers_to="encoder",
        ),
    ] = ""
    pairs: Annotated[
        Path | None,
        option("TSV file (also .xz) with two columns: English and the added language."),
    ] = None
    corpus: Annotated[
        str,
        option(
            "Corpus of the project in the added language that is linked with an "
            "English corpus, instead of a file.",
            refers_to="corpus",
        ),
    ] = ""
    language: Annotated[
        str,
        option(
            "Code of the added language; empty: that of the corpus, from the file "
            "name, such as eng-wol.tsv, or detected.",
            max_length=35,
            window="Language to add. Empty: that of the corpus, or of the file by its "
            "name, such as eng-wol.tsv, or by its text.",
        ),
    ] = ""
    name: Annotated[
        str,
        option("Name of the new encoder; empty: name of its folder.", max_length=100),
    ] = ""
    out: OutFolder = None
    kept_out: KeptOutFiles = ()

    # --- encoder and loss ---
    architecture: Annotated[
        Literal["cbow", "bilstm"],
        option(
            "Mean of learned vectors of pieces and character n-grams (fast), or a "
            "BiLSTM with max pooling, which takes word order into account."
        ),
    ] = "bilstm"
    negatives: Annotated[
        float,
        option(
            "Weight λ of random sentences that are not translations; 0: only copy the "
            "English vectors.",
            ge=0,
            lt=0.5,
        ),
    ] = 0.25
    loss: Annotated[
        Literal["align", "rank"],
        option(
            "Match the English vectors, or only rank translations first (a control)."
        ),
    ] = "align"
    margin: Annotated[float, option("Margin α of the ranking loss.", ge=0, le=2)] = 0.5
    n_pieces: Annotated[
        int, option("Pieces of the new vocabulary.", ge=300, le=256_000)
    ] = 12_000
    n_ngrams: Annotated[
        int,
        option(
            "Table rows for hashed character n-grams of words (cbow).",
            ge=0,
            le=1_048_576,
        ),
    ] = 16_384
    embed_dim: Annotated[
        int, option("Dimensions of a piece embedding (bilstm).", ge=8, le=2048)
    ] = 192
    hidden_dim: Annotated[
        int, option("Units in each direction (bilstm).", ge=4, le=2048)
    ] = 128
    dropout: Dropout = 0.1
    max_tokens: MaxTokens = 128

    # --- steps ---
    n_steps: Annotated[
        int,
        option(
            "Number of steps; 0: five passes over the pairs, at least 400 steps.",
            ge=0,
            le=1_000_000_000,
        ),
    ] = 0
    batch_size: Annotated[int, option("Pairs per batch.", ge=2, le=65_536)] = 64
    lr: LearningRate = 0.002
    precision: Precision = "auto"
    checkpoint_every_s: CheckpointInterval = 20.0

    # --- measurement ---
    n_development: Annotated[
        int,
        option(
            "Pairs held out to choose the best weights (at most a tenth); 0 = none.",
            ge=0,
            le=100_000,
        ),
    ] = 1_000
    evaluate_every: Annotated[
        int,
        option(
            "Steps between measurements; 0: a twentieth of all steps.",
            ge=0,
            le=1_000_000_000,
        ),
    ] = 0
    nli: Annotated[
        tuple[Path, ...],
        option(
            "TSV file with label, premise and hypothesis in English, to train a "
            "classifier that is then tested in the new language."
        ),
    ] = ()
    nli_test: Annotated[
        Path | None,
        option(
            "TSV file with label, premise and hypothesis in the new language: the "
            "zero-shot accuracy is measured on it."
        ),
    ] = None
    seed: Seed = 1


class ImportVectors(WritingTask, frozen=True, kw_only=True, tag="import-vectors"):
    """Import precomputed vectors of a corpus, one row per sentence."""

    file: Annotated[
        Path, option(".npy file, or raw float32 as written by LASER's embed.")
    ]
    corpus: Annotated[
        str,
        option(
            "The corpus that the vectors belong to.", min_length=1, refers_to="corpus"
        ),
    ]
    encoder: Annotated[
        str,
        option(
            "Name of the encoder that computed them. Vectors with the same name are in "
            "the same vector space.",
            min_length=1,
            max_length=100,
        ),
    ]
    dim: Annotated[
        int,
        option(
            "Dimensions of raw float32; 0: by the size of the file.",
            ge=0,
            le=65_536,
        ),
    ] = 0


class MeasureCoverage(TaskParams, frozen=True, kw_only=True, tag="measure-coverage"):
    """Measure how well an encoder covers each language."""

    encoder: EncoderName = ""
    corpora: Annotated[CorpusNames, option("Corpora of the project.")] = ()
    texts: Annotated[
        tuple[Path, ...],
        option(
            "Text file named after its language, such as news.de or de.txt, with one "
            "sentence per line, or .xz.",
            name="text",
            title="Text files",
            window="Text files (also .xz) with one sentence per line, named after "
            "their languages, such as news.de or de.txt.",
        ),
    ] = ()


class ExportEncoder(TaskParams, frozen=True, kw_only=True, tag="export-encoder"):
    """Export an encoder folder with its model card and licence."""

    encoder: EncoderName = ""
    out: Annotated[Path, option("New folder to create.")]
