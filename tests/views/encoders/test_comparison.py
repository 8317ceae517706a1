"""The comparison of encoders: their errors per language, side by side."""

from pathlib import Path

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.engine.encoders.registry import list_encoders
from app.protocol.answers.encoders import EncoderInfo
from app.results.encoder_scores import read_scores
from app.views.encoders.comparison import ComparisonPage
from app.views.encoders.view import EncodersView
from app.views.widgets.cells import ALIGN_LEFT, ALIGN_RIGHT
from tests.views.encoders.cards import ISOGLOSS, card


def test_the_errors_of_two_encoders_are_side_by_side(
    tmp_path: Path, qtbot: QtBot
) -> None:
    page = make_page(qtbot)
    first = write_scores(tmp_path / "first", "small\tdeu\t0.05\nsmall\twol\t0.5\n")
    second = write_scores(
        tmp_path / "second", "small\tdeu\t0.0625\nlarge\tfra_Latn\t0.02\n"
    )
    page.show_encoders([(first, None), (second, None)])
    assert page.texts() == [
        ["German", "deu", "5.0\u00a0%", "6.2\u00a0%"],
        ["Wolof", "wol", "50.0\u00a0%", "–"],
    ]
    under = "below 10.0\u00a0%"
    assert page.summary.splitlines() == [
        f"first: mean error 27.5\u00a0%, 1 of 2 languages {under} · 31\u00a0MB",
        f"second: mean error 6.2\u00a0%, 1 of 1 language {under} · 31\u00a0MB",
    ]
    page.table.sortItems(2, Qt.SortOrder.DescendingOrder)
    assert [row[0] for row in page.texts()] == ["Wolof", "German"]
    (tests,) = page.findChildren(QComboBox)
    tests.setCurrentText("large")
    assert page.texts() == [["French", "fra_Latn", "2.0\u00a0%"]]


def test_the_bundled_encoders_come_with_scores() -> None:
    for one in list_encoders():
        scores = read_scores(Path(one.folder))
        assert [len(errors) for errors in scores.values()] == [112, 204]
        assert all(0 <= e < 1 for errors in scores.values() for e in errors.values())


def test_a_damaged_file_counts_as_no_scores(tmp_path: Path) -> None:
    write_scores(tmp_path / "bad", "small\tdeu\tnone\n")
    assert read_scores(tmp_path / "bad") == {}
    assert read_scores(tmp_path) == {}


def test_encoders_without_scores_are_not_compared(view: EncodersView) -> None:
    view.tabs.setCurrentWidget(view.comparison)
    words = "Encoders that come with Isogloss are compared here."
    assert view.comparison.summary == words
    assert not view.comparison.table.isVisible()


def test_encoders_without_a_column_are_named_with_what_to_do(
    tmp_path: Path, qtbot: QtBot
) -> None:
    page = make_page(qtbot)
    first = write_scores(tmp_path / "first", "small\tdeu\t0.05\n")
    own = msgspec.convert(card("quick-2", ISOGLOSS, tmp_path), EncoderInfo)
    page.show_encoders([(first, None)])
    page.show()
    texts = [one.text() for one in page.findChildren(QLabel) if one.isVisible()]
    assert not any("Only encoders" in text for text in texts)
    page.show_encoders([(first, None), (own, None)])
    texts = [one.text() for one in page.findChildren(QLabel) if one.isVisible()]
    assert any("To compare quick-2, measure" in text for text in texts)
    (button,) = (x for x in page.findChildren(QPushButton) if x.isVisible())
    with qtbot.waitSignal(page.evaluation_requested):
        button.click()
    for column, align in ((0, ALIGN_LEFT), (1, ALIGN_LEFT), (2, ALIGN_RIGHT)):
        heading = page.table.horizontalHeaderItem(column)
        assert heading is not None
        assert heading.textAlignment() == align.value


def make_page(qtbot: QtBot) -> ComparisonPage:
    page = ComparisonPage()
    qtbot.addWidget(page)
    return page


def write_scores(folder: Path, lines: str) -> EncoderInfo:
    """Write the scores of an encoder, and return the encoder."""
    folder.mkdir()
    text = f"test\tlanguage\terror\n{lines}"
    (folder / "scores.tsv").write_text(text, encoding="utf-8", newline="\n")
    return msgspec.convert(card(folder.name, ISOGLOSS, folder), EncoderInfo)
