"""What the words view tells of its list: counts, progress, notes, why it is empty."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.views.concordance_words import describe_indexing, describe_left_out
from app.views.words_words import (
    describe_beginning,
    describe_counting,
    describe_list,
    describe_nothing,
)

if TYPE_CHECKING:
    from app.views.words_desk import Listed
    from app.views.words_question import WordsQuestion
    from app.views.words_view import WordsView


class WordsTold(QObject):
    """Keeps what is said around the list in step with it."""

    def __init__(self, view: "WordsView"):
        super().__init__(view)
        self._view, self._state = view, view.state

    def tell(self, listed: "Listed") -> None:
        """Tell all there is to tell of a new list."""
        if listed.rows:
            self._view.pages.setCurrentWidget(self._view.split)
        else:
            heading = self.tr("Nothing to list")
            if listed.is_left:
                heading = self.tr("The list is not counted yet")
            self._tell_nothing(heading, describe_nothing(listed))
        self.tell_progress()

    def tell_beginning(self, question: "WordsQuestion") -> None:
        """Say what a page is for."""
        self._tell_nothing(*describe_beginning(question))

    def tell_failure(self, sentence: str) -> None:
        """Say why there is no list."""
        self._tell_nothing(self.tr("Nothing to list"), sentence)

    def tell_progress(self) -> None:
        """Say what the list is of, or how far its making is."""
        view, desk, project = self._view, self._view.desk, self._state.project
        listed = desk.shown
        is_left = listed is not None and listed.is_left
        is_busy = desk.indexing is not None or desk.counting is not None
        view.count_again.setVisible(is_left and not is_busy)
        if listed is not None:
            self._note(listed)
        if desk.indexing is not None and project is not None:
            view.bar.say(describe_indexing(desk.indexing, project.corpora))
        elif desk.counting is not None:
            view.bar.say(describe_counting(desk.counting))
        elif listed is not None:
            view.bar.say(describe_list(listed) if listed.rows else "")

    def _note(self, listed: "Listed") -> None:
        """Say what to mind of an answer."""
        notes = list(listed.facts.get("notes") or ())
        project = self._state.project
        if project is not None and self._view.desk.indexing is None:
            missing = set(listed.not_indexed)
            names = [row.name for row in project.corpora if row.id in missing]
            if names:
                notes.append(describe_left_out(names))
        label = self._view.notes
        label.setText("\n".join(notes))
        label.setToolTip("\n".join(notes))
        label.setVisible(bool(notes))

    def _tell_nothing(self, heading: str, text: str) -> None:
        view, project = self._view, self._state.project
        view.bar.say("")
        view.start.set_words(heading, text)
        view.take_in.setVisible(project is not None and not project.corpora)
        view.count_again.hide()
        view.pages.setCurrentWidget(view.start)
        if view.desk.shown is None:
            view.table.show_rows([], [], n_items=0)


__all__ = ["WordsTold"]
