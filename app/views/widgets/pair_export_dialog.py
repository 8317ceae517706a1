"""Dialog that exports pairs: format, verdicts, threshold, file."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, cast, get_args

import msgspec
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from app.engine.store.corpora import CorpusRow
from app.engine.store.pairs.history import list_tags
from app.engine.store.pairs.sets import PairSetRow
from app.errors import ErrorInfo
from app.params import Params, build_params
from app.params.pairs import ExportPairs, PairFormat, WantedVerdict, language_paths
from app.protocol.answers.pairs import PairExportPreview as PairExportAnswer
from app.protocol.queries.pairs import PairExportQuery
from app.views.client.state import AppState
from app.views.widgets.check_list import CheckList
from app.views.widgets.controls import describe
from app.views.widgets.corpus_choices import name_corpus
from app.views.widgets.dialogs import export_folder
from app.views.widgets.export_dialog import ExportPreview
from app.views.widgets.fields import (
    make_choice,
    make_new_file_field,
    make_text_list,
)
from app.views.widgets.form import FormParts
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.pair_set_text import verdict_name
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID, scaled

TITLES = {
    "tmx": "TMX 1.4",
    "xliff-1.2": "XLIFF 1.2",
    "xliff-2.0": "XLIFF 2.0",
    "moses": "Two text files, line by line (Moses)",
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


WITH_TWO_FILES = ("moses", "tei", "paraconc")

LOW_WINDOW = 75 * GRID  # a lower window shows no preview
ASK_AFTER_MS = 150  # after the last change


class PairExportPreview(ExportPreview):
    """Preview of an export: the number of pairs, and the first pairs.

    Attributes:
        defaults: verdicts that are included if none is selected; empty: not known
            yet.
    """

    shown = Signal()

    def __init__(self, state: AppState, parent: QWidget):
        super().__init__(parent)
        self._state = state
        self.defaults: tuple[WantedVerdict, ...] = ()
        self._params: ExportPairs | None = None
        self._timer = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)
        self._timer.timeout.connect(self._ask)

    def ask(self, params: ExportPairs) -> None:
        """Request a preview of an export with these params."""
        self._params = params
        self._timer.start()

    def clear(self, text: str = "") -> None:
        """Show a reason in place of the pairs."""
        self._timer.stop()
        super().clear(text)

    def _ask(self) -> None:
        if self._params is not None:
            query = PairExportQuery(params=self._params)
            self._state.ask(query, self._on_answer)

    def _on_answer(self, answer: PairExportAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self.clear(answer.message)
            return
        self.defaults = answer.verdicts or self.defaults
        pairs = self._describe_pairs(answer)
        header = (self.tr("Source"), self.tr("Target"))
        self.show_rows(header, answer.rows, f"{pairs} {answer.notice}".strip())
        self.shown.emit()

    def _describe_pairs(self, answer: PairExportAnswer) -> str:
        """Count the pairs by verdict: 120 accepted, 4 rejected pairs."""
        if not any(answer.counts):
            return pluralize(answer.n, self.tr("1 pair."), self.tr("{n} pairs."))
        parts = [
            f"{format_count(answer.counts[verdict])} {verdict_name(verdict)}"
            for verdict in ("accept", "reject", "skip", "flag", "")
            if answer.counts.get(verdict)
        ]
        words = self.tr("{parts} pair.") if answer.n == 1 else self.tr("{parts} pairs.")
        return words.format(parts=", ".join(parts))


class PairChoice(NamedTuple):
    """The pairs of a set that an export writes.

    Attributes:
        threshold: lowest score; None: no limit.
        verdicts: selected verdicts; empty: the default ones.
        tags: selected tags; empty: any pairs.
        with_candidates: whether to include candidates that were not selected.
    """

    threshold: float | None = None
    verdicts: tuple[WantedVerdict, ...] = ()
    tags: tuple[str, ...] = ()
    with_candidates: bool = False


class LinkedTexts(NamedTuple):
    """Two corpora whose linked sentences an export writes."""

    source: CorpusRow
    target: CorpusRow

    @property
    def name(self) -> str:
        """The names of both corpora."""
        return f"{self.source.name} – {self.target.name}"


class PairFilter(NamedTuple):
    """The filter of a view.

    Attributes:
        words: description of the filter.
        choice: the same pairs for an export; None: an export can't select them.
    """

    words: str
    choice: PairChoice | None


class PairExportDialog(TaskDialog):
    """Dialog that exports one pair set, or linked sentences."""

    rare = (
        *("tags", "threshold", "formulas", "with_candidates", "as_imported"),
        *("replace", "seed"),
    )

    def __init__(
        self,
        state: AppState,
        row: PairSetRow | LinkedTexts,
        choice: PairChoice,
        parent: QWidget | None = None,
        *,
        shown: PairFilter | None = None,
    ):
        """Create the dialog.

        Args:
            row: the pair set, or the two corpora.
            shown: the filter of the view, offered as a choice; None: no filter.
        """
        self._row, self._choice, self._shown = row, choice, shown
        name = row.name.replace("/", "-").replace(" – ", "-").replace(" ", "-").lower()
        self._stem = export_folder(state) / name
        used = state.settings.pair_format
        kind = cast("PairFormat", used if used in TITLES else "tmx")
        skip: tuple[str, ...] = ("pairs", "source", "target")
        if isinstance(row, LinkedTexts):
            names = [name_corpus(state.corpora, one) for one in row]
            self._pairs = dict(zip(("source", "target"), names, strict=True))
            skip += ("verdicts", "tags", "threshold", "with_candidates")
        else:
            self._pairs = {"pairs": str(row.id)}
        values = ExportPairs(
            out=self._stem.with_name(name + _suffix_of(kind)),
            format=kind,
            **choice._asdict(),
        )
        values = msgspec.structs.replace(values, **self._pairs)
        super().__init__(state, ExportPairs, values, skip=skip, parent=parent)
        self.setWindowTitle(self.tr("Export pairs"))
        self.name_button(self.tr("Export pairs"))
        self.form.field("format").watch(self._on_format_changed)
        self.form.field("out").watch(self._on_file_changed)
        self.preview = PairExportPreview(state, self)
        self.filter_box = self._make_filter_box()
        self.foot.addWidget(self.filter_box)
        self.foot.addWidget(self.preview)
        self.preview.shown.connect(self._tick_defaults)
        self.form.changed.connect(self._on_form_changed)
        self._on_form_changed()

    def form_parts(self) -> FormParts:
        """Return the inputs for the verdicts and the file."""
        hint = self.tr(
            "Include only these verdicts. Without a selection, accepted pairs are "
            "exported, or all pairs if none is judged:"
        )
        verdicts = self.verdicts = CheckList(self.tr("Verdicts"), hint)
        names = {name: verdict_name(name) for name in get_args(WantedVerdict)}
        names["unjudged"], names["all"] = verdict_name(""), self.tr("all")
        verdicts.set_choices([(key, text.capitalize()) for key, text in names.items()])
        formats = [(TITLES.get(name, name), name) for name in get_args(PairFormat)]
        choice = make_choice(formats)
        hint = self.tr("Choose what the pairs are written as.")
        describe(choice.widget, self.tr("Format"), hint)
        project = self._state.project
        tags: Sequence[str] = ()
        if project is not None and isinstance(self._row, PairSetRow):
            tags = list_tags(project.store, self._row.id)
        hint = self.tr("Include only pairs with one of these tags.")
        inputs = {
            "format": choice,
            "tags": make_text_list(self.tr("Tags"), hint, tags),
            "verdicts": verdicts.as_field(),
            "out": make_new_file_field(
                self.tr("Choose where the pairs are written."), self._stem
            ),
        }
        titles = {"out": self.tr("File"), "as_imported": self.tr("As imported")}
        return FormParts(titles=titles, inputs=inputs)

    def find_existing(self, params: Params) -> list[Path]:
        """Return the existing files, including both sides' files of a two-file format.

        The engine adds the languages of the sides to the file names.
        """
        assert isinstance(params, ExportPairs)
        project, row = self._state.project, self._row
        if params.format not in WITH_TWO_FILES or project is None:
            return super().find_existing(params)
        if isinstance(row, LinkedTexts):
            sides = row.source.language, row.target.language
        else:
            known = {corpus.id: corpus.language for corpus in project.corpora}
            sides = (
                row.source_language or known.get(row.source_corpus_id, "und"),
                row.target_language or known.get(row.target_corpus_id, "und"),
            )
        files = language_paths(params.out, sides, params.format)
        return [file for file in files if os.path.isfile(file)]

    def fit(self) -> None:
        """Show the first pairs only if they fit next to the settings."""
        parent = self.parentWidget()
        if parent is not None:
            is_low = parent.window().height() < scaled(LOW_WINDOW, self)
            self.preview.table.setHidden(is_low)
        super().fit()

    def start(self, params: Params) -> None:
        """Start the export, and store the format in the settings."""
        assert isinstance(params, ExportPairs)
        if params.format != self._state.settings.pair_format:
            settings = self._state.settings
            self._state.change_settings(
                msgspec.structs.replace(settings, pair_format=params.format)
            )
        super().start(params)

    def _make_filter_box(self) -> QCheckBox:
        shown = self._shown or PairFilter("", None)
        words = self.tr("Only the pairs of the current filter: {filter}")
        box = QCheckBox(words.format(filter=shown.words))
        hint = self.tr("Set the verdicts, the tag and the lowest score as in Review.")
        if shown.choice is None:
            hint = self.tr(
                "A search, a highest score, conflicts and flags of other annotators "
                "can't select pairs to export."
            )
        describe(box, box.text(), hint)
        box.setEnabled(shown.choice is not None)
        box.setHidden(self._shown is None)
        box.toggled.connect(self._on_filter_toggled)
        return box

    def _on_filter_toggled(self, is_on: bool) -> None:
        """Select the pairs of the view's filter, or the proposed pairs."""
        choice = self._shown.choice if is_on and self._shown is not None else None
        values = (choice or self._choice)._asdict()
        values["verdicts"] = values["verdicts"] or self.preview.defaults
        self.form.write(values)

    def _tick_defaults(self) -> None:
        """Select the default verdicts once, unless the user has selected some."""
        self.preview.shown.disconnect(self._tick_defaults)
        if not self.verdicts.ticked:
            self.verdicts.tick(self.preview.defaults)

    def _on_form_changed(self) -> None:
        """Update the preview if the form is valid."""
        chosen = {
            name: value
            for name, value in self.form.raw().items()
            if name in ("verdicts", "threshold", "tags", "with_candidates")
        }
        if set(self.verdicts.ticked) == set(self.preview.defaults):
            chosen.pop("verdicts", None)  # the answer then contains the defaults
        raw = {**self._pairs, "out": self._stem, **chosen}
        try:
            self.preview.ask(build_params(ExportPairs, raw))
        except msgspec.ValidationError:  # shown when Export is clicked
            self.preview.clear()

    def _on_format_changed(self) -> None:
        """Set the file extension to that of the format."""
        name = str(self.form.field("format").read())
        field = self.form.field("out")
        old = Path(str(field.read() or self._stem))
        known = {_suffix_of(name) for name in TITLES}
        stem = old.with_suffix("") if old.suffix in known else old
        field.write(stem.with_name(stem.name + _suffix_of(name)))

    def _on_file_changed(self) -> None:
        """Set the format that matches the file extension."""
        field = self.form.field("format")
        suffix = Path(str(self.form.field("out").read() or "")).suffix.lower()
        if suffix and suffix != _suffix_of(str(field.read())):
            found = next((name for name in TITLES if _suffix_of(name) == suffix), None)
            if found is not None:
                field.write(found)


def _suffix_of(name: str) -> str:
    """Return the file extension of a format, or an empty text."""
    return SUFFIXES.get(name, f".{name}")
