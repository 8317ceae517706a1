"""The tour's part on documents: a folder of papers, with fields in its names."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from app.params import ImportCorpus
from app.paths import resource_dir
from app.views.import_dialog import ImportDialog

if TYPE_CHECKING:
    from app.views.tour_stage import Scenes, TourStage

NAME, PATTERN = "Nachlass", "{genre}/{author}_{year}"
# File, and which of the German sample sentences stand in it.
PAPERS = {
    "Brief/Anna Meerbaum_1887": (0, 9),
    "Brief/Anna Meerbaum_1891": (9, 14),
    "Brief/Johann Sand_1902": (14, 26),
    "Roman/Anna Meerbaum_1896": (26, 44),
    "Roman/Emil Ufer_1911": (44, 57),
    "Zeitung/Der Anzeiger_1904": (57, 70),
    "Zeitung/Der Anzeiger_undatiert": (70, 78),
}


class DocumentsTour:
    """Goes through the import of a folder, and the documents of a corpus."""

    def __init__(self, stage: "TourStage", folder: Path):
        """Take a stage, and a folder for the papers."""
        self._stage, self._papers = stage, folder / NAME
        self._window, self._state = stage.window, stage.state

    def scenes(self) -> "Scenes":
        """Give what there is to see."""
        return {
            "import-folder": self._show_import,
            "corpus-documents": self._show_documents,
        }

    def _show_import(self) -> QWidget:
        self._write()
        dialog = ImportDialog(self._state, [self._papers], self._window)
        self._stage.wait(dialog.preview_shown, dialog.open)
        documents = dialog.form.documents
        documents.card.set_open(True)

        def _type() -> None:
            documents.pattern.setText(PATTERN)
            documents.changed.emit()

        self._stage.wait(dialog.preview_shown, _type)
        return dialog

    def _show_documents(self) -> None:
        self._import()
        self._window.show_view("corpora")
        view: Any = self._window.view
        project = self._state.project
        assert project is not None
        corpus = next(row for row in project.corpora if row.name == NAME)
        view.page.forget_filters()
        view.list.choose([corpus.id])
        view.documents.card.set_open(True)
        view.documents.table.selectRow(3)
        view.documents.document_chosen.emit(view.documents.model.rows[3].first)

    def _import(self) -> None:
        project = self._state.project
        assert project is not None
        if NAME in {row.name for row in project.corpora}:
            return
        params = ImportCorpus(
            files=(self._write(),), languages=("de",), fields_pattern=PATTERN
        )
        self._stage.wait(self._state.run_finished, lambda: self._state.run(params))
        self._stage.wait_until(
            self._state.corpora_changed,
            lambda: any(row.name == NAME for row in project.corpora),
        )
        self._window.message_bar.clear()

    def _write(self) -> Path:
        """Write the papers."""
        file = resource_dir() / "samples" / "de.tsv"
        with file.open(encoding="utf-8", newline="") as stream:
            rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
            texts = [row["text"] for row in rows]
        for name, (first, end) in PAPERS.items():
            paper = self._papers / f"{name}.txt"
            paper.parent.mkdir(parents=True, exist_ok=True)
            lines = "\n".join(texts[first:end])
            paper.write_text(f"{lines}\n", encoding="utf-8", newline="\n")
        return self._papers
