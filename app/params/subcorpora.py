"""Params of the tasks about sub-corpora and what is known of documents."""

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from app.params.base import TaskParams
from app.params.words import Corpora


class MakeSubcorpus(TaskParams, frozen=True, kw_only=True, tag="make-subcorpus"):
    """Choose sentences by a chain of queries; with a name they are kept."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpora: Corpora = ()
    steps: Annotated[
        tuple[str, ...],
        Meta(
            description="A step of the chain, applied to what the one before left: "
            "'field author=Keller', 'field year=1850..1890', 'document B*', "
            "'words haus*', 'regex ^Ich', 'language de', 'length min=20 max=200', "
            "'near text=\"the sea\" top=500', 'label spam', 'translated into=de', "
            "'within NAME', 'sample n=1000 seed=1'; 'not' before it turns it "
            "round.",
            extra={"option": "step"},
        ),
    ] = ()
    name: Annotated[
        str,
        Meta(max_length=200, description="Name to keep it by; empty: only count."),
    ] = ""
    again: Annotated[
        bool,
        Meta(
            description="Make the sub-corpus of that name anew, by these steps, "
            "without steps by its own. It can be undone."
        ),
    ] = False
    encoder: Annotated[str, Meta(description="Encoder of the step near.")] = ""


class DescribeDocuments(
    TaskParams, frozen=True, kw_only=True, tag="describe-documents"
):
    """Give the documents of a corpus fields, from a table with a row for each."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpus: Annotated[str, Meta(description="Name or id of the corpus.")]
    file: Annotated[
        Path,
        Meta(
            description="TSV, CSV or XLSX with a header; the first column names the "
            "document, the others are fields."
        ),
    ]
