"""Params of an ablation: a grid over the settings of a training."""

from pathlib import Path
from typing import Annotated, ClassVar

from app.params.base import option
from app.params.classify import HeadName
from app.params.training.encoder import TrainEncoder
from app.params.training.options import LabelledFiles, StsFiles


class TrainGrid(TrainEncoder, frozen=True, kw_only=True, tag="train-grid"):
    """Train an encoder for each combination of settings, and compare the results."""

    needs_project: ClassVar[bool] = True
    keeps_parts: ClassVar[bool] = True

    vary: Annotated[
        tuple[str, ...],
        option(
            "Setting and its values, such as n_layers=1|3|5. Items of a list are "
            "separated by commas: objectives=translation|translation,nli:2. With "
            "several settings, every combination is trained; those that are joined by "
            "& change together: n_layers&dim=1&128|3&256.",
            window="Settings and their values. Every combination is trained.",
            min_length=1,
        ),
    ]
    tatoeba: Annotated[
        Path | None,
        option(
            "Folder with files such as tatoeba.deu-eng.deu and .eng: measure the "
            "retrieval error of each encoder."
        ),
    ] = None
    tables: Annotated[
        tuple[Path, ...],
        option(
            "TSV file with a header and one column per language: measure the retrieval "
            "error against the first column. Can be .xz.",
            name="table",
        ),
    ] = ()
    mining: Annotated[
        tuple[Path, ...],
        option(
            "gold.tsv with source.tsv and target.tsv (or .xz) in the same folder: "
            "measure the best F1 of mining."
        ),
    ] = ()
    sts: StsFiles = ()
    labelled: LabelledFiles = ()
    transfer_train: Annotated[
        Path | None,
        option(
            "File of label, tab, text (for pairs another tab and text) to train a "
            "classifier on, for zero-shot transfer."
        ),
    ] = None
    transfer_tests: Annotated[
        tuple[str, ...],
        option(
            "LANGUAGE=FILE to test that classifier on, in the same form.",
            name="transfer-test",
        ),
    ] = ()
    transfer_language: Annotated[
        str, option("Language of the rows to train that classifier on.")
    ] = "en"
    transfer_head: Annotated[HeadName, option("Head of that classifier.")] = "logistic"
