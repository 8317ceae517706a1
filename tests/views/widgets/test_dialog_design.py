"""The design of dialogs: every task's form, questions, exports."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.engine.store.corpora import CorpusRow
from app.params import ALL_PARAMS
from app.params.base import TaskParams
from app.params.projection import ProjectMap
from app.params.word_vectors import TrainWordVectors
from app.settings import Settings
from app.views.attribution.dialog import AttributionDialog
from app.views.client.state import AppState
from app.views.corpora.import_report import ImportReportDialog
from app.views.shell.shortcut_overview import ShortcutOverview
from app.views.widgets.controls import make_button
from app.views.widgets.dialogs import SETTLE_MS, ReportDialog, ask_name
from app.views.widgets.export_dialog import ExportDialog, ExportFileField
from app.views.widgets.syntax_help import SyntaxDialog
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import Theme
from tests.views.clipping import layout_faults
from tests.views.dialog_design import command_forms, design_faults

SINGLE_WORDS = {  # tasks whose dialogs have a heading of their own
    *("search", "classify", "probe", "translate", "frequencies", "collocates"),
    *("keyness", "concordance", "equivalents"),
}


@pytest.mark.parametrize("params", ALL_PARAMS, ids=lambda t: t.__name__)
def test_the_form_of_every_task_has_the_design(
    params: type[TaskParams], open_state: AppState, qtbot: QtBot
) -> None:
    dialog = TaskDialog(open_state, params)
    qtbot.addWidget(dialog)
    dialog.show()
    faults = design_faults(dialog)
    if dialog.run_button.text().lower() in SINGLE_WORDS:
        faults = [one for one in faults if not one.startswith("not a verb")]
    assert faults == []


@pytest.mark.parametrize("text_scale", [100, 150])
def test_dialogs_that_show_something_have_the_design_and_fit(
    open_state: AppState, theme: Theme, qtbot: QtBot, text_scale: int
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1100, 700)
    save = QAction("Save a copy…", window)
    save.setShortcut("Ctrl+S")
    report = {"n_read": 3, "n_kept": 3, "encoding": "utf-8"}
    row = (1, "Harbour letters", "en", "en", "ready", 3, "letters.txt", report, 1.0)
    theme.apply(Settings(theme="light", text_scale=text_scale))
    try:
        for dialog in (
            AttributionDialog(open_state, window),
            ImportReportDialog(open_state, CorpusRow(*row), window),
            ShortcutOverview([("File", save)], window),
            SyntaxDialog(window),
        ):
            dialog.open()
            qtbot.wait(2 * SETTLE_MS)
            assert design_faults(dialog) == [], dialog
            assert layout_faults(dialog) == [], dialog
            assert dialog.height() <= window.height()
            dialog.reject()
    finally:
        theme.apply(Settings(theme="light"))


def test_questions_reports_and_exports_have_the_design(
    open_state: AppState, qtbot: QtBot, tmp_path: Path
) -> None:
    parent = QDialog()
    qtbot.addWidget(parent)
    file = ExportFileField({".tsv": "Table"}, tmp_path / "a.tsv", "A file.")
    made = [
        ask_name(open_state, parent, "New name", "Port", print),
        ReportDialog("The file can't be read.", "Details of it.", parent),
        ExportDialog("Export hits", file, lambda _path, _ended: None, parent),
    ]
    for dialog in made:
        dialog.open()
        assert design_faults(dialog) == [], dialog
        dialog.close()


def test_a_dialog_that_grows_stays_within_the_screen(
    open_state: AppState, qtbot: QtBot
) -> None:
    window = QDialog()
    room = window.screen().availableGeometry()
    window.setGeometry(room)
    qtbot.addWidget(window)
    window.show()
    dialog = TaskDialog(open_state, TrainWordVectors, parent=window)
    dialog.form.unfold()
    dialog.open()
    qtbot.wait(0)
    assert room.contains(dialog.frameGeometry())
    shift = dialog.frameGeometry().center() - room.center()
    assert shift.manhattanLength() <= 8, "in the middle of its window"
    qtbot.wait(2 * SETTLE_MS)
    dialog.move(dialog.x(), room.bottom() - dialog.height())
    place = dialog.pos()
    dialog.resize(dialog.width(), dialog.height() - 40)
    assert dialog.pos() == place, "the user has moved it"
    dialog.resize(dialog.width(), 2 * room.height())
    assert room.contains(dialog.frameGeometry())
    assert room.contains(_place_of(dialog.run_button))


def _place_of(widget: QWidget) -> QRect:
    """Return where a widget is on the screen."""
    return QRect(widget.mapToGlobal(QPoint()), widget.size())


def test_faults_are_found(qtbot: QtBot) -> None:
    dialog = QDialog()
    qtbot.addWidget(dialog)
    layout, row = QVBoxLayout(dialog), QHBoxLayout()
    layout.setContentsMargins(24, 24, 24, 15)
    layout.setSpacing(8)
    row.setSpacing(8)
    label, field = QLabel("Name"), QLineEdit()
    label.setBuddy(field)
    row.addWidget(label)
    row.addWidget(field)
    layout.addLayout(row)
    layout.addWidget(make_button("OK", "Go on.", kind="primary"))
    layout.addWidget(make_button("Cancel", "Go back."))
    dialog.show()
    assert design_faults(dialog) == [
        "the default is [], not ['OK']",
        "not a verb and its object: 'OK'",
        "Cancel is not quiet",
        "QVBoxLayout of QDialog: [24, 24, 24, 15, 8]",
        "not above its field: 'Name'",
    ]


@pytest.mark.parametrize(
    ("text", "is_form"),
    [
        ("value or 1850..1890", True),
        ("1850..", True),
        ("Pattern of names: {author}_{year}", True),
        ("Example: 1 & 128; 3 & 256", True),
        ("A pair file eng-tel.NAME", True),
        ("Lines of label⇥text", True),
        ("For pairs two corpora A+B", True),
        ("Separate tags with commas.", True),
        ("Tags, separated by commas", True),
        ("Comma-separated (CSV)", False),
        ("One, two...", False),
        (r"\p{Greek}+", False),
        ("Names & numbers", False),
        ('<b style="color:red">97 %</b>', False),
    ],
)
def test_forms_of_the_command_line_are_found(
    qtbot: QtBot, text: str, is_form: bool
) -> None:
    dialog = QDialog()
    qtbot.addWidget(dialog)
    QLineEdit(dialog).setPlaceholderText(text)
    found = [f"a form of the command line: {text!r}"]
    assert command_forms(dialog) == (found if is_form else [])


def test_advanced_settings_are_folded_and_open_for_an_error_or_another_value(
    open_state: AppState, qtbot: QtBot
) -> None:
    window = QDialog()
    window.resize(1_200, 1_200)
    qtbot.addWidget(window)
    dialog = TaskDialog(open_state, TrainWordVectors, parent=window)
    dialog.show()
    epochs = dialog.form.field("epochs").widget
    assert not epochs.isVisible()
    folded = dialog.height()
    dialog.form.show_error("epochs", "Too many.")
    assert epochs.isVisible()
    assert dialog.height() >= folded, "the dialog takes the room of the screen"
    other = TaskDialog(open_state, TrainWordVectors, TrainWordVectors(epochs=9))
    qtbot.addWidget(other)
    other.show()
    assert other.form.field("epochs").widget.isVisible()


def test_a_value_is_checked_as_it_is_typed(open_state: AppState, qtbot: QtBot) -> None:
    dialog = TaskDialog(open_state, ProjectMap)
    qtbot.addWidget(dialog)
    dialog.show()
    form = dialog.form
    assert not any(form.error_of(name) for name in form.names)
    line = form.field("n_clusters").widget
    assert isinstance(line, QLineEdit)
    line.setText("many")
    assert form.error_of("n_clusters")
    line.setText("20")
    assert not form.error_of("n_clusters")
