"""What a new user clicks from the first page to a result from an own file."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QListView,
    QPushButton,
    QTreeView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.corpora.import_dialog import ImportDialog
from app.views.search.view import SearchView
from app.views.shell.application import begin, make_window
from app.views.shell.main_window import MainWindow
from app.views.welcome.sample_card import read_sentence
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

    def click(
        self, widget: QWidget, *, at: QPoint | None = None, holds_ctrl: bool = False
    ) -> None:
        """Click a widget that a user can see and use, in its middle or at a point."""
        assert widget.isVisible()
        assert widget.isEnabled()
        self.n += 1
        keys = Qt.KeyboardModifier
        held = keys.ControlModifier if holds_ctrl else keys.NoModifier
        place = at or widget.rect().center()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, held, place)
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


def find_buttons(parent: QWidget, name: str) -> list[QPushButton]:
    return [
        one
        for one in parent.findChildren(QPushButton)
        if name in (one.text(), one.accessibleName()) and one.isVisible()
    ]


def button(parent: QWidget, name: str) -> QPushButton:
    return find_buttons(parent, name)[0]


def choose_files(window: MainWindow, user: Clicker, *names: str) -> None:
    """Click files in the list of the file dialog, and click Open."""
    (dialog,) = window.findChildren(QFileDialog)
    files = file_view(dialog)
    model = files.model()
    for place, name in enumerate(names):
        rows = (model.index(n, 0, files.rootIndex()) for n in range(99))
        index = next(row for row in rows if row.data() == name)
        files.scrollTo(index)
        user.click(
            files.viewport(),
            at=files.visualRect(index).center(),
            holds_ctrl=place > 0,
        )
    box = dialog.findChildren(QDialogButtonBox)[0]
    user.click(box.button(QDialogButtonBox.StandardButton.Open))


def import_own(window: MainWindow, qtbot: QtBot, user: Clicker, *names: str) -> None:
    """Choose files on the first page and click Import; the hits come by themselves."""
    user.click(button(window, "Import your texts…"))
    import_chosen(window, qtbot, user, *names)


def import_chosen(window: MainWindow, qtbot: QtBot, user: Clicker, *names: str) -> None:
    """Choose files in the dialog that is open, and click Import."""
    qtbot.waitUntil(lambda: has_listed(window, names), timeout=WAIT_MS)
    choose_files(window, user, *names)
    (dialog,) = window.findChildren(ImportDialog)
    qtbot.waitUntil(dialog.ok.isEnabled, timeout=WAIT_MS)
    user.click(dialog.ok)
    qtbot.waitUntil(lambda: shows_hits(window), timeout=WAIT_MS)


def file_view(dialog: QFileDialog) -> QAbstractItemView:
    """Return the list, or the table, that shows the files of a folder."""
    views: list[QAbstractItemView] = [
        *dialog.findChildren(QListView, "listView"),
        *dialog.findChildren(QTreeView, "treeView"),
    ]
    return next(view for view in views if view.isVisible())


def has_listed(window: MainWindow, names: tuple[str, ...]) -> bool:
    """Return whether a file dialog shows these files."""
    for dialog in window.findChildren(QFileDialog):
        files = file_view(dialog)
        model = files.model()
        n_rows = model.rowCount(files.rootIndex())
        rows = {model.index(n, 0, files.rootIndex()).data() for n in range(n_rows)}
        return rows.issuperset(names)
    return False


def shows_hits(window: MainWindow) -> bool:
    view: object = window.view
    return isinstance(view, SearchView) and view.results.shows_hits


def nearest(window: MainWindow) -> tuple[str, dict[str, str]]:
    """Return the query of Search, and its first hit of each language."""
    view: object = window.view
    assert isinstance(view, SearchView)
    columns = view.columns.columns
    hits = {one.language: one.hits[0].sentence.text for one in columns if one.hits}
    return view.controller.query.text, hits


def write_lines(file: Path, lines: Iterable[str], encoding: str = "utf-8") -> None:
    file.write_text("\n".join(lines) + "\n", encoding=encoding)


def assert_translates(window: MainWindow) -> None:
    """Fail unless Search shows the German translation of an English sentence."""
    query, hits = nearest(window)
    assert hits["de"] == dict(LINES)[query]


def test_two_text_files_show_nearest_translations_in_five_clicks(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    write_lines(tmp_path / "village.txt", [one for one, _ in LINES])
    write_lines(tmp_path / "dorf.txt", [other for _, other in LINES], "cp1252")
    user = Clicker()

    import_own(window, qtbot, user, "village.txt", "dorf.txt")

    assert user.n <= MAX_CLICKS
    assert window.state.project is not None
    assert [row.language for row in window.state.project.corpora] == ["en", "de"]
    assert_translates(window)


def write_village(folder: Path) -> tuple[str, str]:
    """Write the lines of both languages into a file each; returns their names."""
    names = ("village.txt", "dorf.txt")
    for name, lines in zip(names, zip(*LINES, strict=True), strict=True):
        write_lines(folder / name, lines)
    return names


def trigger(window: MainWindow, name: str) -> None:
    """Trigger a menu item that can be used."""
    (action,) = [one for _, one in window.menus.actions if one.text() == name]
    assert action.isEnabled()
    action.trigger()


@pytest.mark.parametrize("name", ["Import…", "New project from texts…"])
def test_the_menu_imports_into_a_new_project(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, name: str
) -> None:
    names = write_village(tmp_path)
    taken = tmp_path / f"{tmp_path.name}.isogloss"  # named after the folder
    taken.mkdir()  # it is left alone
    trigger(window, name)

    import_chosen(window, qtbot, Clicker(), *names)

    assert window.windowTitle() == f"{tmp_path.name} 2 — Isogloss"
    assert not list(taken.iterdir())
    assert_translates(window)


def test_the_project_of_a_folder_has_its_whole_name(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = tmp_path / "vol. 2"
    folder.mkdir()
    write_village(folder)
    trigger(window, "Import a folder…")
    (question,) = window.findChildren(QFileDialog)
    question.selectFile(str(folder))
    question.accept()
    (dialog,) = window.findChildren(ImportDialog)
    assert dialog.place is not None
    assert dialog.place.path == tmp_path / "vol. 2.isogloss"
    dialog.reject()
    assert not list(tmp_path.glob("*.isogloss"))


def test_an_empty_project_is_named_by_itself_and_shows_its_first_translations(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    names = write_village(tmp_path)
    (tmp_path / "My project.isogloss").mkdir()
    user = Clicker()
    user.click(button(window, "New empty project…"))
    (question,) = window.findChildren(QFileDialog)
    box = question.findChildren(QDialogButtonBox)[0]
    user.click(box.button(QDialogButtonBox.StandardButton.Save))
    qtbot.waitUntil(lambda: window.view_name == "corpora", timeout=WAIT_MS)
    assert window.windowTitle() == "My project 2 — Isogloss"
    user.click(button(window, "Import…"))

    import_chosen(window, qtbot, user, *names)

    assert user.n <= MAX_CLICKS + 2
    assert_translates(window)


@pytest.mark.parametrize("name", ["village.tsv", "village.tmx"])
def test_a_bilingual_file_shows_nearest_translations_in_four_clicks(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, name: str
) -> None:
    if name.endswith(".tsv"):
        rows = ["\t".join(pair) for pair in LINES]
        write_lines(tmp_path / name, ["english\tgerman", *rows])
    else:
        (tmp_path / name).write_text(tmx(), encoding="utf-8")
    user = Clicker()

    import_own(window, qtbot, user, name)

    assert user.n <= MAX_CLICKS - 1
    assert_translates(window)
    assert window.windowTitle() == "village — Isogloss"
    view: object = window.view
    assert isinstance(view, SearchView)
    assert window.focusWidget() is view.bar.field
    QTest.keyClicks(view.bar.field, "The train to the seaside was delayed.")
    with qtbot.waitSignal(view.hits_shown, timeout=WAIT_MS):
        QTest.keyClick(view.bar.field, Qt.Key.Key_Return)
    assert nearest(window)[1] == {"en": LINES[2][0], "de": LINES[2][1]}


def tmx() -> str:
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{english}</seg></tuv>'
        f'<tuv xml:lang="de"><seg>{german}</seg></tuv></tu>'
        for english, german in LINES
    )
    head = '<header srclang="en" datatype="plaintext" segtype="sentence"/>'
    return f'<tmx version="1.4">{head}<body>{units}</body></tmx>'


def test_files_dropped_on_the_first_page_need_one_more_click(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    files = [tmp_path / "village.en", tmp_path / "village.de"]
    for file, lines in zip(files, zip(*LINES, strict=True), strict=True):
        write_lines(file, lines)
    user = Clicker()
    window.first_import.ask(files)  # as a drop does
    (dialog,) = window.findChildren(ImportDialog)
    qtbot.waitUntil(dialog.ok.isEnabled, timeout=WAIT_MS)

    user.click(dialog.ok)

    qtbot.waitUntil(lambda: shows_hits(window), timeout=WAIT_MS)
    assert_translates(window)


def test_separate_texts_are_imported_in_one_dialog(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    write_lines(tmp_path / "village.txt", [one for one, _ in LINES])
    write_lines(tmp_path / "dorf.txt", [other for _, other in LINES[1:]])
    user = Clicker()

    import_own(window, qtbot, user, "village.txt", "dorf.txt")

    assert user.n <= MAX_CLICKS
    project = window.state.project
    assert project is not None
    assert {row.name: row.language for row in project.corpora} == {
        "village": "en",
        "dorf": "de",
    }


def ask_table(window: MainWindow, qtbot: QtBot, folder: Path) -> ImportDialog:
    """Let the window ask how to import a bilingual table."""
    write_lines(folder / "lines.tsv", ["\t".join(pair) for pair in LINES])
    window.first_import.ask([folder / "lines.tsv"])
    (dialog,) = window.findChildren(ImportDialog)
    qtbot.waitUntil(dialog.ok.isEnabled, timeout=WAIT_MS)
    return dialog


def test_the_project_is_named_in_the_import_dialog(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    write_lines(tmp_path / "lines.tsv", ["\t".join(pair) for pair in LINES])
    (tmp_path / "Taken.isogloss").mkdir()
    window.first_import.ask([tmp_path / "lines.tsv"])
    (dialog,) = window.findChildren(ImportDialog)
    qtbot.waitUntil(dialog.ok.isEnabled, timeout=WAIT_MS)
    place = dialog.place
    assert place is not None
    assert place.path == tmp_path / "lines.isogloss"
    place.name.setText("Taken")
    assert not dialog.ok.isEnabled()
    assert "already exists" in place.problem
    place.name.setText("Our village")
    assert dialog.ok.isEnabled()
    assert not list(tmp_path.glob("*ines.isogloss"))  # nothing is made before

    dialog.ok.click()

    qtbot.waitUntil(lambda: shows_hits(window), timeout=WAIT_MS)
    assert window.state.project is not None
    assert window.state.project.folder == tmp_path / "Our village.isogloss"


def test_a_cancelled_first_import_leaves_no_project(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = ask_table(window, qtbot, tmp_path)
    dialog.reject()
    assert window.state.project is None
    assert not list(tmp_path.glob("*.isogloss"))


def test_a_first_import_that_fails_is_offered_again_in_its_project(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    files = [tmp_path / "village.txt", tmp_path / "dorf.txt"]
    write_lines(files[0], [one for one, _ in LINES])
    write_lines(files[1], [other for _, other in LINES[1:]])
    window.first_import.ask(files)
    (dialog,) = window.findChildren(ImportDialog)
    qtbot.waitUntil(dialog.ok.isEnabled, timeout=WAIT_MS)
    files[1].unlink()  # the other one is imported

    dialog.ok.click()

    project = tmp_path / f"{tmp_path.name}.isogloss"
    qtbot.waitUntil(
        lambda: dialog.isVisible() and not window.state.is_busy, timeout=WAIT_MS
    )
    assert window.state.project is not None
    assert window.state.project.folder == project
    labels = [one.text() for one in dialog.findChildren(QLabel) if one.isVisible()]
    assert any("dorf.txt" in t and "does not exist" in t for t in labels), "\n".join(
        labels
    )
    assert "Import dorf.txt" in labels
    write_lines(files[1], [other for _, other in LINES[1:]])

    dialog.ok.click()

    qtbot.waitUntil(lambda: shows_hits(window), timeout=WAIT_MS)
    assert {row.name for row in window.state.project.corpora} == {"village", "dorf"}


def test_a_project_that_can_t_be_made_leaves_the_dialog_with_its_input(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = ask_table(window, qtbot, tmp_path)
    assert dialog.place is not None
    dialog.place.set_folder(tmp_path / "gone")

    dialog.ok.click()

    qtbot.waitUntil(dialog.isVisible, timeout=WAIT_MS)
    labels = [one.text() for one in dialog.findChildren(QLabel) if one.isVisible()]
    assert any("doesn't exist" in text for text in labels), labels
    assert window.state.project is None
    dialog.reject()


def test_search_of_what_next_shows_an_example(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = ask_table(window, qtbot, tmp_path)
    dialog.ok.click()
    qtbot.waitUntil(lambda: window.view_name == "corpora", timeout=WAIT_MS)
    window.show_view("mining")  # the user has left: nothing is shown by itself
    qtbot.waitUntil(
        lambda: bool(find_buttons(window.message_bar, "Search")), timeout=WAIT_MS
    )
    assert window.view_name == "mining"

    Clicker().click(button(window.message_bar, "Search"))

    qtbot.waitUntil(lambda: shows_hits(window), timeout=WAIT_MS)
    assert_translates(window)


def test_a_sentence_of_the_first_page_is_searched_in_the_demo(
    window: MainWindow, qtbot: QtBot
) -> None:
    text = dict(read_sentence("g09"))["de"]

    Clicker().click(button(window, text))

    qtbot.waitUntil(lambda: shows_hits(window), timeout=WAIT_MS)
    query, hits = nearest(window)
    assert query == text
    assert hits["de"] == text
    assert hits["en"].startswith("Take an umbrella")
