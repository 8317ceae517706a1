"""What a new user clicks from the first page to a result from an own file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialogButtonBox,
    QFileDialog,
    QLineEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.corpora.import_dialog import ImportDialog
from app.views.search.view import SearchView
from app.views.shell.application import begin, make_window
from app.views.shell.main_window import MainWindow
from app.views.widgets.theme import Theme
from tests.process.windows import WAIT_MS

LINES = [
    ("The mill stands by the river.", "Die Mühle steht am Fluss."),
    ("My sister bakes bread on Saturdays.", "Meine Schwester backt samstags Brot."),
    ("The train to the coast was late.", "Der Zug an die Küste war verspätet."),
    ("We planted three apple trees.", "Wir haben drei Apfelbäume gepflanzt."),
    ("The doctor lives next to the school.", "Der Arzt wohnt neben der Schule."),
]
MAX_CLICKS = 5


class Clicker:
    """Clicks with the mouse, and counts."""

    def __init__(self) -> None:
        self.n = 0

    def click(self, widget: QWidget) -> None:
        """Click the middle of a widget that a user can see and use."""
        assert widget.isVisible()
        assert widget.isEnabled()
        self.n += 1
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
        QApplication.processEvents()


@pytest.fixture
def window(
    qtbot: QtBot,
    qapp: QApplication,
    data_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[MainWindow]:
    """The window of a user who never started the program."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    settings = Settings(theme="light")
    theme = Theme(qapp, settings)
    window = make_window(settings, theme)
    window.show()
    begin(window)
    yield window
    window.close()
    qtbot.waitUntil(window.isHidden, timeout=WAIT_MS)
    window.deleteLater()
    theme.deleteLater()


def button(parent: QWidget, name: str) -> QPushButton:
    return next(
        one
        for one in parent.findChildren(QPushButton)
        if name in (one.text(), one.accessibleName()) and one.isVisible()
    )


def choose_file(window: MainWindow, user: Clicker, file: Path) -> None:
    """Type the name of a file in the file dialog, and click Open."""
    (dialog,) = window.findChildren(QFileDialog)
    (name,) = dialog.findChildren(QLineEdit, "fileNameEdit")
    name.setText(str(file))
    box = dialog.findChildren(QDialogButtonBox)[0]
    user.click(box.button(QDialogButtonBox.StandardButton.Open))


def test_an_own_file_is_searched_across_languages_in_five_clicks(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "village.tsv"
    rows = ["\t".join(pair) for pair in LINES]
    file.write_text("\n".join(["english\tgerman", *rows]) + "\n", encoding="utf-8")
    user = Clicker()

    user.click(button(window, "Import your texts…"))
    choose_file(window, user, file)
    qtbot.waitUntil(lambda: bool(window.findChildren(ImportDialog)), timeout=WAIT_MS)
    (dialog,) = window.findChildren(ImportDialog)
    qtbot.waitUntil(dialog.ok.isEnabled, timeout=WAIT_MS)
    user.click(dialog.ok)
    qtbot.waitUntil(
        lambda: bool(
            [
                one
                for one in window.message_bar.findChildren(QPushButton)
                if one.text() == "Search" and one.isVisible()
            ]
        ),
        timeout=WAIT_MS,
    )
    user.click(button(window.message_bar, "Search"))
    view: object = window.view
    assert isinstance(view, SearchView)
    assert window.focusWidget() is view.bar.field
    QTest.keyClicks(view.bar.field, "The train to the seaside was delayed.")
    with qtbot.waitSignal(view.hits_shown, timeout=WAIT_MS):
        QTest.keyClick(view.bar.field, Qt.Key.Key_Return)

    assert user.n <= MAX_CLICKS
    first = {column.language: column.hits[0] for column in view.columns.columns}
    assert first["de"].sentence.text == "Der Zug an die Küste war verspätet."
    assert first["en"].sentence.text == "The train to the coast was late."
    assert window.windowTitle() == "village — Isogloss"
