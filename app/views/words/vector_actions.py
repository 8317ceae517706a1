"""Actions on word vectors: train, import, map languages, and learn a dictionary."""

from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from app.engine.store.words.indexes import list_map_names, list_table_names
from app.languages import language_name
from app.params.base import TaskParams
from app.params.word_vectors import (
    EvaluateMappedSentences,
    EvaluateWordSimilarity,
    EvaluateWordTranslation,
    ImportWordVectors,
    LearnDictionary,
    MapLanguages,
    TrainWordVectors,
)
from app.results.jobs import MadePairSet
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.widgets.controls import add_action, make_button
from app.views.widgets.corpus_choices import find_chosen
from app.views.widgets.dialogs import ask_path
from app.views.widgets.form import Form
from app.views.widgets.run_results import ResultGate
from app.views.widgets.task_dialog import TaskDialog
from app.views.words.query_bar import WordsQueryBar
from app.views.words.vector_language import VectorLanguageDialog, list_vector_languages
from app.views.words.word_map import WordMapDialog

IN_BAR = ("train vectors", "import vectors", "map languages", "learn dictionary")
FILE_FILTER = "(*.vec *.txt *.bin *.gz *.xz *.zst)"


class WordVectorActions(QObject):
    """Makes and performs the actions on word vectors of one or two languages.

    Attributes:
        actions: by name.
    """

    query_requested = Signal(object)  # WordListSettings with new bilingual vectors

    def __init__(self, state: AppState, bar: WordsQueryBar, view: QWidget):
        """Add the actions to the view and their buttons to the bar."""
        super().__init__(view)
        self._state, self._bar, self._view = state, bar, view
        self.actions: dict[str, QAction] = {}
        self._buttons: dict[str, QPushButton] = {}
        self._make_actions()
        bar.options.add_buttons("map", list(self._buttons.values()))
        self._gate = ResultGate(state, lambda: (bar.page, bar.field.text()), self)
        self._made = 0  # id of a new dictionary that the project does not list yet
        state.run_finished.connect(self._on_run_finished)
        state.minings_changed.connect(self._review_made)
        state.project_opened.connect(self._forget_made)

    def _make_actions(self) -> None:
        """Make the actions, and buttons for the actions in the bar."""
        for name, title, hint, run in (
            (
                "train vectors",
                self.tr("Train word vectors…"),
                self.tr("Train word vectors on the corpora of one language."),
                self.ask_training,
            ),
            (
                "import vectors",
                self.tr("Import word vectors…"),
                self.tr("Import word vectors from a .vec, .txt or .bin file."),
                self.ask_file,
            ),
            (
                "vector language",
                self.tr("Language of word vectors…"),
                self.tr("Correct the language of word vectors of the project."),
                self.ask_language,
            ),
            (
                "map languages",
                self.tr("Make bilingual vectors…"),
                self.tr("Map the word vectors of one language to another language."),
                self.ask_mapping,
            ),
            (
                "learn dictionary",
                self.tr("Learn a dictionary…"),
                self.tr("Find entries of a dictionary, and judge them in Review."),
                self.ask_dictionary,
            ),
            (
                "evaluate map",
                self.tr("Evaluate word translation…"),
                self.tr("Measure how many dictionary entries bilingual vectors find."),
                self.ask_evaluation,
            ),
            (
                "evaluate sentences",
                self.tr("Evaluate sentence translation…"),
                self.tr(
                    "Measure bilingual vectors by sentences and their translations."
                ),
                self.ask_sentences,
            ),
            (
                "evaluate similarity",
                self.tr("Evaluate word similarity…"),
                self.tr("Compare word vectors with similarity ratings by people."),
                self.ask_similarity,
            ),
            (
                "map of words",
                self.tr("Show words of both languages…"),
                self.tr("Show bilingual vectors as points, before and after mapping."),
                self.show_word_map,
            ),
        ):
            self.actions[name] = add_action(self._view, title, hint, run)
            if name in IN_BAR:  # other actions are in the menu for lack of space
                self._buttons[name] = make_button(title, hint, run, kind="quiet")

    def refresh(self) -> None:
        """Enable the actions that are possible now."""
        project = self._state.project
        is_writable = self._state.can_write
        folder = project.folder if project is not None else Path()
        n_tables = len(list_table_names(folder)) if is_writable else 0
        possible = {
            "train vectors": bool(is_writable and project and project.corpora),
            "import vectors": is_writable,
            "vector language": n_tables >= 1,
            "map languages": n_tables >= 2,
            "learn dictionary": is_writable and bool(list_map_names(folder)),
            "evaluate map": is_writable and bool(list_map_names(folder)),
            "evaluate sentences": is_writable and bool(list_map_names(folder)),
            "evaluate similarity": n_tables >= 1,
            "map of words": project is not None and bool(list_map_names(folder)),
        }
        for name, is_possible in possible.items():
            self.actions[name].setEnabled(is_possible)
            if name in self._buttons:
                self._buttons[name].setEnabled(is_possible)

    def ask_training(self) -> None:
        """Ask for the corpora and settings for training."""
        project = self._state.project
        if project is None or not project.corpora:
            return
        ready = list_vector_languages(project.folder)
        languages = [row.language for row in project.corpora]
        missing = [one for one in languages if language_name(one) not in ready]
        language = (missing or languages)[0]
        names = tuple(row.name for row in project.corpora if row.language == language)
        values = TrainWordVectors(
            corpora=names, name=language_name(language), method="encoder"
        )
        # corpora in the selected language
        dialog = self._open(TrainWordVectors, values, skip=("file", "out", "language"))
        dialog.form.changed.connect(partial(self._propose_name, dialog.form))

    def _propose_name(self, form: Form[TaskParams]) -> None:
        """Propose a name with the language of the corpora, unless there is a name."""
        project, raw = self._state.project, form.raw()
        chosen = [row for one in raw["corpora"] for row in find_chosen(project, one)]
        proposed = {language_name(row.language) for row in self._state.corpora}
        if chosen and raw["name"] in proposed:
            form.write({"name": language_name(chosen[0].language)})

    def ask_file(self) -> None:
        """Ask for a file of word vectors, then for its language."""
        title = self.tr("Import word vectors")
        filters = f"{self.tr('Word vectors')} {FILE_FILTER};;{self.tr('All files')} (*)"
        ask_path(self._view.window(), title, self._import, filters=filters)

    def ask_language(self) -> None:
        """Ask for the language of word vectors."""
        project = self._state.project
        if project is not None and list_table_names(project.folder):
            chosen = self._bar.settings().vectors
            VectorLanguageDialog(
                self._state, project.folder, chosen, self._view.window()
            ).open()

    def ask_mapping(self) -> None:
        """Ask for word vectors of two languages and a seed dictionary."""
        project = self._state.project
        names = list_table_names(project.folder) if project is not None else []
        if len(names) < 2:
            return
        source, target = names[:2]
        if f"{source} – {target}" in self._map_names():
            source, target = target, source  # the reverse direction
        values = MapLanguages(
            source=Path(source), target=Path(target), name=f"{source} – {target}"
        )
        choices = [(name, name) for name in names]
        dialog = self._open(MapLanguages, values, skip=("out",))
        for side in ("source", "target"):
            dialog.form.set_choices(side, choices)

    def ask_dictionary(self) -> None:
        """Ask for bilingual vectors and the size of the dictionary."""
        project = self._state.project
        names = list_map_names(project.folder) if project is not None else []
        if not names:
            return
        chosen = self._bar.settings().map or names[0]
        values = LearnDictionary(
            map=Path(chosen), name=self.tr("Dictionary {name}").format(name=chosen)
        )
        dialog = self._open(LearnDictionary, values)
        dialog.form.set_choices("map", [(name, name) for name in names])

    def ask_evaluation(self) -> None:
        """Ask for bilingual vectors and a dictionary for their evaluation."""
        project = self._state.project
        names = list_map_names(project.folder) if project is not None else []
        if not names:
            return
        chosen = self._bar.settings().map or names[0]
        values = EvaluateWordTranslation(map=Path(chosen), dictionary=Path())
        dialog = self._open(EvaluateWordTranslation, values)
        dialog.form.set_choices("map", [(name, name) for name in names])

    def ask_sentences(self) -> None:
        """Ask for bilingual vectors and sentence pairs for their evaluation."""
        names = self._map_names()
        if names:
            chosen = Path(self._bar.settings().map or names[0])
            values = EvaluateMappedSentences(map=chosen, pairs=Path())
            dialog = self._open(EvaluateMappedSentences, values)
            dialog.form.set_choices("map", [(name, name) for name in names])

    def ask_similarity(self) -> None:
        """Ask for files of word similarities and the vectors to evaluate."""
        project = self._state.project
        names = list_table_names(project.folder) if project is not None else []
        if not names:
            return
        chosen = Path(self._bar.settings().vectors or names[0])
        values = EvaluateWordSimilarity(data=(), vectors=chosen)
        dialog = self._open(EvaluateWordSimilarity, values)
        none = ("", self.tr("none"))
        for field, known in (("vectors", names), ("map", self._map_names())):
            choices = [none, *((name, name) for name in known)]
            dialog.form.set_choices(field, choices)

    def show_word_map(self) -> None:
        """Show a map of the words of the selected bilingual vectors."""
        names = self._map_names()
        if names:
            name = self._bar.settings().map or names[0]
            WordMapDialog(self._state, name, self._view.window()).open()

    def _map_names(self) -> list[str]:
        project = self._state.project
        return list_map_names(project.folder) if project is not None else []

    def _import(self, file: Path) -> None:
        values = ImportWordVectors(file=file, language="", name=file.name.split(".")[0])
        self._open(ImportWordVectors, values)

    def _open(
        self, struct: Any, values: Any, *, skip: tuple[str, ...] = ()
    ) -> TaskDialog:
        window = self._view.window()
        dialog = TaskDialog(self._state, struct, values, skip=skip, parent=window)
        dialog.open()
        return dialog

    def _on_run_finished(self, run: RunState, result: object) -> None:
        """Select new bilingual vectors, or review a new dictionary."""
        self.refresh()
        project = self._state.project
        if project is None:
            return
        if isinstance(run.params, MapLanguages) and run.params.name:
            self._bar.show_project(project)
            if not self._gate.may_show(run):
                return
            changes = {"page": "translations", "map": run.params.name}
            settings = msgspec.structs.replace(self._bar.settings(), **changes)
            self.query_requested.emit(settings)
        if isinstance(run.params, LearnDictionary) and self._view.isVisible():
            self._made = msgspec.convert(result, MadePairSet).mining or 0
            self._review_made()

    def _review_made(self) -> None:
        """Open the new dictionary for review once the project lists it."""
        made = self._made
        if any(row.id == made for row in self._state.minings):
            self._made = 0
            self._state.view_requests.review_requested.emit(made, None)

    def _forget_made(self) -> None:
        self._made = 0
