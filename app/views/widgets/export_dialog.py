"""Dialog that exports the contents of a view: format, file, preview, count."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import shiboken6
from PySide6.QtCore import QAbstractItemModel, QCoreApplication, Qt
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QSpinBox,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.params import Params
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import as_widget
from app.views.widgets.cells import ALIGN_LEFT
from app.views.widgets.controls import (
    describe,
    indent_number,
    is_ctrl_enter,
    make_button,
    make_label,
)
from app.views.widgets.dialogs import (
    ask_path,
    ask_question,
    lay_out_buttons,
    lay_out_dialog,
    lay_out_field,
    suggest_path,
)
from app.views.widgets.fields import Field, make_choice_box
from app.views.widgets.number_format import pluralize
from app.views.widgets.submission import Submission
from app.views.widgets.table_export import export_table
from app.views.widgets.tables import set_up_table
from app.views.widgets.theme import DARK, GRID, LIGHT, ThemeColours, colours_of, scaled

_tr = partial(QCoreApplication.translate, "export_dialog")

N_PREVIEWED = 5  # rows
TABLE_HEIGHT = 22 * GRID  # header and all previewed rows
LEAST_TABLE_HEIGHT = 9 * GRID  # header and one row
MAX_COLUMN = 30 * GRID
# Size of a picture, in pixels
NARROWEST, WIDEST, WIDTH_STEP = 200, 12_000, 100
LOWEST, HIGHEST = 100, 32_000
SLIDE = 1_920, 1_080

LATEX = ".tex"
NO_COLUMNS: Mapping[str, Sequence[str]] = MappingProxyType({})
Table = Callable[[], Iterator[Sequence[str]]]
OnEnded = Callable[[str], object]
Write = Callable[[Path, OnEnded], object]


def table_formats(*, has_latex: bool = True) -> dict[str, str]:
    """Return the formats of a table: suffix → title.

    Args:
        has_latex: whether LaTeX is offered; the engine can't write it.
    """
    formats = {
        ".tsv": _tr("Tab-separated (TSV)"),
        ".csv": _tr("Comma-separated (CSV)"),
        ".jsonl": _tr("JSON lines"),
    }
    return formats | ({LATEX: _tr("LaTeX (booktabs)")} if has_latex else {})


def freeze_table(table: Table) -> Table:
    """Return a copy of a table, so that a dialog exports the rows it previewed.

    For a table of a view, which may change when a run finishes.
    """
    rows = [*table()]
    return lambda: iter(rows)


class ExportPreview(QWidget):
    """Preview of an export: a sentence with the count, and the first rows.

    Attributes:
        count: the sentence.
        table: the rows.
    """

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.count = make_label("", wraps=True)
        self.table = QTableWidget(0, 0)
        set_up_table(self.table)
        self.table.horizontalHeader().setDefaultAlignment(ALIGN_LEFT)
        self.table.setWordWrap(False)
        self.table.setMaximumHeight(scaled(TABLE_HEIGHT))
        self.table.setMinimumHeight(scaled(LEAST_TABLE_HEIGHT))
        describe(self.table, self.tr("Preview"), self.tr("The first rows to export."))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.count)
        layout.addWidget(self.table)

    def hasHeightForWidth(self) -> bool:
        """Return False: a layout never shrinks a widget that has height-for-width."""
        return False

    def show_rows(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], text: str
    ) -> None:
        """Show the first rows, and a sentence that contains the count."""
        self.count.setText(text)
        table = self.table
        table.setColumnCount(len(header))
        table.setHorizontalHeaderLabels(list(header))
        table.setRowCount(len(rows))
        for index, row in enumerate(rows):
            for column, words in enumerate(row):
                item = QTableWidgetItem(words)
                item.setToolTip(words)
                table.setItem(index, column, item)
        if len(header) <= 2:
            stretch = QHeaderView.ResizeMode.Stretch
            table.horizontalHeader().setSectionResizeMode(stretch)
            return
        table.resizeColumnsToContents()
        for column in range(len(header)):
            widest = scaled(MAX_COLUMN, table)
            table.setColumnWidth(column, min(table.columnWidth(column), widest))

    def show_table(self, table: Table, n: int) -> None:
        """Show the first rows and the count of a table; if it is empty, no header."""
        header, *rows = [*islice(table(), N_PREVIEWED + 1)] or [()]
        self.show_rows(header, rows, _count_rows(n))

    def show_model(
        self,
        model: QAbstractItemModel,
        n: int,
        more: Mapping[str, Sequence[str]] = NO_COLUMNS,
        columns: Sequence[int] | None = None,
    ) -> None:
        """Show the first rows of the table of a view, and the count of an export.

        Args:
            n: number of exported rows.
            more: columns that only the export has: title → cells, if known.
            columns: columns of the model that are exported; None for all.
        """
        columns = range(model.columnCount()) if columns is None else columns
        sideways = Qt.Orientation.Horizontal
        rows = [
            [str(model.data(model.index(row, column)) or "") for column in columns]
            for row in range(min(model.rowCount(), N_PREVIEWED))
        ]
        header = [str(model.headerData(one, sideways) or "") for one in columns]
        for cells in more.values():
            for index, row in enumerate(rows):
                row.append(cells[index] if index < len(cells) else "")
        self.show_rows([*header, *more], rows, _count_rows(n))

    def clear(self, text: str = "") -> None:
        """Remove the rows and show the reason."""
        self.count.setText(text)
        self.table.setRowCount(0)


class ExportFileField(QWidget):
    """A format and a file; the format and the suffix of the file stay in step."""

    def __init__(self, formats: Mapping[str, str], start: Path, hint: str):
        """Make it.

        Args:
            formats: suffix → title.
            start: the proposed file; a bare name is placed in its folder.
        """
        super().__init__()
        self._formats, self._folder = formats, start.parent
        self.confirmed: Path | None = None  # replacement confirmed in file chooser
        self.format_box = make_choice_box()
        for suffix, title in formats.items():
            self.format_box.addItem(title, suffix)
        describe(self.format_box, self.tr("Format"), self.tr("Choose a file format."))
        self.line = QLineEdit(str(start))
        describe(self.line, self.tr("File"), hint)
        choose = make_button(self.tr("Choose…"), hint, self._ask)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        row.addWidget(self.format_box)
        self.format_box.setVisible(len(formats) > 1)
        row.addWidget(self.line, 1)
        row.addWidget(choose)
        self.setFocusProxy(self.line)
        self.line.textChanged.connect(self._on_text_changed)
        self.format_box.currentIndexChanged.connect(self._on_format_changed)
        self._on_text_changed()

    @property
    def suffix(self) -> str:
        """The suffix of the format."""
        return str(self.format_box.currentData())

    @property
    def path(self) -> Path | None:
        """The file; a name without a known suffix gets the suffix of the format."""
        text = self.line.text().strip()
        if not text:
            return None
        path = self._folder / Path(text).expanduser()
        if self._find_suffix(path.name):
            return path
        return path.with_name(path.name + self.suffix) if path.name else path

    def as_field(self) -> Field:
        """Return the field as an input of a form."""
        return Field(
            self,
            lambda: None if self.path is None else str(self.path),
            lambda value: self.line.setText(str(value or "")),
            lambda follow: self.line.textChanged.connect(lambda: follow()),
        )

    def _ask(self) -> None:
        ask_path(
            self.window(),
            self.window().windowTitle(),
            self._on_chosen,
            mode=QFileDialog.FileMode.AnyFile,
            start=self.path,
            filters=";;".join(f"{t} (*{s})" for s, t in self._formats.items()),
        )

    def _on_chosen(self, path: Path) -> None:
        self.line.setText(str(path))
        self.confirmed = self.path

    def _find_suffix(self, name: str) -> str:
        """Return the known suffix of a name, or an empty string."""
        found = [one for one in self._formats if name.lower().endswith(one)]
        return max(found, key=len, default="")

    def _on_text_changed(self) -> None:
        suffix = self._find_suffix(self.line.text().strip())
        if suffix and suffix != self.suffix:
            self.format_box.setCurrentIndex(self.format_box.findData(suffix))

    def _on_format_changed(self) -> None:
        path = self.path
        if path is not None and path.name:
            stem = path.name[: -len(self._find_suffix(path.name))]
            self.line.setText(str(path.with_name(stem + self.suffix)))


class SecondFile(NamedTuple):
    """A second file that an export writes next to the chosen file.

    Attributes:
        words: sentence about the file, with the placeholder {file}.
        path: returns the path of the file.
    """

    words: str
    path: Callable[[Path], Path]


class ExportedRows(NamedTuple):
    """Rows that an export of a table can write.

    Attributes:
        words: name of the choice of rows.
        table: returns the rows, the header first.
        n: rows without the header.
        rounded: returns the rows rounded as shown, for a document; None: use `table`.
    """

    words: str
    table: Table
    n: int
    rounded: Table | None = None

    def table_for(self, suffix: str) -> Iterator[Sequence[str]]:
        """Return the rows for a file of a format."""
        if suffix.lower() == LATEX and self.rounded is not None:
            return self.rounded()
        return self.table()


class PictureSettings(NamedTuple):
    """Settings for drawing a picture.

    Attributes:
        width: in pixels.
        height: in pixels.
        tokens: colours of the theme.
        is_transparent: whether the background is transparent.
    """

    width: int
    height: int
    tokens: ThemeColours
    is_transparent: bool = False

    @property
    def background(self) -> QColor:
        """The background colour."""
        return (
            QColor(0, 0, 0, 0) if self.is_transparent else QColor(self.tokens.surface)
        )


class PictureSettingsRow(QWidget):
    """Asks for the size and the background of a picture.

    Attributes:
        width_box: width in pixels; the height follows it.
        height_box: height in pixels.
        background_box: light, dark, or none.
    """

    def __init__(self, size: tuple[int, int]):
        super().__init__()
        self.width_box, self.height_box = QSpinBox(), QSpinBox()
        hint = self.tr("A page of print is about 2,400 pixels wide at 300 per inch.")
        describe(self.width_box, self.tr("Width"), hint)
        hint = self.tr("1,920 × 1,080 pixels are a slide of 16:9.")
        describe(self.height_box, self.tr("Height"), hint)
        for box, least, most, n in (
            (self.width_box, NARROWEST, WIDEST, size[0]),
            (self.height_box, LOWEST, HIGHEST, size[1]),
        ):
            box.setRange(least, most)
            box.setSingleStep(WIDTH_STEP)
            box.setValue(n)
            indent_number(box)
            box.setSuffix(self.tr(" pixels"))
        self._ratio = size[1] / size[0] if size[0] else 1.0
        self.background_box = make_choice_box()
        for title, value in (
            (self.tr("Light"), (LIGHT, False)),
            (self.tr("Dark"), (DARK, False)),
            (self.tr("Transparent, for a light page"), (LIGHT, True)),
            (self.tr("Transparent, for a dark page"), (DARK, True)),
        ):
            self.background_box.addItem(title, value)
        self.background_box.setCurrentIndex(int(colours_of(self) is DARK))
        hint = self.tr("Choose the colours of the picture.")
        describe(self.background_box, self.tr("Background"), hint)
        row = WrappingRow(2 * GRID)
        row.addWidget(_make_row(self.tr("Width"), self.width_box))
        row.addWidget(_make_row(self.tr("Height"), self.height_box))
        row.addWidget(_make_row(self.tr("Background"), self.background_box))
        self.setLayout(row)
        self.width_box.valueChanged.connect(self._on_width_changed)
        self.height_box.valueChanged.connect(self._on_height_changed)

    @property
    def settings(self) -> PictureSettings:
        """The chosen settings."""
        tokens, is_transparent = self.background_box.currentData()
        size = self.width_box.value(), self.height_box.value()
        return PictureSettings(*size, tokens, is_transparent)

    def _on_width_changed(self, width: int) -> None:
        self.height_box.blockSignals(True)
        self.height_box.setValue(round(self._ratio * width))
        self.height_box.blockSignals(False)

    def _on_height_changed(self, height: int) -> None:
        self._ratio = height / self.width_box.value()


class ExportDialog(QDialog):
    """Asks for the format and the file, shows the first rows, and exports.

    The dialog is hidden while the file is written. If that fails, it opens again with
    its input and the reason.

    Attributes:
        file: format and file.
        rows_box: chooses the rows, where there is a choice.
        preview: the first rows, and the count.
        picture: size and background of a picture.
        export_button: starts the export.
    """

    def __init__(
        self,
        title: str,
        file: ExportFileField,
        write: Write,
        parent: QWidget,
        *,
        size: tuple[int, int] = (0, 0),
        second: SecondFile | None = None,
    ):
        """Make the dialog.

        Args:
            title: a verb and its object.
            file: formats, and the file that is proposed.
            write: writes a file, and then calls a function: with the
                reason if the file can't be written, else with an empty text.
            size: proposed width and height of a picture; 0: no format needs one.
            second: a second file that is written; None if there is only one.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._write, self.file, self.preview = write, file, ExportPreview()
        self.rows_box = make_choice_box()
        hint = self.tr("Choose the rows to export.")
        describe(self.rows_box, self.tr("Rows"), hint)
        self.picture = PictureSettingsRow(size)
        self._has_size, self._second = all(size), second
        self._second_label = make_label("", "secondary", wraps=True)
        self._second_label.setVisible(second is not None)
        words = self.tr(
            "In CSV, an apostrophe is put before text that begins with =, +, - or @, "
            "so that a spreadsheet program does not take it for a formula. TSV and "
            "JSON lines keep the text as it is."
        )
        self._format_note = make_label(words, "secondary", wraps=True)
        self._format_note.hide()
        self._error = make_label("", "warning", wraps=True)
        self._error.hide()
        self._lay_out(title)
        self.file.format_box.currentIndexChanged.connect(self._show_format)
        self.file.line.textChanged.connect(self._show_second)
        self._show_format()
        self._show_second()
        self.resize(_fit_width(parent), self.sizeHint().height())

    @property
    def error(self) -> str:
        """The reason why the file can't be written; empty if it can."""
        return self._error.text()

    @property
    def note(self) -> str:
        """The sentence about a second file; empty if there is none."""
        return self._second_label.text()

    def offer_rows(self, choices: Sequence[ExportedRows], chosen: int) -> None:
        """Show the first rows of the choice with this index."""
        for choice in choices:
            self.rows_box.addItem(choice.words)
        self.rows_box.setCurrentIndex(chosen)

        def show() -> None:
            choice = choices[self.rows_box.currentIndex()]
            table = partial(choice.table_for, self.file.suffix)
            self.preview.show_table(table, choice.n)

        self.rows_box.currentIndexChanged.connect(show)
        self.file.format_box.currentIndexChanged.connect(show)
        show()
        if len(choices) > 1:
            self._rows_row.show()
            self.resize(self.width(), self.sizeHint().height())

    def show_error(self, text: str) -> None:
        """Show why the file can't be written, and leave the input unchanged."""
        self._error.setText(text)
        self._error.setVisible(bool(text))
        if text:
            self.file.line.setFocus(Qt.FocusReason.OtherFocusReason)

    def export_to(self, file: Path) -> None:
        """Enter a file and export."""
        self.file.line.setText(str(file))
        self.export()

    def export(self) -> None:
        """Export, after a question if the file exists."""
        file = self.file.path
        problem = find_problem(file)
        self.show_error(problem)
        if file is None or problem:
            return
        known = [] if file == self.file.confirmed else [file]
        if self._second is not None:
            known.append(self._second.path(file))
        if found := [str(one) for one in known if os.path.lexists(one)]:
            words = self.tr("{file} exists.")
            if len(found) > 1:
                words = self.tr("{file} and {other} exist.")
            text = words.format(file=found[0], other=found[-1])
            ask_question(self, text, {self.tr("Replace"): lambda: self._start(file)})
        else:
            self._start(file)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Export on Ctrl+Enter, the shortcut for saving in other dialogs."""
        if is_ctrl_enter(event):
            self.export_button.click()
        else:
            super().keyPressEvent(event)

    def _start(self, file: Path) -> None:
        self.hide()
        self._write(file, self._on_ended)

    def _on_ended(self, problem: str) -> None:
        if not shiboken6.isValid(self):  # the view was closed
            return
        if problem:
            self.open()
            self.show_error(problem)
        else:
            self.deleteLater()

    def _show_format(self) -> None:
        """Show the settings of a picture, or the rows of a table."""
        is_picture = self.file.suffix in (".png", ".svg")
        self.preview.setVisible(not is_picture)
        self.picture.setVisible(self._has_size and is_picture)
        self._format_note.setVisible(self.file.suffix == ".csv")

    def _show_second(self) -> None:
        file, second = self.file.path, self._second
        if second is not None and file is not None and file.name:
            text = second.words.format(file=second.path(file).name)
            self._second_label.setText(text)

    def _lay_out(self, title: str) -> None:
        hint = self.tr("Write the file.")
        self.export_button = make_button(title, hint, self.export, kind="primary")
        self._rows_row = _make_row(self.tr("Rows"), self.rows_box)
        self._rows_row.hide()
        layout = lay_out_dialog(self)
        layout.addWidget(make_label(title, "heading"))
        layout.addLayout(lay_out_field(self.tr("File"), self.file))
        layout.addWidget(self._second_label)
        layout.addWidget(self._format_note)
        layout.addWidget(self._rows_row)
        layout.addWidget(self.picture)
        layout.addWidget(self.preview)
        layout.addWidget(self._error)
        layout.addStretch(1)
        layout.addLayout(lay_out_buttons(self, self.export_button))


def _make_row(title: str, box: QWidget) -> QWidget:
    column = lay_out_field(title, box)
    column.setContentsMargins(0, 0, 0, 0)
    return as_widget(column)


def _fit_width(parent: QWidget) -> int:
    """Return the width of the dialog for the size of the text, within the window."""
    return min(scaled(80 * GRID), max(parent.window().width() - 4 * GRID, 60 * GRID))


def ask_table_export(
    state: AppState, parent: QWidget, title: str, name: str, table: Table, n: int
) -> ExportDialog:
    """Open the dialog that exports a table.

    Args:
        title: of the dialog: a verb and its object.
        name: of the file that is proposed, in words.
        table: returns the rows, the header first.
        n: rows without the header.
    """
    return ask_rows_export(state, parent, title, name, [ExportedRows("", table, n)])


def ask_rows_export(
    state: AppState,
    parent: QWidget,
    title: str,
    name: str,
    choices: Sequence[ExportedRows],
    *,
    chosen: int = 0,
) -> ExportDialog:
    """Open the dialog that exports a table, with a choice of its rows.

    Args:
        title: of the dialog: a verb and its object.
        name: of the file that is proposed, in words.
        choices: the rows that can be exported; a single one is not shown as a choice.
        chosen: index of the proposed choice.
    """
    hint = _tr("Choose where the table is written.")
    file = ExportFileField(table_formats(), suggest_path(state, name, ".tsv"), hint)
    dialog = ExportDialog(
        title,
        file,
        lambda path, on_ended: export_table(
            state,
            path,
            choices[dialog.rows_box.currentIndex()].table_for(path.suffix),
            on_ended,
        ),
        parent,
    )
    dialog.offer_rows(choices, chosen)
    dialog.open()
    return dialog


def make_run_export(
    state: AppState,
    parent: QWidget,
    title: str,
    file: ExportFileField,
    params: Callable[[Path], Params],
) -> ExportDialog:
    """Make a dialog whose export is a run; arguments as of ExportDialog.

    Args:
        title: a verb and its object.
        file: formats, and the file that is proposed.
        params: returns the settings of the run that writes a file.
    """

    def write(path: Path, _: OnEnded) -> None:
        submission.submit(lambda: state.run(params(path)))

    dialog = ExportDialog(title, file, write, parent)
    submission = Submission(dialog, state, dialog.show_error)
    return dialog


def _count_rows(n: int) -> str:
    return pluralize(n, _tr("1 row."), _tr("{n} rows."))


def find_problem(file: Path | None) -> str:
    """Return why a file can't be written, if that can be checked beforehand."""
    if file is None or not file.name:
        return _tr("Enter the file to write.")
    if os.path.isdir(file):  # unlike Path.is_dir, accepts a name that is too long
        return _tr("{file} is a folder. Enter the name of a file.").format(file=file)
    if not os.path.isdir(file.parent):
        text = _tr("The folder {folder} doesn't exist. Choose another place.")
        return text.format(folder=file.parent)
    return ""
