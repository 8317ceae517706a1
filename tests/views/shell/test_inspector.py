"""The inspector shows all about a sentence, and keeps its note."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import open_project
from app.engine.store import schema
from app.engine.store.connections import connect_writing
from app.engine.store.pairs.sets import first_pair_id
from app.engine.store.sentences import count_translations, list_translations
from app.protocol import events
from app.protocol.answers.encoders import EncoderInfo, EncoderListing
from app.protocol.answers.search import SearchAnswer
from app.protocol.edits import Change
from app.protocol.edits.general import SetNote, Undo
from app.protocol.edits.links import ChangeLinks
from app.protocol.edits.pairs import JudgePairs, SetMiningState
from app.protocol.queries.encoders import EncodersQuery
from app.protocol.queries.reading import WordMarksQuery
from app.protocol.queries.search import NearestQuery
from app.settings import Settings
from app.views.search.results import choose_examples
from app.views.shell.inspector import Inspector
from app.views.widgets.hit_card import SentenceCard
from app.views.widgets.sentence_label import ContextLabel, SentenceLabel
from tests.engine.review.made import add_pairs, edit
from tests.views import classified
from tests.views.stage import Stage, build_project, link, nearest, sentence_id

FERRY = "The ferry will not sail tomorrow because of the storm."


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    folder = build_project(tmp_path / "p.isogloss")
    link(folder, [(sentence_id(1, 1), sentence_id(2, 1))])
    stage = Stage(folder)
    stage.client.answers[NearestQuery] = nearest
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def inspector(stage: Stage, qtbot: QtBot) -> Inspector:
    inspector = Inspector(stage.state)
    qtbot.addWidget(inspector)
    inspector.resize(340, 900)
    inspector.show()
    return inspector


def words(inspector: Inspector) -> str:
    labels = inspector.findChildren(QLabel)
    return "\n".join(label.text() for label in labels if label.isVisible())


def test_without_a_selection_it_says_what_it_is_for(inspector: Inspector) -> None:
    assert "Select a sentence" in words(inspector)


def test_a_corpus_is_named_without_its_language_code_as_on_the_cards(
    tmp_path: Path, qtbot: QtBot
) -> None:
    texts = {"diary.en": ("en", ["Rain fell."]), "diary.de": ("de", ["Es regnete."])}
    stage = Stage(build_project(tmp_path / "d.isogloss", texts))
    stage.client.answers[NearestQuery] = nearest
    stage.open(qtbot)
    inspector = Inspector(stage.state)
    qtbot.addWidget(inspector)
    inspector.show()
    with qtbot.waitSignal(inspector.neighbours_shown):
        stage.state.select_sentence(sentence_id(1, 0))
    assert "English · diary · line 1" in words(inspector)
    assert "diary.en" not in words(inspector)
    stage.close()


def test_a_sentence_is_shown_with_place_and_context(
    inspector: Inspector, stage: Stage
) -> None:
    stage.state.select_sentence(sentence_id(1, 1))
    shown = words(inspector)
    assert FERRY in shown
    assert "English · Harbour letters · line 2" in shown
    lines = [line.sentence.text for line in inspector.findChildren(ContextLabel)]
    assert lines[0] == "The wind has been in the north-west since noon."
    assert lines[2] == "So we are staying one more night."


def test_the_context_grows_with_the_size_of_texts(
    inspector: Inspector, stage: Stage
) -> None:
    stage.state.select_sentence(sentence_id(1, 1))
    (label,) = inspector.findChildren(ContextLabel)[0].findChildren(SentenceLabel)
    before = label.font().pixelSize()
    unseen = SentenceLabel(parent=inspector)
    unseen.show_sentence("The ferry will not sail.", "en")
    stage.theme.apply(Settings(theme="light", text_scale=150))
    grown = label.font().pixelSize()
    unseen.show()
    late = unseen.font().pixelSize()
    stage.theme.apply(Settings(theme="light"))
    assert (grown, late) == (round(1.5 * before), round(1.5 * before))
    assert label.font().pixelSize() == before


def test_a_line_of_the_context_selects_its_sentence(
    inspector: Inspector, stage: Stage
) -> None:
    stage.state.select_sentence(sentence_id(1, 1))
    line = inspector.findChildren(ContextLabel)[2]
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert stage.state.selection == sentence_id(1, 2)


def control_places(inspector: Inspector) -> list[tuple[str, QRect]]:
    """Return the places of the buttons and the note, but not of scrolled cards."""
    (area,) = inspector.findChildren(QScrollArea)
    controls = [
        *inspector.findChildren(QAbstractButton),
        *inspector.findChildren(QPlainTextEdit),
        area,
    ]
    return [
        (one.accessibleName(), QRect(one.mapTo(inspector, QPoint()), one.size()))
        for one in controls
        if one.isVisible() and not (area.isAncestorOf(one) and one is not area)
    ]


@pytest.mark.parametrize("scale", [100, 150])
def test_buttons_and_note_have_one_place_for_sentences_of_any_length(
    tmp_path: Path, qtbot: QtBot, scale: int
) -> None:
    english = ["Rain.", "It rained all day in the harbour. " * 12, "It is dry again."]
    texts = {"diary": ("en", english), "Tagebuch": ("de", ["Regen.", "Es regnete."])}
    folder = build_project(tmp_path / "d.isogloss", texts)
    link(folder, [(sentence_id(1, 0), sentence_id(2, 0))])
    stage = Stage(folder)
    stage.client.answers[NearestQuery] = nearest
    stage.open(qtbot)
    stage.theme.apply(Settings(theme="light", text_scale=scale))
    try:
        inspector = Inspector(stage.state)
        qtbot.addWidget(inspector)
        inspector.resize(264, 560)
        inspector.show()
        seen = []
        for row in (0, 1, 2, 0):
            stage.state.select_sentence(sentence_id(1, row))
            QCoreApplication.processEvents()
            seen.append(control_places(inspector))
            with qtbot.waitSignal(inspector.neighbours_shown):
                inspector.ask_neighbours()
            QCoreApplication.processEvents()
            seen.append(control_places(inspector))
        assert len(seen[0]) >= 4
        assert [places for places in seen if places != seen[0]] == []
        stage.state.select_sentence(sentence_id(1, 1))
        QCoreApplication.processEvents()
        (area,) = inspector.findChildren(QScrollArea)
        text = area.findChildren(SentenceLabel)[0]
        qtbot.waitUntil(lambda: text.height() >= text.heightForWidth(text.width()))
    finally:
        stage.theme.apply(Settings(theme="light"))
        stage.close()


class PageOfAll:
    """A view that shows every sentence around one, as Read does."""

    def __init__(self, ids: frozenset[int] = frozenset()):
        self.ids = ids

    def ids_around(self, sentence_id: int) -> frozenset[int]:
        return self.ids


def test_what_the_view_shows_around_a_sentence_is_left_out(
    inspector: Inspector, stage: Stage, qtbot: QtBot
) -> None:
    page = PageOfAll()
    inspector.show_beside(page)
    with qtbot.waitSignal(inspector.neighbours_shown):
        stage.state.select_sentence(sentence_id(1, 1))
    assert [line for line in inspector.findChildren(ContextLabel) if line.isVisible()]
    before = {hit.sentence.id for hit in inspector.neighbours}
    assert sentence_id(2, 1) in before
    page.ids = frozenset(
        sentence_id(corpus, row) for corpus in (1, 2) for row in range(3)
    )
    with qtbot.waitSignal(inspector.neighbours_shown):
        stage.state.page_changed.emit()
    shown = inspector.findChildren(ContextLabel)
    assert not [line for line in shown if line.isVisible()]
    assert sentence_id(2, 1) not in known(inspector)
    assert {hit.sentence.id for hit in inspector.neighbours} == before - {
        sentence_id(2, 1)
    }


def test_known_translations_are_shown(inspector: Inspector, stage: Stage) -> None:
    stage.state.select_sentence(sentence_id(1, 1))
    cards = inspector.findChildren(SentenceCard)
    assert [card.hit.sentence.id for card in cards] == [sentence_id(2, 1)]
    assert (cards[0].hit.language, cards[0].hit.corpus) == ("German", "Hafenbriefe")


def known(inspector: Inspector) -> list[int]:
    """Return the sentences below Known translations: there are no neighbours here."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    return [card.hit.sentence.id for card in inspector.findChildren(SentenceCard)]


def is_known(inspector: Inspector, expected: list[int]) -> bool:
    return known(inspector) == expected


def test_a_removed_link_is_no_translation_any_more(
    inspector: Inspector, stage: Stage, qtbot: QtBot
) -> None:
    own, other = sentence_id(1, 1), sentence_id(2, 1)
    stage.client.answers[NearestQuery] = lambda query: SearchAnswer([], 1, 0.0)
    stage.state.select_sentence(own)
    assert known(inspector) == [other]
    with open_project(stage.folder) as project:
        edit(project, ChangeLinks(removed=((own, other),)))
    stage.client.event_received.emit(events.Changed("link", own))
    qtbot.waitUntil(lambda: known(inspector) == [])
    with open_project(stage.folder) as project:
        edit(project, Undo())
    stage.client.event_received.emit(events.Changed("link", own))
    qtbot.waitUntil(lambda: known(inspector) == [other])


def test_the_other_side_of_an_accepted_pair_is_a_known_translation(
    inspector: Inspector, stage: Stage, qtbot: QtBot
) -> None:
    stage.client.answers[NearestQuery] = lambda query: SearchAnswer([], 1, 0.0)
    pair = first_pair_id(1)
    with open_project(stage.folder) as project:
        add_pairs(project, 2)  # sentences 0 with each other, and so on
    stage.state.select_sentence(sentence_id(2, 0))
    assert known(inspector) == []
    changes: list[Change] = [JudgePairs(pairs=(pair,), verdict="accept")]
    changes += [JudgePairs(pairs=(pair,), verdict="reject"), Undo()]
    for change in changes:
        with open_project(stage.folder) as project:
            edit(project, change)
        stage.client.event_received.emit(events.Changed("pair", pair))
        is_rejected = change == changes[1]
        expected = [] if is_rejected else [sentence_id(1, 0)]
        qtbot.waitUntil(partial(is_known, inspector, expected))
    stage.state.select_sentence(sentence_id(1, 0))  # from its other side
    assert known(inspector) == [sentence_id(2, 0)]
    assert stage.state.project is not None
    store, own = stage.state.project.store, [sentence_id(1, 0), sentence_id(2, 0)]
    assert list_translations(store, own) == {own[0]: [own[1]], own[1]: [own[0]]}
    counts = dict.fromkeys(own, 1)
    assert count_translations(store, own) == counts, "as the table shows"
    link(stage.folder, [(own[0], own[1])])
    assert count_translations(store, own) == counts, "counted once"
    with open_project(stage.folder) as project:
        edit(project, ChangeLinks(removed=((own[0], own[1]),)))
    with open_project(stage.folder) as project:
        edit(project, SetMiningState(minings=(1,), state="deleted"))
    stage.client.event_received.emit(events.Changed("mining", 1))
    qtbot.waitUntil(lambda: known(inspector) == [])


def test_what_is_hidden_is_left_out(inspector: Inspector, stage: Stage) -> None:
    stage.state.select_sentence(sentence_id(1, 1))
    store = connect_writing(stage.folder, wal=True)
    ids = [sentence_id(1, 0), sentence_id(1, 1), sentence_id(2, 1), sentence_id(4, 0)]
    with store.begin() as connection:
        values = [
            {"sentence_id": id_, "state": "hidden", "reason": "", "step": "1"}
            for id_ in ids
        ]
        connection.execute(insert(schema.hidden), values)
    store.dispose()
    stage.state.kinds_changed.emit({"hidden"})
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not inspector.findChildren(SentenceCard)
    lines = inspector.findChildren(ContextLabel)
    assert [line.sentence.id for line in lines] == [
        sentence_id(1, 1),  # what is selected stays, though it is hidden
        sentence_id(1, 2),
    ]
    project = stage.state.project
    assert project is not None
    examples = choose_examples(project.store, project.corpora)
    assert not {hit.sentence.id for hit in examples} & set(ids)
    assert len(examples) == 4


def test_examples_of_search_have_translations(stage: Stage) -> None:
    project = stage.state.project
    assert project is not None
    first, second, *_ = choose_examples(project.store, project.corpora)
    assert first.sentence.id == sentence_id(1, 1), "linked by the fixture"
    assert second.sentence.id == sentence_id(2, 1)


def test_neighbours_in_other_languages_are_asked_for(
    inspector: Inspector, stage: Stage, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(inspector.neighbours_shown):
        stage.state.select_sentence(sentence_id(1, 1))
    query = stage.client.queries(NearestQuery)[-1]
    assert (query.sentence, query.requester, query.k) == (
        sentence_id(1, 1),
        "inspector",
        1,
    )
    assert query.languages == ("ar", "de", "ja")
    languages = [hit.sentence.language for hit in inspector.neighbours]
    assert languages == ["de", "ar", "ja"]


def test_the_encoder_of_the_cosines_is_named_where_search_ranks_again(
    inspector: Inspector, stage: Stage, qtbot: QtBot
) -> None:
    encoders = (
        EncoderInfo(name="isogloss-3", architecture="static", fingerprint="a" * 64),
        EncoderInfo(
            name="layers",
            architecture="contextual",
            fingerprint="b" * 64,
            base_fingerprint="a" * 64,
        ),
    )
    listing = EncoderListing(encoders=encoders, chosen="isogloss-3")
    with qtbot.waitSignal(inspector.neighbours_shown):
        stage.state.select_sentence(sentence_id(1, 1))
    text = (
        "Cosines by isogloss-3. Those of Search can differ, since it re-ranks hits "
        "with layers."
    )
    assert text not in [label.text() for label in inspector.findChildren(QLabel)]
    stage.client.answers[EncodersQuery] = lambda _: listing
    with qtbot.waitSignal(stage.state.encoders.changed):
        stage.state.encoders.refresh()
    with qtbot.waitSignal(inspector.neighbours_shown):
        inspector.ask_neighbours()
    assert text in [label.text() for label in inspector.findChildren(QLabel)]


def test_the_translations_of_a_selected_word_are_marked_in_the_cards(
    inspector: Inspector, stage: Stage, qtbot: QtBot
) -> None:
    german = "Wegen des Sturms fährt die Fähre morgen nicht."
    begin = german.index("Fähre")
    word = [sentence_id(2, 1), begin, begin + len("Fähre"), 0.9]
    stage.client.answers[WordMarksQuery] = lambda query: {"found": [[word]]}
    with qtbot.waitSignal(inspector.neighbours_shown):
        stage.state.select_sentence(sentence_id(1, 1))
    label = next(
        one for one in inspector.findChildren(SentenceLabel) if one.text() == FERRY
    )
    index = FERRY.index("ferry")
    label.setSelection(index, len("ferry"))
    label.part_selected.emit()
    card = inspector.findChildren(SentenceCard)[0]
    qtbot.waitUntil(lambda: card.marked == ["Fähre 90\u00a0%"])
    assert "Fähre 90" in card.toolTip()
    (text,) = stage.client.queries(WordMarksQuery)[-1].texts
    assert (text.begin, text.end) == (index, index + len("ferry"))
    assert sentence_id(2, 1) in text.targets
    label.setSelection(0, 0)
    label.part_selected.emit()
    assert card.marked == []


def test_the_encoder_of_the_vectors_is_named(
    inspector: Inspector, stage: Stage
) -> None:
    stage.state.select_sentence(sentence_id(1, 1))
    assert "isogloss-2 · 256 dimensions" in words(inspector)


def test_a_note_is_saved_when_another_sentence_is_selected(
    inspector: Inspector, stage: Stage
) -> None:
    stage.state.select_sentence(sentence_id(1, 1))
    inspector.note.setPlainText("Storm idiom.")
    stage.state.select_sentence(sentence_id(1, 2))
    assert stage.client.changes() == [SetNote(sentence_id(1, 1), "Storm idiom.")]
    assert inspector.note.toPlainText() == ""


def test_escape_leaves_the_note_for_where_it_was_begun(
    inspector: Inspector, stage: Stage, qtbot: QtBot
) -> None:
    stage.state.select_sentence(sentence_id(1, 1))
    with qtbot.waitActive(inspector):
        inspector.activateWindow()
    line = inspector.findChildren(ContextLabel)[0]
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_N)
    qtbot.waitUntil(inspector.note.hasFocus)
    QTest.keyClicks(inspector.note, "Idiom.")
    QTest.keyClick(inspector.note, Qt.Key.Key_Escape)
    qtbot.waitUntil(line.hasFocus)
    assert stage.client.changes() == [SetNote(sentence_id(1, 1), "Idiom.")]


def test_the_note_is_continued_at_its_end_and_is_shown_whole(
    inspector: Inspector, stage: Stage, qtbot: QtBot
) -> None:
    with open_project(stage.folder) as project:
        edit(project, SetNote(sentence_id(1, 1), "perdimos: tense?"))
    inspector.resize(340, 300)
    stage.state.select_sentence(sentence_id(1, 1))
    with qtbot.waitActive(inspector):
        inspector.activateWindow()
    QTest.keyClick(inspector, Qt.Key.Key_N)
    qtbot.waitUntil(inspector.note.hasFocus)
    assert is_shown_whole(inspector.note)
    with qtbot.waitSignal(inspector.neighbours_shown):  # above the note
        inspector.ask_neighbours()
    qtbot.waitUntil(lambda: is_shown_whole(inspector.note))
    QTest.keyClicks(inspector.note, " Check.")
    assert inspector.note.toPlainText() == "perdimos: tense? Check."


def is_shown_whole(widget: QWidget) -> bool:
    return widget.visibleRegion().boundingRect() == widget.rect()


def test_a_note_that_did_not_change_is_not_saved(
    inspector: Inspector, stage: Stage
) -> None:
    stage.state.select_sentence(sentence_id(1, 1))
    inspector.note.save()
    assert stage.client.changes() == []


def test_a_line_break_at_the_end_of_a_note_is_no_change_of_its_own(
    inspector: Inspector, stage: Stage, qtbot: QtBot
) -> None:
    stage.state.select_sentence(sentence_id(1, 1))
    inspector.note.begin()
    QTest.keyClicks(inspector.note, "a")
    inspector.note.save()
    QTest.keyClick(inspector.note, Qt.Key.Key_Return)
    inspector.note.save()
    assert stage.client.changes() == [SetNote(sentence_id(1, 1), "a")]
    inspector.note.show_note(sentence_id(1, 1), "a")  # what was typed stays
    assert inspector.note.toPlainText().startswith("a")
    QTest.keyClicks(inspector.note, "b")
    inspector.note.save()
    assert len(stage.client.changes()) == 2


def test_the_sentence_is_copied_with_its_source(
    inspector: Inspector, stage: Stage
) -> None:
    stage.state.select_sentence(sentence_id(4, 1))
    inspector.tools.copy.trigger()
    copied = QGuiApplication.clipboard().text()
    assert (
        copied == "嵐のため、明日はフェリーが出ません。 (港の手紙, Japanese, line 2, p)"
    )


def test_a_search_from_the_sentence_is_wanted(
    inspector: Inspector, stage: Stage, qtbot: QtBot
) -> None:
    stage.state.select_sentence(sentence_id(1, 1))
    with qtbot.waitSignal(stage.state.view_requests.search_requested) as signal:
        inspector.tools.search.trigger()
    assert signal.args == [sentence_id(1, 1)]


def test_a_sentence_that_is_gone_leaves_it_empty(
    inspector: Inspector, stage: Stage
) -> None:
    stage.state.select_sentence(sentence_id(1, 1))
    stage.state.select_sentence(sentence_id(77, 1))
    assert "Select a sentence" in words(inspector)


def test_a_note_that_the_engine_wrote_is_read_again(
    inspector: Inspector, stage: Stage
) -> None:
    stage.state.select_sentence(sentence_id(1, 1))
    with open_project(stage.folder) as project, project.store.begin() as connection:
        row = {"sentence_id": sentence_id(1, 1), "text": "Undone.", "who": ""}
        connection.execute(schema.note.insert(), {**row, "changed_at": 1.0})
    changed = events.Changed("note", sentence_id(1, 1))  # an id of more than 32 bits
    stage.client.event_received.emit(changed)
    assert inspector.note.toPlainText() == "Undone."


def test_the_class_that_a_classifier_predicted_is_named(
    stage: Stage, inspector: Inspector
) -> None:
    id_ = classified.add_trained(stage.folder, "Topics")
    classified.add_predictions(stage.folder, id_, 2)
    stage.state.select_sentence(sentence_id(2, 0))
    assert "Topics: wind (90.0\u00a0%)" in words(inspector)
    stage.state.select_sentence(sentence_id(1, 0))
    assert "Predicted class" not in words(inspector)
