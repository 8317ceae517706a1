"""Adding a language in the window: the dialog, the params, and the curves."""

from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QComboBox, QPushButton
from pytestqt.qtbot import QtBot

from app.params.encoders import AlignEncoder
from app.protocol.answers.corpora import ImportPreview, SidePreview
from app.protocol.queries.corpora import PreviewQuery
from app.protocol.queries.encoders import EncodersQuery
from app.results.alignment import CURVE_FILE, AlignmentCurve, AlignmentPoint
from app.views.encoders.add_language import (
    AddLanguageDialog,
    guess_file_language,
    propose_name,
)
from app.views.encoders.view import EncodersView
from tests.views.encoders.cards import LASER, card
from tests.views.stage import Stage, link, sentence_id

POINTS = (
    AlignmentPoint(0, 0.9, 0.98, 0.34),
    AlignmentPoint(100, 0.5, 0.4, 0.45),
    AlignmentPoint(200, 0.3, 0.2, 0.5),
)


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("eng-wol.tsv.xz", "wol"),
        ("en-zh-Hans.tsv", "zh-Hans"),
        ("pairs_en_pt.tsv", "pt"),
        ("eng_wol.tsv", "wol"),
        ("open_ends.tsv", ""),
        ("pairs.tsv", ""),
        ("my-own pairs.tsv", ""),
    ],
)
def test_a_file_names_its_language(file: str, code: str) -> None:
    assert guess_file_language(Path(file)) == code


def test_the_new_encoder_is_named_after_both() -> None:
    assert propose_name("isogloss-2", "wol") == "isogloss-2 + Wolof"
    assert propose_name("isogloss-2", "") == "isogloss-2 + language"
    taken = {"isogloss-2 + Wolof", "isogloss-2 + Wolof 2"}
    assert propose_name("isogloss-2", "wol", taken) == "isogloss-2 + Wolof 3"


def open_dialog(view: EncodersView, file: Path) -> AddLanguageDialog:
    file.write_text("a ship\tgaal\n", encoding="utf-8")
    view.controller.add_language_of(file)
    dialog = view.findChild(AddLanguageDialog)
    assert dialog is not None
    return dialog


def test_the_dialog_runs_what_it_shows(
    view: EncodersView, stage: Stage, tmp_path: Path
) -> None:
    file = tmp_path / "eng-wol.tsv"
    dialog = open_dialog(view, file)
    assert dialog.windowTitle() == "Add a language"
    assert dialog.run_button.text() == "Add language"
    boxes = [dialog.form.field(name).widget for name in ("architecture", "loss")]
    texts = [one.itemText(0) for one in boxes if isinstance(one, QComboBox)]
    assert texts == ["Mean of word vectors (CBOW)", "Match the English vectors"]
    raw = dialog.form.raw()
    assert raw["english"] == "isogloss-2"
    assert raw["name"] == "isogloss-2 + Wolof"
    dialog.form.write({"language": "sw", "architecture": "cbow"})
    assert dialog.form.raw()["name"] == "isogloss-2 + Swahili"
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert isinstance(params, AlignEncoder)
    assert params == AlignEncoder(
        english="isogloss-2",
        pairs=file,
        language="sw",
        name="isogloss-2 + Swahili",
        architecture="cbow",
    )


def test_a_language_that_the_encoder_knows_is_warned_of(
    view: EncodersView, tmp_path: Path
) -> None:
    dialog = open_dialog(view, tmp_path / "eng-wol.tsv")
    assert dialog.needs.startswith("The result is a new encoder")
    dialog.form.write({"english": "laser2", "language": "deu"})  # the card has de
    assert dialog.needs.startswith("laser2 was already trained on German. The new part")
    dialog.form.write({"language": "wo"})
    assert dialog.needs.startswith("The result is a new encoder")


def test_the_language_of_an_unnamed_file_is_detected(
    view: EncodersView, stage: Stage, tmp_path: Path, qtbot: QtBot
) -> None:
    guessed = ImportPreview(
        format="tsv",
        sides=(SidePreview(guess="en"), SidePreview(guess="pt", confidence=0.9)),
    )
    stage.client.answers[PreviewQuery] = lambda _: msgspec.to_builtins(guessed)
    dialog = open_dialog(view, tmp_path / "mine.tsv")
    qtbot.waitUntil(lambda: dialog.form.raw()["language"] == "pt")
    assert dialog.form.raw()["name"] == "isogloss-2 + Portuguese"


def test_a_linked_corpus_is_proposed_and_a_file_replaces_it(
    view: EncodersView, stage: Stage, folder: Path, tmp_path: Path
) -> None:
    assert stage.state.project is not None
    corpora = stage.state.project.corpora
    english = next(row for row in corpora if row.language == "en")
    german = next(row for row in corpora if row.language == "de")
    pairs = [(sentence_id(english.id, n), sentence_id(german.id, n)) for n in (0, 1)]
    link(folder, pairs)
    view.controller.add_language()
    dialog = view.findChildren(AddLanguageDialog)[-1]
    raw = dialog.form.raw()
    assert (raw.get("pairs"), raw["corpus"]) == (None, german.name)
    assert (raw["language"], raw["name"]) == ("de", "isogloss-2 + German")
    file = tmp_path / "eng-wol.tsv"
    dialog.form.write({"pairs": file})
    raw = dialog.form.raw()
    assert (raw.get("corpus", ""), raw["language"]) == ("", "wol")
    assert raw["name"] == "isogloss-2 + Wolof"
    dialog.form.write({"corpus": german.name})
    raw = dialog.form.raw()
    assert (raw.get("pairs"), raw["language"]) == (None, "de")
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert isinstance(params, AlignEncoder)
    assert (params.pairs, params.corpus) == (None, german.name)


def test_a_refused_name_is_shown_at_the_name(
    view: EncodersView, tmp_path: Path
) -> None:
    dialog = open_dialog(view, tmp_path / "eng-wol.tsv")
    dialog.form.write({"name": "isogloss-2"})
    refused = "A bundled encoder is named isogloss-2. Choose another name."
    assert dialog.form.find_named(refused) == "name"


def test_a_name_that_the_user_chose_stays(view: EncodersView, tmp_path: Path) -> None:
    dialog = open_dialog(view, tmp_path / "pairs.tsv")
    dialog.form.write({"name": "mine"})
    dialog.form.write({"language": "wo"})
    assert dialog.form.raw()["name"] == "mine"


def test_the_curves_of_an_added_language_are_drawn(
    view: EncodersView, stage: Stage, tmp_path: Path, qtbot: QtBot
) -> None:
    view.tabs.setCurrentWidget(view.added_page)
    page = view.added_page
    assert page.summary.startswith("No language was added")
    assert page.curves is None
    buttons = [one for one in page.findChildren(QPushButton) if one.isVisible()]
    assert [one.text() for one in buttons] == ["Add a language…"]
    folder = tmp_path / "plus"
    language = folder / "languages" / "wo"
    language.mkdir(parents=True)
    curve = AlignmentCurve(200, 0.6, POINTS)
    (language / CURVE_FILE).write_bytes(msgspec.json.encode(curve))
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [card("plus", LASER, folder, architecture="combined")],
        "chosen": "plus",
    }
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    assert view.header.texts[1].startswith("combined · 256 dimensions")
    assert page.summary == (
        "Weights of step 200: zero-shot accuracy 50.0\u00a0% (English: 60.0\u00a0%)"
    )
    drawn = view.added_page.curves
    assert drawn is not None
    rows = [list(row) for row in drawn.share_chart.table()]
    assert rows[0] == ["step", "Zero-shot accuracy", "Retrieval error"]
    assert rows[1:] == [["0", "34", "98"], ["100", "45", "40"], ["200", "50", "20"]]
    rows = [list(row) for row in drawn.loss_chart.table()]
    assert rows[0] == ["step", "Alignment loss", "Zero-shot accuracy (0–1)"]
    assert rows[-1] == ["200", "0.3", "0.5"]
