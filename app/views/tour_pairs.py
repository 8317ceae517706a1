"""The tour's part on labelled pairs: imported, tested in every two languages."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.params import ImportCorpus
from app.params.classify import EvaluateTransfer
from app.paths import resource_dir
from app.views.runs import RunState
from app.views.widgets.transfer_behind import MATRIX

if TYPE_CHECKING:
    from app.views.tour_stage import Scenes, TourStage

LANGUAGES = ("en", "de", "es", "fr")
STEPS = (1, 2, 3, 5, 8)  # from the first sentence of a pair to its second
SAME, OTHER = "same topic", "another topic"
HIDDEN = 64


class PairsTour:
    """Asks of pairs of sample sentences whether both are on the same topic."""

    def __init__(self, stage: "TourStage", folder: Path):
        """Take a stage, and a folder for the tables of pairs."""
        self._stage, self._folder = stage, folder
        self._window, self._state = stage.window, stage.state
        self._run = 0  # of the test

    def scenes(self) -> "Scenes":
        """Give what there is to see; the pairs join the project with the first."""
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
        view.show_step(view.board)
        view.board.refresh()
        view.board.choose(self._run)
        page = view.board.page
        page.behind.tabs.setCurrentIndex(MATRIX)
        page.table.choose(page.rows[0].key)
        view.setFocus()

    def _show(self) -> None:
        self._prepare()
        view = self._view()
        view.show_step(view.labels)
        assert self._state.project is not None
        corpora = self._state.project.corpora
        first = next(row for row in corpora if row.name == "Training 1")
        view.labels.corpora.choose(first.id)
        view.labels.page.tabs.setCurrentIndex(0)
        view.labels.page.table.selectRow(3)

    def _write(self, language: str, name: str, keys: list[str]) -> Path:
        """Write pairs of some of the sentences that every language has."""
        rows = _read_sample(language)
        lines = ["label\tsentence1\tsentence2"]
        for step in STEPS:
            for place, key in enumerate(keys):
                topic, text = rows[key]
                alike = [k for k in keys if (rows[k][0] == topic) == (place % 2 == 0)]
                other = rows[alike[(place * step + step) % len(alike)]]
                label = SAME if other[0] == topic else OTHER
                lines.append(f"{label}\t{text}\t{other[1]}")
        file = self._folder / f"pairs-{name}.tsv"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        return file

    def _wait(self, params: ImportCorpus | EvaluateTransfer) -> int:
        """Run a task to its end; returns the id of the run."""
        runs: list[RunState] = []
        self._stage.wait(
            self._state.run_finished, lambda: runs.append(self._state.run(params))
        )
        self._stage.settle()
        return runs[0].id

    def _view(self) -> Any:
        if self._window.view_name != "classify":
            self._window.show_view("classify")
        return self._window.view


def _read_sample(language: str) -> dict[str, tuple[str, str]]:
    """Read topic and text of the sentences that have translations, by their key."""
    file = resource_dir() / "samples" / f"{language}.tsv"
    lines = file.read_text(encoding="utf-8").splitlines()[1:]
    cells = [line.split("\t") for line in lines]
    return {gold: (topic, text) for text, topic, gold in cells if gold}
