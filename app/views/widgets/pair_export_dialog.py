"""Dialog that exports pairs: format, verdicts, threshold, file."""

from collections.abc import Collection
from pathlib import Path
from typing import get_args

from PySide6.QtWidgets import QWidget

from app.engine.store.pairs.sets import PairSetRow
from app.params.base import TaskParams
from app.params.pairs import ExportPairs, PairFormat, WantedVerdict
from app.views.client.state import AppState
from app.views.widgets.check_list import CheckList
from app.views.widgets.controls import describe
from app.views.widgets.fields import make_choice, make_new_file_field
from app.views.widgets.form import Form
from app.views.widgets.pair_set_text import verdict_name
from app.views.widgets.task_dialog import TaskDialog

TITLES = {
    "tmx": "TMX 1.4",
    "xliff-1.2": "XLIFF 1.2",
    "xliff-2.0": "XLIFF 2.0",
    "moses": "Moses (two files of lines)",
    "tsv": "TSV",
    "csv": "CSV",
    "jsonl": "JSON lines",
    "parquet": "Parquet",
    "xlsx": "Excel (XLSX)",
    "tei": "TEI, stand-off",
    "paraconc": "ParaConc (<seg>)",
    "tbx": "TBX terms",
}
SUFFIXES = {
    "xliff-1.2": ".xlf",
    "xliff-2.0": ".xlf",
    "moses": "",
    "tei": ".xml",
    "paraconc": ".txt",
}


class PairExportDialog(TaskDialog):
    """Puts an export of one set of pairs together."""

    def __init__(
        self,
        state: AppState,
        row: PairSetRow,
        threshold: float | None,
        parent: QWidget | None = None,
    ):
        """Make the dialog; `threshold`: the one that is shown."""
        self._row = row
        name = row.name.replace("/", "-").replace(" – ", "-").replace(" ", "-").lower()
        self._stem = Path.home() / name
        values = ExportPairs(
            pairs=str(row.id),
            out=self._stem.with_name(f"{name}.tmx"),
            format="tmx",
            threshold=threshold,
        )
        skip = ("pairs", "source", "target")
        super().__init__(state, ExportPairs, values, skip=skip, parent=parent)
        self.setWindowTitle(self.tr("Export pairs"))
        self.name_button(self.tr("Export"))
        self.form.field("format").watch(self._on_format_changed)

    def make_form(
        self,
        struct: type[TaskParams],
        values: TaskParams | None,
        skip: Collection[str],
    ) -> Form[TaskParams]:
        """Make a form with the verdicts to tick and a file to write."""
        hint = self.tr("Include only: (nothing selected = all)")
        verdicts = CheckList(self.tr("Verdicts"), hint)
        names = {name: verdict_name(name) for name in get_args(WantedVerdict)}
        names["unjudged"] = verdict_name("")
        verdicts.set_choices([(key, text.capitalize()) for key, text in names.items()])
        formats = [(TITLES.get(name, name), name) for name in get_args(PairFormat)]
        choice = make_choice(formats)
        hint = self.tr("Choose what the pairs are written as.")
        describe(choice.widget, self.tr("Format"), hint)
        inputs = {
            "format": choice,
            "verdicts": verdicts.as_field(),
            "out": make_new_file_field(
                self.tr("Choose where the pairs are written."), self._stem
            ),
        }
        titles = {"out": self.tr("File"), "as_imported": self.tr("As imported")}
        return Form(struct, values, skip=skip, titles=titles, inputs=inputs)

    def _on_format_changed(self) -> None:
        """Set the file extension to that of the format."""
        name = str(self.form.field("format").read())
        field = self.form.field("out")
        old = Path(str(field.read() or self._stem))
        known = {SUFFIXES.get(one, f".{one}") for one in TITLES}
        stem = old.with_suffix("") if old.suffix in known else old
        field.write(stem.with_name(stem.name + SUFFIXES.get(name, f".{name}")))
