"""Questions about words that were asked before, for the menu under the field."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from app.views.widgets.query_field import shorten
from app.views.words_question import WordsQuestion, read_question

MOST = 20


class WordsPast(QObject):
    """The newest questions with a word, each once.

    Attributes:
        questions: the newest first.
    """

    def __init__(self, ask: Callable[[WordsQuestion], object], parent: QObject):
        super().__init__(parent)
        self._ask = ask
        self.questions: list[WordsQuestion] = []

    def note(self, question: WordsQuestion) -> None:
        """Remember a question that was answered."""
        if _typed(question):
            kept = [one for one in self.questions if _key(one) != _key(question)]
            self.questions = [question, *kept][:MOST]

    def fill(self, menu: QMenu) -> None:
        """Offer the questions again."""
        names = {
            "frequencies": self.tr("frequencies"),
            "collocates": self.tr("collocates"),
            "keyness": self.tr("keyness"),
            "equivalents": self.tr("equivalents"),
        }
        for question in self.questions:
            words = f"{_typed(question)} · {names[question.page]}"
            action = menu.addAction(shorten(words))
            action.triggered.connect(lambda _=False, q=question: self._ask(q))

    def to_json(self) -> list[dict[str, Any]]:
        """Give plain values for the window's state."""
        return [question.to_json() for question in self.questions]

    def restore(self, values: Any) -> None:
        """Bring back what `to_json` gave."""
        read = [read_question(one) for one in values or ()]
        self.questions = [question for question in read if _typed(question)][:MOST]


def _typed(question: WordsQuestion) -> str:
    is_found = question.page in ("collocates", "equivalents")
    return (question.text if is_found else question.find).strip()


def _key(question: WordsQuestion) -> tuple[str, str, str]:
    return question.page, _typed(question), question.target_language


__all__ = ["WordsPast"]
