"""What is dropped on the encoders view, or chosen in a dialog."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent

from app.views.encoders.sources import describe_source, guess_kind, guess_params
from app.views.encoders.view import EncodersView
from app.views.widgets.task_dialog import TaskDialog
from tests.views.stage import Stage


def test_kinds_are_told_by_names(tmp_path: Path) -> None:
    for name in ("laser2.pt", "laser2.spm", "laser2.cvocab", "other.spm", "v.npy"):
        (tmp_path / name).touch()
    hub = tmp_path / "minilm"
    hub.mkdir()
    (hub / "modules.json").touch()
    assert guess_kind(tmp_path / "laser2.pt") == "laser"
    assert guess_kind(hub) == "sentence-transformers"
    assert guess_kind(tmp_path / "v.npy") == "vectors"
    assert guess_kind(tmp_path) is None
    values = guess_params(tmp_path / "laser2.pt")
    assert values["pieces"] == tmp_path / "laser2.spm"
    assert values["dictionary"] == tmp_path / "laser2.cvocab"
    assert values["name"] == "laser2"
    words = (
        "laser2.pt looks like a LASER encoder. Also found: laser2.spm, laser2.cvocab."
    )
    assert describe_source(tmp_path / "laser2.pt") == words


def test_a_dropped_encoder_opens_its_dialog_and_a_text_does_not(
    view: EncodersView, stage: Stage, tmp_path: Path
) -> None:
    (tmp_path / "laser2.pt").touch()
    (tmp_path / "text.txt").touch()
    for name, is_taken in (("laser2.pt", True), ("text.txt", False)):
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(tmp_path / name))])
        place, buttons = QPointF(9, 9), Qt.MouseButton.LeftButton
        keys, action = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
        entering = QDragEnterEvent(place.toPoint(), action, data, buttons, keys)
        view.dragEnterEvent(entering)
        assert entering.isAccepted() is is_taken
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "laser2.pt"))])
    view.dropEvent(QDropEvent(place, action, data, buttons, keys))
    (dialog,) = view.findChildren(TaskDialog)
    params: Any = dialog.form.values()
    assert (params.name, params.kind) == ("laser2", "laser")
    dialog.reject()


def test_vectors_need_a_corpus_of_the_project(view: EncodersView) -> None:
    view.controller.import_vectors(Path("v.npy"))
    (dialog,) = view.findChildren(TaskDialog)
    params: Any = dialog.form.values()
    assert (params.file, params.corpus) == (Path("v.npy"), "Harbour letters")
    dialog.reject()
