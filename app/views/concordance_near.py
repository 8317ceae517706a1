"""The languages whose nearest sentences stand below lines: proposed, then chosen."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.engine.store.rows import corpus_of
from app.languages import language_name
from app.params import Encode
from app.views.concordance_words import name_corpora
from app.views.widgets.controls import make_button

if TYPE_CHECKING:
    from app.views.concordance_desk import Concord
    from app.views.concordance_view import ConcordanceView

FIRST_CHOICE = "en"  # of a language to be shown, unless the lines are in it
NEAR = "near"  # topic of what is told of missing vectors


class NearChoice(QObject):
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

    def propose(self, found: "Concord") -> None:
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
                others, key=lambda row: (row.language == FIRST_CHOICE, row.n_sentences)
            )
            self._take((best.language,))

    def choose(self, languages: tuple[str, ...]) -> None:
        """Show the nearest sentences of these languages."""
        self._is_chosen = True
        self._take(languages)

    def save(self) -> list[str] | None:
        """Give what was chosen; None: nothing was."""
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
        """Tell of corpora that have no vectors, unless they were told of just now."""
        missing = tuple(ids)
        if missing and missing != self._told:
            self._tell_missing(missing)
        self._told = missing

    def _tell_missing(self, missing: tuple[int, ...]) -> None:
        """Say which corpora have no vectors, with the button that makes them."""
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
        text = words.format(names=name_corpora(names), in_=", ".join(languages))
        self._view.page.messages.post(text, buttons=[button], topic=NEAR)
