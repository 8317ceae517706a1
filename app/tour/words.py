"""Tour of the concordance and of word statistics."""

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget

from app.engine.store.subcorpora import list_subcorpora
from app.params.corpora import MakeSubcorpus
from app.params.word_vectors import MapLanguages, TrainWordVectors
from app.params.words import Concordance, IndexWords
from app.tour.recorder import SceneRecorder, Scenes
from app.views.concordance.dialogs import HitListDialog
from app.views.concordance.settings import ConcordanceSettings
from app.views.concordance.view import ConcordanceView
from app.views.words.settings import WordListSettings
from app.views.words.view import WordsView
from app.views.words.word_map import WordMapDialog

ENGLISH = ConcordanceSettings(text="the", sort=("R1", "R2"), languages=("en",))
ARABIC = ConcordanceSettings(
    text=r"\bال\w+", mode="regex", sort=("L1", "R1"), languages=("ar",)
)
JAPANESE = ConcordanceSettings(text="が", sort=("L1", "L2"), languages=("ja",))
WRONG = ConcordanceSettings(text="(sea|shore", mode="regex")
KEPT = {"Water in every text": "water", "Days": "day*"}


class ConcordanceTour:
    """Takes pictures of the concordance view."""

    def __init__(self, recorder: SceneRecorder):
        """Initialise with a recorder."""
        self._recorder = recorder
        self._window, self._state = recorder.window, recorder.state

    def scenes(self) -> Scenes:
        """Return the scenes by name."""
        return {
            "concordance-start": self._show_beginning,
            "concordance": partial(self._ask, ENGLISH, ("de",)),
            "concordance-arabic": partial(self._ask, ARABIC, ("en", "fr")),
            "concordance-japanese": self._show_japanese,
            "concordance-error": self._show_error,
            "concordance-kept": self._show_kept,
        }

    def _view(self) -> ConcordanceView:
        return self._recorder.show_view("concordance", ConcordanceView)

    def _show_beginning(self) -> None:
        view = self._view()
        self._state.select_sentence(None)
        self._recorder.wait(view.examples.found, view.clear)

    def _ask(self, question: ConcordanceSettings, near: tuple[str, ...]) -> None:
        view = self._view()
        view.neighbour_languages.choose(near)
        view.ask(question)
        while view.session.is_waiting or (
            view.session.shown is not None and view.session.shown.not_indexed
        ):
            self._recorder.wait(view.lines_shown, lambda: None)
        view.table.select_row(3)
        line = view.table.current_line
        assert line is not None
        self._state.select_sentence(line[0])
        self._recorder.wait(view.neighbours.settled, view.neighbours.update_visible)
        view.focus_first()
        self._recorder.wait_for_neighbours()

    def _show_japanese(self) -> None:
        corpora = (self._recorder.find_corpus("ja").name,)
        self._recorder.run(IndexWords(corpora=corpora))
        self._window.message_bar.clear()
        self._ask(JAPANESE, ("en",))
        view = self._view()
        if view.page.shares.isHidden():
            view.toggle_breakdown()

    def _show_error(self) -> None:
        self._ask(ENGLISH, ("de",))
        view = self._view()
        if not view.page.shares.isHidden():
            view.toggle_breakdown()
        self._recorder.wait(view.lines_shown, partial(view.ask, WRONG))

    def _show_kept(self) -> QWidget:
        self._ask(ENGLISH, ("de",))
        dialog = HitListDialog(self._state, self._window)
        for name, text in KEPT.items():
            if name not in [row.name for row in dialog.rows]:
                params = Concordance(text=text, save=name)
                self._recorder.run(params)
                dialog.refresh()
        self._window.message_bar.clear()
        dialog.open()
        return dialog


TOPICS = ("weather", "food")  # labels of the demo's sentences
PARTS = {"weather": "Talk of the weather", "food": "Talk of food"}
COLLOCATE, EQUIVALENT = "the", "night"
VECTORS, MAP = {"en": "English", "de": "German"}, "English – German"


class WordsTour:
    """Takes pictures of the words view."""

    def __init__(self, recorder: SceneRecorder):
        self._recorder = recorder
        self._window, self._state = recorder.window, recorder.state

    def make(self) -> None:
        """Make sub-corpora of two topics for a comparison."""
        for topic in TOPICS:
            params = MakeSubcorpus(
                corpora=(self._recorder.find_corpus("en").name,),
                steps=(f"label {topic}",),
                name=PARTS[topic],
            )
            self._recorder.run(params)
        self._map_languages()
        self._window.message_bar.clear()

    def scenes(self) -> Scenes:
        """Return the scenes by name."""
        return {
            "words-frequencies": lambda: self._ask(languages=("en",)),
            "words-arabic": lambda: self._ask(languages=("ar",), n=2),
            "words-collocates": lambda: self._ask(
                page="collocates", text=COLLOCATE, languages=("en",)
            ),
            "words-keyness": self._compare,
            "words-equivalents": lambda: self._ask(
                page="equivalents", text=EQUIVALENT, target_language="de"
            ),
            "words-translations": lambda: self._ask(
                page="translations", text=EQUIVALENT, map=MAP
            ),
            "words-neighbours": lambda: self._ask(
                page="translations", text=EQUIVALENT, vectors=VECTORS["en"]
            ),
            "words-map": self._show_map,
            "words-start": self._begin,
        }

    def _map_languages(self) -> None:
        """Train word vectors of two languages, and map them."""
        for code, name in VECTORS.items():
            corpora = (self._recorder.find_corpus(code).name,)
            self._recorder.run(
                TrainWordVectors(corpora=corpora, name=name, method="encoder")
            )
        source, target = (Path(name) for name in VECTORS.values())
        self._recorder.run(MapLanguages(source=source, target=target, name=MAP))

    def _show_map(self) -> QWidget:
        self._ask(page="translations", text=EQUIVALENT, map=MAP)
        dialog = WordMapDialog(self._state, MAP, self._window)
        self._recorder.wait(dialog.shown, dialog.open)
        dialog.slider.setValue(dialog.slider.maximum() // 2)
        return dialog

    def _compare(self) -> None:
        project = self._recorder.project
        parts = {row.name: row.id for row in list_subcorpora(project.store)}
        here, there = (parts[PARTS[topic]] for topic in TOPICS)
        self._ask(page="keyness", subcorpora=(here,), against_parts=(there,))

    def _begin(self) -> None:
        view = self._view()
        settings = WordListSettings(page="collocates")
        self._recorder.wait(view.examples.found, lambda: view.ask(settings))

    def _ask(self, **question: Any) -> None:
        view = self._view()
        asked = WordListSettings(**question)
        self._recorder.wait(view.list_shown, lambda: view.ask(asked))
        view.table.setFocus()

    def _view(self) -> WordsView:
        return self._recorder.show_view("words", WordsView)
