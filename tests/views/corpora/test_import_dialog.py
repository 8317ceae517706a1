"""The import dialog previews with the real readers, and says what it will do."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.engine.exchange.import_preview import preview_import
from app.engine.store.corpora import CorpusRow
from app.errors import ErrorInfo, UserError
from app.params.corpora import ImportCorpus
from app.protocol.queries.corpora import PreviewQuery
from app.views.corpora.import_dialog import ImportDialog
from app.views.corpora.import_preview import are_pair, language_of_name
from app.views.corpora.import_report import (
    HistogramPlot,
    ImportReportDialog,
    list_lines,
    tabulate,
)
from app.views.widgets.cells import LANGUAGE_ROLE
from app.views.widgets.tables import TextDelegate
from tests.views.dialog_design import design_faults
from tests.views.stage import Stage, build_project

GERMAN = "Wegen des Sturms fährt die Fähre morgen nicht.\n" * 4
ENGLISH = "The ferry will not sail tomorrow because of the storm.\n" * 4
TABLE = "id,source,target\n1,Good morning everyone,Guten Morgen zusammen\n" * 1 + (
    "2,How are you today?,Wie geht es dir heute?\n"
    "3,The ferry will not sail,Die Fähre fährt heute nicht\n"
)


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(build_project(tmp_path / "p.isogloss", {}))
    stage.client.answers[PreviewQuery] = answer
    stage.open(qtbot)
    yield stage
    stage.close()


def answer(query: PreviewQuery) -> dict[str, Any] | ErrorInfo:
    """Preview as the engine does."""
    try:
        value: dict[str, Any] = msgspec.to_builtins(preview_import(query.params))
    except UserError as error:
        return ErrorInfo("user", str(error))
    return value


def write(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    file = folder / name
    file.write_text(text, encoding=encoding, newline="\n")
    return file


def open_dialog(stage: Stage, qtbot: QtBot, *paths: Path) -> ImportDialog:
    dialog = ImportDialog(stage.state, list(paths))
    qtbot.addWidget(dialog)
    with qtbot.waitSignal(dialog.preview_shown):
        dialog.open()
    return dialog


def words(widget: QWidget) -> str:
    labels = widget.findChildren(QLabel)
    return "\n".join(label.text() for label in labels if label.isVisible())


def test_a_text_s_language_is_guessed_and_the_button_says_so(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = open_dialog(stage, qtbot, write(tmp_path, "letters.txt", GERMAN))
    assert dialog.ok.text() == "Import 4 sentences in German"
    assert dialog.ok.isEnabled()
    with qtbot.waitSignal(dialog.import_chosen) as chosen:
        dialog.ok.click()
    (params,), encodes = chosen.args
    assert params == ImportCorpus(files=(tmp_path / "letters.txt",), languages=("de",))
    assert encodes


@pytest.mark.parametrize("are_separate", [False, True])
def test_long_names_of_files_do_not_make_the_dialog_wider(
    stage: Stage, qtbot: QtBot, tmp_path: Path, are_separate: bool
) -> None:
    widths = []
    for name in ("a", "a_rather_long_name_of_a_file_with_letters_of_a_whole_year"):
        files = [write(tmp_path, f"{name}{n}.txt", GERMAN) for n in range(4)]
        dialog = open_dialog(stage, qtbot, *files)
        grouping = dialog.together
        (grouping.as_separate if are_separate else grouping.as_documents).click()
        qtbot.waitUntil(dialog.ok.isEnabled)
        assert dialog.files.isVisible() == are_separate
        widths.append(dialog.minimumSizeHint().width())
        dialog.reject()
    assert widths[0] == widths[1]


def test_settings_of_some_formats_are_hidden_until_the_file_is_read(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = ImportDialog(stage.state, [write(tmp_path, "letters.txt", GERMAN)])
    qtbot.addWidget(dialog)
    with qtbot.waitSignal(dialog.preview_shown):
        dialog.open()
        assert "Reading the first rows…" in words(dialog)
        assert "Delimiter" not in words(dialog)
        assert not dialog.table.isVisible()
    assert "Reading the first rows…" not in words(dialog)
    assert dialog.table.isVisible()


def test_a_text_as_long_as_a_corpus_can_be_linked_in_align(
    qtbot: QtBot, tmp_path: Path
) -> None:
    texts = {"Letters": ("en", ENGLISH.splitlines())}
    stage = Stage(build_project(tmp_path / "p.isogloss", texts))
    stage.client.answers[PreviewQuery] = answer
    stage.open(qtbot)
    hint = "Letters has as many sentences. If this is its translation, link both in"
    dialog = open_dialog(stage, qtbot, write(tmp_path, "brief.txt", GERMAN))
    assert hint in words(dialog)
    dialog = open_dialog(stage, qtbot, write(tmp_path, "more.txt", GERMAN * 2))
    assert hint not in words(dialog)
    dialog = open_dialog(stage, qtbot, write(tmp_path, "again.txt", ENGLISH))
    assert hint not in words(dialog), "in the same language"
    stage.close()


def test_right_to_left_rows_are_set_in_their_direction(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    file = write(tmp_path, "letters.txt", "لن تبحر العبارة غدا بسبب العاصفة.\n" * 4)
    table = open_dialog(stage, qtbot, file).table
    assert isinstance(table.itemDelegate(), TextDelegate), "full stops at the left"
    item = table.item(0, 0)
    assert item is not None
    assert item.data(LANGUAGE_ROLE) == "ar"


def test_another_language_is_doubted_before_the_import(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = open_dialog(stage, qtbot, write(tmp_path, "letters.txt", GERMAN))
    with qtbot.waitSignal(dialog.preview_shown):
        dialog.form.sides[0].language.setText("fr")
        dialog.form.sides[0].language.textEdited.emit("fr")
    assert "German" in words(dialog.form)
    assert dialog.ok.text() == "Import 4 sentences in French"


def test_a_table_shows_its_rows_and_takes_a_second_side(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = open_dialog(stage, qtbot, write(tmp_path, "pairs.csv", TABLE))
    columns = range(dialog.table.columnCount())
    headers = [dialog.table.horizontalHeaderItem(column) for column in columns]
    assert [one.text() if one else "" for one in headers] == ["id", "source", "target"]
    first, second = dialog.form.sides[:2]
    with qtbot.waitSignal(dialog.preview_shown):
        first.column.setCurrentIndex(first.column.findData("source"))
        second.column.setCurrentIndex(second.column.findData("target"))
    for side, code in ((first, "en"), (second, "de")):
        with qtbot.waitSignal(dialog.preview_shown):
            side.language.setText(code)
            side.language.textEdited.emit(code)
    assert dialog.ok.text() == "Import 3 pairs in English + German"
    params = dialog.params()
    assert params.columns == ("source", "target")
    assert params.languages == ("en", "de")


def test_two_texts_in_different_languages_are_proposed_as_sides(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    rows = [*zip(ENGLISH.splitlines(), GERMAN.splitlines(), strict=True)]
    table = "".join(f"{english}\t{german}\n" for english, german in rows)
    file = write(tmp_path, "pairs.tsv", f"english\tdeutsch\n\n{table}")
    dialog = ImportDialog(stage.state, [file])
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.waitUntil(dialog.ok.isEnabled)
    first, second = dialog.form.sides[:2]
    qtbot.waitUntil(lambda: dialog.ok.text() == "Import 4 pairs in English + German")
    assert (first.chosen_column, second.chosen_column) == ("english", "deutsch")
    params = dialog.params()
    assert (params.columns, params.languages) == (("english", "deutsch"), ("en", "de"))
    second.column.setCurrentIndex(0)
    assert dialog.params().columns == ("english",)
    qtbot.waitUntil(lambda: dialog.ok.text() == "Import 4 sentences in English")


def test_two_sides_of_a_moses_text_are_offered_as_a_pair(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    sides = [write(tmp_path, "x.en", ENGLISH), write(tmp_path, "x.de", GERMAN)]
    dialog = open_dialog(stage, qtbot, *sides)
    assert dialog.ok.text() == "Import 4 pairs in English + German"
    params = dialog.params()
    assert params.files == tuple(sides)
    assert params.languages == ("en", "de")


XLIFF = (
    '<xliff version="1.2"><file source-language="de"{target}><body><trans-unit>'
    "<source>Guten Morgen zusammen</source><target>Good morning everyone</target>"
    "</trans-unit></body></file></xliff>"
)


def test_an_xliff_file_says_its_languages_itself(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    text = XLIFF.format(target=' target-language="en"')
    dialog = open_dialog(stage, qtbot, write(tmp_path, "a.xlf", text))
    assert dialog.ok.text() == "Import 1 pair in German + English"
    assert dialog.form.sides[0].language.isReadOnly()
    assert dialog.params() == ImportCorpus(files=(tmp_path / "a.xlf",))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.xlf", XLIFF.format(target="")),
        ("a.po", 'msgid "Guten Morgen zusammen"\nmsgstr "Good morning everyone"\n'),
    ],
)
def test_a_language_that_the_file_does_not_say_is_asked_for(
    stage: Stage, qtbot: QtBot, tmp_path: Path, name: str, text: str
) -> None:
    dialog = open_dialog(stage, qtbot, write(tmp_path, name, text))
    for side, code in zip(dialog.form.sides, ("de", "en"), strict=True):
        with qtbot.waitSignal(dialog.preview_shown):
            side.language.setText(code)
            side.language.textEdited.emit(code)
    assert dialog.ok.text() == "Import 1 pair in German + English"
    assert dialog.params().languages == ("de", "en")


def test_the_text_columns_of_a_wide_table_come_first(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    facts = [f"fact {n}" for n in range(20)]
    lines = ["\t".join([*facts[:15], "source", "target", *facts[15:]])]
    for line in TABLE.splitlines()[1:]:
        lines.append("\t".join([*"7" * 15, *line.split(",")[1:], *"7" * 5]))
    file = write(tmp_path, "wide.tsv", "\n".join(lines) + "\n")
    table = open_dialog(stage, qtbot, file).table
    header, room = table.horizontalHeader(), table.viewport().width()
    assert [header.visualIndex(column) for column in (15, 16, 0)] == [0, 1, 2]
    for column in (15, 16):
        right = header.sectionViewportPosition(column) + header.sectionSize(column)
        assert header.sectionSize(column) > 120
        assert right <= room, "in view without scrolling"


def test_a_parquet_file_shows_its_columns(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"id": [1, 2], "text": ENGLISH.splitlines()[:2]}
    parquet.write_table(arrow.table(columns), tmp_path / "a.parquet")
    dialog = open_dialog(stage, qtbot, tmp_path / "a.parquet")
    assert dialog.ok.text() == "Import 2 sentences in English"
    assert dialog.form.sides[0].column.findData("id") > 0
    assert dialog.params().columns == ("text",)


def test_sentences_and_pairs_of_separate_texts_are_counted_apart(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    files = [write(tmp_path, "a.txt", ENGLISH), write(tmp_path, "b.csv", TABLE)]
    dialog = ImportDialog(stage.state, files)
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.together.as_separate.setChecked(True)
    dialog.files.setCurrentIndex(1)
    form = dialog.form
    qtbot.waitUntil(lambda: form.sides[0].column.findData("target") >= 0)
    for side, column, code in zip(
        form.sides, ("source", "target"), ("fr", "de"), strict=False
    ):
        side.column.setCurrentIndex(side.column.findData(column))
        side.set_language(code)
    form.changed.emit()
    qtbot.waitUntil(dialog.ok.isEnabled)
    both = "4 sentences and 3 pairs"
    assert dialog.ok.text() == f"Import {both} in English + French + German"
    assert dialog.files.currentText() == (
        "File 2 of 2: b.csv (3 pairs in French + German)"
    )
    assert both in words(dialog)


def test_files_of_their_own_are_imported_together(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    files = [write(tmp_path, "a.txt", ENGLISH), write(tmp_path, "b.txt", GERMAN[:-30])]
    files.append(write(tmp_path, "c.txt", "0 1 2\n"))
    dialog = ImportDialog(stage.state, files)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: "choose the language" in dialog.files.itemText(2))
    assert dialog.together.groups == [[file] for file in files]
    english = "File 1 of 3: a.txt (4 sentences in English)"
    assert dialog.files.currentText() == english
    assert not dialog.ok.isEnabled()
    dialog.files.setCurrentIndex(2)
    dialog.form.sides[0].set_language("zh")
    with qtbot.waitSignal(dialog.preview_shown):
        dialog.form.changed.emit()
    assert dialog.ok.text() == "Import 9 sentences in English + German + Chinese"
    with qtbot.waitSignal(dialog.import_chosen) as chosen:
        dialog.ok.click()
    imports, encodes = chosen.args
    assert [one.files for one in imports] == [(file,) for file in files]
    assert [one.languages for one in imports] == [("en",), ("de",), ("zh",)]
    assert encodes


def test_size_and_encoding_of_all_files_are_shown(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    files = [write(tmp_path, "a.txt", ENGLISH * 20)]
    files.append(write(tmp_path, "b.txt", GERMAN * 10, "cp1252"))
    dialog = ImportDialog(stage.state, files)
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.waitUntil(dialog.ok.isEnabled)
    every = f"2 files · {tmp_path} · 6.3\u00a0kB · utf-8, cp1252 · 120 sentences"
    assert every in words(dialog)
    assert "4.4\u00a0kB · utf-8 · 80 sentences" in words(dialog)
    dialog.files.setCurrentIndex(1)
    assert "1.9\u00a0kB · cp1252 · 40 sentences" in words(dialog)
    with qtbot.waitSignal(dialog.preview_shown):
        dialog.together.as_documents.setChecked(True)
    assert every in words(dialog)


def test_size_and_encoding_of_one_file_are_shown(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = open_dialog(stage, qtbot, write(tmp_path, "a.txt", ENGLISH))
    assert f"{tmp_path} · 220\u00a0B · utf-8 · 4 sentences" in words(dialog)


def test_parallel_files_show_every_encoding(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    sides = [write(tmp_path, "x.en", "Café: " + ENGLISH)]
    sides.append(write(tmp_path, "x.de", GERMAN, "cp1252"))
    dialog = open_dialog(stage, qtbot, *sides)
    assert "utf-8, cp1252" in words(dialog)
    boxes = dialog.form.file.findChildren(QComboBox)
    assert boxes[0].currentText() == "parallel text files (detected)"
    assert dialog.form.file.encoding.currentText() == "utf-8, cp1252 (detected)"


def test_files_that_can_t_be_read_are_left_out_by_one_click(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    files = [write(tmp_path, "a.txt", ENGLISH), write(tmp_path, "c.txt", "0 1 2\n")]
    files.append(tmp_path / "b.pdf")
    files[2].write_bytes(b"%PDF-1.5\n" + bytes(range(256)) * 40)
    dialog = ImportDialog(stage.state, files)
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.waitUntil(lambda: "can't" in dialog.files.itemText(2))
    dialog.files.setCurrentIndex(1)
    dialog.form.sides[0].set_language("zh")
    with qtbot.waitSignal(dialog.preview_shown):
        dialog.form.changed.emit()
    assert not dialog.ok.isEnabled()
    buttons = dialog.findChildren(QPushButton)
    next(one for one in buttons if one.text() == "Leave out b.pdf").click()
    assert dialog.files.count() == 2
    assert dialog.ok.text() == "Import 5 sentences in English + Chinese"
    with qtbot.waitSignal(dialog.import_chosen) as chosen:
        dialog.ok.click()
    assert [one.files for one in chosen.args[0]] == [(files[0],), (files[1],)]


def test_one_of_the_documents_that_can_t_be_read_is_left_out(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    files = [write(tmp_path, "a.txt", ENGLISH), tmp_path / "b.pdf"]
    files[1].write_bytes(b"%PDF-1.5\n" + bytes(range(256)) * 40)
    dialog = ImportDialog(stage.state, files)
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.together.as_documents.setChecked(True)
    qtbot.waitUntil(lambda: "PDF document" in words(dialog))
    dialog.leave_out_unreadable()
    qtbot.waitUntil(lambda: dialog.ok.text() == "Import 4 sentences in English")
    assert dialog.params().files == (files[0],)


def test_files_with_as_many_lines_in_other_languages_are_parallel(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    files = [write(tmp_path, "a.txt", ENGLISH), write(tmp_path, "b.txt", GERMAN)]
    dialog = open_dialog(stage, qtbot, *files)
    assert dialog.together.as_pair.isChecked()
    assert dialog.ok.text() == "Import 4 pairs in English + German"


def test_a_pair_with_different_numbers_of_lines_is_refused_before_the_import(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    files = [write(tmp_path, "x.en", ENGLISH), write(tmp_path, "x.de", GERMAN * 2)]
    dialog = open_dialog(stage, qtbot, *files)
    assert "x.en has 4, x.de has 8" in words(dialog)
    assert not dialog.ok.isEnabled()


def test_a_file_that_can_t_be_read_is_explained_in_place(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "picture.txt"
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
    dialog = open_dialog(stage, qtbot, file)
    assert "picture.txt" in words(dialog)
    assert not dialog.ok.isEnabled()


def test_the_encoding_can_be_chosen(stage: Stage, qtbot: QtBot, tmp_path: Path) -> None:
    file = write(tmp_path, "letters.txt", GERMAN, "cp1252")
    dialog = open_dialog(stage, qtbot, file)
    box = dialog.form.file.encoding
    with qtbot.waitSignal(dialog.preview_shown):
        box.setCurrentIndex(box.findData("cp1251"))
    cell = dialog.table.item(0, 0)
    assert cell is not None
    assert "fдhrt" in cell.text()
    assert dialog.params().encoding == "cp1251"


def test_the_command_can_be_copied(stage: Stage, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = open_dialog(stage, qtbot, write(tmp_path, "letters.txt", GERMAN))
    dialog.copy_command()
    copied = QGuiApplication.clipboard().text()
    assert "import-corpus" in copied
    assert "--language de" in copied


def test_names_are_given_for_all_sides_or_for_none(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    sides = [write(tmp_path, "x.en", ENGLISH), write(tmp_path, "x.de", GERMAN)]
    dialog = open_dialog(stage, qtbot, *sides)
    assert dialog.params().names == ()
    dialog.form.sides[0].name.setText("Letters")
    assert dialog.params().names == ("Letters", "x.de")


def test_a_language_is_found_in_a_file_s_name() -> None:
    names = ("x.en", "x.de.txt", "talks_fr.txt.gz", "letters.txt", "x.zh-Hans")
    codes = [language_of_name(Path(name)) for name in names]
    assert codes == ["en", "de", "fr", "", "zh-Hans"]


def test_pairs_have_one_name_and_two_languages() -> None:
    assert are_pair([Path("x.en"), Path("x.de")])
    assert not are_pair([Path("x.en"), Path("y.de")])
    assert not are_pair([Path("x.en"), Path("x.en")])
    assert not are_pair([Path("a.txt"), Path("b.txt")])


REPORT: dict[str, Any] = {
    "file": "letters.csv",
    "format": "csv",
    "encoding": "cp1252",
    "encoding_confidence": 0.9,
    "columns": ["brief"],
    "n_read": 12,
    "n_kept": 10,
    "n_refused": 1,
    "n_empty": 1,
    "refused": [{"line": 7, "reason": "it is not UTF-8"}],
    "duplicates": [{"line": 9, "first_line": 3}],
    "refused_reasons": {"it is not UTF-8": 1},
    "mismatch": "The text looks like German, not French.",
    "guessed_language": "de",
    "guess_confidence": 0.98,
    "unknown_share": 0.0123,
    "lengths": {
        "shortest": 2,
        "median": 30.0,
        "mean": 31.0,
        "percentile_95": 60.0,
        "longest": 90,
        "histogram": [{"low": 1, "high": 1, "n": 0}, {"low": 2, "high": 3, "n": 10}],
    },
    "notes": ["The first row names the columns."],
    "elapsed_s": 0.4,
}


def test_a_report_names_lines_and_reasons() -> None:
    assert list_lines(REPORT) == [
        ("rejected", "7", "it is not UTF-8"),
        ("duplicate", "9", "same text as line 3"),
    ]


def test_a_report_shows_the_text_of_a_rejected_line() -> None:
    entry = {"line": 7, "reason": "the row has too few columns", "text": "Good day"}
    assert list_lines({"refused": [entry]}) == [
        ("rejected", "7", "the row has too few columns: Good day"),
    ]


def test_a_report_is_shown_and_exported(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    corpus = CorpusRow(1, "Letters", "fr", "fr", "ready", 10, "", REPORT, 0.0)
    dialog = ImportReportDialog(stage.state, corpus)
    dialog.show()
    assert design_faults(dialog) == []
    qtbot.addWidget(dialog)
    dialog.show()
    shown = words(dialog)
    assert "The text looks like German, not French." in shown
    assert "cp1252 (detected, 90\u00a0% sure)" in shown
    pieces = "pieces (parts of words) are unknown to the encoder"
    assert f"1.23\u00a0% of the {pieces}" in shown
    dialog.ask_export().export_to(tmp_path / "report.tsv")
    qtbot.waitUntil(lambda: (tmp_path / "report.tsv").exists())
    lines = (tmp_path / "report.tsv").read_text(encoding="utf-8").splitlines()
    assert "n_read\t\t12" in lines
    assert "rejected\t7\tit is not UTF-8" in lines
    assert "n_rejected\t\t1" in lines
    assert "rejected_reasons\t\tit is not UTF-8: 1" in lines
    assert not any("refused" in line for line in lines), "the window's word"
    assert len(tabulate(REPORT, [])) == len(lines) - 2


def test_the_lengths_of_a_report_do_not_run_into_each_other(
    stage: Stage, qtbot: QtBot
) -> None:
    bins = [{"low": 2**n, "high": 2 ** (n + 1) - 1, "n": n} for n in range(3, 10)]
    report = {**REPORT, "lengths": {**REPORT["lengths"], "histogram": bins}}
    corpus = CorpusRow(1, "Letters", "fr", "fr", "ready", 10, "", report, 0.0)
    dialog = ImportReportDialog(stage.state, corpus)
    qtbot.addWidget(dialog)
    dialog.show()
    (plot,) = dialog.findChildren(HistogramPlot)
    labels = [words for words, _ in plot.bars]
    assert labels == ["8", "16", "32", "64", "128", "256", "512"]
    room = plot.getViewBox().width() / len(bins)
    assert max(map(plot.fontMetrics().horizontalAdvance, labels)) < room


@pytest.mark.parametrize(
    ("key", "title"), [("moses", "parallel text files"), ("text", "plain text")]
)
def test_a_report_names_the_format_in_words(
    stage: Stage, qtbot: QtBot, key: str, title: str
) -> None:
    report = {**REPORT, "format": key, "columns": []}
    corpus = CorpusRow(1, "Letters", "fr", "fr", "ready", 10, "", report, 0.0)
    dialog = ImportReportDialog(stage.state, corpus)
    qtbot.addWidget(dialog)
    dialog.show()
    assert title in words(dialog).splitlines()


def test_a_corpus_without_a_report_shows_an_empty_one(
    stage: Stage, qtbot: QtBot
) -> None:
    corpus = CorpusRow(1, "Letters", "fr", "fr", "ready", 10, "", {}, 0.0)
    dialog = ImportReportDialog(stage.state, corpus)
    qtbot.addWidget(dialog)
    dialog.show()
    assert "No errors, repairs or duplicates." in words(dialog)


def test_columns_named_as_labels_and_pairs_are_chosen_at_once(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    sides = "The ferry will not sail because of the storm.\tThe ferry stays in port"
    rows = f"{sides}, as the weather is bad.\tentailment\n" * 3
    head = "premise\thypothesis\tgold_label\n"
    dialog = ImportDialog(stage.state, [write(tmp_path, "nli.tsv", head + rows)])
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.waitUntil(lambda: dialog.form.are_pairs and dialog.ok.isEnabled())
    assert dialog.ok.text() == "Import 3 pairs in English + English"
    params = dialog.params()
    assert params.columns == ("premise", "hypothesis")
    assert params.label_column == "gold_label"
    assert params.sides == "pairs"
    assert params.names == ("nli.premise", "nli.hypothesis")

    table = "category\ttext\nsea\tThe ferry will not sail tomorrow.\n"
    single = open_dialog(stage, qtbot, write(tmp_path, "t.tsv", table * 2))
    assert single.params().label_column == "category"
    assert single.params().sides == "translations"


def test_a_po_file_offers_fuzzy_and_plural_entries(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    text = (
        'msgid ""\nmsgstr "Language: de\\n"\n\n#, fuzzy\nmsgid "Ship"\n'
        'msgstr "Schiff"\n\nmsgid "{n} boat"\nmsgid_plural "{n} boats"\n'
        'msgstr[0] "{n} Boot"\nmsgstr[1] "{n} Boote"\n\n'
        'msgid "Sea"\nmsgstr "Meer"\n'
    )
    dialog = open_dialog(stage, qtbot, write(tmp_path, "ui.po", text))
    section = dialog.form.file
    for box, n_rows in ((section.fuzzy, 2), (section.plurals, 4)):
        assert box.isVisible()
        with qtbot.waitSignal(dialog.preview_shown):
            box.click()
        assert dialog.table.rowCount() == n_rows
    params = dialog.params()
    assert (params.fuzzy, params.plurals) == (True, True)


def test_a_table_with_eight_languages_is_imported_in_all_of_them(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    codes = ("de", "en", "es", "fr", "it", "nl", "pt", "sv")
    rows = "\t".join(f"A sentence of the harbour in {code}" for code in codes)
    table = "\t".join(codes) + f"\n{rows}\n" * 2
    dialog = open_dialog(stage, qtbot, write(tmp_path, "eight.tsv", table))
    qtbot.waitUntil(dialog.ok.isEnabled)
    assert dialog.ok.text() == "Import 2 pairs in 8 languages"
    assert dialog.params().columns == codes
