"""What the view shows of a result: counts, shares, matching rows and neighbours."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from app.engine.store.arrays import map_array
from app.engine.store.corpora import corpus_of, first_sentence_id
from app.engine.store.labels import has_labels
from app.errors import ErrorInfo
from app.languages import language_name
from app.params.vectors import Encode
from app.protocol.answers.search import OrderAnswer
from app.protocol.queries.search import OrderQuery
from app.views.concordance.model import KwicLines
from app.views.concordance.settings import query_words
from app.views.concordance.shares import count_shares
from app.views.widgets.controls import make_button
from app.views.widgets.indexing_text import (
    _places,
    _tr,
    describe_indexing,
    describe_not_indexed,
    join_corpus_names,
)
from app.views.widgets.number_format import NO_BREAK, format_count, pluralize

if TYPE_CHECKING:
    from app.views.concordance.session import LoadedConcordance
    from app.views.concordance.settings import ConcordanceSettings
    from app.views.concordance.view import ConcordanceView


class ResultPresenter(QObject):
    """Keeps what is said around the lines in step with them."""

    def __init__(self, view: "ConcordanceView"):
        super().__init__(view)
        self._view, self._state = view, view.state

    def tell(self, found: "LoadedConcordance") -> None:
        """Show all there is to tell of new lines."""
        page = self._view.page
        if len(found.lines):
            page.show_lines()
        else:
            is_offered = not found.not_indexed and bool(query_words(found.question))
            page.meaning.setVisible(is_offered)
            page.show_nothing(self.tr("No line was found"), self._advise(found))
        self.show_labels()
        self.tell_count()
        self.show_shares()

    def _advise(self, found: "LoadedConcordance") -> str:
        question = found.question
        if found.not_indexed:
            return self.tr("The words are indexed first: the lines come by themselves.")
        if question.languages or question.corpora or question.subcorpora:
            return self.tr("Take more languages or corpora in.")
        if question.case:
            return self.tr("Try it in any case, or a part of the word: haus*.")
        return self.tr("Try a part of the word: haus*, *ung, *wasser*.")

    def tell_count(self) -> None:
        """Show how many lines there are, or how far their making is."""
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
            parts.append(describe_not_indexed(left_out))
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


def describe_count(found: "LoadedConcordance") -> str:
    """Return how many hits there are, how often that is, and how long it took."""
    words = _tr("{n} hits in {m} of {total}")
    if found.n <= 1:
        words = _tr("1 hit in {total}") if found.n else _tr("No hit in {total}")
    if found.is_cut:
        words = _tr("{n} hits at least: the time was over after {total}")
    total = pluralize(found.n_searched, _tr("1 sentence"), _tr("{n} sentences"))
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


class LineFilter(QObject):
    """Keeps the sentences that have what is looked for."""

    changed = Signal()  # other lines are to be shown

    def __init__(self, view: "ConcordanceView"):
        super().__init__(view)
        self._view, self._row = view, view.page.find_row
        self._text = ""
        self._ids: NDArray[np.int64] | None = None  # None: nothing is looked for
        self._row.changed.connect(self._on_changed)
        self._row.entered.connect(view.table.go_in)
        self._row.left.connect(view.focus_first)

    def keep_to(self, question: "ConcordanceSettings") -> None:
        """Forget what was looked for, unless only the order of lines is another."""
        shown = self._view.desk.shown
        if shown is None or _without_order(shown.question) != _without_order(question):
            self.forget()

    def forget(self) -> None:
        """Show every line."""
        self._text, self._ids = "", None
        self._row.forget()

    def narrow(self, lines: KwicLines) -> KwicLines:
        """Return the lines whose sentence has what is looked for, in their order."""
        if self._ids is None:
            self._row.say("")
            return lines
        is_kept = are_among(lines.lines[:, 0], self._ids)
        words = lines.words[is_kept] if lines.words is not None else None
        left = KwicLines(lines.lines[is_kept], words)
        told = self.tr("{n} of {total} lines")
        n, total = format_count(len(left)), format_count(len(lines))
        self._row.say(told.format(n=n, total=total))
        return left

    def _on_changed(self, text: str) -> None:
        """Ask which sentences have it: any number of them, so the engine looks."""
        shown = self._view.desk.shown
        self._text = text
        if not text or shown is None:
            self._ids = None
            self.changed.emit()
            return
        question = shown.question  # of a kept list its own, not the one before
        query = OrderQuery(
            corpora=question.corpora,
            subcorpora=question.subcorpora,
            languages=question.languages,
            find=text,
            asker="concordance",
        )
        self._view.state.ask(query, lambda answer: self._on_answer(text, answer))

    def _on_answer(self, text: str, answer: OrderAnswer | ErrorInfo) -> None:
        project = self._view.state.project
        if text != self._text or project is None:
            return
        if isinstance(answer, ErrorInfo):
            self._row.say("" if answer.kind == "superseded" else answer.message)
            return
        self._ids = map_array(project.folder / answer.file)
        self.changed.emit()


def are_among(ids: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which ids of sentences are among others: bool (n,).

    Corpus by corpus: ids of one lie near each other, so that numpy looks them up in a
    table; those of two lie so far apart that it would sort all of them.
    """
    found = np.zeros(len(ids), np.bool_)
    stride = first_sentence_id(1)
    corpora, of_others = ids // stride, others // stride
    for corpus in np.unique(corpora):
        own = corpora == corpus
        found[own] = np.isin(ids[own], others[of_others == corpus])
    return found


def _without_order(question: "ConcordanceSettings") -> tuple[object, ...]:
    values = question.to_json()
    values.pop("sort")
    return tuple(map(str, values.values()))


DEFAULT_LANGUAGE = "en"  # of a language to be shown, unless the lines are in it
NEIGHBOURS_TOPIC = "near"  # topic of what is told of missing vectors


class NeighbourLanguages(QObject):
    """Keeps bar, table and neighbours in step."""

    def __init__(self, view: "ConcordanceView"):
        super().__init__(view)
        self._view, self._state = view, view.state
        self._is_chosen = False  # by the user: nothing is proposed any more
        self._told: tuple[int, ...] = ()
        view.table.show_near(view.neighbours)
        view.bar.near.changed.connect(self._on_near_changed)
        view.table.looked_elsewhere.connect(view.neighbours.look)
        view.neighbours.found.connect(self._on_found)
        self._state.embeddings_changed.connect(view.neighbours.forget)
        self._state.encoders.switched.connect(view.neighbours.forget)

    def propose(self, found: "LoadedConcordance") -> None:
        """Show a first language until one is chosen: English, or the largest."""
        project = self._state.project
        if self._is_chosen or project is None or not len(found.lines):
            return
        corpora = {row.id: row for row in project.corpora}
        first = corpora.get(corpus_of(int(found.lines.lines[0, 0])))
        encoded = {row.corpus_id for row in project.searchable}
        others = [
            row
            for row in project.corpora
            if row.id in encoded and (first is None or row.language != first.language)
        ]
        if others:
            best = max(
                others,
                key=lambda row: (row.language == DEFAULT_LANGUAGE, row.n_sentences),
            )
            self._take((best.language,))

    def choose(self, languages: tuple[str, ...]) -> None:
        """Show the nearest sentences of these languages."""
        self._is_chosen = True
        self._take(languages)

    def save(self) -> list[str] | None:
        """Return what was chosen; None: nothing was."""
        return list(self._view.neighbours.languages) if self._is_chosen else None

    def restore(self, saved: Any) -> None:
        """Choose what was chosen in a former session."""
        if isinstance(saved, list):
            self.choose(tuple(str(code) for code in saved))

    def _take(self, languages: tuple[str, ...]) -> None:
        view = self._view
        if languages != view.neighbours.languages:
            view.bar.near.choose(languages)
            view.neighbours.choose(view.bar.near.chosen)
            view.table.fit_rows()

    def _on_near_changed(self) -> None:
        self._is_chosen = True
        self._view.neighbours.choose(self._view.bar.near.chosen)
        self._view.table.fit_rows()
        project = self._state.project
        if project is not None and not project.searchable:  # nobody will be asked
            wanted = self._view.neighbours.languages
            self._note(row.id for row in project.corpora if row.language in wanted)

    def _on_found(self) -> None:
        self._view.table.viewport().update()
        self._note(self._view.neighbours.not_encoded)

    def _note(self, ids: Iterable[int]) -> None:
        """Show of corpora that have no vectors, unless they were told of just now."""
        missing = tuple(ids)
        if missing and missing != self._told:
            self._tell_missing(missing)
        self._told = missing

    def _tell_missing(self, missing: tuple[int, ...]) -> None:
        """Show which corpora have no vectors, with the button that makes them."""
        project = self._state.project
        corpora = project.corpora if project is not None else []
        names = [row.name for row in corpora if row.id in missing]
        languages = map(language_name, self._view.neighbours.languages)
        words = self.tr(
            "{names}: not encoded, so nothing near is found there in {in_}."
        )
        button = make_button(
            self.tr("Encode"),
            self.tr("Make the vectors of these corpora now."),
            lambda: self._state.run(Encode(corpora=tuple(map(str, missing)))),
        )
        text = words.format(names=join_corpus_names(names), in_=", ".join(languages))
        self._view.page.messages.post(text, buttons=[button], topic=NEIGHBOURS_TOPIC)
