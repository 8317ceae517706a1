"""Page for setting up a training: presets, settings and required resources."""

import re
from collections.abc import Callable
from typing import Any

import msgspec
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QHBoxLayout, QWidget

from app.engine.store.corpora import CorpusRow
from app.params import build_params, encode_hook
from app.params.training.encoder import TrainEncoder
from app.params.training.fields import NEEDED_FILES, PAIR_FIELDS
from app.params.training.presets import PRESETS, preset_params
from app.results.training import TrainingPlan
from app.views.client.state import AppState
from app.views.training.form import TrainingForm
from app.views.training.plan import PlanCard, TrainingPlanner, describe_resources
from app.views.training.presets import PresetRow
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import Stretch, make_column
from app.views.widgets.controls import (
    make_action_button,
    make_button,
    make_label,
    offer_in_palette,
)
from app.views.widgets.corpus_choices import linked_pairs, suggest_linked
from app.views.widgets.dialogs import ask_paths
from app.views.widgets.form import FormError
from app.views.widgets.page_layout import make_scroll_area
from app.views.widgets.pair_languages import PairLanguageWarning
from app.views.widgets.task_dialog import copy_command
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.training_names import free_name, taken_names

SIDE_WIDTH = 44 * GRID  # also of an estimate
NARROW_WIDTH = 100 * GRID  # narrower: side below form, at 100 % text
DATA_FIELDS = (
    *("corpora", "pair_sets", "pairs", "word_lists", "pair_weights"),
    *(*NEEDED_FILES.values(), "kept_out", "kept_out_corpora"),
)


class TrainingSetup(QWidget):
    """The page for setting up a new training.

    Attributes:
        form: form of the settings.
    """

    started = Signal(object)  # RunState

    def __init__(
        self,
        state: AppState,
        actions: tuple[QAction, QAction, QAction],
        parent: QWidget | None = None,
    ):
        """Initialise; the actions are estimate, start and copy."""
        super().__init__(parent)
        self._state = state
        self._preset = "quick"
        self._started: set[str] = set()  # names of started trainings
        self._linked: list[CorpusRow] = []
        self._inner = QWidget()
        self._scroll = make_scroll_area(self._inner, self)
        self.presets = PresetRow(PRESETS, self._inner)
        self.form = TrainingForm(self._inner)
        self.plan_card = PlanCard()
        self.planner = TrainingPlanner(state, self)
        self.pair_languages = PairLanguageWarning(state, "training", self)
        self._error = make_label("", "warning", wraps=True)
        self._lay_out(actions)
        self.presets.preset_chosen.connect(self.choose_preset)
        self.form.changed.connect(self._on_form_changed)
        self.planner.progressed.connect(self._on_plan_progressed)
        self.planner.planned.connect(self._on_planned)
        self.planner.failed.connect(self._on_plan_failed)
        state.encoders.changed.connect(self._offer_encoders)

    # --- user actions ---

    def begin(self) -> None:
        """Show the current corpora and encoders of the project."""
        self.offer_corpora()
        self._offer_encoders()
        if not self.form.field("name").read():
            self.choose_preset(self._preset)
        elif self.form.field("name").read() in self._list_taken():
            self.form.field("name").write(self._free_name())

    def choose_preset(self, key: str) -> None:
        """Fill in a preset, keeping the data."""
        self._preset = key
        self.presets.mark(key)
        data = {name: self.form.value(name) for name in DATA_FIELDS}
        if not any(data[field] for field in PAIR_FIELDS):
            data["corpora"] = self._first_corpora()
        stem = PRESETS[key].title.lower().replace(" ", "-")
        params = preset_params(key, self._free_name(stem))
        self.form.write(msgspec.structs.replace(params, **data))

    def use(self, params: TrainEncoder) -> None:
        """Fill in the settings of a previous training."""
        self._preset = ""
        self.presets.mark("")
        name = self._free_name(params.name)
        self.form.write(msgspec.structs.replace(params, name=name))

    def settings(self) -> TrainEncoder | None:
        """Return the settings, with or without data; show an error if invalid."""
        return self._read(self.form.settings)

    def estimate(self) -> None:
        """Try the settings for a few seconds and show their resources."""
        params = self._params()
        if params is not None:
            self.planner.request(params)

    def estimate_presets(self) -> None:
        """Try every preset on the selected data."""
        params = self._params()
        if params is None:
            return
        data = {name: getattr(params, name) for name in DATA_FIELDS}
        for key in PRESETS:
            preset = preset_params(key, key)
            self.planner.request(msgspec.structs.replace(preset, **data), key)

    def start(self) -> None:
        """Start the training."""
        params = self._params()
        if params is not None:
            self._started.add(params.name)
            self.started.emit(self._state.run(params))

    def copy_command(self) -> None:
        """Copy the command that runs this training in a terminal."""
        params = self._params()
        if params is not None:
            copy_command(self._state, params)

    def offer_corpora(self) -> None:
        """Show the corpora of the project, or a hint if none are linked."""
        project = self._state.project
        corpora = self._state.corpora
        had_none = not self._linked
        self._linked = linked_pairs(project) if project is not None else []
        parts = project.subcorpora if project is not None else []
        self.form.show_corpora(self._linked, corpora, parts)
        self.form.show_pair_sets(self._state.minings)
        self._hint.setVisible(not self._linked)
        has_data = any(self.form.value(name) for name in DATA_FIELDS)
        if had_none and not has_data:
            self.form.corpora.tick(self._first_corpora())

    def save_state(self) -> dict[str, Any]:
        """Return the current settings, if they are complete."""
        params = self.form.peek()
        state: dict[str, Any] = {"preset": self._preset}
        if params is not None:
            state["params"] = msgspec.to_builtins(params, enc_hook=encode_hook)
        return state

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the settings that this version supports."""
        preset = str(state.get("preset", "quick"))
        self._preset = preset if preset in PRESETS else ""
        self.presets.mark(self._preset)
        values = dict(state.get("params", {}))
        values.pop("task", None)
        try:
            self.form.write(build_params(TrainEncoder, values))
        except msgspec.ValidationError:
            self.choose_preset(self._preset or "quick")

    def focus_first(self) -> None:
        """Focus the first preset."""
        self.presets.cards["quick"].setFocus()

    # --- layout ---

    def _lay_out(self, actions: tuple[QAction, QAction, QAction]) -> None:
        every = make_button(
            self.tr("Estimate all presets"),
            self.tr("Try every preset on this machine for a few seconds each."),
            self.estimate_presets,
            kind="quiet",
        )
        offer_in_palette(every, every.text())
        estimate, start, copy = actions
        head = WrappingRow()  # outside the scroll area
        head.addWidget(make_label(self.tr("New training"), "heading"))
        head.add_stretch()
        self._start = make_action_button(start, kind="primary")
        for button in (
            every,
            make_action_button(copy, kind="quiet"),
            make_action_button(estimate),
            self._start,
        ):
            head.addWidget(button)
        self._error.hide()
        make_column(head, self._error, (self._scroll, 1), parent=self, gap=2 * GRID)
        self._fill_scroll(self._make_side())

    def _fill_scroll(self, side: QWidget) -> None:
        layout = make_column(
            self.presets, parent=self._inner, gap=2 * GRID, margins=(0, 0, GRID, 0)
        )
        self._hint = self._make_hint()
        layout.addWidget(self._hint)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns.setSpacing(2 * GRID)
        self._columns.addWidget(self.form, 1)
        self._columns.addWidget(side, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(self._columns, 1)

    def showEvent(self, event: QShowEvent) -> None:
        """Ignore the second click of a double-click that opened the page."""
        super().showEvent(event)
        mouse = Qt.WidgetAttribute.WA_TransparentForMouseEvents
        self._start.setAttribute(mouse)
        QTimer.singleShot(
            QApplication.doubleClickInterval(),
            self._start,
            lambda: self._start.setAttribute(mouse, on=False),
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Move the side panel below the form if the page is narrow."""
        super().resizeEvent(event)
        self._stack(self.width() < scaled(NARROW_WIDTH, self))

    def _stack(self, is_narrow: bool) -> None:
        direction = QBoxLayout.Direction
        self.presets.set_stacked(is_narrow)
        self._columns.setDirection(
            direction.TopToBottom if is_narrow else direction.LeftToRight
        )

    def _make_hint(self) -> QWidget:
        """Return the hint for projects without linked corpora."""
        hint = QWidget()
        layout = QHBoxLayout(hint)
        layout.setContentsMargins(0, 0, 0, 0)
        words = self.tr(
            "No corpora of this project are linked. Import a parallel text, or train "
            "on pair files."
        )
        layout.addWidget(make_label(words, "secondary", wraps=True), 1)
        importing = self.tr("Import a parallel text as linked corpora.")
        show_import = self._state.view_requests.import_requested.emit
        layout.addWidget(make_button(self.tr("Import…"), importing, show_import))
        adding = self.tr("Train on pair files.")
        layout.addWidget(make_button(self.tr("Add files…"), adding, self._ask_pairs))
        return hint

    def _make_side(self) -> QWidget:
        side = QWidget()
        side.setMinimumWidth(SIDE_WIDTH)
        make_column(self.plan_card, self.pair_languages.label, Stretch(), parent=side)
        return side

    # --- events ---

    def _on_form_changed(self) -> None:
        self._error.hide()
        self.pair_languages.check(self.form.value("pairs") or ())
        params = self.form.peek()
        plan = self.planner.known(params) if params is not None else None
        if plan is not None:
            self.plan_card.show_plan(plan)
        else:
            self.plan_card.clear()

    def _on_plan_progressed(self, preset: str, text: str) -> None:
        if preset:
            self._show_needs(preset, text)
        else:
            self.plan_card.show_text(text)

    def _on_planned(self, preset: str, plan: TrainingPlan) -> None:
        if preset:
            self._show_needs(preset, describe_resources(plan))
        self._on_form_changed()
        own = self._plan_of_preset()
        if own is not None:
            self._show_needs(self._preset, describe_resources(own))

    def _plan_of_preset(self) -> TrainingPlan | None:
        """Return the cached plan of the chosen preset with these data, or None."""
        if self._preset not in PRESETS:
            return None
        data = {name: self.form.value(name) for name in DATA_FIELDS}
        params = preset_params(self._preset, self._preset)
        return self.planner.known(msgspec.structs.replace(params, **data))

    def _on_plan_failed(self, preset: str, reason: str) -> None:
        if preset:
            self._show_needs(preset, reason, is_warning=True)
        else:
            self.plan_card.show_text(reason, is_warning=True)

    def _offer_encoders(self) -> None:
        self.form.show_encoders(self._state.encoders.cards)

    def _show_needs(self, preset: str, text: str, *, is_warning: bool = False) -> None:
        card = self.presets.cards[PRESETS[preset].card]
        card.show_needs(preset, text, is_warning=is_warning)

    def _params(self) -> TrainEncoder | None:
        """Return the settings with data, or show an error and return None."""
        return self._read(self.form.params)

    def _read(self, read: Callable[[], TrainEncoder]) -> TrainEncoder | None:
        try:
            return read()
        except FormError as error:
            self._error.setText(str(error))
            self._error.show()
            return None

    def _ask_pairs(self) -> None:
        title = self.tr("Choose pair files")
        field = self.form.field("pairs")
        ask_paths(
            self.window(), title, lambda paths: field.write([*field.read(), *paths])
        )

    def _first_corpora(self) -> tuple[str, ...]:
        project = self._state.project
        proposed = suggest_linked(project) if project is not None else []
        return tuple(str(row.id) for row in proposed)

    def _free_name(self, base: str = "") -> str:
        """Return an unused name by numbering: quick-1, quick-2."""
        stem = re.sub(r"-\d+$", "", base or str(self.form.field("name").read()))
        return free_name(stem, self._list_taken())

    def _list_taken(self) -> set[str]:
        return self._started | taken_names(self._state)
