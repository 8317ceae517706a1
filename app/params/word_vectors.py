"""Params of the tasks about word vectors and their mapping between languages."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams, refers_to

RetrievalName = Literal["nn", "isf", "csls"]
StartName = Literal["auto", "adversarial", "distributions"]
SeedSource = Literal["identical", "numerals"]
MapFolder = Annotated[
    Path,
    Meta(description="Folder of a mapping, or the name of one of the project."),
]


class TrainWordVectors(TaskParams, frozen=True, kw_only=True, tag="train-word-vectors"):
    """Train word vectors on a text or on corpora (skip-gram with subwords)."""

    file: Annotated[
        Path | None,
        Meta(
            title="Text",
            description="Text file with one sentence or paragraph per line.",
            extra={"option": "text"},
        ),
    ] = None
    corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Corpora of the project in one language, instead of a file.",
            extra=refers_to("corpus", option="corpus"),
        ),
    ] = ()
    language: Annotated[
        str, Meta(description="Language code. Default: that of the corpora.")
    ] = ""
    out: Annotated[
        Path | None, Meta(description="Output file: .vec. It is replaced if it exists.")
    ] = None
    name: Annotated[
        str,
        Meta(max_length=100, description="Save the vectors in the project, as NAME."),
    ] = ""
    dim: Annotated[
        int, Meta(title="Dimensions", ge=2, le=1_000, description="Dimensions.")
    ] = 100
    epochs: Annotated[
        int, Meta(ge=1, le=1_000, description="Number of passes over the text.")
    ] = 5
    window: Annotated[
        int, Meta(ge=1, le=20, description="Words on each side that a word predicts.")
    ] = 5
    negatives: Annotated[
        int, Meta(ge=1, le=50, description="Random words per predicted word.")
    ] = 5
    min_count: Annotated[
        int,
        Meta(
            title="Minimum count",
            ge=0,
            le=1_000_000,
            description="Occurrences that a word needs. 0: by the size of the text "
            "(5 from one million words, 2 from 20,000).",
        ),
    ] = 0
    min_n: Annotated[
        int,
        Meta(
            title="Shortest n-gram",
            ge=0,
            le=20,
            description="Letters of the shortest subword n-gram. 0: no subwords.",
        ),
    ] = 3
    max_n: Annotated[
        int,
        Meta(
            title="Longest n-gram",
            ge=0,
            le=20,
            description="Letters of the longest subword n-gram.",
        ),
    ] = 6
    lr: Annotated[
        float, Meta(title="Learning rate", gt=0, le=1, description="Learning rate.")
    ] = 0.05
    seed: Seed = 1

    @property
    def holds_lock(self) -> bool:
        """Return whether the vectors are saved in a project."""
        return bool(self.name)


class ImportWordVectors(
    TaskParams, frozen=True, kw_only=True, tag="import-word-vectors"
):
    """Import word vectors from a .vec, .txt or .bin file."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    file: Annotated[
        Path,
        Meta(
            description="File in the text or binary format of word2vec: .vec, .txt or "
            ".bin. Can be compressed (.gz, .xz, .zst)."
        ),
    ]
    language: Annotated[
        str, Meta(min_length=1, description="Language code of the words.")
    ]
    name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=100,
            description="Name of the vectors in the project.",
        ),
    ]
    max_words: Annotated[
        int,
        Meta(
            title="Maximum number of words",
            ge=1,
            le=2_000_000,
            description="Number of words to read. Files list frequent words first.",
        ),
    ] = 200_000


class MapLanguages(TaskParams, frozen=True, kw_only=True, tag="map-languages"):
    """Map the word vectors of one language into the space of another (MUSE)."""

    source: Annotated[
        Path,
        Meta(description="Word vectors to map: a file, or a name in the project."),
    ]
    target: Annotated[
        Path,
        Meta(
            description="Word vectors of the other language: a file, or a name in the "
            "project."
        ),
    ]
    dictionary: Annotated[
        Path | None,
        Meta(
            title="Seed dictionary",
            description="TSV file with a word and its translation per line, or the "
            "name of a dictionary of the project. Without a seed, the mapping is "
            "learned from the vectors alone.",
        ),
    ] = None
    pairs: Annotated[
        str,
        Meta(
            description="Pair set of the project: its accepted pairs of words are the "
            "seed."
        ),
    ] = ""
    seeds: Annotated[
        tuple[SeedSource, ...],
        Meta(
            title="Other seeds",
            description="Use words that are spelled alike (identical), or numbers "
            "(numerals).",
            extra={"option": "seeds"},
        ),
    ] = ()
    out: Annotated[
        Path | None,
        Meta(description="Folder to write. It must not exist or must be a mapping."),
    ] = None
    name: Annotated[
        str,
        Meta(max_length=100, description="Save the mapping in the project, as NAME."),
    ] = ""
    max_words: Annotated[
        int,
        Meta(
            title="Maximum number of words",
            ge=100,
            le=500_000,
            description="Number of the most frequent words of each language to use.",
        ),
    ] = 50_000
    rounds: Annotated[
        int,
        Meta(
            title="Refinement rounds",
            ge=0,
            le=50,
            description="Maximum number of rounds of refinement with mutual "
            "neighbours.",
        ),
    ] = 5
    start: Annotated[
        StartName,
        Meta(
            title="Start without a seed",
            description="adversarial: against a discriminator. distributions: from "
            "the similarities of the words. auto: adversarial only if distributions "
            "fail.",
        ),
    ] = "auto"
    starts: Annotated[
        int,
        Meta(
            title="Random starts",
            ge=1,
            le=20,
            description="Number of starts with different random numbers. The best by "
            "the unsupervised criterion is used.",
        ),
    ] = 2
    epochs: Annotated[
        int,
        Meta(
            title="Adversarial epochs",
            ge=1,
            le=100,
            description="Maximum number of epochs of each adversarial training.",
        ),
    ] = 5
    seed: Seed = 1

    @property
    def holds_lock(self) -> bool:
        """Return whether the mapping is saved in a project."""
        return bool(self.name)


class EvaluateWordTranslation(
    TaskParams, frozen=True, kw_only=True, tag="evaluate-word-translation"
):
    """Measure how often the translation of a word is among the nearest words."""

    map: MapFolder
    dictionary: Annotated[
        Path,
        Meta(
            description="TSV file with a source word and a translation per line. A "
            "word can have several translations."
        ),
    ]
    retrieval: Annotated[
        RetrievalName,
        Meta(
            description="Ranking of translations: nearest neighbour by cosine (nn), "
            "inverted softmax (isf), or cosine corrected for hubs (csls)."
        ),
    ] = "csls"


class EvaluateMappedSentences(
    TaskParams, frozen=True, kw_only=True, tag="evaluate-mapped-sentences"
):
    """Measure a mapping by sentence retrieval and word-by-word translation."""

    map: MapFolder
    pairs: Annotated[
        Path,
        Meta(
            title="Sentence pairs",
            description="TSV file with a source sentence and its translation per line.",
        ),
    ]
    retrieval: Annotated[
        RetrievalName,
        Meta(
            description="Ranking of sentences and of words: nearest neighbour (nn), "
            "inverted softmax (isf), or cosine corrected for hubs (csls)."
        ),
    ] = "csls"
    max_pairs: Annotated[
        int,
        Meta(
            title="Maximum number of pairs",
            ge=2,
            le=100_000,
            description="Number of pairs to read.",
        ),
    ] = 2_000


class EvaluateWordSimilarity(
    TaskParams, frozen=True, kw_only=True, tag="evaluate-word-similarity"
):
    """Correlate cosines of words with similarity ratings by people."""

    data: Annotated[
        tuple[Path, ...],
        Meta(
            min_length=1,
            title="Files",
            description="TSV file with a word, a word and a score per line.",
        ),
    ]
    vectors: Annotated[
        Path | None,
        Meta(
            title="Word vectors",
            description="Word vectors of one language: a file, or a name in the "
            "project.",
        ),
    ] = None
    map: Annotated[
        Path | None,
        Meta(
            title="Mapping",
            description="Instead of word vectors: the first word is in the source "
            "language of this mapping, the second one in the target language.",
        ),
    ] = None
    seed: Seed = 1


class NearestWords(TaskParams, frozen=True, kw_only=True, tag="nearest-words"):
    """List the nearest words in one language, or the answers to an analogy."""

    vectors: Annotated[
        Path,
        Meta(
            title="Word vectors",
            description="Word vectors: a file, or a name in the project.",
        ),
    ]
    text: Annotated[
        str,
        Meta(
            min_length=1,
            title="Word",
            description="A word, or an analogy: Paris : France = Rome.",
        ),
    ]
    top: Annotated[
        int, Meta(ge=1, le=1_000, description="Maximum number of words.")
    ] = 10


class TranslateWord(TaskParams, frozen=True, kw_only=True, tag="translate-word"):
    """List the nearest words in the other language by NN, ISF and CSLS."""

    map: MapFolder
    text: Annotated[str, Meta(min_length=1, description="Word to translate.")]
    top: Annotated[
        int, Meta(ge=1, le=1_000, description="Maximum number by each ranking.")
    ] = 10


class LearnDictionary(TaskParams, frozen=True, kw_only=True, tag="learn-dictionary"):
    """Learn a dictionary from mapped word vectors, to review its entries."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    map: MapFolder
    name: Annotated[
        str, Meta(min_length=1, max_length=100, description="Name of the pair set.")
    ]
    n: Annotated[
        int,
        Meta(
            title="Entries",
            ge=1,
            le=100_000,
            description="Maximum number of entries, the best scores first.",
        ),
    ] = 1_000
    max_rank: Annotated[
        int,
        Meta(
            title="Maximum rank",
            ge=1,
            le=500_000,
            description="Use words up to this rank by frequency in both languages.",
        ),
    ] = 20_000
    min_letters: Annotated[
        int,
        Meta(
            title="Minimum length",
            ge=1,
            le=50,
            description="Letters that a word needs. Numbers are never used.",
        ),
    ] = 2
