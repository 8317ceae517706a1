"""Documents in the window over the real engine: imported, edited, undone, resumed."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.engine.project.project import create_project
from app.engine.store.corpora import first_sentence_id, list_corpora
from app.engine.store.documents import document_of, list_documents
from app.engine.store.runs import RunRow
from app.params.corpora import ImportCorpus
from app.protocol.queries.search import OrderQuery
from app.views.client.state import AppState
from app.views.corpora.documents import NAME, SENTENCES
from app.views.corpora.import_dialog import ImportDialog
from app.views.corpora.view import CorporaView
from app.views.shell.inspector import Inspector
from app.views.shell.main_window import MainWindow
from tests.process.windows import WAIT_MS, Windows

PATTERN = "{genre}/{author}_{year}"
LETTERS = {
    "Brief/Meer_1854": "Wegen des Sturms fährt die Fähre morgen nicht.\n" * 3,
    "Brief/Мороз_1790": "Из-за шторма паром завтра не пойдёт.\n",
    "Roman/川端_1935": "嵐のため、明日はフェリーが出ません。\n" * 2,
}
N_FILES, N_LINES = 44, 3_000


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "p.isogloss"
    create_project(folder).close()
    return folder


def make_folder(tmp_path: Path) -> Path:
    for name, text in LETTERS.items():
        file = tmp_path / "Texte" / f"{name}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "Texte"


def view_of(window: MainWindow) -> CorporaView:
    view = window.views["corpora"]
    assert isinstance(view, CorporaView)
    return view


def import_folder(window: MainWindow, folder: Path, qtbot: QtBot) -> None:
    """Import as a person does who drops a folder and names the parts of its files."""
    window.import_files([folder])
    (dialog,) = window.findChildren(ImportDialog)
    qtbot.waitUntil(lambda: dialog.table.rowCount() > 0, timeout=WAIT_MS)
    documents = dialog.form.documents
    boxes = documents.names.boxes
    with qtbot.waitSignal(dialog.preview_shown, timeout=WAIT_MS):
        for box, field in zip(boxes, ("genre", "author", "year"), strict=True):
            box.setEditText(field)
    assert documents.pattern.text() == PATTERN
    language = dialog.form.sides[0].language
    with qtbot.waitSignal(dialog.preview_shown, timeout=WAIT_MS):
        language.setText("de")
        language.textEdited.emit("de")
    dialog._encodes.setChecked(False)
    with qtbot.waitSignal(window.state.corpora_changed, timeout=WAIT_MS):
        dialog.ok.click()
    view = view_of(window)
    qtbot.waitUntil(lambda: bool(view.list.chosen), timeout=WAIT_MS)


def interrupted(state: AppState) -> list[RunRow]:
    return state.project.interrupted if state.project is not None else []


def column(view: CorporaView, index: int) -> list[str]:
    model = view.documents.model
    return [str(model.data(model.index(row, index))) for row in range(model.rowCount())]


def test_a_folder_shows_its_documents_and_a_field_is_written_and_undone(
    windows: Windows, project: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    window = windows.open(project, "corpora")
    view, state = view_of(window), window.state
    import_folder(window, make_folder(tmp_path), qtbot)
    board = view.documents
    assert board.card.summary == "3 documents · genre · author · year"
    assert column(view, NAME) == list(LETTERS)
    assert column(view, SENTENCES) == ["3", "1", "2"]
    board.model.sort(4, Qt.SortOrder.DescendingOrder)
    assert column(view, 4) == ["1935", "1854", "1790"]

    board.document_chosen.emit(board.model.rows[0].first)
    corpus = view.chosen[0].id
    assert view.page.table.current_id == first_sentence_id(corpus) + 4
    inspector = Inspector(state)
    qtbot.addWidget(inspector)
    said = [label.text() for label in inspector._document.widgets(QLabel)]
    assert {"Roman/川端_1935", "author: 川端", "year: 1935"} <= set(said)

    board.model.setData(board.model.index(0, 3), "川端康成")
    renamed = ["川端康成", "Meer", "Мороз"]
    qtbot.waitUntil(lambda: column(view, 3) == renamed, timeout=WAIT_MS)
    store = state.project.store if state.project else None
    assert store is not None
    found = document_of(store, first_sentence_id(corpus) + 5)
    assert found is not None
    assert found.fields["author"] == "川端康成"
    state.changes.undo()
    before = ["川端", "Meer", "Мороз"]
    qtbot.waitUntil(lambda: column(view, 3) == before, timeout=WAIT_MS)


def test_an_engine_killed_within_an_import_of_a_folder_goes_on_where_it_was(
    windows: Windows, project: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / "Bände"
    folder.mkdir()
    for n in range(N_FILES):
        lines = "".join(f"Satz {i} im Band {n}\n" for i in range(N_LINES))
        (folder / f"Band_{n}.txt").write_text(lines, encoding="utf-8")
    window = windows.open(project, "corpora")
    state = window.state
    params = ImportCorpus(
        files=(folder,), languages=("de",), fields_pattern="{_}_{volume}"
    )
    shards: list[str] = []
    state.row_changed.connect(lambda kind, _: shards.append(kind))
    state.run(params)
    qtbot.waitUntil(lambda: "corpus" in shards, timeout=WAIT_MS)
    state.client.kill()
    qtbot.waitUntil(lambda: not state.is_busy, timeout=WAIT_MS)
    assert state.project is not None
    (left,) = list_corpora(state.project.store, states=["importing"])
    assert 0 < left.n_sentences < N_FILES * N_LINES

    state.ask(OrderQuery(), lambda _: None)  # the engine starts again
    qtbot.waitUntil(lambda: bool(interrupted(state)), timeout=WAIT_MS)
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        state.resume(interrupted(state)[0])

    rows = list_documents(state.project.store, left.id)
    assert [(row.name, row.n_sentences, row.fields) for row in rows] == [
        (f"Band_{n}", N_LINES, {"volume": str(n)}) for n in range(N_FILES)
    ]
