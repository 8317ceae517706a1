"""Params of the tasks that train encoders and vocabularies."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams

MAX_COUNT = 1_000_000_000  # steps or sentences: what the window's fields can hold

Exponent = Annotated[
    float, Meta(ge=0, le=1, description="Languages are sampled by size to this power.")
]
PairFiles = Annotated[
    tuple[Path, ...],
    Meta(description="TSV of english⇥foreign; may be repeated; also .xz."),
]


class TrainVocabulary(TaskParams, frozen=True, kw_only=True, tag="train-vocabulary"):
    """Train a vocabulary of pieces or of words on pairs."""

    out: Annotated[Path, Meta(description="Folder to write the vocabulary into.")]
    pairs: PairFiles = ()
    units: Annotated[
        Literal["pieces", "words"],
        Meta(description="Subword pieces, or the most frequent words."),
    ] = "pieces"
    model: Annotated[
        Literal["unigram", "bpe"], Meta(description="How pieces are found.")
    ] = "unigram"
    n_pieces: Annotated[
        int, Meta(ge=300, le=256_000, description="Number of pieces, or of words.")
    ] = 48_000
    n_sentences: Annotated[
        int,
        Meta(ge=100, le=MAX_COUNT, description="Sentences sampled over the languages."),
    ] = 600_000
    sampling_exponent: Exponent = 0.5
    seed: Seed = 1


class TrainEncoder(TaskParams, frozen=True, kw_only=True, tag="train-encoder"):
    """Train an encoder on aligned sentences and other text."""

    needs_project: ClassVar[bool] = False
    writes_project: ClassVar[bool] = True

    # --- what is made, and of what ---
    name: Annotated[
        str, Meta(min_length=1, max_length=100, description="Name of the new encoder.")
    ]
    corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Aligned corpus of the project (name or id); its partners "
            "are the corpora it is linked with.",
            extra={"option": "corpus"},
        ),
    ] = ()
    pairs: PairFiles = ()
    kept_out_corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Corpus of the project that is a development or test set: "
            "pairs that hold one of its sentences are left out.",
            extra={"option": "kept-out-corpus"},
        ),
    ] = ()
    kept_out: Annotated[
        tuple[Path, ...],
        Meta(
            description="File of a development or test set (one sentence a line, or "
            "columns): pairs that hold one of its sentences are left out.",
        ),
    ] = ()
    out: Annotated[
        Path | None,
        Meta(description="Folder to write into; default: the project's encoders."),
    ] = None
    initial: Annotated[
        str,
        Meta(description="Encoder to go on from, of equal sizes; empty: from nothing."),
    ] = ""

    # --- architecture ---
    architecture: Annotated[
        Literal["static", "bilstm", "transformer"],
        Meta(description="What makes a vector of pieces."),
    ] = "static"
    units: Annotated[
        Literal["pieces", "words"],
        Meta(
            description="Subword pieces, or words with hashed character n-grams "
            "(transformer only)."
        ),
    ] = "pieces"
    vocabulary: Annotated[
        Path | None,
        Meta(description="Folder of a trained vocabulary; default: train one."),
    ] = None
    vocabulary_model: Annotated[
        Literal["unigram", "bpe"],
        Meta(description="How the pieces of a new vocabulary are found."),
    ] = "unigram"
    n_pieces: Annotated[
        int, Meta(ge=300, le=256_000, description="Number of pieces, or of words.")
    ] = 48_000
    n_bigrams: Annotated[
        int,
        Meta(
            ge=0,
            le=1_048_576,
            description="Rows for hashed bigrams of pieces (static).",
        ),
    ] = 0
    n_ngrams: Annotated[
        int,
        Meta(
            ge=0,
            le=1_048_576,
            description="Rows for hashed character n-grams of words (static, words).",
        ),
    ] = 131_072
    storage: Annotated[
        Literal["int8", "int4", "float16", "float32"],
        Meta(description="How the weights are stored; 4 bits: tables of static only."),
    ] = "int8"
    dim: Annotated[int, Meta(ge=8, le=2048, description="Dimensions of a vector.")] = (
        256
    )
    embed_dim: Annotated[
        int, Meta(ge=8, le=2048, description="Dimensions of a piece's embedding.")
    ] = 320
    n_layers: Annotated[int, Meta(ge=1, le=12, description="Number of layers.")] = 1
    n_heads: Annotated[
        int, Meta(ge=1, le=32, description="Attention heads of a layer (transformer).")
    ] = 8
    filter_dim: Annotated[
        int,
        Meta(ge=8, le=8192, description="Inner size of a layer (transformer)."),
    ] = 2048
    norm: Annotated[
        Literal["pre", "post"],
        Meta(description="Where a layer normalises (transformer)."),
    ] = "post"
    pooling: Annotated[
        Literal["max", "mean", "last", "attention"],
        Meta(description="How positions become one vector."),
    ] = "max"
    n_views: Annotated[
        int, Meta(ge=1, le=32, description="Views of inner attention (pooling).")
    ] = 1
    dropout: Annotated[
        float, Meta(ge=0, lt=1, description="Share of values dropped in training.")
    ] = 0.1
    max_tokens: Annotated[
        int, Meta(ge=4, le=4096, description="Longer sentences are clipped.")
    ] = 256

    # --- objectives ---
    objectives: Annotated[
        tuple[str, ...],
        Meta(
            description="ranking, translation, nli, quick-thought, conversation or "
            "distillation; one task a step; a weight says how often it is on turn "
            "(nli:0.5: half as often).",
            extra={"option": "objective"},
        ),
    ] = ("ranking",)
    temperature: Annotated[
        float, Meta(ge=0.03, le=1, description="Temperature of the softmax.")
    ] = 0.05
    learns_temperature: Annotated[
        bool, Meta(description="Learn the temperature, from that value on.")
    ] = False
    similarity: Annotated[
        Literal["cosine", "dot"],
        Meta(description="What ranking compares by; dot products suit temperature 1."),
    ] = "cosine"
    margin: Annotated[
        float,
        Meta(ge=0, lt=1, description="Additive margin on the true pair's cosine."),
    ] = 0.1
    direction: Annotated[
        Literal["both", "source", "target"],
        Meta(description="Which side must find the other (ranking)."),
    ] = "both"
    n_hard_negatives: Annotated[
        int,
        Meta(ge=0, le=20, description="Hard negatives of a pair, mined; 0 = none."),
    ] = 0
    negatives_pool: Annotated[
        Literal["batch", "own"],
        Meta(
            description="Hard negatives are candidates of the whole batch, or only "
            "of their own pair."
        ),
    ] = "batch"
    coarse_encoder: Annotated[
        str,
        Meta(description="Encoder that mines hard negatives first; empty: bundled."),
    ] = ""
    negatives_every: Annotated[
        int,
        Meta(
            ge=0,
            le=MAX_COUNT,
            description="Steps between minings by the encoder itself; 0 = one.",
        ),
    ] = 0
    target_languages: Annotated[
        tuple[str, ...],
        Meta(
            description="Language to translate into (translation).",
            extra={"option": "target-language"},
        ),
    ] = ("eng", "spa")
    decoder_dim: Annotated[
        int, Meta(ge=16, le=4096, description="Size of the decoder (translation).")
    ] = 2048
    language_dim: Annotated[
        int, Meta(ge=1, le=512, description="Size of a language's embedding.")
    ] = 32
    nli: Annotated[
        tuple[Path, ...],
        Meta(description="TSV of label⇥premise⇥hypothesis (nli); also .xz."),
    ] = ()
    documents: Annotated[
        tuple[Path, ...],
        Meta(
            description="Text in order, one sentence a line and an empty line between "
            "documents, or TSV document⇥… with a header (quick-thought); also .xz."
        ),
    ] = ()
    conversations: Annotated[
        tuple[Path, ...],
        Meta(description="TSV of input⇥response (conversation); also .xz."),
    ] = ()
    teacher: Annotated[
        str,
        Meta(description="Encoder to learn from (distillation); empty: the bundled."),
    ] = ""

    # --- steps ---
    n_steps: Annotated[
        int, Meta(ge=1, le=MAX_COUNT, description="Number of steps.")
    ] = 5_000
    batch_size: Annotated[
        int, Meta(ge=2, le=65_536, description="Pairs in a batch, at most.")
    ] = 2_048
    batch_tokens: Annotated[
        int,
        Meta(
            ge=0,
            le=10_000_000,
            description="Tokens in a batch, at most; 0 = no bound (static).",
        ),
    ] = 0
    n_accumulated: Annotated[
        int, Meta(ge=1, le=1024, description="Batches whose gradients make one step.")
    ] = 1
    languages_per_batch: Annotated[
        int,
        Meta(
            ge=1,
            le=1024,
            description="Languages in a batch: few make hard negatives, many learn "
            "small languages faster.",
        ),
    ] = 16
    sampling_exponent: Exponent = 0.5
    lr: Annotated[float, Meta(gt=0, le=1, description="Highest learning rate.")] = 0.01
    n_warmup: Annotated[
        int, Meta(ge=0, le=MAX_COUNT, description="Steps of linear warm-up.")
    ] = 200
    decay: Annotated[
        Literal["linear", "cosine", "constant"],
        Meta(description="How the rate falls after the warm-up."),
    ] = "linear"
    clip_norm: Annotated[
        float,
        Meta(ge=0, le=1e6, description="Longest gradient; 0 = not clipped."),
    ] = 0.0
    precision: Annotated[
        Literal["auto", "float32", "bfloat16", "float16"],
        Meta(description="Arithmetic of the steps; auto: the fastest that is safe."),
    ] = "auto"

    # --- development metric and keeping ---
    n_development: Annotated[
        int,
        Meta(
            ge=0,
            le=100_000,
            description="Pairs of each language held out to measure retrieval error "
            "on (never above a tenth of them); 0 = none.",
        ),
    ] = 0
    evaluate_every: Annotated[
        int,
        Meta(ge=1, le=MAX_COUNT, description="Steps between two such measurements."),
    ] = 500
    patience: Annotated[
        int,
        Meta(
            ge=0,
            le=10_000,
            description="Measurements without a new best before the training stops; "
            "0 = never.",
        ),
    ] = 0
    checkpoint_every_s: Annotated[
        float, Meta(gt=0, le=3600, description="Seconds between checkpoints.")
    ] = 20.0
    seed: Seed = 1


class PlanTraining(TrainEncoder, frozen=True, kw_only=True, tag="plan-training"):
    """Estimate time, memory and disk of a training from a trial of two seconds."""

    writes_project: ClassVar[bool] = False
