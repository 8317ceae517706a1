"""Guided paths: the first steps for four kinds of users, and their progress."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.params.classify import EvaluateTransfer
from app.params.corpora import ImportCorpus
from app.params.evaluation import EvaluateRetrieval
from app.params.mining import MinePairs
from app.params.pairs import ExportPackage, ExportPairs
from app.params.projects import MakeReport
from app.params.quality import CompareEncoders
from app.params.training.encoder import TrainEncoder
from app.protocol.edits.general import Undo
from app.protocol.edits.pairs import JudgePairs, UndoJudgement
from app.protocol.queries.attribution import TokensQuery
from app.protocol.queries.maps import SelectionQuery
from app.protocol.queries.reading import ReadingQuery, WordLinksQuery
from app.protocol.queries.search import NearestQuery
from app.protocol.queries.words import ConcordanceQuery, EquivalentsQuery
from app.settings import GuideSettings
from app.views.client.runs import RunState
from app.views.client.state import AppState

_tr = partial(QCoreApplication.translate, "guide")


class GuideStep(NamedTuple):
    """A step of a guided path.

    Attributes:
        name: key in the settings; paths may share a step.
        text: instruction for the user.
        view: name of the view where the step is done.
        is_done_by: returns whether a successful job, query or edit completes the step.
        page: page of the view; empty: the page that was last open.
    """

    name: str
    text: str
    view: str
    is_done_by: Callable[[object], bool]
    page: str = ""


class GuidePath(NamedTuple):
    """The steps for one kind of user."""

    title: str
    steps: tuple[GuideStep, ...]


def list_paths() -> dict[str, GuidePath]:
    """Return the paths by the name of their kind of user."""
    return {
        "linguist": GuidePath(_tr("Linguist"), _linguist_steps()),
        "annotator": GuidePath(_tr("Annotator"), _annotator_steps()),
        "experimenter": GuidePath(_tr("Experimenter"), _experimenter_steps()),
        "presenter": GuidePath(_tr("Presenter"), _presenter_steps()),
    }


class GuideController(QObject):
    """Records the completed steps in the settings of the account."""

    changed = Signal()

    def __init__(self, state: AppState, parent: QObject):
        super().__init__(parent)
        self.paths = list_paths()
        self._state = state
        self._steps = {
            step.name: step for path in self.paths.values() for step in path.steps
        }
        state.request_answered.connect(self._note)
        state.run_finished.connect(self._on_run_finished)

    @property
    def settings(self) -> GuideSettings:
        """Settings of the guide."""
        return self._state.settings.guide

    @property
    def path(self) -> GuidePath:
        """The selected path."""
        return self.paths.get(self.settings.persona, self.paths["linguist"])

    def is_done(self, step: GuideStep) -> bool:
        """Return whether a step was completed in any project."""
        return step.name in self.settings.done

    def restart(self) -> None:
        """Mark all steps of the selected path as not done."""
        names = {step.name for step in self.path.steps}
        others = tuple(name for name in self.settings.done if name not in names)
        self.remember(msgspec.structs.replace(self.settings, done=others))

    def remember(self, guide: GuideSettings) -> None:
        """Save changed settings of the guide."""
        if guide != self.settings:
            settings = self._state.settings
            self._state.change_settings(msgspec.structs.replace(settings, guide=guide))
            self.changed.emit()

    def _on_run_finished(self, run: RunState, _result: object) -> None:
        self._note(run.params)

    def _note(self, done: object) -> None:
        new = [
            name
            for name, step in self._steps.items()
            if name not in self.settings.done and step.is_done_by(done)
        ]
        if new:
            names = (*self.settings.done, *new)
            self.remember(msgspec.structs.replace(self.settings, done=names))


def _by(*kinds: type) -> Callable[[object], bool]:
    return lambda done: isinstance(done, kinds)


def _is_search(done: object) -> bool:
    """Return whether the user sent the query; panels send search queries, too."""
    return isinstance(done, NearestQuery) and done.requester == "search"


def _search_step() -> GuideStep:
    text = _tr("Type a sentence, press Enter, and compare its nearest translations.")
    return GuideStep("search", text, "search", _is_search)


def _linguist_steps() -> tuple[GuideStep, ...]:
    return (
        GuideStep(
            "import",
            _tr("Import a text file of your own, or drop it on the window."),
            "corpora",
            _by(ImportCorpus),
        ),
        _search_step(),
        GuideStep(
            "concordance",
            _tr("List every occurrence of a word in its context."),
            "concordance",
            _by(ConcordanceQuery),
        ),
        GuideStep(
            "read",
            _tr("Read linked texts side by side."),
            "read",
            _by(ReadingQuery),
        ),
        GuideStep(
            "equivalents",
            _tr("Find the translations of a word in Equivalents."),
            "words",
            _by(EquivalentsQuery),
            "equivalents",
        ),
    )


def _annotator_steps() -> tuple[GuideStep, ...]:
    return (
        GuideStep(
            "mine",
            _tr("Mine pairs of sentences that translate each other."),
            "mining",
            _by(MinePairs),
        ),
        GuideStep(
            "judge",
            _tr("Judge a pair: A accepts, R rejects, Space skips."),
            "review",
            _by(JudgePairs),
        ),
        GuideStep(
            "undo",
            _tr("Undo your last judgement with Ctrl+Z."),
            "review",
            _by(Undo, UndoJudgement),
        ),
        GuideStep(
            "export-pairs",
            _tr("Export the accepted pairs, for example as TMX."),
            "mining",
            _by(ExportPairs),
        ),
        GuideStep(
            "package",
            _tr("Export a package for a second annotator."),
            "review",
            _by(ExportPackage),
        ),
    )


def _experimenter_steps() -> tuple[GuideStep, ...]:
    return (
        GuideStep(
            "transfer",
            _tr("Train a classifier on one language and test it on the others."),
            "classify",
            _by(EvaluateTransfer),
        ),
        GuideStep(
            "retrieval",
            _tr("Measure the retrieval error between two languages."),
            "evaluate",
            _by(EvaluateRetrieval),
        ),
        GuideStep(
            "train",
            _tr("Start a new training with the preset Quick."),
            "training",
            _by(TrainEncoder),
        ),
        GuideStep(
            "compare",
            _tr("Compare two encoders on the same sentences."),
            "quality",
            _by(CompareEncoders),
        ),
        GuideStep(
            "report",
            _tr("Write a report of your evaluations."),
            "evaluate",
            _by(MakeReport),
        ),
    )


def _presenter_steps() -> tuple[GuideStep, ...]:
    return (
        _search_step(),
        GuideStep(
            "attribution",
            _tr("Select a hit and compare its words with the query: Ctrl+Shift+L."),
            "search",
            _by(TokensQuery),
        ),
        GuideStep(
            "map",
            _tr("Draw a lasso around some points of a map."),
            "map",
            _by(SelectionQuery),
        ),
        GuideStep(
            "word",
            _tr("Point at a word in Read to see its translations."),
            "read",
            _by(WordLinksQuery),
        ),
    )
