"""Params of the tasks about words: counts, concordances and equivalents."""

from pathlib import Path
from typing import Annotated, Literal

from app.params.base import (
    CorpusNames,
    ProjectTask,
    ReplaceFile,
    Seed,
    WritingTask,
    option,
)
from app.params.vectors import EncoderName

Layer = Literal["word", "form", "lemma", "pos"]
Corpora = Annotated[CorpusNames, option("Corpora and sub-corpora. Default: all.")]
LayerField = Annotated[
    Layer,
    option(
        "Unit to count: words (ignoring case), forms (case-sensitive), lemmas or "
        "parts of speech (from CoNLL-U)."
    ),
]
Languages = Annotated[
    tuple[str, ...], option("Include only this language.", name="language")
]
Word = Annotated[str, option("Word, phrase or prefix (haus*).", min_length=1)]
NGramLength = Annotated[int, option("N-gram length.", ge=1, le=6)]
Top = Annotated[int, option("Maximum number of rows.", ge=1, le=1_000_000)]
SortCollocates = Literal["log-likelihood", "log-dice", "t-score", "frequency"]


class IndexWords(WritingTask, frozen=True, kw_only=True, tag="index-words"):
    """Index the words of corpora for fast concordances and counts."""

    corpora: Corpora = ()


class Frequencies(ProjectTask, frozen=True, kw_only=True, tag="frequencies"):
    """Count words or n-grams, and measure their dispersion over documents."""

    corpora: Corpora = ()
    languages: Languages = ()
    layer: LayerField = "word"
    n: NGramLength = 1
    find: Annotated[str, option("Include only matches: haus*, *ung or /regex/.")] = ""
    min_count: Annotated[int, option("Minimum number of occurrences.", ge=1)] = 1
    top: Top = 100


class Collocates(ProjectTask, frozen=True, kw_only=True, tag="collocates"):
    """Find the words that occur near a word more often than by chance."""

    text: Word
    corpora: Corpora = ()
    languages: Languages = ()
    left: Annotated[
        int, option("Number of words to the left of the hit.", ge=0, le=20)
    ] = 5
    right: Annotated[
        int, option("Number of words to the right of the hit.", ge=0, le=20)
    ] = 5
    layer: LayerField = "word"
    order_by: Annotated[SortCollocates, option("Score to rank by.")] = "log-likelihood"
    min_count: Annotated[
        int, option("Minimum number of occurrences near the word.", ge=1)
    ] = 2
    top: Top = 50


class Keyness(ProjectTask, frozen=True, kw_only=True, tag="keyness"):
    """Find the words that are typical of corpora compared with reference corpora."""

    corpora: Annotated[
        CorpusNames, option("Corpora and sub-corpora to compare.", min_length=1)
    ]
    against: Annotated[
        tuple[str, ...], option("Reference corpus or sub-corpus.", min_length=1)
    ]
    languages: Languages = ()
    layer: LayerField = "word"
    n: NGramLength = 1
    min_count: Annotated[
        int, option("Minimum number of occurrences in both together.", ge=1)
    ] = 5
    top: Top = 100


MatchMode = Literal["words", "regex"]
# L1 is the first word to the left of the hit, R1 the first to its right, N the hit.
SortKey = Literal["L1", "L2", "L3", "N", "R1", "R2", "R3", "position", "random"]


class Concordance(ProjectTask, frozen=True, kw_only=True, tag="concordance"):
    """List the occurrences of a word, phrase, prefix or regular expression."""

    text: Annotated[
        str,
        option(
            "Word, phrase, haus*, *ung, lemma:go or pos:VERB; or a regular expression "
            "in the mode regex.",
            max_length=1_000,
        ),
    ] = ""
    hits: Annotated[
        str, option("Saved hit list, instead of a search.", refers_to="hit list")
    ] = ""
    mode: Annotated[
        MatchMode, option("Search for words or for a regular expression.")
    ] = "words"
    case: Annotated[bool, option("Match case.")] = False
    corpora: Corpora = ()
    languages: Languages = ()
    sort: Annotated[
        tuple[SortKey, ...],
        option(
            "Sort key: L1, R1 and so on, N (the hit), position or random. Repeat it "
            "for up to three keys.",
            max_length=3,
        ),
    ] = ()
    top: Annotated[
        int,
        option("Maximum number of lines. All hits are counted.", ge=1, le=10_000_000),
    ] = 200
    near: Annotated[
        tuple[str, ...],
        option("Language in which to show the nearest sentence of each line."),
    ] = ()
    context: Annotated[
        int,
        option("Number of exported sentences before and after each line.", ge=0, le=50),
    ] = 0
    out: Annotated[Path | None, option("Output file: .tsv, .xlsx or .docx.")] = None
    replace: ReplaceFile = False
    save: Annotated[
        str, option("Save the hits in the project under this name.", max_length=200)
    ] = ""
    seed: Seed = 1

    @property
    def holds_lock(self) -> bool:
        """Return whether hits are saved, which writes the project."""
        return bool(self.save)


class MoveHits(WritingTask, frozen=True, kw_only=True, tag="move-hits"):
    """Find the hits of a saved list in a reimported corpus."""

    hits: Annotated[str, option("Saved hit list.", refers_to="hit list")]
    corpus: Annotated[str, option("The reimported corpus.", refers_to="corpus")]
    name: Annotated[
        str,
        option("Name of the new list. Default: “old name in corpus”.", max_length=200),
    ] = ""


class Equivalents(ProjectTask, frozen=True, kw_only=True, tag="equivalents"):
    """Rank the translations of a word in sentence pairs, with examples."""

    text: Word
    target_language: Annotated[str, option("Language of the equivalents.")]
    source_language: Annotated[
        str, option("Language of the word. Default: any other.")
    ] = ""
    pairs: Annotated[
        tuple[str, ...],
        option(
            "Pair sets. Default: the links of the corpora (imported or aligned "
            "translations).",
            refers_to="pair set",
        ),
    ] = ()
    accepted: Annotated[
        bool, option("Include only accepted pairs of the pair set.")
    ] = False
    corpora: Corpora = ()
    layer: LayerField = "word"
    order_by: Annotated[
        Literal["log-likelihood", "dice", "frequency"],
        option("Association score to rank by."),
    ] = "log-likelihood"
    min_count: Annotated[
        int, option("Minimum number of pairs with both words.", ge=1)
    ] = 1
    dictionary: Annotated[
        str, option("Name of a dictionary that confirms translations.")
    ] = ""
    top: Top = 20
    n_examples: Annotated[int, option("Number of examples of each.", ge=0, le=50)] = 3
    out: Annotated[Path | None, option("Output file: .tsv or .tbx.")] = None


class ExportWordAlignments(
    ProjectTask, frozen=True, kw_only=True, tag="export-word-alignments"
):
    """Export which words of linked sentences translate each other (Pharaoh format)."""

    source: Annotated[
        str, option("Corpus whose words come first.", min_length=1, refers_to="corpus")
    ]
    target: Annotated[
        str, option("Corpus of the translations.", min_length=1, refers_to="corpus")
    ]
    out: Annotated[
        Path,
        option(
            "Output file, one line per linked pair. The words are written next to "
            "it, to .source.txt and .target.txt."
        ),
    ]
    least: Annotated[
        float, option("Lowest confidence of a link, 0 to 1.", ge=0.0, le=1.0)
    ] = 0.4
    association_only: Annotated[bool, option("Do not compare the words' vectors.")] = (
        False
    )
    encoder: EncoderName = ""


class ImportDictionary(WritingTask, frozen=True, kw_only=True, tag="import-dictionary"):
    """Import a bilingual dictionary: one word and its translation per line."""

    file: Annotated[Path, option("TSV, CSV, TBX or MUSE file.")]
    source_language: Annotated[
        str, option("Language of the first column.", min_length=1)
    ]
    target_language: Annotated[
        str, option("Language of the second column.", min_length=1)
    ]
    name: Annotated[
        str, option("Name of the dictionary. Default: the file name.", max_length=200)
    ] = ""
