"""The tour's part on evaluations: probes with baselines, matrices, the dialogs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QDialog, QWidget

from app.engine.store import rows
from app.params import Params
from app.params.evaluation import EvaluateRetrieval, EvaluateSimilarityOfSpaces
from app.params.probing import Probe

if TYPE_CHECKING:
    from app.views.tour_stage import Scenes, TourStage

LANGUAGES = ("en", "de")
SPLITS = ("tr", "tr", "tr", "va", "te")
N_WORDS = 8  # a sentence with more is long
TASKS = ("length", "comma", "topic")  # properties of the demo's sentences
PROBING, SPACES = 2, 1  # places in the list, the newest first; below: retrieval


class EvaluateTour:
    """Measures the demo, and looks at what was found."""

    def __init__(self, stage: "TourStage", folder: Path):
        """Take a stage, and a folder for probing files."""
        self._stage, self._folder = stage, folder
        self._window, self._state = stage.window, stage.state

    def measure(self) -> None:
        """Probe properties of the demo's sentences; measure retrieval and spaces."""
        assert self._state.project is not None
        corpora = self._state.project.corpora
        names = tuple(row.name for row in corpora)
        files = tuple(
            self._write(corpus, task)
            for corpus in corpora
            if corpus.language in LANGUAGES
            for task in TASKS
        )
        for params in (
            Probe(data=files, seeds=1),
            EvaluateSimilarityOfSpaces(corpora=names[:6], n_samples=100),
            EvaluateRetrieval(corpora=names, matrix=True),
        ):
            self._run(params)
        self._window.message_bar.clear()

    def scenes(self) -> "Scenes":
        """Give what there is to see."""
        return {
            "evaluate-retrieval": lambda: self._show(0, 0),
            "evaluate-spaces": lambda: self._show(SPACES, 0),
            "evaluate-probing": lambda: self._show(PROBING, 1),
            "evaluate-languages": lambda: self._show(PROBING, 0),
            "evaluate-form": self._ask_probing,
            "evaluate-report": self._ask_report,
        }

    def _show(self, place: int, chart: int) -> None:
        view = self._view()
        view.list.choose_all([view.list.ids[place]])
        view.page.charts.choice.setCurrentIndex(chart)

    def _ask_probing(self) -> QWidget:
        self._show(PROBING, 1)
        return self._dialog(self._view().jobs.ask_again)

    def _ask_report(self) -> QWidget:
        self._show(PROBING, 1)
        return self._dialog(self._view().jobs.ask_report)

    def _dialog(self, ask: Any) -> QWidget:
        before = set(self._window.findChildren(QDialog))
        ask()
        return next(d for d in self._window.findChildren(QDialog) if d not in before)

    def _run(self, params: Params) -> None:
        self._stage.wait(self._state.run_finished, lambda: self._state.run(params))

    def _view(self) -> Any:
        self._window.show_view("evaluate")
        return self._window.view

    def _write(self, corpus: rows.CorpusRow, task: str) -> Path:
        """Write a probing file on a property of a corpus's sentences."""
        project = self._state.project
        assert project is not None
        first = rows.first_id(corpus.id)
        ids = range(first, first + corpus.n_sentences)
        topics = rows.read_labels(project.store, ids)
        lines: list[str] = []
        for row in rows.read_sentences(project.store, ids):
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
