"""Two trainings side by side: their curves on one plot, what differs, both values."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from app.params.training_fields import SECTIONS
from app.views.panels.training_plots import Source, TrainingPlots
from app.views.state import AppState
from app.views.theme import GRID
from app.views.training_curves import TrainingCurves
from app.views.training_runs import Training, state_words
from app.views.training_words import differing_fields, field_title, format_error
from app.views.widgets.controls import make_label
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.record_tree import RecordRow, RecordTree
from app.views.words import describe_device, format_duration


class TrainingComparison(QWidget):
    """Shows two trainings."""

    def __init__(
        self, state: AppState, curves: TrainingCurves, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._curves = curves
        self._pair: tuple[Training, Training] | None = None
        self._heading = ElidedLabel("heading")
        columns = [self.tr("First"), self.tr("Second"), self.tr("Change")]
        self.plots = TrainingPlots(state, columns)
        self.plots.no_languages.setText(
            self.tr("Neither training measured the retrieval error of languages.")
        )
        self.differences = RecordTree(
            self.tr("What differs"), [self.tr("What"), "1", "2"]
        )
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.plots, self.tr("Curves"))
        self.tabs.addTab(self.differences, self.tr("What differs"))
        head = QHBoxLayout()
        head.addWidget(self._heading, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        self._summary = make_label("", "secondary", wraps=True)
        layout.addWidget(self._summary)
        layout.addWidget(self.tabs, 1)
        curves.grown.connect(self._on_curves_grown)

    @property
    def summary(self) -> str:
        """What is said of the two in one sentence."""
        return self._summary.text()

    def show_pair(self, one: Training, other: Training) -> None:
        """Compare two trainings; the older one first."""
        first, second = sorted((one, other), key=lambda training: training.id)
        old = self._pair
        self._pair = first, second
        self._heading.setText(
            self.tr("{one} and {other}").format(one=first.name, other=second.name)
        )
        groups = difference_groups(first, second)
        n = sum(len(rows) for title, rows in groups if title == _tr("Settings"))
        self._summary.setText(_count(n))
        self.differences.set_columns([self.tr("What"), first.name, second.name])
        self.differences.show_groups(groups)
        self.plots.languages.setHorizontalHeaderLabels(
            [self.tr("Language"), first.name, second.name, self.tr("Change")]
        )
        if old is None or [t.id for t in old] != [first.id, second.id]:
            self.plots.show_sources(
                [Source(t.name, self._curves.book(t.id)) for t in self._pair]
            )
        else:
            self.plots.refresh()

    def focus_first(self) -> None:
        """Put the keyboard on the tabs."""
        self.tabs.tabBar().setFocus()

    def _on_curves_grown(self) -> None:
        if self.isVisible():
            self.plots.refresh()


def difference_groups(
    one: Training, other: Training
) -> list[tuple[str, Sequence[RecordRow]]]:
    """Give what differs between two trainings, with both values."""
    settings = []
    if one.params is not None and other.params is not None:
        differing = differing_fields(one.params, other.params)
        order = [name for fields in SECTIONS.values() for name in fields]
        settings = [
            RecordRow(
                field_title(name),
                (getattr(one.params, name), getattr(other.params, name)),
            )
            for name in sorted(differing, key=order.index)
        ]
    both = one, other
    outcome = [
        _row(_tr("state"), [state_words(t.state) for t in both]),
        _row(
            _tr("lowest retrieval error"),
            ["" if t.best is None else format_error(t.best) for t in both],
        ),
        _row(_tr("took"), [format_duration(t.took_s) for t in both]),
        _row(_tr("device"), [describe_device(t.row.device) for t in both]),
        *_differing(one.result, other.result),
    ]
    versions = _differing(one.versions, other.versions)
    return [
        (_tr("Settings"), settings),
        (_tr("Result"), outcome),
        (_tr("Versions"), versions),
    ]


def _row(title: str, values: Sequence[str]) -> RecordRow:
    return RecordRow(title, tuple(values), is_quiet=len(set(values)) == 1)


def _differing(one: dict[str, object], other: dict[str, object]) -> list[RecordRow]:
    return [
        RecordRow(name.replace("_", " "), (one.get(name), other.get(name)))
        for name in dict.fromkeys([*one, *other])
        if one.get(name) != other.get(name) and name not in ("name", "folder")
    ]


def _count(n: int) -> str:
    if n == 0:
        return _tr("They have the same settings.")
    return (
        _tr("1 setting differs.") if n == 1 else _tr("{n} settings differ.").format(n=n)
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("TrainingComparison", text)
