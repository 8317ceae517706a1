"""Params of the tasks that train encoders and vocabularies."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from app.params.base import Seed, TaskParams, option
from app.params.training.options import (
    MAX_COUNT,
    BatchSize,
    CheckpointInterval,
    ClipNorm,
    Decay,
    Dropout,
    EmbedDim,
    KeptOutFiles,
    LearningRate,
    MaxTokens,
    MeasuringInterval,
    OutFolder,
    Patience,
    Precision,
    StepCount,
    WarmUpSteps,
)

Exponent = Annotated[
    float, option("Sample languages in proportion to size to this power.", ge=0, le=1)
]
PieceCount = Annotated[int, option("Number of pieces or words.", ge=300, le=256_000)]
PairFiles = Annotated[
    tuple[Path, ...],
    option(
        "TSV file (also .xz) with two columns: English and the other language; may "
        "be repeated.",
        window="TSV files (also .xz) with two columns: English and the other language.",
        title="Pair files",
    ),
]


class TrainVocabulary(TaskParams, frozen=True, kw_only=True, tag="train-vocabulary"):
    """Train a vocabulary of subword pieces or of words on pairs."""

    out: Annotated[Path, option("Folder to write the vocabulary to.", title="Folder")]
    pairs: PairFiles = ()
    units: Annotated[
        Literal["pieces", "words"],
        option("Subword pieces, or the most frequent words."),
    ] = "pieces"
    model: Annotated[
        Literal["unigram", "bpe"],
        option("Algorithm that finds the pieces.", title="Vocabulary type"),
    ] = "unigram"
    n_pieces: PieceCount = 48_000
    n_sentences: Annotated[
        int,
        option(
            "Number of sentences to sample from all languages.", ge=100, le=MAX_COUNT
        ),
    ] = 600_000
    sampling_exponent: Exponent = 0.5
    seed: Seed = 1


class TrainEncoder(TaskParams, frozen=True, kw_only=True, tag="train-encoder"):
    """Train an encoder on aligned sentences and other text."""

    writes_project: ClassVar[bool] = True

    # --- name and data ---
    name: Annotated[
        str, option("Name of the new encoder.", min_length=1, max_length=100)
    ]
    corpora: Annotated[
        tuple[str, ...],
        option(
            "Linked corpora of the project. Each is paired with every corpus that it "
            "is linked with.",
            name="corpus",
        ),
    ] = ()
    pair_sets: Annotated[
        tuple[str, ...],
        option(
            "Pair set of the project, mined, aligned or judged. Its accepted pairs are "
            "used, or all of them if none is judged.",
            name="pair-set",
            refers_to="pair set",
        ),
    ] = ()
    pairs: PairFiles = ()
    pair_weights: Annotated[
        tuple[str, ...],
        option(
            "How often pairs of some files are drawn, as pattern:weight. eng-deu*:0.5 "
            "draws the files whose names match half as often. The last match applies; "
            "other files have weight 1.",
            name="pair-weight",
            window="How often the pairs of some files are drawn: 0.5 is half as often. "
            "The last name that matches applies; other files have weight 1.",
        ),
    ] = ()
    word_lists: Annotated[
        tuple[Path, ...],
        option(
            "TSV file (also .xz) with language, English word and its translation. "
            "Random groups of words are added to the pairs, for each language as a "
            "pair file eng-tel.NAME; set a low weight for it.",
            name="word-list",
            window="TSV file (also .xz) with language, English word and its "
            "translation. Random groups of words are added to the pairs of "
            "each language.",
        ),
    ] = ()
    languages: Annotated[
        tuple[str, ...],
        option(
            "Train only on pairs of these languages with each other or with English, "
            "by the names of files (eng-deu.tsv) and the languages of corpora; "
            "default: all.",
            name="language",
        ),
    ] = ()
    kept_out_corpora: Annotated[
        tuple[str, ...],
        option(
            "Development or test corpus of the project. Pairs that contain one of its "
            "sentences are excluded.",
            name="kept-out-corpus",
        ),
    ] = ()
    kept_out: KeptOutFiles = ()
    out: OutFolder = None
    initial: Annotated[
        str, option("Encoder of equal sizes to start from; empty: random weights.")
    ] = ""

    # --- architecture ---
    architecture: Annotated[
        Literal["static", "bilstm", "transformer", "contextual"],
        option(
            "How a vector is computed from the pieces. Contextual: transformer layers "
            "over the words of a static encoder."
        ),
    ] = "static"
    base: Annotated[
        str,
        option(
            "Static encoder whose words the layers read (contextual); empty: the "
            "bundled one."
        ),
    ] = ""
    units: Annotated[
        Literal["pieces", "words"],
        option(
            "Subword pieces, or words with hashed character n-grams (transformer only)."
        ),
    ] = "pieces"
    vocabulary: Annotated[
        Path | None, option("Folder of a trained vocabulary; default: train one.")
    ] = None
    vocabulary_model: Annotated[
        Literal["unigram", "bpe"],
        option("Algorithm that finds the pieces of a new vocabulary."),
    ] = "unigram"
    n_pieces: PieceCount = 48_000
    n_bigrams: Annotated[
        int,
        option("Table rows for hashed bigrams of pieces (static).", ge=0, le=1_048_576),
    ] = 0
    n_ngrams: Annotated[
        int,
        option(
            "Table rows for hashed character n-grams of words (static, words).",
            ge=0,
            le=1_048_576,
        ),
    ] = 131_072
    storage: Annotated[
        Literal["int8", "int4", "float16", "float32"],
        option(
            "Number format of saved weights; int4: static tables only.",
            window="Number format of saved weights. Only static encoders can have 4 "
            "bits.",
        ),
    ] = "int8"
    dim: Annotated[
        int,
        option(
            "Dimensions of a sentence vector. Contextual: first those of the static "
            "encoder; any others are of the context alone.",
            ge=8,
            le=8192,
        ),
    ] = 256
    embed_dim: EmbedDim = 320
    n_layers: Annotated[int, option("Number of layers.", ge=1, le=12)] = 1
    hidden_dim: Annotated[
        int,
        option(
            "Units in each direction (BiLSTM); 0: dimensions / 2, with inner attention "
            "dimensions / 2 / views. Other sizes add a linear map to the dimensions.",
            ge=0,
            le=4096,
        ),
    ] = 0
    end_mark: Annotated[
        bool, option("Append an end-of-sentence mark to every sentence (BiLSTM).")
    ] = False
    n_heads: Annotated[
        int, option("Attention heads per layer (transformer).", ge=1, le=32)
    ] = 8
    filter_dim: Annotated[
        int, option("Feed-forward size of a layer (transformer).", ge=8, le=8192)
    ] = 2048
    norm: Annotated[
        Literal["pre", "post"],
        option("Layer normalisation before or after each block (transformer)."),
    ] = "post"
    pooling: Annotated[
        Literal["max", "mean", "last", "attention"],
        option("How token vectors are combined into one vector."),
    ] = "max"
    n_views: Annotated[
        int, option("Views of inner attention (attention pooling).", ge=1, le=32)
    ] = 1
    attention_dim: Annotated[
        int,
        option(
            "Size of the hidden layer of inner attention (attention pooling).",
            ge=1,
            le=8192,
        ),
    ] = 350
    dropout: Dropout = 0.1
    max_tokens: MaxTokens = 256

    # --- objectives ---
    objectives: Annotated[
        tuple[str, ...],
        option(
            "ranking, translation, nli, contradiction, quick-thought, conversation or "
            "distillation. "
            "Each step trains one of them. A weight sets how often (nli:0.5: half as "
            "often).",
            name="objective",
            window="Each step trains one of the objectives. A weight sets how often.",
        ),
    ] = ("ranking",)
    tasks_per_language: Annotated[
        bool, option("Make each language a task with its own heads.")
    ] = False
    native_languages: Annotated[
        tuple[str, ...],
        option(
            "Train quick-thought and conversation only on this language; default: all. "
            "The names of the files contain the languages: eng.tsv.",
            name="native-language",
        ),
    ] = ()
    temperature: Annotated[float, option("Softmax temperature.", ge=0.03, le=1)] = 0.05
    learns_temperature: Annotated[
        bool, option("Also learn the temperature; it starts at the value above.")
    ] = False
    similarity: Annotated[
        Literal["cosine", "dot"],
        option("Similarity in ranking. With dot products, set the temperature to 1."),
    ] = "cosine"
    margin: Annotated[
        float, option("Additive margin on the cosine of the true pair.", ge=0, lt=1)
    ] = 0.1
    direction: Annotated[
        Literal["both", "source", "target"],
        option("Which side retrieves the other (ranking)."),
    ] = "both"
    n_hard_negatives: Annotated[
        int, option("Mined hard negatives per pair; 0 = none.", ge=0, le=20)
    ] = 0
    negatives_pool: Annotated[
        Literal["batch", "own"],
        option(
            "Hard negatives are candidates for the whole batch, or only for their own "
            "pair."
        ),
    ] = "batch"
    coarse_encoder: Annotated[
        str,
        option(
            "Encoder that mines the first hard negatives; empty: one of the same "
            "architecture, which is trained first by ranking alone."
        ),
    ] = ""
    n_coarse_steps: Annotated[
        int,
        option(
            "Steps to train the encoder that mines the first hard negatives; 0 = the "
            "bundled encoder mines them.",
            ge=0,
            le=MAX_COUNT,
        ),
    ] = 1_000
    negatives_every: Annotated[
        int,
        option(
            "Steps after which the encoder itself mines new hard negatives; 0 = never.",
            ge=0,
            le=MAX_COUNT,
        ),
    ] = 0
    target_languages: Annotated[
        tuple[str, ...],
        option("Language to translate into (translation).", name="target-language"),
    ] = ("eng", "spa")
    decoder_dim: Annotated[
        int, option("Size of the decoder (translation).", ge=16, le=4096)
    ] = 2048
    language_dim: Annotated[
        int, option("Dimensions of a language embedding (translation).", ge=1, le=512)
    ] = 32
    nli: Annotated[
        tuple[Path, ...],
        option(
            "TSV file (also .xz) with label, premise and hypothesis (natural language "
            "inference). The classifier that is trained with the encoder is kept."
        ),
    ] = ()
    documents: Annotated[
        tuple[Path, ...],
        option(
            "Running text, one sentence per line with an empty line between documents, "
            "or a TSV table with a header and the document first, or .xz "
            "(quick-thought)."
        ),
    ] = ()
    conversations: Annotated[
        tuple[Path, ...],
        option("TSV file (also .xz) with input and response (conversation)."),
    ] = ()
    teacher: Annotated[
        str,
        option(
            "Encoder whose vectors of the English sides are the target for both "
            "sides, by the squared distance of unit vectors (distillation); empty: "
            "bundled."
        ),
    ] = ""

    # --- steps ---
    n_steps: StepCount = 5_000
    batch_size: BatchSize = 2_048
    batch_tokens: Annotated[
        int,
        option(
            "Maximum number of tokens per batch; 0 = no limit.", ge=0, le=10_000_000
        ),
    ] = 0
    n_accumulated: Annotated[
        int, option("Batches whose gradients are accumulated per step.", ge=1, le=1024)
    ] = 1
    languages_per_batch: Annotated[
        int,
        option(
            "Languages per batch. Few languages make negatives harder; many train "
            "small languages faster.",
            ge=1,
            le=1024,
        ),
    ] = 16
    sampling_exponent: Exponent = 0.5
    optimiser: Annotated[
        Literal["adam", "sgd"],
        option("Adam, or plain stochastic gradient descent (SGD)."),
    ] = "adam"
    embedding_gradient: Annotated[
        float,
        option(
            "Factor of the gradients of word, piece and n-gram tables (sgd).",
            gt=0,
            le=1e6,
        ),
    ] = 1.0
    lr: LearningRate = 0.01
    n_warmup: WarmUpSteps = 200
    decay: Decay = "linear"
    clip_norm: ClipNorm = 0.0
    precision: Precision = "auto"

    # --- development metric and checkpoints ---
    n_development: Annotated[
        int,
        option(
            "Development pairs of each language, which are not trained on, to measure "
            "the retrieval error, and pairs of the NLI files to measure the accuracy "
            "(at most a tenth of them); 0 = none.",
            ge=0,
            le=100_000,
        ),
    ] = 0
    evaluate_every: MeasuringInterval = 500
    selected_by: Annotated[
        Literal["retrieval", "nli"],
        option(
            "Keep the weights with the lowest retrieval error, or with the highest NLI "
            "accuracy, of all measurements. What is not measured doesn't count."
        ),
    ] = "retrieval"
    patience: Patience = 0
    checkpoint_every_s: CheckpointInterval = 20.0
    seed: Seed = 1


class PlanTraining(TrainEncoder, frozen=True, kw_only=True, tag="plan-training"):
    """Estimate time, memory and disk space of a training from a short trial."""

    writes_project: ClassVar[bool] = False
