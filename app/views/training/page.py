"""Page of one training: figures, curves, record and model card."""

import math
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QWidget

from app.params.training.fields import PAIR_FIELDS
from app.views.client.state import AppState
from app.views.training.plots import CurveSource, TrainingPlots
from app.views.training.record import change_groups, record_groups
from app.views.training.runs import (
    STOPPED,
    TrainingCurves,
    TrainingRun,
    describe_status,
)
from app.views.training.text import (
    DEV_ACCURACY,
    DEV_ERROR,
    DOT,
    describe_encoder,
    describe_translation,
    format_measured,
    name_objectives,
)
from app.views.widgets.adaptive_rows import FigureRow, WrappingRow
from app.views.widgets.boxes import make_column, make_tabs
from app.views.widgets.controls import (
    ElidedLabel,
    make_action_button,
    make_label,
    restyle,
)
from app.views.widgets.model_card import ModelCard
from app.views.widgets.number_format import (
    describe_device,
    format_count,
    format_duration,
    format_error_rate,
    format_share,
    format_throughput,
)
from app.views.widgets.page_layout import make_scroll_area
from app.views.widgets.record_tree import RecordTree
from app.views.widgets.reference_fields import name_objects
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "TrainingPage")


def make_page_head(
    name: QWidget, status: QWidget, actions: Sequence[QAction]
) -> WrappingRow:
    """Create a header with name, status and action buttons of a training."""
    head = WrappingRow()
    head.addWidget(name)
    head.addWidget(status)
    head.add_stretch()
    for action in actions:
        head.addWidget(make_action_button(action))
    return head


class TrainingPage(QWidget):
    """Shows a running or past training.

    Attributes:
        training: the training shown; None before the first.
    """

    def __init__(
        self,
        state: AppState,
        curves: TrainingCurves,
        actions: Sequence[QAction],
        parent: QWidget | None = None,
    ):
        """Initialise an empty page with a button for each action."""
        super().__init__(parent)
        self.training: TrainingRun | None = None
        self._state, self._curves = state, curves
        self._name = ElidedLabel("heading", takes_line=True)
        self._state_label = make_label("", "secondary")
        self._summary = make_label("", "secondary", wraps=True)
        self._problem = make_label("", "warning", wraps=True)
        self._body = QWidget()
        self._area = make_scroll_area(self._body, self)
        self.figures = FigureRow(self._body)
        self.tabs = make_tabs(self._body, has_frame=True)
        self._columns = [self.tr("Error"), self.tr("Best")]
        self.plots = TrainingPlots(state, self._columns, self.tabs)
        self.record = RecordTree(
            self.tr("Record"), [self.tr("Property"), self.tr("Value")]
        )
        self._changes_columns = [
            self.tr("Language"),
            self.tr("Error before"),
            self.tr("Error after"),
            self.tr("Change (points)"),
        ]
        title = self.tr("Before and after")
        self.changes = RecordTree(title, self._changes_columns)
        self.card = ModelCard()
        for widget, title in (
            (self.plots, self.tr("Curves")),
            (self.changes, self.tr("Before and after")),
            (self.record, self.tr("Record")),
            (self.card, self.tr("Model card")),
        ):
            self.tabs.addTab(widget, title)
        self.tabs.setDocumentMode(True)
        self._lay_out(actions)
        curves.grown.connect(self._on_curves_grown)
        state.run_progressed.connect(self._on_run_progressed)
        state.encoders.changed.connect(self._on_encoders_changed)

    def show_training(self, training: TrainingRun) -> None:
        """Show a training, or update the current one."""
        is_other = self.training is None or self.training.id != training.id
        before, self.training = self.training, training
        self._name.setText(training.name)
        self._state_label.setText(describe_status(training.state))
        is_bad = training.state in ("interrupted", "failed")
        role = "warning" if is_bad else "secondary"
        restyle(self._state_label, "role", role)
        self._summary.setText(_summarise(training))
        is_cancelled = training.state == "cancelled"
        restyle(self._problem, "role", "secondary" if is_cancelled else "warning")
        self._problem.setText(self._problem_text(training))
        self._problem.setVisible(bool(self._problem.text()))
        self._show_figures()
        curves = self._curves.curves(training.id)
        self.plots.no_languages.setText(self._no_languages_text(training))
        self.plots.explain_no_curves(_explain_no_curves(training))
        held_out = training.held_out
        counted = [self.tr("95\u00a0% interval"), self.tr("Pairs")] if held_out else []
        self.plots.languages.set_columns(
            [*self._columns, *counted], hints=_column_hints()
        )
        if is_other or before is None or before.row != training.row:
            source = CurveSource(
                training.name,
                curves,
                training.kept_step,
                training.held_out,
                training.measure,
            )
            self.plots.show_sources([source])
        else:
            self.plots.refresh()
        if is_other or before is None or before.row != training.row:
            self._show_record(training)
            self._show_card(training)

    def focus_first(self) -> None:
        """Focus the tabs."""
        self.tabs.tabBar().setFocus()

    # --- layout ---

    def _lay_out(self, actions: Sequence[QAction]) -> None:
        make_column(
            self._summary,
            self._problem,
            GRID,
            self.figures,
            GRID,
            (self.tabs, 1),
            parent=self._body,
        )
        head = make_page_head(self._name, self._state_label, actions)
        make_column(head, (self._area, 1), parent=self)

    # --- display ---

    def _show_figures(self) -> None:
        if self.training is not None:
            self.figures.show_figures(self._figures(self.training))

    def _figures(self, training: TrainingRun) -> list[tuple[str, str]]:
        curves, run = self._curves.curves(training.id), training.run
        figures = []
        if run is not None and run.has_begun:
            done = format_count(run.done)
            if run.total > 0:
                share = format_share(run.done, run.total, rate=run.rate)
                done = f"{done} / {format_count(run.total)} ({share})"
            figures.append((run.stage.lower(), done))
        elif (at := training.unfinished).n_total and (run or training.state in STOPPED):
            done = f"{format_count(at.n_done)} / {format_count(at.n_total)}"
            share = format_share(at.n_done, at.n_total)
            figures.append((self.tr("training"), f"{done} ({share})"))
        if run is not None and run.seconds_left is not None:
            figures.append((self.tr("left"), format_duration(run.seconds_left)))
        loss = curves.last("loss", until=_current_step(training))
        if run is not None and loss is not None:
            figures.append((self.tr("loss"), f"{loss:.3f}"))
        first_step = 0 if training.state == "finished" else 1  # 0: not trained yet
        best = curves.best(DEV_ERROR, first_step=first_step)
        if best is not None:
            lowest, last = _name_measured(training)
            now = curves.last(DEV_ERROR)
            errors = [
                (
                    lowest.format(n=format_count(best[0])),
                    format_measured(training.measure, best[1]),
                ),
                (
                    last,
                    "–" if now is None else format_measured(training.measure, now),
                ),
            ]
            figures += errors if run is None else errors[::-1]
        accuracy = curves.last(DEV_ACCURACY)
        if accuracy is not None:
            words = self.tr("NLI accuracy")
            figures.append((words, format_error_rate(accuracy)))
        if run is None and loss is not None:
            figures.append((self.tr("loss"), f"{loss:.3f}"))
        if run is not None:
            for name, words in (
                ("sentences_per_s", self.tr("sentences")),
                ("tokens_per_s", self.tr("tokens")),
            ):
                rate = curves.last(name)
                if rate:
                    figures.append((words, format_throughput(rate)))
        title = self.tr("elapsed") if run else self.tr("duration")
        figures.append((title, format_duration(training.elapsed_s)))
        return figures

    def _show_record(self, training: TrainingRun) -> None:
        names = {str(corpus.id): corpus.name for corpus in self._state.corpora}
        names |= name_objects(self._state)
        self.record.show_groups(record_groups(training, names))
        counted = [self.tr("Held-out pairs")] if training.held_out else []
        self.changes.set_columns([*self._changes_columns, *counted])
        self.changes.show_groups(
            change_groups(training.changes, names, training.held_out)
        )
        index = self.tabs.indexOf(self.changes)
        self.tabs.setTabVisible(index, bool(training.changes))

    def _show_card(self, training: TrainingRun) -> None:
        folder = training.folder
        if folder is not None:
            known = self._state.encoders.find(training.name)
            if known is not None and known.folder and not folder.is_dir():
                folder = Path(known.folder)  # after the project was moved or copied
            self.card.show_folder(folder)
        else:
            words = self.tr(
                "The model card will appear here when the training is finished."
            )
            self.card.show_text(words)

    def _problem_text(self, training: TrainingRun) -> str:
        if training.error:
            return training.error
        if training.params is None and training.translation is None:
            return self.tr(
                "Another version of Isogloss ran this training, so its settings can't "
                "be shown."
            )
        if training.state == "cancelled" and training.may_have_checkpoint:
            words = self.tr(
                "Cancelled. The checkpoint of step {n} of {total} is kept: resume the "
                "training, or delete it."
            )
            at = training.unfinished
            n, total = format_count(at.n_done), format_count(at.n_total)
            return words.format(n=n, total=total)
        return str(training.result.get("warning", ""))

    def _no_languages_text(self, training: TrainingRun) -> str:
        if training.translation is not None:
            return self._translation_text(training)
        if training.params is not None and not training.params.n_development:
            return self.tr(
                "The retrieval error per language is not measured because there are no "
                "development pairs. Set “Development pairs” in the section Development."
            )
        params = training.params
        has_pairs = params is None or any(
            getattr(params, field) for field in PAIR_FIELDS
        )
        if training.run is None or not has_pairs:
            return self.tr("Retrieval error not measured.")
        return self.tr("The retrieval error per language will appear here.")

    def _translation_text(self, training: TrainingRun) -> str:
        if self._curves.curves(training.id).last(DEV_ERROR) is None:
            return self.tr(
                "The loss is that of the training data: no other pairs are measured."
            )
        if training.measure == "bleu":
            return self.tr(
                "BLEU is the mean over the directions, of greedy translations of the "
                "development pairs. The weights with the highest BLEU are saved."
            )
        return self.tr(
            "The cross-entropy is the mean loss per piece of the development pairs, "
            "which are not trained on. The weights with the lowest one are saved."
        )

    # --- events ---

    def _on_curves_grown(self) -> None:
        if self.isVisible() and self.training is not None:
            self._show_figures()
            self.plots.refresh()

    def _on_encoders_changed(self) -> None:
        if self.training is not None:
            self._show_card(self.training)

    def _on_run_progressed(self, run: object) -> None:
        if self.isVisible() and self.training and self.training.run is run:
            self._show_figures()

    def showEvent(self, event: QShowEvent) -> None:
        """Show the values received while the page was hidden."""
        super().showEvent(event)
        self._on_curves_grown()

    def changeEvent(self, event: QEvent) -> None:
        """Redraw the record in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.training is not None:
            self._show_record(self.training)


def _current_step(training: TrainingRun) -> float:
    """Return the step of a running training; curves may be ahead after resuming."""
    run, settings = training.run, training.params or training.translation
    is_at_steps = run is not None and settings and run.total == settings.n_steps
    return run.done if run is not None and is_at_steps else math.inf


def _explain_no_curves(training: TrainingRun) -> str:
    """Return why a training without curves has none."""
    if training.run is not None:
        return _tr("The curves will appear here after the first steps.")
    if training.state == "failed":
        return _tr("There are no curves: the training failed before its first values.")
    return _tr("There are no curves: the training ended before its first values.")


def _summarise(training: TrainingRun) -> str:
    started = time.strftime("%Y-%m-%d %H:%M", time.localtime(training.row.started_at))
    parts = []
    if training.params is not None:
        parts += [
            describe_encoder(training.params),
            name_objectives(training.params.objectives),
        ]
    if training.translation is not None:
        parts.append(describe_translation(training.translation))
    parts.append(_tr("run {id}").format(id=training.id))
    parts.append(_tr("started {when}").format(when=started))
    if training.row.device:
        parts.append(describe_device(training.row.device))
    return DOT.join(parts)


def _name_measured(training: TrainingRun) -> tuple[str, str]:
    """Return titles of the best and last value on the development pairs."""
    return {
        "error": (_tr("lowest error, at step {n}"), _tr("last error")),
        "cross-entropy": (
            _tr("lowest cross-entropy, at step {n}"),
            _tr("last cross-entropy"),
        ),
        "bleu": (_tr("highest BLEU, at step {n}"), _tr("last BLEU")),
    }[training.measure]


def _column_hints() -> list[str]:
    """Return explanations of the number columns."""
    return [
        _tr("Retrieval error on the development pairs at the last measurement."),
        _tr(
            "Lowest error of all measurements. The same pairs select the saved "
            "weights, so the error on other texts may be higher."
        ),
        _tr("95\u00a0% interval of the best error."),
        _tr("Number of development pairs."),
    ]
