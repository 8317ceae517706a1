"""What the concordance tells of its lines: counts, shares, why there are none."""

from typing import TYPE_CHECKING, Any

from app.views.concordance_words import _places, _tr
from app.views.words import NO_BREAK, count_words, format_count

if TYPE_CHECKING:
    from app.views.concordance_desk import Concord

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.engine.store.rows import has_labels
from app.views.concordance_question import meant_by
from app.views.concordance_words import describe_indexing, describe_left_out
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


def describe_count(found: "Concord") -> str:
    """Say how many hits there are, how often that is, and how long it took."""
    words = _tr("{n} hits in {m} of {total}")
    if found.n <= 1:
        words = _tr("1 hit in {total}") if found.n else _tr("No hit in {total}")
    if found.is_cut:
        words = _tr("{n} hits at least: the time was over after {total}")
    total = count_words(found.n_searched, _tr("1 sentence"), _tr("{n} sentences"))
    n, m = format_count(found.n), format_count(found.n_sentences)
    parts = [words.format(n=n, m=m, total=total)]
    if found.n and found.n_tokens:
        rate = 1e6 * found.n / found.n_tokens
        number = f"{rate:,.1f}" if rate < 100 else f"{rate:,.0f}"
        words = _tr("{rate} per million of {n} words")
        parts.append(words.format(rate=number, n=format_count(found.n_tokens)))
    ms = max(round(1000 * found.elapsed_s), 1)
    parts.append(f"{format_count(ms)}{NO_BREAK}ms")
    return " · ".join(parts)


def describe_move(result: dict[str, Any]) -> str:
    """Say what became of the hits of a list in another corpus, those named a line each.

    Args:
        result: of the task `move-hits`.
    """
    counts = (
        (_tr("in the same line: {n}"), "n_stayed"),
        (_tr("in another line or document: {n}"), "n_moved"),
        (_tr("in a sentence that was corrected: {n}"), "n_changed"),
        (_tr("gone: {n}"), "n_lost"),
        (_tr("of other corpora, as they were: {n}"), "n_others"),
    )
    lines = [words.format(n=format_count(result[name])) for words, name in counts]
    fates = {
        "moved": _tr("{old} → {new}: {text}"),
        "changed": _tr("{old} → {new}, corrected: {text}"),
        "lost": _tr("{old}, gone: {text}"),
    }
    named = [one for one in result["named"] if one["fate"] in fates]
    lines += [""] if named else []
    return "\n".join(
        [*lines, *(fates[one["fate"]].format(**one, **_places(one)) for one in named)]
    )
