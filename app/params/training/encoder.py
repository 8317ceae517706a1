"""Params of the tasks that train encoders and vocabularies."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams

MAX_COUNT = 1_000_000_000  # steps or sentences: the limit of the window's fields

Exponent = Annotated[
    float,
    Meta(
        ge=0, le=1, description="Sample languages in proportion to size to this power."
    ),
]
PairFiles = Annotated[
    tuple[Path, ...],
    Meta(description="TSV file of english⇥foreign, or .xz; may be repeated."),
]


class TrainVocabulary(TaskParams, frozen=True, kw_only=True, tag="train-vocabulary"):
    """Train a vocabulary of subword pieces or of words on pairs."""

    out: Annotated[Path, Meta(description="Folder to write the vocabulary to.")]
    pairs: PairFiles = ()
    units: Annotated[
        Literal["pieces", "words"],
        Meta(description="Subword pieces, or the most frequent words."),
    ] = "pieces"
    model: Annotated[
        Literal["unigram", "bpe"], Meta(description="Algorithm that finds the pieces.")
    ] = "unigram"
    n_pieces: Annotated[
        int, Meta(ge=300, le=256_000, description="Number of pieces or words.")
    ] = 48_000
    n_sentences: Annotated[
        int,
        Meta(
            ge=100,
            le=MAX_COUNT,
            description="Number of sentences to sample from all languages.",
        ),
    ] = 600_000
    sampling_exponent: Exponent = 0.5
    seed: Seed = 1


class TrainEncoder(TaskParams, frozen=True, kw_only=True, tag="train-encoder"):
    """Train an encoder on aligned sentences and other text."""

    needs_project: ClassVar[bool] = False
    writes_project: ClassVar[bool] = True

    # --- name and data ---
    name: Annotated[
        str, Meta(min_length=1, max_length=100, description="Name of the new encoder.")
    ]
    corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Aligned corpora of the project. Each is paired with "
            "every corpus that it is linked with.",
            extra={"option": "corpus"},
        ),
    ] = ()
    pairs: PairFiles = ()
    pair_weights: Annotated[
        tuple[str, ...],
        Meta(
            description="How often pairs of some files are drawn, as pattern:weight. "
            "eng-deu*:0.5 draws the files whose names match half as often. The last "
            "match applies; other files have weight 1.",
            extra={"option": "pair-weight"},
        ),
    ] = ()
    word_lists: Annotated[
        tuple[Path, ...],
        Meta(
            description="TSV file of language⇥english⇥foreign words, or .xz. Random "
            "groups of words are added to the pairs, for each language as a pair file "
            "eng-tel.NAME; give it a low weight.",
            extra={"option": "word-list"},
        ),
    ] = ()
    languages: Annotated[
        tuple[str, ...],
        Meta(
            description="Train only on pairs of these languages with each other or "
            "with English, by the names of files (eng-deu.tsv) and the languages of "
            "corpora; default: all.",
            extra={"option": "language"},
        ),
    ] = ()
    kept_out_corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Development or test corpus of the project. Pairs that contain "
            "one of its sentences are excluded.",
            extra={"option": "kept-out-corpus"},
        ),
    ] = ()
    kept_out: Annotated[
        tuple[Path, ...],
        Meta(
            description="File of a development or test set (one sentence per line, or "
            "columns). Pairs that contain one of its sentences are excluded.",
        ),
    ] = ()
    out: Annotated[
        Path | None,
        Meta(description="Folder to write to; default: the project's encoders."),
    ] = None
    initial: Annotated[
        str,
        Meta(
            description="Encoder of equal sizes to start from; empty: random weights."
        ),
    ] = ""

    # --- architecture ---
    architecture: Annotated[
        Literal["static", "bilstm", "transformer"],
        Meta(description="How a vector is computed from the pieces."),
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
        Meta(description="Algorithm that finds the pieces of a new vocabulary."),
    ] = "unigram"
    n_pieces: Annotated[
        int, Meta(ge=300, le=256_000, description="Number of pieces or words.")
    ] = 48_000
    n_bigrams: Annotated[
        int,
        Meta(
            ge=0,
            le=1_048_576,
            description="Table rows for hashed bigrams of pieces (static).",
        ),
    ] = 0
    n_ngrams: Annotated[
        int,
        Meta(
            ge=0,
            le=1_048_576,
            description="Table rows for hashed character n-grams of words (static, "
            "words).",
        ),
    ] = 131_072
    storage: Annotated[
        Literal["int8", "int4", "float16", "float32"],
        Meta(description="Number format of saved weights; int4: static tables only."),
    ] = "int8"
    dim: Annotated[
        int, Meta(ge=8, le=8192, description="Dimensions of a sentence vector.")
    ] = 256
    embed_dim: Annotated[
        int, Meta(ge=8, le=2048, description="Dimensions of a piece embedding.")
    ] = 320
    n_layers: Annotated[int, Meta(ge=1, le=12, description="Number of layers.")] = 1
    hidden_dim: Annotated[
        int,
        Meta(
            ge=0,
            le=4096,
            description="Units in each direction (BiLSTM); 0: dimensions / 2, with "
            "inner attention dimensions / 2 / views. Other sizes add a linear map to "
            "the dimensions.",
        ),
    ] = 0
    end_mark: Annotated[
        bool,
        Meta(description="Append an end-of-sentence mark to every sentence (BiLSTM)."),
    ] = False
    n_heads: Annotated[
        int, Meta(ge=1, le=32, description="Attention heads per layer (transformer).")
    ] = 8
    filter_dim: Annotated[
        int,
        Meta(ge=8, le=8192, description="Feed-forward size of a layer (transformer)."),
    ] = 2048
    norm: Annotated[
        Literal["pre", "post"],
        Meta(
            description="Layer normalisation before or after each block (transformer)."
        ),
    ] = "post"
    pooling: Annotated[
        Literal["max", "mean", "last", "attention"],
        Meta(description="How token vectors are combined into one vector."),
    ] = "max"
    n_views: Annotated[
        int,
        Meta(ge=1, le=32, description="Views of inner attention (attention pooling)."),
    ] = 1
    attention_dim: Annotated[
        int,
        Meta(
            ge=1,
            le=8192,
            description="Size of the hidden layer of inner attention (attention "
            "pooling).",
        ),
    ] = 350
    dropout: Annotated[
        float, Meta(ge=0, lt=1, description="Share of values dropped during training.")
    ] = 0.1
    max_tokens: Annotated[
        int,
        Meta(
            ge=4,
            le=4096,
            description="Tokens per sentence; longer sentences are truncated.",
        ),
    ] = 256

    # --- objectives ---
    objectives: Annotated[
        tuple[str, ...],
        Meta(
            description="ranking, translation, nli, quick-thought, conversation or "
            "distillation. Each step trains one of them. A weight sets how often "
            "(nli:0.5: half as often).",
            extra={"option": "objective"},
        ),
    ] = ("ranking",)
    tasks_per_language: Annotated[
        bool,
        Meta(description="Make each language a task, with heads of its own."),
    ] = False
    native_languages: Annotated[
        tuple[str, ...],
        Meta(
            description="Train quick-thought and conversation only on this language; "
            "default: all. The names of the files contain the languages: eng.tsv.",
            extra={"option": "native-language"},
        ),
    ] = ()
    temperature: Annotated[
        float, Meta(ge=0.03, le=1, description="Softmax temperature.")
    ] = 0.05
    learns_temperature: Annotated[
        bool, Meta(description="Learn the temperature, starting from that value.")
    ] = False
    similarity: Annotated[
        Literal["cosine", "dot"],
        Meta(
            description="Similarity for ranking; use dot products with temperature 1."
        ),
    ] = "cosine"
    margin: Annotated[
        float,
        Meta(ge=0, lt=1, description="Additive margin on the cosine of the true pair."),
    ] = 0.1
    direction: Annotated[
        Literal["both", "source", "target"],
        Meta(description="Which side retrieves the other (ranking)."),
    ] = "both"
    n_hard_negatives: Annotated[
        int,
        Meta(ge=0, le=20, description="Mined hard negatives per pair; 0 = none."),
    ] = 0
    negatives_pool: Annotated[
        Literal["batch", "own"],
        Meta(
            description="Hard negatives are candidates for the whole batch, or only "
            "for their own pair."
        ),
    ] = "batch"
    coarse_encoder: Annotated[
        str,
        Meta(
            description="Encoder that mines the first hard negatives; empty: one of "
            "the same architecture, which is trained first by ranking alone."
        ),
    ] = ""
    n_coarse_steps: Annotated[
        int,
        Meta(
            ge=0,
            le=MAX_COUNT,
            description="Steps to train the encoder that mines the first hard "
            "negatives; 0 = the bundled encoder mines them.",
        ),
    ] = 1_000
    negatives_every: Annotated[
        int,
        Meta(
            ge=0,
            le=MAX_COUNT,
            description="Steps between minings by the encoder itself; 0 = mine once.",
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
        int,
        Meta(
            ge=1,
            le=512,
            description="Dimensions of a language embedding (translation).",
        ),
    ] = 32
    nli: Annotated[
        tuple[Path, ...],
        Meta(
            description="TSV file of label⇥premise⇥hypothesis, or .xz (nli). The "
            "classifier that is trained with the encoder is kept."
        ),
    ] = ()
    documents: Annotated[
        tuple[Path, ...],
        Meta(
            description="Running text, one sentence per line with an empty line "
            "between "
            "documents, or TSV document⇥… with a header, or .xz (quick-thought)."
        ),
    ] = ()
    conversations: Annotated[
        tuple[Path, ...],
        Meta(description="TSV file of input⇥response, or .xz (conversation)."),
    ] = ()
    teacher: Annotated[
        str,
        Meta(
            description="Encoder whose vectors of the English sides both sides are "
            "brought to, by the squared distance of unit vectors (distillation); "
            "empty: bundled."
        ),
    ] = ""

    # --- steps ---
    n_steps: Annotated[
        int, Meta(ge=1, le=MAX_COUNT, description="Number of steps.")
    ] = 5_000
    batch_size: Annotated[
        int, Meta(ge=2, le=65_536, description="Maximum number of pairs per batch.")
    ] = 2_048
    batch_tokens: Annotated[
        int,
        Meta(
            ge=0,
            le=10_000_000,
            description="Maximum number of tokens per batch; 0 = no limit.",
        ),
    ] = 0
    n_accumulated: Annotated[
        int,
        Meta(
            ge=1,
            le=1024,
            description="Batches whose gradients are accumulated per step.",
        ),
    ] = 1
    languages_per_batch: Annotated[
        int,
        Meta(
            ge=1,
            le=1024,
            description="Languages per batch. Few give harder negatives; many learn "
            "small languages faster.",
        ),
    ] = 16
    sampling_exponent: Exponent = 0.5
    optimiser: Annotated[
        Literal["adam", "sgd"],
        Meta(description="Adam, or plain stochastic gradient descent (SGD)."),
    ] = "adam"
    embedding_gradient: Annotated[
        float,
        Meta(
            gt=0,
            le=1e6,
            description="Factor of the gradients of word, piece and n-gram tables "
            "(sgd).",
        ),
    ] = 1.0
    lr: Annotated[float, Meta(gt=0, le=1, description="Peak learning rate.")] = 0.01
    n_warmup: Annotated[
        int, Meta(ge=0, le=MAX_COUNT, description="Number of linear warm-up steps.")
    ] = 200
    decay: Annotated[
        Literal["linear", "cosine", "constant"],
        Meta(description="How the learning rate falls after the warm-up."),
    ] = "linear"
    clip_norm: Annotated[
        float,
        Meta(ge=0, le=1e6, description="Maximum gradient norm; 0 = no clipping."),
    ] = 0.0
    precision: Annotated[
        Literal["auto", "float32", "bfloat16", "float16"],
        Meta(description="Arithmetic precision; auto: the fastest that is safe."),
    ] = "auto"

    # --- development metric and checkpoints ---
    n_development: Annotated[
        int,
        Meta(
            ge=0,
            le=100_000,
            description="Pairs of each language held out to measure the retrieval "
            "error, and pairs of the NLI files to measure the accuracy (at most a "
            "tenth of them); 0 = none.",
        ),
    ] = 0
    evaluate_every: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_COUNT,
            description="Steps between measurements on held-out data.",
        ),
    ] = 500
    selected_by: Annotated[
        Literal["retrieval", "nli"],
        Meta(
            description="Keep the weights with the lowest retrieval error, or with the "
            "highest NLI accuracy, of all measurements. What is not measured doesn't "
            "count."
        ),
    ] = "retrieval"
    patience: Annotated[
        int,
        Meta(
            ge=0,
            le=10_000,
            description="Stop after this many measurements without improvement; "
            "0 = never.",
        ),
    ] = 0
    checkpoint_every_s: Annotated[
        float, Meta(gt=0, le=3600, description="Seconds between checkpoints.")
    ] = 20.0
    seed: Seed = 1


class PlanTraining(TrainEncoder, frozen=True, kw_only=True, tag="plan-training"):
    """Estimate time, memory and disk space of a training in a two-second trial."""

    writes_project: ClassVar[bool] = False
