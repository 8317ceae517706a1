"""A translation model in the window: train it, evaluate it, translate with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.params.corpora import ImportCorpus
from app.params.probing import Probe
from app.params.translation import EvaluateTranslation, TrainTranslation
from app.results.measurement_charts import draw_measurements
from app.views.encoders.export_dialog import EncoderExportDialog
from app.views.encoders.view import EncodersView
from app.views.evaluate.dialogs import EvaluationDialog
from app.views.evaluate.view import EvaluateView
from app.views.search.translations import TranslationsDialog
from app.views.search.view import SearchView
from app.views.shell.main_window import MainWindow
from app.views.training.translation_dialog import TranslationDialog
from app.views.training.translation_grid_dialog import TranslationGridDialog
from app.views.training.view import TrainingView
from app.views.widgets.encoder_use import encode_with, use_encoder
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.view_protocol import TextLookup
from tests.engine.probing.made import write_rows
from tests.engine.translation.made import SETTINGS, make_rows, write_table
from tests.process.windows import WAIT_MS, Windows
from tests.views.stage import build_project, link, sentence_id

LANGUAGES = {"English": "eng", "German": "deu", "French": "fra"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = make_rows()
    codes = {"eng": "en", "deu": "de", "fra": "fr"}
    texts = {
        name: (codes[code], [row[code] for row in rows])
        for name, code in LANGUAGES.items()
    }
    folder = build_project(tmp_path / "p.isogloss", texts, is_encoded=False)
    indices = range(len(rows))
    for target in (2, 3):
        link(folder, [(sentence_id(1, n), sentence_id(target, n)) for n in indices])
    return folder


@pytest.fixture
def window(windows: Windows, qtbot: QtBot, folder: Path) -> Iterator[MainWindow]:
    window = windows.open(folder, "training")
    yield window
    state = window.state
    for run in state.runs:
        state.cancel(run)
    qtbot.waitUntil(lambda: not state.is_busy, timeout=WAIT_MS)


def _train(window: MainWindow, qtbot: QtBot) -> None:
    """Train from English into both languages and back, but not fr → en."""
    view = window.view
    assert isinstance(view, TrainingView)
    view.controller.translation_action.trigger()
    (dialog,) = view.findChildren(TranslationDialog)
    assert dialog.form.raw()["corpora"] == list(LANGUAGES)
    small = {key: SETTINGS[key] for key in SETTINGS if key != "checkpoint_every_s"}
    dialog.form.write({**small, "name": "bridge"})
    assert set(dialog.matrix.boxes) == {
        (s, t) for s in ("en", "de", "fr") for t in ("en", "de", "fr") if s != t
    }
    dialog.matrix.boxes["fr", "en"].click()
    with qtbot.waitSignal(window.state.run_finished, timeout=WAIT_MS):
        dialog.run_button.click()


def test_a_table_offers_its_languages_and_is_estimated(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    view = window.view
    assert isinstance(view, TrainingView)
    view.controller.translation_action.trigger()
    (dialog,) = view.findChildren(TranslationDialog)
    lines = tmp_path / "lines.txt"
    lines.write_text("The cat sees a bird.\n", encoding="utf-8")
    small = {key: SETTINGS[key] for key in SETTINGS if key != "checkpoint_every_s"}
    dialog.form.write({**small, "name": "bridge", "table": lines})
    qtbot.waitUntil(
        lambda: "is not a language code" in dialog.form.error_of("table"),
        timeout=WAIT_MS,
    )
    assert not dialog.matrix.boxes
    dialog.form.write({"table": write_table(tmp_path / "table.tsv")})
    assert dialog._error.isHidden()
    assert not dialog.form.error_of("table")
    qtbot.waitUntil(lambda: len(dialog.matrix.boxes) == 6, timeout=WAIT_MS)
    dialog.matrix.boxes["fra", "eng"].click()
    params = dialog._params()
    assert isinstance(params, TrainTranslation)
    assert params.languages == ("eng", "deu", "fra")
    assert params.without == ("fra-eng",)
    dialog.estimate.button.click()
    qtbot.waitUntil(lambda: " memory" in dialog.estimate.text, timeout=WAIT_MS)
    assert "excludes the time to train them" in dialog.estimate.text
    dialog.matrix.boxes["fra", "deu"].click()
    assert not dialog.estimate.text
    dialog.reject()


def test_numbers_of_heads_are_compared(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    view = window.view
    assert isinstance(view, TrainingView)
    view.controller.translation_grid_action.trigger()
    (dialog,) = view.findChildren(TranslationGridDialog)
    table = write_table(tmp_path / "table.tsv", languages=("eng", "deu"))
    small = {key: SETTINGS[key] for key in SETTINGS if key != "checkpoint_every_s"}
    dialog.form.write(
        {**small, "n_steps": 2, "table": table, "test": table, "n_sentences": 3}
    )
    assert dialog.form.raw()["vary"] == ["n_heads=1|5|10|25"]
    qtbot.waitUntil(lambda: len(dialog.matrix.boxes) == 2, timeout=WAIT_MS)
    dialog.form.write({"vary": ["n_heads=1|99"]})
    dialog.run_button.click()
    assert "Heads 99: it must be at most 50." in dialog._error.text()
    dialog.form.write({"vary": ["n_heads=1|2"]})
    with qtbot.waitSignal(window.state.run_finished, timeout=WAIT_MS):
        dialog.run_button.click()
    qtbot.waitUntil(
        lambda: view.shown is not None and view.shown.state == "finished",
        timeout=WAIT_MS,
    )
    assert view.shown is not None
    assert view.shown.is_grid
    assert view.shown.name == "comparison-1"
    rows = view.grid_page.rows
    assert [list(row.varied.values()) for row in rows] == [["1"], ["2"]]
    assert all("BLEU, trained" in row.scores for row in rows)
    assert "Comparison of settings" in view.grid_page.charts.title


def test_a_model_is_trained_and_its_directions_have_curves(
    window: MainWindow, qtbot: QtBot
) -> None:
    _train(window, qtbot)
    view = window.view
    assert isinstance(view, TrainingView)

    def has_curves() -> bool:
        return view.shown is not None and view.shown.state == "finished"

    qtbot.waitUntil(has_curves, timeout=WAIT_MS)
    assert view.shown is not None
    assert view.shown.name == "bridge"
    qtbot.waitUntil(lambda: not view.curves.is_reading, timeout=WAIT_MS)
    drawn = set(view.curves.curves(view.shown.id).names)
    assert {"loss.en-de", "loss.de-en", "loss.en-fr"} <= drawn
    assert "loss.fr-en" not in drawn
    assert "# bridge" in view.page.card.text


def test_a_model_is_evaluated_and_translates_in_search(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    _train(window, qtbot)
    state = window.state
    qtbot.waitUntil(
        lambda: "bridge" in {card.name for card in state.encoders.cards},
        timeout=WAIT_MS,
    )
    table = write_table(tmp_path / "table.tsv")
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS) as finished:
        state.run(EvaluateTranslation(model="bridge", table=table, beam_size=1))
    scored = {(d["source"], d["target"]) for d in finished.args[1]["directions"]}
    # nothing was translated from French
    assert scored == {("en", "de"), ("en", "fr"), ("de", "en"), ("de", "fr")}
    assert (
        "French → English was skipped: the model was trained on no direction with this "
        "source or target."
    ) in finished.args[1]["notes"]
    zero_shot = [d for d in finished.args[1]["directions"] if d["zero_shot"]]
    assert [(d["source"], d["target"]) for d in zero_shot] == [("de", "fr")]
    window.show_view("evaluate")
    view = window.view
    assert isinstance(view, EvaluateView)
    qtbot.waitUntil(lambda: len(view.page.results.rows) == 4, timeout=WAIT_MS)
    titles = [chart.title for chart in draw_measurements(view.page.results.rows)]
    assert titles == [
        "Translation (BLEU) · bridge",
        "BLEU by number of words in the source sentence · bridge",
    ]

    window.show_view("search")
    search = window.view
    assert isinstance(search, SearchView)
    search.bar.field.setText("the cat sees the tree now")
    search.bar.submitted.emit()
    search.show_translations()
    (dialog,) = search.findChildren(TranslationsDialog)
    assert dialog.models.currentText() == "bridge"
    qtbot.waitUntil(lambda: "German:" in dialog.result_text.text(), timeout=WAIT_MS)
    assert "French:" in dialog.result_text.text()
    assert "ero-shot" not in dialog.result_text.text()

    def translate(text: str) -> None:
        dialog.field.clear()
        QTest.keyClicks(dialog.field, text)
        with qtbot.waitSignal(dialog.shown, timeout=WAIT_MS):
            QTest.keyClick(dialog.field, Qt.Key.Key_Return)

    translate("die katze sieht jetzt den baum")
    lines = dialog.result_text.text().splitlines()
    assert [line.partition(":")[0] for line in lines[:2]] == [
        "English",
        "French (zero-shot)",
    ]
    assert lines[2:] == ["", "Zero-shot: the model did not learn this direction."]
    translate("le chat voit l'arbre maintenant")
    refusal = "bridge was not trained to translate from French."
    assert dialog.result_text.text() == refusal
    dialog.reject()

    window.show_view("encoders")
    encoders = window.view
    assert isinstance(encoders, EncodersView)
    assert encoders.list.select("bridge")
    out = tmp_path / "exported"
    encoders.controller.export()
    (exporting,) = encoders.findChildren(EncoderExportDialog)
    exporting.form.write({"out": out})
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        exporting.run_button.click()
    qtbot.waitUntil(lambda: not encoders.findChildren(EncoderExportDialog))
    encoders.controller.add_path(out)
    (adding,) = encoders.findChildren(TaskDialog)
    adding.form.write({"name": "again"})
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        adding.run_button.click()
    qtbot.waitUntil(
        lambda: "again" in {card.name for card in state.encoders.cards},
        timeout=WAIT_MS,
    )

    window.show_view("evaluate")
    subjects = [("cat", "dog", "bird")[n % 96 // 32] for n in range(len(make_rows()))]
    splits = ["te" if n % 4 == 0 else "va" if n % 4 == 1 else "tr" for n in range(96)]
    texts = [row["eng"] for row in make_rows()]
    rows = zip(splits, subjects, texts, strict=True)
    probing = write_rows(tmp_path / "en.subject.tsv", rows)
    view.controller.ask(Probe)
    (asking,) = view.findChildren(EvaluationDialog)
    asking.take_files([probing])
    chosen = {"encoders": ["again"], "heads": True, "seeds": 1, "baselines": False}
    asking.form.write({**chosen, "control": False})
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        asking.run_button.click()
    qtbot.waitUntil(lambda: view.page.shown[0].task == "probe", timeout=WAIT_MS)
    titles = [chart.title for chart in view.page.charts.charts]
    assert titles[0] == "Probing by head · again · logistic regression"
    assert view.page.results.table.rowCount() == 1 + SETTINGS["n_heads"]


def test_a_model_in_use_names_and_skips_the_languages_that_it_lacks(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    _train(window, qtbot)
    state, bar = window.state, window.message_bar
    qtbot.waitUntil(lambda: len(state.encoders.cards) > 3, timeout=WAIT_MS)
    finnish = tmp_path / "suomi.fi.txt"
    finnish.write_text("Kissa näkee linnun.\nKoira kuulee talon.\n", encoding="utf-8")
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        state.run(ImportCorpus(files=(finnish,), languages=("fi",)))
    qtbot.waitUntil(lambda: len(state.corpora) == 4, timeout=WAIT_MS)
    encode_with(state, "bridge")
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS) as finished:
        pass
    skipped = "Skipped 1 corpus, because bridge can't encode Finnish."
    assert finished.args[1]["message"].endswith(skipped)
    warning = "bridge can't encode 1 of the 4 languages of this project: Finnish."
    while bar.text and not bar.text.startswith(warning):
        bar.dismiss()
    assert bar.text.startswith(warning)
    window.show_view("search")
    search = window.view
    assert isinstance(search, SearchView)
    with qtbot.waitSignal(search.hits_shown, timeout=WAIT_MS):
        search.ask_text(TextLookup("the cat sees the tree now"))
    assert search.results.shows_hits
    assert search.results.messages.text == (
        "bridge can't encode Finnish, so these texts were not searched."
    )
    with qtbot.waitSignal(state.encoders.switched, timeout=WAIT_MS):
        use_encoder(state, "isogloss-3")
    assert not bar.text.startswith(warning)
