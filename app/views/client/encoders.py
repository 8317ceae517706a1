"""Encoders of the open project, the chosen one, and their coverage."""

import math

import msgspec
from PySide6.QtCore import QObject, Signal

from app.errors import ErrorInfo
from app.params import command_name
from app.params.encoders import MeasureCoverage
from app.protocol.answers.encoders import DamagedEncoder, EncoderInfo, EncoderListing
from app.protocol.queries.encoders import EncodersQuery
from app.results.coverage import CoverageResult, LanguageCoverage
from app.views.client.project_reader import ProjectReader
from app.views.client.requests import CurrentProject, RequestTracker

COVERAGE_TASK = command_name(MeasureCoverage)
# Tasks that can change the list of encoders or the data of an encoder.
ENCODER_TASKS = {
    "train-encoder",
    "fine-tune-encoder",
    "add-encoder",
    "align-encoder",
    "import-vectors",
    COVERAGE_TASK,
}


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """Coverage of one encoder: the newest measurement of each language.

    Attributes:
        last: the newest result.
        measured_at: time of the newest result, in seconds since 1970.
        languages: coverage of each language, by code.
        measured: time of the measurement of each language, by code.
        outdated: the same, for languages whose texts were imported later.
    """

    last: CoverageResult
    measured_at: float
    languages: dict[str, LanguageCoverage]
    measured: dict[str, float]
    outdated: dict[str, float] = {}


class EncoderStore(QObject):
    """The encoders of the open project.

    Attributes:
        cards: the usable encoders, the bundled ones first.
        damaged: the encoders that can't be read.
        chosen: name of the encoder in use; empty if not known yet.
    """

    changed = Signal()  # the list, the choice or a coverage
    switched = Signal()  # another encoder is in use
    view_requested = Signal()  # show the encoders
    failed = Signal(object)  # ErrorInfo

    def __init__(
        self, requests: RequestTracker, current_project: CurrentProject, parent: QObject
    ):
        super().__init__(parent)
        self._requests, self._current_project = requests, current_project
        self._list = EncoderListing()
        self._coverage: dict[str, Coverage] = {}

    @property
    def cards(self) -> tuple[EncoderInfo, ...]:
        """The encoders that can be used."""
        return self._list.encoders

    @property
    def damaged(self) -> tuple[DamagedEncoder, ...]:
        """The encoders that can't be read."""
        return self._list.damaged

    @property
    def chosen(self) -> str:
        """Name of the encoder in use."""
        return self._list.chosen

    @property
    def in_use(self) -> EncoderInfo | None:
        """The encoder in use; None if it is unknown or was deleted."""
        return self.find(self.chosen)

    @property
    def reranker(self) -> EncoderInfo | None:
        """The contextual encoder that reads words of the encoder in use, or None."""
        chosen = self.in_use
        cards = reversed(self.cards)  # the project's own encoders first
        return next(
            (one for one in cards if chosen and is_reranker_of(one, chosen)), None
        )

    def base_of(self, card: EncoderInfo) -> str:
        """Return the encoder whose words a contextual encoder reads, or ""."""
        names = (one.name for one in self.cards if is_reranker_of(card, one))
        return next(names, "")

    def find(self, name: str) -> EncoderInfo | None:
        """Return the card of an encoder."""
        return next((card for card in self.cards if card.name == name), None)

    def coverage_of(self, card: EncoderInfo) -> Coverage | None:
        """Return the coverage of an encoder; None if it was not measured."""
        found, project = self._coverage.get(card.fingerprint), self._current_project()
        if found is None or project is None:
            return found
        outdated = {
            corpus.language: found.measured[corpus.language]
            for corpus in project.corpora
            if corpus.created_at > found.measured.get(corpus.language, math.inf)
        }
        return msgspec.structs.replace(found, outdated=outdated)

    def verdicts(self) -> dict[str, LanguageCoverage]:
        """Return the coverage by the encoder in use, by language code."""
        card = self.in_use
        coverage = self.coverage_of(card) if card is not None else None
        return coverage.languages if coverage is not None else {}

    def outdated(self) -> dict[str, float]:
        """Return the measurement times of languages whose texts were imported later."""
        card = self.in_use
        coverage = self.coverage_of(card) if card is not None else None
        return coverage.outdated if coverage is not None else {}

    def doubts(self) -> dict[str, LanguageCoverage]:
        """Return the languages for which the encoder in use is unreliable."""
        found = self.verdicts().items()
        return {code: one for code, one in found if one.verdict != "green"}

    def restart(self) -> None:
        """Read the encoders of another project, or clear the list."""
        self._list, self._coverage = EncoderListing(), {}
        self.changed.emit()
        self.refresh()

    def refresh(self) -> None:
        """Ask for the list, and read the measurements."""
        if self._current_project() is not None:
            self._requests.ask(EncodersQuery(), self._on_answer)

    def _on_answer(self, answer: EncoderListing | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self.failed.emit(answer)
            return
        project = self._current_project()
        if project is None:
            return
        old = self.in_use
        self._list = answer
        self._coverage = _read_coverage(project)
        self.changed.emit()
        new = self.in_use
        if old is not None and new is not None and old.fingerprint != new.fingerprint:
            self.switched.emit()

    def on_row_changed(self, kind: str) -> None:
        """Reload the list if an encoder changed."""
        if kind == "encoder":
            self.refresh()

    def on_run_finished(self, task: str) -> None:
        """Reload the list after a task that can change it."""
        if task in ENCODER_TASKS:
            self.refresh()


def _read_coverage(project: ProjectReader) -> dict[str, Coverage]:
    """Read the results of all measurements, by the encoders' fingerprints."""
    from app.engine.store.runs import list_results

    found: dict[str, Coverage] = {}
    for row in list_results(project.store, COVERAGE_TASK):  # the newest first
        try:
            result = msgspec.json.decode(row.result, type=CoverageResult)
        except msgspec.MsgspecError:  # written by another version
            continue
        key = result.fingerprint
        if key not in found:
            found[key] = Coverage(
                last=result, measured_at=row.ended_at, languages={}, measured={}
            )
        for one in result.languages:
            found[key].languages.setdefault(one.language, one)
            found[key].measured.setdefault(one.language, row.ended_at)
    return found


def is_reranker_of(encoder: EncoderInfo, static: EncoderInfo) -> bool:
    """Return whether an encoder is contextual and reads another encoder's words."""
    return bool(static.fingerprint) and encoder.base_fingerprint == static.fingerprint
