"""Actions of the training view, enabled when they apply."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction

from app.views.training.runs import TrainingRun
from app.views.widgets.controls import add_action

if TYPE_CHECKING:
    from app.views.training.view import TrainingView


def make_training_actions(view: "TrainingView") -> dict[str, QAction]:
    """Make the view's actions, by name."""
    return _of_setup(view) | _of_running(view) | _of_past(view)


class ActionContext:
    """What is on the page, as far as actions depend on it.

    Attributes:
        training: the one that is shown; None on the other pages.
    """

    def __init__(
        self,
        training: TrainingRun | None,
        *,
        is_setup: bool,
        can_write: bool,
        is_steered: bool,
    ):
        self.training = training
        self.is_setup, self.can_write = is_setup, can_write
        self.is_steered = is_steered  # it was asked to pause or to finish


def refresh_training_actions(actions: dict[str, QAction], now: ActionContext) -> None:
    """Enable and show what can be done now."""
    training = now.training
    run = training.run if training is not None else None
    is_cut_off = training is not None and training.state == "interrupted"
    knows_settings = training is not None and training.params is not None
    may_stop_engine = run is not None and run.may_stop_engine
    can_steer = (
        run is not None
        and run.has_begun
        and not run.is_cancelling
        and not now.is_steered
    )
    _set(actions["new"], now.can_write)
    _set(actions["estimate"], now.is_setup and now.can_write)
    _set(actions["start"], now.is_setup and now.can_write)
    _set(actions["copy"], now.is_setup or knows_settings)
    for name in ("pause", "finish"):
        _set(actions[name], can_steer, is_shown=run is not None)
    can_cancel = run is not None and (may_stop_engine or not run.is_cancelling)
    _set(actions["cancel"], can_cancel, is_shown=run is not None)
    words = _tr("Stop engine") if may_stop_engine else _tr("Cancel")
    actions["cancel"].setText(words)
    for name in ("resume", "give_up"):
        _set(actions[name], is_cut_off and now.can_write, is_shown=is_cut_off)
    _set(actions["again"], knows_settings and now.can_write, is_shown=run is None)


def _of_setup(view: "TrainingView") -> dict[str, QAction]:
    return {
        "new": add_action(
            view,
            _tr("New training…"),
            view.begin_new,
            keys="Ctrl+T",
            hint=_tr("Start from a preset, on corpora of this project or on files."),
        ),
        "estimate": add_action(
            view,
            _tr("Estimate"),
            view.estimate,
            keys="Ctrl+E",
            hint=_tr("Try a few steps here and tell time, memory and disk."),
        ),
        "start": add_action(
            view,
            _tr("Start training"),
            view.start,
            keys="Ctrl+Return",
            hint=_tr("Train with these settings."),
        ),
        "copy": add_action(
            view,
            _tr("Copy as command"),
            view.copy_command,
            keys="Ctrl+Shift+C",
            hint=_tr("Copy the command that does this training in a terminal."),
        ),
    }


def _of_running(view: "TrainingView") -> dict[str, QAction]:
    return {
        "pause": add_action(
            view,
            _tr("Pause"),
            view.pause,
            keys="Ctrl+P",
            hint=_tr("Write a checkpoint and stop; Resume goes on from there."),
        ),
        "finish": add_action(
            view,
            _tr("Finish now"),
            view.finish,
            keys="Ctrl+Shift+F",
            hint=_tr("Stop here, keep the best checkpoint and save the encoder."),
        ),
        "cancel": add_action(
            view,
            _tr("Cancel"),
            view.cancel,
            keys="Ctrl+Backspace",
            hint=_tr("Stop and make no encoder."),
        ),
    }


def _of_past(view: "TrainingView") -> dict[str, QAction]:
    return {
        "resume": add_action(
            view,
            _tr("Resume"),
            view.resume,
            keys="Ctrl+R",
            hint=_tr("Go on from the last checkpoint."),
        ),
        "give_up": add_action(
            view,
            _tr("Give up"),
            view.give_up,
            hint=_tr("Remove what the training left half-done."),
        ),
        "again": add_action(
            view,
            _tr("Train again…"),
            view.train_again,
            keys="Ctrl+Shift+T",
            hint=_tr("Begin a new training with these settings."),
        ),
        "compare": add_action(
            view,
            _tr("Compare with the one before"),
            view.compare,
            keys="Ctrl+D",
            hint=_tr("Show this training and the one before it on one plot."),
        ),
    }


def _set(action: QAction, can: bool, *, is_shown: bool = True) -> None:
    action.setEnabled(can)
    action.setVisible(is_shown)


def _tr(text: str) -> str:
    return QCoreApplication.translate("TrainingView", text)
