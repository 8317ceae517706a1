"""Dialog that sets up a grid of trainings."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.errors import UserError
from app.params import Params, build_params
from app.params.grid_cells import (
    JOINT_SIGN,
    Trainable,
    list_cells,
    setting_title,
    varied_fields,
)
from app.params.training.encoder import TrainEncoder
from app.params.training.fields import TITLES
from app.params.training.grid import TrainGrid
from app.params.training.grid_presets import GRID_PRESETS
from app.views.client.state import AppState
from app.views.widgets.check_list import CheckList
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.corpus_choices import corpus_choices, linked_pairs
from app.views.widgets.dialogs import lay_out_field
from app.views.widgets.fields import Field, field_facts, make_files_field
from app.views.widgets.form import FormParts
from app.views.widgets.number_format import pluralize
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "grid_dialog")

DATA_FIELDS = ("corpora", "pairs", "nli", "documents", "conversations")
MEASURED_FIELDS = (
    *("tatoeba", "tables", "mining", "sts", "labelled"),
    *("transfer_train", "transfer_tests", "transfer_language", "transfer_head"),
)
SHOWN_FIELDS = ("name", "vary", *DATA_FIELDS, "n_steps", *MEASURED_FIELDS)
NAMED_FILES = ("sts", "labelled", "transfer_tests")  # NAME=FILE
KEPT_FIELDS = ("name", "kept_out", "kept_out_corpora", *DATA_FIELDS, *MEASURED_FIELDS)


class VariedSettings(QWidget):
    """Rows of a setting and its values."""

    changed = Signal()

    def __init__(self, title: str, hint: str, struct: type[Trainable] = TrainEncoder):
        """Make one row.

        Args:
            title: name of the input.
            hint: what it is for.
            struct: params whose settings vary.
        """
        super().__init__()
        self._fields = sorted(varied_fields(struct), key=setting_title)
        self._rows: list[tuple[QComboBox, QLineEdit, QWidget]] = []
        self._column = QVBoxLayout()
        self._column.setSpacing(GRID // 2)
        self.add_button = make_button(
            self.tr("Add a setting"),
            self.tr("Vary one more setting; every combination is trained."),
            self.add_row,
            kind="quiet",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(self._column)
        layout.addWidget(self.add_button, 0, Qt.AlignmentFlag.AlignLeft)
        describe(self, title, hint)
        self.setToolTip("")
        self.write(())

    def read(self) -> list[str]:
        """Return a line for each row that has values."""
        return [
            f"{box.currentData()}={line.text().strip()}"
            for box, line, _ in self._rows
            if line.text().strip()
        ]

    def write(self, lines: Sequence[str]) -> None:
        """Show these settings; one empty row if there are none."""
        for _, _, row in self._rows:
            row.deleteLater()
        self._rows.clear()
        for text in lines or ("n_layers=",):
            fields, _, values = text.partition("=")
            self.add_row()
            box, line, _ = self._rows[-1]
            if box.findData(fields) < 0:
                titles = [setting_title(one) for one in fields.split(JOINT_SIGN)]
                box.addItem(f" {JOINT_SIGN} ".join(titles), fields)
            box.setCurrentIndex(box.findData(fields))
            line.setText(values)
        self.changed.emit()

    def add_row(self) -> None:
        """Add an empty row."""
        box, line, row = QComboBox(), QLineEdit(), QWidget()
        for field in self._fields:
            box.addItem(setting_title(field), field)
        describe(box, self.tr("Setting"), self.tr("The setting that varies."))
        hint = self.tr(
            "Values, separated by |. Items of a list are separated by commas: 1 | 3 | 5"
        )
        describe(line, self.tr("Values"), hint)
        line.setPlaceholderText(self.tr("values, separated by |"))
        remove = make_button(
            self.tr("Remove"),
            self.tr("Stop varying this setting."),
            lambda: self._remove(row),
            kind="quiet",
        )
        inner = QHBoxLayout(row)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(GRID)
        inner.addWidget(box)
        inner.addWidget(line, 1)
        inner.addWidget(remove)
        self._column.addWidget(row)
        self._rows.append((box, line, row))
        box.currentIndexChanged.connect(lambda: self.changed.emit())
        line.textChanged.connect(lambda: self.changed.emit())
        self.setFocusProxy(self._rows[0][1])

    def as_field(self) -> Field:
        """Return the widget as an input of a form."""
        return Field(self, self.read, self.write, lambda f: self.changed.connect(f))

    def _remove(self, row: QWidget) -> None:
        self._rows = [one for one in self._rows if one[2] is not row]
        row.deleteLater()
        if not self._rows:
            self.add_row()
        self.changed.emit()


class GridDialog(TaskDialog):
    """Asks for a grid of trainings.

    Attributes:
        presets: published ablations at the size of a laptop.
    """

    WIDTH = 104 * GRID

    def __init__(
        self,
        state: AppState,
        values: TrainGrid,
        run: Callable[[Params], object],
        parent: QWidget,
    ):
        """Make the dialog; `run` starts the grid."""
        fields = TrainGrid.__struct_fields__
        self.rare = [name for name in fields if name not in SHOWN_FIELDS]
        super().__init__(state, TrainGrid, values, skip=("out",), parent=parent)
        self.form.fold(self.rare, shows_changed=False)
        self._run = run
        self.name_button(self.tr("Start trainings"))
        self.presets = self._make_presets()
        self._count = make_label("", "secondary", wraps=True)
        self.foot.addWidget(self._count)
        self.foot.addLayout(lay_out_field(self.tr("Preset"), self.presets))
        self.form.changed.connect(self._show_count)
        self._show_count()

    @property
    def count(self) -> str:
        """The text on the number of trainings, or what is wrong with the settings."""
        return self._count.text()

    def heading(self) -> str:
        """Name the dialog."""
        return _tr("Compare settings")

    def form_parts(self) -> FormParts:
        """Return the settings that vary, corpora and named files."""
        fields = msgspec.structs.fields(self._struct)
        facts = {one.name: field_facts(one) for one in fields}
        vary = facts["vary"]
        inputs = {name: make_files_field(facts[name]) for name in NAMED_FILES}
        inputs["vary"] = VariedSettings(vary.title, vary.description).as_field()
        project = self._state.project
        if project is not None:
            corpora = CheckList(facts["corpora"].title, facts["corpora"].description)
            corpora.set_choices(corpus_choices(project, linked_pairs(project)))
            inputs["corpora"] = corpora.as_field()
        titles = {name: TITLES[name] for name in facts if name in TITLES}
        titles |= {
            "vary": _tr("Vary"),
            "tatoeba": _tr("Tatoeba folder"),
            "tables": _tr("Retrieval tables"),
            "mining": _tr("Mining (gold.tsv)"),
            "sts": _tr("Similarity files"),
            "labelled": _tr("Labelled files"),
            "transfer_train": _tr("Transfer: training file"),
            "transfer_tests": _tr("Transfer: test files"),
            "transfer_language": _tr("Transfer: training language"),
            "transfer_head": _tr("Transfer: classifier"),
        }
        return FormParts(SHOWN_FIELDS, titles, inputs, help=grid_help())

    def use_preset(self, key: str) -> None:
        """Fill in a published ablation; data and measurements stay."""
        raw = self.form.raw()
        kept = {name: raw[name] for name in KEPT_FIELDS if name in raw}
        made = build_params(TrainGrid, {**GRID_PRESETS[key].values, **kept})
        self.form.write(msgspec.structs.asdict(made))

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
            self.tr("Fill in a published comparison, at the size of a laptop."),
        )
        box.activated.connect(self._on_preset_chosen)
        return box

    def _on_preset_chosen(self) -> None:
        if key := self.presets.currentData():
            self.use_preset(key)

    def _show_count(self) -> None:
        raw: dict[str, Any] = self.form.raw()
        try:
            n = len(list_cells(build_params(TrainGrid, raw)))
        except UserError as error:
            self._count.setText(str(error))
        except msgspec.ValidationError:
            self._count.setText(self.tr("Add a setting and its values."))
        else:
            one, many = self.tr("1 training."), self.tr("{n} trainings, one by one.")
            self._count.setText(pluralize(n, one, many))


def grid_help() -> dict[str, str]:
    """Return how to write values, and how to name labelled files."""
    return {
        "vary": _tr(
            "Values are separated by |, items of a list by commas. With several "
            "settings, every combination is trained."
        ),
        "labelled": _tr(
            "Files with label, tab, text: measure the accuracy of logistic regression."
        ),
    }
