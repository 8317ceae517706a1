"""Params of the tasks about word vectors and their mapping between languages."""

from pathlib import Path
from typing import Annotated, Literal

from app.params.base import CorpusNames, Seed, TaskParams, WritingTask, option
from app.params.vectors import EncoderName

RetrievalName = Literal["nn", "isf", "csls"]
StartName = Literal["auto", "adversarial", "distributions"]
VectorMethod = Literal["skip-gram", "counts", "encoder"]
SeedSource = Literal["identical", "numerals"]
MapFolder = Annotated[
    Path,
    option(
        "Folder of bilingual vectors, or their name in the project.",
        title="Bilingual vectors",
    ),
]


class TrainWordVectors(TaskParams, frozen=True, kw_only=True, tag="train-word-vectors"):
    """Train word vectors on a text or on corpora, or take those of an encoder."""

    file: Annotated[
        Path | None,
        option(
            "Text file with one sentence or paragraph per line.",
            title="Text",
            name="text",
        ),
    ] = None
    corpora: Annotated[
        CorpusNames,
        option("Corpora of the project in one language, instead of a file."),
    ] = ()
    language: Annotated[str, option("Language code. Default: that of the corpora.")] = (
        ""
    )
    out: Annotated[
        Path | None, option("Output file: .vec. It is replaced if it exists.")
    ] = None
    name: Annotated[
        str, option("Name of the vectors in the project.", max_length=100)
    ] = ""
    method: Annotated[
        VectorMethod,
        option(
            "skip-gram: with subword n-grams and negative sampling. counts: "
            "co-occurrence counts with fewer dimensions (PPMI and singular values), "
            "which map better between languages if the text has only a few million "
            "words. It uses only dimensions, window and minimum count. encoder: the "
            "vectors that an encoder computes for the words of the text, without "
            "training. Best for small texts. It uses only the minimum count."
        ),
    ] = "skip-gram"
    encoder: EncoderName = ""
    dim: Annotated[int, option("Dimensions.", title="Dimensions", ge=2, le=1_000)] = 100
    epochs: Annotated[
        int, option("Number of passes over the text.", ge=1, le=1_000)
    ] = 5
    window: Annotated[
        int, option("Words on each side that a word predicts.", ge=1, le=20)
    ] = 5
    negatives: Annotated[
        int, option("Random words per predicted word.", ge=1, le=50)
    ] = 5
    min_count: Annotated[
        int,
        option(
            "Minimum number of occurrences of a word. 0: depends on the size of the "
            "text (5 from one million words, 2 from 20,000).",
            title="Minimum count",
            ge=0,
            le=1_000_000,
        ),
    ] = 0
    min_n: Annotated[
        int,
        option(
            "Number of letters of the shortest subword n-gram. 0: no subwords.",
            title="Shortest n-gram",
            ge=0,
            le=20,
        ),
    ] = 3
    max_n: Annotated[
        int,
        option(
            "Number of letters of the longest subword n-gram.",
            title="Longest n-gram",
            ge=0,
            le=20,
        ),
    ] = 6
    lr: Annotated[
        float, option("Learning rate.", title="Learning rate", gt=0, le=1)
    ] = 0.05
    seed: Seed = 1

    @property
    def holds_lock(self) -> bool:
        """Return whether the vectors are saved in a project."""
        return bool(self.name)


class ImportWordVectors(
    WritingTask, frozen=True, kw_only=True, tag="import-word-vectors"
):
    """Import word vectors from a .vec, .txt or .bin file."""

    file: Annotated[
        Path,
        option(
            "File in the text or binary format of word2vec: .vec, .txt or .bin. Can be "
            "compressed (.gz, .xz, .zst)."
        ),
    ]
    language: Annotated[str, option("Language code of the words.", min_length=1)]
    name: Annotated[
        str, option("Name of the vectors in the project.", min_length=1, max_length=100)
    ]
    max_words: Annotated[
        int,
        option(
            "Number of words to read. Files list frequent words first.",
            title="Maximum number of words",
            ge=1,
            le=2_000_000,
        ),
    ] = 200_000


class MapLanguages(TaskParams, frozen=True, kw_only=True, tag="map-languages"):
    """Map the word vectors of one language into the space of another (MUSE)."""

    source: Annotated[
        Path, option("Word vectors to map: a file, or a name in the project.")
    ]
    target: Annotated[
        Path,
        option("Word vectors of the other language: a file, or a name in the project."),
    ]
    dictionary: Annotated[
        Path | None,
        option(
            "TSV file with a word and its translation per line, or the name of a "
            "dictionary of the project. Without a seed, the mapping is learned from "
            "the vectors alone.",
            title="Seed dictionary",
        ),
    ] = None
    pairs: Annotated[
        str,
        option(
            "Pair set of the project: its accepted pairs of words are the seed.",
            refers_to="pair set",
        ),
    ] = ""
    seeds: Annotated[
        tuple[SeedSource, ...],
        option(
            "Use words that are spelled alike (identical), or numbers (numerals).",
            title="Other seeds",
            name="seeds",
        ),
    ] = ()
    out: Annotated[
        Path | None,
        option("Folder to write. It must not exist or must contain bilingual vectors."),
    ] = None
    name: Annotated[
        str, option("Name of the bilingual vectors in the project.", max_length=100)
    ] = ""
    max_words: Annotated[
        int,
        option(
            "Number of the most frequent words of each language to use.",
            title="Maximum number of words",
            ge=100,
            le=500_000,
        ),
    ] = 50_000
    rounds: Annotated[
        int,
        option(
            "Maximum number of rounds of refinement with mutual neighbours.",
            title="Refinement rounds",
            ge=0,
            le=50,
        ),
    ] = 5
    start: Annotated[
        StartName,
        option(
            "adversarial: against a discriminator. distributions: from the "
            "similarities of the words. auto: adversarial only if distributions fail.",
            title="Start without a seed",
        ),
    ] = "auto"
    starts: Annotated[
        int,
        option(
            "Number of random starts. The one with the best unsupervised criterion "
            "is used.",
            title="Random starts",
            ge=1,
            le=20,
        ),
    ] = 2
    epochs: Annotated[
        int,
        option(
            "Maximum number of epochs of each adversarial training.",
            title="Adversarial epochs",
            ge=1,
            le=100,
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
        option(
            "TSV file with a source word and a translation per line. A word can have "
            "several translations."
        ),
    ]
    retrieval: Annotated[
        RetrievalName,
        option(
            "Ranking of translations: nearest neighbour by cosine (nn), inverted "
            "softmax (isf), or cosine corrected for hubs (csls)."
        ),
    ] = "csls"


class EvaluateMappedSentences(
    TaskParams, frozen=True, kw_only=True, tag="evaluate-mapped-sentences"
):
    """Measure bilingual vectors by sentence retrieval and word-by-word translation."""

    map: MapFolder
    pairs: Annotated[
        Path,
        option(
            "TSV file with a source sentence and its translation per line.",
            title="Sentence pairs",
        ),
    ]
    retrieval: Annotated[
        RetrievalName,
        option(
            "Ranking of sentences and of words: nearest neighbour (nn), inverted "
            "softmax (isf), or cosine corrected for hubs (csls)."
        ),
    ] = "csls"
    max_pairs: Annotated[
        int,
        option(
            "Number of pairs to read.",
            title="Maximum number of pairs",
            ge=2,
            le=100_000,
        ),
    ] = 2_000


class EvaluateWordSimilarity(
    TaskParams, frozen=True, kw_only=True, tag="evaluate-word-similarity"
):
    """Correlate cosines of words with similarity ratings by people."""

    data: Annotated[
        tuple[Path, ...],
        option(
            "TSV file with two words and a score per line.",
            min_length=1,
            title="Files",
        ),
    ]
    vectors: Annotated[
        Path | None,
        option(
            "Word vectors of one language: a file, or a name in the project.",
            title="Word vectors",
        ),
    ] = None
    map: Annotated[
        Path | None,
        option(
            "Instead of vectors of one language: the first word is in the source "
            "language, the second one in the target language.",
            title="Bilingual vectors",
        ),
    ] = None
    seed: Seed = 1


class NearestWords(TaskParams, frozen=True, kw_only=True, tag="nearest-words"):
    """List the nearest words in one language, or the answers to an analogy."""

    vectors: Annotated[
        Path,
        option("Word vectors: a file, or a name in the project.", title="Word vectors"),
    ]
    text: Annotated[
        str,
        option(
            "A word, or an analogy: Paris : France = Rome.", min_length=1, title="Word"
        ),
    ]
    top: Annotated[int, option("Maximum number of words.", ge=1, le=1_000)] = 10


class TranslateWord(TaskParams, frozen=True, kw_only=True, tag="translate-word"):
    """List the nearest words in the other language by NN, ISF and CSLS."""

    map: MapFolder
    text: Annotated[str, option("Word to translate.", min_length=1)]
    top: Annotated[
        int, option("Maximum number of words for each ranking.", ge=1, le=1_000)
    ] = 10


class LearnDictionary(WritingTask, frozen=True, kw_only=True, tag="learn-dictionary"):
    """Learn a dictionary from bilingual vectors, to review its entries."""

    map: MapFolder
    name: Annotated[str, option("Name of the pair set.", min_length=1, max_length=100)]
    n: Annotated[
        int,
        option(
            "Maximum number of entries (pairs of words), the best scores first. The "
            "word lists also have the next best translations, so they are longer.",
            title="Entries",
            ge=1,
            le=100_000,
        ),
    ] = 1_000
    max_rank: Annotated[
        int,
        option(
            "Use words up to this rank by frequency in both languages.",
            title="Maximum rank",
            ge=1,
            le=500_000,
        ),
    ] = 20_000
    min_letters: Annotated[
        int,
        option(
            "Minimum number of letters in a word. Numbers are never used.",
            title="Minimum length",
            ge=1,
            le=50,
        ),
    ] = 2
