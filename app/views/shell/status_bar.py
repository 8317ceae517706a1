"""Bottom bar of the window: messages, and the progress of the current run."""

from functools import partial

import shiboken6
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QProgressBar,
    QWidget,
)

from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.shell.job_results import name_job
from app.views.widgets.boxes import as_widget, make_column, make_row
from app.views.widgets.controls import (
    ElidedLabel,
    describe,
    make_button,
    make_label,
    restyle,
)
from app.views.widgets.message_bar import HEIGHT, MessageBar
from app.views.widgets.number_format import (
    format_bytes,
    format_count,
    format_duration,
    format_share,
    format_throughput,
)
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "RunStrip")

BAR_STEPS = 1000
BYTE_STAGES = ("Reading the files",)  # these stages count bytes, the others count items


class StatusBar(QWidget):
    """Shows the progress of the first open run, or "No job running"."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.setObjectName("runStrip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._state = state
        self._run: RunState | None = None
        self._stage = make_label()
        self._bar = QProgressBar(textVisible=False)
        self._bar.setFixedWidth(28 * GRID)
        describe(self._bar, self.tr("Progress"), self.tr("Progress of the job."))
        self._numbers = ElidedLabel("secondary")  # a note can be long
        self._machine = make_label("", "secondary")
        self._cancel = make_button(
            self.tr("Cancel"), self.tr("Cancel the job."), self._on_cancel
        )
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 0, GRID, 0)
        layout.setSpacing(2 * GRID)
        layout.addWidget(self._bar)
        layout.addWidget(self._cancel)
        layout.addWidget(self._stage)
        layout.addWidget(self._numbers, 1)
        layout.addWidget(self._machine)
        for signal in (
            state.runs_changed,
            state.project_opening_changed,
            state.devices_changed,
            state.project_opened,
        ):
            signal.connect(self.refresh)
        state.run_progressed.connect(self._on_run_progressed)
        self.refresh()

    @property
    def has_run(self) -> bool:
        """Whether the bar shows a run."""
        return self._run is not None

    @property
    def text(self) -> str:
        """The full text of the bar, for screen readers and tests."""
        parts = (self._stage.text(), self._numbers.text(), self._machine.text())
        return " · ".join(part for part in parts if part)

    @property
    def compact_width(self) -> int:
        """Maximum width of the run next to a message, in pixels."""
        words = self.tr("Stop engine")
        button = self._cancel.fontMetrics().horizontalAdvance(words) + 4 * GRID
        return self._bar.maximumWidth() + button + 6 * GRID

    def show_compact(self, is_compact: bool) -> None:
        """Show only the progress of the run, to leave room for a message."""
        for label in (self._stage, self._numbers, self._machine):
            label.setHidden(is_compact)
        self._bar.setToolTip(self.text if is_compact else "")

    def refresh(self) -> None:
        """Show the first open run, or "No job running"."""
        runs = self._state.runs
        self._run = self._state.opening or (runs[0] if runs else None)
        has_run = self._run is not None
        self._bar.setVisible(has_run)
        self._cancel.setVisible(has_run)
        restyle(self._stage, "role", "text" if has_run else "secondary")
        if self._run is None:
            self._stage.setText(self.tr("No job running"))
            self._numbers.setText("")
        else:
            self._show_run(self._run)
        self._machine.setText(self._machine_words())
        self.setAccessibleName(self.text)

    def _on_run_progressed(self, run: RunState) -> None:
        if run is self._run:
            self._show_run(run)
            self._machine.setText(self._machine_words())

    def _show_run(self, run: RunState) -> None:
        self._stage.setText(self._stage_words(run))
        if run.total > 0:
            self._bar.setRange(0, BAR_STEPS)
            self._bar.setValue(round(BAR_STEPS * min(run.done / run.total, 1.0)))
        else:
            self._bar.setRange(0, BAR_STEPS if not run.has_begun else 0)
            self._bar.setValue(0)
        self._numbers.setText(format_progress(run))
        stops = run.may_stop_engine
        self._cancel.setText(self.tr("Stop engine") if stops else self.tr("Cancel"))
        self._cancel.setEnabled(stops or not run.is_cancelling)
        restyle(self._cancel, "danger", stops)

    def _stage_words(self, run: RunState) -> str:
        job = name_job(run.task)
        if run is self._state.opening:
            job = self.tr("The opening of the project")
        if run.is_cancelling:
            return self.tr("{job} is being cancelled…").format(job=job)
        if run.has_begun:
            return run.stage[0].upper() + run.stage[1:]
        if run is self._state.opening:
            return self.tr("Opening the project")
        return self.tr("{job} is waiting for the engine").format(job=job)

    def _machine_words(self) -> str:
        parts = []
        n_queued = len(self._state.runs) - (self._run in self._state.runs)
        if n_queued > 0:
            parts.append(self.tr("{n} queued").format(n=n_queued))
        run = self._run
        device = (run.device if run is not None else "") or self._state.device
        if device:
            parts.append(device.upper() if device == "cpu" else device)
        if run is not None and run.memory:
            parts.append(format_bytes(run.memory))
        return " · ".join(parts)

    def _on_cancel(self) -> None:
        if self._run is None:
            return
        if self._run.may_stop_engine:
            self._state.stop_engine()
        else:
            self._state.cancel(self._run)


class WindowFoot(QWidget):
    """Shows messages of the window or the view in place of an idle status bar.

    A running job is shown to the left of the message, so that no button moves. The
    height is fixed, so that a message neither covers nor moves anything.
    """

    def __init__(self, state: AppState, messages: MessageBar, strip: StatusBar):
        super().__init__()
        self.setObjectName("windowFoot")
        self._strip = strip
        self._messages = messages  # message bar of the window
        self._bars: dict[QWidget, MessageBar] = {}  # message bars of the views
        self._holders: dict[MessageBar, QWidget] = {}
        self._view: QWidget | None = None
        self._newest = messages  # bar with the newest message
        self.setFixedHeight(HEIGHT)
        self._row = make_row(strip, parent=self)
        self._add(messages)
        state.runs_changed.connect(self._fit)
        state.project_opening_changed.connect(self._fit)
        self._fit()

    def show_view(self, view: QWidget) -> None:
        """Show the messages of a view, which is now current."""
        bar = view.findChild(MessageBar)
        if view not in self._bars and bar is not None:
            self._bars[view] = bar
            self._add(bar)
        if self._view in self._bars and self._view is not view:
            self._bars[self._view].close_report()
        self._view = view
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out the buttons of the messages for the new width."""
        super().resizeEvent(event)
        for bar in self._holders:
            bar.set_room(self.width(), self._strip.compact_width)

    def forget_views(self) -> None:
        """Delete the message bars of the deleted views."""
        for bar in self._bars.values():
            shiboken6.delete(self._holders.pop(bar))
        self._bars.clear()
        self._view, self._newest = None, self._messages
        self._fit()

    def _add(self, bar: MessageBar) -> None:
        self._holders[bar] = as_widget(make_column(bar))
        bar.set_room(self.width(), self._strip.compact_width)
        self._row.addWidget(self._holders[bar], 1)
        bar.changed.connect(partial(self._on_changed, bar))

    def _on_changed(self, bar: MessageBar) -> None:
        if bar.text:
            for other in {*self._bars.values(), self._messages} - {bar}:
                other.drop_report()
            self._newest = bar
        self._fit()

    def _choose(self) -> MessageBar | None:
        """Return the bar to show: an error first, then the newest message."""
        own = [self._bars[self._view]] if self._view in self._bars else []
        bars = [one for one in (*own, self._messages) if one.text]
        bars.sort(key=lambda one: (not one.is_error, one is not self._newest))
        return bars[0] if bars else None

    def _fit(self) -> None:
        shown = self._choose()
        for bar, holder in self._holders.items():
            holder.setVisible(bar is shown)
        self._strip.show_compact(shown is not None)
        self._strip.setVisible(self._strip.has_run or shown is None)


def _name_items(stage: str) -> str:
    """Return the name of a stage's items, or an empty text if unknown."""
    items = {"Importing": _tr("lines"), "Encoding": _tr("sentences")}
    return items.get(stage.partition(" ")[0], "")


def format_progress(run: RunState) -> str:
    """Format the progress of a run: done / total · % · rate · time left · note."""
    if not run.has_begun:
        return ""
    rate = run.rate
    are_bytes = run.stage in BYTE_STAGES
    count = format_bytes if are_bytes else format_count
    parts = [count(run.done)] if run.done > 0 else []
    if run.total > 0:
        parts = [f"{count(run.done)} / {count(run.total)}"]
        parts.append(format_share(run.done, run.total, rate=rate))
    if rate > 0:
        words = f"{format_bytes(round(rate))}/s" if are_bytes else ""
        parts.append(words or format_throughput(rate, _name_items(run.stage)))
    if run.seconds_left is not None:
        parts.append(_tr("{time} left").format(time=format_duration(run.seconds_left)))
    if run.note:
        parts.append(run.note)
    return " · ".join(parts)
