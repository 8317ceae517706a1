"""The tour's part on words: frequencies, collocates, keyness, equivalents."""

from functools import partial
from typing import TYPE_CHECKING, Any

from app.engine.store.subcorpus_rows import list_subcorpora
from app.params.subcorpora import MakeSubcorpus
from app.views.words_question import WordsQuestion

if TYPE_CHECKING:
    from app.views.tour_stage import Scenes, TourStage

TOPICS = ("weather", "food")  # labels of the demo's sentences
PARTS = {"weather": "Talk of the weather", "food": "Talk of food"}
COLLOCATE, EQUIVALENT = "the", "night"


class WordsTour:
    """Looks at the words of the demo."""

    def __init__(self, stage: "TourStage"):
        self._stage = stage
        self._window, self._state = stage.window, stage.state

    def make(self) -> None:
        """Make sub-corpora of two topics, to be compared."""
        for topic in TOPICS:
            params = MakeSubcorpus(
                corpora=(self._corpus("en").name,),
                steps=(f"label {topic}",),
                name=PARTS[topic],
            )
            run = partial(self._state.run, params)
            self._stage.wait(self._state.run_finished, run)
        self._window.message_bar.clear()

    def scenes(self) -> "Scenes":
        """Give what there is to see."""
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
            "words-start": self._begin,
        }

    def _compare(self) -> None:
        project = self._state.project
        assert project is not None
        parts = {row.name: row.id for row in list_subcorpora(project.store)}
        here, there = (parts[PARTS[topic]] for topic in TOPICS)
        self._ask(page="keyness", subcorpora=(here,), against_parts=(there,))

    def _begin(self) -> None:
        view = self._view()
        view.ask(WordsQuestion(page="collocates"))

    def _ask(self, **question: Any) -> None:
        view = self._view()
        asked = WordsQuestion(**question)
        self._stage.wait(view.list_shown, lambda: view.ask(asked))
        view.table.setFocus()

    def _view(self) -> Any:
        self._window.show_view("words")
        return self._window.view

    def _corpus(self, language: str) -> Any:
        project = self._state.project
        assert project is not None
        return next(row for row in project.corpora if row.language == language)
