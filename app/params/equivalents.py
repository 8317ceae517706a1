"""Params of the tasks about translation equivalents and bilingual dictionaries."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import TaskParams
from app.params.words import LayerField, Top


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
