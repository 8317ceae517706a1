"""The tour's part on alignment: two newspapers, one of them told more freely."""

import csv
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from app.engine.store.pair_texts import join_sentences
from app.params import AlignDocuments, ImportCorpus
from app.paths import resource_dir
from app.views.widgets.task_dialog import TaskDialog

if TYPE_CHECKING:
    from app.views.tour_stage import Scenes, TourStage

PAPERS = {"de": "Der Anzeiger", "en": "The Gazette", "ar": "الجريدة", "ja": "新聞"}
# Of the twelve languages' gold sentences, in order: what these papers do with them.
JOINED = {"en": (4, 11, 30), "de": (7, 21), "ja": (2, 9, 26), "ar": (5, 16)}
DROPPED = {"en": (14,), "de": (9, 33), "ja": (12,), "ar": (8, 20)}
N_SENTENCES = 60


class AlignmentTour:
    """Goes through the alignment view."""

    def __init__(self, stage: "TourStage", folder: Path):
        """Take a stage, and a folder for the papers."""
        self._stage, self._folder = stage, folder
        self._window, self._state = stage.window, stage.state

    def scenes(self) -> "Scenes":
        """Give what there is to see."""
        return {
            "align": self._show_papers,
            "align-right-to-left": self._show_scripts,
            "align-documents": self._show_dialog,
        }

    def _show_papers(self) -> None:
        if not self._alignments():
            self._align()
        view = self._view(0)
        if view.beads.count()[3] == 0:
            for place in (0, 1, 2, 4):
                self._edit(view, place, view.jobs.confirm)
            self._edit(view, 6, view.jobs.merge)
            beads = view.beads
            self._stage.wait_until(  # its score comes behind it
                beads.replaced, lambda: beads.beads.confidences[6] >= 0
            )
        view.board.choose(6)

    def _show_scripts(self) -> None:
        self._view(1).board.choose(3, "target")

    def _show_dialog(self) -> QWidget:
        view = self._view(0)
        view.jobs.ask_alignment()
        dialogs: list[QWidget] = view.findChildren(TaskDialog)
        return dialogs[-1]

    def _view(self, place: int) -> Any:
        self._window.show_view("alignment")
        view: Any = self._window.view
        view.show_alignment(self._alignments()[place])
        return view

    def _alignments(self) -> list[int]:
        """Give the ids of the alignments, the newest first."""
        project = self._state.project
        assert project is not None
        return [row.id for row in project.minings if row.kind == "aligned"]

    def _align(self) -> None:
        """Import four papers, and align them by twos."""
        for language, name in PAPERS.items():
            params = ImportCorpus(
                files=(self._write(language),), languages=(language,), names=(name,)
            )
            self._run(params)
        self._run(AlignDocuments(source=PAPERS["ar"], target=PAPERS["ja"]))
        self._run(AlignDocuments(source=PAPERS["de"], target=PAPERS["en"]))
        self._stage.wait_until(
            self._state.minings_changed, lambda: len(self._alignments()) == 2
        )
        self._window.message_bar.clear()

    def _edit(self, view: Any, place: int, edit: Any) -> None:
        view.board.choose(place)
        self._stage.wait(view.beads.replaced, edit)

    def _run(self, params: Any) -> None:
        begin = partial(self._state.run, params)
        self._stage.wait(self._state.run_finished, begin)

    def _write(self, language: str) -> Path:
        """Write a paper: the gold sentences in order, some joined, some left out."""
        file = resource_dir() / "samples" / f"{language}.tsv"
        with file.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
        gold = {row["gold"]: row["text"] for row in rows if row["gold"]}
        texts = [gold[key] for key in sorted(gold)][:N_SENTENCES]
        lines: list[str] = []
        for place, text in enumerate(texts):
            if place - 1 in JOINED[language] and lines:
                lines[-1] = join_sentences([lines[-1], text], language)
            elif place not in DROPPED[language]:
                lines.append(text)
        paper = self._folder / f"paper.{language}"
        paper.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        return paper
