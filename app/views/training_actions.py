"""What can be done in the training view: actions with keys, and when they apply."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction

from app.views.training_runs import Training
from app.views.widgets.controls import add_action

if TYPE_CHECKING:
    from app.views.training_view import TrainingView


def make_actions(view: "TrainingView") -> dict[str, QAction]:
    """Make the view's actions, by name."""

    def _add(text: str, hint: str, name: str, keys: str = "") -> QAction:
        return add_action(view, text, getattr(view, name), keys=keys, hint=hint)

    return {
        "new": _add(
            _tr("New training…"),
            _tr("Start from a preset, on corpora of this project or on files."),
            "begin_new",
            "Ctrl+T",
        ),
        "estimate": _add(
            _tr("Estimate"),
            _tr("Try a few steps here and tell time, memory and disk."),
            "estimate",
            "Ctrl+E",
        ),
        "start": _add(
            _tr("Start training"),
            _tr("Train with these settings."),
            "start",
            "Ctrl+Return",
        ),
        "copy": _add(
            _tr("Copy as command"),
            _tr("Copy the command that does this training in a terminal."),
            "copy_command",
            "Ctrl+Shift+C",
        ),
        "pause": _add(
            _tr("Pause"),
            _tr("Write a checkpoint and stop; Resume goes on from there."),
            "pause",
            "Ctrl+P",
        ),
        "finish": _add(
            _tr("Finish now"),
            _tr("Stop here, keep the best checkpoint and save the encoder."),
            "finish",
            "Ctrl+Shift+F",
        ),
        "cancel": _add(
            _tr("Cancel"),
            _tr("Stop and make no encoder."),
            "cancel",
            "Ctrl+Backspace",
        ),
        "resume": _add(
            _tr("Resume"),
            _tr("Go on from the last checkpoint."),
            "resume",
            "Ctrl+R",
        ),
        "give_up": _add(
            _tr("Give up"),
            _tr("Remove what the training left half-done."),
            "give_up",
        ),
        "again": _add(
            _tr("Train again…"),
            _tr("Begin a new training with these settings."),
            "train_again",
            "Ctrl+Shift+T",
        ),
        "compare": _add(
            _tr("Compare with the one before"),
            _tr("Show this training and the one before it on one plot."),
            "compare",
            "Ctrl+D",
        ),
    }


class Situation:
    """What is on the page, as far as actions depend on it.

    Attributes:
        training: the one that is shown; None on the other pages.
    """

    def __init__(
        self,
        training: Training | None,
        *,
        is_setup: bool,
        can_write: bool,
        is_steered: bool,
    ):
        self.training = training
        self.is_setup, self.can_write = is_setup, can_write
        self.is_steered = is_steered  # it was asked to pause or to finish


def refresh_actions(actions: dict[str, QAction], now: Situation) -> None:
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


def _set(action: QAction, can: bool, *, is_shown: bool = True) -> None:
    action.setEnabled(can)
    action.setVisible(is_shown)


def _tr(text: str) -> str:
    return QCoreApplication.translate("TrainingView", text)
