"""Dialog that creates probing sets from the features in treebanks."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtWidgets import QWidget

from app.errors import ErrorInfo
from app.params.base import TaskParams
from app.params.probing import MakeProbingSets
from app.protocol.answers.evaluation import TreebankOffers
from app.protocol.queries.evaluation import TreebankQuery
from app.views.client.state import AppState
from app.views.evaluate.dialogs import EvaluationDialog, RunTasks
from app.views.evaluate.forms import FieldChoices
from app.views.widgets.check_list import CheckList
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.pair_set_text import SEPARATOR

_tr = partial(QCoreApplication.translate, "probing_sets_dialog")

N_VALUES = 4  # values shown per feature
ASK_AFTER_MS = 300  # since the last change
OFFERED_FIELDS = ("features", "relations")


def list_treebank_choices(offers: TreebankOffers) -> FieldChoices:
    """Return features with values, and relations, with titles that show counts."""
    features = [
        (
            name,
            SEPARATOR.join(
                (
                    _title_of(name),
                    format_count(sum(values.values())),
                    ", ".join(list(values)[:N_VALUES]),
                )
            ),
        )
        for name, values in offers.features.items()
    ]
    relations = [
        (name, f"{_title_of(name)}{SEPARATOR}{format_count(n)}")
        for name, n in offers.relations.items()
    ]
    return {"features": features, "relations": relations}


def _title_of(name: str) -> str:
    """Describe a feature or relation: Mood of the root."""
    bearer, sign, what = name.partition(":")
    words = {
        "root": _tr("{what} of the root"),
        "subject": _tr("{what} of the subject"),
        "object": _tr("{what} of the object"),
    }
    if not sign:
        return name
    if bearer.isupper():  # a part of speech
        return _tr("{what} of the only {word_class}").format(
            what=what, word_class=bearer
        )
    if bearer in words:
        return words[bearer].format(what=_title_of(what))
    return _tr("{relation} ({kind})").format(relation=bearer, kind=what)


def _no_choices() -> FieldChoices:
    return {name: [] for name in OFFERED_FIELDS}


class ProbingSetsDialog(EvaluationDialog):
    """Asks which probing sets to create from the features in treebanks."""

    def __init__(
        self,
        state: AppState,
        values: TaskParams | None,
        run: RunTasks,
        parent: QWidget,
    ):
        """Initialise; see `EvaluationDialog`."""
        super().__init__(
            state, MakeProbingSets, values, run, parent, choices=_no_choices()
        )
        self._asked: TreebankQuery | None = None
        self._timer = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)
        self._timer.timeout.connect(self._ask)
        self.form.changed.connect(self._timer.start)
        self._ask()

    def _ask(self) -> None:
        """Request the features of the treebanks if the treebanks changed."""
        raw: dict[str, Any] = self.form.raw()
        query = TreebankQuery(
            treebanks=tuple(map(Path, raw.get("treebanks") or ())),
            fewest_words=raw["fewest_words"],
            most_words=raw["most_words"],
        )
        if query == self._asked:
            return
        self._asked = query
        if query.treebanks:
            self._show_words(_tr("Reading the treebanks…"))
            self._state.ask(query, partial(self._on_answer, query))
        else:
            self._offer(_no_choices())
            self._show_words(_tr("Choose a treebank to see what it contains."))

    def _on_answer(
        self, query: TreebankQuery, answer: TreebankOffers | ErrorInfo
    ) -> None:
        if query is not self._asked:
            return  # the treebanks have changed
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self._show_words("")
                self.form.show_error("treebanks", answer.message, focuses=False)
            return
        self._offer(list_treebank_choices(answer))
        one, many = _tr("Counted in 1 sentence."), _tr("Counted in {n} sentences.")
        self._show_words(pluralize(answer.n_sentences, one, many))

    def _offer(self, choices: FieldChoices) -> None:
        """Show features and relations; existing ones stay selected."""
        for name in OFFERED_FIELDS:
            boxes = self.form.field(name).widget
            assert isinstance(boxes, CheckList)
            keys = [key for key, _ in choices[name]]
            chosen: Sequence[str] = [one for one in boxes.ticked if one in keys]
            boxes.set_choices(choices[name])
            boxes.tick(chosen)

    def _show_words(self, words: str) -> None:
        for name in OFFERED_FIELDS:
            self.form.set_help(name, words)
