"""Edits of labels, classes and classifiers."""

from typing import Annotated

from msgspec import Meta

from app.protocol.base import BaseChange, Name, RowState

ClassName = Annotated[str, Meta(max_length=200)]  # empty: no label
MAX_LABELLED = 1_000  # sentences of one change: it and its inverse are one line
MAX_RENAMED = 100  # classes of one change


class LabelSentences(BaseChange, frozen=True, kw_only=True):
    """Label sentences with a class; an empty class removes their labels."""

    sentences: Annotated[tuple[int, ...], Meta(min_length=1, max_length=MAX_LABELLED)]
    class_name: ClassName


class RestoreLabels(BaseChange, frozen=True, kw_only=True):
    """Restore the former label of each sentence: the inverse of the above.

    Attributes:
        sentences, class_names: of equal length; an empty name: no label.
    """

    sentences: Annotated[tuple[int, ...], Meta(min_length=1, max_length=MAX_LABELLED)]
    class_names: tuple[ClassName, ...]

    def __post_init__(self) -> None:
        """Refuse lists of different lengths."""
        if len(self.sentences) != len(self.class_names):
            raise ValueError("there are not as many class names as sentences")


class RenameClass(BaseChange, frozen=True, kw_only=True):
    """Move the sentences of some classes to another: renames or merges classes.

    Attributes:
        corpora: ids of those whose sentences are meant.
        old_names: classes; all are renamed by one change.
        name: may be a class that is there already.
    """

    corpora: Annotated[tuple[int, ...], Meta(min_length=1, max_length=MAX_LABELLED)]
    old_names: Annotated[
        tuple[Annotated[str, Meta(min_length=1)], ...],
        Meta(min_length=1, max_length=MAX_RENAMED),
    ]
    name: Name


class RestoreClasses(BaseChange, frozen=True, kw_only=True):
    """Take a renaming back: the inverse of the above, as short as it.

    Attributes:
        first, last: ids of the rows of table `label` that it appended.
        name: that it gave.
    """

    first: int
    last: int
    name: str


class RenameClassifier(BaseChange, frozen=True, kw_only=True):
    """Rename a classifier."""

    classifier: int
    name: Name


class SetClassifierState(BaseChange, frozen=True, kw_only=True):
    """Delete classifiers (a mark) or bring them back."""

    classifiers: Annotated[tuple[int, ...], Meta(min_length=1)]
    state: RowState


LabelChange = (
    LabelSentences
    | RestoreLabels
    | RenameClass
    | RestoreClasses
    | RenameClassifier
    | SetClassifierState
)
