"""Dialogs that report, confirm, or ask for a path, a name or a language."""

import platform
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QObject,
    QPoint,
    QSize,
    Qt,
    QTimer,
    QUrl,
)
from PySide6.QtGui import (
    QDesktopServices,
    QFontDatabase,
    QGuiApplication,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app import VERSION
from app.errors import ErrorInfo
from app.protocol.edits import Change
from app.views.client.state import AppState
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.language_field import LanguageField
from app.views.widgets.package_files import read_package_kind
from app.views.widgets.submission import Submission
from app.views.widgets.theme import GRID, scaled

_tr = partial(QCoreApplication.translate, "dialogs")

# Properties of a main window: the last folders of imported files and of packages.
LAST_FOLDER, PACKAGE_FOLDER = "last_folder", "package_folder"
N_NAMED = 4  # files
SETTLE_MS = 100  # from showing a dialog until its lines are wrapped


def lay_out_dialog(dialog: QDialog) -> QVBoxLayout:
    """Make the layout of a dialog, with the standard margins."""
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
    layout.setSpacing(2 * GRID)
    DialogPlacement(dialog)
    return layout


class DialogPlacement(QObject):
    """Keeps a dialog within its screen, even if it grows after it was shown."""

    def __init__(self, dialog: QDialog):
        super().__init__(dialog)
        self._dialog = dialog
        self._settling = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settling.timeout.connect(self._place)
        dialog.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Place the dialog when it is shown or resized."""
        if event.type() == QEvent.Type.Show:
            self._settling.start()
        is_placed = event.type() in (QEvent.Type.Show, QEvent.Type.Resize)
        if is_placed and watched is self._dialog and self._dialog.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        """Limit the height; centre a dialog that was just shown in its window."""
        dialog, parent = self._dialog, self._dialog.parentWidget()
        room = dialog.screen().availableGeometry()
        excess = dialog.frameGeometry().height() - room.height()
        if excess > 0:
            dialog.resize(dialog.width(), dialog.height() - excess)
        rect = dialog.frameGeometry()
        if self._settling.isActive() and parent is not None:
            window = parent.window().frameGeometry()
            rect.moveCenter(window.center())
            if dialog.property("isLow"):
                rect.moveBottom(window.bottom() - 2 * GRID)
        rect.moveBottomRight(_least(rect.bottomRight(), room.bottomRight()))
        rect.moveLeft(max(rect.left(), room.left()))
        rect.moveTop(max(rect.top(), room.top()))
        if rect.topLeft() != dialog.pos():
            dialog.move(rect.topLeft())


def _least(one: QPoint, other: QPoint) -> QPoint:
    return QPoint(min(one.x(), other.x()), min(one.y(), other.y()))


def fit_dialog(dialog: QDialog, width: int, height: int) -> None:
    """Resize a dialog for the size of the text, within its window.

    Args:
        width: in pixels, for text of 13 pixels.
        height: the same.
    """
    wanted = QSize(scaled(width), scaled(height))
    parent = dialog.parentWidget()
    if parent is not None:
        room = parent.window().size() - QSize(4 * GRID, 4 * GRID)
        wanted = wanted.boundedTo(room.expandedTo(QSize(60 * GRID, 50 * GRID)))
    dialog.resize(wanted)


def lay_out_field(title: str, widget: QWidget) -> QVBoxLayout:
    """Lay out a control of a dialog below its label."""
    label = make_label(title, wraps=True)
    label.setBuddy(widget)
    column = QVBoxLayout()
    column.setSpacing(GRID // 2)
    column.addWidget(label)
    column.addWidget(widget)
    return column


def lay_out_buttons(
    dialog: QDialog,
    primary: QPushButton,
    *,
    left: Sequence[QWidget] = (),
    cancel: str = "",
) -> QHBoxLayout:
    """Lay out the last row of a dialog: other controls, Cancel, the primary button.

    Args:
        dialog: the dialog that Cancel rejects.
        primary: the default button, which Return presses.
        left: controls at the left of the row.
        cancel: text of the button that closes the dialog, if it isn't Cancel.
    """
    close = make_button(
        cancel or _tr("Cancel"),
        _tr("Close this dialog and change nothing."),
        dialog.reject,
        kind="quiet",
    )
    primary.setDefault(True)
    row = QHBoxLayout()
    row.setSpacing(GRID)
    for widget in left:
        row.addWidget(widget)
    row.addStretch()
    row.addWidget(close)
    row.addWidget(primary)
    return row


class ReportDialog(QDialog):
    """A message of one sentence, with buttons to show and copy its details.

    Attributes:
        sentence, report: the message, and its details.
    """

    def __init__(
        self,
        sentence: str,
        report: str,
        parent: QWidget | None = None,
        *,
        is_open: bool = False,
    ):
        super().__init__(parent)
        self.sentence, self.report = sentence, report
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Isogloss"))
        self.setMinimumWidth(72 * GRID)
        self._details = QPlainTextEdit(report)
        self._details.setReadOnly(True)
        self._details.setFont(
            QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        )
        self._details.setMinimumHeight(40 * GRID)
        describe(self._details, self.tr("Details"), self.tr("The whole report."))
        self._details.setVisible(is_open)
        words = make_label(sentence, wraps=True)
        words.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        describe(words, sentence)
        layout = lay_out_dialog(self)
        layout.addWidget(words)
        layout.addWidget(self._details, 1)
        layout.addLayout(self._make_buttons())

    def _make_buttons(self) -> QHBoxLayout:
        details = make_button(
            self.tr("Details"),
            self.tr("Show or hide the report."),
            self._toggle,
            kind="quiet",
        )
        copy = make_button(
            self.tr("Copy report"),
            self.tr("Copy the report."),
            self._copy,
            kind="quiet",
        )
        close = make_button(
            self.tr("Close"), self.tr("Close this window."), self.accept
        )
        close.setDefault(True)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addWidget(details)
        row.addWidget(copy)
        row.addStretch()
        row.addWidget(close)
        return row

    def _toggle(self) -> None:
        self._details.setVisible(self._details.isHidden())
        self.adjustSize()

    def _copy(self) -> None:
        copy_text(self.report)


class ErrorDialog(ReportDialog):
    """An error message with its report."""

    def __init__(self, error: ErrorInfo, parent: QWidget | None = None):
        super().__init__(error.message, report_text(error), parent, is_open=True)


def report_text(error: ErrorInfo) -> str:
    """Return the report of an error: message, versions, traceback."""
    lines = [
        error.message,
        "",
        f"Isogloss {VERSION}, Python {platform.python_version()}, "
        f"PySide6 {pyside_version}, {platform.platform()}, kind {error.kind}",
    ]
    if error.traceback:
        lines += ["", error.traceback]
    elif error.kind == "crash":
        lines += ["", _tr("The engine wrote nothing before it ended.")]
    return "\n".join(lines)


def copy_text(text: str) -> None:
    """Put a text on the clipboard."""
    QGuiApplication.clipboard().setText(text)


def ask_question(
    parent: QWidget,
    text: str,
    choices: dict[str, Callable[[], object]],
    *,
    details: str = "",
) -> QMessageBox:
    """Ask a question with a button for each choice; call the function of the choice.

    Args:
        text: the question, one sentence.
        choices: button text → function; the first is the default.
        details: a second sentence about the consequences.
    """
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(_tr("Isogloss"))
    box.setText(text)
    box.setInformativeText(details)
    buttons: dict[QPushButton, Callable[[], object]] = {}
    for words, function in choices.items():
        button = box.addButton(words, QMessageBox.ButtonRole.AcceptRole)
        describe(button, words)
        buttons[button] = function
    box.setDefaultButton(next(iter(buttons)))
    cancel = box.addButton(QMessageBox.StandardButton.Cancel)
    describe(cancel, _tr("Cancel"), _tr("Go back and change nothing."))
    box.buttonClicked.connect(lambda button: buttons.get(button, lambda: None)())
    box.open()
    return box


class _PathDialog(QFileDialog):
    """A file dialog that starts in the folder of the last choice in the window."""

    def __init__(
        self, parent: QWidget, title: str, start: Path | None = None, filters: str = ""
    ):
        self._start, window = start, _main_window(parent)
        last = Path(str(window.property(LAST_FOLDER) or Path.home()))
        begin = start or (last if last.is_dir() else Path.home())
        super().__init__(parent, title, str(begin), filters)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.filesSelected.connect(self._remember)

    def _remember(self, names: list[str]) -> None:
        is_read = self.acceptMode() == QFileDialog.AcceptMode.AcceptOpen
        is_package = self._start is not None and self._start == package_folder(self)
        if is_read and not is_package:
            _main_window(self).setProperty(LAST_FOLDER, str(Path(names[0]).parent))


def package_folder(widget: QWidget) -> Path | None:
    """Return the folder of the last review package; None if there is none."""
    known = _main_window(widget).property(PACKAGE_FOLDER)
    return Path(known) if known and Path(known).is_dir() else None


def _main_window(widget: QWidget) -> QWidget:
    """Return the window to which a widget, or its dialog, belongs."""
    window = widget.window()
    parent = window.parentWidget()
    return window if parent is None else _main_window(parent)


def ask_path(
    parent: QWidget,
    title: str,
    on_chosen: Callable[[Path], object],
    *,
    mode: QFileDialog.FileMode = QFileDialog.FileMode.ExistingFile,
    start: Path | None = None,
    filters: str = "",
) -> QFileDialog:
    """Let the user choose a path; nothing is called if the user cancels."""
    dialog = _PathDialog(parent, title, start, filters)
    dialog.setFileMode(mode)
    if mode == QFileDialog.FileMode.AnyFile:
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.fileSelected.connect(lambda name: on_chosen(Path(name)))
    dialog.open()
    return dialog


def ask_paths(
    parent: QWidget,
    title: str,
    on_chosen: Callable[[list[Path]], object],
    *,
    start: Path | None = None,
) -> QFileDialog:
    """Let the user choose files to read; nothing is called if the user cancels."""
    dialog = _PathDialog(parent, title, start)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.filesSelected.connect(
        lambda names: on_chosen([Path(name) for name in names])
    )
    dialog.open()
    return dialog


def name_files(paths: Sequence[Path]) -> str:
    """Return the names of the first files and the number of the others."""
    named = ", ".join(path.name for path in paths[:N_NAMED])
    return named if len(paths) <= N_NAMED else f"{named} + {len(paths) - N_NAMED:,}"


def open_path(state: AppState, path: Path) -> None:
    """Open a file or a folder in the default program of the system."""
    if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
        state.error_posted.emit(ErrorInfo("user", _explain_unopened(str(path))))


def open_web_page(url: QUrl, parent: QWidget) -> None:
    """Open a page in the default browser; without a browser, show the address."""
    if not QDesktopServices.openUrl(url):
        address = url.toString()
        ReportDialog(_explain_unopened(address), address, parent.window()).open()


def _explain_unopened(place: str) -> str:
    words = QCoreApplication.translate(
        "dialogs", "No program on this computer opens {place}."
    )
    return words.format(place=place)


def make_file_buttons(state: AppState, path: Path) -> list[QPushButton]:
    """Make the buttons for a file, or a folder, that was written.

    No other program opens a review package, so it has only a button for its folder.
    """
    translate = QCoreApplication.translate
    buttons = [
        make_button(
            translate("dialogs", "Open"),
            translate("dialogs", "Open it in the program for this kind of file."),
            partial(open_path, state, path),
        ),
        make_button(
            translate("dialogs", "Show in folder"),
            translate("dialogs", "Open the folder that it is in."),
            partial(open_path, state, path.parent),
        ),
    ]
    return buttons[1:] if read_package_kind(path) else buttons


class TextInputDialog(QDialog):
    """Asks for a line of text; nothing is called if the user cancels."""

    def __init__(
        self,
        state: AppState,
        question: str,
        done: tuple[str, Callable[[str], object]],
        field: QLineEdit,
        parent: QWidget,
        *,
        find_problem: Callable[[str], str] | None = None,
    ):
        """Make it.

        Args:
            question: one sentence.
            done: text of the button, and the function that is called with the text.
            field: the input, filled with the current text.
            find_problem: returns why a text can't be used; empty if it can.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._find_problem = find_problem
        words, self._call = done
        self.setWindowTitle(words)
        self.setMinimumWidth(scaled(52 * GRID))
        self.field = field
        self.done_button = make_button(words, question, self._finish, kind="primary")
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(
                self.done_button.click
            )
        self._problem = make_label("", "warning", wraps=True)
        self._problem.hide()
        self._submission = Submission(self, state, self._show_problem)
        entry = lay_out_field(question, field)
        entry.addWidget(self._problem)
        layout = lay_out_dialog(self)
        layout.addLayout(entry)
        layout.addStretch(1)
        layout.addLayout(lay_out_buttons(self, self.done_button))
        field.textChanged.connect(self._on_text_changed)
        field.selectAll()
        field.setFocus()
        self._on_text_changed()

    def _show_problem(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        layout = self.layout()
        if problem and layout is not None:  # the dialog doesn't grow by itself
            needed = layout.totalHeightForWidth(self.width())
            self.resize(self.width(), max(self.height(), needed))

    def _on_text_changed(self) -> None:
        field = self.field
        problem = field.problem if isinstance(field, LanguageField) else ""
        if self._find_problem is not None:
            problem = self._find_problem(field.text())
        self._show_problem(problem)
        has_answer = bool(field.text().strip())
        self.done_button.setEnabled(has_answer and not problem)

    def _finish(self) -> None:
        field = self.field
        text = field.code if isinstance(field, LanguageField) else field.text().strip()
        self._submission.submit(lambda: self._call(text))


def ask_name(
    state: AppState,
    parent: QWidget,
    question: str,
    name: str,
    on_done: Callable[[str], object],
    *,
    words: str = "",
) -> TextInputDialog:
    """Ask for a name; `words` is the text of the button, by default Save name."""
    field = QLineEdit(name)
    field.setMaxLength(200)
    field.setAccessibleName(question)
    done = words or parent.tr("Save name"), on_done
    dialog = TextInputDialog(state, question, done, field, parent)
    dialog.open()
    return dialog


def ask_new_name(
    state: AppState, parent: QWidget, name: str, rename: Callable[[str], Change]
) -> TextInputDialog:
    """Ask for a new name of an object; `rename` returns the edit for a name."""
    question = _tr("New name for {name}").format(name=name)
    return ask_name(state, parent, question, name, lambda new: state.edit(rename(new)))


def ask_language(
    state: AppState,
    parent: QWidget,
    question: str,
    code: str,
    on_done: Callable[[str], object],
) -> TextInputDialog:
    """Ask for a language."""
    field = LanguageField(question)
    field.set_code(code)
    done = parent.tr("Set language"), on_done
    dialog = TextInputDialog(state, question, done, field, parent)
    dialog.open()
    return dialog


def export_folder(state: AppState) -> Path:
    """Return the folder of the last export, else the home folder."""
    folder = Path(state.settings.export_folder or Path.home())
    return folder if folder.is_dir() else Path.home()


def suggest_path(state: AppState, name: str, ending: str = "") -> Path:
    """Return an unused path for an export, with a file name based on a title."""
    folder = export_folder(state)
    stem = re.sub(r"[^\w-]+", "-", name).strip("-") or "isogloss"
    for number in range(1, 1000):
        mark = f"-{number}" if number > 1 else ""
        path = folder / f"{stem}{mark}{ending}"
        if not path.exists():
            return path
    return folder / f"{stem}{ending}"
