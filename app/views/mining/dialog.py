"""Dialog that starts mining: two sides, settings and the estimated cost."""

from collections.abc import Callable
from typing import Any

import msgspec
from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.errors import ErrorInfo, UserError
from app.params import Params
from app.params.filters import parse_recipe
from app.params.mining import MinePairs, ScorePairs
from app.protocol.answers.pairs import MiningPlan
from app.protocol.queries.pairs import MiningPlanQuery
from app.views.client.state import AppState
from app.views.mining.recipe_source import RecipeField
from app.views.widgets.corpus_choices import (
    count_chosen,
    find_chosen,
    find_corpus,
    missing_vectors,
    name_corpus,
    read_languages,
    single_choices,
    swap_titles,
)
from app.views.widgets.fields import make_check_box, make_language_input
from app.views.widgets.form import FormParts
from app.views.widgets.language_field import LanguageField
from app.views.widgets.number_format import format_count
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID

PLAN_DELAY_MS = 250  # since the last change
SIDES = ("source", "target")
LANGUAGES = ("source_language", "target_language")
PLAN_FIELDS = ("source", "target", *LANGUAGES, "encoder", "k", "index")


class MiningDialog(TaskDialog):
    """Asks for the settings of mining, and shows the estimated cost.

    Attributes:
        plan: the engine's estimate of time and memory; empty while unknown.
    """

    planned = Signal()
    rare = ("encoder", "name", "k", "margin", "candidates", "index", "duplicates")
    WIDTH = 88 * GRID

    def __init__(
        self,
        state: AppState,
        values: MinePairs,
        mine: Callable[[MinePairs], object],
        parent: QWidget | None = None,
    ):
        """Initialise; `mine` starts mining with the chosen values."""
        super().__init__(state, MinePairs, values, parent=parent)
        self._mine, self.plan = mine, ""
        self._suggested: list[str] = []
        self._suggested_for: Any = None
        self.setWindowTitle(self.tr("Mine pairs"))
        self._timer = QTimer(self, singleShot=True, interval=PLAN_DELAY_MS)
        self._timer.timeout.connect(self._ask_plan)
        self._offer_choices(values)
        self.form.changed.connect(self._on_changed)
        self.form.folding_changed.connect(self._show_rows)
        self._filters_timer = QTimer(self, singleShot=True)  # after layout
        self._filters_timer.timeout.connect(self._show_filters)
        self._recipe.list_changed.connect(self._filters_timer.start)
        self._on_changed()

    def form_parts(self) -> FormParts:
        """Return fields for languages and a recipe."""
        sides = (self.tr("Source language"), self.tr("Target language"))
        names = zip(LANGUAGES, sides, strict=True)
        self._languages = {name: LanguageField(title) for name, title in names}
        inputs = {
            name: make_language_input(one) for name, one in self._languages.items()
        }
        words = self.tr("Also save the other candidates above the threshold")
        inputs["candidates"] = make_check_box(self.tr("Candidates"), words)
        self._recipe = RecipeField(self._state)
        inputs["filters"] = self._recipe.as_field()
        titles = {"k": self.tr("Neighbours"), "filters": self.tr("Filters")}
        wide = ("source", "target", "filters", "name", "retrieval", "threshold")
        once = self.tr("“Best of both directions” selects each sentence once.")
        texts = {"source": "", "target": "", "retrieval": once}
        return FormParts(titles=titles, inputs=inputs, wide=wide, help=texts)

    def start(self, params: Params) -> None:
        """Start mining, after encoding corpora without vectors."""
        assert isinstance(params, MinePairs)
        self._mine(params)

    def _params(self) -> Params | None:
        """Return the params; None if a value or a filter is invalid."""
        params = super()._params()
        if not isinstance(params, MinePairs):
            return params
        problem = ""
        if title := self._recipe.unfinished:
            words = self.tr(
                "The filter “{title}” has a missing or wrong value. Correct it, or "
                "remove the filter."
            )
            problem = words.format(title=title)
        try:
            parse_recipe(params.filters)
        except UserError as error:  # written by another version
            problem = str(error)
        if problem:
            self.form.show_error("filters", problem)
        return None if problem else params

    # --- choices ---

    def _offer_choices(self, values: MinePairs) -> None:
        project = self._state.project
        corpora = self._state.corpora
        choices = swap_titles(single_choices(project))
        for name in SIDES:
            old = getattr(values, name)
            found = find_corpus(corpora, old)
            self.form.field(name).write(name_corpus(corpora, found) if found else old)
            same = [(self.tr("same corpus, another language"), "")]
            extra = same if name == "target" else []
            self.form.set_choices(name, [*choices, *extra])

    @property
    def _is_one_corpus(self) -> bool:
        raw = self.form.raw()
        return raw.get("target", "") in ("", raw.get("source"))

    def _show_rows(self) -> None:
        """Move languages to the advanced fields if two different corpora are mined."""
        languages = () if self._is_one_corpus else LANGUAGES
        self.form.set_advanced((*self.rare, *languages))

    def _show_filters(self) -> None:
        """Make room for the filter cards, and scroll to the newest one."""
        self.fit()
        QTimer.singleShot(0, self, self._show_newest_filter)

    def _show_newest_filter(self) -> None:
        for card in self._recipe.list.cards[-1:]:
            self._scroll.ensureWidgetVisible(card)

    def _suggest_languages(self) -> None:
        """Fill in the two most frequent languages if a single corpus is mined.

        With two corpora, clear the languages: hidden values would filter sentences
        without the user noticing.
        """
        fields = list(self._languages.values())
        project, corpus = self._state.project, self._corpus("source")
        if self._suggested and [field.code for field in fields] == self._suggested:
            if self._is_one_corpus and corpus == self._suggested_for:
                return
            self._suggested = []
            for field in fields:
                with QSignalBlocker(field):
                    field.clear()
        if project is None or corpus is None or not self._is_one_corpus:
            return
        if any(field.text() for field in fields):
            return
        for field, code in zip(fields, read_languages(project, corpus), strict=False):
            field.set_code(code)
        self._suggested = [field.code for field in fields]
        self._suggested_for = corpus

    # --- estimate ---

    def _corpus(self, name: str) -> Any:
        project = self._state.project
        value = str(self.form.raw().get(name, ""))
        return next(iter(find_chosen(project, value)), None)

    def _on_changed(self) -> None:
        self._show_rows()
        self._suggest_languages()
        self.plan = ""
        self._show_needs()
        self._timer.start()

    def _missing(self) -> list[Any]:
        project, encoders = self._state.project, self._state.encoders
        name = str(self.form.raw().get("encoder", ""))
        card = encoders.find(name) or encoders.in_use
        if project is None or card is None:
            return []
        raw = self.form.raw()
        names = [str(raw.get(name, "")) for name in SIDES]
        return missing_vectors(project, names, card.fingerprint)

    def _show_needs(self) -> None:
        source = self._corpus("source")
        target = self._corpus("target") or source
        parts = []
        if source is not None and target is not None:
            words = self.tr("Compares {n} × {m} sentences.")
            if self._is_one_corpus:
                words = self.tr("Compares two languages of {n} sentences.")
            raw = self.form.raw()
            names = [str(raw.get(name) or raw["source"]) for name in SIDES]
            project = self._state.project
            n, m = (format_count(count_chosen(project, [name])) for name in names)
            parts.append(words.format(n=n, m=m))
        parts = [self.plan] if self.plan else parts
        missing = [row.name for row in self._missing()]
        if missing:
            words = self.tr("Encodes {names} first: it has no vectors yet.")
            if len(missing) > 1:
                words = self.tr("Encodes {names} first: they have no vectors yet.")
            parts.append(words.format(names=", ".join(missing)))
        self.show_needs(" ".join(parts))
        mine = self.tr("Encode and mine pairs")
        mine = mine if missing else self.tr("Mine pairs")
        self.name_button(mine)

    def _ask_plan(self) -> None:
        raw = self.form.raw()
        values = {name: raw[name] for name in PLAN_FIELDS if name in raw}
        if not values.get("source") or self._missing():
            return
        plain = {"query": "MiningPlanQuery", **values}
        try:
            query = msgspec.convert(plain, MiningPlanQuery, strict=False)
        except msgspec.ValidationError:  # shown next to the field on start
            return
        self._state.ask(query, self._on_plan)

    def _on_plan(self, answer: MiningPlan | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            if answer.kind == "user":
                self.plan = answer.message
        else:
            self.plan = answer.text
        self._show_needs()
        self.planned.emit()


class ScoringDialog(TaskDialog):
    """Asks which linked corpora to score."""

    def __init__(
        self,
        state: AppState,
        values: ScorePairs,
        *,
        heading: str,
        note: str,
        parent: QWidget,
    ):
        self._heading = heading
        super().__init__(
            state, ScorePairs, values, skip=("out",), note=note, parent=parent
        )

    def heading(self) -> str:
        """Return the heading for the user's purpose."""
        return self._heading
