"""Panel with a guided path as a checklist."""

from functools import partial

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QScrollArea, QVBoxLayout, QWidget

from app.views.shell.guide import GuideController, GuideStep
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import as_widget, make_column, make_row
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.sections import TitledSection
from app.views.widgets.theme import GRID, scaled

MARK_WIDTH, HEIGHT = 3 * GRID, 26 * GRID


class GuidePanel(QWidget):
    """Shows the steps of one path, each with a button that opens its view.

    Attributes:
        persona: drop-down list that selects the path.
    """

    view_requested = Signal(str, str)  # view; page, or empty
    closed = Signal()

    def __init__(
        self,
        guide: GuideController,
        view_titles: dict[str, str],
        parent: QWidget | None = None,
    ):
        """Create an empty panel, which is filled when it is first shown."""
        super().__init__(parent)
        self.setObjectName("inspector")  # same style as the inspector
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._guide, self._titles = guide, view_titles
        self.persona = QComboBox()
        self._progress = make_label("", "secondary")
        self._steps = TitledSection(self.tr("Guided path"), spacing=GRID)
        self._is_filled = False
        self.setMinimumHeight(scaled(HEIGHT))

    @property
    def progress(self) -> str:
        """Number of completed steps, as text."""
        return self._progress.text()

    def showEvent(self, event: QShowEvent) -> None:
        """Create the steps when the panel is first shown."""
        super().showEvent(event)
        if not self._is_filled:
            self._is_filled = True
            self._lay_out()
            self._guide.changed.connect(self._show_steps)
            self._show_steps()

    def _lay_out(self) -> None:
        describe(
            self.persona,
            self.tr("Path"),
            self.tr("Select what you want to do with Isogloss."),
        )
        for name, path in self._guide.paths.items():
            self.persona.addItem(path.title, name)
        self.persona.activated.connect(self._on_persona_selected)
        close = make_button(
            self.tr("Close"),
            self.tr("Close the guided path. Help opens it again."),
            self.closed.emit,
            kind="quiet",
        )
        head = WrappingRow()
        head.addWidget(self.persona)
        head.addWidget(self._progress)
        head.add_stretch()
        head.addWidget(close)
        content = QWidget()
        content.setObjectName("scrolled")
        column = QVBoxLayout(content)
        column.setContentsMargins(2 * GRID, 0, 2 * GRID, GRID)
        column.setSpacing(0)
        column.addWidget(self._steps)
        self._again = make_button(
            self.tr("Start again"),
            self.tr("Mark the steps of this path as not done."),
            self._guide.restart,
            kind="quiet",
        )
        column.addWidget(self._again, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(make_column(head, margins=(2 * GRID, GRID, GRID, 0)))
        layout.addWidget(area, 1)

    def _on_persona_selected(self, _place: int) -> None:
        chosen = str(self.persona.currentData())
        settings = msgspec.structs.replace(self._guide.settings, persona=chosen)
        self._guide.remember(settings)

    def _show_steps(self) -> None:
        path = self._guide.path
        self.persona.setCurrentText(path.title)
        self._steps.clear()
        for number, step in enumerate(path.steps, 1):
            self._steps.add(self._make_row(number, step))
        n_done = sum(map(self._guide.is_done, path.steps))
        words = self.tr("{n} of {total} done")
        if n_done == len(path.steps):
            words = self.tr("All {total} done")
        self._again.setVisible(n_done == len(path.steps))
        self._progress.setText(words.format(n=n_done, total=len(path.steps)))

    def _make_row(self, number: int, step: GuideStep) -> QWidget:
        is_done = self._guide.is_done(step)
        mark = make_label("✓" if is_done else str(number), "accent")
        mark.setMinimumWidth(scaled(MARK_WIDTH))
        mark.setAccessibleName(self.tr("Done") if is_done else self.tr("Not done"))
        text = make_label(step.text, "secondary" if is_done else "text", wraps=True)
        title = self._titles.get(step.view, step.view)
        go = make_button(
            title,
            self.tr("Go to {view}.").format(view=title),
            partial(self.view_requested.emit, step.view, step.page),
            kind="quiet",
        )
        go.setProperty("shape", "flush")
        step_column = make_column(text, (go, 0, Qt.AlignmentFlag.AlignLeft), gap=0)
        row = make_row((mark, 0, Qt.AlignmentFlag.AlignTop), (step_column, 1))
        return as_widget(row)
