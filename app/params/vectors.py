"""Params of the tasks that encode, search and explain similarity."""

from pathlib import Path
from typing import Annotated, ClassVar

from app.params.base import CorpusNames, ProjectTask, TaskParams, WritingTask, option

EncoderName = Annotated[
    str,
    option(
        "Encoder. Default: the one in use in the project, or else the bundled one.",
        refers_to="encoder",
    ),
]


class Encode(WritingTask, frozen=True, kw_only=True, tag="encode"):
    """Encode corpora: one vector per sentence, saved in the project."""

    continues: ClassVar[bool] = True

    corpora: Annotated[CorpusNames, option("Corpora to encode.", min_length=1)]
    encoder: EncoderName = ""


class Search(ProjectTask, frozen=True, kw_only=True, tag="search"):
    """Find the sentences nearest in meaning to a text, in any language."""

    text: Annotated[str, option("Text to search for.", min_length=1)]
    k: Annotated[int, option("Number of hits.", ge=1, le=10_000)] = 10
    corpora: Annotated[CorpusNames, option("Search only these corpora.")] = ()
    languages: Annotated[
        tuple[str, ...], option("Search only this language.", name="language")
    ] = ()
    encoder: EncoderName = ""
    words: Annotated[bool, option("Search for words instead of meaning.")] = False


class EvaluateTatoeba(TaskParams, frozen=True, kw_only=True, tag="evaluate-tatoeba"):
    """Measure retrieval error over a folder of Tatoeba test sets, as LASER does."""

    directory: Annotated[
        Path,
        option(
            "Folder with two files per language, such as tatoeba.deu-eng.deu and "
            "tatoeba.deu-eng.eng."
        ),
    ]
    encoder: EncoderName = ""


class LookInside(TaskParams, frozen=True, kw_only=True, tag="look-inside"):
    """Compute what each token of two sentences contributes to their cosine."""

    text: Annotated[str, option("The first sentence.", min_length=1)]
    other: Annotated[
        str,
        option("The second sentence; by default the first is compared with itself."),
    ] = ""
    encoder: EncoderName = ""
