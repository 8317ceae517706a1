"""What the window reads of a job's result; the result itself may have more."""

import msgspec

from app.results.training import ErrorChange


class MadeRow(msgspec.Struct, frozen=True):
    """A job that made a classifier or a dictionary."""

    id: int


class MadePairSet(msgspec.Struct, frozen=True):
    """A job that made a pair set; None: it made none."""

    mining: int | None = None


class MadeMap(msgspec.Struct, frozen=True):
    """A job that made a map; None: it made none."""

    map: int | None = None


class MadeSubcorpus(msgspec.Struct, frozen=True):
    """A job that made a sub-corpus; None: it made none."""

    subcorpus: int | None = None


class ImportCounts(msgspec.Struct, frozen=True):
    """What an import left out and repaired, and its documents."""

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
    """The corpora that an import made."""

    corpora: tuple[ImportedCorpus, ...] = ()


class TrainedEncoder(msgspec.Struct, frozen=True):
    """An encoder that was trained.

    Attributes:
        name: of the encoder.
        development_error: rate 0…1; None: not measured.
        changes: errors before and after a fine-tuning.
        warning: of other languages that got worse.
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
        file: None: it could not be made.
        n_classes_published: classes that the publication has.
    """

    name: str
    file: str | None = None
    n_classes: int = 0
    n_classes_published: int = 0


class ProbingSets(msgspec.Struct, frozen=True):
    """What was made of a treebank, or what could be.

    Attributes:
        features: feature → value → number of sentences.
        relations: relation → number of sentences.
    """

    sets: tuple[ProbingSet, ...] = ()
    features: dict[str, dict[str, int]] = {}
    relations: dict[str, int] = {}


class JobMessage(msgspec.Struct, frozen=True):
    """What most jobs say at their end.

    Attributes:
        message: one sentence; empty: nothing.
        name: of what was made.
    """

    message: str = ""
    name: str = ""


UNFINISHED = "unfinished"  # name in the result of a run that has not finished


class UnfinishedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that has not finished, and its earlier runs.

    Attributes:
        is_paused: the user paused it.
        n_done: steps done when it was paused or cancelled last.
        n_total: steps in all; 0: unknown.
        earlier_s: seconds of the runs before the last one that was started.
    """

    is_paused: bool = False
    n_done: int = 0
    n_total: int = 0
    earlier_s: float = 0.0


class _UnfinishedResult(msgspec.Struct, frozen=True):
    unfinished: UnfinishedRun = UnfinishedRun()


def read_unfinished(result: str) -> UnfinishedRun:
    """Read where a run is from its result, JSON that may be empty."""
    try:
        return msgspec.json.decode(result or "{}", type=_UnfinishedResult).unfinished
    except msgspec.MsgspecError:
        return UnfinishedRun()


def write_unfinished(run: UnfinishedRun) -> str:
    """Write where a run is, as the JSON of its result."""
    return msgspec.json.encode(_UnfinishedResult(run)).decode()
