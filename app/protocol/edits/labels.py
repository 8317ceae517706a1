"""Edits of labels, classes and classifiers."""

from typing import Annotated

from msgspec import Meta

from app.protocol.base import BaseChange, Name, RowState

ClassName = Annotated[str, Meta(max_length=200)]  # empty: no label
MAX_LABELLED = 1_000  # sentences of one change, so that its inverse fits in a message
MAX_RENAMED = 100  # classes per change


class LabelSentences(BaseChange, frozen=True, kw_only=True):
    """Label sentences with a class; an empty class removes their labels."""

    sentences: Annotated[tuple[int, ...], Meta(min_length=1, max_length=MAX_LABELLED)]
    class_name: ClassName


class RestoreLabels(BaseChange, frozen=True, kw_only=True):
    """Restore the earlier label of each sentence: the inverse of the above.

    Attributes:
        sentences, class_names: lists of equal length; empty name: no label.
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
        corpora: ids of the corpora to change.
        old_names: classes to rename, all in one change.
        name: new name; may be an existing class.
    """

    corpora: Annotated[tuple[int, ...], Meta(min_length=1, max_length=MAX_LABELLED)]
    old_names: Annotated[
        tuple[Annotated[str, Meta(min_length=1)], ...],
        Meta(min_length=1, max_length=MAX_RENAMED),
    ]
    name: Name


class RestoreClasses(BaseChange, frozen=True, kw_only=True):
    """Undo a renaming: the inverse of the above, equally short.

    Attributes:
        first, last: ids of the rows of table `label` appended by the renaming.
        name: name set by the renaming.
    """

    first: int
    last: int
    name: str


class RenameClassifier(BaseChange, frozen=True, kw_only=True):
    """Rename a classifier."""

    classifier: int
    name: Name


class SetClassifierState(BaseChange, frozen=True, kw_only=True):
    """Mark classifiers as deleted, or restore them."""

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
