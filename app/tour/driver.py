"""Tour driver: save a picture of every view over the demo project."""

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

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
from app.tour.recorder import SCHEMES, SceneRecorder, Scenes, Scheme
from app.tour.translation import TranslationTour
from app.tour.words import ConcordanceTour, WordsTour
from app.views.corpora.import_dialog import ImportDialog
from app.views.corpora.import_report import ImportReportDialog
from app.views.corpora.view import CorporaView
from app.views.search.view import SearchView
from app.views.widgets.fonts import can_draw_character, missing_scripts
from app.views.widgets.search_query import SearchQuery

QUERY = "Houses on the coast lost their roofs in last night's storm."
WORDS = "water"

# The table shown in the import dialog and its report: typical of real files, with an
# empty line, a duplicate and an old encoding.
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


def main(
    out: Path,
    only: tuple[str, ...] = (),
    schemes: Sequence[Scheme] = SCHEMES,
    *,
    text_scale: int = 100,
) -> dict[str, Any]:
    """Save a picture of every view in light and dark theme in a folder.

    Args:
        out: folder, created if missing. Pictures with the same names are replaced.
        only: name prefixes of the pictures to save; empty: all pictures.
        schemes: themes.
        text_scale: text size in %.

    Returns:
        {"pictures": [files], "missing": [messages about characters without a font]}.

    Raises:
        ResourceError: the engine timed out, or a picture can't be written.
    """
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="isogloss-tour-") as folder:
        recorder = SceneRecorder(out, schemes, text_scale=text_scale)
        tour = Tour(recorder, Path(folder), only)
        try:
            recorder.number(tour.names())
            recorder.play_all(tour.wanted({"welcome": lambda: None}))
            tour.open_demo()
            for scenes in tour.stages():
                recorder.play_all(tour.wanted(scenes()))
        finally:
            recorder.close()
    return {
        "pictures": [str(file) for file in recorder.pictures],
        "missing": missing_characters(read_sample_texts()),
    }


class Tour:
    """Plays the scenes of the demo project."""

    def __init__(
        self, recorder: SceneRecorder, folder: Path, only: tuple[str, ...] = ()
    ):
        """Initialise the tours of all features.

        Args:
            recorder: recorder that plays the scenes.
            folder: empty folder for the projects and texts of the tour.
            only: name prefixes of the scenes to play; empty: all scenes.
        """
        self._recorder, self._folder, self._only = recorder, folder, only
        self._window, self._state = recorder.window, recorder.state
        self._trainings = TrainingTour(recorder)
        self._encoders = EncoderTour(recorder, folder)
        self._mining = MiningTour(recorder, folder)
        self._review = ReviewTour(recorder, folder)
        self._attribution = AttributionTour(recorder)
        self._concordance = ConcordanceTour(recorder)
        self._words = WordsTour(recorder)
        self._subcorpora = CorporaTour(recorder)
        self._classify = ClassifyTour(recorder)
        self._map = MapTour(recorder)
        self._evaluate = EvaluateTour(recorder, folder)
        self._alignment = AlignmentTour(recorder, folder)
        self._pairs = PairsTour(recorder, folder)
        self._quality = QualityTour(recorder, folder)
        self._documents = DocumentsTour(recorder, folder)
        self._translation = TranslationTour(recorder)

    def open_demo(self) -> None:
        """Build the demo in the folder of the tour, open it, and prepare the scenes."""
        path = self._folder / "demo.isogloss"
        self._recorder.wait(
            self._state.project_opened,
            lambda: self._state.open_project(path, "samples"),
        )
        self._import_letters()
        trainings = {
            **self._trainings.running_scenes(),
            **self._trainings.ended_scenes(),
        }
        review, encoders = self._review.scenes(), self._encoders.scenes()
        maps, quality = self._map.scenes(), self._quality.scenes()
        for prepare, scenes in (
            (self._trainings.train, {**trainings, **encoders, **maps, **quality}),
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

    def _open_finished_demo(self) -> Scenes:
        """Open the demo with its results, and return the scenes of the models."""
        scenes = self._translation.scenes()
        if self.wanted(scenes):
            path = self._folder / "finished.isogloss"
            encoders = self._state.encoders.changed
            self._recorder.wait(
                self._state.project_opened,
                lambda: self._state.open_project(path, "demo"),
            )
            self._recorder.wait_until(encoders, lambda: self._translation.is_ready)
        return scenes

    def wanted(self, scenes: Scenes) -> Scenes:
        """Return the scenes selected by the name prefixes."""
        if not self._only:
            return scenes
        return {
            name: scene for name, scene in scenes.items() if name.startswith(self._only)
        }

    def names(self) -> list[str]:
        """Return the names of all pictures in the order of their numbers."""
        trainings = self._trainings
        own = {
            **self.scenes(),
            **self._alignment.scenes(),
            **self._pairs.scenes(),
            **self._quality.scenes(),
            **self._documents.scenes(),
            **self._subcorpora.scenes(),
            **self._translation.scenes(),
            **trainings.running_scenes(),
            **trainings.ended_scenes(),
        }
        return ["welcome", *own]

    def stages(self) -> list[Callable[[], Scenes]]:
        """Return the stages of the open project; each is played in both themes."""
        trainings = self._trainings
        return [
            trainings.running_scenes,
            lambda: {**trainings.ended_scenes(), **self.scenes()},
            self._alignment.scenes,  # with texts outside the demo
            self._pairs.scenes,
            self._quality.scenes,  # with a page outside the demo
            self._documents.scenes,  # with a folder outside the demo
            self._subcorpora.scenes,  # with hidden sentences
            self._open_finished_demo,
        ]

    def scenes(self) -> Scenes:
        """Return the scenes of the demo project."""
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
            **self._attribution.scenes(),
            **self._mining.scenes(),
            **self._review.scenes(),
            **self._classify.scenes(),
            **self._evaluate.scenes(),
            **self._map.scenes(),
            **self._encoders.scenes(),
            "palette": lambda: self._show_dialog(menus.show_palette),
            "keys": lambda: self._show_dialog(menus.show_shortcuts),
            "settings": lambda: self._show_dialog(self._open_settings),
        }

    # --- scenes ---

    def _show_corpora(self) -> None:
        view = self._recorder.show_view("corpora", CorporaView)
        corpus = self._recorder.find_corpus("de")
        view.page.clear_filters()
        view.list.choose([corpus.id])
        view.page.table.select_sentence(store_corpora.first_sentence_id(corpus.id) + 4)
        self._recorder.wait_for_neighbours()

    def _show_several(self) -> None:
        view = self._recorder.show_view("corpora", CorporaView)
        view.list.choose(
            [self._recorder.find_corpus(code).id for code in ("ar", "hi", "zh", "en")]
        )
        table = view.page.table
        table.sort_by("length", is_descending=True)
        self._recorder.wait(view.sentences_shown, view.page.refresh)
        table.select_sentence(table.page_model.id_at(2))
        self._recorder.wait_for_neighbours()

    def _show_import(self) -> QWidget:
        dialog = ImportDialog(self._state, [self._letters()], self._window)
        self._recorder.wait(dialog.preview_shown, dialog.open)
        return dialog

    def _show_report(self) -> QWidget:
        deleted = store_corpora.list_corpora(
            self._recorder.project.store, states=("deleted",)
        )
        dialog = ImportReportDialog(self._state, deleted[0], self._window)
        dialog.open()
        return dialog

    def _show_search(self) -> None:
        view = self._recorder.show_view("search", SearchView)
        self._state.select_sentence(None)  # clears the selection of this view only
        view.reset()

    def _search(self, text: str, *, words: bool = False) -> None:
        view = self._recorder.show_view("search", SearchView)
        query = SearchQuery(text=text, words=words)
        self._recorder.wait(view.hits_shown, lambda: view.controller.send(query))
        view.columns.focus_first()
        self._recorder.wait_for_neighbours()

    def _search_from(self, language: str, number: int) -> None:
        """Search for one of the first sentences with known translations."""
        view = self._recorder.show_view("search", SearchView)
        first = store_corpora.first_sentence_id(self._recorder.find_corpus(language).id)
        known = count_translations(
            self._recorder.project.store, range(first, first + 60)
        )
        sentence = sorted(known)[number]
        self._recorder.wait(view.hits_shown, lambda: view.ask_sentence(sentence))
        self._recorder.wait_for_neighbours()

    def _show_dialog(self, show: Callable[[], object]) -> QWidget:
        before = set(self._window.findChildren(QDialog))
        show()
        new = [d for d in self._window.findChildren(QDialog) if d not in before]
        return new[0]

    def _open_settings(self) -> None:
        actions = [action for _, action in self._window.menus.actions]
        next(a for a in actions if "ettings" in a.text()).trigger()

    # --- helpers ---

    def _import_letters(self) -> None:
        """Import the letters to show the report, then delete the corpus."""
        params = ImportCorpus(
            files=(self._letters(),), languages=("de",), names=(LETTERS_NAME,)
        )
        self._recorder.run(params)
        corpora = store_corpora.list_corpora(self._recorder.project.store)
        ids = tuple(row.id for row in corpora if row.name == LETTERS_NAME)
        self._recorder.edit(SetCorpusState(ids, "deleted"))
        self._recorder.wait_until(
            self._state.corpora_changed,
            lambda: all(
                row.name != LETTERS_NAME for row in self._recorder.project.corpora
            ),
        )
        self._window.message_bar.clear()

    def _letters(self) -> Path:
        file = self._folder / "hafenbriefe.csv"
        file.write_text(LETTERS, encoding="cp1252", newline="\n")
        return file


def read_sample_texts() -> list[str]:
    """Read all texts of the sample corpora."""
    files = sorted((resource_dir() / "samples").glob("*.tsv"))
    return [file.read_text(encoding="utf-8") for file in files]


def missing_characters(texts: list[str]) -> list[str]:
    """Describe the scripts and single characters without an installed font."""
    missing = missing_scripts(texts)
    characters = sorted(set().union(*texts))
    single = [c for c in characters if c.isprintable() and not can_draw_character(c)]
    if single and not missing:
        names = ", ".join(f"{c} (U+{ord(c):04X})" for c in single[:20])
        missing.append(f"{len(single):,} characters have no font: {names}.")
    return missing
