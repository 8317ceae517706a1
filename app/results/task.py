"""The base results of tasks."""

import msgspec


class TaskResult(msgspec.Struct, frozen=True, kw_only=True):
    """Base of the results of tasks.

    Attributes:
        message: sentence for the user about the result.
    """

    message: str


class SavedClassifier(TaskResult, frozen=True):
    """Base of the results of tasks that save a classifier in the project."""

    id: int
    name: str
    head: str
    encoder: str
    language: str
    classes: tuple[str, ...]
