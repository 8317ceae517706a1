"""Dialog that sets up a grid of trainings."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QWidget,
)

from app.errors import UserError
from app.params import Params, build_params
from app.params.grid_cells import (
    Trainable,
    fields_of_line,
    list_cells,
    setting_title,
    settings_without_effect,
)
from app.params.training.encoder import TrainEncoder
from app.params.training.fields import TITLES
from app.params.training.grid import TrainGrid
from app.params.training.grid_presets import GRID_PRESETS
from app.views.client.state import AppState
from app.views.training.objectives import ObjectiveField
from app.views.training.plan import EstimateRow
from app.views.training.setting_values import ENCODER_FIELDS, encoder_choices
from app.views.training.text import describe_encoder, describe_steps
from app.views.training.varied_settings import VariedSettings, varied_help
from app.views.widgets.check_list import CheckList
from app.views.widgets.controls import describe, make_label
from app.views.widgets.corpus_choices import (
    corpus_choices,
    linked_pairs,
    names_by_id,
)
from app.views.widgets.dialogs import lay_out_field
from app.views.widgets.fields import field_facts, make_files_field
from app.views.widgets.form import FormParts
from app.views.widgets.number_format import pluralize
from app.views.widgets.pair_languages import PairLanguageWarning
from app.views.widgets.pair_weights import PairWeights
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "grid_dialog")

DATA_FIELDS = (*("corpora", "pair_sets", "pairs", "nli", "documents", "conversations"),)
MEASURED_FIELDS = (
    *("tatoeba", "tables", "mining", "sts", "labelled"),
    *("transfer_train", "transfer_tests", "transfer_language", "transfer_head"),
)
SHOWN_FIELDS = ("name", "vary", *DATA_FIELDS, "n_steps", *MEASURED_FIELDS)
NAMED_FILES = ("sts", "labelled", "transfer_tests")  # NAME=FILE
KEPT_FIELDS = ("name", "kept_out", "kept_out_corpora", *DATA_FIELDS, *MEASURED_FIELDS)


class GridDialog(TaskDialog):
    """Asks for a grid of trainings.

    Attributes:
        presets: published ablations, scaled down for a laptop.
    """

    WIDTH = 104 * GRID

    def __init__(
        self,
        state: AppState,
        values: TrainGrid,
        run: Callable[[Params], object],
        parent: QWidget,
    ):
        """Initialise; `run` starts the grid."""
        fields = TrainGrid.__struct_fields__
        self.rare = [name for name in fields if name not in SHOWN_FIELDS]
        self._encoders = state.encoders.cards
        super().__init__(state, TrainGrid, values, skip=("out",), parent=parent)
        for field in ENCODER_FIELDS if self._encoders else ():
            self.form.set_choices(field, encoder_choices(field, self._encoders))
        self.form.fold(self.rare, shows_changed=False)
        self.form.hide_rows(() if state.minings else ("pair_sets",))
        self._run, self._values = run, values
        self.name_button(self.tr("Start trainings"))
        self.presets = self._make_presets()
        self._count = make_label("", "secondary", wraps=True)
        self._settings = make_label("", wraps=True)
        self._trainings: list[Trainable] = []  # empty: a value is invalid
        self.pair_languages = PairLanguageWarning(state, "grid", self)
        self.foot.addWidget(self.pair_languages.label)
        self.foot.addLayout(lay_out_field(self.tr("Preset"), self.presets))
        self.foot.addWidget(self._settings)
        self.foot.addWidget(self._count)
        self.estimate = EstimateRow(state, lambda: self._trainings)
        self.estimate.failed.connect(self.show_error)
        self.estimate.estimated.connect(self.fit)
        self.foot.addWidget(self.estimate)
        self.form.changed.connect(self._show_count)
        self._show_count()

    @property
    def count(self) -> str:
        """The text on the number of trainings, or the error in the settings."""
        return self._count.text()

    @property
    def settings(self) -> str:
        """The text on the shared encoder and steps."""
        return self._settings.text()

    def heading(self) -> str:
        """Return the heading."""
        return _tr("Train with several settings")

    def form_parts(self) -> FormParts:
        """Return fields for the varying settings, corpora and named files."""
        fields = msgspec.structs.fields(self._struct)
        facts = {one.name: field_facts(one) for one in fields}
        inputs = {name: make_files_field(facts[name]) for name in NAMED_FILES}
        self._varied = VariedSettings(facts["vary"].title, encoders=self._encoders)
        inputs["vary"] = self._varied.as_field()
        inputs["objectives"] = ObjectiveField().as_field()
        weights = PairWeights(
            TITLES["pair_weights"], lambda: self.form.raw().get("pairs") or ()
        )
        inputs["pair_weights"] = weights.as_field()
        project = self._state.project
        if project is not None:
            linked, names = linked_pairs(project), names_by_id(project)
            for name, corpora in (("corpora", linked), ("kept_out_corpora", None)):
                boxes = CheckList(facts[name].title, facts[name].description)
                boxes.set_choices(corpus_choices(project, corpora), names)
                inputs[name] = boxes.as_field()
            sets = CheckList(facts["pair_sets"].title, facts["pair_sets"].description)
            minings = self._state.minings
            ids_by_name = {row.name: str(row.id) for row in minings}
            sets.set_choices([(str(row.id), row.name) for row in minings], ids_by_name)
            inputs["pair_sets"] = sets.as_field()
        titles = {name: TITLES[name] for name in facts if name in TITLES}
        titles |= {
            "vary": _tr("Settings and values"),
            "tatoeba": _tr("Tatoeba folder"),
            "tables": _tr("Retrieval tables"),
            "mining": _tr("Mining (gold standard)"),
            "transfer_train": _tr("Transfer: training file"),
            "transfer_tests": _tr("Transfer: test files"),
            "transfer_language": _tr("Transfer: training language"),
            "transfer_head": _tr("Transfer: classifier"),
        }
        words = _tr("Name of the comparison. Its encoders have the name with a number.")
        return FormParts(
            SHOWN_FIELDS, titles, inputs, help={"vary": varied_help(), "name": words}
        )

    def use_preset(self, key: str) -> None:
        """Fill in a published ablation or the initial settings, keeping the data."""
        raw = self.form.raw()
        kept = {name: raw[name] for name in KEPT_FIELDS if name in raw}
        values = msgspec.structs.asdict(self._values)
        if key:
            made = build_params(TrainGrid, {**GRID_PRESETS[key].values, **kept})
            values = msgspec.structs.asdict(made)
        self.form.write(values | kept)

    def start(self, params: Params) -> None:
        """Start the grid."""
        self._run(params)

    def _make_presets(self) -> QComboBox:
        box = QComboBox()
        box.addItem(self.tr("Current settings"), "")
        for key, preset in GRID_PRESETS.items():
            box.addItem(preset.title, key)
            box.setItemData(
                box.count() - 1, preset.summary, Qt.ItemDataRole.ToolTipRole
            )
        describe(
            box,
            self.tr("Preset"),
            self.tr("Fill in a published comparison, in sizes for a laptop."),
        )
        box.activated.connect(lambda: self.use_preset(box.currentData()))
        return box

    def _show_count(self) -> None:
        raw: dict[str, Any] = self.form.raw()
        self.pair_languages.check(raw.get("pairs") or ())
        cells: list[Trainable] = []
        with suppress(UserError, msgspec.ValidationError):
            cells = [_shared_settings(raw)]
        problem = self.tr("Correct the marked values.") if self._varied.problem else ""
        if not problem:
            try:
                found = list_cells(build_params(TrainGrid, raw))
                cells = [cell.params for cell in found]
            except UserError as error:
                problem = str(error)
            except msgspec.ValidationError:
                problem = self.tr("Add a setting and its values.")
        unused = settings_without_effect(cells)
        self._varied.hide_settings(unused)
        varied = [name for line in self._varied.read() for name in fields_of_line(line)]
        idle = next((name for name in varied if name in unused), "")
        if idle and not problem:
            problem = self.tr(
                "{setting} has no effect with the other settings, so the encoders "
                "would be the same. Choose another setting."
            ).format(setting=setting_title(idle))
        one, many = self.tr("1 training."), self.tr("{n} trainings, one by one.")
        self._count.setText(problem or pluralize(len(cells), one, many))
        self._trainings = [] if problem else cells
        self.estimate.clear()
        for button in (self.run_button, self.estimate.button):
            button.setEnabled(not problem)
        self._show_settings(raw)

    def _show_settings(self, raw: dict[str, Any]) -> None:
        """Show the name of the encoder, whose settings are collapsed."""
        vary = self._varied.read()
        with suppress(msgspec.ValidationError):
            whole = raw | {"vary": vary}
            params = build_params(TrainGrid, whole) if vary else _shared_settings(raw)
            parts = describe_encoder(params), describe_steps(params)
            self._settings.setText(" ".join(f"{part}." for part in parts if part))


def _shared_settings(raw: dict[str, Any]) -> TrainEncoder:
    """Return the settings shared by all trainings."""
    known = {name: raw[name] for name in TrainEncoder.__struct_fields__ if name in raw}
    shared: TrainEncoder = build_params(TrainEncoder, known)
    return shared
