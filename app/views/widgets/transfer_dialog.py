"""The dialog that trains on one language and tests on others."""

from collections.abc import Callable, Collection
from typing import Any

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.params import Params, TaskParams
from app.params.classify import EvaluateTransfer
from app.views.labelled import labelled_corpora, test_places
from app.views.mining_sides import describe_corpus, find_corpus, name_corpus
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.check_list import CheckList
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.head_form import HeadForm, make_preset_field
from app.views.widgets.task_dialog import TaskDialog

SKIPPED = ("out", "language")
HEADLESS = ("train", "development", "apart")  # fields that a trained one needs not


class TransferDialog(TaskDialog):
    """Asks what to train on, what to test on, and with which head."""

    def __init__(
        self,
        state: AppState,
        values: EvaluateTransfer,
        run: Callable[[EvaluateTransfer], object],
        parent: QWidget | None = None,
    ):
        """Make the dialog.

        Args:
            state: of the window.
            values: what the form begins with; a trained classifier has its head.
            run: does it, when it is wanted.
            parent: the view.
        """
        self._is_trained = bool(values.classifier)
        skip = {*SKIPPED, "classifier"}
        if self._is_trained:
            names = {f.name for f in msgspec.structs.fields(EvaluateTransfer)}
            skip |= names - {"tests", "matrix", "similar_labels"}
        self._state = state
        super().__init__(state, EvaluateTransfer, values, skip=skip, parent=parent)
        self._run = run
        title = self.tr("Test on languages")
        if self._is_trained:
            title = self.tr("Test {name} on languages").format(name=values.classifier)
        self.setWindowTitle(title)
        if not self._is_trained:
            self._offer_training()
            self._add_presets()
        self.resize(92 * GRID, 88 * GRID if not self._is_trained else 56 * GRID)

    def make_form(
        self,
        struct: type[TaskParams],
        values: TaskParams | None,
        skip: Collection[str],
    ) -> HeadForm[Any]:
        """Make a form with a tick for each corpus that has labels."""
        project = self._state.project
        assert project is not None, "the action is disabled without a project"
        corpora = labelled_corpora(project)
        tests = CheckList(
            self.tr("Test on"), self.tr("Tick the corpora to test on; each has labels.")
        )
        places = test_places(project.corpora, corpora)
        tests.set_choices(
            list(zip(places, (describe_corpus(row) for row in corpora), strict=True))
        )
        inputs = {"tests": tests.as_field()}
        return HeadForm(EvaluateTransfer, values, skip=skip, inputs=inputs)

    def _offer_training(self) -> None:
        project, book = self._state.project, self._state.encoders
        assert project is not None
        corpora = labelled_corpora(project)
        choices = [
            (describe_corpus(one), name_corpus(project.corpora, one)) for one in corpora
        ]
        form: Any = self.form
        form.set_choices("train", choices)
        none = (self.tr("a share of the training rows"), "")
        form.set_choices("development", [none, *choices])
        form.offer_encoders(book.chosen, [card.name for card in book.cards])

    def _add_presets(self) -> None:
        form: Any = self.form
        more = make_button(
            self.tr("All settings"),
            self.tr("Show or hide the settings that are rarely changed."),
            lambda: form.show_all(not form.shows_all),
            kind="quiet",
        )
        label = make_label(self.tr("Preset"), "secondary")
        presets = make_preset_field(form)
        label.setBuddy(presets)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addWidget(label)
        row.addWidget(presets)
        row.addStretch()
        row.addWidget(more, 0, Qt.AlignmentFlag.AlignRight)
        self.foot.addLayout(row)

    def start(self, params: Params) -> None:
        """Test; the language is that of the corpus that is trained on."""
        assert isinstance(params, EvaluateTransfer)
        project = self._state.project
        corpora = project.corpora if project is not None else []
        home = find_corpus(corpora, params.train)
        if home is not None:
            params = msgspec.structs.replace(params, language=home.language)
        self._run(params)
