"""Controller of the training view: actions, and commands for the current training."""

from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.params.training.encoder import TrainVocabulary
from app.params.training.fine_tuning import FineTuneEncoder
from app.params.translation import TrainTranslationGrid
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.training.runs import TrainingRun
from app.views.training.translation_dialog import TranslationDialog
from app.views.training.translation_grid_dialog import TranslationGridDialog
from app.views.widgets.controls import add_action, add_synonyms
from app.views.widgets.dialogs import suggest_path
from app.views.widgets.encoder_use import encode_with, use_encoder
from app.views.widgets.fine_tune_dialog import FineTuneDialog
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.run_deletion import delete_run
from app.views.widgets.task_dialog import TaskDialog, copy_command


class TrainingController(QObject):
    """Creates the actions of the training view and runs those on a training.

    Changes of the page are requested from the view by signals.
    """

    new_requested = Signal()
    estimate_requested = Signal()
    start_requested = Signal()
    setup_command_requested = Signal()
    repeat_requested = Signal(object)  # TrainEncoder
    compare_requested = Signal()
    grid_requested = Signal()
    training_started = Signal(object)  # RunState

    def __init__(self, state: AppState, messages: MessageBar, view: QWidget):
        """Add the actions to the view; `messages` offers to undo a deletion."""
        super().__init__(view)
        self._state, self._messages, self._view = state, messages, view
        self._training: TrainingRun | None = None
        self._is_setup = False
        self._steered: set[int] = set()  # runs requested to pause or finish
        self._make_setup_actions()
        self._make_run_actions()
        self._make_history_actions()
        state.encoders.changed.connect(self.refresh)

    # --- actions ---

    def _make_setup_actions(self) -> None:
        add, tr = partial(add_action, self._view), self.tr
        self.new_action = add(
            tr("New training…"),
            tr("Set up a training from a preset."),
            self.new_requested.emit,
            "Ctrl+T",
        )
        self.vocabulary_action = add(
            tr("Train a vocabulary…"),
            tr("Train a vocabulary that several trainings can share."),
            self.ask_vocabulary,
        )
        self.translation_action = add(
            tr("Train a translation model…"),
            tr(
                "Train a model with an attention bridge, which translates between "
                "several languages and also encodes sentences."
            ),
            self.ask_translation,
        )
        add_synonyms(self.translation_action, tr("bridge multilingual translate"))
        self.translation_grid_action = add(
            tr("Train several translation models…"),
            tr(
                "Train translation models with different numbers of heads or other "
                "settings, and compare BLEU and the scores of their vectors."
            ),
            lambda: self.ask_translation_grid(),
        )
        self.estimate_action = add(
            tr("Estimate"),
            tr("Try a few steps to estimate time, memory and disk space."),
            self.estimate_requested.emit,
            "Ctrl+E",
        )
        self.start_action = add(
            tr("Start training"),
            tr("Train with these settings."),
            self.start_requested.emit,
            "Ctrl+Return",
        )
        self.copy_action = add(
            tr("Copy as command"),
            tr("Copy the command that runs this training in a terminal."),
            self.copy_command,
            "Ctrl+Shift+C",
        )

    def _make_run_actions(self) -> None:
        add, tr = partial(add_action, self._view), self.tr
        self.pause_action = add(
            tr("Pause"),
            tr("Save a checkpoint and stop. You can resume from it."),
            self.pause,
            "Ctrl+P",
        )
        self.finish_action = add(
            tr("Finish now"),
            tr("Stop now, and save the encoder with the best weights so far."),
            self.finish,
            "Ctrl+Shift+F",
        )
        self.cancel_action = add(
            tr("Cancel"),
            tr("Stop without saving an encoder. You can resume the training later."),
            self.cancel,
            "Ctrl+Backspace",
        )

    def _make_history_actions(self) -> None:
        add, tr = partial(add_action, self._view), self.tr
        self.resume_action = add(
            tr("Resume"),
            tr("Continue from the last checkpoint."),
            self.resume,
            "Ctrl+R",
        )
        self.delete_action = add(
            tr("Delete"),
            tr(
                "Delete this training and its checkpoints. The encoders it made are "
                "kept."
            ),
            self.delete,
        )
        self.repeat_action = add(
            tr("Train again…"),
            tr("Set up a new training with these settings."),
            self.repeat,
            "Ctrl+Shift+T",
        )
        self.use_action = add(
            tr("Use encoder"),
            tr("Use this encoder for search and encoding."),
            self.use,
        )
        self.encode_action = add(
            tr("Encode corpora"),
            tr("Use this encoder and encode every corpus with it."),
            self.encode,
        )
        self.evaluate_action = add(
            tr("Evaluate encoder…"),
            tr("Measure how often this encoder finds translations."),
            self.evaluate,
        )
        self.translate_action = add(
            tr("Translate into…"),
            tr("Translate sentences with this model."),
            self.translate,
        )
        self.compare_action = add(
            tr("Compare with previous"),
            tr("Compare this training with the one before it."),
            self.compare_requested.emit,
            "Ctrl+D",
        )
        self.grid_action = add(
            tr("Train with several settings…"),
            tr("Train an encoder for each combination, and compare the results."),
            self.grid_requested.emit,
            "Ctrl+Shift+D",
        )

    @property
    def setup_actions(self) -> tuple[QAction, QAction, QAction]:
        """The actions of a new training: estimate, start, copy."""
        return self.estimate_action, self.start_action, self.copy_action

    @property
    def training_actions(self) -> tuple[QAction, ...]:
        """The actions for a running or finished training, in the order of the buttons.

        The buttons end at the right. So *Resume* comes where *Pause* was, and *Delete*
        never where a button of a running training was.
        """
        return (
            self.delete_action,
            self.use_action,
            self.encode_action,
            self.evaluate_action,
            self.translate_action,
            self.repeat_action,
            self.pause_action,
            self.resume_action,
            self.finish_action,
            self.cancel_action,
        )

    def show_page(
        self, training: TrainingRun | None, *, is_setup: bool, n_trainings: int
    ) -> None:
        """Enable the actions that apply to a page.

        Args:
            training: the training shown; None on other pages.
            is_setup: whether a new training is being set up.
            n_trainings: number of trainings in the project, without grids.
        """
        self._training, self._is_setup = training, is_setup
        self._steered &= {run.id for run in self._state.runs}
        self.refresh()
        is_grid = training is not None and training.is_grid
        self.compare_action.setEnabled(n_trainings > 1 and not is_grid)

    def refresh(self) -> None:
        """Enable and show the actions that apply to the current training."""
        training, run = self._training, self._run
        can_write = self._state.can_write
        can_resume = training is not None and training.can_resume
        knows_settings = training is not None and training.params is not None
        is_translation = training is not None and training.translation is not None
        name, encoders = self._encoder, self._state.encoders
        is_used = name == encoders.chosen
        can_repeat = knows_settings or is_translation
        can_steer = (
            run is not None
            and run.has_begun
            and not run.is_cancelling
            and run.id not in self._steered
        )
        can_stop_engine = run is not None and run.may_stop_engine
        can_cancel = run is not None and (can_stop_engine or not run.is_cancelling)
        is_open = run is not None
        _set(self.new_action, can_write)
        _set(self.vocabulary_action, can_write)
        _set(self.grid_action, can_write)
        _set(self.translation_action, can_write)
        _set(self.translation_grid_action, can_write)
        _set(self.estimate_action, self._is_setup and can_write)
        _set(self.start_action, self._is_setup and can_write)
        _set(self.copy_action, self._is_setup or knows_settings)
        _set(self.pause_action, can_steer, is_visible=is_open)
        _set(self.finish_action, can_steer, is_visible=is_open or can_resume)
        _set(self.cancel_action, can_cancel, is_visible=is_open or can_resume)
        self.cancel_action.setText(
            self.tr("Stop engine") if can_stop_engine else self.tr("Cancel")
        )
        _set(self.resume_action, can_resume and can_write, is_visible=can_resume)
        can_delete = training is not None and not is_open
        _set(self.delete_action, can_delete and can_write, is_visible=can_delete)
        _set(self.use_action, can_write and not is_used, is_visible=bool(name))
        _set(self.encode_action, can_write, is_visible=bool(name))
        _set(self.evaluate_action, can_write, is_visible=bool(name))
        can_translate = is_translation and bool(self._find_trained())
        _set(self.translate_action, can_translate, is_visible=can_translate)
        _set(self.repeat_action, can_repeat and can_write, is_visible=not is_open)

    @property
    def _encoder(self) -> str:
        """Name of the current training's encoder; empty if there is none."""
        training = self._training
        return self._find_trained() if training and training.params else ""

    def _find_trained(self) -> str:
        """Return the name of the current training's result, if it exists."""
        training = self._training
        if training is None or training.is_grid:
            return ""
        is_there = training.state == "finished" and training.folder is not None
        card = self._state.encoders.find(training.name) if is_there else None
        return card.name if card is not None else ""

    @property
    def _run(self) -> RunState | None:
        """The open run of the current training."""
        return self._training.run if self._training is not None else None

    # --- commands ---

    def ask_translation(self) -> None:
        """Ask for the settings of a translation model."""
        self._open(TranslationDialog(self._state, parent=self._view))

    def ask_translation_grid(self) -> None:
        """Ask for the settings of a grid of translation models."""
        self._open(TranslationGridDialog(self._state, parent=self._view))

    def _open(self, dialog: TranslationDialog | FineTuneDialog) -> None:
        dialog.started.connect(self.training_started)
        dialog.open()

    def ask_vocabulary(self) -> None:
        """Ask for the settings of a vocabulary."""
        values = TrainVocabulary(out=suggest_path(self._state, "vocabulary"))
        TaskDialog(self._state, TrainVocabulary, values, parent=self._view).open()

    def copy_command(self) -> None:
        """Copy the command of the current training, or of the one being set up."""
        if self._training is None:
            self.setup_command_requested.emit()
        elif self._training.params is not None:
            copy_command(self._state, self._training.params)

    def pause(self) -> None:
        """Request that the training save a checkpoint and stop."""
        self._steer("pause")

    def finish(self) -> None:
        """Request that the training finish now with its best checkpoint."""
        self._steer("finish")

    def cancel(self) -> None:
        """Cancel the training; stop the engine if the training does not stop."""
        run = self._run
        if run is not None and run.may_stop_engine:
            self._state.stop_engine()
        elif run is not None:
            self._state.cancel(run)

    def resume(self) -> None:
        """Continue a training that was interrupted, paused or cancelled."""
        if self._training is not None:
            self._state.resume(self._training.row)

    def delete(self) -> None:
        """Delete the training shown, with its checkpoints."""
        if (training := self._training) is not None:
            delete_run(self._state, self._messages, training.row, training.name)

    def use(self) -> None:
        """Use the encoder of the training shown."""
        use_encoder(self._state, self._encoder)

    def encode(self) -> None:
        """Use the encoder of the training shown, and encode every corpus with it."""
        encode_with(self._state, self._encoder)

    def evaluate(self) -> None:
        """Ask how to evaluate the encoder of the training shown."""
        self._state.view_requests.evaluation_requested.emit(self._encoder)

    def translate(self) -> None:
        """Translate sentences with the translation model of the training shown."""
        self._state.view_requests.translation_requested.emit(self._find_trained())

    def repeat(self) -> None:
        """Set up a new training with the settings of the current one."""
        if self._training is None:
            return
        settings = self._training.translation
        if isinstance(settings, TrainTranslationGrid):
            self._open(TranslationGridDialog(self._state, settings, self._view))
        elif settings is not None:
            self._open(TranslationDialog(self._state, settings, self._view))
        elif isinstance(self._training.params, FineTuneEncoder):
            params = self._training.params
            initial = params.initial or self._state.encoders.chosen
            self._open(FineTuneDialog(self._state, initial, self._view, values=params))
        elif self._training.params is not None:
            self.repeat_requested.emit(self._training.params)

    def _steer(self, request: Literal["pause", "finish"]) -> None:
        run = self._run
        if run is not None:
            self._steered.add(run.id)
            self._state.steer(run, request)
            self.refresh()


def _set(action: QAction, is_enabled: bool, *, is_visible: bool = True) -> None:
    action.setEnabled(is_enabled)
    action.setVisible(is_visible)
