"""The parts of a job's result that the window reads; a result may have more fields."""

import msgspec

from app.results.training import ErrorChange


class MadeRow(msgspec.Struct, frozen=True):
    """The result of a job that created a classifier or a dictionary."""

    id: int


class MadePairSet(msgspec.Struct, frozen=True):
    """The result of a job that may create a pair set; None: not created."""

    mining: int | None = None


class MadeMap(msgspec.Struct, frozen=True):
    """The result of a job that may create a map; None: not created."""

    map: int | None = None


class MadeSubcorpus(msgspec.Struct, frozen=True):
    """The result of a job that may create a sub-corpus; None: not created."""

    subcorpus: int | None = None


class ImportCounts(msgspec.Struct, frozen=True):
    """The counts of an import: omitted and repaired lines, and documents."""

    n_empty: int = 0
    n_refused: int = 0
    n_repaired: int = 0
    n_documents: int = 0


class ImportedCorpus(msgspec.Struct, frozen=True):
    """A corpus that was imported."""

    id: int = 0
    name: str = ""
    n_sentences: int = 0
    report: ImportCounts = ImportCounts()


class ImportedCorpora(msgspec.Struct, frozen=True):
    """The corpora created by an import."""

    corpora: tuple[ImportedCorpus, ...] = ()


class TrainedEncoder(msgspec.Struct, frozen=True):
    """An encoder that was trained.

    Attributes:
        name: name of the encoder.
        development_error: error rate 0…1; None: not measured.
        changes: errors before and after a fine-tuning.
        warning: warning about other languages that got worse.
    """

    name: str = ""
    development_error: float | None = None
    changes: tuple[ErrorChange, ...] = ()
    warning: str = ""


class MiningScore(msgspec.Struct, frozen=True):
    """An evaluation of mining: F1 (0…1) at a threshold; None: not measured."""

    f1: float | None = None
    threshold: float = 0.0


class ProbingSet(msgspec.Struct, frozen=True):
    """A probing set.

    Attributes:
        file: file of the set; None: it could not be created.
        n_classes_published: number of classes in the publication.
    """

    name: str
    file: str | None = None
    n_classes: int = 0
    n_classes_published: int = 0


class ProbingSets(msgspec.Struct, frozen=True):
    """The probing sets created from a treebank, or possible sets.

    Attributes:
        features: feature → value → number of sentences.
        relations: relation → number of sentences.
    """

    sets: tuple[ProbingSet, ...] = ()
    features: dict[str, dict[str, int]] = {}
    relations: dict[str, int] = {}


class JobMessage(msgspec.Struct, frozen=True):
    """The message at the end of most jobs.

    Attributes:
        message: one sentence; may be empty.
        name: name of the created object.
    """

    message: str = ""
    name: str = ""


UNFINISHED = "unfinished"  # name in the result of a run that has not finished


class UnfinishedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that has not finished, and its earlier runs.

    Attributes:
        is_paused: whether the user paused the run.
        n_done: steps done when the run was last paused or cancelled.
        n_total: total number of steps; 0: unknown.
        earlier_s: duration of all runs before the latest start, in seconds.
    """

    is_paused: bool = False
    n_done: int = 0
    n_total: int = 0
    earlier_s: float = 0.0


class _UnfinishedResult(msgspec.Struct, frozen=True):
    unfinished: UnfinishedRun = UnfinishedRun()


def read_unfinished(result: str) -> UnfinishedRun:
    """Read the progress of a run from its result, JSON that may be empty."""
    try:
        return msgspec.json.decode(result or "{}", type=_UnfinishedResult).unfinished
    except msgspec.MsgspecError:
        return UnfinishedRun()


def write_unfinished(run: UnfinishedRun) -> str:
    """Return the progress of a run as the JSON of its result."""
    return msgspec.json.encode(_UnfinishedResult(run)).decode()
