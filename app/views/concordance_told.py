"""What the concordance tells of its lines: counts, shares, why there are none."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.engine.store.rows import has_labels
from app.views.concordance_question import meant_by
from app.views.concordance_words import (
    describe_count,
    describe_indexing,
    describe_left_out,
)
from app.views.widgets.hit_shares import count_shares

if TYPE_CHECKING:
    from app.views.concordance_desk import Concord
    from app.views.concordance_view import ConcordanceView


class ConcordanceTold(QObject):
    """Keeps what is said around the lines in step with them."""

    def __init__(self, view: "ConcordanceView"):
        super().__init__(view)
        self._view, self._state = view, view.state

    def tell(self, found: "Concord") -> None:
        """Tell all there is to tell of new lines."""
        page = self._view.page
        if len(found.lines):
            page.show_lines()
        else:
            is_offered = not found.not_indexed and bool(meant_by(found.question))
            page.meaning.setVisible(is_offered)
            page.show_nothing(self.tr("No line was found"), self._advise(found))
        self.show_labels()
        self.tell_count()
        self.show_shares()

    def _advise(self, found: "Concord") -> str:
        question = found.question
        if found.not_indexed:
            return self.tr("The words are indexed first: the lines come by themselves.")
        if question.languages or question.corpora or question.subcorpora:
            return self.tr("Take more languages or corpora in.")
        if question.case:
            return self.tr("Try it in any case, or a part of the word: haus*.")
        return self.tr("Try a part of the word: haus*, *ung, *wasser*.")

    def tell_count(self) -> None:
        """Say how many lines there are, or how far their making is."""
        found, project = self._view.desk.shown, self._state.project
        if project is None or found is None or self._view.is_kept:
            return
        if self._view.desk.indexing is not None:
            self._view.bar.say(
                describe_indexing(self._view.desk.indexing, project.corpora)
            )
            return
        parts = [describe_count(found), *found.notes]
        left_out = [row.name for row in project.corpora if row.id in found.not_indexed]
        if left_out:
            parts.append(describe_left_out(left_out))
        self._view.bar.say(" · ".join(parts))

    def show_labels(self) -> None:
        """Show the column of labels where any sentence has one; read them again."""
        project, lines = self._state.project, self._view.desk.shown
        if project is not None and lines is not None:
            has_any = any(has_labels(project.store, row.id) for row in project.corpora)
            self._view.table.show_labels(has_any=has_any)

    def show_shares(self) -> None:
        """Count the hits by language, corpus and document, where that is shown."""
        project, found = self._state.project, self._view.desk.shown
        if self._view.page.shares.isHidden() or project is None or found is None:
            return
        self._view.page.shares.show_shares(
            count_shares(
                found.lines.lines, project.corpora, self._view.table.lines.document_of
            )
        )
