"""Params of an ablation: a grid over the settings of a training."""

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from app.params.classify import HeadName
from app.params.training.encoder import TrainEncoder


class TrainGrid(TrainEncoder, frozen=True, kw_only=True, tag="train-grid"):
    """Train an encoder for each combination of settings, and compare the results."""

    needs_project: ClassVar[bool] = True
    keeps_parts: ClassVar[bool] = True

    vary: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="Setting and its values, such as n_layers=1|3|5. Items of a "
            "list are separated by commas: objectives=translation|translation,nli:2. "
            "With several settings, every combination is trained; those that are "
            "joined by & change together: n_layers&dim=1&128|3&256.",
        ),
    ]
    tatoeba: Annotated[
        Path | None,
        Meta(
            description="Folder with tatoeba.CODE-eng.CODE and .eng files: measure the "
            "retrieval error of each encoder."
        ),
    ] = None
    tables: Annotated[
        tuple[Path, ...],
        Meta(
            description="TSV file with a header and one column per language: measure "
            "the retrieval error against the first column. Can be .xz.",
            extra={"option": "table"},
        ),
    ] = ()
    mining: Annotated[
        tuple[Path, ...],
        Meta(
            description="gold.tsv with source.tsv and target.tsv (or .xz) in the same "
            "folder: measure the best F1 of mining.",
        ),
    ] = ()
    sts: Annotated[
        tuple[str, ...],
        Meta(
            description="LANGUAGE=FILE with score, tab, text, tab, text: measure the "
            "correlation of cosines and scores.",
        ),
    ] = ()
    labelled: Annotated[
        tuple[str, ...],
        Meta(
            description="NAME=FILE with label, tab, text: measure the accuracy of "
            "logistic regression, as evaluate-downstream.",
        ),
    ] = ()
    transfer_train: Annotated[
        Path | None,
        Meta(
            description="File of label, tab, text (for pairs another tab and text) to "
            "train a classifier on, for zero-shot transfer."
        ),
    ] = None
    transfer_tests: Annotated[
        tuple[str, ...],
        Meta(
            description="LANGUAGE=FILE to test that classifier on, in the same form.",
            extra={"option": "transfer-test"},
        ),
    ] = ()
    transfer_language: Annotated[
        str, Meta(description="Language of the rows to train that classifier on.")
    ] = "en"
    transfer_head: Annotated[HeadName, Meta(description="Head of that classifier.")] = (
        "logistic"
    )
