"""The tour's part on corpus care: what is found in a page from the web, and hidden."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from app.params import ImportCorpus, Params
from app.params.care import CheckCorpus, CompareEncoders, FindDuplicates, FindLeakage
from app.views.mining_sides import name_corpus
from app.views.tour_encoders import TRAINED
from app.views.widgets.care_dialog import CareDialog

if TYPE_CHECKING:
    from app.views.tour_stage import Scenes, TourStage

NAME = "Harbour pages"
# As pages from the web are: said twice, in two encodings, with what is no text.
PAGES = """Home | Timetable | Fares | News | Contact
The ferry will not sail tomorrow because of the storm.
The first boats leave at six in the morning from pier 3.
The first boats leave at six in the morning from pier 4.
The old pilot says he has seen such weather only twice in forty years.
The old pilot says that he has seen such weather only twice in 40 years.
The cafÃ© at the end of the quay opens at eight o’clock.
We use cookies to improve your experience. Accept all cookies?
The ferry will not sail tomorrow, because of the storm!
Wegen des Sturms fährt die Fähre morgen nicht, und die Post bleibt liegen.
So we are staying one more night at the inn by the old market.
Read more »
The mail is in the shed behind the fish market, next to the scales.
Read more »
The lighthouse keeper\ufffds daughter writes that it is snowing in town.
Read more »
The wind has been in the north-west since noon, and it is getting colder.
Read more »
© 2019 Harbour Board. All rights reserved.
Read more »
"""


class CareTour:
    """Looks after corpora."""

    def __init__(self, stage: "TourStage", folder: Path):
        """Take a stage, and a folder for the page."""
        self._stage, self._folder = stage, folder
        self._window, self._state = stage.window, stage.state
        self._is_ready = False

    def scenes(self) -> "Scenes":
        """Give what there is to see; the page joins the project with the first."""
        return {
            "care": self._show_duplicates,
            "care-check": self._show_check,
            "care-leaks": self._show_leaks,
            "care-encoders": self._show_encoders,
            "care-form": self._show_form,
        }

    def _prepare(self) -> None:
        if self._is_ready:
            return
        self._is_ready = True
        file = self._folder / "pages.txt"
        file.write_text(PAGES, encoding="utf-8", newline="\n")
        self._wait(ImportCorpus(files=(file,), languages=("en",), names=(NAME,)))
        project = self._state.project
        assert project is not None
        view = self._view()
        names = [name_corpus(project.corpora, row) for row in project.corpora]
        german, turkish = (self._name_of(code) for code in ("de", "tr"))
        searches: list[Params] = [
            FindLeakage(corpus=german, within=(turkish,)),
            CheckCorpus(corpora=(NAME,)),
            FindDuplicates(corpora=(NAME, german), across=True),
        ]
        if any(card.name == TRAINED for card in self._state.encoders.cards):
            book = self._state.encoders
            encoders = (TRAINED, book.chosen)
            searches.append(
                CompareEncoders(corpora=tuple(names[:4]), encoders=encoders)
            )
        for search in searches:
            self._stage.wait(self._state.run_finished, partial(view.jobs.run, search))
        self._window.message_bar.clear()

    def _show_duplicates(self) -> None:
        view = self._begin("Duplicates")
        view.page.table.choose_row(1)

    def _show_check(self) -> None:
        view = self._begin("Check")
        view.page.table.choose_row(1)

    def _show_leaks(self) -> None:
        view = self._begin("Leaks")
        view.page.table.choose_row(2)

    def _show_encoders(self) -> None:
        view = self._begin("Two encoders")
        view.page.table.choose_row(0)

    def _show_form(self) -> QWidget:
        view = self._begin("Duplicates")
        view.jobs.ask(FindDuplicates)
        dialog: CareDialog = view.findChildren(CareDialog)[-1]
        return dialog

    # --- help ---

    def _begin(self, title: str) -> Any:
        self._prepare()
        view = self._view()
        found = [row.id for row in view.list.rows if row.title.startswith(title)]
        if found:
            view.list.choose(found[0])
        view.page.choose_kinds(())
        view.setFocus()
        return view

    def _view(self) -> Any:
        self._window.show_view("care")
        return self._window.view

    def _name_of(self, language: str) -> str:
        project = self._state.project
        assert project is not None
        row = next(row for row in project.corpora if row.language == language)
        return name_corpus(project.corpora, row)

    def _wait(self, params: Params) -> None:
        self._stage.wait(self._state.run_finished, lambda: self._state.run(params))
