"""Tour of classification: labels, classifiers, labelled pairs and transfer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtWidgets import QWidget

from app.engine.store import corpora as store_corpora
from app.params.classify import Classify, EvaluateTransfer
from app.params.corpora import ImportCorpus
from app.paths import resource_dir
from app.protocol.edits.labels import LabelSentences
from app.tour.recorder import SceneRecorder, Scenes
from app.views.classify.sources import source_of, suggest_transfer
from app.views.classify.transfer.details import (
    COMPARISON_TAB,
    CONFUSION_TAB,
    ERRORS_TAB,
    FEW_SHOT_TAB,
    MATRIX_TAB,
)
from app.views.classify.transfer.dialog import TransferDialog
from app.views.classify.view import ClassifyView
from app.views.client.runs import RunState
from app.views.notes.dialog import NotesDialog

HOME = "en"
CLASSIFIED = ("de", "es", "ja", "tr", "zh")  # languages of the predictions
FORGOTTEN = "tr"  # its labels are removed, so that it is labelled next
ERRORS_IN = "ar"
TYPED = "Der Wind dreht auf Nordwest und bringt bis zum Abend Regen."


class ClassifyTour:
    """Takes pictures of the classify view."""

    def __init__(self, recorder: SceneRecorder):
        self._recorder = recorder
        self._window, self._state = recorder.window, recorder.state

    def classify(self) -> None:
        """Test with the proposed settings and two heads; check, train, classify."""
        view = self._view()
        self._run(view.tests.run_suggested)
        suggested = suggest_transfer(self._recorder.project)
        assert suggested is not None, "the demo has labels"
        votes = msgspec.structs.replace(suggested, head="centroid")
        self._run(lambda: self._state.run(votes))
        view.steps.transfer.refresh()
        view.steps.transfer.choose(view.steps.transfer.transfers[1].id)
        self._run(view.steps.transfer.page.details.few_shot.measure.click)
        english = self._recorder.find_corpus(HOME)
        view.steps.labels.corpora.choose(english.id)
        self._run(view.classifiers.check)
        self._train(view)
        self._window.message_bar.clear()

    def _train(self, view: ClassifyView) -> None:
        """Train, classify, remove the labels of a corpus, correct some, and retrain."""
        setup = view.steps.training.setup
        setup.begin(source_of(self._recorder.project, self._recorder.find_corpus(HOME)))
        setup.form.write({"name": "Topics"})
        self._run(setup.train_button.click)
        corpora = tuple(str(self._recorder.find_corpus(code).id) for code in CLASSIFIED)
        name = str(view.steps.training.classifiers[0].row.id)
        self._run(lambda: self._state.run(Classify(classifier=name, corpora=corpora)))
        forgotten = self._recorder.find_corpus(FORGOTTEN)
        first = store_corpora.first_sentence_id(forgotten.id)
        ids = tuple(range(first + 40, first + forgotten.n_sentences))
        self._recorder.edit(LabelSentences(sentences=ids, class_name=""))
        self._run(view.classifiers.retrain)
        self._recorder.wait_until(self._state.run_finished, lambda: self._is_done(view))

    def _is_done(self, view: ClassifyView) -> bool:
        return not self._state.is_busy and view.steps.previous_classifier is not None

    def scenes(self) -> Scenes:
        """Return the scenes by name."""
        return {
            "classify": lambda: self._show_board("", CONFUSION_TAB),
            "classify-errors": lambda: self._show_board(ERRORS_IN, ERRORS_TAB),
            "classify-few-labels": lambda: self._show_board("", FEW_SHOT_TAB),
            "classify-comparison": self._show_comparison,
            "classify-labels": lambda: self._show_labels(0),
            "classify-check": lambda: self._show_labels(1),
            "classify-form": self._show_form,
            "classify-classifier": self._show_classifier,
            "classify-predictions": self._show_predictions,
            "classify-suggestions": self._show_suggestions,
            "classify-changes": self._show_changes,
            "classify-test": self._show_dialog,
            "classify-label-list": self._list_labels,
        }

    def _show_board(self, language: str, tab: int) -> None:
        view = self._view()
        view.steps.show_step(view.steps.transfer)
        view.steps.transfer.choose(view.steps.transfer.transfers[1].id)
        page = view.steps.transfer.page
        page.table.choose(language or page.rows[1].key)
        page.details.tabs.setCurrentIndex(tab)
        view.setFocus()

    def _show_comparison(self) -> None:
        self._show_board("", CONFUSION_TAB)
        details = self._view().steps.transfer.page.details
        self._recorder.wait(
            details.comparison.shown,
            lambda: details.tabs.setCurrentIndex(COMPARISON_TAB),
        )

    def _show_labels(self, tab: int) -> None:
        view = self._view()
        view.steps.show_step(view.steps.labels)
        view.steps.labels.corpora.choose(self._recorder.find_corpus(HOME).id)
        view.steps.labels.page.tabs.setCurrentIndex(tab)
        view.steps.labels.page.table.selectRow(3)

    def _show_form(self) -> None:
        view = self._view()
        view.steps.show_step(view.steps.training)
        view.steps.training.begin_new()
        presets = view.steps.training.setup.presets
        presets.setCurrentIndex(1)
        presets.activated.emit(1)

    def _show_classifier(self) -> None:
        view = self._view()
        view.steps.show_step(view.steps.training)
        view.steps.training.choose(view.steps.training.classifiers[0].row.id)

    def _show_predictions(self) -> None:
        page = self._show_use()
        self._recorder.wait(page.shown, page.show_all)
        page.table.selectRow(2)
        typed = self._view().steps.predictions.typed
        if not typed.first.text():
            self._recorder.wait(typed.classified, lambda: typed.first.setText(TYPED))

    def _show_suggestions(self) -> None:
        page = self._show_use()
        self._recorder.wait(page.shown, page.show_suggestions)
        page.table.selectRow(0)

    def _show_changes(self) -> None:
        page = self._show_use()
        view = self._view()
        self._recorder.wait(page.shown, view.classifiers.show_changes)
        page.table.selectRow(0)

    def _show_use(self) -> Any:
        view = self._view()
        view.steps.show_step(view.steps.predictions)
        view.steps.predictions.choose(view.steps.training.classifiers[0].row.id)
        return view.steps.predictions.page

    def _show_dialog(self) -> QWidget:
        view = self._view()
        view.steps.show_step(view.steps.transfer)
        view.tests.ask_test()
        dialog: TransferDialog = view.findChildren(TransferDialog)[-1]
        return dialog

    def _list_labels(self) -> QWidget:
        self._state.view_requests.notes_requested.emit()
        dialog = self._window.findChildren(NotesDialog)[-1]
        dialog.choice.setCurrentIndex(1)
        dialog.choice.activated.emit(1)
        return dialog

    def _run(self, begin: Callable[[], object]) -> None:
        self._recorder.wait(self._state.run_finished, begin)
        self._recorder.settle()

    def _view(self) -> ClassifyView:
        return self._recorder.show_view("classify", ClassifyView)


LANGUAGES = ("en", "de", "es", "fr")
STEPS = (1, 2, 3, 5, 8)  # distances between the two sentences of a pair
SAME, OTHER = "same topic", "another topic"
HIDDEN = 64


class PairsTour:
    """Classifies pairs of sample sentences by whether both have the same topic."""

    def __init__(self, recorder: SceneRecorder, folder: Path):
        """Initialise with a recorder and a folder for the tables of pairs."""
        self._recorder, self._folder = recorder, folder
        self._window, self._state = recorder.window, recorder.state
        self._run = 0  # id of the test run

    def scenes(self) -> Scenes:
        """Return the scenes by name; the first one imports the pairs."""
        return {"classify-pairs": self._show_matrix, "classify-pair-labels": self._show}

    def _prepare(self) -> None:
        if self._run:
            return
        shared = sorted(set.intersection(*(set(_read_sample(c)) for c in LANGUAGES)))
        half = len(shared) // 2
        self._import("en", "Training", shared[:half])
        for language in LANGUAGES:
            self._import(language, language, shared[half:])
        test = EvaluateTransfer(
            train="Training 1+Training 2",
            tests=tuple(f"{code}={code} 1+{code} 2" for code in LANGUAGES),
            head="nli",
            hidden=(HIDDEN,),
            matrix=True,
        )
        self._run = self._wait(test)
        self._window.message_bar.clear()

    def _import(self, language: str, name: str, keys: list[str]) -> None:
        params = ImportCorpus(
            files=(self._write(language, name, keys),),
            languages=(language, language),
            columns=("sentence1", "sentence2"),
            names=(f"{name} 1", f"{name} 2"),
            label_column="label",
            sides="pairs",
        )
        self._wait(params)

    def _show_matrix(self) -> None:
        self._prepare()
        view = self._view()
        view.steps.show_step(view.steps.transfer)
        view.steps.transfer.refresh()
        view.steps.transfer.choose(self._run)
        page = view.steps.transfer.page
        page.details.tabs.setCurrentIndex(MATRIX_TAB)
        page.table.choose(page.rows[1].key)
        view.setFocus()

    def _show(self) -> None:
        self._prepare()
        view = self._view()
        view.steps.show_step(view.steps.labels)
        corpora = self._recorder.project.corpora
        first = next(row for row in corpora if row.name == "Training 1")
        view.steps.labels.corpora.choose(first.id)
        view.steps.labels.page.tabs.setCurrentIndex(0)
        view.steps.labels.page.table.selectRow(3)

    def _write(self, language: str, name: str, keys: list[str]) -> Path:
        """Write pairs of sentences that exist in every language."""
        rows = _read_sample(language)
        lines = ["label\tsentence1\tsentence2"]
        for step in STEPS:
            for index, key in enumerate(keys):
                topic, text = rows[key]
                alike = [k for k in keys if (rows[k][0] == topic) == (index % 2 == 0)]
                other = rows[alike[(index * step + step) % len(alike)]]
                label = SAME if other[0] == topic else OTHER
                lines.append(f"{label}\t{text}\t{other[1]}")
        file = self._folder / f"pairs-{name}.tsv"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        return file

    def _wait(self, params: ImportCorpus | EvaluateTransfer) -> int:
        """Run a task to its end, and return the id of the run."""
        runs: list[RunState] = []
        self._recorder.wait(
            self._state.run_finished, lambda: runs.append(self._state.run(params))
        )
        self._recorder.settle()
        return runs[0].id

    def _view(self) -> ClassifyView:
        return self._recorder.show_view("classify", ClassifyView)


def _read_sample(language: str) -> dict[str, tuple[str, str]]:
    """Read the topic and text of sentences with translations, by key."""
    file = resource_dir() / "samples" / f"{language}.tsv"
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    cells = [line.split("\t") for line in lines]
    return {gold: (topic, text) for text, topic, gold in cells if gold}
