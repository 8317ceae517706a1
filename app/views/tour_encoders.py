"""The tour's part on encoders: what two of them cover, a card, one to be added."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from app.engine.store import rows
from app.params import MeasureCoverage
from app.views.widgets.task_dialog import TaskDialog

if TYPE_CHECKING:
    from app.views.tour_stage import Scenes, TourStage

TRAINED = "letters-1"  # by the tour's part on training
# A language that no encoder here was trained on, in letters that none has.
RUNES = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ᚨᛒᚲᛞᛖᚠᚷᚺᛁᛃᚲᛚᛗᚾᛟᛈᚲᚱᛋᛏᚢᚹᚹᚲᛃᛉ")
RUNES_FILE, N_RUNES = "letters.ang-Runr", 120
LASER_FILES = ("laser2.pt", "laser2.spm", "laser2.cvocab")


class EncoderTour:
    """Goes through the encoders view."""

    def __init__(self, stage: "TourStage", folder: Path):
        """Take a stage, and a folder for files that are only looked at."""
        self._stage, self._folder = stage, folder
        self._window, self._state = stage.window, stage.state

    def measure(self) -> None:
        """Measure what two encoders cover."""
        project = self._state.project
        assert project is not None
        corpora = tuple(str(corpus.id) for corpus in project.corpora)
        texts = (self._write_runes(),)
        for name in (self._state.encoders.chosen, TRAINED):
            params = MeasureCoverage(encoder=name, corpora=corpora, texts=texts)
            self._stage.wait(self._state.run_finished, partial(self._state.run, params))
        book = self._state.encoders
        self._stage.wait_until(book.changed, lambda: self._knows(TRAINED))
        self._window.message_bar.clear()

    def scenes(self) -> "Scenes":
        """Give what there is to see."""
        return {
            "encoders": self._show_bundled,
            "encoders-trained": self._show_trained,
            "encoders-card": self._show_card,
            "encoders-add": self._show_adding,
        }

    def _show_bundled(self) -> None:
        view = self._view(0)
        view.list.choose(view.book.chosen)
        view.coverage.table.selectRow(1)

    def _show_trained(self) -> None:
        view = self._view(0)
        view.list.choose(TRAINED)
        view.coverage.table.selectRow(2)

    def _show_card(self) -> None:
        view = self._view(1)
        view.list.choose(view.book.chosen)

    def _show_adding(self) -> QWidget:
        for name in LASER_FILES:
            (self._folder / name).touch()
        view = self._view(0)
        view.jobs.add_path(self._folder / LASER_FILES[0])
        dialogs: list[QWidget] = view.findChildren(TaskDialog)
        return dialogs[-1]

    def _view(self, tab: int) -> Any:
        self._window.show_view("encoders")
        view: Any = self._window.view
        view.tabs.setCurrentIndex(tab)
        return view

    def _knows(self, name: str) -> bool:
        book = self._state.encoders
        card = book.find(name)
        return card is not None and book.coverage_of(card) is not None

    def _write_runes(self) -> Path:
        """Write sentences of the demo in runes."""
        project = self._state.project
        assert project is not None
        (english,) = [row for row in project.corpora if row.language == "en"]
        first = rows.first_id(english.id)
        found = rows.read_sentences(project.store, range(first, first + N_RUNES))
        lines = [row.text.lower().translate(RUNES) for row in found if row]
        file = self._folder / RUNES_FILE
        file.write_text("\n".join(lines), encoding="utf-8", newline="\n")
        return file
