"""The report of an import: counts, rejected lines, lengths and warnings."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pyqtgraph
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.engine.store.corpora import CorpusRow
from app.languages import language_name
from app.number_format import NO_BREAK, format_percent
from app.views.client.state import AppState
from app.views.corpora.import_sections import FORMATS
from app.views.widgets.boxes import Stretch, make_column, make_row
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import fit_dialog, lay_out_dialog
from app.views.widgets.export_dialog import ExportDialog, ask_table_export
from app.views.widgets.number_axis import number_axes
from app.views.widgets.number_format import format_count, format_duration, pluralize
from app.views.widgets.theme import GRID, colours_of

_tr = partial(QCoreApplication.translate, "ImportReportDialog")

Report = dict[str, Any]
ReportLine = tuple[str, str, str]  # result, location, reason
HISTOGRAM_HEIGHT = 26 * GRID


class ImportReportDialog(QDialog):
    """Shows the lines that an import read, repaired and rejected."""

    def __init__(
        self,
        state: AppState,
        corpus: CorpusRow,
        parent: QWidget | None = None,
        *,
        among: Sequence[CorpusRow] = (),
    ):
        """Show a report.

        Args:
            among: corpora to select from.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fit_dialog(self, 112 * GRID, 84 * GRID)
        self._state = state
        self._heading = make_label("", "heading")
        self.corpora = QComboBox()
        describe(self.corpora, self.tr("Corpus"), self.tr("Show another report."))
        for row in among:
            self.corpora.addItem(row.name, row)
        self.corpora.setVisible(len(among) > 1)
        self.corpora.currentIndexChanged.connect(self._on_corpus_chosen)
        self._page = QWidget()
        self._layout = lay_out_dialog(self)
        self._layout.addWidget(self._heading)
        self._layout.addWidget(self.corpora)
        self._layout.addWidget(self._page, 1)
        self._layout.addLayout(self._make_buttons())
        self._show(corpus)

    def _on_corpus_chosen(self, index: int) -> None:
        self._show(self.corpora.itemData(index))

    def _show(self, corpus: CorpusRow) -> None:
        """Show the report of a corpus."""
        words = self.tr("Import report of {name}").format(name=corpus.name)
        self.setWindowTitle(words)
        self._heading.setText(words)
        self._report: Report = corpus.report
        self._lines = list_lines(corpus.report)
        page = QWidget()
        layout = make_column(self._make_counts(), parent=page, gap=2 * GRID)
        mismatch = str(corpus.report.get("mismatch", ""))
        if mismatch:
            layout.addWidget(make_label(mismatch, "warning", wraps=True))
        middle = make_row(
            (self._make_facts(corpus), 3), (self._make_histogram(), 2), gap=3 * GRID
        )
        layout.addLayout(middle)
        layout.addWidget(self._make_lines(), 1)
        self._layout.replaceWidget(self._page, page)
        self._page.deleteLater()
        self._page = page

    def ask_export(self) -> ExportDialog:
        """Ask how and where to export the counts and the lines."""
        table = tabulate(self._report, self._lines)
        return ask_table_export(
            self._state,
            self,
            self.tr("Export report"),
            self.tr("import report"),
            lambda: iter(table),
            len(table) - 1,
        )

    def _make_counts(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(4 * GRID)
        for key, title in (
            ("n_read", self.tr("read")),
            ("n_kept", self.tr("imported")),
            ("n_repaired", self.tr("repaired")),
            ("n_refused", self.tr("rejected")),
            ("n_empty", self.tr("empty")),
            ("n_duplicates", self.tr("duplicates")),
            ("n_near_duplicates", self.tr("near-duplicates")),
        ):
            number = int(self._report.get(key, 0))
            column = QVBoxLayout()
            column.setSpacing(0)
            is_bad = key == "n_refused" and number > 0
            label = make_label(format_count(number), "heading")
            if is_bad:
                label.setProperty("role", "warning")
            column.addWidget(label)
            column.addWidget(make_label(title, "secondary"))
            row.addLayout(column)
        row.addStretch(1)
        return row

    def _make_facts(self, corpus: CorpusRow) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(GRID // 2)
        grid.setColumnStretch(1, 1)
        for row, (title, value) in enumerate(self._facts(corpus)):
            name = make_label(title, "secondary")
            text = make_label(value, wraps=True)
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            top = Qt.AlignmentFlag.AlignTop
            grid.addWidget(name, row, 0, top)
            grid.addWidget(text, row, 1, top)
        grid.setRowStretch(grid.rowCount(), 1)
        return grid

    def _facts(self, corpus: CorpusRow) -> list[tuple[str, str]]:
        report = self._report
        lengths = report.get("lengths") or {}
        facts = [
            (self.tr("File"), str(report.get("file", corpus.source))),
            (self.tr("Format"), self._describe_format()),
            (self.tr("Encoding"), self._describe_encoding()),
            (self.tr("Language"), self._describe_language(corpus)),
            (self.tr("Unknown pieces"), self._describe_unknown()),
        ]
        if lengths:
            words = self.tr(
                "{shortest} to {longest} characters, median {median}, "
                "95th percentile {most}"
            )
            values = {
                "shortest": format_count(lengths["shortest"]),
                "longest": format_count(lengths["longest"]),
                "median": format_count(round(lengths["median"])),
                "most": format_count(round(lengths["percentile_95"])),
            }
            facts.append((self.tr("Length"), words.format(**values)))
        if report.get("elapsed_s"):
            facts.append((self.tr("Time"), format_duration(report["elapsed_s"])))
        facts += describe_documents(report)
        facts += [(self.tr("Note"), note) for note in report.get("notes", [])]
        return [(title, value) for title, value in facts if value]

    def _describe_format(self) -> str:
        columns = list(self._report.get("columns", []))
        titles = {key: title for title, key in FORMATS}
        key = str(self._report.get("format", ""))
        name = titles.get(key, key)
        words = self.tr("{format}, columns {columns}")
        if len(columns) == 1:
            words = self.tr("{format}, column {columns}")
        return (
            words.format(format=name, columns=", ".join(columns)) if columns else name
        )

    def _describe_encoding(self) -> str:
        name = str(self._report.get("encoding", ""))
        confidence = float(self._report.get("encoding_confidence", 1.0))
        if not name or confidence >= 1:
            return name
        words = self.tr("{name} (detected, {share} sure)")
        return words.format(name=name, share=format_percent(confidence))

    def _describe_language(self, corpus: CorpusRow) -> str:
        guessed = str(self._report.get("guessed_language", ""))
        given = language_name(corpus.language)
        if not guessed:
            return given
        words = self.tr("{given}; the text looks like {guess} ({share} sure)")
        share = format_percent(float(self._report.get("guess_confidence", 0)))
        return words.format(given=given, guess=language_name(guessed), share=share)

    def _describe_unknown(self) -> str:
        share = self._report.get("unknown_share")
        if share is None:
            return ""
        words = self.tr(
            "{share} of the pieces (parts of words) are unknown to the encoder"
        )
        return words.format(share=f"{100 * share:.2f}{NO_BREAK}%")

    def _make_histogram(self) -> QWidget:
        lengths = self._report.get("lengths") or {}
        bins = list(lengths.get("histogram", []))
        while bins and not bins[0]["n"]:  # shorter than any sentence
            bins.pop(0)
        # Labels of ranges would overlap; the next bar shows where a range ends.
        bars = [(str(part["low"]), int(part["n"])) for part in bins]
        axes = self.tr("length in characters, from"), self.tr("sentences")
        plot = HistogramPlot(bars, axes, self)
        plot.setFixedHeight(HISTOGRAM_HEIGHT)
        return plot

    def _make_lines(self) -> QWidget:
        if not self._lines:
            return make_label(self.tr("No errors, repairs or duplicates."), "secondary")
        table = QTableWidget(len(self._lines), 3)
        titles = [self.tr("Result"), self.tr("Line"), self.tr("Reason")]
        table.setHorizontalHeaderLabels(titles)
        describe(
            table, self.tr("Lines"), self.tr("Rejected, repaired and duplicate lines.")
        )
        table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        for row, (what, line, why) in enumerate(self._lines):
            for column, text in enumerate((what, line, why)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                table.setItem(row, column, item)
        return table

    def _make_buttons(self) -> QHBoxLayout:
        export = make_button(
            self.tr("Export…"), self.tr("Export this report."), self.ask_export
        )
        export.setProperty("quiet", True)
        close = make_button(self.tr("Close"), self.tr("Close the report."), self.accept)
        close.setDefault(True)
        return make_row(Stretch(), export, close)


def list_lines(report: Report) -> list[ReportLine]:
    """List results of single lines, rejected ones first."""
    lines = [("rejected", entry) for entry in report.get("refused", [])]
    lines += [("repaired", entry) for entry in report.get("repaired", [])]
    found = [
        (what, _format_place(entry), _describe_line(entry)) for what, entry in lines
    ]
    for entry in report.get("duplicates", []):
        why = f"same text as line {_format_place(entry, 'first_')}"
        found.append(("duplicate", _format_place(entry), why))
    for entry in report.get("near_duplicates", []):
        why = f"differs from line {_format_place(entry, 'first_')} only in case, "
        why += "punctuation or spaces"
        found.append(("near-duplicate", _format_place(entry), why))
    documents = report.get("document_problems", [])
    return found + [("document", "", problem) for problem in documents]


def _describe_line(entry: Report) -> str:
    """Return the reason, and the text of the line if the report contains it."""
    text = str(entry.get("text", ""))
    return f"{entry['reason']}: {text}" if text else str(entry["reason"])


def _format_place(entry: Report, kind: str = "") -> str:
    """Format a line number, with the file name if there are several files."""
    line = str(entry[f"{kind}line"])
    file = str(entry.get(f"{kind}file", ""))
    return f"{file}, {line}" if file else line


def describe_documents(report: Report) -> list[tuple[str, str]]:
    """Describe the documents of an import, their fields and annotated words."""
    facts = []
    fields = report.get("document_fields") or {}
    if report.get("n_documents"):
        each = (f"{name} ({format_count(n)})" for name, n in fields.items())
        parts = [format_count(report["n_documents"]), ", ".join(each)]
        facts.append((_tr("Documents"), ": ".join(part for part in parts if part)))
    if report.get("n_analysed"):
        one = _tr("1 sentence with word annotations of the source")
        many = _tr("{n} sentences with word annotations of the source")
        facts.append((_tr("Words"), pluralize(report["n_analysed"], one, many)))
    if report.get("n_misfits"):
        one = _tr("1 sentence without, because text and words differ")
        many = _tr("{n} sentences without, because text and words differ")
        facts.append((_tr("Words"), pluralize(report["n_misfits"], one, many)))
    return facts


def tabulate(report: Report, lines: Sequence[ReportLine]) -> list[tuple[str, ...]]:
    """Return the rows of the TSV: counts and facts first, then the lines."""
    table: list[tuple[str, ...]] = [("what", "line", "value")]
    for key, value in report.items():
        if isinstance(value, str | int | float):
            table.append((_name_row(key), "", str(value)))
    for key in ("refused_reasons", "repaired_reasons"):
        for reason, n in report.get(key, {}).items():
            table.append((_name_row(key), "", f"{reason}: {n}"))
    return table + list(lines)


def _name_row(key: str) -> str:
    """Return the title of a report field in the window."""
    return key.replace("refused", "rejected")


class HistogramPlot(pyqtgraph.PlotWidget):  # type: ignore[misc] # untyped
    """A bar chart; the context menu exports it."""

    def __init__(
        self,
        bars: Sequence[tuple[str, int]],
        titles: tuple[str, str],
        parent: QWidget | None = None,
    ):
        """Draw bars.

        Args:
            bars: (label, count) pairs.
            titles: titles of the x axis and the y axis.
        """
        colours = colours_of(parent) if parent is not None else colours_of(QWidget())
        super().__init__(parent, background=colours.surface, axisItems=number_axes())
        self.bars = list(bars)
        item = pyqtgraph.BarGraphItem(
            x=list(range(len(bars))),
            height=[n for _, n in bars],
            width=0.8,
            brush=QColor(colours.accent),
            pen=QColor(colours.accent),
        )
        self.addItem(item)
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.getAxis("bottom").setTicks(
            [[(index, label) for index, (label, _) in enumerate(bars)]]
        )
        for side, title in zip(("bottom", "left"), titles, strict=True):
            axis = self.getAxis(side)
            axis.setLabel(title)
            axis.setPen(QColor(colours.line))
            axis.setTextPen(QColor(colours.secondary))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setToolTip(self.tr("{what} by {by}").format(what=titles[1], by=titles[0]))
        self.setAccessibleName(", ".join(f"{label}: {n:,}" for label, n in bars))
