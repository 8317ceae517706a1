"""Tour of translation models."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from app.tour.recorder import SceneRecorder, Scenes
from app.views.attribution.dialog import AttributionDialog
from app.views.evaluate.view import EvaluateView
from app.views.search.translations import TranslationsDialog, translation_models
from app.views.search.view import SearchView
from app.views.training.translation_dialog import TranslationDialog
from app.views.training.view import TrainingView
from app.views.widgets.search_query import SearchQuery
from app.views.widgets.view_protocol import SentenceText

ENGLISH = SentenceText(  # the model was trained on these two languages
    "Will it finally rain this weekend, or do we have to keep watering the garden?",
    "en",
)
GERMAN = SentenceText(
    "Regnet es an diesem Wochenende endlich, oder müssen wir den Garten weiter gießen?",
    "de",
)
HEAD = 3  # head selected by the slider
EVALUATION = "evaluate-translation"


class TranslationTour:
    """Takes pictures of the demo's translation model, its scores and its heads."""

    def __init__(self, recorder: SceneRecorder):
        """Initialise with a recorder."""
        self._recorder = recorder
        self._state = recorder.state

    @property
    def is_ready(self) -> bool:
        """Return whether the window lists the model."""
        return bool(translation_models(self._state))

    def scenes(self) -> Scenes:
        """Return the scenes by name."""
        return {
            "translation-form": self._show_form,
            "translation-curves": self._show_curves,
            "translation-scores": partial(self._show_scores, 0),
            "translation-lengths": partial(self._show_scores, 1),
            "translation-search": self._show_translations,
            "translation-heads": self._show_heads,
        }

    def _show_form(self) -> QWidget:
        view = self._recorder.show_view("training", TrainingView)
        dialog = self._dialog(view.controller.translation_action.trigger)
        assert isinstance(dialog, TranslationDialog)
        dialog.form.write({"corpora": ["English", "German", "French"]})
        dialog.matrix.boxes["de", "fr"].setChecked(False)
        return dialog

    def _show_curves(self) -> None:
        view = self._recorder.show_view("training", TrainingView)
        view.list.select([one.id for one in view.list.trainings if one.translation])
        while view.curves.is_reading:
            self._recorder.wait(view.curves.grown, lambda: None)

    def _show_scores(self, chart: int) -> None:
        view = self._recorder.show_view("evaluate", EvaluateView)
        found = view.controller.evaluations
        view.list.choose_all([one.id for one in found if one.task == EVALUATION][:1])
        view.page.charts.choice.setCurrentIndex(chart)

    def _show_translations(self) -> QWidget:
        view = self._recorder.show_view("search", SearchView)
        query = SearchQuery(text=ENGLISH.text)
        self._recorder.wait(view.hits_shown, lambda: view.controller.send(query))
        view.columns.focus_first()
        dialog = self._dialog(view.show_translations)
        assert isinstance(dialog, TranslationsDialog)
        self._recorder.wait(dialog.shown, lambda: None)
        return dialog

    def _show_heads(self) -> QWidget:
        """Show the heads of the translation model."""
        dialog = AttributionDialog(self._state, self._recorder.window)
        dialog.open()
        dialog.encoder.setCurrentText(translation_models(self._state)[0])
        self._recorder.wait(dialog.shown, partial(dialog.compare, ENGLISH, GERMAN))
        starts = Qt.MatchFlag.MatchStartsWith
        dialog.map_choice.setCurrentIndex(dialog.map_choice.findText("Heads", starts))
        dialog.what.setCurrentIndex(dialog.what.findData("attention"))
        dialog.head_slider.setValue(HEAD)
        return dialog

    def _dialog(self, ask: Callable[[], object]) -> QDialog:
        window = self._recorder.window
        before = set(window.findChildren(QDialog))
        ask()
        return next(d for d in window.findChildren(QDialog) if d not in before)
