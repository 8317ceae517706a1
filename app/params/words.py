"""Params of the tasks about words: counts, concordances and equivalents."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams, refers_to
from app.params.vectors import EncoderName

Layer = Literal["word", "form", "lemma", "pos"]
Corpora = Annotated[
    tuple[str, ...],
    Meta(
        description="Corpora and sub-corpora. Default: all.",
        extra=refers_to("corpus", option="corpus"),
    ),
]
LayerField = Annotated[
    Layer,
    Meta(
        description="Unit to count: words (ignoring case), forms (case-sensitive), "
        "lemmas or parts of speech (from CoNLL-U)."
    ),
]
Languages = Annotated[
    tuple[str, ...],
    Meta(description="Include only this language.", extra={"option": "language"}),
]
Top = Annotated[int, Meta(ge=1, le=1_000_000, description="Maximum number of rows.")]
SortCollocates = Literal["log-likelihood", "log-dice", "t-score", "frequency"]


class IndexWords(TaskParams, frozen=True, kw_only=True, tag="index-words"):
    """Index the words of corpora for fast concordances and counts."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpora: Corpora = ()


class Frequencies(TaskParams, frozen=True, kw_only=True, tag="frequencies"):
    """Count words or n-grams, and measure their dispersion over documents."""

    needs_project: ClassVar[bool] = True

    corpora: Corpora = ()
    languages: Languages = ()
    layer: LayerField = "word"
    n: Annotated[int, Meta(ge=1, le=6, description="N-gram length.")] = 1
    find: Annotated[
        str, Meta(description="Include only matches: haus*, *ung or /regex/.")
    ] = ""
    min_count: Annotated[
        int, Meta(ge=1, description="Minimum number of occurrences.")
    ] = 1
    top: Top = 100


class Collocates(TaskParams, frozen=True, kw_only=True, tag="collocates"):
    """Find the words that occur near a word more often than by chance."""

    needs_project: ClassVar[bool] = True

    text: Annotated[
        str, Meta(min_length=1, description="Word, phrase or prefix (haus*).")
    ]
    corpora: Corpora = ()
    languages: Languages = ()
    left: Annotated[
        int, Meta(ge=0, le=20, description="Number of words to the left of the hit.")
    ] = 5
    right: Annotated[
        int, Meta(ge=0, le=20, description="Number of words to the right of the hit.")
    ] = 5
    layer: LayerField = "word"
    order_by: Annotated[SortCollocates, Meta(description="Score to rank by.")] = (
        "log-likelihood"
    )
    min_count: Annotated[
        int, Meta(ge=1, description="Minimum number of occurrences near the word.")
    ] = 2
    top: Top = 50


class Keyness(TaskParams, frozen=True, kw_only=True, tag="keyness"):
    """Find the words that are typical of corpora compared with reference corpora."""

    needs_project: ClassVar[bool] = True

    corpora: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="Corpora and sub-corpora to compare.",
            extra=refers_to("corpus", option="corpus"),
        ),
    ]
    against: Annotated[
        tuple[str, ...],
        Meta(min_length=1, description="Reference corpus or sub-corpus."),
    ]
    languages: Languages = ()
    layer: LayerField = "word"
    n: Annotated[int, Meta(ge=1, le=6, description="N-gram length.")] = 1
    min_count: Annotated[
        int, Meta(ge=1, description="Minimum number of occurrences in both together.")
    ] = 5
    top: Top = 100


MatchMode = Literal["words", "regex"]
# L1 is the first word to the left of the hit, R1 the first to its right, N the hit.
SortKey = Literal["L1", "L2", "L3", "N", "R1", "R2", "R3", "position", "random"]


class Concordance(TaskParams, frozen=True, kw_only=True, tag="concordance"):
    """List the occurrences of a word, phrase, prefix or regular expression."""

    needs_project: ClassVar[bool] = True

    text: Annotated[
        str,
        Meta(
            max_length=1_000,
            description="Word, phrase, haus*, *ung, lemma:go or pos:VERB; or a regular "
            "expression in the mode regex.",
        ),
    ] = ""
    hits: Annotated[
        str,
        Meta(
            description="Saved hit list, instead of a search.",
            extra=refers_to("hit list"),
        ),
    ] = ""
    mode: Annotated[
        MatchMode, Meta(description="Search for words or for a regular expression.")
    ] = "words"
    case: Annotated[bool, Meta(description="Match case.")] = False
    corpora: Corpora = ()
    languages: Languages = ()
    sort: Annotated[
        tuple[SortKey, ...],
        Meta(
            max_length=3,
            description="Sort key: L1, R1 and so on, N (the hit), position or random. "
            "Repeat it for up to three keys.",
        ),
    ] = ()
    top: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000_000,
            description="Maximum number of lines. All hits are counted.",
        ),
    ] = 200
    near: Annotated[
        tuple[str, ...],
        Meta(
            description="Language in which to show the nearest sentence of each line.",
        ),
    ] = ()
    context: Annotated[
        int,
        Meta(
            ge=0,
            le=50,
            description="Number of exported sentences before and after each line.",
        ),
    ] = 0
    out: Annotated[
        Path | None,
        Meta(description="Output file: .tsv, .xlsx or .docx."),
    ] = None
    save: Annotated[
        str,
        Meta(
            max_length=200, description="Save the hits in the project under this name."
        ),
    ] = ""
    seed: Seed = 1

    @property
    def holds_lock(self) -> bool:
        """Return whether hits are saved, which writes the project."""
        return bool(self.save)


class MoveHits(TaskParams, frozen=True, kw_only=True, tag="move-hits"):
    """Find the hits of a saved list in a reimported corpus."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    hits: Annotated[
        str, Meta(description="Saved hit list.", extra=refers_to("hit list"))
    ]
    corpus: Annotated[
        str, Meta(description="The reimported corpus.", extra=refers_to("corpus"))
    ]
    name: Annotated[
        str,
        Meta(
            max_length=200,
            description="Name of the new list. Default: “old name in corpus”.",
        ),
    ] = ""


class Equivalents(TaskParams, frozen=True, kw_only=True, tag="equivalents"):
    """Rank the translations of a word in sentence pairs, with examples."""

    needs_project: ClassVar[bool] = True

    text: Annotated[
        str, Meta(min_length=1, description="Word, phrase or prefix (haus*).")
    ]
    target_language: Annotated[str, Meta(description="Language of the equivalents.")]
    source_language: Annotated[
        str, Meta(description="Language of the word. Default: any other.")
    ] = ""
    pairs: Annotated[
        tuple[str, ...],
        Meta(
            description="Pair sets. Default: the links of the corpora (imported or "
            "aligned translations).",
            extra=refers_to("pair set"),
        ),
    ] = ()
    accepted: Annotated[
        bool, Meta(description="Include only accepted pairs of the pair set.")
    ] = False
    corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Corpora and sub-corpora. Default: all.",
            extra=refers_to("corpus", option="corpus"),
        ),
    ] = ()
    layer: LayerField = "word"
    order_by: Annotated[
        Literal["log-likelihood", "dice", "frequency"],
        Meta(description="Association score to rank by."),
    ] = "log-likelihood"
    min_count: Annotated[
        int, Meta(ge=1, description="Minimum number of pairs with both words.")
    ] = 1
    dictionary: Annotated[
        str, Meta(description="Name of a dictionary that confirms translations.")
    ] = ""
    top: Top = 20
    n_examples: Annotated[
        int, Meta(ge=0, le=50, description="Number of examples of each.")
    ] = 3
    out: Annotated[Path | None, Meta(description="Output file: .tsv or .tbx.")] = None


class ExportWordAlignments(
    TaskParams, frozen=True, kw_only=True, tag="export-word-alignments"
):
    """Export which words of linked sentences translate each other (Pharaoh format)."""

    needs_project: ClassVar[bool] = True

    source: Annotated[
        str,
        Meta(
            min_length=1,
            description="Corpus whose words come first.",
            extra=refers_to("corpus"),
        ),
    ]
    target: Annotated[
        str,
        Meta(
            min_length=1,
            description="Corpus of the translations.",
            extra=refers_to("corpus"),
        ),
    ]
    out: Annotated[
        Path,
        Meta(
            description="Output file, one line per linked pair. The words are written "
            "beside it, to .source.txt and .target.txt."
        ),
    ]
    least: Annotated[
        float,
        Meta(ge=0.0, le=1.0, description="Lowest confidence of a link, 0 to 1."),
    ] = 0.4
    association_only: Annotated[
        bool, Meta(description="Do not compare the words' vectors.")
    ] = False
    encoder: EncoderName = ""


class ImportDictionary(TaskParams, frozen=True, kw_only=True, tag="import-dictionary"):
    """Import a bilingual dictionary: one word and its translation per line."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    file: Annotated[Path, Meta(description="TSV, CSV, TBX or MUSE file.")]
    source_language: Annotated[
        str, Meta(min_length=1, description="Language of the first column.")
    ]
    target_language: Annotated[
        str, Meta(min_length=1, description="Language of the second column.")
    ]
    name: Annotated[
        str,
        Meta(
            max_length=200,
            description="Name of the dictionary. Default: the file name.",
        ),
    ] = ""
