"""Params of the tasks about words: counts, concordances and equivalents."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams

Layer = Literal["word", "form", "lemma", "pos"]
Corpora = Annotated[
    tuple[str, ...],
    Meta(
        description="Name or id of a corpus, or name of a sub-corpus; none: all.",
        extra={"option": "corpus"},
    ),
]
LayerField = Annotated[
    Layer,
    Meta(
        description="What is counted: words whatever their case, forms as they are "
        "written, lemmas or parts of speech (where CoNLL-U gave them)."
    ),
]
Languages = Annotated[
    tuple[str, ...],
    Meta(description="Only in this language.", extra={"option": "language"}),
]
Top = Annotated[int, Meta(ge=1, le=1_000_000, description="Rows at most.")]
SortCollocates = Literal["log-likelihood", "log-dice", "t-score", "frequency"]


class IndexWords(TaskParams, frozen=True, kw_only=True, tag="index-words"):
    """Index the words of corpora, so that concordances and counts take a moment."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpora: Corpora = ()


class Frequencies(TaskParams, frozen=True, kw_only=True, tag="frequencies"):
    """Count words or n-grams, and how evenly documents share them."""

    needs_project: ClassVar[bool] = True

    corpora: Corpora = ()
    languages: Languages = ()
    layer: LayerField = "word"
    n: Annotated[
        int, Meta(ge=1, le=6, description="Words in a row that are counted together.")
    ] = 1
    find: Annotated[
        str, Meta(description="Only those that match: haus*, *ung, a regular /x/.")
    ] = ""
    min_count: Annotated[int, Meta(ge=1, description="Rarer ones are left out.")] = 1
    top: Top = 100


class Collocates(TaskParams, frozen=True, kw_only=True, tag="collocates"):
    """Find the words that stand near a word more often than chance would have them."""

    needs_project: ClassVar[bool] = True

    text: Annotated[
        str, Meta(min_length=1, description="Word, phrase or prefix (haus*).")
    ]
    corpora: Corpora = ()
    languages: Languages = ()
    left: Annotated[
        int, Meta(ge=0, le=20, description="Words to the left that are looked at.")
    ] = 5
    right: Annotated[
        int, Meta(ge=0, le=20, description="Words to the right that are looked at.")
    ] = 5
    layer: LayerField = "word"
    order_by: Annotated[SortCollocates, Meta(description="Score that ranks them.")] = (
        "log-likelihood"
    )
    min_count: Annotated[
        int, Meta(ge=1, description="Found so often near the word at least.")
    ] = 2
    top: Top = 50


class Keyness(TaskParams, frozen=True, kw_only=True, tag="keyness"):
    """Compare corpora: the words that mark the ones against the others."""

    needs_project: ClassVar[bool] = True

    corpora: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="Name or id of a corpus, or name of a sub-corpus.",
            extra={"option": "corpus"},
        ),
    ]
    against: Annotated[
        tuple[str, ...],
        Meta(min_length=1, description="What it is compared with, in that form."),
    ]
    languages: Languages = ()
    layer: LayerField = "word"
    n: Annotated[
        int, Meta(ge=1, le=6, description="Words in a row that are counted together.")
    ] = 1
    min_count: Annotated[
        int, Meta(ge=1, description="Found so often in both together at least.")
    ] = 5
    top: Top = 100


MatchMode = Literal["words", "regex"]
# L1 is the first word to the left of the hit, R1 the first to its right, N the hit.
SortKey = Literal["L1", "L2", "L3", "N", "R1", "R2", "R3", "position", "random"]


class Concordance(TaskParams, frozen=True, kw_only=True, tag="concordance"):
    """List where a word, phrase, prefix or regular expression stands."""

    needs_project: ClassVar[bool] = True

    text: Annotated[
        str,
        Meta(
            max_length=1_000,
            description="A word, a phrase, haus*, *ung, lemma:go, pos:VERB; or, with "
            "--mode regex, a regular expression.",
        ),
    ] = ""
    hits: Annotated[
        str,
        Meta(
            description="Name or id of a kept list: its lines, in its order, in the "
            "place of a search."
        ),
    ] = ""
    mode: Annotated[
        MatchMode, Meta(description="Words, or a regular expression over the text.")
    ] = "words"
    case: Annotated[bool, Meta(description="Tell capitals from small letters.")] = False
    corpora: Corpora = ()
    languages: Languages = ()
    sort: Annotated[
        tuple[SortKey, ...],
        Meta(
            max_length=3,
            description="Word that orders the lines: L1, R1 …, N (the hit), position "
            "or random; repeat it for up to three.",
        ),
    ] = ()
    top: Annotated[
        int, Meta(ge=1, le=10_000_000, description="Lines at most; all are counted.")
    ] = 200
    near: Annotated[
        tuple[str, ...],
        Meta(
            description="Language in which each line's nearest sentence is given.",
        ),
    ] = ()
    context: Annotated[
        int,
        Meta(ge=0, le=50, description="Sentences before and after in what is written."),
    ] = 0
    out: Annotated[
        Path | None,
        Meta(description="File to write: .tsv, .xlsx or .docx."),
    ] = None
    save: Annotated[
        str,
        Meta(max_length=200, description="Keep the hits in the project by this name."),
    ] = ""
    seed: Seed = 1

    @property
    def holds_lock(self) -> bool:
        """Return whether hits are kept, which writes the project."""
        return bool(self.save)


class MoveHits(TaskParams, frozen=True, kw_only=True, tag="move-hits"):
    """Find the hits of a kept list again in a corpus that was imported anew."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    hits: Annotated[str, Meta(description="Name or id of the list.")]
    corpus: Annotated[
        str, Meta(description="Name or id of the corpus where they are looked for.")
    ]
    name: Annotated[
        str,
        Meta(
            max_length=200, description="New list's name; empty: “old name in corpus”."
        ),
    ] = ""


class Equivalents(TaskParams, frozen=True, kw_only=True, tag="equivalents"):
    """Rank how a word is translated in aligned sentences, each with examples."""

    needs_project: ClassVar[bool] = True

    text: Annotated[
        str, Meta(min_length=1, description="Word, phrase or prefix (haus*).")
    ]
    target_language: Annotated[str, Meta(description="Language of the equivalents.")]
    source_language: Annotated[
        str, Meta(description="Language of the word; empty: any other.")
    ] = ""
    pairs: Annotated[
        tuple[str, ...],
        Meta(
            description="Name or id of a set of pairs; none: what the links of the "
            "corpora say (imported or aligned translations).",
        ),
    ] = ()
    accepted: Annotated[
        bool, Meta(description="Of a set of pairs, only those that were accepted.")
    ] = False
    corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Name or id of a corpus or sub-corpus of the word; none: all.",
            extra={"option": "corpus"},
        ),
    ] = ()
    layer: LayerField = "word"
    order_by: Annotated[
        Literal["log-likelihood", "dice", "frequency"],
        Meta(description="Association score that ranks them."),
    ] = "log-likelihood"
    min_count: Annotated[
        int, Meta(ge=1, description="Found in so many translations at least.")
    ] = 1
    dictionary: Annotated[
        str, Meta(description="Name of a dictionary that they are checked against.")
    ] = ""
    top: Top = 20
    n_examples: Annotated[int, Meta(ge=0, le=50, description="Examples of each.")] = 3
    out: Annotated[Path | None, Meta(description="File to write: .tsv or .tbx.")] = None


class ImportDictionary(TaskParams, frozen=True, kw_only=True, tag="import-dictionary"):
    """Import a bilingual dictionary: a word and its translation on each line."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    file: Annotated[
        Path, Meta(description="TSV, CSV or TBX; a MUSE list may have spaces.")
    ]
    source_language: Annotated[
        str, Meta(min_length=1, description="Language of the first column.")
    ]
    target_language: Annotated[
        str, Meta(min_length=1, description="Language of the second column.")
    ]
    name: Annotated[
        str, Meta(max_length=200, description="Its name; empty: the file's name.")
    ] = ""
