"""Sub-corpora and hidden sentences over the real engine: chain, pairs, a restart."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id, position_of
from app.engine.store.pairs.sets import list_pair_sets, pair_ids, read_pairs
from app.engine.tasks.encode import encode
from app.params.mining import MinePairs
from app.params.query_steps import (
    ContainsStep,
    FieldStep,
    LengthStep,
    NearStep,
    RegexStep,
)
from app.params.vectors import Encode
from app.protocol.edits.corpora import HideSentences
from app.views.corpora.step_values import (
    COUNT_ROLE,
    FieldValueInput,
    SearchableComboBox,
)
from app.views.corpora.subcorpus_dialog import SubcorpusDialog
from app.views.corpora.subcorpus_steps import StepCard
from app.views.corpora.view import CorporaView
from app.views.corpora.word_query import WordQueryInput
from app.views.documentation.dialog import DocumentationDialog
from app.views.mining.dialog import MiningDialog
from app.views.widgets.controls import ElidedLabel
from app.views.widgets.syntax_help import SyntaxDialog
from tests.engine.search.made import add_corpus
from tests.process.windows import WAIT_MS, Windows
from tests.samples import sample_texts
from tests.views.dialog_design import command_forms, design_faults

N = 60


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "letters.isogloss"
    with create_project(folder) as project:
        add_corpus(project, "English", "en", sample_texts("en", N))
        add_corpus(project, "Deutsch", "de", sample_texts("de", N))
        encode(project, Encode(corpora=("English", "Deutsch")), Report())
        notes = add_corpus(project, "Notes", "en", sample_texts("en", N)[:6])
        place = {"corpus_id": notes, "first": 0, "n_sentences": 6, "name": "one"}
        fields = '{"author": "Anna", "Year": "1850"}'
        with project.store.begin() as connection:
            connection.execute(insert(schema.document).values(**place, fields=fields))
    return folder


def make_part(view: CorporaView, qtbot: QtBot, name: str) -> int:
    """Make a sub-corpus of short English sentences in the dialog; give its size."""
    view.subcorpora.ask_new(["1"])
    (dialog,) = view.findChildren(SubcorpusDialog)
    with qtbot.waitSignal(dialog.counted, timeout=WAIT_MS):
        dialog.ask()
    assert dialog.counts == [N]
    with qtbot.waitSignal(dialog.counted, timeout=WAIT_MS):
        dialog.list.add(LengthStep)
        (card,) = dialog.list.cards
        assert isinstance(card, StepCard)
        card._fields["max"][1].write(70)
        card.turned.setChecked(False)
    short = sum(len(text) <= 70 for text in sample_texts("en", N))
    assert dialog.counts == [N, short]
    assert dialog.table.page_model.rowCount() == short
    with qtbot.waitSignal(dialog.counted, timeout=WAIT_MS):
        card.turned.setChecked(True)
    assert dialog.counts == [N, N - short]
    with qtbot.waitSignal(dialog.counted, timeout=WAIT_MS):
        dialog.undo()
    QTest.keyClick(dialog.name, Qt.Key.Key_Return)
    assert dialog.isVisible(), "it has no name"
    assert dialog.corpora.chosen == ("1",), "Enter presses no chip"
    dialog.name.setText(name)
    with qtbot.waitSignal(view.state.run_finished, timeout=WAIT_MS):
        QTest.keyClick(dialog.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.subcorpora.list.chosen == 1, timeout=WAIT_MS)
    return short


def open_steps(windows: Windows, folder: Path) -> SubcorpusDialog:
    """Show the dialog of a new sub-corpus of the first corpus."""
    view = windows.open(folder, "corpora").view
    assert isinstance(view, CorporaView)
    view.subcorpora.ask_new(["1"])
    (dialog,) = view.findChildren(SubcorpusDialog)
    return dialog


def test_another_view_asks_for_a_new_subcorpus(windows: Windows, folder: Path) -> None:
    window = windows.open(folder, "words")
    window.state.view_requests.subcorpus_requested.emit()
    view = window.view
    assert isinstance(view, CorporaView)
    (dialog,) = view.findChildren(SubcorpusDialog)
    assert dialog.isVisible()
    dialog.close()


def test_a_part_is_made_mined_within_and_hidden_across_a_restart(
    windows: Windows, folder: Path, qtbot: QtBot
) -> None:
    window = windows.open(folder, "corpora")
    view = window.view
    assert isinstance(view, CorporaView)
    n = make_part(view, qtbot, "short")
    table = view.page.table
    qtbot.waitUntil(lambda: table.page_model.rowCount() == n, timeout=WAIT_MS)
    facts = [label.text() for label in view.findChildren(ElidedLabel)]
    assert f"{n} sentences · Length: max 70" in facts
    first = table.page_model.id_at(0)
    table.select_sentence(first)
    with qtbot.waitActive(window):
        window.activateWindow()
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_H)
    qtbot.waitUntil(lambda: table.page_model.rowCount() == n - 1, timeout=10_000)
    assert view.page.hidden_bar.switch.text() == "1 hidden"
    params = MinePairs(source="short", target="Deutsch", k=2)
    dialog = MiningDialog(view.state, params, view.state.run, view)
    assert dialog.form.raw()["source"] == "short"
    source = dialog.form.field("source").widget
    dialog.form.write({"source": "English"})
    QTest.keyClicks(source, "sho")
    assert dialog.form.raw()["source"] == "short"
    with qtbot.waitSignal(view.state.run_finished, timeout=WAIT_MS):
        dialog._on_run()
    project = view.state.project
    assert project is not None
    (mining,) = list_pair_sets(project.store)
    pairs = read_pairs(project.store, pair_ids(mining).tolist())
    sources = {position_of(pair.source_id) for pair in pairs if pair is not None}
    texts = sample_texts("en", N)
    short = {i for i, text in enumerate(texts) if len(text) <= 70}
    assert sources
    assert sources <= short - {position_of(first)}
    windows.close(window)

    again = windows.open(folder, "corpora")
    view = again.view
    assert isinstance(view, CorporaView)
    with qtbot.waitSignal(view.sentences_shown, timeout=WAIT_MS):
        view.subcorpora.list.choose(1)
    qtbot.waitUntil(
        lambda: view.page.table.page_model.rowCount() == n - 1, timeout=WAIT_MS
    )
    with qtbot.waitSignal(view.sentences_shown, timeout=WAIT_MS):
        view.page.hidden_bar.switch.setChecked(True)
    assert view.page.table.page_model.id_at(0) == first
    bar = view.page.hidden_bar
    (hidden, removed) = bar.restore.menu().actions()
    assert hidden.text() == "Restore 1 hidden"
    hidden.trigger()
    qtbot.waitUntil(lambda: bar.restore.isHidden(), timeout=WAIT_MS)
    view.state.undo()
    qtbot.waitUntil(lambda: bar.switch.text() == "1 hidden", timeout=WAIT_MS)
    hidden.trigger()
    qtbot.waitUntil(lambda: bar.restore.isHidden(), timeout=WAIT_MS)
    two = (first, first_sentence_id(3))  # one of them is of no corpus that is shown
    view.state.edit(HideSentences(sentences=two, state="removed"))
    qtbot.waitUntil(lambda: removed.isVisible(), timeout=WAIT_MS)
    assert removed.text() == "Restore 1 removed"
    removed.trigger()
    qtbot.waitUntil(lambda: bar.restore.isHidden(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: view.page.table.page_model.rowCount() == n, timeout=WAIT_MS)
    with qtbot.waitSignal(view.state.run_finished, timeout=WAIT_MS):
        view.subcorpora.rerun()
    buttons = view.header.findChildren(QPushButton)
    (delete,) = [b for b in buttons if b.text() == "Delete" and b.isVisible()]
    delete.setFocus()
    QTest.keyClick(delete, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not view.subcorpora.list.ids, timeout=WAIT_MS)
    assert [row.id for row in view.chosen] == [1]
    assert view.focusWidget() is view.list, "another Enter deletes nothing"


def test_steps_that_are_not_ready_are_told_of(
    windows: Windows, folder: Path, qtbot: QtBot
) -> None:
    view = windows.open(folder, "corpora").view
    assert isinstance(view, CorporaView)
    view.subcorpora.ask_new(["1", "2"])
    (dialog,) = view.findChildren(SubcorpusDialog)
    with qtbot.waitSignal(dialog.counted, timeout=WAIT_MS):
        dialog.list.add(ContainsStep)
        dialog.list.add(NearStep)
    assert dialog.lines == []
    cards = dialog.list.cards
    assert [card.counts for card in cards] == ["incomplete"] * 2
    with qtbot.waitSignal(dialog.counted, timeout=WAIT_MS):
        cards[0]._fields["text"][1].write("pos:VERB")
        cards[1]._fields["text"][1].write("rain")
        cards[1]._fields["top"][1].write(5)
    assert isinstance(cards[0], StepCard)
    assert cards[0].counts == "skipped"
    assert "parts of speech" in cards[0].problem
    assert cards[1].counts.startswith("5 left")
    with qtbot.waitSignal(dialog.counted, timeout=WAIT_MS):
        cards[0].removed.emit()
    assert dialog.counts == [2 * N, 5]

    with qtbot.waitSignal(dialog.counted, timeout=WAIT_MS):
        dialog.corpora.choose(["3"])
    assert dialog.messages.text.startswith("Notes is not encoded")
    with qtbot.waitSignal(view.state.run_failed, timeout=WAIT_MS):
        _encode_button(dialog).click()
        view.state.client.kill()
    assert dialog.messages.text.startswith("Notes is not encoded"), "offered again"
    with qtbot.waitSignal(view.state.run_finished, timeout=WAIT_MS):
        _encode_button(dialog).click()
    qtbot.waitUntil(lambda: dialog.counts == [6, 5], timeout=WAIT_MS)
    assert not dialog.messages.isVisible()

    with qtbot.waitSignal(dialog.counted, timeout=WAIT_MS):
        dialog.list.add(FieldStep)
    card = dialog.list.cards[1]
    name, value = (card._fields[one][1].widget for one in ("name", "value"))
    assert isinstance(name, SearchableComboBox)
    assert isinstance(value, FieldValueInput)
    with qtbot.waitActive(dialog):
        dialog.activateWindow()
    assert _offered(name, qtbot) == [("Year", None), ("author", None)]
    name.setEditText("year")
    assert not value.is_range, "it has one value only"
    assert _offered(value.value, qtbot) == [("1850", 6)]
    QTest.keyClick(value.value, Qt.Key.Key_Down)
    popup = value.value.view()
    assert popup.isVisible()
    value.value.hidePopup()
    value.kind.setCurrentIndex(1)
    assert card.line() is None, "no bound is entered"
    for low, high, problem in (
        ("18x", "", "18x is not a number, a year or a date (such as 1850-06-30)."),
        ("1900", "1890", "1900 is above 1890."),
        ("1.5", "1890-06", "Enter two numbers, or two dates."),
        ("1860", "", ""),
    ):
        value.low.setText(low)
        value.high.setText(high)
        assert isinstance(card, StepCard)
        assert card.problem == problem
    assert card.line() == "field Year=1860.."
    qtbot.waitUntil(lambda: dialog.counts == [6, 5, 0], timeout=WAIT_MS)
    assert command_forms(dialog) == []
    value.kind.setCurrentIndex(0)
    value.value.setEditText("1850")
    assert card.line() == "field Year=1850"
    dialog.ask()
    dialog.counter._clock.timeout.emit()
    assert dialog._left.text() == "Counting… 1\u00a0s"
    qtbot.waitUntil(lambda: dialog.counts == [6, 5, 5], timeout=WAIT_MS)
    assert dialog._left.text() == "5 sentences left"
    dialog.ask()
    dialog.close()
    assert dialog.counter._query.corpora == (0,), "what was asked is ended"


def _encode_button(dialog: SubcorpusDialog) -> QPushButton:
    """Return the button of the offer to encode, below the one that closes it."""
    return dialog.messages.findChildren(QPushButton, "")[-1]


def _offered(box: SearchableComboBox, qtbot: QtBot) -> list[tuple[str, int | None]]:
    """Put the keyboard into a box; return what it offers, with counts."""
    box.clearFocus()
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    return [
        (box.itemText(row), box.itemData(row, COUNT_ROLE)) for row in range(box.count())
    ]


def test_a_step_that_needs_documents_offers_to_import_the_files_again(
    windows: Windows, folder: Path, qtbot: QtBot
) -> None:
    window = windows.open(folder, "corpora")
    view = window.view
    assert isinstance(view, CorporaView)
    view.subcorpora.ask_new(["1", "2"])
    (dialog,) = view.findChildren(SubcorpusDialog)
    dialog.list.show_filters([FieldStep(name="year", value="2014..2015")])
    with qtbot.waitSignal(dialog.counted, timeout=WAIT_MS):
        dialog.ask()
    (card,) = dialog.list.cards
    assert isinstance(card, StepCard)
    assert card.problem.startswith("English, Deutsch have no documents.")
    (again,) = [
        button
        for button in dialog.messages.findChildren(QPushButton)
        if button.text() == "Import again…"
    ]
    with qtbot.waitSignal(view.subcorpora.import_requested) as asked:
        again.click()
    assert [row.name for row in asked.args[0]] == ["English", "Deutsch"]
    assert not dialog.isVisible()


def test_words_are_chosen_without_a_query_language(
    windows: Windows, folder: Path, qtbot: QtBot
) -> None:
    dialog = open_steps(windows, folder)
    dialog.list.add(ContainsStep)
    (card,) = dialog.list.cards
    assert isinstance(card, StepCard)
    words = card._fields["text"][1].widget
    assert isinstance(words, WordQueryInput)
    assert command_forms(dialog) == []
    words.kind.setCurrentIndex(words.kind.findText("Starts with"))
    QTest.keyClicks(words.line, "hou")
    assert card.line() == "words hou*"
    texts = sample_texts("en", N)
    n = sum(bool(re.search(r"\bhou", text.casefold())) for text in texts)
    qtbot.waitUntil(lambda: dialog.counts == [N, n], timeout=WAIT_MS)
    assert n
    QTest.keyClicks(words.line, " s")
    assert card.line() is None
    assert card.problem == "Enter one word, without spaces, * or a colon."
    words.kind.setCurrentIndex(0)
    assert card.line() == "words hou s"
    assert not card.problem
    words.kind.setCurrentIndex(words.kind.findText("Part of speech"))
    words.tag.setCurrentIndex(words.tag.findText("Verb"))
    assert card.line() == "words pos:VERB"
    with qtbot.waitSignal(dialog.counted, timeout=WAIT_MS):
        dialog.ask()
    assert card.problem.startswith("English has no parts of speech")


def test_an_example_is_entered_and_the_documentation_opens_over_it(
    windows: Windows, folder: Path, qtbot: QtBot
) -> None:
    dialog = open_steps(windows, folder)
    for kind, example, line in (
        (ContainsStep, "*ung", "words *ung"),
        (RegexStep, r"\p{Greek}+", r"regex \p{Greek}+"),
    ):
        dialog.list.add(kind)
        card = dialog.list.cards[-1]
        (button,) = (
            one for one in card.findChildren(QPushButton) if one.text() == "Examples…"
        )
        button.click()
        (examples,) = dialog.findChildren(SyntaxDialog)
        assert design_faults(examples) == []
        buttons = {one.text(): one for one in examples.findChildren(QPushButton)}
        buttons["Documentation"].click()
        (page,) = examples.findChildren(DocumentationDialog)
        assert page.browser.source().fileName() == "subcorpora.md"
        page.accept()
        buttons[example].click()
        qtbot.waitUntil(lambda: not dialog.findChildren(SyntaxDialog))
        assert card.line() == line
    words = dialog.list.cards[0]._fields["text"][1].widget
    assert isinstance(words, WordQueryInput)
    assert words.kind.currentText() == "Ends with"
    assert words.line.text() == "ung"
