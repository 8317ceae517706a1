"""Params of the tasks that mine, score and align translations."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, SourceCorpus, TaskParams, WritingTask, option
from app.params.vectors import EncoderName

MarginName = Literal["ratio", "distance", "absolute"]
RetrievalName = Literal["max", "intersection", "forward", "backward"]
IndexName = Literal["exact", "ivf", "sq8", "hnsw"]

# The score of a pair that is no more similar than its sentences and their neighbours
NO_BETTER_THAN_NEIGHBOURS: dict[str, float] = {"ratio": 1.0, "distance": 0.0}

Neighbourhood = Annotated[
    int,
    option(
        "Number of neighbours of each sentence; their mean cosine normalises the "
        "scores.",
        ge=1,
        le=128,
    ),
]
Margin = Annotated[
    MarginName,
    option(
        "Score of a pair: its cosine divided by the mean of the neighbours "
        "(ratio), minus the mean (distance), or unchanged (absolute)."
    ),
]
Retrieval = Annotated[
    RetrievalName,
    option(
        "Which pairs are selected: the best target of each source (forward), the "
        "best source of each target (backward), pairs in both (intersection), or "
        "the best of both with each sentence once (max).",
        title="Selected pairs",
    ),
]
Score = Annotated[float, Meta(ge=-1_000, le=1_000)]
Threshold = Annotated[
    Score | None, option("Lowest score of a pair. Default: no minimum.")
]
LanguagesField = Annotated[
    str,
    option(
        "Language of the sentences to mine, in a corpus of several languages. "
        "Empty: all languages."
    ),
]
Lines = Annotated[
    str,
    option(
        "Align only these lines of the file, such as 1-500.",
        window="Align the whole text, or only some of its lines.",
        max_length=50,
    ),
]


DocumentName = Annotated[
    str,
    option(
        "Align only this document of the corpus. Empty: all.",
        window="Align all documents of the corpus, or only one.",
        max_length=1_000,
    ),
]


class MinePairs(WritingTask, frozen=True, kw_only=True, tag="mine-pairs"):
    """Mine pairs of sentences that are translations of each other."""

    aliases: ClassVar[tuple[str, ...]] = ("mine",)
    continues: ClassVar[bool] = True

    source: SourceCorpus
    target: Annotated[
        str,
        option(
            "Target corpus. Empty: mine between two languages of the source corpus.",
            refers_to="corpus",
        ),
    ] = ""
    source_language: LanguagesField = ""
    target_language: LanguagesField = ""
    name: Annotated[
        str,
        option("Name of the pair set. Empty: the names of both sides.", max_length=200),
    ] = ""
    encoder: EncoderName = ""
    k: Neighbourhood = 4
    margin: Margin = "ratio"
    retrieval: Retrieval = "max"
    threshold: Threshold = None
    candidates: Annotated[
        bool, option("Also save the other candidates above the threshold.")
    ] = False
    index: Annotated[
        IndexName,
        option(
            "How to search for neighbours: exactly (exact), or approximately in very "
            "large corpora: with clusters (ivf; SQ8 needs a quarter of the memory) "
            "or a graph (hnsw). The recall is measured."
        ),
    ] = "exact"
    duplicates: Annotated[
        Literal["once", "each"],
        option(
            "Sentences with the same text: mine only the first (once), or each of them "
            "(each)."
        ),
    ] = "once"
    filters: Annotated[
        tuple[str, ...],
        option(
            'Filter of the pairs, such as "length min=3 max=300". Filters are applied '
            "in this order.",
            name="filter",
            window="Filters of the pairs, applied in this order.",
        ),
    ] = ()


class ScorePairs(TaskParams, frozen=True, kw_only=True, tag="score-pairs"):
    """Score the pairs of an existing parallel text."""

    source: Annotated[
        str,
        option(
            "Source: a corpus of the project, or a file with one sentence per line.",
            min_length=1,
            refers_to="corpus",
        ),
    ]
    target: Annotated[
        str,
        option(
            "Target: a corpus linked with the source, or a file aligned with it line "
            "by line.",
            min_length=1,
        ),
    ]
    out: Annotated[
        Path | None,
        option("TSV file to write: score, cosine, source, target. It must not exist."),
    ] = None
    encoder: EncoderName = ""
    k: Neighbourhood = 4
    margin: Margin = "ratio"


class EvaluateMining(TaskParams, frozen=True, kw_only=True, tag="evaluate-mining"):
    """Evaluate mining with a gold standard: precision, recall and F1."""

    source: Annotated[Path, option("Source sentences: id, tab, text. Can be .xz.")]
    target: Annotated[Path, option("Target sentences: id, tab, text. Can be .xz.")]
    gold: Annotated[Path, option("True pairs: source id, tab, target id. Can be .xz.")]
    margin: Margin = "ratio"
    k: Neighbourhood = 4
    retrieval: Retrieval = "max"
    encoder: EncoderName = ""
    threshold: Annotated[
        Score | None,
        option(
            "Lowest score of a pair. Default: the score with the best F1, of the "
            "training set if there is one."
        ),
    ] = None
    train_source: Annotated[
        Path | None,
        option(
            "Source sentences of a training set in the same form, on which the "
            "threshold is chosen (as in BUCC)."
        ),
    ] = None
    train_target: Annotated[
        Path | None, option("Target sentences of the training set.")
    ] = None
    train_gold: Annotated[Path | None, option("True pairs of the training set.")] = None


class AlignDocuments(WritingTask, frozen=True, kw_only=True, tag="align-documents"):
    """Align two documents that are translations of each other in the same order."""

    source: SourceCorpus
    target: Annotated[str, option("Target corpus.", min_length=1, refers_to="corpus")]
    source_document: DocumentName = ""
    target_document: DocumentName = ""
    source_lines: Lines = ""
    target_lines: Lines = ""
    name: Annotated[
        str,
        option(
            "Name of the alignment. Default: the names of both corpora.", max_length=200
        ),
    ] = ""
    encoder: EncoderName = ""
    by_lines: Annotated[
        bool,
        option(
            "Link each sentence with the one at the same place of the other text. Both "
            "texts need the same number of sentences."
        ),
    ] = False
    joined: Annotated[
        int,
        option(
            "Maximum number of consecutive sentences joined on one side of a link; "
            "both sides together have at most one more.",
            ge=1,
            le=4,
        ),
    ] = 4
    skip: Annotated[
        float,
        option(
            "Cost of a sentence without a translation, as a quantile of the costs of "
            "nearest sentences; lower values leave more unlinked.",
            title="Cost of unlinked sentences",
            ge=0,
            le=1,
        ),
    ] = 0.55
    window: Annotated[
        int,
        option(
            "Number of sentences around the rough path to search for the finer path.",
            title="Search width (sentences)",
            ge=2,
            le=1_000,
        ),
    ] = 10
    seed: Seed = 1
