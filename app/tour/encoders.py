"""Tour of encoders, training and evaluation."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtWidgets import QDialog, QWidget

from app.engine.store import corpora as store_corpora
from app.engine.store.labels import read_labels
from app.engine.store.sentences import read_sentences
from app.params.encoders import MeasureCoverage
from app.params.evaluation import EvaluateRetrieval, EvaluateSimilarityOfSpaces
from app.params.probing import Probe
from app.params.training.encoder import TrainEncoder
from app.params.training.presets import preset_params
from app.tour.recorder import SceneRecorder, Scenes
from app.views.client.runs import RunState
from app.views.encoders.view import EncodersView
from app.views.evaluate.difference import DifferenceDialog
from app.views.evaluate.errors import RetrievalErrorsDialog
from app.views.evaluate.view import EvaluateView
from app.views.training.view import TrainingView
from app.views.widgets.task_dialog import TaskDialog

TRAINED = "letters-1"  # trained in the training tour
# A language and script outside the training data of all bundled encoders.
RUNES = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ᚨᛒᚲᛞᛖᚠᚷᚺᛁᛃᚲᛚᛗᚾᛟᛈᚲᚱᛋᛏᚢᚹᚹᚲᛃᛉ")
RUNES_FILE, N_RUNES = "letters.ang-Runr", 120
PAIRS_FILE = "eng-wol.tsv"
LASER_FILES = ("laser2.pt", "laser2.spm", "laser2.cvocab")


class EncoderTour:
    """Takes pictures of the encoders view."""

    def __init__(self, recorder: SceneRecorder, folder: Path):
        """Initialise with a recorder and a folder for temporary files."""
        self._recorder, self._folder = recorder, folder
        self._window, self._state = recorder.window, recorder.state

    def measure(self) -> None:
        """Measure the coverage of two encoders."""
        project = self._recorder.project
        corpora = tuple(str(corpus.id) for corpus in project.corpora)
        texts = (self._write_runes(),)
        for name in (self._state.encoders.chosen, TRAINED):
            params = MeasureCoverage(encoder=name, corpora=corpora, texts=texts)
            self._recorder.run(params)
        encoders = self._state.encoders
        self._recorder.wait_until(encoders.changed, lambda: self._knows(TRAINED))
        self._window.message_bar.clear()

    def scenes(self) -> Scenes:
        """Return the scenes by name."""
        return {
            "encoders": self._show_bundled,
            "encoders-trained": self._show_trained,
            "encoders-card": self._show_card,
            "encoders-add": self._show_adding,
            "encoders-add-language": self._show_language,
            "encoders-fine-tune": self._show_fine_tuning,
        }

    def _show_bundled(self) -> None:
        view = self._view(0)
        view.list.select(self._state.encoders.chosen)
        view.coverage.table.selectRow(1)

    def _show_trained(self) -> None:
        view = self._view(0)
        view.list.select(TRAINED)
        view.coverage.table.selectRow(2)

    def _show_card(self) -> None:
        view = self._view(1)
        view.list.select(self._state.encoders.chosen)

    def _show_adding(self) -> QWidget:
        for name in LASER_FILES:
            (self._folder / name).touch()
        view = self._view(0)
        view.controller.add_path(self._folder / LASER_FILES[0])
        return view.findChildren(TaskDialog)[-1]

    def _show_language(self) -> QWidget:
        file = self._folder / PAIRS_FILE
        file.touch()
        view = self._view(0)
        view.list.select(self._state.encoders.chosen)
        view.controller.add_language_of(file)
        return view.findChildren(TaskDialog)[-1]

    def _show_fine_tuning(self) -> QWidget:
        view = self._view(0)
        view.list.select(self._state.encoders.chosen)
        view.controller.fine_tune()
        return view.findChildren(TaskDialog)[-1]

    def _view(self, tab: int) -> EncodersView:
        view = self._recorder.show_view("encoders", EncodersView)
        view.tabs.setCurrentIndex(tab)
        return view

    def _knows(self, name: str) -> bool:
        encoders = self._state.encoders
        found = encoders.find(name)
        return found is not None and encoders.coverage_of(found) is not None

    def _write_runes(self) -> Path:
        """Write sentences of the demo in runes."""
        project = self._recorder.project
        (english,) = [row for row in project.corpora if row.language == "en"]
        first = store_corpora.first_sentence_id(english.id)
        found = read_sentences(project.store, range(first, first + N_RUNES))
        lines = [row.text.lower().translate(RUNES) for row in found if row]
        file = self._folder / RUNES_FILE
        file.write_text("\n".join(lines), encoding="utf-8", newline="\n")
        return file


# Small enough for training in seconds; the pictures compare the learning rates.
SIZES = {
    "n_pieces": 3_000,
    "n_ngrams": 4_096,
    "dim": 64,
    "batch_size": 256,
    "n_warmup": 10,
    "evaluate_every": 10,
}
# The first training ends before the pictures; the second is shown running, then ended.
RATES = {"letters-1": 0.01, "letters-2": 0.003}
FIRST, SECOND = RATES
N_STEPS, N_LONG, N_SEEN = 50, 10_000, 50  # steps: first, others, before a picture
PIVOT = "en"


class TrainingTour:
    """Takes pictures of the training view."""

    def __init__(self, recorder: SceneRecorder):
        self._recorder = recorder
        self._window, self._state = recorder.window, recorder.state
        self._run: RunState | None = None

    def train(self) -> None:
        """Train an encoder on the demo for some seconds."""
        params = self._params(FIRST, n_steps=N_STEPS)
        self._recorder.run(params)
        self._window.message_bar.clear()

    def running_scenes(self) -> Scenes:
        """Return the scenes of a running training, which continues afterwards."""
        return {"training-running": self._show_running}

    def ended_scenes(self) -> Scenes:
        """Return the scenes before and after a training."""
        self._finish()
        return {
            "training": self._show_setup,
            "training-record": self._show_record,
            "training-comparison": self._show_comparison,
        }

    def _show_running(self) -> None:
        view = self._view()
        if self._run is None:
            params = self._params(SECOND, n_steps=N_LONG)
            self._run = self._state.run(params)
            self._wait_for_step(N_SEEN)
            view.refresh()
        view.list.select([self._run.id])
        self._wait_for_curves()

    def _finish(self) -> None:
        """End the training early and keep the encoder."""
        run = self._run
        if run is None or not run.is_open:
            return
        finished = self._state.run_finished
        self._recorder.wait(finished, lambda: self._state.steer(run, "finish"))
        self._window.message_bar.clear()

    def _show_setup(self) -> None:
        view = self._view()
        view.begin_new()
        view.setup.choose_preset("quick")
        planner, params = view.setup.planner, view.setup.form.peek()
        assert params is not None, "the preset fills every field"
        if planner.known(params) is None:
            self._recorder.wait(
                planner.planned, lambda: planner.request(params, "quick")
            )

    def _show_record(self) -> None:
        view = self._view()
        view.refresh()
        self._choose(SECOND)
        self._wait_for_curves()
        view.page.tabs.setCurrentWidget(view.page.record)

    def _show_comparison(self) -> None:
        view = self._view()
        view.page.tabs.setCurrentIndex(0)
        self._choose(FIRST, SECOND)
        self._wait_for_curves()

    # --- helpers ---

    def _params(self, name: str, **values: Any) -> TrainEncoder:
        project = self._state.project
        corpora = project.corpora if project is not None else []
        english = tuple(str(row.id) for row in corpora if row.language == PIVOT)
        params = preset_params("quick", name)
        sizes = SIZES | {"lr": RATES[name]} | values
        return msgspec.structs.replace(params, corpora=english, **sizes)

    def _wait_for_step(self, wanted: int) -> None:
        """Wait until a running training has reported a step."""
        seen = [0]

        def _note(_run: object, step: int, _values: object) -> None:
            seen[0] = max(seen[0], step)

        metric_added = self._state.metric_added
        metric_added.connect(_note)
        self._recorder.wait_until(metric_added, lambda: seen[0] >= wanted)
        metric_added.disconnect(_note)

    def _view(self) -> TrainingView:
        return self._recorder.show_view("training", TrainingView)

    def _choose(self, *names: str) -> None:
        view = self._view()
        view.list.select([t.id for t in view.list.trainings if t.name in names])

    def _wait_for_curves(self) -> None:
        curves = self._view().curves
        while curves.is_reading:
            self._recorder.wait(curves.grown, lambda: None)
        self._view().page.plots.refresh()
        self._view().comparison.plots.refresh()


LANGUAGES = ("en", "de")
SPLITS = ("tr", "tr", "tr", "va", "te")
N_WORDS = 8  # a sentence with more words is long
TASKS = ("length", "comma", "topic")  # properties of the demo's sentences
COMPARED = "isogloss-3-context"  # retrieval is compared; last in the list
PROBING, SPACES = 2, 1  # rows in the list, newest first; retrieval follows


class EvaluateTour:
    """Takes pictures of evaluations of the demo."""

    def __init__(self, recorder: SceneRecorder, folder: Path):
        """Initialise with a recorder and a folder for probing files."""
        self._recorder, self._folder = recorder, folder
        self._window, self._state = recorder.window, recorder.state

    def measure(self) -> None:
        """Run probing, retrieval and embedding space evaluations on the demo."""
        corpora = self._recorder.project.corpora
        names = tuple(row.name for row in corpora)
        files = tuple(
            self._write(corpus, task)
            for corpus in corpora
            if corpus.language in LANGUAGES
            for task in TASKS
        )
        for params in (
            EvaluateRetrieval(corpora=names, matrix=True, encoder=COMPARED),
            Probe(data=files, seeds=1),
            EvaluateSimilarityOfSpaces(corpora=names[:6], n_samples=100),
            EvaluateRetrieval(corpora=names, matrix=True),
        ):
            self._recorder.run(params)
        self._window.message_bar.clear()

    def scenes(self) -> Scenes:
        """Return the scenes by name."""
        return {
            "evaluate-retrieval": lambda: self._show(0, 0),
            "evaluate-difference": self._show_difference,
            "evaluate-errors": self._show_errors,
            "evaluate-spaces": lambda: self._show(SPACES, 0),
            "evaluate-probing": lambda: self._show(PROBING, 1),
            "evaluate-languages": lambda: self._show(PROBING, 0),
            "evaluate-form": self._ask_probing,
            "evaluate-report": self._ask_report,
        }

    def _show(self, index: int, chart: int) -> None:
        view = self._view()
        view.list.choose_all([view.list.ids[index]])
        view.page.charts.choice.setCurrentIndex(chart)

    def _show_difference(self) -> QWidget:
        view = self._view()
        view.list.choose_all([view.list.ids[0], view.list.ids[-1]])
        dialog = self._dialog(view.controller.show_difference)
        assert isinstance(dialog, DifferenceDialog)
        if not dialog.table.rowCount():
            self._recorder.wait(dialog.shown, lambda: None)
        return dialog

    def _show_errors(self) -> QWidget:
        self._show(0, 0)
        view = self._view()
        pairs = [(one.source, one.target) for one in view.page.directions]
        chosen = view.page.directions[pairs.index(("Swahili", "Greek"))]
        dialog = self._dialog(lambda: view.controller.show_errors(chosen))
        assert isinstance(dialog, RetrievalErrorsDialog)
        if not dialog.table.rowCount():
            self._recorder.wait(dialog.shown, lambda: None)
        return dialog

    def _ask_probing(self) -> QWidget:
        self._show(PROBING, 1)
        return self._dialog(self._view().controller.rerun)

    def _ask_report(self) -> QWidget:
        self._show(PROBING, 1)
        return self._dialog(self._view().controller.ask_report)

    def _dialog(self, ask: Callable[[], object]) -> QWidget:
        before = set(self._window.findChildren(QDialog))
        ask()
        return next(d for d in self._window.findChildren(QDialog) if d not in before)

    def _view(self) -> EvaluateView:
        return self._recorder.show_view("evaluate", EvaluateView)

    def _write(self, corpus: store_corpora.CorpusRow, task: str) -> Path:
        """Write a probing file for a property of the sentences of a corpus."""
        project = self._recorder.project
        first = store_corpora.first_sentence_id(corpus.id)
        ids = range(first, first + corpus.n_sentences)
        topics = read_labels(project.store, ids)
        lines: list[str] = []
        for row in read_sentences(project.store, ids):
            if row is not None:
                label = {
                    "length": "long" if len(row.text.split()) > N_WORDS else "short",
                    "comma": "with" if "," in row.text else "without",
                    "topic": topics.get(row.id, "none"),
                }[task]
                split = SPLITS[len(lines) % len(SPLITS)]
                lines.append(f"{split}\t{label}\t{row.text}")
        file = self._folder / f"{corpus.language}.{task}.txt"
        file.write_text("\n".join(lines), encoding="utf-8", newline="\n")
        return file
