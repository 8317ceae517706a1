"""Tour driver: save a picture of every view over the demo project."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QDialog, QWidget

from app.engine.store import corpora as store_corpora
from app.engine.store.sentences import count_translations
from app.params.corpora import ImportCorpus
from app.paths import resource_dir
from app.protocol.edits.general import SetCorpusState
from app.tour.classify import ClassifyTour, PairsTour
from app.tour.corpora import CorporaTour, DocumentsTour, QualityTour
from app.tour.encoders import EncoderTour, EvaluateTour, TrainingTour
from app.tour.map import AttributionTour, MapTour
from app.tour.pairs import AlignmentTour, MiningTour, ReviewTour
from app.tour.words import ConcordanceTour, WordsTour
from app.views.client.project_reader import ProjectReader
from app.views.corpora.import_dialog import ImportDialog
from app.views.corpora.import_report import ImportReportDialog
from app.views.widgets.fonts import can_draw_character, missing_scripts
from app.views.widgets.search_query import SearchQuery

if TYPE_CHECKING:
    from app.tour.window import Scenes, Scheme, TourWindow

QUERY = "Houses on the coast lost their roofs in last night's storm."
WORDS = "water"

# The table that the import dialog and the report are shown with: as people have it,
# with an empty line and a double one, in an old encoding.
LETTERS = """nummer;brief;ort
1;"Der Sturm hat in der Nacht zwei Boote losgerissen.";Hafen
2;"Heute fährt keine Fähre, und die Post bleibt liegen.";Hafen
3;"Die Fischer sitzen im Wirtshaus und warten; was sonst?";Wirtshaus
4;"Meine Schwester schreibt, dass es in der Stadt schneit.";Stadt
5;"Heute fährt keine Fähre, und die Post bleibt liegen.";Hafen
6;"";Hafen
7;"Am Abend wurde der Wind endlich schwächer.";Hafen
8;"Morgen früh laufen die ersten Boote wieder aus.";Hafen
9;"Gut so!";Hafen
10;"Der alte Lotse erzählt, dass er in vierzig Jahren nur zweimal ein solches """
LETTERS += """Wetter gesehen hat, und beide Male im Mai.";Wirtshaus
"""
LETTERS_NAME = "Hafenbriefe"


def main(out: Path, only: tuple[str, ...] = ()) -> dict[str, Any]:
    """Save a picture of every view, light and dark, into a folder.

    Args:
        out: the folder; made when missing. Pictures of the same names are replaced.
        only: what the names of the wanted pictures begin with; empty: all of them.

    Returns:
        {"pictures": [files], "missing": [sentences on characters without a font]}.

    Raises:
        ResourceError: the engine did not answer, or a picture can't be written.
    """
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from app.tour.window import TourWindow

    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="isogloss-tour-") as folder:
        stage = TourWindow(out)
        tour = Tour(stage, Path(folder), only)
        try:
            stage.number(tour.names())
            stage.play("light", tour.wanted({"welcome": lambda: None}))
            stage.play("dark", tour.wanted({"welcome": lambda: None}))
            tour.open_demo()
            for scheme, scenes in tour.acts():
                stage.play(scheme, tour.wanted(scenes()))
        finally:
            stage.close()
    return {
        "pictures": [str(file) for file in stage.pictures],
        "missing": missing_characters(read_sample_texts()),
    }


class Tour:
    """Goes through the demo, scene by scene."""

    def __init__(self, stage: "TourWindow", folder: Path, only: tuple[str, ...] = ()):
        """Take a stage, and an empty folder for the tour's own demo project.

        Args:
            stage: where it plays.
            folder: for projects and texts.
            only: what the names of the wanted scenes begin with; empty: all.
        """
        self._stage, self._folder, self._only = stage, folder, only
        self._window, self._state = stage.window, stage.state
        self._trainings = TrainingTour(stage)
        self._encoders = EncoderTour(stage, folder)
        self._mining = MiningTour(stage, folder)
        self._review = ReviewTour(stage, folder)
        self._look = AttributionTour(stage)
        self._concordance = ConcordanceTour(stage)
        self._words = WordsTour(stage)
        self._parts = CorporaTour(stage)
        self._classify = ClassifyTour(stage)
        self._map = MapTour(stage)
        self._evaluate = EvaluateTour(stage, folder)
        self._alignment = AlignmentTour(stage, folder)
        self._pairs = PairsTour(stage, folder)
        self._care = QualityTour(stage, folder)
        self._documents = DocumentsTour(stage, folder)

    def open_demo(self) -> None:
        """Build the demo in a folder of the tour's own, and open it."""
        path = self._folder / "demo.isogloss"
        self._stage.wait(
            self._state.project_opened, lambda: self._state.open_project(path, "demo")
        )
        self._import_letters()
        trainings = {
            **self._trainings.running_scenes(),
            **self._trainings.ended_scenes(),
        }
        review, encoders = self._review.scenes(), self._encoders.scenes()
        maps, care = self._map.scenes(), self._care.scenes()
        for prepare, scenes in (
            (self._trainings.train, {**trainings, **encoders, **maps, **care}),
            (self._words.make, self._words.scenes()),
            (self._encoders.measure, encoders),
            (self._mining.mine, {**self._mining.scenes(), **review}),
            (self._review.judge, review),
            (self._classify.classify, self._classify.scenes()),
            (self._evaluate.measure, self._evaluate.scenes()),
            (self._map.make, maps),
        ):
            if self.wanted(scenes):
                prepare()

    def wanted(self, scenes: "Scenes") -> "Scenes":
        """Return the scenes that are wanted of these."""
        if not self._only:
            return scenes
        return {
            name: scene for name, scene in scenes.items() if name.startswith(self._only)
        }

    def names(self) -> list[str]:
        """Name every picture, in the order of their numbers."""
        trainings = self._trainings
        own = {
            **self.scenes(),
            **self._alignment.scenes(),
            **self._pairs.scenes(),
            **self._care.scenes(),
            **self._documents.scenes(),
            **self._parts.scenes(),
            **trainings.running_scenes(),
            **trainings.ended_scenes(),
        }
        return ["welcome", *own]

    def acts(self) -> "list[tuple[Scheme, Callable[[], Scenes]]]":
        """Return what to play in an open project: the colours change twice."""
        trainings = self._trainings
        return [
            ("dark", trainings.running_scenes),
            ("light", trainings.running_scenes),
            ("light", trainings.ended_scenes),
            ("light", self.scenes),
            ("dark", self.scenes),
            ("dark", trainings.ended_scenes),
            ("dark", self._alignment.scenes),  # with texts that are not of the demo
            ("light", self._alignment.scenes),
            ("light", self._pairs.scenes),
            ("dark", self._pairs.scenes),
            ("dark", self._care.scenes),  # with a page that is not of the demo
            ("light", self._care.scenes),
            ("light", self._documents.scenes),  # with a folder that is not of the demo
            ("dark", self._documents.scenes),
            ("dark", self._parts.scenes),  # with sentences that are hidden
            ("light", self._parts.scenes),
        ]

    def scenes(self) -> "Scenes":
        """Return what there is to see of texts, encoders and the window."""
        menus = self._window.menus
        return {
            "corpora": self._show_corpora,
            "several-corpora": self._show_several,
            "import": self._show_import,
            "import-report": self._show_report,
            "search-start": self._show_search,
            "search": lambda: self._search(QUERY),
            "search-from-japanese": lambda: self._search_from("ja", 3),
            "search-from-arabic": lambda: self._search_from("ar", 12),
            "search-words": lambda: self._search(WORDS, words=True),
            **self._concordance.scenes(),
            **self._words.scenes(),
            **self._look.scenes(),
            **self._mining.scenes(),
            **self._review.scenes(),
            **self._classify.scenes(),
            **self._evaluate.scenes(),
            **self._map.scenes(),
            **self._encoders.scenes(),
            "palette": lambda: self._show_dialog(menus.show_palette),
            "keys": lambda: self._show_dialog(menus.show_cheat_sheet),
            "settings": lambda: self._show_dialog(self._open_settings),
        }

    # --- scenes ---

    def _show_corpora(self) -> None:
        view = self._view("corpora")
        corpus = self._corpus("de")
        view.page.forget_filters()
        view.list.choose([corpus.id])
        view.page.table.select_sentence(store_corpora.first_sentence_id(corpus.id) + 4)
        self._wait_for_neighbours()

    def _show_several(self) -> None:
        view = self._view("corpora")
        view.list.choose([self._corpus(code).id for code in ("ar", "hi", "zh", "en")])
        table = view.page.table
        table.sort_by("length", is_descending=True)
        self._stage.wait(view.sentences_shown, view.page.refresh)
        table.select_sentence(table.page_model.id_at(2))
        self._wait_for_neighbours()

    def _show_import(self) -> QWidget:
        dialog = ImportDialog(self._state, [self._letters()], self._window)
        self._stage.wait(dialog.preview_shown, dialog.open)
        return dialog

    def _show_report(self) -> QWidget:
        deleted = store_corpora.list_corpora(self._project.store, states=("deleted",))
        dialog = ImportReportDialog(deleted[0], self._window)
        dialog.open()
        return dialog

    def _show_search(self) -> None:
        self._state.select_sentence(None)
        self._view("search").reset()

    def _search(self, text: str, *, words: bool = False) -> None:
        view = self._view("search")
        query = SearchQuery(text=text, words=words)
        self._stage.wait(view.hits_shown, lambda: view.controller.send(query))
        view.columns.focus_first()
        self._wait_for_neighbours()

    def _search_from(self, language: str, number: int) -> None:
        """Search from one of the first sentences that have known translations."""
        view = self._view("search")
        first = store_corpora.first_sentence_id(self._corpus(language).id)
        known = count_translations(self._project.store, range(first, first + 60))
        sentence = sorted(known)[number]
        self._stage.wait(view.hits_shown, lambda: view.ask_sentence(sentence))
        self._wait_for_neighbours()

    def _show_dialog(self, show: Callable[[], object]) -> QWidget:
        before = set(self._window.findChildren(QDialog))
        show()
        new = [d for d in self._window.findChildren(QDialog) if d not in before]
        return new[0]

    def _open_settings(self) -> None:
        actions = [action for _, action in self._window.menus.actions]
        next(a for a in actions if "ettings" in a.text()).trigger()

    # --- help ---

    @property
    def _project(self) -> ProjectReader:
        assert self._state.project is not None
        return self._state.project

    def _import_letters(self) -> None:
        """Import the letters for their report, and take them out of sight again."""
        params = ImportCorpus(
            files=(self._letters(),), languages=("de",), names=(LETTERS_NAME,)
        )
        self._stage.wait(self._state.run_finished, lambda: self._state.run(params))
        corpora = store_corpora.list_corpora(self._project.store)
        ids = tuple(row.id for row in corpora if row.name == LETTERS_NAME)
        self._stage.edit(SetCorpusState(ids, "deleted"))
        self._stage.wait_until(
            self._state.corpora_changed,
            lambda: all(row.name != LETTERS_NAME for row in self._project.corpora),
        )
        self._window.message_bar.clear()

    def _letters(self) -> Path:
        file = self._folder / "hafenbriefe.csv"
        file.write_text(LETTERS, encoding="cp1252", newline="\n")
        return file

    def _view(self, name: str) -> Any:
        self._window.show_view(name)
        return self._window.view

    def _corpus(self, language: str) -> store_corpora.CorpusRow:
        return next(row for row in self._project.corpora if row.language == language)

    def _wait_for_neighbours(self) -> None:
        inspector: Any = self._window.inspector_dock.widget()
        self._stage.wait(inspector.neighbours_shown, inspector.ask_neighbours)


def read_sample_texts() -> list[str]:
    """Read every text of the sample corpora."""
    files = sorted((resource_dir() / "samples").glob("*.tsv"))
    return [file.read_text(encoding="utf-8") for file in files]


def missing_characters(texts: list[str]) -> list[str]:
    """Name the scripts, and single characters, that no installed font can draw."""
    missing = missing_scripts(texts)
    characters = sorted(set().union(*texts))
    single = [c for c in characters if c.isprintable() and not can_draw_character(c)]
    if single and not missing:
        names = ", ".join(f"{c} (U+{ord(c):04X})" for c in single[:20])
        missing.append(f"{len(single)} characters have no font: {names}.")
    return missing
